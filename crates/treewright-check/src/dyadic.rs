//! The claims of dyadic trees and of their paths, by the plain recursion over cells.

use std::cell::Cell;
use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::Zero;
use serde_json::Value as Json;

use crate::cells::{Grid, Points};
use crate::data::Data;
use crate::family::{self, Question};
use crate::figures::{Figures, certificate};
use crate::model::Model;
use crate::numbers::{Ratio, binary, nearest, of_json};
use crate::optimal::TooLarge;
use crate::penalty::Penalty;
use crate::report::{Report, Verdict};
use crate::sizes;
use crate::values::{Value, Values};

/// Some points in a box: how often the box was halved along each coordinate.
type Boxed = (Vec<u32>, Vec<usize>);

struct Search<'a> {
    points: &'a Points,
    halvings: &'a [usize],
    per_leaf: Value,
    /// Do halvings with an empty side count?
    is_boxed: bool,
    known: BTreeMap<Boxed, Known>,
    stairs: BTreeMap<Boxed, Vec<Value>>,
    work: &'a Cell<u64>,
}

/// The least value of some points, or that it is not below.
#[derive(Clone, Copy)]
struct Known {
    value: Value,
    is_exact: bool,
}

impl<'a> Search<'a> {
    fn new(
        points: &'a Points,
        grid: &'a Grid,
        per_leaf: Value,
        is_boxed: bool,
        work: &'a Cell<u64>,
    ) -> Self {
        Self {
            points,
            halvings: &grid.halvings,
            per_leaf,
            is_boxed,
            known: BTreeMap::new(),
            stairs: BTreeMap::new(),
            work,
        }
    }

    fn all(&self) -> Boxed {
        (
            (0..self.points.paths.len() as u32).collect(),
            vec![0; self.halvings.len()],
        )
    }

    fn spend(&self, steps: usize) -> Result<(), TooLarge> {
        self.work
            .set(self.work.get().checked_sub(steps as u64).ok_or(TooLarge)?);
        Ok(())
    }

    /// The loss of one leaf.
    fn loss(&self, members: &[u32]) -> Value {
        let Some(first) = members.first() else {
            return 0;
        };
        let n_classes = self.points.losses[*first as usize].len();
        let loss = |class: usize| {
            members
                .iter()
                .map(|&point| self.points.losses[point as usize][class])
                .sum::<Value>()
        };
        (0..n_classes).map(loss).min().unwrap_or(0)
    }

    /// The halves of the box, for each coordinate that has some. In the collapsed model halvings with an empty side are
    /// passed over.
    fn halves(&self, (members, levels): &Boxed) -> Vec<[Boxed; 2]> {
        let mut all = Vec::new();
        for coordinate in 0..self.halvings.len() {
            let side =
                |point: u32, level: usize| self.points.paths[point as usize][coordinate][level];
            let first = |&level: &usize| {
                self.is_boxed
                    || members
                        .iter()
                        .any(|&point| side(point, level) != side(members[0], level))
            };
            let Some(level) = (levels[coordinate]..self.halvings[coordinate]).find(first) else {
                continue;
            };
            let mut levels = if self.is_boxed {
                levels.clone()
            } else {
                vec![0; levels.len()]
            };
            if self.is_boxed {
                levels[coordinate] = level + 1;
            }
            let part = |is_upper: bool| -> Boxed {
                (
                    members
                        .iter()
                        .copied()
                        .filter(|&point| side(point, level) == is_upper)
                        .collect(),
                    levels.clone(),
                )
            };
            all.push([part(false), part(true)]);
        }
        all
    }

    /// The least value of all trees for these points, or `limit` if none is below.
    fn least(&mut self, part: &Boxed, limit: Value) -> Result<Value, TooLarge> {
        let leaf = self.loss(&part.0) + self.per_leaf;
        // Every other tree has two leaves.
        if leaf <= 2 * self.per_leaf || limit <= 2 * self.per_leaf {
            return Ok(leaf.min(limit));
        }
        if let Some(known) = self.known.get(part)
            && (known.is_exact || known.value >= limit)
        {
            return Ok(known.value.min(limit));
        }
        self.spend(part.0.len() * (self.halvings.len() + 1))?;
        let mut best = leaf.min(limit);
        let mut splits: Vec<(Value, [Boxed; 2])> = Vec::new();
        for halves in self.halves(part) {
            splits.push((self.loss(&halves[0].0) + self.loss(&halves[1].0), halves));
        }
        splits.sort_by_key(|(loss, _)| *loss);
        for (_, [low, high]) in splits {
            let (less, more) = if low.0.len() < high.0.len() {
                (low, high)
            } else {
                (high, low)
            };
            let first = self.least(&less, best - self.per_leaf)?;
            if first + self.per_leaf < best {
                best = best.min(first + self.least(&more, best - first)?);
            }
        }
        let is_exact = best < limit || best == leaf;
        self.known.insert(
            part.clone(),
            Known {
                value: best,
                is_exact,
            },
        );
        Ok(best)
    }

