//! Greedy trees in the manner of CART and C4.5: at every node the split that gains most there.
//!
//! `docs/algorithms/greedy.md` says exactly which splits there are, what they gain, and which one is taken.
//! The way through this folder:
//!
//! | folder | what it does |
//! |---|---|
//! | `deadline` | time and memory while a node is split |
//! | `problem` | the rows, sorted once by every feature, with labels and weights |
//! | `split` | the best split of a node: candidates, what they are worth, the chosen one |
//! | `grow` | the stack of nodes, threads, and the finished tree |
//! | `splitter` | single nodes, for searches over sets of features |
//!
//! Work: one sort a feature, then for every level of the tree one scan and one parting of each list.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use serde_json::json;

use self::deadline::SplitDeadline;
use self::grow::Grower;
use self::grow::summary::Summaries;
use self::problem::frame::{Frame, Labels};
pub(super) use self::problem::lists::{Packing, is_tie, sorted_list_in_time};
use self::split::measure::{Logs, Measure};
pub(crate) use self::split::search::{CandidateSplit, FeatureResult};
use self::split::search::{Judge, SplitSearch};
pub(crate) use self::splitter::orders::Lists;
pub(crate) use self::splitter::{NodeRows, Splitter, Workspace};
use crate::budget::Budget;
use crate::cost::Loss;
use crate::data::{Column, Dataset, Target};
use crate::error::{Error, Result, quoted};
use crate::learn::Learner;
use crate::tree::{Fit, LearnerInfo, LearnerKind, Params, Training, Tree};

mod deadline;
mod grow;
mod problem;
mod split;
mod splitter;

/// Parameters of the greedy learner.
#[derive(Debug, Clone, PartialEq)]
pub struct Greedy {
    /// How good a split is; `None` takes gini for classes and mse for numbers.
    pub criterion: Option<Criterion>,
    /// Number of bins of the target for [`Criterion::BinnedGini`].
    pub bins: usize,
    /// What a leaf predicts in regression.
    pub predict: Summary,
    /// Longest way from the root to a leaf; `None` is unlimited.
    pub max_depth: Option<usize>,
    /// A node with fewer rows is a leaf.
    pub min_split: usize,
    /// A split must leave at least this many rows in every child.
    pub min_leaf: usize,
    /// And at least this share of the weight of all rows.
    pub min_leaf_weight: f64,
    /// A split must gain at least this much at its node.
    pub min_gain: f64,
    /// What happens to rows whose value is missing.
    pub missing: MissingPolicy,
    /// How categorical features are split.
    pub categorical_splits: CategoricalSplits,
    /// Also take splits that gain nothing.
    pub zero_gain: bool,
    /// What wrong predictions cost: decides the class of a leaf.
    pub loss: Loss,
}

/// The shortcuts of the learner. Tests switch them off: that must not change the tree.
#[doc(hidden)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GreedySwitches {
    /// Features with few values are counted while nodes are large.
    pub counting: bool,
    /// Rows that count as one each are scanned by a loop made for the criterion.
    pub scanning: bool,
    /// Cuts that cannot win are passed over, most of them in blocks.
    pub skipping: bool,
    /// A feature gives up what cannot reach the best split of the features before it.
    pub floor: bool,
    /// Subtrees grow as tasks with frames of their own.
    pub tasks: bool,
}

impl GreedySwitches {
    /// The way the learner works.
    pub const ALL: Self = Self {
        counting: true,
        scanning: true,
        skipping: true,
        floor: true,
        tasks: true,
    };
    /// The plain way.
    pub const NONE: Self = Self {
        counting: false,
        scanning: false,
        skipping: false,
        floor: false,
        tasks: false,
    };
}

/// How good a split is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Criterion {
    /// Gini impurity.
    Gini,
    /// Information gain, in bits.
    Entropy,
    /// Information gain divided by the information of the split itself.
    GainRatio,
    /// Share of rows outside the majority.
    Error,
    /// Mean squared error (regression).
    Mse,
    /// Mean absolute error (regression).
    Mae,
    /// Gini impurity of the binned target (regression).
    BinnedGini,
}

/// What a leaf predicts in regression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Summary {
    /// The weighted mean.
    #[default]
    Mean,
    /// The weighted median.
    Median,
}

/// What happens to rows whose value is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingPolicy {
    /// They go to all children, in proportion.
    #[default]
    Distribute,
    /// They have a child of their own.
    Branch,
    /// They go to the heaviest child.
    Majority,
}

