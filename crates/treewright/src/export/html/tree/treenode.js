// One node and one edge of the drawing: class bars, counts, edges as wide as their rows.

const LONGEST_LABEL = 150;
const LABEL_SIZE = 12;

function drawTreeNode(tree, id, place, isFolded, picture) {
  const leaf = tree.isLeaf(id);
  const words = nodeWords(tree, id, isFolded);
  const weight = tree.weight[id];
  const share = weight / (tree.total() || 1);
  return svg(
    "g",
    {
      class: leaf ? "node leaf" : "node",
      transform: `translate(${place.x},${place.y})`,
      "data-node": id,
      role: "treeitem",
      tabindex: -1,
      "aria-level": tree.depth[id] + 1,
      "aria-expanded": leaf ? null : String(!isFolded),
      "aria-selected": "false",
      "aria-label": words,
      style: `--answer: ${answerColor(tree.report, tree.nodes[id].value)}`,
    },
    svg("title", {}, words),
    svg("rect", { class: "frame", width: NODE.width, height: place.height, rx: leaf ? 8 : 3 }),
    leaf ? leafHead(tree, id) : questionHead(tree, id),
    svg("text", { class: "count", x: 8, y: 29 }, `${format.rows(weight)} · ${format.share(share)}`),
    picture || nodeBar(tree, id, place.height),
    leaf ? null : foldMark(tree, id, isFolded, place.height),
  );
}

function nodeWords(tree, id, isFolded) {
  const { report } = tree;
  const node = tree.nodes[id];
  const facts = nodeFacts(tree, id);
  if (tree.isLeaf(id)) return `Leaf: ${answerText(report, node.value)}. ${facts}`;
  const question = `Question: ${report.features[node.split.feature].name}. ${facts}`;
  return isFolded ? `${question} Folded: ${leavesText(tree.leaves[id])}.` : question;
}

// The first line of a node: a name, and a figure at the right end.
function headLine(x, name, figure) {
  const room = NODE.width - x - 8 - (figure ? textWidth(figure, 12) + 6 : 0);
  return [
    svg("text", { class: "name", x, y: 16 }, name(room)),
    svg("text", { class: "count", x: NODE.width - 8, y: 16, "text-anchor": "end" }, figure),
  ];
}

function leafHead(tree, id) {
  const { counts, value } = tree.nodes[id];
  const purity = counts && tree.weight[id] > 0 ? format.share(counts[value] / tree.weight[id]) : "";
  return [
    svg("rect", { class: "answer-mark", x: 8, y: 7, width: 9, height: 9, rx: 2 }),
    ...headLine(22, (room) => fitName(answerText(tree.report, value), room, 12.5, 600), purity),
  ];
}

function questionHead(tree, id) {
  const { split, mean } = tree.nodes[id];
  const { name } = tree.report.features[split.feature];
  return headLine(8, (room) => `${fitName(name, room - 10, 12.5, 600)}?`, mean === undefined ? "" : format.value(mean));
}

// Shares of the classes; in regression the place of the value in the range of all values.
function nodeBar(tree, id, tall) {
  const { counts, value } = tree.nodes[id];
  const [x, y, width, height] = [8, tall - 9, NODE.width - 16, 5];
  const group = svg("g", {}, svg("rect", { class: "ground", x, y, width, height }));
  if (!counts) {
    const [low, high] = tree.report.valueRange;
    const at = x + ((value - low) / (high - low || 1)) * (width - 6);
    group.append(svg("rect", { x: at, y: y - 1, width: 6, height: 7, fill: answerColor(tree.report, value) }));
    return group;
  }
  let from = x;
  counts.forEach((count, i) => {
    if (!(count > 0)) return;
    const part = (count / tree.weight[id]) * width;
    group.append(svg("rect", { x: from.toFixed(2), y, width: part.toFixed(2), height, fill: classColor(i) }));
    from += part;
  });
  return group;
}

// The circle that folds a subtree; folded, it tells how many leaves are behind it.
function foldMark(tree, id, isFolded, tall) {
  return svg(
    "g",
    { class: "fold", transform: `translate(${NODE.width},${tall / 2})` },
    svg("circle", { r: 12, class: "hit" }),
    svg("circle", { r: isFolded ? 8 : 5.5 }),
    svg("path", { d: isFolded ? "M-4,0H4M0,-4V4" : "M-3,0H3" }),
    isFolded ? svg("text", { class: "count", x: 12, y: -8 }, format.rows(tree.leaves[id])) : null,
  );
}

function edgeLabel(tree, id) {
  const parent = tree.nodes[tree.parent[id]];
  const position = tree.position[id];
  const [text, sibling] = [position, 1 - position].map((one) =>
    parent.children[one] === undefined ? "" : branchText(tree.report, parent, one, true),
  );
  const isLong = (label) => textWidth(label, LABEL_SIZE) > LONGEST_LABEL;
  if (isLong(text) && parent.children.length === 2 && parent.split.branches && !isLong(sibling)) {
    // The other branch names its categories, so a number is enough here.
    const others = `${parent.split.branches.filter((branch) => branch === position).length} others`;
    return text.endsWith(" or missing") ? `${others} or missing` : others;
  }
  return fitName(text, LONGEST_LABEL, LABEL_SIZE);
}

function drawTreeEdge(tree, id, from, to, outline) {
  const { report } = tree;
  const parent = tree.nodes[tree.parent[id]];
  const width = 1 + ((outline ? 6 : 11) * tree.weight[id]) / (tree.total() || 1);
  const [x, y] = [from.x + NODE.width, from.y + from.height / 2];
  const level = to.y + to.height / 2;
  // The bend is near the parent, the rest is level and carries the label.
  const line = outline
    ? `M${from.x + 12},${from.y + from.height}V${level}H${to.x}`
    : `M${x},${y}C${x + 20},${y} ${x + 18},${level} ${x + 38},${level}H${to.x}`;
  const place = outline
    ? { x: to.x + 2, y: to.y - 5 }
    : { x: to.x - 7, y: level - width / 2 - 4, "text-anchor": "end" };
  const whole = `${report.features[parent.split.feature].name} ${branchText(report, parent, tree.position[id], false)}`;
  return [
    svg("path", { class: "edge", "data-edge": id, d: line, "stroke-width": width.toFixed(2) }),
    svg("text", { class: "edge-label", ...place }, edgeLabel(tree, id), svg("title", {}, whole)),
  ];
}
