//! Hand-made trees for the tests of the exporters.

use std::sync::Arc;

use crate::cost::{CostMatrix, Loss};
use crate::data::{Feature, FeatureKind, Reading, Schema, TargetColumn, TargetKind};
use crate::tree::{Closed, MissingRoute, Moments, NodeId, Outcome, Split, Tree, TreeBuilder};

/// A numeric feature, or a categorical one if there are categories.
pub(super) fn feature(name: &str, categories: &[&str]) -> Feature {
    let kind = if categories.is_empty() {
        FeatureKind::Numeric
    } else {
        FeatureKind::Categorical(categories.iter().map(|&text| text.to_owned()).collect())
    };
    Feature {
        name: name.into(),
        kind,
    }
}

fn schema(features: Vec<Feature>, target: &str, classes: &[&str]) -> Arc<Schema> {
    let kind = if classes.is_empty() {
        TargetKind::Number
    } else {
        TargetKind::Classes(classes.iter().map(|&text| text.to_owned()).collect())
    };
    Arc::new(Schema {
        features,
        target: TargetColumn {
            name: target.into(),
            kind,
        },
        reading: Reading::default(),
    })
}

fn cuts(feature: usize, cuts: &[f64], closed: Closed) -> Split {
    Split::Intervals {
        feature,
        cuts: cuts.to_vec(),
        closed,
    }
}

fn categories(feature: usize, branches: &[Option<u32>]) -> Split {
    Split::Categories {
        feature,
        branches: branches.to_vec(),
    }
}

/// Counts, with the most frequent class as value.
fn counts(counts: &[f64]) -> (Outcome, f64) {
    let value = Loss::ZeroOne.best_class(counts) as f64;
    (Outcome::Counts(counts.to_vec()), value)
}

fn builder(schema: Arc<Schema>, root: &[f64]) -> TreeBuilder {
    let (outcome, value) = counts(root);
    TreeBuilder::new(schema, Loss::ZeroOne, outcome, value).unwrap()
}

/// The classic: two right-closed cuts, missing values distributed.
pub(super) fn iris() -> Tree {
    let features = vec![feature("petal_length", &[]), feature("petal_width", &[])];
    let schema = schema(features, "species", &["setosa", "versicolor", "virginica"]);
    let mut builder = builder(schema, &[50.0, 50.0, 50.0]);
    builder
        .split(
            NodeId(0),
            cuts(0, &[2.45], Closed::Right),
            MissingRoute::Distribute,
            [counts(&[50.0, 0.0, 0.0]), counts(&[0.0, 50.0, 50.0])],
        )
        .unwrap();
    builder
        .split(
            NodeId(2),
            cuts(1, &[1.75], Closed::Right),
            MissingRoute::Distribute,
            [counts(&[0.0, 49.0, 5.0]), counts(&[0.0, 1.0, 45.0])],
        )
        .unwrap();
    builder.finish()
}

/// No cut, one and three cuts, categories with one that was not seen, every route for missing values,
/// and a cost matrix. The children of node 4 were added before those of node 3.
pub(super) fn every_kind() -> Tree {
    let features = vec![
        feature("age", &[]),
        feature("sex", &["f", "m", "x"]),
        feature("size, cm", &[]),
    ];
    let schema = schema(features, "class", &["no", "yes"]);
    let costs = CostMatrix::new(&[vec![0.0, 1.0], vec![2.5, 0.0]]).unwrap();
    let (root, _) = counts(&[11.0, 9.0]);
    let mut builder = TreeBuilder::new(schema, Loss::Matrix(costs), root, 1.0).unwrap();
    builder
        .split(
            NodeId(0),
            cuts(0, &[], Closed::Left),
            MissingRoute::Child(1),
            [counts(&[9.0, 8.0]), counts(&[2.0, 1.0])],
        )
        .unwrap();
    builder
        .split(
            NodeId(1),
            cuts(0, &[18.5], Closed::Left),
            MissingRoute::Child(0),
            [counts(&[5.0, 4.0]), counts(&[4.0, 4.0])],
        )
        .unwrap();
    builder
        .split(
            NodeId(4),
            cuts(2, &[-1.0, 0.0, 1e300], Closed::Left),
            MissingRoute::Child(4),
            [
                counts(&[1.0, 0.0]),
                counts(&[0.0, 2.0]),
                counts(&[3.0, 0.0]),
                counts(&[0.0, 0.0]),
                counts(&[0.0, 2.0]),
            ],
        )
        .unwrap();
    builder
        .split(
            NodeId(3),
            categories(1, &[Some(0), Some(1), None]),
            MissingRoute::Distribute,
            [counts(&[5.0, 0.25]), counts(&[0.0, 3.75])],
        )
        .unwrap();
    builder
        .split(
            NodeId(2),
            categories(1, &[Some(1), None, Some(0)]),
            MissingRoute::Child(1),
            [counts(&[2.0, 0.0]), counts(&[0.0, 1.0])],
        )
        .unwrap();
    builder.finish()
}

