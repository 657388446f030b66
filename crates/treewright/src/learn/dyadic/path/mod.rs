//! From the easy to the hard, as far as time and memory allow.
//!
//! A search for prices above a least price is exact there, and the lower that price the longer it takes.
//! So the price falls in steps, each as long as the growth of the work so far allows. A step may take sixteen
//! times the work of the last one that came to its end; if that is not enough, a shorter one is tried. Together they take little longer than the last one, and if
//! time or memory does not let that come to its end, the one before stands.
//!
//! Below the price that was reached, the trees found are still upper bounds, and the price gives a lower
//! one: no tree lies below the line through the last corner with that slope.
//!
//! A search for all sizes has no such steps. It comes after some high prices, which bound it in the same way.

pub(crate) mod lambda_search;

use crate::budget::Budget;
use crate::cost::SolutionValue;
use crate::error::{Error, Result};
use crate::learn::dyadic::Model;
use crate::learn::dyadic::engines::collapsed::Limits;
use crate::learn::dyadic::engines::{Engine, KnownPlans, Plan, engine};
use crate::learn::dyadic::frontier::Front;
use crate::learn::dyadic::frontier::hull::{Corner, Least, Price, corner};
use crate::learn::dyadic::problem::grid::Grid;
use crate::tree::Work;

/// The best trees as far as they were found.
#[derive(Debug)]
pub(crate) struct Path {
    /// The last search that came to its end; none if not even the first one did.
    engine: Option<Box<dyn Engine>>,
    best: Vec<Corner>,
    /// What was asked for.
    wanted: Front,
    /// Above this price the best trees are known; `None` at first.
    reached: Option<Price>,
    /// Is everything known that was wanted?
    is_complete: bool,
    /// How many searches were begun.
    n_searches: u64,
}

/// How much memory may be used, and when to stop.
#[derive(Debug, Clone)]
pub(crate) struct Means<'a> {
    pub(crate) budget: &'a Budget,
    pub(crate) most_bytes: usize,
}

impl Path {
    pub(crate) fn search(
        grid: &Grid,
        model: Model,
        wanted: Front,
        means: &Means<'_>,
    ) -> Result<Self> {
        let error = grid.points.least_loss();
        let mut path = Self {
            engine: None,
            best: vec![corner(1, error)],
            wanted,
            reached: None,
            is_complete: wanted.is_leaf(error),
            n_searches: 0,
        };
        let mut steps = Steps::new(error, wanted);
        while !path.is_complete {
            let front = steps.next();
            let limits = Limits {
                most_work: steps.most_work(),
                ..path.limits(grid, means)
            };
            let engine = engine_for(grid, model, front, limits)?;
            path.n_searches += 1;
            let Ok(best) = engine.hull() else {
                if steps.is_too_far(engine.work(), means) {
                    continue;
                }
                break;
            };
            steps.done(engine.work());
            // Without an error left, lower prices have nothing to add.
            let is_zero = best.last().is_some_and(|last| last.error == 0);
            path.is_complete = front == wanted || is_zero && matches!(wanted, Front::Hull(_));
            path.best = best;
            path.engine = Some(engine);
            path.reached = Some(steps.price);
        }
        Ok(path)
    }

    /// The limits of the next search.
    fn limits(&self, grid: &Grid, means: &Means<'_>) -> Limits {
        let so_far = self.reached.map(|price| {
            let weight = price.to_f64() * grid.scale.unit / grid.scale.total_weight;
            format!("exact for lambda from {weight:.2e}, ")
        });
        let in_use = self.engine.as_ref().map_or(0, |engine| engine.bytes());
        let limits = means.limits();
        Limits {
            most_bytes: limits.most_bytes.saturating_sub(in_use),
            so_far: so_far.unwrap_or_default(),
            ..limits
        }
    }

    /// Is everything known that was wanted?
    pub(crate) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Leaves and error of the best trees, from one leaf on.
    pub(crate) fn best(&self) -> &[Corner] {
        &self.best
    }

    /// Cost and leaves of the best trees, from one leaf on.
    pub(crate) fn values(&self, grid: &Grid) -> Vec<SolutionValue> {
        self.best.iter().map(|&it| value(it, grid)).collect()
    }

    /// Some of the best trees.
    pub(crate) fn plans(&self, places: &[usize]) -> Vec<Plan> {
        let mut known = KnownPlans::default();
        let mut plan = |&place: &usize| match &self.engine {
            Some(engine) => engine.plan(self.best[place], &mut known),
            None => Plan::Leaf,
        };
        places.iter().map(&mut plan).collect()
    }

    /// Trees that may exist and be better than the best ones found, by rising leaves: no tree with that
    /// many leaves has less cost.
    pub(crate) fn still_open(&self, grid: &Grid) -> Vec<SolutionValue> {
        if self.is_complete {
            return Vec::new();
        }
        let mut open = Vec::new();
        if matches!(self.wanted, Front::Stairs(_)) {
            // Between two corners no tree is below the edge.
            self.best
                .windows(2)
                .for_each(|edge| between(edge, &mut open));
        }
        let last = self.best[self.best.len() - 1];
        let least_error = |more_leaves: u32| {
            let saved = self.reached.map(|price| price.of(more_leaves));
            let saved = saved.unwrap_or(u128::MAX).min(u128::from(last.error));
            last.error - saved as u64
        };
        let mut more = 1;
        loop {
            // Further out in longer steps: fewest leaves with the least error.
            let step = 1 + more / 1000;
            let error = least_error(more + step - 1);
            open.push(corner(last.leaves + more, error));
            if error == 0 {
                break;
            }
            more += step;
        }
        let is_wanted = |tree: &Corner| match self.wanted {
            Front::Hull(_) => true,
            Front::Stairs(most_leaves) => tree.leaves <= most_leaves,
        };
        let open = open.into_iter().filter(is_wanted);
        open.map(|tree| value(tree, grid)).collect()
    }

