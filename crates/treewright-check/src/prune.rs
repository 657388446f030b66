//! The claims of prunings: of all trees that are made from a grown tree by cutting off what is below some nodes, the best.

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use serde_json::Value as Json;

use crate::data::Data;
use crate::family::{self, Question};
use crate::figures::{Figures, certificate};
use crate::model::{Certificate, Model, Node};
use crate::numbers::{Ratio, binary, few_ulps, nearest, of_json};
use crate::penalty::Penalty;
use crate::report::{Report, Verdict};
use crate::sizes;

/// A grown tree with what each node costs as a leaf.
struct Grown<'a> {
    nodes: &'a [Node],
    costs: Vec<Ratio>,
}

impl<'a> Grown<'a> {
    fn new(figures: &Figures<'a>) -> Self {
        let costs = (0..figures.nodes.len()).map(|at| figures.node(at).1);
        Self {
            nodes: figures.nodes,
            costs: costs.collect(),
        }
    }

    /// The least cost and price of leaves, then the fewest leaves.
    fn least(&self, price: &Ratio) -> (Ratio, usize) {
        let mut best: Vec<(Ratio, usize)> =
            self.costs.iter().map(|cost| (cost + price, 1)).collect();
        // Children come after their parents.
        for (at, node) in self
            .nodes
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, node)| node.split.is_some())
        {
            let objective = node.children.iter().map(|&child| &best[child].0).sum();
            let leaves = node.children.iter().map(|&child| best[child].1).sum();
            best[at] = (objective, leaves).min(best[at].clone());
        }
        best.swap_remove(0)
    }

    /// The least cost with 1, 2, ... leaves, as long as it falls.
    fn sizes(&self) -> Result<Vec<Ratio>, String> {
        if self.nodes.len() > 4000 {
            return Err("too large".into());
        }
        let mut all: Vec<Vec<Option<Ratio>>> = self
            .costs
            .iter()
            .map(|cost| vec![Some(cost.clone())])
            .collect();
        for (at, node) in self
            .nodes
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, node)| node.split.is_some())
        {
            let mut sums: Vec<Option<Ratio>> = vec![Some(Ratio::default())];
            // Before the first child there is no leaf; then `sums[k]` is for `k` leaves.
            for &child in &node.children {
                let of_child = std::mem::take(&mut all[child]);
                let mut next = vec![None; sums.len() + of_child.len()];
                for (a, sum) in sums.iter().enumerate() {
                    for (b, cost) in of_child.iter().enumerate() {
                        let both = sum.as_ref().zip(cost.as_ref()).map(|(a, b)| a + b);
                        let place = &mut next[a + b + 1];
                        *place = least(place.take(), both);
                    }
                }
                sums = next;
            }
            let own = std::mem::take(&mut all[at]);
            sums.remove(0);
            sums[0] = least(sums[0].take(), own.into_iter().next().flatten());
            all[at] = sums;
        }
        // At most so many leaves, not exactly.
        let mut falling: Vec<Ratio> = Vec::new();
        for cost in std::mem::take(&mut all[0]) {
            let last = falling.last().cloned();
            falling.extend(least(last, cost));
        }
        while falling.len() > 1 && falling[falling.len() - 1] == falling[falling.len() - 2] {
            falling.pop();
        }
        Ok(falling)
    }

    fn answer(&self, question: &Question<'_>) -> Verdict {
        match *question {
            Question::Bound { price, bound } => {
                let (least, _) = self.least(price);
                if least < *bound {
                    Verdict::Refuted(format!("a pruning of {}", nearest(&least)))
                } else {
                    Verdict::Confirmed
                }
            }
            Question::Best {
                price,
                cost,
                leaves,
                only_objective,
            } => {
                let (least, fewest) = self.least(price);
                let objective = cost + price * BigInt::from(leaves);
                if least != objective || fewest != leaves && !only_objective {
                    let least = nearest(&least);
                    Verdict::Refuted(format!(
                        "the best pruning has {fewest} leaves and {least}, claimed {leaves} and {}",
                        nearest(&objective)
                    ))
                } else {
                    Verdict::Confirmed
                }
            }
        }
    }
}