/// How categorical features are split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CategoricalSplits {
    /// One child for each category.
    #[default]
    Multiway,
    /// One category against the others.
    OneVsRest,
}

impl Default for Greedy {
    fn default() -> Self {
        Self {
            criterion: None,
            bins: 32,
            predict: Summary::Mean,
            max_depth: None,
            min_split: 2,
            min_leaf: 1,
            min_leaf_weight: 0.0,
            min_gain: 0.0,
            missing: MissingPolicy::Distribute,
            categorical_splits: CategoricalSplits::Multiway,
            zero_gain: false,
            loss: Loss::ZeroOne,
        }
    }
}

/// Refuses what is not a share that two leaves can have.
pub(super) fn check_min_leaf_weight(share: f64) -> Result<()> {
    if (0.0..=0.5).contains(&share) {
        return Ok(());
    }
    let allowed = "a share of the weight of all rows, from 0 to 0.5";
    Err(Error::parameter("min-leaf-weight", share, allowed))
}

/// The least weight of a leaf, a little below the share: sums of weights may be off by their rounding.
fn least_weight(share: f64, data: &Dataset) -> f64 {
    const SLACK: f64 = 1e-12;
    if share == 0.0 {
        return 0.0;
    }
    (share - SLACK) * data.total_weight()
}

impl Learner for Greedy {
    fn fit(&self, data: &Dataset, budget: &Budget) -> Result<Fit<Tree>> {
        self.fit_by(data, budget, GreedySwitches::ALL)
    }
}

impl Greedy {
    /// Learns with some of the shortcuts only.
    #[doc(hidden)]
    pub fn fit_by(
        &self,
        data: &Dataset,
        budget: &Budget,
        switches: GreedySwitches,
    ) -> Result<Fit<Tree>> {
        self.check(data)?;
        let start = Instant::now();
        let has_missing: Arc<[bool]> = data.columns().iter().map(Column::has_missing).collect();
        let (tree, stopped) = self.grow(data, &has_missing, budget, switches)?;
        let seconds = start.elapsed();
        let mut learner = self.info(data);
        if stopped {
            learner.params.stop_learning();
        }
        let training = if has_missing.contains(&true) {
            Training::of(&tree, data)
        } else {
            Training::of_leaves(&tree, data)
        };
        let training = training.taking(seconds);
        if !training.cost.is_finite() {
            return Err(Error::schema(
                "the costs are too large: their sum over the rows is not a finite number",
            ));
        }
        Ok(Fit {
            model: tree,
            learner,
            training,
            certificate: None,
        })
    }

    /// Refuses parameters that make no sense, alone or with this data.
    pub fn check(&self, data: &Dataset) -> Result<()> {
        let has_classes = match data.target() {
            Target::Classes(_) => true,
            Target::Numbers(_) => false,
            Target::Absent => return Err(Error::schema("the table has no target to learn")),
        };
        data.require_rows_and_features()?;
        let at_least = |name, given: usize, least: usize| match given {
            given if given < least => {
                Err(Error::parameter(name, given, format!("at least {least}")))
            }
            _ => Ok(()),
        };
        at_least("min-split", self.min_split, 2)?;
        at_least("min-leaf", self.min_leaf, 1)?;
        at_least("bins", self.bins, 2)?;
        check_min_leaf_weight(self.min_leaf_weight)?;
        if self.bins > 1 << 16 {
            return Err(Error::parameter("bins", self.bins, "at most 65536"));
        }
        if !self.min_gain.is_finite() || self.min_gain < 0.0 {
            let allowed = "a number that is not negative";
            return Err(Error::parameter("min-gain", self.min_gain, allowed));
        }
        let criterion = self.criterion(data);
        if criterion.is_for_classes() != has_classes {
            let allowed = if has_classes {
                "gini, entropy, gain-ratio or error for a classification target"
            } else {
                "mse, mae or binned-gini for a regression target"
            };
            return Err(Error::parameter("criterion", criterion.name(), allowed));
        }
        match &self.loss {
            Loss::Matrix(_) if !has_classes => {
                Err(Error::schema("costs need a classification target"))
            }
            Loss::Matrix(matrix) if matrix.n_classes() != data.schema().classes().len() => {
                Err(Error::schema(format!(
                    "costs for {} classes, but the target has {}",
                    matrix.n_classes(),
                    data.schema().classes().len()
                )))
            }
            Loss::Squared if has_classes => {
                Err(Error::schema("squared loss needs a number target"))
            }
            _ => check_range(data),
        }
    }

