// The tree as rules, one for each leaf, letter for letter as `treewright export --to rules` writes them.
//
// How much of a row with some value goes along a way: nothing, a part (where missing values are
// distributed), or all of it. The least of what the questions on the way let through counts.

const NOTHING = 0;
const PART = 1;
const ALL = 2;

const DISTRIBUTED = `# A row with a missing (or new) value takes all branches of that question, in proportion to
# their weights; its answer is the mixture of all rules that it follows in part.
`;
const STARRED = "# A star marks a condition, or a category, that such a row follows in part.\n";

// The shortest text that reads back as the same number.
function ruleNumber(x) {
  const size = Math.abs(x);
  if (size === 0) return "0";
  return size >= 1e-5 && size < 1e16 ? String(x) : x.toExponential().replace("e+", "e");
}

function ruleAmount(x) {
  if (Number.isInteger(x)) return ruleNumber(x);
  return ruleNumber(Number(Math.abs(x) < 1000 ? x.toPrecision(4) : x.toFixed(1)));
}

function printable(text) {
  const escapes = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
  return text.replace(
    /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u206f\u061c\ufeff]/gu,
    (c) => escapes[c] || `\\u{${c.codePointAt(0).toString(16)}}`,
  );
}

function quoted(name) {
  return `"${printable(name.replace(/\\/g, "\\\\").replace(/"/g, '\\"'))}"`;
}

// A name that cannot be mistaken for anything else: in quotes where it is not plain.
function word(name) {
  const plain = name !== "" && name !== "missing" && name.trim() === name && !/[<>="{},()#]/.test(name);
  return plain ? printable(name) : quoted(name);
}

function demandOf(node, position) {
  const missing = node.missing === "distribute" ? PART : node.missing === position ? ALL : NOTHING;
  const { split } = node;
  if (split.kind === "categories") {
    return { missing, codes: split.branches.map((to) => (to === null ? missing : to === position ? ALL : NOTHING)) };
  }
  return takesMissingOnly(node, position) ? { missing } : { missing, interval: bounds(split, position) };
}

function bothDemands(old, own) {
  const missing = Math.min(old.missing, own.missing);
  if (old.codes && own.codes)
    return { missing, codes: old.codes.map((passes, code) => Math.min(passes, own.codes[code])) };
  if (!old.interval || !own.interval) return { missing };
  const tighter = (a, b, sign) => {
    if (!a || !b) return b || a;
    return sign * (b[0] - a[0]) > 0 || (b[0] === a[0] && !b[1]) ? b : a;
  };
  return {
    missing,
    interval: {
      low: tighter(old.interval.low, own.interval.low, 1),
      high: tighter(old.interval.high, own.interval.high, -1),
    },
  };
}

// One condition, and whether it has an "or" in it.
function demandWords(feature, demand, marked) {
  const name = word(feature.name);
  let present = null;
  if (demand.codes) {
    const words = feature.categories
      .map((category, code) =>
        demand.codes[code] === ALL
          ? quoted(category)
          : demand.codes[code] === PART && marked
            ? `${quoted(category)}*`
            : null,
      )
      .filter((text) => text !== null);
    if (words.length) present = words.length === 1 ? `${name} = ${words[0]}` : `${name} in {${words.join(", ")}}`;
  } else if (demand.interval) {
    const { low, high } = demand.interval;
    const lower = low && high ? `${ruleNumber(low[0])} ${low[1] ? "<=" : "<"} ` : "";
    if (high) present = `${lower}${name} ${high[1] ? "<=" : "<"} ${ruleNumber(high[0])}`;
    else present = low ? `${name} ${low[1] ? ">=" : ">"} ${ruleNumber(low[0])}` : `${name} known`;
  }
  const missing = demand.missing === ALL ? "missing" : demand.missing === PART && marked ? "missing*" : null;
  if (present && missing) return [`${present} or ${missing}`, true];
  return [present || `${name} ${missing || "in {}"}`, false];
}

// What the way to a node asks of each feature, in the order they are first asked.
function demandsOn(tree, id) {
  const demands = new Map();
  const way = tree.way(id);
  for (let i = 1; i < way.length; i++) {
    const node = tree.nodes[way[i - 1]];
    const own = demandOf(node, tree.position[way[i]]);
    const old = demands.get(node.split.feature);
    demands.set(node.split.feature, old ? bothDemands(old, own) : own);
  }
  return demands;
}

function rulesText(tree) {
  const { features, target } = tree.report;
  const inner = tree.reachable.filter((id) => !tree.isLeaf(id));
  const parts = inner.filter((id) => tree.nodes[id].missing === "distribute").length;
  // Where every question distributes, stars would be everywhere and say nothing.
  const marked = parts < inner.length;
  const lines = tree.reachable
    .filter((id) => tree.isLeaf(id))
    .map((id) => {
      const words = Array.from(demandsOn(tree, id), ([feature, demand]) =>
        demandWords(features[feature], demand, marked),
      );
      const condition =
        words.length > 1
          ? words.map(([text, choice]) => (choice ? `(${text})` : text)).join(" AND ")
          : words.length
            ? words[0][0]
            : "TRUE";
      const node = tree.nodes[id];
      const weight = tree.weight[id];
      const figures = [`n ${ruleAmount(weight)}`];
      if (node.counts)
        figures.push(
          `errors ${ruleAmount(node.counts.reduce((sum, count, i) => (i === node.value ? sum : sum + count), 0))}`,
        );
      else if (weight > 0)
        figures.push(`mse ${ruleAmount((node.sse + weight * (node.value - node.mean) ** 2) / weight)}`);
      const answer = target.classes ? word(target.classes[node.value]) : ruleNumber(node.value);
      return `IF ${condition} THEN ${answer}  (${figures.join(", ")})\n`;
    });
  return `${parts ? DISTRIBUTED : ""}${parts && marked ? STARRED : ""}${lines.join("")}`;
}
