//! From the easy to the hard, as far as time and memory allow.
//!
//! A search for alphas above a least alpha is exact there, and the lower that alpha the longer it takes.
//! So the alpha falls in steps, each as long as the growth of the work so far allows. A step may take sixteen
//! times the work of the last one that came to its end; if that is not enough, a shorter one is tried. Together they take little longer than the last one, and if
//! time or memory does not let that come to its end, the one before stands.
//!
//! Below the alpha that was reached, the trees found are still upper bounds, and the alpha gives a lower
//! one: no tree lies below the line through the last vertex with that slope.
//!
//! A search for all sizes has no such steps. It comes after some high alphas, which bound it in the same way.

pub(crate) mod lambda_search;

use crate::budget::Budget;
use crate::cost::SolutionValue;
use crate::error::{Error, Result};
use crate::learn::dyadic::Model;
use crate::learn::dyadic::engines::collapsed::SearchLimits;
use crate::learn::dyadic::engines::{Engine, HalvingPlan, KnownPlans, engine};
use crate::learn::dyadic::frontier::Frontier;
use crate::learn::dyadic::frontier::hull::{Alpha, LeastAlpha, Vertex, vertex};
use crate::learn::dyadic::problem::grid::Grid;
use crate::tree::Work;

/// The best trees as far as they were found.
#[derive(Debug)]
pub(crate) struct LambdaPath {
    /// The last search that came to its end; none if not even the first one did.
    engine: Option<Box<dyn Engine>>,
    best: Vec<Vertex>,
    /// What was asked for.
    wanted: Frontier,
    /// Above this alpha the best trees are known; `None` at first.
    reached: Option<Alpha>,
    /// Is everything known that was wanted?
    is_complete: bool,
    /// How many searches were begun.
    n_searches: u64,
}

/// How much memory may be used, and when to stop.
#[derive(Debug, Clone)]
pub(crate) struct Resources<'a> {
    pub(crate) budget: &'a Budget,
    pub(crate) most_bytes: usize,
}

impl LambdaPath {
    pub(crate) fn search(
        grid: &Grid,
        model: Model,
        wanted: Frontier,
        resources: &Resources<'_>,
    ) -> Result<Self> {
        let error = grid.points.least_loss();
        let mut path = Self {
            engine: None,
            best: vec![vertex(1, error)],
            wanted,
            reached: None,
            is_complete: wanted.is_leaf(error),
            n_searches: 0,
        };
        let mut steps = Steps::new(error, wanted);
        while !path.is_complete {
            let front = steps.next();
            let limits = SearchLimits {
                most_work: steps.most_work(),
                ..path.limits(grid, resources)
            };
            let engine = engine_for(grid, model, front, limits)?;
            path.n_searches += 1;
            let Ok(best) = engine.hull() else {
                if steps.is_too_far(engine.work(), resources) {
                    continue;
                }
                break;
            };
            steps.done(engine.work());
            // Without an error left, lower alphas have nothing to add.
            let is_zero = best.last().is_some_and(|last| last.error == 0);
            path.is_complete = front == wanted || is_zero && matches!(wanted, Frontier::Hull(_));
            path.best = best;
            path.engine = Some(engine);
            path.reached = Some(steps.alpha);
        }
        Ok(path)
    }

