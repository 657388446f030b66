//! Tables in columnar memory.
//!
//! [`Source`] hands out raw columns, [`read`] decides what they are for, [`Dataset`] is the result:
//! typed columns, a target and weights, checked once. Learners turn a `Dataset` into their own
//! working form at their door and do not come back to it.

use std::borrow::Cow;
use std::sync::Arc;

use rayon::prelude::*;

use crate::error::{Error, Result, quoted};

pub mod csv;
mod date_columns;
mod dates;
mod file;
pub mod read;
mod schema;
mod source;
mod target;
mod weights;
mod whole;

pub use dates::{DateColumn, DateFormat, DateOrder, DateUnit, FoundDates};
pub use file::read_file;
pub use read::{Purpose, ReadOptions, Role, Task};
pub use schema::{Feature, FeatureKind, MissingTarget, Reading, Schema, TargetColumn, TargetKind};
pub use source::{FEW_TEXTS, MISSING_CODE, Number, RawColumn, Source, Texts, Wanted, not_a_number};
pub use target::looks_like_classes;
pub(crate) use weights::WeightParts;
pub use weights::{ClassWeight, check_total_weight};
pub(crate) use whole::WholeNumbers;

/// A table ready for learning or predicting.
///
/// Guarded by [`read`]: every column has `n_rows` rows, numbers are finite or NaN (missing), codes are
/// below the number of categories or [`MISSING_CODE`], weights are finite and positive.
#[derive(Debug, Clone)]
pub struct Dataset {
    schema: Arc<Schema>,
    n_rows: usize,
    columns: Vec<Column>,
    target: Target,
    weights: Option<Vec<f64>>,
    /// What the weights are made of, where classes have weights.
    parts: Option<WeightParts>,
}

/// The values of one feature.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Numbers; NaN is missing. Arrays of another language may lend theirs.
    Numeric(Cow<'static, [f64]>),
    /// Category codes; [`MISSING_CODE`] is missing (or a category that the schema does not know).
    Categorical(Vec<u32>),
}

/// The values to be predicted.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// Class indices.
    Classes(Vec<u32>),
    /// Numbers.
    Numbers(Vec<f64>),
    /// The table has no target column: it can be predicted, not learned from.
    Absent,
}

/// One cell of a feature column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A category code.
    Category(u32),
    /// Nothing is known.
    Missing,
}

impl Column {
    /// The cell of a row.
    pub fn value(&self, row: usize) -> Value {
        match self {
            Self::Numeric(numbers) if numbers[row].is_nan() => Value::Missing,
            Self::Numeric(numbers) => Value::Number(numbers[row]),
            Self::Categorical(codes) if codes[row] == MISSING_CODE => Value::Missing,
            Self::Categorical(codes) => Value::Category(codes[row]),
        }
    }

    /// Is any cell missing?
    pub fn has_missing(&self) -> bool {
        match self {
            Self::Numeric(numbers) => numbers.iter().any(|number| number.is_nan()),
            Self::Categorical(codes) => codes.contains(&MISSING_CODE),
        }
    }

    /// The cells of some rows.
    fn rows(&self, rows: &[usize]) -> Self {
        match self {
            Self::Numeric(numbers) => Self::Numeric(picked(numbers, rows).into()),
            Self::Categorical(codes) => Self::Categorical(picked(codes, rows)),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Numeric(numbers) => numbers.len(),
            Self::Categorical(codes) => codes.len(),
        }
    }
}

impl Dataset {
    /// Refuses a table that there is nothing to learn from.
    pub(crate) fn require_rows_and_features(&self) -> Result<()> {
        if self.n_rows == 0 {
            return Err(Error::schema(
                "the table has no rows, expected at least one",
            ));
        }
        if !self.columns.is_empty() {
            return Ok(());
        }
        let name = &self.schema.target.name;
        let message = "the table has no features, expected at least one";
        let has_other_separators = name.contains([';', '\t', '|']);
        let hint = has_other_separators.then(|| {
            let column = quoted(name);
            format!(" (the only column is {column}: expected commas between columns)")
        });
        Err(Error::schema(
            message.to_owned() + &hint.unwrap_or_default(),
        ))
    }

    /// Puts together columns that already fit the schema. This is the door for arrays from memory;
    /// files come in through [`read`].
    ///
    /// Panics if lengths or kinds disagree with the schema: that is a bug of the caller.
    pub fn new(
        schema: Arc<Schema>,
        columns: Vec<Column>,
        target: Target,
        weights: Option<Vec<f64>>,
    ) -> Self {
        let n_rows = match (&target, columns.first(), &weights) {
            (Target::Classes(classes), ..) => classes.len(),
            (Target::Numbers(numbers), ..) => numbers.len(),
            (Target::Absent, Some(column), _) => column.len(),
            (Target::Absent, None, weights) => weights.as_ref().map_or(0, Vec::len),
        };
        assert_eq!(
            columns.len(),
            schema.features.len(),
            "one column for each feature"
        );
        assert!(
            columns.iter().all(|column| column.len() == n_rows),
            "columns of equal length"
        );
        assert!(
            weights
                .as_ref()
                .is_none_or(|weights| weights.len() == n_rows),
            "a weight a row"
        );
        for (column, feature) in columns.iter().zip(&schema.features) {
            let fits = match (column, &feature.kind) {
                (Column::Numeric(_), FeatureKind::Numeric) => true,
                (Column::Categorical(codes), FeatureKind::Categorical(names)) => codes
                    .iter()
                    .all(|&code| code == MISSING_CODE || (code as usize) < names.len()),
                _ => false,
            };
            assert!(
                fits,
                "column {:?} is of the kind the schema says",
                feature.name
            );
        }
        Self {
            schema,
            n_rows,
            columns,
            target,
            weights,
            parts: None,
        }
    }

