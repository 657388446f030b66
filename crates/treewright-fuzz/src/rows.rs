//! Rows that fit any schema, so that any tree can be asked about some.

use std::sync::Arc;

use treewright::data::{
    Column, Dataset, FeatureKind, MISSING_CODE, Schema, Target, TargetKind, Value,
};
use treewright::tree::{Split, Tree};

/// Enough for all branches of small trees.
const MOST_ROWS: usize = 24;

/// Rows with values on and around the cuts of a tree, with missing ones, and with all classes.
pub(crate) fn around_cuts(tree: &Tree) -> Dataset {
    let schema = tree.schema();
    let columns = (0..schema.features.len()).map(|feature| column(tree, feature));
    let target = match &schema.target.kind {
        TargetKind::Classes(classes) if classes.is_empty() => Target::Absent,
        TargetKind::Classes(classes) => {
            let n_classes = classes.len() as u32;
            Target::Classes((0..MOST_ROWS as u32).map(|row| row % n_classes).collect())
        }
        TargetKind::Number => {
            let numbers = (0..MOST_ROWS).map(|row| row as f64 * 0.37 - 2.0);
            Target::Numbers(numbers.collect())
        }
    };
    let weights = schema.reading.weight.as_ref().map(|_| {
        let weight = |row| if row % 3 == 0 { 0.5 } else { f64::from(row) };
        (1..=MOST_ROWS as u32).map(weight).collect()
    });
    Dataset::new(Arc::clone(schema), columns.collect(), target, weights)
}

fn column(tree: &Tree, feature: usize) -> Column {
    let schema: &Schema = tree.schema();
    match &schema.features[feature].kind {
        FeatureKind::Numeric => {
            let mut numbers = vec![f64::NAN, 0.0, f64::MAX, f64::MIN, f64::MIN_POSITIVE];
            for cut in cuts(tree, feature).take(MOST_ROWS) {
                numbers.extend([cut, cut.next_down(), cut.next_up()]);
            }
            numbers.retain(|number| !number.is_infinite());
            let pick = |row| numbers[(row * 7 + feature) % numbers.len()];
            Column::Numeric((0..MOST_ROWS).map(pick).collect())
        }
        FeatureKind::Categorical(categories) => {
            let n_codes = categories.len() + 1;
            let pick = |row| match (row * 5 + feature) % n_codes {
                code if code == categories.len() => MISSING_CODE,
                code => code as u32,
            };
            Column::Categorical((0..MOST_ROWS).map(pick).collect())
        }
    }
}

/// The cuts of a feature, in the order of the nodes.
fn cuts(tree: &Tree, feature: usize) -> impl Iterator<Item = f64> {
    let splits = tree.ids().filter_map(|id| tree.branch(id));
    splits.flat_map(move |branch| match &branch.split {
        Split::Intervals {
            feature: asked,
            cuts,
            ..
        } if *asked == feature => cuts.clone(),
        _ => Vec::new(),
    })
}

/// The cells of a row, as a walk down a tree wants them.
pub(crate) fn cells(data: &Dataset, row: usize) -> impl Fn(usize) -> Value {
    move |feature| data.columns()[feature].value(row)
}
