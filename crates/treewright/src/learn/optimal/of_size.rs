//! One of the best trees of every size: the best with at most a number of leaves, or the best for a penalty that is not
//! linear.
//!
//! The search for a single tree adds up what leaves cost, so it needs a price that is the same for every leaf. All
//! other questions are answered by the least loss of each size: *cost + weight · penalty(leaves)* is computed for each
//! of them, exactly. Trees with so many leaves that the penalty alone costs more than one leaf loses are not looked for.

use std::time::Instant;

use crate::budget::Budget;
use crate::cost::{Counting, Lambda, Objective, Penalty, RowLosses, SolutionValue};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learn::optimal::Optimal;
use crate::learn::optimal::by_size::{MOST_LEAVES, SizedTrees, Wanted};
use crate::learn::optimal::claim::most_loss;
use crate::learn::optimal::plan::TreePlan;
use crate::learn::optimal::problem::SortedColumns;
use crate::learn::optimal::switches::Switches;
use crate::tree::{Certificate, Fit, Training, Tree, after_rounding};

impl Optimal {
    /// Is the tree one of those of every size? A price of leaves that is the same for each needs no sizes.
    pub(super) fn is_sized(&self) -> bool {
        self.leaves.is_some() || !self.penalty.is_linear() && self.leaf_cost != Lambda::zero()
    }

    /// The best tree with at most a number of leaves, or for a weight of a penalty.
    pub(super) fn fit_sized(
        &self,
        data: &Dataset,
        budget: &Budget,
        switches: Switches,
        shared: Option<&SortedColumns<'_>>,
    ) -> Result<Fit<Tree>> {
        let start = Instant::now();
        self.check(data)?;
        if self.leaves.is_some() && self.leaf_cost != Lambda::zero() {
            let expected = "0 where the number of leaves is limited";
            return Err(Error::parameter("leaf-cost", &self.leaf_cost, expected));
        }
        if let Some(fit) = self.small_without_limit(data, budget, switches, shared)? {
            return Ok(fit);
        }
        let budget = &budget.within_memory(self.most_bytes);
        let losses = RowLosses::new(data, &self.loss, "optimal trees", most_loss(data))?;
        let penalty = if self.leaves.is_some() {
            // Leaves are free.
            Penalty::Linear
        } else {
            self.penalty.clone()
        };
        let objective = Objective::new(self.leaf_cost.clone(), penalty, losses.scale);
        let useful = self.useful_leaves(data)?;
        let wanted = Wanted {
            most_leaves: useful.min(self.leaves.unwrap_or(MOST_LEAVES)),
            best_for: Some(&objective),
            shared,
        };
        let mut found = self.sized_trees(data, &losses, budget, switches, wanted)?;
        if wanted.most_leaves == useful || self.leaves.is_some() {
            self.check_end(&found, useful, &objective)?;
            found.forget_larger();
        }
        let mut bounds = Bounds::of(&found, &objective);
        let mut tree = found.trees.swap_remove(0);
        let mut training = Training::of_leaves(&tree, data);
        if !bounds.is_proven
            && switches.greedy_incumbent
            && let Some(other) = self.greedy(data, budget)?
            && other.n_leaves() <= wanted.most_leaves
        {
            let figures = Training::of_leaves(&other, data);
            if self.objective(&figures) < self.objective(&training) {
                (tree, training) = (other, figures);
                bounds.has_fewest_leaves = false;
            }
        }
        let units = || tree.recounted(data, &losses.counting).cost;
        let exact = losses.counting.exact_cost(losses.scale, units);
        let training = training.costing(exact);
        let certificate = self.sized_certificate(data, &losses, &bounds, &training);
        Ok(Fit {
            model: tree,
            certificate: Some(certificate),
            learner: self.info(data),
            training: training.taking(start.elapsed()),
        })
    }

    /// Where many leaves are allowed, the best tree of any size may have fewer. It is found much faster.
    fn small_without_limit(
        &self,
        data: &Dataset,
        budget: &Budget,
        switches: Switches,
        shared: Option<&SortedColumns<'_>>,
    ) -> Result<Option<Fit<Tree>>> {
        let Some(most) = self.leaves.filter(|&leaves| leaves > MOST_LEAVES) else {
            return Ok(None);
        };
        let free = Self {
            leaves: None,
            ..self.clone()
        };
        let mut fit = free.learn(data, budget, switches, shared, None)?;
        if fit.training.leaves > most {
            return Ok(None);
        }
        // What is proven for trees of any size holds for smaller ones.
        if let Some(certificate) = &mut fit.certificate {
            certificate.statement = self.statement(data);
        }
        fit.learner = self.info(data);
        Ok(Some(fit))
    }

