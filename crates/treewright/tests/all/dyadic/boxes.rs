//! Dyadic trees on boxes other than the range of the features: halved by rows, or between given ends. Against the
//! plain recursion over boxes of [`super::narrow`], with places that are ratios, read from the text of the table.

use std::collections::BTreeMap;

use fastrand::Rng;
use num_bigint::BigInt;
use num_rational::BigRational;
use treewright::Budget;
use treewright::export::json;
use treewright::learn::dyadic::{Dyadic, GridBox, Model, Resolution, Solver};
use treewright::learn::{FamilyLearner, Learner};
use treewright::tree::Split;

use super::narrow::{N_KINDS, Narrow, check_with, finest_cells, learner, random_narrow, ratio};

/// The numbers of a feature with their rows, rising; what is missing is left out.
fn values(narrow: &Narrow, feature: usize) -> Vec<(BigRational, usize)> {
    let mut rows = BTreeMap::new();
    let texts = narrow.cells.iter().map(|row| &row[feature]);
    for text in texts.filter(|text| !text.is_empty()) {
        *rows.entry(ratio(text)).or_insert(0) += 1;
    }
    rows.into_iter().collect()
}

/// Halves some values so often, by trying all places, and notes on which sides of the halvings each value lies.
fn halve(
    values: &[(BigRational, usize)],
    halvings: u32,
    before: u64,
    found: &mut BTreeMap<BigRational, u64>,
) {
    let n_rows = |values: &[(BigRational, usize)]| values.iter().map(|it| it.1).sum::<usize>();
    if halvings == 0 || values.is_empty() {
        found.extend(values.iter().map(|(value, _)| (value.clone(), before)));
        return;
    }
    let uneven = |&at: &usize| n_rows(&values[..at]).abs_diff(n_rows(&values[at..]));
    // One value is never parted, so it does not matter on which side it lies.
    let at = (1..values.len()).min_by_key(uneven).unwrap_or(0);
    for (side, values) in [(0, &values[..at]), (1, &values[at..])] {
        halve(values, halvings - 1, before * 2 + side, found);
    }
}

/// The finest cells by halving rows. A missing value has a halving of its own, before all others.
fn quantile_cells(narrow: &Narrow, k: &[u32]) -> (Vec<Vec<u64>>, Vec<u32>) {
    let mut halvings = k.to_vec();
    let mut cells = vec![Vec::new(); narrow.cells.len()];
    for (feature, halvings) in halvings.iter_mut().enumerate() {
        let mut found = BTreeMap::new();
        halve(&values(narrow, feature), *halvings, 0, &mut found);
        let n_cells = 1 << *halvings;
        for (cells, row) in cells.iter_mut().zip(&narrow.cells) {
            let text = &row[feature];
            cells.push(if text.is_empty() {
                n_cells
            } else {
                found[&ratio(text)]
            });
        }
        *halvings += u32::from(narrow.cells.iter().any(|row| row[feature].is_empty()));
    }
    (cells, halvings)
}

/// A table with ties, rows that come again, and missing cells.
fn random_table(rng: &mut Rng, kind: u32) -> Narrow {
    let mut narrow = random_narrow(rng, kind);
    for _ in 0..rng.usize(..4) {
        let again = rng.usize(..narrow.cells.len());
        narrow.cells.push(narrow.cells[again].clone());
        narrow.classes.push(rng.usize(..3));
    }
    if rng.u8(..3) == 0 {
        for _ in 0..rng.usize(1..4) {
            let row = rng.usize(..narrow.cells.len());
            let feature = rng.usize(..narrow.cells[row].len());
            narrow.cells[row][feature] = String::new();
        }
    }
    narrow
}

/// Does a column have no number at all? It is read as one without any values.
fn has_empty_column(narrow: &Narrow) -> bool {
    (0..narrow.cells[0].len()).any(|feature| values(narrow, feature).is_empty())
}

#[test]
fn halvings_of_rows_equal_a_plain_recursion() {
    let mut n_missing = 0;
    for seed in 0..3200 {
        let mut rng = Rng::with_seed(seed);
        let narrow = random_table(&mut rng, seed as u32 % N_KINDS);
        if has_empty_column(&narrow) {
            continue;
        }
        let has_missing = narrow.cells.iter().flatten().any(String::is_empty);
        n_missing += usize::from(has_missing);
        let mut learner = Dyadic {
            grid_box: GridBox::Quantile,
            ..learner(&narrow, &mut rng)
        };
        if has_missing && learner.model == Model::Boxed && narrow.cells[0].len() > 1 {
            learner.resolution = Resolution::Same(rng.u32(0..4));
        }
        check_with(&narrow, &learner, |k| quantile_cells(&narrow, k));
        check_cuts(&narrow, &learner);
    }
    assert!(n_missing > 300, "{n_missing}");
}

