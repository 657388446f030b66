//! A judge of greedy trees: walks a learned tree with the rows of every node and checks each decision
//! against all splits there are.

use treewright::cost::Loss;
use treewright::data::Dataset;
use treewright::learn::Greedy;
use treewright::learn::greedy::{Criterion, MissingPolicy, Summary};
use treewright::tree::{Branch, MissingRoute, NodeId, Split, Tree};

use super::rules::allows;
use super::splits::gains::{Verdict, at_least};
use super::splits::{Candidate, Missing, NodeRows, Problem, Shares, place};

/// Is this a tree that the greedy learner may learn? The error says which node is wrong and why.
pub(crate) fn judge(data: &Dataset, params: &Greedy, tree: &Tree) -> Result<(), String> {
    let problem = Problem::new(data, params);
    let judge = Judge { problem, tree };
    judge.loss()?;
    judge.node(NodeId::ROOT, &judge.problem.root(), &[])
}

struct Judge<'a> {
    problem: Problem<'a>,
    tree: &'a Tree,
}

impl Judge<'_> {
    fn loss(&self) -> Result<(), String> {
        let expected = if self.tree.schema().is_classification() {
            self.problem.params.loss.clone()
        } else {
            Loss::Squared
        };
        if *self.tree.loss() != expected || self.tree.schema() != self.problem.data.schema() {
            return Err("the tree has another loss or schema".into());
        }
        Ok(())
    }

    /// A node below splits on these features.
    fn node(&self, id: NodeId, node: &NodeRows, path: &[usize]) -> Result<(), String> {
        let depth = path.len();
        let at = |what: String| format!("node {} at depth {depth}: {what}", id.0);
        self.outcome(id, node).map_err(at)?;
        self.value(id, node).map_err(at)?;
        let stops = self.problem.stops(node, depth);
        let Some(branch) = self.tree.branch(id) else {
            return if stops == Verdict::No {
                self.leaf(node, path).map_err(at)
            } else {
                Ok(())
            };
        };
        if stops == Verdict::Yes {
            return Err(at("is split against a stopping rule".into()));
        }
        let chosen = self.choice(branch, node, path).map_err(at)?;
        self.route(branch, node, &chosen).map_err(at)?;
        let shares = deal(&self.problem, node, &chosen, branch.missing);
        for (child, shares) in branch.children().zip(shares) {
            let path = [path, &[branch.split.feature()]].concat();
            self.node(child, &self.problem.node(shares), &path)?;
        }
        Ok(())
    }

    /// The splits of a node that the rules about its path allow.
    fn candidates(&self, node: &NodeRows, path: &[usize]) -> Vec<Candidate> {
        let Problem { params, data, .. } = &self.problem;
        let mut candidates = self.problem.candidates(node);
        candidates.retain(|it| allows(&params.rules, data, path, it.split.feature()));
        candidates
    }

    /// Must nothing be split here?
    fn leaf(&self, node: &NodeRows, path: &[usize]) -> Result<(), String> {
        let mut candidates = self.candidates(node, path);
        candidates.retain(|candidate| candidate.is_sure);
        candidates.extend(self.groupings(node, path));
        let better = candidates
            .iter()
            .find(|candidate| self.problem.admissible(node, candidate) == Verdict::Yes);
        match better {
            Some(better) => Err(format!(
                "is a leaf, but {} gains {}",
                describe(better),
                better.gain
            )),
            None => Ok(()),
        }
    }

    /// The candidate that the tree took, if it was right to take it.
    fn choice(
        &self,
        branch: &Branch,
        node: &NodeRows,
        path: &[usize],
    ) -> Result<Candidate, String> {
        let problem = &self.problem;
        let candidates = self.candidates(node, path);
        let n_children = branch.n_children as usize;
        let is_taken = |candidate: &Candidate| {
            let with = match candidate.missing {
                Missing::With(child) => branch.missing == MissingRoute::Child(child as u32),
                Missing::Own | Missing::Apart => true,
            };
            with && candidate.children.len() == n_children
                && same_split(&candidate.split, &branch.split)
        };
        let Some(taken) = candidates.iter().position(is_taken) else {
            return Err(format!(
                "{:?} with {n_children} children is not among the splits of the node",
                branch.split
            ));
        };
        let chosen = &candidates[taken];
        if problem.admissible(node, chosen) == Verdict::No {
            return Err(format!(
                "{} gains {} and is not admissible",
                describe(chosen),
                chosen.gain
            ));
        }
        for (position, other) in candidates.iter().enumerate() {
            // The plain comparison first: few candidates come close.
            if position != taken
                && other.is_sure
                && problem.beats(node, other, chosen, position < taken)
                && problem.admissible(node, other) == Verdict::Yes
            {
                return Err(format!(
                    "took {} (gain {}, score {}) instead of {} (gain {}, score {})",
                    describe(chosen),
                    chosen.gain,
                    problem.score(chosen),
                    describe(other),
                    other.gain,
                    problem.score(other)
                ));
            }
        }
        for other in self.groupings(node, path) {
            if problem.beats(node, &other, chosen, false)
                && problem.admissible(node, &other) == Verdict::Yes
            {
                return Err(format!(
                    "took {} (score {}), but the best groups are {} (score {})",
                    describe(chosen),
                    problem.score(chosen),
                    describe(&other),
                    problem.score(&other)
                ));
            }
        }
        Ok(chosen.clone())
    }

    /// All groupings of categories that must not be better than what the tree took.
    fn groupings(&self, node: &NodeRows, path: &[usize]) -> Vec<Candidate> {
        let Problem { params, data, .. } = &self.problem;
        let mut groupings = self.problem.all_groupings(node);
        groupings.retain(|it| allows(&params.rules, data, path, it.split.feature()));
        groupings
    }

    fn route(&self, branch: &Branch, node: &NodeRows, chosen: &Candidate) -> Result<(), String> {
        let allowed = routes(self.problem.params.missing, chosen, node.whole);
        if allowed.contains(&branch.missing) {
            return Ok(());
        }
        Err(format!(
            "missing values go to {:?}, expected {allowed:?}",
            branch.missing
        ))
    }

    fn outcome(&self, id: NodeId, node: &NodeRows) -> Result<(), String> {
        let group = &node.group;
        let scale = if node.whole { 0.0 } else { 1e-9 * group.weight };
        let amounts = |what: &str, found: &[f64], expected: &[f64]| {
            let same = found.len() == expected.len()
                && found
                    .iter()
                    .zip(expected)
                    .all(|(a, b)| (a - b).abs() <= scale);
            if same {
                Ok(())
            } else {
                Err(format!("{what} {found:?}, expected {expected:?}"))
            }
        };
        let Some(moments) = self.tree.moments(id) else {
            return amounts("counts", self.tree.counts(id), &group.counts);
        };
        amounts("weight", &[moments.weight], &[group.weight])?;
        let binned = self.problem.criterion == Criterion::BinnedGini;
        let bins: &[f64] = if binned { &group.counts } else { &[] };
        amounts("bins", self.tree.bins(id), bins)?;
        let size = group
            .numbers
            .iter()
            .map(|(y, _)| y.abs())
            .fold(0.0, f64::max);
        if (moments.mean - group.mean()).abs() > 1e-9 * size {
            return Err(format!("mean {}, expected {}", moments.mean, group.mean()));
        }
        if (moments.sse - group.sse()).abs() > 1e-9 * (group.sse() + 1e-3 * size * size) {
            return Err(format!("sse {}, expected {}", moments.sse, group.sse()));
        }
        Ok(())
    }

    fn value(&self, id: NodeId, node: &NodeRows) -> Result<(), String> {
        let found = self.tree.value(id);
        let (allowed, slack) = self.problem.values(node);
        if allowed.iter().any(|value| (value - found).abs() <= slack) {
            return Ok(());
        }
        Err(format!("value {found}, expected {allowed:?}"))
    }
}

