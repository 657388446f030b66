//! Optimal trees over all dyadic partitions.
//!
//! Every feature has a box, from its least to its largest training value. A split halves one side of the
//! box that it is asked about, so a cut can only lie at a half, a quarter, an eighth, ... of a box. Among
//! all trees of such splits, up to a number of halvings for each feature, the least
//! `cost + lambda * leaves` is found: exactly, for one weight or for all weights at once.
//!
//! | file | idea |
//! |---|---|
//! | `coordinate` | what can be halved: numbers, coded categories, missing against present |
//! | `grid` | rows become points of a grid with whole losses; how fine the grid must be |
//! | `points` | points as packed bits, one bit for each halving |
//! | `hull` | best errors as functions of the price of a leaf |
//! | `collapsed`, `boxed` | all best trees in one pass, with empty halves for free or paid for |
//! | `table` | solved sets of points |
//! | `engine` | both searches behind one face, and the tree of any corner |
//! | `greedy` | a tree to fall back on when a search is stopped |
//! | `path` | prices from high to low, as far as time and memory allow |
//! | `plant` | from a plan of halvings to a tree with all rows in it |
//!
//! After D. Hush and R. Porter, "Algorithms for optimal dyadic decision trees" (2010).
//! `docs/algorithms/dyadic.md` tells the whole story.

mod boxed;
#[allow(dead_code, reason = "wired in soon")]
mod cells;
mod collapsed;
mod coordinate;
mod engine;
mod greedy;
mod grid;
mod hull;
#[allow(dead_code, reason = "wired in soon")]
mod lambda_search;
#[allow(dead_code, reason = "wired in soon")]
mod memo;
mod path;
mod plant;
mod points;
#[allow(dead_code, reason = "wired in soon")]
mod rectangles;
#[cfg(test)]
mod rectangles_tests;
mod table;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Instant;

use num_rational::BigRational;
use num_traits::ToPrimitive;
use serde_json::{Map, Value};

pub use coordinate::{Coding, Missing};
pub use grid::Resolution;
pub use rectangles::Ties;

use self::grid::Grid;
use self::hull::Price;
use self::path::Path;
use self::plant::plant;
use super::Learner;
use crate::budget::Budget;
use crate::cost::{Lambda, Loss, Objective, Penalty};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::tree::{Certificate, Family, FamilyFit, Fit, LearnerInfo, Training, Tree};

/// Which halvings are paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Model {
    /// A split is the first halving of a feature that separates the rows; those before it are free. No
    /// leaf is empty.
    #[default]
    Collapsed,
    /// Every halving is a split, also one that makes an empty leaf: the trees of Hush and Porter.
    Boxed,
}

/// What a single tree shall be best for.
#[derive(Debug, Clone, PartialEq)]
pub enum Weight {
    /// This weight of the penalty.
    Lambda(Lambda),
    /// This weight divided by the total weight of the rows.
    Kappa(Lambda),
}

impl Default for Weight {
    fn default() -> Self {
        Self::Kappa(Lambda::try_from(2.0).expect("2 is not negative"))
    }
}

/// The learner of optimal dyadic trees.
#[derive(Debug, Clone, PartialEq)]
pub struct Dyadic {
    /// How often features may be halved.
    pub resolution: Resolution,
    /// Which halvings are paid for.
    pub model: Model,
    /// How categorical features become coordinates.
    pub coding: Coding,
    /// What to do with missing cells.
    pub missing: Missing,
    /// How far below a midpoint a value already counts as above it, as a share of the box.
    pub snap: f64,
    /// The weight of the penalty, for a single tree.
    pub weight: Weight,
    /// What wrong predictions cost.
    pub loss: Loss,
    /// More memory than this is not used for solved sets.
    pub most_bytes: usize,
}

impl Default for Dyadic {
    fn default() -> Self {
        Self {
            resolution: Resolution::default(),
            model: Model::default(),
            coding: Coding::default(),
            missing: Missing::default(),
            snap: 0.0,
            weight: Weight::default(),
            loss: Loss::default(),
            most_bytes: 4 << 30,
        }
    }
}

impl Learner for Dyadic {
    fn fit(&self, data: &Dataset, budget: &Budget) -> Result<Fit<Tree>> {
        let start = Instant::now();
        let grid = self.grid(data)?;
        let lambda = self.lambda(data)?;
        let mut path = Path::search(
            &grid,
            self.model,
            price_of(&lambda, &grid),
            budget,
            self.most_bytes,
        )?;
        let objective = Objective::new(lambda, Penalty::Linear, grid.scale);
        let plan = path.best(&objective, &grid);
        let tree = plant(&plan, &grid, data, &self.loss)?;
        let training = Training::of_leaves(&tree, data).taking(start.elapsed());
        let certificate = self.certificate(&path, &grid, &objective, &training);
        let mut learner = self.info(&grid);
        let weight = match &self.weight {
            Weight::Lambda(lambda) => ("lambda", lambda),
            Weight::Kappa(kappa) => ("kappa", kappa),
        };
        learner
            .params
            .insert(weight.0.into(), number_or_text(weight.1));
        Ok(Fit {
            model: tree,
            learner,
            training,
            certificate: Some(certificate),
        })
    }
}

