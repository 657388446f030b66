//! Every distinct tree over the subsets of the features, exactly once.

use std::time::{Duration, Instant};

use super::enumerate::{Enumeration, Order, Start};
use crate::select::held_out::LossUnits;
use super::lattice::{Ground, Sample, bits};
use crate::budget::Budget;
use crate::data::{Dataset, Target};
use crate::error::{Error, Result};
use crate::learn::Greedy;
use crate::tree::Tree;

/// The distinct trees that the greedy learner grows over the subsets of the features.
#[derive(Debug, Clone, PartialEq)]
pub struct Distinct {
    /// How trees grow.
    pub greedy: Greedy,
    /// In which order features are taken away.
    pub order: Order,
    /// Memory for what is shared between trees, in bytes, for each thread.
    pub most_bytes: usize,
}

/// One of the distinct trees.
#[derive(Debug, Clone, PartialEq)]
pub struct DistinctTree {
    /// The features that it splits on, rising.
    pub features: Vec<usize>,
    /// The tree.
    pub tree: Tree,
}

/// How many distinct trees there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// Features of the table.
    pub n_features: usize,
    /// Distinct trees.
    pub distinct: u64,
    /// Trees that were built to find them.
    pub built: u64,
    /// Trees that use exactly 0, 1, 2, ... features.
    pub by_size: Vec<u64>,
    /// Are these all trees?
    pub complete: bool,
    /// Time that it took.
    pub time: Duration,
}

impl Count {
    pub fn new(n_features: usize) -> Self {
        Self {
            n_features,
            distinct: 0,
            built: 0,
            by_size: vec![0; n_features + 1],
            complete: false,
            time: Duration::ZERO,
        }
    }
}

impl Distinct {
    pub fn count(&self, data: &Dataset, budget: &Budget) -> Result<Count> {
        let start = Instant::now();
        let sample = Sample::new(data.clone(), None);
        let units = LossUnits::of(data, &self.greedy.loss, 1);
        let grounds = [Ground::new(&self.greedy, &sample, units)?];
        let n = data.columns().len();
        let mut count = Count::new(n);
        let mut e = Enumeration::new(&grounds, n, self.order, self.most_bytes);
        let full = bits::all(n);
        let hear = |count: &mut Count, place: &super::enumerate::Place| {
            count.built += 1;
            if place.is_new {
                count.distinct += 1;
                count.by_size[bits::len(&place.used)] += 1;
            }
        };
        hear(&mut count, e.start(&Start { required: vec![0; full.len()], optional: full }));
        while e.propose() {
            hear(&mut count, e.accept());
            if count.built % 1024 == 0 && budget.is_spent() {
                count.time = start.elapsed();
                return Ok(count);
            }
        }
        count.complete = true;
        count.time = start.elapsed();
        Ok(count)
    }
}