impl Problem<'_> {
    /// Does a rule that has nothing to do with splits make the node a leaf?
    pub(crate) fn stops(&self, node: &NodeRows, depth: usize) -> Verdict {
        if self.params.max_depth == Some(depth) || self.is_pure(node) {
            return Verdict::Yes;
        }
        match at_least(node.group.rows, self.params.min_split, node.undivided) {
            Verdict::Yes => Verdict::No,
            Verdict::Maybe => Verdict::Maybe,
            Verdict::No => Verdict::Yes,
        }
    }

    /// What the node may answer, the proper answer first, and how far rounding may be off.
    pub(crate) fn values(&self, node: &NodeRows) -> (Vec<f64>, f64) {
        let group = &node.group;
        if !self.data.schema().is_classification() {
            let size = group
                .numbers
                .iter()
                .map(|(y, _)| y.abs())
                .fold(0.0, f64::max);
            let slack = if node.whole { 0.0 } else { 1e-9 * group.weight };
            let criterion = self.params.criterion.unwrap_or(Criterion::Mse);
            return match self.params.predict.of(criterion) {
                Summary::Auto | Summary::Mean => (vec![group.mean()], 1e-9 * size),
                Summary::Median => (group.medians(slack), 1e-12 * size),
            };
        }
        let cost = |predicted: usize| -> f64 {
            let losses = group.counts.iter().enumerate();
            losses
                .map(|(truth, count)| count * self.params.loss.of_class(truth, predicted))
                .sum()
        };
        let costs: Vec<f64> = (0..group.counts.len()).map(cost).collect();
        let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
        let slack = if node.whole { 0.0 } else { 1e-9 * group.weight };
        let best = (0..costs.len()).filter(|&class| costs[class] <= least + slack);
        let best = best.map(|class| class as f64);
        (
            if node.whole {
                best.take(1).collect()
            } else {
                best.collect()
            },
            0.0,
        )
    }
}