impl Dyadic {
    /// The best trees for all weights of the penalty.
    pub fn fit_family(&self, data: &Dataset, budget: &Budget) -> Result<FamilyFit> {
        let start = Instant::now();
        let grid = self.grid(data)?;
        let mut path = Path::search(&grid, self.model, Price::ZERO, budget, self.most_bytes)?;
        let values = path.values(&grid);
        let trees = (0..values.len())
            .map(|member| plant(&path.plan(member), &grid, data, &self.loss))
            .collect::<Result<Vec<Tree>>>()?;
        let seconds = start.elapsed();
        let largest = trees.last().expect("one leaf is always a tree");
        let training = Training::of_leaves(largest, data).taking(seconds);
        let exact_down_to = path.exact_down_to(&grid);
        let family = Family::new(Penalty::Linear, grid.scale, values, Arc::new(trees));
        Ok(FamilyFit {
            family: family.down_to(exact_down_to),
            learner: self.info(&grid),
            training,
            exact: grid.is_whole,
            tolerance: grid.tolerance(),
            exact_down_to,
            costs_from: None,
            cross_validation: None,
            states: Some(path.states()),
            seconds: seconds.as_secs_f64(),
        })
    }

    fn grid(&self, data: &Dataset) -> Result<Grid> {
        if data.n_rows() == 0 {
            return Err(Error::schema("the table has no rows to learn from"));
        }
        if data.columns().is_empty() {
            return Err(Error::schema("the table has no features to learn from"));
        }
        if !(0.0..0.25).contains(&self.snap) {
            return Err(Error::parameter(
                "snap",
                self.snap,
                "a number from 0 to below 0.25",
            ));
        }
        Grid::new(
            data,
            &self.loss,
            &self.resolution,
            self.coding,
            self.missing,
            self.snap,
        )
    }

    /// The weight of the penalty on the scale of files.
    fn lambda(&self, data: &Dataset) -> Result<Lambda> {
        match &self.weight {
            Weight::Lambda(lambda) => Ok(lambda.clone()),
            Weight::Kappa(kappa) => {
                let total = BigRational::from_float(data.total_weight());
                let total = total.expect("weights are finite");
                Lambda::new(kappa.ratio() / total)
            }
        }
    }

    fn info(&self, grid: &Grid) -> LearnerInfo {
        let mut params = Map::new();
        let mut add = |name: &str, value: Value| params.insert(name.into(), value);
        add("model", self.model.name().into());
        add("k", grid.halvings().into());
        add("coding", self.coding.name().into());
        add("missing", self.missing.name().into());
        add("snap", self.snap.into());
        if self.snap > 0.0 {
            add("snapped", grid.n_snapped.into());
        }
        if grid.is_capped {
            // Some rows of different classes lie closer together than the finest cells.
            add("capped", true.into());
        }
        LearnerInfo {
            name: "dyadic".into(),
            params,
        }
    }

    fn certificate(
        &self,
        path: &Path,
        grid: &Grid,
        objective: &Objective,
        training: &Training,
    ) -> Certificate {
        // From the rows themselves, whose losses may not be whole.
        let found = training.cost + objective.lambda().to_f64() * training.leaves as f64;
        let lower_bound = match path.stopped_above(objective, grid) {
            None => found,
            // The optimum is a concave function of the weight, and at weight 0 not below the loss that
            // no tree can avoid.
            Some((weight, at_that_weight)) => {
                let share = objective.lambda().to_f64() / weight;
                let least = grid.scale.cost(grid.base as i64) * (1.0 - 1e-12);
                (least + (at_that_weight - least) * share).min(found)
            }
        };
        Certificate {
            objective: found,
            lower_bound,
            exact: grid.is_whole,
            tolerance: grid.tolerance(),
            what: format!(
                "cost + {} * leaves over {} dyadic trees, k = {:?}",
                objective.lambda(),
                self.model.name(),
                grid.halvings()
            ),
        }
    }
}

impl Model {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Collapsed => "collapsed",
            Self::Boxed => "boxed",
        }
    }
}

/// A weight as the price of a leaf in units of loss, rounded down if need be.
fn price_of(lambda: &Lambda, grid: &Grid) -> Price {
    let exact = |number| BigRational::from_float(number).expect("a scale is finite");
    let price = lambda.ratio() * exact(grid.scale.total_weight) / exact(grid.scale.unit);
    if let (Some(numerator), Some(denominator)) = (price.numer().to_u64(), price.denom().to_u64()) {
        return Price {
            numerator,
            denominator,
        };
    }
    let denominator = 1_u64 << 31;
    let numerator = (price * BigRational::from_integer(denominator.into()))
        .floor()
        .to_u64();
    Price {
        // A price above all losses: one leaf is best.
        numerator: numerator.unwrap_or(u64::MAX),
        denominator,
    }
}

/// A weight as a number if its decimal form is exact, else as a text.
fn number_or_text(lambda: &Lambda) -> Value {
    let number = lambda.to_f64();
    match number.to_string().parse::<Lambda>() {
        Ok(same) if same == *lambda => number.into(),
        _ => lambda.to_string().into(),
    }
}
