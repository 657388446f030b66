//! `verify --optimality`: the independent checker, with the table as this program reads it.

use std::process::ExitCode;

use anyhow::{Context, Result};
use treewright::data::{Dataset, Purpose, Schema, Target, Value};
use treewright::export::json::{self, Document};
use treewright_check::{Report, Table, check};

use crate::args::VerifyArgs;
use crate::input;
use crate::output::{self, Console};

pub(super) fn run(args: &VerifyArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination(console)?;
    let (model, data) = (args.on.model(), args.on.data());
    input::only_one_standard(model, data)?;
    let text = input::load_text(model)?;
    let proof = args.proof.as_deref().map(input::load_text).transpose()?;
    let table = input::Table::open(data)?;
    let document = json::read(&subsets(&text).unwrap_or_else(|| text.clone()));
    let schema = match document.with_context(|| input::name_of(model))? {
        Document::Model(fit) => fit.model.schema().clone(),
        Document::Family(fit) => fit.family.tree(0).schema().clone(),
    };
    let data = table.for_model(&schema, Purpose::Verify)?;
    let report = check(&text, &cells(&data, &schema), proof.as_deref(), args.work);
    let code = report.exit_code();
    let document: serde_json::Value = serde_json::from_str(&report.to_json())?;
    output::document(&document, file.as_ref(), console, || words(&report))?;
    if code == 1 {
        let name = input::name_of(model);
        output::complain(&format!("{name}: {}", report.verdict()));
    }
    Ok(ExitCode::from(code))
}

/// A model with the table of a search over subsets of the features, of which no tree is in the document.
fn subsets(text: &str) -> Option<String> {
    let document: serde_json::Value = serde_json::from_str(text).ok()?;
    let mut model = document.get("problem")?.as_object()?.clone();
    let counts = vec![0.0; model.get("target")?["classes"].as_array()?.len()];
    let leaf = serde_json::json!({
        "format": "treewright.tree",
        "version": 1,
        "training": {"rows": 0, "weight": 0.0, "errors": 0, "cost": 0.0, "leaves": 1, "depth": 0, "seconds": 0.0},
        "nodes": [{"counts": counts, "value": 0}],
    });
    model.extend(leaf.as_object()?.clone());
    serde_json::to_string(&model).ok()
}

fn words(report: &Report) -> String {
    format!("{report}\n")
}

/// The table as texts: numbers as the shortest decimals that read back as the same doubles.
fn cells(data: &Dataset, schema: &Schema) -> Table {
    let mut table = Table::default();
    let rows = 0..data.n_rows();
    for (column, feature) in data.columns().iter().zip(&schema.features) {
        let cell = |row: usize| match column.value(row) {
            Value::Number(number) => number.to_string(),
            Value::Category(code) => feature.categories()[code as usize].clone(),
            Value::Missing => String::new(),
        };
        table.names.push(feature.name.clone());
        table.columns.push(rows.clone().map(cell).collect());
    }
    table.names.push(schema.target.name.clone());
    table.columns.push(match data.target() {
        Target::Classes(classes) => {
            let label = |class: &u32| schema.classes()[*class as usize].clone();
            classes.iter().map(label).collect()
        }
        Target::Numbers(numbers) => numbers.iter().map(f64::to_string).collect(),
        Target::Absent => rows.clone().map(|_| String::new()).collect(),
    });
    if let Some(name) = &schema.reading.weight {
        table.names.push(name.clone());
        let weight = |row: usize| data.weight(row).to_string();
        table.columns.push(rows.map(weight).collect());
    }
    table
}
