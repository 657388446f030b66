//! The rows of a table as a model sees them: its columns, kinds, categories, missing tokens and weights.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_traits::{One, Zero};

use crate::numbers::{Ratio, binary, decimal, of_json};
use crate::read::costs::{Weights, WholeCosts, over_common_part};
use crate::read::model::{Kind, Model};
use crate::read::table::Table;

/// The cells of a feature.
#[derive(Debug, Clone)]
pub(crate) enum Column {
    /// Numbers; NaN is missing.
    Numbers(Vec<f64>),
    /// Category codes; `None` is missing, or a category that the model does not know.
    Codes(Vec<Option<usize>>),
}

impl Column {
    pub(crate) fn is_missing(&self, row: usize) -> bool {
        match self {
            Self::Numbers(numbers) => numbers[row].is_nan(),
            Self::Codes(codes) => codes[row].is_none(),
        }
    }
}

/// Does the learner make weights, factors of classes and costs whole where they are not?
#[derive(Debug, Clone, Copy, PartialEq)]
enum Scaling {
    ToWhole,
    None,
}

impl Scaling {
    fn of(model: &Model) -> Self {
        let is_pruned = model.learner.params.contains_key("pruned");
        match &*model.learner.name {
            "dyadic" | "optimal" if !is_pruned => Self::ToWhole,
            _ => Self::None,
        }
    }
}

fn takes_whole(model: &Model) -> bool {
    let claimed = model.certificate.as_ref();
    model.learner.name == "greedy" && claimed.is_some_and(|claimed| claimed.exact)
}

/// Rows with a weight above 0.
#[derive(Debug, Clone)]
pub(crate) struct Data {
    pub(crate) columns: Vec<Column>,
    pub(crate) classes: Vec<usize>,
    /// Weights of rows as whole numbers, in parts of `per_one`.
    pub(crate) weights: Vec<BigInt>,
    pub(crate) per_one: BigInt,
    /// What the weights of the rows of each class are multiplied by.
    pub(crate) factors: Vec<Ratio>,
    /// What predicting the second class costs where the first is true, times the factor of the first.
    pub(crate) costs: Vec<Vec<Ratio>>,
    /// The factors and the costs once more, as whole numbers.
    exact: WholeCosts,
    given_costs: Option<Vec<Vec<f64>>>,
    /// Are all weights and costs whole numbers whose sums doubles hold exactly?
    pub(crate) is_whole: bool,
    scaling: Scaling,
    /// Are sums of weights in doubles exact, too? Factors of classes that are not whole may have been rounded.
    pub(crate) has_exact_sums: bool,
    /// Are costs of shares of rows taken for whole numbers that are nearly so? They are sums of doubles.
    pub(crate) takes_whole: bool,
}

impl Data {
    pub(crate) fn new(model: &Model, table: &Table) -> Result<Self, String> {
        let lengths: Vec<usize> = table.columns.iter().map(Vec::len).collect();
        if table.names.len() != lengths.len() || lengths.iter().any(|&n| n != lengths[0]) {
            return Err("columns of different lengths".into());
        }
        let mut names = BTreeSet::new();
        if let Some(name) = table.names.iter().find(|name| !names.insert(*name)) {
            return Err(format!("two columns are called {name:?}"));
        }
        let weights = match &model.reading.weight {
            None => None,
            Some(name) => Some(weights(name, table.column(name)?)?),
        };
        let is_missing =
            |cell: &String| cell.is_empty() || model.reading.na.iter().any(|token| token == cell);
        let targets = table.column(&model.target.name)?;
        let skips = model.reading.skip_missing_target;
        let kept: Vec<usize> = (0..table.n_rows())
            .filter(|&row| weights.as_ref().is_none_or(|weights| weights[row] > 0.0))
            .filter(|&row| !skips || !is_missing(&targets[row]))
            .collect();
        if kept.is_empty() {
            return Err("no rows".into());
        }
        let mut columns = Vec::new();
        for feature in &model.features {
            let cells = table.column(&feature.name)?;
            let date = (model.reading.dates.iter()).find(|date| date.name == feature.name);
            columns.push(match feature.kind {
                Kind::Numeric => {
                    let number = |&row: &usize| {
                        let cell = &cells[row];
                        match date {
                            _ if is_missing(cell) => Ok(f64::NAN),
                            Some(date) => date.number(cell).map_err(|fault| {
                                format!("row {}, column {:?}: {fault}", row + 1, feature.name)
                            }),
                            None => number(&feature.name, row, cell),
                        }
                    };
                    Column::Numbers(kept.iter().map(number).collect::<Result<_, _>>()?)
                }
                Kind::Categorical => {
                    let names = feature.categories.iter().flatten();
                    let codes: BTreeMap<&String, usize> =
                        names.enumerate().map(|(code, name)| (name, code)).collect();
                    // A category that the model leaves out would be nothing to split by.
                    let code = |&row: &usize| {
                        let cell = &cells[row];
                        let unknown = || {
                            let name = &feature.name;
                            format!(
                                "row {}, column {name:?}: {cell:?} is no category of the model",
                                row + 1
                            )
                        };
                        if is_missing(cell) {
                            return Ok(None);
                        }
                        codes.get(cell).copied().map(Some).ok_or_else(unknown)
                    };
                    Column::Codes(kept.iter().map(code).collect::<Result<_, String>>()?)
                }
            });
        }
        let labels: BTreeMap<&String, usize> = model.target.classes.iter().zip(0..).collect();
        let cells = targets;
        let mut classes = Vec::new();
        for &row in &kept {
            let unknown = || {
                let (name, cell) = (&model.target.name, &cells[row]);
                format!(
                    "row {}, column {name:?}: {cell:?} is no class of the model",
                    row + 1
                )
            };
            classes.push(*labels.get(&cells[row]).ok_or_else(unknown)?);
        }
        let (weights, per_one) = whole(weights.as_deref(), &kept);
        let factors = factors(model, &classes, &weights)?;
        let costs = costs(model, &factors);
        let exact = WholeCosts::new(model, &factors, &per_one);
        let mut data = Self {
            columns,
            classes,
            weights,
            per_one,
            factors,
            costs,
            exact,
            given_costs: model.target.costs.clone(),
            is_whole: false,
            scaling: Scaling::of(model),
            has_exact_sums: false,
            takes_whole: takes_whole(model),
        };
        data.is_whole = data.has_whole_numbers();
        data.has_exact_sums = data.is_whole && data.factors.iter().all(Ratio::is_integer);
        Ok(data)
    }

