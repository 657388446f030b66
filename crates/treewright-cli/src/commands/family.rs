//! A family as a result: written as a file, or shown as a table.

use std::fmt::Write as _;

use anyhow::Result;
use treewright::cost::Lambda;
use treewright::export::json;
use treewright::prune::is_searched;
use treewright::tree::{CrossValidation, FamilyFit, Kept, Member};

use super::{count, model};
use crate::output::{self, Console, Destination, duration, rounded};

/// Of a larger family, about this many members are printed.
const MOST_MEMBERS_SHOWN: usize = 30;

/// Writes the family where it was asked for; says whether it was asked for at all.
pub(super) fn write(
    fit: &FamilyFit,
    file: Option<&Destination>,
    console: &Console,
) -> Result<bool> {
    let destinations = model::destinations(file, console);
    if destinations.is_empty() {
        return Ok(false);
    }
    json::check_family_size(fit)?;
    for destination in destinations {
        destination.write(|out| {
            json::write_family_to(fit, &mut *out)?;
            writeln!(out)
        })?;
    }
    Ok(true)
}

/// The family on one line.
pub(super) fn figures(fit: &FamilyFit) -> String {
    let kept = Kept::of(&fit.family);
    let most_leaves = fit.family.values()[kept.largest()].leaves;
    let members = match kept.members().len() {
        1 => "1 member with 1 leaf".into(),
        n_members => format!("{n_members} members with 1 to {most_leaves} leaves"),
    };
    let is_heuristic = fit.learner.params.is_heuristic();
    let what = if fit.family.has_all_sizes() {
        "the best trees of each size, with weights".to_owned()
    } else if is_heuristic {
        format!("{} trees of a heuristic search", fit.learner.kind)
    } else if is_searched(fit) {
        format!("the best {} trees", fit.learner.kind)
    } else {
        let leaves = count(fit.training.leaves, "leaf", "leaves");
        format!("the best prunings of a tree with {leaves}")
    };
    // Then trees that are as good as others may be missing or superfluous.
    let is_rounded = fit.family.has_rounded_units();
    let tolerance = fit.tolerance.filter(|_| is_rounded);
    let rounding = tolerance.map_or(String::new(), |tolerance| {
        format!(" (up to rounding of {tolerance:.1e})")
    });
    let is_stopped = !is_heuristic && !fit.is_complete() || fit.learner.params.stopped().is_some();
    format!(
        "{members}, {what} for penalty {}{rounding}, found in {}{}",
        fit.family.penalty(),
        duration(fit.seconds),
        if is_stopped { ", stopped early" } else { "" }
    )
}

/// A table of the members, smallest first, with what their marks mean.
pub(super) fn table(fit: &FamilyFit) -> String {
    let kept = Kept::of(&fit.family);
    let n_members = kept.members().len();
    let found = fit.cross_validation.as_ref();
    let found = found.map(|found| kept.validation(found));
    let found = found.as_ref();
    let best = fit.family.best_members();
    let has_weights = |place: usize| best.binary_search(&kept.members()[place]).is_ok();
    let shown = shown(n_members, has_weights, found);
    let mut header = vec!["", "leaves", "lambda from", "to below", cost_name(fit)];
    header.extend(fit.lower_bounds.iter().map(|_| "at least"));
    header.extend(found.iter().flat_map(|_| ["cv error", "cv se"]));
    let rows = shown.iter().map(|&place| row(fit, &kept, place, found));
    let header = header.into_iter().map(str::to_owned).collect();
    let mut text = output::figures(header, rows);
    if shown.len() < n_members {
        let shown = shown.len();
        let _ = writeln!(
            text,
            "({shown} of {n_members} members; --json and -o FILE give all)"
        );
    }
    if fit.family.has_ties() {
        text.push_str("tied: as good as its neighbours at one weight, and nowhere better\n");
    }
    if found.is_some() {
        text.push_str(
            "min: least cv error; 1se: the smallest within one standard error (cv se) of it\n",
        );
    }
    format!("{text}\n{}\n", figures(fit))
}

/// What a family's costs are called.
fn cost_name(fit: &FamilyFit) -> &'static str {
    let cost = fit.learner.params.family_cost();
    match cost.and_then(|cost| cost.as_str()) {
        Some("impurity") => "impurity",
        _ if fit.training.errors.is_none() => "mse",
        _ => "cost",
    }
}

