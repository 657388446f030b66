//! Whether a proof holds, by its definition: every bound is compared with the best of all trees. Slow, and meant to
//! be obvious.

use treewright::data::{Column, Dataset, MISSING_CODE, Value};
use treewright::learn::optimal::Optimal;
use treewright::tree::{Branches, Claim, Condition, Cover, CutRange, Is, Proof};

use super::bounded::Bounded;

/// A proof about a table.
pub(crate) struct Checked<'a> {
    pub(crate) data: &'a Dataset,
    pub(crate) learner: &'a Optimal,
    /// The price of a leaf as a fraction.
    pub(crate) leaf_cost: (u64, u64),
    pub(crate) proof: &'a Proof,
    all: Bounded<'a>,
}

type Result<T = ()> = std::result::Result<T, String>;

fn ensure(holds: bool, what: impl Fn() -> String) -> Result {
    if holds { Ok(()) } else { Err(what()) }
}

impl<'a> Checked<'a> {
    pub(crate) fn new(
        data: &'a Dataset,
        learner: &'a Optimal,
        leaf_cost: (u64, u64),
        proof: &'a Proof,
    ) -> Self {
        Self {
            data,
            learner,
            leaf_cost,
            proof,
            all: Bounded::new(data, learner, leaf_cost),
        }
    }

    /// Does every claim hold, and follow from others? The value of the proof must be that of the best tree.
    pub(crate) fn check(&self) -> Result {
        let rows: Vec<usize> = (0..self.data.n_rows()).collect();
        let best = self.value(&rows, self.learner.depth).unwrap_or(i128::MAX);
        let best = best.min(self.leaf(&rows));
        let value = i128::from(self.proof.value);
        ensure(value == best, || format!("the best is {best}"))?;
        self.check_claims()
    }

    /// Does every claim follow from true ones, whatever the value of the best tree is?
    pub(crate) fn check_claims(&self) -> Result {
        self.check_prices()?;
        let claims = self.proof.claims.as_deref().ok_or("no claims")?;
        if self.proof.depth < 3 {
            return ensure(claims.is_empty(), || "needless claims".into());
        }
        let first = claims.first().ok_or("nothing is claimed")?;
        let is_about_all = first.path.is_empty() && first.at_least == self.proof.value;
        ensure(is_about_all, || "the first claim".into())?;
        ensure(first.depth == self.proof.depth, || "the depth".into())?;
        for claim in claims {
            self.check_claim(claim)
                .map_err(|error| format!("{error} in {claim:?}"))?;
        }
        Ok(())
    }

    /// Prices are as they should be: first the objective counts, then leaves.
    fn check_prices(&self) -> Result {
        let (per_loss, per_leaf) = (self.proof.per_loss, self.proof.per_leaf);
        let tenths = |row| (self.data.weight(row) * 10.0).round() as u128;
        let total: u128 = (0..self.data.n_rows()).map(tenths).sum();
        let (p, q) = self.leaf_cost;
        let of_leaf = u128::from(per_leaf - 1) * u128::from(q) * self.unit();
        let of_loss = u128::from(per_loss) * u128::from(p) * total;
        ensure(of_leaf == of_loss, || "the price of a leaf".into())?;
        let much = gcd(per_loss, per_leaf - 1);
        ensure(much > self.data.n_rows() as u64, || "the factor".into())
    }

    /// The unit of loss, in tenths.
    fn unit(&self) -> u128 {
        (self.proof.unit * 10.0).round() as u128
    }

    /// The value of the best tree for some rows; `None` if they are too few.
    fn value(&self, rows: &[usize], depth: usize) -> Option<i128> {
        let (loss, leaves) = self.all.loss_and_leaves(rows, depth)?;
        Some(self.worth(rows, loss, leaves))
    }

    fn leaf(&self, rows: &[usize]) -> i128 {
        let (loss, leaves) = self.all.as_leaf(rows);
        self.worth(rows, loss, leaves)
    }

    fn worth(&self, rows: &[usize], loss: u64, leaves: usize) -> i128 {
        let least: u64 = rows.iter().map(|&row| self.all.least_loss(row)).sum();
        let units = u128::from(loss - least) / self.unit();
        assert_eq!(u128::from(loss - least) % self.unit(), 0, "whole units");
        units as i128 * i128::from(self.proof.per_loss)
            + leaves as i128 * i128::from(self.proof.per_leaf)
    }

    /// What a row more can cost.
    fn most(&self, row: usize) -> i128 {
        let columns = self.data.columns();
        let is_missing = |column: &Column| match column {
            Column::Numeric(numbers) => numbers.iter().any(|number| number.is_nan()),
            Column::Categorical(_) => true,
        };
        let mut leaf = 0;
        if columns.iter().any(is_missing) {
            leaf = i128::from(self.proof.per_leaf);
        }
        let loss = u128::from(self.all.most_loss(row) - self.all.least_loss(row));
        (loss / self.unit()) as i128 * i128::from(self.proof.per_loss) + leaf
    }

    fn check_claim(&self, claim: &Claim) -> Result {
        let meets = |row: &usize| {
            claim
                .path
                .iter()
                .all(|condition| self.meets(*row, condition))
        };
        let rows: Vec<usize> = (0..self.data.n_rows()).filter(meets).collect();
        ensure(!rows.is_empty(), || "no rows".into())?;
        let mut covers = claim.covers.iter();
        for feature in 0..self.data.columns().len() {
            let is_missing = |&&row: &&usize| self.is_missing(row, feature);
            let n_missing = rows.iter().filter(is_missing).count();
            let values = self.values(&rows, feature);
            if values.is_empty() || values.len() == 1 && n_missing == 0 {
                continue;
            }
            let cover = covers.next().ok_or("a feature is left out")?;
            ensure(cover.feature == feature, || format!("feature {feature}"))?;
            self.check_cover(claim, cover, &rows, &values, n_missing > 0)
                .map_err(|error| format!("{error} at feature {feature}"))?;
        }
        ensure(covers.next().is_none(), || "too many features".into())
    }

