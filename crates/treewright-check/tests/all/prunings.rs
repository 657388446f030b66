//! Prunings for all penalties, and families that hide something.

use fastrand::Rng;
use serde_json::{Value, json};
use treewright::Budget;
use treewright::data::Dataset;
use treewright::export::json::{write_family, write_model};
use treewright::learn::{Greedy, Learner};
use treewright::prune::{Aim, Method, NodeCosts, Pruner, PruningCost};
use treewright::select::Pruned;
use treewright_check::{Table, Verdict, WORK, check};

use crate::tables::{Shape, dataset};

const PENALTIES: [&str; 6] = ["linear", "sqrt", "log", "power:1/3", "power:2", "power:0.5"];

fn table(random: &mut Rng) -> Option<(String, Dataset)> {
    let shape = Shape {
        rows: random.usize(6..24),
        weights: false,
        missing: false,
        ..Shape::random(random)
    };
    let text = shape.text(random);
    let data = dataset(&text, false)?;
    (data.schema().classes().len() > 1).then_some((text, data))
}

fn judge(document: &Value, proof: Option<&str>, text: &str) -> Verdict {
    let table = Table::from_text(text, ',').unwrap();
    check(&document.to_string(), &table, proof, WORK).verdict()
}

fn grown(data: &Dataset) -> (treewright::Fit, String) {
    let grown = Greedy::default().fit(data, &Budget::unlimited()).unwrap();
    let header = json!({"format": "treewright.proof", "version": 1, "kind": "grown"});
    let proof = format!("{header}\n{}\n", write_model(&grown));
    (grown, proof)
}

/// Sizes that are too close for doubles are not decided.
fn is_true(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::NotChecked(why) => why.contains("too close"),
        verdict => *verdict == Verdict::Confirmed,
    }
}

fn family(penalty: &str, data: &Dataset) -> Value {
    let pruned = Pruned {
        penalty: penalty.parse().unwrap(),
        ..Pruned::new(Greedy::default())
    };
    let found = pruned.fit_family(data, &Budget::unlimited(), None).unwrap();
    serde_json::from_str(&write_family(&found)).unwrap()
}

#[test]
fn families_are_confirmed_and_hidden_members_found() {
    let mut random = Rng::with_seed(11);
    let (mut n_confirmed, mut n_refuted) = (0, 0);
    for _ in 0..240 {
        let Some((text, data)) = table(&mut random) else {
            continue;
        };
        let penalty = *random.choice(&PENALTIES).unwrap();
        let family = family(penalty, &data);
        let proof = grown(&data).1;
        let verdict = judge(&family, Some(&proof), &text);
        assert!(is_true(&verdict), "{verdict}\n{family}\n{text}");
        n_confirmed += usize::from(verdict == Verdict::Confirmed);
        // Without the grown tree nothing is refuted.
        let verdict = judge(&family, None, &text);
        assert!(
            !matches!(verdict, Verdict::Refuted(_)),
            "{verdict}\n{family}"
        );
        let n_members = family["members"].as_array().unwrap().len();
        if n_members < 2 {
            continue;
        }
        let mut fewer_errors = family.clone();
        let of_member = &mut fewer_errors["members"][n_members - 2];
        let errors = of_member["errors"].as_f64().unwrap();
        let rows = family["training"]["rows"].as_f64().unwrap();
        of_member["errors"] = json!(errors - 1.0);
        of_member["cost"] = json!((errors - 1.0) / rows);
        let mut other_threshold = family.clone();
        let low = family["members"][0]["lambda_low"].as_f64().unwrap() * 1.01;
        other_threshold["members"][0]["lambda_low"] = json!(low);
        other_threshold["members"][1]["lambda_high"] = json!(low);
        for false_family in [fewer_errors, other_threshold] {
            let verdict = judge(&false_family, Some(&proof), &text);
            assert!(
                matches!(verdict, Verdict::Refuted(_)),
                "{verdict}\n{false_family}"
            );
            n_refuted += 1;
        }
    }
    assert!(
        n_confirmed > 120 && n_refuted > 200,
        "{n_confirmed} {n_refuted}"
    );
}

/// The family of a smaller tree, said to be that of a larger one.
#[test]
fn the_cost_of_the_grown_tree_is_not_believed() {
    let mut random = Rng::with_seed(12);
    let mut n_refuted = 0;
    for _ in 0..200 {
        let Some((text, data)) = table(&mut random) else {
            continue;
        };
        let (all, proof) = grown(&data);
        let stump = Greedy {
            max_depth: Some(1),
            ..Greedy::default()
        };
        let found = Pruned::new(stump).fit_family(&data, &Budget::unlimited(), None);
        let small: Value = serde_json::from_str(&write_family(&found.unwrap())).unwrap();
        if small["training"]["errors"].as_f64().unwrap() <= all.training.errors.unwrap() {
            continue;
        }
        let verdict = judge(&small, None, &text);
        assert!(
            matches!(verdict, Verdict::NotChecked(_)),
            "{verdict}\n{small}"
        );
        let verdict = judge(&small, Some(&proof), &text);
        assert!(matches!(verdict, Verdict::Refuted(_)), "{verdict}\n{small}");
        n_refuted += 1;
    }
    assert!(n_refuted > 80, "{n_refuted}");
}

#[test]
fn single_prunings_for_all_aims() {
    let mut random = Rng::with_seed(13);
    let (mut n_confirmed, mut n_refuted) = (0, 0);
    for _ in 0..300 {
        let Some((text, data)) = table(&mut random) else {
            continue;
        };
        let (all, proof) = grown(&data);
        let aim = match random.u8(..3) {
            0 => Aim::Weight(
                random
                    .choice(["0.02", "1/30", "0"])
                    .unwrap()
                    .parse()
                    .unwrap(),
            ),
            1 => Aim::Leaves(random.usize(1..6)),
            _ => Aim::MaxCost(
                random
                    .choice(["0.1", "0.25", "1/3"])
                    .unwrap()
                    .parse()
                    .unwrap(),
            ),
        };
        let pruner = Pruner {
            penalty: random.choice(PENALTIES).unwrap().parse().unwrap(),
            cost: PruningCost::Error,
            method: Method::Auto,
            most_bytes: u64::MAX,
        };
        let costs = NodeCosts::of(&all.model, PruningCost::Error).unwrap();
        let Ok(pruned) = pruner.prune(all.clone(), &costs, None, &aim) else {
            continue;
        };
        let model: Value = serde_json::from_str(&write_model(&pruned)).unwrap();
        let verdict = judge(&model, Some(&proof), &text);
        assert!(is_true(&verdict), "{verdict}\n{model}\n{text}");
        n_confirmed += usize::from(verdict == Verdict::Confirmed);
        // The grown tree, said to be the best with its own leaves, where it is not.
        let mut whole: Value = serde_json::from_str(&write_model(&all)).unwrap();
        let leaves = all.training.leaves;
        if pruned.training.leaves < leaves && matches!(aim, Aim::MaxCost(_)) {
            whole["learner"]["params"]["pruned"] = model["learner"]["params"]["pruned"].clone();
            whole["certificate"] = model["certificate"].clone();
            whole["certificate"]["objective"] = json!(leaves as f64);
            whole["certificate"]["lower_bound"] = json!(leaves as f64);
            let verdict = judge(&whole, Some(&proof), &text);
            assert!(matches!(verdict, Verdict::Refuted(_)), "{verdict}\n{whole}");
            n_refuted += 1;
        }
    }
    assert!(
        n_confirmed > 150 && n_refuted > 20,
        "{n_confirmed} {n_refuted}"
    );
}
