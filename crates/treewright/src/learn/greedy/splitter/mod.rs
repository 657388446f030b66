//! Single nodes and their splits, for searches that go through many sets of features.
//!
//! The learner itself keeps a list a feature and parts it in place, because it visits every node once.
//! A search over feature sets comes back to the same rows again and again and keeps many nodes at a
//! time. So here a node has its rows only. A feature's order of them is made when the feature is looked
//! at: taken out of a longer list that is at hand, or sorted, whichever is quicker. Which
//! candidates a feature has, how they compare and what becomes of the rows is decided by the code of the learner, so a
//! tree that is put together from these splits is the tree that the learner would grow.

mod lists;
mod node_rows;
mod orders;
mod sorter;
mod workspace;

use std::sync::Arc;

pub(crate) use self::lists::Lists;
use self::node_rows::Division;
pub(crate) use self::node_rows::NodeRows;
use self::orders::Orders;
use self::sorter::Sorter;
pub(crate) use self::workspace::Workspace;
use crate::budget::Budget;
use crate::data::{Column, Dataset, FeatureKind, Schema};
use crate::error::{Error, Result};
use crate::learn::greedy::deadline::SplitDeadline;
use crate::learn::greedy::grow::{NodeSummary, Summaries};
use crate::learn::greedy::parameters::{CategoricalSplits, Greedy, MissingPolicy};
use crate::learn::greedy::problem::Frame;
use crate::learn::greedy::setup::no_room;
use crate::learn::greedy::split::{
    CandidateSplit, CategoryCounts, Chosen, FeatureResult, Judge, NodeSearch, NodeView, Present,
    Shape, SplitSearch, Totals, counting_pays,
};
use crate::learn::greedy::switches::GreedySwitches;

/// The rows of a table, and how the learner would split them.
#[derive(Debug)]
pub(crate) struct Splitter<'a> {
    schema: &'a Arc<Schema>,
    search: SplitSearch,
    summaries: Summaries<'a>,
    frame: Arc<Frame<'a>>,
    orders: Orders,
    max_depth: usize,
    min_split: usize,
}

/// Stands for all children that will never be split.
const CLOSED: u32 = u32::MAX;

impl<'a> Splitter<'a> {
    /// For a classification table; `None` if the budget is spent before it is ready, or does not suffice. Where
    /// the memory of the system does not suffice, that is an error.
    pub(crate) fn new(
        greedy: &'a Greedy,
        data: &'a Dataset,
        budget: &Budget,
    ) -> Result<Option<Self>> {
        if !greedy.rules.is_empty() {
            let message =
                "rules about the features on a path are not for searches over sets of features";
            return Err(Error::schema(message));
        }
        if greedy.min_class_share.is_some() {
            let message =
                "a least share of the class of a leaf is not for searches over sets of features";
            return Err(Error::schema(message));
        }
        // The order of all candidates is wanted, not only the best.
        let switches = GreedySwitches {
            floor: false,
            ..GreedySwitches::ALL
        };
        let has_missing: Arc<[bool]> = data.columns().iter().map(Column::has_missing).collect();
        let n_cells = data.n_rows().saturating_mul(data.columns().len());
        let frame = if budget.has_room_for(n_cells.saturating_mul(8)) {
            greedy.frame(data, &has_missing, switches, budget)?
        } else {
            None
        };
        let orders = frame.as_ref().and_then(|frame| Orders::new(frame, budget));
        let (Some(frame), Some(orders)) = (frame, orders) else {
            return if budget.is_limited() {
                Ok(None)
            } else {
                Err(no_room(data))
            };
        };
        Ok(Some(Self {
            schema: data.schema(),
            // Every candidate is wanted, whatever it takes: nothing is left undone.
            search: greedy.search(data, switches, SplitDeadline::default()),
            summaries: Summaries::Classes(&greedy.loss),
            orders,
            frame: Arc::new(frame),
            max_depth: greedy.max_depth.unwrap_or(usize::MAX),
            min_split: greedy.min_split,
        }))
    }

