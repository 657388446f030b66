// The drawing of the tree: what is folded, how large it is, and what is emphasised in it.

// A tree up to this size is drawn as a whole at first.
const SMALL_TREE = 24;
const MOST_NODES_AT_FIRST = [34, 27, 21, 16, 12];
// Smaller, and letters would be below eleven pixels.
const READABLE_ZOOM = 0.92;
const MOST_LEVELS_AT_FIRST = 8;
const TALLEST = 640;
// Below this width the tree is an outline.
const NARROW = 560;
const PAD = 14;
// Left and right of the drawing, with the marks of folded nodes.
const AROUND = 2 * PAD + 22;

function makeTreeView(report, actions) {
  const box = byId("tree");
  let state = null;
  let folded = new Set();
  // `null`: as large as is readable and fits.
  let zoom = null;
  let drawn = null;

  const zoomIn = () => zoomBy(1.25);
  const zoomOut = () => zoomBy(1 / 1.25);
  const wide = button("Wide", () => setWide(!byId("tree-row").classList.contains("whole")), {
    class: "quiet",
    "aria-pressed": "false",
    id: "wide",
    title: "Give the tree the whole width; the node then stands below",
  });
  byId("tree-legend").append(...answerLegend(report));
  byId("tree-tools").append(
    button("−", zoomOut, { class: "quiet", "aria-label": "Zoom out", title: "Zoom out (−)" }),
    button("+", zoomIn, { class: "quiet", "aria-label": "Zoom in", title: "Zoom in (+)" }),
    wide,
    button("Fit", fit, { class: "quiet", title: "Show the whole tree (0)" }),
    button("Unfold all", () => foldFrom(Infinity), { class: "quiet" }),
    button("Fold", () => foldFrom(2), { class: "quiet", title: "Fold everything below the second question" }),
    ...saveButtons(
      () => box.querySelector("svg"),
      () => `tree-${report.families[state.family].members[state.member].leaves}-leaves`,
      answerKeys(report),
    ),
  );
  panByDrag(box, (target) => !target.closest("[data-node]"));
  zoomByWheel(box, zoomIn, zoomOut);
  const boxWidth = onWidth(box, () => {
    if (!drawn) return;
    if (drawn.layout.outline === boxWidth() < NARROW) resize();
    else draw();
  });

  function draw() {
    const { tree } = state;
    const hadFocus = box.contains(document.activeElement);
    if (!tree) {
      drawn = null;
      const { leaves } = report.families[state.family].members[state.member];
      const words = `This tree has ${leavesText(leaves)} and is not part of the page; its figures are above.`;
      const isAlone = report.families[state.family].members.length === 1;
      const others = isAlone ? "Prune it to see it drawn." : "Smaller trees of the family are drawn.";
      box.replaceChildren(html("p", { class: "notice" }, `${words} ${others}`));
      byId("tree-note").textContent = "";
      return;
    }
    const layout = boxWidth() < NARROW ? layoutOutline(tree, folded) : layoutOf(tree, folded);
    const drawing = svg("svg", {
      class: "tree",
      viewBox: `${-PAD} ${-PAD} ${layout.width + AROUND} ${layout.height + 2 * PAD}`,
      role: "tree",
      "aria-label": "Decision tree; arrow keys move, Enter selects, Space folds",
      on: { keydown: onKey, click: onClick, dblclick: (event) => onNode(event, toggle) },
    });
    const edges = svg("g", { class: "edges" });
    const nodes = svg("g", { role: "presentation" });
    const pictures = withPictures(tree, folded) && !layout.outline;
    const asking = layout.order.filter((id) => !tree.isLeaf(id) && !folded.has(id));
    const rows = rowsOfNodes(pictures ? state.rows : [], tree, asking);
    for (const id of layout.order) {
      const place = layout.places.get(id);
      if (id) edges.append(...drawTreeEdge(tree, id, layout.places.get(tree.parent[id]), place, layout.outline));
      const own = pictures && rows.has(id) ? nodePicture(tree, id, rows.get(id)) : null;
      nodes.append(drawTreeNode(tree, id, place, folded.has(id), own));
    }
    drawing.append(edges, nodes);
    drawn = { layout, drawing };
    box.classList.toggle("outline", layout.outline);
    box.replaceChildren(drawing);
    resize();
    mark();
    byId("tree-note").textContent = noteText();
    if (hadFocus) focusNode(state.node ?? 0);
  }

  function layoutOf(tree, without) {
    const label = (id) => textWidth(edgeLabel(tree, id), LABEL_SIZE);
    return layoutTree(tree, without, label, withPictures(tree, without));
  }

  // Of many questions the pictures would be too small to be read.
  function withPictures(tree, without) {
    if (!report.sample) return false;
    return tree.reachable.filter((id) => !tree.isLeaf(id) && !without.has(id)).length <= MOST_PICTURES;
  }

  function noteText() {
    const { tree } = state;
    const away = tree.leaves[0] - drawn.layout.order.filter((id) => tree.isLeaf(id)).length;
    const edges = "Edges are as wide as their share of the rows.";
    if (away) return `${plural(away, "leaf is", "leaves are")} folded away: click a circle with a plus. ${edges}`;
    const isPictured = !drawn.layout.outline && withPictures(tree, folded) && !tree.isLeaf(0);
    const colours =
      report.task === "regression"
        ? "each a point as high as its value; black lines are the means beside the cut"
        : "with their classes and the cut";
    const bars = isPictured
      ? `Questions show how sampled rows lie on the feature, ${colours}.`
      : report.task === "regression"
        ? "Marks show the values of the nodes."
        : "Bars show the classes.";
    return `${bars} ${edges} Click a node for details.`;
  }

  // Emphasis for the way of the row and for the selected node.
  function mark() {
    if (!drawn) return;
    const on = new Map(state.row ? state.tree.reach(state.row.values).visits : []);
    const entry = drawn.layout.places.has(state.node) ? state.node : 0;
    for (const element of drawn.drawing.querySelectorAll("[data-node]")) {
      const id = Number(element.dataset.node);
      element.classList.toggle("on-path", on.has(id));
      element.classList.toggle("selected", id === state.node);
      element.setAttribute("aria-selected", String(id === state.node));
      element.setAttribute("tabindex", id === entry ? 0 : -1);
    }
    for (const element of drawn.drawing.querySelectorAll("[data-edge]")) {
      const id = Number(element.dataset.edge);
      element.classList.toggle("on-path", on.has(id));
      element.style.setProperty("--share", on.has(id) ? Math.max(0.25, on.get(id)) : 1);
    }
    drawn.drawing.classList.toggle("has-path", on.size > 0);
  }

  // Readable at first, even if that means scrolling.
  function currentZoom() {
    if (zoom !== null || !drawn) return zoom ?? 1;
    const { width, height } = drawn.drawing.viewBox.baseVal;
    const whole = drawn.layout.outline
      ? Math.min(1.15, boxWidth() / width)
      : Math.min(1.1, boxWidth() / width, TALLEST / height);
    return Math.max(READABLE_ZOOM, whole);
  }

  function resize() {
    if (!drawn) return;
    const { width, height } = drawn.drawing.viewBox.baseVal;
    drawn.drawing.setAttribute("width", Math.round(width * currentZoom()));
    drawn.drawing.setAttribute("height", Math.round(height * currentZoom()));
  }

  function zoomBy(factor) {
    keeping(state.node ?? 0, () => {
      zoom = Math.min(3, Math.max(0.08, currentZoom() * factor));
      resize();
    });
  }

  function fit() {
    if (!drawn) return;
    const { width, height } = drawn.drawing.viewBox.baseVal;
    zoom = Math.min(1.4, boxWidth() / width, Math.max(box.clientHeight, 420) / height);
    resize();
  }

  function setWide(on) {
    byId("tree-row").classList.toggle("whole", on);
    wide.setAttribute("aria-pressed", String(on));
    boxWidth.again();
    zoom = null;
    resize();
  }

  // A change of the drawing under which a node stays where the reader sees it.
  function keeping(id, change) {
    if (!drawn) return;
    const spot = () => {
      const { x, y } = drawn.layout.places.get(id) || drawn.layout.places.get(0);
      return [x * currentZoom(), y * currentZoom()];
    };
    const [x, y] = spot();
    const { scrollLeft, scrollTop } = box;
    change();
    const [newX, newY] = spot();
    box.scrollLeft = scrollLeft + newX - x;
    box.scrollTop = scrollTop + newY - y;
  }

  function show(id) {
    const place = drawn && drawn.layout.places.get(id);
    if (!place) return;
    scrollTo(
      box,
      [place.x + PAD, place.y + PAD, NODE.width, place.height].map((length) => length * currentZoom()),
    );
  }

  function foldFrom(depth) {
    const { tree } = state;
    if (!tree) return;
    folded = new Set(tree.reachable.filter((id) => !tree.isLeaf(id) && tree.depth[id] >= depth));
    draw();
    show(0);
  }

  function toggle(id) {
    if (state.tree.isLeaf(id)) return;
    zoom = currentZoom();
    if (folded.has(id)) folded.delete(id);
    else folded.add(id);
    keeping(id, draw);
  }

  function foldedAtFirst() {
    const { tree } = state;
    if (!tree) return new Set();
    const isNarrow = boxWidth() < NARROW;
    if (tree.leaves[0] <= SMALL_TREE && (isNarrow || fits(tree, new Set()))) return new Set();
    if (isNarrow) return foldAtFirst(tree, 16, 4);
    // As much as fits: how wide levels are depends on the labels that are left.
    for (const most of MOST_NODES_AT_FIRST) {
      for (let levels = MOST_LEVELS_AT_FIRST; levels > 2; levels--) {
        const some = foldAtFirst(tree, most, levels);
        if (fits(tree, some)) return some;
      }
    }
    return foldAtFirst(tree, MOST_NODES_AT_FIRST.at(-1), 2);
  }

  function fits(tree, without) {
    const { width, height } = layoutOf(tree, without);
    return (width + AROUND) * READABLE_ZOOM <= boxWidth() && (height + 2 * PAD) * READABLE_ZOOM <= TALLEST;
  }

  // A selection made elsewhere must be visible here.
  function reveal() {
    if (!state.tree || state.node === null) return;
    const way = state.tree.way(state.node).slice(0, -1);
    if (!way.some((id) => folded.has(id))) return;
    for (const id of way) folded.delete(id);
    draw();
  }

  function onNode(event, action) {
    const node = event.target.closest("[data-node]");
    if (node) action(Number(node.dataset.node));
  }

  function onClick(event) {
    onNode(event, event.target.closest(".fold") ? toggle : actions.selectNode);
  }

  function onKey(event) {
    onNode(event, (id) => {
      const { tree } = state;
      const level = drawn.layout.order.filter((other) => tree.depth[other] === tree.depth[id]);
      const go = (to) => {
        if (to === undefined || to < 0) return;
        actions.selectNode(to);
        focusNode(to);
      };
      const fold = () => {
        toggle(id);
        focusNode(id);
      };
      const keys = {
        ArrowLeft: () => go(tree.parent[id]),
        ArrowRight: () => (folded.has(id) ? fold() : go((tree.nodes[id].children || [])[0])),
        ArrowUp: () => go(level[level.indexOf(id) - 1]),
        ArrowDown: () => go(level[level.indexOf(id) + 1]),
        Home: () => go(0),
        Enter: () => go(id),
        " ": fold,
        "+": zoomIn,
        "=": zoomIn,
        "-": zoomOut,
        0: fit,
      };
      const action = new Map(Object.entries(keys)).get(event.key);
      if (!action) return;
      event.preventDefault();
      action();
    });
  }

  function focusNode(id) {
    const element = box.querySelector(`[data-node="${id}"]`);
    if (element) element.focus({ preventScroll: true });
    show(id);
  }

  function showTree(isFirst) {
    // Once, at opening: later the page should not jump under the reader's hands.
    if (isFirst && state.tree && boxWidth() >= NARROW) {
      const isLarge = state.tree.leaves[0] > SMALL_TREE;
      if (isLarge || (layoutOf(state.tree, folded).width + AROUND) * READABLE_ZOOM > boxWidth()) setWide(true);
    }
    folded = foldedAtFirst();
    zoom = null;
    draw();
    // A root in the middle of a tall tree would be out of sight.
    show(0);
    show(state.node);
  }

  return {
    render(next, changed) {
      const before = state;
      state = next;
      if (!before || next.tree !== before.tree) {
        showTree(!before);
        return;
      }
      if (changed.has("node")) reveal();
      mark();
      if (!drawn) return;
      if (changed.has("node")) show(state.node);
      if (changed.has("row") && state.row) {
        const seen = state.tree.reach(state.row.values).visits.filter(([id]) => drawn.layout.places.has(id));
        show(seen[seen.length - 1][0]);
      }
    },
  };
}
