//! The best split of a node: every feature's best, then the best of these.
//!
//! A feature's best depends on the node's rows and on that feature alone, never on what other
//! features offer, so features may be tried in any order and on any thread.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::coarse::Present;
use super::deviation::{RunningMedian, Sum, Weighed};
use super::frame::Frame;
use super::lists::is_tie;
use super::measure::{Baseline, Logs, Measure, Score};
use super::scan::{self, Totals, Wish};
use super::{CategoricalSplits, MissingPolicy};

/// The criterion at work, and which splits may be taken.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) judge: Judge,
    pub(super) missing: MissingPolicy,
    pub(super) categorical: CategoricalSplits,
    pub(super) min_leaf: usize,
    pub(super) min_gain: f64,
    pub(super) zero_gain: bool,
}

/// What a good split looks like.
#[derive(Debug)]
pub(super) enum Judge {
    Classes(Measure),
    Squared,
    Absolute,
}

/// What a search needs to know of a node.
#[derive(Debug)]
pub(super) struct NodeView<'a> {
    pub(super) range: Range<usize>,
    /// Weighted class counts; empty for numbers.
    pub(super) counts: &'a [f64],
    /// The same as whole numbers, for the fast scans of rows that count as one each.
    pub(super) totals: Totals,
    pub(super) weight: f64,
    /// Mean of the numbers.
    pub(super) mean: f64,
    /// Are the coarse features to be counted, because they have no lists here?
    pub(super) is_coarse: bool,
}

/// The largest drop that any feature has come up with, known to all threads: a scan may give up what
/// cannot reach it. What is given up could not have won, so the outcome does not depend on who comes
/// first.
#[derive(Debug)]
struct Floor(AtomicU64);

impl Default for Floor {
    fn default() -> Self {
        Self(AtomicU64::new((-1.0_f64).to_bits()))
    }
}

impl Floor {
    fn get(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }

    fn learn(&self, found: &Found) {
        let Found::Split(Candidate { score, .. }) = found else {
            return;
        };
        let higher = |old: u64| (f64::from_bits(old) < score.drop).then_some(score.drop.to_bits());
        // An error means that the floor is as high already.
        let _ = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, higher);
    }
}

/// The best split so far, and the features that are not constant.
#[derive(Debug)]
struct Leader {
    best: Option<Candidate>,
    alive: Vec<u32>,
    tolerance: f64,
}

impl Leader {
    fn new(n_features: usize, node_weight: f64) -> Self {
        let alive = Vec::with_capacity(n_features);
        Self {
            best: None,
            alive,
            tolerance: Score::tolerance(node_weight),
        }
    }

    /// Features may come in any order: of equally good splits the one on the lowest feature stays.
    fn hear(&mut self, feature: u32, found: Found) {
        if !matches!(found, Found::Dead) {
            self.alive.push(feature);
        }
        let Found::Split(candidate) = found else {
            return;
        };
        let better = self.best.as_ref().is_none_or(|best| {
            let order = candidate.score.compare(&best.score, self.tolerance);
            order.is_gt() || order.is_eq() && candidate.feature < best.feature
        });
        if better {
            self.best = Some(candidate);
        }
    }
}

/// Memory that is used again from feature to feature.
#[derive(Debug, Default)]
struct Scratch {
    low: Vec<u32>,
    tables: Vec<u32>,
}

/// Who wants to hear what came of a feature.
type Tell<'a> = dyn FnMut(u32, Found) + 'a;

/// The best split that one feature offers.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) feature: usize,
    pub(super) shape: Shape,
    pub(super) score: Score,
}

/// How a split parts the known rows of its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Not at all: only missing rows are set apart.
    MissingOnly,
    /// Below and from this position in the feature's order.
    Cut(usize),
    /// A child for each category.
    Multiway,
    /// Between two codes of a coarse feature.
    Coarse {
        /// The last code below the cut that occurs.
        below: u8,
        /// The first code above it that occurs.
        above: u8,
        /// Number of rows below it.
        n_below: usize,
    },
    /// The category that stands at this range of positions, against the others.
    OneVsRest(usize, usize),
}

