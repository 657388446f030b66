//! Coordinates: what can be halved, and how often.
//!
//! A numeric feature is one coordinate: its values lie in the box from the least to the largest training
//! value, which is halved again and again, at its midpoint or where that parts the rows evenly. A categorical feature is turned into numbers first. Where a
//! feature has missing cells, one more halving comes before all others: missing against present.

use std::cmp::Ordering;
use std::ops::AddAssign;

use num_bigint::BigInt;
use num_traits::{Float, Zero};
use rustc_hash::FxHashMap;

use super::box_side::BoxSide;
use super::quantiles::Quantiles;
use crate::cost::tens_of_weights;
use crate::data::{Column, Dataset, MISSING_CODE, Target};
use crate::error::{Error, Result, quoted};
use crate::learn::dyadic::parameters::{Coding, Dyadic, GridBox, Missing};
use crate::learn::dyadic::switches::DyadicSwitches;
use crate::tree::{Closed, Split};

/// A number of halvings more than anybody can use: cells of a 2^30th of the box.
pub(crate) const MOST_HALVINGS: u32 = 30;

/// The cell of a missing value.
pub(crate) const NO_CELL: u32 = u32::MAX;

/// Something that can be halved.
#[derive(Debug, Clone)]
pub(crate) struct Coordinate {
    pub(crate) feature: usize,
    kind: CoordinateKind,
    /// Does a halving into present and missing come first?
    pub(super) has_missing: bool,
    /// Its side of the box; `None` where there is nothing to halve.
    side: Option<Side>,
    /// How often the box may be halved, besides the one for missing.
    pub(super) halvings: u32,
}

/// How a side of the box is halved.
#[derive(Debug, Clone)]
enum Side {
    /// At its midpoint.
    Middle(Box<BoxSide>),
    /// Where that parts its rows most evenly.
    Quantile(Quantiles),
}

#[derive(Debug, Clone)]
enum CoordinateKind {
    Numeric,
    /// The number of every category.
    Numbers(Vec<u32>),
    /// One category against the others.
    Category(u32),
}

impl Coordinate {
    /// The coordinates of a table's features, in order. Each may be halved [`MOST_HALVINGS`] times.
    pub(crate) fn of(data: &Dataset, learner: &Dyadic) -> Result<Vec<Self>> {
        let mut coordinates = Vec::new();
        for (feature, column) in data.columns().iter().enumerate() {
            let has_missing = column.has_missing();
            if has_missing && learner.missing == Missing::Refuse {
                let name = quoted(&data.schema().features[feature].name);
                return Err(Error::schema(format!(
                    "column {name} has missing cells, which were to be refused"
                )));
            }
            let kinds = match column {
                Column::Numeric(_) => vec![CoordinateKind::Numeric],
                Column::Categorical(codes) => categories(data, feature, codes, learner.coding),
            };
            for kind in kinds {
                let mut coordinate = Self {
                    feature,
                    kind,
                    has_missing,
                    side: None,
                    halvings: 0,
                };
                coordinate.set_box(data, learner)?;
                coordinates.push(coordinate);
            }
        }
        Ok(coordinates)
    }

    fn set_box(&mut self, data: &Dataset, learner: &Dyadic) -> Result<()> {
        let (mut low, mut high) = self.range(data);
        if let GridBox::Between(least, most) = learner.grid_box
            && matches!(self.kind, CoordinateKind::Numeric)
            && low <= high
        {
            if low < least || high > most {
                let name = quoted(&data.schema().features[self.feature].name);
                let outside = if low < least { low } else { high };
                let allowed = format!("a box around all numbers, and column {name} has {outside}");
                return Err(Error::parameter("box", learner.grid_box, allowed));
            }
            if low < high {
                (low, high) = (least, most);
            }
        }
        if low < high {
            self.side = Some(Side::Middle(Box::new(BoxSide::new(
                low,
                high,
                learner.snap,
            ))));
            self.halvings = match self.kind {
                CoordinateKind::Category(_) => 1,
                _ => MOST_HALVINGS,
            };
        }
        Ok(())
    }

    /// From now on halvings part the rows as evenly as possible.
    pub(crate) fn halve_rows(&mut self, data: &Dataset) {
        if self.side.is_some() {
            let numbers = (0..data.n_rows()).filter_map(|row| self.number(data, row));
            self.side = Some(Side::Quantile(Quantiles::new(numbers.collect())));
        }
    }