    /// The node of all rows.
    pub(crate) fn root(&self) -> NodeRows<'a> {
        let entries = self.frame.by_row();
        let summary = self.summaries.of(&self.frame, &[&entries]);
        self.node(&self.frame, entries, summary, 0)
    }

    fn node(
        &self,
        frame: &Arc<Frame<'a>>,
        mut entries: Vec<u32>,
        summary: NodeSummary,
        depth: usize,
    ) -> NodeRows<'a> {
        let mut frame = frame;
        if self.stops(&summary, depth) {
            entries = Vec::new();
            // The node is a leaf and needs no frame. With its own it would keep that one in memory.
            frame = &self.frame;
        }
        NodeRows {
            frame: Arc::clone(frame),
            entries: entries.into(),
            summary,
            depth: if self.max_depth == usize::MAX {
                0
            } else {
                depth
            },
        }
    }

    fn stops(&self, summary: &NodeSummary, depth: usize) -> bool {
        depth >= self.max_depth || summary.is_pure || summary.rows < self.min_split as f64
    }

    fn view<'n>(&self, node: &'n NodeRows<'a>) -> NodeView<'n> {
        NodeView {
            range: 0..node.entries.len(),
            counts: &node.summary.counts,
            totals: if node.frame.is_plain() {
                let counts = node.summary.counts.iter().map(|&count| count as u32);
                Totals::new(counts.collect(), self.search.logs())
            } else {
                Totals::default()
            },
            weight: node.summary.weight,
            sse: 0.0,
            centre: 0.0,
            sum: 0.0,
            is_coarse: false,
        }
    }

    /// Looks at some features of a node, none of them constant. `above` are lists of a node that has all
    /// rows of this one, if there are any. Returns the lists that were made; `None` if it was time to stop before
    /// all features were looked at.
    pub(crate) fn look(
        &self,
        node: &NodeRows<'a>,
        features: &[u32],
        above: Option<&Lists>,
        workspace: &mut Workspace,
        is_late: &dyn Fn() -> bool,
        mut take: impl FnMut(usize, FeatureResult),
    ) -> Option<Lists> {
        /// A feature of fewer rows takes no time.
        const MANY_ROWS: usize = 1 << 15;
        let frame = &*node.frame;
        let view = self.view(node);
        let node_search = NodeSearch::new(&self.search, frame, &view);
        let mut lists = workspace.spare.pop().unwrap_or_default();
        lists.clear(node.entries.len(), self.orders.n_features());
        workspace
            .sorter
            .mark(self.frame.n_rows(), frame.packing(), &node.entries);
        let mut coarse: Vec<u32> = Vec::new();
        for &feature in features {
            if node.entries.len() >= MANY_ROWS && is_late() {
                workspace.recycle(lists);
                return None;
            }
            if frame.is_coarse(feature as usize) {
                coarse.push(feature);
                continue;
            }
            let feature = feature as usize;
            if let Some(found) =
                self.count_categories(node, &view, &node_search, feature, workspace)
            {
                take(feature, found);
                continue;
            }
            let list = lists.make(feature, |list| {
                self.append_list(node, feature, above, &mut workspace.sorter, list);
            });
            take(
                feature,
                node_search.look_at(feature, list, &mut workspace.scratch),
            );
        }
        self.look_at_coarse(node, &view, &node_search, &coarse, workspace, &mut take);
        Some(lists)
    }

    /// Features with few values are counted where that pays.
    fn look_at_coarse(
        &self,
        node: &NodeRows<'a>,
        view: &NodeView<'_>,
        node_search: &NodeSearch<'_>,
        features: &[u32],
        workspace: &mut Workspace,
        take: &mut impl FnMut(usize, FeatureResult),
    ) {
        let Some(coarse) = node.frame.coarse().filter(|_| !features.is_empty()) else {
            return;
        };
        let present = Present::of(&view.totals.counts, self.search.logs());
        if coarse.pays(features, node.entries.len(), present.n_classes()) {
            for group in coarse.groups(features, present.n_classes()) {
                let features = &features[group];
                let found = node_search.look_at_coarse(
                    features,
                    &node.entries,
                    &present,
                    &mut workspace.scratch,
                );
                for (feature, found) in found {
                    take(feature as usize, found);
                }
            }
            return;
        }
        let mut list = std::mem::take(&mut workspace.list);
        for &feature in features {
            list.clear();
            self.sort(node, feature as usize, &mut workspace.sorter, &mut list);
            let found = node_search.look_at(feature as usize, &list, &mut workspace.scratch);
            take(feature as usize, found);
        }
        workspace.list = list;
    }

    /// Categorical features are counted where rows count as one each.
    fn count_categories(
        &self,
        node: &NodeRows<'a>,
        view: &NodeView<'_>,
        node_search: &NodeSearch<'_>,
        feature: usize,
        workspace: &mut Workspace,
    ) -> Option<FeatureResult> {
        let frame = &*node.frame;
        let (FeatureKind::Categorical(categories), Judge::Classes(measure)) =
            (&self.schema.features[feature].kind, &self.search.judge)
        else {
            return None;
        };
        let Column::Categorical(codes) = frame.column(feature) else {
            return None;
        };
        let is_tried = self.search.missing == MissingPolicy::Learned;
        let pays = frame.is_plain()
            && self.search.categorical == CategoricalSplits::Multiway
            && !(is_tried && frame.has_missing(feature))
            && counting_pays(categories.len(), view.counts.len(), node.entries.len());
        if !pays {
            return None;
        }
        let packing = frame.packing();
        let origin = |entry: u32| frame.origin_of(packing.row(entry));
        let rows = node.entries.iter();
        let rows = rows.map(|&entry| (codes[origin(entry)], packing.class(entry)));
        let tables = &mut workspace.tables;
        let counts =
            CategoryCounts::new(&self.search, measure, view, categories.len(), rows, tables);
        Some(match counts.best() {
            None => FeatureResult::Constant,
            Some(best) => node_search.found(feature, best),
        })
    }

    /// Appends the rows of a node in the order of a feature. The node has been marked.
    fn append_list(
        &self,
        node: &NodeRows<'a>,
        feature: usize,
        above: Option<&Lists>,
        sorter: &mut Sorter,
        list: &mut Vec<u32>,
    ) {
        let n = node.entries.len();
        // What sorting costs, in entries that could be gone through instead.
        let sorting = self.orders.sorting_costs(n, feature);
        let from_above = above
            .filter(|above| above.n_rows() <= sorting)
            .and_then(|above| above.of(feature));
        let is_root = Arc::ptr_eq(&node.frame, &self.frame);
        let from_all = (is_root && self.frame.n_rows() <= sorting)
            .then(|| self.frame.list(feature, &(0..self.frame.n_rows())));
        match from_above.or(from_all) {
            Some(longer) => sorter.take_out(longer, node.frame.packing(), n, list),
            None => self.sort(node, feature, sorter, list),
        }
    }

    fn sort(&self, node: &NodeRows<'a>, feature: usize, sorter: &mut Sorter, list: &mut Vec<u32>) {
        self.orders
            .sort(&node.frame, &node.entries, feature, sorter, list);
    }

    /// Splits a node.
    pub(crate) fn split(
        &self,
        node: &NodeRows<'a>,
        chosen: &CandidateSplit,
        workspace: &mut Workspace,
    ) -> Division<'a> {
        let frame = &node.frame;
        let feature = chosen.feature;
        let mut list = std::mem::take(&mut workspace.list);
        list.clear();
        self.sort(node, feature, &mut workspace.sorter, &mut list);
        let candidate = CandidateSplit {
            feature,
            shape: match &chosen.shape {
                Shape::Coarse { n_below, .. } => Shape::Cut(*n_below),
                shape => shape.clone(),
            },
            missing: chosen.missing,
            score: chosen.score.clone(),
        };
        let (known, missing) = frame.part_missing(feature, &list);
        let policy = self.search.missing;
        let rows = [known, missing];
        let chosen = Chosen::new(self.schema, policy, frame, feature, rows, &candidate);
        let children = if chosen.distributes.is_some() {
            self.distribute(node, &chosen, rows)
        } else {
            self.part(node, &chosen, &list, workspace)
        };
        workspace.list = list;
        Division {
            split: chosen.split,
            missing: chosen.missing,
            children,
        }
    }

    /// Every row goes to one child.
    fn part(
        &self,
        node: &NodeRows<'a>,
        chosen: &Chosen,
        list: &[u32],
        workspace: &mut Workspace,
    ) -> Vec<NodeRows<'a>> {
        let frame = &node.frame;
        let packing = frame.packing();
        let child_of = &mut workspace.child;
        child_of.resize(child_of.len().max(self.frame.n_rows()), 0);
        let depth = node.depth + 1;
        let mut slices: Vec<&[u32]> = Vec::new();
        let mut summaries = Vec::with_capacity(chosen.n_children);
        let mut rows = Vec::with_capacity(chosen.n_children);
        // Children one after the other, each with its parts in order.
        let mut parts = chosen.parts.clone();
        parts.sort_by_key(|part| part.1);
        let mut parts = parts.chunk_by(|a, b| a.1 == b.1);
        for child in 0..chosen.n_children as u32 {
            slices.clear();
            let own = parts.next().into_iter().flatten();
            slices.extend(own.map(|(positions, _)| &list[positions.clone()]));
            let summary = self.summaries.of(frame, &slices);
            let n_rows = slices.iter().map(|slice| slice.len()).sum();
            let is_open = !self.stops(&summary, depth);
            rows.push(Vec::with_capacity(if is_open { n_rows } else { 0 }));
            if is_open {
                for &entry in slices.iter().copied().flatten() {
                    child_of[packing.row(entry)] = child;
                }
            } else {
                for &entry in slices.iter().copied().flatten() {
                    child_of[packing.row(entry)] = CLOSED;
                }
            }
            summaries.push(summary);
        }
        if rows.iter().any(|rows: &Vec<u32>| rows.capacity() > 0) {
            for &entry in &node.entries {
                let child = child_of[packing.row(entry)];
                if child != CLOSED {
                    rows[child as usize].push(entry);
                }
            }
        }
        let children = rows.into_iter().zip(summaries);
        children
            .map(|(rows, summary)| self.node(frame, rows, summary, depth))
            .collect()
    }

    /// Rows whose value is missing go to every child in part, so each child has a frame of its own.
    fn distribute(
        &self,
        node: &NodeRows<'a>,
        chosen: &Chosen,
        [known, missing]: [&[u32]; 2],
    ) -> Vec<NodeRows<'a>> {
        let frame = &node.frame;
        let row = |&entry: &u32| frame.packing().row(entry) as u32;
        let shares = chosen.distributes.iter().flatten().enumerate();
        let child = |(child, &share): (usize, &f64)| {
            let mut rows: Vec<(u32, f64)> =
                missing.iter().map(|entry| (row(entry), share)).collect();
            for (positions, _) in chosen.parts.iter().filter(|part| part.1 as usize == child) {
                let entries = &known[positions.clone()];
                rows.extend(entries.iter().map(|entry| (row(entry), 1.0)));
            }
            rows.sort_unstable_by_key(|&(row, _)| row);
            let frame = Arc::new(frame.bare(&rows));
            let entries = frame.by_row();
            let summary = self.summaries.of(&frame, &[&entries]);
            self.node(&frame, entries, summary, node.depth + 1)
        };
        shares.map(child).collect()
    }
}
