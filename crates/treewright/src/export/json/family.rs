//! The family file: the best trees for every weight of a penalty.
//!
//! A nested family stores its largest tree, with the weight from which on each inner node is a leaf. A
//! member whose interval of weights holds no double is left out: nobody could ask for it.

use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use super::columns::{FeatureFile, ReadingFile, TargetFile, TaskFile, schema};
use super::model::{LearnerFile, TrainingFile};
use super::nodes::{self, Amount, NodeFile};
use super::{Format, VERSION};
use crate::cost::{Loss, Penalty};
use crate::data::Schema;
use crate::error::{Error, ErrorKind, Result};
use crate::tree::{
    CostsFrom, CrossValidation, Family, FamilyFit, Kept, LearnerKind, Member, MemberTrees, Nested,
    Tree, Work,
};

const TABLE: &str = "table";
/// More nodes than these are not written: no one could read such a file back.
const MOST_NODES: u64 = 5_000_000;

/// The file as it is read, or with `Members` that are made while they are written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FamilyFile<Members = Vec<MemberFile>> {
    format: String,
    version: u32,
    task: TaskFile,
    learner: LearnerFile,
    features: Vec<FeatureFile>,
    target: TargetFile,
    reading: ReadingFile,
    penalty: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    penalty_values: Option<Vec<Amount>>,
    training: TrainingFile,
    members: Members,
    search: SearchFile,
    #[serde(skip_serializing_if = "Option::is_none")]
    costs_from: Option<CostsFromFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chosen: Option<ChosenFile>,
    certificate: FamilyCertificateFile,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<Vec<NodeFile>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MemberFile {
    leaves: usize,
    cost: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<Amount>,
    /// `null` is infinity for a single member, as after a search that was stopped at once. Among others it is a member
    /// that is best for no weight.
    #[serde(deserialize_with = "Option::deserialize")]
    lambda_low: Option<f64>,
    lambda_high: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_bound: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cv_error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cv_se: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<Vec<NodeFile>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchFile {
    #[serde(skip_serializing_if = "Option::is_none")]
    solves: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rectangles: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rectangles_empty: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    states: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probes: Option<f64>,
    seconds: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CostsFromFile {
    rows: usize,
    weight: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChosenFile {
    min: usize,
    #[serde(rename = "1se")]
    one_se: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FamilyCertificateFile {
    exact: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    tolerance: Option<f64>,
    /// `null` is infinity: nothing is known to be complete.
    exact_down_to: Option<Amount>,
}

impl FamilyCertificateFile {
    fn exact_down_to(&self) -> f64 {
        self.exact_down_to
            .as_ref()
            .map_or(f64::INFINITY, |amount| amount.0)
    }
}

impl SearchFile {
    fn of(fit: &FamilyFit) -> Self {
        Self {
            solves: fit.work.map(|work| work.solves),
            rectangles: fit.work.map(|work| work.rectangles),
            rectangles_empty: fit.work.map(|work| work.rectangles_empty),
            states: fit.work.map(|work| work.states),
            probes: fit.work.map(|work| work.probes),
            seconds: fit.seconds,
        }
    }

    fn work(&self) -> Option<Work> {
        Some(Work {
            solves: self.solves?,
            rectangles: self.rectangles?,
            rectangles_empty: self.rectangles_empty?,
            states: self.states?,
            probes: self.probes?,
        })
    }
}

impl<'a> FamilyFile<WrittenMembers<'a>> {
    pub(super) fn of(fit: &'a FamilyFit) -> Self {
        let family = &fit.family;
        let kept = Kept::of(family);
        let found = fit.cross_validation.as_ref();
        let found = found.map(|found| kept.validation(found));
        let tree = family.tree(kept.largest());
        let schema = tree.schema();
        Self {
            format: Format::Family.name().into(),
            version: VERSION,
            task: TaskFile::of(schema),
            learner: LearnerFile::of(&fit.learner),
            features: schema.features.iter().map(FeatureFile::of).collect(),
            target: TargetFile::of(schema, tree.loss()),
            reading: ReadingFile::of(schema),
            penalty: family.penalty().to_string(),
            penalty_values: penalty_values(family.penalty(), tree.n_leaves()),
            training: TrainingFile::of(&fit.training),
            search: SearchFile::of(fit),
            costs_from: fit.costs_from.map(|from| CostsFromFile {
                rows: from.rows,
                weight: from.weight,
            }),
            chosen: found.as_ref().map(|found| ChosenFile {
                min: found.min,
                one_se: found.one_se,
            }),
            certificate: FamilyCertificateFile {
                exact: fit.exact,
                tolerance: fit.tolerance,
                exact_down_to: fit
                    .exact_down_to
                    .is_finite()
                    .then_some(Amount(fit.exact_down_to)),
            },
            nodes: family
                .as_nested()
                .map(|nested| nested_nodes(family, nested, kept.largest())),
            members: WrittenMembers {
                family,
                lower_bounds: fit.lower_bounds.as_deref(),
                kept,
                found,
            },
        }
    }
}

impl FamilyFile {
    pub(super) fn into_fit(mut self) -> Result<FamilyFit> {
        let learner = self.learner.clone().info();
        let has_all_sizes = learner.kind == LearnerKind::Optimal && learner.is_searched();
        let may_lack_weights = has_all_sizes && self.members.len() > 1;
        let members = self.members.iter();
        let members = members.map(|member| member.member(may_lack_weights));
        let members: Vec<Member> = members.collect();
        self.check(&members)?;
        let cross_validation = self.cross_validation()?;
        let lower_bounds = self.lower_bounds()?;
        let most_leaves = members.last().map_or(0, |member| member.leaves);
        let penalty = self.penalty(most_leaves)?;
        let (schema, loss) = schema(self.task, &self.features, self.target, self.reading)?;
        let trees = match self.nodes.take() {
            Some(nodes) => {
                if self.members.iter().any(|member| member.nodes.is_some()) {
                    return Err(Error::model(
                        "\"nodes\" stand either in the family or in each member",
                    ));
                }
                MemberTrees::Nested(nested(schema, loss, &nodes, &members)?)
            }
            None => MemberTrees::Source(Arc::new(trees(schema, &loss, &self.members)?)),
        };
        let mut family = Family::stored(penalty, &members, trees)?;
        if has_all_sizes {
            // All of them may be best for some weight.
            family = family.with_all_sizes();
        }
        let training = self.training.check()?;
        if self.certificate.exact {
            let from = self.costs_from.as_ref();
            family = family.with_whole_costs(from.map_or(training.weight, |from| from.weight));
        }
        Ok(FamilyFit {
            family,
            learner,
            training,
            exact: self.certificate.exact,
            tolerance: self.certificate.tolerance,
            exact_down_to: self.certificate.exact_down_to(),
            lower_bounds,
            costs_from: self.costs_from.map(|from| CostsFrom {
                rows: from.rows,
                weight: from.weight,
            }),
            cross_validation,
            work: self.search.work(),
            seconds: self.search.seconds,
        })
    }

    /// Numbers that must be right besides those which [`Family::stored`] looks at.
    fn check(&self, members: &[Member]) -> Result<()> {
        let down_to = self
            .certificate
            .exact_down_to
            .as_ref()
            .map_or(0.0, |it| it.0);
        let amounts = [
            self.search.seconds,
            down_to,
            self.certificate.tolerance.unwrap_or(0.0),
            self.costs_from.as_ref().map_or(0.0, |from| from.weight),
        ];
        if amounts.iter().any(|x| !x.is_finite() || *x < 0.0) {
            return Err(Error::model(
                "\"search\", \"certificate\" or \"costs_from\" has a number that is negative or not \
                 finite",
            ));
        }
        let is_classification = self.task == TaskFile::Classification;
        for (place, member) in members.iter().enumerate() {
            if member.errors.is_some() != is_classification {
                return Err(Error::model(format!(
                    "member {place}: \"errors\" are there in classification, and only there"
                )));
            }
        }
        if members
            .last()
            .and_then(|last| last.lambda_low)
            .is_some_and(|low| low > self.certificate.exact_down_to())
        {
            return Err(Error::model(
                "lambda_low of the last member is above exact_down_to",
            ));
        }
        let is_level = |two: &[Member]| two[0].cost == two[1].cost;
        if self.certificate.exact && members.windows(2).any(is_level) {
            return Err(Error::model(
                "two members have the same cost, which an exact family never has",
            ));
        }
        Ok(())
    }

    fn lower_bounds(&self) -> Result<Option<Vec<f64>>> {
        let bounds = self.members.iter().filter_map(|member| member.lower_bound);
        let bounds: Vec<f64> = bounds.collect();
        if bounds.is_empty() {
            return Ok(None);
        }
        if bounds.len() != self.members.len() {
            return Err(Error::model(
                "either every member has a \"lower_bound\" or none",
            ));
        }
        let is_bound = |(bound, member): (&f64, &MemberFile)| (0.0..=member.cost).contains(bound);
        if !bounds.iter().zip(&self.members).all(is_bound) {
            return Err(Error::model(
                "a \"lower_bound\" is negative, above the cost of its member, or not a number",
            ));
        }
        Ok(Some(bounds))
    }

    fn cross_validation(&self) -> Result<Option<CrossValidation>> {
        let broken = |what: &str| Err(Error::model(what));
        let all = |field: fn(&MemberFile) -> Option<f64>| -> Vec<f64> {
            self.members.iter().filter_map(field).collect()
        };
        let (error, se) = (all(|member| member.cv_error), all(|member| member.cv_se));
        let Some(chosen) = &self.chosen else {
            return if error.is_empty() && se.is_empty() {
                Ok(None)
            } else {
                broken("members have \"cv_error\" or \"cv_se\", but nothing is \"chosen\"")
            };
        };
        let n_members = self.members.len();
        if error.len() != n_members || se.len() != n_members {
            return broken("with \"chosen\" every member has \"cv_error\" and \"cv_se\"");
        }
        if error.iter().chain(&se).any(|x| !x.is_finite() || *x < 0.0) {
            return broken("a \"cv_error\" or \"cv_se\" is negative or not finite");
        }
        if chosen.min >= n_members || chosen.one_se > chosen.min {
            return broken("\"chosen\" must name members, \"1se\" none above \"min\"");
        }
        Ok(Some(CrossValidation {
            error,
            se,
            min: chosen.min,
            one_se: chosen.one_se,
            folds: Vec::new(),
        }))
    }

    fn penalty(&self, most_leaves: usize) -> Result<Penalty> {
        let values = match (self.penalty.as_str(), &self.penalty_values) {
            (TABLE, Some(values)) if values.len() < most_leaves => {
                return Err(Error::model(format!(
                    "{} \"penalty_values\", expected at least {most_leaves}",
                    values.len()
                )));
            }
            (TABLE, Some(values)) => values,
            (TABLE, None) => {
                return Err(Error::model(
                    "a penalty \"table\" needs its \"penalty_values\"",
                ));
            }
            (_, Some(_)) => {
                return Err(Error::model(
                    "\"penalty_values\" belong to the penalty \"table\"",
                ));
            }
            (name, None) => return name.parse().map_err(as_model),
        };
        let texts: Vec<String> = values
            .iter()
            .map(|value| format!("{:?}", value.0))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        Penalty::table(&texts).map_err(as_model)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` hands it over")]
fn as_model(error: Error) -> Error {
    Error::model(error.to_string())
}

/// Members whose trees are made one after the other while they are written: together they may be many
/// times as large as the tree they are prunings of.
pub(super) struct WrittenMembers<'a> {
    family: &'a Family,
    lower_bounds: Option<&'a [f64]>,
    kept: Kept,
    found: Option<CrossValidation>,
}

impl Serialize for WrittenMembers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let all = self.family.members();
        let found = self.found.as_ref();
        let has_nodes = self.family.as_nested().is_none();
        let members = self.kept.members().iter().enumerate();
        serializer.collect_seq(members.map(|(place, &member)| MemberFile {
            leaves: all[member].leaves,
            cost: all[member].cost,
            errors: all[member].errors.map(Amount),
            lambda_low: all[member].lambda_low.filter(|low| low.is_finite()),
            lambda_high: all[member].lambda_high,
            lower_bound: self.lower_bounds.map(|bounds| bounds[member]),
            cv_error: found.map(|found| found.error[place]),
            cv_se: found.map(|found| found.se[place]),
            nodes: has_nodes.then(|| node_files(&self.family.tree(member))),
        }))
    }
}

/// Refuses a family whose members, each with a tree of its own, have too many nodes for one file.
pub(super) fn check_size(family: &Family) -> Result<()> {
    if family.as_nested().is_some() {
        return Ok(());
    }
    let leaves = family.values().iter().map(|member| member.leaves as u64);
    // Of trees with two children per node one less; others have fewer.
    let n_nodes = leaves.fold(0_u64, |sum, leaves| sum.saturating_add(leaves * 2));
    if n_nodes <= MOST_NODES {
        return Ok(());
    }
    let n_members = family.len();
    Err(Error::parameter(
        "penalty",
        family.penalty(),
        format!(
            "a concave one such as linear, sqrt or log for so large a family: {n_members} members that \
             are not nested would have {n_nodes} nodes, a file may have {MOST_NODES}; or take single \
             trees with --lambda or --leaves"
        ),
    ))
}

impl MemberFile {
    fn member(&self, may_lack_weights: bool) -> Member {
        Member {
            leaves: self.leaves,
            cost: self.cost,
            errors: self.errors.map(|errors| errors.0),
            lambda_low: self
                .lambda_low
                .or((!may_lack_weights).then_some(f64::INFINITY)),
            lambda_high: self.lambda_high,
        }
    }
}

fn penalty_values(penalty: &Penalty, most_leaves: usize) -> Option<Vec<Amount>> {
    match penalty {
        Penalty::Table(_) => Some(
            (1..=most_leaves)
                .map(|leaves| Amount(penalty.at(leaves)))
                .collect(),
        ),
        _ => None,
    }
}

fn node_files(tree: &Tree) -> Vec<NodeFile> {
    tree.ids().map(|id| NodeFile::of(tree, id)).collect()
}

/// The nodes of the largest member, each inner one with the weight from which on it is a leaf.
fn nested_nodes(family: &Family, nested: &Nested, largest: usize) -> Vec<NodeFile> {
    let (tree, last_as_leaf) = nested.largest(largest + 1);
    let members = family.members();
    let collapse_at = |place: usize| members[last_as_leaf[place] as usize].lambda_low;
    let nodes = tree.ids().zip(node_files(&tree));
    nodes
        .map(|(id, node)| {
            let is_inner = !tree.is_leaf(id);
            node.collapsing(is_inner.then(|| collapse_at(id.index())).flatten())
        })
        .collect()
}

fn nested(schema: Schema, loss: Loss, nodes: &[NodeFile], members: &[Member]) -> Result<Nested> {
    let (tree, place_of) = nodes::tree_and_places(Arc::new(schema), loss, nodes)?;
    let last_as_leaf = place_of.iter().map(|&place| {
        let Some(at) = nodes[place].collapse_at(place)? else {
            return Ok(0);
        };
        let member = members.partition_point(|member| member.lambda_low > Some(at));
        match members.get(member) {
            Some(found) if found.lambda_low == Some(at) => Ok(member as u32),
            _ => Err(nodes::broken(
                place,
                &format!("collapse_at is {at}, which is lambda_low of no member"),
            )),
        }
    });
    Ok(Nested {
        last_as_leaf: last_as_leaf.collect::<Result<_>>()?,
        tree: Arc::new(tree),
        errors: None,
    })
}

fn trees(schema: Schema, loss: &Loss, members: &[MemberFile]) -> Result<Vec<Tree>> {
    let schema = Arc::new(schema);
    let trees = members.iter().enumerate().map(|(place, member)| {
        let in_member = |error: Error| match error.kind() {
            ErrorKind::Model(what) => Error::model(format!("member {place}: {what}")),
            ErrorKind::Node { node, what } => {
                Error::model(format!("member {place}: node {node}: {what}"))
            }
            _ => error,
        };
        let Some(nodes) = &member.nodes else {
            let what = "no \"nodes\", neither in the member nor in the family";
            return Err(in_member(Error::model(what)));
        };
        nodes::without_collapse_at(nodes).map_err(in_member)?;
        nodes::tree(Arc::clone(&schema), loss.clone(), nodes).map_err(in_member)
    });
    trees.collect()
}

#[cfg(test)]
mod tests;
