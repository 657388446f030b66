//! Dyadic trees where doubles are coarse: decimals on narrow ranges, a few doubles next to each other, numbers
//! near zero, and ranges that are wider than the largest double. Against a plain recursion over boxes whose places are
//! ratios, read from the text of the table.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fastrand::Rng;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;
use treewright::Budget;
use treewright::data::csv::CsvSource;
use treewright::data::{Dataset, ReadOptions};
use treewright::eval::verify;
use treewright::learn::dyadic::{Aim, Dyadic, Model, Resolution, Solver};
use treewright::learn::{FamilyLearner, Learner};
use treewright::tree::Training;

/// The texts of the cells, row by row, and the classes.
#[derive(Debug, Clone)]
pub(super) struct Narrow {
    pub(super) cells: Vec<Vec<String>>,
    pub(super) classes: Vec<usize>,
}

impl Narrow {
    pub(super) fn data(&self) -> Dataset {
        let n_features = self.cells[0].len();
        let names: Vec<String> = (0..n_features).map(|it| format!("x{it}")).collect();
        let mut text = format!("{},class\n", names.join(","));
        for (cells, class) in self.cells.iter().zip(&self.classes) {
            text += &cells.join(",");
            text += [",a\n", ",b\n", ",c\n"][*class];
        }
        let source = CsvSource::new(text.into_bytes(), b',').unwrap();
        Dataset::read(&source, &ReadOptions::default()).unwrap()
    }

    /// Where each row lies in the box, as shares of its sides; 0 where a side has no width.
    fn shares(&self) -> Vec<Vec<BigRational>> {
        let numbers: Vec<Vec<BigRational>> = (self.cells.iter())
            .map(|row| row.iter().map(|text| ratio(text)).collect())
            .collect();
        let side = |feature: usize| numbers.iter().map(move |row| &row[feature]);
        let share = |(feature, number): (usize, &BigRational)| {
            let (low, high) = (side(feature).min().unwrap(), side(feature).max().unwrap());
            if low == high {
                return number - low;
            }
            (number - low) / (high - low)
        };
        let shares = |row: &Vec<BigRational>| row.iter().enumerate().map(share).collect();
        numbers.iter().map(shares).collect()
    }
}

/// A decimal as it is written, such as -12.5e-3.
pub(super) fn ratio(text: &str) -> BigRational {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let digits: BigInt = format!("{whole}{fraction}").parse().unwrap();
    let power = exponent.parse::<i32>().unwrap() - fraction.len() as i32;
    let tens = BigInt::from(10).pow(power.unsigned_abs());
    if power < 0 {
        BigRational::new(digits, tens)
    } else {
        BigRational::from_integer(digits * tens)
    }
}

/// A box: how often each side was halved, and which part of the side it is.
type Cell = Vec<(u32, u32)>;

struct Plain<'a> {
    /// For each row its finest cell on each side.
    cells: &'a [Vec<u64>],
    classes: &'a [usize],
    halvings: &'a [u32],
    is_boxed: bool,
    /// For each box the least errors with 1, 2, ... leaves.
    known: HashMap<Cell, Vec<usize>>,
}

impl Plain<'_> {
    fn least_errors(&mut self, cell: &Cell, rows: &[usize]) -> Vec<usize> {
        let of_class = |class| {
            rows.iter()
                .filter(|&&row| self.classes[row] != class)
                .count()
        };
        let error = (0..3).map(of_class).min().unwrap();
        if error == 0 {
            return vec![0];
        }
        if let Some(known) = self.known.get(cell) {
            return known.clone();
        }
        let mut best = vec![error];
        for feature in 0..cell.len() {
            let (mut level, mut part) = cell[feature];
            while level < self.halvings[feature] {
                let below = self.halvings[feature] - level - 1;
                let is_right = |row: &&usize| self.cells[**row][feature] >> below & 1 == 1;
                let (right, left): (Vec<usize>, Vec<usize>) = rows.iter().partition(is_right);
                let is_empty = left.is_empty() || right.is_empty();
                (level, part) = (level + 1, part * 2);
                if is_empty && !self.is_boxed {
                    part += u32::from(left.is_empty());
                    continue;
                }
                let [left, right] = [(left, part), (right, part + 1)].map(|(rows, part)| {
                    let mut half = cell.clone();
                    half[feature] = (level, part);
                    self.least_errors(&half, &rows)
                });
                add(&mut best, &left, &right);
                break;
            }
        }
        self.known.insert(cell.clone(), best.clone());
        best
    }
}

/// The finest cell of every row on each side.
pub(super) fn finest_cells(shares: &[Vec<BigRational>], halvings: &[u32]) -> Vec<Vec<u64>> {
    let cell = |(share, &halvings): (&BigRational, &u32)| {
        let n_cells = 1_u64 << halvings;
        let cell = (share * BigInt::from(n_cells)).floor().to_u64().unwrap();
        cell.min(n_cells - 1)
    };
    let cells = |shares: &Vec<BigRational>| shares.iter().zip(halvings).map(cell).collect();
    shares.iter().map(cells).collect()
}

