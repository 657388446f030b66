//! Predictions straight from the text of a model file.

use serde_json::Value as Json;
use treewright::data::{Dataset, Value};
use treewright::tree::{Fit, Tree};

/// The leaves that a row reaches, with its shares; nodes are positions in the file.
fn reach(nodes: &[Json], data: &Dataset, row: usize, at: usize, share: f64) -> Vec<(usize, f64)> {
    let node = &nodes[at];
    let Some(children) = node.get("children").and_then(Json::as_array) else {
        return vec![(at, share)];
    };
    let children: Vec<usize> = children.iter().map(index).collect();
    let split = &node["split"];
    let position = match data.columns()[index(&split["feature"])].value(row) {
        Value::Missing => None,
        Value::Category(code) => split["branches"][code as usize]
            .as_u64()
            .map(|x| x as usize),
        Value::Number(x) => {
            let cuts = split["cuts"].as_array().expect("numbers have cuts");
            let above = |cut: &&Json| match split["closed"].as_str() {
                Some("right") => x > number(cut),
                _ => x >= number(cut),
            };
            Some(cuts.iter().filter(above).count())
        }
    };
    if let Some(position) = position.or(node["missing"].as_u64().map(|x| x as usize)) {
        return reach(nodes, data, row, children[position], share);
    }
    assert_eq!(node["missing"], "distribute");
    let weights: Vec<f64> = children
        .iter()
        .map(|&child| weight(&nodes[child]))
        .collect();
    let total: f64 = weights.iter().sum();
    let mut leaves = Vec::new();
    for (&child, weight) in children.iter().zip(&weights) {
        let part = if total > 0.0 {
            weight / total
        } else {
            1.0 / children.len() as f64
        };
        leaves.extend(reach(nodes, data, row, child, share * part));
    }
    leaves
}

/// Compares all predictions of a tree with those of its model file.
pub(crate) fn check_predictions(fit: &Fit<Tree>, data: &Dataset) -> Result<(), String> {
    let text = treewright::export::json::write_model(fit);
    let model: Json = serde_json::from_str(&text).expect("a model file is JSON");
    let nodes = model["nodes"].as_array().expect("a model has nodes");
    let n_classes = model["target"]["classes"].as_array().map_or(0, Vec::len);
    let values = fit.model.predict(data);
    let probabilities = fit.model.predict_proba(data);
    let leaves = fit.model.apply(data);
    for row in 0..data.n_rows() {
        let reached = reach(nodes, data, row, 0, 1.0);
        let at = |what: &str| format!("row {row} of the other rows: {what}; reaches {reached:?}");
        let proba = mixture(nodes, &reached, n_classes);
        let found = &probabilities[row * n_classes..][..n_classes];
        if proba.iter().zip(found).any(|(a, b)| (a - b).abs() > 1e-12) {
            return Err(at(&format!("probabilities {found:?}, expected {proba:?}")));
        }
        let allowed = answers(&model, nodes, &reached, &proba);
        if !allowed
            .iter()
            .any(|x| (x - values[row]).abs() <= 1e-12 * (1.0 + x.abs()))
        {
            return Err(at(&format!(
                "predicts {}, expected {allowed:?}",
                values[row]
            )));
        }
        let most = reached.iter().map(|leaf| leaf.1).fold(0.0, f64::max);
        let leaf = leaves[row].index();
        if !reached
            .iter()
            .any(|&(id, share)| id == leaf && share >= most - 1e-12)
        {
            return Err(at(&format!("is applied to {leaf}")));
        }
        check_path(fit, data, row, &reached).map_err(|what| at(&what))?;
    }
    Ok(())
}

fn mixture(nodes: &[Json], reached: &[(usize, f64)], n_classes: usize) -> Vec<f64> {
    let mut proba = vec![0.0; n_classes];
    for &(leaf, share) in reached {
        for (class, sum) in proba.iter_mut().enumerate() {
            *sum += share * number(&nodes[leaf]["counts"][class]) / weight(&nodes[leaf]);
        }
    }
    proba
}

/// The answers that are right, several where rounding leaves it open.
fn answers(model: &Json, nodes: &[Json], reached: &[(usize, f64)], proba: &[f64]) -> Vec<f64> {
    if let [(leaf, _)] = reached {
        return vec![number(&nodes[*leaf]["value"])];
    }
    if proba.is_empty() {
        let parts = reached
            .iter()
            .map(|&(leaf, share)| share * number(&nodes[leaf]["value"]));
        return vec![parts.sum()];
    }
    let loss = |truth: usize, predicted: usize| match &model["target"]["costs"] {
        Json::Null => f64::from(u8::from(truth != predicted)),
        costs => number(&costs[truth][predicted]),
    };
    let cost = |predicted| -> f64 {
        proba
            .iter()
            .enumerate()
            .map(|(truth, p)| p * loss(truth, predicted))
            .sum()
    };
    let costs: Vec<f64> = (0..proba.len()).map(cost).collect();
    let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
    let best = (0..costs.len()).filter(|&class| costs[class] <= least + 1e-12);
    best.map(|class| class as f64).collect()
}

/// Starts at the root, goes from parents to children, ends in just the leaves that are reached.
fn check_path(
    fit: &Fit<Tree>,
    data: &Dataset,
    row: usize,
    reached: &[(usize, f64)],
) -> Result<(), String> {
    let tree = &fit.model;
    let path = tree.decision_path(data, row);
    let ends: Vec<usize> = path
        .iter()
        .filter(|&&id| tree.is_leaf(id))
        .map(|id| id.index())
        .collect();
    let connected = path.iter().enumerate().all(|(at, &id)| {
        let is_parent = |&other: &_| {
            tree.branch(other)
                .is_some_and(|branch| branch.children().any(|child| child == id))
        };
        if at == 0 {
            id.index() == 0
        } else {
            path[..at].iter().any(is_parent)
        }
    });
    if !connected || !ends.iter().copied().eq(reached.iter().map(|leaf| leaf.0)) {
        return Err(format!("has the path {path:?}"));
    }
    Ok(())
}

fn weight(node: &Json) -> f64 {
    match &node["counts"] {
        Json::Array(counts) => counts.iter().map(number).sum(),
        _ => number(&node["weight"]),
    }
}

fn number(json: &Json) -> f64 {
    json.as_f64().expect("a number")
}

fn index(json: &Json) -> usize {
    json.as_u64().expect("a position") as usize
}
