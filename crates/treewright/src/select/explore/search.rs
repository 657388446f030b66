//! The order of the work, and the time for each part of it.

use std::time::Duration;

use super::answer::shorten;
use super::dyadic;
use super::exploration::Exploration;
use super::found::Found;
use super::greedy::{self, FIRST_SHARE};
use super::left_out;
use super::reports::{blank, look_at};
use super::sections::of_found;
use super::task::{Lack, Part, Task};
use super::{Explore, Resampling};
use crate::budget::Budget;
use crate::data::Dataset;
use crate::error::Result;
use crate::eval::{Candidate, Explored, NoDyadic, Report, Stop, rate};

/// This part of the time is kept to look at what the trees do to the rows.
const SHARE_OF_ROWS: u32 = 20;

/// All families get a part of this time before any of them gets more.
const SOON: Duration = Duration::from_secs(2);

/// All of it.
pub(super) fn search(
    explore: &Explore,
    title: &str,
    data: &Dataset,
    budget: &Budget,
) -> Result<Exploration> {
    let for_rows = budget
        .left()
        .map_or(Duration::ZERO, |left| left / SHARE_OF_ROWS);
    let for_trees = budget.keeping(for_rows);
    let mut parts = parts(explore, data);
    let mut best = Best::default();
    let mut say = |found: &Found| {
        if let Some(words) = best.take(found, explore, data) {
            budget.progress().answer(words);
        }
    };
    if for_trees.left().is_some_and(|left| left > 3 * SOON) {
        // Whoever stops the work early has an answer from all families that are quick.
        one_round(explore, data, &for_trees.within(SOON), &mut parts, &mut say)?;
    }
    one_round(explore, data, &for_trees, &mut parts, &mut say)?;
    rest_of_the_time(explore, data, &for_trees, &mut parts, &mut say)?;
    let stopped = stop_of(&parts, &for_trees);
    budget.progress().enter("looking at the rows".into());
    report(explore, title, data, budget, parts, stopped)
}

/// What there is to do, the cheapest first.
fn parts(explore: &Explore, data: &Dataset) -> Vec<Part> {
    let greedy = greedy::families(explore, data).into_iter();
    let mut tasks: Vec<Task> = greedy.map(|it| Task::Greedy(Box::new(it))).collect();
    if data.schema().is_classification() {
        let dyadic = dyadic::families(data).into_iter();
        tasks.extend(dyadic.map(|it| Task::Dyadic(Box::new(it))));
        tasks.push(Task::Optimal(Box::default()));
    }
    tasks.into_iter().map(Part::new).collect()
}

/// Each open part once: half of what is left for the first, a fair share for each of the others.
fn one_round(
    explore: &Explore,
    data: &Dataset,
    budget: &Budget,
    parts: &mut [Part],
    say: &mut dyn FnMut(&Found),
) -> Result<()> {
    let n_parts = parts.iter().filter(|part| part.is_open).count() as u32;
    let open = parts.iter_mut().filter(|part| part.is_open);
    for (place, part) in open.enumerate() {
        let is_large = data.n_rows() > MANY_ROWS;
        if place > 0 && budget.is_spent() && (is_large || budget.is_interrupted()) {
            break;
        }
        let ahead = n_parts - place as u32;
        let share = match place {
            0 => ahead.min(2),
            _ => ahead,
        };
        go_on(part, share, explore, data, budget, say)?;
    }
    Ok(())
}

/// A small table is looked at in no time.
const MANY_ROWS: usize = 500_000;

/// What is still open gets all the time that is left.
fn rest_of_the_time(
    explore: &Explore,
    data: &Dataset,
    budget: &Budget,
    parts: &mut [Part],
    say: &mut dyn FnMut(&Found),
) -> Result<()> {
    loop {
        let n_open = parts.iter().filter(|part| part.is_open).count() as u32;
        if n_open == 0 || budget.is_spent() || budget.left().is_none() {
            return Ok(());
        }
        let open = parts.iter_mut().filter(|part| part.is_open);
        for (place, part) in open.enumerate() {
            if budget.is_spent() {
                return Ok(());
            }
            go_on(part, n_open - place as u32, explore, data, budget, say)?;
        }
    }
}

/// Goes on with a part, for this share of the time that is left.
fn go_on(
    part: &mut Part,
    share: u32,
    explore: &Explore,
    data: &Dataset,
    budget: &Budget,
    say: &mut dyn FnMut(&Found),
) -> Result<()> {
    // Memory that the part before has given back may be taken again.
    let again = budget.with_memory_again();
    let own = match budget.left() {
        None => again,
        Some(left) => again.within(left / share),
    };
    part.go_on(explore, data, &own, say)
}

