//! Growing: a stack of nodes to be split, each a range of a frame.
//!
//! The stack is explicit because a tree may be as deep as there are rows. While nodes are large,
//! the features of a node are looked at in parallel; subtrees below a certain size become tasks with
//! frames of their own and grow in parallel. Neither changes the tree: a split depends on the rows of
//! its node alone, and nodes are numbered after everything has grown.

mod grown;
mod open_nodes;
mod summary;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rayon::prelude::*;

pub(crate) use self::summary::{NodeSummary, Summaries};

use self::grown::{Below, Grown, GrownNode};
use self::open_nodes::{OpenNodes, Pending};
use crate::budget::Budget;
use crate::data::Schema;
use crate::error::Result;
use crate::learn::greedy::problem::Frame;
use crate::learn::greedy::split::{CandidateSplit, Chosen, NodeView, Shape, SplitSearch, Totals};
use crate::tree::{NeverBelow, Tree};

/// Nodes with at least this much to look at (rows times features) use all threads.
const LARGE: usize = 1 << 16;

/// Subtrees with fewer rows than this are not worth a task.
const SMALLEST_TASK: usize = 1 << 10;

/// Everything that stays the same while a tree grows.
pub(crate) struct Grower<'a> {
    pub(super) schema: &'a Arc<Schema>,
    pub(super) search: SplitSearch,
    pub(super) summaries: Summaries<'a>,
    pub(super) max_depth: usize,
    pub(super) min_split: usize,
    /// Which features are never asked below which.
    pub(super) never_below: NeverBelow,
    pub(super) budget: &'a Budget,
    /// Set when a node was left unsplit because the budget was spent.
    pub(super) stopped: AtomicBool,
    /// Nodes so far.
    pub(super) n_nodes: AtomicUsize,
    /// Counts of each node.
    pub(super) n_classes: usize,
    /// More would not fit into memory.
    pub(super) most_nodes: usize,
}

/// A subtree that grows on its own.
struct Task<'a> {
    frame: Frame<'a>,
    summary: NodeSummary,
    depth: usize,
    features: Vec<u32>,
}