    fn criterion(&self, data: &Dataset) -> Criterion {
        self.criterion.unwrap_or(match data.target() {
            Target::Numbers(_) => Criterion::Mse,
            Target::Classes(_) | Target::Absent => Criterion::Gini,
        })
    }

    /// The tree, and whether the budget ended its growth.
    fn grow(
        &self,
        data: &Dataset,
        has_missing: &Arc<[bool]>,
        budget: &Budget,
        switches: GreedySwitches,
    ) -> Result<(Tree, bool)> {
        let criterion = self.criterion(data);
        let n_nodes = 2 * data.n_rows();
        let frame = self.frame(data, has_missing, switches, budget)?;
        let summaries = match data.target() {
            Target::Numbers(_) => Summaries::Numbers {
                answer: self.predict,
                bins: criterion == Criterion::BinnedGini,
            },
            Target::Classes(_) | Target::Absent => Summaries::Classes(&self.loss),
        };
        let n_classes = frame.as_ref().map_or(0, Frame::n_classes);
        let grower = Grower {
            schema: data.schema(),
            search: self.search(data, switches, SplitDeadline::new(budget)),
            summaries,
            max_depth: self.max_depth.unwrap_or(usize::MAX),
            min_split: self.min_split,
            budget,
            stopped: AtomicBool::new(false),
            n_nodes: AtomicUsize::new(1),
            n_classes,
            most_nodes: most_nodes(n_classes, n_nodes, budget),
        };
        let Some(frame) = frame else {
            let bare = self.bare_frame(data)?;
            return Ok((grower.only_leaf(&bare)?, true));
        };
        let tree = grower.grow(frame)?;
        Ok((tree, grower.stopped.load(Ordering::Relaxed)))
    }

    /// All rows of a table, without the features.
    fn bare_frame<'a>(&self, data: &'a Dataset) -> Result<Frame<'a>> {
        let labels = self.labels(data, self.criterion(data));
        let (n_rows, weights) = (data.n_rows(), data.weights());
        let whole = data.has_whole_weights();
        let unlimited = Budget::unlimited();
        let frame = Frame::new(
            &[],
            Arc::new([]),
            n_rows,
            labels,
            weights,
            whole,
            false,
            &unlimited,
        );
        frame?.ok_or_else(|| no_room(data))
    }

    /// All rows of a table in their working form; `None` if time or memory does not suffice.
    fn frame<'a>(
        &self,
        data: &'a Dataset,
        has_missing: &Arc<[bool]>,
        switches: GreedySwitches,
        budget: &Budget,
    ) -> Result<Option<Frame<'a>>> {
        let criterion = self.criterion(data);
        Frame::new(
            data.columns(),
            Arc::clone(has_missing),
            data.n_rows(),
            self.labels(data, criterion),
            data.weights(),
            data.has_whole_weights(),
            criterion.can_count() && switches.counting,
            budget,
        )
    }

    /// What decides about splits.
    fn search(
        &self,
        data: &Dataset,
        switches: GreedySwitches,
        deadline: SplitDeadline,
    ) -> SplitSearch {
        SplitSearch {
            judge: judge(self.criterion(data), data),
            missing: self.missing,
            categorical: self.categorical_splits,
            min_leaf: self.min_leaf,
            min_weight: least_weight(self.min_leaf_weight, data),
            min_gain: self.min_gain,
            zero_gain: self.zero_gain,
            switches,
            deadline,
        }
    }

    fn labels<'a>(&self, data: &'a Dataset, criterion: Criterion) -> Labels<'a> {
        match data.target() {
            Target::Classes(classes) => Labels {
                classes: Cow::Borrowed(classes),
                n_classes: data.schema().classes().len(),
                numbers: Cow::Borrowed(&[]),
            },
            Target::Numbers(numbers) => {
                let binned = criterion == Criterion::BinnedGini;
                Labels {
                    classes: if binned {
                        bins(numbers, self.bins).into()
                    } else {
                        Cow::default()
                    },
                    n_classes: if binned { self.bins } else { 0 },
                    numbers: Cow::Borrowed(numbers),
                }
            }
            Target::Absent => unreachable!("checked before"),
        }
    }

    /// The name and the parameters as they go into a model file: those that have a say for these rows.
    pub fn info(&self, data: &Dataset) -> LearnerInfo {
        let criterion = self.criterion(data);
        let mut params = Params::default();
        params.insert("criterion", criterion.name());
        if criterion == Criterion::BinnedGini {
            params.insert("bins", self.bins);
        }
        if !criterion.is_for_classes() {
            params.insert("predict", self.predict.name());
        }
        params.insert("max_depth", json!(self.max_depth));
        params.insert("min_split", self.min_split);
        params.insert("min_leaf", self.min_leaf);
        if self.min_leaf_weight > 0.0 {
            params.insert("min_leaf_weight", self.min_leaf_weight);
        }
        params.insert("min_gain", self.min_gain);
        params.insert("missing", self.missing.name());
        params.insert("categorical_splits", self.categorical_splits.name());
        params.insert("zero_gain", self.zero_gain);
        LearnerInfo {
            kind: LearnerKind::Greedy,
            params,
        }
    }
}

