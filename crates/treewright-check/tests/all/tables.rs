//! Random small tables, as text.

use std::fmt::Write as _;

use fastrand::Rng;
use treewright::data::csv::CsvSource;
use treewright::data::{Dataset, ReadOptions};
use treewright_check::{Report, Table, WORK, check};

/// How a table is drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) rows: usize,
    pub(crate) features: usize,
    pub(crate) classes: usize,
    pub(crate) values: usize,
    pub(crate) missing: bool,
    pub(crate) weights: bool,
}

impl Shape {
    pub(crate) fn random(random: &mut Rng) -> Self {
        Self {
            rows: random.usize(2..14),
            features: random.usize(1..4),
            classes: random.usize(2..4),
            values: random.usize(2..7),
            missing: random.u8(..3) == 0,
            weights: random.u8(..3) == 0,
        }
    }

    /// Columns `x0`, `x1`, ..., numbers or categories, perhaps `w`, and `class`.
    pub(crate) fn text(self, random: &mut Rng) -> String {
        let is_numeric: Vec<bool> = (0..self.features).map(|_| random.u8(..3) > 0).collect();
        let mut text = String::new();
        for feature in 0..self.features {
            write!(text, "x{feature},").unwrap();
        }
        text += if self.weights { "w,class\n" } else { "class\n" };
        for _ in 0..self.rows {
            for &is_numeric in &is_numeric {
                let value = random.usize(..self.values);
                if self.missing && random.u8(..5) == 0 {
                    text += "?,";
                } else if is_numeric {
                    write!(text, "{},", value as f64 * 0.25 - 0.5).unwrap();
                } else {
                    write!(text, "{},", ["a", "b", "c", "d", "e", "f"][value % 4]).unwrap();
                }
            }
            if self.weights {
                write!(
                    text,
                    "{},",
                    ["1", "2", "0.5", "1.1", "3", "0"][random.usize(..6)]
                )
                .unwrap();
            }
            writeln!(text, "{}", ["p", "q", "r"][random.usize(..self.classes)]).unwrap();
        }
        text
    }
}

/// What the library reads; `None` if it refuses the table.
pub(crate) fn dataset(text: &str, weight: bool) -> Option<Dataset> {
    let source = CsvSource::new(text.into(), b',').ok()?;
    let mut options = ReadOptions::default();
    options.reading.weight = weight.then(|| "w".into());
    Dataset::read(&source, &options).ok()
}

pub(crate) fn judge(model: &str, text: &str) -> Report {
    check(model, &Table::from_text(text, ',').unwrap(), None, WORK)
}
