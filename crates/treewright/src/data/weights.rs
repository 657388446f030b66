//! Weights of rows: a column of them, times weights for the classes.

use std::sync::Arc;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};

use super::read::Role;
use super::whole::decimal;
use super::{RawColumn, Source, Target, TargetKind, WholeNumbers, picked};
use crate::error::{Error, Result, quoted, quoted_list};

/// From here on all doubles are whole numbers.
pub(super) const ALL_WHOLE_FROM: f64 = (1_u64 << 52) as f64;

/// Weights for classes, which multiply the weights of their rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ClassWeight {
    /// Every class weighs 1.
    #[default]
    Equal,
    /// Every class gets the same total weight, the sum of weights stays.
    Balanced,
    /// These labels get these weights, the others 1.
    Given(Vec<(String, f64)>),
}

/// What the weights of rows are made of, where classes have weights, too: their product is rounded, these are not.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WeightParts {
    /// The weight of each row by itself; `None` if all weigh 1.
    pub(crate) of_rows: Option<Vec<f64>>,
    /// What the weights of the rows of each class are multiplied by.
    pub(crate) of_classes: Arc<Vec<BigRational>>,
}

impl WeightParts {
    /// Those of some rows.
    pub(super) fn rows(&self, rows: &[usize]) -> Self {
        Self {
            of_rows: self.of_rows.as_ref().map(|weights| picked(weights, rows)),
            of_classes: Arc::clone(&self.of_classes),
        }
    }
}

/// Takes the weight column out and checks it.
pub(super) fn take_weights(
    source: &dyn Source,
    roles: &[Role],
    raw: &mut [RawColumn],
) -> Result<Option<Vec<f64>>> {
    let Some(position) = roles.iter().position(|&role| role == Role::Weight) else {
        return Ok(None);
    };
    let RawColumn::Numbers(weights) = std::mem::replace(&mut raw[position], RawColumn::Skipped)
    else {
        unreachable!("weights were wanted as numbers")
    };
    if let Some(row) = weights.iter().position(|weight| !(*weight >= 0.0)) {
        let mut place = source.place(row);
        place.column = Some(source.names()[position].clone());
        let what = if weights[row].is_nan() {
            "missing".into()
        } else {
            weights[row].to_string()
        };
        return Err(Error::table(
            place,
            format!("the weight is {what}, expected a finite number that is not negative"),
        ));
    }
    if !weights.is_empty() && !weights.iter().any(|&weight| weight > 0.0) {
        return Err(Error::schema(format!(
            "column {}: all weights are zero, so no rows are left",
            quoted(&source.names()[position])
        )));
    }
    Ok(Some(weights))
}

/// Figures are relative to the total weight, so that must be a number, and one that can be divided.
pub fn check_total_weight(weights: Option<&[f64]>) -> Result<()> {
    const LEAST: f64 = 1e-100;
    let Some(weights) = weights.filter(|weights| !weights.is_empty()) else {
        return Ok(());
    };
    let total: f64 = weights.iter().sum();
    if !total.is_finite() {
        return Err(Error::schema(
            "the weights are too large: their sum is not a finite number",
        ));
    }
    if total < LEAST {
        return Err(Error::schema(format!(
            "the weights are too small: their sum is {total:e}, expected at least {LEAST:e}"
        )));
    }
    Ok(())
}

/// The rows of positive weight, or `None` if that is all of them.
pub(super) fn rows_with_weight(weights: &[f64]) -> Option<Vec<usize>> {
    let kept: Vec<usize> = (0..weights.len())
        .filter(|&row| weights[row] > 0.0)
        .collect();
    (kept.len() < weights.len()).then_some(kept)
}

/// Multiplies row weights by class weights; also says what they were, unless that has too many digits.
pub(super) fn class_weights(
    class_weight: &ClassWeight,
    target: &Target,
    kind: &TargetKind,
    weights: Option<Vec<f64>>,
) -> Result<(Option<Vec<f64>>, Option<WeightParts>)> {
    if *class_weight == ClassWeight::Equal {
        return Ok((weights, None));
    }
    let (Target::Classes(classes), TargetKind::Classes(labels)) = (target, kind) else {
        return Err(Error::schema("class weights need a classification target"));
    };
    let weight_of = |row: usize| weights.as_ref().map_or(1.0, |weights| weights[row]);
    let rows = classes.iter().map(|&class| class as usize).enumerate();
    let weighted: Vec<f64> = match class_weight {
        ClassWeight::Equal => return Ok((weights, None)),
        ClassWeight::Balanced => {
            let mut of_class = vec![0.0; labels.len()];
            for (row, class) in rows.clone() {
                of_class[class] += weight_of(row);
            }
            let total: f64 = of_class.iter().sum();
            let is_whole = total < ALL_WHOLE_FROM
                && rows.clone().all(|(row, _)| weight_of(row).fract() == 0.0);
            rows.map(|(row, class)| {
                balanced(
                    weight_of(row),
                    of_class[class],
                    total,
                    labels.len(),
                    is_whole,
                )
            })
            .collect()
        }
        ClassWeight::Given(given) => {
            let of_class = given_weights(given, labels)?;
            rows.map(|(row, class)| product(of_class[class], weight_of(row)))
                .collect()
        }
    };
    let exact = exact_factors(class_weight, classes, labels, weights.as_deref());
    let parts = exact.map(|of_classes| WeightParts {
        of_rows: weights,
        of_classes: Arc::new(of_classes),
    });
    Ok((Some(weighted), parts))
}

