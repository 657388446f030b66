//! Prices from high to low, as far as time and memory allow.
//!
//! A search for prices above a least price is exact there, and the lower that price the longer it takes.
//! Where there is a time limit the price falls in steps: if a step does not come to its end, the one
//! before still stands. Whatever happens, there is also a greedy tree to fall back on.

use super::Model;
use super::collapsed::Limits;
use super::engine::{Engine, Plan, engine};
use super::grid::Grid;
use super::front::Front;
use super::hull::{Corner, Least, Price, corner};
use crate::budget::Budget;
use crate::cost::{Objective, SolutionValue};
use crate::error::{Error, Result};

/// With a time limit, each price is this part of the one before.
const STEP: u64 = 16;

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
    /// Where it was not: a greedy tree for it.
    greedy: Option<(Corner, Plan)>,
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
            so_far: String::new(),
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
            greedy: None,
        };
        for price in prices(error, least, budget) {
            let engine = engine(&grid.points, model, Front::Hull(Least::above(price)), limits.clone());
            let Some(engine) = engine else {
                return Err(Error::schema(format!(
                    "{} features and {} classes are more than dyadic trees can be searched for",
                    grid.points.fields.len(),
                    grid.points.n_classes
                )));
            };
            let Ok(hull) = engine.hull() else {
                path.greedy = Some(engine.greedy(least));
                break;
            };
            path = Self {
                engine: Some(engine),
                hull,
                reached: price,
                wanted: least,
                greedy: None,
            };
        }
        Ok(path)
    }

    /// Cost and leaves of the trees, from one leaf on.
    pub(super) fn values(&self, grid: &Grid) -> Vec<SolutionValue> {
        self.hull
            .iter()
            .map(|&corner| value(corner, grid))
            .collect()
    }

    /// One of the trees.
    pub(super) fn plan(&mut self, member: usize) -> Plan {
        match &mut self.engine {
            Some(engine) => engine.plan(self.hull[member]),
            None => Plan::Leaf,
        }
    }

    /// The best tree for an objective: one of the path, or the greedy one where the search was stopped.
    pub(super) fn best(&mut self, objective: &Objective, grid: &Grid) -> Plan {
        let values = self.values(grid);
        let best = (0..values.len())
            .min_by(|&a, &b| objective.compare(values[a], values[b]))
            .expect("one leaf is always a tree");
        if let Some((corner, plan)) = &self.greedy {
            let value = value(*corner, grid);
            if objective.compare(value, values[best]).is_lt() {
                return plan.clone();
            }
        }
        self.plan(best)
    }

    /// How many sets of points the last search solved.
    pub(super) fn states(&self) -> usize {
        self.engine.as_ref().map_or(0, |engine| engine.states())
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

/// The figures of a tree, with the loss that none can avoid.
fn value(corner: Corner, grid: &Grid) -> SolutionValue {
    SolutionValue {
        cost: (grid.base + u64::from(corner.error)) as i64,
        leaves: corner.leaves as usize,
    }
}

/// Falling prices, from a part of the error of one leaf to the least; without a time limit that alone.
fn prices(error: u32, least: Price, budget: &Budget) -> Vec<Price> {
    let mut prices = Vec::new();
    if !budget.has_time_limit() {
        return vec![least];
    }
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
