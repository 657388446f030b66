//! The working form of a table: ranks in place of numbers, and what each label would cost each row.

use crate::cost::RowLosses;
use crate::data::{Column, Dataset, MISSING_CODE};

/// A table as the search sees it.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) features: Vec<Feature>,
    pub(super) n_rows: usize,
    pub(super) n_classes: usize,
    /// `n_classes` for each row.
    losses: Vec<u32>,
}

/// The cells of a feature.
#[derive(Debug)]
pub(super) enum Feature {
    Numeric {
        /// The place of each cell among the different values, or [`NONE`].
        ranks: Vec<u32>,
        /// The different values.
        values: Vec<f64>,
    },
    Categorical {
        /// The category of each cell, or [`NONE`].
        codes: Vec<u32>,
        n_categories: usize,
    },
}

/// A missing cell.
pub(super) const NONE: u32 = u32::MAX;

/// Some rows, and for each numeric feature those that have a value, in the order of their values.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    pub(super) all: Vec<u32>,
    /// Empty for categorical features.
    pub(super) by_value: Vec<Vec<u32>>,
}

impl Table {
    pub(super) fn new(data: &Dataset, losses: RowLosses) -> Self {
        Self {
            features: data.columns().iter().map(Feature::of).collect(),
            n_rows: data.n_rows(),
            n_classes: losses.n_classes,
            losses: losses.losses,
        }
    }

    /// No way from the root to a leaf is longer: every question separates some rows, categories can be
    /// asked for once, and numbers once for each of the cuts and for being missing.
    pub(super) fn longest_way(&self) -> usize {
        let questions = |feature: &Feature| match feature {
            Feature::Numeric { values, .. } => values.len(),
            Feature::Categorical { .. } => 1,
        };
        let all: usize = self.features.iter().map(questions).sum();
        all.min(self.n_rows)
    }

    /// What each label would cost a row.
    pub(super) fn losses(&self, row: u32) -> &[u32] {
        &self.losses[row as usize * self.n_classes..][..self.n_classes]
    }

    /// All rows.
    pub(super) fn whole(&self) -> Rows {
        let by_value = self.features.iter().map(|feature| match feature {
            Feature::Categorical { .. } => Vec::new(),
            Feature::Numeric { ranks, .. } => {
                let present = |row: &u32| ranks[*row as usize] != NONE;
                let mut rows: Vec<u32> = (0..self.n_rows as u32).filter(present).collect();
                rows.sort_by_key(|&row| ranks[row as usize]);
                rows
            }
        });
        Rows {
            all: (0..self.n_rows as u32).collect(),
            by_value: by_value.collect(),
        }
    }

    /// The loss of each label for some rows.
    pub(super) fn sums(&self, rows: &[u32]) -> Vec<u64> {
        let mut sums = vec![0; self.n_classes];
        for &row in rows {
            for (sum, &loss) in sums.iter_mut().zip(self.losses(row)) {
                *sum += u64::from(loss);
            }
        }
        sums
    }

    /// The loss of the best label for some rows.
    pub(super) fn error(&self, rows: &[u32]) -> u64 {
        self.sums(rows).into_iter().min().unwrap_or(0)
    }
}

impl Rows {
    /// Some of these rows.
    pub(super) fn only(&self, is_in: impl Fn(u32) -> bool) -> Self {
        let keep = |rows: &Vec<u32>| rows.iter().copied().filter(|&row| is_in(row)).collect();
        Self {
            all: keep(&self.all),
            by_value: self.by_value.iter().map(keep).collect(),
        }
    }
}

impl Feature {
    fn of(column: &Column) -> Self {
        match column {
            Column::Numeric(numbers) => {
                // Minus zero is zero.
                let present = || numbers.iter().filter(|x| !x.is_nan()).map(|x| x + 0.0);
                let mut values: Vec<f64> = present().collect();
                values.sort_by(f64::total_cmp);
                values.dedup();
                let rank = |number: &f64| {
                    if number.is_nan() {
                        return NONE;
                    }
                    values.partition_point(|value| *value < *number) as u32
                };
                Self::Numeric {
                    ranks: numbers.iter().map(rank).collect(),
                    values,
                }
            }
            Column::Categorical(codes) => {
                let code = |&code: &u32| if code == MISSING_CODE { NONE } else { code };
                let codes: Vec<u32> = codes.iter().map(code).collect();
                let present = codes.iter().filter(|&&code| code != NONE);
                Self::Categorical {
                    n_categories: present.max().map_or(0, |&most| most as usize + 1),
                    codes,
                }
            }
        }
    }

    /// The rank or the category of a row, or [`NONE`].
    pub(super) fn cell(&self, row: u32) -> u32 {
        match self {
            Self::Numeric { ranks, .. } => ranks[row as usize],
            Self::Categorical { codes, .. } => codes[row as usize],
        }
    }
}