/// The weights of all classes without rounding; `None` if they depend on rows whose weights have too many digits.
fn exact_factors(
    class_weight: &ClassWeight,
    classes: &[u32],
    labels: &[String],
    weights: Option<&[f64]>,
) -> Option<Vec<BigRational>> {
    match class_weight {
        ClassWeight::Equal => None,
        ClassWeight::Balanced => {
            let whole = match weights {
                Some(weights) => Some(WholeNumbers::of(weights)?),
                None => None,
            };
            let mut of_class = vec![0_u128; labels.len()];
            for (row, &class) in classes.iter().enumerate() {
                let weight = whole.as_ref().map_or(1, |whole| whole.values[row]);
                of_class[class as usize] += u128::from(weight);
            }
            let total: u128 = of_class.iter().sum();
            let factor = |of_class: u128| match of_class {
                // A class without rows has nothing to multiply.
                0 => BigRational::one(),
                of_class => {
                    let all = BigInt::from(of_class) * BigInt::from(labels.len());
                    BigRational::new(total.into(), all)
                }
            };
            Some(of_class.into_iter().map(factor).collect())
        }
        ClassWeight::Given(given) => {
            let of_class = given_weights(given, labels).ok()?;
            let exact = |&weight: &f64| {
                let (digits, exponent) = decimal(weight)?;
                let tens = BigInt::from(10).pow(exponent.unsigned_abs());
                Some(if exponent >= 0 {
                    BigRational::from(tens * digits)
                } else {
                    BigRational::new(digits.into(), tens)
                })
            };
            of_class.iter().map(exact).collect()
        }
    }
}

/// The weights of all classes, 1 where none is given.
fn given_weights(given: &[(String, f64)], labels: &[String]) -> Result<Vec<f64>> {
    let mut of_class = vec![1.0; labels.len()];
    for (label, weight) in given {
        let class = labels.iter().position(|known| known == label);
        let class = class.ok_or_else(|| {
            Error::schema(format!(
                "class weights: {} is not a class (classes: {})",
                quoted(label),
                quoted_list(labels.iter().map(String::as_str))
            ))
        })?;
        if !weight.is_finite() || *weight <= 0.0 {
            return Err(Error::parameter(
                "class weight",
                weight,
                "a positive number",
            ));
        }
        of_class[class] = *weight;
    }
    Ok(of_class)
}

/// The weight of a row when each class gets the same part of the total. With whole weights it is known exactly whether
/// that is whole; else it is not said to be.
fn balanced(weight: f64, of_class: f64, total: f64, n_classes: usize, is_whole: bool) -> f64 {
    if is_whole {
        let (numerator, denominator) = (
            total as u128 * weight as u128,
            of_class as u128 * n_classes as u128,
        );
        if numerator % denominator == 0 {
            // Not above the total.
            return (numerator / denominator) as f64;
        }
    }
    not_whole(total / (n_classes as f64 * of_class) * weight)
}

/// A number that is not whole does not become so by rounding: sums of whole numbers are claimed to be exact.
fn not_whole(number: f64) -> f64 {
    if number.fract() == 0.0 && number < ALL_WHOLE_FROM {
        number.next_up()
    } else {
        number
    }
}

/// The product of the weights of a class and of a row, whole exactly where that of the written numbers is.
fn product(a: f64, b: f64) -> f64 {
    let product = a * b;
    let is_near = (product - product.round()).abs() <= 2.0 * f64::EPSILON * product;
    if !is_near || a.fract() == 0.0 && b.fract() == 0.0 {
        return product;
    }
    whole_product(a, b).unwrap_or_else(|| not_whole(product))
}

/// The product of two numbers as they are written, if it is whole: that of 3.19 and 1000000 is.
fn whole_product(a: f64, b: f64) -> Option<f64> {
    let [(a, of_a), (b, of_b)] = [decimal(a)?, decimal(b)?];
    let exponent = of_a + of_b;
    let tens = BigInt::from(10).pow(exponent.unsigned_abs());
    let (a, b) = (BigInt::from(a), BigInt::from(b));
    if exponent >= 0 {
        return (a * b * tens).to_f64();
    }
    let digits = a * b;
    let is_whole = (&digits % &tens) == BigInt::default();
    is_whole.then(|| (digits / tens).to_f64()).flatten()
}

#[cfg(test)]
mod tests {
    use super::{balanced, product};

    #[test]
    fn balanced_weights_are_whole_only_where_they_are() {
        assert_eq!(balanced(3.0, 3.0, 12.0, 2, true), 6.0);
        assert_eq!(balanced(1.0, 3.0, 12.0, 2, true), 2.0);
        assert_ne!(balanced(1.0, 3.0, 10.0, 2, true).fract(), 0.0);
        // 1e7 + 2e-12 is 1e7 as a double, and half of it is not whole.
        let total = 1e7 + 2e-12;
        assert_ne!(balanced(1e7, 1e7, total, 2, false).fract(), 0.0);
    }

    #[test]
    fn products_are_whole_only_where_they_are() {
        assert_eq!(product(1e6, 3.19), 3_190_000.0);
        // As doubles, 4179999.9999999995.
        assert_eq!(product(1e6, 4.18), 4_180_000.0);
        assert_eq!(product(0.5, 6.0), 3.0);
        let third = 1.0 / 3.0;
        assert_eq!(product(third, 1.0), third);
        assert_ne!(product(third, 3.0), 1.0);
        for weight in 1..3000 {
            let weight = f64::from(3 * weight);
            assert_ne!(product(third, weight).fract(), 0.0, "{weight}");
        }
    }
}
