//! The rows sent through a tree: counts, answers and costs of its nodes.
//!
//! Rows that are not shared out are added as whole numbers, so that sums are exact. Where missing values are
//! distributed, shares are doubles, and figures are compared to nine digits: nothing is proven about such trees but
//! by their own counts.

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use crate::numbers::{Ratio, about, binary, decimal, few_ulps, little, nearest, snapped};
use crate::read::data::{Column, Data};
use crate::read::model::{Closed, Missing, Node, Split, Training};
use crate::report::Verdict;

/// What the rows say about the nodes of a tree.
pub(crate) struct Figures<'a> {
    pub(crate) nodes: &'a [Node],
    data: &'a Data,
    /// For each node and class, the weight of rows that came whole.
    pub(crate) sums: Vec<Vec<BigInt>>,
    /// For each node and class, the weight of shares of rows; empty if there are none.
    shares: Vec<Vec<f64>>,
    /// How many rows came to the node, at least in part.
    pub(crate) rows: Vec<usize>,
    /// Do rows of the node have no value where it asks?
    pub(crate) has_missing: Vec<bool>,
    /// Do rows of the node have a category without a branch?
    pub(crate) has_unseen: Vec<bool>,
    /// The leaf of each row; `None` if there are several.
    pub(crate) leaf_of: Vec<Option<usize>>,
}

impl<'a> Figures<'a> {
    pub(crate) fn new(nodes: &'a [Node], data: &'a Data) -> Self {
        let n_classes = data.n_classes();
        let mut figures = Self {
            nodes,
            data,
            sums: vec![vec![BigInt::zero(); n_classes]; nodes.len()],
            shares: vec![Vec::new(); nodes.len()],
            rows: vec![0; nodes.len()],
            has_missing: vec![false; nodes.len()],
            has_unseen: vec![false; nodes.len()],
            leaf_of: Vec::new(),
        };
        for row in 0..data.n_rows() {
            let (class, weight) = (data.classes[row], &data.weights[row]);
            let mut leaves = Vec::new();
            visit(nodes, data, row, |at, share| {
                figures.rows[at] += 1;
                if share == 1.0 {
                    figures.sums[at][class] += weight;
                } else {
                    let shares = &mut figures.shares[at];
                    shares.resize(n_classes, 0.0);
                    shares[class] += share * nearest(&data.weighted_row(row));
                }
                match &nodes[at].split {
                    None => leaves.push(at),
                    Some(split) if data.branch(split, row).is_none() => {
                        let is_missing = data.columns[split.feature()].is_missing(row);
                        figures.has_missing[at] |= is_missing;
                        figures.has_unseen[at] |= !is_missing;
                    }
                    Some(_) => {}
                }
            });
            figures.leaf_of.push(if leaves.len() == 1 {
                Some(leaves[0])
            } else {
                None
            });
        }
        figures
    }

    pub(crate) fn is_leaf(&self, at: usize) -> bool {
        self.nodes[at].split.is_none()
    }

    pub(crate) fn n_leaves(&self) -> usize {
        (0..self.nodes.len()).filter(|&at| self.is_leaf(at)).count()
    }

    /// The depth of each node.
    pub(crate) fn depths(&self) -> Vec<usize> {
        let mut depths = vec![0; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            for &child in &node.children {
                depths[child] = depths[at] + 1;
            }
        }
        depths
    }

    /// Does any row take part in several leaves?
    pub(crate) fn is_shared(&self) -> bool {
        self.shares.iter().any(|shares| !shares.is_empty())
    }

    /// Counts of every node.
    pub(crate) fn counts(&self) -> Result<(), String> {
        for (at, node) in self.nodes.iter().enumerate() {
            let found = self.data.weighted(&self.sums[at]);
            for (class, (found, &claimed)) in found.iter().zip(&node.counts).enumerate() {
                let share = self.shares[at].get(class).copied();
                if share.is_none() && claimed == 0.0 && found.is_zero() {
                    continue;
                }
                let whole = found + binary(share.unwrap_or(0.0));
                let ok = match share {
                    None if self.data.has_exact_sums => binary(claimed) == *found,
                    _ => about(claimed, &whole),
                };
                if !ok {
                    let found = nearest(&whole);
                    return Err(format!(
                        "node {at}: count of class {class} is {claimed}, found {found}"
                    ));
                }
            }
        }
        Ok(())
    }

