// The drawing of the tree: class bars, counts, edges as wide as their rows, folding and zoom.

// A tree up to this size is drawn as a whole at first.
const SMALL_TREE = 24;
const MOST_NODES_AT_FIRST = 34;
const READABLE_ZOOM = 0.75;
const LEVEL_WIDTH = 215;
const LONGEST_LABEL = 150;
const NARROW = 560;

function makeTreeView(report, actions) {
  const box = byId("tree");
  const note = byId("tree-note");
  let state = null;
  let folded = new Set();
  let zoom = null;
  let drawn = null;

  // The whole width of the page for the tree; the node then stands below.
  const wide = button("Wide", () => setWide(!isWide()), { class: "quiet", "aria-pressed": "false", id: "wide", title: "Give the tree the whole width" });
  const isWide = () => byId("tree-row").classList.contains("whole");

  function setWide(on) {
    byId("tree-row").classList.toggle("whole", on);
    wide.setAttribute("aria-pressed", String(on));
    zoom = null;
    resize();
  }

  byId("tree-legend").append(...answerLegend(report));
  const zoomBy = (factor) => () => keeping(state.node ?? 0, () => {
    zoom = Math.min(3, Math.max(0.08, currentZoom() * factor));
    resize();
  });
  byId("tree-tools").append(
    button("−", zoomBy(1 / 1.25), { class: "quiet", "aria-label": "Zoom out", title: "Zoom out (−)" }),
    button("+", zoomBy(1.25), { class: "quiet", "aria-label": "Zoom in", title: "Zoom in (+)" }),
    wide,
    button("Fit", fit, { class: "quiet", title: "Show the whole tree (0)" }),
    button("Unfold all", () => { folded = new Set(); draw(); }, { class: "quiet" }),
    button("Fold", () => { folded = new Set(state.tree ? state.tree.reachable.filter((id) => !state.tree.isLeaf(id) && state.tree.depth[id] >= 2) : []); draw(); }, { class: "quiet", title: "Fold everything below the second question" }),
    ...saveButtons(() => box.querySelector("svg"), () => `tree-${report.families[state.family].members[state.member].leaves}-leaves`, answerKeys(report)),
  );

  function labelOf(id) {
    const parent = state.tree.parent[id];
    return branchText(report, state.tree.nodes[parent], state.tree.position[id], true);
  }

  function shortLabel(id) {
    return fitName(labelOf(id), LONGEST_LABEL, 11.5);
  }

  function draw() {
    const { tree } = state;
    const hadFocus = box.contains(document.activeElement);
    if (!tree) {
      const { leaves } = report.families[state.family].members[state.member];
      box.replaceChildren(html("p", { class: "notice" }, `This tree has ${leavesText(leaves)} and is not part of the page; its figures are above. Smaller trees of the family are drawn.`));
      note.textContent = "";
      drawn = null;
      return;
    }
    const layout = boxWidth() < NARROW
      ? layoutOutline(tree, folded)
      : layoutTree(tree, folded, (id) => textWidth(shortLabel(id), 11.5));
    const pad = 14;
    const drawing = svg("svg", {
      class: "tree",
      viewBox: `${-pad} ${-pad} ${layout.width + 2 * pad + 22} ${layout.height + 2 * pad}`,
      role: "tree",
      "aria-label": "Decision tree; arrow keys move, Enter selects, Space folds",
    });
    const edges = svg("g", { class: "edges" });
    const nodes = svg("g", { class: "nodes", role: "presentation" });
    for (const id of layout.order) {
      const place = layout.places.get(id);
      if (id) edges.append(...drawEdge(id, layout.places.get(tree.parent[id]), place, layout.outline));
      nodes.append(drawNode(id, place));
    }
    drawing.append(edges, nodes);
    drawing.addEventListener("keydown", onKey);
    drawing.addEventListener("click", (event) => {
      const node = event.target.closest("[data-node]");
      if (!node) return;
      const id = Number(node.dataset.node);
      if (event.target.closest(".fold")) toggle(id);
      else actions.selectNode(id);
    });
    drawing.addEventListener("dblclick", (event) => {
      const node = event.target.closest("[data-node]");
      if (node) toggle(Number(node.dataset.node));
    });
    drawn = { layout, drawing, pad };
    box.classList.toggle("outline", Boolean(layout.outline));
    box.replaceChildren(drawing);
    resize();
    mark();
    const hiddenLeaves = tree.leaves[0] - layout.order.filter((id) => tree.isLeaf(id)).length;
    note.textContent = hiddenLeaves
      ? `${plural(hiddenLeaves, "leaf is", "leaves are")} folded away: click a circle with a plus, or “Unfold all”. Edges are as wide as their share of the rows.`
      : "Bars show the training rows by class; edges are as wide as their share of the rows. Click a node for details.".replace("by class", report.task === "regression" ? "by value" : "by class");
    if (hadFocus) focusNode(state.node === null ? 0 : state.node);
  }

  function drawEdge(id, from, to, outline) {
    const share = state.tree.weight[id] / (state.tree.total() || 1);
    const width = 1 + (outline ? 6 : 11) * share;
    const x1 = from.x + NODE.width;
    const y1 = from.y + NODE.height / 2;
    const y2 = to.y + NODE.height / 2;
    // The bend is near the parent, the rest is level and carries the label.
    const bend = x1 + 38;
    const label = outline
      ? svg("text", { class: "edge-label", x: to.x + 2, y: to.y - 5 }, shortLabel(id))
      : svg("text", { class: "edge-label", x: to.x - 7, y: y2 - width / 2 - 4, "text-anchor": "end" }, shortLabel(id));
    const line = outline
      ? `M${from.x + 12},${from.y + NODE.height}V${y2}H${to.x}`
      : `M${x1},${y1}C${x1 + 20},${y1} ${bend - 20},${y2} ${bend},${y2}H${to.x}`;
    const parent = state.tree.nodes[state.tree.parent[id]];
    label.append(svg("title", {}, `${report.features[parent.split.feature].name} ${branchText(report, parent, state.tree.position[id], false)}`));
    return [
      svg("path", { class: "edge", "data-edge": id, d: line, "stroke-width": width.toFixed(2) }),
      label,
    ];
  }

  function drawNode(id, place) {
    const { tree } = state;
    const node = tree.nodes[id];
    const leaf = tree.isLeaf(id);
    const isFolded = folded.has(id);
    const weight = tree.weight[id];
    const share = weight / (tree.total() || 1);
    const color = answerColor(report, node.value);
    const group = svg("g", {
      class: leaf ? "node leaf" : "node",
      transform: `translate(${place.x},${place.y})`,
      "data-node": id,
      role: "treeitem",
      tabindex: -1,
      "aria-level": tree.depth[id] + 1,
      "aria-expanded": leaf ? null : String(!isFolded),
      "aria-selected": "false",
      "aria-label": nodeLabel(id),
      style: `--answer: ${color}`,
    });
    group.append(svg("title", {}, nodeLabel(id)));
    group.append(svg("rect", { class: "frame", width: NODE.width, height: NODE.height, rx: leaf ? 8 : 3 }));
    if (leaf) {
      group.append(svg("rect", { class: "answer-mark", x: 8, y: 7, width: 9, height: 9, rx: 2 }));
      const purity = report.task === "regression" || !(weight > 0) ? "" : format.share(node.counts[node.value] / weight);
      group.append(svg("text", { class: "name", x: 22, y: 16 }, fitName(answerText(report, node.value), NODE.width - (purity ? 74 : 30), 12.5, 600)));
      group.append(svg("text", { class: "count", x: NODE.width - 8, y: 16, "text-anchor": "end" }, purity));
    } else {
      const mean = report.task === "regression" ? format.value(node.mean) : "";
      const room = NODE.width - 28 - (mean ? textWidth(mean, 11) + 6 : 0);
      group.append(svg("text", { class: "name", x: 8, y: 16 }, `${fitName(report.features[node.split.feature].name, room, 12.5, 600)}?`));
      if (mean) group.append(svg("text", { class: "count", x: NODE.width - 8, y: 16, "text-anchor": "end" }, mean));
    }
    group.append(svg("text", { class: "count", x: 8, y: 29 }, `${format.rows(weight)} · ${format.share(share)}`));
    group.append(bar(node, weight));
    if (!leaf) {
      group.append(svg("g", { class: "fold", transform: `translate(${NODE.width},${NODE.height / 2})` },
        svg("circle", { r: 12, class: "hit" }),
        svg("circle", { r: isFolded ? 8 : 5.5 }),
        svg("path", { d: isFolded ? "M-4,0H4M0,-4V4" : "M-3,0H3" })));
      if (isFolded) group.append(svg("text", { class: "count", x: NODE.width + 12, y: NODE.height / 2 - 8 }, `${format.rows(tree.leaves[id])}`));
    }
    return group;
  }

  // Shares of the classes; in regression the place of the value in the range of all values.
  function bar(node, weight) {
    const x = 8;
    const y = NODE.height - 9;
    const width = NODE.width - 16;
    const group = svg("g", { class: "bars" }, svg("rect", { class: "ground", x, y, width, height: 5 }));
    if (report.task === "regression") {
      const [low, high] = report.valueRange;
      const at = x + ((node.value - low) / (high - low || 1)) * (width - 6);
      group.append(svg("rect", { x: at, y: y - 1, width: 6, height: 7, fill: answerColor(report, node.value) }));
      return group;
    }
    let from = x;
    node.counts.forEach((count, i) => {
      const part = weight > 0 ? (count / weight) * width : 0;
      if (part > 0) group.append(svg("rect", { x: from.toFixed(2), y, width: part.toFixed(2), height: 5, fill: classColor(i) }));
      from += part;
    });
    return group;
  }

  function nodeLabel(id) {
    const { tree } = state;
    const node = tree.nodes[id];
    const facts = nodeFacts(tree, id);
    if (tree.isLeaf(id)) return `Leaf: ${answerText(report, node.value)}. ${facts}`;
    const question = `Question: ${report.features[node.split.feature].name}. ${facts}`;
    return folded.has(id) ? `${question} Folded: ${tree.leaves[id]} leaves.` : question;
  }

  function toggle(id) {
    if (state.tree.isLeaf(id)) return;
    zoom = currentZoom();
    if (folded.has(id)) folded.delete(id);
    else folded.add(id);
    keeping(id, draw);
  }

  // A change of the drawing under which a node stays where the reader sees it.
  function keeping(id, change) {
    if (!drawn) return;
    const spot = () => {
      const place = drawn.layout.places.get(id) || drawn.layout.places.get(0);
      return [place.x * currentZoom(), place.y * currentZoom()];
    };
    const [x, y] = spot();
    const { scrollLeft, scrollTop } = box;
    change();
    const [newX, newY] = spot();
    box.scrollLeft = scrollLeft + newX - x;
    box.scrollTop = scrollTop + newY - y;
  }

  // Emphasis for the way of the row and for the selected node.
  function mark() {
    if (!drawn) return;
    const { tree } = state;
    const on = new Map(state.row ? tree.reach(state.row.values).visits : []);
    const selected = state.node;
    for (const element of drawn.drawing.querySelectorAll("[data-node]")) {
      const id = Number(element.dataset.node);
      element.classList.toggle("on-path", on.has(id));
      element.classList.toggle("selected", id === selected);
      element.setAttribute("aria-selected", String(id === selected));
      element.setAttribute("tabindex", id === (selected !== null && drawn.layout.places.has(selected) ? selected : 0) ? 0 : -1);
    }
    for (const element of drawn.drawing.querySelectorAll("[data-edge]")) {
      const id = Number(element.dataset.edge);
      element.classList.toggle("on-path", on.has(id));
      element.style.setProperty("--share", on.has(id) ? Math.max(0.25, on.get(id)) : 1);
    }
    drawn.drawing.classList.toggle("has-path", on.size > 0);
  }

  function fullSize() {
    const { width, height } = drawn.drawing.viewBox.baseVal;
    return [width, height];
  }

  // Readable at first, even if that means scrolling; the height of the pane follows the tree.
  function currentZoom() {
    if (zoom !== null || !drawn) return zoom === null ? 1 : zoom;
    const [width, height] = fullSize();
    if (drawn.layout.outline) return Math.min(1.15, Math.max(READABLE_ZOOM, boxWidth() / width));
    const whole = Math.min(1.1, boxWidth() / width, 700 / height);
    return Math.max(READABLE_ZOOM, whole);
  }

  function resize() {
    if (!drawn) return;
    const [width, height] = fullSize();
    const scale = currentZoom();
    drawn.drawing.setAttribute("width", Math.round(width * scale));
    drawn.drawing.setAttribute("height", Math.round(height * scale));
  }

  // Scrolls the pane, not the page, until a node is in sight.
  function show(id) {
    if (!drawn) return;
    const place = drawn.layout.places.get(id);
    if (!place) return;
    const scale = currentZoom();
    const [x, y] = [(place.x + drawn.pad) * scale, (place.y + drawn.pad) * scale];
    const [width, height] = [NODE.width * scale, NODE.height * scale];
    if (x < box.scrollLeft || x + width > box.scrollLeft + boxWidth()) box.scrollLeft = x - (boxWidth() - width) / 2;
    if (y < box.scrollTop || y + height > box.scrollTop + box.clientHeight) box.scrollTop = y - (box.clientHeight - height) / 2;
  }

  function fit() {
    if (!drawn) return;
    const [width, height] = fullSize();
    zoom = Math.min(1.4, boxWidth() / width, Math.max(box.clientHeight, 420) / height);
    resize();
  }

  function onKey(event) {
    const at = event.target.closest("[data-node]");
    if (!at) return;
    const id = Number(at.dataset.node);
    const { tree } = state;
    const column = drawn.layout.order.filter((other) => tree.depth[other] === tree.depth[id]);
    const beside = (by) => column[column.indexOf(id) + by];
    let next;
    if (event.key === "ArrowLeft") next = tree.parent[id] >= 0 ? tree.parent[id] : undefined;
    else if (event.key === "ArrowRight") {
      if (tree.isLeaf(id)) return;
      if (folded.has(id)) {
        toggle(id);
        focusNode(id);
        event.preventDefault();
        return;
      }
      next = tree.nodes[id].children[0];
    } else if (event.key === "ArrowUp") next = beside(-1);
    else if (event.key === "ArrowDown") next = beside(1);
    else if (event.key === "Home") next = 0;
    else if (event.key === "Enter") next = id;
    else if (event.key === " ") {
      toggle(id);
      focusNode(id);
      event.preventDefault();
      return;
    } else if (event.key === "+" || event.key === "=") zoomBy(1.25)();
    else if (event.key === "-") zoomBy(1 / 1.25)();
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
    if (next === undefined) return;
    actions.selectNode(next);
    focusNode(next);
  }

  function focusNode(id) {
    const element = box.querySelector(`[data-node="${id}"]`);
    if (element) element.focus();
  }

  // Dragging the ground moves the view; touch scrolls by itself.
  let drag = null;
  box.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button !== 0 || event.target.closest("[data-node]")) return;
    drag = { x: event.clientX, y: event.clientY, left: box.scrollLeft, top: box.scrollTop };
    box.setPointerCapture(event.pointerId);
  });
  box.addEventListener("pointermove", (event) => {
    if (!drag) return;
    box.scrollLeft = drag.left + drag.x - event.clientX;
    box.scrollTop = drag.top + drag.y - event.clientY;
  });
  for (const end of ["pointerup", "pointercancel"]) box.addEventListener(end, () => { drag = null; });
  box.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoomBy(event.deltaY < 0 ? 1.15 : 1 / 1.15)();
  }, { passive: false });
  const boxWidth = onWidth(box, () => {
    if (!state || !drawn) return;
    if (Boolean(drawn.layout.outline) === boxWidth() < NARROW) resize();
    else draw();
  });

  return {
    render(next, changed) {
      const first = !state;
      const treeChanged = !state || next.tree !== state.tree;
      state = next;
      if (treeChanged) {
        folded = foldedAtFirst();
        zoom = null;
        draw();
        // A root in the middle of a tall tree would be out of sight.
        show(0);
        if (state.node) show(state.node);
        // Once, at opening: later the page should not jump under the reader's hands.
        if (first && drawn && !drawn.layout.outline && fullSize()[0] * READABLE_ZOOM > boxWidth()) setWide(true);
      } else if (changed.has("node") || changed.has("row")) {
        if (changed.has("node")) reveal();
        mark();
        if (!drawn) return;
        const way = changed.has("row") && state.row ? state.tree.reach(state.row.values).visits.map(([id]) => id) : [state.node];
        const seen = way.filter((id) => drawn.layout.places.has(id));
        if (seen.length) show(seen[seen.length - 1]);
      }
    },
  };

  function foldedAtFirst() {
    const { tree } = state;
    if (!tree || tree.leaves[0] <= SMALL_TREE) return new Set();
    if (boxWidth() < NARROW) return foldAtFirst(tree, 16, 4);
    const levels = Math.max(2, Math.floor(boxWidth() / (READABLE_ZOOM * LEVEL_WIDTH)));
    return foldAtFirst(tree, MOST_NODES_AT_FIRST, levels);
  }

  // A selection made elsewhere must be visible here.
  function reveal() {
    if (!state.tree || state.node === null) return;
    const above = state.tree.way(state.node).slice(0, -1).filter((id) => folded.has(id));
    if (!above.length) return;
    for (const id of above) folded.delete(id);
    draw();
  }
}
