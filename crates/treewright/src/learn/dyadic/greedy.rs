//! A tree to fall back on: the best halving at every node, then the best pruning.
//!
//! From the root down the halving with the least error of both sides is taken, until no error is left.
//! Then, from the leaves up, a node becomes a leaf where that is at least as good for the price. It is what
//! a search that was stopped must not be worse than.

use super::collapsed::{Collapsed, Part, by_promise};
use super::engine::{Plan, halve, zoomed};
use super::hull::{Corner, Price, corner};

impl<const W: usize, const L: usize> Collapsed<W, L> {
    /// The greedy tree below some points, pruned for a price. Where halvings are paid
    /// for, `levels` says how often each coordinate of the box has been halved already.
    pub(super) fn greedy(
        &self,
        part: &Part<L>,
        members: &[u32],
        levels: Option<&[u8]>,
        price: Price,
    ) -> (Corner, Plan) {
        let as_leaf = corner(1, self.error(part));
        let mut halvings = Vec::new();
        if as_leaf.error > 0 {
            self.halvings(part, members, &mut halvings);
        }
        let Some(best) = halvings.iter().copied().min_by_key(by_promise) else {
            return (as_leaf, Plan::Leaf);
        };
        let (level, prefix) = self.place(&best, members[0]);
        let coordinate = best.coordinate as usize;
        let empty = levels.map_or(0, |levels| level - u32::from(levels[coordinate]));
        let inside = levels.map(|levels| {
            let mut inside = levels.to_vec();
            inside[coordinate] = level as u8 + 1;
            inside
        });
        let sides = [0, 1].map(|side| {
            let members = self.side(&best, side == 1, members);
            self.greedy(best.side(side), &members, inside.as_deref(), price)
        });
        let (leaves, error) = sides.iter().fold((empty, 0), |(leaves, error), (side, _)| {
            (leaves + side.leaves, error + side.error)
        });
        if error >= as_leaf.error || !price.is_worth(as_leaf.error - error, leaves - 1) {
            return (as_leaf, Plan::Leaf);
        }
        let plans = sides.map(|(_, plan)| plan);
        let plan = halve(&best, level, prefix, plans);
        let plan = zoomed(&best, plan, empty, level, prefix);
        (corner(leaves, error), plan)
    }
}