    /// Answers of every node: the class of least expected cost, the lowest of equals; without rows that of the
    /// nearest node above that has some.
    pub(crate) fn values(&self) -> Result<(), String> {
        let mut above = vec![0.0; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            let claimed = node.value;
            let has_rows =
                self.sums[at].iter().any(|sum| !sum.is_zero()) || !self.shares[at].is_empty();
            if has_rows {
                let mut costs = self.data.costs_of(&self.sums[at]);
                if !self.shares[at].is_empty() {
                    let of_shares = self.data.costs_of_shares(&self.shares[at]);
                    for (cost, of_shares) in costs.iter_mut().zip(of_shares) {
                        *cost += of_shares;
                    }
                }
                let least = costs.iter().min().expect("there are classes");
                let first = costs.iter().position(|cost| cost == least);
                let claimed_cost = &costs[claimed as usize];
                // Sums of doubles that were rounded may have made another class as cheap.
                let is_exact = self.data.has_exact_sums && self.shares[at].is_empty();
                let as_cheap = !is_exact && about(nearest(claimed_cost), least);
                if first != Some(claimed as usize) && !as_cheap {
                    return Err(format!(
                        "node {at}: value {claimed} costs {}, found {}",
                        nearest(claimed_cost),
                        nearest(least)
                    ));
                }
            } else if claimed != above[at] {
                return Err(format!(
                    "node {at}: no rows, value {claimed}, but {} above",
                    above[at]
                ));
            }
            for &child in &node.children {
                above[child] = claimed;
            }
        }
        Ok(())
    }

    /// Weight of wrong answers and cost of a node as one answer for the rows that it has.
    pub(crate) fn node(&self, at: usize) -> (Ratio, Ratio) {
        let value = self.nodes[at].value as usize;
        let sums = &self.sums[at];
        let mut cost = self.data.cost_of(sums, value);
        let weights = self.data.weighted(sums);
        let mut errors = weights.iter().sum::<Ratio>() - &weights[value];
        for (truth, &share) in self.shares[at].iter().enumerate() {
            cost += binary(share) * decimal(self.data.cost_of_one(truth, value));
            errors += binary(if truth == value { 0.0 } else { share });
        }
        if self.data.takes_whole && !self.shares[at].is_empty() {
            return (snapped(errors), snapped(cost));
        }
        (errors, cost)
    }

    /// The same for all leaves.
    pub(crate) fn of_leaves(&self) -> (Ratio, Ratio) {
        let leaves = (0..self.nodes.len()).filter(|&at| self.is_leaf(at));
        leaves.fold((Ratio::zero(), Ratio::zero()), |(errors, cost), leaf| {
            let of_leaf = self.node(leaf);
            (errors + of_leaf.0, cost + of_leaf.1)
        })
    }

    /// Errors and cost by the answer that each row gets, least and largest: where the mixture of several leaves is
    /// nearly a tie, either answer may have been taken.
    pub(crate) fn of_answers(&self) -> [(Ratio, Ratio); 2] {
        let mut whole = vec![vec![BigInt::zero(); self.data.n_classes()]; self.nodes.len()];
        let mut bounds = [
            (Ratio::zero(), Ratio::zero()),
            (Ratio::zero(), Ratio::zero()),
        ];
        for (row, leaf) in self.leaf_of.iter().enumerate() {
            let class = self.data.classes[row];
            if let &Some(leaf) = leaf {
                whole[leaf][class] += &self.data.weights[row];
                continue;
            }
            let weight = self.data.weighted_row(row);
            let cost = |answer: usize| decimal(self.data.cost_of_one(class, answer)) * &weight;
            let error = |answer: usize| {
                if answer == class {
                    Ratio::zero()
                } else {
                    weight.clone()
                }
            };
            let answers = self.answers(row);
            let costs = answers.iter().map(|&answer| cost(answer));
            let errors = answers.iter().map(|&answer| error(answer));
            bounds[0].0 += errors.clone().min().unwrap_or_default();
            bounds[1].0 += errors.max().unwrap_or_default();
            bounds[0].1 += costs.clone().min().unwrap_or_default();
            bounds[1].1 += costs.max().unwrap_or_default();
        }
        for (at, sums) in whole.iter().enumerate() {
            let value = self.nodes[at].value as usize;
            let cost = &self.data.cost_of(sums, value);
            let weights = self.data.weighted(sums);
            let error = weights.iter().sum::<Ratio>() - &weights[value];
            for bound in &mut bounds {
                bound.0 += &error;
                bound.1 += cost;
            }
        }
        bounds
    }

