//! What a split gains, whether it may be taken, and which of two is preferred.
//!
//! Where the specification promises exact comparison, so does [`Problem::beats`]; elsewhere two gains
//! that differ by rounding only are held for equal.

use std::collections::BTreeMap;

use treewright::learn::greedy::Criterion;
use treewright::tree::Split;

use super::{Candidate, Group, NodeRows, Problem};
use crate::reference::fraction::Fraction;

/// Two gains closer than this, relative to the impurity of the node, may be equal.
const TOLERANCE: f64 = 1e-9;

/// An answer that rounding may leave open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    No,
    Maybe,
    Yes,
}

impl Problem<'_> {
    pub(crate) fn impurity(&self, group: &Group) -> f64 {
        let shares = group.counts.iter().map(|count| count / group.weight);
        match self.criterion {
            Criterion::Gini | Criterion::BinnedGini => 1.0 - shares.map(|p| p * p).sum::<f64>(),
            Criterion::Entropy | Criterion::GainRatio => {
                shares.filter(|&p| p > 0.0).map(|p| -p * p.log2()).sum()
            }
            Criterion::Error => 1.0 - shares.fold(0.0, f64::max),
            Criterion::Mse => group.sse() / group.weight,
            Criterion::Mae => {
                let median = group.medians(0.0)[0];
                group.mean_of(|y| (y - median).abs())
            }
        }
    }

    /// May the split be taken at all?
    pub(crate) fn admissible(&self, node: &NodeRows, candidate: &Candidate) -> Verdict {
        self.is_large_enough(node, candidate)
            .min(self.reaches_min_gain(node, candidate))
            .min(self.gains(node, candidate))
    }

    /// Has each child enough rows and weight?
    pub(crate) fn is_large_enough(&self, node: &NodeRows, candidate: &Candidate) -> Verdict {
        let least = self.params.min_leaf_weight * self.data.total_weight();
        let is_heavy = |child: &Group| {
            if child.weight >= least {
                Verdict::Yes
            } else {
                Verdict::No
            }
        };
        let enough = |child: &Group| {
            let rows = at_least(child.rows, self.params.min_leaf, node.undivided);
            rows.min(is_heavy(child))
        };
        let children = candidate.children.iter();
        children.map(enough).min().expect("has children")
    }

    fn reaches_min_gain(&self, node: &NodeRows, candidate: &Candidate) -> Verdict {
        let least = self.params.min_gain;
        let apart = candidate.gain - least;
        if least <= 0.0 || apart > TOLERANCE * self.scale(node) {
            Verdict::Yes
        } else if apart < -TOLERANCE * self.scale(node) {
            Verdict::No
        } else {
            match self.exact_gain(node, candidate) {
                // A gain that is a float itself leaves nothing to rounding.
                Some(gain) if gain == Fraction::of_float(least) => Verdict::Yes,
                _ => Verdict::Maybe,
            }
        }
    }

    /// Is the gain above 0?
    fn gains(&self, node: &NodeRows, candidate: &Candidate) -> Verdict {
        let sure = |yes| if yes { Verdict::Yes } else { Verdict::No };
        let is_exact = self.is_exact(node);
        if self.params.zero_gain || (is_exact && candidate.gain > 1e-6) {
            return Verdict::Yes;
        }
        if is_exact {
            return match self.exact_gain(node, candidate) {
                Some(gain) => sure(gain > Fraction::ZERO),
                None => sure(!candidate.keeps_class_shares()),
            };
        }
        // The limit is 1e-12 of the impurity of the node; the sums have rounding errors of their own.
        let impurity = node.impurity;
        let rounding = 1e-14
            * if self.number.is_empty() {
                0.1
            } else {
                self.root_impurity
            };
        if candidate.gain > 1e-11 * impurity + rounding {
            Verdict::Yes
        } else {
            sure_not(candidate.gain <= 1e-13 * impurity + rounding)
        }
    }

    /// Is `a`, which stands at an earlier (later) place, certainly preferred to `b`?
    pub(crate) fn beats(
        &self,
        node: &NodeRows,
        a: &Candidate,
        b: &Candidate,
        a_is_earlier: bool,
    ) -> bool {
        let (score_a, score_b) = (self.score(a), self.score(b));
        let mut tolerance = TOLERANCE * self.scale(node);
        if self.criterion == Criterion::GainRatio {
            tolerance = 2.0 * TOLERANCE / a.information.min(b.information).min(1.0);
        }
        if (score_a - score_b).abs() > tolerance {
            return score_a > score_b;
        }
        if !self.is_exact(node) {
            return a_is_earlier && self.is_the_same_question(node, a, b);
        }
        match (self.exact_gain(node, a), self.exact_gain(node, b)) {
            (Some(a), Some(b)) => a > b || (a == b && a_is_earlier),
            _ => a_is_earlier && self.logarithms(node, a) == self.logarithms(node, b),
        }
    }

    pub(crate) fn score(&self, candidate: &Candidate) -> f64 {
        match self.criterion {
            Criterion::GainRatio => candidate.gain / candidate.information,
            _ => candidate.gain,
        }
    }

    /// Does the specification promise that no rounding decides at this node?
    pub(crate) fn is_exact(&self, node: &NodeRows) -> bool {
        node.whole && !matches!(self.criterion, Criterion::Mse | Criterion::Mae)
    }

    fn scale(&self, node: &NodeRows) -> f64 {
        match self.criterion {
            Criterion::Entropy | Criterion::GainRatio if node.whole => 1.0,
            Criterion::Mse | Criterion::Mae => node.impurity + 1e-6 * self.root_impurity,
            _ => node.impurity + 1e-6,
        }
    }

    /// The gain as a fraction, where the criterion has one and the counts are whole.
    fn exact_gain(&self, node: &NodeRows, candidate: &Candidate) -> Option<Fraction> {
        if !self.is_exact(node) {
            return None;
        }
        let impurity = |group: &Group| -> Option<Fraction> {
            let weight = group.weight as i128;
            let counts = group.counts.iter().map(|&count| count as i128);
            match self.criterion {
                Criterion::Gini | Criterion::BinnedGini => {
                    let squares: i128 = counts.map(|count| count * count).sum();
                    Some(Fraction::new(weight * weight - squares, weight * weight))
                }
                Criterion::Error => Some(Fraction::new(weight - counts.max()?, weight)),
                _ => None,
            }
        };
        let ratio = |a: f64, b: f64| Fraction::new(a as i128, b as i128);
        let parent = &candidate.parent;
        let mut drop = impurity(parent)?;
        for child in &candidate.children {
            drop = drop - ratio(child.weight, parent.weight) * impurity(child)?;
        }
        Some(ratio(parent.weight, node.group.weight) * drop)
    }

    /// Gain and split information as sums of `n log2 n`: how often each `n` occurs in them. Equal sums
    /// tie however a single logarithm is rounded. Powers of two have whole logarithms.
    fn logarithms(&self, node: &NodeRows, candidate: &Candidate) -> [(BTreeMap<u64, i64>, i64); 2] {
        let mut gain = Logarithms::default();
        for (group, sign) in std::iter::once((&candidate.parent, 1))
            .chain(candidate.children.iter().map(|child| (child, -1)))
        {
            gain.add(group.weight, sign);
            group
                .counts
                .iter()
                .for_each(|&count| gain.add(count, -sign));
        }
        let mut information = Logarithms::default();
        if self.criterion == Criterion::GainRatio {
            information.add(node.group.weight, 1);
            candidate
                .group_weights()
                .for_each(|weight| information.add(weight, -1));
        }
        [gain.finish(), information.finish()]
    }

    /// Do two features ask the same about the same cells? Then even rounding errors are the same.
    fn is_the_same_question(&self, node: &NodeRows, a: &Candidate, b: &Candidate) -> bool {
        let [column_a, column_b] = [a, b].map(|x| &self.data.columns()[x.split.feature()]);
        let same_cells = node
            .shares
            .iter()
            .all(|&(row, _)| column_a.value(row) == column_b.value(row));
        let same_split = a.missing == b.missing
            && match (&a.split, &b.split) {
                (Split::Intervals { cuts: a, .. }, Split::Intervals { cuts: b, .. }) => a == b,
                (Split::Categories { branches: a, .. }, Split::Categories { branches: b, .. }) => {
                    a.iter().flatten().eq(b.iter().flatten())
                }
                _ => false,
            };
        same_cells && same_split
    }
}

