//! All best trees by a search over alphas, one solve for each.
//!
//! The best tree changes only at alphas that are ratios `a / b`, of a difference of errors and a difference
//! of leaves. D. Hush and R. Porter, "Algorithms for optimal dyadic decision trees" (2010), go through
//! them from the largest down. With `e` the error of one leaf and `l` the leaves of a greedy tree
//! without error there are three ways:
//!
//! - the *grid*: all ratios with `a <= e` and `b < l`;
//! - the *adaptive* search: after each solve only those that can lead on from the tree just found;
//! - the *heuristic*: the largest ratio at which a rectangle would have been split, had it been the alpha.
//!   It takes far fewer solves, but may pass over some best trees.
//!
//! What differs: alphas are exact ratios, and grid and adaptive search are counted by Moebius' formula
//! rather than listed. The ratio of a refused split, with a subtree `T` of `|T|` leaves, has `|T| - 1` where
//! the paper has `|T|`: a leaf remains in the place of `T` (see `docs/algorithms/dyadic.md`).

use crate::learn::dyadic::deadline::SearchLimits;
use crate::learn::dyadic::engines::{Rectangles, Visited, engine};
use crate::learn::dyadic::frontier::{Alpha, Frontier, LeastAlpha, Vertex, vertex};
use crate::learn::dyadic::parameters::Model;
use crate::learn::dyadic::plan::HalvingPlan;
use crate::learn::dyadic::problem::Points;
use crate::tree::Work;

/// What a search over alphas found.
#[derive(Debug)]
pub(crate) struct LambdaSearch {
    /// Different trees, from one leaf on.
    pub(crate) solutions: Vec<(Vertex, HalvingPlan)>,
    pub(crate) n_solves: u64,
    /// Rectangles of all solves together.
    pub(super) visited: Visited,
}

impl LambdaSearch {
    /// What it took.
    pub(crate) fn work(&self) -> Work {
        Work {
            solves: self.n_solves,
            rectangles: self.visited.occupied,
            rectangles_empty: self.visited.empty,
            ..Work::default()
        }
    }
}

/// Leaves of the greedy tree without error; `None` if the points are too wide.
pub(crate) fn upper_leaves(points: &Points, model: Model, limits: SearchLimits) -> Option<u32> {
    let all = Frontier::Hull(LeastAlpha::above(Alpha::ZERO));
    let engine = engine(points, model, all, limits)?;
    // The first of the two greedy trees, grown by errors; its last pruning has none.
    let greedy = engine.greedy();
    let last = greedy
        .windows(2)
        .find(|two| two[0].0.leaves > two[1].0.leaves);
    let last = last.map_or(greedy.last(), |two| Some(&two[0]));
    last.map(|(tree, _)| tree.leaves)
}

/// The number of alphas of the grid: different ratios `a / b` with `a <= most_error` and
/// `b < most_leaves`.
pub(crate) fn grid_count(most_error: u64, most_leaves: u64) -> u64 {
    let most = most_leaves.saturating_sub(1);
    let signs = moebius(most_error.min(most));
    let pairs = signs.iter().zip(1..).map(|(&sign, common)| {
        i128::from(sign) * i128::from(most_error / common * (most / common))
    });
    pairs.sum::<i128>() as u64
}

/// The number of alphas of the adaptive search, given the best trees from one leaf on.
pub(crate) fn adaptive_count(path: &[Vertex], upper_leaves: u32) -> u64 {
    let signs = moebius(u64::from(upper_leaves));
    let mut below = None;
    let mut count = 0;
    for edge in path.windows(2) {
        let from = Alpha {
            numerator: edge[0].error - edge[1].error,
            denominator: u64::from(edge[1].leaves - edge[0].leaves),
        };
        let most = u64::from(upper_leaves.saturating_sub(edge[0].leaves));
        let error = edge[0].error;
        // Pairs with a common factor are pairs of smaller numbers with the same ratio.
        let with_common = |common| pairs_between(error / common, most / common, from, below);
        count += signs
            .iter()
            .zip(1..=most)
            .filter(|&(&sign, _)| sign != 0)
            .map(|(&sign, common)| i64::from(sign) * with_common(common) as i64)
            .sum::<i64>();
        below = Some(from);
    }
    count as u64
}

