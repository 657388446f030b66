//! The halvings that separate some points, and their order.
//!
//! For each coordinate that is the first halving that separates them. One pass over the points adds up the right sides
//! of all halvings at once.

use std::fmt::Debug;

use super::Collapsed;
use super::loss_sums::LossSums;
use super::point_set::PointSet;
use super::stack::SearchStack;

/// A split of a set: which bit, and its two sides.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Halving<S: LossSums> {
    pub(crate) coordinate: u32,
    pub(super) word: u32,
    pub(crate) bit: u32,
    pub(crate) left: PointSet<S>,
    pub(crate) right: PointSet<S>,
    pub(crate) left_error: u64,
    pub(crate) right_error: u64,
}

impl<S: LossSums> Halving<S> {
    /// The left (0) or the right (1) side.
    pub(crate) fn side(&self, side: usize) -> &PointSet<S> {
        if side == 0 { &self.left } else { &self.right }
    }
}

/// Sorts splits: least error first, then by coordinate.
pub(crate) fn by_promise<S: LossSums>(halving: &Halving<S>) -> (u64, u32) {
    (halving.left_error + halving.right_error, halving.coordinate)
}

/// Of splits that part the points alike only the first stays.
fn drop_equal<S: LossSums>(halvings: &mut Vec<Halving<S>>) {
    let mut kept = 0;
    for place in 0..halvings.len() {
        let next = halvings[place];
        let is_same = |other: &Halving<S>| {
            other.right.key == next.right.key || other.right.key == next.left.key
        };
        if !halvings[..kept].iter().any(is_same) {
            halvings[kept] = next;
            kept += 1;
        }
    }
    halvings.truncate(kept);
}

impl<S: LossSums, const W: usize> Collapsed<S, W> {
    /// Puts the points of one side on top.
    pub(crate) fn push_side(
        &self,
        halving: &Halving<S>,
        is_right: bool,
        start: usize,
        end: usize,
        way: &mut SearchStack<S>,
    ) {
        let wanted = u64::from(is_right);
        let (word, bit) = (halving.word as usize, halving.bit);
        for place in start..end {
            let member = way.members[place];
            if self.points[member as usize].code[word] >> bit & 1 == wanted {
                way.members.push(member);
            }
        }
    }

    /// Those of some points that are on one side.
    pub(crate) fn side(&self, halving: &Halving<S>, is_right: bool, members: &[u32]) -> Vec<u32> {
        let (word, bit) = (halving.word as usize, halving.bit);
        let is_in = |member: &&u32| {
            self.points[**member as usize].code[word] >> bit & 1 == u64::from(is_right)
        };
        members.iter().filter(is_in).copied().collect()
    }

    /// The splits of some points, the most promising first; of those that part the points alike only the
    /// one of the first coordinate.
    pub(crate) fn splits(&self, part: &PointSet<S>, members: &[u32], out: &mut Vec<Halving<S>>) {
        self.halvings(part, members, out);
        out.sort_unstable_by_key(by_promise);
        if self.limits.switches.equal_splits {
            drop_equal(out);
        }
    }

    /// For each coordinate the first halving that separates some points.
    pub(crate) fn halvings(&self, part: &PointSet<S>, members: &[u32], out: &mut Vec<Halving<S>>) {
        out.clear();
        let differing = self.differing(members);
        for (coordinate, field) in self.fields.iter().enumerate() {
            if let Some(bit) = field.first_bit(differing[field.word as usize]) {
                out.push(Halving {
                    coordinate: coordinate as u32,
                    word: field.word,
                    bit,
                    left: *part,
                    right: PointSet {
                        key: 0,
                        losses: S::ZERO,
                        n_points: 0,
                    },
                    left_error: 0,
                    right_error: 0,
                });
            }
        }
        for &member in members {
            let point = &self.points[member as usize];
            for halving in out.iter_mut() {
                // All ones for a point on the right, without a branch.
                let bit = point.code[halving.word as usize] >> halving.bit & 1;
                let is_right = bit.wrapping_neg();
                let side = &mut halving.right;
                let wide = u128::from(is_right) << 64 | u128::from(is_right);
                side.key = side.key.wrapping_add(point.key & wide);
                side.n_points += bit as u32;
                side.losses.add_masked(&point.losses, is_right);
            }
        }
        for halving in out {
            let (whole, right) = (halving.left, halving.right);
            halving.left = PointSet {
                key: whole.key.wrapping_sub(right.key),
                losses: whole.losses.minus(&right.losses),
                n_points: whole.n_points - right.n_points,
            };
            halving.left_error = self.error(&halving.left);
            halving.right_error = self.error(&halving.right);
        }
    }

    /// The bits in which some points differ.
    pub(crate) fn differing(&self, members: &[u32]) -> [u64; W] {
        let first = self.points[members[0] as usize].code;
        let mut differing = [0; W];
        for &member in members {
            let code = &self.points[member as usize].code;
            for (word, bits) in differing.iter_mut().enumerate() {
                *bits |= code[word] ^ first[word];
            }
        }
        differing
    }
}

impl<S: LossSums, const W: usize> Collapsed<S, W> {
    /// How often a split's coordinate was halved before, and the bits that all points have there; `member`
    /// is any of them.
    pub(crate) fn place(&self, halving: &Halving<S>, member: u32) -> (u32, u32) {
        let field = self.fields[halving.coordinate as usize];
        let point = &self.points[member as usize];
        let bits = (point.code[field.word as usize] & field.mask()) >> field.shift;
        let below = halving.bit - field.shift + 1;
        (field.level(halving.bit), (bits >> below) as u32)
    }
}
