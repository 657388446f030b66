//! Best errors as functions of alpha: lower convex hulls of points (leaves, error).
//!
//! The least `error + alpha * leaves` of some set of trees is a minimum of straight lines in the alpha,
//! so it is known from the strict vertices of the lower left hull of the points (leaves, error). Leaves
//! rise and errors fall from vertex to vertex, and the saving per leaf shrinks. Two operations are
//! enough for a search:
//!
//! - a split costs the sum of its sides: the *Minkowski sum* of their hulls, edges merged by slope;
//! - a choice costs the lesser: the hull of the union.
//!
//! Where only alphas above some least alpha matter, vertices that are best below it are cut off.

use std::cmp::Ordering;

use super::alpha::LeastAlpha;
use super::vertex::{Vertex, vertex};

/// Compares the savings per leaf of two edges, each from its first to its second vertex.
fn compare_slopes(a: (Vertex, Vertex), b: (Vertex, Vertex)) -> Ordering {
    let saving = |edge: (Vertex, Vertex)| u128::from(edge.0.error - edge.1.error);
    let leaves = |edge: (Vertex, Vertex)| u128::from(edge.1.leaves - edge.0.leaves);
    (saving(a) * leaves(b)).cmp(&(saving(b) * leaves(a)))
}

/// The hull of all sums of a vertex of `a` and one of `b`, with `extra` more leaves.
pub(crate) fn sum(a: &[Vertex], b: &[Vertex], extra: u32, out: &mut Vec<Vertex>) {
    out.clear();
    let (mut i, mut j) = (0, 0);
    loop {
        out.push(vertex(
            a[i].leaves + b[j].leaves + extra,
            a[i].error + b[j].error,
        ));
        // The steepest edge that is left comes next; equal ones become one edge.
        let order = match (i + 1 < a.len(), j + 1 < b.len()) {
            (false, false) => return,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (true, true) => compare_slopes((a[i], a[i + 1]), (b[j], b[j + 1])),
        };
        i += usize::from(order.is_ge());
        j += usize::from(order.is_le());
    }
}

/// The hull of both, without what is not worth its leaves at `least`.
pub(crate) fn union(a: &[Vertex], b: &[Vertex], least: LeastAlpha, out: &mut Vec<Vertex>) {
    out.clear();
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let from_a = match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) => (x.leaves, x.error) <= (y.leaves, y.error),
            (x, _) => x.is_some(),
        };
        let next = if from_a { a[i] } else { b[j] };
        i += usize::from(from_a);
        j += usize::from(!from_a);
        push(out, next);
    }
    cut(out, least);
}

/// Adds a vertex that has at least as many leaves as all before it.
fn push(hull: &mut Vec<Vertex>, next: Vertex) {
    if hull.last().is_some_and(|last| last.error <= next.error) {
        return;
    }
    while let Some(&last) = hull.last() {
        // Of two with the same leaves the better one comes first.
        let is_above = last.leaves == next.leaves
            || hull.len() > 1 && compare_slopes((hull[hull.len() - 2], last), (last, next)).is_le();
        if !is_above {
            break;
        }
        hull.pop();
    }
    hull.push(next);
}

/// Cuts off the vertices whose last edge is not worth its leaves at `least`.
fn cut(hull: &mut Vec<Vertex>, least: LeastAlpha) {
    while let [.., before, last] = hull[..]
        && !least.is_worth(before.error - last.error, last.leaves - before.leaves)
    {
        hull.pop();
    }
}

/// Does no vertex of `candidate` lie below `hull`, which goes on to the right with the slope of
/// `least`? Then the candidate adds nothing.
pub(crate) fn is_dominated(candidate: &[Vertex], hull: &[Vertex], least: LeastAlpha) -> bool {
    let mut at = 0;
    candidate.iter().all(|&point| {
        while at + 1 < hull.len() && hull[at + 1].leaves <= point.leaves {
            at += 1;
        }
        is_above(point, hull, at, least)
    })
}

