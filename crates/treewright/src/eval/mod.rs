//! How a tree does on rows: scores, costs of its nodes, and checking what a model file claims.
//!
//! | file | idea |
//! |---|---|
//! | `explored` | how a table was explored |
//! | `good_enough` | which tree is good enough, and how optimistic its error is because it was chosen |
//! | `interval` | the exact interval for a share |
//! | `lines` | of each family of a report the tree to name first |
//! | `metrics` | the score of a tree on rows |
//! | `quality` | how good answers are, given what is true |
//! | `rate` | costs for people |
//! | `sums` | sums over rows, the same for any number of threads |
//! | `recost` | what every node would cost as a leaf, on rows other than those of training |
//! | `folds` | which rows are left out when |
//! | `nested` | rows in an order of which every beginning is a fair part |
//! | `report` | trees and their figures side by side, for people to look at |
//! | `sample_size` | how many rows are enough, by the VC dimension of trees |
//! | `verify` | checks of what a model file claims |

use crate::data::{Column, Dataset, FeatureKind, Target, TargetKind};
use crate::error::{Error, Result, quoted};
use crate::tree::Tree;

mod explored;
mod folds;
mod good_enough;
mod interval;
mod lines;
mod metrics;
mod nested;
mod quality;
mod rate;
mod recost;
mod report;
mod sample_size;
mod sums;
mod verify;

pub use explored::{Explored, KeptAside, NoDyadic, Stop};
pub use folds::Folds;
pub use good_enough::{Candidate, GoodEnough};
pub use interval::exact_interval;
pub(crate) use interval::weighted_interval;
pub use lines::FamilyLine;
pub use metrics::{Score, confusion, score, score_with};
pub use nested::nested_order;
pub use quality::{
    Answers, CONFIDENCE, CalibrationBin, ClassFigures, ClassQuality, Gain, MostFrequent, NumberBin,
    NumberQuality, QUANTILES, Quality, Ranking, Threshold, positive_class,
};
pub use rate::{percent, rate, significant};
pub use recost::{Recost, recost};
pub use report::{
    Choices, Entry, Extent, FamilyState, JudgedOn, MemberProof, Proven, Report, Sample, Section,
    SectionKind, Standing, Trunk,
};
pub use sample_size::{TreeClass, sample_size};
pub use verify::{Check, Verification, verify};

/// Refuses rows that the tree cannot be judged on: other columns, no target, a target of another kind.
fn comparable(tree: &Tree, data: &Dataset) -> Result<()> {
    let features = &tree.schema().features;
    if features.len() != data.columns().len() {
        return Err(Error::schema(format!(
            "the rows have {} features, the tree expects {}",
            data.columns().len(),
            features.len()
        )));
    }
    for (feature, column) in features.iter().zip(data.columns()) {
        let fits = match (&feature.kind, column) {
            (FeatureKind::Numeric, Column::Numeric(_))
            | (FeatureKind::Categorical(_), Column::Categorical(_)) => true,
            (FeatureKind::Numeric, Column::Categorical(_))
            | (FeatureKind::Categorical(_), Column::Numeric(_)) => false,
        };
        if !fits {
            return Err(Error::schema(format!(
                "feature {} is not of the kind that the tree expects",
                quoted(&feature.name)
            )));
        }
    }
    let name = quoted(&tree.schema().target.name);
    match (&tree.schema().target.kind, data.target()) {
        (TargetKind::Classes(classes), Target::Classes(truths)) => {
            match truths
                .iter()
                .find(|&&truth| truth as usize >= classes.len())
            {
                Some(truth) => Err(Error::schema(format!(
                    "target {name} has class {truth}, the tree knows {}",
                    classes.len()
                ))),
                None => Ok(()),
            }
        }
        (TargetKind::Number, Target::Numbers(_)) => Ok(()),
        (_, Target::Absent) => Err(Error::schema(format!("the rows have no target {name}"))),
        _ => Err(Error::schema(format!(
            "target {name} is not of the kind that the tree predicts"
        ))),
    }
}
