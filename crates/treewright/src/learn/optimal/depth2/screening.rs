//! Screening: which features of a large table matter, before they are sorted.
//!
//! **Problem.** To sort all features of a large table takes longer than to find the best tree of depth two.
//!
//! **Method.** Bins need no order. Some dozens of numbers from a sample of the rows divide a feature into bins, and
//! each row finds its bin by comparing. Histograms of these bins give lower bounds of all trees, and the values of
//! some. A feature that is in no tree that could be as good as the best of these is not sorted. For the others the
//! search begins with these lower bounds.

use super::DepthTwo;
use super::cut_range::ChildRange;
use super::histogram::bins::{Bin, Bins, FeatureBins, even, shares};
use super::histogram::{ChildHistogram, Histogram, Spare};
use super::simd::Lane;
use crate::learn::optimal::problem::{RankTable, RootSplit, RowSet, Sketch, TreeIncumbent};

/// Rows of the sample for each bin.
const SAMPLED: usize = 64;
/// After this many rows: is there still a bin with only one number?
const CHECKED: usize = 1 << 12;
/// Cuts in a group, and groups.
const GROUP: usize = 8;

/// What screening has found.
#[derive(Debug)]
pub(crate) struct Screened {
    /// The features that matter, rising.
    features: Vec<usize>,
    /// All trees that split on another feature have a larger value than this.
    value: u64,
    /// Each of the features that matter as a root.
    roots: Vec<ScreenedRoot>,
}

/// A root feature, by histograms of bins.
#[derive(Debug)]
struct ScreenedRoot {
    /// By rising cuts.
    lanes: Vec<ScreenedLane>,
    /// What all rows cost at least by each child alone.
    shallower_by_child: Vec<u64>,
    /// What all rows cost at least by any child, or as a leaf.
    shallower: u64,
}

/// The cuts of a root from a number on and before that of the next lane.
#[derive(Debug)]
struct ScreenedLane {
    /// Nothing is below the first one.
    from: f64,
    /// The cuts as ranks of bins: ranks of numbers are not known before the feature is sorted.
    range: ChildRange,
    /// What a tree costs that is cut at this number.
    value: u64,
}

impl Screened {
    /// The features that matter, rising.
    pub(crate) fn features(&self) -> &[usize] {
        &self.features
    }

    /// All trees that split on another feature have a larger value than this.
    pub(crate) fn value(&self) -> u64 {
        self.value
    }

    /// What is known of a root in the table with the features that matter: ranges of cuts, and trees that exist.
    pub(crate) fn ranges(
        &self,
        table: &RankTable<'_>,
        root: usize,
        incumbent: &TreeIncumbent,
    ) -> (Vec<ChildRange>, u64) {
        let far = &self.roots[root];
        let n_ranks = table.whole().cells()[root].n_ranks() as u32;
        let ranks = far.lanes.iter().map(|lane| table.rank_of(root, lane.from));
        let ranks: Vec<u32> = ranks.chain(std::iter::once(n_ranks)).collect();
        let mut ranges = Vec::new();
        for (lane, ranks) in far.lanes.iter().zip(ranks.windows(2)) {
            let [from, to] = [ranks[0], ranks[1]];
            // Bins without rows are no ranges, and a cut has rows on both sides.
            if (1..n_ranks).contains(&from) && lane.value <= incumbent.value() {
                incumbent.offer(lane.value, RootSplit::at(root, from).alone());
            }
            if from.max(1) < to {
                let by_child = lane.range.payload().clone();
                let cuts = [from.max(1), to - 1];
                ranges.push(ChildRange::new(root, cuts, lane.range.sides(), 0, by_child));
            }
        }
        (ranges, far.shallower)
    }
}

