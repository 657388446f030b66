//! The claims of prunings: of all trees that are made from a grown tree by cutting off what is below some nodes, the best.

use std::cell::Cell;
use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::One;
use serde_json::Value as Json;

use super::path;
use super::steps::{Sizes, Step};
use super::{Best, Least, Trees};
use crate::bounded::class::{has_share, keeps_rules, share};
use crate::figures::Figures;
use crate::numbers::{Ratio, small};
use crate::read::costs::least_multiple;
use crate::read::data::{Column, Data};
use crate::read::model::{Certificate, Model, Node};
use crate::report::{Report, TooLarge, Verdict, spend};

/// A grown tree with what each node costs as a leaf.
struct Grown<'a> {
    nodes: &'a [Node],
    costs: Vec<Ratio>,
    work: &'a Cell<u64>,
}

impl<'a> Grown<'a> {
    /// Where leaves have a least share of their class, a node without it costs twice what the root does: then the root
    /// alone is always better.
    fn new(figures: &Figures<'a>, share: Option<&Ratio>, work: &'a Cell<u64>) -> Self {
        let costs = (0..figures.nodes.len()).map(|at| figures.node(at).1);
        let mut costs: Vec<Ratio> = costs.collect();
        let too_much = &costs[0] + &costs[0];
        for (cost, node) in costs.iter_mut().zip(figures.nodes).skip(1) {
            if share.is_some_and(|share| !has_share(share, node)) {
                cost.clone_from(&too_much);
            }
        }
        Self {
            nodes: figures.nodes,
            costs,
            work,
        }
    }

    /// From the leaves up: the best below a node is the node as a leaf, or what its children have together.
    fn best<T>(
        &self,
        leaf: impl Fn(&Ratio) -> T,
        join: impl Fn(T, Vec<T>) -> Result<T, TooLarge>,
    ) -> Result<T, TooLarge> {
        let mut best: Vec<Option<T>> = self.costs.iter().map(|cost| Some(leaf(cost))).collect();
        // Children come after their parents.
        for (at, node) in self.nodes.iter().enumerate().rev() {
            let children = node.children.iter().filter_map(|&child| best[child].take());
            let children: Vec<T> = children.collect();
            if children.is_empty() {
                continue;
            }
            if let Some(leaf) = best[at].take() {
                best[at] = Some(join(leaf, children)?);
            }
        }
        best.swap_remove(0).ok_or(TooLarge)
    }

    /// Are all costs whole numbers? Then nothing was rounded, whatever the weights are.
    fn is_whole(&self, data: &Data) -> bool {
        let fits = data.total() < Ratio::from(BigInt::one() << 53);
        fits && self.costs.iter().all(Ratio::is_integer)
    }

    fn steps(&self, sizes: Sizes) -> Result<Vec<(usize, Ratio)>, String> {
        let unit = self.costs.iter().fold(BigInt::one(), |unit, cost| {
            least_multiple(&unit, cost.denom())
        });
        let in_units = |cost: &Ratio| small(&(cost * &unit).to_integer());
        let all = self.costs.iter().sum::<Ratio>();
        if in_units(&all).is_none() {
            return Err("too many digits".into());
        }
        let leaf = |cost: &Ratio| vec![(1, in_units(cost).unwrap_or(0))];
        let join = |leaf: Vec<Step>, children: Vec<Vec<Step>>| {
            let mut sums = vec![(0, 0)];
            for child in children {
                sums = sizes.sums(&sums, &child);
                spend(self.work, 100 * sums.len())?;
                // What is worse than fewer leaves goes at once; costs may also rise with the leaves.
                sums = sizes.of_use(sums);
            }
            Ok(sizes.of_use([leaf, sums].concat()))
        };
        let steps = self.best(leaf, join).map_err(|TooLarge| "too large")?;
        let cost = |(leaves, cost): Step| (leaves, Ratio::new(cost.into(), unit.clone()));
        Ok(steps.into_iter().map(cost).collect())
    }
}

impl Trees for Grown<'_> {
    fn least(&mut self, price: &Ratio, _: &Ratio) -> Result<Least, String> {
        let join = |leaf: (Ratio, usize), children: Vec<(Ratio, usize)>| {
            let objective = children.iter().map(|(objective, _)| objective).sum();
            let leaves = children.iter().map(|(_, leaves)| leaves).sum();
            spend(self.work, 100)?;
            Ok(leaf.min((objective, leaves)))
        };
        let best = self.best(|cost| (cost + price, 1), join);
        let (objective, leaves) = best.map_err(|TooLarge| "too large")?;
        Ok(Least {
            objective,
            leaves,
            off_by: Ratio::default(),
        })
    }

    fn sizes(&mut self, sizes: Sizes) -> Result<Vec<(usize, Ratio)>, String> {
        self.steps(sizes)
    }
}

