//! Rules about the features on a path, each as it is said.

use treewright::data::Dataset;
use treewright::tree::PathRules;

/// May a feature be asked below those of a path?
pub(crate) fn allows(rules: &PathRules, data: &Dataset, path: &[usize], feature: usize) -> bool {
    let name = |feature: usize| &data.schema().features[feature].name;
    let is_used = |wanted: &String| path.iter().any(|&above| name(above) == wanted);
    let own = name(feature);
    let has_other = |group: &Vec<String>| {
        group.contains(own) && group.iter().any(|other| other != own && is_used(other))
    };
    let is_below = |pair: &Vec<String>| pair[1] == *own && is_used(&pair[0]);
    let is_at_root = path.is_empty() || !rules.root_only.contains(own);
    is_at_root && !rules.interactions.iter().any(has_other) && !rules.not_above.iter().any(is_below)
}
