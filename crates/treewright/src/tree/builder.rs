//! The only way to make a [`Tree`]: refuses a broken one with a message.

use std::sync::Arc;

use super::{Branch, MissingRoute, Moments, Node, NodeId, Outcome, Outcomes, Split, Tree};
use crate::cost::Loss;
use crate::data::{FeatureKind, Schema, TargetKind};
use crate::error::{Error, Result, quoted};

/// Grows a tree from its root, one split at a time.
///
/// Children are added together with the split of their parent, so they are consecutive, come after
/// it, and every node has exactly one parent, by construction.
#[derive(Debug)]
pub struct TreeBuilder {
    tree: Tree,
}

impl TreeBuilder {
    /// A tree that is a single leaf.
    pub fn new(schema: Arc<Schema>, loss: Loss, outcome: Outcome, value: f64) -> Result<Self> {
        schema.check()?;
        let outcomes = match (&schema.target.kind, &outcome) {
            (TargetKind::Classes(classes), Outcome::Counts(_)) => Outcomes::Counts {
                n_classes: classes.len(),
                counts: Vec::new(),
            },
            (TargetKind::Number, Outcome::Numbers(_, bins)) => Outcomes::Numbers {
                moments: Vec::new(),
                n_bins: bins.as_ref().map_or(0, Vec::len),
                bins: Vec::new(),
            },
            _ => {
                return Err(Error::model(
                    "the outcome of the root does not fit the task",
                ));
            }
        };
        match (&schema.target.kind, &loss) {
            (TargetKind::Classes(classes), Loss::Matrix(matrix))
                if matrix.n_classes() != classes.len() =>
            {
                return Err(Error::model(format!(
                    "costs for {} classes, but there are {}",
                    matrix.n_classes(),
                    classes.len()
                )));
            }
            (TargetKind::Classes(_), Loss::Squared)
            | (TargetKind::Number, Loss::ZeroOne | Loss::Matrix(_)) => {
                return Err(Error::model("the loss does not fit the task"));
            }
            _ => {}
        }
        let mut builder = Self {
            tree: Tree {
                schema,
                loss,
                nodes: Vec::new(),
                outcomes,
            },
        };
        builder.push(outcome, value)?;
        Ok(builder)
    }

    /// Turns a leaf into a branch; returns the first of the new children.
    ///
    /// There is one child for each interval or category group, and one more, the last, where missing
    /// values have a branch of their own.
    pub fn split(
        &mut self,
        parent: NodeId,
        split: Split,
        missing: MissingRoute,
        children: impl IntoIterator<Item = (Outcome, f64)>,
    ) -> Result<NodeId> {
        let broken = |what: String| Err(Error::node(parent.index(), what));
        if parent.index() >= self.tree.nodes.len() || !self.tree.is_leaf(parent) {
            return broken("is not a leaf that could be split".into());
        }
        let first_child = NodeId(self.tree.nodes.len() as u32);
        for (outcome, value) in children {
            self.push(outcome, value)?;
        }
        let n_children = self.tree.nodes.len() as u32 - first_child.0;
        if let Err(what) = self.check_split(&split, missing, n_children) {
            return broken(what);
        }
        self.tree.nodes[parent.index()].branch = Some(Branch {
            split,
            first_child,
            n_children,
            missing,
        });
        Ok(first_child)
    }

    /// The finished tree.
    pub fn finish(self) -> Tree {
        self.tree
    }

    fn push(&mut self, outcome: Outcome, value: f64) -> Result<()> {
        let id = self.tree.nodes.len();
        let broken = |what: &str| Err(Error::node(id, what));
        if u32::try_from(id + 1).is_err() {
            return broken("more nodes than a tree can have");
        }
        let is_amount = |x: &f64| x.is_finite() && *x >= 0.0;
        match (&mut self.tree.outcomes, outcome) {
            (Outcomes::Counts { n_classes, counts }, Outcome::Counts(new)) => {
                if new.len() != *n_classes {
                    return broken("counts must have one number for each class");
                }
                if !new.iter().all(is_amount) {
                    return broken("counts must be finite and not negative");
                }
                if value.fract() != 0.0 || value < 0.0 || value >= *n_classes as f64 {
                    return broken("value must be the index of a class");
                }
                counts.extend(new);
            }
            (
                Outcomes::Numbers {
                    moments,
                    n_bins,
                    bins,
                },
                Outcome::Numbers(new, new_bins),
            ) => {
                let Moments { mean, weight, sse } = new;
                if !mean.is_finite() || !is_amount(&weight) || !is_amount(&sse) {
                    return broken("mean must be finite, weight and sse finite and not negative");
                }
                let new_bins = new_bins.unwrap_or_default();
                if new_bins.len() != *n_bins || !new_bins.iter().all(is_amount) {
                    return broken("bins must be finite, not negative and equally many everywhere");
                }
                if !value.is_finite() {
                    return broken("value must be a finite number");
                }
                moments.push(new);
                bins.extend(new_bins);
            }
            _ => return broken("the outcome does not fit the task"),
        }
        self.tree.nodes.push(Node {
            branch: None,
            value,
        });
        Ok(())
    }

    fn check_split(
        &self,
        split: &Split,
        missing: MissingRoute,
        n_children: u32,
    ) -> std::result::Result<(), String> {
        let n_features = self.tree.schema.features.len();
        let Some(feature) = self.tree.schema.features.get(split.feature()) else {
            return Err(format!(
                "splits on feature {}, but there are {n_features}",
                split.feature()
            ));
        };
        match (split, &feature.kind) {
            (Split::Intervals { cuts, .. }, FeatureKind::Numeric) => {
                let rising = cuts.windows(2).all(|pair| pair[0] < pair[1]);
                if !rising || cuts.iter().any(|cut| !cut.is_finite()) {
                    return Err("cuts must be finite and rise strictly".into());
                }
            }
            (Split::Categories { branches, .. }, FeatureKind::Categorical(categories)) => {
                if branches.len() != categories.len() {
                    return Err(format!(
                        "has {} branches for {} categories",
                        branches.len(),
                        categories.len()
                    ));
                }
                let mut reached = vec![false; split.n_present().min(n_children as usize)];
                for &child in branches.iter().flatten() {
                    match reached.get_mut(child as usize) {
                        Some(reached) => *reached = true,
                        None => return Err(format!("branch to child {child} of {n_children}")),
                    }
                }
                if let Some(child) = reached.iter().position(|reached| !reached) {
                    return Err(format!("no category leads to child {child}"));
                }
            }
            _ => {
                let name = quoted(&feature.name);
                return Err(format!("the kind of split does not fit feature {name}"));
            }
        }
        if n_children < 2 {
            return Err(format!("has {n_children} children, expected at least 2"));
        }
        // One child more than the split itself has is the branch for missing values.
        let present = split.n_present() as u32;
        match missing {
            _ if n_children == present => {}
            MissingRoute::Child(child) if n_children == present + 1 && child == present => {}
            _ => {
                return Err(format!(
                    "has {n_children} children for {present} outcomes of its split"
                ));
            }
        }
        match missing {
            MissingRoute::Child(child) if child >= n_children => Err(format!(
                "missing values go to child {child} of {n_children}"
            )),
            _ => Ok(()),
        }
    }
}
