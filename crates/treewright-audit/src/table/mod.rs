//! A table as text, with all that is said about how to read it.

pub(crate) mod kinds;
mod numbers;

use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use treewright::cost::{CostMatrix, Loss};
use treewright::data::csv::CsvSource;
use treewright::data::{ClassWeight, Dataset, ReadOptions, Reading, Task};
use treewright::{Error, Result};

/// A table to learn from. The target is the last column.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The names of the columns.
    pub names: Vec<String>,
    /// The cells, row by row, as they are written into the file without quotes.
    pub rows: Vec<Vec<String>>,
    /// Between the cells: a comma or a tab.
    pub separator: char,
    /// How it is read.
    pub reading: How,
}

/// How a table is read.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct How {
    /// The column of row weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<String>,
    /// Columns of categories, whatever they look like.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categorical: Vec<String>,
    /// Weights of classes: `balanced`, or labels with their weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class_weight: Option<Weights>,
    /// What predictions cost: for each true label, for each predicted one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub costs: Option<Costs>,
    /// Is the target a number?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub regression: bool,
}

/// Weights of classes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weights {
    /// The same total weight for all.
    Balanced,
    /// Some labels with their weights.
    Given(Vec<(String, f64)>),
}

/// What predictions cost, by labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Costs {
    /// The labels.
    pub labels: Vec<String>,
    /// A row for each true label.
    pub rows: Vec<Vec<f64>>,
}

impl Table {
    /// The text of the file.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for cells in std::iter::once(&self.names).chain(&self.rows) {
            for (at, cell) in cells.iter().enumerate() {
                if at > 0 {
                    text.push(self.separator);
                }
                text.push_str(&quoted(cell, self.separator));
            }
            text.push('\n');
        }
        text
    }

    /// The name of the file.
    pub fn file(&self) -> &'static str {
        if self.separator == '\t' {
            "table.tsv"
        } else {
            "table.csv"
        }
    }

    /// The table as learners see it.
    pub fn read(&self) -> Result<Dataset> {
        let source = CsvSource::new(self.text().into(), self.separator as u8)?;
        Dataset::read(&source, &self.options())
    }

    fn options(&self) -> ReadOptions {
        ReadOptions {
            reading: Reading {
                weight: self.reading.weight.clone(),
                ..Reading::default()
            },
            categorical: self.reading.categorical.clone(),
            task: if self.reading.regression {
                Task::Regression
            } else {
                Task::Classification
            },
            class_weight: self.class_weight(),
            ..ReadOptions::default()
        }
    }

    /// The weights of its classes.
    pub fn class_weight(&self) -> ClassWeight {
        match &self.reading.class_weight {
            None => ClassWeight::Equal,
            Some(Weights::Balanced) => ClassWeight::Balanced,
            Some(Weights::Given(weights)) => ClassWeight::Given(weights.clone()),
        }
    }

    /// What wrong predictions cost.
    pub fn loss(&self, data: &Dataset) -> Result<Loss> {
        let Some(costs) = &self.reading.costs else {
            return Ok(if self.reading.regression {
                Loss::Squared
            } else {
                Loss::ZeroOne
            });
        };
        let place = |label: &String| {
            let place = costs.labels.iter().position(|other| other == label);
            place.ok_or_else(|| Error::schema(format!("no costs for class {label:?}")))
        };
        let classes = data.schema().classes();
        let places = classes.iter().map(place).collect::<Result<Vec<usize>>>()?;
        let row = |&truth: &usize| places.iter().map(|&p| costs.rows[truth][p]).collect();
        let rows: Vec<Vec<f64>> = places.iter().map(row).collect();
        Ok(Loss::Matrix(CostMatrix::new(&rows)?))
    }

    /// The options of the program that read the table like this.
    pub fn arguments(&self) -> String {
        let mut text = String::new();
        let mut add = |name: &str, value: &str| {
            let _ = write!(text, " --{name} {}", in_shell(value));
        };
        let how = &self.reading;
        add(
            "task",
            if how.regression {
                "regression"
            } else {
                "classification"
            },
        );
        if let Some(weight) = &how.weight {
            add("weight", weight);
        }
        if !how.categorical.is_empty() {
            let names: Vec<String> = how.categorical.iter().map(|n| quoted(n, ',')).collect();
            add("categorical", &names.join(","));
        }
        match &how.class_weight {
            None => (),
            Some(Weights::Balanced) => add("class-weight", "balanced"),
            Some(Weights::Given(weights)) => {
                let pair =
                    |(label, weight): &(String, f64)| quoted(&format!("{label}={weight}"), ',');
                let pairs: Vec<String> = weights.iter().map(pair).collect();
                add("class-weight", &pairs.join(","));
            }
        }
        if how.costs.is_some() {
            add("costs", "costs.csv");
        }
        text
    }

    /// The cost table as a file, for the classes that there are.
    pub fn costs_text(&self) -> Option<String> {
        let costs = self.reading.costs.as_ref()?;
        let data = self.read().ok()?;
        let loss = self.loss(&data).ok()?;
        let classes = data.schema().classes();
        let labels: Vec<String> = classes.iter().map(|label| quoted(label, ',')).collect();
        let mut text = format!("true \\ predicted,{}\n", labels.join(","));
        for truth in 0..labels.len() {
            text += &labels[truth];
            for predicted in 0..labels.len() {
                let _ = write!(text, ",{}", loss.of_class(truth, predicted));
            }
            text.push('\n');
        }
        (!costs.rows.is_empty()).then_some(text)
    }

    /// The columns that are neither the target nor the weight.
    pub fn features(&self) -> Vec<String> {
        let (_, others) = self.names.split_last().unwrap_or((&self.names[0], &[]));
        let weight = self.reading.weight.as_ref();
        let features = others.iter().filter(|name| Some(*name) != weight);
        features.cloned().collect()
    }

    /// How many columns are neither the target nor the weight.
    pub fn n_features(&self) -> usize {
        self.names.len() - 1 - usize::from(self.reading.weight.is_some())
    }
}

/// A cell of a text table.
pub(crate) fn quoted(cell: &str, separator: char) -> String {
    let needs_quotes = cell.contains([separator, '"', '\n', '\r']);
    if needs_quotes {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

/// A word of a command line.
pub(crate) fn in_shell(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=,.:/".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
