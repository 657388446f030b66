//! The candidate splits of one feature at one node, and the best of them.

use std::cell::Cell;
use std::ops::Range;

use super::candidate_split::{BestShape, Shape};
use super::judges::{AbsoluteJudge, ClassJudge, GroupJudge, SquaredJudge};
use super::measure::{Measure, RunningMedian, Score, Weighed};
use super::node_search::{NOTHING_YET, Scratch};
use super::node_view::NodeView;
use super::scan::{Cut, ScanRequest, Totals};
use super::search::SplitSearch;
use crate::learn::greedy::parameters::CategoricalSplits;
use crate::learn::greedy::problem::{Frame, is_tie};
use crate::learn::greedy::split::scan;

/// One feature at one node.
pub(crate) struct FeatureCandidates<'a> {
    pub(super) search: &'a SplitSearch,
    pub(super) frame: &'a Frame<'a>,
    pub(super) node: &'a NodeView<'a>,
    pub(super) feature: usize,
    pub(super) known: &'a [u32],
    pub(super) missing: &'a [u32],
    /// Do missing rows have a child of their own?
    pub(super) own_branch: bool,
    /// A split that is ranked clearly below this is of no use, because another feature has a better
    /// one.
    pub(super) floor: f64,
    /// Steps since the deadline was checked.
    pub(super) work: Cell<usize>,
}

/// Steps between two checks of the deadline: far less than a millisecond.
const STEPS_BETWEEN: usize = 1 << 18;

