//! The least cost for every number of leaves, and the pruning that has it.
//!
//! A subtree's table says, for every number of leaves `k`, the least cost of its prunings with exactly
//! `k` leaves. The table of a node joins those of its children: `join[k]` is the least `a[i] + b[k - i]`.
//! To that comes `k = 1`, the node as a leaf. Children are joined in pairs, so a node with many of them
//! needs no more than `log` times its leaves. Sizes that no pruning has are gaps.
//!
//! **Window.** Trying every `i` takes time quadratic in the leaves. Instead each table gets its lower
//! convex hull `h`. The sum `h_a(i) + h_b(k - i)` is convex in `i` and never above `a[i] + b[k - i]`. So
//! the search starts where the sum is least, which moves only forward as `k` grows, and walks to both
//! sides until the sum shows that nothing further out can be better. Costs are whole numbers of units:
//! better means by one unit at least. The answer is exact; hulls only say where to look, with a slack
//! for their rounding.
//!
//! Only costs are stored. The pruning for a `k` is found from the root down, by looking at every join
//! for an `i` whose sum is the stored one.

use super::NodeCosts;
use super::costs::Children;
use crate::cost::SolutionValue;
use crate::error::{Error, Result};
use crate::tree::Tree;

/// The least cost of the prunings of a tree, for every number of leaves.
#[derive(Debug, Clone)]
pub struct MinCost {
    n_nodes: usize,
    tables: Vec<Table>,
    /// The entries of all tables, one after the other.
    entries: Vec<i64>,
    /// The table of the root.
    root: u32,
}

/// Where a table is, and which two it was joined from.
#[derive(Debug, Clone, Copy)]
struct Table {
    /// Where its entries begin.
    start: usize,
    /// The number of leaves of the first entry.
    first: u32,
    /// How many entries there are.
    length: u32,
    /// The two tables it was joined from; `NONE` for a leaf.
    from: (u32, u32),
    /// The node whose subtree this is; `NONE` for some of the children of a node.
    node: u32,
}

/// The cost of a size that no pruning has. Adding any cost or another gap to it does not overflow.
pub(super) const GAP: i64 = (1 << 62) - 1;
const NONE: u32 = u32::MAX;
/// Below this length of the shorter table the window is not worth its hulls.
const SHORT: usize = 6;

impl MinCost {
    /// Fills the tables of a tree. Refuses to need more memory than `most_bytes`.
    pub fn new(costs: &NodeCosts, most_bytes: u64) -> Result<Self> {
        let n_entries = n_entries(costs.children());
        let bytes = n_entries as u64 * size_of::<i64>() as u64;
        if bytes > most_bytes {
            let given = format!("{most_bytes} bytes");
            let needed = format!("at least {bytes} bytes for the table of this tree");
            return Err(Error::parameter("memory-limit", given, needed));
        }
        let mut tables = Self {
            n_nodes: costs.children().len(),
            tables: Vec::with_capacity(costs.children().len()),
            entries: Vec::with_capacity(n_entries),
            root: NONE,
        };
        let mut of_node = vec![NONE; tables.n_nodes];
        let mut hulls = Hulls::default();
        for (node, &(first, end)) in costs.children().iter().enumerate().rev() {
            let cost = costs.values()[node];
            let children = &of_node[first as usize..end as usize];
            of_node[node] = if children.is_empty() {
                tables.leaf(node as u32, cost)
            } else {
                tables.join(children, Some((node as u32, cost)), &mut hulls)
            };
        }
        tables.root = of_node[0];
        Ok(tables)
    }

    /// The largest number of leaves: that of the tree itself.
    pub fn most_leaves(&self) -> usize {
        let root = &self.tables[self.root as usize];
        (root.first + root.length) as usize - 1
    }

    /// The least cost of a pruning with exactly this many leaves, in units; `None` if there is no such
    /// pruning.
    pub fn cost(&self, leaves: usize) -> Option<i64> {
        let place = leaves.checked_sub(1)?;
        let cost = *self.entries_of(self.root).get(place)?;
        (cost < GAP).then_some(cost)
    }

    /// All attainable numbers of leaves, rising, with their least costs.
    pub fn values(&self) -> Vec<SolutionValue> {
        let entries = (1..).zip(self.entries_of(self.root));
        entries
            .filter(|(_, cost)| **cost < GAP)
            .map(|(leaves, &cost)| SolutionValue { cost, leaves })
            .collect()
    }

