//! What is proven about a tree: the certificate, and the limits within which it can be proven.

use num_bigint::BigInt;

use crate::budget::Budget;
use crate::cost::{Counting, Lambda, Penalty, RowLosses, total_weight};
use crate::data::{Column, Dataset};
use crate::error::{Error, Result};
use crate::learn::optimal::Optimal;
use crate::learn::optimal::deeper::equivalent_points::least_loss;
use crate::learn::optimal::problem::{Context, RankTable, ValueEncoding};
use crate::tree::{
    CategoricalSplits, Certificate, CostKind, Fit, LearnerInfo, LearnerKind, LeastLeaf, Minimised,
    Params, Statement, Training, Tree, TreeClass, after_rounding,
};

/// With more classes than this, tables of all classes are large.
const WIDE: usize = 64;

/// A value that was found, and a lower bound of all values.
pub(super) struct Proven {
    pub(super) value: u64,
    pub(super) lower: u64,
    /// The loss that all trees have.
    pub(super) constant: i64,
    /// How many weighted rows there are.
    pub(super) n_rows: usize,
}

impl Optimal {
    /// The certificate of a tree.
    pub(super) fn certificate(
        &self,
        data: &Dataset,
        losses: &RowLosses<'_>,
        encoding: ValueEncoding,
        proven: &Proven,
        training: &Training,
    ) -> Result<Certificate> {
        let &Proven { value, lower, .. } = proven;
        check_lower(lower, value)?;
        let scale = losses.scale;
        let objective = self.objective(training);
        let is_proven = encoding.is_as_good(value, lower, losses.slack);
        let as_cost = |losses: f64| losses * scale.unit / scale.total_weight;
        let most_leaves = training.leaves.max(proven.n_rows);
        let by_leaf_costs = as_cost(encoding.off_by() * 2.0 * most_leaves as f64);
        let is_exact = losses.is_whole && encoding.off_by() == 0.0;
        let by_losses = losses.tolerance().unwrap_or(0.0);
        let tolerance = (!is_exact).then_some(by_losses + by_leaf_costs);
        let before_rounding = if is_proven {
            objective
        } else {
            let losses = encoding.in_losses(lower, proven.constant);
            as_cost(losses.max(0.0)) * (1.0 - 1e-12)
        };
        let lower_bound = after_rounding(before_rounding, objective, tolerance);
        let is_counted =
            !matches!(losses.counting, Counting::Rounded(_)) && encoding.off_by() == 0.0;
        Ok(Certificate {
            objective,
            lower_bound,
            exact: is_exact,
            tolerance,
            fewest_leaves: Some(value == lower && is_counted && lower_bound == objective),
            statement: self.statement(data),
        })
    }

    pub(super) fn objective(&self, training: &Training) -> f64 {
        if self.leaf_cost == Lambda::zero() {
            return training.cost;
        }
        training.cost + self.leaf_cost.to_f64() * self.penalty.at(training.leaves)
    }

    /// Is the encoded cost of a leaf exact, where losses are whole numbers of a unit?
    pub(super) fn is_leaf_cost_exact(
        &self,
        data: &Dataset,
        encoding: ValueEncoding,
        unit: f64,
    ) -> bool {
        let in_units = total_weight(data) * BigInt::from(unit.recip().round() as u64);
        encoding.is_exactly(&(self.leaf_cost.ratio() * in_units))
    }

    /// What the search needs at least: the order of each feature, for the rows of every level.
    pub(super) fn bytes(&self, data: &Dataset) -> usize {
        let per_row = 12 * (data.columns().len() + 2);
        let (n_rows, n_classes) = (data.n_rows(), data.schema().classes().len());
        // Intervals of a feature need a number for each class and cut, and their cuts one for each class and row.
        let intervals = self.intervals(data);
        let is_large = n_classes > WIDE && (2..n_rows).contains(&intervals);
        let has_rule = self.min_class_share.is_some() || self.min_leaf_weight > 0.0;
        let has_lines = is_large && intervals > 2 || self.min_leaf > 1 || has_rule;
        let of_cuts = if is_large {
            8 * n_classes * intervals
        } else {
            0
        };
        let of_lines = if has_lines {
            16 * n_rows * n_classes
        } else {
            0
        };
        n_rows * per_row * (1 + self.depth.clamp(2, 8) / 2) + of_cuts + of_lines
    }

