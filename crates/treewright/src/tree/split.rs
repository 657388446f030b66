//! The question a node asks, and which child an answer leads to.

use crate::data::Value;

/// A question about one feature.
#[derive(Debug, Clone, PartialEq)]
pub enum Split {
    /// Numbers fall into intervals between rising cuts; child `i` lies between cut `i - 1` and cut `i`.
    Intervals {
        /// The feature asked about.
        feature: usize,
        /// Strictly rising. None at all separates only missing from present.
        cuts: Vec<f64>,
        /// On which side of a cut its own value lies.
        closed: Closed,
    },
    /// Categories have a child each, or share one.
    Categories {
        /// The feature asked about.
        feature: usize,
        /// Child position for each category code; `None` if no training row of the node had it.
        branches: Vec<Option<u32>>,
    },
}

/// Which end of an interval belongs to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {
    /// A value equal to a cut lies above it: `x < cut` is below.
    Left,
    /// A value equal to a cut lies below it: `x <= cut` is below.
    Right,
}

/// Where missing values (and unseen categories) go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingRoute {
    /// To this child position.
    Child(u32),
    /// To all children, in proportion to their weights.
    Distribute,
}

/// One end of an interval: the cut, and whether the cut itself belongs to the interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// The cut.
    pub cut: f64,
    /// Does the cut belong to the interval?
    pub included: bool,
}

impl Split {
    /// The feature asked about.
    pub fn feature(&self) -> usize {
        match self {
            Self::Intervals { feature, .. } | Self::Categories { feature, .. } => *feature,
        }
    }

    /// The child position for a value; `None` for missing and for categories the node never saw.
    pub fn child_of(&self, value: Value) -> Option<usize> {
        match (self, value) {
            (Self::Intervals { cuts, closed, .. }, Value::Number(x)) => Some(match closed {
                Closed::Left => cuts.partition_point(|&cut| cut <= x),
                Closed::Right => cuts.partition_point(|&cut| cut < x),
            }),
            (Self::Categories { branches, .. }, Value::Category(code)) => branches
                .get(code as usize)
                .copied()
                .flatten()
                .map(|child| child as usize),
            _ => None,
        }
    }

    /// Number of children that present values can reach: those of the intervals or categories.
    pub fn n_present(&self) -> usize {
        match self {
            Self::Intervals { cuts, .. } => cuts.len() + 1,
            Self::Categories { branches, .. } => branches
                .iter()
                .flatten()
                .max()
                .map_or(0, |&last| last as usize + 1),
        }
    }

    /// Lower and upper end of the interval of a child position; `None` where it is unbounded.
    pub fn bounds(&self, child: usize) -> (Option<Bound>, Option<Bound>) {
        let Self::Intervals { cuts, closed, .. } = self else {
            return (None, None);
        };
        let lower = child.checked_sub(1).and_then(|below| cuts.get(below));
        let bound = |included| move |&cut: &f64| Bound { cut, included };
        (
            lower.map(bound(*closed == Closed::Left)),
            cuts.get(child).map(bound(*closed == Closed::Right)),
        )
    }

    /// The category codes that lead to a child position.
    pub fn codes_of(&self, child: usize) -> impl Iterator<Item = u32> {
        let branches = match self {
            Self::Categories { branches, .. } => branches.as_slice(),
            Self::Intervals { .. } => &[],
        };
        branches
            .iter()
            .enumerate()
            .filter(move |(_, branch)| **branch == Some(child as u32))
            .map(|(code, _)| code as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_on_a_cut_goes_by_the_closed_side() {
        let split = |closed| Split::Intervals {
            feature: 0,
            cuts: vec![1.0, 2.0],
            closed,
        };
        let child = |closed, x| split(closed).child_of(Value::Number(x)).unwrap();
        assert_eq!(
            [0.0, 1.0, 1.5, 2.0, 3.0].map(|x| child(Closed::Right, x)),
            [0, 0, 1, 1, 2]
        );
        assert_eq!(
            [0.0, 1.0, 1.5, 2.0, 3.0].map(|x| child(Closed::Left, x)),
            [0, 1, 1, 2, 2]
        );
        let (lower, upper) = split(Closed::Right).bounds(1);
        assert_eq!(
            lower,
            Some(Bound {
                cut: 1.0,
                included: false
            })
        );
        assert_eq!(
            upper,
            Some(Bound {
                cut: 2.0,
                included: true
            })
        );
    }

    #[test]
    fn categories_that_were_not_seen_have_no_child() {
        let split = Split::Categories {
            feature: 0,
            branches: vec![Some(0), None, Some(1), Some(0)],
        };
        assert_eq!(split.child_of(Value::Category(3)), Some(0));
        assert_eq!(split.child_of(Value::Category(1)), None);
        assert_eq!(split.child_of(Value::Missing), None);
        assert_eq!(split.codes_of(0).collect::<Vec<_>>(), [0, 3]);
        assert_eq!(split.n_present(), 2);
    }
}
