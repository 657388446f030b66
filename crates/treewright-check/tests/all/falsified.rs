//! Certificates that were falsified on purpose: all of them must be refuted.

use fastrand::Rng;
use serde_json::{Value, json};
use treewright::Budget;
use treewright::export::json::{write_family, write_model};
use treewright::learn::dyadic::{Aim, Dyadic};
use treewright::learn::optimal::Optimal;
use treewright::learn::{FamilyLearner, Learner};
use treewright_check::Verdict;

use crate::tables::{Shape, dataset, judge};

/// A table without weights: all claims are exact.
fn table(random: &mut Rng) -> Option<(String, treewright::data::Dataset)> {
    let shape = Shape {
        rows: random.usize(4..16),
        weights: false,
        ..Shape::random(random)
    };
    let text = shape.text(random);
    let data = dataset(&text, false)?;
    (data.schema().classes().len() > 1).then_some((text, data))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// The model with something false in it; `None` where that would still be true.
fn falsified(model: &Value, way: usize, random: &mut Rng) -> Option<Value> {
    let mut new = model.clone();
    let rows = number(&model["training"]["rows"]);
    let n_nodes = model["nodes"].as_array()?.len();
    let node = random.usize(..n_nodes);
    match way {
        // A cost that is too low.
        0 => {
            let errors = number(&model["training"]["errors"]);
            (errors >= 1.0).then_some(())?;
            new["training"]["errors"] = json!(errors - 1.0);
            new["training"]["cost"] = json!((errors - 1.0) / rows);
        }
        // An objective that is too low.
        1 => {
            let objective = number(&model["certificate"]["objective"]) - 0.5 / rows;
            new["certificate"]["objective"] = json!(objective);
            new["certificate"]["lower_bound"] = json!(objective);
        }
        // A bound above the objective.
        2 => {
            let objective = number(&model["certificate"]["objective"]);
            new["certificate"]["lower_bound"] = json!(objective + 1.0 / rows);
        }
        // Another label, which costs more.
        3 => {
            let counts: Vec<f64> = model["nodes"][node]["counts"]
                .as_array()?
                .iter()
                .map(number)
                .collect();
            let value = model["nodes"][node]["value"].as_u64()? as usize;
            let other = (value + 1) % counts.len();
            (counts[other] < counts[value]).then_some(())?;
            new["nodes"][node]["value"] = json!(other);
        }
        // A count that is too high.
        4 => {
            let class = random.usize(..model["target"]["classes"].as_array()?.len());
            let count = number(&model["nodes"][node]["counts"][class]);
            new["nodes"][node]["counts"][class] = json!(count + 1.0);
        }
        // A cut below all values: the rows of the first child go to the second.
        5 => {
            let cuts = model["nodes"][node]["split"]["cuts"].as_array()?;
            cuts.first()?;
            new["nodes"][node]["split"]["cuts"][0] = json!(-1000.0);
        }
        // Leaves that were not counted.
        6 => new["training"]["leaves"] = json!(number(&model["training"]["leaves"]) as u64 + 1),
        // A child that is not there.
        _ => {
            model["nodes"][node]["children"].as_array()?.first()?;
            new["nodes"][node]["children"][0] = json!(0);
        }
    }
    Some(new)
}

#[test]
fn false_models_are_refuted() {
    let mut random = Rng::with_seed(3);
    let mut n_refuted = 0;
    for _ in 0..450 {
        let Some((text, data)) = table(&mut random) else {
            continue;
        };
        let fit = if random.bool() {
            let learner = Optimal {
                depth: random.usize(1..3),
                leaf_cost: random
                    .choice(["0", "1/20", "0.03"])
                    .unwrap()
                    .parse()
                    .unwrap(),
                ..Optimal::default()
            };
            learner.fit(&data, &Budget::unlimited()).unwrap()
        } else {
            Dyadic::default().fit(&data, &Budget::unlimited()).unwrap()
        };
        let model: Value = serde_json::from_str(&write_model(&fit)).unwrap();
        let report = judge(&model.to_string(), &text);
        assert_eq!(
            report.verdict(),
            Verdict::Confirmed,
            "{report}\n{model}\n{text}"
        );
        for way in 0..8 {
            let Some(model) = falsified(&model, way, &mut random) else {
                continue;
            };
            let verdict = judge(&model.to_string(), &text).verdict();
            assert!(
                matches!(verdict, Verdict::Refuted(_)),
                "way {way}: {verdict}\n{model}\n{text}"
            );
            n_refuted += 1;
        }
    }
    assert!(n_refuted > 2000, "{n_refuted}");
}

/// A tree that is not the best, with a bound above the best one.
#[test]
fn bounds_above_the_optimum_are_refuted() {
    let mut random = Rng::with_seed(4);
    let mut n_refuted = 0;
    for _ in 0..300 {
        let Some((text, data)) = table(&mut random) else {
            continue;
        };
        let fit = |depth| {
            let learner = Optimal {
                depth,
                ..Optimal::default()
            };
            let fit = learner.fit(&data, &Budget::unlimited()).unwrap();
            serde_json::from_str::<Value>(&write_model(&fit)).unwrap()
        };
        let (mut leaf, best) = (fit(0), fit(2));
        let objective = number(&leaf["certificate"]["objective"]);
        let least = number(&best["certificate"]["objective"]);
        if least == objective {
            continue;
        }
        leaf["learner"]["params"]["depth"] = json!(2);
        let mut with_bound = |bound: f64| {
            leaf["certificate"]["lower_bound"] = json!(bound);
            leaf["certificate"]["gap"] = json!((objective - bound) / objective);
            leaf["certificate"]["optimal"] = json!(bound == objective);
            leaf["certificate"]["fewest_leaves"] = json!(false);
            judge(&leaf.to_string(), &text).verdict()
        };
        let verdict = with_bound(f64::midpoint(objective, least));
        assert!(matches!(verdict, Verdict::Refuted(_)), "{verdict}\n{text}");
        assert_eq!(
            with_bound(least * (1.0 - 1e-12)),
            Verdict::Confirmed,
            "{text}"
        );
        n_refuted += 1;
    }
    assert!(n_refuted > 100, "{n_refuted}");
}

/// Paths without one of their members, with thresholds that fit again.
#[test]
fn paths_with_a_gap_are_refuted() {
    let mut random = Rng::with_seed(5);
    let mut n_refuted = 0;
    for _ in 0..400 {
        let Some((text, data)) = table(&mut random) else {
            continue;
        };
        let fit = Dyadic::default()
            .fit_family(&data, &Budget::unlimited())
            .unwrap();
        let family: Value = serde_json::from_str(&write_family(&fit)).unwrap();
        let report = judge(&family.to_string(), &text);
        assert_eq!(
            report.verdict(),
            Verdict::Confirmed,
            "{report}\n{family}\n{text}"
        );
        let n_members = family["members"].as_array().unwrap().len();
        if n_members < 3 {
            continue;
        }
        let mut headless = family.clone();
        let members = headless["members"].as_array_mut().unwrap();
        members.remove(0);
        members[0]["lambda_high"] = json!(null);
        let verdict = judge(&headless.to_string(), &text).verdict();
        assert!(matches!(verdict, Verdict::Refuted(_)), "{verdict}\n{text}");
        let dropped = random.usize(1..n_members - 1);
        let mut new = family.clone();
        let members = new["members"].as_array_mut().unwrap();
        members.remove(dropped);
        let of = |member: &Value| (number(&member["errors"]), number(&member["leaves"]));
        let (before, after) = (of(&members[dropped - 1]), of(&members[dropped]));
        let rows = number(&family["training"]["rows"]);
        let meet = ((before.0 - after.0) / (after.1 - before.1) / rows).next_up();
        members[dropped - 1]["lambda_low"] = json!(meet);
        members[dropped]["lambda_high"] = json!(meet);
        let verdict = judge(&new.to_string(), &text).verdict();
        assert!(
            matches!(verdict, Verdict::Refuted(_)),
            "{verdict}\n{new}\n{text}"
        );
        n_refuted += 1;
    }
    assert!(n_refuted > 50, "{n_refuted}");
}

/// A cut that was moved between the same two values parts the training rows as before, and others elsewhere.
#[test]
fn cuts_off_the_grid_are_refuted() {
    let mut moved = 0;
    for seed in 0..400 {
        let random = &mut Rng::with_seed(seed);
        let Some((text, data)) = table(random) else {
            continue;
        };
        let boxes = ["range", "quantile", "-100:200"];
        let learner = Dyadic {
            grid_box: boxes[random.usize(..3)].parse().unwrap(),
            aim: Aim::Kappa("1/5".parse().unwrap()),
            ..Dyadic::default()
        };
        let Ok(fit) = learner.fit(&data, &Budget::unlimited()) else {
            continue;
        };
        let mut model: Value = serde_json::from_str(&write_model(&fit)).unwrap();
        let report = judge(&model.to_string(), &text);
        assert_eq!(
            report.verdict(),
            Verdict::Confirmed,
            "seed {seed}: {report:?}"
        );
        let nodes = model["nodes"].as_array_mut().unwrap();
        let cut = nodes.iter_mut().find_map(|node| {
            let cut = node["split"]["cuts"].get_mut(0)?;
            Some(cut)
        });
        let Some(cut) = cut else { continue };
        *cut = json!(number(cut).next_down());
        let report = judge(&model.to_string(), &text);
        assert!(
            matches!(report.verdict(), Verdict::Refuted(_)),
            "seed {seed}: {report:?}"
        );
        moved += 1;
    }
    assert!(moved > 50, "{moved}");
}
