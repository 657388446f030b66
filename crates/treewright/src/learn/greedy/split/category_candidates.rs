//! The candidate splits of a categorical feature.
//!
//! **Problem.** Part the categories of a node in two, so that the split gains most.
//!
//! **Lemma** (Breiman, Friedman, Olshen and Stone, 1984, section 4.2). For two classes, or numbers and squared error,
//! order the categories by their share of a class, or by their mean. One of the cuts of this order is a best split: the
//! worth of two groups is a convex function of the sums of one group, and the corners of the set of all such sums are
//! the beginnings and ends of the order.
//!
//! For more classes this is no longer so; the cuts of the orders by the share of each class, and each category against
//! the others, stand in for all groups. For absolute error categories are ordered by their median.

use std::ops::Range;

use super::candidate_split::{BestShape, Shape};
use super::feature_candidates::{FeatureCandidates, MissingRows, Pass};
use super::judges::{AbsoluteJudge, GroupJudge, SumJudge};
use super::measure::{Score, Weighed, median};
use crate::learn::greedy::parameters::CategoricalSplits;

impl FeatureCandidates<'_> {
    /// A child for each category, or each category against the others.
    pub(super) fn try_categories<J: GroupJudge>(&self, judge: &J, best: &mut BestShape) {
        let groups = self.groups();
        let Some(tallies) = self.tallies(judge, &groups) else {
            return;
        };
        if self.search.categorical == CategoricalSplits::Multiway {
            if self.missing_rows == MissingRows::InEachChild {
                self.try_multiway_with_missing(judge, &groups, tallies, best);
            } else {
                self.try_multiway(judge, &groups, &tallies, best);
            }
            return;
        }
        for pass in self.passes() {
            self.try_each(judge, &groups, &tallies, &pass, best);
        }
    }

    /// The sums of each category; `None` if there are fewer than two, or no time or memory.
    fn tallies<J: GroupJudge>(&self, judge: &J, groups: &[Range<usize>]) -> Option<Vec<J::Tally>> {
        let bytes = groups.len().saturating_mul(8 * judge.steps());
        if groups.len() < 2 || self.search.deadline.is_short_of(bytes) {
            return None;
        }
        let mut tallies = Vec::with_capacity(groups.len());
        for group in groups {
            if self.is_late(judge.steps()) {
                return None;
            }
            tallies.push(self.tally(judge, &self.known[group.clone()]));
        }
        Some(tallies)
    }

    fn try_multiway<J: GroupJudge>(
        &self,
        judge: &J,
        groups: &[Range<usize>],
        tallies: &[J::Tally],
        best: &mut BestShape,
    ) {
        if groups.iter().all(|group| self.is_leaf(group)) {
            let tallies: Vec<&J::Tally> = tallies.iter().collect();
            let score = judge.score(&tallies);
            self.keep(judge, best, None, score, || Shape::Multiway);
        }
    }

    /// May the rows of a category be a leaf?
    fn is_leaf(&self, group: &Range<usize>) -> bool {
        let entries = &self.known[group.clone()];
        self.search.is_enough(self.frame, entries)
    }

    /// A child for each category, the missing rows in that with which the split gains most.
    fn try_multiway_with_missing<J: GroupJudge>(
        &self,
        judge: &J,
        groups: &[Range<usize>],
        mut tallies: Vec<J::Tally>,
        best: &mut BestShape,
    ) {
        let too_small: Vec<usize> = (0..groups.len())
            .filter(|&child| !self.is_leaf(&groups[child]))
            .collect();
        let children = match too_small[..] {
            [] => 0..groups.len(),
            // The missing rows may make it large enough.
            [child] => child..child + 1,
            _ => return,
        };
        let mut most: Option<(usize, f64, J::Tally)> = None;
        for child in children {
            if self.is_late(judge.steps() + self.missing.len()) {
                return;
            }
            let entries = [&self.known[groups[child].clone()], self.missing].concat();
            if !self.search.is_enough(self.frame, &entries) {
                return;
            }
            let joined = self.tally(judge, &entries);
            let more = judge.worth(&joined) - judge.worth(&tallies[child]);
            // What differs by rounding alone is a tie.
            let rounding = Score::tolerance(self.node.weight);
            if most
                .as_ref()
                .is_none_or(|&(_, most, _)| more > most + rounding)
            {
                most = Some((child, more, joined));
            }
        }
        if let Some((child, _, joined)) = most {
            tallies[child] = joined;
            let tallies: Vec<&J::Tally> = tallies.iter().collect();
            let score = judge.score(&tallies);
            self.keep(judge, best, Some(child as u32), score, || Shape::Multiway);
        }
    }

    /// Each category against the others.
    fn try_each<J: GroupJudge>(
        &self,
        judge: &J,
        groups: &[Range<usize>],
        tallies: &[J::Tally],
        pass: &Pass<'_>,
        best: &mut BestShape,
    ) {
        let before = self.sizes(pass);
        for (group, tally) in groups.iter().zip(tallies) {
            if self.is_late(judge.steps()) {
                return;
            }
            let own = &self.known[group.clone()];
            let mut sizes = before;
            sizes.take(self.size(own));
            if !sizes.are_enough(self.search) {
                continue;
            }
            let joined =
                (!pass.below.is_empty()).then(|| self.tally(judge, &[own, pass.below].concat()));
            let tally = joined.as_ref().unwrap_or(tally);
            let rest = judge.rest_of(self, pass, tally, group);
            let score = judge.score(&[tally, &rest]);
            self.keep(judge, best, pass.missing, score, || {
                Shape::OneVsRest(group.start, group.end)
            });
        }
    }

    /// The categories in two groups.
    pub(super) fn try_grouped<J: SumJudge>(&self, judge: &J, best: &mut BestShape) {
        let groups = self.groups();
        let Some(tallies) = self.tallies(judge, &groups) else {
            return;
        };
        let sizes_of = |group: &Range<usize>| self.size(&self.known[group.clone()]);
        let sizes_of: Vec<[f64; 2]> = groups.iter().map(sizes_of).collect();
        for pass in self.passes() {
            let before = self.sizes(&pass);
            let mut n_orders = 0;
            for order in judge.orders(&tallies) {
                n_orders += 1;
                let mut low = self.tally(judge, pass.below);
                let mut sizes = before;
                for (at, &group) in order[..order.len() - 1].iter().enumerate() {
                    if self.is_late(judge.steps()) {
                        return;
                    }
                    judge.join(&mut low, &tallies[group as usize]);
                    sizes.take(sizes_of[group as usize]);
                    if sizes.are_enough(self.search) {
                        self.try_cut(judge, &low, best, &pass, || in_two(&order, at + 1));
                    }
                }
            }
            if n_orders > 1 {
                self.try_each(judge, &groups, &tallies, &pass, best);
            }
        }
    }

    /// The categories in two groups for absolute error: by their medians, then by their means.
    pub(super) fn try_absolute_groups(&self, judge: &AbsoluteJudge<'_>, best: &mut BestShape) {
        let groups = self.groups();
        if groups.len() < 2 {
            return;
        }
        let keys: Vec<[f64; 2]> = groups.iter().map(|group| self.centres(group)).collect();
        let mut order: Vec<u32> = (0..groups.len() as u32).collect();
        order.sort_by(|&a, &b| {
            let [a, b] = [a, b].map(|group| keys[group as usize]);
            a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1]))
        });
        let mut ordered = Vec::with_capacity(self.known.len());
        let mut cuts = Vec::with_capacity(groups.len());
        for &group in &order {
            ordered.extend_from_slice(&self.known[groups[group as usize].clone()]);
            cuts.push(ordered.len());
        }
        cuts.pop();
        self.try_absolute_cuts(judge, &ordered, &cuts, best, |at| in_two(&order, at + 1));
    }

    /// Median and mean of the numbers of a category.
    fn centres(&self, group: &Range<usize>) -> [f64; 2] {
        let entries = &self.known[group.clone()];
        let weighed = |&entry: &u32| Weighed {
            number: self.frame.number(entry),
            weight: self.frame.weight(entry),
        };
        let mut items: Vec<Weighed> = entries.iter().map(weighed).collect();
        let sums = items.iter().fold((0.0, 0.0), |(sum, weight), item| {
            (sum + item.weight * item.number, weight + item.weight)
        });
        [median(&mut items), sums.0 / sums.1]
    }
}

/// The first groups of an order against the others.
fn in_two(order: &[u32], n_first: usize) -> Shape {
    let mut is_second = vec![false; order.len()];
    for &group in &order[n_first..] {
        is_second[group as usize] = true;
    }
    Shape::InTwo(is_second.into())
}
