//! One feature by codes, if it has few distinct values.

use super::packing::{Packing, is_tie};
use super::sorting::{distance, whole_range};

/// A feature is coarse if it has at most this many values, so that a code is a byte.
pub(super) const MOST_VALUES: usize = 256;

/// One feature by codes: the distinct values, rising, and for every row the position of its value.
#[derive(Debug)]
pub(crate) struct Codes {
    pub(super) values: Vec<f64>,
    pub(super) codes: Vec<u8>,
}

impl Codes {
    /// Tries to code numbers of which none is missing, without sorting them: whole numbers of a small
    /// range.
    pub(crate) fn of_whole_numbers(numbers: &[f64]) -> Option<Self> {
        const WIDEST: usize = 1 << 12;
        let (low, n_keys) = whole_range(numbers).filter(|&(_, n_keys)| n_keys <= WIDEST)?;
        let key = |number: f64| distance(low, number);
        let mut occurs = vec![false; n_keys];
        for &number in numbers {
            occurs[key(number)] = true;
        }
        let values: Vec<f64> = (0..n_keys)
            .filter(|&key| occurs[key])
            .map(|key| low + key as f64)
            .collect();
        if !Self::pays(values.len(), numbers.len()) {
            return None;
        }
        let mut code_of = vec![0_u8; n_keys];
        for (code, &value) in values.iter().enumerate() {
            code_of[key(value)] = code as u8;
        }
        Some(Self {
            codes: numbers.iter().map(|&number| code_of[key(number)]).collect(),
            values,
        })
    }

    /// Tries to code numbers that have been sorted; none is missing.
    pub(crate) fn of_list(numbers: &[f64], list: &[u32], packing: Packing) -> Option<Self> {
        let is_new = |&at: &usize| at == 0 || !is_tie(list[at]);
        let n_values = (0..list.len()).filter(is_new).take(MOST_VALUES + 1).count();
        if !Self::pays(n_values, list.len()) {
            return None;
        }
        let mut values = Vec::with_capacity(n_values);
        let mut codes = vec![0; list.len()];
        for (at, &entry) in list.iter().enumerate() {
            if is_new(&at) {
                values.push(numbers[packing.row(entry)]);
            }
            codes[packing.row(entry)] = (values.len() - 1) as u8;
        }
        Some(Self { values, codes })
    }

    fn pays(n_values: usize, n_rows: usize) -> bool {
        n_values <= MOST_VALUES && 4 * n_values <= n_rows
    }
}