impl Grower<'_> {
    /// Grows a tree on all rows of a frame.
    pub(crate) fn grow(&self, frame: Frame<'_>) -> Result<Tree> {
        let features: Vec<u32> = (0..frame.n_features() as u32).collect();
        let n_rows = frame.n_rows();
        self.budget.progress().start(n_rows as u64);
        let summary = self.summaries.of(&frame, &[&frame.by_row()]);
        let threads = rayon::current_num_threads();
        let task_rows = if threads > 1 && self.search.switches.tasks {
            n_rows / (8 * threads)
        } else {
            0
        };
        let root = Task {
            frame,
            summary,
            depth: 0,
            features,
        };
        let mut tasks = Vec::new();
        let top = self.grow_task(root, task_rows, &mut tasks)?;
        let subtrees = tasks
            .into_par_iter()
            .map(|task| self.grow_task(task, 0, &mut Vec::new()))
            .collect::<Result<Vec<Grown>>>()?;
        self.number(top, subtrees)
    }

    /// Grows one task. Nodes of at most `task_rows` rows become tasks themselves.
    fn grow_task<'a>(
        &self,
        task: Task<'a>,
        task_rows: usize,
        tasks: &mut Vec<Task<'a>>,
    ) -> Result<Grown> {
        let Task {
            frame,
            summary,
            depth,
            features,
        } = task;
        let mut grown = Grown {
            nodes: Vec::new(),
            n_branches: 0,
        };
        let mut open = Vec::new();
        let stops = self.stops(&summary, depth);
        grown.nodes.push(GrownNode {
            summary,
            below: Below::Nothing,
        });
        if stops {
            self.budget.progress().advance(frame.n_rows() as u64);
        } else {
            open.push(OpenNodes::new(
                frame,
                0,
                depth,
                features,
                self.search.switches,
            ));
        }
        let mut numbering = Vec::new();
        while let Some(nodes) = open.last_mut() {
            let Some(pending) = nodes.stack.pop() else {
                open.pop();
                continue;
            };
            nodes.features.truncate(pending.features.end);
            if (SMALLEST_TASK..=task_rows).contains(&pending.range.len()) {
                let (frame, features) = nodes.split_off(&pending, &mut numbering);
                let summary = grown.nodes[pending.node].summary.clone();
                let task = Task {
                    frame,
                    summary,
                    depth: pending.depth,
                    features,
                };
                grown.nodes[pending.node].below = Below::Task(tasks.len());
                tasks.push(task);
                continue;
            }
            let more = self.split(nodes, &pending, &mut grown, &mut numbering)?;
            open.extend(more);
        }
        Ok(grown)
    }

    /// Splits a node if there is a split to be had. Returns the frames of children that need one.
    fn split<'a>(
        &self,
        nodes: &mut OpenNodes<'a>,
        pending: &Pending,
        grown: &mut Grown,
        numbering: &mut Vec<u32>,
    ) -> Result<Vec<OpenNodes<'a>>> {
        let leaf = || self.budget.progress().advance(pending.range.len() as u64);
        let stop = || {
            self.stopped.store(true, Ordering::Relaxed);
            leaf();
        };
        if self.budget.is_spent() || self.must_finish() {
            stop();
            return Ok(Vec::new());
        }
        let mut pending = pending.clone();
        let summary = &grown.nodes[pending.node].summary;
        nodes.refine_if_small(&mut pending, summary);
        let (candidate, mut alive) = self.best_split(nodes, &pending, grown);
        if self.search.deadline.has_stopped() {
            // Not all splits were looked at.
            stop();
            return Ok(Vec::new());
        }
        let Some(candidate) = candidate else {
            leaf();
            return Ok(Vec::new());
        };
        let chosen = self.choose(nodes, &pending, &candidate);
        if !self.has_room_for(chosen.n_children) {
            stop();
            return Ok(Vec::new());
        }
        grown.count_branches(&chosen.split)?;
        let above = candidate.feature;
        alive.retain(|&below| self.never_below.allows(above, below as usize));
        if chosen.distributes.is_some() {
            nodes.refine(&mut pending);
            Ok(self.distribute(nodes, &pending, &alive, chosen, grown, numbering))
        } else {
            self.part(nodes, &pending, &alive, chosen, grown);
            Ok(Vec::new())
        }
    }

    /// What the best candidate means for the rows of its node.
    fn choose(
        &self,
        nodes: &mut OpenNodes<'_>,
        pending: &Pending,
        candidate: &CandidateSplit,
    ) -> Chosen {
        if let Shape::Coarse { below, .. } = candidate.shape {
            nodes.part_rows(pending, candidate.feature, below);
        }
        let frame = &nodes.frame;
        let (feature, range) = (candidate.feature, &pending.range);
        // Coarse features have no missing values, so all of the list of rows is known.
        let (list, (known, missing)) = match candidate.shape {
            Shape::Coarse { .. } => (
                frame.row_list(),
                (frame.list(frame.row_list(), range), &[][..]),
            ),
            _ => (feature, frame.known_and_missing(feature, range)),
        };
        let policy = self.search.missing;
        Chosen::new(
            self.schema,
            policy,
            frame,
            list,
            [known, missing],
            candidate,
        )
    }

    /// Does it take the time that is left to put the tree together? All counts of all nodes are gone through some
    /// times for that.
    fn must_finish(&self) -> bool {
        const NANOS_PER_NODE: u64 = 300;
        const NANOS_PER_COUNT: u64 = 20;
        self.budget.left().is_some_and(|left| {
            let n_nodes = self.n_nodes.load(Ordering::Relaxed) as u64;
            let counts = NANOS_PER_COUNT * self.n_classes as u64;
            left < Duration::from_nanos(n_nodes.saturating_mul(NANOS_PER_NODE + counts))
        })
    }

    /// Takes this many nodes, if they fit into memory.
    fn has_room_for(&self, n_nodes: usize) -> bool {
        let before = self.n_nodes.fetch_add(n_nodes, Ordering::Relaxed);
        before.saturating_add(n_nodes) <= self.most_nodes
    }

    /// The tree that is left where there is no time to look at any feature.
    pub(crate) fn only_leaf(&self, frame: &Frame<'_>) -> Result<Tree> {
        let root = GrownNode {
            summary: self.summaries.of(frame, &[&frame.by_row()]),
            below: Below::Nothing,
        };
        let top = Grown {
            nodes: vec![root],
            n_branches: 0,
        };
        self.number(top, Vec::new())
    }

    fn best_split(
        &self,
        nodes: &OpenNodes<'_>,
        pending: &Pending,
        grown: &Grown,
    ) -> (Option<CandidateSplit>, Vec<u32>) {
        let summary = &grown.nodes[pending.node].summary;
        let moments = &summary.moments;
        // Relative to their mean the numbers of the node add up to nothing.
        let (centre, sum) = nodes.frame.unit().map_or((moments.mean, 0.0), |unit| {
            let centre = (moments.mean / unit).round();
            (centre, summary.whole_sum - centre * summary.weight)
        });
        let view = NodeView {
            range: pending.range.clone(),
            counts: &summary.counts,
            // Weights may be larger than any number of rows: only plain rows have whole totals.
            totals: if nodes.frame.is_plain() {
                let counts = summary.counts.iter().map(|&count| count as u32);
                Totals::new(counts.collect(), self.search.logs())
            } else {
                Totals::default()
            },
            weight: summary.weight,
            sse: moments.sse,
            centre,
            sum,
            is_coarse: pending.is_coarse,
        };
        let features = &nodes.features[pending.features.clone()];
        let is_large = self.in_parallel(pending.range.len() * features.len());
        self.search.best(&nodes.frame, &view, features, is_large)
    }

    /// Parts the rows of a node among its children, each row going to one of them.
    fn part(
        &self,
        nodes: &mut OpenNodes<'_>,
        pending: &Pending,
        alive: &[u32],
        chosen: Chosen,
        grown: &mut Grown,
    ) {
        let list = nodes.frame.list(chosen.list, &pending.range);
        let mut slices: Vec<Vec<&[u32]>> = vec![Vec::new(); chosen.n_children];
        for (positions, child) in &chosen.parts {
            slices[*child as usize].push(&list[positions.clone()]);
        }
        let sizes: Vec<usize> = slices
            .iter()
            .map(|parts| parts.iter().map(|part| part.len()).sum())
            .collect();
        let depth = pending.depth + 1;
        let first = grown.nodes.len();
        let mut wanted = Vec::with_capacity(chosen.n_children);
        for (parts, &size) in slices.iter().zip(&sizes) {
            let summary = self.summaries.of(&nodes.frame, parts);
            let grows = !self.stops(&summary, depth) && !alive.is_empty();
            if !grows {
                self.budget.progress().advance(size as u64);
            }
            wanted.push(grows);
            grown.nodes.push(GrownNode {
                summary,
                below: Below::Nothing,
            });
        }
        if wanted.contains(&true) {
            let in_parallel = self.in_parallel(pending.range.len() * alive.len());
            nodes.part(pending, alive, &chosen, &sizes, &wanted, in_parallel);
            let at = nodes.features.len();
            nodes.features.extend_from_slice(alive);
            let features = at..nodes.features.len();
            let mut end = pending.range.end;
            for child in (0..chosen.n_children).rev() {
                let range = end - sizes[child]..end;
                end = range.start;
                if wanted[child] {
                    let features = features.clone();
                    nodes.stack.push(Pending {
                        node: first + child,
                        range,
                        depth,
                        features,
                        is_coarse: pending.is_coarse,
                    });
                }
            }
        }
        grown.nodes[pending.node].below = Below::Children(first, chosen.split, chosen.missing);
    }

    /// Gives every child a frame of its own: the known rows that belong to it, and its share of every
    /// row whose value is missing.
    fn distribute<'a>(
        &self,
        nodes: &OpenNodes<'a>,
        pending: &Pending,
        alive: &[u32],
        chosen: Chosen,
        grown: &mut Grown,
        numbering: &mut Vec<u32>,
    ) -> Vec<OpenNodes<'a>> {
        let frame = &nodes.frame;
        let (known, missing) = frame.known_and_missing(chosen.list, &pending.range);
        let row = |&entry: &u32| frame.packing().row(entry) as u32;
        let shares = chosen
            .distributes
            .as_ref()
            .expect("only called where rows are distributed");
        let mut rows: Vec<Vec<(u32, f64)>> = shares
            .iter()
            .map(|&share| missing.iter().map(|entry| (row(entry), share)).collect())
            .collect();
        for (positions, child) in &chosen.parts {
            let entries = &known[positions.clone()];
            rows[*child as usize].extend(entries.iter().map(|entry| (row(entry), 1.0)));
        }
        let depth = pending.depth + 1;
        let first = grown.nodes.len();
        let mut open = Vec::new();
        for (child, mut rows) in rows.into_iter().enumerate() {
            rows.sort_unstable_by_key(|&(row, _)| row);
            let frame = frame.subframe(&pending.range, &rows, alive, false, numbering);
            let summary = self.summaries.of(&frame, &[&frame.by_row()]);
            if !self.stops(&summary, depth) && !alive.is_empty() {
                let (features, switches) = (alive.to_vec(), self.search.switches);
                open.push(OpenNodes::new(
                    frame,
                    first + child,
                    depth,
                    features,
                    switches,
                ));
            }
            grown.nodes.push(GrownNode {
                summary,
                below: Below::Nothing,
            });
        }
        grown.nodes[pending.node].below = Below::Children(first, chosen.split, chosen.missing);
        open
    }

    /// Is there enough to look at for all threads?
    fn in_parallel(&self, n_entries: usize) -> bool {
        let may_be = self.search.switches.parallel_features && n_entries >= LARGE;
        may_be && rayon::current_num_threads() > 1
    }

    fn stops(&self, summary: &NodeSummary, depth: usize) -> bool {
        depth >= self.max_depth || summary.is_pure || summary.rows < self.min_split as f64
    }
}
