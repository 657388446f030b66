//! A column as it is looked at, and its distinct values.

use rustc_hash::FxHashMap;

use super::ColumnKind;
use crate::data::{Column, MISSING_CODE, RawColumn};

/// Up to so many distinct values are told apart one by one.
const FEW: usize = 1000;

/// The cells of a column.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cells<'a> {
    /// Numbers; NaN is missing.
    Numbers(&'a [f64]),
    /// Places in a list of texts, or [`MISSING_CODE`].
    Texts {
        codes: &'a [u32],
        distinct: &'a [String],
    },
}

impl<'a> Cells<'a> {
    /// The cells of a column that was read.
    pub(super) fn of(raw: &'a RawColumn) -> Option<Self> {
        match raw {
            RawColumn::Skipped => None,
            RawColumn::Numbers(numbers) | RawColumn::Both(numbers, _) => {
                Some(Self::Numbers(numbers))
            }
            RawColumn::Texts(texts) => Some(Self::Texts {
                codes: &texts.codes,
                distinct: &texts.distinct,
            }),
        }
    }

    /// The cells of a feature.
    pub(super) fn of_column(column: &'a Column, categories: &'a [String]) -> Self {
        match column {
            Column::Numeric(numbers) => Self::Numbers(numbers),
            Column::Categorical(codes) => Self::Texts {
                codes,
                distinct: categories,
            },
        }
    }

    pub(super) fn kind(&self) -> ColumnKind {
        match self {
            Self::Numbers(_) => ColumnKind::Numeric,
            Self::Texts { .. } => ColumnKind::Categorical,
        }
    }

    pub(super) fn n_rows(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Texts { codes, .. } => codes.len(),
        }
    }

    pub(super) fn n_missing(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.iter().filter(|number| number.is_nan()).count(),
            Self::Texts { codes, .. } => codes.iter().filter(|&&code| code == MISSING_CODE).count(),
        }
    }

    /// The number of distinct values where these are many.
    pub(super) fn n_distinct(&self) -> usize {
        match self {
            Self::Texts { distinct, .. } => distinct.len(),
            Self::Numbers(numbers) => {
                let present = numbers.iter().filter(|number| !number.is_nan());
                let mut bits: Vec<u64> = present.map(|number| number.to_bits()).collect();
                bits.sort_unstable();
                bits.dedup();
                bits.len()
            }
        }
    }

    /// Do codes mean the same in both?
    pub(super) fn has_the_texts_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Numbers(_), Self::Numbers(_)) => true,
            (Self::Texts { distinct: a, .. }, Self::Texts { distinct: b, .. }) => a == b,
            _ => false,
        }
    }

    /// A number that equal cells share.
    #[inline]
    pub(super) fn key(&self, row: usize) -> u64 {
        match self {
            Self::Numbers(numbers) if numbers[row].is_nan() => u64::MAX,
            Self::Numbers(numbers) => numbers[row].to_bits(),
            Self::Texts { codes, .. } => u64::from(codes[row]),
        }
    }
}

/// The values of a column that has few, numbered in the order in which they first occur.
pub(super) struct Codes {
    /// [`MISSING_CODE`] is missing.
    pub(super) of_row: Vec<u32>,
    /// How many there are.
    pub(super) n: usize,
}

impl Codes {
    /// `None` if there are many values.
    pub(super) fn of(cells: &Cells<'_>) -> Option<Self> {
        let mut n = 0;
        let mut next = || {
            n += 1;
            n as u32 - 1
        };
        let of_row = match cells {
            Cells::Numbers(numbers) => {
                let mut code_of: FxHashMap<u64, u32> = FxHashMap::default();
                let mut of_row = Vec::with_capacity(numbers.len());
                for number in *numbers {
                    let code = if number.is_nan() {
                        MISSING_CODE
                    } else {
                        *code_of.entry(number.to_bits()).or_insert_with(&mut next)
                    };
                    if code_of.len() > FEW {
                        return None;
                    }
                    of_row.push(code);
                }
                of_row
            }
            Cells::Texts { distinct, .. } if distinct.len() > FEW => return None,
            Cells::Texts { codes, distinct } => {
                let mut code_of = vec![MISSING_CODE; distinct.len()];
                let renumber = |&code: &u32| {
                    let Some(own) = code_of.get_mut(code as usize) else {
                        return MISSING_CODE;
                    };
                    if *own == MISSING_CODE {
                        *own = next();
                    }
                    *own
                };
                codes.iter().map(renumber).collect()
            }
        };
        Some(Self { of_row, n })
    }
}