impl Candidate {
    /// Do all children have the class shares of the parent? For whole counts.
    fn keeps_class_shares(&self) -> bool {
        self.children.iter().all(|child| {
            child
                .counts
                .iter()
                .zip(&self.parent.counts)
                .all(|(&in_child, &in_parent)| {
                    in_child as i128 * self.parent.weight as i128
                        == in_parent as i128 * child.weight as i128
                })
        })
    }
}

#[derive(Default)]
struct Logarithms {
    times: BTreeMap<u64, i64>,
    whole: i64,
}

impl Logarithms {
    fn add(&mut self, n: f64, sign: i64) {
        let n = n as u64;
        if n.is_power_of_two() {
            self.whole += sign * n as i64 * i64::from(n.trailing_zeros());
        } else if n > 0 {
            *self.times.entry(n).or_default() += sign;
        }
    }

    fn finish(mut self) -> (BTreeMap<u64, i64>, i64) {
        self.times.retain(|_, times| *times != 0);
        (self.times, self.whole)
    }
}

/// Is a sum of shares at least `least`?
pub(crate) fn at_least(rows: f64, least: usize, undivided: bool) -> Verdict {
    let apart = rows - least as f64;
    if !undivided && apart.abs() <= 1e-9 {
        Verdict::Maybe
    } else if apart >= 0.0 {
        Verdict::Yes
    } else {
        Verdict::No
    }
}

