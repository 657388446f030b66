//! Prices from high to low, as far as time and memory allow.
//!
//! A search for prices above a least price is exact there, and the lower that price the longer it takes.
//! So the price falls in steps. If a step does not come to its end, the one before still stands.

use super::Model;
use super::collapsed::Limits;
use super::engine::{Engine, Plan, engine};
use super::grid::Grid;
use super::hull::{Corner, Price, corner};
use super::plant::plant;
use crate::budget::Budget;
use crate::cost::{Loss, Objective, SolutionValue};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::tree::Tree;

/// Each price is this part of the one before.
const STEP: u64 = 8;

/// The best trees above some price.
#[derive(Debug)]
pub(super) struct Path {
    /// The last search that came to its end; none if not even the first one did.
    engine: Option<Box<dyn Engine>>,
    hull: Vec<Corner>,
    /// The hull is exact above this price.
    reached: Price,
    /// The price that was to be reached.
    wanted: Price,
}

impl Path {
    pub(super) fn search(
        grid: &Grid,
        model: Model,
        least: Price,
        budget: &Budget,
        most_bytes: usize,
    ) -> Result<Self> {
        let limits = Limits {
            budget: budget.clone(),
            most_bytes,
        };
        let error = grid.points.least_loss();
        // One leaf is the best where a leaf costs as much as there is to save.
        let mut path = Self {
            engine: None,
            hull: vec![corner(1, error)],
            reached: Price {
                numerator: u64::from(error),
                denominator: 1,
            },
            wanted: least,
        };
        for price in prices(error, least) {
            let engine = engine(&grid.points, model, price, limits.clone());
            let Some(mut engine) = engine else {
                return Err(Error::schema(format!(
                    "{} features and {} classes are more than dyadic trees can be searched for",
                    grid.points.fields.len(),
                    grid.points.n_classes
                )));
            };
            let Ok(hull) = engine.hull() else {
                break;
            };
            path = Self {
                engine: Some(engine),
                hull,
                reached: price,
                wanted: least,
            };
        }
        Ok(path)
    }

    /// Cost and leaves of the trees, from one leaf on.
    pub(super) fn values(&self, grid: &Grid) -> Vec<SolutionValue> {
        let value = |corner: &Corner| SolutionValue {
            cost: (grid.base + u64::from(corner.error)) as i64,
            leaves: corner.leaves as usize,
        };
        self.hull.iter().map(value).collect()
    }

    /// One of the trees.
    pub(super) fn tree(
        &mut self,
        member: usize,
        grid: &Grid,
        data: &Dataset,
        loss: &Loss,
    ) -> Result<Tree> {
        let plan = match &mut self.engine {
            Some(engine) => engine.plan(self.hull[member]),
            None => Plan::Leaf,
        };
        plant(&plan, grid, data, loss)
    }

    /// All trees that are best for a weight of at least this are there.
    pub(super) fn exact_down_to(&self, grid: &Grid) -> f64 {
        if self.reached == self.wanted {
            return 0.0;
        }
        self.weight(grid)
    }

    /// If the price of the objective was not reached: the weight that was, and the best objective there.
    pub(super) fn stopped_above(&self, objective: &Objective, grid: &Grid) -> Option<(f64, f64)> {
        if self.reached == self.wanted {
            return None;
        }
        let weight = self.weight(grid);
        if objective.lambda().to_f64() >= weight {
            return None;
        }
        let values = self.values(grid);
        let at = |value: &SolutionValue| grid.scale.cost(value.cost) + weight * value.leaves as f64;
        let best = values.iter().map(at).fold(f64::INFINITY, f64::min);
        // Rounding must not make the bound too good.
        Some((weight * (1.0 + 1e-12), best * (1.0 - 1e-12)))
    }

    fn weight(&self, grid: &Grid) -> f64 {
        let price = self.reached.numerator as f64 / self.reached.denominator as f64;
        (price * grid.scale.unit / grid.scale.total_weight).next_up()
    }
}

/// Falling prices, from a part of the error of one leaf to the least.
fn prices(error: u32, least: Price) -> Vec<Price> {
    let mut prices = Vec::new();
    let mut price = Price {
        numerator: u64::from(error),
        denominator: STEP,
    };
    while price.numerator > price.denominator / 4 && price.is_above(least) {
        prices.push(price);
        price.denominator *= STEP;
    }
    prices.push(least);
    prices
}
