// The picture inside a question: how the sampled rows of the node lie on its feature, and where it cuts them.

const MOST_PICTURES = 40;
const PICTURE_BINS = 16;

// For each of these nodes the sampled rows that pass it, with their shares.
function rowsOfNodes(rows, tree, ids) {
  const found = new Map(ids.map((id) => [id, []]));
  rows.forEach((row, index) => {
    for (const [id, share] of tree.reach(row).visits) {
      if (found.has(id)) found.get(id).push({ index, share });
    }
  });
  return found;
}

function nodePicture(tree, id, rows) {
  const { report } = tree;
  const { split } = tree.nodes[id];
  const column = report.sample.columns[split.feature];
  const known = rows.filter(({ index }) => column[index] !== null);
  if (!known.length) return null;
  const isNumber = report.features[split.feature].kind === "numeric";
  const group = svg("g", { class: "picture" });
  const own = isNumber ? barsOfNumbers(column, known, split) : barsOfCategories(report, column, known, split);
  const texts = axisTexts(own, 8, NODE.width - 16);
  const frame = { left: 8, top: 34, width: NODE.width - 16, bottom: NODE.height + PICTURE - (texts.length ? 27 : 12) };
  if (isNumber && report.task === "regression") group.append(...points(tree, id, column, known, frame, own));
  else group.append(...bars(report, own.bars, frame));
  const { left, top, width, bottom } = frame;
  group.append(svg("line", { class: "axis", x1: left, x2: left + width, y1: bottom, y2: bottom }));
  for (const cut of own.cuts) {
    const x = (left + cut * width).toFixed(2);
    group.append(svg("line", { class: "cut", x1: x, x2: x, y1: top - 1, y2: bottom + 3 }));
  }
  for (const [text, at, anchor] of texts) {
    group.append(svg("text", { class: "count", x: at.toFixed(1), y: bottom + 14, "text-anchor": anchor }, text));
  }
  return group;
}

function bars(report, bars, { left, width, top, bottom }) {
  const most = Math.max(...bars.map((rows) => rows.reduce((sum, { share }) => sum + share, 0)));
  const step = width / bars.length;
  return bars.flatMap((own, bar) => {
    let from = bottom;
    return shares(report, own).map(({ color, amount }) => {
      const tall = (amount / most) * (bottom - top - 4);
      from -= tall;
      return svg("rect", {
        x: (left + bar * step + (step > 4 ? 0.5 : 0)).toFixed(2),
        y: from.toFixed(2),
        width: Math.max(0.8, step - (step > 4 ? 1 : 0)).toFixed(2),
        height: tall.toFixed(2),
        fill: color,
      });
    });
  });
}

// Regression: the target against the feature, in the same range in all nodes, and the answer beside each cut. All
// points of a colour are one path: a page has many of them.
function points(tree, id, column, known, { left, width, top, bottom }, { low, high, cuts }) {
  const { report } = tree;
  const { target } = report.sample;
  const x = linear(low, high, left + 2, left + width - 2);
  const y = linear(...rangeOf(target, null), bottom - 2, top + 2);
  const paths = new Map();
  for (const { index } of known) {
    const [from, to] = report.valueRange;
    const color = rampColor(Math.round((8 * (target[index] - from)) / (to - from || 1)) / 8);
    paths.set(color, `${paths.get(color) || ""}M${x(column[index]).toFixed(1)},${y(target[index]).toFixed(1)}h0`);
  }
  const dots = Array.from(paths, ([color, d]) => svg("path", { class: "dots", d, stroke: color }));
  const edges = [0, ...cuts, 1];
  const levels = edges.slice(1).map((to, i) => {
    const child = tree.nodes[id].children[i];
    if (!(tree.weight[child] > 0)) return null;
    const level = y(tree.nodes[child].value).toFixed(1);
    return svg("line", { class: "level", x1: left + edges[i] * width, x2: left + to * width, y1: level, y2: level });
  });
  return [...dots, ...levels.filter(Boolean)];
}

// The ends of a range, or the categories if there is room for all of them.
function axisTexts({ low, high, names }, left, width) {
  if (names) {
    const step = width / names.length;
    if (names.some((name) => textWidth(name, 12) > step - 3)) return [];
    return names.map((name, i) => [name, left + (i + 0.5) * step, "middle"]);
  }
  const [first, last] = [low, high].map((end) => format.exact(Number(end.toPrecision(4))));
  if (textWidth(first, 12) + textWidth(last, 12) > width - 12) return [];
  return [
    [first, left, "start"],
    [last, left + width, "end"],
  ];
}

// The classes in a bar; in regression one colour, for the mean.
function shares(report, rows) {
  if (!rows.length) return [];
  const { target } = report.sample;
  const total = rows.reduce((sum, { share }) => sum + share, 0);
  if (report.task === "regression") {
    const mean = rows.reduce((sum, { index, share }) => sum + share * target[index], 0) / total;
    return [{ color: answerColor(report, mean), amount: total }];
  }
  const counts = report.target.classes.map(() => 0);
  for (const { index, share } of rows) counts[target[index]] += share;
  return counts.map((amount, i) => ({ color: classColor(i), amount })).filter(({ amount }) => amount > 0);
}

// Cuts are places between 0 and 1.
function barsOfNumbers(column, known, split) {
  const [low, high] = rangeOf(
    known.map(({ index }) => column[index]),
    split,
  );
  const bars = Array.from({ length: PICTURE_BINS }, () => []);
  const place = (value) => (value - low) / (high - low || 1);
  for (const row of known) {
    bars[Math.min(PICTURE_BINS - 1, Math.floor(place(column[row.index]) * PICTURE_BINS))].push(row);
  }
  return { bars, cuts: split.cuts.map(place), low, high };
}

// The categories by branch, the heavy ones first; the cuts stand between branches.
function barsOfCategories(report, column, known, split) {
  const byCode = new Map();
  for (const row of known) {
    const code = column[row.index];
    if (!byCode.has(code)) byCode.set(code, []);
    byCode.get(code).push(row);
  }
  const branch = (code) => split.branches[code] ?? -1;
  const codes = Array.from(byCode.keys()).sort(
    (a, b) => branch(a) - branch(b) || byCode.get(b).length - byCode.get(a).length,
  );
  const cuts = codes.flatMap((code, i) => (i && branch(code) !== branch(codes[i - 1]) ? [i / codes.length] : []));
  const names = codes.map((code) => categoryName(report, split.feature, code));
  return { bars: codes.map((code) => byCode.get(code)), cuts, names };
}