/// A cut is the least double that is not below the midpoint of two neighbouring values, as decimals.
fn check_cuts(narrow: &Narrow, learner: &Dyadic) {
    let family = learner.fit_family(&narrow.data(), &Budget::unlimited());
    let family = family.unwrap().family;
    let tree = family.tree(family.len() - 1);
    for id in tree.ids() {
        let Some(Split::Intervals { feature, cuts, .. }) =
            tree.branch(id).map(|it| it.split.clone())
        else {
            continue;
        };
        let places = values(narrow, feature);
        for cut in cuts {
            let of_double = |double: f64| ratio(&format!("{double:e}"));
            let at = places.partition_point(|(value, _)| *value < of_double(cut));
            let middle = (&places[at - 1].0 + &places[at].0) / BigInt::from(2);
            let is_there = of_double(cut.next_down()) < middle && middle <= of_double(cut);
            assert!(is_there, "{cut:e} {learner:?}\n{narrow:?}");
        }
    }
}

#[test]
fn given_ends_equal_a_plain_recursion() {
    for seed in 0..800 {
        let mut rng = Rng::with_seed(seed);
        let narrow = random_narrow(&mut rng, 15);
        let (low, high) = [("-3", "50"), ("0", "32"), ("-0.1", "64.7")][rng.usize(..3)];
        let is_inside = |text: &String| (ratio(low)..=ratio(high)).contains(&ratio(text));
        if !narrow.cells.iter().flatten().all(is_inside) {
            continue;
        }
        let learner = Dyadic {
            grid_box: format!("{low}:{high}").parse().unwrap(),
            ..learner(&narrow, &mut rng)
        };
        let share = |text: &String| (ratio(text) - ratio(low)) / (ratio(high) - ratio(low));
        let shares: Vec<Vec<BigRational>> = (narrow.cells.iter())
            .map(|row| row.iter().map(share).collect())
            .collect();
        check_with(&narrow, &learner, |k| {
            (finest_cells(&shares, k), k.to_vec())
        });
    }
}

#[test]
fn ends_are_those_of_the_data_or_given() {
    let texts = ["0", "1", "7", "8", "3", "2"];
    let narrow = Narrow {
        cells: texts.iter().map(|&text| vec![text.to_owned()]).collect(),
        classes: vec![0, 0, 1, 1, 0, 1],
    };
    let data = narrow.data();
    let fit = |grid_box: &str| {
        let learner = Dyadic {
            grid_box: grid_box.parse().unwrap(),
            ..Dyadic::default()
        };
        learner.fit(&data, &Budget::unlimited()).unwrap()
    };
    // The range is the usual box, and no file says so.
    let (usual, range) = (Dyadic::default(), fit("0:8"));
    let usual = usual.fit(&data, &Budget::unlimited()).unwrap();
    assert_eq!(usual.model, range.model);
    assert!(usual.learner.params.grid_box().is_none());
    assert_eq!(range.learner.params.grid_box(), Some("0:8"));
    for name in ["quantile", "-1:9.5"] {
        let text = json::write_model(&fit(name));
        let read = json::read_model(&text).unwrap();
        assert_eq!(json::write_model(&read), text);
        let what = format!("over collapsed dyadic trees, box = {name}, k = [");
        assert!(text.contains(&what), "{text}");
    }
    let outside = Dyadic {
        grid_box: GridBox::Between(0.0, 7.5),
        solver: Solver::Auto,
        ..Dyadic::default()
    };
    let refused = outside.fit(&data, &Budget::unlimited()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "box: got 0:7.5, expected a box around all numbers, and column \"x0\" has 8"
    );
}

#[test]
fn names_that_are_no_box() {
    let all = "expected range, quantile, or LO:HI, two numbers of which the first is less";
    for text in [
        "",
        "quantiles",
        "1",
        "1:1",
        "2:1",
        "0:inf",
        "nan:1",
        "0:1:2",
        ":",
        "a:b",
    ] {
        let refused = text.parse::<GridBox>().unwrap_err().to_string();
        assert_eq!(refused, format!("box: got {text}, {all}"));
    }
    for text in ["range", "quantile", "0:1", "-2.5:1000"] {
        assert_eq!(text.parse::<GridBox>().unwrap().to_string(), text);
    }
}
