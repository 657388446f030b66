//! What trees grow on, and what they are judged by: rows to build from and rows held out.

use crate::select::features::estimate::Samples;
use crate::select::held_out::LossUnits;
use std::sync::Arc;

use crate::budget::Budget;
use crate::cost::Loss;
use crate::data::{Dataset, Target};
use crate::error::Result;
use crate::learn::Greedy;
use crate::learn::greedy::Splitter;

/// Rows to build trees from, and other rows that tell how good the trees are.
#[derive(Debug)]
pub(in crate::select::features) struct Sample {
    /// Trees are built from these.
    build: Dataset,
    /// Trees are judged by these; there may be none.
    held: Option<Dataset>,
}

impl Sample {
    pub(in crate::select::features) fn new(build: Dataset, held: Option<Dataset>) -> Self {
        Self { build, held }
    }

    pub(in crate::select::features) fn build(&self) -> &Dataset {
        &self.build
    }

    pub(in crate::select::features) fn held(&self) -> Option<&Dataset> {
        self.held.as_ref()
    }
}

/// A sample that is ready for a search.
#[derive(Debug)]
pub(in crate::select::features) struct Ground<'a> {
    pub(super) splitter: Splitter<'a>,
    pub(super) data: &'a Dataset,
    pub(super) loss: &'a Loss,
    pub(super) held: Option<Held<'a>>,
}

impl<'a> Ground<'a> {
    /// One for each sample; `None` if the budget does not suffice.
    pub(in crate::select::features) fn all(
        greedy: &'a Greedy,
        samples: &'a Samples,
        budget: &Budget,
    ) -> Result<Option<Arc<[Self]>>> {
        let samples_of = samples.all.iter();
        samples_of
            .map(|sample| Self::new(greedy, sample, samples.units, budget))
            .collect::<Result<Option<Vec<Self>>>>()
            .map(|grounds| grounds.map(Arc::from))
    }

    fn new(
        greedy: &'a Greedy,
        sample: &'a Sample,
        units: LossUnits,
        budget: &Budget,
    ) -> Result<Option<Self>> {
        let held = sample.held.as_ref();
        let ground = Self::of_rows(greedy, &sample.build, budget)?;
        Ok(ground.map(|ground| Self {
            held: held.map(|held| Held::new(held, &greedy.loss, units)),
            ..ground
        }))
    }

    pub(in crate::select::features) fn n_features(&self) -> usize {
        self.data.columns().len()
    }

    /// Trees on these rows, judged by none; `None` if the budget does not suffice.
    pub(in crate::select::features) fn of_rows(
        greedy: &'a Greedy,
        data: &'a Dataset,
        budget: &Budget,
    ) -> Result<Option<Self>> {
        let splitter = Splitter::new(greedy, data, budget)?;
        Ok(splitter.map(|splitter| Self {
            splitter,
            data,
            loss: &greedy.loss,
            held: None,
        }))
    }
}

/// Rows held out, with what wrong answers cost.
#[derive(Debug)]
pub(in crate::select::features) struct Held<'a> {
    pub(super) data: &'a Dataset,
    classes: &'a [u32],
    loss: &'a Loss,
    units: LossUnits,
    n_classes: usize,
    /// Where all rows weigh 1: cost for every true and every predicted class.
    costs: Option<Vec<i128>>,
}

impl<'a> Held<'a> {
    pub(in crate::select::features) fn new(
        data: &'a Dataset,
        loss: &'a Loss,
        units: LossUnits,
    ) -> Self {
        let classes: &[u32] = match data.target() {
            Target::Classes(classes) => classes,
            Target::Numbers(_) | Target::Absent => &[],
        };
        let n_classes = data.schema().classes().len();
        let cost = |cell: usize| units.cost(1.0, loss.of_class(cell / n_classes, cell % n_classes));
        let costs = data
            .weights()
            .is_none()
            .then(|| (0..n_classes * n_classes).map(cost).collect());
        Self {
            data,
            classes,
            loss,
            units,
            n_classes,
            costs,
        }
    }

    pub(in crate::select::features) fn data(&self) -> &'a Dataset {
        self.data
    }

    /// What it costs to answer `class` for a row.
    pub(in crate::select::features) fn cost(&self, row: usize, class: usize) -> i128 {
        let truth = self.classes[row] as usize;
        match &self.costs {
            Some(costs) => costs[truth * self.n_classes + class],
            None => self
                .units
                .cost(self.data.weight(row), self.loss.of_class(truth, class)),
        }
    }
}
