//! The claims of dyadic trees and of their paths.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use num_traits::Zero;
use serde_json::Value as Json;

mod cells;
mod search;
mod side;

use self::cells::Grid;
use self::search::{Part, Search};
use crate::families::steps::{Sizes, Step};
use crate::families::{Best, Least, Trees, path};
use crate::figures::{Figures, visit};
use crate::numbers::Ratio;
use crate::read::data::{Column, Data};
use crate::read::model::{Model, Node, Split};
use crate::report::{Report, TooLarge, Verdict, spend};
use crate::values::Values;

/// A dyadic problem: the table as a grid, and its model of empty halves.
pub(crate) struct Dyadic<'a> {
    data: &'a Data,
    grid: Grid,
    is_boxed: bool,
    work: &'a Cell<u64>,
    /// For paths: the best trees for all prices, once they are known.
    corners: Option<Result<Corners, String>>,
}

/// Losses of the best trees, in units.
struct Corners {
    values: Values,
    steps: Vec<Step>,
}

/// Boxes inside each other: more might not fit on the stack.
const DEEPEST: usize = 1000;
/// Boxes that are remembered not to be halved by a tree.
const MOST_FAILED: usize = 100_000;

/// A tree with the points that come to each node.
struct Halved<'a> {
    search: Search<'a>,
    nodes: &'a [Node],
    members: Vec<Vec<u32>>,
    work: &'a Cell<u64>,
}

impl Halved<'_> {
    /// The halvings that part the points of a node as its children do.
    fn halvings(&self, at: usize, levels: Vec<u32>) -> impl Iterator<Item = Vec<u32>> {
        let children = self.nodes[at].children.iter();
        let children: Vec<&Vec<u32>> = children.map(|&child| &self.members[child]).collect();
        let halves = self.search.halves(&(self.members[at].clone(), levels));
        let is_half = move |[low, high]: &[Part; 2]| children[..] == [&low.0, &high.0];
        halves.into_iter().filter(is_half).map(|[low, _]| low.1)
    }

    fn is_collapsed(&self, at: usize) -> bool {
        self.nodes[at].split.is_none() || self.halvings(at, Vec::new()).next().is_some()
    }

    /// Are all splits from this node on halvings of its box, which was halved so often along each coordinate? Several
    /// coordinates may part the points alike; then each is tried.
    fn is_boxed(
        &self,
        at: usize,
        levels: Vec<u32>,
        depth: usize,
        failed: &mut BTreeSet<(usize, Vec<u32>)>,
    ) -> Result<bool, TooLarge> {
        let node = &self.nodes[at];
        if node.split.is_none() {
            return Ok(true);
        }
        if depth > DEEPEST || failed.len() > MOST_FAILED {
            return Err(TooLarge);
        }
        if failed.contains(&(at, levels.clone())) {
            return Ok(false);
        }
        spend(
            self.work,
            100 * levels.len() * (1 + levels.len() + self.members[at].len()),
        )?;
        for levels in self.halvings(at, levels.clone()) {
            let mut are_boxed = true;
            for &child in &node.children {
                are_boxed = are_boxed && self.is_boxed(child, levels.clone(), depth + 1, failed)?;
            }
            if are_boxed {
                return Ok(true);
            }
        }
        failed.insert((at, levels));
        Ok(false)
    }
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
            corners: None,
        })
    }

    fn values(&self, price: &Ratio) -> Result<Values, String> {
        // Before a row is alone, boxes may have been halved in vain, each time for one leaf.
        let halvings: u32 = self.grid.halvings.iter().sum();
        let in_vain = if self.is_boxed { halvings as usize } else { 0 };
        Values::new(self.data, price, self.data.n_rows() * (1 + in_vain))
    }

    /// Checks that a tree asks only what halves its points: in the collapsed model the first halving of a feature that does,
    /// in the boxed model the next halving of its box.
    fn is_dyadic(&self, figures: &Figures<'_>, is_exact: bool) -> Verdict {
        if let Some((at, cut)) = self.cut_off_the_grid(figures.nodes) {
            return Verdict::Refuted(format!("the cut {cut} of node {at} is not on the grid"));
        }
        // Where losses were rounded, points may have been left out that matter a little.
        let refuted = if is_exact {
            Verdict::Refuted
        } else {
            Verdict::NotChecked
        };
        let values = match self.values(&Ratio::zero()) {
            Ok(values) if values.off_by == 0 => values,
            // Points that matter but for rounding are not known.
            _ => return Verdict::NotChecked("too many digits".into()),
        };
        let points = self.grid.points(&values, 1);
        let search = Search::new(&points, &self.grid, 1, self.is_boxed, self.work);
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); figures.nodes.len()];
        // Rows of one cell are never parted, not even where all answers cost the same.
        let mut leaf_of: BTreeMap<&[u32], usize> = BTreeMap::new();
        for (row, point) in points.of_row.iter().enumerate() {
            let mut leaf = 0;
            visit(figures.nodes, self.data, row, |at, _| {
                if let Some(point) = *point {
                    members[at].push(point as u32);
                }
                leaf = at;
            });
            if *leaf_of.entry(self.grid.cells_of(row)).or_insert(leaf) != leaf {
                return refuted(format!("row {} is parted from its cell", row + 1));
            }
        }
        for members in &mut members {
            members.sort_unstable();
            members.dedup();
        }
        let halved = Halved {
            search,
            nodes: figures.nodes,
            members,
            work: self.work,
        };
        let fault = if self.is_boxed {
            let what = "its splits are not halvings of boxes".to_owned();
            let levels = vec![0; self.grid.halvings.len()];
            let is_so = halved.is_boxed(0, levels, 0, &mut BTreeSet::new());
            is_so.map(|is_so| (!is_so).then_some(what))
        } else {
            let first = (0..figures.nodes.len()).find(|&at| !halved.is_collapsed(at));
            Ok(first.map(|at| format!("node {at} does not halve its box")))
        };
        match fault {
            Ok(None) => Verdict::Confirmed,
            // A tree cannot show a halving that has no category on one side.
            Ok(Some(_)) if self.is_boxed && self.has_categories() => {
                Verdict::NotChecked("boxes of categories".into())
            }
            Ok(Some(what)) => refuted(what),
            Err(TooLarge) => Verdict::NotChecked("too large".into()),
        }
    }

    /// A cut of a numeric feature that is not where two cells meet, and its node.
    fn cut_off_the_grid(&self, nodes: &[Node]) -> Option<(usize, f64)> {
        nodes.iter().enumerate().find_map(|(at, node)| {
            let Some(Split::Intervals { feature, cuts, .. }) = &node.split else {
                return None;
            };
            let off = cuts
                .iter()
                .find(|cut| !self.grid.has_cut(*feature, **cut))?;
            Some((at, *off))
        })
    }

    fn has_categories(&self) -> bool {
        let mut columns = self.data.columns.iter();
        columns.any(|column| matches!(column, Column::Codes(_)))
    }

    /// The least losses of trees of all sizes.
    fn solve(&self, sizes: Sizes) -> Result<Corners, String> {
        let values = self.values(&Ratio::zero())?;
        let points = self.grid.points(&values, 1);
        let mut search = Search::new(&points, &self.grid, 1, self.is_boxed, self.work);
        let steps = search.steps(&search.all(), sizes);
        let steps = steps.map_err(|TooLarge| "too large")?;
        let with_rest = |&(leaves, loss): &Step| (leaves, loss + points.rest);
        let steps = steps.iter().map(with_rest).collect();
        Ok(Corners { values, steps })
    }

    /// Checks the certificate of one tree.
    pub(crate) fn tree(&mut self, model: &Model, figures: &Figures<'_>, report: &mut Report) {
        let is_exact = model
            .certificate
            .as_ref()
            .is_none_or(|claimed| claimed.exact);
        report.add("dyadic tree", self.is_dyadic(figures, is_exact));
        let Some(claimed) = &model.certificate else {
            return;
        };
        let best = Best {
            data: self.data,
            claimed,
            params: &model.learner.params,
            cost: figures.of_leaves().1,
            leaves: figures.n_leaves(),
            is_exact: self.data.may_be_exact(),
            is_shared: false,
        };
        best.check(self, report);
    }

    /// Checks a path: at each threshold both neighbours must be the best, and at the end the last.
    pub(crate) fn path(&mut self, model: &Model, report: &mut Report) {
        let is_exact = model
            .certificate
            .as_ref()
            .is_none_or(|claimed| claimed.exact);
        let is_dyadic = |tree: &Figures<'_>| self.is_dyadic(tree, is_exact);
        let found = path::members(model, self.data, report, is_dyadic);
        let Some(found) = found else { return };
        let largest = model.members.iter().flatten().next_back();
        if let Some(nodes) = largest.and_then(|member| member.nodes.as_ref()) {
            let largest = Figures::new(nodes, self.data);
            report.add("training", largest.training(&model.training, false));
        }
        if model.penalty.as_deref() == Some("linear") {
            self.corners = Some(self.solve(Sizes::Corners));
        }
        let (total, is_whole) = (self.data.total(), self.data.may_be_exact());
        path::check(model, &found, &total, is_whole, self, report);
    }
}

