//! Least errors for each number of leaves.
//!
//! A staircase has one step for each number of leaves that pays off: more leaves, less error. As for hulls, a split
//! is a sum and a choice is a union, but every pair of steps counts.

use super::vertex::{Vertex, vertex};

pub(super) fn sum_of_stairs(
    a: &[Vertex],
    b: &[Vertex],
    extra: u32,
    most_leaves: u32,
    out: &mut Vec<Vertex>,
) {
    out.clear();
    let fewest = a[0].leaves + b[0].leaves + extra;
    let most = a[a.len() - 1].leaves + b[b.len() - 1].leaves + extra;
    // One entry for every number of leaves; those that do not pay off are thrown out afterwards.
    out.extend((fewest..=most.min(most_leaves)).map(|leaves| vertex(leaves, u64::MAX)));
    for x in a {
        for y in b {
            let leaves = x.leaves + y.leaves + extra;
            if leaves > most_leaves {
                break;
            }
            let entry = &mut out[(leaves - fewest) as usize].error;
            *entry = (*entry).min(x.error + y.error);
        }
    }
    let mut least = u64::MAX;
    out.retain(|next| {
        let is_better = next.error < least;
        least = least.min(next.error);
        is_better
    });
}

pub(super) fn union_of_stairs(a: &[Vertex], b: &[Vertex], most_leaves: u32, out: &mut Vec<Vertex>) {
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
        let is_better = out
            .last()
            .is_none_or(|last: &Vertex| next.error < last.error);
        if is_better && next.leaves <= most_leaves {
            out.push(next);
        }
    }
}

/// Has each step of `candidate` one of `best` with no more leaves and no more error?
pub(super) fn is_above_stairs(candidate: &[Vertex], best: &[Vertex], most_leaves: u32) -> bool {
    let mut at = 0;
    candidate.iter().all(|step| {
        while at + 1 < best.len() && best[at + 1].leaves <= step.leaves {
            at += 1;
        }
        let is_above = best[at].leaves <= step.leaves && best[at].error <= step.error;
        is_above || step.leaves > most_leaves
    })
}

#[cfg(test)]
mod tests {
    use super::super::Frontier;
    use super::*;

    /// The least error for each number of leaves from 1 to `most`.
    fn curve(points: &[Vertex], most: u32) -> Vec<u64> {
        let at_most = |leaves| points.iter().filter(move |p| p.leaves <= leaves);
        (1..=most)
            .map(|leaves| at_most(leaves).map(|p| p.error).min().unwrap_or(u64::MAX))
            .collect()
    }

    #[test]
    fn stairs_are_least_errors_by_leaves() {
        let mut random = fastrand::Rng::with_seed(2);
        for _ in 0..3000 {
            let most = random.u32(1..12);
            let front = Frontier::Stairs(most);
            let mut stairs = || {
                let mut steps = vec![vertex(1, random.u64(0..20))];
                for _ in 0..random.usize(0..5) {
                    let (before, mut merged) = (steps.clone(), Vec::new());
                    let next = vertex(random.u32(1..9), random.u64(0..20));
                    union_of_stairs(&before, &[next], u32::MAX, &mut merged);
                    steps = merged;
                }
                steps
            };
            let (a, b) = (stairs(), stairs());
            let extra = random.u32(0..3);
            let mut sum = Vec::new();
            front.sum(&a, &b, extra, &mut sum);
            let pairs: Vec<Vertex> = a
                .iter()
                .flat_map(|x| {
                    b.iter()
                        .map(move |y| vertex(x.leaves + y.leaves + extra, x.error + y.error))
                })
                .collect();
            assert_eq!(curve(&sum, most), curve(&pairs, most), "{a:?} {b:?}");
            let mut both = Vec::new();
            front.union(&a, &b, &mut both);
            let all = [a.clone(), b.clone()].concat();
            assert_eq!(curve(&both, most), curve(&all, most));
            let adds_nothing = curve(&both, most) == curve(&a, most);
            assert_eq!(
                front.is_dominated(&b, &a),
                adds_nothing,
                "{a:?} {b:?} {most}"
            );
        }
    }
}
