// A tree that is only looked at: beside another one, or in small.

// Folded until it is at most as wide as `most`, where letters are still large enough to be read.
function stillTree(tree, rows, most) {
  const label = (id) => textWidth(edgeLabel(tree, id), LABEL_SIZE);
  const layoutOf = (folded) => layoutTree(tree, folded, label, rows.length > 0);
  let folded = tree.leaves[0] <= SMALL_TREE ? new Set() : foldAtFirst(tree, 22, 4);
  let layout = layoutOf(folded);
  for (let levels = MOST_LEVELS_AT_FIRST; levels > 1 && (layout.width + AROUND) * READABLE_ZOOM > most; levels--) {
    folded = foldAtFirst(tree, 22, levels);
    layout = layoutOf(folded);
  }
  const asking = layout.order.filter((id) => !tree.isLeaf(id) && !folded.has(id));
  const own = rowsOfNodes(rows, tree, rows.length ? asking : []);
  const edges = svg("g", {});
  const nodes = svg("g", {});
  for (const id of layout.order) {
    const place = layout.places.get(id);
    if (id) edges.append(...drawTreeEdge(tree, id, layout.places.get(tree.parent[id]), place, false));
    const picture = own.has(id) ? nodePicture(tree, id, own.get(id)) : null;
    nodes.append(drawTreeNode(tree, id, place, folded.has(id), picture));
  }
  const [width, height] = [layout.width + AROUND, layout.height + 2 * PAD];
  const zoom = Math.max(READABLE_ZOOM, Math.min(1, most / width));
  const drawing = svg(
    "svg",
    {
      class: "tree still",
      viewBox: `${-PAD} ${-PAD} ${width} ${height}`,
      width: (width * zoom).toFixed(1),
      height: (height * zoom).toFixed(1),
      role: "img",
      "aria-label": `A tree with ${leavesText(tree.leaves[0])}`,
    },
    edges,
    nodes,
  );
  for (const element of drawing.querySelectorAll("[role=treeitem]")) {
    for (const name of ["role", "tabindex", "aria-level", "aria-expanded", "aria-selected", "data-node"])
      element.removeAttribute(name);
  }
  return drawing;
}
