//! Rows in the order of a feature, packed for the scans of the greedy learner.
//!
//! A node of the growing tree is a range that is the same in the list of every feature. Within its
//! range a list holds the node's rows: those with a known value by rising value (category code), rows
//! of equal value by rising row number, then the rows whose value is missing.
//!
//! An entry is one `u32`: `row | class | tie`. The class saves a look-up in every scan; the tie bit says
//! that the value is that of the entry before, so a scan needs no values at all. When rows are taken
//! out of a list, an entry ties with its new predecessor if every entry in between tied.

use std::cmp::Ordering;

use super::packing::Packing;
use crate::budget::Budget;
use crate::data::{Column, MISSING_CODE};

/// Columns with at least this many rows take long enough to check the deadline while they are sorted.
const MANY_ROWS: usize = 1 << 16;

/// Runs of equal keys between two checks of the deadline.
const RUNS_BETWEEN_LOOKS: usize = 1 << 14;

/// The list of one feature for all rows; `None` if the budget is spent before it is made.
pub(crate) fn sorted_list_in_time(
    column: &Column,
    classes: Option<&[u32]>,
    packing: Packing,
    budget: &Budget,
) -> Option<Vec<u32>> {
    // With fewer rows than that, a sort is over before it is worth a check.
    let is_late = || column.len() >= MANY_ROWS && budget.is_spent();
    if is_late() {
        return None;
    }
    let class = |row: usize| classes.map_or(0, |classes| classes[row]);
    match column {
        Column::Categorical(codes) => {
            let n_codes = codes.iter().filter(|&&code| code != MISSING_CODE).max();
            let n_codes = n_codes.map_or(0, |&last| last as usize + 1);
            // A missing code is the largest number there is; it comes last as one more category.
            let key = |row: usize| (codes[row] as usize).min(n_codes);
            let pack = |row, tie| packing.pack(row, class(row), tie);
            Some(counting_sort(codes.len(), n_codes + 1, key, pack))
        }
        Column::Numeric(numbers) => {
            let pack = |row, tie| packing.pack(row, class(row), tie);
            match whole_range(numbers) {
                Some((low, n_keys)) => {
                    let key = |row: usize| {
                        let number = numbers[row];
                        if number.is_nan() {
                            n_keys - 1
                        } else {
                            distance(low, number)
                        }
                    };
                    Some(counting_sort(numbers.len(), n_keys, key, pack))
                }
                None => match numbers.len() {
                    ..4096 => radix_sort::<8, 3>(numbers, packing, class, &is_late),
                    4096..50_000 => radix_sort::<11, 2>(numbers, packing, class, &is_late),
                    _ => radix_sort::<11, 3>(numbers, packing, class, &is_late),
                },
            }
        }
    }
}

/// The list of one feature for all rows, by comparisons of values.
pub(super) fn sorted_list_by_comparison(
    column: &Column,
    classes: Option<&[u32]>,
    packing: Packing,
) -> Vec<u32> {
    let order = |&a: &usize, &b: &usize| match column {
        // A missing code is the largest number there is.
        Column::Categorical(codes) => codes[a].cmp(&codes[b]),
        Column::Numeric(numbers) => {
            let key = |row: usize| (numbers[row].is_nan(), numbers[row]);
            key(a).partial_cmp(&key(b)).unwrap_or(Ordering::Equal)
        }
    };
    let mut rows: Vec<usize> = (0..column.len()).collect();
    rows.sort_by(order);
    let class = |row: usize| classes.map_or(0, |classes| classes[row]);
    let is_tie = |at: usize| at > 0 && order(&rows[at - 1], &rows[at]).is_eq();
    let entry = |at: usize| packing.pack(rows[at], class(rows[at]), is_tie(at));
    (0..rows.len()).map(entry).collect()
}

