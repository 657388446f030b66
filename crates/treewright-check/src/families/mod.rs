//! What is claimed of the best tree among many, for a price of its leaves, a number of leaves or a cost.

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use serde_json::{Map, Value as Json};

pub(crate) mod path;
pub(crate) mod penalty;
pub(crate) mod prune;
pub(crate) mod steps;

use self::penalty::{GUARD, Penalty};
use self::steps::Sizes;
use crate::figures::{certificate, certificate_near};
use crate::numbers::{Ratio, binary, little, nearest, of_json};
use crate::read::data::Data;
use crate::read::model::Certificate;
use crate::report::{Report, Verdict};

/// The least cost and price of leaves of all trees, and the fewest leaves that have it. Costs are totals.
pub(crate) struct Least {
    pub(crate) objective: Ratio,
    pub(crate) leaves: usize,
    /// It may be more by this much, as losses were rounded down.
    pub(crate) off_by: Ratio,
}

/// All trees that a tree was compared with.
pub(crate) trait Trees {
    /// The least of all, or something above `claimed` if none is below or as good; or why it is not known.
    fn least(&mut self, price: &Ratio, claimed: &Ratio) -> Result<Least, String>;

    /// For each number of leaves of interest the least total cost.
    fn sizes(&mut self, sizes: Sizes) -> Result<Vec<(usize, Ratio)>, String>;
}

/// What is said of the leaves of a tree that is not said to be the best.
pub(crate) fn fewest_of_unproven(claimed: &Certificate, report: &mut Report) {
    if claimed.optimal != Some(true) && claimed.fewest_leaves == Some(true) {
        let why = "the tree is not said to be the best";
        report.add("fewest leaves", Verdict::NotChecked(why.into()));
    }
}

/// A tree that is said to be the best.
pub(crate) struct Best<'a> {
    pub(crate) data: &'a Data,
    pub(crate) claimed: &'a Certificate,
    pub(crate) params: &'a Map<String, Json>,
    /// Its total cost.
    pub(crate) cost: Ratio,
    pub(crate) leaves: usize,
    /// Are costs whole numbers?
    pub(crate) is_exact: bool,
    /// Are rows shared by several leaves? Then costs are sums of doubles.
    pub(crate) is_shared: bool,
}

