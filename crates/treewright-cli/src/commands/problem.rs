//! What a search over subsets of the features was about, for somebody who wants to repeat it.

use serde_json::Value;
use treewright::data::{ClassWeight, Dataset};
use treewright::export::json;
use treewright::learn::Greedy;

use super::fit;

/// The table as it was read, and the learner: fields of a model file.
pub(super) fn of(greedy: &Greedy, data: &Dataset, weights: &ClassWeight) -> Value {
    let mut learner = greedy.info(data);
    weights.add_to(&mut learner.params);
    json::problem(data.schema(), &greedy.loss, &learner)
}