/// Is a point on or above the hull? `at` is the last vertex with at most its leaves.
fn is_above(point: Vertex, hull: &[Vertex], at: usize, least: LeastAlpha) -> bool {
    let before = hull[at];
    if point.leaves < before.leaves {
        return false;
    }
    if point.error >= before.error {
        return true;
    }
    let saving = before.error - point.error;
    let leaves = point.leaves - before.leaves;
    match hull.get(at + 1) {
        // On or above the edge: it saves no more per leaf than the edge does.
        Some(&next) => {
            let of_edge = u128::from(before.error - next.error) * u128::from(leaves);
            u128::from(saving) * u128::from(next.leaves - before.leaves) <= of_edge
        }
        None => !least.is_worth(saving, leaves),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Alpha;
    use super::*;

    /// All strict vertices of the lower left hull of some points, the slow way.
    fn slow(points: &[Vertex], least: LeastAlpha) -> Vec<Vertex> {
        let mut best: Vec<Vertex> = Vec::new();
        for &p in points {
            // Strictly better than all others for some alpha: try alphas between all pairs' slopes.
            let lowest = least.alpha();
            let mut alphas: Vec<(u64, u64)> = vec![(lowest.numerator, lowest.denominator)];
            for a in points {
                for b in points {
                    if a.leaves < b.leaves && a.error > b.error {
                        alphas.push(((a.error - b.error), u64::from(b.leaves - a.leaves)));
                    }
                }
            }
            let value = |c: Vertex, (n, d): (u64, u64)| {
                i128::from(c.error) * i128::from(d) + i128::from(c.leaves) * i128::from(n)
            };
            // A hair above each alpha, and far above all: compare there by (value, leaves).
            let wins = |alpha: (u64, u64)| {
                let above = lowest.numerator * alpha.1 <= alpha.0 * lowest.denominator;
                above
                    && points.iter().all(|&other| {
                        other == p
                            || (value(p, alpha), p.leaves) < (value(other, alpha), other.leaves)
                    })
            };
            // The largest of those that are best at the lowest alpha itself.
            let wins_a_tie = || {
                let alpha = (lowest.numerator, lowest.denominator);
                let rank = |c: Vertex| (value(c, alpha), std::cmp::Reverse(c.leaves));
                points.iter().all(|&other| rank(p) <= rank(other))
            };
            let is_best = alphas.into_iter().any(wins) || least.with_ties && wins_a_tie();
            if is_best && !best.contains(&p) {
                best.push(p);
            }
        }
        best.sort_by_key(|c| c.leaves);
        best
    }

    #[test]
    fn sums_and_unions_are_those_of_all_pairs() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..3000 {
            let alpha = Alpha {
                numerator: random.u64(0..6),
                denominator: random.u64(1..4),
            };
            let least = if random.bool() {
                LeastAlpha::with_ties(alpha)
            } else {
                LeastAlpha::above(alpha)
            };
            let zero = LeastAlpha::above(Alpha::ZERO);
            let mut points = || -> Vec<Vertex> {
                (0..random.usize(1..6))
                    .map(|_| vertex(random.u32(1..9), random.u64(0..20)))
                    .collect()
            };
            let (a, b) = (points(), points());
            let hull_of = |points: &[Vertex], least| {
                let mut hull = Vec::new();
                for p in points {
                    let before = hull.clone();
                    union(&before, &[*p], least, &mut hull);
                }
                hull
            };
            assert_eq!(hull_of(&a, least), slow(&a, least), "{a:?} {least:?}");
            let (x, y) = (hull_of(&a, zero), hull_of(&b, zero));
            let mut found = Vec::new();
            sum(&x, &y, 2, &mut found);
            let pairs: Vec<Vertex> = a
                .iter()
                .flat_map(|p| {
                    b.iter()
                        .map(|q| vertex(p.leaves + q.leaves + 2, p.error + q.error))
                })
                .collect();
            assert_eq!(found, slow(&pairs, zero), "{x:?} {y:?}");

            let (x, y) = (hull_of(&a, least), hull_of(&b, least));
            let mut both = Vec::new();
            union(&x, &y, least, &mut both);
            assert_eq!(
                is_dominated(&y, &x, least),
                both == x,
                "{x:?} {y:?} {least:?}"
            );
        }
    }
}
