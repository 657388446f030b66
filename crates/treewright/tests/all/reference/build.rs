//! A naive builder on top of the list of all splits, and trees as plain data that tests can spoil.

use std::collections::VecDeque;
use std::sync::Arc;

use treewright::cost::Loss;
use treewright::data::{Dataset, Schema};
use treewright::learn::Greedy;
use treewright::learn::greedy::Criterion;
use treewright::tree::{MissingRoute, Moments, NodeId, Outcome, Split, Tree, TreeBuilder};

use super::greedy::{deal, routes};
use super::splits::gains::Verdict;
use super::splits::{Candidate, NodeRows, Problem};

/// A node of a tree with everything below it.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) outcome: Outcome,
    pub(crate) value: f64,
    pub(crate) branch: Option<PlannedBranch>,
}

#[derive(Debug, Clone)]
pub(crate) struct PlannedBranch {
    pub(crate) split: Split,
    pub(crate) missing: MissingRoute,
    pub(crate) children: Vec<Plan>,
}

/// Learns by trying everything.
pub(crate) fn build(data: &Dataset, params: &Greedy) -> Plan {
    let problem = Problem::new(data, params);
    grow(&problem, &problem.root(), 0)
}

fn grow(problem: &Problem<'_>, node: &NodeRows, depth: usize) -> Plan {
    let candidates = match problem.stops(node, depth) {
        Verdict::Yes => Vec::new(),
        _ => problem.candidates(node),
    };
    match best(problem, node, &candidates) {
        Some(taken) => grow_by(problem, node, &candidates[taken], depth),
        None => leaf(problem, node),
    }
}

/// The node with this split, whatever it gains.
pub(crate) fn grow_by(
    problem: &Problem<'_>,
    node: &NodeRows,
    taken: &Candidate,
    depth: usize,
) -> Plan {
    let mut plan = leaf(problem, node);
    let missing = routes(problem.params.missing, taken, node.whole)[0];
    let children = deal(problem, node, taken, missing)
        .into_iter()
        .map(|shares| grow(problem, &problem.node(shares), depth + 1))
        .collect();
    plan.branch = Some(PlannedBranch {
        split: taken.split.clone(),
        missing,
        children,
    });
    plan
}

/// The earliest admissible candidate that no admissible one beats.
fn best(problem: &Problem<'_>, node: &NodeRows, candidates: &[Candidate]) -> Option<usize> {
    let admissible: Vec<usize> = (0..candidates.len())
        .filter(|&at| problem.admissible(node, &candidates[at]) == Verdict::Yes)
        .collect();
    admissible.iter().copied().find(|&at| {
        let beaten =
            |&other: &usize| problem.beats(node, &candidates[other], &candidates[at], other < at);
        !admissible.iter().filter(|&&other| other != at).any(beaten)
    })
}

fn leaf(problem: &Problem<'_>, node: &NodeRows) -> Plan {
    let group = &node.group;
    let outcome = if problem.data.schema().is_classification() {
        Outcome::Counts(group.counts.clone())
    } else {
        let (mean, weight, sse) = (group.mean(), group.weight, group.sse());
        let bins = problem.criterion == Criterion::BinnedGini;
        Outcome::Numbers(
            Moments { mean, weight, sse },
            bins.then(|| group.counts.clone()),
        )
    };
    Plan {
        outcome,
        value: problem.values(node).0[0],
        branch: None,
    }
}

impl Plan {
    pub(crate) fn tree(&self, schema: &Arc<Schema>, loss: &Loss) -> Tree {
        let loss = if schema.is_classification() {
            loss.clone()
        } else {
            Loss::Squared
        };
        let outcome = self.outcome.clone();
        let mut builder = TreeBuilder::new(Arc::clone(schema), loss, outcome, self.value)
            .expect("a plan fits its schema");
        let mut open = VecDeque::from([(self, NodeId::ROOT)]);
        while let Some((plan, id)) = open.pop_front() {
            let Some(branch) = &plan.branch else { continue };
            let outcomes = branch
                .children
                .iter()
                .map(|child| (child.outcome.clone(), child.value));
            let first = builder
                .split(id, branch.split.clone(), branch.missing, outcomes)
                .expect("a plan fits its schema");
            for (offset, child) in branch.children.iter().enumerate() {
                open.push_back((child, NodeId(first.0 + offset as u32)));
            }
        }
        builder.finish()
    }
}