/// For whole numbers of a small range: the least of them, and how many keys a counting sort needs
/// (one more than the range, for missing).
pub(crate) fn whole_range(numbers: &[f64]) -> Option<(f64, usize)> {
    // Adding and taking away this leaves whole numbers alone and rounds all others.
    const ROUNDER: f64 = 1.5 * (1_u64 << 52) as f64;
    const LARGEST: f64 = (1_u64 << 50) as f64;
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for block in numbers.chunks(1024) {
        let mut n_others = 0;
        for &number in block {
            // NaN is neither below nor above.
            low = if number < low { number } else { low };
            high = if number > high { number } else { high };
            let is_whole = (number + ROUNDER) - ROUNDER == number;
            n_others += u32::from(!is_whole) - u32::from(number.is_nan());
        }
        let is_small = high - low <= 2.0 * numbers.len() as f64 + 64.0;
        if n_others > 0 || low <= high && !(is_small && low.abs().max(high.abs()) < LARGEST) {
            return None;
        }
    }
    if low > high {
        return Some((0.0, 1));
    }
    Some((low, (high - low) as usize + 2))
}

/// How far a whole number is above another, if that is below 2^32. A plain conversion would spend its
/// time on numbers that do not occur.
#[inline]
pub(crate) fn distance(low: f64, number: f64) -> usize {
    const FIRST_WITHOUT_FRACTION: f64 = (1_u64 << 52) as f64;
    (number - low + FIRST_WITHOUT_FRACTION).to_bits() as u32 as usize
}

/// Stable sort of `0..n` by a key below `n_keys`.
fn counting_sort(
    n: usize,
    n_keys: usize,
    key: impl Fn(usize) -> usize,
    pack: impl Fn(usize, bool) -> u32,
) -> Vec<u32> {
    let mut starts = vec![0_u32; n_keys + 1];
    for row in 0..n {
        starts[key(row) + 1] += 1;
    }
    for at in 1..=n_keys {
        starts[at] += starts[at - 1];
    }
    let mut first = starts.clone();
    let mut list = vec![0; n];
    for row in 0..n {
        let key = key(row);
        let at = first[key];
        first[key] += 1;
        list[at as usize] = pack(row, at != starts[key]);
    }
    list
}

/// Stable sort of any numbers: a radix sort of the upper halves of the keys, then plain sorts of the
/// few runs in which these are equal and the lower halves are not. With few rows it pays to sort by the
/// first digits only, and the few runs in which they are equal by the others.
fn radix_sort<const BITS: usize, const DIGITS: usize>(
    numbers: &[f64],
    packing: Packing,
    class: impl Fn(usize) -> u32,
    is_late: &dyn Fn() -> bool,
) -> Option<Vec<u32>> {
    let (low, high) = extremes(numbers);
    let ruler = Ruler::new(low, high);
    let (least, most) = (ruler.place(low), ruler.place(high).max(ruler.place(low)));
    // Keys relative to the least, cut to the 31 highest bits that vary; missing above all. An item is
    // such a key and, below it, the entry.
    let drop = (u64::BITS - most.abs_diff(least).leading_zeros()).saturating_sub(31);
    let rest = 64_usize.saturating_sub(DIGITS * BITS).max(32);
    let digit = |item: u64, at: usize| (item >> (rest + at * BITS)) as usize & ((1 << BITS) - 1);
    let mut counts = vec![0_u32; DIGITS << BITS];
    let mut from: Vec<u64> = Vec::with_capacity(numbers.len());
    for (row, &number) in numbers.iter().enumerate() {
        let key = if number.is_nan() {
            u32::MAX
        } else {
            (ruler.place(number).abs_diff(least) >> drop) as u32
        };
        let item = u64::from(key) << 32 | u64::from(packing.pack(row, class(row), false));
        from.push(item);
        for (at, counts) in counts.chunks_exact_mut(1 << BITS).enumerate() {
            counts[digit(item, at)] += 1;
        }
    }
    let mut to = vec![0_u64; from.len()];
    for (at, starts) in counts.chunks_exact_mut(1 << BITS).enumerate() {
        if starts.iter().any(|&count| count as usize == from.len()) {
            continue;
        }
        if is_late() {
            return None;
        }
        let mut sum = 0;
        for start in starts.iter_mut() {
            sum += std::mem::replace(start, sum);
        }
        for &item in &from {
            let place = &mut starts[digit(item, at)];
            to[*place as usize] = item;
            *place += 1;
        }
        std::mem::swap(&mut from, &mut to);
    }
    sort_runs(&mut from, rest, numbers, packing, is_late)
}

