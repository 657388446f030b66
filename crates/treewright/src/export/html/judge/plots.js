// Curves of a ranking: ROC, precision and recall, gain, calibration.

const PLOT = { height: 220, left: 44, right: 14, top: 24, bottom: 38 };

// A square of shares, both axes from 0 to `most`, with the names of the axes.
function sharePlot(width, across, up, [mostX, mostY] = [1, 1]) {
  const { height, left, right, top, bottom } = PLOT;
  const x = linear(0, mostX, left, width - right);
  const y = linear(0, mostY, height - bottom, top);
  const drawing = svg("svg", {
    class: "plot",
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "aria-label": `${up} against ${across}`,
  });
  const axes = svg("g", { class: "axes" });
  const text = (most) => (mark) => (most > 1.5 ? significant(mark, 3) : `${significant(100 * mark, 3)}`);
  for (const mark of ticks(0, mostY, 4)) {
    axes.append(
      svg("line", { class: "grid", x1: left, x2: width - right, y1: y(mark), y2: y(mark) }),
      svg("text", { x: left - 6, y: y(mark) + 4, "text-anchor": "end" }, text(mostY)(mark)),
    );
  }
  for (const mark of ticks(0, mostX, 5)) {
    axes.append(svg("text", { x: x(mark), y: height - bottom + 15, "text-anchor": "middle" }, text(mostX)(mark)));
  }
  axes.append(
    svg("line", { class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }),
    svg("text", { class: "label", x: width - right, y: height - 5, "text-anchor": "end" }, across),
    svg("text", { class: "label", x: left - 34, y: top - 11 }, up),
  );
  drawing.append(axes);
  return { drawing, x, y };
}

function polyline(points, { x, y }, attributes) {
  const d = points.map(([a, b], i) => `${i ? "L" : "M"}${x(a).toFixed(1)},${y(b).toFixed(1)}`).join("");
  return svg("path", { class: "line", d, ...attributes });
}

function spot([a, b], { x, y }) {
  return svg("circle", { class: "spot", cx: x(a), cy: y(b), r: 5 });
}

function foundOf({ positive }) {
  return `“${cutName(positive, 14)}” found, %`;
}

// `at` are the weights that are taken for positive, right and wrong, at the threshold in use.
function rocPlot(ranking, width, at) {
  const { thresholds: t, positives, negatives } = ranking;
  const frame = sharePlot(width, "false positives, % of the others", foundOf(ranking));
  const points = [
    [0, 0],
    ...t.share.map((_, i) => [t.false_positives[i] / negatives, t.true_positives[i] / positives]),
  ];
  frame.drawing.append(
    polyline(
      [
        [0, 0],
        [1, 1],
      ],
      frame,
      { class: "baseline" },
    ),
    polyline(points, frame),
    spot([at.wrong / negatives, at.right / positives], frame),
  );
  return frame.drawing;
}

function precisionPlot(ranking, width, at) {
  const { thresholds: t, positives, negatives } = ranking;
  const share = positives / (positives + negatives);
  const points = t.share.map((_, i) => [
    t.true_positives[i] / positives,
    t.true_positives[i] / (t.true_positives[i] + t.false_positives[i]),
  ]);
  // A rare class is seldom taken rightly; the whole range would show a flat line.
  const highest = Math.max(share, ...points.map(([, precision]) => precision));
  const frame = sharePlot(width, "recall, %", "precision, %", [1, highest < 0.5 ? 1.15 * highest : 1]);
  frame.drawing.append(
    polyline(
      [
        [0, share],
        [1, share],
      ],
      frame,
      { class: "baseline" },
    ),
    polyline([[0, points[0][1]], ...points], frame),
  );
  if (at.right + at.wrong > 0) {
    frame.drawing.append(spot([at.right / positives, at.right / (at.right + at.wrong)], frame));
  }
  return frame.drawing;
}

function gainPlot(ranking, width, at) {
  const { thresholds: t, positives, negatives } = ranking;
  const all = positives + negatives;
  const frame = sharePlot(width, "rows taken, highest share first, %", foundOf(ranking));
  const points = t.share.map((_, i) => [
    (t.true_positives[i] + t.false_positives[i]) / all,
    t.true_positives[i] / positives,
  ]);
  frame.drawing.append(
    polyline(
      [
        [0, 0],
        [1, 1],
      ],
      frame,
      { class: "baseline" },
    ),
    // No order of the rows does better.
    polyline(
      [
        [0, 0],
        [positives / all, 1],
        [1, 1],
      ],
      frame,
      { class: "baseline perfect" },
    ),
    polyline([[0, 0], ...points], frame),
    spot([(at.right + at.wrong) / all, at.right / positives], frame),
  );
  return frame.drawing;
}

function calibrationPlot(ranking, width) {
  const bins = ranking.calibration;
  const most = Math.min(
    1,
    1.08 *
      Math.max(...bins.flatMap(({ predicted, actual, interval }) => [predicted, actual, interval ? interval[1] : 0])),
  );
  const frame = sharePlot(width, "predicted share, %", "actual share, %", [most, most]);
  frame.drawing.append(
    polyline(
      [
        [0, 0],
        [most, most],
      ],
      frame,
      { class: "baseline" },
    ),
  );
  const heaviest = Math.max(...bins.map(({ weight }) => weight));
  for (const { weight, predicted, actual, interval } of bins) {
    const x = frame.x(predicted);
    if (interval) {
      frame.drawing.append(
        svg("line", {
          class: "whisker",
          x1: x,
          x2: x,
          y1: frame.y(Math.min(most, interval[0])),
          y2: frame.y(Math.min(most, interval[1])),
        }),
      );
    }
    frame.drawing.append(
      svg(
        "circle",
        { class: "spot", cx: x, cy: frame.y(actual), r: 2.5 + 4 * Math.sqrt(weight / heaviest) },
        svg(
          "title",
          {},
          `predicted ${format.share(predicted)}, actual ${format.share(actual)}, ${plural(weight, "row")}`,
        ),
      ),
    );
  }
  return frame.drawing;
}
