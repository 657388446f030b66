//! What a search over subsets of the features was about, for somebody who wants to repeat it.

use anyhow::Result;
use serde_json::{Map, Value};
use treewright::Budget;
use treewright::data::{ClassWeight, Dataset};
use treewright::export::json::write_model;
use treewright::learn::{Greedy, Learner};

use super::fit;

/// The table as it was read, and the learner: fields of a model file.
pub(super) fn of(greedy: &Greedy, data: &Dataset, weights: &ClassWeight) -> Result<Value> {
    let leaf = Greedy {
        max_depth: Some(0),
        ..greedy.clone()
    };
    let mut fit = leaf.fit(data, &Budget::unlimited())?;
    fit.learner
        .params
        .insert("max_depth".into(), serde_json::json!(greedy.max_depth));
    fit::remember(&mut fit.learner.params, weights);
    let mut model: Map<String, Value> = serde_json::from_str(&write_model(&fit))?;
    let wanted = ["task", "features", "target", "reading", "learner"];
    model.retain(|name, _| wanted.contains(&&**name));
    Ok(model.into())
}