impl Best<'_> {
    /// Checks the objective, and that no tree is better.
    pub(crate) fn check(&self, trees: &mut dyn Trees, report: &mut Report) {
        let number = |name: &str| self.params.get(name).map(|value| of_json(value).ok_or(()));
        let total = self.data.total();
        let aim = ["lambda", "kappa", "leaves", "max_cost"].map(number);
        let is_negative = |number: &Ratio| *number < Ratio::default();
        let verdict = match aim {
            _ if aim.iter().flatten().flatten().any(is_negative) => {
                Verdict::Refuted("lambda, kappa, leaves or max_cost is below 0".into())
            }
            [Some(Ok(lambda)), None, None, None] => self.weighed(&lambda, trees, report),
            [None, Some(Ok(kappa)), None, None] => self.weighed(&(kappa / total), trees, report),
            [None, None, Some(Ok(most)), None] if most.is_integer() => {
                self.limited(most.to_integer().to_usize().unwrap_or(0), trees, report)
            }
            [None, None, None, Some(Ok(cost))] => self.cheap(&(cost * total), trees, report),
            _ => Verdict::Refuted("params need one of lambda, kappa, leaves and max_cost".into()),
        };
        report.add(self.name(), verdict);
        fewest_of_unproven(self.claimed, report);
    }

    fn name(&self) -> String {
        match (self.claimed.optimal, self.claimed.tolerance) {
            (Some(true), None) => "optimal".into(),
            (Some(true), Some(tolerance)) => format!("optimal up to {tolerance:e}"),
            (_, None) => "lower bound".into(),
            (_, Some(tolerance)) => format!("lower bound up to {tolerance:e}"),
        }
    }

    fn tolerance(&self) -> Ratio {
        let rounding = if self.is_shared { GUARD } else { 0.0 };
        binary(self.claimed.tolerance.unwrap_or(0.0) + rounding) * self.data.total()
    }

    fn claims_fewest(&self) -> bool {
        let larger = self.params.get("ties").is_some_and(|ties| ties == "larger");
        let is_said = self.claimed.fewest_leaves == Some(true);
        self.claimed.optimal == Some(true) && (is_said || self.claimed.claims_fewest() && !larger)
    }

    /// What all trees must have at least.
    fn bound(&self, objective: &Ratio) -> Ratio {
        if self.claimed.optimal == Some(true) {
            return objective - self.tolerance();
        }
        binary(self.claimed.lower_bound.unwrap_or(0.0)) * self.data.total() - self.tolerance()
    }

    /// The least cost + lambda * penalty(leaves).
    fn weighed(&self, lambda: &Ratio, trees: &mut dyn Trees, report: &mut Report) -> Verdict {
        let total = self.data.total();
        let penalty = self
            .params
            .get("penalty")
            .map_or(Some("linear"), Json::as_str);
        if penalty != Some("linear") {
            return self.penalised(penalty.unwrap_or(""), nearest(lambda), trees, report);
        }
        let price = lambda * &total;
        let objective = &self.cost + &price * BigInt::from(self.leaves);
        let printed = certificate(self.claimed, &(&objective / &total), self.is_exact);
        if !report.result("objective", printed) {
            return Verdict::NotChecked("the objective is false".into());
        }
        match trees.least(&price, &objective) {
            Err(why) => Verdict::NotChecked(why),
            Ok(least)
                if self.claims_fewest()
                    || self.claimed.exact && self.claimed.optimal == Some(true) =>
            {
                least.is(&objective, self.claims_fewest().then_some(self.leaves))
            }
            Ok(least) if &objective + self.tolerance() < least.objective => {
                self.claimed.is_too_good()
            }
            Ok(least) => least.reaches(&self.bound(&objective)),
        }
    }

    /// Is the cost below that of all trees with as many leaves?
    fn is_too_good(&self, sizes: &[(usize, Ratio)]) -> bool {
        let possible = sizes.iter().filter(|(leaves, _)| *leaves <= self.leaves);
        let least = possible.map(|(_, cost)| cost).min();
        least.is_none_or(|least| &self.cost + self.tolerance() < *least)
    }

    /// The least cost with at most `most` leaves.
    fn limited(&self, most: usize, trees: &mut dyn Trees, report: &mut Report) -> Verdict {
        if self.leaves > most {
            return Verdict::Refuted(format!("{} leaves, at most {most}", self.leaves));
        }
        let cost = &self.cost / self.data.total();
        if !report.result("objective", certificate(self.claimed, &cost, self.is_exact)) {
            return Verdict::NotChecked("the objective is false".into());
        }
        let sizes = match trees.sizes(Sizes::UpTo(most)) {
            Ok(sizes) => sizes,
            Err(why) => return Verdict::NotChecked(why),
        };
        match sizes.last() {
            _ if self.is_too_good(&sizes) => self.claimed.is_too_good(),
            Some((leaves, least)) if *least < self.bound(&self.cost) => {
                Verdict::Refuted(format!("{leaves} leaves have {}", nearest(least)))
            }
            Some((leaves, _)) if self.claims_fewest() && *leaves != self.leaves => {
                Verdict::Refuted(format!("{leaves} leaves have that cost"))
            }
            _ => Verdict::Confirmed,
        }
    }

    /// The fewest leaves with a total cost of at most `most`.
    fn cheap(&self, most: &Ratio, trees: &mut dyn Trees, report: &mut Report) -> Verdict {
        let printed = self.claimed.objective.zip(self.claimed.lower_bound);
        let is_said = printed == Some((self.leaves as f64, self.leaves as f64))
            && self.claimed.optimal == Some(true)
            && self.claimed.gap == Some(0.0)
            && (self.is_exact || !self.claimed.exact)
            && self.claimed.exact == self.claimed.tolerance.is_none()
            && self
                .claimed
                .tolerance
                .is_none_or(|tolerance| tolerance >= 0.0);
        let what = "it is not the number of leaves, and optimal".to_owned();
        if !report.result("objective", is_said.then_some(()).ok_or(what)) {
            return Verdict::NotChecked("the objective is false".into());
        }
        // What is closer to the limit than the tolerance may lie on either side.
        let slack = self.tolerance().max(if self.claimed.exact {
            Ratio::default()
        } else {
            binary(1e-9) * most
        });
        if slack > most * little() + binary(GUARD) * self.data.total() {
            let why = "a tolerance that is too large to say anything";
            return Verdict::NotChecked(why.into());
        }
        if self.cost > most + &slack {
            return Verdict::Refuted(format!("a cost of {}", nearest(&self.cost)));
        }
        let sizes = match trees.sizes(Sizes::UpTo(self.leaves)) {
            Ok(sizes) => sizes,
            Err(why) => return Verdict::NotChecked(why),
        };
        if self.is_too_good(&sizes) {
            return self.claimed.is_too_good();
        }
        let first = |most: Ratio| sizes.iter().find(|(_, cost)| *cost <= most);
        match (first(most - &slack), first(most + &slack)) {
            (Some((leaves, _)), _) if *leaves < self.leaves => {
                Verdict::Refuted(format!("{leaves} leaves are enough"))
            }
            (_, Some((leaves, _))) if *leaves < self.leaves => {
                Verdict::NotChecked("a cost is too close to the limit".into())
            }
            (_, Some((_, least))) if *least < &self.cost - slack => {
                Verdict::Refuted(format!("this number of leaves costs {}", nearest(least)))
            }
            _ => Verdict::Confirmed,
        }
    }

    /// The best tree for a penalty that is not linear.
    fn penalised(
        &self,
        penalty: &str,
        lambda: f64,
        trees: &mut dyn Trees,
        report: &mut Report,
    ) -> Verdict {
        let Some(penalty) = Penalty::new(penalty, None) else {
            return Verdict::NotChecked("the values of the penalty are not in the file".into());
        };
        let (Some(printed), Some(bound)) = (self.claimed.objective, self.claimed.lower_bound)
        else {
            return Verdict::Refuted("no objective or no bound".into());
        };
        let sizes = match trees.sizes(penalty.sizes()) {
            Ok(sizes) => sizes,
            Err(why) => return Verdict::NotChecked(why),
        };
        let total = self.data.total();
        let of =
            |leaves: usize, cost: &Ratio| nearest(&(cost / &total)) + lambda * penalty.of(leaves);
        let objective = of(self.leaves, &self.cost);
        // Penalties are doubles, so the objective is not known better than to some roundings of them.
        let form = certificate_near(self.claimed, &binary(objective), self.is_exact, false);
        if !report.result("objective", form) {
            return Verdict::NotChecked("the objective is false".into());
        }
        let all = sizes
            .iter()
            .map(|(leaves, cost)| (*leaves, of(*leaves, cost)));
        let best = all.min_by(|a, b| a.1.total_cmp(&b.1));
        let best = best.unwrap_or((self.leaves, objective));
        let slack = self.claimed.tolerance.unwrap_or(0.0) + GUARD * (best.1.abs() + bound.abs());
        let numbers = [objective, best.1, bound, slack];
        if !numbers.iter().all(|number| number.is_finite()) {
            return Verdict::NotChecked("numbers that are too large for doubles".into());
        }
        if objective < best.1 - slack {
            return self.claimed.is_too_good();
        }
        if best.1 < bound - slack {
            Verdict::Refuted(format!("{} leaves have {}", best.0, best.1))
        } else if bound == printed && best.0 != self.leaves {
            Verdict::NotChecked("two sizes are too close for doubles".into())
        } else {
            Verdict::Confirmed
        }
    }
}