/// The missing routes that a policy allows for a split, the proper one first.
pub(crate) fn routes(policy: MissingPolicy, split: &Candidate, whole: bool) -> Vec<MissingRoute> {
    let own = (split.children.len() - 1) as u32;
    match policy {
        MissingPolicy::Distribute => vec![MissingRoute::Distribute],
        MissingPolicy::Branch | MissingPolicy::Learned if split.missing == Missing::Own => {
            vec![MissingRoute::Child(own)]
        }
        MissingPolicy::Branch | MissingPolicy::Majority | MissingPolicy::Learned => {
            if let Missing::With(child) = split.missing {
                return vec![MissingRoute::Child(child as u32)];
            }
            let heaviest = split.heaviest(whole).into_iter();
            heaviest
                .map(|child| MissingRoute::Child(child as u32))
                .collect()
        }
    }
}

/// The rows of the children.
pub(crate) fn deal(
    problem: &Problem<'_>,
    node: &NodeRows,
    taken: &Candidate,
    missing: MissingRoute,
) -> Vec<Shares> {
    let column = &problem.data.columns()[taken.split.feature()];
    let known: f64 = taken.children.iter().map(|child| child.weight).sum();
    let mut children = vec![Vec::new(); taken.children.len()];
    for &(row, share) in &node.shares {
        match (place(&taken.split, column.value(row)), missing) {
            (Some(child), _) => children[child].push((row, share)),
            (None, MissingRoute::Child(child)) => children[child as usize].push((row, share)),
            (None, MissingRoute::Distribute) => {
                for (child, group) in children.iter_mut().zip(&taken.children) {
                    child.push((row, share * (group.weight / known)));
                }
            }
        }
    }
    children
}

/// The same question, to the last bit.
fn same_split(a: &Split, b: &Split) -> bool {
    let bits = |split: &Split| match split {
        Split::Intervals { cuts, .. } => cuts.iter().map(|cut| cut.to_bits()).collect(),
        Split::Categories { .. } => Vec::new(),
    };
    a == b && bits(a) == bits(b)
}

fn describe(candidate: &Candidate) -> String {
    let feature = candidate.split.feature();
    match &candidate.split {
        Split::Intervals { cuts, .. } => format!("feature {feature} at {cuts:?}"),
        Split::Categories { branches, .. } => format!("feature {feature} by {branches:?}"),
    }
}