    /// For 1, 2, ... `most` leaves the least loss with at most so many.
    fn stairs(&mut self, part: &Boxed, most: usize) -> Result<Vec<Value>, TooLarge> {
        let loss = self.loss(&part.0);
        if loss == 0 || most == 1 {
            return Ok(vec![loss]);
        }
        if let Some(known) = self.stairs.get(part) {
            return Ok(known.clone());
        }
        self.spend(part.0.len() * (self.halvings.len() + 1))?;
        let mut best = vec![loss];
        for [low, high] in self.halves(part) {
            let (low, high) = (self.stairs(&low, most)?, self.stairs(&high, most)?);
            self.spend(low.len() * high.len())?;
            for (a, low) in low.iter().enumerate() {
                for (b, high) in high.iter().enumerate().take((most - 1).saturating_sub(a)) {
                    let leaves = a + b + 2;
                    let last = *best.last().expect("has one leaf");
                    best.resize(best.len().max(leaves), last);
                    best[leaves - 1] = best[leaves - 1].min(low + high);
                }
            }
        }
        for leaves in 1..best.len() {
            best[leaves] = best[leaves].min(best[leaves - 1]);
        }
        while best.len() > 1 && best[best.len() - 1] == best[best.len() - 2] {
            best.pop();
        }
        self.stairs.insert(part.clone(), best.clone());
        Ok(best)
    }
}

/// A dyadic problem: the table as a grid, and its model of empty halves.
pub(crate) struct Dyadic<'a> {
    data: &'a Data,
    grid: Grid,
    is_boxed: bool,
    work: &'a Cell<u64>,
}

impl<'a> Dyadic<'a> {
    pub(crate) fn new(model: &Model, data: &'a Data, work: &'a Cell<u64>) -> Result<Self, String> {
        let is_boxed = match model.learner.params.get("model").and_then(Json::as_str) {
            Some("collapsed") => false,
            Some("boxed") => true,
            _ => return Err("params.model is not known".into()),
        };
        Ok(Self {
            data,
            grid: Grid::new(model, data)?,
            is_boxed,
            work,
        })
    }

