//! The model file: the only format that is read back.
//!
//! The structs here exist only for the format, so that renaming a field elsewhere cannot change a
//! file. Reading is strict: unknown fields, numbers out of range and broken structure are refused, and
//! nothing is allocated that the file itself does not pay for. `docs/formats.md` describes the format.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::cost::{CostMatrix, Loss};
use crate::data::{Feature, FeatureKind, Reading, Schema, TargetColumn, TargetKind};
use crate::error::{Error, Result, quoted};
use crate::tree::{
    Certificate, Closed, Fit, LearnerInfo, MissingRoute, Moments, NodeId, Outcome, Split, Training,
    Tree, TreeBuilder,
};

const FORMAT: &str = "treewright.tree";
const VERSION: u32 = 1;

/// Writes a model as one JSON document, without a line end.
pub fn write_model(fit: &Fit<Tree>) -> String {
    serde_json::to_string(&ModelFile::of(fit)).expect("a model has only finite numbers")
}

/// Reads a model, checking all of it.
pub fn read_model(text: &str) -> Result<Fit<Tree>> {
    let head: Head = serde_json::from_str(text).map_err(|error| Error::model(error.to_string()))?;
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
    let file: ModelFile =
        serde_json::from_str(text).map_err(|error| Error::model(error.to_string()))?;
    file.into_fit()
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
    costs: Option<Vec<Vec<f64>>>,
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

#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct NodeFile {
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mean: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weight: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sse: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bins: Option<Vec<f64>>,
    value: Amount,
    #[serde(skip_serializing_if = "Option::is_none")]
    split: Option<SplitFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    children: Option<Vec<usize>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<MissingFile>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum SplitFile {
    Intervals {
        feature: usize,
        cuts: Vec<f64>,
        closed: ClosedFile,
    },
    Categories {
        feature: usize,
        branches: Vec<Option<u32>>,
    },
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum ClosedFile {
    Left,
    Right,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum MissingFile {
    Child(u32),
    Word(String),
}

/// A number that is written as a whole number where it is one.
#[derive(Deserialize, Default, Clone, Copy)]
#[serde(transparent)]
struct Amount(f64);

impl Serialize for Amount {
    fn serialize<S: serde::Serializer>(
        &self,
        serializer: S,
    ) -> std::result::Result<S::Ok, S::Error> {
        const LARGEST_EXACT: f64 = (1_u64 << 53) as f64;
        if self.0.fract() == 0.0 && self.0.abs() < LARGEST_EXACT {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

impl ModelFile {
    fn of(fit: &Fit<Tree>) -> Self {
        let tree = &fit.model;
        let schema = tree.schema();
        let costs = match tree.loss() {
            Loss::Matrix(matrix) => Some(matrix.rows().map(<[f64]>::to_vec).collect()),
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
                let matrix =
                    CostMatrix::new(costs).map_err(|error| Error::model(error.to_string()))?;
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

/// Builds the tree from the nodes of a file, which may stand in any order that puts children after
/// their parent.
fn tree(schema: Arc<Schema>, loss: Loss, nodes: &[NodeFile]) -> Result<Tree> {
    let Some(root) = nodes.first() else {
        return Err(Error::model(
            "\"nodes\" is empty, expected at least the root",
        ));
    };
    let broken = |id: usize, what: &str| Error::model(format!("node {id}: {what}"));
    let mut builder = TreeBuilder::new(schema, loss, root.outcome(0)?, root.value.0)?;
    let mut has_parent = vec![false; nodes.len()];
    has_parent[0] = true;
    // Position in the file and in the tree; parents are taken in the order of the new numbers.
    let mut places = vec![(0, NodeId::ROOT)];
    let mut next = 0;
    while let Some(&(at, id)) = places.get(next) {
        next += 1;
        let node = &nodes[at];
        let (split, children, missing) = match (&node.split, &node.children, &node.missing) {
            (None, None, None) => continue,
            (Some(split), Some(children), Some(missing)) => (split, children, missing),
            _ => {
                let what = "\"split\", \"children\" and \"missing\" come together or not at all";
                return Err(broken(at, what));
            }
        };
        let mut outcomes = Vec::with_capacity(children.len());
        for &child in children {
            let Some(node) = nodes.get(child) else {
                return Err(broken(at, &format!("child {child} does not exist")));
            };
            if child <= at {
                return Err(broken(
                    at,
                    &format!("child {child} must come after its parent"),
                ));
            }
            if std::mem::replace(&mut has_parent[child], true) {
                return Err(broken(child, "has more than one parent"));
            }
            outcomes.push((node.outcome(child)?, node.value.0));
        }
        let first = builder
            .split(id, split.split(), missing.route(at)?, outcomes)
            .map_err(|error| broken(at, &error.to_string()))?;
        let ids = (0..children.len() as u32).map(|offset| NodeId(first.0 + offset));
        places.extend(children.iter().copied().zip(ids));
    }
    match has_parent.iter().position(|has_parent| !has_parent) {
        Some(orphan) => Err(broken(orphan, "has no parent")),
        None => Ok(builder.finish()),
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

impl NodeFile {
    fn of(tree: &Tree, id: NodeId) -> Self {
        let mut node = Self {
            value: Amount(tree.value(id)),
            ..Self::default()
        };
        match tree.moments(id) {
            None => node.counts = Some(tree.counts(id).to_vec()),
            Some(moments) => {
                node.mean = Some(moments.mean);
                node.weight = Some(moments.weight);
                node.sse = Some(moments.sse);
                node.bins = Some(tree.bins(id).to_vec()).filter(|bins| !bins.is_empty());
            }
        }
        if let Some(branch) = tree.branch(id) {
            node.split = Some(SplitFile::of(&branch.split));
            node.children = Some(branch.children().map(NodeId::index).collect());
            node.missing = Some(match branch.missing {
                MissingRoute::Child(child) => MissingFile::Child(child),
                MissingRoute::Distribute => MissingFile::Word("distribute".into()),
            });
        }
        node
    }

    fn outcome(&self, id: usize) -> Result<Outcome> {
        match (&self.counts, self.mean, self.weight, self.sse) {
            (Some(counts), None, None, None) if self.bins.is_none() => {
                Ok(Outcome::Counts(counts.clone()))
            }
            (None, Some(mean), Some(weight), Some(sse)) => Ok(Outcome::Numbers(
                Moments { mean, weight, sse },
                self.bins.clone(),
            )),
            _ => Err(Error::model(format!(
                "node {id}: expected either \"counts\" or \"mean\", \"weight\" and \"sse\""
            ))),
        }
    }
}

impl SplitFile {
    fn of(split: &Split) -> Self {
        match split {
            Split::Intervals {
                feature,
                cuts,
                closed,
            } => Self::Intervals {
                feature: *feature,
                cuts: cuts.clone(),
                closed: match closed {
                    Closed::Left => ClosedFile::Left,
                    Closed::Right => ClosedFile::Right,
                },
            },
            Split::Categories { feature, branches } => Self::Categories {
                feature: *feature,
                branches: branches.clone(),
            },
        }
    }

    fn split(&self) -> Split {
        match self {
            Self::Intervals {
                feature,
                cuts,
                closed,
            } => Split::Intervals {
                feature: *feature,
                cuts: cuts.clone(),
                closed: match closed {
                    ClosedFile::Left => Closed::Left,
                    ClosedFile::Right => Closed::Right,
                },
            },
            Self::Categories { feature, branches } => Split::Categories {
                feature: *feature,
                branches: branches.clone(),
            },
        }
    }
}

impl MissingFile {
    fn route(&self, id: usize) -> Result<MissingRoute> {
        match self {
            Self::Child(child) => Ok(MissingRoute::Child(*child)),
            Self::Word(word) if word == "distribute" => Ok(MissingRoute::Distribute),
            Self::Word(word) => Err(Error::model(format!(
                "node {id}: missing is {}, expected a child position or \"distribute\"",
                quoted(word)
            ))),
        }
    }
}
