//! Scores of a tree on rows.
//!
//! The figures do not depend on the number of threads, and with whole-number weights the weights of wrong
//! predictions are exact.

use super::quality::confusion_of;
use super::sums::weighted_sum;
use super::{Answers, Quality, comparable, positive_class};
use crate::data::{Dataset, Target};
use crate::error::{Error, Result};
use crate::tree::{NodeId, Reached, Tree};

/// How a tree does on rows with a known target.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// Number of rows.
    pub rows: usize,
    /// Their total weight.
    pub weight: f64,
    /// Total cost divided by total weight: the error rate without a cost matrix, the mean squared
    /// error in regression.
    pub cost: f64,
    /// Figures that depend on the task.
    pub quality: Quality,
    /// Number of leaves.
    pub leaves: usize,
    /// Longest way from the root to a leaf.
    pub depth: usize,
    /// Mean number of features that a row is asked for. A feature counts once, however often it is
    /// asked on the way to a leaf, and also if its value is missing. A row that ends in several leaves
    /// counts with the mean over them, by its shares; rows count by their weights.
    pub features_queried: f64,
}

/// Scores a tree on rows with a target. Of two classes the positive one is that of [`positive_class`].
pub fn score(tree: &Tree, data: &Dataset) -> Result<Score> {
    score_with(tree, data, positive_class(tree))
}

/// Scores a tree on rows with a target, with figures of how well a class is ranked before the others.
pub fn score_with(tree: &Tree, data: &Dataset, positive: Option<usize>) -> Result<Score> {
    comparable(tree, data)?;
    let weight = data.total_weight();
    if weight <= 0.0 {
        return Err(Error::schema("there are no rows to score the tree on"));
    }
    let answers = Answers::of(tree, data);
    Ok(Score {
        rows: data.n_rows(),
        weight,
        cost: total_cost(tree, data, &answers.values) / weight,
        quality: Quality::of(data, &answers, positive)?,
        leaves: tree.n_leaves(),
        depth: tree.depth(),
        features_queried: features_queried(tree, data) / weight,
    })
}

/// Who is taken for whom, `[true class][predicted class]`; `None` for regression.
pub fn confusion(tree: &Tree, data: &Dataset) -> Result<Option<Vec<Vec<f64>>>> {
    comparable(tree, data)?;
    Ok(match data.target() {
        Target::Classes(truths) => Some(confusion_of(data, truths, &tree.predict(data))),
        _ => None,
    })
}

/// Weighted sum of the losses; 0 without a target.
fn total_cost(tree: &Tree, data: &Dataset, predicted: &[f64]) -> f64 {
    match data.target() {
        Target::Classes(truths) => weighted_sum(data, |row| {
            tree.loss()
                .of_class(truths[row] as usize, predicted[row] as usize)
        }),
        Target::Numbers(truths) => weighted_sum(data, |row| (truths[row] - predicted[row]).powi(2)),
        Target::Absent => 0.0,
    }
}

/// Weighted sum over the rows of the number of features asked.
fn features_queried(tree: &Tree, data: &Dataset) -> f64 {
    let asked = features_on_way(tree);
    let at = |leaf: NodeId| f64::from(asked[leaf.index()]);
    weighted_sum(data, |row| {
        match tree.reach(|feature| data.columns()[feature].value(row)) {
            Reached::One(leaf) => at(leaf),
            Reached::Many(leaves) => leaves.iter().map(|&(leaf, share)| share * at(leaf)).sum(),
        }
    })
}

