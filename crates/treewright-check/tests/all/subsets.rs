//! Searches over subsets of the features: what the library finds is confirmed, and what is false refuted.

use fastrand::Rng;
use serde_json::{Map, Value, json};
use treewright::Budget;
use treewright::data::Dataset;
use treewright::export::json::write_model;
use treewright::learn::greedy::{CategoricalSplits, Criterion, MissingPolicy};
use treewright::learn::{Greedy, Learner};
use treewright::select::{Complete, Distinct, Estimate, Resampling};
use treewright_check::Verdict;

use crate::tables::{Shape, dataset, judge};

fn case(random: &mut Rng, missing: bool) -> Option<(String, Dataset, Greedy)> {
    let shape = Shape {
        rows: random.usize(6..40),
        features: random.usize(1..5),
        weights: false,
        missing,
        ..Shape::random(random)
    };
    let text = shape.text(random);
    let data = dataset(&text, false)?;
    let criteria = [
        Criterion::Gini,
        Criterion::Entropy,
        Criterion::GainRatio,
        Criterion::Error,
    ];
    let learner = Greedy {
        criterion: Some(*random.choice(&criteria)?),
        max_depth: random.bool().then(|| random.usize(..4)),
        min_leaf: random.usize(1..4),
        missing: *random.choice(&MissingPolicy::ALL[1..])?,
        categorical_splits: *random.choice(&CategoricalSplits::ALL)?,
        zero_gain: random.bool(),
        ..Greedy::default()
    };
    (data.schema().classes().len() > 1).then_some((text, data, learner))
}

/// The table and the learner, as the program writes them.
fn problem(learner: &Greedy, data: &Dataset) -> Value {
    let fit = learner.fit(data, &Budget::unlimited()).unwrap();
    let mut model: Map<String, Value> = serde_json::from_str(&write_model(&fit)).unwrap();
    let wanted = ["task", "features", "target", "reading", "learner"];
    model.retain(|name, _| wanted.contains(&&**name));
    model.into()
}

/// Is it confirmed? Near ties are not decided.
fn is_confirmed(document: &Value, text: &str) -> bool {
    let report = judge(&document.to_string(), text);
    match report.verdict() {
        Verdict::Confirmed => true,
        Verdict::NotChecked(why) if why.contains("near tie") => false,
        verdict => panic!("{verdict}\n{document}\n{text}"),
    }
}

fn assert_refuted(document: &Value, text: &str) {
    let verdict = judge(&document.to_string(), text).verdict();
    let is_refuted = matches!(verdict, Verdict::Refuted(_));
    assert!(is_refuted, "{verdict}\n{document}\n{text}");
}

#[test]
fn distinct_trees_are_counted() {
    let mut random = Rng::with_seed(21);
    let mut n_confirmed = 0;
    for _ in 0..300 {
        let missing = random.bool();
        let Some((text, data, learner)) = case(&mut random, missing) else {
            continue;
        };
        let found = Distinct::new(learner.clone())
            .count(&data, &Budget::unlimited())
            .unwrap();
        let document = json!({
            "features": found.n_features, "distinct": found.distinct, "built": found.built,
            "ratio": found.built as f64 / found.distinct as f64, "by_size": found.by_size,
            "complete": found.complete, "seconds": 0.0, "problem": problem(&learner, &data),
        });
        if !is_confirmed(&document, &text) {
            continue;
        }
        n_confirmed += 1;
        let size = random.usize(..found.by_size.len());
        let mut more = document.clone();
        more["by_size"][size] = json!(found.by_size[size] + 1);
        assert_refuted(&more, &text);
        more["distinct"] = json!(found.distinct + 1);
        more["built"] = json!(found.distinct + 1);
        more["ratio"] = json!(1.0);
        assert_refuted(&more, &text);
        let mut fewer = document;
        fewer["by_size"][0] = json!(found.by_size[0] - 1);
        fewer["distinct"] = json!(found.distinct - 1);
        fewer["ratio"] = if found.distinct == 1 {
            json!(null)
        } else {
            json!(found.built as f64 / (found.distinct - 1) as f64)
        };
        assert_refuted(&fewer, &text);
    }
    assert!(n_confirmed > 200, "{n_confirmed}");
}

#[test]
fn selections_are_the_best() {
    let mut random = Rng::with_seed(22);
    let (mut n_confirmed, mut n_hidden) = (0, 0);
    for _ in 0..300 {
        let Some((text, data, learner)) = case(&mut random, false) else {
            continue;
        };
        let (share, seed) = (0.3, random.u64(..5));
        let complete = Complete {
            estimate: Estimate::Resampled(Resampling::Holdout { share, seed }),
            ..Complete::new(learner.clone())
        };
        let Ok(found) = complete.select(&data, &Budget::unlimited()) else {
            continue;
        };
        let names = |of: &[usize]| -> Vec<String> {
            let features = &data.schema().features;
            of.iter().map(|&at| features[at].name.clone()).collect()
        };
        let proof = found.proof.unwrap();
        let document = json!({
            "method": "complete", "selected": names(&found.selected),
            "unused": names(&found.unused), "removed": names(&found.removed),
            "search_error": found.search_error, "all_features_error": found.all_features_error,
            "trees_built": found.trees_built, "trees_skipped": found.trees_skipped,
            "optimal": proof.optimal, "lower_bound": proof.lower_bound, "seconds": 0.0,
            "problem": problem(&learner, &data),
            "judged_by": {"holdout": share, "seed": seed},
        });
        if !is_confirmed(&document, &text) {
            continue;
        }
        n_confirmed += 1;
        let mut lower = document.clone();
        lower["search_error"] = json!(found.search_error - 0.01);
        assert_refuted(&lower, &text);
        let mut bound = document.clone();
        bound["optimal"] = json!(false);
        bound["lower_bound"] = json!(found.search_error + 0.01);
        assert_refuted(&bound, &text);
        // All features, said to be the best.
        if found.all_features_error > found.search_error && found.removed.len() == 1 {
            let mut all = document;
            all["selected"] = json!(names(
                &(0..data.schema().features.len()).collect::<Vec<_>>()
            ));
            all["removed"] = json!([]);
            all["search_error"] = json!(found.all_features_error);
            all["lower_bound"] = json!(found.all_features_error);
            assert_refuted(&all, &text);
            n_hidden += 1;
        }
    }
    assert!(
        n_confirmed > 150 && n_hidden > 5,
        "{n_confirmed} {n_hidden}"
    );
}