    /// Some of the rows.
    pub(crate) fn part(&self, rows: &[usize]) -> Self {
        let column = |column: &Column| match column {
            Column::Numbers(numbers) => {
                Column::Numbers(rows.iter().map(|&row| numbers[row]).collect())
            }
            Column::Codes(codes) => Column::Codes(rows.iter().map(|&row| codes[row]).collect()),
        };
        Self {
            columns: self.columns.iter().map(column).collect(),
            classes: rows.iter().map(|&row| self.classes[row]).collect(),
            weights: rows.iter().map(|&row| self.weights[row].clone()).collect(),
            ..self.clone()
        }
    }

    /// May costs be said to be exact?
    pub(crate) fn may_be_exact(&self) -> bool {
        self.is_whole || self.scaling == Scaling::ToWhole
    }

    fn has_whole_numbers(&self) -> bool {
        // Weights are whole with the factors of their classes, and so are their products with the costs.
        let weights: BTreeSet<(&BigInt, usize)> = self
            .weights
            .iter()
            .zip(self.classes.iter().copied())
            .collect();
        let is_whole = |&(weight, class): &(&BigInt, usize)| {
            let weight = Ratio::new(weight.clone(), self.per_one.clone());
            let (factor, costs) = (&self.factors[class], &self.costs[class]);
            let mut numbers = costs.iter().chain([factor]).map(|number| number * &weight);
            numbers.all(|number| number.is_integer())
                && costs.iter().all(|cost| (cost / factor).is_integer())
        };
        weights.iter().all(is_whole) && self.total() < Ratio::from(BigInt::one() << 53)
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.classes.len()
    }

    pub(crate) fn n_classes(&self) -> usize {
        self.factors.len()
    }

    /// The total weight.
    pub(crate) fn total(&self) -> Ratio {
        let mut sums = vec![BigInt::zero(); self.n_classes()];
        for (weight, &class) in self.weights.iter().zip(&self.classes) {
            sums[class] += weight;
        }
        self.weighted(&sums).iter().sum()
    }

    /// Sums of weights by class, with the factors of the classes.
    pub(crate) fn weighted(&self, sums: &[BigInt]) -> Vec<Ratio> {
        let weight = |(sum, factor): (&BigInt, &Ratio)| {
            // With many classes most sums are 0.
            if sum.is_zero() {
                return Ratio::zero();
            }
            Ratio::new(sum.clone(), self.per_one.clone()) * factor
        };
        sums.iter().zip(&self.factors).map(weight).collect()
    }

    /// What each answer costs rows with these sums of weights by class.
    pub(crate) fn costs_of(&self, sums: &[BigInt]) -> Vec<Ratio> {
        let weights = self.exact.weights(sums);
        let cost = |answer: usize| self.exact.of(&weights, answer);
        (0..self.n_classes()).map(cost).collect()
    }