fn least(a: Option<Ratio>, b: Option<Ratio>) -> Option<Ratio> {
    a.into_iter().chain(b).min()
}

/// The family of all prunings of its largest tree.
pub(crate) fn nested(
    model: &Model,
    data: &Data,
    figures: &Figures<'_>,
    proof: Option<&str>,
    report: &mut Report,
) {
    if model
        .learner
        .params
        .get("cost")
        .is_some_and(|cost| cost != "error")
    {
        return report.add(
            "members",
            Verdict::NotChecked("costs other than errors".into()),
        );
    }
    // The prunings of the largest member are enough: see the last check. A grown tree that is given is taken.
    let from_proof = match proof.map(grown_model).transpose() {
        Ok(grown) => grown.and_then(|grown| grown.nodes),
        Err(fault) => return report.add("proof", Verdict::Refuted(fault)),
    };
    let of_proof = from_proof.as_ref().map(|nodes| Figures::new(nodes, data));
    if let Some(all) = &of_proof {
        report.result("grown tree: counts", all.counts());
        report.result("grown tree: values", all.values());
        report.result(
            "pruning of the grown tree",
            is_pruning(figures.nodes, all.nodes),
        );
    }
    let grown = Grown::new(of_proof.as_ref().unwrap_or(figures));
    let total = data.total();
    let mut found = Vec::new();
    for (at, member) in model.members.iter().flatten().enumerate() {
        let Some(low) = member.lambda_low else {
            return report.add(
                "members",
                Verdict::Refuted(format!("member {at} has no lambda_low")),
            );
        };
        let (mut errors, mut cost, mut leaves) = (Ratio::default(), Ratio::default(), 0);
        let mut open = vec![0];
        while let Some(node) = open.pop() {
            let is_leaf = figures.is_leaf(node)
                || figures.nodes[node]
                    .collapse_at
                    .is_some_and(|from| from <= low);
            if is_leaf {
                let of_node = figures.node(node);
                errors += of_node.0;
                cost += of_node.1;
                leaves += 1;
            } else {
                open.extend(&figures.nodes[node].children);
            }
        }
        // Sums over leaves with shares of rows are doubles in the file.
        let is_exact = data.is_whole && !figures.is_shared();
        let verdict = family::member(member, leaves, &errors, &(&cost / &total), is_exact);
        report.result(format!("member {at}: figures"), verdict);
        found.push((cost, leaves));
    }
    let is_exact = data.is_whole && !figures.is_shared();
    family::check(model, &found, &total, is_exact, report, &|question| {
        grown.answer(&question)
    });
    let Some((cost, leaves)) = found.last() else {
        return;
    };
    if *leaves != figures.n_leaves() {
        let what = "the last member is not the tree of the file";
        report.add("members", Verdict::Refuted(what.into()));
    }
    // No pruning costs less than the grown tree. If the last member costs no more and has no pruning as good as itself,
    // every best pruning is one of its own (docs/checker.md).
    let claimed = model.training.cost;
    let verdict = if of_proof.is_some() || few_ulps(claimed, &(cost / &total)) {
        Verdict::Confirmed
    } else if is_exact
        && !figures.is_shared()
        && model.learner.name == "greedy"
        && binary(claimed) < cost / &total
    {
        Verdict::Refuted(format!(
            "the last member costs more than the grown tree, {claimed}"
        ))
    } else {
        Verdict::NotChecked("needs --proof with the grown tree".into())
    };
    report.add("complete", verdict);
}