    /// The classes of least expected cost in the mixture of the leaves of a row.
    fn answers(&self, row: usize) -> Vec<usize> {
        let n_classes = self.data.n_classes();
        let mut mixture = vec![0.0; n_classes];
        let mut speaks = vec![0; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            if node.counts.iter().any(|&count| count > 0.0) {
                speaks[at] = at;
            }
            for &child in &node.children {
                speaks[child] = speaks[at];
            }
        }
        visit(self.nodes, self.data, row, |at, share| {
            if self.is_leaf(at) {
                let counts = &self.nodes[speaks[at]].counts;
                let total: f64 = counts.iter().sum();
                for (part, count) in mixture.iter_mut().zip(counts) {
                    *part += share * count / total;
                }
            }
        });
        let cost = |answer: usize| -> f64 {
            let costs = mixture.iter().enumerate();
            costs
                .map(|(truth, part)| part * self.data.cost_of_one(truth, answer))
                .sum()
        };
        let costs: Vec<f64> = (0..n_classes).map(cost).collect();
        let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
        (0..n_classes)
            .filter(|&answer| costs[answer] <= least + 1e-9 * (least + 1e-3))
            .collect()
    }

    /// The figures of `training`. After a pruning without rows, sums over the leaves will do as well.
    pub(crate) fn training(&self, claimed: &Training, sums_will_do: bool) -> Verdict {
        match self.sums_or_answers(claimed, sums_will_do) {
            Err(fault) => Verdict::Refuted(fault),
            Ok(true) => Verdict::Confirmed,
            Ok(false) => Verdict::NotChecked("a tie between answers that doubles decide".into()),
        }
    }

    /// Compares with the figures of a tree that has the same cost and at least as many leaves.
    pub(crate) fn training_of_larger(&self, claimed: &Training) -> Result<(), String> {
        let depth = self.depths().into_iter().max().unwrap_or(0);
        let n_rows = self.data.n_rows();
        let is_possible = claimed.leaves <= n_rows
            && claimed.depth < claimed.leaves.max(1)
            && claimed
                .errors
                .is_none_or(|errors| binary(errors) <= self.data.total());
        if !is_possible {
            return Err("figures that no tree of these rows has".into());
        }
        if claimed.leaves < self.n_leaves() || claimed.depth < depth {
            return Err(format!(
                "{} leaves and depth {}, expected at least {} and {depth}",
                claimed.leaves,
                claimed.depth,
                self.n_leaves()
            ));
        }
        let mut same = claimed.clone();
        (same.leaves, same.depth) = (self.n_leaves(), depth);
        if self.data.has_costs() {
            // Answers of the same cost may be wrong for rows of different weight.
            same.errors = Some(nearest(&self.of_leaves().0));
        }
        self.sums_or_answers(&same, true).map(|_| ())
    }

    /// Are the figures right? `false` if they may be: answers that cost the same by doubles have been taken either way.
    fn sums_or_answers(&self, claimed: &Training, sums_will_do: bool) -> Result<bool, String> {
        let total = self.data.total();
        let differ = |name: &str, claimed: f64, found: f64| {
            Err(format!("{name} is {claimed}, found {found}"))
        };
        if claimed.rows != self.data.n_rows() {
            return differ("rows", claimed.rows as f64, self.data.n_rows() as f64);
        }
        if claimed.leaves != self.n_leaves() {
            return differ("leaves", claimed.leaves as f64, self.n_leaves() as f64);
        }
        let depth = self.depths().into_iter().max().unwrap_or(0);
        if claimed.depth != depth {
            return differ("depth", claimed.depth as f64, depth as f64);
        }
        let exact = self.data.has_exact_sums;
        if !same(claimed.weight, &total, exact) {
            return differ("weight", claimed.weight, nearest(&total));
        }
        let errors = claimed.errors.ok_or("training has no errors")?;
        if sums_will_do {
            let (of_leaves, cost) = self.of_leaves();
            if about(errors, &of_leaves) && about(claimed.cost, &(cost / &total)) {
                return Ok(true);
            }
        }
        let [least, most] = self.of_answers();
        let is_certain = least == most;
        if !between(errors, &least.0, &most.0, exact) {
            return differ("errors", errors, nearest(&least.0));
        }
        let (least, most) = (least.1 / &total, most.1 / &total);
        if !few_ulps(claimed.cost, &least) && !between(claimed.cost, &least, &most, exact) {
            return differ("cost", claimed.cost, nearest(&least));
        }
        Ok(is_certain)
    }
}

fn same(claimed: f64, found: &Ratio, exact: bool) -> bool {
    if exact {
        few_ulps(claimed, found)
    } else {
        about(claimed, found)
    }
}

fn between(claimed: f64, least: &Ratio, most: &Ratio, exact: bool) -> bool {
    let number = binary(claimed);
    same(claimed, least, exact)
        || same(claimed, most, exact)
        || (*least <= number && number <= *most)
}

