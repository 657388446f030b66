//! Rules about the features on a path, and about the class of a leaf.

use pyo3::prelude::*;
use treewright::cost::ClassShare;
use treewright::tree::PathRules;

use crate::errors::raised;

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

/// The least share of the predicted class in a leaf, if there is one.
pub(crate) fn class_share(given: Option<&str>) -> PyResult<Option<ClassShare>> {
    let share = given.map(str::parse).transpose();
    share.map_err(|error| raised(&error))
}
