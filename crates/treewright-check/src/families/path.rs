//! What a family of trees claims: its thresholds, and that each member is the best between two of them.
//!
//! The least objective is a concave function of the weight. A member whose line it touches at both ends of an interval is
//! therefore the best inside, too; so only the thresholds have to be looked at (docs/checker.md).

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use super::Trees;
use super::penalty::{GUARD, Penalty};
use crate::figures::Figures;
use crate::numbers::{Ratio, about, binary, few_ulps, little, nearest};
use crate::read::data::Data;
use crate::read::model::{Certificate, Member, Model};
use crate::report::{Report, Verdict};

/// A member: its total cost and its leaves.
pub(crate) type Found = (Ratio, usize);

/// The figures of a member.
pub(crate) fn figures(
    member: &Member,
    (errors, cost, leaves): (&Ratio, &Ratio, usize),
    total: &Ratio,
    (is_exact, is_whole): (bool, bool),
    largest: f64,
) -> Result<(), String> {
    if member.leaves != leaves {
        return Err(format!("leaves is {}, found {leaves}", member.leaves));
    }
    // Sums that are not whole are not better known than to a part of the largest.
    let part = binary(1e-15 * largest);
    let same = |claimed: f64, found: &Ratio, slack: &Ratio, is_exact: bool| {
        let is_near = || (binary(claimed) - found).abs() <= *slack;
        few_ulps(claimed, found) || !is_exact && (about(claimed, found) || is_near())
    };
    let cost = cost / total;
    if !same(member.cost, &cost, &part, is_exact) {
        return Err(format!("cost is {}, found {}", member.cost, nearest(&cost)));
    }
    match member.errors {
        // Weights of rows may be rounded where costs are not.
        Some(claimed) if same(claimed, errors, &(part * total), is_whole) => Ok(()),
        claimed => Err(format!("errors is {claimed:?}, found {}", nearest(errors))),
    }
}

impl Model {
    /// Does it claim that its costs are exact?
    pub(crate) fn claims_exact(&self) -> bool {
        let certificate = self.certificate.as_ref();
        certificate.is_some_and(|claimed| claimed.exact)
    }

    /// The cost of the first member, which is the largest.
    pub(crate) fn largest_cost(&self) -> f64 {
        let first = self.members.iter().flatten().next();
        first.map_or(0.0, |member| member.cost)
    }
}

/// The members of a family with a tree in each; `also` looks at the tree.
pub(crate) fn members(
    model: &Model,
    data: &Data,
    report: &mut Report,
    also: impl Fn(&Figures<'_>) -> Verdict,
) -> Option<Vec<Found>> {
    let mut found = Vec::new();
    for (at, member) in model.members.iter().flatten().enumerate() {
        let Some(nodes) = &member.nodes else {
            report.add("members", Verdict::Refuted("a member without nodes".into()));
            return None;
        };
        let tree = Figures::new(nodes, data);
        let ((errors, cost), leaves) = (tree.of_leaves(), tree.n_leaves());
        report.result(format!("member {at}: counts"), tree.counts());
        report.result(format!("member {at}: values"), tree.values());
        report.add(format!("member {at}: kind of tree"), also(&tree));
        let is_exact = model.claims_exact() && data.may_be_exact() && !tree.is_shared();
        let exactness = (is_exact, is_exact && data.is_whole);
        let largest = model.largest_cost();
        let found_here = (&errors, &cost, leaves);
        let figures = figures(member, found_here, &data.total(), exactness, largest);
        report.result(format!("member {at}: figures"), figures);
        found.push((cost, leaves));
    }
    Some(found)
}

/// The certificate of a family and its penalty, unless something is wrong with them.
pub(crate) fn certificate<'a>(
    model: &'a Model,
    is_whole: bool,
    report: &mut Report,
) -> Option<(&'a Certificate, Penalty)> {
    let Some(claimed) = &model.certificate else {
        let what = "a family without a certificate";
        report.add("certificate", Verdict::Refuted(what.into()));
        return None;
    };
    if claimed.exact && !is_whole || claimed.exact == claimed.tolerance.is_some() {
        let what = "exact is claimed, but costs of these rows are not whole numbers";
        report.add("certificate", Verdict::Refuted(what.into()));
        return None;
    }
    let name = model.penalty.as_deref().unwrap_or("");
    let Some(penalty) = Penalty::new(name, model.penalty_values.as_ref()) else {
        let what = "a penalty that is not known";
        report.add("thresholds", Verdict::Refuted(what.into()));
        return None;
    };
    let largest = model.largest_cost();
    if let Some(tolerance) = claimed.tolerance.filter(|&tolerance| !(tolerance >= 0.0)) {
        let what = format!("a tolerance of {tolerance}");
        report.add("certificate", Verdict::Refuted(what));
        return None;
    }
    if let Some(tolerance) = claimed.tolerance
        && binary(tolerance) > little() * binary(largest)
    {
        let why = format!("a tolerance of {tolerance:e} is too large to say anything");
        report.add("thresholds and members", Verdict::NotChecked(why));
        return None;
    }
    Some((claimed, penalty))
}

