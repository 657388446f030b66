//! What a report says about its trees.

use std::fmt::Write as _;

use super::{statement, trees};
use crate::cost::{Loss, Penalty};
use crate::eval::{
    Entry, Extent, FamilyState, MemberProof, Section, SectionKind, Standing, percent,
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
    let (lower, gap) = (certificate.lower_bound, percent(certificate.gap()));
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
                "Not proven yet: among {trees}, one may cost as little as {lower:.6}; the gap is {gap}."
            )
        };
    }
    let what = statement(&certificate.statement);
    if certificate.is_optimal() {
        format!("The least {what}: proven.")
    } else {
        format!("Not proven yet to be the least {what}: the bound is {lower:.6}, the gap {gap}.")
    }
}

fn of_member(proof: MemberProof) -> String {
    match proof {
        MemberProof::StillGrowing => {
            "The tree was still growing when it was stopped: nothing is proven.".into()
        }
        MemberProof::BelowTheSearch => {
            "The search was stopped before trees of this size: a larger one may be better.".into()
        }
        MemberProof::BestDyadic => "Proven: no tree on this grid does better at this size.".into(),
        MemberProof::BestOfSize { depth } => format!(
            "Proven: no tree of depth {depth} with as many leaves does better on the rows it was learned from."
        ),
        MemberProof::SizeNotProven { lower, gap } => format!(
            "Not proven yet: a tree with as many leaves may cost as little as {lower:.6}; the gap is {}.",
            percent(gap)
        ),
        MemberProof::BestPruning { from_leaves } => format!(
            "It is the best pruning of this size of a greedy tree with {}; other trees may be better.",
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
        words += "; it was stopped before it was cross-validated";
    }
    words.push('.');
    if state.is_coarser {
        words += match state.depth {
            Some(_) => " The search for deeper trees was stopped.",
            None => " The search with more halvings was stopped.",
        };
    }
    words
}

/// What sets a family apart, for people.
fn in_words(way: &str) -> &str {
    match way {
        "branch" => "missing: branch",
        "distribute" => "missing: shares",
        "quantile" => "halved by rows",
        other => other,
    }
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
            let way = match (penalty, &section.way) {
                (Penalty::Linear, None) => String::new(),
                (Penalty::Linear, Some(way)) => format!(" ({})", in_words(way)),
                (_, None) => format!(" ({penalty})"),
                (_, Some(way)) => format!(" ({}, {penalty})", in_words(way)),
            };
            format!("{name}{pruned}{of_depth}{way}")
        }
        (SectionKind::Family | SectionKind::Tree, _) => name,
    }
}

pub(super) fn leaves(leaves: usize) -> String {
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