    /// What one answer costs them.
    pub(crate) fn cost_of(&self, sums: &[BigInt], answer: usize) -> Ratio {
        self.exact.of(&self.exact.weights(sums), answer)
    }

    /// What each answer costs shares of rows, whose weights have the factors of their classes already.
    pub(crate) fn costs_of_shares(&self, shares: &[f64]) -> Vec<Ratio> {
        let shares: Vec<Ratio> = shares.iter().map(|&share| binary(share)).collect();
        let weights = Weights::of(&shares);
        let cost = |answer: usize| self.exact.of(&weights, answer);
        (0..self.n_classes()).map(cost).collect()
    }

    /// Are there costs other than 1 for each wrong answer?
    pub(crate) fn has_costs(&self) -> bool {
        self.given_costs.is_some()
    }

    /// What an answer costs a row of weight 1, as the model says.
    pub(crate) fn cost_of_one(&self, truth: usize, answer: usize) -> f64 {
        match &self.given_costs {
            Some(costs) => costs[truth][answer],
            None => f64::from(u8::from(truth != answer)),
        }
    }
}

fn number(name: &str, row: usize, cell: &str) -> Result<f64, String> {
    match cell.parse::<f64>() {
        // Minus zero is zero.
        Ok(number) if number.is_finite() => Ok(number + 0.0),
        _ => Err(format!(
            "row {}, column {name:?}: {cell:?} is no finite number",
            row + 1
        )),
    }
}

fn weights(name: &str, cells: &[String]) -> Result<Vec<f64>, String> {
    let weight = |(row, cell): (usize, &String)| {
        let weight = number(name, row, cell)?;
        if weight < 0.0 {
            return Err(format!(
                "row {}, column {name:?}: a weight below 0",
                row + 1
            ));
        }
        Ok(weight)
    };
    cells.iter().enumerate().map(weight).collect()
}

/// Weights as whole numbers of a common part of 1. They count as the decimals that are written for them.
fn whole(weights: Option<&[f64]>, kept: &[usize]) -> (Vec<BigInt>, BigInt) {
    let Some(weights) = weights else {
        return (vec![BigInt::one(); kept.len()], BigInt::one());
    };
    let mut known: BTreeMap<u64, Ratio> = BTreeMap::new();
    for &row in kept {
        known
            .entry(weights[row].to_bits())
            .or_insert_with(|| decimal(weights[row]));
    }
    let all: Vec<Ratio> = known.values().cloned().collect();
    let (all, per_one) = over_common_part(&all);
    let known: BTreeMap<u64, BigInt> = known.into_keys().zip(all).collect();
    let weight = |&row: &usize| known[&weights[row].to_bits()].clone();
    (kept.iter().map(weight).collect(), per_one)
}

/// The factors of the classes, by the parameter `class_weight`.
fn factors(model: &Model, classes: &[usize], weights: &[BigInt]) -> Result<Vec<Ratio>, String> {
    let labels = &model.target.classes;
    let Some(given) = model.learner.params.get("class_weight") else {
        return Ok(vec![Ratio::one(); labels.len()]);
    };
    if given == "balanced" {
        let mut sums = vec![BigInt::zero(); labels.len()];
        for (weight, &class) in weights.iter().zip(classes) {
            sums[class] += weight;
        }
        let total: BigInt = sums.iter().sum();
        let balanced = |sum: BigInt| {
            // A class without rows has nothing to multiply.
            if sum.is_zero() {
                Ratio::one()
            } else {
                Ratio::new(total.clone(), sum * labels.len())
            }
        };
        return Ok(sums.into_iter().map(balanced).collect());
    }
    let given = given.as_object().ok_or("class_weight is no object")?;
    let factor = |label: &String| match given.get(label) {
        None => Ok(Ratio::one()),
        Some(weight) => {
            let weight = of_json(weight).filter(|weight| *weight > Ratio::zero());
            weight.ok_or_else(|| format!("class_weight of {label:?} is no number above 0"))
        }
    };
    labels.iter().map(factor).collect()
}

fn costs(model: &Model, factors: &[Ratio]) -> Vec<Vec<Ratio>> {
    let n_classes = factors.len();
    let cost = |truth: usize, answer: usize| match &model.target.costs {
        Some(costs) => decimal(costs[truth][answer]),
        None if truth == answer => Ratio::zero(),
        None => Ratio::one(),
    };
    let row = |truth| {
        (0..n_classes)
            .map(|answer| cost(truth, answer) * &factors[truth])
            .collect()
    };
    (0..n_classes).map(row).collect()
}
