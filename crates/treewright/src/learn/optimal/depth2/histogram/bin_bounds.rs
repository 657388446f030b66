//! Which pieces of a child can hold the cut of a better tree.

use super::bins::Piece;
use super::{Child, Level, SIDES, n_intervals};
use crate::learn::optimal::depth2::simd::Lane;
use crate::learn::optimal::problem::Setting;

/// What is wanted of a child.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Goal {
    /// The sides for which it can be asked.
    pub(in crate::learn::optimal) live: [bool; 2],
    /// What the other side costs at least.
    pub(in crate::learn::optimal) others: [u64; 2],
    /// The lanes in which the sides are smallest.
    pub(in crate::learn::optimal) lanes: [usize; 2],
    /// Together they have to cost less than this.
    pub(in crate::learn::optimal) best: u64,
}

impl<T: Lane> Level<T> {
    /// For each piece of a numeric child: no tree costs less in which an interval ends inside of it, or where
    /// it ends.
    pub(crate) fn piece_bounds(
        &self,
        setting: Setting<'_>,
        child: &Child<T>,
        goal: Goal,
    ) -> Vec<u64> {
        let n_pieces = child.pieces.len();
        let n_intervals = n_intervals(setting.rule, &child.pieces);
        if n_intervals > MOST_EXPLORED {
            let is_cut = |piece: &Piece| piece.is_open || piece.is_cut_after;
            let bound = |piece| if is_cut(piece) { 0 } else { u64::MAX };
            return child.pieces.iter().map(bound).collect();
        }
        let n_classes = setting.table.n_classes;
        let view = self.view(&child.table);
        let mut bounds = vec![u64::MAX; n_pieces];
        for (at, side) in SIDES
            .into_iter()
            .enumerate()
            .filter(|&(at, _)| goal.live[at])
        {
            let lane = goal.lanes[at];
            let here = |piece: usize, class: usize| view.at(piece, class, lane, side);
            let sums = self.view(&self.sums);
            let mut weight: i64 = (0..n_classes)
                .map(|class| sums.at(0, class, lane, side))
                .sum();
            let mut more = 0;
            if child.table.len() > n_pieces * self.n_slots * self.stride {
                weight -= (0..n_classes)
                    .map(|class| here(n_pieces, class))
                    .max()
                    .unwrap_or(0);
                more = u64::from((0..self.n_slots).any(|slot| here(n_pieces, slot) > 0));
            }
            let before = frontiers(
                0..n_pieces,
                &child.pieces,
                n_classes,
                n_intervals - 1,
                here,
                false,
            );
            let after = frontiers(
                (0..n_pieces).rev(),
                &child.pieces,
                n_classes,
                n_intervals - 1,
                here,
                true,
            );
            for (piece, bound) in bounds.iter_mut().enumerate() {
                let Piece {
                    is_open,
                    is_cut_after,
                    ..
                } = child.pieces[piece];
                let next = n_pieces - 1 - piece;
                for left in 0..n_intervals - 1 {
                    for right in 0..n_intervals - 1 - left {
                        let mut gain = i64::MIN;
                        if is_open {
                            let both = before[piece + 1][left] + after[next + 1][right];
                            gain = both;
                            if left + right == 0 {
                                let mut two = [0; 2];
                                for class in 0..n_classes {
                                    let here = here(piece, class);
                                    two = [two[0].max(here), two[1].max(two[0].min(here))];
                                }
                                let outside = before[piece][left] + after[next][right];
                                gain = gain.min(outside + two[0] + two[1]);
                            }
                        }
                        if is_cut_after && piece + 1 < n_pieces {
                            gain = gain.max(before[piece + 1][left] + after[next][right]);
                        }
                        if gain == i64::MIN {
                            continue;
                        }
                        let leaves = (left + right + 2) as u64 + more;
                        let value = setting.price.loss((weight - gain).max(0) as u64)
                            + leaves * setting.price.per_leaf;
                        *bound = (*bound).min(value.saturating_add(goal.others[at]));
                    }
                }
            }
        }
        bounds
    }
}

/// With more intervals than this, all pieces are looked into.
const MOST_EXPLORED: usize = 12;

/// What intervals gain at most, before each piece and after the last one: a number for each count of them.
fn frontiers(
    order: impl Iterator<Item = usize>,
    pieces: &[Piece],
    n_classes: usize,
    n_intervals: usize,
    here: impl Fn(usize, usize) -> i64,
    is_turned: bool,
) -> Vec<Vec<i64>> {
    let mut sums = vec![vec![0; n_classes]; n_intervals];
    let largest = |sums: &[i64]| sums.iter().copied().max().unwrap_or(0);
    let mut all = vec![vec![0; n_intervals]];
    let mut last: Option<usize> = None;
    for piece in order {
        let between = if is_turned { Some(piece) } else { last };
        let is_cut_before = last.is_some() && between.is_some_and(|at| pieces[at].is_cut_after);
        for k in (1..n_intervals).rev() {
            if is_cut_before {
                let gain = largest(&sums[k - 1]);
                sums[k].iter_mut().for_each(|sum| *sum = gain.max(*sum));
            }
        }
        for k in 0..n_intervals {
            if k > 0 && pieces[piece].is_open {
                for class in 0..n_classes {
                    let others = (0..n_classes).filter(|&other| other != class);
                    let other = others.map(|other| sums[k - 1][other]).max().unwrap_or(0);
                    sums[k][class] = sums[k][class].max(other);
                }
            }
            for (class, sum) in sums[k].iter_mut().enumerate() {
                *sum += here(piece, class);
            }
        }
        all.push(sums.iter().map(|sums| largest(sums)).collect());
        last = Some(piece);
    }
    all
}