impl ScreenedRoot {
    fn new<T: Lane>(histogram: &Histogram<T>, cuts: &[f64]) -> Self {
        let starts = std::iter::once(f64::NEG_INFINITY).chain(cuts.iter().copied());
        let lane = |(at, from): (usize, f64)| {
            let of_child = |child: &ChildHistogram<T>| histogram.sides_by(child, at);
            let by_child = histogram.children().iter().map(of_child).collect();
            let (cuts, sides) = (histogram.cuts_of(at), histogram.sides(at));
            ScreenedLane {
                from,
                range: ChildRange::new(histogram.root(), cuts, sides, 0, by_child),
                value: histogram.value(at),
            }
        };
        Self {
            lanes: starts.enumerate().map(lane).collect(),
            shallower_by_child: histogram
                .children()
                .iter()
                .map(ChildHistogram::lower_of_all)
                .collect(),
            shallower: histogram.shallower(),
        }
    }

    /// What was screened, for some of the children only.
    fn only(mut self, children: &[usize]) -> Self {
        for lane in &mut self.lanes {
            let by_child = lane.range.payload_mut();
            *by_child = children.iter().map(|&child| by_child[child]).collect();
        }
        self
    }
}

impl DepthTwo<'_> {
    /// Screens a table, given the numbers of all rows in all features. `None` if time is up.
    pub(crate) fn screen(self, rows: &RowSet, columns: &[&[f64]]) -> Option<Screened> {
        let most = rows.weight().max(rows.len() as u64) * self.context.rule.most().max(2) as u64;
        if most <= i32::LARGEST {
            self.screen_in::<i32>(rows, columns)
        } else {
            self.screen_in::<i64>(rows, columns)
        }
    }

    fn screen_in<T: Lane>(self, rows: &RowSet, columns: &[&[f64]]) -> Option<Screened> {
        let shares = shares(rows);
        // Cuts inside of an open bin are as many as a tree can have.
        let open = self.context.rule.most().max(2) as u32;
        let parted = self.map(columns, |_: &mut Spare<T>, numbers| {
            if self.budget.is_spent() {
                return None;
            }
            let cuts = cuts(numbers, rows, &shares, self.context.switches.sizes.many);
            let bins = feature_bins(self.context.arch, numbers, &cuts, open);
            Some((cuts, bins))
        });
        let parted: Vec<_> = parted.into_iter().collect::<Option<_>>()?;
        let (cuts, bins): (Vec<_>, Vec<_>) = parted.into_iter().unzip();
        let bins = Bins::given(bins);
        let incumbent = TreeIncumbent::below(u64::MAX, false);
        incumbent.offer(self.context.leaf(rows)?, Sketch::Leaf);
        let children: Vec<_> = (0..columns.len()).map(|child| (child, [true; 2])).collect();
        let roots = self.map(&children, |spare: &mut Spare<T>, &(root, _)| {
            if self.budget.is_spent() {
                return None;
            }
            let histogram = Histogram::first(self.context, rows, &bins, root, &children, spare);
            // Some sides may be empty: then a tree without that cut is better still.
            for lane in 0..histogram.n_ranges() {
                incumbent.offer(histogram.value(lane), Sketch::Leaf);
            }
            let far = ScreenedRoot::new(&histogram, &cuts[root]);
            histogram.recycle(spare);
            Some(far)
        });
        let roots: Vec<ScreenedRoot> = roots.into_iter().collect::<Option<_>>()?;
        let value = incumbent.value();
        let is_wanted = wanted(&roots, value);
        let features: Vec<usize> = (0..columns.len()).filter(|&at| is_wanted[at]).collect();
        let roots = roots
            .into_iter()
            .zip(is_wanted)
            .filter(|(_, is_wanted)| *is_wanted);
        Some(Screened {
            roots: roots.map(|(far, _)| far.only(&features)).collect(),
            features,
            value,
        })
    }
}

