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
  const { bars, cuts } = isNumber ? barsOfNumbers(column, known, split) : barsOfCategories(column, known, split);
  const [left, top, width, height] = [8, 34, NODE.width - 16, PICTURE - 6];
  const most = Math.max(...bars.map((rows) => rows.reduce((sum, { share }) => sum + share, 0)));
  const step = width / bars.length;
  const group = svg("g", { class: "picture" });
  bars.forEach((own, bar) => {
    let from = top + height;
    for (const { color, amount } of shares(report, own)) {
      const tall = (amount / most) * (height - 4);
      from -= tall;
      group.append(
        svg("rect", {
          x: (left + bar * step + (step > 4 ? 0.5 : 0)).toFixed(2),
          y: from.toFixed(2),
          width: Math.max(0.8, step - (step > 4 ? 1 : 0)).toFixed(2),
          height: tall.toFixed(2),
          fill: color,
        }),
      );
    }
  });
  group.append(svg("line", { class: "axis", x1: left, x2: left + width, y1: top + height, y2: top + height }));
  for (const cut of cuts) {
    const x = (left + cut * width).toFixed(2);
    group.append(svg("line", { class: "cut", x1: x, x2: x, y1: top - 1, y2: top + height + 3 }));
  }
  return group;
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
  return { bars, cuts: split.cuts.map(place) };
}

// The categories by branch, the heavy ones first; the cuts stand between branches.
function barsOfCategories(column, known, split) {
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
  return { bars: codes.map((code) => byCode.get(code)), cuts };
}
