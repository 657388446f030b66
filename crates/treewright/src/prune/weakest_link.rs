//! All prunings that are best for some linear penalty, in `O(n log n)` for `n` nodes.
//!
//! Let `f_t(a)` be the least `cost + a * leaves` of all prunings of the subtree below node `t`. Then
//! `f_t(a) = min(cost(t) + a, sum of f_c(a) over the children c)`. The sum rises with slope 2 or more
//! everywhere, the first term with slope 1, so they meet once, at the price `a_t`: **`t` is a leaf for
//! prices of at least `a_t`, whatever happens elsewhere.** Hence the best prunings are nested, for any
//! number of children and also where splitting raises the cost.
//!
//! One pass from the leaves up finds all `a_t`. An *edge* stands for an inner node that collapses: what
//! it adds to the cost and how many leaves it takes away; their ratio is its price. A subtree holds its
//! edges in a heap, the dearest on top. A new node starts with the edge that collapses it alone, with
//! all children as leaves. While a child's edge is as dear or dearer, that edge will never happen on
//! its own: the new edge swallows it. Each edge is pushed once and swallowed at most once. The textbook
//! loop, which looks for the weakest link again and again, takes quadratic time on slender trees.
//!
//! Prices are compared by cross multiplication in whole numbers, so equal prices are found equal and
//! make one step.

use std::cmp::Ordering;
use std::sync::Arc;

use super::NodeCosts;
use crate::cost::SolutionValue;
use crate::tree::{Nested, NodeId, Tree};

/// The nested prunings that are best for some price of a leaf.
#[derive(Debug, Clone)]
pub struct WeakestLink {
    /// Cost and leaves of the prunings, the one with the fewest leaves first. It is the root alone.
    pub members: Vec<SolutionValue>,
    /// Which node is a leaf in which of them.
    pub nested: Nested,
}

impl WeakestLink {
    /// Finds the prunings of a tree.
    pub fn new(tree: &Arc<Tree>, costs: &NodeCosts) -> Self {
        let Collapses {
            members,
            last_as_leaf,
        } = Collapses::new(costs);
        Self {
            members,
            nested: Nested {
                tree: Arc::clone(tree),
                last_as_leaf,
                errors: costs.errors().cloned(),
            },
        }
    }
}

/// The same without the tree: its shape is enough.
pub(super) struct Collapses {
    /// Cost and leaves of the prunings, the one with the fewest leaves first.
    pub(super) members: Vec<SolutionValue>,
    /// For each node the largest of them in which it is a leaf or gone.
    pub(super) last_as_leaf: Vec<u32>,
}

impl Collapses {
    pub(super) fn new(costs: &NodeCosts) -> Self {
        let heaps = Heaps::new(costs);
        let edges = heaps.rising();
        let mut steps = Steps::new(&heaps);
        let mut start = 0;
        while start < edges.len() {
            let first = heaps.edges[edges[start].index()];
            let is_same = |id: &NodeId| heaps.edges[id.index()].compare(first) == Ordering::Equal;
            let is_free = |id: &NodeId| heaps.edges[id.index()].cost <= 0;
            let length = if first.cost <= 0 {
                edges[start..].iter().take_while(|id| is_free(id)).count()
            } else {
                edges[start..].iter().take_while(|id| is_same(id)).count()
            };
            steps.take(&heaps, &edges[start..start + length], first.cost <= 0);
            start += length;
        }
        steps.finish(&heaps, costs)
    }
}

/// What collapsing a node, with all that it swallowed, does.
#[derive(Debug, Clone, Copy)]
struct Edge {
    /// Cost that is added; negative where splitting made things worse.
    cost: i64,
    /// Leaves that are taken away, at least one. 0 marks an edge that was swallowed, or a leaf.
    leaves: i64,
}

impl Edge {
    /// By price.
    fn compare(self, other: Self) -> Ordering {
        (i128::from(self.cost) * i128::from(other.leaves))
            .cmp(&(i128::from(other.cost) * i128::from(self.leaves)))
    }
}

/// Leftist heaps in one arena. The slot of an edge is the number of its node.
struct Heaps {
    edges: Vec<Edge>,
    links: Vec<Links>,
    /// The tree before any collapse.
    whole: SolutionValue,
}

#[derive(Clone, Copy)]
struct Links {
    /// The sub-heaps; the left one is at least as deep along its right spine.
    left: u32,
    right: u32,
    /// Length of the right spine.
    rank: u32,
}

const NONE: u32 = u32::MAX;