/// Is there a tree with the feature whose value may be as small?
fn wanted(roots: &[ScreenedRoot], value: u64) -> Vec<bool> {
    let mut is_wanted = vec![false; roots.len()];
    for (root, far) in roots.iter().enumerate() {
        for lane in &far.lanes {
            let [low, high] = lane.range.sides();
            if low + high > value {
                continue;
            }
            is_wanted[root] = true;
            for (is_wanted, by_child) in is_wanted.iter_mut().zip(lane.range.payload()) {
                // A child that is ruled out has the largest number that there is.
                let least = by_child[0].saturating_add(high);
                *is_wanted |= least.min(by_child[1].saturating_add(low)) <= value;
            }
        }
        for (is_wanted, &least) in is_wanted.iter_mut().zip(&far.shallower_by_child) {
            *is_wanted |= least <= value;
        }
    }
    is_wanted
}

/// Numbers that part the rows in up to `most` bins with about the same share, as a sample has it. A number with
/// more than its share begins a bin, and the one after it does not contain it.
fn cuts(numbers: &[f64], rows: &RowSet, shares: &[f32], most: usize) -> Vec<f64> {
    let step = numbers.len().div_ceil(SAMPLED * most);
    let row = |row: usize| {
        let label = rows.labels()[row];
        let share = shares[label.class as usize] * label.weight as f32;
        (numbers[row], f64::from(share))
    };
    let mut sample: Vec<(f64, f64)> = (0..numbers.len()).step_by(step).map(row).collect();
    sample.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let groups: Vec<&[(f64, f64)]> = sample.chunk_by(|a, b| a.0 == b.0).collect();
    let mut sum = 0.0;
    let mut below = vec![0.0];
    for group in &groups {
        sum += group.iter().map(|(_, share)| share).sum::<f64>();
        below.push(sum);
    }
    let is_heavy = |bin: &Bin| !bin.is_open() && groups[bin.start() as usize].len() > 1;
    let parted = |most: usize| {
        let mut cuts = Vec::new();
        let mut was_heavy = false;
        for bin in even(&below, most) {
            let number = groups[bin.start() as usize][0].0;
            if was_heavy && !is_heavy(&bin) {
                let last: f64 = cuts[cuts.len() - 1];
                cuts.push(last.next_up());
            } else if bin.start() > 0 || is_heavy(&bin) {
                cuts.push(number);
            }
            was_heavy = is_heavy(&bin);
        }
        if was_heavy {
            cuts.push(cuts[cuts.len() - 1].next_up());
        }
        cuts.dedup();
        cuts
    };
    let cuts = parted(most);
    if cuts.len() < most {
        cuts
    } else {
        // No cut but one comes on top of those before each bin.
        parted(most.saturating_sub(2).max(1))
    }
}

/// The bins between cuts, with as many ranks as are needed to tell open ones from others.
fn feature_bins(arch: pulp::Arch, numbers: &[f64], cuts: &[f64], open: u32) -> FeatureBins {
    let of_row = arch.dispatch(OfRow { numbers, cuts });
    // Bins that have nothing but the number they begin with.
    let mut is_single = vec![true; cuts.len() + 1];
    is_single[0] = false;
    let starts: Vec<f64> = std::iter::once(f64::NAN)
        .chain(cuts.iter().copied())
        .collect();
    for (numbers, bins) in numbers.chunks(CHECKED).zip(of_row.chunks(CHECKED)) {
        for (&number, &bin) in numbers.iter().zip(bins) {
            is_single[bin as usize] &= number == starts[bin as usize];
        }
        if !is_single.contains(&true) {
            break;
        }
    }
    let mut start = 0;
    let bin = |is_single: bool| {
        let bin = Bin::new(start, start + if is_single { 1 } else { open }, !is_single);
        start = bin.end();
        bin
    };
    let bins: Vec<Bin> = is_single.into_iter().map(bin).collect();
    let starts = bins.iter().map(|bin| bin.start());
    let cuts = starts.chain(std::iter::once(start)).collect();
    FeatureBins::new(bins, of_row, cuts)
}

/// For each number how many of the cuts are not above it.
struct OfRow<'a> {
    numbers: &'a [f64],
    cuts: &'a [f64],
}

