//! The best trees of every number of leaves: what a brute force finds is confirmed, all else is refuted.

use fastrand::Rng;
use serde_json::{Value, json};
use treewright_check::Verdict;

use crate::all_trees::Task;
use crate::tables::judge;

fn n_cases(usual: usize) -> usize {
    let factor = std::env::var("TREEWRIGHT_CASES").map_or(1, |text| text.parse().unwrap());
    usual * factor
}

fn expect_refuted(document: &Value, task: &Task, what: &str) {
    let verdict = judge(&document.to_string(), &task.text()).verdict();
    let is_refuted = matches!(verdict, Verdict::Refuted(_));
    assert!(
        is_refuted,
        "{what}: {verdict}\n{document}\n{task:?}\n{}",
        task.text()
    );
}

fn expect_confirmed(document: &Value, task: &Task) {
    let report = judge(&document.to_string(), &task.text());
    let is_confirmed = report.verdict() == Verdict::Confirmed;
    assert!(
        is_confirmed,
        "{report}\n{document}\n{task:?}\n{}",
        task.text()
    );
}

#[test]
fn the_best_trees_are_confirmed_and_others_refuted() {
    let mut random = Rng::with_seed(31);
    let mut n_refuted = 0;
    for _ in 0..n_cases(400) {
        let task = Task::random(&mut random);
        let losses = task.losses();
        let family = task.family(None);
        expect_confirmed(&family, &task);
        // Without a member; the first one is a single leaf.
        if losses.len() > 1 {
            let without = random.usize(..losses.len());
            expect_refuted(&task.family(Some(without)), &task, "without a member");
            n_refuted += 1;
        }
        for (what, changed) in falsified(&family, &mut random) {
            expect_refuted(&changed, &task, what);
            n_refuted += 1;
        }
    }
    assert!(n_refuted > 800, "{n_refuted}");
}

/// Families with something false in them.
fn falsified(family: &Value, random: &mut Rng) -> Vec<(&'static str, Value)> {
    let n_members = family["members"].as_array().unwrap().len();
    let at = random.usize(..n_members);
    let member = &family["members"][at];
    let mut found = Vec::new();
    let mut add = |what, place: &str, value: Value| {
        let mut changed = family.clone();
        *changed
            .pointer_mut(&format!("/members/{at}/{place}"))
            .unwrap() = value;
        found.push((what, changed));
    };
    let number = |name: &str| member[name].as_f64();
    if number("cost") > Some(0.0) {
        add("a cost", "cost", json!(0.9 * number("cost").unwrap()));
        add("errors", "errors", json!(number("errors").unwrap() - 1.0));
    }
    add(
        "leaves",
        "leaves",
        json!(member["leaves"].as_u64().unwrap() + 1),
    );
    match number("lambda_low") {
        Some(low) => add("a threshold", "lambda_low", json!(low + 0.01)),
        None => add("a threshold", "lambda_low", json!(0.25)),
    }
    let n_nodes = member["nodes"].as_array().unwrap().len();
    let node = random.usize(..n_nodes);
    let count = member["nodes"][node]["counts"][0].as_f64().unwrap();
    add(
        "a count",
        &format!("nodes/{node}/counts/0"),
        json!(count + 1.0),
    );
    if member["nodes"][node]["split"]["cuts"][0].is_number() {
        add("a cut", &format!("nodes/{node}/split/cuts/0"), json!(-9.0));
    }
    let counts = member["nodes"][node]["counts"].as_array().unwrap();
    let value = member["nodes"][node]["value"].as_u64().unwrap() as usize;
    let least = (0..counts.len()).min_by(|&a, &b| {
        counts[a]
            .as_f64()
            .unwrap()
            .total_cmp(&counts[b].as_f64().unwrap())
    });
    if counts[least.unwrap()] != counts[value] {
        add("a label", &format!("nodes/{node}/value"), json!(least));
    }
    found
}