/// Rows of a finest cell in which every class errs equally often do not matter to any choice: a halving that parts
/// them from others is free where halvings are. The others, and the errors of these.
fn rows_that_matter(cells: &[Vec<u64>], classes: &[usize]) -> (Vec<usize>, usize) {
    let mut together: BTreeMap<&Vec<u64>, Vec<usize>> = BTreeMap::new();
    for (row, cell) in cells.iter().enumerate() {
        together.entry(cell).or_default().push(row);
    }
    let n_classes = classes.iter().collect::<BTreeSet<_>>().len();
    let (mut kept, mut lost) = (Vec::new(), 0);
    for rows in together.into_values() {
        let count = |class: &usize| rows.iter().filter(|&&row| classes[row] == *class).count();
        let counts: BTreeSet<usize> = classes.iter().map(count).collect();
        if counts.len() == 1 {
            lost += rows.len() - rows.len() / n_classes;
        } else {
            kept.extend(rows);
        }
    }
    (kept, lost)
}

/// What is better with a tree for each of two sides.
fn add(best: &mut Vec<usize>, left: &[usize], right: &[usize]) {
    for (i, x) in left.iter().enumerate() {
        for (j, y) in right.iter().enumerate() {
            // Places are leaves less one.
            let leaves = i + j + 1;
            while best.len() <= leaves {
                best.push(best[best.len() - 1]);
            }
            for entry in &mut best[leaves..] {
                *entry = (*entry).min(x + y);
            }
        }
    }
}

/// Leaves and errors of the trees that are the only best ones for some weight.
fn hull(least_errors: &[usize]) -> Vec<(usize, usize)> {
    let mut hull = vec![(1, least_errors[0])];
    loop {
        let (leaves, errors) = hull[hull.len() - 1];
        let slope = |more: usize| {
            let saved = errors - least_errors[leaves + more - 1];
            BigRational::new(saved.into(), more.into())
        };
        let steepest = (1..=least_errors.len() - leaves).rev().max_by(|&a, &b| {
            // Of equal ones the longest edge, which comes first.
            slope(a).cmp(&slope(b)).then(a.cmp(&b))
        });
        match steepest {
            Some(more) if least_errors[leaves + more - 1] < errors => {
                hull.push((leaves + more, least_errors[leaves + more - 1]));
            }
            _ => return hull,
        }
    }
}

/// One number of a narrow range.
fn number(kind: u32, rng: &mut Rng) -> String {
    let near = |base: f64, rng: &mut Rng| {
        let most = [3, 9, 40][rng.usize(0..3)];
        let bits = base.to_bits() + rng.u64(0..most);
        format!("{:e}", f64::from_bits(bits))
    };
    match kind {
        0 => format!("1000000.{}", rng.u8(1..10)),
        1 => format!("121.473{}", rng.u8(1..10)),
        2 => format!("10000.{}", rng.u8(1..10)),
        3 => format!("1700000000.{:03}", rng.u16(100..116)),
        4 => format!("-73.98{:04}", rng.u16(5000..5064)),
        5 => near(1.0, rng),
        6 => near(1e15 - 1.0, rng),
        7 => near(0.3, rng),
        8 => near(0.0, rng),
        9 => near(f64::MIN_POSITIVE.next_down().next_down(), rng),
        10 => format!("{}e307", rng.i32(-17..18)),
        11 => format!("{:e}", [f64::MAX, f64::MIN, 0.0, 1e-300][rng.usize(0..4)]),
        12 => format!("{}e-{}", rng.u8(1..10), rng.u16(1..320)),
        13 => format!("99999999999.{}", rng.u8(0..10)),
        14 => format!("0.{}", rng.u8(0..10)),
        _ => format!("{}", rng.u8(0..33)),
    }
}
pub(super) const N_KINDS: u32 = 16;

pub(super) fn random_narrow(rng: &mut Rng, kind: u32) -> Narrow {
    let n_features = rng.usize(1..3);
    let mut kinds = vec![kind];
    kinds.resize_with(n_features, || rng.u32(0..N_KINDS));
    let n_rows = rng.usize(2..8);
    let mut cells: Vec<Vec<String>> = Vec::new();
    for _ in 0..n_rows {
        cells.push(kinds.iter().map(|&kind| number(kind, rng)).collect());
    }
    let n_classes = rng.usize(2..4);
    Narrow {
        cells,
        classes: (0..n_rows).map(|_| rng.usize(0..n_classes)).collect(),
    }
}