impl Data {
    /// The weight of a row, with the factor of its class.
    pub(crate) fn weighted_row(&self, row: usize) -> Ratio {
        Ratio::new(self.weights[row].clone(), self.per_one.clone())
            * &self.factors[self.classes[row]]
    }

    /// The position of the child that a row takes at a split; `None` if its value is missing or never met.
    pub(crate) fn branch(&self, split: &Split, row: usize) -> Option<usize> {
        match (split, &self.columns[split.feature()]) {
            (Split::Intervals { cuts, closed, .. }, Column::Numbers(numbers)) => {
                let number = numbers[row];
                let is_passed = |cut: &&f64| match closed {
                    Closed::Left => **cut <= number,
                    Closed::Right => **cut < number,
                };
                (!number.is_nan()).then(|| cuts.iter().filter(is_passed).count())
            }
            (Split::Categories { branches, .. }, Column::Codes(codes)) => branches[codes[row]?],
            _ => None,
        }
    }
}

/// Tells all nodes that a row comes to, with its share there.
pub(crate) fn visit(nodes: &[Node], data: &Data, row: usize, mut tell: impl FnMut(usize, f64)) {
    let mut open = vec![(0, 1.0)];
    while let Some((at, share)) = open.pop() {
        tell(at, share);
        let node = &nodes[at];
        let Some(split) = &node.split else { continue };
        match (data.branch(split, row), node.missing) {
            (Some(child), _) | (None, Some(Missing::Child(child))) => {
                open.push((node.children[child], share));
            }
            _ => {
                let weight = |&child: &usize| nodes[child].counts.iter().sum::<f64>();
                let total: f64 = node.children.iter().map(weight).sum();
                for &child in &node.children {
                    let part = if total > 0.0 {
                        weight(&child) / total
                    } else {
                        1.0 / node.children.len() as f64
                    };
                    if part > 0.0 {
                        open.push((child, share * part));
                    }
                }
            }
        }
    }
}

/// The objective, the bounds and the gap of a certificate, as far as arithmetic goes. `found` is the exact objective.
pub(crate) fn certificate(
    claimed: &crate::read::model::Certificate,
    found: &Ratio,
    is_whole: bool,
) -> Result<(), String> {
    certificate_near(claimed, found, is_whole, claimed.exact)
}

/// Like [`certificate`], but the caller chooses how exactly the objective must be printed: with `to_ulps` to a few units
/// in the last place, else to nine digits.
pub(crate) fn certificate_near(
    claimed: &crate::read::model::Certificate,
    found: &Ratio,
    is_whole: bool,
    to_ulps: bool,
) -> Result<(), String> {
    let (Some(objective), Some(bound), Some(gap), Some(optimal)) = (
        claimed.objective,
        claimed.lower_bound,
        claimed.gap,
        claimed.optimal,
    ) else {
        return Err("no objective, lower_bound, gap or optimal".into());
    };
    if claimed.exact && !is_whole {
        return Err("exact is claimed, but costs of these rows are not whole numbers".into());
    }
    let tolerance = claimed.tolerance.unwrap_or(0.0);
    if claimed.exact == claimed.tolerance.is_some() || tolerance < 0.0 {
        return Err("a tolerance where costs are exact, or none where they are not".into());
    }
    let little = found.abs() * little();
    // Nothing is below 0, however large the tolerance.
    if optimal && binary(tolerance) > little && !found.is_zero() {
        return Err(format!(
            "optimal with a tolerance of {tolerance:e}, above a millionth of the objective"
        ));
    }
    let near = (binary(objective) - found).abs() <= binary(tolerance).min(little);
    if !near && !same(objective, found, to_ulps) {
        return Err(format!(
            "objective is {objective}, found {}",
            nearest(found)
        ));
    }
    if bound > objective {
        return Err(format!(
            "lower_bound {bound} is above objective {objective}"
        ));
    }
    if optimal != (bound == objective) {
        return Err(format!(
            "optimal is {optimal} with lower_bound {bound}, objective {objective}"
        ));
    }
    let exact = if bound == objective {
        Ratio::zero()
    } else if objective == 0.0 {
        Ratio::from(BigInt::from(1))
    } else {
        ((binary(objective) - binary(bound)) / binary(objective).abs())
            .min(Ratio::from(BigInt::from(1)))
    };
    if !few_ulps(gap, &exact) && !about(gap, &exact) {
        return Err(format!("gap is {gap}, found {}", nearest(&exact)));
    }
    Ok(())
}
