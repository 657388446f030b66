//! `report`: one model or family, for a browser.

use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use treewright::data::{Purpose, Schema};
use treewright::eval::Report;
use treewright::export::json::Document;

use std::sync::Arc;

use super::explore::{summary, title, write};
use crate::args::ReportArgs;
use crate::input::{self, Table};
use crate::output::{self, Console};

pub(crate) fn run(args: &ReportArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination(console)?;
    input::only_one_standard(args.on.model(), args.on.data())?;
    let document = input::document(args.on.model())?;
    let schema: Arc<Schema> = match &document {
        Document::Model(fit) => Arc::clone(fit.model.schema()),
        Document::Family(fit) => Arc::clone(fit.family.tree(0).schema()),
    };
    let mut data = console.timed("reading", || {
        Table::open(args.on.data())?.for_model(&schema, Purpose::Score)
    })?;
    let params = match &document {
        Document::Model(fit) => &fit.learner.params,
        Document::Family(fit) => &fit.learner.params,
    };
    let class_weight = params.class_weight();
    class_weight
        .and_then(|weights| data.weigh_classes(&weights))
        .with_context(|| input::name_of(args.on.model()))?;
    ensure!(
        data.n_rows() > 0,
        "{}: the table has no rows to look at",
        input::name_of(args.on.data())
    );
    let name = title(&input::name_of(args.on.model()));
    let report = match &document {
        Document::Model(fit) => Report::on_model(&name, fit, Some(&data)),
        Document::Family(fit) => Report::on_family(&name, fit, Some(&data)),
    };
    let mut report = report.with_context(|| input::name_of(args.on.data()))?;
    if args.no_rows {
        report.sample = None;
    }
    write(&report, file.as_ref(), console)?;
    if !console.json && file.is_none() {
        output::print(&summary(&report, ""))?;
    }
    Ok(ExitCode::SUCCESS)
}
