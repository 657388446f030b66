// The selected node in words and figures, with the picture of the feature it asks for.

function makeNodeView(report, actions) {
  const box = byId("node");
  let state = null;
  let feature = null;
  byId("node-tools").append(
    ...saveButtons(
      () => box.querySelector("svg.plot"),
      () => "node",
      answerKeys(report),
    ),
  );

  function draw() {
    const { tree } = state;
    if (!tree) {
      box.replaceChildren(html("p", { class: "muted" }, "No tree to look into."));
      return;
    }
    const id = state.node === null ? 0 : state.node;
    const node = tree.nodes[id];
    const leaf = tree.isLeaf(id);
    const asked = leaf ? (id ? tree.nodes[tree.parent[id]].split.feature : 0) : node.split.feature;
    const shown = feature === null ? asked : feature;
    const conditions = pathConditions(tree, id);
    const head = leaf
      ? html("p", {}, "Leaf: ", html("strong", {}, answerText(report, node.value)))
      : html(
          "p",
          {},
          "Asks for ",
          html("strong", {}, report.features[node.split.feature].name),
          `, ${leavesText(tree.leaves[id])} below`,
        );
    const words = html(
      "div",
      {},
      head,
      html("p", { class: "muted" }, nodeFacts(tree, id)),
      conditions.length
        ? html(
            "ul",
            { class: "path", "aria-label": "Conditions on the way" },
            conditions.map(({ name, text }) => html("li", {}, html("b", {}, name), " ", text)),
          )
        : html("p", { class: "muted" }, "All rows come here: this is the root."),
    );
    box.replaceChildren(words);
    if (!leaf) box.append(branches(id, node));
    else if (node.counts) box.append(html("div", {}, classTable(node)));
    if (report.sample && report.features.length) {
      const picture = html(
        "div",
        {},
        choice(
          "Feature",
          report.features.map(({ name }, j) => [j, name]),
          shown,
          (j) => {
            feature = Number(j);
            draw();
          },
        ),
      );
      box.append(picture);
      picture.append(histogram(report, tree, id, shown, Math.max(240, picture.clientWidth), state));
    }
  }

  function branches(id, node) {
    const { tree } = state;
    const list = html("table", { class: "plain" }, html("caption", { class: "sr" }, "Branches"));
    const shown = node.children.slice(0, 12);
    shown.forEach((child, position) => {
      list.append(
        html(
          "tr",
          {},
          html(
            "td",
            {},
            button(branchText(report, node, position, false), () => actions.selectNode(child), { class: "link" }),
          ),
          html("td", { class: "num" }, format.rows(tree.weight[child])),
          html(
            "td",
            { class: "answer-cell" },
            html("i", { class: "swatch", style: `background: ${answerColor(report, tree.nodes[child].value)}` }),
            cutName(answerText(report, tree.nodes[child].value), 18),
          ),
        ),
      );
    });
    const words =
      node.missing === "distribute"
        ? "Missing and unseen values are shared out among the branches."
        : takesMissingOnly(node, node.missing)
          ? "Missing and unseen values have a branch of their own."
          : `Missing and unseen values go with: ${conditionText(report, node, node.missing)}.`;
    const more = node.children.length - shown.length;
    return html(
      "div",
      {},
      list,
      html("p", { class: "muted" }, more ? `… and ${plural(more, "branch", "branches")} more. ` : "", words),
    );
  }

  function classTable(node) {
    const total = nodeWeight(node);
    const order = node.counts
      .map((_, i) => i)
      .filter((i) => node.counts[i] > 0)
      .sort((a, b) => node.counts[b] - node.counts[a])
      .slice(0, 8);
    return html(
      "table",
      { class: "plain" },
      order.map((i) =>
        html(
          "tr",
          {},
          html(
            "td",
            {},
            html("i", { class: "swatch", style: `background: ${classColor(i)}` }),
            report.target.classes[i],
          ),
          html("td", { class: "num" }, format.rows(node.counts[i])),
          html("td", { class: "num" }, format.share(node.counts[i] / total)),
        ),
      ),
    );
  }

  onWidth(box, () => {
    if (state) draw();
  });
  return {
    render(next, changed) {
      state = next;
      if (changed.has("node") || changed.has("member")) feature = null;
      if (changed.has("node") || changed.has("member") || changed.has("row")) draw();
    },
  };
}
