// The partition plot: what the tree answers all over the plane of two features.

const MOST_BANDS = 40;

function makePartition(report, actions) {
  const box = byId("partition");
  const plot = html("div", { class: "drawing" });
  const note = html("p", { class: "note" });
  const tools = byId("partition-tools");
  if (!report.features.length) {
    box.append(html("p", { class: "muted" }, "The table has no features."));
    return { render() {} };
  }
  let state = null;
  let axes = null;
  let picked = false;
  let withPoints = true;
  const options = report.features.map(({ name }, j) => [j, name]);
  const pick = (which) => (j) => {
    const value = Number(j);
    // The same feature twice would be a line: the two change places instead.
    if (axes[1 - which] === value) axes[1 - which] = axes[which];
    axes[which] = value;
    picked = true;
    draw();
  };
  const xChoice = choice("across", options, 0, pick(0));
  const yChoice = choice("up", options, 0, pick(1));
  box.append(html("div", { class: "choices" }, xChoice, report.features.length > 1 ? yChoice : null), plot, note);
  tools.append(
    report.sample
      ? checkbox("points", true, (on) => {
          withPoints = on;
          draw();
        })
      : "",
    ...saveButtons(
      () => plot.querySelector("svg"),
      () => "partition",
      answerKeys(report),
    ),
  );

  function chooseAxes() {
    const weights = state.tree.importances();
    const order = report.features.map((_, j) => j).sort((a, b) => weights[b] - weights[a] || a - b);
    axes = order.slice(0, 2);
    // Numbers belong across where only one of the two is one.
    if (axes.length > 1 && report.features[axes[0]].kind !== "numeric" && report.features[axes[1]].kind === "numeric")
      axes.reverse();
  }

  // The parts of an axis and where they are drawn.
  function axisOf(feature, from, to) {
    if (feature === undefined) return { parts: [{ code: 0, from, to }], place: () => (from + to) / 2, marks: [] };
    const column = report.sample ? report.sample.columns[feature] : [];
    const hasMissing = report.features[feature].hasMissing;
    const sign = Math.sign(to - from);
    if (report.features[feature].kind === "categorical") {
      const codes = report.features[feature].categories.map((_, code) => code).slice(0, MOST_BANDS);
      const parts = codes.map((code) => ({ code }));
      if (hasMissing) parts.push({ missing: true });
      const step = (to - from) / parts.length;
      parts.forEach((part, i) => {
        part.from = from + i * step;
        part.to = part.from + step;
      });
      const bands = parts.slice();
      return {
        parts,
        bands: true,
        place: (value, jitter) => {
          const part = bands.find((one) => (value === null ? one.missing : one.code === value));
          return part ? (part.from + part.to) / 2 + jitter * Math.abs(step) * 0.7 : null;
        },
        marks: parts.map((part) => ({
          at: (part.from + part.to) / 2,
          text: part.missing ? "missing" : report.features[feature].categories[part.code],
          room: Math.abs(step),
        })),
      };
    }
    const cuts = state.tree.reachable.flatMap((id) => {
      const { split } = state.tree.nodes[id];
      return split && split.feature === feature ? split.cuts : [];
    });
    let [low, high] = rangeOf(
      column.filter((value) => value !== null).concat(cuts, cuts.length || column.length ? [] : [0, 1]),
      null,
    );
    const pad = (high - low) * 0.03;
    // A feature without negative values keeps an axis without them.
    low = low >= 0 && low - pad < 0 ? 0 : low - pad;
    high += pad;
    const band = hasMissing ? 34 : 0;
    const start = from + sign * band;
    const scale = linear(low, high, start, to);
    const parts = [{ low, high }];
    if (hasMissing) parts.push({ missing: true, from, to: from + sign * (band - 6) });
    const marks = ticks(low, high, Math.max(2, Math.abs(to - start) / 70)).map((mark) => ({
      at: scale(mark),
      text: significant(mark, 5),
      room: 60,
    }));
    if (hasMissing) marks.unshift({ at: from + (sign * (band - 6)) / 2, text: "missing", room: 52 });
    return {
      parts,
      scale,
      place: (value, jitter) => {
        if (value === null) return hasMissing ? from + sign * (band - 6) * (0.5 + jitter * 0.7) : null;
        return value < low || value > high ? null : scale(value);
      },
      marks,
    };
  }

  function extent(part, axis) {
    const [a, b] = part.low === undefined ? [part.from, part.to] : [axis.scale(part.low), axis.scale(part.high)];
    return [Math.min(a, b), Math.abs(b - a)];
  }

  // Down to the end of the importances, where they stand beside the plot.
  function roomBeside() {
    const [own, side] = [plot, byId("importance")].map((one) => one.getBoundingClientRect());
    return side.right < own.left ? side.bottom - own.top - Math.max(38, note.offsetHeight) - 8 : 0;
  }

  function draw() {
    if (!state) return;
    const { tree } = state;
    if (!tree) {
      plot.replaceChildren();
      note.textContent = "The selected tree is not part of the page.";
      return;
    }
    if (!picked || !axes) chooseAxes();
    xChoice.querySelector("select").value = String(axes[0]);
    if (axes.length > 1) yChoice.querySelector("select").value = String(axes[1]);
    const width = Math.max(280, plotWidth());
    const height = axes.length > 1 ? Math.round(Math.max(Math.min(430, Math.max(290, width * 0.72)), Math.min(600, roomBeside()))) : 120;
    const yFeature = report.features[axes[1]];
    const yNames = yFeature && yFeature.kind === "categorical" ? yFeature.categories.slice(0, MOST_BANDS) : [];
    const longest = Math.max(
      yFeature && yFeature.hasMissing ? 7 : 5,
      ...yNames.map((name) => Math.min(14, Array.from(name).length)),
    );
    const margin = { left: Math.min(110, 16 + 6.6 * longest), right: 8, top: 22, bottom: 42 };
    const x = axisOf(axes[0], margin.left, width - margin.right);
    const y = axisOf(axes[1], height - margin.bottom, margin.top);
    const row = state.row ? state.row.values : state.typical;
    const drawing = svg("svg", {
      class: "plot partition",
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "img",
      "aria-label": `Answers of the tree over ${axes.map((j) => report.features[j].name).join(" and ")}`,
    });
    const ground = svg("g", { class: "cells" });
    const outlines = svg("g", { class: "outlines" });
    let count = 0;
    for (const xPart of x.parts) {
      for (const yPart of y.parts) {
        for (const cell of cellsOf(tree, axes, [xPart, yPart], row)) {
          count += 1;
          const [left, wide] = extent(cell.parts[0], x);
          const [top, high] = extent(cell.parts[1], y);
          const answer = tree.answer(cell.leaves);
          const inNode =
            state.node !== null && state.node !== 0 && cell.leaves.some(([id]) => tree.isBelow(id, state.node));
          const place = {
            x: left.toFixed(2),
            y: top.toFixed(2),
            width: Math.max(0.2, wide).toFixed(2),
            height: Math.max(0.2, high).toFixed(2),
          };
          const rect = svg("rect", {
            class: "cell",
            ...place,
            fill: answerColor(report, answer.value),
            "fill-opacity": opacity(answer).toFixed(2),
            on: {
              click: () => actions.selectNode(cell.leaves.reduce((best, leaf) => (leaf[1] > best[1] ? leaf : best))[0]),
              pointermove: (event) => tip.show(cellLines(cell, answer), event.clientX, event.clientY),
              pointerleave: tip.hide,
            },
          });
          ground.append(rect);
          if (inNode) outlines.append(svg("rect", { class: "in-node", ...place }));
        }
      }
    }
    drawing.append(ground, outlines);
    if (withPoints && report.sample) drawing.append(points(x, y));
    drawing.append(axisMarks(x, y, margin, width, height));
    if (state.row) drawing.append(rowMark(x, y, row));
    plot.replaceChildren(drawing);
    note.textContent = noteText(row, count);
  }

  function opacity(answer) {
    if (!answer.proba) return 0.85;
    const n = answer.proba.length;
    const lead = (Math.max(...answer.proba) - 1 / n) / (1 - 1 / n || 1);
    return 0.22 + 0.45 * Math.max(0, lead);
  }

  function cellLines(cell, answer) {
    const lines = [answerText(report, answer.value)];
    if (answer.proba) lines.push(`probability ${format.share(answer.proba[answer.value])}`);
    cell.parts.forEach((part, i) => {
      const feature = axes[i];
      if (feature === undefined) return;
      const { name } = report.features[feature];
      if (part.missing) lines.push(`${name} missing`);
      else if (part.low === undefined) lines.push(`${name} = ${categoryName(report, feature, part.code)}`);
      else lines.push(`${name} from ${cutText(report, feature, part.low)} to ${cutText(report, feature, part.high)}`);
    });
    return lines;
  }

  // The same spread at every drawing, so that points do not dance.
  function jitter(index, salt) {
    const x = Math.sin(index * 12.9898 + salt * 78.233) * 43758.5453;
    return x - Math.floor(x) - 0.5;
  }

  function position(x, y, row, index) {
    const at = [
      x.place(row[axes[0]], jitter(index, 1)),
      axes.length > 1 ? y.place(row[axes[1]], jitter(index, 2)) : y.place() + jitter(index, 2) * 40,
    ];
    return at[0] === null || at[1] === null ? null : at;
  }

  function points(x, y) {
    const group = svg("g", { class: "points" });
    state.rows.forEach((row, index) => {
      const at = position(x, y, row, index);
      if (!at) return;
      group.append(
        svg("circle", {
          cx: at[0].toFixed(1),
          cy: at[1].toFixed(1),
          r: 2.7,
          fill: answerColor(report, report.sample.target[index]),
          on: { click: () => actions.selectRow(index) },
        }),
      );
    });
    return group;
  }

  function rowMark(x, y, row) {
    const at = position(x, y, row, state.row.index === null ? 0 : state.row.index);
    if (!at) return svg("g");
    return svg(
      "g",
      { class: "row-mark", transform: `translate(${at[0].toFixed(1)},${at[1].toFixed(1)})` },
      svg("circle", { r: 8 }),
      svg("path", { d: "M-14,0h8M6,0h8M0,-14v8M0,6v8" }),
    );
  }

  function axisMarks(x, y, margin, width, height) {
    const group = svg("g", { class: "axes" });
    let free = -Infinity;
    for (const { at, text, room } of x.marks) {
      const letters = Math.max(3, Math.floor((Math.max(room, 44) - 4) / 6.2));
      const half = Math.min(letters, Array.from(text).length) * 3.3;
      if (at - half < free) continue;
      free = at + half + 4;
      group.append(
        svg(
          "text",
          { x: at, y: height - margin.bottom + 15, "text-anchor": "middle" },
          cutName(text, letters),
          svg("title", {}, text),
        ),
      );
    }
    let lowest = Infinity;
    for (const { at, text } of y.marks) {
      if (at > lowest - 12) continue;
      lowest = at;
      group.append(
        svg("text", { x: margin.left - 6, y: at + 4, "text-anchor": "end" }, cutName(text, 14), svg("title", {}, text)),
      );
    }
    group.append(
      svg(
        "text",
        { class: "label", x: width - margin.right, y: height - 6, "text-anchor": "end" },
        cutName(report.features[axes[0]].name, 40),
      ),
    );
    if (axes.length > 1)
      group.append(svg("text", { class: "label", x: 2, y: 12 }, cutName(report.features[axes[1]].name, 40)));
    return group;
  }

  function noteText(row, count) {
    const others = Array.from(state.tree.usedFeatures())
      .filter((j) => !axes.includes(j))
      .sort((a, b) => a - b);
    const sure = report.task === "regression" ? "." : "; the stronger the colour, the surer the answer.";
    const cells = `${plural(count, "cell")}${sure}`;
    if (!others.length) return cells;
    const from = state.row
      ? state.row.index === null
        ? "the row as typed"
        : `row ${format.rows(report.sample.row[state.row.index])}`
      : "a typical row";
    const fixed = others.slice(0, 8).map((j) => `${report.features[j].name} = ${briefValue(report, j, row[j])}`);
    if (others.length > fixed.length) fixed.push(`${others.length - fixed.length} more`);
    return `${cells} Other features as in ${from}: ${fixed.join(", ")}. Points are all sampled rows.`;
  }

  const plotWidth = onWidth(plot, draw);
  return {
    render(next, changed) {
      state = next;
      if (changed.has("member") || changed.has("node") || changed.has("row")) draw();
    },
  };
}
