//! Families of the best trees of bounded depth for every number of leaves.
//!
//! Nothing of such a family needs a search but this: no tree with at most `k` leaves costs less than some amount, for each
//! `k`. docs/checker.md says which amounts these are.

use std::cell::Cell;

use num_bigint::BigInt;
use num_traits::{One, Zero};

use super::by_leaves::{Limit, cheaper, limits};
use super::class::Class;
use super::limited::verdict;
use crate::families::path::{self, Found, Path};
use crate::families::penalty::{GUARD, Penalty};
use crate::figures::Figures;
use crate::numbers::{Ratio, binary, nearest};
use crate::read::data::Data;
use crate::read::model::{Certificate, Member, Model};
use crate::report::{Report, Verdict};

/// Checks the members, their weights, and that nothing is better.
pub(crate) fn check(model: &Model, data: &Data, work: &Cell<u64>, report: &mut Report) {
    let class = match Class::new(model) {
        Ok(class) => class,
        Err(fault) => return report.add("parameters", Verdict::Refuted(fault)),
    };
    let kind = |tree: &Figures<'_>| {
        let has = class.has(tree, data);
        has.map_or_else(Verdict::Refuted, |()| Verdict::Confirmed)
    };
    let Some(found) = path::members(model, data, report, kind) else {
        return;
    };
    let members = model.members.as_deref().unwrap_or_default();
    if let Some(nodes) = members.last().and_then(|member| member.nodes.as_ref()) {
        let training = Figures::new(nodes, data).training(&model.training, true);
        report.add("training", training);
    }
    let Some((claimed, penalty)) = path::certificate(model, data.may_be_exact(), report) else {
        return;
    };
    let total = data.total();
    let mut family = Family {
        members,
        found: &found,
        claimed,
        penalty,
        tolerance: binary(claimed.tolerance.unwrap_or(0.0)) * &total,
        total,
        breaks: Vec::new(),
    };
    family.breaks = family.breaks();
    if !report.result("members", family.rises())
        || !report.result("weights", family.weights())
        || !report.result("lower bounds", family.bounds())
    {
        return;
    }
    let limits = limits(&class, data, |leaves| Limit::at_least(family.limit(leaves)));
    let verdict = verdict(cheaper(&class, data, &limits, work), &family.total);
    let up_to = claimed.tolerance;
    let up_to = up_to.map_or(String::new(), |tolerance| format!(" up to {tolerance:e}"));
    let name = match claimed.exact_down_to {
        Some(0.0) if !family.is_stopped() => format!("best for every number of leaves{up_to}"),
        _ => format!("bounds for every number of leaves{up_to}"),
    };
    report.add(name, verdict);
}

struct Family<'a> {
    members: &'a [Member],
    found: &'a [Found],
    claimed: &'a Certificate,
    penalty: Penalty,
    total: Ratio,
    /// On the scale of the total cost.
    tolerance: Ratio,
    /// The weights at which the best member changes, and 0, with the smaller of the members that meet there.
    breaks: Vec<(Ratio, Found)>,
}

