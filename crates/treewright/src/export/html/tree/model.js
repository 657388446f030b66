// Trees and the way of rows through them: the same rules as in the program, number for number.
//
// A row is a list with one value a feature: a number, or the code of a category. `null` is missing,
// and so is a category that the model or the node has never met.

const UNSEEN = -1;

function nodeWeight(node) {
  return node.counts ? node.counts.reduce((sum, count) => sum + count, 0) : node.weight;
}

// The tree of a member, or `null` if it is not in the page.
function treeOf(report, family, member) {
  let nodes = member.nodes || null;
  if (!nodes && family.nodes) nodes = cutAt(family.nodes, member.lambda_low);
  if (!nodes) return null;
  const tree = new Tree(report, nodes);
  // A thinned family may hold smaller trees only; cutting those does not give this member.
  return tree.leaves[0] === member.leaves ? tree : null;
}

// The pruning of a nested family's largest tree for a penalty weight; `null` is infinity.
// Positions of nodes stay what they are, so that a selected node survives a change of size.
function cutAt(nodes, lambda) {
  const at = (x) => x ?? Infinity;
  return nodes.map((node) => {
    if (!node.children || at(node.collapse_at) > at(lambda)) return node;
    const { split, children, missing, ...leaf } = node;
    return leaf;
  });
}

class Tree {
  constructor(report, nodes) {
    const n = nodes.length;
    this.report = report;
    this.nodes = nodes;
    this.weight = nodes.map(nodeWeight);
    this.parent = new Array(n).fill(-1);
    this.position = new Array(n).fill(-1);
    this.depth = new Array(n).fill(0);
    this.leaves = new Array(n).fill(1);
    this.reachable = [];
    const stack = [0];
    while (stack.length) {
      const id = stack.pop();
      this.reachable.push(id);
      const children = nodes[id].children || [];
      for (let i = children.length - 1; i >= 0; i--) {
        this.parent[children[i]] = id;
        this.position[children[i]] = i;
        this.depth[children[i]] = this.depth[id] + 1;
        stack.push(children[i]);
      }
    }
    for (let i = this.reachable.length - 1; i >= 0; i--) {
      const id = this.reachable[i];
      const children = nodes[id].children;
      if (children) this.leaves[id] = children.reduce((sum, child) => sum + this.leaves[child], 0);
    }
    this.shown = new Set(this.reachable);
  }

  isLeaf(id) {
    return !this.nodes[id].children;
  }

  total() {
    return this.weight[0];
  }

  // The class distribution of a node; where it is empty, that of the nearest occupied one above.
  distribution(id) {
    let at = id;
    while (at > 0 && !(this.weight[at] > 0)) at = this.parent[at];
    const { counts } = this.nodes[at];
    const total = this.weight[at];
    return total > 0 ? counts.map((count) => count / total) : counts.map(() => 1 / counts.length);
  }

  // The shares of the children of a node when a row is distributed.
  shares(id) {
    const { children } = this.nodes[id];
    const weights = children.map((child) => this.weight[child]);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map((weight) => (total > 0 ? weight / total : 1 / weights.length));
  }

  // Every node that a row passes with its share in it, parents first; and the leaves among them.
  reach(row) {
    const visits = [];
    const leaves = [];
    const stack = [[0, 1]];
    while (stack.length) {
      const [id, share] = stack.pop();
      visits.push([id, share]);
      const node = this.nodes[id];
      if (!node.children) {
        leaves.push([id, share]);
        continue;
      }
      let position = outcome(node.split, row[node.split.feature]);
      if (position === null) position = node.missing;
      if (position !== "distribute") {
        stack.push([node.children[position], share]);
        continue;
      }
      const shares = this.shares(id);
      for (let i = shares.length - 1; i >= 0; i--) {
        if (shares[i] > 0) stack.push([node.children[i], share * shares[i]]);
      }
    }
    return { visits, leaves };
  }