/// Which members are printed: the first, the last, the chosen ones, others evenly between. Those that are best for no
/// weight make way first.
fn shown(
    n_members: usize,
    has_weights: impl Fn(usize) -> bool,
    found: Option<&CrossValidation>,
) -> Vec<usize> {
    if n_members <= MOST_MEMBERS_SHOWN {
        return (0..n_members).collect();
    }
    let (best, others): (Vec<usize>, Vec<usize>) =
        (0..n_members).partition(|&place| has_weights(place));
    let room = MOST_MEMBERS_SHOWN - 2;
    // The first and the last member have weights.
    let mut places = evenly(&best, room);
    places.extend(evenly(&others, room.saturating_sub(best.len())));
    places.extend(found.iter().flat_map(|found| [found.min, found.one_se]));
    places.sort_unstable();
    places.dedup();
    places
}

/// At most a given number of some places, the first and the last among them.
pub(super) fn evenly(places: &[usize], most: usize) -> Vec<usize> {
    if places.len() <= most {
        return places.to_vec();
    }
    let steps = most.saturating_sub(1).max(1);
    let place = |step: usize| places[step * (places.len() - 1) / steps];
    (0..most).map(place).collect()
}

fn row(fit: &FamilyFit, kept: &Kept, place: usize, found: Option<&CrossValidation>) -> Vec<String> {
    let family = &fit.family;
    let member = |place: usize| family.member(kept.members()[place]);
    // The weights of a member end where those of the next smaller one begin that has some.
    let has_weights = |it: &Member| it.lambda_low.is_some() && !is_tied(it);
    let above = (0..place).rev().map(member).find(has_weights);
    let member = member(place);
    let (scale, value) = (family.scale(), family.values()[kept.members()[place]]);
    let mut cells = vec![
        mark(place, found).to_owned(),
        member.leaves.to_string(),
        match member.lambda_low {
            None => "-".into(),
            Some(_) if is_tied(&member) => "tied".into(),
            Some(low) => threshold(&member, low),
        },
        match (
            member.lambda_low,
            above.and_then(|above| Some((above, above.lambda_low?))),
        ) {
            (None, _) => "-".into(),
            (_, None) => "inf".into(),
            (_, Some((above, low))) => threshold(&above, low),
        },
        // Only prunings are taken by their cost.
        if is_searched(fit) {
            rounded(member.cost)
        } else {
            rounded_up(member.cost, |most| scale.is_at_most(value.cost, most))
        },
    ];
    if let Some(bounds) = &fit.lower_bounds {
        cells.push(rounded(bounds[kept.members()[place]]));
    }
    if let Some(found) = found {
        cells.extend([rounded(found.error[place]), rounded(found.se[place])]);
    }
    cells
}

/// Is a member only as good as its neighbours, at one weight?
fn is_tied(member: &Member) -> bool {
    member.lambda_low.is_some() && member.lambda_high == member.lambda_low
}

/// A cost that, given back with `--max-cost`, is enough for the member: rounded up in the last digit
/// where the nearest number is below.
fn rounded_up(cost: f64, is_enough: impl Fn(&Lambda) -> bool) -> String {
    let step = if (1e-4..1e12).contains(&cost) {
        1e-6
    } else {
        10_f64.powf(cost.log10().floor() - 6.0)
    };
    [0.0, 0.5, 1.0]
        .iter()
        .map(|steps| rounded(cost + steps * step))
        .find(|text| text.parse().is_ok_and(|most| is_enough(&most)))
        .unwrap_or_else(|| cost.to_string())
}

fn mark(place: usize, found: Option<&CrossValidation>) -> &'static str {
    match found.map(|found| (place == found.min, place == found.one_se)) {
        Some((true, true)) => "min, 1se",
        Some((true, false)) => "min",
        Some((false, true)) => "1se",
        _ => "",
    }
}

/// The weight from which on a member is the best, rounded up as far as its interval allows: given back
/// with `--lambda`, the printed number chooses this member.
pub(super) fn threshold(member: &Member, low: f64) -> String {
    const SHORT: usize = 8;
    let is_inside =
        |number: f64| number >= low && member.lambda_high.is_none_or(|high| number < high);
    let in_full = plain(low);
    if in_full.len() <= SHORT {
        return in_full;
    }
    let magnitude = low.log10().floor() as i32;
    for digits in 3..16 {
        let scale = 10_f64.powi(digits - magnitude);
        let number = (low * scale).ceil() / scale;
        if is_inside(number) {
            return plain(number);
        }
    }
    in_full
}

