//! What a tree shall be best at, and which trees must be known to tell.
//!
//! For the linear penalty these are the vertices of the hull above one alpha. For any concave penalty the
//! best tree is a vertex as well: between two vertices the objective is a concave function of the leaves,
//! so it is least at one of them. All other penalties, and the best tree of a size, need the least error
//! for each number of leaves.

use std::cmp::Ordering;

use num_rational::BigRational;
use num_traits::ToPrimitive;

use super::parameters::{Dyadic, Model, Ties};
use crate::cost::{Lambda, Objective, Penalty, Shape, SolutionValue};
use crate::error::Result;
use crate::learn::dyadic::frontier::{Alpha, Frontier, LeastAlpha};
use crate::learn::dyadic::problem::Grid;
use crate::tree::{CostKind, Minimised, Statement, TreeClass};

/// An aim with all that it takes to compare trees by it.
#[derive(Debug)]
pub(crate) enum Question {
    Weighted(Box<Objective>),
    Sized(usize),
}

impl Question {
    /// Which of two trees is better (`Less`), if they have the leaves that are allowed.
    pub(crate) fn compare(&self, a: SolutionValue, b: SolutionValue, ties: Ties) -> Ordering {
        let leaves = a.leaves.cmp(&b.leaves);
        match (self, ties) {
            (Self::Sized(_), _) => a.cost.cmp(&b.cost).then(leaves),
            (Self::Weighted(objective), Ties::Smaller) => objective.compare(a, b),
            // Without a weight there is no end to what is tied.
            (Self::Weighted(objective), _) if objective.lambda() == &Lambda::zero() => {
                objective.compare(a, b)
            }
            (Self::Weighted(objective), Ties::Larger) => {
                objective.compare_values(a, b).then(leaves.reverse())
            }
        }
    }

    /// Has one tree a smaller objective than another?
    pub(crate) fn is_better(&self, a: SolutionValue, b: SolutionValue) -> bool {
        match self {
            Self::Weighted(objective) => objective.compare_values(a, b).is_lt(),
            Self::Sized(_) => a.cost < b.cost,
        }
    }

    /// May a tree have as many leaves as this one? A table of penalties may end before that.
    pub(crate) fn allows(&self, tree: SolutionValue) -> bool {
        match self {
            Self::Weighted(objective) => match objective.penalty() {
                Penalty::Table(table) => tree.leaves <= table.values().len(),
                _ => true,
            },
            Self::Sized(most_leaves) => tree.leaves <= *most_leaves,
        }
    }

    /// What is to be made small, as a double; `cost` is that of the tree.
    pub(crate) fn value(&self, cost: f64, leaves: usize) -> f64 {
        match self {
            Self::Weighted(objective) => {
                cost + objective.lambda().to_f64() * objective.penalty().at(leaves)
            }
            Self::Sized(_) => cost,
        }
    }

    /// The trees that must be known to answer.
    pub(crate) fn front(&self, grid: &Grid, model: Model, ties: Ties) -> Result<Frontier> {
        let objective = match self {
            Self::Weighted(objective) => objective,
            Self::Sized(most_leaves) => {
                return Ok(Frontier::Stairs(
                    u32::try_from(*most_leaves).unwrap_or(u32::MAX),
                ));
            }
        };
        let penalty = objective.penalty();
        let alpha = alpha_of(objective.lambda(), grid);
        if matches!(penalty, Penalty::Linear) {
            return Ok(Frontier::Hull(match ties {
                Ties::Smaller => LeastAlpha::above(alpha),
                Ties::Larger => LeastAlpha::with_ties(alpha),
            }));
        }
        let known = known_leaves(penalty, grid, model)?;
        let most = useful_leaves(objective, grid, known);
        if is_concave(penalty, most) {
            // No leaf costs less than the last of them.
            let rise = penalty.at(most) - penalty.at(most.saturating_sub(1).max(1));
            let share = rise.clamp(0.0, 1e100) * (1.0 - 1e-9);
            let ratio = BigRational::from_float(share).expect("a clamped number is finite");
            let alpha = alpha_of(&Lambda::new(objective.lambda().ratio() * ratio)?, grid);
            return Ok(Frontier::Hull(LeastAlpha::above(alpha)));
        }
        Ok(Frontier::Stairs(most as u32))
    }

