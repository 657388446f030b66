//! Random small tables from a seed, full of what breaks learners: ties, duplicates, constants, missing
//! cells, huge and tiny numbers, categories and classes that do not occur.

use std::fmt;
use std::sync::Arc;

use fastrand::Rng;
use treewright::data::{
    Column, Dataset, Feature, FeatureKind, MISSING_CODE, Schema, Target, TargetColumn, TargetKind,
    Value,
};

/// What a random table should be like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wishes {
    pub(crate) classes: bool,
    pub(crate) missing: bool,
    pub(crate) weights: Weights,
}

/// Which row weights a table may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weights {
    /// None, or whole numbers from 1 to 3.
    Whole,
    /// None, whole or real ones.
    Any,
}

/// A table that prints itself as CSV, so that a failing case can be rerun.
pub(crate) struct Table {
    pub(crate) data: Dataset,
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schema = self.data.schema();
        let mut header: Vec<String> = schema.features.iter().map(|x| x.name.clone()).collect();
        if self.data.weights().is_some() {
            header.push("weight".into());
        }
        header.push(schema.target.name.clone());
        writeln!(f, "{}", header.join(","))?;
        for row in 0..self.data.n_rows() {
            let mut cells: Vec<String> = (0..schema.features.len())
                .map(|feature| match self.data.columns()[feature].value(row) {
                    Value::Missing => String::new(),
                    Value::Number(x) => format!("{x:?}"),
                    Value::Category(code) => {
                        schema.features[feature].categories()[code as usize].clone()
                    }
                })
                .collect();
            if self.data.weights().is_some() {
                cells.push(format!("{:?}", self.data.weight(row)));
            }
            cells.push(match self.data.target() {
                Target::Classes(classes) => schema.classes()[classes[row] as usize].clone(),
                Target::Numbers(numbers) => format!("{:?}", numbers[row]),
                Target::Absent => String::new(),
            });
            writeln!(f, "{}", cells.join(","))?;
        }
        for feature in &schema.features {
            if !feature.categories().is_empty() {
                writeln!(f, "({}: {})", feature.name, feature.categories().join(" "))?;
            }
        }
        if schema.is_classification() {
            writeln!(f, "(classes: {})", schema.classes().join(" "))?;
        }
        Ok(())
    }
}

/// A table of 1 to 40 rows and 1 to 5 features.
pub(crate) fn random_table(rng: &mut Rng, wishes: Wishes) -> Table {
    let n_rows = match rng.u8(..8) {
        0 => rng.usize(1..=4),
        1 | 2 => rng.usize(4..=12),
        _ => rng.usize(12..=40),
    };
    let n_features = rng.usize(1..=5);
    let columns = random_columns(rng, n_rows, n_features, wishes.missing);
    let weights = random_weights(rng, n_rows, wishes.weights);
    let target = if wishes.classes {
        random_classes(rng, &columns, n_rows)
    } else {
        (TargetKind::Number, random_numbers(rng, &columns, n_rows))
    };
    assemble(rng, columns, target, weights)
}

/// Columns of which some are copies of others; in some tables rows are copies too.
fn random_columns(rng: &mut Rng, n_rows: usize, n_features: usize, missing: bool) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for _ in 0..n_features {
        let duplicate = !columns.is_empty() && rng.u8(..8) == 0;
        let column = if duplicate {
            columns[rng.usize(..columns.len())].clone()
        } else {
            random_column(rng, n_rows, missing)
        };
        columns.push(column);
    }
    if rng.u8(..3) == 0 {
        repeat_some_rows(rng, &mut columns, n_rows);
    }
    columns
}

/// A table with this many features whose classes, up to 6, hang together with several of them.
pub(crate) fn wide_table(rng: &mut Rng, n_rows: usize, n_features: usize) -> Table {
    let missing = rng.u8(..3) != 0;
    let columns = random_columns(rng, n_rows, n_features, missing);
    let weights = random_weights(rng, n_rows, Weights::Any);
    let n_classes = [1, 2, 2, 2, 2, 3, 3, 4, 5, 6][rng.usize(..10)];
    let parts: Vec<Vec<u32>> = (0..rng.usize(1..=4))
        .map(|_| hidden(rng, &columns, n_rows))
        .collect();
    let classes = (0..n_rows)
        .map(|row| parts.iter().map(|part| part[row]).sum::<u32>() % n_classes)
        .collect();
    let names = (0..n_classes).map(|class| format!("c{class}")).collect();
    let target = (TargetKind::Classes(names), Target::Classes(classes));
    assemble(rng, columns, target, weights)
}

