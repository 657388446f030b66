//! A report, with the families that it is made from.

use super::Explore;
use super::found::Found;
use super::kept_aside;
use crate::budget::Budget;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::eval::Report;
use crate::tree::{Fit, Tree};

/// What an exploration found.
#[derive(Debug, Clone)]
pub struct Exploration {
    /// All figures, and the trees that fit a report.
    pub report: Report,
    /// The families, in the order of the report.
    pub(super) families: Vec<Found>,
}

impl Exploration {
    /// A tree of the report as a model of its own, with its circumstances. `data` are the rows that were explored; if
    /// some of them were kept aside, a tree with as many leaves, or hardly fewer, is learned from all of them.
    pub fn model(
        &self,
        place: (usize, usize),
        explore: &Explore,
        data: &Dataset,
        budget: &Budget,
    ) -> Result<Fit<Tree>> {
        let section = self.report.sections.get(place.0);
        let entry = section.and_then(|section| section.entries.get(place.1));
        let (Some(entry), Some(found)) = (entry, self.families.get(place.0)) else {
            return Err(Error::model("there is no such tree in the report"));
        };
        let Some(member) = entry.member else {
            return Err(Error::model("there is no such tree in the report"));
        };
        if explore.holdout.is_some() {
            return found.again(entry.leaves, explore.most_bytes as u64, data, budget);
        }
        found.model(member, data)
    }

    /// The tree that is good enough, as a model; see [`Exploration::model`].
    pub fn best(&self, explore: &Explore, data: &Dataset, budget: &Budget) -> Result<Fit<Tree>> {
        self.model(self.report.start, explore, data, budget)
    }

    /// Judges the chosen tree on rows that nothing has seen.
    pub(super) fn judge_on(&mut self, aside: &Dataset) -> Result<()> {
        let (at, place) = self.report.start;
        let entry = &self.report.sections[at].entries[place];
        let tree = match (&entry.tree, entry.member) {
            (Some(tree), _) => tree.clone(),
            (None, Some(member)) => self.families[at].fit.family.tree(member),
            (None, None) => return Err(Error::model("there is no such tree in the report")),
        };
        if let Some(explored) = &mut self.report.explored {
            explored.kept_aside = Some(kept_aside::judge(&tree, aside));
        }
        Ok(())
    }
}