/// What came of looking at a feature.
#[derive(Debug)]
enum Found {
    /// It is constant here and so in all nodes below.
    Dead,
    /// It offers no admissible split.
    Nothing,
    Split(Candidate),
}

impl Search {
    /// The best split of a node among these features, and which of them are alive: not constant.
    pub(super) fn best(
        &self,
        frame: &Frame<'_>,
        node: &NodeView<'_>,
        features: &[u32],
        in_parallel: bool,
    ) -> (Option<Candidate>, Vec<u32>) {
        let floor = Floor::default();
        let mut leader = Leader::new(features.len(), node.weight);
        let is_coarse = |feature: u32| node.is_coarse && frame.is_coarse(feature as usize);
        let (coarse, fine): (Vec<u32>, Vec<u32>) = match node.is_coarse {
            true => features.iter().partition(|&&feature| is_coarse(feature)),
            false => (Vec::new(), features.to_vec()),
        };
        let counting = frame.coarse().filter(|_| !coarse.is_empty());
        let classes: &[u32] = counting.map_or(&[], |_| &node.totals.counts);
        let present = Present::of(classes, self.logs());
        let groups = counting.map_or(Vec::new(), |c| c.groups(&coarse, present.n_classes()));
        let look_at_group = |scratch: &mut Scratch, group: &Range<usize>, tell: &mut Tell<'_>| {
            self.best_of_coarse(
                frame,
                node,
                &coarse[group.clone()],
                &present,
                &floor,
                scratch,
                tell,
            );
        };
        let look_at = |scratch: &mut Scratch, &feature: &u32| {
            let found = self.best_of(frame, node, feature as usize, floor.get(), scratch);
            floor.learn(&found);
            (feature, found)
        };
        if in_parallel {
            let of_coarse = groups
                .par_iter()
                .map_init(Scratch::default, |scratch, group| {
                    let mut told = Vec::new();
                    look_at_group(scratch, group, &mut |feature, found| {
                        told.push((feature, found))
                    });
                    told
                });
            let of_coarse: Vec<Vec<(u32, Found)>> = of_coarse.collect();
            let of_fine: Vec<(u32, Found)> = fine
                .par_iter()
                .map_init(Scratch::default, look_at)
                .collect();
            for (feature, found) in of_coarse.into_iter().flatten().chain(of_fine) {
                leader.hear(feature, found);
            }
        } else {
            let mut scratch = Scratch::default();
            for group in &groups {
                look_at_group(&mut scratch, group, &mut |feature, found| {
                    leader.hear(feature, found)
                });
            }
            for feature in &fine {
                let (feature, found) = look_at(&mut scratch, feature);
                leader.hear(feature, found);
            }
        }
        leader.alive.sort_unstable();
        (leader.best, leader.alive)
    }

    /// The best splits of some coarse features of a coarse node.
    fn best_of_coarse(
        &self,
        frame: &Frame<'_>,
        node: &NodeView<'_>,
        features: &[u32],
        present: &Present,
        floor: &Floor,
        scratch: &mut Scratch,
        tell: &mut Tell<'_>,
    ) {
        let (Some(coarse), Judge::Classes(measure)) = (frame.coarse(), &self.judge) else {
            return;
        };
        let entries = frame.list(frame.row_list(), &node.range);
        let Scratch { low, tables } = scratch;
        let tables = coarse.count(features, entries, frame.packing(), present, tables);
        for (at, &feature) in features.iter().enumerate() {
            let allowed = self.allowed(entries.len());
            let wish = Wish {
                allowed,
                zero_gain: self.zero_gain,
                floor: floor.get(),
            };
            let found = match tables.best_cut(at, measure, &wish, low) {
                None => Found::Dead,
                Some(Some(found)) if self.gains_enough(&found.cut.score, node) => {
                    let (below, above, n_below) = (found.below, found.above, found.cut.position);
                    Found::Split(Candidate {
                        feature: feature as usize,
                        shape: Shape::Coarse {
                            below,
                            above,
                            n_below,
                        },
                        score: found.cut.score,
                    })
                }
                Some(_) => Found::Nothing,
            };
            floor.learn(&found);
            tell(feature, found);
        }
    }

    /// Cut positions that leave enough rows on both sides, where every row counts as one.
    fn allowed(&self, n_rows: usize) -> Range<usize> {
        self.min_leaf..(n_rows + 1).saturating_sub(self.min_leaf)
    }

    fn best_of(
        &self,
        frame: &Frame<'_>,
        node: &NodeView<'_>,
        feature: usize,
        floor: f64,
        scratch: &mut Scratch,
    ) -> Found {
        let (known, missing) = frame.known_and_missing(feature, &node.range);
        let own_branch = self.missing == MissingPolicy::Branch && !missing.is_empty();
        // Mostly the second or the last entry tells; values are far away in memory.
        let constant = known.len() < 2
            || is_tie(known[1])
                && is_tie(known[known.len() - 1])
                && frame.value(feature, known[0]) == frame.value(feature, known[known.len() - 1]);
        if known.is_empty() || constant && !own_branch {
            return Found::Dead;
        }
        if own_branch && frame.count_rows(missing) < self.min_leaf as f64 {
            return Found::Nothing;
        }
        let offer = Offer {
            search: self,
            frame,
            node,
            feature,
            known,
            missing,
            own_branch,
        };
        let best = match &self.judge {
            Judge::Classes(measure) => offer.classes(measure, constant, floor, scratch),
            Judge::Squared => offer.squared(),
            Judge::Absolute => offer.absolute(),
        };
        match best {
            None => Found::Nothing,
            Some((shape, score)) if self.gains_enough(&score, node) => Found::Split(Candidate {
                feature,
                shape,
                score,
            }),
            Some(_) => Found::Nothing,
        }
    }

    /// The table of logarithms, if the criterion is entropy.
    pub(super) fn logs(&self) -> Option<&Logs> {
        match &self.judge {
            Judge::Classes(Measure::Entropy(logs)) => Some(logs),
            _ => None,
        }
    }

    /// A gain of zero may come out negative by rounding.
    fn gains_enough(&self, score: &Score, node: &NodeView<'_>) -> bool {
        (score.drop / node.weight).max(0.0) >= self.min_gain
    }

    fn enough(&self, rows: f64) -> bool {
        rows >= self.min_leaf as f64
    }
}

