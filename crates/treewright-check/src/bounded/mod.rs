//! The claims of optimal trees of bounded depth.

use std::cell::Cell;

use num_bigint::BigInt;

use crate::families::fewest_of_unproven;
use crate::figures::{Figures, certificate};
use crate::numbers::{Ratio, binary, nearest};
use crate::read::data::Data;
use crate::read::model::Model;
use crate::report::{Report, TooLarge, Verdict};
use crate::values::Values;

mod by_leaves;
pub(crate) mod class;
mod curve;
pub(crate) mod family;
mod last;
mod limited;
mod proof;
mod rules;
pub(crate) mod search;

use self::class::Class;
use self::limited::LimitedTree;
use self::rules::LeafRule;
use self::search::Search;

/// Levels inside each other: more might not fit on the stack.
const DEEPEST: usize = 500;

/// Checks the class, the objective and the bound of an optimal tree.
pub(crate) fn check(
    model: &Model,
    data: &Data,
    figures: &Figures<'_>,
    proof: Option<&str>,
    work: &Cell<u64>,
    report: &mut Report,
) {
    let class = match Class::new(model) {
        Ok(class) => class,
        Err(fault) => return report.add("parameters", Verdict::Refuted(fault)),
    };
    if !report.result("class of trees", class.has(figures, data)) {
        return;
    }
    let Some(claimed) = &model.certificate else {
        return;
    };
    let penalty = model.learner.params.get("penalty");
    let penalty = penalty.map_or("linear", |name| name.as_str().unwrap_or(""));
    if penalty != "linear" || class.most_leaves.is_some() {
        let claim = LimitedTree {
            class: &class,
            data,
            claimed,
            cost: figures.of_leaves().1,
            leaves: figures.n_leaves(),
        };
        claim.check(penalty, work, report);
        return fewest_of_unproven(claimed, report);
    }
    let total = data.total();
    let (_, cost) = figures.of_leaves();
    let price = &class.leaf_cost * &total;
    let objective = (&cost + &price * BigInt::from(figures.n_leaves())) / &total;
    if !report.result(
        "objective",
        certificate(claimed, &objective, data.may_be_exact()),
    ) {
        return;
    }
    let is_optimal = claimed.optimal == Some(true);
    let tolerance = binary(claimed.tolerance.unwrap_or(0.0));
    let name = match (is_optimal, claimed.exact) {
        (true, true) => "optimal".to_owned(),
        (true, false) => format!("optimal up to {:e}", nearest(&tolerance)),
        (false, true) => format!("lower bound {}", claimed.lower_bound.unwrap_or(0.0)),
        (false, false) => {
            let bound = claimed.lower_bound.unwrap_or(0.0);
            format!("lower bound {bound} up to {:e}", nearest(&tolerance))
        }
    };
    let bound = if is_optimal {
        objective
    } else {
        binary(claimed.lower_bound.unwrap_or(0.0))
    };
    let found = Claim {
        class: &class,
        data,
        price,
        cost: (is_optimal && claimed.claims_fewest()).then_some(cost),
        leaves: figures.n_leaves(),
        bound: (bound - tolerance) * total,
    };
    report.add(name, found.check(proof, work));
    fewest_of_unproven(claimed, report);
}

/// No tree of the class is below a bound.
struct Claim<'a> {
    class: &'a Class,
    data: &'a Data,
    /// What a leaf costs, on the scale of the total cost.
    price: Ratio,
    /// The cost of the tree, if it is claimed to be the best, by the fewest leaves.
    cost: Option<Ratio>,
    leaves: usize,
    bound: Ratio,
}

impl Claim<'_> {
    fn check(&self, proof: Option<&str>, work: &Cell<u64>) -> Verdict {
        let values = match Values::new(self.data, &self.price, self.data.n_rows()) {
            Ok(values) => values,
            Err(why) => return Verdict::NotChecked(why),
        };
        let own = self.cost.as_ref().filter(|_| values.off_by == 0);
        let limit = match own {
            Some(cost) => values.of(cost, self.leaves),
            None => values.bound(&self.bound),
        };
        let Some(limit) = limit else {
            return Verdict::NotChecked("too many digits".into());
        };
        let Some(rule) = LeafRule::new(self.class, self.data) else {
            return Verdict::NotChecked("too many digits in the weights of leaves".into());
        };
        if self.class.effective_depth(self.data) > DEEPEST {
            return Verdict::NotChecked("too deep".into());
        }
        if self.class.depth > 2
            && self.class.is_plain()
            && let Some(proof) = proof
        {
            return proof::check(self.class, self.data, values, proof, limit, rule, work);
        }
        let is_strict = rule.is_strict();
        let search = Search::new(self.data, &values, self.class, (rule, 1), work);
        let rows = search.all();
        let depth = self.class.effective_depth(self.data);
        // A single leaf may be of any size.
        let leaf = search.leaf(&rows.orders[0]);
        let found = search
            .least_value(&rows, depth, limit, is_strict)
            .map(|found| found.min(leaf));
        let is_rounded = self.cost.is_some() && values.off_by != 0;
        match found {
            Ok(found) if found >= limit && is_rounded => {
                Verdict::NotChecked("too many digits to compare numbers of leaves".into())
            }
            Ok(found) if found >= limit => Verdict::Confirmed,
            Ok(found) if found + values.off_by >= limit => {
                Verdict::NotChecked("too many digits".into())
            }
            Ok(found) => Verdict::Refuted(format!("a tree of value {found}, claimed {limit}")),
            Err(TooLarge) if depth > 2 => {
                Verdict::NotChecked("too large without a proof file".into())
            }
            Err(TooLarge) => Verdict::NotChecked("too large".into()),
        }
    }
}