impl Certificate {
    /// What follows if a tree is better than all of its kind.
    fn is_too_good(&self) -> Verdict {
        let what = "no such tree is that good";
        if self.exact {
            Verdict::Refuted(what.into())
        } else {
            // Rows whose weights were rounded to nothing do not count when boxes are halved.
            Verdict::NotChecked(format!("{what}, but some rows may have been left out"))
        }
    }
}

impl Penalty {
    /// The sizes that can be the best for some weight.
    fn sizes(&self) -> Sizes {
        if self.is_concave() {
            Sizes::Corners
        } else {
            Sizes::UpTo(usize::MAX)
        }
    }
}

impl Least {
    /// Is it this objective, and are these the fewest leaves that have it?
    pub(crate) fn is(&self, objective: &Ratio, leaves: Option<usize>) -> Verdict {
        if self.off_by != Ratio::default() {
            return Verdict::NotChecked("too many digits".into());
        }
        let (least, fewest) = (nearest(&self.objective), self.leaves);
        if self.objective > *objective {
            Verdict::Refuted("no such tree is that good".into())
        } else if self.objective < *objective || leaves.is_some_and(|leaves| leaves != fewest) {
            let objective = nearest(objective);
            Verdict::Refuted(format!(
                "the best has {fewest} leaves and {least}, claimed is {objective}"
            ))
        } else {
            Verdict::Confirmed
        }
    }

    /// Is it at least this much?
    pub(crate) fn reaches(&self, bound: &Ratio) -> Verdict {
        if self.objective >= *bound {
            Verdict::Confirmed
        } else if &self.objective + &self.off_by >= *bound {
            Verdict::NotChecked("too many digits".into())
        } else {
            let (least, bound) = (nearest(&self.objective), nearest(bound));
            Verdict::Refuted(format!("a tree of {least}, below {bound}"))
        }
    }
}
