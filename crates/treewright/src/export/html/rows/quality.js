// How good the selected tree is, class by class, and which features it owes that to.

function makeQuality(report) {
  const box = byId("quality");
  const bars = byId("importance");

  function confusion(member, tree) {
    const { classes } = report.target;
    const exact = Boolean(member.confusion);
    const table = member.confusion || tree.confusion();
    const most = Math.max(...table.flat(), 1e-300);
    const sum = (list) => list.reduce((a, b) => a + b, 0);
    const long = classes.length > 6 ? 8 : 16;
    const head = html(
      "tr",
      {},
      html("th", { scope: "col" }, "true \\ predicted"),
      classes.map((name) => html("th", { scope: "col", class: "num", title: name }, cutName(name, long))),
    );
    const body = classes.map((name, i) => {
      return html(
        "tr",
        {},
        html(
          "th",
          { scope: "row", title: name },
          html("i", { class: "swatch", style: `background: ${classColor(i)}` }),
          cutName(name, 18),
        ),
        table[i].map((count, j) =>
          html(
            "td",
            {
              class: `num heat ${i === j ? "right" : "miss"}`,
              style: `--heat: ${count > 0 ? Math.round(10 + 55 * Math.sqrt(count / most)) : 0}%`,
            },
            count ? format.rows(count) : "·",
          ),
        ),
      );
    });
    const perClass = classes.map((name, i) => {
      const support = sum(table[i]);
      const predicted = sum(table.map((line) => line[i]));
      const [p, r] = [predicted > 0 ? table[i][i] / predicted : null, support > 0 ? table[i][i] / support : null];
      const f1 = support + predicted > 0 ? (2 * table[i][i]) / (support + predicted) : null;
      const text = (x) => (x === null ? "–" : format.share(x));
      return html(
        "tr",
        {},
        html(
          "th",
          { scope: "row", title: name },
          html("i", { class: "swatch", style: `background: ${classColor(i)}` }),
          cutName(name, 24),
        ),
        [format.rows(support), text(p), text(r), text(f1)].map((value) => html("td", { class: "num" }, value)),
      );
    });
    box.replaceChildren(
      html(
        "div",
        { class: "scroller-x" },
        html(
          "table",
          { class: "matrix", id: "confusion" },
          html("caption", { class: "sr" }, "Confusion matrix"),
          html("thead", {}, head),
          html("tbody", {}, body),
        ),
      ),
      html(
        "div",
        { class: "scroller-x" },
        html(
          "table",
          { class: "matrix per-class" },
          html("caption", { class: "sr" }, "Figures of the classes"),
          html(
            "thead",
            {},
            html(
              "tr",
              {},
              html("th", { scope: "col" }, "class"),
              ["rows", "precision", "recall", "F1"].map((name) => html("th", { scope: "col", class: "num" }, name)),
            ),
          ),
          html("tbody", {}, perClass),
        ),
      ),
    );
    if (!exact && tree.distributes() && report.features.some(({ hasMissing }) => hasMissing)) {
      box.append(
        html(
          "p",
          { class: "note" },
          "Summed over the leaves: a row with missing values that are shared out counts in parts.",
        ),
      );
    }
  }

  function regression(member, tree, predictions) {
    const root = tree ? tree.nodes[0] : null;
    const variance = root && root.weight > 0 ? root.sse / root.weight : null;
    const figures = [
      [`Mean squared error${report.other_rows ? " in training" : ""}`, significant(member.cost, 5)],
      ["Root of it", significant(Math.sqrt(member.cost), 5)],
    ];
    if (variance) figures.push(["Variance explained (R²)", format.share(1 - member.cost / variance)]);
    box.replaceChildren(
      html(
        "dl",
        { class: "figures" },
        figures.map(([name, value]) => html("div", {}, html("dt", {}, name), html("dd", {}, value))),
      ),
    );
    if (!predictions || !report.sample) return;
    const { target } = report.sample;
    const width = Math.max(280, box.clientWidth);
    const height = 240;
    const range = rangeOf(target.concat(predictions), null);
    const { drawing, x, y } = scatter(report, width, height, predictions, target, range, range, () => 1);
    drawing.setAttribute("role", "img");
    drawing.setAttribute("aria-label", "True values against predictions");
    drawing.append(
      svg("line", { class: "baseline", x1: x(range[0]), y1: y(range[0]), x2: x(range[1]), y2: y(range[1]) }),
      svg(
        "g",
        { class: "axes" },
        svg("text", { class: "label", x: width - 12, y: height - 28, "text-anchor": "end" }, "predicted"),
        svg("text", { class: "label", x: 2, y: 10 }, "true, sampled rows"),
      ),
    );
    box.append(drawing);
  }

  function importances(member, tree) {
    const own = member.importances || (tree ? tree.importances() : null);
    if (!own) {
      bars.replaceChildren(html("p", { class: "muted" }, "The selected tree is not part of the page."));
      return;
    }
    const order = own
      .map((_, j) => j)
      .filter((j) => own[j] > 0)
      .sort((a, b) => own[b] - own[a]);
    const most = order.length ? own[order[0]] : 1;
    const unused = report.features.length - order.length;
    bars.replaceChildren(
      order.length
        ? html(
            "table",
            { class: "plain importance" },
            order
              .slice(0, 20)
              .map((j) =>
                html(
                  "tr",
                  {},
                  html("td", { title: report.features[j].name }, cutName(report.features[j].name, 26)),
                  html("td", { class: "track" }, html("i", { style: `width: ${((100 * own[j]) / most).toFixed(1)}%` })),
                  html("td", { class: "num" }, format.share(own[j])),
                ),
              ),
          )
        : html("p", { class: "muted" }, "A single leaf asks for nothing."),
      html(
        "p",
        { class: "note" },
        `Share of the decrease in ${report.task === "regression" ? "squared error" : "Gini impurity"} `,
        "over all splits on a feature.",
        unused && order.length ? ` ${plural(unused, "feature is", "features are")} not used.` : "",
      ),
    );
  }

  return {
    render(state, changed) {
      if (!changed.has("member")) return;
      const member = report.families[state.family].members[state.member];
      if (report.task === "regression") regression(member, state.tree, state.predictions);
      else if (member.confusion || state.tree) confusion(member, state.tree);
      else box.replaceChildren(html("p", { class: "muted" }, "The selected tree is not part of the page."));
      importances(member, state.tree);
    },
  };
}