    /// The least and the largest number.
    fn range(&self, data: &Dataset) -> (f64, f64) {
        let numbers = (0..data.n_rows()).filter_map(|row| self.number(data, row));
        numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| {
            (low.min(number), high.max(number))
        })
    }

    /// The number that a row has here; `None` if it is missing.
    fn number(&self, data: &Dataset, row: usize) -> Option<f64> {
        match (&data.columns()[self.feature], &self.kind) {
            (Column::Numeric(numbers), _) => Some(numbers[row]).filter(|number| !number.is_nan()),
            (Column::Categorical(codes), _) if codes[row] == MISSING_CODE => None,
            (Column::Categorical(codes), CoordinateKind::Numbers(numbers)) => {
                Some(f64::from(numbers[codes[row] as usize]))
            }
            (Column::Categorical(codes), CoordinateKind::Category(category)) => {
                Some(f64::from(u8::from(codes[row] == *category)))
            }
            (Column::Categorical(_), CoordinateKind::Numeric) => None,
        }
    }

    /// The cell of every row after all halvings, a binary number with the first halving first, or
    /// [`NO_CELL`] where the row's value is missing.
    pub(crate) fn cells(&self, data: &Dataset, switches: DyadicSwitches) -> Vec<u32> {
        let side = self.side.as_ref().filter(|_| self.halvings > 0);
        // Values near a cut take longer. Coded ones come again and again, and may all lie on cuts.
        let mut known: FxHashMap<u64, u32> = FxHashMap::default();
        let mut cell = |number: f64| {
            let side = match side {
                None => return 0,
                Some(Side::Quantile(quantiles)) => return quantiles.cell(number, self.halvings),
                Some(Side::Middle(side)) => side,
            };
            let clear = side.clear_cell(number, self.halvings);
            clear
                .filter(|_| switches.estimated_cells)
                .unwrap_or_else(|| {
                    *known
                        .entry(number.to_bits())
                        .or_insert_with(|| side.exact_cell(number, self.halvings))
                })
        };
        (0..data.n_rows())
            .map(|row| match self.number(data, row) {
                Some(number) => cell(number),
                None => NO_CELL,
            })
            .collect()
    }

    /// The cell of a point after fewer halvings.
    pub(crate) fn coarse(&self, cell: u32, halvings: u32) -> u32 {
        match cell {
            NO_CELL => NO_CELL,
            cell => cell >> self.halvings.saturating_sub(halvings),
        }
    }

    /// A cell as bits, with the one for missing in front where there is one.
    pub(crate) fn code(&self, cell: u32) -> u32 {
        match cell {
            NO_CELL => 1 << self.halvings,
            cell => cell,
        }
    }

    /// How many bits its cells have.
    pub(crate) fn bits(&self) -> u32 {
        self.halvings + u32::from(self.has_missing)
    }

    /// The question that the halving of a level asks of rows whose cells begin with `prefix`, the
    /// bits above that level; and the side of missing values, if that is the question.
    pub(crate) fn split(
        &self,
        level: u32,
        prefix: u32,
        n_categories: usize,
    ) -> (Split, Option<u32>) {
        let feature = self.feature;
        if self.has_missing && level == 0 {
            let split = match self.kind {
                CoordinateKind::Numeric => Split::Intervals {
                    feature,
                    cuts: Vec::new(),
                    closed: Closed::Left,
                },
                _ => Split::Categories {
                    feature,
                    branches: vec![Some(0); n_categories],
                },
            };
            return (split, Some(1));
        }
        let level = level - u32::from(self.has_missing);
        let side = self.side.as_ref();
        let cut = side.map(|side| match side {
            Side::Middle(side) => side.cut(prefix * 2 + 1, level + 1),
            Side::Quantile(quantiles) => quantiles.cut(prefix, level),
        });
        let threshold = cut.expect("what is halved has a side of the box");
        let side = |number: u32| Some(u32::from(f64::from(number) >= threshold));
        let split = match &self.kind {
            CoordinateKind::Numeric => Split::Intervals {
                feature,
                cuts: vec![threshold],
                closed: Closed::Left,
            },
            CoordinateKind::Numbers(numbers) => Split::Categories {
                feature,
                branches: numbers.iter().map(|&number| side(number)).collect(),
            },
            CoordinateKind::Category(category) => Split::Categories {
                feature,
                branches: (0..n_categories as u32)
                    .map(|code| Some(u32::from(code == *category)))
                    .collect(),
            },
        };
        (split, None)
    }

    /// May several categories share a cell?
    pub(crate) fn has_snapped_categories(&self) -> bool {
        let is_coded = matches!(self.kind, CoordinateKind::Numbers(_));
        is_coded && self.is_snapped()
    }

    fn is_snapped(&self) -> bool {
        matches!(&self.side, Some(Side::Middle(side)) if side.is_snapped())
    }

    /// How many values of the table count as above a midpoint only because of the snap.
    pub(crate) fn n_snapped(&self, data: &Dataset, switches: DyadicSwitches) -> usize {
        let side = match &self.side {
            Some(Side::Middle(side)) if side.is_snapped() && self.halvings > 0 => side,
            _ => return 0,
        };
        let plain = Self {
            side: Some(Side::Middle(Box::new(side.without_snap()))),
            ..self.clone()
        };
        let (with, without) = (self.cells(data, switches), plain.cells(data, switches));
        with.iter().zip(without).filter(|(a, b)| **a != *b).count()
    }
}