#[test]
fn trees_with_at_most_so_many_leaves() {
    let mut random = Rng::with_seed(32);
    let mut n_refuted = 0;
    for _ in 0..n_cases(400) {
        let task = Task::random(&mut random);
        let losses = task.losses();
        let at = random.usize(..losses.len());
        // Up to the leaves of the next one it is the best, from there on not.
        let most = losses
            .get(at + 1)
            .map_or(losses[at].0 + 3, |next| next.0 - 1);
        let most = random.usize(losses[at].0..=most);
        expect_confirmed(&task.model(at, most), &task);
        if let Some(next) = losses.get(at + 1) {
            expect_refuted(&task.model(at, next.0), &task, "too few leaves");
            n_refuted += 1;
        }
        if losses[at].0 > 1 {
            expect_refuted(&task.model(at, losses[at].0 - 1), &task, "too many leaves");
        }
    }
    assert!(n_refuted > 90, "{n_refuted}");
}

/// Trees that are the best of all are refuted where a rule allows only worse ones, and trees that keep a rule where
/// better ones need not keep it.
#[test]
fn other_classes_of_trees_have_other_best_trees() {
    let mut random = Rng::with_seed(33);
    let mut n_refuted = 0;
    for _ in 0..n_cases(500) {
        let task = Task::random(&mut random);
        let mut other = task.clone();
        other.interactions.clear();
        other.root_only.clear();
        other.not_above.clear();
        other.share = 0;
        match random.u8(..6) {
            0 => other.categorical = "grouped",
            1 => other.categorical = "one-vs-rest",
            2 => other.intervals = 5 - task.intervals,
            3 => other.min_leaf = 4 - task.min_leaf.min(3),
            _ => {}
        }
        other.min_weight = if other.min_leaf > 1 {
            0
        } else {
            task.min_weight
        };
        if task.losses() != other.losses() {
            for (one, another) in [(&task, &other), (&other, &task)] {
                let mut family = one.family(None);
                family["learner"] = another.family(None)["learner"].clone();
                expect_refuted(&family, one, "another class");
                n_refuted += 1;
            }
        }
    }
    assert!(n_refuted > 90, "{n_refuted}");
}

/// Families of searches that were stopped: bounds up to the least loss are confirmed, others refuted.
#[test]
fn bounds_of_searches_that_were_stopped() {
    let mut random = Rng::with_seed(34);
    let mut n_refuted = 0;
    for _ in 0..n_cases(300) {
        let task = Task::random(&mut random);
        let losses = task.losses();
        let total: f64 = task.family(None)["training"]["weight"].as_f64().unwrap();
        // Some of the best trees were not found, or the last one.
        let without = (losses.len() > 1).then(|| random.usize(1..losses.len()));
        let mut family = task.family(without);
        family["certificate"]["exact_down_to"] = Value::Null;
        let least = |leaves: u64| {
            let mut known = losses.iter().filter(|(own, _)| *own as u64 <= leaves);
            known.next_back().unwrap().1 as f64 / total
        };
        for member in family["members"].as_array_mut().unwrap() {
            let bound = least(member["leaves"].as_u64().unwrap());
            member["lower_bound"] = json!(bound * [0.0, 0.5, 1.0][random.usize(..3)]);
        }
        expect_confirmed(&family, &task);
        let n_members = family["members"].as_array().unwrap().len();
        let at = random.usize(..n_members);
        let leaves = family["members"][at]["leaves"].as_u64().unwrap();
        family["members"][at]["lower_bound"] = json!(least(leaves) + 0.5 / total);
        expect_refuted(&family, &task, "a bound above the least cost");
        // A weight from which on the members are the best, though one is not there.
        let Some(without) = without else { continue };
        let whole = task.family(None);
        if let Some(low) = whole["members"][without]["lambda_low"].as_f64() {
            let high = whole["members"][without]["lambda_high"]
                .as_f64()
                .unwrap_or(1.0);
            let mut family = task.family(Some(without));
            for member in family["members"].as_array_mut().unwrap() {
                member["lower_bound"] = json!(0.0);
            }
            family["certificate"]["exact_down_to"] = json!(high);
            expect_confirmed(&family, &task);
            family["certificate"]["exact_down_to"] = json!(f64::midpoint(low, high));
            expect_refuted(&family, &task, "a member is missing");
            n_refuted += 1;
        }
    }
    assert!(n_refuted > 60, "{n_refuted}");
}