/// Checks thresholds and that members are the best.
pub(crate) fn check(
    model: &Model,
    found: &[Found],
    total: &Ratio,
    is_whole: bool,
    trees: &mut dyn Trees,
    report: &mut Report,
) {
    let Some((claimed, penalty)) = certificate(model, is_whole, report) else {
        return;
    };
    let path = Path {
        members: model.members.as_deref().unwrap_or_default(),
        found,
        claimed,
        total,
        tolerance: binary(claimed.tolerance.unwrap_or(0.0)) * total,
    };
    if !report.result("members", path.rises(claimed.exact_down_to)) {
        return;
    }
    if matches!(penalty, Penalty::Linear) {
        path.linear(trees, report);
    } else {
        let verdict = path.penalised(&penalty, trees);
        report.add(format!("thresholds and members{}", path.up_to()), verdict);
    }
}

pub(crate) struct Path<'a> {
    pub(crate) members: &'a [Member],
    pub(crate) found: &'a [Found],
    pub(crate) claimed: &'a Certificate,
    pub(crate) total: &'a Ratio,
    /// On the scale of the total cost.
    pub(crate) tolerance: Ratio,
}

impl Path<'_> {
    /// What is said of costs that are not exact.
    fn up_to(&self) -> String {
        let tolerance = self.claimed.tolerance;
        tolerance.map_or(String::new(), |tolerance| format!(" up to {tolerance:e}"))
    }

    /// Members go from one leaf on to more leaves and less cost, and every interval ends where the one before began. The
    /// last one begins at `end`.
    pub(crate) fn rises(&self, end: Option<f64>) -> Result<(), String> {
        let rises = |pair: &[Found]| {
            pair[0].1 < pair[1].1
                && (pair[0].0 > pair[1].0
                    || !self.claimed.exact && pair[0].0 >= &pair[1].0 - &self.tolerance)
        };
        if !self.found.windows(2).all(rises) {
            return Err("leaves do not rise, or costs do not fall".into());
        }
        // However large the weight is, one leaf is a tree, and none has fewer.
        if self.found.first().is_none_or(|(_, leaves)| *leaves != 1) {
            let what = "the first member is not a single leaf, which is the best for large weights";
            return Err(what.into());
        }
        let weights = self.members.iter().map(|member| member.lambda_low);
        let mut weights = weights.chain([self.claimed.exact_down_to]).flatten();
        if weights.any(|weight| !(weight >= 0.0)) {
            return Err("a weight below 0".into());
        }
        let mut low = None;
        for (at, member) in self.members.iter().enumerate() {
            if member.lambda_high != low {
                let high = member.lambda_high;
                return Err(format!(
                    "lambda_high of member {at} is {high:?}, expected {low:?}"
                ));
            }
            low = member.lambda_low;
        }
        if end.is_some() && low != end {
            return Err(format!("lambda_low of the last member is {low:?}"));
        }
        Ok(())
    }

    fn linear(&self, trees: &mut dyn Trees, report: &mut Report) {
        let meets = self.meets();
        report.result("thresholds", self.thresholds(&meets));
        if self.claimed.exact_down_to.is_none() {
            // For no weight is it claimed that a member is the best.
            return;
        }
        let mut ask = |weight: &Ratio, (cost, leaves): &Found, fewest: bool| {
            let price = weight * self.total;
            let objective = cost + &price * BigInt::from(*leaves);
            match trees.least(&price, &objective) {
                Err(why) => Verdict::NotChecked(why),
                Ok(least) if self.claimed.exact => least.is(&objective, fewest.then_some(*leaves)),
                Ok(least) if &objective + &self.tolerance < least.objective => {
                    self.claimed.is_too_good()
                }
                Ok(least) => least.reaches(&(objective - &self.tolerance)),
            }
        };
        for (at, weight) in meets.iter().enumerate() {
            // Of members that meet in one point the smallest is taken.
            if at == 0 || meets[at - 1] != *weight {
                let (next, weight_of) = (at + 1, nearest(weight));
                let name = format!("members {at} and {next} at {weight_of}{}", self.up_to());
                report.add(name, ask(weight, &self.found[at], true));
            }
        }
        if let (Some(last), Some(down_to)) = (self.found.last(), self.claimed.exact_down_to) {
            let verdict = ask(&binary(down_to), last, down_to == 0.0);
            report.add(format!("last member at {down_to}{}", self.up_to()), verdict);
        }
    }

    /// The weights at which a member is as good as the next one.
    pub(crate) fn meets(&self) -> Vec<Ratio> {
        let meet = |pair: &[Found]| {
            (&pair[0].0 - &pair[1].0) / self.total / BigInt::from(pair[1].1 - pair[0].1)
        };
        self.found.windows(2).map(meet).collect()
    }

    /// Printed thresholds are the exact ones, rounded up.
    pub(crate) fn thresholds(&self, meets: &[Ratio]) -> Result<(), String> {
        let exact = self.claimed.exact;
        let slack = if exact {
            Ratio::zero()
        } else {
            &self.tolerance / self.total * BigInt::from(4)
        };
        if meets.windows(2).any(|pair| &pair[1] - &pair[0] > slack) {
            return Err("they do not fall".into());
        }
        for (at, (member, meet)) in self.members.iter().zip(meets).enumerate() {
            let low = member.lambda_low.ok_or("lambda_low is null")?;
            let off = binary(low) - meet;
            let is_near = !exact && (off <= slack && -off <= slack || about(low, meet));
            if !few_ulps(low, meet) && !is_near || exact && binary(low) < *meet {
                let meet = nearest(meet);
                return Err(format!("lambda_low of member {at} is {low}, found {meet}"));
            }
        }
        Ok(())
    }

    /// Is this about the weight at which a member is as good as the next one?
    pub(crate) fn threshold_near(
        &self,
        at: usize,
        low: f64,
        penalty: &Penalty,
    ) -> Result<(), String> {
        let (Some((cost, leaves)), Some((next, more))) =
            (self.found.get(at), self.found.get(at + 1))
        else {
            return Ok(());
        };
        let fall = penalty.of(*more) - penalty.of(*leaves);
        // The difference of two costs has fewer digits as a double than each of them.
        let meet = nearest(&((cost - next) / self.total)) / fall;
        let tolerance = nearest(&(&self.tolerance / self.total));
        if (low - meet).abs() > 1e-9 * meet.abs() + 4.0 * tolerance / fall {
            return Err(format!("lambda_low of member {at} is {low}, found {meet}"));
        }
        Ok(())
    }

    /// For penalties that are not linear, in doubles: as above with penalties in place of leaves. What is too close for
    /// them is not decided.
    fn penalised(&self, penalty: &Penalty, trees: &mut dyn Trees) -> Verdict {
        let sizes = match trees.sizes(penalty.sizes()) {
            Ok(sizes) => sizes,
            Err(why) => return Verdict::NotChecked(why),
        };
        let part = |cost: &Ratio| nearest(&(cost / self.total));
        let tolerance = part(&self.tolerance);
        let mut is_close = false;
        let last = self.found.len() - 1;
        for (at, (cost, leaves)) in self.found.iter().enumerate() {
            let Some(low) = self.members[at].lambda_low else {
                // Only where nothing is claimed: infinity is the end of the last member.
                if at == last && self.claimed.exact_down_to.is_none() {
                    continue;
                }
                return Verdict::Refuted(format!("lambda_low of member {at} is null"));
            };
            let own = penalty.of(*leaves);
            let least = at_least(&sizes, *leaves, penalty.is_concave());
            if !own.is_finite() || least.is_none_or(|least| cost + &self.tolerance < least) {
                return self.claimed.is_too_good();
            }
            if let Err(what) = self.threshold_near(at, low, penalty) {
                return Verdict::Refuted(what);
            }
            let cost = part(cost);
            let objective = cost + low * own;
            for (size, least) in &sizes {
                if penalty.excludes(*size) {
                    continue;
                }
                let other = part(least) + low * penalty.of(*size);
                let rounding = GUARD * (objective.abs() + cost + (low * penalty.of(*size)).abs());
                if !(other + rounding).is_finite() {
                    return Verdict::NotChecked("numbers that are too large for doubles".into());
                }
                if other < objective - rounding - tolerance {
                    return Verdict::Refuted(format!(
                        "at {low} {size} leaves have {other}, member {at} has {objective}"
                    ));
                }
                // A tree that is not there, or one of fewer leaves that is as good as the last.
                let is_member = self.found.iter().any(|(_, leaves)| leaves == size);
                is_close |= self.claimed.exact && !is_member && other < objective + rounding;
            }
            let is_least = sizes.last().is_none_or(|(size, _)| size >= leaves);
            if self.claimed.exact && at == last && low == 0.0 && !is_least {
                return Verdict::Refuted("fewer leaves cost as little as the last member".into());
            }
        }
        if is_close {
            return Verdict::NotChecked("two sizes are too close for doubles".into());
        }
        Verdict::Confirmed
    }
}

/// What trees with at most this many leaves cost at least. Between corners no tree is below the straight line.
fn at_least(sizes: &[(usize, Ratio)], leaves: usize, are_corners: bool) -> Option<Ratio> {
    let next = sizes.partition_point(|(size, _)| *size <= leaves);
    let (size, cost) = sizes.get(next.checked_sub(1)?)?;
    match sizes.get(next) {
        Some((more, less)) if are_corners => {
            let part = Ratio::new((leaves - size).into(), (more - size).into());
            Some(cost - (cost - less) * part)
        }
        _ => Some(cost.clone()),
    }
}
