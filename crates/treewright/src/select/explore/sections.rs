//! Trees and families as parts of a report, and what is proven of them in words.

use super::MOST_LEAVES;
use crate::cost::{Loss, Penalty};
use crate::eval::{Choices, Entry, Proven, Section, SectionKind, Trunk};
use crate::prune::{importances_of, is_searched};
use crate::tree::{Certificate, FamilyFit, Fit, Kept, NodeId, Tree};

/// Of larger trees those that rows left out speak for are shown, up to this size.
const MOST_LEAVES_OF_CHOSEN: usize = 1200;
/// The curve of a family has at most about so many points.
const MOST_ENTRIES: usize = 240;

/// A tree as an entry.
pub(super) fn of_tree(fit: &Fit, validated: Option<(f64, f64)>) -> Entry {
    let tree = &fit.model;
    Entry {
        leaves: tree.n_leaves(),
        depth: Some(tree.depth()),
        cost: fit.training.cost,
        errors: fit.training.errors,
        lambda_low: None,
        lambda_high: None,
        validated,
        words: words_of(fit.certificate.as_ref(), fit),
        proven: match &fit.certificate {
            None => Proven::Nothing,
            Some(certificate) if certificate.is_optimal() => Proven::Best,
            Some(certificate) => Proven::Within(certificate.gap()),
        },
        confusion: None,
        importances: importances_of(tree, &fit.learner).ok(),
        tree: Some(tree.clone()),
    }
}

/// What a certificate says, in words.
fn words_of(certificate: Option<&Certificate>, fit: &Fit) -> String {
    let Some(certificate) = certificate else {
        return "Nothing is proven about this tree.".into();
    };
    let what = match (fit.learner.name.as_str(), fit.model.loss()) {
        ("optimal", loss) if !certificate.what.contains('*') => {
            let trees = certificate.what.split(" over ").nth(1).unwrap_or("trees");
            let fewer = match loss {
                Loss::ZeroOne => "makes fewer errors",
                _ => "costs less",
            };
            return if certificate.is_optimal() {
                format!(
                    "No {} {fewer} on the rows it was learned from: proven.",
                    singular(trees)
                )
            } else {
                format!(
                    "Not proven yet: among {trees}, one may cost as little as {:.6}; the gap is {:.1} %.",
                    certificate.lower_bound,
                    100.0 * certificate.gap()
                )
            };
        }
        _ => &certificate.what,
    };
    if certificate.is_optimal() {
        format!("The least {what}: proven.")
    } else {
        format!(
            "Not proven yet to be the least {what}: the bound is {:.6}, the gap {:.1} %.",
            certificate.lower_bound,
            100.0 * certificate.gap()
        )
    }
}

/// "trees of depth 2 ..." as one of them.
fn singular(trees: &str) -> String {
    trees.replacen("trees", "tree", 1)
}

/// A family as a section.
pub(super) fn of_family(fit: &FamilyFit) -> Section {
    let family = &fit.family;
    let kept = Kept::of(family);
    let validation = fit.cross_validation.as_ref();
    let validation = validation.map(|found| kept.validation(found));
    let figures = family.members();
    let is_searched = is_searched(fit);
    let places = thinned(
        kept.members().len(),
        |place| figures[kept.members()[place]].leaves,
        validation.as_ref().map(|found| [found.min, found.one_se]),
    );
    let entry = |&place: &usize| {
        let member = kept.members()[place];
        let figures = &figures[member];
        let is_chosen = validation
            .as_ref()
            .is_some_and(|found| place == found.min || place == found.one_se);
        let most = if is_chosen {
            MOST_LEAVES_OF_CHOSEN
        } else {
            MOST_LEAVES
        };
        let tree = (figures.leaves <= most).then(|| family.tree(member));
        let is_proven = figures.lambda_low >= fit.exact_down_to && !is_cut_short(fit);
        Entry {
            leaves: figures.leaves,
            depth: tree.as_ref().map(Tree::depth),
            cost: figures.cost,
            errors: figures.errors,
            lambda_low: Some(figures.lambda_low).filter(|low| low.is_finite()),
            lambda_high: figures.lambda_high,
            validated: validation
                .as_ref()
                .map(|found| (found.error[place], found.se[place])),
            words: words_of_member(fit, is_searched, is_proven),
            proven: if is_proven {
                Proven::Best
            } else {
                Proven::Nothing
            },
            confusion: None,
            importances: tree
                .as_ref()
                .and_then(|tree| importances_of(tree, &fit.learner).ok()),
            tree,
        }
    };
    let at = |wanted: usize| places.partition_point(|&place| place < wanted);
    Section {
        id: format!("{}-{}", fit.learner.name, family.penalty()),
        title: title_of(fit, is_searched),
        kind: SectionKind::Family,
        learner: fit.learner.clone(),
        penalty: Some(family.penalty().to_string()),
        seconds: fit.seconds,
        chosen: validation.as_ref().map(|found| Choices {
            min: at(found.min),
            one_se: at(found.one_se),
        }),
        words: words_of_family(fit),
        trunk: trunk(fit),
        entries: places.iter().map(entry).collect(),
    }
}

