// Which features the selected tree owes its answers to.

function makeImportance(report) {
  const bars = byId("importance");

  function draw(member, tree) {
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
    const line = (j) =>
      html(
        "tr",
        {},
        html("td", { title: report.features[j].name }, cutName(report.features[j].name, 26)),
        html("td", { class: "track" }, html("i", { style: `width: ${((100 * own[j]) / most).toFixed(1)}%` })),
        html("td", { class: "num" }, format.share(own[j])),
      );
    bars.replaceChildren(
      order.length
        ? html("table", { class: "plain importance" }, order.slice(0, 20).map(line))
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
      draw(report.families[state.family].members[state.member], state.tree);
    },
  };
}