    /// What the certificate is about.
    pub(crate) fn statement(&self, learner: &Dyadic, halvings: Vec<u32>) -> Statement {
        let (minimised, most_leaves) = match self {
            Self::Weighted(objective) => {
                let (lambda, penalty) = (objective.lambda().clone(), objective.penalty().clone());
                (Minimised::Penalised(CostKind::Loss, lambda, penalty), None)
            }
            Self::Sized(most_leaves) => (Minimised::Cost(CostKind::Loss), Some(*most_leaves)),
        };
        let over = TreeClass::Dyadic {
            model: Some(learner.model.name().to_owned()),
            grid_box: learner.grid_box.named(),
            halvings: Some(halvings),
            most_leaves,
        };
        Statement::least(minimised, over)
    }
}

/// The trees that must be known for all weights of a penalty; with `all` of them also those that are
/// only as good as others.
pub(crate) fn front_of_all(
    penalty: &Penalty,
    all: bool,
    grid: &Grid,
    model: Model,
) -> Result<Frontier> {
    let known = known_leaves(penalty, grid, model)?;
    if is_concave(penalty, known) && !all {
        return Ok(Frontier::Hull(LeastAlpha::above(Alpha::ZERO)));
    }
    Ok(Frontier::Stairs(known as u32))
}

/// Refuses a table of penalties that ends before the trees do: with more leaves than it has lines, a
/// tree may be better than the largest one found, which is `last`.
pub(crate) fn check_end(
    penalty: &Penalty,
    searched: Frontier,
    last: SolutionValue,
    grid: &Grid,
    model: Model,
) -> Result<()> {
    let (Penalty::Table(table), Frontier::Stairs(most_leaves)) = (penalty, searched) else {
        return Ok(());
    };
    let n_lines = table.values().len();
    let is_cut = most_leaves as usize == n_lines && n_lines < possible_leaves(grid, model);
    if is_cut && last.cost as u64 > grid.base {
        return penalty.check(n_lines + 1);
    }
    Ok(())
}

fn is_concave(penalty: &Penalty, most_leaves: usize) -> bool {
    // A table may end before the trees do; that is found out by looking at all sizes.
    let is_table = matches!(penalty, Penalty::Table(_));
    !is_table && matches!(penalty.shape(most_leaves), Shape::Additive | Shape::Concave)
}

/// No best tree has more leaves.
fn possible_leaves(grid: &Grid, model: Model) -> usize {
    let points = &grid.points;
    let bits: u32 = points.fields.iter().map(|field| field.bits).sum();
    let most = match model {
        Model::Collapsed => points.len(),
        // Each halving on the way to a point may leave an empty side.
        Model::Boxed => points.len().saturating_mul(bits as usize + 1),
    };
    most.clamp(1, u32::MAX as usize)
}

/// For more leaves the penalty is not known, or no best tree has them.
fn known_leaves(penalty: &Penalty, grid: &Grid, model: Model) -> Result<usize> {
    let most = possible_leaves(grid, model);
    if let Penalty::Table(table) = penalty {
        return Ok(most.min(table.values().len()));
    }
    penalty.check(most)?;
    Ok(most)
}

/// No tree with more leaves than this, of at most `known` ones, can be better than one leaf.
fn useful_leaves(objective: &Objective, grid: &Grid, known: usize) -> usize {
    let penalty = objective.penalty();
    let saved = grid.scale.cost(grid.points.least_loss() as i64) * (1.0 + 1e-9);
    let is_useful = |leaves: usize| {
        let paid = penalty.at(leaves) - penalty.at(1);
        objective.lambda().to_f64() * paid <= saved
    };
    let (mut low, mut high) = (1, known + 1);
    while low + 1 < high {
        let middle = usize::midpoint(low, high);
        if is_useful(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

fn ratio_of(lambda: &Lambda, grid: &Grid) -> BigRational {
    lambda.ratio() / grid.scale.ratio()
}

/// A weight as alpha in units of loss, if that is not too long.
pub(crate) fn exact_alpha_of(lambda: &Lambda, grid: &Grid) -> Option<Alpha> {
    let alpha = ratio_of(lambda, grid);
    Some(Alpha {
        numerator: alpha.numer().to_u64()?,
        denominator: alpha.denom().to_u64()?,
    })
}

/// A weight as alpha in units of loss, rounded down if its fraction is too long.
pub(crate) fn alpha_of(lambda: &Lambda, grid: &Grid) -> Alpha {
    if let Some(alpha) = exact_alpha_of(lambda, grid) {
        return alpha;
    }
    let alpha = ratio_of(lambda, grid);
    let denominator = 1_u64 << 31;
    let numerator = (alpha * BigRational::from_integer(denominator.into()))
        .floor()
        .to_u64();
    Alpha {
        // An alpha above all losses: one leaf is best.
        numerator: numerator.unwrap_or(u64::MAX),
        denominator,
    }
}
