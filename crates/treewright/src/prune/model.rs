//! Pruning a learned model: the result is a model or a family again, with its circumstances.

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Map, Value};

use super::single::check_objective;
use super::sized::take_out_sized;
use super::{Aim, Impurity, Method, NodeCosts, PruningCost, Record, Request};
use crate::cost::{Lambda, Penalty};
use crate::error::{Error, Result};
use crate::tree::{
    Certificate, CostKind, CostsFrom, FamilyFit, Fit, Minimised, Params, Statement, Training, Tree,
    TreeClass, after_rounding,
};

/// How a learned tree is pruned.
#[derive(Debug, Clone)]
pub struct Pruner {
    /// What leaves cost.
    pub penalty: Penalty,
    /// What a node costs as a leaf.
    pub cost: PruningCost,
    /// The algorithm.
    pub method: Method,
    /// Limit for the table of least costs, where one is needed.
    pub most_bytes: u64,
}

impl Pruner {
    /// The pruning of a model that is best at something. `costs` are those of its nodes, from other
    /// rows if `costs_from` says so.
    pub fn prune(
        &self,
        fit: Fit<Tree>,
        costs: &NodeCosts,
        costs_from: Option<CostsFrom>,
        aim: &Aim,
    ) -> Result<Fit<Tree>> {
        let start = Instant::now();
        let tree = Arc::new(fit.model);
        let (method, most_bytes) = (self.method, self.most_bytes);
        let pruning = super::prune(&tree, costs, &self.penalty, aim, method, most_bytes)?;
        let request = Request {
            penalty: &self.penalty,
            aim,
            cost: self.cost,
            costs_from,
        };
        let record = Record::new(&tree, &fit.learner, costs, request, &pruning);
        let training = training_of(&pruning.tree, &fit.training)?;
        Ok(Fit {
            model: pruning.tree,
            learner: record.added_to(fit.learner),
            training: training.taking(start.elapsed()),
            certificate: Some(record.certificate),
        })
    }

    /// All prunings of a model that are best for some weight of the penalty.
    pub fn family(
        &self,
        fit: Fit<Tree>,
        costs: &NodeCosts,
        costs_from: Option<CostsFrom>,
    ) -> Result<FamilyFit> {
        let start = Instant::now();
        let tree = Arc::new(fit.model);
        let family = super::family(&tree, costs, &self.penalty, self.method, self.most_bytes)?;
        let mut learner = fit.learner;
        let penalty = self.penalty.to_string();
        learner.params.set_family(&penalty, self.cost.name());
        Ok(FamilyFit {
            family,
            learner,
            training: Training {
                leaves: tree.n_leaves(),
                ..fit.training
            },
            exact: costs.is_whole(),
            tolerance: costs.tolerance(),
            exact_down_to: 0.0,
            lower_bounds: None,
            costs_from,
            cross_validation: None,
            work: None,
            seconds: start.elapsed().as_secs_f64(),
        })
    }
}

/// A member of a family as a model of its own. It is the best for `lambda`; without one, that is the
/// least weight that the member is best for, or in a family of all sizes the best tree of its size. `rule` is the name of the rule that chose it, if one did.
pub fn take_out(
    fit: &FamilyFit,
    member: usize,
    lambda: Option<Lambda>,
    rule: Option<&str>,
) -> Result<Fit<Tree>> {
    if fit.family.has_all_sizes() {
        return take_out_sized(fit, member, lambda.as_ref(), rule);
    }
    let start = Instant::now();
    let family = &fit.family;
    let lambda = match lambda {
        Some(lambda) => Some(lambda),
        None => family.lambda_low(member).map_or(Ok(None), least_weight)?,
    };
    if is_searched(fit) {
        return found_tree(fit, member, lambda.as_ref(), rule, start);
    }
    let lambda = lambda.ok_or_else(|| Error::model("a pruning without a weight it is best for"))?;
    let tree = family.tree(member);
    let mut learner = fit.learner.clone();
    let cost = taken_cost(&mut learner.params, fit)?;
    let request = Request {
        penalty: family.penalty(),
        aim: &Aim::Weight(lambda.clone()),
        cost,
        costs_from: fit.costs_from,
    };
    let method = match family.as_nested() {
        Some(_) => Method::Family,
        None => Method::Table,
    };
    let mut params = request.params(fit.training.leaves, method);
    params.extend(taken_choice(&mut learner.params, fit, member, rule));
    let statement = request.statement(&tree, &learner, fit.training.leaves);
    let certificate = certificate(fit, member, &lambda, statement)?;
    learner.params.set_pruned(params);
    Ok(Fit {
        training: training_of(&tree, &fit.training)?.taking(start.elapsed()),
        model: tree,
        learner,
        certificate,
    })
}

