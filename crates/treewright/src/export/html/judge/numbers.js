// The quality card of a number: how far off the predictions are, in units of the target.

function numberQuality(report) {
  const unit = cutName(report.target.name, 20);

  function figures(quality) {
    const { baseline } = quality;
    return figureList(
      [
        ["Root mean squared error", format.figure(quality.rmse), `in units of ${unit}`],
        [
          "Always the mean",
          format.figure(baseline.rmse),
          `the same error if the answer is always ${format.value(baseline.mean)}`,
        ],
        ["Mean absolute error", format.figure(quality.mae), `in units of ${unit}`],
        ["Always the mean", format.figure(baseline.mae), "the mean absolute error of that"],
        ["Variance explained (R²)", (quality.r2 ?? null) === null ? "–" : format.share(quality.r2)],
        ["Bias", format.value(quality.bias), "mean of predicted minus actual values"],
      ],
      "quality-figures",
    );
  }

  // Actual values in parts of the rows, by prediction: the mean, the middle half, and nine tenths.
  function predictedPlot(quality, width) {
    const height = 260;
    const { bins } = quality;
    const all = bins.flatMap(({ predicted, quantiles }) => [predicted, quantiles[1], quantiles[5]]);
    const range = rangeOf(all, null);
    const x = linear(
      ...rangeOf(
        bins.map(({ predicted }) => predicted),
        null,
      ),
      58,
      width - 16,
    );
    const y = linear(...range, height - 38, 16);
    const drawing = svg("svg", {
      class: "plot",
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "img",
      "aria-label": "Actual against predicted values",
    });
    const axes = svg("g", { class: "axes" });
    for (const mark of ticks(...range, 5)) {
      axes.append(
        svg("line", { class: "grid", x1: 50, x2: width - 10, y1: y(mark), y2: y(mark) }),
        svg("text", { x: 45, y: y(mark) + 4, "text-anchor": "end" }, significant(mark, 4)),
      );
    }
    const [low, high] = rangeOf(
      bins.map(({ predicted }) => predicted),
      null,
    );
    for (const mark of ticks(low, high, width / 70)) {
      axes.append(svg("text", { x: x(mark), y: height - 22, "text-anchor": "middle" }, significant(mark, 4)));
    }
    axes.append(
      svg("text", { class: "label", x: width - 10, y: height - 5, "text-anchor": "end" }, `predicted ${unit}`),
      svg("text", { class: "label", x: 54, y: 12 }, `actual ${unit}`),
    );
    drawing.append(axes, svg("path", { class: "baseline", d: `M${x(low)},${y(low)}L${x(high)},${y(high)}` }));
    for (const { weight, predicted, actual, quantiles: q } of bins) {
      const at = x(predicted);
      drawing.append(
        svg("line", { class: "whisker", x1: at, x2: at, y1: y(q[1]), y2: y(q[5]) }),
        svg("line", { class: "whisker thick", x1: at, x2: at, y1: y(q[2]), y2: y(q[4]) }),
        svg(
          "circle",
          { class: "spot", cx: at, cy: y(actual), r: 4 },
          svg(
            "title",
            {},
            `predicted ${format.value(predicted)}, actual mean ${format.value(actual)}, ${plural(weight, "row")}`,
          ),
        ),
      );
    }
    return drawing;
  }

  function residuals({ residuals: { shares, values } }) {
    const name = (share) =>
      share === 0 ? "least" : share === 1 ? "largest" : share === 0.5 ? "median" : format.whole(share);
    return html(
      "table",
      { class: "plain", id: "residuals" },
      html(
        "thead",
        {},
        html(
          "tr",
          {},
          html("th", { scope: "col" }, "share of the rows"),
          html("th", { scope: "col", class: "num" }, "actual − predicted"),
        ),
      ),
      shares.map((share, i) =>
        html("tr", {}, html("td", {}, name(share)), html("td", { class: "num" }, format.value(values[i]))),
      ),
    );
  }

  function inTraining(box, member, { tree }) {
    const root = tree ? tree.nodes[0] : null;
    const variance = root && root.weight > 0 ? root.sse / root.weight : null;
    box.append(
      figureList([
        ["Root mean squared error", format.value(Math.sqrt(member.cost))],
        variance && ["Variance explained (R²)", format.share(1 - member.cost / variance)],
      ]),
    );
  }

  return (box, member, state) => {
    const { quality } = member;
    if (!quality) {
      inTraining(box, member, state);
      return;
    }
    const width = Math.max(280, Math.min(620, box.clientWidth > 900 ? box.clientWidth * 0.48 : box.clientWidth));
    box.append(
      html(
        "div",
        { class: "panels numbers" },
        panel(
          "Actual against predicted",
          predictedPlot(quality, width),
          html(
            "p",
            { class: "note" },
            "In parts of the rows by rising prediction: mean, middle half and nine tenths of the actual values.",
          ),
        ),
        panel("Figures", figures(quality)),
        panel("Residuals", residuals(quality)),
      ),
    );
  };
}
