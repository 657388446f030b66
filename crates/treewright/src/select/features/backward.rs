//! Backward elimination: features are taken away one at a time, while the error falls.
//!
//! In every step the feature whose absence lowers the error most is taken away. A feature that no tree
//! splits on need not be tried: without it nothing changes. Of the others only the parts of the tree below
//! their splits grow anew, and the error of the rest is known.

use std::sync::Arc;
use std::time::Instant;

use super::estimate::{Estimate, Samples, at_first};
use super::lattice::{Ground, Lattice, Top, bits};
use super::plain::Plain;
use super::{Selection, USUAL_BYTES};
use crate::budget::Budget;
use crate::data::Dataset;
use crate::error::Result;
use crate::learn::Greedy;

/// Backward elimination of features.
#[derive(Debug, Clone)]
pub struct Backward {
    /// How trees grow.
    pub greedy: Greedy,
    /// How subsets are judged.
    pub estimate: Estimate,
    /// Try every feature and grow every tree from its root: the same selection, slowly.
    pub plain: bool,
    /// Memory for what is shared between trees, in bytes.
    pub most_bytes: usize,
}

impl Backward {
    /// With the usual estimate.
    pub fn new(greedy: Greedy) -> Self {
        Self {
            greedy,
            estimate: Estimate::default(),
            plain: false,
            most_bytes: 2 * USUAL_BYTES,
        }
    }

    /// Selects features. A spent budget ends the elimination after the last complete step.
    pub fn select(&self, data: &Dataset, budget: &Budget) -> Result<Selection> {
        let start = Instant::now();
        let selection = self.selection(data, budget)?;
        let selection =
            selection.unwrap_or_else(|| Selection::of_nothing(data.columns().len(), None));
        Ok(Selection {
            time: start.elapsed(),
            ..selection
        })
    }

    /// The same; `None` if not even the trees of all features are known.
    fn selection(&self, data: &Dataset, budget: &Budget) -> Result<Option<Selection>> {
        let n_features = data.columns().len();
        let first = &at_first(data, budget);
        let Some(samples) = self.estimate.deal(&self.greedy, data, first)? else {
            return Ok(None);
        };
        let elimination = if self.plain {
            let Some(mut plain) = Plain::new(&self.greedy, &samples, first)? else {
                return Ok(None);
            };
            eliminate(&mut plain, n_features, budget)?
        } else {
            let Some(grounds) = Ground::all(&self.greedy, &samples, first)? else {
                return Ok(None);
            };
            let shared = Shared::new(grounds, n_features, self.most_bytes, first);
            let Some(mut shared) = shared else {
                return Ok(None);
            };
            eliminate(&mut shared, n_features, budget)?
        };
        Ok(Some(elimination.selection(&samples)))
    }
}

/// Trees of a set that shrinks, and their error.
pub(super) trait Eliminator {
    /// The features that may be worth trying, rising.
    fn candidates(&self) -> Vec<usize>;
    /// The features that the trees split on.
    fn used(&self) -> Vec<usize>;
    /// The error of the trees as they are.
    fn error(&self) -> i128;
    /// The error without a feature; `None` if the budget was spent on the way.
    fn try_without(&mut self, feature: usize, budget: &Budget) -> Result<Option<i128>>;
    /// Takes a feature away for good, unless the budget is spent on the way: then nothing changes.
    fn remove(&mut self, feature: usize, budget: &Budget) -> Result<bool>;
    /// How many trees one set has.
    fn trees_a_set(&self) -> u64;
}

/// How an elimination went.
pub(super) struct Elimination {
    pub(super) used: Vec<usize>,
    pub(super) removed: Vec<usize>,
    pub(super) error: i128,
    pub(super) first_error: i128,
    n_features: usize,
    sets_built: u64,
    sets_skipped: u64,
    trees_a_set: u64,
    stopped: bool,
}

