// Where the nodes of a tree stand: from left to right, since conditions need room to be read, or
// as an outline where there is no such room.

const NODE = { width: 132, height: 42, gap: 14 };
// An open question has room for the picture of its feature.
const PICTURE = 62;
const WIDEST_NODE = 190;

// As wide as the names of the table need, so that few of them are cut.
function widenNodes(report) {
  const isNumber = report.task === "regression";
  const answers = isNumber ? [] : report.target.classes.map((name) => 22 + textWidth(name, 12.5, 600) + 66);
  const questions = report.features.map(({ name }) => 16 + textWidth(`${name}?`, 12.5, 600) + (isNumber ? 52 : 10));
  const widest = [...answers, ...questions].reduce((most, wide) => Math.max(most, wide), NODE.width);
  NODE.width = Math.min(WIDEST_NODE, Math.ceil(widest));
}

// Places of all nodes that are not inside a folded subtree.
function layoutTree(tree, folded, labelWidth, pictures) {
  const places = new Map();
  const order = [];
  const labels = [];
  let row = 0;
  // Children before parents, without recursion: trees may be thousands of levels deep.
  const stack = [[0, false]];
  while (stack.length) {
    const [id, done] = stack.pop();
    const open = !tree.isLeaf(id) && !folded.has(id);
    if (!done) {
      order.push(id);
      const level = tree.depth[id];
      if (id) labels[level] = Math.max(labels[level] || 0, labelWidth(id));
      if (open) {
        stack.push([id, true]);
        const { children } = tree.nodes[id];
        for (let i = children.length - 1; i >= 0; i--) stack.push([children[i], false]);
        continue;
      }
      places.set(id, { y: row * (NODE.height + NODE.gap), height: NODE.height });
      row += 1;
      continue;
    }
    const { children } = tree.nodes[id];
    const [first, last] = [places.get(children[0]), places.get(children[children.length - 1])];
    const middle = (first.y + first.height / 2 + last.y + last.height / 2) / 2;
    const height = NODE.height + (pictures ? PICTURE : 0);
    places.set(id, { y: middle - height / 2, height });
  }
  const columns = [0];
  for (let level = 1; level < labels.length; level++) {
    const gap = Math.max(56, labels[level] + 34);
    columns[level] = columns[level - 1] + NODE.width + gap;
  }
  for (const [id, place] of places) place.x = columns[tree.depth[id]];
  return {
    places,
    order,
    width: columns[columns.length - 1] + NODE.width,
    height: row * (NODE.height + NODE.gap) - NODE.gap,
    outline: false,
  };
}

// For narrow screens: one node a line, children further in, conditions above their nodes.
function layoutOutline(tree, folded) {
  const places = new Map();
  const order = [];
  const stack = [0];
  let width = 0;
  while (stack.length) {
    const id = stack.pop();
    const x = tree.depth[id] * 24;
    places.set(id, { x, y: order.length * (NODE.height + 24), height: NODE.height });
    order.push(id);
    width = Math.max(width, x + NODE.width);
    if (tree.isLeaf(id) || folded.has(id)) continue;
    const { children } = tree.nodes[id];
    for (let i = children.length - 1; i >= 0; i--) stack.push(children[i]);
  }
  return { places, order, width, height: order.length * (NODE.height + 24) - 24, outline: true };
}

// Which subtrees are folded at first: nodes are opened in the order of their rows, as long as the
// drawing stays readable.
function foldAtFirst(tree, mostNodes, mostLevels) {
  const folded = new Set(tree.reachable.filter((id) => !tree.isLeaf(id)));
  const waiting = [0];
  let shown = 1;
  while (waiting.length) {
    waiting.sort((a, b) => tree.weight[b] - tree.weight[a]);
    const id = waiting.shift();
    if (tree.isLeaf(id) || tree.depth[id] >= mostLevels) continue;
    const { children } = tree.nodes[id];
    // The first question is always shown.
    if (id && shown + children.length > mostNodes) continue;
    shown += children.length;
    folded.delete(id);
    waiting.push(...children);
  }
  return folded;
}