/// The tree that was pruned, from a proof file, after its figures were looked at.
fn grown_nodes(model: &Model, proof: &str, data: &Data, report: &mut Report) -> Option<Vec<Node>> {
    match grown_model(model, proof) {
        Err(fault) => {
            report.add("proof", Verdict::Refuted(fault));
            None
        }
        Ok(grown) => {
            let nodes = grown.nodes?;
            let all = Figures::new(&nodes, data);
            report.result("grown tree: counts", all.counts());
            report.result("grown tree: values", all.values());
            report.add("grown tree: training", all.training(&grown.training, true));
            Some(nodes)
        }
    }
}

const NEEDS_PROOF: &str = "needs --proof with the grown tree";

/// A family of prunings. With `nodes` it is nested and holds its largest member, else each member has its tree.
pub(crate) fn family(
    model: &Model,
    data: &Data,
    proof: Option<&str>,
    work: &Cell<u64>,
    report: &mut Report,
) {
    let cost = model.learner.params.get("cost");
    if cost.is_some_and(|cost| cost != "error") {
        let why = "costs other than errors";
        return report.add("members", Verdict::NotChecked(why.into()));
    }
    let grown = match proof {
        None => None,
        Some(proof) => match grown_nodes(model, proof, data, report) {
            None => return,
            grown => grown,
        },
    };
    let share = match share(model) {
        Ok(share) => share,
        Err(fault) => return report.add("members", Verdict::Refuted(fault)),
    };
    let is_pruning = |tree: &Figures<'_>| match &grown {
        _ if keeps_rules(model, tree).is_some_and(|keeps| keeps.is_err()) => {
            Verdict::Refuted("a leaf with too little of its class".into())
        }
        Some(grown) => {
            is_pruning(tree.nodes, grown).map_or_else(Verdict::Refuted, |()| Verdict::Confirmed)
        }
        None => Verdict::NotChecked(NEEDS_PROOF.into()),
    };
    let total = data.total();
    let all = grown.as_ref().map(|nodes| Figures::new(nodes, data));
    if let Some(all) = &all {
        report.add("training", all.training(&model.training, true));
    }
    let Some(nodes) = &model.nodes else {
        let Some(found) = path::members(model, data, report, is_pruning) else {
            return;
        };
        let Some(all) = &all else {
            return report.add("members", Verdict::NotChecked(NEEDS_PROOF.into()));
        };
        let mut prunings = Grown::new(all, share.as_ref(), work);
        let is_exact = prunings.is_whole(data);
        return path::check(model, &found, &total, is_exact, &mut prunings, report);
    };
    let tree = Figures::new(nodes, data);
    report.result("counts", tree.counts());
    report.result("values", tree.values());
    if grown.is_some() {
        report.add("pruning of the grown tree", is_pruning(&tree));
    }
    // Without the grown tree the prunings of the largest member are looked at, and then whether these are all.
    let of = all.as_ref().unwrap_or(&tree);
    let mut prunings = Grown::new(of, share.as_ref(), work);
    let is_exact = prunings.is_whole(data);
    let Some(found) = nested(model, &tree, &total, (is_exact, share.as_ref()), report) else {
        return;
    };
    path::check(model, &found, &total, is_exact, &mut prunings, report);
    let Some((cost, leaves)) = found.last() else {
        return;
    };
    let verdict = if *leaves != tree.n_leaves() {
        Verdict::Refuted("the last member is not the tree of the file".into())
    } else if all.is_some() {
        Verdict::Confirmed
    } else if is_exact && *cost == least_of_all(data) {
        // The grown tree is larger, but as good.
        let training = tree.training_of_larger(&model.training);
        report.result("training", training);
        Verdict::Confirmed
    } else {
        Verdict::NotChecked(NEEDS_PROOF.into())
    };
    report.add("complete", verdict);
}

/// The members of a nested family: for a weight, nodes are leaves that collapse from it on or from below.
fn nested(
    model: &Model,
    tree: &Figures<'_>,
    total: &Ratio,
    (is_exact, share): (bool, Option<&Ratio>),
    report: &mut Report,
) -> Option<Vec<path::Found>> {
    let members = || model.members.iter().flatten();
    let starts = |from: &f64| members().any(|member| member.lambda_low == Some(*from));
    let mut ends = tree.nodes.iter().filter_map(|node| node.collapse_at);
    if let Some(from) = ends.find(|from| !starts(from)) {
        let what = format!("collapse_at {from} is lambda_low of no member");
        report.add("members", Verdict::Refuted(what));
        return None;
    }
    let mut found = Vec::new();
    for (member_at, member) in members().enumerate() {
        let Some(low) = member.lambda_low else {
            let what = format!("member {member_at} has no lambda_low");
            report.add("members", Verdict::Refuted(what));
            return None;
        };
        let (mut errors, mut cost, mut leaves) = (Ratio::default(), Ratio::default(), 0);
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            let node = &tree.nodes[at];
            if tree.is_leaf(at) || node.collapse_at.is_some_and(|from| from <= low) {
                if at > 0 && share.is_some_and(|share| !has_share(share, node)) {
                    let what = format!("member {member_at}: node {at} has too little of its class");
                    report.add("members", Verdict::Refuted(what));
                    return None;
                }
                let of_node = tree.node(at);
                errors += of_node.0;
                cost += of_node.1;
                leaves += 1;
            } else {
                open.extend(&node.children);
            }
        }
        let exactness = (
            model.claims_exact() && is_exact && !tree.is_shared(),
            model.largest_cost(),
        );
        let figures = path::figures(
            member,
            (&errors, &cost, leaves),
            total,
            (exactness.0, exactness.0),
            exactness.1,
        );
        report.result(format!("member {member_at}: figures"), figures);
        found.push((cost, leaves));
    }
    Some(found)
}

