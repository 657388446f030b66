//! The least losses of trees of all sizes.

use num_bigint::BigInt;

/// A number of leaves, and the least loss of trees with that number.
pub(crate) type Step = (usize, i128);

/// Which numbers of leaves are of interest.
#[derive(Clone, Copy)]
pub(crate) enum Sizes {
    /// Those that are the best for some price of a leaf.
    Corners,
    /// All up to a number of leaves.
    UpTo(usize),
}

impl Sizes {
    /// What trees have that consist of one of each list, as far as it is of interest.
    pub(crate) fn sums(self, low: &[Step], high: &[Step]) -> Vec<Step> {
        match self {
            Self::Corners => sum_of_corners(low, high),
            Self::UpTo(most) => {
                let sum = |a: &Step, b: &Step| (a.0 + b.0, a.1 + b.1);
                let sums = low.iter().flat_map(|a| high.iter().map(move |b| sum(a, b)));
                sums.filter(|(leaves, _)| *leaves <= most).collect()
            }
        }
    }

    /// Only what is of interest, from the fewest leaves to the most.
    pub(crate) fn of_use(self, steps: Vec<Step>) -> Vec<Step> {
        match self {
            Self::Corners => corners(falling(steps)),
            Self::UpTo(_) => falling(steps),
        }
    }
}

/// Only the steps that are better than all with fewer leaves.
fn falling(mut steps: Vec<Step>) -> Vec<Step> {
    steps.sort_unstable();
    let mut least = i128::MAX;
    steps.retain(|&(_, loss)| {
        let is_better = loss < least;
        least = least.min(loss);
        is_better
    });
    steps
}

/// Only those that are the best for some price: their line falls steeper before than after.
fn corners(steps: Vec<Step>) -> Vec<Step> {
    let mut hull: Vec<Step> = Vec::new();
    for step in steps {
        while let [.., before, last] = hull[..]
            && !is_steeper((before, last), (last, step))
        {
            hull.pop();
        }
        hull.push(step);
    }
    hull
}

/// Is the loss of a leaf more falls on the first way larger than on the second?
fn is_steeper(first: (Step, Step), second: (Step, Step)) -> bool {
    let fall = |(from, to): (Step, Step)| (from.1 - to.1, (to.0 - from.0) as i128);
    let ((a, per_a), (b, per_b)) = (fall(first), fall(second));
    match (a.checked_mul(per_b), b.checked_mul(per_a)) {
        (Some(left), Some(right)) => left > right,
        _ => BigInt::from(a) * per_b > BigInt::from(b) * per_a,
    }
}

/// The corners of all sums: from corner to corner on the side where a leaf gains more.
fn sum_of_corners(low: &[Step], high: &[Step]) -> Vec<Step> {
    let (mut a, mut b) = (0, 0);
    let mut sums = Vec::new();
    loop {
        sums.push((low[a].0 + high[b].0, low[a].1 + high[b].1));
        let of_low = low.get(a + 1).map(|&next| (low[a], next));
        let of_high = high.get(b + 1).map(|&next| (high[b], next));
        match (of_low, of_high) {
            (None, None) => return sums,
            (Some(of_low), Some(of_high)) if is_steeper(of_high, of_low) => b += 1,
            (Some(_), _) => a += 1,
            (None, Some(_)) => b += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_of_large_losses_are_compared_without_wrapping() {
        let large = 1_i128 << 117;
        // Two leaves save almost all, a thousand more next to nothing.
        let steps = vec![(1, large), (2, 10), (1002, 0)];
        assert_eq!(corners(steps.clone()), steps);
        let middle = vec![(1, large), (1002, large - 1), (1003, 0)];
        assert_eq!(corners(middle), [(1, large), (1003, 0)]);
    }
}
