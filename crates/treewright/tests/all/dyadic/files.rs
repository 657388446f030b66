//! Files of dyadic families for other penalties, with tied members, and of searches that were stopped.

use fastrand::Rng;
use treewright::Budget;
use treewright::cost::{Lambda, Penalty};
use treewright::eval::verify;
use treewright::export::json;
use treewright::learn::FamilyLearner;
use treewright::learn::dyadic::Dyadic;
use treewright::prune::take_out;
use treewright::tree::{FamilyFit, Member};

use super::penalties::penalties;
use super::sizes::any_case;
use crate::tables::{Weights, large_table};

/// Writes and reads a family, which must not change it.
#[track_caller]
fn stored(found: &FamilyFit) -> FamilyFit {
    let text = json::write_family(found);
    let stored = json::read_family(&text).unwrap_or_else(|error| panic!("{error} in {text}"));
    assert_eq!(json::write_family(&stored), text);
    assert_eq!(stored.exact_down_to, found.exact_down_to);
    assert_eq!(stored.work, found.work);
    assert_eq!(stored.learner, found.learner);
    stored
}

#[test]
fn families_come_back_and_their_members_hold() {
    let mut n_tied = 0;
    for seed in 0..150 {
        let mut rng = Rng::with_seed(seed);
        let (mut learner, table) = any_case(&mut rng, Weights::Any);
        let linear = learner.fit_family(&table.data, &Budget::unlimited());
        let most_leaves = linear.unwrap().training.leaves;
        for penalty in penalties(&mut rng, most_leaves) {
            learner.penalty = penalty;
            learner.collinear = rng.bool();
            let case = || format!("seed {seed}, {learner:?}\n{table}");
            let found = learner.fit_family(&table.data, &Budget::unlimited());
            let found = found.unwrap_or_else(|error| panic!("{error}, {}", case()));
            let stored = stored(&found);
            let members = stored.family.members();
            let is_tied = |member: &Member| member.lambda_high == Some(member.lambda_low.unwrap());
            let has_ties = members.iter().any(is_tied);
            assert_eq!(stored.family.has_ties(), has_ties, "{}", case());
            assert!(learner.collinear || !has_ties, "{}", case());
            for (place, member) in members.iter().enumerate() {
                let taken = take_out(&stored, place, None, None).unwrap();
                let checks = verify(&taken, &table.data);
                assert!(checks.holds, "{checks:?}, {}", case());
                assert!(!taken.learner.params.as_json().contains_key("collinear"));
                // At the weight as it is written, a smaller tree is the best.
                assert_eq!(taken.certificate.is_none(), is_tied(member), "{}", case());
                assert_eq!(taken.training.leaves, member.leaves);
                n_tied += usize::from(is_tied(member));
                let given = stored.family.with_leaves(member.leaves);
                assert_eq!(given, Some(place));
            }
        }
    }
    assert!(n_tied > 30, "{n_tied}");
}

/// Thresholds in a file are rounded up. A weight below one, but not below what it stands for, must not choose the larger
/// tree.
#[test]
fn weights_between_a_threshold_and_its_double() {
    let mut n_tried = 0;
    for seed in 0..100 {
        let mut rng = Rng::with_seed(seed);
        let (learner, table) = any_case(&mut rng, Weights::Any);
        let found = learner.fit_family(&table.data, &Budget::unlimited());
        let found = found.unwrap();
        if !found.exact {
            continue;
        }
        let stored = stored(&found);
        let weight = found.training.weight;
        for pair in found.family.members().windows(2) {
            let fall = ((pair[0].cost - pair[1].cost) * weight).round();
            let run = weight * (pair[1].leaves - pair[0].leaves) as f64;
            // The threshold itself, and weights just below and above it.
            let zeros = "0".repeat(18);
            for text in [
                format!("{fall}/{run}"),
                format!("{fall}{zeros}/{run}{}1", &zeros[1..]),
                format!("{fall}{}1/{run}{zeros}", &zeros[1..]),
            ] {
                let lambda: Lambda = text.parse().unwrap();
                let place = found.family.at(&lambda);
                assert_eq!(stored.family.at(&lambda), place, "seed {seed}, {text}");
                n_tried += 1;
            }
        }
    }
    assert!(n_tried > 200, "{n_tried}");
}

#[test]
fn a_family_of_a_search_that_was_stopped_at_once() {
    let table = large_table(&mut Rng::with_seed(0), 2000, &[90, 80, 70, 60, 50], 3);
    // So little for a second leaf that any weight is too low for a single one.
    let values = ["0", "5e-324", "1", "2"];
    for (penalty, is_infinite) in [
        (Penalty::Linear, false),
        ("power:2".parse().unwrap(), false),
        (Penalty::table(&values).unwrap(), true),
    ] {
        let learner = Dyadic {
            penalty,
            most_bytes: 0,
            ..Dyadic::default()
        };
        let found = learner.fit_family(&table.data, &Budget::unlimited());
        let stored = stored(&found.unwrap());
        assert_eq!(stored.exact_down_to == f64::INFINITY, is_infinite);
        let taken = take_out(&stored, 0, None, None).unwrap();
        assert!(verify(&taken, &table.data).holds);
        assert_eq!(taken.training.leaves, 1);
        assert_eq!(taken.certificate.is_none(), is_infinite);
        assert_eq!(
            taken.learner.params.as_json().contains_key("lambda"),
            !is_infinite
        );
        let taken = take_out(&stored, 0, Some("5".parse().unwrap()), None).unwrap();
        assert!(verify(&taken, &table.data).holds);
        assert_eq!(taken.certificate.is_none(), is_infinite);
    }
}
