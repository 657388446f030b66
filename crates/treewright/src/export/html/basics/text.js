// Conditions, paths and answers in words.

// Does the child at this position take missing values and nothing else?
function takesMissingOnly(node, position) {
  if (node.missing !== position) return false;
  const { split } = node;
  if (split.kind === "intervals") return position > split.cuts.length;
  return !split.branches.includes(position);
}

// The bounds of an interval: `[cut, included]` or `null`.
function bounds(split, position) {
  const right = split.closed === "right";
  return {
    low: position > 0 ? [split.cuts[position - 1], !right] : null,
    high: position < split.cuts.length ? [split.cuts[position], right] : null,
  };
}

function intervalText(low, high, number) {
  const parts = [];
  if (low) parts.push(`${low[1] ? "≥" : ">"} ${number(low[0])}`);
  if (high) parts.push(`${high[1] ? "≤" : "<"} ${number(high[0])}`);
  return parts.join(" and ") || "known";
}

const MOST_CATEGORIES = 6;

function setText(names, most) {
  if (!names.length) return "none of the categories";
  if (names.length === 1) return `= ${names[0]}`;
  const shown = names.length > most + 1 ? names.slice(0, most) : names;
  const rest = names.length - shown.length;
  return `in {${shown.join(", ")}${rest ? `, … ${rest} more` : ""}}`;
}

function categoryName(report, feature, code) {
  const { categories } = report.features[feature];
  return code === UNSEEN || categories[code] === undefined ? "a value not seen in training" : categories[code];
}

// What a value must fulfil to go to a child, without the name of the feature.
function conditionText(report, node, position, brief) {
  if (takesMissingOnly(node, position)) return "missing";
  const { split } = node;
  if (split.kind === "intervals") {
    const { low, high } = bounds(split, position);
    return intervalText(low, high, (cut) => cutText(report, split.feature, cut));
  }
  const { categories } = report.features[split.feature];
  const names = categories.filter((_, code) => split.branches[code] === position);
  return setText(names, brief ? 3 : MOST_CATEGORIES);
}

// The same, with the missing values that go there too. Only where it matters: every question has a
// way for missing values, few tables have such values.
function branchText(report, node, position, brief) {
  const text = conditionText(report, node, position, brief);
  const also = node.missing === position && text !== "missing" && report.features[node.split.feature].hasMissing;
  return also ? `${text} or missing` : text;
}

// The conditions on the way to a node, those on the same feature put together.
function pathConditions(tree, id, number = null) {
  const { report } = tree;
  return Array.from(demandsOn(tree, id), ([feature, { interval, codes, missing }]) => {
    const { name, hasMissing } = report.features[feature];
    const names = codes ? report.features[feature].categories.filter((_, code) => codes[code] === ALL) : [];
    let text = "missing";
    if (interval) text = intervalText(interval.low, interval.high, number ?? ((cut) => cutText(report, feature, cut)));
    else if (names.length) text = setText(names, 12);
    if (text !== "missing" && missing === ALL && hasMissing) text += " or missing";
    return { name, text };
  });
}

function answerText(report, value) {
  return report.task === "regression" ? format.value(value) : report.target.classes[value];
}

// What the training rows of a node are.
function nodeFacts(tree, id) {
  const { report } = tree;
  const node = tree.nodes[id];
  const weight = tree.weight[id];
  if (!(weight > 0)) return "No training row comes here.";
  if (report.task === "regression") {
    const deviation = format.value(Math.sqrt(node.sse / weight));
    return `${plural(weight, "training row")}, mean ${format.value(node.mean)}, standard deviation ${deviation}.`;
  }
  const own = node.counts[node.value];
  const share = `${format.rows(own)} of ${plural(weight, "training row")} here (${format.share(own / weight)})`;
  return `${share} are ${report.target.classes[node.value]}.`;
}

function valueText(report, feature, value) {
  if (value === null) return "missing";
  return report.features[feature].kind === "numeric" ? format.exact(value) : categoryName(report, feature, value);
}

// The same without digits that nobody reads.
function briefValue(report, feature, value) {
  const isNumber = report.features[feature].kind === "numeric" && value !== null;
  return isNumber ? format.brief(value) : valueText(report, feature, value);
}

// Why a row gets its answer: pieces, of which some are to be emphasised.
function rowSentence(tree, row) {
  const { report } = tree;
  const { visits, leaves } = tree.reach(row);
  const answer = tree.answer(leaves);
  const label = answerText(report, answer.value);
  const target = report.target.name;
  const pieces = [`Predicted ${target}: `, { strong: label }, ". "];
  const shared = new Map();
  const reasons = new Map();
  for (const [id] of visits) {
    const node = tree.nodes[id];
    if (!node.children) continue;
    const { feature } = node.split;
    const { name, kind } = report.features[feature];
    const value = row[feature];
    const fits = outcome(node.split, value) !== null;
    if (!fits && node.missing === "distribute") {
      shared.set(
        feature,
        value === null ? `${name} is missing` : `${name} has a value that the tree does not know here`,
      );
      continue;
    }
    let why = "";
    if (!fits && !takesMissingOnly(node, node.missing)) why = `goes with ${conditionText(report, node, node.missing)}`;
    else if (fits && kind === "numeric") why = tightest(tree, visits, feature, value);
    reasons.set(feature, `${name} is ${briefValue(report, feature, value)}${why ? ` (${why})` : ""}`);
  }
  if (reasons.size) pieces.push(`Because ${listing(Array.from(reasons.values()))}. `);
  if (shared.size) {
    const why = listing(Array.from(shared.values()));
    pieces.push(
      `Since ${why}, the row is shared out among the branches in proportion to the training rows `,
      `and ends in ${leavesText(leaves.length)}${leaves.length > 1 ? "; the answer is their mixture" : ""}. `,
    );
  }
  if (leaves.length === 1)
    pieces.push(visits.length > 1 ? nodeFacts(tree, leaves[0][0]) : "This tree is a single leaf and asks nothing.");
  return { pieces, answer, visits, leaves };
}

function tightest(tree, visits, feature, value) {
  let low = null;
  let high = null;
  for (const [id] of visits) {
    const node = tree.nodes[id];
    if (!node.children || node.split.feature !== feature || node.split.kind !== "intervals") continue;
    const own = bounds(node.split, outcome(node.split, value));
    if (own.low && (!low || own.low[0] >= low[0])) low = own.low;
    if (own.high && (!high || own.high[0] <= high[0])) high = own.high;
  }
  // Short, but never so short that a cut looks like the value that it tells apart.
  const shown = format.brief(value);
  const number = (cut) => {
    const text = cutText(tree.report, feature, cut, value);
    return text === shown ? format.exact(cut) : text;
  };
  return low || high ? intervalText(low, high, number) : "";
}

// The measure of error and how its figures are written.
function measure(report) {
  const [text, spread] = [4, 3].map((digits) => (x) => significant(x, digits));
  if (report.task === "regression") {
    return { name: "mean squared error", short: "MSE", unseen: "mean squared error", text, spread };
  }
  const { weighted } = report.table;
  if (report.target.costs) {
    const cost = weighted ? "weighted cost" : "cost";
    return { name: `${cost} per row`, short: cost, unseen: cost, text, spread };
  }
  if (weighted) {
    const error = "weighted error";
    return { name: error, short: error, unseen: error, text: format.percent, spread: format.spread };
  }
  return { name: "error rate", short: "error", unseen: "wrong", text: format.percent, spread: format.spread };
}