/// One pruning, with the grown tree from a proof file.
pub(crate) fn tree(
    model: &Model,
    data: &Data,
    figures: &Figures<'_>,
    claimed: &Certificate,
    proof: Option<&str>,
    report: &mut Report,
) {
    let Some(proof) = proof else {
        return report.add(
            "certificate",
            Verdict::NotChecked("needs --proof with the grown tree".into()),
        );
    };
    let grown = match grown_model(proof) {
        Ok(grown) => grown,
        Err(fault) => return report.add("proof", Verdict::Refuted(fault)),
    };
    let Some(nodes) = &grown.nodes else { return };
    let all = Figures::new(nodes, data);
    report.result("grown tree: counts", all.counts());
    report.result("grown tree: values", all.values());
    report.result(
        "pruning of the grown tree",
        is_pruning(figures.nodes, nodes),
    );
    let Some(pruned) = model.learner.params.get("pruned").and_then(Json::as_object) else {
        return report.add(
            "parameters",
            Verdict::Refuted("params.pruned is no object".into()),
        );
    };
    if pruned.get("cost").is_some_and(|cost| cost != "error") || pruned.contains_key("costs_from") {
        return report.add(
            "certificate",
            Verdict::NotChecked("costs other than errors of the same rows".into()),
        );
    }
    let grown = Grown::new(&all);
    let (_, cost) = figures.of_leaves();
    let (leaves, total) = (figures.n_leaves(), data.total());
    let number = |name: &str| pruned.get(name).and_then(of_json);
    if let Some(most) = number("leaves").and_then(|most| most.to_integer().to_usize()) {
        return sizes::limited(claimed, data, &cost, leaves, most, grown.sizes(), report);
    }
    let Some(lambda) = number("lambda") else {
        return report.add(
            "certificate",
            Verdict::NotChecked("the fewest leaves for a cost".into()),
        );
    };
    let penalty = pruned
        .get("penalty")
        .and_then(Json::as_str)
        .unwrap_or("linear");
    if penalty != "linear" {
        let penalty = Penalty::new(penalty);
        return sizes::penalised(
            claimed,
            data,
            penalty.as_ref(),
            &lambda,
            &cost,
            leaves,
            grown.sizes(),
            report,
        );
    }
    let objective = &cost / &total + &lambda * BigInt::from(leaves);
    let is_exact = data.is_whole && !all.is_shared();
    if !report.result("objective", certificate(claimed, &objective, is_exact)) {
        return;
    }
    let price = lambda * &total;
    let tolerance = binary(claimed.tolerance.unwrap_or(0.0));
    let verdict = if claimed.exact && claimed.optimal == Some(true) {
        grown.answer(&Question::Best {
            price: &price,
            cost: &cost,
            leaves,
            only_objective: claimed.fewest_leaves == Some(false),
        })
    } else {
        let bound = binary(claimed.lower_bound.unwrap_or(0.0));
        // Sums of shares are doubles, right to nine digits.
        let slack = &tolerance + binary(1e-9) * &bound;
        grown.answer(&Question::Bound {
            price: &price,
            bound: &((bound - slack) * total),
        })
    };
    report.add("best pruning", verdict);
}

fn grown_model(proof: &str) -> Result<Model, String> {
    let mut lines = proof.lines();
    let header: Json = serde_json::from_str(lines.next().unwrap_or(""))
        .map_err(|error| format!("line 1: {error}"))?;
    if header["format"] != "treewright.proof" || header["version"] != 1 || header["kind"] != "grown"
    {
        return Err("line 1: not the head of a proof of the kind \"grown\"".into());
    }
    Model::read(lines.next().unwrap_or("")).map_err(|fault| format!("line 2: {fault}"))
}

/// Can the first tree be made from the second by turning inner nodes into leaves?
fn is_pruning(pruned: &[Node], grown: &[Node]) -> Result<(), String> {
    let mut open = vec![(0, 0)];
    while let Some((at, from)) = open.pop() {
        let (node, other) = (&pruned[at], &grown[from]);
        if node.split.is_none() {
            continue;
        }
        if node.split != other.split
            || node.missing != other.missing
            || node.children.len() != other.children.len()
        {
            return Err(format!(
                "node {at} asks another question than node {from} of the grown tree"
            ));
        }
        open.extend(
            node.children
                .iter()
                .copied()
                .zip(other.children.iter().copied()),
        );
    }
    Ok(())
}
