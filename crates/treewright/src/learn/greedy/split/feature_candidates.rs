//! The candidate splits of one feature at one node, and the best of them.

use std::cell::Cell;
use std::ops::Range;

use super::candidate_split::{BestShape, Scored, Shape};
use super::judges::{AbsoluteJudge, ClassJudge, GroupJudge, SquaredJudge, SumJudge};
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
    pub(super) missing_rows: MissingRows,
    /// A split that is ranked clearly below this is of no use, because another feature has a better
    /// one.
    pub(super) floor: f64,
    /// Steps since the deadline was checked.
    pub(super) work: Cell<usize>,
}

/// What becomes of the missing rows while the splits of a node are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MissingRows {
    /// There are none, or they have no say.
    Apart,
    /// They are one more child of every split.
    OneMoreChild,
    /// Every split is tried with them in each child.
    InEachChild,
}

/// One way through the splits in two: with the missing rows in one of the children, or in none.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Pass<'a> {
    /// Missing rows that belong to child 0 of every split.
    pub(super) below: &'a [u32],
    /// Those that belong to child 1.
    pub(super) above: &'a [u32],
    /// The child that has them.
    pub(super) missing: Option<u32>,
}

/// Steps between two checks of the deadline: far less than a millisecond.
const STEPS_BETWEEN: usize = 1 << 18;