/// A table of many rows whose numbers have few distinct values and nothing is missing.
pub(crate) fn large_table(
    rng: &mut Rng,
    n_rows: usize,
    distinct: &[usize],
    n_classes: usize,
) -> Table {
    let columns: Vec<Column> = distinct
        .iter()
        .map(|&distinct| {
            Column::Numeric(
                (0..n_rows)
                    .map(|_| rng.usize(..distinct) as f64 * 0.25)
                    .collect(),
            )
        })
        .collect();
    let shares: Vec<f64> = distinct.iter().map(|_| rng.f64()).collect();
    let classes = (0..n_rows)
        .map(|row| {
            if rng.u8(..5) == 0 {
                return rng.usize(..n_classes) as u32;
            }
            let score: f64 = (0..columns.len())
                .map(|feature| match columns[feature].value(row) {
                    Value::Number(x) => shares[feature] * x * 4.0 / distinct[feature] as f64,
                    _ => 0.0,
                })
                .sum();
            (score * 2.7) as u32 % n_classes as u32
        })
        .collect();
    let names = (0..n_classes).map(|class| format!("c{class}")).collect();
    assemble(
        rng,
        columns,
        (TargetKind::Classes(names), Target::Classes(classes)),
        None,
    )
}

/// Other rows for the same schema: cells of the table, numbers at and beside `cuts`, any category,
/// many missing cells. There is no target.
pub(crate) fn other_rows(rng: &mut Rng, data: &Dataset, cuts: &[f64], n_rows: usize) -> Dataset {
    let columns = data
        .columns()
        .iter()
        .zip(&data.schema().features)
        .map(|(column, feature)| match column {
            Column::Numeric(numbers) => {
                let number = |rng: &mut Rng| match rng.u8(..4) {
                    0 => f64::NAN,
                    1 if !cuts.is_empty() => {
                        let cut = cuts[rng.usize(..cuts.len())];
                        [cut, cut.next_up(), cut.next_down()][rng.usize(..3)]
                    }
                    _ => numbers[rng.usize(..numbers.len())],
                };
                Column::Numeric((0..n_rows).map(|_| number(rng)).collect())
            }
            Column::Categorical(_) => {
                let n_categories = feature.categories().len() as u32;
                let code = |rng: &mut Rng| match rng.u8(..4) {
                    0 => MISSING_CODE,
                    _ => rng.u32(..n_categories),
                };
                Column::Categorical((0..n_rows).map(|_| code(rng)).collect())
            }
        })
        .collect();
    Dataset::new(Arc::clone(data.schema()), columns, Target::Absent, None)
}

/// The same table with rows chosen by position, as often as they are named.
pub(crate) fn with_rows(data: &Dataset, rows: &[usize], weights: Option<Vec<f64>>) -> Dataset {
    let columns = data
        .columns()
        .iter()
        .map(|column| match column {
            Column::Numeric(numbers) => {
                Column::Numeric(rows.iter().map(|&row| numbers[row]).collect())
            }
            Column::Categorical(codes) => {
                Column::Categorical(rows.iter().map(|&row| codes[row]).collect())
            }
        })
        .collect();
    let target = match data.target() {
        Target::Classes(classes) => Target::Classes(rows.iter().map(|&row| classes[row]).collect()),
        Target::Numbers(numbers) => Target::Numbers(rows.iter().map(|&row| numbers[row]).collect()),
        Target::Absent => Target::Absent,
    };
    Dataset::new(Arc::clone(data.schema()), columns, target, weights)
}

pub(crate) fn assemble(
    rng: &mut Rng,
    columns: Vec<Column>,
    (kind, target): (TargetKind, Target),
    weights: Option<Vec<f64>>,
) -> Table {
    let features = columns
        .iter()
        .enumerate()
        .map(|(position, column)| Feature {
            name: format!("f{position}"),
            kind: match column {
                Column::Numeric(_) => FeatureKind::Numeric,
                Column::Categorical(codes) => {
                    let used = codes.iter().filter(|&&code| code != MISSING_CODE).max();
                    // Sometimes the schema knows categories that no row has.
                    let n = used.map_or(1, |&code| code + 1) + u32::from(rng.bool());
                    FeatureKind::Categorical((0..n).map(|code| format!("k{code}")).collect())
                }
            },
        })
        .collect();
    let schema = Schema {
        features,
        target: TargetColumn {
            name: "y".into(),
            kind,
        },
        ..Schema::default()
    };
    Table {
        data: Dataset::new(Arc::new(schema), columns, target, weights),
    }
}