    /// A tree of a smaller depth where there is no time for a search: of the others nothing is known.
    pub(crate) fn unsearched(&self, data: &Dataset, shallower: &Fit<Tree>) -> Fit<Tree> {
        let known = shallower.certificate.as_ref();
        let mut training = shallower.training;
        training.seconds = 0.0;
        Fit {
            certificate: Some(Certificate {
                objective: self.objective(&training),
                lower_bound: 0.0,
                exact: known.is_some_and(|known| known.exact),
                tolerance: known.and_then(|known| known.tolerance),
                fewest_leaves: Some(false),
                statement: self.statement(data),
            }),
            model: shallower.model.clone(),
            learner: self.info(data),
            training,
        }
    }

    pub(super) fn info(&self, data: &Dataset) -> LearnerInfo {
        let mut params = Params::default();
        params.insert("depth", self.depth);
        params.insert("intervals", self.intervals(data));
        params.set_categorical_splits(self.splits_of(data));
        params.insert("min_leaf", self.min_leaf);
        if self.min_leaf_weight > 0.0 {
            params.insert("min_leaf_weight", self.min_leaf_weight);
        }
        params.insert("leaf_cost", self.leaf_cost.number_or_text());
        if self.penalty != Penalty::Linear {
            params.insert("penalty", self.penalty.to_string());
        }
        if let Some(leaves) = self.leaves {
            params.insert("leaves", leaves);
        }
        params.set_rules(&self.rules);
        params.set_min_class_share(self.min_class_share.as_ref());
        LearnerInfo {
            kind: LearnerKind::Optimal,
            params,
        }
    }

    /// How categories are split; without any there is nothing to say.
    pub(super) fn splits_of(&self, data: &Dataset) -> CategoricalSplits {
        let is_categorical = |column: &Column| matches!(column, Column::Categorical(_));
        if data.columns().iter().any(is_categorical) {
            self.categorical_splits
        } else {
            CategoricalSplits::Multiway
        }
    }

    /// The parameters of a family.
    pub(super) fn family_info(&self, data: &Dataset) -> LearnerInfo {
        let mut info = self.info(data);
        info.params.take_leaf_cost();
        info
    }

    /// What the certificate is about.
    pub(super) fn statement(&self, data: &Dataset) -> Statement {
        let minimised = if self.leaf_cost == Lambda::zero() {
            Minimised::Cost(CostKind::Loss)
        } else {
            Minimised::Penalised(CostKind::Loss, self.leaf_cost.clone(), self.penalty.clone())
        };
        let over = TreeClass::Bounded {
            depth: self.depth,
            intervals: self.intervals(data),
            categories: self.splits_of(data),
            leaf: if self.min_leaf_weight > 0.0 {
                LeastLeaf::Weight(self.min_leaf_weight)
            } else {
                LeastLeaf::Rows(self.min_leaf)
            },
            min_class_share: self.min_class_share.clone(),
            most_leaves: self.leaves,
            rules: self.rules.clone(),
        };
        Statement::least(minimised, over)
    }
}

/// Without any search: no tree is worth less.
pub(super) fn lower_at_once(table: &RankTable<'_>, encoding: ValueEncoding) -> u64 {
    // One leaf, or at least two.
    let leaf = encoding.leaf(table.whole().error());
    leaf.min(2 * encoding.per_leaf())
}

/// Refuses a tree that is worth less than any was said to be.
pub(super) fn check_lower(least: u64, value: u64) -> Result<()> {
    if value >= least {
        return Ok(());
    }
    Err(Error::internal(format!(
        "no tree was to have a smaller value than {least}, but the rows of one have {value}"
    )))
}

/// Sums of losses stay below this: values are losses times more than there can be leaves, in 62 bits.
pub(super) fn most_loss(data: &Dataset) -> f64 {
    let n_rows = data.n_rows() as f64 * data.schema().classes().len().max(1) as f64;
    2.0_f64.powi(58) / n_rows
}

/// After a search that was stopped: no tree is worth less. The search has found a tree that is worth `best`, and
/// that none is worth less than `known`.
pub(super) fn lower_of_any_depth(
    context: &Context<'_>,
    known: u64,
    best: u64,
    budget: &Budget,
) -> u64 {
    let (encoding, rows) = (context.encoding, context.table.whole());
    // One leaf, or at least two; and equivalent points stay together.
    let leaf = encoding.leaf(rows.error());
    let loss = if context.switches.equivalent_points {
        least_loss(rows, budget)
    } else {
        0
    };
    let split = encoding.loss(loss) + 2 * encoding.per_leaf();
    known.min(best).max(split.min(leaf))
}