impl Trees for Dyadic<'_> {
    fn least(&mut self, price: &Ratio, claimed: &Ratio) -> Result<Least, String> {
        if let Some(corners) = &self.corners {
            return Ok(corners.as_ref().map_err(Clone::clone)?.least(price));
        }
        let values = self.values(price)?;
        let points = self.grid.points(&values, values.per_loss);
        let mut search = Search::new(
            &points,
            &self.grid,
            values.per_leaf,
            self.is_boxed,
            self.work,
        );
        // Just above all trees that are as good as the claim.
        let limit = values.bound(claimed).ok_or("too many digits")? + values.much + values.off_by;
        let least = search.least(&search.all(), limit - points.rest);
        let least = least.map_err(|TooLarge| "too large")? + points.rest;
        Ok(values.least(least))
    }

    fn sizes(&mut self, sizes: Sizes) -> Result<Vec<(usize, Ratio)>, String> {
        let Corners { values, steps } = self.solve(sizes)?;
        if values.off_by != 0 {
            return Err("too many digits".into());
        }
        let cost = |(leaves, loss)| (leaves, values.cost(loss));
        Ok(steps.into_iter().map(cost).collect())
    }
}

impl Corners {
    fn least(&self, price: &Ratio) -> Least {
        let objective = |&(leaves, loss): &Step| {
            let leaves_cost = price * Ratio::from(num_bigint::BigInt::from(leaves));
            (self.values.cost(loss) + leaves_cost, leaves)
        };
        let least = self.steps.iter().map(objective).min();
        let (objective, leaves) = least.unwrap_or_default();
        Least {
            objective,
            leaves,
            off_by: self.values.off_by(),
        }
    }
}
