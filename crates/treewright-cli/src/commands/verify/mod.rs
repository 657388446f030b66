//! `verify`: do the claims of a model file hold?

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use owo_colors::OwoColorize;
use serde_json::{Map, Value};
use treewright::data::{ClassWeight, Purpose};
use treewright::eval::{self, Verification};
use treewright::export::json::Document;

use crate::args::VerifyArgs;
use crate::input;
use crate::output::{self, Console};

mod better;
mod optimality;

pub(crate) fn run(args: &VerifyArgs, console: &Console) -> Result<ExitCode> {
    if args.optimality {
        return optimality::run(args, console);
    }
    let file = args.output.destination(console)?;
    let (model, data) = (args.on.model(), args.on.data());
    input::only_one_standard(model, data)?;
    let name = input::name_of(model);
    let Document::Model(fit) = input::document(model)? else {
        bail!("{name}: a family of trees, expected a model (verify --optimality checks families)");
    };
    let table = input::Table::open(data)?;
    let mut data = table.for_model(fit.model.schema(), Purpose::Verify)?;
    class_weight(&fit.learner.params)
        .and_then(|weights| Ok(data.weigh_classes(&weights)?))
        .with_context(|| name.clone())?;
    let mut verification = eval::verify(&fit, &data);
    // What was learned from other rows is not compared with trees of these.
    if verification.holds {
        let check = better::check(&fit, &data)?;
        verification.holds &= check.ok;
        verification.checks.push(check);
    }
    output::document(&verification, file.as_ref(), console, || {
        words(&verification)
    })?;
    for check in &verification.checks {
        if let Some(differs) = &check.differs {
            let claim = if differs.starts_with(check.name) {
                differs.clone()
            } else {
                format!("{}: {differs}", check.name)
            };
            output::complain(&format!("{name}: {claim}"));
        }
    }
    Ok(if verification.holds {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The class weights that the model was learned with.
pub(crate) fn class_weight(params: &Map<String, Value>) -> Result<ClassWeight> {
    let weight_of = |(label, weight): (&String, &Value)| {
        let weight = weight.as_f64();
        Some((label.clone(), weight?))
    };
    let given = match params.get("class_weight") {
        None | Some(Value::Null) => return Ok(ClassWeight::Equal),
        Some(Value::String(word)) if word == "balanced" => return Ok(ClassWeight::Balanced),
        Some(Value::Object(weights)) => weights.iter().map(weight_of).collect::<Option<_>>(),
        Some(_) => None,
    };
    match given {
        Some(weights) => Ok(ClassWeight::Given(weights)),
        None => bail!("class_weight is neither \"balanced\" nor a number for each label"),
    }
}

fn words(verification: &Verification) -> String {
    let mut text = String::new();
    for check in &verification.checks {
        let verdict = if check.ok {
            "ok".green().to_string()
        } else {
            "differs".red().to_string()
        };
        let _ = writeln!(text, "{:<12} {verdict}", check.name);
    }
    text.push_str(if verification.holds {
        "every claim holds\n"
    } else {
        "the model does not hold\n"
    });
    text
}
