// The selected tree as a model file, which the program reads. What is proven about it stays in the page.

function modelFile(report, family, member, tree) {
  const ids = tree.reachable.slice().sort((a, b) => a - b);
  const places = new Map(ids.map((id, place) => [id, place]));
  const nodes = ids.map((id) => {
    const { collapse_at, children, ...node } = tree.nodes[id];
    return children ? { ...node, children: children.map((child) => places.get(child)) } : node;
  });
  const { rows, weight } = report.table;
  const { errors, cost } = trainingFigures(report, member);
  const training = {
    rows,
    weight,
    ...((errors ?? null) === null ? {} : { errors }),
    cost,
    leaves: member.leaves,
    depth: Math.max(...tree.reachable.map((id) => tree.depth[id])),
    seconds: family.seconds ?? 0,
  };
  return {
    format: "treewright.tree",
    version: 1,
    task: report.task,
    features: report.features.map(({ missing, hasMissing, ...feature }) => feature),
    target: report.target,
    reading: report.reading,
    learner: family.learner,
    training,
    nodes,
  };
}

// By predictions, where these are known: with rows that are shared out they are not sums over the leaves.
function trainingFigures(report, member) {
  const { confusion } = member;
  if (!confusion || report.other_rows) return member;
  const { costs } = report.target;
  let [errors, cost] = [0, 0];
  confusion.forEach((row, truth) =>
    row.forEach((count, predicted) => {
      if (truth !== predicted) errors += count;
      cost += count * (costs ? costs[truth][predicted] : Number(truth !== predicted));
    }),
  );
  return { errors, cost: cost / report.table.weight };
}