/// The entries of items in order; runs of items that are equal above the lowest `rest` bits are sorted first.
fn sort_runs(
    items: &mut [u64],
    rest: usize,
    numbers: &[f64],
    packing: Packing,
    is_late: &dyn Fn() -> bool,
) -> Option<Vec<u32>> {
    let number = |entry| numbers[packing.row(entry)];
    let mut list = Vec::with_capacity(items.len());
    let runs = items.chunk_by_mut(|a, b| a >> rest == b >> rest);
    for (n_before, run) in runs.enumerate() {
        if n_before % RUNS_BETWEEN_LOOKS == 0 && is_late() {
            return None;
        }
        if let [item] = run {
            list.push(*item as u32);
            continue;
        }
        if rest > 32 {
            // An item ends with its row: no two are equal.
            run.sort_unstable();
        }
        mark_ties(run, number, &mut list);
    }
    Some(list)
}

/// The least and the largest number. If all are missing, the least is above the largest.
fn extremes(numbers: &[f64]) -> (f64, f64) {
    // Several of each, as they need not wait for each other. NaN is neither below nor above.
    let (mut low, mut high) = ([f64::INFINITY; 8], [f64::NEG_INFINITY; 8]);
    let (blocks, others) = numbers.as_chunks::<8>();
    for block in blocks {
        for ((low, high), &number) in low.iter_mut().zip(&mut high).zip(block) {
            *low = if number < *low { number } else { *low };
            *high = if number > *high { number } else { *high };
        }
    }
    for &number in others {
        low[0] = low[0].min(number);
        high[0] = high[0].max(number);
    }
    let low = low.into_iter().fold(f64::INFINITY, f64::min);
    (low, high.into_iter().fold(f64::NEG_INFINITY, f64::max))
}

/// Puts runs of equal keys in order and marks equal numbers.
fn mark_ties(items: &mut [u64], number: impl Fn(u32) -> f64, list: &mut Vec<u32>) {
    let number = |item: u64| number(item as u32);
    for run in items.chunk_by_mut(|a, b| a >> 32 == b >> 32) {
        if run.len() > 1 {
            let order = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or(Ordering::Equal);
            run.sort_by(|&a, &b| order(number(a), number(b)));
        }
        for at in 0..run.len() {
            let is_tie =
                at > 0 && (number(run[at]) == number(run[at - 1]) || number(run[at]).is_nan());
            list.push(run[at] as u32 | u32::from(is_tie));
        }
    }
}

/// Whole numbers that rise with floats. The bits of a float do, too, but most of them tell magnitudes that
/// hardly occur: all numbers far closer to zero than the largest are told apart by their distance instead.
#[derive(Clone, Copy)]
struct Ruler {
    far: f64,
}

impl Ruler {
    fn new(low: f64, high: f64) -> Self {
        let largest = low.abs().max(high.abs());
        let far = if largest.is_finite() {
            largest / 256.0
        } else {
            0.0
        };
        Self { far }
    }

    /// Not less for a larger number, but it may be the same.
    #[inline]
    fn place(self, number: f64) -> i64 {
        let place = (number.abs() + self.far).to_bits() as i64 - self.far.to_bits() as i64;
        if number < 0.0 { -place } else { place }
    }
}

#[cfg(test)]
mod tests {

    use super::super::packing::is_tie;
    use super::super::partition::{partition, partition_in_two};
    use super::*;

    const PACKING: Packing = Packing { class_bits: 1 };

    fn sorted_list(column: &Column, classes: Option<&[u32]>) -> Vec<u32> {
        sorted_list_in_time(column, classes, PACKING, &Budget::unlimited()).unwrap()
    }

    /// The obvious way: rows by value, then by number; missing last.
    fn expected(numbers: &[f64], rows: &[usize]) -> Vec<(usize, bool)> {
        let mut rows = rows.to_vec();
        rows.sort_by(|&a, &b| {
            let key = |row: usize| (numbers[row].is_nan(), numbers[row]);
            key(a)
                .partial_cmp(&key(b))
                .unwrap_or(std::cmp::Ordering::Equal)
                .then(a.cmp(&b))
        });
        let same = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan();
        let tie = |at: usize| at > 0 && same(numbers[rows[at - 1]], numbers[rows[at]]);
        (0..rows.len()).map(|at| (rows[at], tie(at))).collect()
    }

