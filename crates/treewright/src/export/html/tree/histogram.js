// One feature at one node: how the classes lie on it, and where the node cuts.

const MOST_BARS = 14;

function histogram(report, tree, id, feature, width, state) {
  const rows = rowsAt(state.rows, tree, id);
  const { kind, name } = report.features[feature];
  const values = rows.map(({ index }) => report.sample.columns[feature][index]);
  const known = rows.filter((_, i) => values[i] !== null);
  const caption = html("p", { class: "note" });
  const missing = rows.length - known.length;
  const lacking = missing ? `, ${format.rows(missing)} with ${name} missing` : "";
  caption.textContent = `${plural(rows.length, "sampled row")} at this node${lacking}.`;
  const split = !tree.isLeaf(id) && tree.nodes[id].split.feature === feature ? tree.nodes[id].split : null;
  if (!known.length) return html("div", {}, caption);
  const drawing =
    kind === "numeric"
      ? report.task === "regression"
        ? targets(report, known, feature, split, tree, id, width)
        : bins(report, known, feature, split, width)
      : categoryBars(report, known, feature, split, width);
  drawing.setAttribute("role", "img");
  const cuts = split && split.cuts ? `, cut at ${split.cuts.map(format.exact).join(", ")}` : "";
  drawing.setAttribute("aria-label", `Distribution of ${name} at this node${cuts}`);
  return html("div", {}, drawing, caption);
}

// The sampled rows that pass a node, with the share of each that does.
function rowsAt(rows, tree, id) {
  const found = [];
  rows.forEach((row, index) => {
    const visit = tree.reach(row).visits.find(([at]) => at === id);
    if (visit) found.push({ index, share: visit[1] });
  });
  return found;
}

function cutLines(report, split, x, top, bottom) {
  if (!split || !split.cuts) return [];
  // The sign tells on which side of the cut the value itself lies.
  const sign = split.closed === "right" ? "≤" : "<";
  return split.cuts.flatMap((cut) => [
    svg("line", { class: "cut", x1: x(cut), x2: x(cut), y1: top, y2: bottom }),
    svg("text", { class: "cut-label", x: x(cut), y: top - 3, "text-anchor": "middle" }, `${sign} ${cutText(report, split.feature, cut)}`),
  ]);
}

function bottomAxis(x, low, high, width, y, whole) {
  return ticks(low, high, Math.min(6, width / 60))
    .filter((mark) => !whole || Number.isInteger(mark))
    .map((mark) =>
      svg(
        "g",
        { class: "axes" },
        svg("line", { class: "tick", x1: x(mark), x2: x(mark), y1: y, y2: y + 4 }),
        svg("text", { x: x(mark), y: y + 16, "text-anchor": "middle" }, significant(mark, 5)),
      ),
    );
}

// The range of values, with the cuts in it; never wider than needed, so no axis runs below zero
// for a feature that does not.
function rangeOf(values, split, room = 0.5) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of split && split.cuts ? values.concat(split.cuts) : values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low === high) return [low - room, high + room];
  return [low, high];
}

function bins(report, known, feature, split, width) {
  const column = report.sample.columns[feature];
  const values = known.map(({ index }) => column[index]);
  let [low, high] = rangeOf(values, split);
  const distinct = Array.from(new Set(values)).sort((a, b) => a - b);
  const whole = distinct.length <= 24 && distinct.every(Number.isInteger) && high - low <= 30;
  let n = Math.min(28, Math.max(8, Math.round(Math.sqrt(values.length) * 1.4)));
  if (whole) {
    // A bar for each whole number, centred on it.
    low = Math.floor(low - 0.5) + 0.5;
    high = Math.ceil(high + 0.5) - 0.5;
    if (low > distinct[0] - 0.5) low = distinct[0] - 0.5;
    n = Math.max(1, Math.round(high - low));
  }
  const classes = report.target.classes.length;
  const table = Array.from({ length: n }, () => new Array(classes).fill(0));
  known.forEach(({ index, share }, i) => {
    const bin = Math.min(n - 1, Math.max(0, Math.floor(((values[i] - low) / (high - low)) * n)));
    table[bin][report.sample.target[index]] += share;
  });
  const [top, bottom, height] = [20, 138, 160];
  const x = linear(low, high, 30, width - 10);
  const most = Math.max(...table.map((counts) => counts.reduce((a, b) => a + b, 0)));
  const y = linear(0, most, bottom, top + 4);
  const drawing = svg("svg", { class: "plot", viewBox: `0 0 ${width} ${height}`, width, height });
  for (const mark of ticks(0, most, 3).filter((mark) => mark > 0)) {
    drawing.append(
      svg(
        "g",
        { class: "axes" },
        svg("line", { class: "grid", x1: 30, x2: width - 10, y1: y(mark), y2: y(mark) }),
        svg("text", { x: 25, y: y(mark) + 4, "text-anchor": "end" }, significant(mark, 3)),
      ),
    );
  }
  const step = (width - 40) / n;
  table.forEach((counts, bin) => {
    let from = 0;
    counts.forEach((count, i) => {
      if (!count) return;
      const y0 = y(from);
      from += count;
      drawing.append(
        svg(
          "rect",
          {
            x: 30 + bin * step + 0.5,
            width: Math.max(1, step - 1),
            y: y(from),
            height: y0 - y(from),
            fill: classColor(i),
          },
          svg("title", {}, `${report.target.classes[i]}: ${format.rows(count)}`),
        ),
      );
    });
  });
  drawing.append(
    svg("line", { class: "axis", x1: 30, x2: width - 10, y1: bottom, y2: bottom }),
    ...bottomAxis(x, low, high, width, bottom, whole),
    ...cutLines(report, split, x, top, bottom),
  );
  return drawing;
}

