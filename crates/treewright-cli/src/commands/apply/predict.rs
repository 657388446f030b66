//! `predict`: an answer for every row, as CSV or JSON.
//!
//! Labels are quoted once for each class, not once for each row; everything goes through one buffer.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use treewright::Fit;
use treewright::data::{Dataset, Purpose};
use treewright::tree::NodeId;

use crate::args::PredictArgs;
use crate::csv::{csv_cell, write_number};
use crate::input;
use crate::output::{Console, Destination};

pub(crate) fn run(args: &PredictArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination(console)?;
    let (fit, data) = console.timed("reading", || {
        let (fit, table) = input::model_and_table(args.on.model(), args.on.data())?;
        if args.proba {
            proba_columns(&fit).with_context(|| input::name_of(args.on.model()))?;
        }
        let data = table.for_model(fit.model.schema(), Purpose::Predict)?;
        Ok((fit, data))
    })?;
    let predictions = console.timed("predicting", || Predictions::new(&fit, &data, args.proba))?;
    console.timed("writing", || predictions.write(file.as_ref(), console))?;
    Ok(ExitCode::SUCCESS)
}

/// The names of the columns of probabilities: the classes, or the bins of a numeric target.
fn proba_columns(fit: &Fit) -> Result<Vec<String>> {
    let tree = &fit.model;
    if tree.schema().is_classification() {
        let name = |class: &String| match class.as_str() {
            "prediction" => "proba:prediction".into(),
            class => class.into(),
        };
        return Ok(tree.schema().classes().iter().map(name).collect());
    }
    let n_bins = tree.bins(NodeId::ROOT).len();
    ensure!(
        n_bins > 0,
        "--proba needs a classification model, or bins of the target (--criterion binned-gini); this one is for \
         regression"
    );
    let edges = fit.learner.params.bin_edges();
    let edges = edges.filter(|edges| edges.len() == n_bins + 1);
    let edges = edges.context("--proba needs `bin_edges`, which this older file does not have")?;
    let name = |two: &[f64]| format!("{}..{}", two[0], two[1]);
    Ok(edges.windows(2).map(name).collect())
}

/// The answers for all rows.
struct Predictions<'a> {
    /// Class labels; empty for regression.
    classes: &'a [String],
    /// Class indices or numbers.
    values: Vec<f64>,
    /// The names of columns of probabilities, if they are wanted.
    columns: Vec<String>,
    /// Probabilities row by row, if they are wanted.
    proba: Option<Vec<f64>>,
}

impl<'a> Predictions<'a> {
    fn new(fit: &'a Fit, data: &Dataset, proba: bool) -> Result<Self> {
        let tree = &fit.model;
        let predict_proba = || {
            if tree.schema().is_classification() {
                tree.predict_proba(data)
            } else {
                tree.predict_bins(data)
            }
        };
        Ok(Self {
            classes: tree.schema().classes(),
            values: tree.predict(data),
            columns: if proba {
                proba_columns(fit)?
            } else {
                Vec::new()
            },
            proba: proba.then(predict_proba),
        })
    }

    /// A file gets the CSV; standard output gets JSON on demand, else the CSV unless a file has it.
    fn write(&self, file: Option<&Destination>, console: &Console) -> Result<()> {
        if let Some(file) = file {
            file.write(|out| self.write_csv(out))?;
        }
        match file {
            _ if console.json => Destination::Stdout.write(|out| self.write_json(out)),
            None => Destination::Stdout.write(|out| self.write_csv(out)),
            Some(_) => Ok(()),
        }
    }

    fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let labels: Vec<String> = self.classes.iter().map(|class| csv_cell(class)).collect();
        out.write_all(b"prediction")?;
        for name in &self.columns {
            write!(out, ",{}", csv_cell(name))?;
        }
        out.write_all(b"\n")?;
        for (row, &value) in self.values.iter().enumerate() {
            write_value(out, value, &labels)?;
            for &p in self.proba_of(row) {
                out.write_all(b",")?;
                write_number(out, p)?;
            }
            out.write_all(b"\n")?;
        }
        Ok(())
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let label = |class| serde_json::to_string(class).expect("a text can be written as JSON");
        let labels: Vec<String> = self.classes.iter().map(label).collect();
        out.write_all(b"{\"predictions\":[")?;
        for (row, &value) in self.values.iter().enumerate() {
            write_separator(out, row)?;
            write_value(out, value, &labels)?;
        }
        out.write_all(b"]")?;
        if self.proba.is_some() {
            out.write_all(b",\"proba\":[")?;
            for row in 0..self.values.len() {
                write_separator(out, row)?;
                out.write_all(b"[")?;
                for (class, &p) in self.proba_of(row).iter().enumerate() {
                    write_separator(out, class)?;
                    write_number(out, p)?;
                }
                out.write_all(b"]")?;
            }
            out.write_all(b"]")?;
        }
        out.write_all(b"}\n")
    }

    fn proba_of(&self, row: usize) -> &[f64] {
        match &self.proba {
            Some(proba) => &proba[row * self.columns.len()..][..self.columns.len()],
            None => &[],
        }
    }
}

fn write_separator(out: &mut dyn Write, position: usize) -> io::Result<()> {
    out.write_all(if position > 0 { b"," } else { b"" })
}

/// The label of a class index, or the number itself where there are no classes.
fn write_value(out: &mut dyn Write, value: f64, labels: &[String]) -> io::Result<()> {
    match labels.get(value as usize) {
        Some(label) => out.write_all(label.as_bytes()),
        None => write_number(out, value),
    }
}
