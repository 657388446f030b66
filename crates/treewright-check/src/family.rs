//! What a family of trees claims: its thresholds, and that each member is the best between two of them.
//!
//! The least objective is a concave function of the weight. A member whose line it touches at both ends of an interval is
//! therefore the best inside, too; so only the thresholds have to be looked at (docs/checker.md).

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use crate::model::{Member, Model};
use crate::numbers::{Ratio, about, binary, few_ulps, nearest};
use crate::report::{Report, Verdict};

/// Something to find out about all trees, where a leaf costs `price` on the scale of the total cost.
pub(crate) enum Question<'a> {
    /// Is a tree of this cost and so many leaves the best?
    Best {
        price: &'a Ratio,
        cost: &'a Ratio,
        leaves: usize,
        only_objective: bool,
    },
    /// Has every tree at least this objective?
    Bound { price: &'a Ratio, bound: &'a Ratio },
}

/// The figures of a member; `cost` is divided by the total weight.
pub(crate) fn member(
    member: &Member,
    leaves: usize,
    errors: &Ratio,
    cost: &Ratio,
    is_whole: bool,
) -> Result<(), String> {
    if member.leaves != leaves {
        return Err(format!("leaves is {}, found {leaves}", member.leaves));
    }
    let same = |claimed: f64, found: &Ratio| {
        few_ulps(claimed, found) || !is_whole && about(claimed, found)
    };
    if !same(member.cost, cost) {
        return Err(format!("cost is {}, found {}", member.cost, nearest(cost)));
    }
    match member.errors {
        Some(claimed) if same(claimed, errors) => Ok(()),
        claimed => Err(format!("errors is {claimed:?}, found {}", nearest(errors))),
    }
}

/// Checks thresholds and that members are the best. `found` has the total cost and the leaves of each member.
pub(crate) fn check(
    model: &Model,
    found: &[(Ratio, usize)],
    total: &Ratio,
    is_whole: bool,
    report: &mut Report,
    ask: &dyn Fn(Question<'_>) -> Verdict,
) {
    let members = model.members.as_deref().unwrap_or_default();
    let Some(claimed) = &model.certificate else {
        return report.add(
            "certificate",
            Verdict::Refuted("a family without a certificate".into()),
        );
    };
    if claimed.exact && !is_whole {
        let what = "exact is claimed, but costs of these rows are not whole numbers";
        return report.add("certificate", Verdict::Refuted(what.into()));
    }
    if model.penalty.as_deref() != Some("linear") {
        return report.add(
            "thresholds",
            Verdict::NotChecked("penalties that are not linear".into()),
        );
    }
    let tolerance = binary(claimed.tolerance.unwrap_or(0.0));
    let rises = |pair: &[(Ratio, usize)]| {
        pair[0].1 < pair[1].1
            && (pair[0].0 > pair[1].0
                || !claimed.exact && pair[0].0 >= &pair[1].0 - &tolerance * total)
    };
    if !found.windows(2).all(rises) {
        return report.add(
            "members",
            Verdict::Refuted("leaves do not rise, or costs do not fall".into()),
        );
    }
    // However large the weight is, one leaf is a tree, and none has fewer.
    if found.first().is_none_or(|(_, leaves)| *leaves != 1) {
        let what = "the first member is not a single leaf, which is the best for large weights";
        return report.add("members", Verdict::Refuted(what.into()));
    }
    // The weight at which a member is as good as the next one.
    let meet = |pair: &[(Ratio, usize)]| {
        (&pair[0].0 - &pair[1].0) / total / BigInt::from(pair[1].1 - pair[0].1)
    };
    let meets: Vec<Ratio> = found.windows(2).map(meet).collect();
    let slack = if claimed.exact {
        Ratio::zero()
    } else {
        &tolerance * BigInt::from(4)
    };
    report.result(
        "thresholds",
        thresholds(
            members,
            &meets,
            claimed.exact,
            &slack,
            claimed.exact_down_to,
        ),
    );
    let question = |weight: &Ratio, (cost, leaves): &(Ratio, usize), only_objective: bool| {
        let price = weight * total;
        if claimed.exact {
            ask(Question::Best {
                price: &price,
                cost,
                leaves: *leaves,
                only_objective,
            })
        } else {
            let objective = cost + &price * BigInt::from(*leaves) - &tolerance * total;
            ask(Question::Bound {
                price: &price,
                bound: &objective,
            })
        }
    };
    for (at, weight) in meets.iter().enumerate() {
        // Of members that meet in one point the smallest is taken.
        if at == 0 || meets[at - 1] != *weight {
            let name = format!("members {at} and {} at {}", at + 1, nearest(weight));
            report.add(name, question(weight, &found[at], false));
        }
    }
    let Some(last) = found.last() else { return };
    match claimed.exact_down_to {
        None => report.add("complete", Verdict::Confirmed),
        Some(down_to) => {
            let verdict = question(&binary(down_to), last, down_to != 0.0);
            report.add(format!("last member at {down_to}"), verdict);
        }
    }
}

/// Printed thresholds are the exact ones, rounded up.
fn thresholds(
    members: &[Member],
    meets: &[Ratio],
    exact: bool,
    slack: &Ratio,
    down_to: Option<f64>,
) -> Result<(), String> {
    if meets
        .windows(2)
        .any(|pair| pair[0] < pair[1] && &pair[1] - &pair[0] > *slack)
    {
        return Err("they do not fall".into());
    }
    for (at, member) in members.iter().enumerate() {
        let expected = if at == 0 {
            None
        } else {
            members[at - 1].lambda_low
        };
        if member.lambda_high != expected {
            return Err(format!(
                "lambda_high of member {at} is {:?}, expected {expected:?}",
                member.lambda_high
            ));
        }
        let Some(meet) = meets.get(at) else {
            if member.lambda_low != down_to {
                return Err(format!(
                    "lambda_low of the last member is {:?}, expected {down_to:?}",
                    member.lambda_low
                ));
            }
            continue;
        };
        let low = member.lambda_low.ok_or("lambda_low is null")?;
        let is_close = few_ulps(low, meet)
            || !exact && ((binary(low) - meet).abs() <= *slack || about(low, meet));
        if !is_close || exact && binary(low) < *meet {
            return Err(format!(
                "lambda_low of member {at} is {low}, found {}",
                nearest(meet)
            ));
        }
    }
    Ok(())
}
