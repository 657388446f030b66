//! Which of many trees are best for some weight of the penalty.
//!
//! A tree is the point (penalty, cost). The trees that are best for some weight are the vertices of the
//! lower left hull of the points, found in one pass from the fewest leaves to the most: a new point
//! throws out those before it that are not strictly below the line to it.

use std::cmp::Ordering;

use num_bigint::BigInt;

use super::exact::sign::{quick, sign};
use super::{Penalty, SolutionValue};

/// The trees that are best for some weight and have the fewest leaves of all that are: the strict
/// vertices of the lower left hull of (penalty, cost), as positions in `trees`. Exact.
///
/// `trees` have strictly rising numbers of leaves. The first is always a vertex (best for large
/// weights), the last vertex is the first tree of least cost (best for weight 0).
pub fn lower_hull(trees: &[SolutionValue], penalty: &Penalty) -> Vec<usize> {
    hull(trees, penalty, Ordering::is_gt)
}

/// The same, together with the trees that are as good as two neighbours at one weight and better
/// nowhere: those on the edges of the hull.
pub fn lower_hull_with_ties(trees: &[SolutionValue], penalty: &Penalty) -> Vec<usize> {
    hull(trees, penalty, Ordering::is_ge)
}

/// The chain of trees whose turn, compared with that of a straight line, is as wanted.
fn hull(trees: &[SolutionValue], penalty: &Penalty, is_wanted: fn(Ordering) -> bool) -> Vec<usize> {
    let is_linear = penalty.is_linear();
    let mut hull: Vec<usize> = Vec::new();
    for (place, tree) in trees.iter().enumerate() {
        if hull
            .last()
            .is_some_and(|&last| trees[last].cost <= tree.cost)
        {
            continue;
        }
        while let [.., before, last] = hull[..] {
            let three = [trees[before], trees[last], *tree];
            let turn = is_linear
                .then(|| turn_by_leaves(three))
                .flatten()
                .unwrap_or_else(|| turn(three, penalty));
            if is_wanted(turn) {
                break;
            }
            hull.pop();
        }
        hull.push(place);
    }
    hull
}

/// How much cheaper the second of two trees is.
fn fall(from: SolutionValue, to: SolutionValue) -> i128 {
    i128::from(from.cost) - i128::from(to.cost)
}

/// [`turn`] for the linear penalty, unless a product gets too long.
fn turn_by_leaves([left, middle, right]: [SolutionValue; 3]) -> Option<Ordering> {
    let run = |from: SolutionValue, to: SolutionValue| to.leaves as i128 - from.leaves as i128;
    let steep = fall(left, middle).checked_mul(run(middle, right))?;
    let flat = fall(middle, right).checked_mul(run(left, middle))?;
    Some(steep.cmp(&flat))
}

/// Does the middle one of three trees lie below the line through the others (`Greater`), on it or above?
/// Leaves must rise and costs fall.
fn turn([left, middle, right]: [SolutionValue; 3], penalty: &Penalty) -> Ordering {
    // fall(left, middle) * (P(right) - P(middle)) > fall(middle, right) * (P(middle) - P(left))
    let coefficients = [
        (fall(middle, right), left.leaves),
        (-fall(left, right), middle.leaves),
        (fall(left, middle), right.leaves),
    ];
    let rounded = coefficients.map(|(factor, leaves)| (factor as f64, penalty.at(leaves)));
    quick(0.0, rounded).unwrap_or_else(|| {
        let terms = coefficients.map(|(factor, leaves)| (BigInt::from(factor), leaves));
        sign(penalty, &BigInt::ZERO, &terms)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Strict vertices by definition: no earlier tree is as cheap, and no line between an earlier and
    /// a later, cheaper tree passes at or below.
    fn brute_force(trees: &[SolutionValue], penalty: &Penalty) -> Vec<usize> {
        let is_vertex = |&place: &usize| {
            let (before, after) = (&trees[..place], &trees[place + 1..]);
            let tree = trees[place];
            before.iter().all(|left| {
                let mut cheaper = after.iter().filter(|right| right.cost < tree.cost);
                left.cost > tree.cost
                    && cheaper.all(|right| turn([*left, tree, *right], penalty).is_gt())
            })
        };
        (0..trees.len()).filter(is_vertex).collect()
    }

    fn random_trees(random: &mut fastrand::Rng) -> Vec<SolutionValue> {
        let largest = [10, 100, 1 << 61][random.usize(..3)];
        let mut leaves = 0;
        let mut trees: Vec<SolutionValue> = (0..random.usize(1..12))
            .map(|_| {
                leaves += random.usize(1..4);
                let cost = random.i64(-largest..=largest);
                SolutionValue { cost, leaves }
            })
            .collect();
        if random.bool() {
            // Mostly falling costs make longer hulls.
            let mut costs: Vec<i64> = trees.iter().map(|tree| tree.cost).collect();
            costs.sort_unstable_by(|a, b| b.cmp(a));
            for (tree, cost) in trees.iter_mut().zip(costs) {
                tree.cost = cost;
            }
        }
        trees
    }

    #[test]
    fn the_hull_is_that_of_brute_force() {
        let tenths: Vec<String> = (1..50).map(|k| format!("0.{k:02}")).collect();
        let tenths: Vec<&str> = tenths.iter().map(String::as_str).collect();
        let mut penalties = vec![Penalty::table(&tenths).unwrap()];
        for text in ["linear", "power:1", "sqrt", "log", "power:2", "power:1.5"] {
            penalties.push(text.parse().unwrap());
        }
        let mut random = fastrand::Rng::with_seed(4);
        let mut n_vertices = 0;
        for _ in 0..400 {
            let trees = random_trees(&mut random);
            for penalty in &penalties {
                let hull = lower_hull(&trees, penalty);
                assert_eq!(hull, brute_force(&trees, penalty), "{penalty} {trees:?}");
                n_vertices += hull.len();
            }
        }
        assert!(n_vertices > 400 * 7 * 2);
    }

    #[test]
    fn points_on_a_line_are_no_vertices() {
        for (text, leaves) in [
            ("linear", [1, 5, 9]),
            ("power:1", [1, 5, 9]),
            ("sqrt", [3, 12, 27]),
            ("log", [3, 6, 12]),
            ("power:1/3", [1, 8, 27]),
        ] {
            let penalty: Penalty = text.parse().unwrap();
            let costs = |middle| {
                [1 << 61, middle, -(1 << 61)]
                    .iter()
                    .zip(leaves)
                    .map(|(&cost, leaves)| SolutionValue { cost, leaves })
                    .collect::<Vec<_>>()
            };
            assert_eq!(lower_hull(&costs(1), &penalty), [0, 2], "{text}");
            assert_eq!(lower_hull(&costs(0), &penalty), [0, 2], "{text}");
            assert_eq!(lower_hull(&costs(-1), &penalty), [0, 1, 2], "{text}");
        }
    }

    #[test]
    fn extreme_trees_do_no_harm() {
        assert!(lower_hull(&[], &Penalty::Linear).is_empty());
        let extreme = [(i64::MAX, 1), (0, 2), (i64::MIN, usize::MAX)]
            .map(|(cost, leaves)| SolutionValue { cost, leaves });
        assert_eq!(lower_hull(&extreme, &Penalty::Linear), [0, 1, 2]);
        assert_eq!(lower_hull(&extreme, &Penalty::Log), [0, 1, 2]);
    }
}
