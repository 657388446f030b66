//! Every tree worth having of one table: families of greedy and dyadic trees and the best trees of small depths,
//! cross-validated on the same folds, within a budget of time.
//!
//! The time is spread over the parts of the work by fixed shares; what a part does not need is left for those
//! after it. A part whose time is up leaves what it has, and the report says how far it came.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::choose::validate;
use super::pruned::Pruned;
use super::resampling::Resampling;
use super::searched::Searched;
use crate::budget::Budget;
use crate::cost::{Loss, Penalty, Scale, SolutionValue};
use crate::data::{Column, Dataset, Target};
use crate::error::{Error, Result};
use crate::eval::{Choices, Entry, Proven, Report, Sample, Section, SectionKind, Trunk};
use crate::learn::dyadic::{Dyadic, Resolution};
use crate::learn::optimal::Optimal;
use crate::learn::{Greedy, Learner};
use crate::prune::{Impurity, NodeCosts, PruningCost, importances, is_searched};
use crate::tree::{Certificate, Family, FamilyFit, Fit, Kept, LearnerInfo, NodeId, Tree};

/// Trees up to this size are part of a report.
const MOST_LEAVES: usize = 100;
/// Of larger ones those that rows left out speak for, up to this size.
const MOST_LEAVES_OF_CHOSEN: usize = 1200;
/// The curve of a family has at most about so many points.
const MOST_ENTRIES: usize = 240;
/// A report stays below two megabytes: nodes of all trees together take about so many bytes at most.
const MOST_NODE_BYTES: usize = 1_000_000;
/// And numbers of all confusion matrices together.
const MOST_CONFUSION_CELLS: usize = 80_000;
/// Depths of optimal trees.
const DEPTHS: [usize; 3] = [1, 2, 3];

/// How a table is explored.
#[derive(Debug, Clone)]
pub struct Explore {
    /// What wrong predictions cost.
    pub loss: Loss,
    /// Which rows are left out.
    pub resampling: Resampling,
    /// Memory for each search.
    pub most_bytes: usize,
}

/// Shares of the time.
#[derive(Debug, Clone, Copy)]
struct Clock<'a> {
    budget: &'a Budget,
    /// Shares of the parts that are still to come.
    ahead: u32,
}

impl Clock<'_> {
    /// The time for a part with this share.
    fn next(&mut self, share: u32) -> Budget {
        let part = match self.budget.left() {
            None => self.budget.clone(),
            Some(left) => {
                let own = left * share / self.ahead.max(share);
                self.budget.within(own)
            }
        };
        self.ahead = self.ahead.saturating_sub(share);
        part
    }
}

impl Explore {
    /// Ten folds, no limits of memory.
    pub fn new(loss: Loss) -> Self {
        Self {
            loss,
            resampling: Resampling::default(),
            most_bytes: usize::MAX,
        }
    }

    /// Finds the trees and says which one is good enough. A spent budget leaves away what was not reached.
    pub fn run(&self, title: &str, data: &Dataset, budget: &Budget) -> Result<Report> {
        if data.n_rows() == 0 || matches!(data.target(), Target::Absent) {
            return Err(Error::schema("the table has no rows to learn from"));
        }
        self.resampling.check(data)?;
        let is_classification = data.schema().is_classification();
        let mut clock = Clock {
            budget,
            ahead: if is_classification { 51 } else { 30 },
        };
        // Mostly these need little, and what they leave is for the others.
        let mut sections = vec![self.greedy(data, Penalty::Linear, &clock.next(20))?];
        sections.push(self.greedy(data, "sqrt".parse()?, &clock.next(10))?);
        let mut notes = Vec::new();
        if is_classification {
            let found = self.optimal(data, &mut clock)?;
            match self.dyadic(data, &mut clock) {
                Ok(section) => sections.push(section),
                // Too many features, say: no reason to go without the others.
                Err(error) => notes.push(format!("Left out are dyadic trees: {error}.")),
            }
            sections.push(self.validated(found, data, &mut clock)?);
        }
        tell(budget, "looking at the rows");
        let mut report = blank(title, data, &self.loss);
        if let Resampling::Folds {
            folds,
            repeats,
            seed,
        } = self.resampling
        {
            report.folds = Some((folds, repeats, seed));
        }
        report.sections = sections;
        shorten(&mut report.sections, data.schema().classes().len());
        look_at(&mut report.sections, data)?;
        let single = report.sections[0].entries.first();
        report.baseline = single
            .filter(|entry| entry.leaves == 1)
            .map(|entry| entry.cost);
        report.start = good_enough(&report.sections);
        report.answer = answer(&report);
        report.answer.extend(not_validated(&report.sections));
        for note in notes {
            report.answer.push(' ');
            report.answer.push_str(&note);
        }
        Ok(report)
    }