    /// What it took.
    pub(crate) fn work(&self) -> Work {
        Work {
            solves: self.n_searches,
            states: self.engine.as_ref().map_or(0, |it| it.states() as u64),
            probes: self.engine.as_ref().map_or(0.0, |it| it.probes()),
            ..Work::default()
        }
    }
}

/// So much memory is not worth counting.
const LITTLE_MEMORY: usize = 16_000_000;

impl Means<'_> {
    /// May so many bytes be taken at once?
    pub(crate) fn has_room_for(&self, bytes: usize) -> bool {
        let is_little = bytes <= LITTLE_MEMORY;
        is_little || bytes <= self.most_bytes && self.budget.has_room_for(bytes)
    }

    /// The limits of a search.
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            budget: self.budget.clone(),
            most_bytes: self.most_bytes,
            most_work: u64::MAX,
            so_far: String::new(),
        }
    }
}

/// A search for the best trees, unless the points are too wide for any.
pub(crate) fn engine_for(
    grid: &Grid,
    model: Model,
    front: Front,
    limits: Limits,
) -> Result<Box<dyn Engine>> {
    engine(&grid.points, model, front, limits).ok_or_else(|| {
        Error::schema(format!(
            "{} features and {} classes are more than dyadic trees can be searched for",
            grid.points.fields.len(),
            grid.points.n_classes
        ))
    })
}

/// The least errors that trees with leaves between those of two corners can have.
fn between(edge: &[Corner], out: &mut Vec<Corner>) {
    let (from, to) = (edge[0], edge[1]);
    let saving = u128::from(from.error - to.error);
    let leaves = u128::from(to.leaves - from.leaves);
    let on_edge = |more: u32| {
        let saved = saving * u128::from(more) / leaves;
        corner(from.leaves + more, from.error - saved as u64)
    };
    out.extend((1..to.leaves - from.leaves).map(on_edge));
}

/// The figures of a tree, with the loss that none can avoid.
pub(crate) fn value(corner: Corner, grid: &Grid) -> SolutionValue {
    SolutionValue {
        cost: (grid.base + corner.error) as i64,
        leaves: corner.leaves as usize,
    }
}

/// Falling prices.
#[derive(Debug)]
pub(crate) struct Steps {
    wanted: Front,
    /// The price of the last step that came to its end, and of the one that is tried now.
    reached: Price,
    price: Price,
    /// How often the price is halved in one step.
    halvings: u32,
    /// What the last step that came to its end took.
    work: u64,
}

/// A step may take so many times the work of the one before,
const MORE_WORK: u64 = 16;
/// and so much in any case.
const LITTLE_WORK: u64 = 30_000_000;
/// The price is never halved more often than this in one step, unless it is the last.
const MOST_HALVINGS: u32 = 8;
/// Before a search for all sizes, prices go down to this part of the error of one leaf.
const HIGH: u64 = 64;

impl Steps {
    pub(crate) fn new(error: u64, wanted: Front) -> Self {
        let price = Price {
            numerator: error,
            denominator: 1,
        };
        Self {
            wanted,
            reached: price,
            price,
            halvings: match wanted {
                Front::Hull(_) => MOST_HALVINGS,
                Front::Stairs(_) => MOST_HALVINGS / 2,
            },
            work: 0,
        }
    }

    /// The price of the step that is tried now.
    pub(crate) fn price(&self) -> Price {
        self.price
    }

    /// How much work the step may take.
    pub(crate) fn most_work(&self) -> u64 {
        let must_end = match self.wanted {
            Front::Hull(_) => self.halvings == 1,
            Front::Stairs(_) => self.price.numerator == 0,
        };
        if must_end {
            return u64::MAX;
        }
        LITTLE_WORK.max(MORE_WORK.saturating_mul(self.work))
    }

    /// The step came to its end and took so much work. The next one is as long as the growth of the work
    /// promises that it will not take too much.
    pub(crate) fn done(&mut self, work: u64) {
        if self.work > 0 {
            let growth = (work as f64 / self.work as f64).log2();
            let per_halving = (growth / f64::from(self.halvings)).max(1e-3);
            let halvings = (MORE_WORK as f64).log2() / per_halving;
            self.halvings = halvings.clamp(1.0, f64::from(MOST_HALVINGS)) as u32;
        }
        (self.work, self.reached) = (work, self.price);
    }

    /// Did the step take too much work, so that a shorter one is worth a try?
    pub(crate) fn is_too_far(&mut self, work: u64, means: &Means<'_>) -> bool {
        if work <= self.most_work() || means.budget.is_spent() {
            return false;
        }
        if self.halvings == 1 {
            // No more prices: all sizes come next.
            self.reached = Price::ZERO;
        }
        self.halvings = (self.halvings / 2).max(1);
        true
    }

    /// What the next search is for.
    pub(crate) fn next(&mut self) -> Front {
        let next = self.reached.halved(self.halvings);
        let beyond = self.reached.halved(self.halvings + 1);
        let Front::Hull(least) = self.wanted else {
            // Some prices first, so that something is known if the search for all sizes is stopped.
            if self.reached.denominator < HIGH && self.reached.numerator > 0 {
                self.price = next;
                return Front::Hull(Least::above(next));
            }
            self.price = Price::ZERO;
            return self.wanted;
        };
        // Lower prices are hardly more work than one.
        let last = if least.price().is_above(Price::ONE) {
            least.price()
        } else {
            Price::ONE
        };
        if beyond.is_above(last) {
            self.price = next;
            return Front::Hull(Least::above(next));
        }
        self.price = least.price();
        self.wanted
    }
}