// Points on two axes, coloured by their height. Gives the scales too, for more to be drawn.
function scatter(report, width, height, xs, ys, [low, high], [bottom, top], opacity) {
  const x = linear(low, high, 50, width - 10);
  const y = linear(bottom, top, height - 26, 24);
  const drawing = svg("svg", { class: "plot", viewBox: `0 0 ${width} ${height}`, width, height });
  for (const mark of ticks(bottom, top, 5)) {
    drawing.append(
      svg(
        "g",
        { class: "axes" },
        svg("line", { class: "grid", x1: 50, x2: width - 10, y1: y(mark), y2: y(mark) }),
        svg("text", { x: 45, y: y(mark) + 4, "text-anchor": "end" }, significant(mark, 5)),
      ),
    );
  }
  xs.forEach((value, i) => {
    drawing.append(
      svg("circle", {
        class: "dot",
        cx: x(value).toFixed(1),
        cy: y(ys[i]).toFixed(1),
        r: 2.4,
        fill: answerColor(report, ys[i]),
        opacity: opacity(i),
      }),
    );
  });
  drawing.append(
    svg("line", { class: "axis", x1: 50, x2: width - 10, y1: height - 22, y2: height - 22 }),
    ...bottomAxis(x, low, high, width, height - 22, false),
  );
  return { drawing, x, y };
}

// Regression: the target against the feature, and the answer on each side of the cuts.
function targets(report, known, feature, split, tree, id, width) {
  const values = known.map(({ index }) => report.sample.columns[feature][index]);
  const own = known.map(({ index }) => report.sample.target[index]);
  const [low, high] = rangeOf(values, split);
  const { drawing, x, y } = scatter(report, width, 190, values, own, [low, high], rangeOf(own, null), (i) =>
    Math.max(0.2, known[i].share),
  );
  drawing.append(...cutLines(report, split, x, 20, 168));
  if (split && split.cuts) {
    const edges = [low, ...split.cuts, high];
    edges.slice(1).forEach((to, i) => {
      const child = tree.nodes[id].children[i];
      if (child === undefined || !(tree.weight[child] > 0)) return;
      const level = y(tree.nodes[child].value);
      drawing.append(svg("line", { class: "level", x1: x(edges[i]), x2: x(to), y1: level, y2: level }));
    });
  }
  return drawing;
}

// A bar for each category, grouped by the branch that it takes.
function categoryBars(report, known, feature, split, width) {
  const column = report.sample.columns[feature];
  const names = report.features[feature].categories;
  const regression = report.task === "regression";
  const table = new Map();
  for (const { index, share } of known) {
    const code = column[index];
    if (!table.has(code))
      table.set(code, { total: 0, counts: regression ? [0] : new Array(report.target.classes.length).fill(0), sum: 0 });
    const entry = table.get(code);
    entry.total += share;
    entry.sum += share * report.sample.target[index];
    entry.counts[regression ? 0 : report.sample.target[index]] += share;
  }
  const branch = (code) => (split && split.branches && split.branches[code] !== null ? split.branches[code] : -1);
  const codes = Array.from(table.keys()).sort(
    (a, b) => branch(a) - branch(b) || table.get(b).total - table.get(a).total,
  );
  const shown = codes.slice(0, MOST_BARS);
  const left = Math.min(
    width * 0.42,
    20 + 6.4 * Math.max(...shown.map((code) => Math.min(18, Array.from(categoryName(report, feature, code)).length))),
  );
  const step = 19;
  const height = shown.length * step + (codes.length > shown.length ? 20 : 6);
  const x = linear(0, Math.max(...shown.map((code) => table.get(code).total)), left, width - 52);
  const drawing = svg("svg", { class: "plot", viewBox: `0 0 ${width} ${height}`, width, height });
  // Lines between branches say something only where a branch takes several categories.
  const grouped = split && split.branches && new Set(codes.map(branch)).size < codes.length;
  shown.forEach((code, i) => {
    const { counts, total, sum } = table.get(code);
    const y = i * step + 3;
    if (i && grouped && branch(code) !== branch(shown[i - 1])) {
      drawing.append(svg("line", { class: "cut", x1: 0, x2: width, y1: y - 2.5, y2: y - 2.5 }));
    }
    drawing.append(
      svg(
        "text",
        { class: "bar-name", x: left - 6, y: y + 11, "text-anchor": "end" },
        cutName(names[code], 18),
        svg("title", {}, names[code]),
      ),
    );
    let from = 0;
    counts.forEach((count, k) => {
      if (!count) return;
      const start = x(from);
      from += count;
      drawing.append(
        svg("rect", {
          x: start,
          y,
          width: Math.max(0.5, x(from) - start),
          height: step - 5,
          fill: regression ? answerColor(report, sum / total) : classColor(k),
        }),
      );
    });
    drawing.append(
      svg(
        "text",
        { class: "bar-count", x: x(total) + 5, y: y + 11 },
        regression ? `${format.rows(total)} · ø ${format.value(sum / total)}` : format.rows(total),
      ),
    );
  });
  if (codes.length > shown.length) {
    drawing.append(
      svg(
        "text",
        { class: "bar-count", x: left, y: height - 6 },
        `… ${plural(codes.length - shown.length, "category", "categories")} more`,
      ),
    );
  }
  return drawing;
}