/// Takes features away while that lowers the error; of equal ones the lowest.
pub(super) fn eliminate(
    trees: &mut impl Eliminator,
    n_features: usize,
    budget: &Budget,
) -> Result<Elimination> {
    let mut removed = Vec::new();
    let (mut sets_built, mut sets_skipped) = (1, 0);
    let first_error = trees.error();
    let mut stopped = false;
    let start = Instant::now();
    loop {
        let candidates = trees.candidates();
        let progress = budget.progress();
        progress.start(candidates.len() as u64);
        let mut best: Option<(i128, usize)> = None;
        for &feature in &candidates {
            let error = if budget.is_spent() {
                None
            } else {
                trees.try_without(feature, budget)?
            };
            let Some(error) = error else {
                stopped = true;
                break;
            };
            sets_built += 1;
            progress.advance(1);
            let (n_removed, n_used) = (removed.len(), trees.used().len());
            let n_trees = sets_built * trees.trees_a_set();
            let rate = n_trees as f64 / start.elapsed().as_secs_f64().max(1e-9);
            progress.tell(format!(
                "{n_removed} removed, {n_used} in use, {n_trees} trees, {rate:.0} a second"
            ));
            if best.is_none_or(|(least, _)| error < least) {
                best = Some((error, feature));
            }
        }
        sets_skipped += (n_features - removed.len() - candidates.len()) as u64;
        match best.filter(|&(error, _)| error < trees.error() && !stopped) {
            Some((_, feature)) => {
                if !trees.remove(feature, budget)? {
                    stopped = true;
                    break;
                }
                removed.push(feature);
            }
            None => break,
        }
    }
    budget.progress().tell(String::new());
    Ok(Elimination {
        used: trees.used(),
        removed,
        error: trees.error(),
        first_error,
        n_features,
        sets_built,
        sets_skipped,
        trees_a_set: trees.trees_a_set(),
        stopped,
    })
}

impl Elimination {
    fn selection(self, samples: &Samples) -> Selection {
        let is_left = |feature: &usize| {
            !self.removed.contains(feature) && self.used.binary_search(feature).is_err()
        };
        Selection {
            unused: (0..self.n_features).filter(is_left).collect(),
            selected: self.used,
            removed: self.removed,
            search_error: samples.rate(self.error),
            all_features_error: samples.rate(self.first_error),
            trees_built: self.sets_built * self.trees_a_set,
            trees_skipped: self.sets_skipped * self.trees_a_set,
            proof: None,
            stopped: self.stopped,
            time: std::time::Duration::ZERO,
        }
    }
}

/// Trees that share their parts.
pub(super) struct Shared<'a> {
    lattice: Lattice<'a>,
    set: Vec<u64>,
    tops: Vec<Top>,
    tried: Vec<Top>,
}

impl<'a> Shared<'a> {
    /// The trees of all features; `None` if the budget is spent before they have grown.
    pub(super) fn new(
        grounds: Arc<[Ground<'a>]>,
        n_features: usize,
        most_bytes: usize,
        budget: &Budget,
    ) -> Option<Self> {
        let mut lattice = Lattice::new(grounds, n_features, most_bytes);
        let set = bits::all(n_features);
        let mut tops = Vec::new();
        lattice.watch(Some(budget));
        lattice.grow(&set, &mut tops);
        let is_grown = !lattice.is_stopped();
        is_grown.then(|| Self {
            lattice,
            set,
            tops,
            tried: Vec::new(),
        })
    }
}

impl<'a> Shared<'a> {
    /// What has grown, for whoever goes on.
    pub(super) fn into_lattice(self) -> Lattice<'a> {
        self.lattice
    }
}

impl Eliminator for Shared<'_> {
    fn candidates(&self) -> Vec<usize> {
        self.used()
    }

    fn used(&self) -> Vec<usize> {
        let mut used = vec![0; self.set.len()];
        for top in &self.tops {
            bits::add_all(&mut used, top.used());
        }
        bits::iter(&used).collect()
    }

    fn error(&self) -> i128 {
        self.tops.iter().map(Top::error).sum()
    }

    fn try_without(&mut self, feature: usize, budget: &Budget) -> Result<Option<i128>> {
        self.lattice.forget_if_full(std::iter::once(&mut self.tops));
        self.lattice.watch(Some(budget));
        bits::remove(&mut self.set, feature);
        self.lattice
            .without(feature, &self.set, &self.tops, &mut self.tried);
        bits::add(&mut self.set, feature);
        let is_grown = !self.lattice.is_stopped();
        Ok(is_grown.then(|| self.tried.iter().map(Top::error).sum()))
    }

    fn remove(&mut self, feature: usize, budget: &Budget) -> Result<bool> {
        self.lattice.watch(Some(budget));
        bits::remove(&mut self.set, feature);
        self.lattice
            .without(feature, &self.set, &self.tops, &mut self.tried);
        if self.lattice.is_stopped() {
            bits::add(&mut self.set, feature);
            return Ok(false);
        }
        std::mem::swap(&mut self.tops, &mut self.tried);
        Ok(true)
    }

    fn trees_a_set(&self) -> u64 {
        self.tops.len() as u64
    }
}