    /// Checks that a tree asks only what halves its points: in the collapsed model the first halving of a feature that does.
    fn is_dyadic(&self, figures: &Figures<'_>) -> Result<(), String> {
        if self.is_boxed {
            return Ok(());
        }
        let values = Values::new(self.data, &Ratio::zero())?;
        let points = self.grid.points(&values);
        let search = Search::new(&points, &self.grid, 1, false, self.work);
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); figures.nodes.len()];
        for (row, point) in points.of_row.iter().enumerate() {
            let Some(point) = *point else { continue };
            crate::figures::visit(figures.nodes, self.data, row, |at, _| {
                members[at].push(point as u32);
            });
        }
        for members in &mut members {
            members.sort_unstable();
            members.dedup();
        }
        for (at, node) in figures
            .nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| node.split.is_some())
        {
            let parts: Vec<&Vec<u32>> =
                node.children.iter().map(|&child| &members[child]).collect();
            let halves = search.halves(&(members[at].clone(), vec![0; self.grid.halvings.len()]));
            let is_half = |[low, high]: &[Boxed; 2]| {
                parts.len() == 2 && *parts[0] == low.0 && *parts[1] == high.0
            };
            if !halves.iter().any(is_half) {
                return Err(format!("node {at} does not halve its box"));
            }
        }
        Ok(())
    }

    /// Is a tree of this cost and so many leaves the best, where a leaf costs `price` on the scale of the total cost? With
    /// `only_objective` other trees may have fewer leaves.
    fn is_best(&self, price: &Ratio, cost: &Ratio, leaves: usize, only_objective: bool) -> Verdict {
        let claimed = cost + price * BigInt::from(leaves);
        self.compare(
            price,
            |values| {
                if only_objective {
                    values.bound(&claimed)
                } else {
                    values.of(cost, leaves)
                }
            },
            true,
            only_objective,
        )
    }

    /// Has every tree at least this objective, on the scale of the total cost?
    fn has_bound(&self, price: &Ratio, bound: &Ratio) -> Verdict {
        self.compare(price, |values| values.bound(bound), false, true)
    }

    fn compare(
        &self,
        price: &Ratio,
        limit: impl Fn(&Values) -> Option<Value>,
        must_reach: bool,
        only_objective: bool,
    ) -> Verdict {
        let values = match Values::new(self.data, price) {
            Ok(values) => values,
            Err(why) => return Verdict::NotChecked(why),
        };
        let Some(limit) = limit(&values) else {
            return Verdict::NotChecked("too many digits".into());
        };
        let points = self.grid.points(&values);
        let mut search = Search::new(
            &points,
            &self.grid,
            values.per_leaf,
            self.is_boxed,
            self.work,
        );
        let all = search.all();
        // A little above the claim, to see that it is reached.
        let slack = if must_reach {
            values.off_by.max(values.much)
        } else {
            0
        };
        match search.least(&all, limit - points.rest + slack) {
            Err(TooLarge) => Verdict::NotChecked("too large".into()),
            Ok(least) => {
                let least = least + points.rest;
                if least < limit && least + values.off_by >= limit {
                    Verdict::NotChecked("too many digits".into())
                } else if least < limit {
                    Verdict::Refuted(format!("a tree of value {least}, claimed {limit}"))
                } else if must_reach
                    && (least >= limit + slack || !only_objective && least != limit)
                {
                    Verdict::Refuted("no dyadic tree is that good".into())
                } else {
                    Verdict::Confirmed
                }
            }
        }
    }

    /// The least total cost with 1, 2, ... leaves, until it falls no more; `most` leaves at most.
    fn sizes(&self, most: usize) -> Result<Vec<Ratio>, String> {
        let values = Values::new(self.data, &Ratio::zero())?;
        if values.off_by != 0 {
            return Err("too many digits".into());
        }
        let points = self.grid.points(&values);
        let mut search = Search::new(&points, &self.grid, 1, self.is_boxed, self.work);
        let all = search.all();
        let stairs = search.stairs(&all, most).map_err(|TooLarge| "too large")?;
        Ok(stairs
            .into_iter()
            .map(|loss| values.cost(loss + points.rest))
            .collect())
    }

    /// Checks the certificate of one tree.
    pub(crate) fn tree(&self, model: &Model, figures: &Figures<'_>, report: &mut Report) {
        let params = &model.learner.params;
        report.result("dyadic tree", self.is_dyadic(figures));
        let Some(claimed) = &model.certificate else {
            return;
        };
        let total = self.data.total();
        let (_, cost) = figures.of_leaves();
        let leaves = figures.n_leaves();
        let number = |name: &str| {
            params
                .get(name)
                .map(|value| of_json(value).ok_or(format!("params.{name} is no number")))
        };
        let lambda = match (number("lambda"), number("kappa"), number("leaves")) {
            (Some(lambda), None, None) => lambda,
            (None, Some(kappa), None) => kappa.map(|kappa| kappa / &total),
            (None, None, Some(most)) => {
                let most = most
                    .ok()
                    .and_then(|most| num_traits::ToPrimitive::to_usize(&most.to_integer()));
                let most = most.unwrap_or(0);
                return sizes::limited(
                    claimed,
                    self.data,
                    &cost,
                    leaves,
                    most,
                    self.sizes(most),
                    report,
                );
            }
            _ => Err("params need one of lambda, kappa and leaves".into()),
        };
        let lambda = match lambda {
            Ok(lambda) => lambda,
            Err(fault) => return report.add("parameters", Verdict::Refuted(fault)),
        };
        let penalty = params
            .get("penalty")
            .map_or(Some("linear"), Json::as_str)
            .unwrap_or("");
        if penalty != "linear" {
            let penalty = Penalty::new(penalty);
            let sizes = self.sizes(usize::MAX);
            return sizes::penalised(
                claimed,
                self.data,
                penalty.as_ref(),
                &lambda,
                &cost,
                leaves,
                sizes,
                report,
            );
        }
        let objective = &cost / &total + &lambda * BigInt::from(leaves);
        if !report.result(
            "objective",
            certificate(claimed, &objective, self.data.is_whole),
        ) {
            return;
        }
        let price = &lambda * &total;
        let tolerance = binary(claimed.tolerance.unwrap_or(0.0));
        if claimed.optimal != Some(true) {
            let bound = (binary(claimed.lower_bound.unwrap_or(0.0)) - tolerance) * total;
            return report.add("lower bound", self.has_bound(&price, &bound));
        }
        if !claimed.exact {
            let name = format!("optimal up to {}", nearest(&tolerance));
            return report.add(
                name,
                self.has_bound(&price, &((objective - tolerance) * total)),
            );
        }
        let only_objective = params.get("ties").is_some_and(|ties| ties == "larger")
            || claimed.fewest_leaves == Some(false);
        report.add(
            "optimal",
            self.is_best(&price, &cost, leaves, only_objective),
        );
    }

    /// Checks a path: at each threshold both neighbours must be the best, and at the end the last.
    pub(crate) fn path(&self, model: &Model, report: &mut Report) {
        let members = model.members.as_deref().unwrap_or_default();
        let total = self.data.total();
        let mut found = Vec::new();
        for (at, member) in members.iter().enumerate() {
            let Some(nodes) = &member.nodes else {
                return report.add("members", Verdict::Refuted("a member without nodes".into()));
            };
            let figures = Figures::new(nodes, self.data);
            let (errors, cost) = figures.of_leaves();
            report.result(format!("member {at}: counts"), figures.counts());
            report.result(format!("member {at}: values"), figures.values());
            report.result(
                format!("member {at}: dyadic tree"),
                self.is_dyadic(&figures),
            );
            let figures_ok = family::member(
                member,
                figures.n_leaves(),
                &errors,
                &(&cost / &total),
                self.data.is_whole,
            );
            report.result(format!("member {at}: figures"), figures_ok);
            found.push((cost, figures.n_leaves()));
        }
        family::check(
            model,
            &found,
            &total,
            self.data.is_whole,
            report,
            &|question| match question {
                Question::Best {
                    price,
                    cost,
                    leaves,
                    only_objective,
                } => self.is_best(price, cost, leaves, only_objective),
                Question::Bound { price, bound } => self.has_bound(price, bound),
            },
        );
    }
}
