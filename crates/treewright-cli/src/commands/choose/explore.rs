//! `explore`: every tree worth having, and which one is good enough.

use std::process::ExitCode;

use anyhow::Result;
use treewright::check::{Change, ColumnCheck, Finding, Severity, TableCheck};
use treewright::eval::{Entry, Proven, Report, Section, SectionKind};
use treewright::export::{html, json, words};
use treewright::select::Explore;
use treewright::tree::LearnerKind;

use crate::args::ExploreArgs;
use crate::commands::problem::{loss, say};
use crate::commands::{in_file, most_bytes, start_budget};
use crate::input::{self, Table};
use crate::output::{self, Console, Destination, duration};

pub(crate) fn run(args: &ExploreArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination(console)?;
    let options = args.table.options();
    args.resampling(usize::MAX)?;
    let (data, check, options) = console.timed("reading", || {
        let table = Table::open(args.table.path())?;
        let check = table.check(&options)?;
        let (options, changes) = check
            .prepare(&options, args.keep())
            .map_err(|error| in_file(args.table.path(), error))?;
        tell(&check, &changes, console);
        Ok((table.to_learn(&options)?, check, options))
    })?;
    let resampling = args.resampling(data.n_rows())?;
    let limits = args.limits();
    let explore = Explore {
        resampling,
        most_bytes: usize::try_from(most_bytes(&limits)).unwrap_or(usize::MAX),
        ..Explore::new(loss(&args.table.reading, &data)?)
    };
    let title = title(&input::name_of(args.table.path()));
    let budget = start_budget(&limits, &data);
    let mut report = console
        .with_progress(&budget, || explore.run(&title, &data, &budget))
        .map_err(|error| in_file(args.table.path(), error))?;
    report.check = Some(check);
    for section in &mut report.sections {
        let params = &mut section.learner.params;
        params.set_class_weight(&options.class_weight);
    }
    write(&report, file.as_ref(), console)?;
    say(&data, &options, &[], console);
    // A page on standard output is not followed by anything.
    if !console.json && !matches!(file, Some(Destination::Stdout)) {
        output::print(&summary(&report))?;
    }
    Ok(ExitCode::SUCCESS)
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
            format!("{}: {}: {sentence}", finding.severity().name(), column.name)
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
        }
    }
    if console.json {
        let document = json::write_report(report);
        Destination::Stdout.write(|out| writeln!(out, "{document}"))?;
    }
    Ok(())
}

/// What the terminal shows: the choices of all families, and the answer.
pub(super) fn summary(report: &Report) -> String {
    let cost = report.cost_name();
    let header = [
        "",
        "trees",
        "leaves",
        "depth",
        &format!("training {cost}"),
        &format!("cv {cost}"),
        "cv se",
        "proof",
        "time",
    ];
    let header = header.iter().map(|&name| name.to_owned()).collect();
    let rows = report
        .sections
        .iter()
        .enumerate()
        .flat_map(|(at, section)| {
            let row = move |place: usize| row(report, at, section, place);
            shown(section, (at == report.start.0).then_some(report.start.1))
                .into_iter()
                .map(row)
        });
    let table = output::figures_and_words(header, rows);
    let is_validated = |section: &Section| section.chosen.is_some();
    let legend = if report.sections.iter().any(is_validated) {
        format!(
            "* good enough; min: least cv {cost} of its family; 1se: the smallest within one standard \
             error of it\n"
        )
    } else {
        String::new()
    };
    format!("{table}{legend}\n{}\n", words::answer(report))
}

/// Of a family the chosen trees.
fn shown(section: &Section, start: Option<usize>) -> Vec<usize> {
    let mut places: Vec<usize> = match section.chosen {
        Some(chosen) => vec![chosen.one_se, chosen.min],
        None => vec![section.entries.len() - 1],
    };
    places.extend(start);
    places.sort_unstable();
    places.dedup();
    places
}

fn row(report: &Report, at: usize, section: &Section, place: usize) -> Vec<String> {
    let entry = &section.entries[place];
    let chosen = section.chosen;
    let marks = [
        (
            (at, place) == report.start && entry.validated.is_some(),
            "*",
        ),
        (chosen.is_some_and(|it| it.min == place), "min"),
        (chosen.is_some_and(|it| it.one_se == place), "1se"),
    ];
    let marks = marks.iter().filter(|(is_so, _)| *is_so);
    let marks: Vec<&str> = marks.map(|&(_, mark)| mark).collect();
    let validated = |pick: fn((f64, f64)) -> f64| {
        let figure = entry.validated.map(pick);
        figure.map_or("-".into(), |figure| report.rate(figure))
    };
    vec![
        marks.join(" "),
        output::cell(&words::title(section)),
        entry.leaves.to_string(),
        entry.depth.map_or("-".into(), |depth| depth.to_string()),
        report.rate(entry.cost),
        validated(|it| it.0),
        validated(|it| it.1),
        proof(section, entry),
        duration(section.seconds),
    ]
}

/// What the tree is the best of, if that is proven.
fn proof(section: &Section, entry: &Entry) -> String {
    match entry.standing.proven() {
        Proven::Best => match (section.kind, &section.learner.kind) {
            (SectionKind::Family, LearnerKind::Greedy) => "best pruning".into(),
            (SectionKind::Family, LearnerKind::Optimal) => "best of size".into(),
            (SectionKind::Family, learner) => format!("best {learner}"),
            (SectionKind::Tree, _) => "best".into(),
        },
        Proven::Within(gap) => format!("gap {:.1} %", 100.0 * gap),
        Proven::Nothing => "-".into(),
    }
}