impl Family<'_> {
    /// Has a limit ended the search, so that members have bounds of their own?
    fn is_stopped(&self) -> bool {
        self.members
            .iter()
            .any(|member| member.lower_bound.is_some())
    }

    /// From one leaf on to more leaves and less cost.
    fn rises(&self) -> Result<(), String> {
        let rises = |pair: &[Found]| {
            let least = &pair[1].0 - &self.tolerance;
            pair[0].1 < pair[1].1
                && (pair[0].0 > pair[1].0 || !self.claimed.exact && pair[0].0 >= least)
        };
        if !self.found.windows(2).all(rises) {
            return Err("leaves do not rise, or costs do not fall".into());
        }
        if self.found.first().is_none_or(|(_, leaves)| *leaves != 1) {
            return Err("the first member is not a single leaf".into());
        }
        Ok(())
    }

    /// The members that are the best for some weight: their places, and their costs and leaves.
    fn best(&self) -> (Vec<usize>, Vec<Found>) {
        let has_weight = |at: &usize| self.members[*at].lambda_low.is_some();
        let mut places: Vec<usize> = (0..self.members.len()).filter(has_weight).collect();
        if places.is_empty() {
            places.push(0);
        }
        let found = places.iter().map(|&at| self.found[at].clone()).collect();
        (places, found)
    }

    /// What the best members have at a weight, for the total weight of all rows: cost and penalty.
    fn objective(&self, weight: &Ratio, (cost, leaves): &Found) -> Option<Ratio> {
        Some(cost + weight * &self.total * self.penalty_of(*leaves)?)
    }

    /// A double, if the penalty is not linear; `None` where it is infinite.
    fn penalty_of(&self, leaves: usize) -> Option<Ratio> {
        if matches!(self.penalty, Penalty::Linear) {
            return Some(BigInt::from(leaves).into());
        }
        let penalty = self.penalty.of(leaves);
        penalty.is_finite().then(|| binary(penalty))
    }

    /// What roundings of doubles may change, on the scale of the total cost.
    fn rounding(&self, weight: &Ratio, leaves: usize) -> Ratio {
        if matches!(self.penalty, Penalty::Linear) {
            return Ratio::zero();
        }
        let penalty = self.penalty_of(leaves).unwrap_or_default();
        let size = Ratio::one()
            + if penalty < Ratio::zero() {
                -penalty
            } else {
                penalty
            } * weight;
        size * &self.total * binary(4.0 * GUARD)
    }

    /// The weights of the members are those of the lower hull of leaves and costs; the others have none.
    fn weights(&self) -> Result<(), String> {
        let (places, found) = self.best();
        let members: Vec<Member> = places.iter().map(|&at| self.members[at].clone()).collect();
        let path = Path {
            members: &members,
            found: &found,
            claimed: self.claimed,
            total: &self.total,
            tolerance: self.tolerance.clone(),
        };
        // A search that was stopped at once may know nothing for any weight.
        let is_nowhere = self.members.len() == 1 && self.claimed.exact_down_to.is_none();
        let last = members.last().and_then(|member| member.lambda_low);
        path.rises(if is_nowhere { last } else { Some(0.0) })?;
        if let Some(down_to) = self.claimed.exact_down_to
            && down_to < 0.0
        {
            return Err("a weight below 0".into());
        }
        let is_linear = matches!(self.penalty, Penalty::Linear);
        if is_linear {
            let meets = path.meets();
            path.thresholds(&meets)?;
            if self.claimed.exact && meets.windows(2).any(|pair| pair[0] <= pair[1]) {
                return Err("a member with a weight is only as good as its neighbours".into());
            }
        } else {
            let lows = members
                .iter()
                .map(|member| member.lambda_low.unwrap_or(0.0));
            for (at, low) in lows.enumerate() {
                path.threshold_near(at, low, &self.penalty)?;
            }
        }
        self.others_are_not_better(&places)
    }

    /// The weights at which the best member changes, and 0; rounded if the penalty is not linear.
    fn breaks(&self) -> Vec<(Ratio, Found)> {
        let (_, found) = self.best();
        let weight = |pair: &[Found]| {
            let more = self.penalty_of(pair[1].1)? - self.penalty_of(pair[0].1)?;
            Some((&pair[0].0 - &pair[1].0) / &self.total / more)
        };
        let meets = found
            .windows(2)
            .filter_map(weight)
            .zip(found.iter().cloned());
        let last = found.last().cloned().map(|last| (Ratio::zero(), last));
        meets.chain(last).collect()
    }

    /// Members without weights are nowhere below the line of those with weights: it is enough to look where that bends.
    fn others_are_not_better(&self, best: &[usize]) -> Result<(), String> {
        for (at, (member, own)) in self.members.iter().zip(self.found).enumerate() {
            if best.contains(&at) {
                continue;
            }
            if member.lambda_high.is_some() {
                return Err(format!("member {at} has lambda_high without lambda_low"));
            }
            for (weight, of_best) in &self.breaks {
                let slack =
                    self.rounding(weight, own.1.max(of_best.1)) + &self.tolerance * BigInt::from(4);
                let (Some(own), Some(least)) =
                    (self.objective(weight, own), self.objective(weight, of_best))
                else {
                    continue;
                };
                if own + slack < least {
                    let weight = nearest(weight);
                    return Err(format!(
                        "member {at} has no weights, but is the best at {weight}"
                    ));
                }
            }
        }
        Ok(())
    }

    /// Bounds of members are not above their costs, and do not rise.
    fn bounds(&self) -> Result<(), String> {
        let bounds = self.members.iter().map(|member| member.lower_bound);
        let bounds: Vec<Option<f64>> = bounds.collect();
        if !self.is_stopped() {
            return Ok(());
        }
        for (at, (bound, (cost, _))) in bounds.iter().zip(self.found).enumerate() {
            let bound = bound.ok_or_else(|| format!("member {at} has no lower_bound"))?;
            let slack = &self.tolerance + cost * binary(1e-15);
            if binary(bound) * &self.total > cost + slack {
                return Err(format!("lower_bound of member {at} is above its cost"));
            }
        }
        Ok(())
    }

    /// No tree with at most this many leaves may cost less in total.
    fn limit(&self, leaves: usize) -> Ratio {
        let mut limit = self.limit_of_sizes(leaves);
        let Some(down_to) = self.claimed.exact_down_to else {
            return limit;
        };
        // From this weight on, no tree is better than the best member. Between the weights at which these change it is
        // enough to look at both ends.
        let down_to = binary(down_to);
        for (at, (weight, best)) in self.breaks.iter().enumerate() {
            if at > 0 && self.breaks[at - 1].0 < down_to {
                break;
            }
            let weight = weight.max(&down_to);
            let least = self.objective(weight, best);
            let own = self.penalty_of(leaves);
            if let (Some(least), Some(own)) = (least, own) {
                let slack = self.rounding(weight, leaves.max(best.1)) + &self.tolerance;
                limit = limit.max(least - slack - weight * &self.total * own);
            }
        }
        limit
    }

    /// The same by what is said of each number of leaves.
    fn limit_of_sizes(&self, leaves: usize) -> Ratio {
        if self.is_stopped() {
            let of_member = |(member, (cost, own)): (&Member, &Found)| {
                // Bounds are printed as doubles; one that is printed like the cost is the cost.
                let bound = match member.lower_bound {
                    Some(bound) if bound == member.cost => cost.clone(),
                    Some(bound) => binary(bound * (1.0 - 4.0 * f64::EPSILON)) * &self.total,
                    None => Ratio::zero(),
                };
                (*own >= leaves).then(|| bound - &self.tolerance)
            };
            let bounds = self.members.iter().zip(self.found).filter_map(of_member);
            return bounds.max().unwrap_or_default();
        }
        // Of costs that were rounded, a search that was stopped says nothing here.
        let is_whole = self.claimed.exact || self.claimed.exact_down_to == Some(0.0);
        let known = self.found.partition_point(|(_, own)| *own <= leaves);
        let has_more = known < self.found.len() || self.found[known - 1].1 == leaves;
        if is_whole && has_more {
            &self.found[known - 1].0 - &self.tolerance
        } else {
            Ratio::zero()
        }
    }
}
