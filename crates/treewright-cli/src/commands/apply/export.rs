//! `export`: a tree for elsewhere.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::ValueEnum;
use serde::Serialize;
use treewright::Tree;
use treewright::export::{c, dot, onnx, pmml, python, rules, rust, sql, svg};

use crate::args::{ExportArgs, ExportForm};
use crate::input;
use crate::output::{self, Console, Destination};

/// The JSON document of `export --json`.
#[derive(Serialize)]
struct Exported<'a> {
    to: &'a str,
    text: &'a str,
}

pub(crate) fn run(args: &ExportArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination(console)?;
    let fit = input::model(args.model.path())?;
    if matches!(args.to, ExportForm::Onnx) {
        return run_onnx(&fit.model, file.as_ref(), console);
    }
    let text = text(&fit.model, args.to, console)?;
    if let Some(file) = &file {
        file.write(|out| out.write_all(text.as_bytes()))?;
    }
    if console.json {
        let form = args.to.to_possible_value();
        let to = form.as_ref().map_or("", |form| form.get_name());
        let text = &text;
        Destination::Stdout.write(|out| output::json_line(out, &Exported { to, text }))?;
    } else if file.is_none() {
        Destination::Stdout.write(|out| out.write_all(text.as_bytes()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn text(tree: &Tree, form: ExportForm, console: &Console) -> Result<String> {
    Ok(match form {
        ExportForm::Dot => dot::dot(tree),
        ExportForm::Svg => svg::svg(tree),
        ExportForm::Rules => rules::rules(tree),
        ExportForm::Sql => sql::sql(tree)?,
        ExportForm::C => c::c(tree)?,
        ExportForm::Python => python::python(tree),
        ExportForm::Rust => rust::rust(tree),
        ExportForm::Pmml => {
            let model = pmml::pmml(tree)?;
            note_all(&model.notes, console);
            model.text
        }
        ExportForm::Onnx => unreachable!("it is not a text"),
    })
}

/// A binary file: never on a terminal, and not in a JSON document.
fn run_onnx(tree: &Tree, file: Option<&Destination>, console: &Console) -> Result<ExitCode> {
    ensure!(
        !console.json,
        "--json cannot hold ONNX, which is binary: write it with -o FILE"
    );
    let file = file.unwrap_or(&Destination::Stdout);
    let is_seen = matches!(file, Destination::Stdout) && io::stdout().is_terminal();
    ensure!(!is_seen, "ONNX is binary: write it with -o FILE");
    let model = onnx::onnx(tree);
    note_all(&model.notes, console);
    file.write(|out| out.write_all(&model.bytes))?;
    Ok(ExitCode::SUCCESS)
}

fn note_all(notes: &[String], console: &Console) {
    for note in notes {
        console.note(note);
    }
}