impl FeatureCandidates<'_> {
    pub(crate) fn classes(
        &self,
        measure: &Measure,
        constant: bool,
        scratch: &mut Scratch,
    ) -> BestShape {
        let can_scan = self.search.switches.scanning
            && matches!(measure, Measure::Gini | Measure::Entropy(_))
            && self.frame.is_plain()
            && !self.frame.is_categorical(self.feature)
            && !constant;
        if can_scan && self.missing.is_empty() {
            let request = self.search.request(self.known.len(), self.floor);
            let cut = self.scan(measure, &self.node.totals, &request, scratch);
            return cut.map(|cut| (Shape::Cut(cut.position), cut.score));
        }
        let judge = ClassJudge::new(self, measure);
        if !can_scan {
            return self.try_all(&judge);
        }
        // Where missing rows go does not depend on the cut: the best cut of the known rows is the best.
        let request = self.search.request(self.known.len(), NOTHING_YET);
        let mut best = self.try_missing_only(&judge);
        if let Some(cut) = self.scan(measure, &self.known_totals(), &request, scratch) {
            let low = self.tally(&judge, &(0..cut.position));
            let score = judge.score(&[&low, &judge.rest(&low)]);
            self.keep(&judge, &mut best, Shape::Cut(cut.position), score);
        }
        best
    }

    /// The classes of the known rows, each of which counts as one.
    fn known_totals(&self) -> Totals {
        let mut counts = self.node.totals.counts.clone();
        for &entry in self.missing {
            counts[self.frame.class(entry)] -= 1;
        }
        Totals::new(counts, self.search.logs())
    }

    /// The fast scans.
    fn scan(
        &self,
        measure: &Measure,
        totals: &Totals,
        request: &ScanRequest,
        scratch: &mut Scratch,
    ) -> Option<Cut> {
        if request.allowed.is_empty() {
            return None;
        }
        let packing = self.frame.packing();
        let low = &mut scratch.low;
        match measure {
            Measure::Gini if totals.counts.len() == 2 => {
                scan::gini_of_two(self.known, packing, totals, request)
            }
            Measure::Gini => scan::gini(self.known, packing, totals, request, low),
            Measure::Entropy(logs) => {
                scan::entropy(self.known, packing, totals, logs, request, low)
            }
            Measure::GainRatio(_) | Measure::Error => unreachable!("has no scan"),
        }
    }

    pub(crate) fn squared(&self) -> BestShape {
        self.try_all(&SquaredJudge::new(self))
    }

    pub(crate) fn absolute(&self) -> BestShape {
        if self.frame.is_categorical(self.feature) {
            return self.try_all(&AbsoluteJudge::new(self));
        }
        // Cuts of numbers need the deviation of every beginning and every end of the list.
        let items: Vec<Weighed> = self
            .known
            .iter()
            .map(|&entry| self.weighed(entry))
            .collect();
        let running = |items: &mut dyn Iterator<Item = &Weighed>| -> Vec<f64> {
            let mut median = RunningMedian::default();
            let deviation = items.map(|&item| {
                median.add(item);
                median.deviation()
            });
            deviation.collect()
        };
        let low = running(&mut items.iter());
        let high = running(&mut items.iter().rev());
        let judge = AbsoluteJudge::new(self);
        let mut best = self.try_missing_only(&judge);
        let n = self.known.len();
        self.for_each_cut(|position| {
            let drop = judge.all_of_known - low[position - 1] - high[n - 1 - position];
            let score = Score::rounded(drop + judge.missing_drop);
            self.keep(&judge, &mut best, Shape::Cut(position), score);
            true
        });
        best
    }

    /// Is it too late for this many more steps?
    fn is_late(&self, steps: usize) -> bool {
        let work = self.work.get() + steps;
        if work < STEPS_BETWEEN {
            self.work.set(work);
            return false;
        }
        self.work.set(0);
        self.search.deadline.is_late()
    }

    pub(crate) fn weighed(&self, entry: u32) -> Weighed {
        let number = self.frame.number(entry) - self.node.mean;
        Weighed {
            number,
            weight: self.frame.weight(entry),
        }
    }

    /// Every split of the feature, in the documented order.
    fn try_all<J: GroupJudge>(&self, judge: &J) -> BestShape {
        let mut best = self.try_missing_only(judge);
        if self.frame.is_categorical(self.feature) {
            self.try_categories(judge, &mut best);
        } else {
            self.try_cuts(judge, &mut best);
        }
        best
    }

    fn try_cuts<J: GroupJudge>(&self, judge: &J, best: &mut BestShape) {
        let mut low = judge.empty();
        let mut at = 0;
        self.for_each_cut(|position| {
            if self.is_late(judge.steps()) {
                return false;
            }
            for &entry in &self.known[at..position] {
                judge.add(&mut low, self.frame, entry);
            }
            at = position;
            let reach = best
                .as_ref()
                .map_or(self.floor, |(_, best)| self.floor.max(best.rank()));
            if self.search.switches.skipping && judge.is_behind(&low, reach) {
                return true;
            }
            let high = judge.rest(&low);
            let score = judge.score(&[&low, &high]);
            self.keep(judge, best, Shape::Cut(position), score);
            true
        });
    }

    fn try_categories<J: GroupJudge>(&self, judge: &J, best: &mut BestShape) {
        let groups: Vec<Range<usize>> = self.groups();
        if groups.len() < 2 {
            return;
        }
        let bytes = groups.len().saturating_mul(8 * judge.steps());
        if self.search.deadline.is_short_of(bytes) {
            return;
        }
        let mut tallies: Vec<J::Tally> = Vec::with_capacity(groups.len());
        for group in &groups {
            if self.is_late(judge.steps()) {
                return;
            }
            tallies.push(self.tally(judge, group));
        }
        match self.search.categorical {
            CategoricalSplits::Multiway => {
                let enough = |group: &Range<usize>| {
                    let entries = &self.known[group.clone()];
                    self.search.is_enough(self.frame, entries)
                };
                if groups.iter().all(enough) {
                    let tallies: Vec<&J::Tally> = tallies.iter().collect();
                    self.keep(judge, best, Shape::Multiway, judge.score(&tallies));
                }
            }
            CategoricalSplits::OneVsRest => self.try_each(judge, &groups, &tallies, best),
        }
    }

    /// Each category against the others.
    fn try_each<J: GroupJudge>(
        &self,
        judge: &J,
        groups: &[Range<usize>],
        tallies: &[J::Tally],
        best: &mut BestShape,
    ) {
        let rows = self.frame.count_rows(self.known);
        let weight = self.frame.total_weight(self.known);
        for (group, tally) in groups.iter().zip(tallies) {
            if self.is_late(judge.steps()) {
                return;
            }
            let own = &self.known[group.clone()];
            let own_rows = self.frame.count_rows(own);
            let own_weight = self.frame.total_weight(own);
            if self.search.enough(own_rows, own_weight)
                && self.search.enough(rows - own_rows, weight - own_weight)
            {
                let shape = Shape::OneVsRest(group.start, group.end);
                let rest = judge.rest_of(self, tally, group);
                self.keep(judge, best, shape, judge.score(&[tally, &rest]));
            }
        }
    }

    fn try_missing_only<J: GroupJudge>(&self, judge: &J) -> BestShape {
        let mut best = None;
        if self.own_branch && self.search.is_enough(self.frame, self.known) {
            let known = self.tally(judge, &(0..self.known.len()));
            self.keep(judge, &mut best, Shape::MissingOnly, judge.score(&[&known]));
        }
        best
    }

    fn tally<J: GroupJudge>(&self, judge: &J, group: &Range<usize>) -> J::Tally {
        let mut tally = judge.empty();
        for &entry in &self.known[group.clone()] {
            judge.add(&mut tally, self.frame, entry);
        }
        tally
    }

    /// Runs of equal value: the categories that occur.
    fn groups(&self) -> Vec<Range<usize>> {
        let mut start = 0;
        self.known
            .chunk_by(|_, &entry| is_tie(entry))
            .map(|group| {
                start += group.len();
                start - group.len()..start
            })
            .collect()
    }

    /// Calls `visit` with every position between different values that leaves enough rows, as long as it says so.
    fn for_each_cut(&self, mut visit: impl FnMut(usize) -> bool) {
        let rows = self.frame.count_rows(self.known);
        let weight = self.frame.total_weight(self.known);
        let (mut low_rows, mut low_weight) = (0.0, 0.0);
        for position in 1..self.known.len() {
            low_rows += self.frame.share(self.known[position - 1]);
            low_weight += self.frame.weight(self.known[position - 1]);
            if !is_tie(self.known[position])
                && self.search.enough(low_rows, low_weight)
                && self.search.enough(rows - low_rows, weight - low_weight)
                && !visit(position)
            {
                return;
            }
        }
    }

    /// Keeps a split if it is the best so far and may be taken.
    fn keep<J: GroupJudge>(&self, judge: &J, best: &mut BestShape, shape: Shape, score: Score) {
        let tolerance = Score::tolerance(self.node.weight);
        let better = best
            .as_ref()
            .is_none_or(|(_, best)| score.compare(best, tolerance).is_gt());
        if better
            && (self.search.zero_gain || score.is_positive(judge.floor(), tolerance))
            && self.search.gains_enough(&score, self.node)
        {
            *best = Some((shape, score));
        }
    }
}
