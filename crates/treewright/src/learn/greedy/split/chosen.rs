//! What a chosen split means: the question that the tree will ask, and which rows go to which child.

use std::ops::Range;

use super::candidate_split::{CandidateSplit, Shape};
use crate::data::{FeatureKind, Schema, Value};
use crate::learn::greedy::parameters::MissingPolicy;
use crate::learn::greedy::problem::{Frame, is_tie};
use crate::tree::{Closed, MissingRoute, Split};

/// A split that was chosen, with all that follows from it.
pub(crate) struct Chosen {
    pub(crate) split: Split,
    pub(crate) missing: MissingRoute,
    /// The list that has the rows of each child together: that of the split's feature, mostly.
    pub(crate) list: usize,
    /// Positions in that list and the child that they belong to, in order of position. With
    /// [`Chosen::distributes`] the missing rows are not among them.
    pub(crate) parts: Vec<(Range<usize>, u32)>,
    pub(crate) n_children: usize,
    /// Share of each child among the known rows, if missing rows go to all of them.
    pub(crate) distributes: Option<Vec<f64>>,
}

impl Chosen {
    /// Works out what a candidate means for the rows of its node, given what a
    /// list says of them: whose value is known, in the order of the feature (or parted already, if
    /// it is coarse), and whose is missing.
    pub(crate) fn new(
        schema: &Schema,
        policy: MissingPolicy,
        frame: &Frame<'_>,
        list: usize,
        [known, missing]: [&[u32]; 2],
        candidate: &CandidateSplit,
    ) -> Self {
        let parts = parts(known, &candidate.shape);
        let n_children = parts
            .iter()
            .map(|part| part.1 as usize + 1)
            .max()
            .unwrap_or(0);
        let split = question(schema, frame, candidate, known, &parts);
        let mut chosen = Self {
            split,
            missing: MissingRoute::Distribute,
            list,
            parts,
            n_children,
            distributes: None,
        };
        chosen.route_missing(policy, candidate.missing, frame, known, missing.len());
        chosen
    }

    /// Decides where rows with a missing value go, now and later; `judged` is the child with which the split was
    /// judged.
    fn route_missing(
        &mut self,
        policy: MissingPolicy,
        judged: Option<u32>,
        frame: &Frame<'_>,
        known: &[u32],
        n_missing: usize,
    ) {
        let mut weights = vec![0.0; self.n_children];
        for (positions, child) in &self.parts {
            weights[*child as usize] += frame.total_weight(&known[positions.clone()]);
        }
        let rest = known.len()..known.len() + n_missing;
        match policy {
            MissingPolicy::Distribute => {
                if n_missing > 0 {
                    let total: f64 = weights.iter().sum();
                    self.distributes = Some(weights.iter().map(|weight| weight / total).collect());
                }
            }
            MissingPolicy::Branch | MissingPolicy::Learned if n_missing > 0 => {
                // With branches for missing rows the next child, which also the learned one may be.
                let child = judged.unwrap_or(self.n_children as u32);
                self.parts.push((rest, child));
                self.n_children = self.n_children.max(child as usize + 1);
                self.missing = MissingRoute::Child(child);
            }
            MissingPolicy::Branch | MissingPolicy::Majority | MissingPolicy::Learned => {
                let mut heaviest = 0;
                for (child, weight) in weights.iter().enumerate() {
                    if *weight > weights[heaviest] {
                        heaviest = child;
                    }
                }
                if n_missing > 0 {
                    self.parts.push((rest, heaviest as u32));
                }
                self.missing = MissingRoute::Child(heaviest as u32);
            }
        }
    }
}

/// Which child the known rows belong to, by their positions.
fn parts(known: &[u32], shape: &Shape) -> Vec<(Range<usize>, u32)> {
    let n = known.len();
    let of_groups = |child_of: &dyn Fn(usize) -> u32| {
        let mut parts: Vec<(Range<usize>, u32)> = Vec::new();
        let mut start = 0;
        for (at, group) in known.chunk_by(|_, &entry| is_tie(entry)).enumerate() {
            let (end, child) = (start + group.len(), child_of(at));
            match parts.last_mut() {
                Some((positions, of)) if *of == child => positions.end = end,
                _ => parts.push((start..end, child)),
            }
            start = end;
        }
        parts
    };
    let mut parts = match *shape {
        Shape::MissingOnly => vec![(0..n, 0)],
        Shape::Cut(at) | Shape::Coarse { n_below: at, .. } => vec![(0..at, 0), (at..n, 1)],
        Shape::OneVsRest(start, end) => vec![(0..start, 1), (start..end, 0), (end..n, 1)],
        Shape::Multiway => of_groups(&|group| group as u32),
        Shape::InTwo(ref is_second) => of_groups(&|group| u32::from(is_second[group])),
    };
    parts.retain(|(positions, _)| !positions.is_empty());
    parts
}

/// The split as the tree will ask it.
fn question(
    schema: &Schema,
    frame: &Frame<'_>,
    candidate: &CandidateSplit,
    known: &[u32],
    parts: &[(Range<usize>, u32)],
) -> Split {
    let feature = candidate.feature;
    match &schema.features[feature].kind {
        FeatureKind::Numeric => {
            let number = |at: usize| match frame.value(feature, known[at]) {
                Value::Number(number) => number,
                _ => unreachable!("known entries of a numeric feature have numbers"),
            };
            let cuts = match candidate.shape {
                Shape::Cut(at) => vec![midpoint(number(at - 1), number(at))],
                Shape::Coarse { below, above, .. } => {
                    let value = |code: u8| {
                        let coarse = frame.coarse().expect("a coarse cut is of a coarse feature");
                        coarse.value(feature, code)
                    };
                    vec![midpoint(value(below), value(above))]
                }
                _ => Vec::new(),
            };
            Split::Intervals {
                feature,
                cuts,
                closed: Closed::Right,
            }
        }
        FeatureKind::Categorical(categories) => {
            let mut branches = vec![None; categories.len()];
            for (positions, child) in parts {
                let entries = &known[positions.clone()];
                for group in entries.chunk_by(|_, &entry| is_tie(entry)) {
                    let Value::Category(code) = frame.value(feature, group[0]) else {
                        unreachable!("known entries of a categorical feature have codes")
                    };
                    branches[code as usize] = Some(*child);
                }
            }
            Split::Categories { feature, branches }
        }
    }
}

/// The cut between two neighbouring values: midway, or at the lower one where rounding would reach
/// the upper one.
fn midpoint(low: f64, high: f64) -> f64 {
    let middle = low / 2.0 + high / 2.0;
    if low <= middle && middle < high {
        middle
    } else {
        low
    }
}

#[cfg(test)]
mod tests {

    use super::midpoint;

    #[test]
    fn a_cut_separates_its_neighbours() {
        assert_eq!(midpoint(1.0, 2.0), 1.5);
        assert_eq!(midpoint(-1.7e308, 1.7e308), 0.0);
        for (low, high) in [
            (1.0, 1.0_f64.next_up()),
            (0.0, f64::from_bits(1)),
            (-1e-320, 0.0),
        ] {
            let cut = midpoint(low, high);
            assert!(low <= cut && cut < high);
        }
    }
}
