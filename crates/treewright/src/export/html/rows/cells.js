// The cells that a tree cuts a plane of two features into, exactly as its splits say.
//
// A part of an axis is an interval `{low, high}`, one category `{code}`, or `{missing: true}`. All
// other features have the values of one row. Where such a value is missing and distributed, a cell
// has several leaves with shares.

const MOST_CELLS = 20000;

function cellsOf(tree, axes, parts, row) {
  const cells = [];
  const stack = [{ parts, pending: [[0, 1]], leaves: [] }];
  while (stack.length && cells.length < MOST_CELLS) {
    const cell = stack.pop();
    let divided = false;
    while (cell.pending.length && !divided) {
      const [id, share] = cell.pending.pop();
      const node = tree.nodes[id];
      if (!node.children) {
        cell.leaves.push([id, share]);
        continue;
      }
      const axis = axes.indexOf(node.split.feature);
      const part = axis < 0 ? null : cell.parts[axis];
      if (part && part.low !== undefined) {
        const pieces = divide(node.split, part);
        if (pieces.length === 1) {
          cell.pending.push([node.children[pieces[0].position], share]);
          continue;
        }
        divided = true;
        for (const { position, low, high } of pieces) {
          const smaller = cell.parts.slice();
          smaller[axis] = { low, high };
          stack.push({
            parts: smaller,
            pending: [...cell.pending, [node.children[position], share]],
            leaves: cell.leaves.slice(),
          });
        }
        continue;
      }
      const value = !part ? row[node.split.feature] : part.missing ? null : part.code;
      let position = outcome(node.split, value);
      if (position === null) position = node.missing;
      if (position !== "distribute") {
        cell.pending.push([node.children[position], share]);
        continue;
      }
      tree.shares(id).forEach((own, i) => {
        if (own > 0) cell.pending.push([node.children[i], share * own]);
      });
    }
    if (!divided) cells.push({ parts: cell.parts, leaves: cell.leaves });
  }
  return cells;
}

// The pieces of an interval on both sides of the cuts that lie inside it.
function divide(split, { low, high }) {
  const edges = [-Infinity, ...split.cuts, Infinity];
  const pieces = [];
  for (let position = 0; position + 1 < edges.length; position++) {
    const from = Math.max(low, edges[position]);
    const to = Math.min(high, edges[position + 1]);
    if (from < to) pieces.push({ position, low: from, high: to });
  }
  return pieces;
}