pub(crate) fn random_column(rng: &mut Rng, n_rows: usize, missing: bool) -> Column {
    let next = 1.0_f64.next_up();
    let odd = [
        -1.5,
        0.1,
        0.2,
        0.3,
        7e300,
        -7e300,
        5e-324,
        1e-310,
        0.0,
        -0.0,
        1.0,
        next,
        next.next_up(),
    ];
    let numbers: Option<Vec<f64>> = match rng.u8(..8) {
        0..=2 => Some((0..n_rows).map(|_| f64::from(rng.u8(..4))).collect()),
        3 => Some((0..n_rows).map(|_| odd[rng.usize(..odd.len())]).collect()),
        4 => {
            let mut all: Vec<f64> = (0..n_rows).map(|row| row as f64 * 0.7 - 3.1).collect();
            rng.shuffle(&mut all);
            Some(all)
        }
        5 if rng.bool() => Some(vec![2.5; n_rows]),
        _ => None,
    };
    let share = match rng.u8(..8) {
        _ if !missing => 0.0,
        0..=3 => 0.0,
        4..=6 => 0.2,
        _ => [0.6, 1.0][rng.usize(..2)],
    };
    if let Some(mut numbers) = numbers {
        for number in &mut numbers {
            if rng.f64() < share {
                *number = f64::NAN;
            }
        }
        return Column::Numeric(numbers.into());
    }
    let n_categories = rng.u32(1..=5);
    let code = |rng: &mut Rng| {
        if rng.f64() < share {
            MISSING_CODE
        } else {
            rng.u32(..n_categories)
        }
    };
    Column::Categorical((0..n_rows).map(|_| code(rng)).collect())
}

fn repeat_some_rows(rng: &mut Rng, columns: &mut [Column], n_rows: usize) {
    for row in 1..n_rows {
        if rng.u8(..3) != 0 {
            continue;
        }
        let from = rng.usize(..row);
        for column in &mut *columns {
            match column {
                Column::Numeric(numbers) => numbers.to_mut()[row] = numbers[from],
                Column::Categorical(codes) => codes[row] = codes[from],
            }
        }
    }
}

fn random_weights(rng: &mut Rng, n_rows: usize, weights: Weights) -> Option<Vec<f64>> {
    let kinds = if weights == Weights::Any { 4 } else { 3 };
    match rng.u8(..kinds) {
        0 | 1 => None,
        2 => Some((0..n_rows).map(|_| f64::from(rng.u8(1..=3))).collect()),
        _ => Some(
            (0..n_rows)
                .map(|_| f64::from(rng.u8(1..=30)) * 0.1)
                .collect(),
        ),
    }
}

/// A number for each row that hangs together with some feature, or with none.
fn hidden(rng: &mut Rng, columns: &[Column], n_rows: usize) -> Vec<u32> {
    let column = &columns[rng.usize(..columns.len())];
    let related = rng.bool();
    (0..n_rows)
        .map(|row| match column.value(row) {
            _ if !related || rng.u8(..8) == 0 => rng.u32(..8),
            Value::Missing => 5,
            Value::Number(x) => (x.clamp(-4.0, 30.0) * 0.8 + 5.0) as u32 % 8,
            Value::Category(code) => code,
        })
        .collect()
}

pub(crate) fn random_classes(
    rng: &mut Rng,
    columns: &[Column],
    n_rows: usize,
) -> (TargetKind, Target) {
    let n_classes = [1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4][rng.usize(..12)];
    let rare = n_classes > 1 && rng.u8(..6) == 0;
    let classes = hidden(rng, columns, n_rows)
        .into_iter()
        .map(|x| match x % n_classes {
            // A class that is nearly or altogether absent.
            0 if rare && rng.u8(..10) != 0 => 1,
            class => class,
        })
        .collect();
    let names = (0..n_classes).map(|class| format!("c{class}")).collect();
    (TargetKind::Classes(names), Target::Classes(classes))
}

fn random_numbers(rng: &mut Rng, columns: &[Column], n_rows: usize) -> Target {
    let many = rng.bool();
    let noise = |rng: &mut Rng| {
        if many {
            f64::from(rng.u16(..1000)) * 0.01 - 5.0
        } else {
            0.0
        }
    };
    let base = hidden(rng, columns, n_rows);
    Target::Numbers(
        base.into_iter()
            .map(|x| f64::from(x) * 1.5 + noise(rng))
            .collect(),
    )
}
