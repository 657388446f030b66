//! What a tree is worth, as one whole number.
//!
//! The value of a tree on some rows is `per_loss * loss + per_leaf * leaves`. The loss of a row is what its answer costs,
//! less what the cheapest answer would, in a unit in which all of these are whole numbers. With
//! `q/p = price of a leaf / unit` in lowest terms and `much` above the number of leaves, `per_loss = p * much` and
//! `per_leaf = q * much + 1`: of two trees the one with the smaller value has the smaller objective, or the same
//! objective and fewer leaves.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};

use crate::families::Least;
use crate::numbers::{Ratio, ceil, small};
use crate::read::costs::least_multiple;
use crate::read::data::Data;

/// The value of a tree, or a bound of it.
pub(crate) type Value = i128;

/// Losses are rounded down to about this many parts of their sum if they do not fit as they are.
const PARTS: u64 = 1 << 56;
const PRICE_PARTS: u64 = 1 << 12;
/// All values are below.
pub(crate) const LARGEST: Value = 1 << 118;

pub(crate) struct Values {
    pub(crate) n_classes: usize,
    /// For each row and answer, its loss, in units.
    pub(crate) losses: Vec<Value>,
    pub(crate) per_loss: Value,
    pub(crate) per_leaf: Value,
    pub(crate) much: Value,
    unit: Ratio,
    /// What all rows cost at least, each by its cheapest answer.
    at_least: Ratio,
    /// How far values may be below the truth because losses were rounded down; 0 if they were not.
    pub(crate) off_by: Value,
}

impl Values {
    /// `price` is what a leaf costs, on the scale of the total cost; no tree of use has more than `leaves`.
    pub(crate) fn new(data: &Data, price: &Ratio, leaves: usize) -> Result<Self, String> {
        let much = leaves as Value + 1;
        let exact = Self::exact(data, price, much);
        exact
            .or_else(|| Self::rounded(data, price, much))
            .ok_or_else(|| "too many digits".into())
    }

    /// With a unit in which all losses are whole.
    fn exact(data: &Data, price: &Ratio, much: Value) -> Option<Self> {
        let mut parts = BigInt::one();
        for cost in data.costs.iter().flatten() {
            parts = least_multiple(&parts, cost.denom());
        }
        let unit = Ratio::new(BigInt::one(), &data.per_one * parts);
        let in_units = price / &unit;
        Self::with(data, unit, &in_units, much, 0)
    }

    fn rounded(data: &Data, price: &Ratio, much: Value) -> Option<Self> {
        let mut sums = vec![BigInt::zero(); data.n_classes()];
        for (weight, &class) in data.weights.iter().zip(&data.classes) {
            sums[class] += weight;
        }
        let all: Ratio = data.costs_of(&sums).iter().sum();
        let unit = (all + price) / BigInt::from(PARTS);
        if unit.is_zero() {
            return None;
        }
        let in_units =
            (price / &unit * BigInt::from(PRICE_PARTS)).floor() / BigInt::from(PRICE_PARTS);
        let mut values = Self::with(data, unit, &in_units, much, 1)?;
        values.off_by = (values.per_loss + 1).checked_mul(2 * much)?;
        Some(values)
    }

    /// With a given unit, rounded down.
    fn with(
        data: &Data,
        unit: Ratio,
        in_units: &Ratio,
        much: Value,
        off_by: Value,
    ) -> Option<Self> {
        let n_classes = data.n_classes();
        let per_loss = small(in_units.denom())?.checked_mul(much)?;
        let per_leaf = small(in_units.numer())?.checked_mul(much)?.checked_add(1)?;
        let mut known: BTreeMap<(&BigInt, usize), (Vec<Value>, Ratio, u64)> = BTreeMap::new();
        let mut losses = Vec::with_capacity(data.n_rows() * n_classes);
        let mut most: Value = 0;
        for (weight, &class) in data.weights.iter().zip(&data.classes) {
            let (of_row, _, times) = match known.entry((weight, class)) {
                std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
                std::collections::btree_map::Entry::Vacant(entry) => {
                    let costs = &data.costs[class];
                    let least = costs.iter().min()?;
                    let weight = Ratio::new(weight.clone(), data.per_one.clone());
                    let loss = |cost: &Ratio| {
                        small(&((cost - least) * &weight / &unit).floor().to_integer())
                    };
                    let of_row = costs.iter().map(loss).collect::<Option<Vec<_>>>()?;
                    entry.insert((of_row, least * weight, 0))
                }
            };
            *times += 1;
            losses.extend_from_slice(of_row);
            most = most.checked_add(*of_row.iter().max()?)?;
        }
        let all = per_loss
            .checked_mul(most)?
            .checked_add(per_leaf.checked_mul(much)?)?;
        let at_least = known
            .values()
            .map(|(_, least, times)| least * BigInt::from(*times))
            .sum();
        (all < LARGEST).then_some(Self {
            n_classes,
            losses,
            per_loss,
            per_leaf,
            much,
            unit,
            at_least,
            off_by,
        })
    }