/// A weight as it is printed, so that it chooses the same member when it is given back; `None` if it is
/// infinite, as after a search that was stopped at once.
fn least_weight(low: f64) -> Result<Option<Lambda>> {
    let is_weight = low.is_finite();
    is_weight.then(|| format!("{low:?}").parse()).transpose()
}

/// Did a learner search for the members among all trees of a kind? Otherwise they are prunings of one
/// tree, and the parameters say what they cost.
pub fn is_searched(fit: &FamilyFit) -> bool {
    fit.learner.is_searched()
}

/// A member that its learner would have found for this weight alone: nothing was pruned.
fn found_tree(
    fit: &FamilyFit,
    member: usize,
    lambda: Option<&Lambda>,
    rule: Option<&str>,
    start: Instant,
) -> Result<Fit<Tree>> {
    let mut learner = fit.learner.clone();
    let params = &mut learner.params;
    params.take_method();
    let choice = taken_choice(params, fit, member, rule);
    let certificate = match lambda {
        None => None,
        Some(lambda) => {
            let certificate = certificate(fit, member, lambda, searched_for(fit, lambda))?;
            params.insert("lambda", lambda.number_or_text());
            certificate
        }
    };
    params.extend(choice);
    let tree = fit.family.tree(member);
    Ok(Fit {
        training: training_of(&tree, &fit.training)?.taking(start.elapsed()),
        model: tree,
        learner,
        certificate,
    })
}

/// What the best tree for a weight was searched for.
fn searched_for(fit: &FamilyFit, lambda: &Lambda) -> Statement {
    let (params, penalty) = (&fit.learner.params, fit.family.penalty().clone());
    let over = TreeClass::Dyadic {
        model: params.dyadic_model().map(str::to_owned),
        grid_box: params.grid_box().map(str::to_owned),
        halvings: params.halvings(),
        most_leaves: None,
    };
    let minimised = Minimised::Penalised(CostKind::Loss, lambda.clone(), penalty);
    Statement::least(minimised, over)
}

/// The proof that a member is the best for a weight, if it is known to be.
fn certificate(
    fit: &FamilyFit,
    member: usize,
    lambda: &Lambda,
    statement: Statement,
) -> Result<Option<Certificate>> {
    let family = &fit.family;
    // An interval may be so narrow that no double lies in it; then nothing is claimed.
    let is_proven = family.at(lambda) == member && lambda.to_f64() >= fit.exact_down_to;
    let figures = family.member(member);
    let objective = figures.cost + lambda.to_f64() * family.penalty().at(figures.leaves);
    check_objective(objective, lambda)?;
    Ok(is_proven.then_some(Certificate {
        objective,
        lower_bound: after_rounding(objective, objective, fit.tolerance),
        exact: fit.exact,
        tolerance: fit.tolerance,
        // Of trees that are tied for a weight a family has the smallest.
        fewest_leaves: is_searched(fit).then_some(fit.exact),
        statement,
    }))
}

/// The figures of a pruning, which a file can only have if they are finite.
pub(super) fn training_of(tree: &Tree, before: &Training) -> Result<Training> {
    let training = Training::of_pruning(tree, before);
    if training.cost.is_finite() && training.errors.unwrap_or(0.0).is_finite() {
        Ok(training)
    } else {
        Err(Error::model(
            "the costs of its leaves are too large: their sum is not a finite number",
        ))
    }
}

/// What the members of a family cost, taken from the learner's parameters along with the penalty: both
/// belong to the pruning.
fn taken_cost(params: &mut Params, fit: &FamilyFit) -> Result<PruningCost> {
    match params.take_family().as_ref().and_then(Value::as_str) {
        None | Some("error") => Ok(PruningCost::Error),
        Some("mse") => Ok(PruningCost::Squared),
        Some("impurity") => Ok(PruningCost::Impurity(Impurity::of_learner(&fit.learner))),
        Some(other) => {
            let what = format!("cost is {other:?}, expected \"error\", \"impurity\" or \"mse\"");
            Err(Error::model(what))
        }
    }
}

/// How a member was chosen, and what rows left out say about it. How the family was cross-validated is
/// taken from its parameters: it belongs to the member, too.
pub(super) fn taken_choice(
    params: &mut Params,
    fit: &FamilyFit,
    member: usize,
    rule: Option<&str>,
) -> Map<String, Value> {
    let mut choice = Map::new();
    if let Some(rule) = rule {
        choice.insert("select".into(), rule.into());
    }
    choice.extend(params.take_resampling());
    if let Some(found) = &fit.cross_validation {
        choice.insert("cv_error".into(), found.error[member].into());
        choice.insert("cv_se".into(), found.se[member].into());
    }
    choice
}
