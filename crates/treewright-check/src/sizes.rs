//! Claims that follow from the least cost of each number of leaves.

use crate::data::Data;
use crate::figures::certificate;
use crate::model::Certificate;
use crate::numbers::{Ratio, binary, nearest};
use crate::penalty::Penalty;
use crate::report::{Report, Verdict};

/// `sizes` has the least total cost with 1, 2, ... leaves, as long as it falls; or why it is not known.
type Sizes = Result<Vec<Ratio>, String>;

/// The best tree with at most `most` leaves.
pub(crate) fn limited(
    claimed: &Certificate,
    data: &Data,
    cost: &Ratio,
    leaves: usize,
    most: usize,
    sizes: Sizes,
    report: &mut Report,
) {
    let total = data.total();
    if leaves > most {
        let what = format!("{leaves}, at most {most} were asked for");
        return report.add("leaves", Verdict::Refuted(what));
    }
    if !report.result(
        "objective",
        certificate(claimed, &(cost / &total), data.is_whole),
    ) {
        return;
    }
    let is_optimal = claimed.optimal == Some(true);
    let tolerance = binary(claimed.tolerance.unwrap_or(0.0)) * &total;
    let bound = if is_optimal {
        cost.clone()
    } else {
        binary(claimed.lower_bound.unwrap_or(0.0)) * &total
    };
    let verdict = match sizes {
        Err(why) => Verdict::NotChecked(why),
        Ok(mut sizes) => {
            sizes.truncate(most);
            let least = sizes.last().cloned().unwrap_or_default();
            // The fewest leaves are claimed only where costs are exact.
            let claims_leaves = is_optimal && claimed.exact && claimed.fewest_leaves != Some(false);
            if least < bound - tolerance {
                Verdict::Refuted(format!("a tree of cost {}", nearest(&(least / total))))
            } else if claims_leaves && leaves != sizes.len() {
                Verdict::Refuted(format!("a tree of that cost has {} leaves", sizes.len()))
            } else {
                Verdict::Confirmed
            }
        }
    };
    report.add("optimal", verdict);
}

/// The best tree for a penalty that is not linear. Its values are doubles: what they cannot tell is not decided.
#[expect(clippy::too_many_arguments, reason = "all that a claim is about")]
pub(crate) fn penalised(
    claimed: &Certificate,
    data: &Data,
    penalty: Option<&Penalty>,
    lambda: &Ratio,
    cost: &Ratio,
    leaves: usize,
    sizes: Sizes,
    report: &mut Report,
) {
    let total = data.total();
    let verdict = match (penalty, sizes) {
        (None, _) => Verdict::NotChecked("the values of the penalty are not in the file".into()),
        (_, Err(why)) => Verdict::NotChecked(why),
        (Some(penalty), Ok(sizes)) => {
            let of = |cost: &Ratio, leaves: usize| {
                nearest(&(cost / &total)) + nearest(lambda) * penalty.of(leaves)
            };
            let objective = of(cost, leaves);
            let slack = claimed.tolerance.unwrap_or(0.0) + 1e-12 * objective.abs();
            let (Some(printed), Some(bound)) = (claimed.objective, claimed.lower_bound) else {
                return report.add(
                    "certificate",
                    Verdict::Refuted("no objective or no bound".into()),
                );
            };
            let all = sizes
                .iter()
                .enumerate()
                .map(|(place, cost)| (place + 1, of(cost, place + 1)));
            let best = all
                .min_by(|a, b| a.1.total_cmp(&b.1))
                .unwrap_or((leaves, objective));
            if (printed - objective).abs() > slack.max(1e-9 * objective.abs()) {
                Verdict::Refuted(format!("objective is {printed}, found {objective}"))
            } else if claimed.optimal != Some(bound == printed) || bound > printed {
                Verdict::Refuted("optimal is not what the bounds say".into())
            } else if best.1 < bound - slack {
                Verdict::Refuted(format!("a tree with {} leaves has {}", best.0, best.1))
            } else if bound == printed && best.0 != leaves && best.1 < objective {
                Verdict::NotChecked("two sizes are too close for doubles".into())
            } else {
                Verdict::Confirmed
            }
        }
    };
    report.add("optimal", verdict);
}
