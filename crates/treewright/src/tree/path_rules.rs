//! Rules about the features on a path: which of them may be asked below which.
//!
//! All rules are of one kind: some features are never asked below another. So the features of a path say what may be
//! asked at its end, and their order does not matter. A path with fewer features allows no less: what is a tree for
//! some rows is one for fewer of them, too.

use super::{NodeId, Tree};
use crate::data::Schema;
use crate::error::{Error, Result, quoted, quoted_list};

/// Rules about the features on a path from the root to a leaf, by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PathRules {
    /// A path has at most one feature of each of these groups.
    pub interactions: Vec<Vec<String>>,
    /// These features are asked at the root only.
    pub root_only: Vec<String>,
    /// The first feature of each of these pairs is never above the second.
    pub not_above: Vec<Vec<String>>,
}

/// For each feature, by its place in the schema: which features are never asked below it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NeverBelow {
    /// By rising feature; nothing at all where there are no rules.
    by_feature: Vec<Vec<usize>>,
}

impl PathRules {
    /// Are there no rules?
    pub fn is_empty(&self) -> bool {
        self.interactions.is_empty() && self.root_only.is_empty() && self.not_above.is_empty()
    }

    /// The rules for the features of a table. Refuses what it does not have, and rules that say nothing.
    pub fn never_below(&self, schema: &Schema) -> Result<NeverBelow> {
        if self.is_empty() {
            return Ok(NeverBelow::default());
        }
        let mut by_feature = vec![Vec::new(); schema.features.len()];
        let mut groups = Vec::new();
        for group in &self.interactions {
            let mut places = distinct("interactions", group, schema)?;
            if places.len() < 2 {
                let allowed = "at least two features in each group";
                return Err(Error::parameter(
                    "interactions",
                    quoted_names(group),
                    allowed,
                ));
            }
            places.sort_unstable();
            once("interactions", group, places.clone(), &mut groups)?;
            for &above in &places {
                let others = places.iter().copied().filter(|&below| below != above);
                by_feature[above].extend(others);
            }
        }
        let mut pairs = Vec::new();
        for pair in &self.not_above {
            if pair.len() != 2 || pair[0] == pair[1] {
                let allowed = "pairs of two features, the first never above the second";
                return Err(Error::parameter("not-above", quoted_names(pair), allowed));
            }
            let places = distinct("not-above", pair, schema)?;
            by_feature[places[0]].push(places[1]);
            once("not-above", pair, places, &mut pairs)?;
        }
        let root_only = distinct("root-only", &self.root_only, schema)?;
        for below in &mut by_feature {
            below.extend_from_slice(&root_only);
            below.sort_unstable();
            below.dedup();
        }
        Ok(NeverBelow { by_feature })
    }

    /// The first feature of a tree that these rules do not allow at its place; `None` if it keeps them all.
    pub fn broken_by(&self, tree: &Tree) -> Result<Option<(NodeId, String)>> {
        let schema = tree.schema();
        let never = self.never_below(schema)?;
        let mut paths: Vec<Vec<usize>> = vec![Vec::new(); tree.n_nodes()];
        for id in tree.ids() {
            let Some(branch) = tree.branch(id) else {
                continue;
            };
            let feature = branch.split.feature();
            let path = std::mem::take(&mut paths[id.index()]);
            let is_wrong = |&&above: &&usize| never.below(above).contains(&feature);
            if let Some(&above) = path.iter().find(is_wrong) {
                let [above, below] = [above, feature].map(|it| quoted(&schema.features[it].name));
                return Ok(Some((id, format!("{below} is asked below {above}"))));
            }
            for child in branch.children() {
                paths[child.index()] = path.iter().copied().chain([feature]).collect();
            }
        }
        Ok(None)
    }
}

impl NeverBelow {
    /// Are there no rules?
    pub fn is_empty(&self) -> bool {
        self.by_feature.is_empty()
    }

    /// The features that are never asked below this one, rising.
    pub fn below(&self, feature: usize) -> &[usize] {
        self.by_feature.get(feature).map_or(&[], |below| below)
    }

    /// May a feature be asked below another?
    pub fn allows(&self, above: usize, below: usize) -> bool {
        self.below(above).binary_search(&below).is_err()
    }

    /// The same rules when only some of the features are left.
    #[must_use]
    pub fn among(&self, features: &[usize]) -> Self {
        if self.is_empty() {
            return Self::default();
        }
        let below = |&above: &usize| {
            let places = 0..features.len();
            places
                .filter(|&place| !self.allows(above, features[place]))
                .collect()
        };
        Self {
            by_feature: features.iter().map(below).collect(),
        }
    }
}

/// The places of features in the schema. Refuses unknown ones and repetitions.
fn distinct(option: &'static str, names: &[String], schema: &Schema) -> Result<Vec<usize>> {
    let mut places = Vec::with_capacity(names.len());
    for name in names {
        let place = schema.features.iter().position(|it| it.name == *name);
        let Some(place) = place else {
            let features = schema.features.iter().map(|feature| feature.name.as_str());
            let allowed = format!("features of the table ({})", quoted_list(features));
            return Err(Error::parameter(option, quoted(name), allowed));
        };
        if places.contains(&place) {
            let allowed = "each feature once";
            return Err(Error::parameter(option, quoted_names(names), allowed));
        }
        places.push(place);
    }
    Ok(places)
}

/// Refuses a rule that was given before.
fn once(
    option: &'static str,
    names: &[String],
    places: Vec<usize>,
    before: &mut Vec<Vec<usize>>,
) -> Result<()> {
    if before.contains(&places) {
        let given = format!("{} twice", quoted_names(names));
        return Err(Error::parameter(option, given, "each rule once"));
    }
    before.push(places);
    Ok(())
}

fn quoted_names(names: &[String]) -> String {
    quoted(&names.join(","))
}
