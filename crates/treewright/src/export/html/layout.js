// Where the nodes of a tree stand: from left to right, since conditions need room to be read.

const NODE = { width: 138, height: 42, gap: 14 };
const LETTER = 6.1;

// Places of all nodes that are not inside a folded subtree.
function layoutTree(tree, folded, labelOf) {
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
      if (id) labels[level] = Math.max(labels[level] || 0, Array.from(labelOf(id)).length);
      if (open) {
        stack.push([id, true]);
        const { children } = tree.nodes[id];
        for (let i = children.length - 1; i >= 0; i--) stack.push([children[i], false]);
        continue;
      }
      places.set(id, { y: row * (NODE.height + NODE.gap) });
      row += 1;
      continue;
    }
    const { children } = tree.nodes[id];
    const [first, last] = [children[0], children[children.length - 1]];
    places.set(id, { y: (places.get(first).y + places.get(last).y) / 2 });
  }
  const columns = [0];
  for (let level = 1; level < labels.length; level++) {
    const gap = Math.min(190, Math.max(56, labels[level] * LETTER + 34));
    columns[level] = columns[level - 1] + NODE.width + gap;
  }
  for (const [id, place] of places) place.x = columns[tree.depth[id]];
  return {
    places,
    order,
    width: columns[columns.length - 1] + NODE.width,
    height: row * (NODE.height + NODE.gap) - NODE.gap,
  };
}

// Which subtrees are folded at first: all below the deepest level that still leaves a readable drawing.
function foldAtFirst(tree, mostNodes) {
  const perLevel = [];
  for (const id of tree.reachable) perLevel[tree.depth[id]] = (perLevel[tree.depth[id]] || 0) + 1;
  let total = 0;
  let level = 0;
  while (level < perLevel.length && total + perLevel[level] <= mostNodes) total += perLevel[level++];
  // At least one question is shown.
  const last = Math.max(1, level - 1);
  return new Set(tree.reachable.filter((id) => !tree.isLeaf(id) && tree.depth[id] >= last));
}
