//! One side of the box that is halved by rows: where its cuts are, and in which cell a number lies.
//!
//! A cell holds neighbouring values of the column. It is halved between two of them such that the numbers of rows on
//! both sides differ least; of two such places the lower one is taken. The cut lies midway between the two values. A
//! cell of one value cannot be parted; its value belongs to the upper half. So the halvings are the nodes of a binary
//! search tree of the column, after equal-frequency discretisation (J. Dougherty, R. Kohavi and M. Sahami, 1995), and
//! heavy values get cells of their own.

use super::box_side::midpoint;
use super::coordinate::MOST_HALVINGS;

/// The values of a column with their cells.
#[derive(Debug, Clone)]
pub(crate) struct Quantiles {
    /// All different values, rising.
    values: Vec<f64>,
    /// The cell of each after [`MOST_HALVINGS`] halvings, rising.
    cells: Vec<u32>,
}

impl Quantiles {
    /// The cells of the numbers of all rows.
    pub(crate) fn new(mut numbers: Vec<f64>) -> Self {
        numbers.sort_unstable_by(f64::total_cmp);
        // For each value the rows below it; at the end all rows.
        let mut rows_below = Vec::new();
        let mut values: Vec<f64> = Vec::new();
        for (row, &number) in numbers.iter().enumerate() {
            if values.last() != Some(&number) {
                values.push(number);
                rows_below.push(row);
            }
        }
        rows_below.push(numbers.len());
        let mut cells = vec![0; values.len()];
        set_cells(&rows_below, &mut cells, MOST_HALVINGS);
        Self { values, cells }
    }

    /// The cell of one of the values after this many halvings.
    pub(crate) fn cell(&self, value: f64, halvings: u32) -> u32 {
        let place = self.values.partition_point(|&other| other < value);
        self.cells[place] >> (MOST_HALVINGS - halvings)
    }

    /// The cut that halves a cell which was made by `level` halvings: what is not below lies in its upper half.
    pub(crate) fn cut(&self, cell: u32, level: u32) -> f64 {
        let upper = (cell * 2 + 1) << (MOST_HALVINGS - level - 1);
        let place = self.cells.partition_point(|&cell| cell < upper);
        let value = self.values[place.min(self.values.len() - 1)];
        let is_alone = place == 0 || self.cells[place - 1] >> (MOST_HALVINGS - level) != cell;
        if is_alone {
            return value;
        }
        midpoint(self.values[place - 1], value)
    }
}

/// Sets the cells of neighbouring values, which may still be halved so often. Before each of them, and after the last
/// one, are so many rows.
fn set_cells(rows_below: &[usize], cells: &mut [u32], halvings: u32) {
    if halvings == 0 || cells.is_empty() {
        return;
    }
    let upper = if cells.len() == 1 {
        0
    } else {
        most_even(rows_below)
    };
    for cell in &mut cells[upper..] {
        *cell |= 1 << (halvings - 1);
    }
    let (low, high) = cells.split_at_mut(upper);
    set_cells(&rows_below[..=upper], low, halvings - 1);
    set_cells(&rows_below[upper..], high, halvings - 1);
}

/// The first value of the upper half of two or more values.
fn most_even(rows_below: &[usize]) -> usize {
    let last = rows_below.len() - 2;
    let ends = rows_below[0] + rows_below[last + 1];
    let place = rows_below.partition_point(|&below| 2 * below < ends);
    let place = place.clamp(1, last);
    // The one before may be as even.
    let uneven = |place: usize| (2 * rows_below[place]).abs_diff(ends);
    let is_before = place > 1 && uneven(place - 1) <= uneven(place);
    place - usize::from(is_before)
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    /// Halves some values, each with its rows, by trying all places.
    fn plain(values: &[(f64, usize)], bits: String, found: &mut Vec<(f64, String)>) {
        if values.len() == 1 {
            return found.push((values[0].0, bits));
        }
        let rows = |values: &[(f64, usize)]| values.iter().map(|value| value.1).sum::<usize>();
        let uneven = |&at: &usize| rows(&values[..at]).abs_diff(rows(&values[at..]));
        let at = (1..values.len()).min_by_key(uneven).unwrap();
        plain(&values[..at], format!("{bits}0"), found);
        plain(&values[at..], format!("{bits}1"), found);
    }

    #[test]
    fn cells_are_those_of_plain_halvings() {
        for seed in 0..2000 {
            let mut rng = Rng::with_seed(seed);
            let most = [2, 5, 40][rng.usize(..3)];
            let mut rows: Vec<f64> = (0..rng.usize(1..60))
                .map(|_| f64::from(rng.i32(-most..most)) / 10.0)
                .collect();
            if rng.bool() {
                rows.extend(vec![rows[0]; rng.usize(..100)]);
            }
            let quantiles = Quantiles::new(rows.clone());
            rows.sort_unstable_by(f64::total_cmp);
            let mut values: Vec<(f64, usize)> = Vec::new();
            for row in rows {
                match values.last_mut() {
                    Some((value, rows)) if *value == row => *rows += 1,
                    _ => values.push((row, 1)),
                }
            }
            let mut expected = Vec::new();
            plain(&values, String::new(), &mut expected);
            for (place, (value, bits)) in expected.iter().enumerate() {
                let level = bits.len() as u32;
                let prefix = u32::from_str_radix(bits, 2).unwrap_or(0);
                assert_eq!(
                    quantiles.cell(*value, level),
                    prefix,
                    "seed {seed}: {value}"
                );
                // Alone in its cell: its cut is the value, and it lies above.
                assert_eq!(quantiles.cut(prefix, level).to_bits(), value.to_bits());
                assert_eq!(quantiles.cell(*value, level + 1), prefix * 2 + 1);
                let Some((next, other)) = expected.get(place + 1) else {
                    continue;
                };
                let common = bits.bytes().zip(other.bytes()).take_while(|(a, b)| a == b);
                let level = common.count();
                let prefix = u32::from_str_radix(&bits[..level], 2).unwrap_or(0);
                let cut = quantiles.cut(prefix, level as u32);
                assert!(
                    *value < cut && cut <= *next,
                    "seed {seed}: {value} {cut} {next}"
                );
                assert_eq!(cut, midpoint(*value, *next));
            }
        }
    }

    #[test]
    fn midpoints_are_those_of_decimals() {
        let quantiles = Quantiles::new(vec![0.1, 0.2, 0.2, 0.3]);
        // One row and three, or three and one: the lower place.
        assert_eq!([quantiles.cut(0, 0), quantiles.cut(1, 1)], [0.15, 0.25]);
        let low = 1.0_f64;
        assert_eq!(midpoint(low, low.next_up()), low.next_up());
        assert_eq!(midpoint(f64::MIN, f64::MAX), 0.0);
    }
}