    /// The limits of the next search.
    fn limits(&self, grid: &Grid, resources: &Resources<'_>) -> SearchLimits {
        let so_far = self.reached.map(|alpha| {
            let weight = alpha.to_f64() * grid.scale.unit / grid.scale.total_weight;
            format!("exact for lambda from {weight:.2e}, ")
        });
        let in_use = self.engine.as_ref().map_or(0, |engine| engine.bytes());
        let limits = resources.limits();
        SearchLimits {
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
    pub(crate) fn best(&self) -> &[Vertex] {
        &self.best
    }

    /// Cost and leaves of the best trees, from one leaf on.
    pub(crate) fn values(&self, grid: &Grid) -> Vec<SolutionValue> {
        self.best.iter().map(|&it| value(it, grid)).collect()
    }

    /// Some of the best trees.
    pub(crate) fn plans(&self, places: &[usize]) -> Vec<HalvingPlan> {
        let mut known = KnownPlans::default();
        let mut plan = |&place: &usize| match &self.engine {
            Some(engine) => engine.plan(self.best[place], &mut known),
            None => HalvingPlan::Leaf,
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
        if matches!(self.wanted, Frontier::Stairs(_)) {
            // Between two vertices no tree is below the edge.
            self.best
                .windows(2)
                .for_each(|edge| between(edge, &mut open));
        }
        let last = self.best[self.best.len() - 1];
        let least_error = |more_leaves: u32| {
            let saved = self.reached.map(|alpha| alpha.of(more_leaves));
            let saved = saved.unwrap_or(u128::MAX).min(u128::from(last.error));
            last.error - saved as u64
        };
        let mut more = 1;
        loop {
            // Further out in longer steps: fewest leaves with the least error.
            let step = 1 + more / 1000;
            let error = least_error(more + step - 1);
            open.push(vertex(last.leaves + more, error));
            if error == 0 {
                break;
            }
            more += step;
        }
        let is_wanted = |tree: &Vertex| match self.wanted {
            Frontier::Hull(_) => true,
            Frontier::Stairs(most_leaves) => tree.leaves <= most_leaves,
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

impl Resources<'_> {
    /// May so many bytes be taken at once?
    pub(crate) fn has_room_for(&self, bytes: usize) -> bool {
        let is_little = bytes <= LITTLE_MEMORY;
        is_little || bytes <= self.most_bytes && self.budget.has_room_for(bytes)
    }

    /// The limits of a search.
    pub(crate) fn limits(&self) -> SearchLimits {
        SearchLimits {
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
    front: Frontier,
    limits: SearchLimits,
) -> Result<Box<dyn Engine>> {
    engine(&grid.points, model, front, limits).ok_or_else(|| {
        Error::schema(format!(
            "{} features and {} classes are more than dyadic trees can be searched for",
            grid.points.fields.len(),
            grid.points.n_classes
        ))
    })
}

/// The least errors that trees with leaves between those of two vertices can have.
fn between(edge: &[Vertex], out: &mut Vec<Vertex>) {
    let (from, to) = (edge[0], edge[1]);
    let saving = u128::from(from.error - to.error);
    let leaves = u128::from(to.leaves - from.leaves);
    let on_edge = |more: u32| {
        let saved = saving * u128::from(more) / leaves;
        vertex(from.leaves + more, from.error - saved as u64)
    };
    out.extend((1..to.leaves - from.leaves).map(on_edge));
}

/// The figures of a tree, with the loss that none can avoid.
pub(crate) fn value(vertex: Vertex, grid: &Grid) -> SolutionValue {
    SolutionValue {
        cost: (grid.base + vertex.error) as i64,
        leaves: vertex.leaves as usize,
    }
}

/// Falling alphas.
#[derive(Debug)]
pub(crate) struct Steps {
    wanted: Frontier,
    /// The alpha of the last step that came to its end, and of the one that is tried now.
    reached: Alpha,
    alpha: Alpha,
    /// How often the alpha is halved in one step.
    halvings: u32,
    /// What the last step that came to its end took.
    work: u64,
}

/// A step may take so many times the work of the one before,
const MORE_WORK: u64 = 16;
/// and so much in any case.
const LITTLE_WORK: u64 = 30_000_000;
/// The alpha is never halved more often than this in one step, unless it is the last.
const MOST_HALVINGS: u32 = 8;
/// Before a search for all sizes, alphas go down to this part of the error of one leaf.
const HIGH: u64 = 64;

impl Steps {
    pub(crate) fn new(error: u64, wanted: Frontier) -> Self {
        let alpha = Alpha {
            numerator: error,
            denominator: 1,
        };
        Self {
            wanted,
            reached: alpha,
            alpha,
            halvings: match wanted {
                Frontier::Hull(_) => MOST_HALVINGS,
                Frontier::Stairs(_) => MOST_HALVINGS / 2,
            },
            work: 0,
        }
    }

    /// The alpha of the step that is tried now.
    pub(crate) fn alpha(&self) -> Alpha {
        self.alpha
    }

    /// How much work the step may take.
    pub(crate) fn most_work(&self) -> u64 {
        let must_end = match self.wanted {
            Frontier::Hull(_) => self.halvings == 1,
            Frontier::Stairs(_) => self.alpha.numerator == 0,
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
        (self.work, self.reached) = (work, self.alpha);
    }

    /// Did the step take too much work, so that a shorter one is worth a try?
    pub(crate) fn is_too_far(&mut self, work: u64, resources: &Resources<'_>) -> bool {
        if work <= self.most_work() || resources.budget.is_spent() {
            return false;
        }
        if self.halvings == 1 {
            // No more alphas: all sizes come next.
            self.reached = Alpha::ZERO;
        }
        self.halvings = (self.halvings / 2).max(1);
        true
    }

    /// What the next search is for.
    pub(crate) fn next(&mut self) -> Frontier {
        let next = self.reached.halved(self.halvings);
        let beyond = self.reached.halved(self.halvings + 1);
        let Frontier::Hull(least) = self.wanted else {
            // Some alphas first, so that something is known if the search for all sizes is stopped.
            if self.reached.denominator < HIGH && self.reached.numerator > 0 {
                self.alpha = next;
                return Frontier::Hull(LeastAlpha::above(next));
            }
            self.alpha = Alpha::ZERO;
            return self.wanted;
        };
        // Lower alphas are hardly more work than one.
        let last = if least.alpha().is_above(Alpha::ONE) {
            least.alpha()
        } else {
            Alpha::ONE
        };
        if beyond.is_above(last) {
            self.alpha = next;
            return Frontier::Hull(LeastAlpha::above(next));
        }
        self.alpha = least.alpha();
        self.wanted
    }
}