    /// The pruning of least cost with exactly this many leaves. `whole` is the tree that the costs are of.
    pub fn tree(&self, whole: &Tree, leaves: usize) -> Option<Tree> {
        let is_cut = self.cut(leaves)?;
        Some(whole.cut(|id| is_cut[id.index()]))
    }

    /// The leaves of that pruning, marked among the nodes of the tree. Deterministic: of several ways to share
    /// the leaves among the children, the first child gets as few as it can.
    pub fn cut(&self, leaves: usize) -> Option<Vec<bool>> {
        self.cost(leaves)?;
        let mut is_cut = vec![false; self.n_nodes];
        let mut open = vec![(self.root, leaves)];
        while let Some((place, leaves)) = open.pop() {
            let table = self.tables[place as usize];
            if leaves == 1 && table.node != NONE {
                is_cut[table.node as usize] = true;
                continue;
            }
            let (a, b) = table.from;
            let left = self.share(table, leaves);
            open.push((b, leaves - left));
            open.push((a, left));
        }
        Some(is_cut)
    }

    /// How many of the leaves of a join the first of its two tables gets.
    fn share(&self, join: Table, leaves: usize) -> usize {
        let (a, b) = (
            self.tables[join.from.0 as usize],
            self.tables[join.from.1 as usize],
        );
        let (of_a, of_b) = (self.entries_of(join.from.0), self.entries_of(join.from.1));
        let cost = self.entries[join.start + leaves - join.first as usize];
        let (first_a, first_b) = (a.first as usize, b.first as usize);
        let least = first_a.max((leaves + 1).saturating_sub(first_b + of_b.len()));
        (least..=leaves - first_b)
            .find(|&left| of_a[left - first_a] + of_b[leaves - left - first_b] == cost)
            .expect("the entry was made from such a sum")
    }

    fn entries_of(&self, table: u32) -> &[i64] {
        let table = &self.tables[table as usize];
        &self.entries[table.start..table.start + table.length as usize]
    }

    fn leaf(&mut self, node: u32, cost: i64) -> u32 {
        self.tables.push(Table {
            start: self.entries.len(),
            first: 1,
            length: 1,
            from: (NONE, NONE),
            node,
        });
        self.entries.push(cost);
        self.tables.len() as u32 - 1
    }

    /// Joins tables in pairs of halves. At the top comes the node itself, as a leaf.
    fn join(&mut self, tables: &[u32], node: Option<(u32, i64)>, hulls: &mut Hulls) -> u32 {
        if let ([table], None) = (tables, node) {
            return *table;
        }
        let (left, right) = tables.split_at(tables.len() / 2);
        let from = (self.join(left, None, hulls), self.join(right, None, hulls));
        let start = self.entries.len();
        let (a, b) = (self.tables[from.0 as usize], self.tables[from.1 as usize]);
        let mut first = a.first + b.first;
        if let Some((_, cost)) = node {
            self.entries.push(cost);
            self.entries.resize(start + first as usize - 1, GAP);
            first = 1;
        }
        let joined = self.entries.len();
        self.entries
            .resize(joined + (a.length + b.length) as usize - 1, GAP);
        let (before, out) = self.entries.split_at_mut(joined);
        let of = |table: Table| &before[table.start..table.start + table.length as usize];
        hulls.add(of(a), of(b), out);
        self.tables.push(Table {
            start,
            first,
            length: (self.entries.len() - start) as u32,
            from,
            node: node.map_or(NONE, |(node, _)| node),
        });
        self.tables.len() as u32 - 1
    }
}

/// How many entries all tables have together, at most.
fn n_entries(children: &[Children]) -> usize {
    let mut leaves = vec![1_usize; children.len()];
    let mut sum = 0_usize;
    for (node, &(first, end)) in children.iter().enumerate().rev() {
        let mut n_tables = 1;
        if first < end {
            leaves[node] = leaves[first as usize..end as usize].iter().sum();
            n_tables = (end - first - 1).max(1).ilog2() as usize + 1;
        }
        sum = sum.saturating_add(leaves[node].saturating_mul(n_tables));
    }
    sum
}

/// Working memory of a join.
#[derive(Default)]
pub(super) struct Hulls {
    a: Vec<f64>,
    b: Vec<f64>,
    corners: Vec<usize>,
}

impl Hulls {
    /// `out[k]` = least `a[i] + b[k - i]`, or [`GAP`]. The first and the last entry of both are no gaps.
    pub(super) fn add(&mut self, a: &[i64], b: &[i64], out: &mut [i64]) {
        if a.len().min(b.len()) <= SHORT {
            plain(a, b, out);
        } else {
            self.window(a, b, out);
        }
    }