    /// All best prunings of a greedy tree.
    fn greedy(&self, data: &Dataset, penalty: Penalty, budget: &Budget) -> Result<Section> {
        tell(budget, &format!("greedy trees, penalty {penalty}"));
        let learner = Greedy {
            loss: self.loss.clone(),
            ..Greedy::default()
        };
        let pruned = Pruned {
            penalty,
            most_bytes: self.most_bytes as u64,
            ..Pruned::new(learner)
        };
        let found = pruned.fit_family(data, budget, Some(self.resampling))?;
        let seconds = found.training.seconds + found.seconds;
        Ok(Section {
            seconds,
            ..of_family(&found)
        })
    }

    /// The best dyadic trees, with as many halvings as the time allows.
    fn dyadic(&self, data: &Dataset, clock: &mut Clock<'_>) -> Result<Section> {
        let budget = clock.next(6);
        let start = Instant::now();
        let mut most: Option<FamilyFit> = None;
        let resolutions = [
            Resolution::Auto,
            Resolution::Same(3),
            Resolution::Same(2),
            Resolution::Same(1),
        ];
        let mut n_tried = 0;
        for resolution in resolutions {
            n_tried += 1;
            tell(&budget, &format!("dyadic trees{}", in_words(&resolution)));
            let learner = Dyadic {
                resolution,
                loss: self.loss.clone(),
                most_bytes: self.most_bytes,
                ..Dyadic::default()
            };
            let part = match budget.left() {
                None => budget.clone(),
                Some(left) => budget.within(left / 3),
            };
            let found = Searched::new(learner).fit_family(data, &part, Some(self.resampling))?;
            let is_validated = found.cross_validation.is_some();
            // Of several that were stopped, the one that came farthest.
            let knows_more = |other: &FamilyFit| found.family.len() > other.family.len();
            if is_validated || most.as_ref().is_none_or(knows_more) {
                most = Some(found);
            }
            if is_validated || budget.is_spent() {
                break;
            }
        }
        let found = most.expect("one was tried at least");
        let mut section = of_family(&found);
        if n_tried > 1 {
            section
                .words
                .push_str(" For more halvings the time did not last.");
        }
        Ok(Section {
            seconds: start.elapsed().as_secs_f64(),
            ..section
        })
    }

    /// The best trees of small depths.
    fn optimal(&self, data: &Dataset, clock: &mut Clock<'_>) -> Result<Vec<(Optimal, Fit)>> {
        let shares = [1, 2, 4];
        let mut found: Vec<(Optimal, Fit)> = Vec::new();
        for (depth, share) in DEPTHS.into_iter().zip(shares) {
            let budget = clock.next(share);
            tell(&budget, &format!("the best tree of depth {depth}"));
            let learner = Optimal {
                depth,
                loss: self.loss.clone(),
                most_bytes: self.most_bytes,
                ..Optimal::default()
            };
            let fit = learner.fit(data, &budget)?;
            found.push((learner, fit));
        }
        Ok(found)
    }

