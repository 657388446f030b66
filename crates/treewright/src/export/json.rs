//! The model file: the only format that is read back.
//!
//! The structs here exist only for the format, so that renaming a field elsewhere cannot change a
//! file. Reading is strict: unknown fields, numbers out of range and broken structure are refused, and
//! nothing is allocated that the file itself does not pay for. `docs/formats.md` describes the format.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::condition::printable;
use crate::cost::{CostMatrix, Loss};
use crate::data::{Feature, FeatureKind, Reading, Schema, TargetColumn, TargetKind};
use crate::error::{Error, ErrorKind, Result, quoted};
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

/// A child position, or a word, of which only one means something.
#[derive(Serialize)]
#[serde(untagged)]
enum MissingFile {
    Child(u32),
    Word(String),
}

impl<'de> Deserialize<'de> for MissingFile {
    fn deserialize<D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> std::result::Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = MissingFile;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a child position or \"distribute\"")
            }

            fn visit_u64<E: serde::de::Error>(
                self,
                child: u64,
            ) -> std::result::Result<MissingFile, E> {
                u32::try_from(child)
                    .map(MissingFile::Child)
                    .map_err(|_| E::invalid_value(serde::de::Unexpected::Unsigned(child), &self))
            }

            fn visit_str<E: serde::de::Error>(
                self,
                word: &str,
            ) -> std::result::Result<MissingFile, E> {
                Ok(MissingFile::Word(word.to_owned()))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
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

/// Builds the tree from the nodes of a file, which may stand in any order that puts children after
/// their parent.
fn tree(schema: Arc<Schema>, loss: Loss, nodes: &[NodeFile]) -> Result<Tree> {
    let Some(root) = nodes.first() else {
        return Err(Error::model(
            "\"nodes\" is empty, expected at least the root",
        ));
    };
    let mut builder = TreeBuilder::new(schema, loss, root.outcome(0)?, root.value.0)?;
    let mut has_parent = vec![false; nodes.len()];
    has_parent[0] = true;
    // For every node of the tree its place in the file.
    let mut place_of = vec![0];
    // The branches whose parents are built, the one with the first child first: a file that has
    // siblings side by side, as ours have, keeps its numbers.
    let mut ready = BinaryHeap::new();
    ready.extend(BranchFile::of(nodes, 0, NodeId::ROOT)?);
    while let Some(Reverse(branch)) = ready.pop() {
        let mut outcomes = Vec::with_capacity(branch.children.len());
        for &child in branch.children {
            let node = child_of(nodes, branch.place, child)?;
            if std::mem::replace(&mut has_parent[child], true) {
                return Err(broken(child, "has more than one parent"));
            }
            outcomes.push((node.outcome(child)?, node.value.0));
        }
        place_of.extend(branch.children);
        let route = branch.missing.route(branch.place)?;
        let first = builder
            .split(branch.id, branch.split.split(), route, outcomes)
            .map_err(|error| renumbered(&error, &place_of))?;
        for (id, &child) in (first.0..).zip(branch.children) {
            ready.extend(BranchFile::of(nodes, child, NodeId(id))?);
        }
    }
    match has_parent.iter().position(|has_parent| !has_parent) {
        Some(orphan) => Err(broken(orphan, "has no parent")),
        None => Ok(builder.finish()),
    }
}

/// An inner node of a file whose place in the tree is known. Ordered by its first child in the file,
/// then by its own place, which no other has.
struct BranchFile<'a> {
    first_child: usize,
    place: usize,
    id: NodeId,
    split: &'a SplitFile,
    children: &'a [usize],
    missing: &'a MissingFile,
}

impl<'a> BranchFile<'a> {
    /// `None` for a leaf.
    fn of(nodes: &'a [NodeFile], place: usize, id: NodeId) -> Result<Option<Reverse<Self>>> {
        let node = &nodes[place];
        match (&node.split, &node.children, &node.missing) {
            (None, None, None) => Ok(None),
            (Some(split), Some(children), Some(missing)) => Ok(Some(Reverse(Self {
                first_child: children.iter().copied().min().unwrap_or(0),
                place,
                id,
                split,
                children,
                missing,
            }))),
            _ => {
                let what = "\"split\", \"children\" and \"missing\" come together or not at all";
                Err(broken(place, what))
            }
        }
    }

    fn key(&self) -> (usize, usize) {
        (self.first_child, self.place)
    }
}

impl PartialEq for BranchFile<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for BranchFile<'_> {}

impl PartialOrd for BranchFile<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for BranchFile<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

fn child_of(nodes: &[NodeFile], parent: usize, child: usize) -> Result<&NodeFile> {
    let Some(node) = nodes.get(child) else {
        return Err(broken(parent, &format!("child {child} does not exist")));
    };
    if child <= parent {
        let what = format!("child {child} must come after its parent");
        return Err(broken(parent, &what));
    }
    Ok(node)
}

fn broken(place: usize, what: &str) -> Error {
    Error::model(format!("node {place}: {what}"))
}

/// A fault that the builder found, with the number that the node has in the file.
fn renumbered(error: &Error, place_of: &[usize]) -> Error {
    let ErrorKind::Model(message) = error.kind() else {
        return Error::model(error.to_string());
    };
    let place = |text: &str| place_of.get(text.parse::<usize>().ok()?).copied();
    let parts = message
        .strip_prefix("node ")
        .and_then(|m| m.split_once(": "));
    match parts.and_then(|(id, what)| Some((place(id)?, what))) {
        Some((place, what)) => broken(place, what),
        None => Error::model(message.clone()),
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

#[cfg(test)]
mod tests;
