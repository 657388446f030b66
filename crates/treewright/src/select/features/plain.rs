//! Backward elimination with the learner as a black box: every feature is tried, and every tree grows from
//! its root. It shows what sharing saves, and that sharing changes nothing. What a search claims of its best features
//! is counted anew in this way.

use super::backward::Eliminator;
use super::estimate::Samples;
use super::lattice::{Held, Sample};
use crate::budget::Budget;
use crate::error::Result;
use crate::learn::{Greedy, Learner};
use crate::tree::Tree;

/// Trees that are grown from their roots.
pub(super) struct Plain<'a> {
    greedy: &'a Greedy,
    samples: &'a Samples,
    held: Vec<Held<'a>>,
    /// The features that are left, rising.
    set: Vec<usize>,
    used: Vec<usize>,
    error: i128,
}

impl<'a> Plain<'a> {
    /// The trees of all features; `None` if the budget is spent before they have grown.
    pub(super) fn new(
        greedy: &'a Greedy,
        samples: &'a Samples,
        budget: &Budget,
    ) -> Result<Option<Self>> {
        let n_features = samples.all[0].build().columns().len();
        Self::of(greedy, samples, (0..n_features).collect(), budget)
    }

    /// The same of some features, rising.
    pub(super) fn of(
        greedy: &'a Greedy,
        samples: &'a Samples,
        set: Vec<usize>,
        budget: &Budget,
    ) -> Result<Option<Self>> {
        let held = samples.all.iter().filter_map(|sample| sample.held());
        let held: Vec<Held<'a>> = held
            .map(|held| Held::new(held, &greedy.loss, samples.units))
            .collect();
        let mut plain = Self {
            greedy,
            samples,
            held,
            set,
            used: Vec::new(),
            error: 0,
        };
        let trees = plain.trees(&plain.set, budget)?;
        if budget.is_spent() {
            return Ok(None);
        }
        plain.error = plain.error_of(&trees, &plain.set);
        plain.used = used_by(&trees, &plain.set);
        Ok(Some(plain))
    }

    fn trees(&self, set: &[usize], budget: &Budget) -> Result<Vec<Tree>> {
        let leaf = Greedy {
            max_depth: Some(0),
            ..self.greedy.clone()
        };
        let fit = |sample: &Sample| {
            let budget = budget.for_part();
            // The learner wants at least one feature; without any the tree is a leaf.
            let fit = if set.is_empty() {
                leaf.fit(sample.build(), &budget)
            } else {
                self.greedy.fit(&sample.build().features(set), &budget)
            };
            Ok(fit?.model)
        };
        self.samples.all.iter().map(fit).collect()
    }

    fn error_of(&self, trees: &[Tree], set: &[usize]) -> i128 {
        let of_tree = |(tree, held): (&Tree, &Held<'_>)| -> i128 {
            let rows = held.data();
            let answers = if set.is_empty() {
                tree.predict(rows)
            } else {
                tree.predict(&rows.features(set))
            };
            let costs = answers.iter().enumerate();
            costs
                .map(|(row, &answer)| held.cost(row, answer as usize))
                .sum()
        };
        trees.iter().zip(&self.held).map(of_tree).sum()
    }

    /// The features that are left but one.
    fn all_but(&self, feature: usize) -> Vec<usize> {
        let others = self.set.iter().copied().filter(|&other| other != feature);
        others.collect()
    }
}

impl Eliminator for Plain<'_> {
    fn candidates(&self) -> Vec<usize> {
        self.set.clone()
    }

    fn used(&self) -> Vec<usize> {
        self.used.clone()
    }

    fn error(&self) -> i128 {
        self.error
    }

    fn try_without(&mut self, feature: usize, budget: &Budget) -> Result<Option<i128>> {
        let set = self.all_but(feature);
        let trees = self.trees(&set, budget)?;
        // A tree stops growing when the budget is spent; such a tree does not count.
        Ok((!budget.is_spent()).then(|| self.error_of(&trees, &set)))
    }

    fn remove(&mut self, feature: usize, budget: &Budget) -> Result<bool> {
        let set = self.all_but(feature);
        let trees = self.trees(&set, budget)?;
        if budget.is_spent() {
            return Ok(false);
        }
        self.error = self.error_of(&trees, &set);
        self.used = used_by(&trees, &set);
        self.set = set;
        Ok(true)
    }

    fn trees_a_set(&self) -> u64 {
        self.samples.all.len() as u64
    }
}

/// The features that some trees over `set` split on, rising.
fn used_by(trees: &[Tree], set: &[usize]) -> Vec<usize> {
    let branches = trees
        .iter()
        .flat_map(|tree| tree.ids().filter_map(|id| tree.branch(id)));
    let mut used: Vec<usize> = branches.map(|branch| set[branch.split.feature()]).collect();
    used.sort_unstable();
    used.dedup();
    used
}
