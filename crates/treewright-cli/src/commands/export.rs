//! `export`: a tree for elsewhere.

use std::process::ExitCode;

use anyhow::Result;
use clap::ValueEnum;
use serde::Serialize;
use treewright::export::{c, dot, python, rules, rust, sql};

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
    let fit = input::model(&args.model.model)?;
    let text = match args.to {
        ExportForm::Dot => dot::dot(&fit.model),
        ExportForm::Rules => rules::rules(&fit.model),
        ExportForm::Sql => sql::sql(&fit.model)?,
        ExportForm::C => c::c(&fit.model)?,
        ExportForm::Python => python::python(&fit.model),
        ExportForm::Rust => rust::rust(&fit.model),
    };
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