    fn unpacked(list: &[u32]) -> Vec<(usize, bool)> {
        let tie = |at: usize| at > 0 && is_tie(list[at]);
        (0..list.len())
            .map(|at| (PACKING.row(list[at]), tie(at)))
            .collect()
    }

    fn random_numbers(random: &mut fastrand::Rng) -> Vec<f64> {
        let kind = random.u8(0..8);
        let n = random.usize(1..200);
        (0..n)
            .map(|_| match kind {
                0 => f64::from(random.i32(-3..4)),
                1 => random.f64() - 0.5,
                2 => f64::from(random.i32(-3..4)) * 1e300,
                6 => [f64::NEG_INFINITY, f64::INFINITY, -1.5, 1e9, f64::MAX][random.usize(0..5)],
                7 => (random.f64() - 0.5) * 10_f64.powi(random.i32(-12..12)),
                4 => [-0.0, 0.0, 5e-324, -5e-324][random.usize(0..4)],
                3 => 1.0 + f64::EPSILON * f64::from(random.u8(0..4)),
                _ if random.bool() => f64::NAN,
                _ => f64::from(random.i32(0..20)) / 7.0,
            })
            .collect()
    }

    #[test]
    fn lists_are_sorted_with_ties_marked() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..2000 {
            let numbers = random_numbers(&mut random);
            let rows: Vec<usize> = (0..numbers.len()).collect();
            let classes: Vec<u32> = rows.iter().map(|_| random.u32(0..2)).collect();
            let expected = expected(&numbers, &rows);
            let list = sorted_list(&Column::Numeric(numbers.into()), Some(&classes));
            assert_eq!(unpacked(&list), expected);
            for &entry in &list {
                assert_eq!(PACKING.class(entry), classes[PACKING.row(entry)] as usize);
            }
        }
    }

    #[test]
    fn parting_a_list_keeps_order_and_ties() {
        let mut random = fastrand::Rng::with_seed(2);
        let mut scratch = Vec::new();
        for _ in 0..2000 {
            let numbers = random_numbers(&mut random);
            let n_children = random.u32(2..5);
            let child: Vec<u32> = numbers.iter().map(|_| random.u32(0..n_children)).collect();
            let list = sorted_list(&Column::Numeric(numbers.clone().into()), None);
            let mut many = list.clone();
            let child = &child;
            let of_child = |c: u32| (0..numbers.len()).filter(move |&row| child[row] == c);
            let sizes = (0..n_children).map(|c| of_child(c).count() as u32);
            let starts: Vec<u32> = std::iter::once(0)
                .chain(sizes.scan(0, |sum, size| {
                    *sum += size;
                    Some(*sum)
                }))
                .collect();
            partition(&mut many, PACKING, child, &starts, &mut scratch);
            for c in 0..n_children {
                let rows: Vec<usize> = of_child(c).collect();
                let part = &many[starts[c as usize] as usize..starts[c as usize + 1] as usize];
                assert_eq!(unpacked(part), expected(&numbers, &rows));
            }
            let mut two = list;
            let side: Vec<u8> = child.iter().map(|&c| u8::from(c > 0)).collect();
            partition_in_two(&mut two, PACKING, &side, [true, true], &mut scratch);
            let rows: Vec<usize> = (0..numbers.len()).filter(|&row| side[row] == 1).collect();
            assert_eq!(
                unpacked(&two[numbers.len() - rows.len()..]),
                expected(&numbers, &rows)
            );
        }
    }

    #[test]
    fn packing_needs_room() {
        assert!(Packing::new(1 << 30, 2).is_some());
        assert!(Packing::new((1 << 30) + 1, 2).is_none());
        assert!(Packing::new(1 << 20, 3000).is_none());
        assert!(Packing::new(1, 1).is_some());
    }
}
