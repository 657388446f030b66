// Two trees side by side: one that was kept, and the selected one.

function makeCompare(report, actions) {
  const card = byId("compare-card");
  const box = byId("compare");
  const error = measure(report);
  let state = null;
  let kept = null;
  const keep = button("Keep to compare", keepSelected, {
    class: "quiet",
    id: "keep",
    title: "Keep this tree, to see it beside another one",
  });
  byId("selection-tools").append(keep);
  byId("compare-tools").append(
    button("Change places", swap, { class: "quiet", title: "Select the tree that is kept, and keep the selected one" }),
    button("Close", close, { class: "quiet", id: "compare-close" }),
  );

  function keepSelected() {
    kept = [state.family, state.member];
    draw();
    card.scrollIntoView({ block: "nearest" });
  }

  function swap() {
    const other = kept;
    kept = [state.family, state.member];
    actions.select(...other);
    draw();
  }

  function close() {
    kept = null;
    draw();
  }

  function figuresOf(family, member) {
    const { quality } = member;
    const ranking = quality && quality.ranking;
    const maybe = (x, text) => ((x ?? null) === null ? "–" : text(x));
    const three = (x) => x.toFixed(3);
    const figures = [
      ["Family", family.title],
      ["Leaves", format.rows(member.leaves)],
      ["Depth", maybe(member.depth, format.rows)],
      [`Training ${error.short}`, error.text(member.cost)],
      [`Cross-validated ${error.short}`, cvText(member, error)],
    ];
    if (report.task === "regression") {
      figures.push(
        ["Root mean squared error", maybe(quality && quality.rmse, format.value)],
        ["Mean absolute error", maybe(quality && quality.mae, format.value)],
      );
    } else if (report.target.classes.length === 2) {
      figures.push(
        ["AUC", maybe(ranking && ranking.auc, three)],
        ["KS", maybe(ranking && ranking.ks, three)],
        ["Lift, top tenth", maybe(ranking && ranking.lift_of_tenth, (x) => `${x.toFixed(2)} ×`)],
      );
    }
    return figures;
  }

  // On how many of the rows of the page they give different answers.
  function difference(one, other) {
    if (!one || !other || !state.rows.length || report.task === "regression") return "";
    const differ = state.rows.filter((row) => one.predict(row).value !== other.predict(row).value).length;
    const sample = report.sample.of > state.rows.length ? " sampled" : "";
    return `They answer differently on ${format.rows(differ)} of ${format.rows(state.rows.length)}${sample} rows.`;
  }

  function draw() {
    card.hidden = !kept;
    keep.setAttribute("aria-pressed", String(Boolean(kept) && kept[0] === state.family && kept[1] === state.member));
    if (!kept) {
      box.replaceChildren();
      return;
    }
    const places = [kept, [state.family, state.member]];
    const members = places.map(([f, m]) => [report.families[f], report.families[f].members[m]]);
    const trees = places.map(([f, m]) => treeAt(f, m));
    const [left, right] = members.map(([family, member]) => figuresOf(family, member));
    // Below each other where one beside the other would not be whole.
    const half = (box.clientWidth - 20) / 2;
    const isNarrow = trees.some((tree) => tree && tree.leaves[0] > 1 && stillTree(tree, [], Infinity).viewBox.baseVal.width * READABLE_ZOOM > half);
    const most = isNarrow ? box.clientWidth : half;
    const column = (tree) =>
      html(
        "div",
        { class: "scroller-x still-box" },
        tree ? stillTree(tree, state.rows, most) : html("p", { class: "muted" }, "This tree is not part of the page."),
      );
    box.replaceChildren(
      html(
        "table",
        { class: "plain", id: "compared" },
        html(
          "thead",
          {},
          html(
            "tr",
            {},
            ["", "kept", "selected"].map((name) => html("th", { scope: "col" }, name)),
          ),
        ),
        left.map(([name, value], i) =>
          html("tr", {}, html("td", { class: "muted" }, name), html("td", {}, value), html("td", {}, right[i][1])),
        ),
      ),
      html("p", { class: "note" }, difference(...trees)),
      html("div", { class: isNarrow ? "panels stacked" : "panels twins" }, panel("Kept", column(trees[0])), panel("Selected", column(trees[1]))),
    );
  }

  return {
    render(next, changed) {
      state = next;
      if (changed.has("member")) draw();
    },
  };
}