fn plain(number: f64) -> String {
    if number == 0.0 || (1e-5..1e9).contains(&number) {
        number.to_string()
    } else {
        format!("{number:e}")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use treewright::cost::{Penalty, Scale, SolutionValue};
    use treewright::tree::Family;

    use super::*;

    #[test]
    fn printed_thresholds_lie_in_the_interval() {
        let text = |low: f64, high: Option<f64>| {
            let member = Member {
                leaves: 1,
                cost: 0.0,
                errors: None,
                lambda_low: Some(low),
                lambda_high: high,
            };
            threshold(&member, low)
        };
        assert_eq!(text(1.0 / 3.0, None), "0.3334");
        assert_eq!(text(0.25, Some(0.5)), "0.25");
        assert_eq!(text(0.0, Some(0.5)), "0");
        assert_eq!(text(1.0 / 3.0, Some(0.33334)), "0.333334");
        assert_eq!(text(1e-9, Some(1.0)), "1e-9");
        let narrow = text(0.1, Some(0.1_f64.next_up()));
        assert_eq!(narrow, "0.1");
    }

    /// The second and the third border between members differ by 1e-18.
    #[test]
    fn members_that_no_file_has_are_not_printed() {
        let text = r#"{"format": "treewright.tree", "version": 1, "task": "regression",
            "features": [], "target": {"name": "y"}, "reading": {"na": [], "weight": null},
            "learner": {"name": "greedy", "params": {}},
            "training": {"rows": 1, "weight": 1, "cost": 0, "leaves": 1, "depth": 0, "seconds": 0},
            "nodes": [{"mean": 1, "weight": 1, "sse": 0, "value": 1}]}"#;
        let fit = json::read_model(text).unwrap();
        let n = 1_000_000_000;
        let values = [(1, 3 * n + 3), (n + 1, 2 * n + 2), (2 * n + 2, n)];
        let value = |(leaves, cost)| SolutionValue {
            cost: cost as i64,
            leaves,
        };
        let scale = Scale::new(1.0, 1.0);
        let trees = Arc::new(vec![fit.model; 3]);
        let values = values.into_iter().map(value).collect();
        let found = FamilyFit {
            family: Family::new(Penalty::Linear, scale, values, trees),
            learner: fit.learner,
            training: fit.training,
            exact: true,
            tolerance: None,
            exact_down_to: 0.0,
            lower_bounds: None,
            costs_from: None,
            work: None,
            cross_validation: Some(CrossValidation {
                error: vec![0.25, 0.5, 0.75],
                se: vec![0.0; 3],
                min: 1,
                one_se: 0,
                folds: Vec::new(),
            }),
            seconds: 0.0,
        };
        let text = table(&found);
        assert!(
            text.contains("2 members with 1 to 2000000002 leaves"),
            "{text}"
        );
        assert!(!text.contains("1000000001 "), "{text}");
        // The member before took its weights over.
        assert!(text.contains("min, 1se"), "{text}");
    }

    #[test]
    fn printed_costs_are_enough() {
        let text = |cost: f64| {
            let exact = Lambda::try_from(cost).unwrap();
            rounded_up(cost, |most| *most >= exact)
        };
        for (cost, printed) in [
            (0.25, "0.250000"),
            (1.0 / 3.0, "0.333334"),
            (2.0 / 3.0, "0.666667"),
            (0.007_812_5, "0.007813"),
            (0.0, "0.000000"),
            (1e-9 / 3.0, "3.333334e-10"),
            (4e20 / 3.0, "1.333334e20"),
        ] {
            assert_eq!(text(cost), printed);
        }
        let mut number: f64 = 0.7;
        for _ in 0..1000 {
            number = (number * 3.99 * (1.0 - number)).clamp(1e-3, 1.0 - 1e-3);
            for cost in [number, number * 1e-7, number * 1e15] {
                assert!(text(cost).parse::<f64>().unwrap() >= cost, "{cost}");
            }
        }
    }

    #[test]
    fn large_families_are_thinned() {
        let all = |_| true;
        assert_eq!(shown(3, all, None), [0, 1, 2]);
        let found = CrossValidation {
            error: Vec::new(),
            se: Vec::new(),
            min: 57,
            one_se: 41,
            folds: Vec::new(),
        };
        let thinned = shown(1000, all, Some(&found));
        assert!(thinned.len() <= MOST_MEMBERS_SHOWN);
        for place in [0, 41, 57, 999] {
            assert!(thinned.contains(&place));
        }
        // Of those without weights some are left out, of the others none.
        let some = shown(100, |place| place % 9 == 0, Some(&found));
        assert!(some.len() > 20 && some.len() <= MOST_MEMBERS_SHOWN);
        for place in [0, 9, 18, 41, 57, 90, 99] {
            assert!(some.contains(&place));
        }
    }
}
