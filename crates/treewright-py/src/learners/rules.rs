//! Rules about the features on a path.

use pyo3::prelude::*;
use treewright::tree::PathRules;

/// Which features may be asked below which, by name.
#[derive(Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct RuleParams {
    interactions: Vec<Vec<String>>,
    root_only: Vec<String>,
    not_above: Vec<Vec<String>>,
}

impl From<RuleParams> for PathRules {
    fn from(params: RuleParams) -> Self {
        Self {
            interactions: params.interactions,
            root_only: params.root_only,
            not_above: params.not_above,
        }
    }
}