pub(super) fn learner(narrow: &Narrow, rng: &mut Rng) -> Dyadic {
    let resolution = match rng.u8(0..4) {
        0 => Resolution::Same(rng.u32(1..6)),
        1 => Resolution::Same(30),
        _ => Resolution::Auto,
    };
    // Many halvings that are all paid for are many boxes.
    let is_coarse = matches!(resolution, Resolution::Same(..=5));
    let is_fine = !is_coarse && narrow.cells[0].len() > 1;
    let model = if is_fine || rng.bool() {
        Model::Collapsed
    } else {
        Model::Boxed
    };
    let solvers = match model {
        Model::Collapsed if is_fine => [Solver::Auto, Solver::BranchAndBound, Solver::Auto],
        Model::Collapsed => [Solver::Auto, Solver::BranchAndBound, Solver::Recursion],
        Model::Boxed => [Solver::Auto, Solver::Recursion, Solver::PlainRecursion],
    };
    Dyadic {
        resolution,
        model,
        solver: solvers[rng.usize(0..3)],
        ..Dyadic::default()
    }
}

fn check(narrow: &Narrow, learner: &Dyadic) {
    check_with(narrow, learner, |k| {
        (finest_cells(&narrow.shares(), k), k.to_vec())
    });
}

/// Compares the path and single trees with those of a plain recursion over the cells of all rows, and how often each
/// side was halved to get them; `cells_of` makes both from the halvings that the learner says.
pub(super) fn check_with(
    narrow: &Narrow,
    learner: &Dyadic,
    cells_of: impl Fn(&[u32]) -> (Vec<Vec<u64>>, Vec<u32>),
) {
    let data = narrow.data();
    let n_rows = narrow.classes.len();
    let path = learner.fit_family(&data, &Budget::unlimited()).unwrap();
    let k: Vec<u32> = serde_json::from_value(path.learner.params.as_json()["k"].clone()).unwrap();
    let (cells, halvings) = cells_of(&k);
    let mut plain = Plain {
        cells: &cells,
        classes: &narrow.classes,
        halvings: &halvings,
        is_boxed: learner.model == Model::Boxed,
        known: HashMap::new(),
    };
    let (rows, lost) = rows_that_matter(&cells, &narrow.classes);
    let mut least_errors = plain.least_errors(&vec![(0, 0); k.len()], &rows);
    for errors in &mut least_errors {
        *errors += lost;
    }
    let members = path.family.members();
    let found: Vec<(usize, usize)> = (members.iter())
        .map(|member| (member.leaves, member.errors.unwrap() as usize))
        .collect();
    assert_eq!(found, hull(&least_errors), "{learner:?}\n{narrow:?}");
    for (place, member) in members.iter().enumerate() {
        let training = Training::of(&path.family.tree(place), &data);
        assert_eq!(training.errors, member.errors, "{learner:?}\n{narrow:?}");
        assert_eq!(training.leaves, member.leaves, "{learner:?}\n{narrow:?}");
    }
    for (text, lambda) in [("0.01", 0.01), ("1/7", 1.0 / 7.0)] {
        let single = Dyadic {
            aim: Aim::Lambda(text.parse().unwrap()),
            ..learner.clone()
        };
        let fit = single.fit(&data, &Budget::unlimited()).unwrap();
        let certificate = fit.certificate.clone().unwrap();
        let best = (least_errors.iter().enumerate())
            .map(|(place, &errors)| errors as f64 / n_rows as f64 + lambda * (place + 1) as f64)
            .fold(f64::INFINITY, f64::min);
        assert!(
            certificate.is_optimal() && (certificate.objective - best).abs() < 1e-9,
            "{certificate:?} {best} {single:?}\n{narrow:?}"
        );
        let training = Training::of(&fit.model, &data);
        assert_eq!(training.errors, fit.training.errors);
        assert!(verify(&fit, &data).holds);
    }
}

fn narrow(numbers: &[&str], classes: &[usize]) -> Narrow {
    Narrow {
        cells: numbers.iter().map(|&it| vec![it.to_owned()]).collect(),
        classes: classes.to_vec(),
    }
}

/// Cases in which doubles with a slack put a row into another cell than the tree did.
#[test]
fn known_cases() {
    let cases = [
        narrow(&["1000000.1", "1000000.2", "1000000.3"], &[1, 1, 0]),
        narrow(&["121.4731", "121.4733", "121.4735"], &[1, 1, 0]),
        narrow(
            &["121.4731", "121.4732", "121.4733", "121.4735"],
            &[0, 1, 0, 1],
        ),
        narrow(
            &["10000.1", "10000.2", "10000.3", "10000.4", "10000.5"],
            &[0, 0, 1, 0, 1],
        ),
        narrow(
            &["1700000000.1", "1700000000.2", "1700000000.3"],
            &[0, 0, 1],
        ),
        narrow(&["5e-324", "1e-323", "1.5e-323"], &[0, 0, 1]),
        narrow(&["-1.7e308", "0", "1.7e308"], &[0, 0, 1]),
    ];
    for case in &cases {
        for model in [Model::Collapsed, Model::Boxed] {
            let learner = Dyadic {
                model,
                ..Dyadic::default()
            };
            check(case, &learner);
        }
    }
}

#[test]
fn random_tables_equal_a_plain_recursion() {
    for seed in 0..4800 {
        let mut rng = Rng::with_seed(seed);
        let narrow = random_narrow(&mut rng, seed as u32 % N_KINDS);
        let learner = learner(&narrow, &mut rng);
        check(&narrow, &learner);
    }
}