    fn window(&mut self, a: &[i64], b: &[i64], out: &mut [i64]) {
        hull(a, &mut self.corners, &mut self.a);
        hull(b, &mut self.corners, &mut self.b);
        let (hull_a, hull_b) = (&self.a[..], &self.b[..]);
        let largest = a[0].max(b[0]).max(a[a.len() - 1]).max(b[b.len() - 1]) as f64;
        // Better by one unit at least, and the hulls are off by a few roundings at most.
        let margin = largest * 2.0_f64.powi(-48) - 1.0;
        let mut start = 0;
        for (k, out) in out.iter_mut().enumerate() {
            let first = (k + 1).saturating_sub(b.len());
            let last = k.min(a.len() - 1);
            let bound = |i: usize| hull_a[i] + hull_b[k - i];
            let sum = |i: usize| a[i] + b[k - i];
            start = start.max(first);
            while start < last && bound(start + 1) <= bound(start) {
                start += 1;
            }
            let mut best = GAP;
            let mut most = f64::INFINITY;
            for i in start..=last {
                if bound(i) > most {
                    break;
                }
                if sum(i) < best {
                    best = sum(i);
                    most = best as f64 + margin;
                }
            }
            for i in (first..start).rev() {
                if bound(i) > most {
                    break;
                }
                if sum(i) < best {
                    best = sum(i);
                    most = best as f64 + margin;
                }
            }
            *out = best;
        }
    }
}

/// Tries every pair.
fn plain(a: &[i64], b: &[i64], out: &mut [i64]) {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    for (shift, &x) in short.iter().enumerate().filter(|(_, x)| **x < GAP) {
        for (out, &y) in out[shift..].iter_mut().zip(long) {
            *out = (*out).min(x + y);
        }
    }
    // A gap plus a cost is still a gap; the rest of `out` began as one.
    for out in out {
        *out = (*out).min(GAP);
    }
}

/// The lower convex hull of a table, at every place of it.
fn hull(table: &[i64], corners: &mut Vec<usize>, hull: &mut Vec<f64>) {
    corners.clear();
    for place in (0..table.len()).filter(|&place| table[place] < GAP) {
        while let [.., before, corner] = corners[..] {
            let rise = |from: usize, to: usize| i128::from(table[to] - table[from]);
            let run = |from: usize, to: usize| (to - from) as i128;
            let is_below = rise(before, corner) * run(corner, place)
                < rise(corner, place) * run(before, corner);
            if is_below {
                break;
            }
            corners.pop();
        }
        corners.push(place);
    }
    hull.clear();
    for side in corners.windows(2) {
        let (from, to) = (side[0], side[1]);
        let slope = (table[to] - table[from]) as f64 / (to - from) as f64;
        hull.extend((from..to).map(|place| table[from] as f64 + slope * (place - from) as f64));
    }
    hull.extend(table.last().map(|&cost| cost as f64));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random tables with gaps, rising and falling, small and large numbers.
    #[test]
    fn the_window_finds_what_trying_everything_finds() {
        let mut random = fastrand::Rng::with_seed(7);
        for round in 0..3000 {
            let largest = [3, 40, 1 << 20, 1 << 60][round % 4];
            let gaps = random.f64() * 0.8;
            let mut table = |length: usize| -> Vec<i64> {
                let falls = random.bool();
                let mut table: Vec<i64> = (0..length)
                    .map(|_| {
                        if random.f64() < gaps {
                            GAP
                        } else {
                            random.i64(0..largest)
                        }
                    })
                    .collect();
                table[0] = random.i64(0..largest);
                table[length - 1] = random.i64(0..largest);
                if falls {
                    let mut costs: Vec<i64> = table.iter().copied().filter(|c| *c < GAP).collect();
                    costs.sort_unstable();
                    for cost in table.iter_mut().filter(|cost| **cost < GAP) {
                        *cost = costs.pop().unwrap();
                    }
                }
                table
            };
            let (a, b) = (table(1 + round % 37), table(1 + round % 23));
            let mut expected = vec![GAP; a.len() + b.len() - 1];
            plain(&a, &b, &mut expected);
            let mut found = vec![GAP; expected.len()];
            Hulls::default().window(&a, &b, &mut found);
            assert_eq!(found, expected, "{a:?} {b:?}");
        }
    }
}
