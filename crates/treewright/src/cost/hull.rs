//! Which of many trees are best for some weight of the penalty, and from which weight on.

use super::{Penalty, Scale, SolutionValue};

/// The trees that are best for some weight and have the fewest leaves of all that are: the strict
/// vertices of the lower left hull of (penalty, cost), as positions in `trees`.
///
/// `trees` have strictly rising numbers of leaves. The first is always a vertex (best for large
/// weights), the last vertex is the first tree of least cost (best for weight 0).
pub fn lower_hull(trees: &[SolutionValue], penalty: &Penalty) -> Vec<usize> {
    let mut hull: Vec<usize> = Vec::new();
    for (place, tree) in trees.iter().enumerate() {
        if hull
            .last()
            .is_some_and(|&last| trees[last].cost <= tree.cost)
        {
            continue;
        }
        while let [.., before, last] = hull[..]
            && !is_below(trees[before], trees[last], *tree, penalty)
        {
            hull.pop();
        }
        hull.push(place);
    }
    hull
}

/// Does the middle one of three trees lie strictly below the line through the others? Exact.
fn is_below(
    left: SolutionValue,
    middle: SolutionValue,
    right: SolutionValue,
    penalty: &Penalty,
) -> bool {
    let run = |a: SolutionValue, b: SolutionValue| penalty.at(b.leaves) - penalty.at(a.leaves);
    let fall = |a: SolutionValue, b: SolutionValue| (a.cost - b.cost) as f64;
    fall(left, middle) * run(middle, right) > fall(middle, right) * run(left, middle)
}

/// The least weight from which on `smaller` is at least as good as `larger`, which has more leaves and
/// less cost. Rounded up to a double whose shortest decimal form is not below the exact weight either,
/// so that the printed number, given back, still chooses `smaller`.
pub fn lambda_low(
    smaller: SolutionValue,
    larger: SolutionValue,
    penalty: &Penalty,
    scale: Scale,
) -> f64 {
    let fall = scale.cost(smaller.cost - larger.cost);
    fall / (penalty.at(larger.leaves) - penalty.at(smaller.leaves))
}