/// What every tree costs, whatever it asks: rows with the same cells get the same answer.
fn least_of_all(data: &Data) -> Ratio {
    let mut groups: BTreeMap<Vec<u64>, Vec<BigInt>> = BTreeMap::new();
    for row in 0..data.n_rows() {
        let cell = |column: &Column| match column {
            Column::Numbers(numbers) => numbers[row].to_bits(),
            Column::Codes(codes) => codes[row].map_or(u64::MAX, |code| code as u64),
        };
        let sums = groups.entry(data.columns.iter().map(cell).collect());
        let sums = sums.or_insert_with(|| vec![BigInt::default(); data.n_classes()]);
        sums[data.classes[row]] += &data.weights[row];
    }
    let least = |sums: &Vec<BigInt>| data.costs_of(sums).into_iter().min();
    groups.values().filter_map(least).sum()
}

/// One pruning, with the grown tree from a proof file.
pub(crate) fn tree(
    model: &Model,
    data: &Data,
    figures: &Figures<'_>,
    claimed: &Certificate,
    (proof, work): (Option<&str>, &Cell<u64>),
    report: &mut Report,
) {
    let Some(params) = model.learner.params.get("pruned").and_then(Json::as_object) else {
        let what = "params.pruned is no object";
        return report.add("parameters", Verdict::Refuted(what.into()));
    };
    if params.get("cost").is_some_and(|cost| cost != "error") || params.contains_key("costs_from") {
        let why = "costs other than errors of the same rows";
        return report.add("certificate", Verdict::NotChecked(why.into()));
    }
    let Some(proof) = proof else {
        return report.add("certificate", Verdict::NotChecked(NEEDS_PROOF.into()));
    };
    let Some(nodes) = grown_nodes(model, proof, data, report) else {
        return;
    };
    let all = Figures::new(&nodes, data);
    let is_pruning = is_pruning(figures.nodes, &nodes);
    report.result("pruning of the grown tree", is_pruning);
    if let Some(claimed) = params.get("from_leaves") {
        let found = all.n_leaves();
        let is_same = claimed.as_u64() == Some(found as u64);
        let what = format!("it is {claimed}, the grown tree has {found}");
        report.result("from_leaves", is_same.then_some(()).ok_or(what));
    }
    let share = match share(model) {
        Ok(share) => share,
        Err(fault) => return report.add("parameters", Verdict::Refuted(fault)),
    };
    let mut prunings = Grown::new(&all, share.as_ref(), work);
    let best = Best {
        data,
        claimed,
        params,
        cost: figures.of_leaves().1,
        leaves: figures.n_leaves(),
        is_exact: prunings.is_whole(data),
        is_shared: all.is_shared(),
    };
    best.check(&mut prunings, report);
}

fn grown_model(of: &Model, proof: &str) -> Result<Model, String> {
    let mut lines = proof.lines();
    let header: Json = serde_json::from_str(lines.next().unwrap_or(""))
        .map_err(|error| format!("line 1: {error}"))?;
    let is_head = header["format"] == "treewright.proof" && header["version"] == 1;
    if !is_head || header["kind"] != "grown" {
        return Err("line 1: not the head of a proof of the kind \"grown\"".into());
    }
    let grown = Model::read(lines.next().unwrap_or(""));
    let grown = grown.map_err(|fault| format!("line 2: {fault}"))?;
    let is_same =
        grown.task == of.task && grown.features == of.features && grown.target == of.target;
    if !is_same || grown.is_family() {
        return Err("line 2: a tree of other features or another target".into());
    }
    Ok(grown)
}

/// Can the first tree be made from the second by turning inner nodes into leaves?
fn is_pruning(pruned: &[Node], grown: &[Node]) -> Result<(), String> {
    let mut open = vec![(0, 0)];
    while let Some((at, from)) = open.pop() {
        let (node, other) = (&pruned[at], &grown[from]);
        if node.split.is_none() {
            continue;
        }
        let has_as_many = node.children.len() == other.children.len();
        if node.split != other.split || node.missing != other.missing || !has_as_many {
            return Err(format!(
                "node {at} asks another question than node {from} of the grown tree"
            ));
        }
        let children = node.children.iter().copied();
        open.extend(children.zip(other.children.iter().copied()));
    }
    Ok(())
}
