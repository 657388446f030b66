//! The model file: the only format that is read back.
//!
//! The structs here exist only for the format, so that renaming a field elsewhere cannot change a
//! file. Reading is strict: unknown fields, numbers out of range and broken structure are refused, and
//! nothing is allocated that the file itself does not pay for. `docs/formats.md` describes the format.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use self::nodes::{Amount, NodeFile, tree};
use super::condition::printable;
use crate::cost::{CostMatrix, Loss};
use crate::data::{Feature, FeatureKind, Reading, Schema, TargetColumn, TargetKind};
use crate::error::{Error, Result, quoted};
use crate::tree::{Certificate, Fit, LearnerInfo, Training, Tree};

mod nodes;

const FORMAT: &str = "treewright.tree";
const VERSION: u32 = 1;

/// Writes a model as one JSON document, without a line end.
pub fn write_model(fit: &Fit<Tree>) -> String {
    serde_json::to_string(&ModelFile::of(fit)).expect("a model has only finite numbers")
}

/// Reads a model, checking all of it.
pub fn read_model(text: &str) -> Result<Fit<Tree>> {
    // A list of values in the right order would do for the parser, but it is not the format.
    if !text.trim_start().starts_with('{') {
        return Err(Error::model("expected a JSON object"));
    }
    let head: Head = parse(text)?;
    match head.format.as_deref() {
        Some(FORMAT) => {}
        Some(other) => {
            let other = quoted(other);
            return Err(Error::model(format!(
                "format is {other}, expected \"{FORMAT}\""
            )));
        }
        None => {
            return Err(Error::model(format!(
                "no \"format\", expected \"{FORMAT}\""
            )));
        }
    }
    if head.version != Some(u64::from(VERSION)) {
        let version = head
            .version
            .map_or("none".into(), |version| version.to_string());
        return Err(Error::model(format!(
            "version is {version}, this program reads {VERSION}"
        )));
    }
    parse::<ModelFile>(text)?.into_fit()
}

/// Parses JSON. The parser's messages may quote names of any length and with any characters.
fn parse<T: DeserializeOwned>(text: &str) -> Result<T> {
    const LONGEST: usize = 240;
    serde_json::from_str(text).map_err(|error| {
        let message = printable(&error.to_string());
        let n_chars = message.chars().count();
        if n_chars <= LONGEST {
            return Error::model(message);
        }
        // The end says where.
        let head: String = message.chars().take(LONGEST - 60).collect();
        let tail: String = message.chars().skip(n_chars - 60).collect();
        Error::model(format!("{head}...{tail}"))
    })
}