    /// With more leaves than this, the penalty alone costs more than a single leaf does.
    fn useful_leaves(&self, data: &Dataset) -> Result<usize> {
        if self.leaves.is_some() {
            return Ok(usize::MAX);
        }
        let leaf = TreePlan::Leaf.build(data, &self.loss)?;
        let cost = Training::of_leaves(&leaf, data).cost * (1.0 + 1e-9);
        let is_useful = |leaves: usize| {
            let paid = self.penalty.at(leaves) - self.penalty.at(1);
            self.leaf_cost.to_f64() * paid <= cost
        };
        // No tree has more leaves than there are rows.
        let most = match &self.penalty {
            Penalty::Table(table) => table.values().len(),
            _ => usize::MAX,
        };
        let (mut low, mut high) = (1, most.min(data.n_rows().max(1)) + 1);
        while low + 1 < high {
            let middle = usize::midpoint(low, high);
            if is_useful(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    /// Refuses a table of penalties that ends where more leaves may still be worth it.
    fn check_end(&self, found: &SizedTrees, useful: usize, objective: &Objective) -> Result<()> {
        let (Penalty::Table(table), Some(cost), None) = (&self.penalty, found.larger, self.leaves)
        else {
            return Ok(());
        };
        let n_lines = table.values().len();
        let last = SolutionValue {
            cost,
            leaves: n_lines,
        };
        let best = found.values.iter().copied();
        let best = best.min_by(|a, b| objective.compare(*a, *b));
        let is_better = |best| objective.compare_values(last, best).is_lt();
        if useful == n_lines && best.is_some_and(is_better) {
            return self.penalty.check(n_lines + 1);
        }
        Ok(())
    }

    fn sized_certificate(
        &self,
        data: &Dataset,
        losses: &RowLosses<'_>,
        bounds: &Bounds,
        training: &Training,
    ) -> Certificate {
        let tolerance = losses.tolerance().filter(|_| !losses.is_whole);
        let objective = self.objective(training);
        let lower = if bounds.is_proven {
            objective
        } else {
            let rounded = bounds.lower - 1e-12 * bounds.lower.abs();
            // Nothing costs less than nothing.
            rounded.min(objective.next_down()).max(0.0)
        };
        let lower_bound = after_rounding(lower, objective, tolerance);
        let is_counted = !matches!(losses.counting, Counting::Rounded(_));
        Certificate {
            objective,
            lower_bound,
            exact: losses.is_whole,
            tolerance,
            fewest_leaves: Some(bounds.has_fewest_leaves && is_counted && lower_bound == objective),
            statement: self.statement(data),
        }
    }
}

/// What is known about the best tree for an objective.
struct Bounds {
    /// Is no tree better?
    is_proven: bool,
    /// Does every tree that is as good have as many leaves?
    has_fewest_leaves: bool,
    /// No tree has a smaller objective, if that is not proven to be the least.
    lower: f64,
}

impl Bounds {
    /// Compares the tree that was found with all that might be there.
    fn of(found: &SizedTrees, objective: &Objective) -> Self {
        let sizes = found.lower.iter().copied().zip(1..);
        let larger = found.larger.map(|cost| (cost, found.lower.len() + 1));
        let others = sizes
            .chain(larger)
            .map(|(cost, leaves)| SolutionValue { cost, leaves });
        let best = found.values[0];
        let mut bounds = Self {
            is_proven: true,
            has_fewest_leaves: true,
            lower: f64::INFINITY,
        };
        for other in others {
            let order = objective.compare_values(other, best);
            bounds.is_proven &= order.is_ge();
            bounds.has_fewest_leaves &= other.leaves >= best.leaves || order.is_gt();
            let cost = objective.scale().cost(other.cost.max(0));
            let paid = if *objective.lambda() == Lambda::zero() {
                0.0
            } else {
                objective.lambda().to_f64() * objective.penalty().at(other.leaves)
            };
            bounds.lower = bounds.lower.min(cost + paid);
        }
        bounds
    }
}