/// How many pairs `a <= error`, `b <= leaves` have a ratio from `from` to less than `below`?
fn pairs_between(error: u64, leaves: u64, from: Alpha, below: Option<Alpha>) -> u64 {
    let of_leaves = |b: u64| {
        let first = (b * from.numerator).div_ceil(from.denominator);
        let last = below.map_or(error, |below| largest_below(b, below).min(error));
        (last + 1).saturating_sub(first)
    };
    (1..=leaves).map(of_leaves).sum()
}

/// The largest `a` with `a / b` below an alpha that is not zero.
fn largest_below(b: u64, alpha: Alpha) -> u64 {
    let product = u128::from(b) * u128::from(alpha.numerator);
    (product.div_ceil(u128::from(alpha.denominator)) - 1) as u64
}

/// Moebius' function of 1, 2, ...
fn moebius(most: u64) -> Vec<i8> {
    let mut signs = vec![1_i8; most as usize];
    let mut is_prime = vec![true; most as usize];
    for p in 2..=most as usize {
        if !is_prime[p - 1] {
            continue;
        }
        for multiple in (p..=most as usize).step_by(p) {
            is_prime[multiple - 1] = multiple == p;
            signs[multiple - 1] *= if multiple / p % p == 0 { 0 } else { -1 };
        }
    }
    signs
}

/// Goes through alphas from high to low, by guesses or one by one, until a tree has no error, or time or memory is
/// spent. With ties for the larger tree the former always happens if `upper_leaves` is not below the leaves of some
/// tree without error.
pub(crate) fn search(
    rectangles: &mut Rectangles<'_>,
    upper_leaves: u32,
    guesses: bool,
) -> LambdaSearch {
    let mut last = vertex(1, rectangles.error_of_leaf());
    let mut found = LambdaSearch {
        solutions: vec![(last, HalvingPlan::Leaf)],
        n_solves: 0,
        visited: Visited::default(),
    };
    let mut alpha = None;
    while let Some(next) = next_alpha(rectangles, last, upper_leaves, alpha, guesses) {
        let Ok(value) = rectangles.value(next) else {
            break;
        };
        let visited = rectangles.visited();
        found.n_solves += 1;
        found.visited.occupied += visited.occupied;
        found.visited.empty += visited.empty;
        if value != last {
            found.solutions.push((value, rectangles.plan()));
        }
        last = value;
        alpha = Some(next);
    }
    found
}

/// The next alpha below one that was solved; `None` if there is none.
fn next_alpha(
    rectangles: &Rectangles<'_>,
    last: Vertex,
    upper_leaves: u32,
    below: Option<Alpha>,
    guesses: bool,
) -> Option<Alpha> {
    if last.error == 0 {
        return None;
    }
    let guess = below
        .filter(|_| guesses)
        .and_then(|_| rectangles.refused().alpha());
    guess.or_else(|| next_ratio(last, upper_leaves, below))
}

/// The largest ratio `a / b` below an alpha with which the adaptive search can go on from a tree.
fn next_ratio(last: Vertex, upper_leaves: u32, below: Option<Alpha>) -> Option<Alpha> {
    let mut best: Option<Alpha> = None;
    for b in 1..=u64::from(upper_leaves.saturating_sub(last.leaves)) {
        let error = last.error;
        let ratio = Alpha {
            numerator: below.map_or(error, |below| largest_below(b, below).min(error)),
            denominator: b,
        };
        if ratio.numerator > 0 && best.is_none_or(|before| ratio.is_above(before)) {
            best = Some(ratio);
        }
    }
    best
}
