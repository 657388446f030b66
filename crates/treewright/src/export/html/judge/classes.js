// The quality card of classes: who is taken for whom, figures, and of two classes the curves with a threshold.

function classQuality(report) {
  const { classes } = report.target;

  function figures(quality) {
    const { ranking } = quality;
    const three = (x) => x.toFixed(3);
    const interval = quality.error_interval;
    return figureList(
      [
        [
          report.table.weighted ? "Weighted error" : "Error",
          format.percent(quality.error),
          interval && report.judged_on !== "left_out"
            ? `95 % interval: ${interval.map(format.percent).join(" to ")}`
            : null,
        ],
        [
          `Always “${cutName(quality.baseline.class, 12)}”`,
          format.percent(quality.baseline.error),
          "the error of the best answer that is always the same",
        ],
        ranking && [
          "AUC",
          three(ranking.auc),
          "the probability that a row of the class has a higher predicted share than another row",
        ],
        ranking && ["Gini", three(ranking.gini), "2 AUC - 1"],
        ranking && [
          "KS",
          three(ranking.ks),
          "the largest distance between the shares of both classes above a threshold",
        ],
        ranking && ["Average precision", three(ranking.average_precision)],
        ranking && [
          "Lift, top tenth",
          `${ranking.lift_of_tenth.toFixed(2)} ×`,
          "how many times more rows of the class in the tenth with the highest shares than on average",
        ],
        ranking && [
          "Calibration error",
          format.percent(ranking.calibration_error),
          "mean distance between predicted and actual share",
        ],
        [
          "Log loss",
          (quality.log_loss ?? null) === null ? "infinite" : three(quality.log_loss),
          (quality.log_loss ?? null) === null
            ? "for some row no share at all was predicted for its true class"
            : "mean of -ln of the share that was predicted for the true class",
        ],
        ["Brier score", three(quality.brier)],
      ],
      "quality-figures",
    );
  }

  // Two classes: everything follows the threshold.
  function ranked(box, quality) {
    const { ranking } = quality;
    const matrix = html("div", {});
    const plots = html("div", { class: "panels" });
    const width = () =>
      Math.max(
        250,
        Math.min(430, (box.clientWidth - 20 * 3) / (box.clientWidth > 1000 ? 4 : box.clientWidth > 560 ? 2 : 1)),
      );
    const control = makeThreshold(report, quality, draw);
    box.append(
      html(
        "div",
        { class: "panels three" },
        panel("Confusion matrix", matrix),
        panel(`Threshold for “${cutName(ranking.positive, 20)}”`, control.parts),
        panel("Figures", figures(quality)),
      ),
      plots,
    );
    function draw(taken, isTree) {
      const table = isTree ? quality.confusion : confusionAt(ranking, control.positive, taken);
      const wrong = table.reduce((sum, row, i) => sum + row.reduce((a, count, j) => (i === j ? a : a + count), 0), 0);
      const all = ranking.positives + ranking.negatives;
      matrix.replaceChildren(
        confusionMatrix(report, table),
        perClassTable(report, table),
        html(
          "p",
          { class: "words", id: "error-at" },
          `Wrong: ${format.rows(wrong)} of ${format.rows(all)}, ${format.percent(wrong / all)}.`,
        ),
      );
      plots.replaceChildren(
        panel("ROC curve", rocPlot(ranking, width(), taken)),
        panel("Precision and recall", precisionPlot(ranking, width(), taken)),
        panel("Gain", gainPlot(ranking, width(), taken)),
        panel("Calibration", calibrationPlot(ranking, width())),
      );
    }
    draw(control.taken(), true);
  }

  return (box, member, { tree }) => {
    const { quality } = member;
    if (quality && quality.ranking && classes.length === 2) {
      ranked(box, quality);
      return;
    }
    const table = quality ? quality.confusion : member.confusion || tree.confusion();
    const many = classes.length >= MANY_CLASSES;
    const side = [];
    if (quality) side.push(panel("Figures", figures(quality)));
    if (classes.length > 2) side.push(panel("Most often mixed up", confusionList(report, table)));
    box.append(
      html(
        "div",
        { class: many ? "panels matrix-wide" : "panels two" },
        panel(
          "Confusion matrix",
          confusionMatrix(report, table),
          many
            ? html("p", { class: "note" }, "Lines are the true classes, columns the predicted ones.")
            : perClassTable(report, table),
        ),
        html("div", { class: "side" }, side),
      ),
    );
    if (many)
      box.append(
        html("details", {}, html("summary", {}, "Precision and recall of each class"), perClassTable(report, table)),
      );
    if (!quality && !member.confusion && tree.distributes() && report.features.some(({ hasMissing }) => hasMissing)) {
      box.append(
        html(
          "p",
          { class: "note" },
          "Summed over the leaves: a row with missing values that are shared out counts in parts.",
        ),
      );
    }
  };
}
