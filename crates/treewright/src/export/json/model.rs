//! The model file: one tree with its circumstances.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::columns::{FeatureFile, ReadingFile, TargetFile, TaskFile, schema};
use super::nodes::{self, Amount, NodeFile};
use super::{Format, VERSION};
use crate::cost::Lambda;
use crate::error::{Error, Result};
use crate::export::words;
use crate::tree::{
    Certificate, CostKind, Fit, LearnerInfo, LearnerKind, LeastLeaf, Minimised, Statement,
    Training, Tree, TreeClass,
};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModelFile {
    pub(super) format: String,
    pub(super) version: u32,
    pub(super) task: TaskFile,
    pub(super) features: Vec<FeatureFile>,
    pub(super) target: TargetFile,
    pub(super) reading: ReadingFile,
    pub(super) learner: LearnerFile,
    pub(super) training: TrainingFile,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) certificate: Option<CertificateFile>,
    pub(super) nodes: Vec<NodeFile>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CertificateFile {
    pub(super) objective: f64,
    pub(super) lower_bound: f64,
    pub(super) gap: f64,
    pub(super) optimal: bool,
    pub(super) exact: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tolerance: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) fewest_leaves: Option<bool>,
    pub(super) what: String,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LearnerFile {
    pub(super) name: String,
    pub(super) params: Map<String, Value>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TrainingFile {
    pub(super) rows: usize,
    pub(super) weight: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) errors: Option<Amount>,
    pub(super) cost: f64,
    pub(super) leaves: usize,
    pub(super) depth: usize,
    pub(super) seconds: f64,
}

impl ModelFile {
    pub(super) fn of(fit: &Fit<Tree>) -> Self {
        let tree = &fit.model;
        let schema = tree.schema();
        Self {
            format: Format::Tree.name().into(),
            version: VERSION,
            task: TaskFile::of(schema),
            features: schema.features.iter().map(FeatureFile::of).collect(),
            target: TargetFile::of(schema, tree.loss()),
            reading: ReadingFile::of(schema),
            learner: LearnerFile::of(&fit.learner),
            training: TrainingFile::of(&fit.training),
            certificate: fit.certificate.as_ref().map(CertificateFile::of),
            nodes: tree.ids().map(|id| NodeFile::of(tree, id)).collect(),
        }
    }

    pub(super) fn into_fit(self) -> Result<Fit<Tree>> {
        let (schema, loss) = schema(self.task, &self.features, self.target, self.reading)?;
        nodes::without_collapse_at(&self.nodes)?;
        let learner = self.learner.info();
        Ok(Fit {
            model: nodes::tree(Arc::new(schema), loss, &self.nodes)?,
            training: self.training.check()?,
            certificate: match self.certificate {
                Some(certificate) => Some(certificate.check(&learner)?),
                None => None,
            },
            learner,
        })
    }
}

impl LearnerFile {
    pub(super) fn of(learner: &LearnerInfo) -> Self {
        Self {
            name: learner.kind.name().to_owned(),
            params: learner.params.as_json().clone(),
        }
    }

    pub(super) fn info(self) -> LearnerInfo {
        LearnerInfo {
            kind: LearnerKind::named(&self.name),
            params: self.params.into(),
        }
    }
}

impl TrainingFile {
    pub(super) fn of(training: &Training) -> Self {
        Self {
            rows: training.rows,
            weight: training.weight,
            errors: training.errors.map(Amount),
            cost: training.cost,
            leaves: training.leaves,
            depth: training.depth,
            seconds: training.seconds,
        }
    }

    pub(super) fn check(self) -> Result<Training> {
        let errors = self.errors.map(|errors| errors.0);
        let amounts = [self.weight, self.cost, self.seconds, errors.unwrap_or(0.0)];
        if amounts
            .iter()
            .any(|amount| !amount.is_finite() || *amount < 0.0)
        {
            return Err(Error::model(
                "\"training\" has a number that is negative or not finite",
            ));
        }
        Ok(Training {
            rows: self.rows,
            weight: self.weight,
            errors,
            cost: self.cost,
            leaves: self.leaves,
            depth: self.depth,
            seconds: self.seconds,
        })
    }
}

impl CertificateFile {
    pub(super) fn of(certificate: &Certificate) -> Self {
        Self {
            objective: certificate.objective,
            lower_bound: certificate.lower_bound,
            gap: certificate.gap(),
            optimal: certificate.is_optimal(),
            exact: certificate.exact,
            tolerance: certificate.tolerance,
            fewest_leaves: certificate.fewest_leaves,
            what: words::statement(&certificate.statement),
        }
    }

    /// A file must not claim more than its own numbers say.
    pub(super) fn check(self, learner: &LearnerInfo) -> Result<Certificate> {
        let certificate = Certificate {
            objective: self.objective,
            lower_bound: self.lower_bound,
            exact: self.exact,
            tolerance: self.tolerance,
            fewest_leaves: self.fewest_leaves,
            statement: stated(self.what, learner),
        };
        let tolerance = self.tolerance.unwrap_or(0.0);
        let numbers = [self.objective, self.lower_bound, tolerance];
        // A table of penalties may have negative ones, so a bound may be negative, too.
        let is_odd = self.lower_bound < 0.0 && self.objective >= 0.0;
        let is_odd = is_odd && !learner.params.has_penalty_table();
        let is_strange = tolerance < 0.0 || is_odd;
        if is_strange || numbers.iter().any(|number| !number.is_finite()) {
            return Err(Error::model(
                "\"certificate\" has a number that is negative or not finite",
            ));
        }
        if self.lower_bound > self.objective {
            return Err(Error::model("certificate: lower_bound is above objective"));
        }
        if self.optimal != certificate.is_optimal() {
            return Err(Error::model(
                "certificate: optimal must say whether objective equals lower_bound",
            ));
        }
        if self.fewest_leaves == Some(true) && !self.optimal {
            return Err(Error::model(
                "certificate: fewest_leaves is true, but optimal is not",
            ));
        }
        if (self.gap - certificate.gap()).abs() > 1e-12 {
            return Err(Error::model(
                "certificate: gap is not (objective - lower_bound) / objective",
            ));
        }
        Ok(certificate)
    }
}

/// What the certificate of a file is about: as data, where its words are those of its parameters. Of all classes of
/// trees, sentences are made only of this one.
fn stated(what: String, learner: &LearnerInfo) -> Statement {
    match bounded(learner) {
        Some(statement) if words::statement(&statement) == what => statement,
        _ => Statement::Words(what),
    }
}

/// What the parameters of an optimal tree say about its certificate.
fn bounded(learner: &LearnerInfo) -> Option<Statement> {
    let params = &learner.params;
    if learner.kind != LearnerKind::Optimal {
        return None;
    }
    let (leaf_cost, min_leaf) = (params.leaf_cost().ok()??, params.min_leaf().ok()??);
    let minimised = if leaf_cost == Lambda::zero() {
        Minimised::Cost(CostKind::Loss)
    } else {
        Minimised::Penalised(CostKind::Loss, leaf_cost, params.penalty_of_leaves()?)
    };
    let over = TreeClass::Bounded {
        depth: params.depth().ok()??,
        intervals: params.intervals().ok()??,
        categories: params.categorical_splits().ok()?,
        leaf: params
            .min_leaf_weight()
            .map_or(LeastLeaf::Rows(min_leaf), LeastLeaf::Weight),
        min_class_share: params.min_class_share().ok()?,
        most_leaves: params.leaves().ok()?,
        rules: params.rules().ok()?,
    };
    Some(Statement::least(minimised, over))
}
