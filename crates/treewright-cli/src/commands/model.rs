//! One tree as a result: written as a model, or shown with its figures.

use anyhow::Result;
use treewright::Fit;
use treewright::Tree;
use treewright::eval::percent;
use treewright::export::text::{Line, Style, screen_lines};
use treewright::export::{json, words};
use treewright::tree::{PruningParams, Training};

use super::apply::show;
use super::count;
use crate::output::{Console, Destination, duration, rounded, weight};

/// A tree with more leaves is not printed as a whole.
const MOST_LEAVES_SHOWN: usize = 40;
/// Of a larger tree, at most this many levels and lines are printed.
const LEVELS_SHOWN: usize = 4;
const MOST_LINES_SHOWN: usize = 60;

/// Writes the model where it was asked for; says whether it was asked for at all.
pub(super) fn write(fit: &Fit, file: Option<&Destination>, console: &Console) -> Result<bool> {
    let destinations = destinations(file, console);
    if destinations.is_empty() {
        return Ok(false);
    }
    let document = json::write_model(fit);
    for destination in destinations {
        destination.write(|out| writeln!(out, "{document}"))?;
    }
    Ok(true)
}

/// Where a document was asked for.
pub(super) fn destinations<'a>(
    file: Option<&'a Destination>,
    console: &Console,
) -> Vec<&'a Destination> {
    let stdout = console.json.then_some(&Destination::Stdout);
    file.into_iter().chain(stdout).collect()
}

/// The tree, or the top of a large one, its figures, and what is proven about it.
pub(super) fn summary(fit: &Fit, how: &str) -> String {
    let text = top(&fit.model, "-o FILE");
    let figures = figures(&fit.training, how);
    let proven = proven(fit).unwrap_or_default();
    format!("{text}\n{figures}\n{proven}")
}

/// The tree as text, or the top of a large one; `option` writes it to a file.
pub(super) fn top(tree: &Tree, option: &str) -> String {
    let lines = screen_lines(tree);
    let shown = if tree.n_leaves() <= MOST_LEAVES_SHOWN {
        lines.clone()
    } else {
        let top = lines.iter().filter(|line| level(line) <= LEVELS_SHOWN);
        top.take(MOST_LINES_SHOWN).cloned().collect()
    };
    let n_shown = shown.len();
    let mut text = show::coloured(&show::for_screen(shown));
    if n_shown < lines.len() {
        let (shown, all) = (n_shown, lines.len());
        let note = format!("({shown} of {all} lines; {option} and then `show FILE` give all)\n");
        text.push_str(&note);
    }
    text
}

/// How deep in the tree a line stands.
fn level(line: &Line) -> usize {
    const GUIDE_WIDTH: usize = 3;
    match line.segments.first() {
        Some((Style::Guide, guide)) => guide.chars().count() / GUIDE_WIDTH,
        _ => 0,
    }
}

/// The figures of a tree on one line; `how` it was made, such as "learned".
pub(super) fn figures(training: &Training, how: &str) -> String {
    let leaves = count(training.leaves, "leaf", "leaves");
    let errors = training.errors.map_or(String::new(), |errors| {
        let (errors, all) = (weight(errors), weight(training.weight));
        format!("training errors {errors} of {all}, ")
    });
    format!(
        "{leaves}, depth {}, {errors}training cost {}, {how} in {}",
        training.depth,
        rounded(training.cost),
        duration(training.seconds)
    )
}

/// What the certificate says, as a line.
fn proven(fit: &Fit) -> Option<String> {
    let certificate = fit.certificate.as_ref()?;
    let how = match certificate.tolerance {
        _ if certificate.exact => "exact".into(),
        Some(tolerance) => format!("up to rounding of {tolerance:.1e}"),
        None => "up to rounding".into(),
    };
    let what = words::statement(&certificate.statement);
    let pruned = fit.learner.params.pruned();
    let objective = if pruned.is_some_and(PruningParams::is_by_max_cost) {
        // It is a number of leaves.
        weight(certificate.objective)
    } else {
        rounded(certificate.objective)
    };
    if certificate.is_optimal() {
        // Where that is known, it goes without saying.
        let leaves = match certificate.fewest_leaves {
            Some(false) => ", perhaps with fewer leaves",
            _ => "",
        };
        return Some(format!(
            "proven least {what}: {objective} ({how}{leaves})
"
        ));
    }
    let bound = rounded(certificate.lower_bound);
    let gap = percent(certificate.gap());
    Some(format!(
        "not proven least {what}: {objective}, none is below {bound}, a gap of {gap} ({how})
"
    ))
}