/// One feature at one node.
struct Offer<'a> {
    search: &'a Search,
    frame: &'a Frame<'a>,
    node: &'a NodeView<'a>,
    feature: usize,
    known: &'a [u32],
    missing: &'a [u32],
    /// Do missing rows have a child of their own?
    own_branch: bool,
}

/// The best split seen so far.
type Best = Option<(Shape, Score)>;

impl Offer<'_> {
    fn classes(
        &self,
        measure: &Measure,
        constant: bool,
        floor: f64,
        scratch: &mut Scratch,
    ) -> Best {
        let is_numeric = !self.frame.is_categorical(self.feature);
        if is_numeric && self.missing.is_empty() && self.frame.is_plain() && !constant {
            let zero_gain = self.search.zero_gain;
            let wish = Wish {
                allowed: self.search.allowed(self.known.len()),
                zero_gain,
                floor,
            };
            if let Some(best) = self.scan(measure, &wish, scratch) {
                return best;
            }
        }
        let judge = ClassJudge::new(self, measure);
        self.try_all(&judge)
    }

    /// The fast scans; `None` if there is none for this criterion.
    fn scan(&self, measure: &Measure, wish: &Wish, scratch: &mut Scratch) -> Option<Best> {
        let packing = self.frame.packing();
        let totals = &self.node.totals;
        let cut = match measure {
            Measure::Gini if totals.counts.len() == 2 => {
                scan::gini_of_two(self.known, packing, totals, wish)
            }
            Measure::Gini => scan::gini(self.known, packing, totals, wish, &mut scratch.low),
            Measure::Entropy(logs) => {
                scan::entropy(self.known, packing, totals, logs, wish, &mut scratch.low)
            }
            Measure::GainRatio(_) | Measure::Error => return None,
        };
        Some(cut.map(|cut| (Shape::Cut(cut.position), cut.score)))
    }

    fn squared(&self) -> Best {
        self.try_all(&SquaredJudge::new(self))
    }

    fn absolute(&self) -> Best {
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
        });
        best
    }

    fn weighed(&self, entry: u32) -> Weighed {
        let number = self.frame.number(entry) - self.node.mean;
        Weighed {
            number,
            weight: self.frame.weight(entry),
        }
    }

    /// Every split of the feature, in the documented order.
    fn try_all<J: GroupJudge>(&self, judge: &J) -> Best {
        let mut best = self.try_missing_only(judge);
        if !self.frame.is_categorical(self.feature) {
            let mut low = judge.empty();
            let mut at = 0;
            self.for_each_cut(|position| {
                for &entry in &self.known[at..position] {
                    judge.add(&mut low, self.frame, entry);
                }
                at = position;
                if best
                    .as_ref()
                    .is_some_and(|(_, best)| judge.is_behind(&low, best))
                {
                    return;
                }
                let high = judge.rest(&low);
                self.keep(
                    judge,
                    &mut best,
                    Shape::Cut(position),
                    judge.score(&[&low, &high]),
                );
            });
            return best;
        }
        let groups: Vec<Range<usize>> = self.groups();
        let enough = |rows: &Range<usize>| {
            self.search
                .enough(self.frame.count_rows(&self.known[rows.clone()]))
        };
        let tallies: Vec<J::Tally> = groups
            .iter()
            .map(|group| self.tally(judge, group))
            .collect();
        if groups.len() < 2 {
            return best;
        }
        match self.search.categorical {
            CategoricalSplits::Multiway => {
                if groups.iter().all(enough) {
                    let tallies: Vec<&J::Tally> = tallies.iter().collect();
                    self.keep(judge, &mut best, Shape::Multiway, judge.score(&tallies));
                }
            }
            CategoricalSplits::OneVsRest => {
                let rows = self.frame.count_rows(self.known);
                for (group, tally) in groups.iter().zip(&tallies) {
                    let own_rows = self.frame.count_rows(&self.known[group.clone()]);
                    if self.search.enough(own_rows) && self.search.enough(rows - own_rows) {
                        let shape = Shape::OneVsRest(group.start, group.end);
                        let rest = judge.rest_of(self, tally, group);
                        self.keep(judge, &mut best, shape, judge.score(&[tally, &rest]));
                    }
                }
            }
        }
        best
    }

    fn try_missing_only<J: GroupJudge>(&self, judge: &J) -> Best {
        let mut best = None;
        if self.own_branch && self.search.enough(self.frame.count_rows(self.known)) {
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

    /// Calls `visit` with every position between different values that leaves enough rows.
    fn for_each_cut(&self, mut visit: impl FnMut(usize)) {
        let rows = self.frame.count_rows(self.known);
        let mut low_rows = 0.0;
        for position in 1..self.known.len() {
            low_rows += self.frame.share(self.known[position - 1]);
            if !is_tie(self.known[position])
                && self.search.enough(low_rows)
                && self.search.enough(rows - low_rows)
            {
                visit(position);
            }
        }
    }

    /// Keeps a split if it is the best so far and may be taken.
    fn keep<J: GroupJudge>(&self, judge: &J, best: &mut Best, shape: Shape, score: Score) {
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

/// Adds up groups of rows and scores the split that they make of the known rows. Where missing rows
/// have a branch of their own, the judge adds it to every split.
trait GroupJudge {
    type Tally;

    fn empty(&self) -> Self::Tally;
    fn add(&self, tally: &mut Self::Tally, frame: &Frame<'_>, entry: u32);
    /// The known rows without a group.
    fn rest(&self, tally: &Self::Tally) -> Self::Tally;
    /// The same where the group stands at a range of positions and no difference can be formed.
    fn rest_of(
        &self,
        _offer: &Offer<'_>,
        tally: &Self::Tally,
        _group: &Range<usize>,
    ) -> Self::Tally {
        self.rest(tally)
    }
    fn score(&self, groups: &[&Self::Tally]) -> Score;
    /// Is the cut above this group clearly not as good as another split? Saves work, so it may say no.
    fn is_behind(&self, _low: &Self::Tally, _best: &Score) -> bool {
        false
    }
    /// A drop below this is rounding, where nothing better is known.
    fn floor(&self) -> f64;
}

/// Counts of classes.
struct ClassJudge<'a> {
    measure: &'a Measure,
    base: Baseline,
    known: (Vec<f64>, f64),
    /// The branch for missing values.
    missing: Option<(Vec<f64>, f64)>,
    /// Worth of the rows without a split, less that of the branch for missing values.
    worth_before: f64,
    floor: f64,
    tolerance: f64,
}

impl<'a> ClassJudge<'a> {
    fn new(offer: &Offer<'_>, measure: &'a Measure) -> Self {
        let frame = offer.frame;
        let count = |entries: &[u32]| {
            let mut counts = vec![0.0; frame.n_classes()];
            for &entry in entries {
                counts[frame.class(entry)] += frame.weight(entry);
            }
            let weight = counts.iter().sum::<f64>();
            (counts, weight)
        };
        // Rounded sums must not depend on how the node came about, so they are made anew, in the
        // order of the feature.
        let known = if frame.whole && offer.missing.is_empty() {
            (offer.node.counts.to_vec(), offer.node.weight)
        } else {
            count(offer.known)
        };
        let missing = (!offer.missing.is_empty()).then(|| count(offer.missing));
        let node_weight = known.1 + missing.as_ref().map_or(0.0, |missing| missing.1);
        let (counts, weight) = match &missing {
            Some((missing, _)) if offer.own_branch => (
                known.0.iter().zip(missing).map(|(a, b)| a + b).collect(),
                node_weight,
            ),
            _ => known.clone(),
        };
        let floor = 1e-12 * measure.impurity(&counts, weight) + 1e-14 * weight;
        let base = Baseline {
            counts,
            weight,
            node_weight,
            whole: frame.whole,
        };
        let missing = missing.filter(|_| offer.own_branch);
        let missing_worth = missing
            .as_ref()
            .map_or(0.0, |(counts, n)| measure.worth(counts, *n));
        Self {
            measure,
            worth_before: measure.worth(&base.counts, base.weight) - missing_worth,
            tolerance: Score::tolerance(node_weight),
            base,
            known,
            missing,
            floor,
        }
    }
}

impl GroupJudge for ClassJudge<'_> {
    type Tally = (Vec<f64>, f64);

    fn empty(&self) -> Self::Tally {
        (vec![0.0; self.base.counts.len()], 0.0)
    }

    fn add(&self, tally: &mut Self::Tally, frame: &Frame<'_>, entry: u32) {
        let weight = frame.weight(entry);
        tally.0[frame.class(entry)] += weight;
        tally.1 += weight;
    }

    fn rest(&self, tally: &Self::Tally) -> Self::Tally {
        let counts = self
            .known
            .0
            .iter()
            .zip(&tally.0)
            .map(|(all, part)| (all - part).max(0.0));
        (counts.collect(), self.known.1 - tally.1)
    }

    fn is_behind(&self, low: &Self::Tally, best: &Score) -> bool {
        let weights = [low.1, self.known.1 - low.1];
        let worth = self.measure.worth_of_two(&low.0, &self.known.0, weights);
        let missing = self.missing.as_ref().map_or(0.0, |missing| missing.1);
        let groups = [weights[0], weights[1], missing];
        let rank = self
            .measure
            .rank(&self.base, worth - self.worth_before, &groups);
        rank < best.rank() * (1.0 - 1e-9) - self.tolerance
    }

    fn score(&self, groups: &[&Self::Tally]) -> Score {
        let all = groups.iter().copied().chain(self.missing.as_ref());
        let counts: Vec<&[f64]> = all.clone().map(|tally| tally.0.as_slice()).collect();
        let weights: Vec<f64> = all.map(|tally| tally.1).collect();
        self.measure.score(&self.base, &counts, &weights)
    }

    fn floor(&self) -> f64 {
        self.floor
    }
}

/// Sums of numbers, relative to the mean of the node.
struct SquaredJudge {
    mean: f64,
    known: Sum,
    before: f64,
    missing: f64,
    floor: f64,
}

impl SquaredJudge {
    fn new(offer: &Offer<'_>) -> Self {
        let mean = offer.node.mean;
        let sum = |entries: &[u32]| {
            let mut sum = Sum::default();
            let mut squares = 0.0;
            for &entry in entries {
                let (number, weight) =
                    (offer.frame.number(entry) - mean, offer.frame.weight(entry));
                sum.add(number, weight);
                squares += weight * number * number;
            }
            (sum, squares)
        };
        let (known, squares) = sum(offer.known);
        let (missing, missing_squares) = sum(offer.missing);
        if offer.own_branch {
            let all = Sum {
                sum: known.sum + missing.sum,
                weight: known.weight + missing.weight,
            };
            let floor = 1e-12 * (squares + missing_squares);
            return Self {
                mean,
                known,
                before: all.worth(),
                missing: missing.worth(),
                floor,
            };
        }
        Self {
            mean,
            known,
            before: known.worth(),
            missing: 0.0,
            floor: 1e-12 * squares,
        }
    }
}

impl GroupJudge for SquaredJudge {
    type Tally = Sum;

    fn empty(&self) -> Sum {
        Sum::default()
    }

    fn add(&self, tally: &mut Sum, frame: &Frame<'_>, entry: u32) {
        tally.add(frame.number(entry) - self.mean, frame.weight(entry));
    }

    fn rest(&self, tally: &Sum) -> Sum {
        self.known.without(*tally)
    }

    fn score(&self, groups: &[&Sum]) -> Score {
        let worth: f64 = groups.iter().map(|sum| sum.worth()).sum();
        Score::rounded(worth + self.missing - self.before)
    }

    fn floor(&self) -> f64 {
        self.floor
    }
}

/// Distances from medians.
struct AbsoluteJudge {
    mean: f64,
    all_of_known: f64,
    /// What setting the missing rows apart lowers the deviation by.
    missing_drop: f64,
    floor: f64,
}

impl AbsoluteJudge {
    fn new(offer: &Offer<'_>) -> Self {
        let deviation = |parts: &[&[u32]]| {
            let mut median = RunningMedian::default();
            for &entry in parts.iter().copied().flatten() {
                median.add(offer.weighed(entry));
            }
            median.deviation()
        };
        let all_of_known = deviation(&[offer.known]);
        let mean = offer.node.mean;
        let distances = offer.known.iter().chain(offer.missing).map(|&entry| {
            let Weighed { number, weight } = offer.weighed(entry);
            weight * number.abs()
        });
        let rounding = 1e-14 * distances.sum::<f64>();
        if offer.own_branch {
            let all = deviation(&[offer.known, offer.missing]);
            let missing_drop = all - all_of_known - deviation(&[offer.missing]);
            return Self {
                mean,
                all_of_known,
                missing_drop,
                floor: 1e-12 * all + rounding,
            };
        }
        Self {
            mean,
            all_of_known,
            missing_drop: 0.0,
            floor: 1e-12 * all_of_known + rounding,
        }
    }
}

impl GroupJudge for AbsoluteJudge {
    type Tally = RunningMedian;

    fn empty(&self) -> RunningMedian {
        RunningMedian::default()
    }

    fn add(&self, tally: &mut RunningMedian, frame: &Frame<'_>, entry: u32) {
        let number = frame.number(entry) - self.mean;
        tally.add(Weighed {
            number,
            weight: frame.weight(entry),
        });
    }

    fn rest(&self, _tally: &RunningMedian) -> RunningMedian {
        unreachable!("medians cannot be subtracted; cuts and categories have their own way")
    }

    fn rest_of(
        &self,
        offer: &Offer<'_>,
        _tally: &RunningMedian,
        group: &Range<usize>,
    ) -> RunningMedian {
        let mut rest = RunningMedian::default();
        for &entry in offer.known[..group.start]
            .iter()
            .chain(&offer.known[group.end..])
        {
            rest.add(offer.weighed(entry));
        }
        rest
    }

    fn score(&self, groups: &[&RunningMedian]) -> Score {
        let deviation: f64 = groups.iter().map(|group| group.deviation()).sum();
        Score::rounded(self.all_of_known - deviation + self.missing_drop)
    }

    fn floor(&self) -> f64 {
        self.floor
    }
}