/// For every node the number of distinct features asked on the way to it.
fn features_on_way(tree: &Tree) -> Vec<u32> {
    enum Step {
        Enter(NodeId),
        Leave(usize),
    }
    let mut asked = vec![0; tree.n_nodes()];
    let mut times_on_way = vec![0_u32; tree.schema().features.len()];
    let mut distinct = 0;
    let mut steps = vec![Step::Enter(NodeId::ROOT)];
    while let Some(step) = steps.pop() {
        match step {
            Step::Enter(id) => {
                asked[id.index()] = distinct;
                if let Some(branch) = tree.branch(id) {
                    let feature = branch.split.feature();
                    times_on_way[feature] += 1;
                    distinct += u32::from(times_on_way[feature] == 1);
                    steps.push(Step::Leave(feature));
                    steps.extend(branch.children().map(Step::Enter));
                }
            }
            Step::Leave(feature) => {
                times_on_way[feature] -= 1;
                distinct -= u32::from(times_on_way[feature] == 0);
            }
        }
    }
    asked
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cost::{CostMatrix, Loss};
    use crate::data::{
        Column, Feature, FeatureKind, MISSING_CODE, Reading, Schema, TargetColumn, TargetKind,
    };
    use crate::tree::{Closed, MissingRoute, Moments, Outcome, Split, Training, TreeBuilder};

    fn schema(kind: TargetKind) -> Arc<Schema> {
        let feature = |name: &str, kind| Feature {
            name: name.into(),
            kind,
        };
        Arc::new(Schema {
            features: vec![
                feature("x", FeatureKind::Numeric),
                feature(
                    "colour",
                    FeatureKind::Categorical(vec!["blue".into(), "red".into()]),
                ),
            ],
            target: TargetColumn {
                name: "y".into(),
                kind,
            },
            reading: Reading::default(),
        })
    }

    fn counts(no: f64, yes: f64) -> (Outcome, f64) {
        let value = f64::from(u8::from(yes > no));
        (Outcome::Counts(vec![no, yes]), value)
    }

    /// `x <= 2`: no; above it the colour decides, then `x` once more.
    fn classifier(loss: Loss) -> Tree {
        let schema = schema(TargetKind::Classes(vec!["no".into(), "yes".into()]));
        let (root, value) = counts(4.0, 4.0);
        let mut builder = TreeBuilder::new(schema, loss, root, value).unwrap();
        let cut = |cut: f64| Split::Intervals {
            feature: 0,
            cuts: vec![cut],
            closed: Closed::Right,
        };
        let first = builder
            .split(
                NodeId::ROOT,
                cut(2.0),
                MissingRoute::Distribute,
                [counts(2.0, 0.0), counts(2.0, 4.0)],
            )
            .unwrap();
        let colours = Split::Categories {
            feature: 1,
            branches: vec![Some(0), Some(1)],
        };
        let second = builder
            .split(
                NodeId(first.0 + 1),
                colours,
                MissingRoute::Child(1),
                [counts(1.0, 0.0), counts(1.0, 4.0)],
            )
            .unwrap();
        builder
            .split(
                NodeId(second.0 + 1),
                cut(5.0),
                MissingRoute::Child(0),
                [counts(0.0, 4.0), counts(1.0, 0.0)],
            )
            .unwrap();
        builder.finish()
    }

    fn rows(target: Target, weights: Option<Vec<f64>>, kind: TargetKind) -> Dataset {
        let x = vec![1.0, 3.0, 3.0, 6.0, f64::NAN];
        let colour = vec![0, 0, 1, MISSING_CODE, 1];
        let columns = vec![Column::Numeric(x.into()), Column::Categorical(colour)];
        Dataset::new(schema(kind), columns, target, weights)
    }

    fn class_rows(weights: Option<Vec<f64>>) -> Dataset {
        let kind = TargetKind::Classes(vec!["no".into(), "yes".into()]);
        rows(Target::Classes(vec![0, 1, 1, 1, 1]), weights, kind)
    }

    #[test]
    fn a_classifier_is_scored_by_hand() {
        let tree = classifier(Loss::ZeroOne);
        let score = score(&tree, &class_rows(None)).unwrap();
        assert_eq!((score.rows, score.weight), (5, 5.0));
        assert_eq!((score.leaves, score.depth), (4, 3));
        let Quality::Classes(quality) = &score.quality else {
            panic!("classes have class figures")
        };
        let (confusion, classes) = (&quality.confusion, &quality.classes);
        // The last row goes to all leaves it can: no with 1/4, yes with 3/4 (4/6 of it by way of x).
        assert_eq!((quality.error, quality.errors, score.cost), (0.4, 2.0, 0.4));
        assert_eq!(confusion, &[[1.0, 0.0], [2.0, 2.0]]);
        assert_eq!(classes[0].precision, Some(1.0 / 3.0));
        assert_eq!(classes[0].recall, Some(1.0));
        assert_eq!(classes[0].f1, Some(0.5));
        assert_eq!(classes[1].support, 4.0);
        // Ways: {x}, {x, colour}, {x, colour}, {x, colour}, and 1/4 {x} with 3/4 {x, colour}.
        assert_eq!(score.features_queried, (1.0 + 2.0 + 2.0 + 2.0 + 1.75) / 5.0);
    }

    #[test]
    fn weights_and_costs_count() {
        let matrix = CostMatrix::new(&[vec![0.0, 1.0], vec![5.0, 0.0]]).unwrap();
        let tree = classifier(Loss::Matrix(matrix));
        let data = class_rows(Some(vec![1.0, 2.0, 1.0, 3.0, 1.0]));
        let figures = Training::of(&tree, &data);
        assert_eq!(figures.errors, Some(5.0));
        assert_eq!(figures.cost, 25.0 / 8.0);
        assert_eq!((figures.rows, figures.weight), (5, 8.0));
        assert_eq!(figures.cost, score(&tree, &data).unwrap().cost);
    }

    #[test]
    fn undefined_figures_are_none() {
        let schema = schema(TargetKind::Classes(vec!["no".into(), "yes".into()]));
        let outcome = Outcome::Counts(vec![1.0, 0.0]);
        let tree = TreeBuilder::new(Arc::clone(&schema), Loss::ZeroOne, outcome, 0.0)
            .unwrap()
            .finish();
        let columns = vec![
            Column::Numeric(vec![1.0].into()),
            Column::Categorical(vec![0]),
        ];
        let data = Dataset::new(schema, columns, Target::Classes(vec![0]), None);
        let score = score(&tree, &data).unwrap();
        assert_eq!(score.features_queried, 0.0);
        let Quality::Classes(quality) = &score.quality else {
            panic!("classes have class figures")
        };
        let figures = |class: usize| {
            let it = &quality.classes[class];
            (it.precision, it.recall, it.f1)
        };
        assert_eq!(figures(0), (Some(1.0), Some(1.0), Some(1.0)));
        assert_eq!(figures(1), (None, None, None));
        assert_eq!((quality.log_loss, quality.brier), (0.0, 0.0));
        assert!(quality.log_loss.is_sign_positive());
        // Nothing can be ranked without rows of both classes.
        assert_eq!(quality.ranking, None);
    }

    fn constant(mean: f64) -> Tree {
        let moments = Moments {
            mean,
            weight: 1.0,
            sse: 0.0,
        };
        let outcome = Outcome::Numbers(moments, None);
        TreeBuilder::new(schema(TargetKind::Number), Loss::Squared, outcome, mean)
            .unwrap()
            .finish()
    }

    #[test]
    fn numbers_are_scored_by_hand() {
        let data = rows(
            Target::Numbers(vec![1.0, 2.0, 3.0, 4.0, 5.0]),
            None,
            TargetKind::Number,
        );
        let score = score(&constant(2.0), &data).unwrap();
        assert_eq!(score.cost, 3.0);
        let Quality::Numbers(quality) = &score.quality else {
            panic!("numbers have number figures")
        };
        assert_eq!(
            (quality.mse, quality.mae, quality.r2),
            (3.0, 1.4, Some(-0.5))
        );
        assert_eq!((quality.bias, quality.mean), (-1.0, 3.0));
        let same = rows(Target::Numbers(vec![0.1; 5]), None, TargetKind::Number);
        let Quality::Numbers(quality) = super::score(&constant(2.0), &same).unwrap().quality else {
            panic!("numbers have number figures")
        };
        assert_eq!(quality.r2, None);
        assert_eq!(Training::of(&constant(2.0), &data).errors, None);
    }

    #[test]
    fn rows_that_cannot_be_scored_are_refused() {
        let tree = classifier(Loss::ZeroOne);
        let kind = || TargetKind::Classes(vec!["no".into(), "yes".into()]);
        let message = |data: &Dataset| score(&tree, data).unwrap_err().to_string();
        let absent = rows(Target::Absent, None, kind());
        assert_eq!(message(&absent), "the rows have no target \"y\"");
        let numbers = rows(Target::Numbers(vec![1.0; 5]), None, TargetKind::Number);
        assert_eq!(
            message(&numbers),
            "target \"y\" is not of the kind that the tree predicts"
        );
        let strange = rows(Target::Classes(vec![7; 5]), None, kind());
        assert_eq!(
            message(&strange),
            "target \"y\" has class 7, the tree knows 2"
        );
        let columns = vec![Column::Numeric(vec![].into()), Column::Categorical(vec![])];
        let empty = Dataset::new(schema(kind()), columns, Target::Classes(vec![]), None);
        assert_eq!(message(&empty), "there are no rows to score the tree on");
    }
}
