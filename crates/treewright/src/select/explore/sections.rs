//! Trees and families as parts of a report, and what is proven of them.

use super::MOST_LEAVES;
use super::found::Found;
use crate::eval::{
    Choices, Entry, Extent, FamilyState, MemberProof, Section, SectionKind, Standing, Trunk,
};
use crate::prune::importances_of;
use crate::tree::{FamilyFit, Fit, Kept, Member, NodeId, StoppedIn, Tree};

/// Of larger trees those that rows left out speak for are shown, up to this size.
const MOST_LEAVES_OF_CHOSEN: usize = 1200;
/// The curve of a family has at most about this many points.
const MOST_ENTRIES: usize = 240;

/// A tree as an entry.
pub(super) fn of_tree(fit: &Fit) -> Entry {
    let tree = &fit.model;
    Entry {
        leaves: tree.n_leaves(),
        depth: Some(tree.depth()),
        cost: fit.training.cost,
        errors: fit.training.errors,
        lambda_low: None,
        lambda_high: None,
        validated: None,
        by_fold: Vec::new(),
        member: None,
        standing: Standing::Tree(fit.certificate.clone().map(Box::new)),
        confusion: None,
        quality: None,
        importances: importances_of(tree, &fit.learner).ok(),
        tree: Some(tree.clone()),
    }
}

/// A family as a section.
pub(super) fn of_family(fit: &FamilyFit) -> Section {
    let family = &fit.family;
    let kept = Kept::of(family);
    let validation = fit.cross_validation.as_ref();
    let validation = validation.map(|found| kept.validation(found));
    let figures = family.members();
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
        Entry {
            leaves: figures.leaves,
            depth: tree.as_ref().map(Tree::depth),
            cost: figures.cost,
            errors: figures.errors,
            lambda_low: figures.lambda_low.filter(|low| low.is_finite()),
            lambda_high: figures.lambda_high,
            validated: validation
                .as_ref()
                .map(|found| (found.error[place], found.se[place])),
            by_fold: validation.as_ref().map_or(Vec::new(), |found| {
                found.folds.iter().map(|fold| fold.error[place]).collect()
            }),
            member: Some(member),
            standing: Standing::Member(proof_of(fit, member, figures)),
            confusion: None,
            quality: None,
            importances: tree
                .as_ref()
                .and_then(|tree| importances_of(tree, &fit.learner).ok()),
            tree,
        }
    };
    let at = |wanted: usize| places.partition_point(|&place| place < wanted);
    Section {
        id: id_of(fit),
        way: None,
        kind: SectionKind::Family,
        learner: fit.learner.clone(),
        penalty: Some(family.penalty().to_string()),
        seconds: fit.seconds,
        chosen: validation.as_ref().map(|found| Choices {
            min: at(found.min),
            one_se: at(found.one_se),
        }),
        state: Some(state_of(fit)),
        trunk: trunk(fit),
        entries: places.iter().map(entry).collect(),
    }
}

/// A family that was found, with what else is known of it.
pub(super) fn of_found(found: &Found) -> Section {
    let mut section = of_family(&found.fit);
    if let Some(state) = &mut section.state {
        state.is_coarser = found.is_coarser;
    }
    Section {
        id: found.id(),
        way: found.way.map(str::to_owned),
        seconds: found.seconds,
        ..section
    }
}

/// A short name of a family.
pub(super) fn id_of(fit: &FamilyFit) -> String {
    format!("{}-{}", fit.learner.kind, fit.family.penalty())
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
    let collapse_at = tree
        .ids()
        .map(|id| (!tree.is_leaf(id)).then(|| at(id)).flatten());
    Some(Trunk {
        collapse_at: collapse_at.collect(),
        tree,
    })
}

/// Did the growing of the tree whose prunings these are end too early?
fn is_cut_short(fit: &FamilyFit) -> bool {
    fit.learner.params.stopped() == Some(StoppedIn::Learning) && !fit.learner.is_searched()
}

/// What is proven about a member.
fn proof_of(fit: &FamilyFit, member: usize, figures: &Member) -> MemberProof {
    if is_cut_short(fit) {
        MemberProof::StillGrowing
    } else if fit.family.has_all_sizes() {
        let bounds = fit.lower_bounds.as_ref();
        let lower = bounds.map_or(figures.cost, |bounds| bounds[member]);
        match fit.learner.params.depth() {
            Ok(Some(depth)) if lower >= figures.cost => MemberProof::BestOfSize { depth },
            _ => MemberProof::SizeNotProven {
                lower,
                gap: 1.0 - lower / figures.cost,
            },
        }
    } else if !(figures.lambda_low >= Some(fit.exact_down_to)) {
        MemberProof::BelowTheSearch
    } else if fit.learner.is_searched() {
        MemberProof::BestDyadic
    } else {
        MemberProof::BestPruning {
            from_leaves: fit.training.leaves,
        }
    }
}

fn state_of(fit: &FamilyFit) -> FamilyState {
    let params = &fit.learner.params;
    FamilyState {
        penalty: fit.family.penalty().clone(),
        extent: if is_cut_short(fit) {
            Extent::StillGrowing
        } else if fit.is_complete() {
            Extent::Complete
        } else {
            Extent::Stopped
        },
        halvings: params.halvings(),
        depth: fit
            .family
            .has_all_sizes()
            .then(|| params.depth().ok()?)
            .flatten(),
        is_unvalidated: params.stopped().is_some() && fit.cross_validation.is_none(),
        is_coarser: false,
    }
}