/// Of a large family: all small members, the chosen ones, and others evenly between.
fn thinned(
    n_members: usize,
    leaves: impl Fn(usize) -> usize,
    chosen: Option<[usize; 2]>,
) -> Vec<usize> {
    let small = (0..n_members).filter(|&place| leaves(place) <= MOST_LEAVES);
    let mut places: Vec<usize> = small.take(MOST_ENTRIES).collect();
    let rest = places.len()..n_members;
    let room = MOST_ENTRIES.saturating_sub(places.len()).max(20);
    let steps = rest.len().min(room);
    places.extend((0..steps).map(|step| rest.start + (step + 1) * rest.len() / steps - 1));
    places.extend(chosen.into_iter().flatten());
    places.sort_unstable();
    places.dedup();
    places
}

/// Of a nested family the largest member that is shown.
fn trunk(fit: &FamilyFit) -> Option<Trunk> {
    let nested = fit.family.as_nested()?;
    let members = fit.family.members();
    let largest = members
        .partition_point(|member| member.leaves <= MOST_LEAVES)
        .checked_sub(1)?;
    let (tree, last_as_leaf) = nested.largest(largest + 1);
    let at = |id: NodeId| members[last_as_leaf[id.index()] as usize].lambda_low;
    let collapse_at = tree.ids().map(|id| (!tree.is_leaf(id)).then(|| at(id)));
    Some(Trunk {
        collapse_at: collapse_at.collect(),
        tree,
    })
}

fn title_of(fit: &FamilyFit, is_searched: bool) -> String {
    let penalty = fit.family.penalty();
    let name = capitalised(&fit.learner.name);
    let pruned = if is_searched { "" } else { ", pruned" };
    match penalty {
        Penalty::Linear => format!("{name}{pruned}"),
        _ => format!("{name}{pruned} ({penalty})"),
    }
}

/// Did the growing of the tree whose prunings these are end too early?
fn is_cut_short(fit: &FamilyFit) -> bool {
    let params = &fit.learner.params;
    params.contains_key("stopped") && !params.contains_key("stopped_in") && !is_searched(fit)
}

fn words_of_member(fit: &FamilyFit, is_searched: bool, is_proven: bool) -> String {
    if is_cut_short(fit) {
        return "The tree was still growing when the time was up: nothing is proven.".into();
    }
    if !is_proven {
        return "The search was stopped above this weight: a larger tree may be better.".into();
    }
    if is_searched {
        "No dyadic tree with these cells is better for any weight in the interval: proven.".into()
    } else {
        format!(
            "No pruning of the grown tree ({}) is better for any weight in the interval: proven.",
            leaves_in_words(fit.training.leaves)
        )
    }
}

pub(super) fn leaves_in_words(leaves: usize) -> String {
    match leaves {
        1 => "one leaf".to_owned(),
        _ => format!("{leaves} leaves"),
    }
}

fn words_of_family(fit: &FamilyFit) -> String {
    let mut words = if is_cut_short(fit) {
        "The growing was stopped: the tree is smaller than it would have become".to_owned()
    } else if fit.exact_down_to == 0.0 {
        "The family is complete".to_owned()
    } else {
        "The search was stopped: smaller weights are missing".to_owned()
    };
    if let Some(halvings) = fit.learner.params.get("k") {
        words.push_str("; halvings of the features: ");
        words.push_str(&halvings.to_string().replace(',', ", "));
    }
    if fit.learner.params.contains_key("stopped") && fit.cross_validation.is_none() {
        words += "; the time did not last for cross-validation";
    }
    words + "."
}

pub(super) fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
