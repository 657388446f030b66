//! What a report says about its trees.

use std::fmt::Write as _;

use super::{statement, trees};
use crate::cost::{Loss, Penalty};
use crate::eval::{
    Entry, Extent, FamilyState, MemberProof, NoDyadic, Report, Section, SectionKind, Standing,
};
use crate::tree::{Certificate, Minimised, Statement, TreeClass};

/// What is proven about a tree. The costs are those of `loss`.
pub fn entry(entry: &Entry, loss: &Loss) -> String {
    match &entry.standing {
        Standing::Tree(None) => "Nothing is proven about this tree.".into(),
        Standing::Tree(Some(certificate)) => of_certificate(certificate, loss),
        Standing::Member(proof) => of_member(*proof),
    }
}

fn of_certificate(certificate: &Certificate, loss: &Loss) -> String {
    let (lower, gap) = (certificate.lower_bound, 100.0 * certificate.gap());
    if let Statement::Least(least) = &certificate.statement
        && let (Minimised::Cost(_), class @ TreeClass::Bounded { .. }) =
            (&least.minimised, &least.over)
    {
        let trees = trees(class);
        let fewer = match loss {
            Loss::ZeroOne => "makes fewer errors",
            _ => "costs less",
        };
        return if certificate.is_optimal() {
            let tree = trees.replacen("trees", "tree", 1);
            format!("No {tree} {fewer} on the rows it was learned from: proven.")
        } else {
            format!(
                "Not proven yet: among {trees}, one may cost as little as {lower:.6}; the gap is {gap:.1} %."
            )
        };
    }
    let what = statement(&certificate.statement);
    if certificate.is_optimal() {
        format!("The least {what}: proven.")
    } else {
        format!(
            "Not proven yet to be the least {what}: the bound is {lower:.6}, the gap {gap:.1} %."
        )
    }
}

fn of_member(proof: MemberProof) -> String {
    match proof {
        MemberProof::StillGrowing => {
            "The tree was still growing when the time was up: nothing is proven.".into()
        }
        MemberProof::BelowTheSearch => {
            "The search was stopped above this weight: a larger tree may be better.".into()
        }
        MemberProof::BestDyadic => {
            "No dyadic tree with these cells is better for any weight in the interval: proven."
                .into()
        }
        MemberProof::BestOfSize { depth } => format!(
            "No tree of depth {depth} with as many leaves costs less on the rows it was learned from: proven."
        ),
        MemberProof::SizeNotProven { lower, gap } => format!(
            "Not proven yet: a tree with as many leaves may cost as little as {lower:.6}; the gap is {:.1} %.",
            100.0 * gap
        ),
        MemberProof::BestPruning { from_leaves } => format!(
            "No pruning of the grown tree ({}) is better for any weight in the interval: proven.",
            leaves(from_leaves)
        ),
    }
}

/// What is proven about a family; empty for other trees.
pub fn section(section: &Section) -> String {
    let Some(state) = &section.state else {
        return String::new();
    };
    let mut words = match state.extent {
        Extent::StillGrowing => {
            "The growing was stopped: the tree is smaller than it would have become".to_owned()
        }
        Extent::Complete => match state.depth {
            Some(depth) => format!("The best tree of depth {depth} for each number of leaves"),
            None => "The family is complete".to_owned(),
        },
        Extent::Stopped if state.depth.is_some() => {
            "The search was stopped: not all trees are proven, and larger ones may be better"
                .to_owned()
        }
        Extent::Stopped => "The search was stopped: smaller weights are missing".to_owned(),
    };
    if let Some(halvings) = &state.halvings {
        let _ = write!(words, "; halvings of the features: {halvings:?}");
    }
    if state.is_unvalidated {
        words += "; the time did not last for cross-validation";
    }
    words.push('.');
    if state.is_coarser {
        words += match state.depth {
            Some(_) => " For deeper trees the time did not last.",
            None => " For more halvings the time did not last.",
        };
    }
    words
}

/// The name of a section for people.
pub fn title(section: &Section) -> String {
    let name = capitalised(section.learner.kind.name());
    match (section.kind, &section.state) {
        (SectionKind::Family, Some(FamilyState { penalty, depth, .. })) => {
            let pruned = if section.is_searched() {
                ""
            } else {
                ", pruned"
            };
            let of_depth = depth.map_or(String::new(), |depth| format!(", depth {depth}"));
            match penalty {
                Penalty::Linear => format!("{name}{pruned}{of_depth}"),
                _ => format!("{name}{pruned}{of_depth} ({penalty})"),
            }
        }
        (SectionKind::Family | SectionKind::Tree, _) => name,
    }
}

/// Which small tree is good enough, and is there provably nothing better?
pub fn answer(report: &Report) -> String {
    let mut answer = good_enough(report);
    if let Some(explored) = &report.explored {
        answer.extend(not_validated(report));
        match &explored.no_dyadic {
            None => {}
            Some(NoDyadic::NoTime) => {
                answer += " Left out are dyadic trees: there was no time.";
            }
            Some(NoDyadic::Refused(why)) => {
                let _ = write!(answer, " Left out are dyadic trees: {why}.");
            }
        }
    }
    answer
}

fn good_enough(report: &Report) -> String {
    let (at, place) = report.start;
    let section = report.sections.get(at);
    let Some((section, found)) = section.and_then(|it| Some((it, it.entries.get(place)?))) else {
        return String::new();
    };
    let (name, title) = (report.cost_name(), title(section));
    let proven = entry(found, &report.loss);
    let Some((error, se)) = found.validated else {
        return format!(
            "A tree with {} ({title}) has a training {name} of {}; nothing is cross-validated. {proven}",
            leaves(found.leaves),
            report.rate(found.cost),
        );
    };
    let beside = match least_error(report) {
        Some((least, best, family)) if least != error => format!(
            "within one standard error of the least, {} with {} ({})",
            report.rate(least),
            leaves(best.leaves),
            self::title(family)
        ),
        _ => format!("the least of all (standard error {})", report.rate(se)),
    };
    format!(
        "A tree with {} is good enough ({title}): its cross-validated {name} is {}, {beside}. {proven}",
        leaves(found.leaves),
        report.rate(error),
    )
}

/// The smallest tree of least error on held-out rows.
fn least_error(report: &Report) -> Option<(f64, &Entry, &Section)> {
    let all = report.sections.iter().flat_map(|section| {
        let entries = section.entries.iter();
        entries.filter_map(move |entry| Some((entry.validated?.0, entry, section)))
    });
    all.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.leaves.cmp(&b.1.leaves)))
}

/// Which trees held-out rows say nothing about, because the time did not last.
fn not_validated(report: &Report) -> Option<String> {
    let is_without = |section: &&Section| section.entries.iter().any(|it| it.validated.is_none());
    let without = report.sections.iter().filter(is_without);
    let titles: Vec<String> = without.map(title).collect();
    (!titles.is_empty()).then(|| {
        format!(
            " The time did not last to cross-validate all of: {}. They may be better; give it more.",
            titles.join("; ")
        )
    })
}

fn leaves(leaves: usize) -> String {
    match leaves {
        1 => "one leaf".to_owned(),
        _ => format!("{leaves} leaves"),
    }
}

fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
