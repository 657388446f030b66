//! What a search was about, for somebody who wants to repeat it: a model file without a tree.

use serde::Serialize;

use super::columns::{FeatureFile, ReadingFile, TargetFile, TaskFile};
use super::model::LearnerFile;
use crate::cost::Loss;
use crate::data::Schema;
use crate::tree::LearnerInfo;

#[derive(Serialize)]
pub(super) struct ProblemFile {
    task: TaskFile,
    features: Vec<FeatureFile>,
    target: TargetFile,
    reading: ReadingFile,
    learner: LearnerFile,
}

impl ProblemFile {
    pub(super) fn of(schema: &Schema, loss: &Loss, learner: &LearnerInfo) -> Self {
        Self {
            task: TaskFile::of(schema),
            features: schema.features.iter().map(FeatureFile::of).collect(),
            target: TargetFile::of(schema, loss),
            reading: ReadingFile::of(schema),
            learner: LearnerFile::of(learner),
        }
    }
}