    /// Takes the numbers of a proof file, if they are of the form that the values above have.
    pub(crate) fn rescaled(
        mut self,
        unit: &Ratio,
        per_loss: Value,
        per_leaf: Value,
    ) -> Result<Self, String> {
        let fault = || "unit, per_loss and per_leaf do not fit the table".to_owned();
        if self.off_by != 0 {
            return Err("too many digits".into());
        }
        let (p, q) = (self.per_loss / self.much, self.per_leaf / self.much);
        // Price of a leaf in the other unit.
        let price = Ratio::new(q.into(), p.into()) * &self.unit / unit;
        let whole = &self.unit / unit;
        for loss in &mut self.losses {
            let exact = &whole * BigInt::from(*loss);
            *loss = exact
                .is_integer()
                .then(|| small(&exact.to_integer()))
                .flatten()
                .ok_or_else(fault)?;
        }
        let (p, q) = (
            small(price.denom()).ok_or_else(fault)?,
            small(price.numer()).ok_or_else(fault)?,
        );
        let much = per_loss / p;
        let n_rows = self.losses.len() / self.n_classes;
        let fits = per_loss % p == 0
            && much > n_rows as Value
            && q.checked_mul(much).and_then(|b| b.checked_add(1)) == Some(per_leaf);
        // The largest value there can be, as above.
        let all = || {
            let of_rows = self
                .losses
                .chunks(self.n_classes)
                .map(|of_row| of_row.iter().max());
            let most = of_rows
                .flatten()
                .try_fold(0, |sum: Value, &loss| sum.checked_add(loss))?;
            per_loss
                .checked_mul(most)?
                .checked_add(per_leaf.checked_mul(much)?)
        };
        if !fits || all().is_none_or(|all| all >= LARGEST) {
            return Err(fault());
        }
        Ok(Self {
            per_loss,
            per_leaf,
            much,
            unit: unit.clone(),
            ..self
        })
    }

    /// A value in the numbers of another unit and other prices of the same proportion, rounded up.
    pub(crate) fn in_other_numbers(
        &self,
        value: Value,
        unit: &Ratio,
        per_loss: Value,
        per_leaf: Value,
    ) -> Option<Value> {
        let (main, leaves) = (value.div_euclid(self.much), value.rem_euclid(self.much));
        // In units of loss, then in the other units.
        let p = self.per_loss / self.much;
        let main = Ratio::new(main.into(), p.into()) * &self.unit / unit;
        let price = Ratio::new((self.per_leaf / self.much).into(), p.into()) * &self.unit / unit;
        let other_p = small(price.denom())?;
        let much = per_loss / other_p;
        let _ = per_leaf;
        ceil(&(main * BigInt::from(other_p)))
            .to_i128()?
            .checked_mul(much)?
            .checked_add(leaves)
    }

    /// The value of a tree with this total cost, where losses are exact.
    pub(crate) fn of(&self, cost: &Ratio, leaves: usize) -> Option<Value> {
        let loss = (cost - &self.at_least) / &self.unit;
        let loss = loss
            .is_integer()
            .then(|| small(&loss.to_integer()))
            .flatten()?;
        Some(self.per_loss * loss + self.per_leaf * leaves as Value)
    }

    /// The total cost of a loss.
    pub(crate) fn cost(&self, loss: Value) -> Ratio {
        &self.unit * BigInt::from(loss) + &self.at_least
    }

    /// How far costs may be below the truth.
    pub(crate) fn off_by(&self) -> Ratio {
        &self.unit * Ratio::new(self.off_by.into(), self.per_loss.into())
    }

    /// The same losses, with leaves that cost nothing: a value is a loss.
    pub(crate) fn losses_only(self) -> Self {
        Self {
            off_by: (self.off_by + self.per_loss - 1) / self.per_loss,
            per_loss: 1,
            per_leaf: 0,
            ..self
        }
    }

    /// The least loss that trees have which cost at least, or with `more` above, this much.
    pub(crate) fn least_loss(&self, cost: &Ratio, more: bool) -> Option<Value> {
        let loss = (cost - &self.at_least) / &self.unit;
        let least = if more {
            loss.floor().to_integer() + 1
        } else {
            ceil(&loss)
        };
        small(&least.max(BigInt::zero())).filter(|least| *least < LARGEST)
    }

    /// What a value says.
    pub(crate) fn least(&self, value: Value) -> Least {
        let (main, leaves) = (value.div_euclid(self.much), value.rem_euclid(self.much));
        let loss = Ratio::new(main.into(), (self.per_loss / self.much).into());
        Least {
            objective: &self.unit * loss + &self.at_least,
            leaves: leaves as usize,
            off_by: self.off_by(),
        }
    }

    /// The least value that trees have whose total cost and price of leaves are not below `objective`.
    pub(crate) fn bound(&self, objective: &Ratio) -> Option<Value> {
        let p = self.per_loss / self.much;
        let main = (objective - &self.at_least) / &self.unit * BigInt::from(p);
        Some(
            ceil(&main)
                .to_i128()?
                .max(0)
                .checked_mul(self.much)?
                .min(1 << 120),
        )
    }
}