    /// The same trees on rows left out.
    fn validated(
        &self,
        found: Vec<(Optimal, Fit)>,
        data: &Dataset,
        clock: &mut Clock<'_>,
    ) -> Result<Section> {
        let shares = [1, 3, 4];
        let mut entries: Vec<Entry> = Vec::new();
        let (mut seconds, mut learner) = (0.0, LearnerInfo::default());
        for ((optimal, fit), share) in found.into_iter().zip(shares) {
            let depth = optimal.depth;
            let budget = clock.next(share);
            tell(&budget, &format!("depth {depth} on rows left out"));
            let validated = if is_hopeless(&fit, self.resampling, &budget) {
                None
            } else {
                self.of_one_tree(&optimal, &fit.model, data, &budget)?
            };
            seconds += fit.training.seconds;
            learner = fit.learner.clone();
            entries.push(of_tree(&fit, validated));
        }
        Ok(Section {
            id: "optimal".into(),
            title: "Optimal, depth 1 to 3".into(),
            kind: SectionKind::Trees,
            learner,
            penalty: None,
            seconds,
            chosen: choices(&entries),
            words: String::new(),
            trunk: None,
            entries,
        })
    }

    /// Error and standard error of a learner on rows left out; `None` if the budget is spent.
    fn of_one_tree(
        &self,
        learner: &Optimal,
        tree: &Tree,
        data: &Dataset,
        budget: &Budget,
    ) -> Result<Option<(f64, f64)>> {
        let make = |rows: Dataset, budget: &Budget| {
            let fit = learner.fit(&rows, budget)?;
            Ok((!budget.is_spent()).then(|| alone(fit.model)))
        };
        let all = alone(tree.clone());
        let found = validate(&make, data, &all, self.resampling, budget)?;
        Ok(found.map(|found| (found.error[0], found.se[0])))
    }
}

/// A family of one tree: it stands for all weights.
fn alone(tree: Tree) -> Family {
    let value = SolutionValue {
        cost: 0,
        leaves: tree.n_leaves(),
    };
    let scale = Scale {
        unit: 1.0,
        total_weight: 1.0,
    };
    Family::new(Penalty::Linear, scale, vec![value], Arc::new(vec![tree]))
}

/// Would learning on all folds take far longer than there is time?
fn is_hopeless(fit: &Fit, resampling: Resampling, budget: &Budget) -> bool {
    let Some(left) = budget.left() else {
        return false;
    };
    if fit.certificate.as_ref().is_some_and(|it| !it.is_optimal()) {
        return true;
    }
    let threads = rayon::current_num_threads().max(1) as f64;
    let seconds = fit.training.seconds * resampling.n_trees() as f64 / threads;
    Duration::try_from_secs_f64(seconds / 2.0).is_ok_and(|needed| needed > left)
}

fn tell(budget: &Budget, what: &str) {
    budget.progress().enter(what.to_owned());
}

fn in_words(resolution: &Resolution) -> String {
    match resolution {
        Resolution::Same(1) => ", one halving of each feature".into(),
        Resolution::Same(k) => format!(", {k} halvings of each feature"),
        _ => String::new(),
    }
}

/// A report on rows, without trees.
fn blank(title: &str, data: &Dataset, loss: &Loss) -> Report {
    Report {
        title: title.to_owned(),
        schema: Arc::clone(data.schema()),
        loss: loss.clone(),
        rows: data.n_rows(),
        weight: data.total_weight(),
        has_missing: data.columns().iter().map(Column::has_missing).collect(),
        folds: None,
        baseline: None,
        answer: String::new(),
        sections: Vec::new(),
        start: (0, 0),
        sample: Sample::of(data),
        other_rows: None,
    }
}

impl Report {
    /// A report on one learned tree; with rows also on what it does to them.
    pub fn on_model(title: &str, fit: &Fit, data: Option<&Dataset>) -> Result<Self> {
        let name = &fit.learner.name;
        let section = Section {
            id: name.clone(),
            title: capitalised(name),
            kind: SectionKind::Trees,
            learner: fit.learner.clone(),
            penalty: None,
            seconds: fit.training.seconds,
            chosen: None,
            words: String::new(),
            trunk: None,
            entries: vec![of_tree(fit, None)],
        };
        let tree = &fit.model;
        on_sections(title, vec![section], tree, fit.training.rows, data)
    }