/// What must be right before the rest is looked at.
#[derive(Deserialize)]
struct Head {
    format: Option<String>,
    version: Option<u64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelFile {
    format: String,
    version: u32,
    task: TaskFile,
    features: Vec<FeatureFile>,
    target: TargetFile,
    reading: ReadingFile,
    learner: LearnerFile,
    training: TrainingFile,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<CertificateFile>,
    nodes: Vec<NodeFile>,
}

#[derive(Serialize, Deserialize, PartialEq, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum TaskFile {
    Classification,
    Regression,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FeatureFile {
    name: String,
    kind: KindFile,
    #[serde(skip_serializing_if = "Option::is_none")]
    categories: Option<Vec<String>>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum KindFile {
    Numeric,
    Categorical,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TargetFile {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    classes: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    costs: Option<Vec<Vec<Amount>>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadingFile {
    na: Vec<String>,
    weight: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LearnerFile {
    name: String,
    params: Map<String, Value>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrainingFile {
    rows: usize,
    weight: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<Amount>,
    cost: f64,
    leaves: usize,
    depth: usize,
    seconds: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CertificateFile {
    objective: f64,
    lower_bound: f64,
    gap: f64,
    optimal: bool,
    exact: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    tolerance: Option<f64>,
    what: String,
}

impl ModelFile {
    fn of(fit: &Fit<Tree>) -> Self {
        let tree = &fit.model;
        let schema = tree.schema();
        let costs = match tree.loss() {
            Loss::Matrix(matrix) => {
                let amounts = |row: &[f64]| row.iter().copied().map(Amount).collect();
                Some(matrix.rows().map(amounts).collect())
            }
            Loss::ZeroOne | Loss::Squared => None,
        };
        let classes = schema
            .is_classification()
            .then(|| schema.classes().to_vec());
        Self {
            format: FORMAT.into(),
            version: VERSION,
            task: match schema.target.kind {
                TargetKind::Classes(_) => TaskFile::Classification,
                TargetKind::Number => TaskFile::Regression,
            },
            features: schema.features.iter().map(FeatureFile::of).collect(),
            target: TargetFile {
                name: schema.target.name.clone(),
                classes,
                costs,
            },
            reading: ReadingFile {
                na: schema.reading.na.clone(),
                weight: schema.reading.weight.clone(),
            },
            learner: LearnerFile {
                name: fit.learner.name.clone(),
                params: fit.learner.params.clone(),
            },
            training: TrainingFile::of(&fit.training),
            certificate: fit.certificate.as_ref().map(CertificateFile::of),
            nodes: tree.ids().map(|id| NodeFile::of(tree, id)).collect(),
        }
    }

    fn into_fit(self) -> Result<Fit<Tree>> {
        let (schema, loss) = self.schema()?;
        let model = tree(Arc::new(schema), loss, &self.nodes)?;
        let training = self.training.check()?;
        let certificate = self.certificate.map(CertificateFile::check).transpose()?;
        let learner = LearnerInfo {
            name: self.learner.name,
            params: self.learner.params,
        };
        Ok(Fit {
            model,
            learner,
            training,
            certificate,
        })
    }

    fn schema(&self) -> Result<(Schema, Loss)> {
        let (kind, loss) = match (self.task, &self.target.classes, &self.target.costs) {
            (TaskFile::Classification, Some(classes), None) => {
                (TargetKind::Classes(classes.clone()), Loss::ZeroOne)
            }
            (TaskFile::Classification, Some(classes), Some(costs)) => {
                let costs: Vec<Vec<f64>> = costs
                    .iter()
                    .map(|row| row.iter().map(|cost| cost.0).collect())
                    .collect();
                let matrix =
                    CostMatrix::new(&costs).map_err(|error| Error::model(error.to_string()))?;
                (TargetKind::Classes(classes.clone()), Loss::Matrix(matrix))
            }
            (TaskFile::Regression, None, None) => (TargetKind::Number, Loss::Squared),
            (TaskFile::Classification, None, _) => {
                return Err(Error::model(
                    "classification needs \"classes\" in \"target\"",
                ));
            }
            (TaskFile::Regression, ..) => {
                return Err(Error::model(
                    "regression has no \"classes\" and no \"costs\"",
                ));
            }
        };
        let features = self
            .features
            .iter()
            .map(FeatureFile::feature)
            .collect::<Result<Vec<Feature>>>()?;
        let target = TargetColumn {
            name: self.target.name.clone(),
            kind,
        };
        let reading = Reading {
            na: self.reading.na.clone(),
            weight: self.reading.weight.clone(),
        };
        let schema = Schema {
            features,
            target,
            reading,
        };
        schema
            .check()
            .map_err(|error| Error::model(error.to_string()))?;
        Ok((schema, loss))
    }
}

impl FeatureFile {
    fn of(feature: &Feature) -> Self {
        let (kind, categories) = match &feature.kind {
            FeatureKind::Numeric => (KindFile::Numeric, None),
            FeatureKind::Categorical(categories) => {
                (KindFile::Categorical, Some(categories.clone()))
            }
        };
        Self {
            name: feature.name.clone(),
            kind,
            categories,
        }
    }

    fn feature(&self) -> Result<Feature> {
        let kind = match (&self.kind, &self.categories) {
            (KindFile::Numeric, None) => FeatureKind::Numeric,
            (KindFile::Categorical, Some(categories)) => {
                FeatureKind::Categorical(categories.clone())
            }
            (KindFile::Numeric, Some(_)) => {
                let name = quoted(&self.name);
                return Err(Error::model(format!(
                    "numeric feature {name} has categories"
                )));
            }
            (KindFile::Categorical, None) => {
                let name = quoted(&self.name);
                return Err(Error::model(format!(
                    "categorical feature {name} has no categories"
                )));
            }
        };
        Ok(Feature {
            name: self.name.clone(),
            kind,
        })
    }
}

impl TrainingFile {
    fn of(training: &Training) -> Self {
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

    fn check(self) -> Result<Training> {
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
    fn of(certificate: &Certificate) -> Self {
        Self {
            objective: certificate.objective,
            lower_bound: certificate.lower_bound,
            gap: certificate.gap(),
            optimal: certificate.is_optimal(),
            exact: certificate.exact,
            tolerance: certificate.tolerance,
            what: certificate.what.clone(),
        }
    }

    /// A file must not claim more than its own numbers say.
    fn check(self) -> Result<Certificate> {
        let certificate = Certificate {
            objective: self.objective,
            lower_bound: self.lower_bound,
            exact: self.exact,
            tolerance: self.tolerance,
            what: self.what,
        };
        let amounts = [
            self.objective,
            self.lower_bound,
            self.tolerance.unwrap_or(0.0),
        ];
        if amounts
            .iter()
            .any(|amount| !amount.is_finite() || *amount < 0.0)
        {
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
        if (self.gap - certificate.gap()).abs() > 1e-12 {
            return Err(Error::model(
                "certificate: gap is not (objective - lower_bound) / objective",
            ));
        }
        Ok(certificate)
    }
}

#[cfg(test)]
mod tests;