  // What the leaves that a row reaches answer together.
  answer(leaves) {
    const one = leaves.length === 1;
    if (this.report.task === "regression") {
      if (one) return { value: this.nodes[leaves[0][0]].value, proba: null };
      return { value: leaves.reduce((sum, [id, share]) => sum + share * this.nodes[id].value, 0), proba: null };
    }
    if (one) return { value: this.nodes[leaves[0][0]].value, proba: this.distribution(leaves[0][0]) };
    const proba = new Array(this.report.target.classes.length).fill(0);
    for (const [id, share] of leaves) {
      this.distribution(id).forEach((p, i) => {
        proba[i] += share * p;
      });
    }
    return { value: bestClass(proba, this.report.target.costs), proba };
  }

  predict(row) {
    return this.answer(this.reach(row).leaves);
  }

  // The nodes from the root to `id`.
  way(id) {
    const way = [];
    for (let at = id; at >= 0; at = this.parent[at]) way.unshift(at);
    return way;
  }

  isBelow(id, above) {
    let at = id;
    while (at > above) at = this.parent[at];
    return at === above;
  }

  // Is there a question that shares out rows with missing values?
  distributes() {
    return this.reachable.some((id) => this.nodes[id].missing === "distribute");
  }

  usedFeatures() {
    const used = new Set();
    for (const id of this.reachable) {
      if (!this.isLeaf(id)) used.add(this.nodes[id].split.feature);
    }
    return used;
  }

  // Weight of the training rows by true and predicted class, as sums over the leaves.
  confusion() {
    const n = this.report.target.classes.length;
    const table = Array.from({ length: n }, () => new Array(n).fill(0));
    for (const id of this.reachable) {
      const { counts, value } = this.nodes[id];
      if (this.isLeaf(id))
        counts.forEach((count, truth) => {
          table[truth][value] += count;
        });
    }
    return table;
  }

  // For each feature its share of what all splits take off the impurity (Gini index, squared error).
  importances() {
    const impurity = (id) => {
      const { counts, sse } = this.nodes[id];
      if (!counts) return sse;
      const total = this.weight[id];
      return total > 0 ? total - counts.reduce((sum, count) => sum + count * count, 0) / total : 0;
    };
    const gains = this.report.features.map(() => 0);
    for (const id of this.reachable) {
      const { split, children } = this.nodes[id];
      if (!children) continue;
      const below = children.reduce((sum, child) => sum + impurity(child), 0);
      gains[split.feature] += Math.max(0, impurity(id) - below);
    }
    const total = gains.reduce((sum, gain) => sum + gain, 0);
    return gains.map((gain) => (total > 0 ? gain / total : 0));
  }
}

// The position of the child for a value, `null` if it is missing or unseen.
function outcome(split, value) {
  if (value === null || value === undefined || Number.isNaN(value)) return null;
  if (split.kind === "categories") {
    const position = split.branches[value];
    return position === undefined ? null : position;
  }
  const { cuts } = split;
  let low = 0;
  let high = cuts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const above = split.closed === "right" ? value > cuts[middle] : value >= cuts[middle];
    if (above) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The class of least expected cost, the lowest index on ties.
function bestClass(proba, costs) {
  let best = 0;
  if (!costs) {
    proba.forEach((p, i) => {
      if (p > proba[best]) best = i;
    });
    return best;
  }
  let least = Infinity;
  for (let predicted = 0; predicted < proba.length; predicted++) {
    let cost = 0;
    for (let truth = 0; truth < proba.length; truth++) cost += proba[truth] * costs[truth][predicted];
    if (cost < least) [best, least] = [predicted, cost];
  }
  return best;
}

// The rows that the page has, by row.
function sampleRows(report) {
  const { sample } = report;
  if (!sample) return [];
  return sample.row.map((_, i) => sample.columns.map((column) => column[i]));
}

// What stands for a feature that nothing else is known of: its median, or its commonest category.
function typicalRow(report) {
  return report.features.map((feature, j) => {
    const column = report.sample ? report.sample.columns[j].filter((value) => value !== null) : [];
    if (feature.kind === "numeric") {
      if (!column.length) return null;
      const sorted = Float64Array.from(column).sort();
      return sorted[(sorted.length - 1) >> 1];
    }
    const counts = new Map();
    for (const code of column) counts.set(code, (counts.get(code) || 0) + 1);
    let best = null;
    for (const [code, count] of counts) {
      if (best === null || count > counts.get(best) || (count === counts.get(best) && code < best)) best = code;
    }
    return best;
  });
}