/// The same features asked again and again.
pub(super) fn repeated() -> Tree {
    let features = vec![feature("a", &[]), feature("b", &["x", "y", "z"])];
    let mut builder = builder(schema(features, "class", &["no", "yes"]), &[5.0, 5.0]);
    let mut split = |id, split, missing| {
        let children = [counts(&[1.0, 0.0]), counts(&[0.0, 1.0])];
        builder.split(NodeId(id), split, missing, children).unwrap();
    };
    let first = MissingRoute::Child(0);
    split(0, cuts(0, &[5.0], Closed::Right), first);
    split(1, cuts(0, &[2.0], Closed::Left), MissingRoute::Child(1));
    split(4, categories(1, &[Some(0), Some(1), Some(0)]), first);
    split(5, categories(1, &[Some(0), None, Some(1)]), first);
    split(8, cuts(0, &[3.0], Closed::Right), MissingRoute::Child(1));
    builder.finish()
}

/// Regression with bins; the last node has no rows.
pub(super) fn numbers() -> Tree {
    let summary = |mean, weight, sse, bins: [f64; 2]| {
        let moments = Moments { mean, weight, sse };
        Outcome::Numbers(moments, Some(bins.to_vec()))
    };
    let schema = schema(vec![feature("x", &[])], "price", &[]);
    let root = summary(2.5, 4.0, 5.0, [2.0, 2.0]);
    let mut builder = TreeBuilder::new(schema, Loss::Squared, root, 2.5).unwrap();
    let children = [
        (summary(1.5, 2.0, 0.5, [2.0, 0.0]), 1.5),
        (summary(3.5, 2.0, 0.5, [0.0, 2.0]), 3.5),
        (summary(0.0, 0.0, 0.0, [0.0, 0.0]), 2.5),
    ];
    builder
        .split(
            NodeId(0),
            cuts(0, &[2.0, 1e20], Closed::Left),
            MissingRoute::Child(0),
            children,
        )
        .unwrap();
    builder.finish()
}

/// A single leaf.
pub(super) fn leaf() -> Tree {
    let schema = schema(vec![feature("x", &[])], "class", &["no", "yes"]);
    builder(schema, &[2.0, 3.0]).finish()
}

/// Names that try to break out of their places.
pub(super) fn hostile_names() -> Tree {
    let features = vec![feature("a\"]; x [\\", &["&lt;", "b\nc"])];
    let schema = schema(features, "t", &["\u{1b}[31m", "no"]);
    let mut builder = builder(schema, &[1.0, 1.0]);
    builder
        .split(
            NodeId(0),
            categories(0, &[Some(0), Some(1)]),
            MissingRoute::Child(1),
            [counts(&[1.0, 0.0]), counts(&[0.0, 1.0])],
        )
        .unwrap();
    builder.finish()
}

/// A tree of this depth with one leaf at each level.
pub(super) fn chain(depth: u32) -> Tree {
    let schema = schema(vec![feature("x", &[])], "class", &["no", "yes"]);
    let mut builder = builder(schema, &[1.0, 1.0]);
    for level in 0..depth {
        builder
            .split(
                NodeId(2 * level),
                cuts(0, &[f64::from(level)], Closed::Right),
                MissingRoute::Distribute,
                [counts(&[1.0, 0.0]), counts(&[0.0, 1.0])],
            )
            .unwrap();
    }
    builder.finish()
}
