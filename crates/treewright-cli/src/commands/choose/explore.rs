//! `explore`: every tree worth having, and which one is good enough.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use treewright::check::{Change, ColumnCheck, Finding, Severity, TableCheck};
use treewright::error::quoted;
use treewright::eval::{Entry, FamilyLine, Proven, Report, Section, SectionKind, percent};
use treewright::export::{html, json, words};
use treewright::select::Explore;
use treewright::tree::LearnerKind;
use treewright::{Budget, Fit};

use crate::args::ExploreArgs;
use crate::commands::problem::{loss, say};
use crate::commands::{count, in_file, model, most_bytes, start_budget};
use crate::input::{self, Table};
use crate::output::{self, Console, Destination};
use crate::signals;

pub(crate) fn run(args: &ExploreArgs, console: &Console) -> Result<ExitCode> {
    let time = args.budget()?;
    let file = args.output.destination(console)?;
    let model = args.model()?;
    args.good_enough().check()?;
    args.resampling(usize::MAX)?;
    let (data, check, options, changes) = console.timed("reading", || {
        let table = Table::open(args.table.path())?;
        let check = table.check(&args.table.options())?;
        refuse_hopeless(&check).with_context(|| input::name_of(args.table.path()))?;
        let (options, changes) = check
            .prepare(&args.table.options(), args.keep())
            .map_err(|error| in_file(args.table.path(), error))?;
        Ok((table.to_learn(&options)?, check, options, changes))
    })?;
    let limits = args.limits();
    let explore = Explore {
        resampling: args.resampling(data.n_rows())?,
        good_enough: args.good_enough(),
        holdout: args.holdout,
        most_bytes: usize::try_from(most_bytes(&limits)).unwrap_or(usize::MAX),
        ..Explore::new(loss(&args.table.reading, &data)?)
    };
    let about = |error| in_file(args.table.path(), error);
    explore.check(&data).map_err(about)?;
    // From here on nothing is refused any more.
    tell(&check, &changes, console);
    let title = title(&input::name_of(args.table.path()));
    let budget = start_budget(&limits, &data);
    let mut found = console
        .with_clock(&budget, time, || explore.run(&title, &data, &budget))
        .map_err(about)?;
    found.report.check = Some(check);
    for section in &mut found.report.sections {
        let params = &mut section.learner.params;
        params.set_class_weight(&options.class_weight);
    }
    if args.no_rows {
        found.report.sample = None;
    }
    let report = &found.report;
    write(report, file.as_ref(), console)?;
    let mut apart = String::new();
    if let Some((path, destination)) = &model {
        let rest = Budget::unlimited().with_interrupt(signals::interrupt());
        let mut fit = found.best(&explore, &data, &rest).map_err(about)?;
        fit.learner.params.set_class_weight(&options.class_weight);
        let document = json::write_model(&fit);
        destination.write(|out| writeln!(out, "{document}"))?;
        let is_again = explore.holdout.is_some();
        console.note(&in_file_is(&fit, path, is_again));
        if is_again {
            apart = learned_again(report, &fit, path);
        }
    }
    say(&data, &options, &[], console);
    // A page on standard output is not followed by anything.
    if !console.json && !matches!(file, Some(Destination::Stdout)) {
        let text = summary(report, &apart) + &next(args, model.map(|it| it.0));
        output::print(&text)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Which tree is in the model file.
fn in_file_is(fit: &Fit, path: &Path, is_again: bool) -> String {
    let leaves = count(fit.training.leaves, "leaf", "leaves");
    let again = if is_again {
        format!(", learned again from all {} rows", fit.training.rows)
    } else {
        String::new()
    };
    format!("the tree with {leaves} is in {}{again}", path.display())
}

/// In what the tree of the model file differs from the one that was judged.
fn learned_again(report: &Report, fit: &Fit, path: &Path) -> String {
    let (at, place) = report.start;
    let judged = &report.sections[at].entries[place];
    let (own, other) = (judged.leaves, fit.training.leaves);
    let leaves = if own == other {
        format!("{}, too", count(other, "leaf", "leaves"))
    } else {
        format!("{}, not {own}", count(other, "leaf", "leaves"))
    };
    format!(
        " The tree below was learned from {} rows, and the figures are its own. The tree in {} is another one, learned \
         again from all {} rows: it has {leaves}, and no row is left to judge it.",
        report.rows,
        path.display(),
        fit.training.rows
    )
}

/// Refuses a table from which nothing can be learned.
fn refuse_hopeless(check: &TableCheck) -> Result<()> {
    let Some(target) = check.target() else {
        return Ok(());
    };
    let is_hopeless = |it: &&Finding| matches!(it, Finding::SingleClass { .. });
    match target.findings.iter().find(is_hopeless) {
        None => Ok(()),
        Some(finding) => {
            let sentence = words::finding(finding, Some(target));
            bail!("target {}: {sentence}", quoted(&target.name))
        }
    }
}

/// What to type next.
fn next(args: &ExploreArgs, model: Option<&Path>) -> String {
    let next = if let Some(path) = model {
        let model = words::shell(&as_argument(&path.to_string_lossy()));
        format!("treewright predict {model} NEW.csv > predictions.csv")
    } else {
        let typed = std::env::args_os().skip(1);
        let typed: Vec<String> = typed.map(|it| it.to_string_lossy().into_owned()).collect();
        let page = args.output.path().is_none();
        let is_piped = args.table.path().as_os_str() == "-";
        again(&typed, page, is_piped)
    };
    format!("\nnext: {}\n", output::cell(&next))
}

/// The command that was typed, with a model, and with a page if there was none. What came through a pipe must come
/// from a file now.
fn again(typed: &[String], page: bool, is_piped: bool) -> String {
    let ends = typed.iter().position(|word| word == "--");
    let (options, rest) = typed.split_at(ends.unwrap_or(typed.len()));
    let mut words: Vec<String> = options.iter().map(|word| words::shell(word)).collect();
    words.push("--model best.json".to_owned());
    if page {
        words.push("-o report.html".to_owned());
    }
    words.extend(rest.iter().map(|word| words::shell(word)));
    if is_piped {
        words.push("< TABLE.csv".to_owned());
    }
    format!("treewright {}", words.join(" "))
}

/// A path that is not taken for an option.
fn as_argument(path: &str) -> String {
    if path.starts_with('-') {
        format!("./{path}")
    } else {
        path.to_owned()
    }
}

/// Says what the check changed, and what else it found that may spoil the trees.
fn tell(check: &TableCheck, changes: &[Change], console: &Console) {
    const MOST: usize = 8;
    let is_changed = |name: &str| changes.iter().any(|change| change.column() == Some(name));
    let is_told = |column: &ColumnCheck, finding: &Finding| match finding {
        Finding::Date { .. } | Finding::Nearly { .. } => is_changed(&column.name),
        Finding::MissingTarget { .. } => true,
        finding => finding.leaves_out() && is_changed(&column.name),
    };
    let warnings = check.columns.iter().flat_map(|column| {
        let findings = column.findings.iter();
        let is_open = move |it: &&Finding| it.severity() > Severity::Info && !is_told(column, it);
        findings.filter(is_open).map(move |finding| {
            let sentence = words::finding(finding, Some(column));
            let severity = finding.severity().name();
            // To leave a column out is an advice less sure than how to read it.
            let fix = words::fix(check, Some(column), finding).filter(|_| finding.is_misread());
            let fix = fix.map_or_else(String::new, |fix| format!("; {fix}"));
            format!("{severity}: {}: {sentence}{fix}", column.name)
        })
    });
    let changes = changes.iter().map(words::change);
    let lines: Vec<String> = changes.chain(warnings).collect();
    for line in lines.iter().take(MOST) {
        console.note(line);
    }
    if lines.len() > MOST {
        let more = lines.len() - MOST;
        console.note(&format!("{more} more like these: see `treewright check`"));
    }
}

/// The last part of a path.
pub(super) fn title(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next();
    last.filter(|last| !last.is_empty())
        .unwrap_or(name)
        .to_owned()
}

/// Writes the page, and the document if it was asked for.
pub(super) fn write(report: &Report, file: Option<&Destination>, console: &Console) -> Result<()> {
    if let Some(file) = file {
        let page = html::html(report);
        file.write(|out| out.write_all(page.as_bytes()))?;
        if let Destination::File(path) = file {
            console.note(&format!("the report is in {}", path.display()));
            if let Some(sample) = &report.sample {
                let rows = count(sample.places.len(), "row", "rows");
                console.note(&format!(
                    "it holds {rows} of the table; --no-rows leaves them out"
                ));
            }
        }
    }
    if console.json {
        let document = json::write_report(report);
        Destination::Stdout.write(|out| writeln!(out, "{document}"))?;
    }
    Ok(())
}

/// What the terminal shows: the answer and what there is to add to it, the tree, and a line for each family that is worth
/// one.
pub(super) fn summary(report: &Report, addition: &str) -> String {
    let (at, place) = report.start;
    let start = report.sections.get(at).and_then(|it| it.entries.get(place));
    let tree = start.and_then(|entry| entry.tree.as_ref());
    let tree = tree.map_or(String::new(), |tree| model::top(tree, "--model FILE"));
    let answer = output::wrapped(&(words::answer(report) + addition));
    format!("{answer}\n{tree}\n{}", families(report))
}

/// A line for each family that is worth one.
fn families(report: &Report) -> String {
    let lines = report.lines();
    let is_any_judged = lines.iter().any(|line| line.is_judged);
    let is_open = |line: &&FamilyLine| is_any_judged && !line.is_judged;
    let shown = lines
        .iter()
        .filter(|line| !line.is_dominated && !is_open(line));
    let header = ["", "family", "leaves", report.unseen_name(), "proof"];
    let header = header.iter().map(|&name| name.to_owned()).collect();
    let table = output::figures_and_words(header, shown.map(|line| row(report, *line)));
    let n_others = lines.iter().filter(|line| line.is_dominated).count();
    let others = match n_others {
        0 => String::new(),
        1 => "one more family does no better\n".to_owned(),
        _ => format!("{n_others} more families do no better\n"),
    };
    let open = match lines.iter().filter(is_open).count() {
        0 => String::new(),
        1 => "one more family was not judged on unseen rows\n".to_owned(),
        n_open => format!("{n_open} more families were not judged on unseen rows\n"),
    };
    format!("{table}{others}{open}")
}

fn row(report: &Report, line: FamilyLine) -> Vec<String> {
    let section = &report.sections[line.section];
    let entry = &section.entries[line.entry];
    let is_start = (line.section, line.entry) == report.start;
    let is_chosen = is_start && entry.validated.is_some();
    let judged = entry.validated;
    let judged = judged.map_or("-".into(), |(error, se)| report.unseen(error, Some(se)));
    vec![
        if is_chosen { "*" } else { "" }.to_owned(),
        output::cell(&words::title(section)),
        entry.leaves.to_string(),
        judged,
        proof(section, entry),
    ]
}

/// What the tree is the best of, if that is proven.
fn proof(section: &Section, entry: &Entry) -> String {
    match entry.standing.proven() {
        Proven::Best => match (section.kind, &section.learner.kind) {
            (SectionKind::Family, LearnerKind::Greedy) => "best pruning".into(),
            (SectionKind::Family, LearnerKind::Dyadic) => "optimal on grid".into(),
            (SectionKind::Family, LearnerKind::Optimal) => "optimal".into(),
            (SectionKind::Family, learner) => format!("best {learner}"),
            (SectionKind::Tree, _) => "proven".into(),
        },
        Proven::Within(gap) => format!("gap {}", percent(gap)),
        Proven::Nothing => "-".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_command_survives_the_shell() {
        let typed = |words: &[&str]| words.iter().map(|&it| it.to_owned()).collect::<Vec<_>>();
        assert_eq!(
            again(
                &typed(&["explore", "my data.csv", "--target", "it's"]),
                true,
                false
            ),
            r"treewright explore 'my data.csv' --target 'it'\''s' --model best.json -o report.html"
        );
        assert_eq!(
            again(&typed(&["explore", "--", "-x.csv"]), false, false),
            "treewright explore --model best.json -- -x.csv"
        );
        assert_eq!(
            again(&typed(&["explore", "-"]), true, true),
            "treewright explore - --model best.json -o report.html < TABLE.csv"
        );
        assert_eq!(as_argument("-m.json"), "./-m.json");
    }
}