    /// A report on a family; with rows also on what its trees do to them.
    pub fn on_family(title: &str, fit: &FamilyFit, data: Option<&Dataset>) -> Result<Self> {
        let tree = fit.family.tree(0);
        let mut report = on_sections(title, vec![of_family(fit)], &tree, fit.training.rows, data)?;
        let params = &fit.learner.params;
        let number = |name: &str| params.get(name).and_then(serde_json::Value::as_u64);
        if let (Some(folds), Some(repeats), Some(seed)) =
            (number("folds"), number("repeats"), number("seed"))
        {
            report.folds = Some((folds as usize, repeats as usize, seed));
        }
        Ok(report)
    }
}

fn on_sections(
    title: &str,
    sections: Vec<Section>,
    tree: &Tree,
    rows: usize,
    data: Option<&Dataset>,
) -> Result<Report> {
    let mut report = match data {
        Some(data) => blank(title, data, tree.loss()),
        None => Report {
            title: title.to_owned(),
            schema: Arc::clone(tree.schema()),
            loss: tree.loss().clone(),
            rows,
            weight: tree.weight(NodeId::ROOT),
            has_missing: vec![false; tree.schema().features.len()],
            folds: None,
            baseline: None,
            answer: String::new(),
            sections: Vec::new(),
            start: (0, 0),
            sample: None,
            other_rows: None,
        },
    };
    if data.is_some_and(|data| data.n_rows() != rows) {
        report.other_rows = Some(report.rows);
        (report.rows, report.weight) = (rows, tree.weight(NodeId::ROOT));
    }
    report.sections = sections;
    if let Some(data) = data {
        look_at(&mut report.sections, data)?;
    }
    shorten(&mut report.sections, tree.schema().classes().len());
    report.start = good_enough(&report.sections);
    report.answer = answer(&report);
    Ok(report)
}

/// Looks at rows, as long as there is room for what is seen.
fn look_at(sections: &mut [Section], data: &Dataset) -> Result<()> {
    let n_classes = data.schema().classes().len();
    let mut room = MOST_CONFUSION_CELLS;
    for entry in sections.iter_mut().flat_map(|section| &mut section.entries) {
        if let Some(rest) = room.checked_sub(n_classes * n_classes) {
            room = rest;
            entry.look_at(data)?;
        }
    }
    Ok(())
}

