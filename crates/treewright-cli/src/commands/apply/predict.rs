//! `predict`: an answer for every row, as CSV or JSON.
//!
//! Labels are quoted once for each class, not once for each row; everything goes through one buffer.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use treewright::Tree;
use treewright::data::{Dataset, Purpose};

use crate::args::PredictArgs;
use crate::csv::{csv_cell, write_number};
use crate::input;
use crate::output::{Console, Destination};

pub(crate) fn run(args: &PredictArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination(console)?;
    let (fit, data) = console.timed("reading", || {
        let (fit, table) = input::model_and_table(args.on.model(), args.on.data())?;
        ensure_classes(&fit.model, args.proba).with_context(|| input::name_of(args.on.model()))?;
        let data = table.for_model(fit.model.schema(), Purpose::Predict)?;
        Ok((fit, data))
    })?;
    let predictions = console.timed("predicting", || {
        Ok(Predictions::new(&fit.model, &data, args.proba))
    })?;
    console.timed("writing", || predictions.write(file.as_ref(), console))?;
    Ok(ExitCode::SUCCESS)
}

fn ensure_classes(tree: &Tree, proba: bool) -> Result<()> {
    ensure!(
        !proba || tree.schema().is_classification(),
        "--proba needs a classification model, this one is for regression"
    );
    Ok(())
}

/// The answers for all rows.
struct Predictions<'a> {
    /// Class labels; empty for regression.
    classes: &'a [String],
    /// Class indices or numbers.
    values: Vec<f64>,
    /// Probabilities row by row, if they are wanted.
    proba: Option<Vec<f64>>,
}

impl<'a> Predictions<'a> {
    fn new(tree: &'a Tree, data: &Dataset, proba: bool) -> Self {
        Self {
            classes: tree.schema().classes(),
            values: tree.predict(data),
            proba: proba.then(|| tree.predict_proba(data)),
        }
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
        for class in self.proba_columns() {
            write!(out, ",{}", csv_cell(&class))?;
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

    /// The names of the columns of probabilities.
    fn proba_columns(&self) -> impl Iterator<Item = String> {
        let wanted = self.classes.iter().filter(|_| self.proba.is_some());
        wanted.map(|class| match class.as_str() {
            "prediction" => "proba:prediction".into(),
            class => class.into(),
        })
    }

    fn proba_of(&self, row: usize) -> &[f64] {
        match &self.proba {
            Some(proba) => &proba[row * self.classes.len()..][..self.classes.len()],
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