/// How many nodes a tree may have, for their counts of classes to fit into memory: once while it grows, and once
/// when it is put together.
fn most_nodes(n_classes: usize, n_nodes: usize, budget: &Budget) -> usize {
    /// What can grow to this needs no limit.
    const LITTLE: usize = 64_000_000;
    let per_node = 2 * size_of::<f64>() * n_classes;
    if per_node.saturating_mul(n_nodes) <= LITTLE {
        return usize::MAX;
    }
    let room = usize::try_from(budget.room()).unwrap_or(usize::MAX);
    room / per_node.max(1)
}

/// There is no memory for the sorted lists of a table.
fn no_room(data: &Dataset) -> Error {
    let megabytes = (data.n_rows() * 4 * (data.columns().len() + 8)).div_ceil(1_000_000);
    Error::schema(format!(
        "the sorted columns of the table need {megabytes} MB, which are not there"
    ))
}

/// Refuses numbers so far apart that sums of their squared differences are not finite.
fn check_range(data: &Dataset) -> Result<()> {
    let Target::Numbers(numbers) = data.target() else {
        return Ok(());
    };
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let range = largest - least;
    if (range.max(1.0).powi(2) * data.total_weight()).is_finite() {
        return Ok(());
    }
    Err(Error::schema(format!(
        "column {}: the target goes from {least:e} to {largest:e}, and squares of such differences \
         are not finite numbers",
        quoted(&data.schema().target.name)
    )))
}

fn judge(criterion: Criterion, data: &Dataset) -> Judge {
    /// Larger numbers are rare enough to be worked out when they come up.
    const LARGEST_TABLED: f64 = (1 << 20) as f64;
    let logs = || {
        let weight = data.total_weight();
        // Scans of plain rows look every number up; there a table entry a row is affordable.
        let tabled = if data.weights().is_none() {
            weight
        } else {
            weight.min(LARGEST_TABLED)
        };
        Logs::new(
            weight,
            if data.has_whole_weights() {
                tabled as usize
            } else {
                0
            },
        )
    };
    match criterion {
        Criterion::Gini | Criterion::BinnedGini => Judge::Classes(Measure::Gini),
        Criterion::Entropy => Judge::Classes(Measure::Entropy(logs())),
        Criterion::GainRatio => Judge::Classes(Measure::GainRatio(logs())),
        Criterion::Error => Judge::Classes(Measure::Error),
        Criterion::Mse => Judge::Squared,
        Criterion::Mae => Judge::Absolute,
    }
}

/// The bin of each number: equal widths between the least and the largest of them.
fn bins(numbers: &[f64], n_bins: usize) -> Vec<u32> {
    let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Halves, so that the width of the widest range does not overflow.
    let width = high / 2.0 - low / 2.0;
    let bin = |number: f64| {
        let place = if width > 0.0 {
            (number / 2.0 - low / 2.0) / width
        } else {
            0.0
        };
        ((place * n_bins as f64) as u32).min(n_bins as u32 - 1)
    };
    numbers.iter().map(|&number| bin(number)).collect()
}

impl Criterion {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gini => "gini",
            Self::Entropy => "entropy",
            Self::GainRatio => "gain-ratio",
            Self::Error => "error",
            Self::Mse => "mse",
            Self::Mae => "mae",
            Self::BinnedGini => "binned-gini",
        }
    }

    /// Can features with few values be judged by counting?
    fn can_count(self) -> bool {
        matches!(self, Self::Gini | Self::Entropy | Self::BinnedGini)
    }

    fn is_for_classes(self) -> bool {
        matches!(
            self,
            Self::Gini | Self::Entropy | Self::GainRatio | Self::Error
        )
    }
}

impl Summary {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Median => "median",
        }
    }
}

impl MissingPolicy {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Distribute => "distribute",
            Self::Branch => "branch",
            Self::Majority => "majority",
        }
    }
}

impl CategoricalSplits {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Multiway => "multiway",
            Self::OneVsRest => "one-vs-rest",
        }
    }
}