/// The kinds of coordinates that a categorical feature becomes.
fn categories(
    data: &Dataset,
    feature: usize,
    codes: &[u32],
    coding: Coding,
) -> Vec<CoordinateKind> {
    let n_categories = data.schema().features[feature].categories().len();
    let by_code = 0..n_categories as u32;
    match coding {
        Coding::Order => vec![CoordinateKind::Numbers(by_code.collect())],
        Coding::OneVsRest => by_code.map(CoordinateKind::Category).collect(),
        Coding::Share => {
            let shares = first_class_shares(data, codes, n_categories);
            let mut order: Vec<usize> = (0..n_categories).collect();
            // Stable, so ties stay by code point. A category that no row has comes last: it has no share to compare.
            order.sort_by(|&a, &b| {
                let (a, b) = (&shares[a], &shares[b]);
                let is_absent = |share: &Share| share[1].is_zero();
                match (is_absent(a), is_absent(b)) {
                    (false, false) => compare_shares(a, b),
                    (a, b) => a.cmp(&b),
                }
            });
            let mut numbers = vec![0; n_categories];
            for (number, category) in order.into_iter().enumerate() {
                numbers[category] = number as u32;
            }
            vec![CoordinateKind::Numbers(numbers)]
        }
    }
}

/// The weight of some rows of the first class, and of all of them, in a common unit.
type Share = [BigInt; 2];

/// a/b against c/d as a*d against c*b.
fn compare_shares([a, b]: &Share, [c, d]: &Share) -> Ordering {
    (a * d).cmp(&(c * b))
}

/// For each category the weight of its rows of the first class, and of all its rows. The sums are exact: a category
/// with twice the rows of another in each class has the same share, whatever the classes weigh.
fn first_class_shares(data: &Dataset, codes: &[u32], n_categories: usize) -> Vec<Share> {
    // Weights with few decimals are added as what they are written: 0.1 of 0.6 is as much as 0.2 of 1.2.
    if let Some(factor) = tens_of_weights(data) {
        let whole = |row| (data.weight(row) * factor).round() as u64;
        let sums = class_sums(data, codes, n_categories, whole);
        return sums
            .into_iter()
            .map(|sums| sums.map(BigInt::from))
            .collect();
    }
    // Other weights are whole multiples of a power of two.
    let parts = |row| Float::integer_decode(data.weight(row));
    let exponents = (0..data.n_rows()).map(|row| parts(row).1);
    let least = exponents.min().unwrap_or(0);
    class_sums(data, codes, n_categories, |row| {
        let (digits, exponent, _) = parts(row);
        BigInt::from(digits) << (exponent - least)
    })
}

/// For each category the sum over its rows of the first class, and over all its rows.
fn class_sums<T: Clone + Default + for<'a> AddAssign<&'a T>>(
    data: &Dataset,
    codes: &[u32],
    n_categories: usize,
    weight: impl Fn(usize) -> T,
) -> Vec<[T; 2]> {
    let mut sums = vec![[T::default(), T::default()]; n_categories];
    let Target::Classes(classes) = data.target() else {
        return sums;
    };
    for (row, &code) in codes
        .iter()
        .enumerate()
        .filter(|(_, code)| **code != MISSING_CODE)
    {
        let weight = weight(row);
        let [first, all] = &mut sums[code as usize];
        *all += &weight;
        if classes[row] == 0 {
            *first += &weight;
        }
    }
    sums
}
