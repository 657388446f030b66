//! From the easy to the hard, as far as time and memory allow.
//!
//! A search for alphas above a least alpha is exact there, and the lower that alpha the longer it takes.
//! So the alpha falls in steps, each as long as the growth of the work so far allows. A step may take sixteen
//! times the work of the last one that came to its end; if that is not enough,
//! a shorter one is tried. Together they take little longer than the last one, and if time or memory does not let that
//! come to its end, the one before stands.
//!
//! Below the alpha that was reached, the trees found are still upper bounds, and the alpha gives a lower
//! one: no tree lies below the line through the last vertex with that slope.
//!
//! A search for all sizes has no such steps. It comes after some high alphas, which bound it in the same way.

pub(crate) mod lambda_search;
mod steps;

pub(crate) use self::lambda_search::{adaptive_count, grid_count, search, upper_leaves};
pub(crate) use self::steps::Steps;

use crate::cost::SolutionValue;
use crate::error::{Error, Result};
use crate::learn::dyadic::deadline::{Resources, SearchLimits};
use crate::learn::dyadic::engines::{Engine, KnownPlans, engine};
use crate::learn::dyadic::frontier::{Alpha, Frontier, Vertex, vertex};
use crate::learn::dyadic::parameters::Model;
use crate::learn::dyadic::plan::HalvingPlan;
use crate::learn::dyadic::problem::Grid;
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
    shares_plans: bool,
    /// How many searches were begun.
    n_searches: u64,
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
            shares_plans: resources.switches.shared_plans,
        };
        let mut steps = Steps::new(error, wanted, resources.switches);
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
            path.reached = Some(steps.alpha());
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
            Some(engine) => {
                if !self.shares_plans {
                    known.clear();
                }
                engine.plan(self.best[place], &mut known)
            }
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