impl pulp::WithSimd for OfRow<'_> {
    type Output = Vec<u8>;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, simd: S) -> Vec<u8> {
        let mut cuts = [f64::INFINITY; GROUP * GROUP];
        cuts[..self.cuts.len()].copy_from_slice(self.cuts);
        let mut bins = vec![0; self.numbers.len()];
        let places = bins.iter_mut().zip(self.numbers);
        if size_of::<S::m64s>() == size_of::<u8>() && S::F64_LANES == GROUP {
            // The group first, then the place in it: all of them are compared at once.
            let last: [f64; GROUP] = std::array::from_fn(|group| cuts[group * GROUP + GROUP - 1]);
            let (last, groups) = (S::as_simd_f64s(&last).0[0], S::as_simd_f64s(&cuts).0);
            for (bin, &number) in places {
                let number = simd.splat_f64s(number);
                let n_up_to = |cuts| {
                    let is_up_to = simd.less_than_or_equal_f64s(cuts, number);
                    pulp::bytemuck::bytes_of(&is_up_to)[0].count_ones() as usize
                };
                let group = n_up_to(last) % GROUP;
                *bin = (group * GROUP + n_up_to(groups[group])) as u8;
            }
        } else {
            for (bin, &number) in places {
                let mut n_up_to = 0;
                for step in [32, 16, 8, 4, 2, 1] {
                    // Nothing branches on how they compare, which would be a coin toss.
                    let is_above = cuts[(n_up_to + step - 1) % cuts.len()] <= number;
                    n_up_to += step * usize::from(is_above);
                }
                *bin = n_up_to as u8;
            }
        }
        bins
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::cost::RowLosses;
    use crate::data::csv::CsvSource;
    use crate::data::{Dataset, ReadOptions};
    use crate::learn::optimal::Optimal;
    use crate::learn::optimal::depth2::histogram::bins::shares;
    use crate::learn::optimal::problem::{FeatureCells, Label, RankTable, RowSet};
    use crate::learn::optimal::switches::{Sizes, Switches};
    use crate::tree::{Fit, Tree};
    use fastrand::Rng;
    use std::fmt::Write as _;

    #[test]
    fn bins_hold_the_numbers_between_their_cuts() {
        let mut random = fastrand::Rng::with_seed(1);
        let (mut n_open, mut n_single) = (0, 0);
        for case in 0..2000 {
            let n_rows = random.usize(1..300);
            let n_different = [3, 30, 1000][case % 3];
            let mut number = || match random.u32(..n_different) {
                0 => 0.0,
                1 => -0.0,
                n if n % 3 == 0 => 1.0,
                n => f64::from(n) / 7.0 - 1.0,
            };
            let numbers: Vec<f64> = (0..n_rows).map(|_| number()).collect();
            let labels = numbers.iter().map(|_| Label {
                class: random.u32(..2),
                weight: random.u32(1..3),
            });
            let rows = RowSet::new(labels.collect(), vec![FeatureCells::default()], 2);
            let most = random.usize(1..=62);
            let cuts = cuts(&numbers, &rows, &shares(&rows), most);
            assert!(cuts.is_sorted_by(|a, b| a < b), "{cuts:?}");
            assert!(cuts.len() < most.max(2), "{} cuts for {most}", cuts.len());
            let found = feature_bins(pulp::Arch::new(), &numbers, &cuts, 4);
            assert!(found.are_lanes_bins());
            for (&number, &bin) in numbers.iter().zip(found.of_row()) {
                let expected = cuts.iter().filter(|&&cut| cut <= number).count();
                assert_eq!(bin as usize, expected);
            }
            for (at, bin) in found.bins().iter().enumerate() {
                assert_eq!(bin.is_open(), bin.end() - bin.start() == 4);
                n_open += u32::from(bin.is_open());
                n_single += u32::from(!bin.is_open());
                let mut within = numbers.iter().zip(found.of_row());
                let first = within.find(|&(_, &of)| of as usize == at);
                let is_same = |(&number, &of): (&f64, &u8)| {
                    of as usize != at || Some(number) == first.map(|(&first, _)| first)
                };
                assert!(bin.is_open() || within.all(is_same));
            }
        }
        assert!(n_open > 1000 && n_single > 1000, "{n_open} {n_single}");
    }

    /// Two features that tell the class, and others that do not; some have many equal numbers.
    fn table(rng: &mut Rng, n_classes: usize) -> Dataset {
        let n_rows = rng.usize(40..400);
        let n_features = rng.usize(2..7);
        let digits: Vec<usize> = (0..n_features).map(|_| rng.usize(0..4)).collect();
        let (noise, kind) = (rng.f64() * 0.3, rng.u8(..5));
        let last = |numbers: &[f64]| numbers[n_features - 1];
        let names: Vec<String> = (0..n_features).map(|at| format!("x{at}")).collect();
        let mut text = names.join(",") + ",weight,class\n";
        for _ in 0..n_rows {
            let numbers: Vec<f64> = digits.iter().map(|_| rng.f64() * 9.0 - 4.0).collect();
            for (number, &digits) in numbers.iter().zip(&digits) {
                write!(text, "{number:.digits$},").unwrap();
            }
            let told = match (kind, numbers[0] < 0.3) {
                (0, is_low) => usize::from(is_low) + 2 * usize::from(last(&numbers) < 1.0),
                // Only on one side is there anything else to split on.
                (1, true) | (2, false) => 0,
                (3, _) => last(&numbers).rem_euclid(4.0) as usize,
                _ => 1 + last(&numbers).rem_euclid(2.0) as usize,
            };
            let class = if rng.f64() < noise {
                rng.usize(..n_classes)
            } else {
                told % n_classes
            };
            writeln!(text, "{},c{class}", rng.u32(1..4)).unwrap();
        }
        let source = CsvSource::new(text.into(), b',').unwrap();
        let mut options = ReadOptions::default();
        if rng.bool() {
            options.reading.weight = Some("weight".to_owned());
        } else {
            options.drop.push("weight".to_owned());
        }
        Dataset::read(&source, &options).unwrap()
    }

    #[test]
    fn what_is_left_out_does_not_change_a_tree() {
        let mut rng = Rng::with_seed(5);
        let (mut n_all, mut n_left) = (0, 0);
        for case in 0..400 {
            let n_classes = 2 + case % 4;
            let data = table(&mut rng, n_classes);
            let learner = Optimal {
                intervals: [Some(2), Some(3), None][case / 4 % 3],
                leaf_cost: ["0", "1/100"][case % 2].parse().unwrap(),
                ..Optimal::default()
            };
            let never = Switches {
                screening: false,
                ..Switches::USUAL
            };
            let sizes = Sizes {
                screened_rows: 1,
                gathered_rows: 1,
                scanned_rows: rng.usize(1..100),
                many: rng
                    .usize(3..=62)
                    .min(data.n_rows() / 2 / data.columns().len()),
                ..Sizes::USUAL
            };
            let always = Switches {
                sizes,
                ..Switches::USUAL
            };
            let losses =
                RowLosses::new(&data, &learner.loss, "optimal trees", RowLosses::NARROW).unwrap();
            let unsorted = RankTable::new(&data, &losses, learner.leaf_size(&data));
            let encoding = learner
                .encoding(&unsorted, losses.scale, losses.is_whole)
                .unwrap();
            let budget = Budget::unlimited();
            let screened = learner
                .screen(&unsorted, encoding, &budget, always)
                .unwrap();
            n_all += data.columns().len();
            n_left += screened.features().len();
            let fit = |switches| learner.fit_with(&data, &budget, switches).unwrap();
            let (expected, found) = (fit(never), fit(always));
            assert_eq!(expected.model, found.model, "case {case}");
            let value = |fit: &Fit<Tree>| {
                let certificate = fit.certificate.as_ref().unwrap();
                (certificate.objective, certificate.lower_bound)
            };
            assert_eq!(value(&expected), value(&found), "case {case}");
            assert_eq!(value(&found).0, value(&found).1, "case {case}");
        }
        assert!(
            10 * n_left < 9 * n_all,
            "{n_left} of {n_all} features were left"
        );
    }
}