    fn meets(&self, row: usize, condition: &Condition) -> bool {
        match (
            self.data.columns()[condition.feature].value(row),
            condition.is,
        ) {
            (Value::Number(number), Is::Below(cut)) => number < cut,
            (Value::Number(number), Is::From(cut)) => number >= cut,
            (Value::Category(code), Is::Category(wanted)) => code == wanted,
            (value, Is::Missing) => value == Value::Missing,
            (value, Is::Present) => value != Value::Missing,
            _ => false,
        }
    }

    fn is_missing(&self, row: usize, feature: usize) -> bool {
        self.data.columns()[feature].value(row) == Value::Missing
    }

    /// The different values of a feature, rising.
    fn values(&self, rows: &[usize], feature: usize) -> Vec<f64> {
        let number = |&row: &usize| match &self.data.columns()[feature] {
            Column::Numeric(numbers) => numbers[row],
            Column::Categorical(codes) if codes[row] == MISSING_CODE => f64::NAN,
            Column::Categorical(codes) => f64::from(codes[row]),
        };
        let mut values: Vec<f64> = rows.iter().map(number).collect();
        values.retain(|value| !value.is_nan());
        values.sort_by(|a, b| a.partial_cmp(b).unwrap());
        values.dedup();
        values
    }

    fn check_cover(
        &self,
        claim: &Claim,
        cover: &Cover,
        rows: &[usize],
        values: &[f64],
        has_missing: bool,
    ) -> Result {
        let feature = cover.feature;
        let at_least = i128::from(claim.at_least);
        ensure(cover.missing.is_some() == has_missing, || "missing".into())?;
        let mut missing = 0;
        if let Some(bound) = cover.missing {
            self.check_part(claim, rows, feature, Is::Missing, bound)?;
            missing = i128::from(bound);
        }
        match &cover.branches {
            Branches::Categories(branches) => {
                let codes: Vec<f64> = branches.iter().map(|branch| f64::from(branch.0)).collect();
                ensure(codes == values, || format!("categories {codes:?}"))?;
                let mut sum = missing;
                for &(code, bound) in branches {
                    self.check_part(claim, rows, feature, Is::Category(code), bound)?;
                    sum += i128::from(bound);
                }
                ensure(sum >= at_least, || format!("sum {sum}"))
            }
            Branches::Numbers { present, ranges } => {
                ensure(present.is_some() == has_missing, || "present".into())?;
                if let Some(bound) = *present {
                    self.check_part(claim, rows, feature, Is::Present, bound)?;
                    let sum = missing + i128::from(bound);
                    ensure(sum >= at_least, || format!("sum {sum}"))?;
                }
                for range in ranges {
                    for (is, bound) in [
                        (Is::Below(range.low.0), range.low.1),
                        (Is::From(range.high.0), range.high.1),
                    ] {
                        self.check_part(claim, rows, feature, is, bound)?;
                    }
                }
                for &cut in &values[1..] {
                    let is_in = |range: &&CutRange| range.first <= cut && cut <= range.last;
                    let range = ranges.iter().find(is_in);
                    let range = range.ok_or_else(|| format!("cut {cut} is left out"))?;
                    let sum = missing + self.sum(range, cut, rows, feature);
                    ensure(sum >= at_least, || format!("sum {sum} at {cut}"))?;
                }
                Ok(())
            }
        }
    }

    /// What both sides of a cut are worth by the bounds of a range.
    fn sum(&self, range: &CutRange, cut: f64, rows: &[usize], feature: usize) -> i128 {
        let between = |from: f64, to: f64| -> i128 {
            let numbers = match &self.data.columns()[feature] {
                Column::Numeric(numbers) => numbers,
                Column::Categorical(_) => panic!("a cut of categories"),
            };
            let is_in = |&&row: &&usize| from <= numbers[row] && numbers[row] < to;
            rows.iter().filter(is_in).map(|&row| self.most(row)).sum()
        };
        i128::from(range.low.1) - between(cut, range.low.0) + i128::from(range.high.1)
            - between(range.high.0, cut)
    }

    /// Is a bound of a branch true, and does it have a claim of its own if it needs one?
    fn check_part(
        &self,
        claim: &Claim,
        rows: &[usize],
        feature: usize,
        is: Is,
        bound: u64,
    ) -> Result {
        if bound <= self.proof.per_leaf {
            return Ok(());
        }
        let condition = Condition { feature, is };
        let meets = |row: &usize| self.meets(*row, &condition);
        let part: Vec<usize> = rows.iter().copied().filter(meets).collect();
        let value = self.value(&part, claim.depth - 1).unwrap_or(i128::MAX);
        ensure(value >= i128::from(bound), || {
            format!("{is:?} is worth {value}, and not {bound}")
        })?;
        if claim.depth > 3 {
            let path: Vec<Condition> = claim.path.iter().copied().chain([condition]).collect();
            let is_meant = |other: &&Claim| {
                other.path == path && other.depth == claim.depth - 1 && other.at_least >= bound
            };
            let claims = self.proof.claims.iter().flatten();
            let found = claims.filter(|other| other.path == path).find(is_meant);
            ensure(found.is_some(), || format!("{is:?} is not claimed"))?;
        }
        Ok(())
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