    /// The table of these rows only, in this order, with their weights. The schema stays: also the
    /// classes and categories that none of the rows has.
    #[must_use]
    pub fn rows(&self, rows: &[usize]) -> Self {
        let columns = self.columns.par_iter().map(|column| column.rows(rows));
        Self {
            schema: Arc::clone(&self.schema),
            n_rows: rows.len(),
            columns: columns.collect(),
            target: match &self.target {
                Target::Classes(classes) => Target::Classes(picked(classes, rows)),
                Target::Numbers(numbers) => Target::Numbers(picked(numbers, rows)),
                Target::Absent => Target::Absent,
            },
            weights: self.weights.as_ref().map(|weights| picked(weights, rows)),
            parts: self.parts.as_ref().map(|parts| parts.rows(rows)),
        }
    }

    /// The table of these features only, in this order.
    #[must_use]
    pub fn features(&self, features: &[usize]) -> Self {
        let schema = Schema {
            features: picked(&self.schema.features, features),
            ..(*self.schema).clone()
        };
        Self {
            schema: Arc::new(schema),
            columns: picked(&self.columns, features),
            target: self.target.clone(),
            weights: self.weights.clone(),
            parts: self.parts.clone(),
            n_rows: self.n_rows,
        }
    }

    /// Names and kinds.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The feature columns, in the order of the schema.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The target.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Row weights; `None` when every row weighs 1.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The weight of a row.
    pub fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    /// What the weights are made of without rounding, where classes have weights.
    pub(crate) fn weight_parts(&self) -> Option<&WeightParts> {
        self.parts.as_ref()
    }

    /// Sum of the weights, in row order.
    pub fn total_weight(&self) -> f64 {
        self.weights
            .as_ref()
            .map_or(self.n_rows as f64, |weights| weights.iter().sum())
    }

    /// Have all rows the same weight? Only then they can be counted.
    pub fn has_equal_weights(&self) -> bool {
        let weights = self.weights.as_deref().unwrap_or_default();
        weights.windows(2).all(|pair| pair[0] == pair[1])
    }

    /// The weight of the heaviest row, where rows have different weights.
    pub(crate) fn heaviest_of_different(&self) -> Option<f64> {
        let weights = self.weights.as_deref().unwrap_or_default();
        (!self.has_equal_weights()).then(|| weights.iter().copied().fold(0.0, f64::max))
    }

    /// Are all sums of weights exact? So it is when weights are whole numbers and not too large.
    pub fn has_whole_weights(&self) -> bool {
        self.weights.as_ref().is_none_or(|weights| {
            weights.iter().all(|weight| weight.fract() == 0.0) && self.has_exact_total()
        })
    }

    /// Is the total so small that whole weights have exact sums? Doubles would allow for twice as much, but from here on
    /// all of them are whole: one that was rounded could be taken for a whole weight.
    pub(crate) fn has_exact_total(&self) -> bool {
        self.total_weight() < weights::ALL_WHOLE_FROM
    }
}

/// The entries at these places.
fn picked<T: Clone>(all: &[T], places: &[usize]) -> Vec<T> {
    places.iter().map(|&place| all[place].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_rows_keep_their_cells_weights_and_the_schema() {
        let feature = |name: &str, kind| Feature {
            name: name.into(),
            kind,
        };
        let schema = Arc::new(Schema {
            features: vec![
                feature("x", FeatureKind::Numeric),
                feature("k", FeatureKind::Categorical(vec!["a".into(), "b".into()])),
            ],
            target: TargetColumn {
                name: "y".into(),
                kind: TargetKind::Classes(vec!["no".into(), "yes".into()]),
            },
            ..Schema::default()
        });
        let columns = vec![
            Column::Numeric(vec![1.0, 2.0, 3.0].into()),
            Column::Categorical(vec![0, MISSING_CODE, 1]),
        ];
        let weights = Some(vec![1.0, 0.5, 2.0]);
        let data = Dataset::new(
            Arc::clone(&schema),
            columns,
            Target::Classes(vec![0, 1, 1]),
            weights,
        );
        let some = data.rows(&[2, 1]);
        assert_eq!(some.n_rows(), 2);
        assert_eq!(some.columns()[0], Column::Numeric(vec![3.0, 2.0].into()));
        assert_eq!(
            some.columns()[1],
            Column::Categorical(vec![1, MISSING_CODE])
        );
        assert_eq!(some.target(), &Target::Classes(vec![1, 1]));
        assert_eq!(some.weights(), Some(&[2.0, 0.5][..]));
        assert_eq!(some.schema(), &schema);
        assert_eq!(data.rows(&[]).total_weight(), 0.0);
    }
}
