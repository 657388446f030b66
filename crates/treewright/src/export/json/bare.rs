//! A bare tree: its nodes and the names of the features that it splits on, for lists of very many trees.

use serde::Serialize;

use super::nodes::NodeFile;
use crate::tree::Tree;

#[derive(Serialize)]
pub(super) struct BareTree<'a> {
    features: Vec<&'a str>,
    nodes: Vec<NodeFile>,
}

impl<'a> BareTree<'a> {
    pub(super) fn of(tree: &'a Tree) -> Self {
        let all = &tree.schema().features;
        let branches = tree.ids().filter_map(|id| tree.branch(id));
        let mut is_used = vec![false; all.len()];
        branches.for_each(|branch| is_used[branch.split.feature()] = true);
        let mut features = Vec::new();
        let mut place_of = vec![0; all.len()];
        for (feature, _) in is_used.iter().enumerate().filter(|(_, used)| **used) {
            place_of[feature] = features.len();
            features.push(&*all[feature].name);
        }
        let node = |id| NodeFile::of(tree, id).with_features(&place_of);
        Self {
            nodes: tree.ids().map(node).collect(),
            features,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::budget::Budget;
    use crate::data::csv::CsvSource;
    use crate::data::{Dataset, ReadOptions};
    use crate::export::json::write_bare_tree;
    use crate::learn::{Greedy, Learner};

    #[test]
    fn features_are_numbered_among_those_in_use() {
        let table = "a,b,c,class\n0,x,1,no\n0,y,2,no\n0,x,1,no\n0,y,3,yes\n";
        let source = CsvSource::new(table.into(), b',').unwrap();
        let data = Dataset::read(&source, &ReadOptions::default()).unwrap();
        let fit = Greedy::default().fit(&data, &Budget::unlimited()).unwrap();
        let expected = r#"{"features":["c"],"nodes":[{"counts":[3.0,1.0],"value":0,"split":{"kind":"intervals","feature":0,"cuts":[2.5],"closed":"right"},"children":[1,2],"missing":"distribute"},{"counts":[3.0,0.0],"value":0},{"counts":[0.0,1.0],"value":1}]}"#;
        assert_eq!(write_bare_tree(&fit.model), expected);
    }
}
