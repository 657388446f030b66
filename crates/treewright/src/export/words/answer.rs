//! The answer of a report: which tree is enough, how often it is wrong on unseen rows, and what is proven.

use super::report::{entry, leaves, title};
use crate::cost::Loss;
use crate::error::{counted, quoted};
use crate::eval::{Entry, Explored, KeptAside, NoDyadic, Report, Section, Standing, Stop, percent};

/// Which small tree is enough, and is there provably nothing better?
pub fn answer(report: &Report) -> String {
    let (at, place) = report.start;
    let section = report.sections.get(at);
    let Some((section, found)) = section.and_then(|it| Some((it, it.entries.get(place)?))) else {
        return String::new();
    };
    let mut sentences = Vec::new();
    match found.validated {
        Some((error, se)) => {
            sentences.push(enough(report, found));
            sentences.push(on_unseen_rows(report, found, error, se));
            let optimism = report.explored.as_ref().and_then(|it| it.optimism);
            let optimism = optimism.filter(|it| *it > 0.0);
            sentences.extend(optimism.and_then(|it| of_optimism(report, error, it)));
        }
        None => sentences.push(not_judged(report, section, found)),
    }
    sentences.push(entry(found, &report.loss));
    if let Some(explored) = &report.explored {
        caveats(report, explored, &mut sentences);
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences.join(" ")
}

fn enough(report: &Report, found: &Entry) -> String {
    match (found.leaves, class_of_all(report)) {
        (1, Some(class)) => format!("A single answer is enough: always {}.", quoted(&class)),
        (1, None) => "A single answer is enough: always the mean.".into(),
        (leaves, _) => {
            // An 8-leaf, 11-leaf or 18-leaf tree; 80 to 89, too.
            let begins_with_vowel = matches!(leaves, 8 | 11 | 18 | 80..=89 | 800..=899);
            let article = if begins_with_vowel { "An" } else { "A" };
            format!("{article} {leaves}-leaf tree is enough.")
        }
    }
}

/// The class that a single leaf predicts.
fn class_of_all(report: &Report) -> Option<String> {
    let trees = report.sections.iter().flat_map(|section| {
        let trunk = section.trunk.iter().map(|trunk| &trunk.tree);
        let entries = section.entries.iter();
        trunk.chain(entries.filter_map(|entry| entry.tree.as_ref()))
    });
    let tree = trees.into_iter().next()?;
    if !report.schema.is_classification() {
        return None;
    }
    let class = tree.value(crate::tree::NodeId::ROOT) as usize;
    report.schema.classes().get(class).cloned()
}

/// What a cost says about rows: how often a tree is wrong, or how far off it is.
fn is_so(report: &Report, error: f64, se: Option<f64>) -> String {
    let figure = report.unseen(error, se);
    match (&report.loss, report.is_weighted) {
        (Loss::ZeroOne, false) => format!("is wrong {figure} of the time"),
        (Loss::ZeroOne, true) => format!("has a weighted error of {figure}"),
        (Loss::Matrix(_), false) => format!("costs {figure} a row"),
        (Loss::Matrix(_), true) => format!("has a weighted cost of {figure} a row"),
        (Loss::Squared, false) => format!("is off by {figure} (root mean square)"),
        (Loss::Squared, true) => format!("is off by {figure} (weighted root mean square)"),
    }
}

fn on_unseen_rows(report: &Report, found: &Entry, error: f64, se: f64) -> String {
    let own = is_so(report, error, Some(se));
    let figure_of = |cost: f64| report.unseen(cost, None);
    // A single leaf is the answer that is always the same. Each fold has one of its own, and they may differ.
    let is_single = found.leaves == 1;
    let is_of_classes = report.schema.is_classification();
    let is_told = |cost: &f64| !is_single || is_of_classes && figure_of(*cost) != figure_of(error);
    let baseline = report.baseline_of_unseen().filter(is_told);
    let beside = baseline.map_or(String::new(), |cost| {
        let always = match class_of_all(report) {
            Some(class) => quoted(&class),
            None => "the mean".into(),
        };
        let figure = figure_of(cost);
        let it = match (&report.loss, report.is_weighted) {
            (Loss::ZeroOne | Loss::Matrix(_), true) => format!("has {figure}"),
            (Loss::ZeroOne, false) => format!("is wrong {figure}"),
            (Loss::Matrix(_), false) => format!("costs {figure}"),
            (Loss::Squared, _) => format!("is off by {figure}"),
        };
        format!("; always answering {always} {it}")
    });
    let it = match baseline {
        Some(_) if is_single => "the best answer for the others",
        _ => "it",
    };
    format!("On unseen rows {it} {own}{beside}.")
}

fn not_judged(report: &Report, section: &Section, found: &Entry) -> String {
    let cost = report.rate(found.cost);
    let (name, title) = (report.cost_name(), title(section));
    format!(
        "A tree with {} ({title}) has a training {name} of {cost}; rows left out have not judged it.",
        leaves(found.leaves)
    )
}

/// What to keep in mind.
fn caveats(report: &Report, explored: &Explored, sentences: &mut Vec<String>) {
    sentences.extend(explored.kept_aside.map(|it| of_kept_aside(report, it)));
    if let Some(share) = explored.judged_by_share {
        let share = percent(share);
        sentences.push(format!(
            "There was no time for cross-validation: {share} of the rows, left out once, have judged the trees."
        ));
    }
    sentences.extend(match explored.stopped {
        None => None,
        Some(Stop::Interrupted) => Some("It was stopped before the end.".to_owned()),
        Some(Stop::Time) => not_all(report, "time"),
        Some(Stop::Memory) => not_all(report, "memory"),
        Some(Stop::TimeAndMemory) => not_all(report, "time or memory"),
    });
    sentences.extend(match &explored.no_dyadic {
        None => None,
        Some(NoDyadic::NoTime) => Some("For dyadic trees there was no time.".to_owned()),
        Some(NoDyadic::Refused(why)) => Some(format!("There are no dyadic trees: {why}.")),
    });
}

/// How much too good the figure of the tree looks; nothing where that cannot be seen in it.
fn of_optimism(report: &Report, error: f64, optimism: f64) -> Option<String> {
    let more = match report.loss {
        Loss::ZeroOne | Loss::Matrix(_) => optimism,
        Loss::Squared => (error + optimism).sqrt() - error.sqrt(),
    };
    let about = report.in_digits_of(error, more);
    let is_visible = about != report.in_digits_of(error, 0.0);
    is_visible
        .then(|| format!("That is about {about} optimistic, because the tree was chosen by it."))
}

fn of_kept_aside(report: &Report, aside: KeptAside) -> String {
    let rows = counted(aside.rows, "row", "rows");
    let is_so = match aside.interval {
        Some((low, high)) => {
            let it = self::is_so(report, aside.error, None);
            let (low, high) = (percent(low), percent(high));
            if aside.is_exact {
                format!(
                    "{it}: with a probability of 95 % the true rate is between {low} and {high}"
                )
            } else {
                format!(
                    "{it}: with a probability of about 95 % the true one is between {low} and {high} \
                     (an approximation, as rows have different weights)"
                )
            }
        }
        None => self::is_so(report, aside.error, Some(aside.se)),
    };
    format!("On {rows} kept aside, which nothing had seen, it {is_so}.")
}

/// Which trees there was no time or memory for.
fn not_all(report: &Report, what: &str) -> Option<String> {
    let is_open = |section: &&Section| section.entries.iter().any(|it| it.validated.is_none());
    let titles: Vec<String> = report.sections.iter().filter(is_open).map(title).collect();
    let is_open = |section: &&Section| {
        section.state.as_ref().is_some_and(|state| state.is_coarser)
            || section.entries.iter().any(|it| {
                matches!(
                    it.standing,
                    Standing::Member(crate::eval::MemberProof::SizeNotProven { .. })
                )
            })
    };
    let n_open = report.sections.iter().filter(is_open).count();
    match (titles.is_empty(), n_open) {
        (false, _) => Some(format!(
            "There was not enough {what} to judge: {}. They may be better; give it more.",
            titles.join("; ")
        )),
        (true, 0) => None,
        (true, _) => Some(format!(
            "With more {what}, deeper or finer trees could be searched for."
        )),
    }
}
