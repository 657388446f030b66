//! Random tables of every kind.

use fastrand::Rng;

use super::numbers::{self, Range};
use super::{Costs, How, Table, Weights};
use crate::dice::{chance, pick, small};

/// What is special about a table. Everything else is drawn, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Decimals that differ in their last digits.
    Narrow,
    /// Neighbouring doubles.
    Ulps,
    /// Below the least normal double.
    Subnormal,
    /// Up to the largest double, and every order of magnitude.
    Huge,
    /// Numbers on midpoints of their range.
    Midpoints,
    /// Few values, many rows of each.
    Ties,
    /// The same rows again and again, with different classes.
    Duplicates,
    /// Columns of one value.
    Constant,
    /// Missing cells: few, many, whole columns.
    Missing,
    /// Categories, also many, with odd texts.
    Categories,
    /// Anything beside anything.
    Mixed,
    /// Row weights of all sizes.
    Weights,
    /// Weights of classes.
    ClassWeights,
    /// Costs of predictions.
    Costs,
    /// Many classes, up to one for each row.
    Classes,
    /// One row, one class, no difference at all.
    Little,
    /// A target of numbers.
    Numbers,
    /// So many rows that the ways for large tables are taken.
    Large,
}

impl Kind {
    /// All of them, with the share of tables that are of this kind.
    pub const ALL: [(Self, &'static str, u32); 18] = [
        (Self::Narrow, "narrow", 900),
        (Self::Ulps, "ulps", 400),
        (Self::Subnormal, "subnormal", 300),
        (Self::Huge, "huge", 400),
        (Self::Midpoints, "midpoints", 500),
        (Self::Ties, "ties", 600),
        (Self::Duplicates, "duplicates", 500),
        (Self::Constant, "constant", 300),
        (Self::Missing, "missing", 900),
        (Self::Categories, "categories", 900),
        (Self::Mixed, "mixed", 1200),
        (Self::Weights, "weights", 1000),
        (Self::ClassWeights, "class-weights", 500),
        (Self::Costs, "costs", 800),
        (Self::Classes, "classes", 500),
        (Self::Little, "little", 200),
        (Self::Numbers, "numbers", 200),
        (Self::Large, "large", 2),
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        let named = Self::ALL.iter().find(|(kind, ..)| *kind == self);
        named.map_or("", |(_, name, _)| name)
    }

    /// The kind of that name.
    pub fn of(name: &str) -> Option<Self> {
        let named = Self::ALL.iter().find(|(_, other, _)| *other == name);
        named.map(|(kind, ..)| *kind)
    }

    /// A kind, by its share.
    pub(crate) fn draw(dice: &mut Rng) -> Self {
        let total: u32 = Self::ALL.iter().map(|(.., share)| share).sum();
        let mut at = dice.u32(..total);
        for (kind, _, share) in Self::ALL {
            if at < share {
                return kind;
            }
            at -= share;
        }
        Self::Mixed
    }
}

/// Draws a table of a kind.
pub(crate) fn draw(kind: Kind, dice: &mut Rng) -> Table {
    let n_rows = n_rows(kind, dice);
    let n_features = match kind {
        Kind::Large => dice.usize(2..=3),
        _ => 1 + small(dice, 4),
    };
    let mut how = How {
        regression: kind == Kind::Numbers,
        ..How::default()
    };
    let mut names = Vec::new();
    let mut columns: Vec<Vec<String>> = Vec::new();
    let odd_names = chance(dice, 5);
    for at in 0..n_features {
        let name = if odd_names {
            format!(
                "{}{at}",
                pick(dice, &["height, cm ", "\"q\" ", "é", "a b", "-"])
            )
        } else {
            format!("x{at}")
        };
        columns.push(feature(kind, n_rows, &name, &mut how, dice));
        names.push(name);
    }
    if matches!(kind, Kind::Duplicates) {
        duplicate(&mut columns, dice);
    }
    let target = if kind == Kind::Numbers {
        let range = pick(
            dice,
            &[Range::Whole, Range::Decimal, Range::Few, Range::Narrow],
        );
        numbers::column(range, n_rows, dice)
    } else {
        classes(kind, &columns, n_rows, dice)
    };
    for column in &mut columns {
        remove_cells(kind, column, dice);
    }
    if kind == Kind::Weights || kind != Kind::Large && chance(dice, 15) {
        // The weight may stand anywhere but at the end.
        let at = dice.usize(..=columns.len());
        names.insert(at, "w".into());
        columns.insert(at, weights(n_rows, dice));
        how.weight = Some("w".into());
    }
    if !how.regression {
        let mut labels = target.clone();
        labels.sort_unstable();
        labels.dedup();
        if kind == Kind::ClassWeights || chance(dice, 5) {
            how.class_weight = Some(class_weights(&labels, dice));
        }
        if labels.len() <= 12 && (kind == Kind::Costs || chance(dice, 10)) {
            how.costs = Some(costs(labels, dice));
        }
    }
    names.push("class".into());
    columns.push(target);
    let row = |row: usize| columns.iter().map(|column| column[row].clone()).collect();
    Table {
        names,
        rows: (0..n_rows).map(row).collect(),
        separator: if chance(dice, 5) { '\t' } else { ',' },
        reading: how,
    }
}

fn n_rows(kind: Kind, dice: &mut Rng) -> usize {
    match kind {
        Kind::Little => pick(dice, &[1, 1, 2, 3]),
        Kind::Large => dice.usize(50_000..60_000),
        _ if chance(dice, 8) => dice.usize(60..250),
        _ => 2 + small(dice, 40),
    }
}

fn feature(kind: Kind, n_rows: usize, name: &str, how: &mut How, dice: &mut Rng) -> Vec<String> {
    let share_of_categories = match kind {
        Kind::Categories => 80,
        Kind::Mixed | Kind::Missing => 40,
        Kind::Large => 0,
        _ => 12,
    };
    if chance(dice, share_of_categories) {
        let column = categories(n_rows, dice);
        if chance(dice, 20) {
            how.categorical.push(name.to_owned());
        }
        return column;
    }
    let usual = [Range::Few, Range::Whole, Range::Decimal];
    let range = match kind {
        _ if chance(dice, 15) => pick(dice, &usual),
        Kind::Narrow => Range::Narrow,
        Kind::Ulps => Range::Ulps,
        Kind::Subnormal => Range::Subnormal,
        Kind::Huge => pick(dice, &[Range::Huge, Range::Magnitudes]),
        Kind::Midpoints => Range::Midpoints,
        Kind::Ties | Kind::Duplicates => Range::Few,
        Kind::Constant if chance(dice, 60) => Range::Constant,
        Kind::Mixed => pick(dice, &Range::ALL),
        Kind::Large => pick(dice, &[Range::Whole, Range::Decimal, Range::Few]),
        _ => pick(dice, &usual),
    };
    numbers::column(range, n_rows, dice)
}

const ODD_TEXTS: [&str; 18] = [
    "red, green",
    "say \"no\"",
    " ",
    "a ",
    "é",
    "two\nlines",
    "1",
    "1.0",
    "-",
    "'",
    "=1+1",
    "\u{202e}abc",
    "\u{1b}[31m",
    "\\",
    "N/A",
    "none",
    "a;b",
    "日本",
];

fn categories(n_rows: usize, dice: &mut Rng) -> Vec<String> {
    let is_odd = chance(dice, 30);
    let most = if chance(dice, 15) { n_rows + 1 } else { 6 };
    let n = dice.usize(1..=most.max(2));
    let text = |at: usize| match ODD_TEXTS.get(at) {
        Some(text) if is_odd => (*text).to_owned(),
        _ => format!("c{at}"),
    };
    (0..n_rows).map(|_| text(dice.usize(..n))).collect()
}

/// Copies rows onto others.
fn duplicate(columns: &mut [Vec<String>], dice: &mut Rng) {
    let n_rows = columns.first().map_or(0, Vec::len);
    for row in 1..n_rows {
        if chance(dice, 70) {
            let from = dice.usize(..row);
            for column in &mut *columns {
                column[row] = column[from].clone();
            }
        }
    }
}

fn remove_cells(kind: Kind, column: &mut [String], dice: &mut Rng) {
    let percent = match kind {
        Kind::Missing => pick(dice, &[0, 5, 20, 50, 90, 100]),
        Kind::Large => 0,
        _ if chance(dice, 15) => pick(dice, &[5, 30, 100]),
        _ => 0,
    };
    let tokens = ["", "", "?", "NA", "NaN", "null"];
    for cell in column {
        if chance(dice, percent) {
            *cell = pick(dice, &tokens).into();
        }
    }
}

/// Classes that depend on the features, more or less.
fn classes(kind: Kind, columns: &[Vec<String>], n_rows: usize, dice: &mut Rng) -> Vec<String> {
    let n_classes = match kind {
        Kind::Little => dice.usize(1..=2),
        Kind::Classes if chance(dice, 20) => n_rows,
        Kind::Classes => dice.usize(3..=12),
        _ if chance(dice, 3) => 1,
        _ if chance(dice, 60) => 2,
        _ => dice.usize(3..=5),
    };
    let noise = pick(dice, &[0, 5, 15, 30, 100]);
    // One cell of two features decides, by order and by sameness.
    let asked: Vec<(&Vec<String>, String)> = (0..2)
        .map(|_| {
            let column = &columns[dice.usize(..columns.len())];
            (column, column[dice.usize(..n_rows)].clone())
        })
        .collect();
    let label_of: Vec<usize> = (0..4).map(|_| dice.usize(..n_classes)).collect();
    let style = dice.u32(..8);
    let label = |at: usize| match style {
        0 => at.to_string(),
        1 => ["1", "1.0", "01", "1e0", "+1"]
            .get(at)
            .map_or(format!("1{at}"), |&t| t.into()),
        2 => match ODD_TEXTS.get(at) {
            Some(&text) if text != " " => text.to_owned(),
            _ => format!("k{at}"),
        },
        _ => format!("k{at}"),
    };
    let class = |row: usize, dice: &mut Rng| {
        if chance(dice, noise) || n_classes == n_rows {
            return if n_classes == n_rows {
                row
            } else {
                dice.usize(..n_classes)
            };
        }
        let side = |(column, cell): &(&Vec<String>, String)| match (
            column[row].parse::<f64>(),
            cell.parse::<f64>(),
        ) {
            (Ok(a), Ok(b)) => usize::from(a < b),
            _ => usize::from(column[row] == *cell),
        };
        label_of[2 * side(&asked[0]) + side(&asked[1])]
    };
    (0..n_rows).map(|row| label(class(row, dice))).collect()
}

fn weights(n_rows: usize, dice: &mut Rng) -> Vec<String> {
    let style = dice.u32(..13);
    let mut texts: Vec<String> = (0..n_rows).map(|_| weight(style, dice)).collect();
    if chance(dice, 25) {
        for text in &mut texts {
            if chance(dice, 30) {
                *text = "0".into();
            }
        }
    }
    texts
}

fn weight(style: u32, dice: &mut Rng) -> String {
    let digit = dice.u64(1..10);
    match style {
        0 | 1 => dice.u64(1..6).to_string(),
        2 => format!("0.{digit}"),
        3 => format!("{}.{:02}", dice.u64(0..5), dice.u64(1..100)),
        4 => numbers::plain(dice.f64() + 1e-3),
        5 => format!("{digit}e-9"),
        6 => format!("{digit}e-300"),
        7 => (dice.u64(1..1 << 33)).to_string(),
        8 => ((1 << 31) + dice.u64(0..5)).to_string(),
        9 => dice.u64(1 << 40..1 << 45).to_string(),
        10 => format!("{digit}e{}", dice.i32(-12..12)),
        11 => format!("{digit}e{}", dice.i32(100..290)),
        _ => numbers::plain(f64::from(dice.u32(1..100)) / 7.0),
    }
}

fn class_weights(labels: &[String], dice: &mut Rng) -> Weights {
    // A weight is given as LABEL=W, so a label with line ends is no good on a command line.
    let is_balanced = chance(dice, 50);
    if is_balanced {
        return Weights::Balanced;
    }
    let weights = [0.5, 2.0, 3.0, 0.1, 10.0, 1.0 / 3.0, 1e6];
    let weigh = |label: &String| (label.clone(), pick(dice, &weights));
    Weights::Given(labels.iter().take(3).map(weigh).collect())
}

fn costs(labels: Vec<String>, dice: &mut Rng) -> Costs {
    let style = dice.u32(..7);
    let n = labels.len();
    let mut cost = |truth: usize, predicted: usize| match style {
        _ if truth == predicted && style != 3 && style != 4 => 0.0,
        0 | 3 => f64::from(dice.u32(0..10)),
        1 | 4 => f64::from(dice.u32(0..100)) / 10.0,
        2 => dice.f64() * 3.0,
        5 => 0.0,
        _ => pick(dice, &[1.0, 1e-6, 1e6, 1e9]),
    };
    let row = |truth| (0..n).map(|predicted| cost(truth, predicted)).collect();
    let rows = (0..n).map(row).collect();
    Costs { labels, rows }
}
