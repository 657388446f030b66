//! The least error that any tree can have whose feature set lies between two others.
//!
//! Let every set `F` contain all `required` features and none but those and the `optional` ones. At a node
//! with the offers `b_1, b_2, ...` on these features, best first, the tree of `F` splits on the first of them
//! that `F` has. So
//!
//! - if `b_1` is required, all trees split on it, and the error is at least the sum over its children;
//! - else a tree splits on some `b_i` up to the first required one, and then its set has `b_i` and lacks
//!   `b_1 .. b_(i-1)`: the error is at least the least of these sums, each under these conditions; if no offer is
//!   required, the node may also be a leaf.
//!
//! Children take their minima on their own, so the sum is at most the error of any one tree. Rows held out
//! that go to several children count nothing. Looking through an optional split costs time, so after a few
//! such splits on the way the error is taken for nothing.

use super::Lattice;
use super::bits;
use super::nodes::NodeId;
use crate::learn::greedy::Lists;

/// Deeper nodes are taken to cost nothing, so that the way down fits on the stack.
const DEEPEST: usize = 400;

/// The sets to be bounded, and how closely.
struct Bounding<'s> {
    required: &'s mut [u64],
    optional: &'s mut [u64],
    both: Vec<u64>,
    /// Optional splits that may still be looked through on the way down.
    look_through: usize,
    depth: usize,
}

impl Lattice<'_> {
    /// A lower bound of the error of all sets between `required` and `required ∪ optional`, found by
    /// looking through this many optional splits above each other. It may be too low from `enough` on.
    pub(in crate::select::features) fn bound(
        &mut self,
        required: &mut [u64],
        optional: &mut [u64],
        look_through: usize,
        enough: i128,
    ) -> i128 {
        let mut both = required.to_vec();
        bits::add_all(&mut both, optional);
        let mut sets = Bounding {
            required,
            optional,
            both,
            look_through,
            depth: 0,
        };
        let mut sum = 0;
        for root in 0..self.grounds.len() as NodeId {
            sum += self.bound_at(root, &mut sets, enough - sum, None);
            if sum >= enough {
                break;
            }
        }
        sum
    }

    fn bound_at(
        &mut self,
        node: NodeId,
        sets: &mut Bounding<'_>,
        enough: i128,
        above: Option<(NodeId, &Lists)>,
    ) -> i128 {
        let row_node = &self.nodes.all[node as usize];
        let leaf_error = row_node.error;
        if !row_node.is_open() {
            return leaf_error;
        }
        // Nothing is a bound, too.
        if row_node.open().held.is_empty() || sets.depth > DEEPEST || self.must_stop(node) {
            return 0;
        }
        let lists = self.look(node, &sets.both, above);
        if self.is_stopped {
            return 0;
        }
        let bound = self.bound_open(node, sets, enough, lists.as_ref());
        if let Some(lists) = lists {
            self.nodes.recycle(lists);
        }
        bound
    }

    /// The same for a node that has been looked at.
    fn bound_open(
        &mut self,
        node: NodeId,
        sets: &mut Bounding<'_>,
        enough: i128,
        lists: Option<&Lists>,
    ) -> i128 {
        let leaf_error = self.nodes.all[node as usize].error;
        let row_node = self.nodes.all[node as usize].open();
        let Some(first) = row_node.first_in(&sets.both) else {
            return leaf_error;
        };
        if bits::has(sets.required, row_node.feature(first)) {
            return self.bound_below(node, first, sets, enough, lists);
        }
        if sets.look_through == 0 {
            return 0;
        }
        sets.look_through -= 1;
        let mut least = i128::MAX;
        let mut passed = Vec::new();
        let mut at = 0;
        // The order of the offers stays: nothing below this node comes back to it.
        while let Some(&offer) = self.nodes.all[node as usize].open().offers().get(at) {
            at += 1;
            let feature = self.nodes.all[node as usize].open().feature(offer);
            let is_required = bits::has(sets.required, feature);
            if !is_required && !bits::has(sets.optional, feature) {
                continue;
            }
            let enough = enough.min(least);
            let bound = if is_required {
                self.bound_below(node, offer, sets, enough, lists)
            } else {
                bits::remove(sets.optional, feature);
                bits::add(sets.required, feature);
                let bound = self.bound_below(node, offer, sets, enough, lists);
                bits::remove(sets.required, feature);
                // From here on it is absent.
                bits::remove(&mut sets.both, feature);
                passed.push(feature);
                bound
            };
            least = least.min(bound);
            if is_required || least == 0 {
                break;
            }
        }
        let ended = self.nodes.all[node as usize].open().offers().len() == at;
        if ended && least > 0 {
            let row_node = self.nodes.all[node as usize].open();
            let last = row_node
                .offers()
                .last()
                .map(|&offer| row_node.feature(offer));
            // Without any required offer the node may be a leaf.
            if last.is_none_or(|last| !bits::has(sets.required, last)) {
                least = least.min(leaf_error);
            }
        }
        sets.look_through += 1;
        for feature in passed {
            bits::add(sets.optional, feature);
            bits::add(&mut sets.both, feature);
        }
        least
    }

    /// The sum over the children of a split.
    fn bound_below(
        &mut self,
        node: NodeId,
        offer: u32,
        sets: &mut Bounding<'_>,
        enough: i128,
        lists: Option<&Lists>,
    ) -> i128 {
        let parts = self.nodes.parts_of(&self.grounds, node, offer);
        sets.depth += 1;
        let mut sum = 0;
        for at in 0..self.parts(node, parts).children.len() {
            let child = self.parts(node, parts).children[at];
            let above = lists.map(|lists| (node, lists));
            sum += self.bound_at(child, sets, enough - sum, above);
            if sum >= enough {
                break;
            }
        }
        sets.depth -= 1;
        sum
    }
}
