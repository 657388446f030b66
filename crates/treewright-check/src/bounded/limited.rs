//! A tree that is said to be the best for a number of leaves, or for a penalty that is not linear.

use std::cell::Cell;
use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::Zero;

use super::by_leaves::{Cheaper, Limit, cheaper, limits};
use super::class::Class;
use crate::families::penalty::{GUARD, Penalty};
use crate::figures::{certificate, certificate_near};
use crate::numbers::{Ratio, binary, nearest};
use crate::read::data::Data;
use crate::read::model::Certificate;
use crate::report::{Report, Verdict};

pub(super) struct LimitedTree<'a> {
    pub(super) class: &'a Class,
    pub(super) data: &'a Data,
    pub(super) claimed: &'a Certificate,
    /// Its total cost.
    pub(super) cost: Ratio,
    pub(super) leaves: usize,
}

impl LimitedTree<'_> {
    pub(super) fn check(&self, penalty: &str, work: &Cell<u64>, report: &mut Report) {
        let is_optimal = self.claimed.optimal == Some(true);
        // A penalty that weighs nothing is linear, too.
        let verdict = if penalty == "linear" || self.class.leaf_cost.is_zero() {
            self.linear(work, report)
        } else {
            self.penalised(penalty, work, report)
        };
        let name = match (is_optimal, self.claimed.tolerance) {
            (true, None) => "optimal".into(),
            (true, Some(tolerance)) => format!("optimal up to {tolerance:e}"),
            (false, None) => "lower bound".into(),
            (false, Some(tolerance)) => format!("lower bound up to {tolerance:e}"),
        };
        report.add(name, verdict);
    }

    /// The least cost + leaf cost * leaves.
    fn linear(&self, work: &Cell<u64>, report: &mut Report) -> Verdict {
        let total = self.data.total();
        let price = &self.class.leaf_cost * &total;
        let objective = &self.cost + &price * BigInt::from(self.leaves);
        let printed = certificate(
            self.claimed,
            &(&objective / &total),
            self.data.may_be_exact(),
        );
        if !report.result("objective", printed) {
            return Verdict::NotChecked("the objective is false".into());
        }
        let is_optimal = self.claimed.optimal == Some(true);
        let is_fewest = is_optimal && self.claimed.claims_fewest();
        let tolerance = binary(self.claimed.tolerance.unwrap_or(0.0));
        let bound = match is_optimal {
            true if is_fewest => objective,
            true => objective - tolerance * &total,
            false => (binary(self.claimed.lower_bound.unwrap_or(0.0)) - tolerance) * &total,
        };
        let limit = |leaves: usize| Limit {
            cost: &bound - &price * BigInt::from(leaves),
            more: is_fewest && leaves < self.leaves,
        };
        let limits = limits(self.class, self.data, limit);
        verdict(cheaper(self.class, self.data, &limits, work), &total)
    }

    /// The least cost + leaf cost * penalty(leaves), in doubles: what is too close for them is not decided.
    fn penalised(&self, penalty: &str, work: &Cell<u64>, report: &mut Report) -> Verdict {
        let Some(penalty) = Penalty::new(penalty, None) else {
            return Verdict::NotChecked("the values of the penalty are not in the file".into());
        };
        let (total, lambda) = (self.data.total(), nearest(&self.class.leaf_cost));
        let own = lambda * penalty.of(self.leaves);
        let objective = nearest(&(&self.cost / &total)) + own;
        if !objective.is_finite() {
            return Verdict::NotChecked("numbers that are too large for doubles".into());
        }
        let form = certificate_near(
            self.claimed,
            &binary(objective),
            self.data.may_be_exact(),
            false,
        );
        if !report.result("objective", form) {
            return Verdict::NotChecked("the objective is false".into());
        }
        let is_optimal = self.claimed.optimal == Some(true);
        let tolerance = self.claimed.tolerance.unwrap_or(0.0);
        let bound = if is_optimal {
            objective
        } else {
            self.claimed.lower_bound.unwrap_or(0.0)
        };
        // Trees of its own size are compared exactly; others must be clearly worse to say that it is the best.
        let guard = GUARD * (objective.abs() + bound.abs());
        let is_close = is_optimal && self.claimed.exact;
        let limit_of = |leaves: usize, guard: f64| {
            let cost = bound - tolerance - lambda * penalty.of(leaves) + guard;
            let cost = if cost.is_finite() {
                binary(cost) * &total
            } else {
                Ratio::zero()
            };
            match leaves.cmp(&self.leaves) {
                Ordering::Equal if is_close => self.cost.clone(),
                // It is itself a tree with at most this many leaves.
                Ordering::Greater if is_close => cost.min(self.cost.clone()),
                _ => cost,
            }
        };
        let signed = if is_close { guard } else { -guard };
        let limits = limits(self.class, self.data, |leaves| {
            Limit::at_least(limit_of(leaves, signed))
        });
        let found = cheaper(self.class, self.data, &limits, work);
        let is_clear = |found: &Cheaper| found.cost < limit_of(found.leaves, -guard);
        match found {
            Ok(found) if is_close && !found.is_empty() && !found.iter().any(is_clear) => {
                Verdict::NotChecked("two sizes are too close for doubles".into())
            }
            // Of costs that were rounded, ties between sizes are not known.
            found if is_optimal && !is_close && self.claimed.claims_fewest() => {
                match verdict(found, &total) {
                    Verdict::Confirmed => Verdict::NotChecked("the fewest leaves".into()),
                    verdict => verdict,
                }
            }
            found => verdict(found, &total),
        }
    }
}

/// What follows from trees that cost less than claimed.
pub(super) fn verdict(cheaper: Result<Vec<Cheaper>, String>, total: &Ratio) -> Verdict {
    let found = match cheaper {
        Err(why) => return Verdict::NotChecked(why),
        Ok(found) => found,
    };
    let said = |found: &Cheaper| {
        let cost = nearest(&(&found.cost / total));
        format!("a tree with at most {} leaves costs {cost}", found.leaves)
    };
    match found.iter().find(|found| !found.is_uncertain) {
        Some(found) => Verdict::Refuted(said(found)),
        None if found.is_empty() => Verdict::Confirmed,
        None => Verdict::NotChecked("too many digits".into()),
    }
}