/// Why not all was done that there was to do.
fn stop_of(parts: &[Part], budget: &Budget) -> Option<Stop> {
    let is_any = |lack: Lack| parts.iter().any(|part| part.lacks == Some(lack));
    let is_short = is_any(Lack::Time) || parts.iter().any(|part| !part.is_begun);
    let is_by_memory = !budget.is_late() && budget.is_out_of_memory();
    let lacks_time = is_short && !is_by_memory;
    let lacks_memory = is_any(Lack::Memory) || is_short && is_by_memory;
    match (lacks_time, lacks_memory) {
        (false, false) => None,
        _ if budget.is_interrupted() => Some(Stop::Interrupted),
        (true, false) => Some(Stop::Time),
        (false, true) => Some(Stop::Memory),
        (true, true) => Some(Stop::TimeAndMemory),
    }
}

/// What can be said while the work goes on: the tree that is good enough among those judged so far.
#[derive(Default)]
struct Best {
    /// The members of each family, with its name.
    families: Vec<(String, Vec<Candidate<'static>>)>,
}

impl Best {
    /// Looks at a family; the answer so far, if there is one.
    fn take(&mut self, found: &Found, explore: &Explore, data: &Dataset) -> Option<String> {
        let judged = found.fit.cross_validation.as_ref()?;
        let name = found.id();
        let leaves = found.fit.family.values().iter().map(|member| member.leaves);
        let errors = judged.error.iter().zip(&judged.se);
        let member = |(leaves, (&error, &se))| Candidate {
            leaves,
            error,
            se,
            by_fold: &[],
        };
        let members = leaves.zip(errors).map(member).collect();
        self.families.retain(|(other, _)| *other != name);
        self.families.push((name, members));
        let all: Vec<_> = self
            .families
            .iter()
            .flat_map(|(_, members)| members.clone())
            .collect();
        let single = all.iter().find(|it| it.leaves == 1).map(|it| it.error);
        let unit = if data.schema().is_classification() {
            1.0
        } else {
            single.unwrap_or(1.0)
        };
        let chosen = all[explore.good_enough.choose(&all, unit)?];
        let error = rate(&explore.loss, chosen.error);
        Some(format!("so far {} leaves, {error}", chosen.leaves))
    }
}

/// The families as a report.
fn report(
    explore: &Explore,
    title: &str,
    data: &Dataset,
    budget: &Budget,
    parts: Vec<Part>,
    stopped: Option<Stop>,
) -> Result<Exploration> {
    let mut explored = Explored {
        rule: explore.good_enough,
        stopped,
        ..Explored::default()
    };
    let mut families = Vec::new();
    for part in parts {
        if let Task::Dyadic(family) = &part.task
            && family.is_first()
        {
            explored.no_dyadic = match &family.refusal {
                Some(refusal) => Some(NoDyadic::Refused(refusal.clone())),
                None => (!part.is_begun).then_some(NoDyadic::NoTime),
            };
        }
        families.extend(part.into_found());
    }
    let mut report = blank(title, data, &explore.loss);
    if let Resampling::Folds {
        folds,
        repeats,
        seed,
    } = explore.resampling
    {
        report.folds = Some((folds, repeats, seed));
    }
    let judged = |it: &Found| it.judged_by == Some(explore.resampling);
    if !families.iter().any(judged) && families.iter().any(|it| it.judged_by.is_some()) {
        explored.judged_by_share = Some(FIRST_SHARE);
        report.folds = None;
    } else {
        // Errors on other rows cannot be compared with those of the folds.
        for family in &mut families {
            if !judged(family) {
                family.forget_errors();
            }
        }
    }
    report.baseline_left_out = left_out::baseline(&families, data)?;
    report.sections = families.iter().map(of_found).collect();
    report.explored = Some(explored);
    finish(&mut report, data, budget, &families)?;
    Ok(Exploration { report, families })
}

/// Fewer rows times trees are looked at in no time.
const MANY_STEPS: usize = 500_000;

/// Chooses the tree, and looks at what all of them do to the rows.
fn finish(report: &mut Report, data: &Dataset, budget: &Budget, families: &[Found]) -> Result<()> {
    let entries = report.sections.iter().flat_map(|section| &section.entries);
    let single = entries.clone().find(|entry| entry.leaves == 1);
    report.baseline = single.map(|entry| entry.cost);
    let n_trees = entries.count();
    report.start = super::answer::start(report);
    let weights = families.iter().find_map(|found| {
        let judged = found.fit.cross_validation.as_ref()?;
        let weights: Vec<f64> = judged.folds.iter().map(|fold| fold.weight).collect();
        (!weights.is_empty()).then_some(weights)
    });
    let optimism = weights.and_then(|weights| report.optimism(&weights));
    if let Some(explored) = &mut report.explored {
        explored.optimism = optimism;
    }
    let (start, n_classes) = (report.start, data.schema().classes().len());
    shorten(&mut report.sections, start, n_classes);
    let is_slow = data.n_rows().saturating_mul(n_trees) > MANY_STEPS;
    // Half of the time for each look at the rows.
    let for_confusion = budget.left().map_or(Duration::ZERO, |left| left / 2);
    let judging = budget.keeping(for_confusion);
    let is_late = || is_slow && judging.is_spent();
    left_out::judge(report, families, data, &is_late)?;
    look_at(&mut report.sections, data, &|| is_slow && budget.is_spent())
}