impl Heaps {
    /// One pass from the leaves up. What remains is in the root's heap.
    fn new(costs: &NodeCosts) -> Self {
        let n_nodes = costs.values().len();
        let mut heaps = Self {
            edges: vec![Edge { cost: 0, leaves: 0 }; n_nodes],
            links: vec![
                Links {
                    left: NONE,
                    right: NONE,
                    rank: 1
                };
                n_nodes
            ],
            whole: SolutionValue { cost: 0, leaves: 0 },
        };
        let mut top = vec![NONE; n_nodes];
        let values = costs.values();
        for (node, &(first, end)) in costs.children().iter().enumerate().rev() {
            if first == end {
                heaps.whole.cost += values[node];
                heaps.whole.leaves += 1;
                continue;
            }
            let mut heap = NONE;
            let mut edge = Edge {
                cost: values[node],
                leaves: i64::from(end - first) - 1,
            };
            for child in first as usize..end as usize {
                heap = heaps.meld(heap, top[child]);
                edge.cost -= values[child];
            }
            while heap != NONE && edge.compare(heaps.edges[heap as usize]).is_le() {
                let swallowed = &mut heaps.edges[heap as usize];
                edge.cost += swallowed.cost;
                edge.leaves += swallowed.leaves;
                swallowed.leaves = 0;
                let Links { left, right, .. } = heaps.links[heap as usize];
                heap = heaps.meld(left, right);
            }
            heaps.edges[node] = edge;
            top[node] = heaps.meld(heap, node as u32);
        }
        heaps
    }

    /// One heap of two. The right spines have logarithmic length, so the recursion is shallow.
    fn meld(&mut self, a: u32, b: u32) -> u32 {
        if a == NONE {
            return b;
        }
        if b == NONE {
            return a;
        }
        let (top, other) = match self.edges[a as usize].compare(self.edges[b as usize]) {
            Ordering::Less => (b, a),
            _ => (a, b),
        };
        let right = self.meld(self.links[top as usize].right, other);
        let left = self.links[top as usize].left;
        let rank = |heaps: &Self, heap: u32| match heap {
            NONE => 0,
            heap => heaps.links[heap as usize].rank,
        };
        let (left, right) = if rank(self, left) < rank(self, right) {
            (right, left)
        } else {
            (left, right)
        };
        self.links[top as usize] = Links {
            left,
            right,
            rank: rank(self, right) + 1,
        };
        top
    }

    /// The edges that were not swallowed, by rising price.
    fn rising(&self) -> Vec<NodeId> {
        // Sorted by a rounded price first, which is fast, then put right where rounding erred.
        let mut keys: Vec<(i64, u32)> = (0..)
            .zip(&self.edges)
            .filter(|(_, edge)| edge.leaves > 0)
            .map(|(id, edge)| (order_key(edge.cost as f64 / edge.leaves as f64), id))
            .collect();
        keys.sort_unstable();
        let mut edges: Vec<NodeId> = keys.into_iter().map(|(_, id)| NodeId(id)).collect();
        for end in 1..edges.len() {
            let edge = |place: usize| self.edges[edges[place].index()];
            let mut place = end;
            while place > 0 && edge(place - 1).compare(edge(end)).is_gt() {
                place -= 1;
            }
            edges[place..=end].rotate_right(1);
        }
        edges
    }
}

/// A whole number that is ordered as the double is.
fn order_key(number: f64) -> i64 {
    let bits = number.to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

/// Goes from the whole tree to the root alone, price by price.
struct Steps {
    now: SolutionValue,
    /// The members so far, the largest tree first.
    members: Vec<SolutionValue>,
    /// For each node with an edge of its own: the step that collapses it.
    step: Vec<u32>,
}

impl Steps {
    fn new(heaps: &Heaps) -> Self {
        Self {
            now: heaps.whole,
            members: Vec::new(),
            step: vec![0; heaps.edges.len()],
        }
    }

    /// Collapses nodes of one price. Free ones go before there is a first member.
    fn take(&mut self, heaps: &Heaps, nodes: &[NodeId], is_free: bool) {
        if !is_free {
            self.members.push(self.now);
        }
        for id in nodes {
            let edge = heaps.edges[id.index()];
            self.now.cost += edge.cost;
            self.now.leaves -= edge.leaves as usize;
            self.step[id.index()] = self.members.len() as u32;
        }
    }

    fn finish(mut self, heaps: &Heaps, costs: &NodeCosts) -> Collapses {
        self.members.push(self.now);
        self.members.reverse();
        // After step s the member is the one at `last - s`. A swallowed node goes with its parent.
        let last = self.members.len() as u32 - 1;
        let mut last_as_leaf = self.step;
        last_as_leaf[0] = last - last_as_leaf[0];
        for (node, &(first, end)) in costs.children().iter().enumerate() {
            for child in first as usize..end as usize {
                last_as_leaf[child] = if heaps.edges[child].leaves > 0 {
                    last - last_as_leaf[child]
                } else {
                    last_as_leaf[node]
                };
            }
        }
        Collapses {
            members: self.members,
            last_as_leaf,
        }
    }
}
