//! The trees that were learned without the rows of a fold, to stand for the members of a family.

use std::sync::Arc;

use super::{Family, Nested};
use crate::tree::Tree;

/// For each of the smaller members of a family the tree that stands for it in a fold.
#[derive(Debug, Clone)]
pub struct FoldTrees(Trees);

#[derive(Debug, Clone)]
enum Trees {
    /// Members of one nested family, for each member its place there.
    Nested(Nested, Vec<usize>),
    /// A tree for each member; neighbours may share one.
    Each(Vec<Arc<Tree>>),
}

/// Two cross-validations are equal if their figures are: the trees behind them are not compared.
impl PartialEq for FoldTrees {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl FoldTrees {
    /// `members` are members of the fold's family, which do not fall.
    pub fn of(family: &Family, members: &[usize]) -> Self {
        if let Some(nested) = family.as_nested() {
            let largest = members.last().map_or(0, |&last| last);
            let (tree, last_as_leaf) = nested.largest(largest + 1);
            let nested = Nested {
                tree: Arc::new(tree),
                last_as_leaf,
                errors: None,
            };
            return Self(Trees::Nested(nested, members.to_vec()));
        }
        let mut trees: Vec<Arc<Tree>> = Vec::with_capacity(members.len());
        for (place, &member) in members.iter().enumerate() {
            let tree = match place.checked_sub(1) {
                Some(before) if members[before] == member => Arc::clone(&trees[before]),
                _ => Arc::new(family.tree(member)),
            };
            trees.push(tree);
        }
        Self(Trees::Each(trees))
    }

    /// The tree that stands for a member; `None` if the member is too large.
    pub fn tree(&self, member: usize) -> Option<Arc<Tree>> {
        match &self.0 {
            Trees::Nested(nested, members) => {
                let place = *members.get(member)?;
                Some(Arc::new(nested.member(place)))
            }
            Trees::Each(trees) => trees.get(member).cloned(),
        }
    }
}