fn sure_not(no: bool) -> Verdict {
    if no { Verdict::No } else { Verdict::Maybe }
}

/// Four rows, of which two have no number: worked by hand.
#[test]
fn gains_of_a_small_table() {
    use treewright::data::{
        Column, Dataset, Feature, FeatureKind, Schema, Target, TargetColumn, TargetKind,
    };
    use treewright::learn::Greedy;
    use treewright::learn::greedy::MissingPolicy;
    let schema = Schema {
        features: vec![Feature {
            name: "x".into(),
            kind: FeatureKind::Numeric,
        }],
        target: TargetColumn {
            name: "y".into(),
            kind: TargetKind::Classes(vec!["a".into(), "b".into()]),
        },
        ..Schema::default()
    };
    let column = Column::Numeric(vec![1.0, 2.0, f64::NAN, f64::NAN].into());
    let target = Target::Classes(vec![0, 1, 0, 0]);
    let data = Dataset::new(schema.into(), vec![column], target, None);
    let scores = |missing, criterion| {
        let params = Greedy {
            missing,
            criterion: Some(criterion),
            ..Greedy::default()
        };
        let problem = Problem::new(&data, &params);
        let candidates = problem.candidates(&problem.root());
        candidates
            .iter()
            .map(|candidate| problem.score(candidate))
            .collect::<Vec<_>>()
    };
    let (distribute, branch) = (MissingPolicy::Distribute, MissingPolicy::Branch);
    // Half of the rows are known, and their gini of 1/2 vanishes.
    assert_eq!(scores(distribute, Criterion::Gini), [0.25]);
    assert_eq!(scores(MissingPolicy::Majority, Criterion::Gini), [0.25]);
    // The node has gini 3/8; known against missing leaves half of 1/2.
    assert_eq!(scores(branch, Criterion::Gini), [0.125, 0.375]);
    assert_eq!(scores(branch, Criterion::Error), [0.0, 0.25]);
    assert_eq!(scores(distribute, Criterion::Entropy), [0.5]);
    // The groups have 1, 1 and 2 rows: one and a half bits.
    assert_eq!(scores(distribute, Criterion::GainRatio), [0.5 / 1.5]);
}