/// A tree as an entry.
fn of_tree(fit: &Fit, validated: Option<(f64, f64)>) -> Entry {
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
        importances: importances_of(tree, &fit.learner),
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
fn of_family(fit: &FamilyFit) -> Section {
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
                .and_then(|tree| importances_of(tree, &fit.learner)),
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

fn leaves_in_words(leaves: usize) -> String {
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

fn importances_of(tree: &Tree, learner: &LearnerInfo) -> Option<Vec<f64>> {
    let cost = if tree.schema().is_classification() {
        PruningCost::Impurity(Impurity::of_learner(learner))
    } else {
        PruningCost::Squared
    };
    let costs = NodeCosts::of(tree, cost).ok()?;
    Some(importances(tree, &costs))
}

fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// The entries of least error and within one standard error of it, of trees that are no family.
fn choices(entries: &[Entry]) -> Option<Choices> {
    let validated = || {
        let places = entries.iter().enumerate();
        places.filter_map(|(place, entry)| Some((place, entry.leaves, entry.validated?)))
    };
    let (min, _, (error, se)) = validated().min_by(|a, b| a.2.0.total_cmp(&b.2.0))?;
    let good = validated().filter(|(.., (own, _))| *own <= error + se);
    let one_se = good.min_by_key(|&(place, leaves, _)| (leaves, place));
    Some(Choices {
        min,
        one_se: one_se.map_or(min, |it| it.0),
    })
}

/// Lets the largest trees go until what is left fits a page.
fn shorten(sections: &mut [Section], n_classes: usize) {
    let per_node = 90 + 7 * n_classes;
    let mut left = MOST_NODE_BYTES;
    for section in &*sections {
        if let Some(trunk) = &section.trunk {
            left = left.saturating_sub(trunk.tree.n_nodes() * per_node);
        }
    }
    let start = good_enough(sections);
    let mut own: Vec<(bool, usize, usize, usize)> = Vec::new();
    for (at, section) in sections.iter().enumerate() {
        let in_trunk = section.trunk.as_ref().map_or(0, |it| it.tree.n_leaves());
        for (place, entry) in section.entries.iter().enumerate() {
            if let Some(tree) = entry.tree.as_ref().filter(|_| entry.leaves > in_trunk) {
                let is_chosen = (at, place) == start
                    || section
                        .chosen
                        .is_some_and(|it| it.min == place || it.one_se == place);
                own.push((!is_chosen, tree.n_nodes(), at, place));
            }
        }
    }
    // The chosen ones first, then the smallest.
    own.sort_unstable();
    for (_, n_nodes, at, place) in own {
        match left.checked_sub(n_nodes * per_node) {
            Some(rest) => left = rest,
            None => sections[at].entries[place].tree = None,
        }
    }
}

/// The smallest tree whose error on rows left out is within one standard error of the least of all. Without any
/// such errors, the largest of the first section that is shown.
fn good_enough(sections: &[Section]) -> (usize, usize) {
    let all = || {
        sections.iter().enumerate().flat_map(|(at, section)| {
            let entries = section.entries.iter().enumerate();
            entries.map(move |(place, entry)| (at, place, entry))
        })
    };
    let validated = all().filter_map(|(_, _, entry)| entry.validated);
    let least = validated.min_by(|a, b| a.0.total_cmp(&b.0));
    let Some((error, se)) = least else {
        let entries = sections.first().map_or(&[][..], |section| &section.entries);
        let is_shown = |entry: &Entry| entry.tree.is_some() && entry.leaves <= MOST_LEAVES;
        return (0, entries.iter().rposition(is_shown).unwrap_or(0));
    };
    let is_good = |entry: &Entry| entry.validated.is_some_and(|(own, _)| own <= error + se);
    all()
        .filter(|(_, _, entry)| is_good(entry))
        .min_by(|(_, _, a), (_, _, b)| {
            let errors = |entry: &Entry| entry.validated.map_or(f64::INFINITY, |it| it.0);
            let by_leaves = a.leaves.cmp(&b.leaves);
            by_leaves.then(errors(a).total_cmp(&errors(b)))
        })
        .map_or((0, 0), |(at, place, _)| (at, place))
}

/// Which trees rows left out say nothing about, because the time did not last.
fn not_validated(sections: &[Section]) -> Option<String> {
    let is_without = |section: &&Section| section.entries.iter().any(|it| it.validated.is_none());
    let titles = sections.iter().filter(is_without);
    let titles: Vec<&str> = titles.map(|section| section.title.as_str()).collect();
    (!titles.is_empty()).then(|| {
        format!(
            " The time did not last to cross-validate all of: {}. They may be better; give it more.",
            titles.join("; ")
        )
    })
}

/// Which small tree is good enough, and is there provably nothing better?
fn answer(report: &Report) -> String {
    let (at, place) = report.start;
    let Some(entry) = report
        .sections
        .get(at)
        .and_then(|section| section.entries.get(place))
    else {
        return String::new();
    };
    let leaves = leaves_in_words;
    let name = report.cost_name();
    let title = &report.sections[at].title;
    let Some((error, se)) = entry.validated else {
        return format!(
            "A tree with {} ({title}) has a training {name} of {}; nothing is cross-validated. {}",
            leaves(entry.leaves),
            report.rate(entry.cost),
            entry.words
        );
    };
    let all = report.sections.iter().flat_map(|section| {
        let entries = section.entries.iter();
        entries.filter_map(move |entry| Some((entry.validated?.0, entry.leaves, &section.title)))
    });
    let best = all.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let (least, best_leaves, best_title) = best.unwrap_or((error, entry.leaves, title));
    let beside = if least == error {
        format!("the least of all (standard error {})", report.rate(se))
    } else {
        format!(
            "within one standard error of the least, {} with {} ({best_title})",
            report.rate(least),
            leaves(best_leaves)
        )
    };
    format!(
        "A tree with {} is good enough ({title}): its cross-validated {name} is {}, {beside}. {}",
        leaves(entry.leaves),
        report.rate(error),
        entry.words
    )
}