impl<'a> FeatureCandidates<'a> {
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
            let Scratch { low, .. } = scratch;
            let cut = self.scan(measure, self.known, &self.node.totals, &request, low)?;
            return Some(Scored {
                shape: Shape::Cut(cut.position),
                missing: None,
                score: cut.score,
            });
        }
        let judge = ClassJudge::new(self, measure);
        if !can_scan {
            return self.try_all(&judge);
        }
        let mut best = self.try_missing_only(&judge);
        if self.missing_rows == MissingRows::InEachChild {
            self.scan_in_each_child(measure, scratch, &mut best);
            return best;
        }
        // Where missing rows go does not depend on the cut: the best cut of the known rows is the best.
        let request = self.search.request(self.known.len(), NOTHING_YET);
        let Scratch { low, .. } = scratch;
        if let Some(cut) = self.scan(measure, self.known, &self.known_totals(), &request, low) {
            let low = self.tally(&judge, &self.known[..cut.position]);
            let score = judge.score(&[&low, &judge.rest(&low)]);
            self.keep(&judge, &mut best, None, score, || Shape::Cut(cut.position));
        }
        best
    }

    /// The fast scans with the missing rows below all others, and above them.
    fn scan_in_each_child(&self, measure: &Measure, scratch: &mut Scratch, best: &mut BestShape) {
        let Scratch { low, entries, .. } = scratch;
        let n_rows = self.known.len() + self.missing.len();
        for pass in self.passes() {
            let n_below = pass.below.len();
            entries.clear();
            entries.extend_from_slice(pass.below);
            entries.extend_from_slice(self.known);
            let reach = best
                .as_ref()
                .map_or(self.floor, |best| self.floor.max(best.score.rank()));
            let mut request = self.search.request(n_rows, reach);
            // Both children have known rows.
            request.allowed = request.allowed.start.max(n_below + 1)
                ..request.allowed.end.min(n_below + self.known.len());
            let cut = self.scan(measure, entries, &self.node.totals, &request, low);
            if let Some(cut) = cut.filter(|cut| self.is_better(&cut.score, best)) {
                *best = Some(Scored {
                    shape: Shape::Cut(cut.position - n_below),
                    missing: pass.missing,
                    score: cut.score,
                });
            }
        }
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
        entries: &[u32],
        totals: &Totals,
        request: &ScanRequest,
        low: &mut Vec<u32>,
    ) -> Option<Cut> {
        if request.allowed.is_empty() {
            return None;
        }
        let packing = self.frame.packing();
        match measure {
            Measure::Gini if totals.counts.len() == 2 => {
                scan::gini_of_two(entries, packing, totals, request)
            }
            Measure::Gini => scan::gini(entries, packing, totals, request, low),
            Measure::Entropy(logs) => scan::entropy(entries, packing, totals, logs, request, low),
            Measure::GainRatio(_) | Measure::Error => unreachable!("has no scan"),
        }
    }

    pub(crate) fn squared(&self) -> BestShape {
        self.try_all(&SquaredJudge::new(self))
    }

    pub(crate) fn absolute(&self) -> BestShape {
        let judge = AbsoluteJudge::new(self);
        let mut best = self.try_missing_only(&judge);
        let grouped = self.search.categorical == CategoricalSplits::Grouped;
        if !self.frame.is_categorical(self.feature) {
            let cuts: Vec<usize> = (1..self.known.len())
                .filter(|&at| !is_tie(self.known[at]))
                .collect();
            self.try_absolute_cuts(&judge, self.known, &cuts, &mut best, |at| {
                Shape::Cut(cuts[at])
            });
        } else if grouped {
            self.try_absolute_groups(&judge, &mut best);
        } else {
            self.try_categories(&judge, &mut best);
        }
        best
    }

    /// The cuts of an order of the known rows. They need the deviation of every beginning and every end of it.
    pub(super) fn try_absolute_cuts(
        &self,
        judge: &AbsoluteJudge<'_>,
        ordered: &[u32],
        cuts: &[usize],
        best: &mut BestShape,
        shape: impl Fn(usize) -> Shape,
    ) {
        let items: Vec<Weighed> = ordered.iter().map(|&entry| self.weighed(entry)).collect();
        let running = |first: &[u32], items: &mut dyn Iterator<Item = &Weighed>| -> Vec<f64> {
            let mut median = RunningMedian::default();
            for &entry in first {
                median.add(self.weighed(entry));
            }
            let deviation = items.map(|&item| {
                median.add(item);
                median.deviation()
            });
            deviation.collect()
        };
        let n = items.len();
        for pass in self.passes() {
            let low = running(pass.below, &mut items.iter());
            let high = running(pass.above, &mut items.iter().rev());
            let mut sizes = self.sizes(&pass);
            let mut start = 0;
            for (at, &cut) in cuts.iter().enumerate() {
                sizes.take(self.size(&ordered[start..cut]));
                start = cut;
                if sizes.are_enough(self.search) {
                    let drop = judge.all_of_judged - low[cut - 1] - high[n - 1 - cut];
                    self.keep(judge, best, pass.missing, judge.scored(drop), || shape(at));
                }
            }
        }
    }

    /// Is it too late for this many more steps?
    pub(super) fn is_late(&self, steps: usize) -> bool {
        let work = self.work.get() + steps;
        if work < STEPS_BETWEEN {
            self.work.set(work);
            return false;
        }
        self.work.set(0);
        self.search.deadline.is_late()
    }

    pub(crate) fn weighed(&self, entry: u32) -> Weighed {
        let number = self.frame.judged()[self.frame.packing().row(entry)];
        Weighed {
            number: number - self.node.centre,
            weight: self.frame.weight(entry),
        }
    }

    /// Every split of the feature, in the documented order.
    fn try_all<J: SumJudge>(&self, judge: &J) -> BestShape {
        let mut best = self.try_missing_only(judge);
        if !self.frame.is_categorical(self.feature) {
            for pass in self.passes() {
                self.try_cuts(judge, &pass, &mut best);
            }
        } else if self.search.categorical == CategoricalSplits::Grouped {
            self.try_grouped(judge, &mut best);
        } else {
            self.try_categories(judge, &mut best);
        }
        best
    }

    /// The ways through the splits in two.
    pub(super) fn passes(&self) -> impl Iterator<Item = Pass<'a>> {
        let none: &[u32] = &[];
        let of_child = |child| Pass {
            below: if child == 0 { self.missing } else { none },
            above: if child == 1 { self.missing } else { none },
            missing: Some(child),
        };
        let passes = match self.missing_rows {
            MissingRows::InEachChild => [Some(of_child(0)), Some(of_child(1))],
            MissingRows::Apart | MissingRows::OneMoreChild => [Some(Pass::default()), None],
        };
        passes.into_iter().flatten()
    }

    fn try_cuts<J: SumJudge>(&self, judge: &J, pass: &Pass<'_>, best: &mut BestShape) {
        let mut low = self.tally(judge, pass.below);
        let mut at = 0;
        self.for_each_cut(pass, |position| {
            if self.is_late(judge.steps()) {
                return false;
            }
            for &entry in &self.known[at..position] {
                judge.add(&mut low, self.frame, entry);
            }
            at = position;
            self.try_cut(judge, &low, best, pass, || Shape::Cut(position));
            true
        });
    }

    /// The split between the rows of child 0 and the others, unless it is clearly worse than another.
    pub(super) fn try_cut<J: SumJudge>(
        &self,
        judge: &J,
        low: &J::Tally,
        best: &mut BestShape,
        pass: &Pass<'_>,
        shape: impl FnOnce() -> Shape,
    ) {
        let reach = best
            .as_ref()
            .map_or(self.floor, |best| self.floor.max(best.score.rank()));
        if self.search.switches.skipping && judge.is_behind(low, reach) {
            return;
        }
        let score = judge.score(&[low, &judge.rest(low)]);
        self.keep(judge, best, pass.missing, score, shape);
    }

    /// The known rows against the missing ones, where these are a child or may be one.
    fn try_missing_only<J: GroupJudge>(&self, judge: &J) -> BestShape {
        let mut best = None;
        let is_enough = |entries: &[u32]| self.search.is_enough(self.frame, entries);
        let is_split = match self.missing_rows {
            MissingRows::Apart => false,
            MissingRows::OneMoreChild => is_enough(self.known),
            MissingRows::InEachChild => is_enough(self.known) && is_enough(self.missing),
        };
        if is_split {
            let known = self.tally(judge, self.known);
            let (child, score) = if self.missing_rows == MissingRows::InEachChild {
                let missing = self.tally(judge, self.missing);
                (Some(1), judge.score(&[&known, &missing]))
            } else {
                (None, judge.score(&[&known]))
            };
            self.keep(judge, &mut best, child, score, || Shape::MissingOnly);
        }
        best
    }

    pub(super) fn tally<J: GroupJudge>(&self, judge: &J, entries: &[u32]) -> J::Tally {
        let mut tally = judge.empty();
        for &entry in entries {
            judge.add(&mut tally, self.frame, entry);
        }
        tally
    }

    /// Runs of equal value: the categories that occur.
    pub(super) fn groups(&self) -> Vec<Range<usize>> {
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
    fn for_each_cut(&self, pass: &Pass<'_>, mut visit: impl FnMut(usize) -> bool) {
        let mut sizes = self.sizes(pass);
        for position in 1..self.known.len() {
            let entry = self.known[position - 1];
            sizes.take([self.frame.share(entry), self.frame.weight(entry)]);
            if !is_tie(self.known[position]) && sizes.are_enough(self.search) && !visit(position) {
                return;
            }
        }
    }

    /// The sizes of both children before child 0 has taken known rows.
    pub(super) fn sizes(&self, pass: &Pass<'_>) -> Sizes {
        let [known, below, above] = [self.known, pass.below, pass.above].map(|it| self.size(it));
        Sizes {
            all: [0, 1].map(|at| known[at] + below[at] + above[at]),
            low: below,
        }
    }

    /// Rows and weight of some entries.
    pub(super) fn size(&self, entries: &[u32]) -> [f64; 2] {
        [
            self.frame.count_rows(entries),
            self.frame.total_weight(entries),
        ]
    }

    /// Is this split better than the best so far?
    fn is_better(&self, score: &Score, best: &BestShape) -> bool {
        let tolerance = Score::tolerance(self.node.weight);
        best.as_ref()
            .is_none_or(|best| score.compare(&best.score, tolerance).is_gt())
    }

    /// Keeps a split if it is the best so far and may be taken.
    pub(super) fn keep<J: GroupJudge>(
        &self,
        judge: &J,
        best: &mut BestShape,
        missing: Option<u32>,
        score: Score,
        shape: impl FnOnce() -> Shape,
    ) {
        let tolerance = Score::tolerance(self.node.weight);
        if self.is_better(&score, best)
            && (self.search.zero_gain || score.is_positive(judge.floor(), tolerance))
            && self.search.gains_enough(&score, self.node)
        {
            *best = Some(Scored {
                shape: shape(),
                missing,
                score,
            });
        }
    }
}

/// Rows and weight of all that two children share out, and of child 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    all: [f64; 2],
    low: [f64; 2],
}

impl Sizes {
    /// Child 0 takes this many rows of this weight.
    pub(super) fn take(&mut self, [rows, weight]: [f64; 2]) {
        self.low[0] += rows;
        self.low[1] += weight;
    }

    /// May both children be leaves?
    pub(super) fn are_enough(&self, search: &SplitSearch) -> bool {
        let ([rows, weight], [low_rows, low_weight]) = (self.all, self.low);
        search.enough(low_rows, low_weight) && search.enough(rows - low_rows, weight - low_weight)
    }
}
