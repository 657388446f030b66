//! Whole tables are predicted like single rows.

use std::sync::Arc;

use fastrand::Rng;
use treewright::cost::Loss;
use treewright::data::{
    Column, Dataset, Feature, FeatureKind, MISSING_CODE, Schema, Target, TargetColumn, TargetKind,
};
use treewright::tree::{
    Closed, MissingRoute, Moments, NodeId, Outcome, Reached, Split, Tree, TreeBuilder,
};

/// Numbers that cuts and cells are drawn from, so that they often meet.
const NUMBERS: [f64; 10] = [
    f64::MIN,
    -1.5,
    -5e-324,
    -0.0,
    0.0,
    5e-324,
    1.0,
    1.000_000_000_000_000_2,
    7e300,
    f64::MAX,
];
const N_NUMERIC: usize = 3;

fn schema() -> Arc<Schema> {
    let feature = |position: usize| Feature {
        name: format!("f{position}"),
        kind: if position < N_NUMERIC {
            FeatureKind::Numeric
        } else {
            FeatureKind::Categorical(["a", "b", "c"].map(str::to_owned).to_vec())
        },
    };
    Arc::new(Schema {
        features: (0..=N_NUMERIC).map(feature).collect(),
        target: TargetColumn {
            name: "y".into(),
            kind: TargetKind::Number,
        },
        ..Schema::default()
    })
}

fn random_split(rng: &mut Rng, single_cuts: bool) -> Split {
    if !single_cuts && rng.u8(..4) == 0 {
        let branches = [
            vec![Some(0), None, Some(1)],
            vec![Some(1), Some(0), Some(2)],
        ];
        return Split::Categories {
            feature: N_NUMERIC,
            branches: branches[rng.usize(..2)].clone(),
        };
    }
    let n_cuts = if single_cuts { 1 } else { rng.usize(1..4) };
    let mut cuts: Vec<f64> = (0..n_cuts).map(|_| NUMBERS[rng.usize(..10)]).collect();
    cuts.sort_by(f64::total_cmp);
    cuts.dedup();
    Split::Intervals {
        feature: rng.usize(..N_NUMERIC),
        cuts,
        closed: [Closed::Left, Closed::Right][rng.usize(..2)],
    }
}

/// With `single_cuts` a tree for the fast way, else any tree.
fn random_tree(rng: &mut Rng, single_cuts: bool) -> Tree {
    let outcome = |rng: &mut Rng| {
        let moments = Moments {
            weight: f64::from(rng.u8(..4)),
            ..Moments::default()
        };
        (Outcome::Numbers(moments, None), rng.f64())
    };
    let (root, value) = outcome(rng);
    let mut builder = TreeBuilder::new(schema(), Loss::Squared, root, value).unwrap();
    let mut leaves = vec![NodeId::ROOT];
    for _ in 0..rng.usize(..12) {
        let leaf = leaves.swap_remove(rng.usize(..leaves.len()));
        let split = random_split(rng, single_cuts);
        let present = split.n_present();
        let (missing, n_children) = match rng.u8(..3) {
            0 => (MissingRoute::Distribute, present),
            1 => (MissingRoute::Child(rng.u32(..present as u32)), present),
            _ => (MissingRoute::Child(present as u32), present + 1),
        };
        let children: Vec<(Outcome, f64)> = (0..n_children).map(|_| outcome(rng)).collect();
        // Cuts at 0 and -0 are not rising.
        let Ok(first) = builder.split(leaf, split, missing, children) else {
            leaves.push(leaf);
            continue;
        };
        leaves.extend((first.0..first.0 + n_children as u32).map(NodeId));
    }
    builder.finish()
}

/// Rows with nothing missing at first, so that there are blocks of both kinds.
fn random_rows(rng: &mut Rng, n_rows: usize) -> Dataset {
    let whole = rng.usize(..n_rows);
    let numbers = |rng: &mut Rng| {
        let number = |row: usize| match rng.u8(..8) {
            0 if row >= whole => f64::NAN,
            _ => NUMBERS[rng.usize(..10)],
        };
        Column::Numeric((0..n_rows).map(number).collect())
    };
    let mut columns: Vec<Column> = (0..N_NUMERIC).map(|_| numbers(rng)).collect();
    let codes = (0..n_rows).map(|_| [0, 1, 2, MISSING_CODE][rng.usize(..4)]);
    columns.push(Column::Categorical(codes.collect()));
    Dataset::new(schema(), columns, Target::Absent, None)
}

#[test]
fn whole_tables_are_predicted_like_single_rows() {
    let mut rng = Rng::with_seed(31);
    for at in 0..400 {
        let tree = random_tree(&mut rng, at % 2 == 0);
        let n_rows = rng.usize(1..4000);
        let data = random_rows(&mut rng, n_rows);
        for (row, &predicted) in tree.predict(&data).iter().enumerate() {
            let expected = match tree.reach(|feature| data.columns()[feature].value(row)) {
                Reached::One(leaf) => tree.value(leaf),
                Reached::Many(leaves) => {
                    let parts = leaves.iter().map(|&(leaf, share)| share * tree.value(leaf));
                    parts.sum()
                }
            };
            assert_eq!(predicted, expected, "table {at}, row {row}\n{tree:?}");
        }
    }
}
