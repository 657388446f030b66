//! Growing: a stack of nodes to be split, each a range of a frame.
//!
//! The stack is explicit because a tree may be as deep as there are rows. While nodes are large,
//! the features of a node are looked at in parallel; subtrees below a certain size become tasks with
//! frames of their own and grow in parallel. Neither changes the tree: a split depends on the rows of
//! its node alone, and nodes are numbered after everything has grown.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::MissingPolicy;
use super::frame::Frame;
use super::lists::{is_tie, partition, partition_in_two};
use super::scan::Totals;
use super::search::{Candidate, NodeView, Search, Shape};
use super::summary::{NodeSummary, Summaries};
use crate::budget::Budget;
use crate::cost::Loss;
use crate::data::{FeatureKind, Schema, Value};
use crate::error::{Error, Result};
use crate::tree::{Closed, MissingRoute, NodeId, Split, Tree, TreeBuilder};

/// Nodes with at least this much to look at (rows times features) use all threads.
const LARGE: usize = 1 << 16;
/// Subtrees with fewer rows than this are not worth a task.
const SMALLEST_TASK: usize = 1 << 10;
/// A tree whose categorical splits list more branches than this would not fit into memory.
const MOST_BRANCHES: usize = 1 << 28;

/// Everything that stays the same while a tree grows.
pub(super) struct Grower<'a> {
    pub(super) schema: &'a Arc<Schema>,
    pub(super) search: Search,
    pub(super) summaries: Summaries<'a>,
    pub(super) max_depth: usize,
    pub(super) min_split: usize,
    pub(super) budget: &'a Budget,
    /// Set when a node was left unsplit because the budget was spent.
    pub(super) stopped: AtomicBool,
}

/// A tree, or the upper part of one, before its nodes are numbered.
struct Grown {
    nodes: Vec<GrownNode>,
    n_branches: usize,
}

struct GrownNode {
    summary: NodeSummary,
    below: Below,
}

/// What hangs below a node.
enum Below {
    Nothing,
    /// Children from this position on.
    Children(usize, Split, MissingRoute),
    /// The subtree that a task grows.
    Task(usize),
}

/// A subtree that grows on its own.
struct Task<'a> {
    frame: Frame<'a>,
    summary: NodeSummary,
    depth: usize,
    features: Vec<u32>,
}

/// A frame and its nodes that are still to be split.
struct Level<'a> {
    frame: Frame<'a>,
    stack: Vec<Pending>,
    /// Live features of the nodes on the stack, those of later nodes behind those of earlier ones.
    features: Vec<u32>,
    /// Child of each row, scratch memory of the split at hand.
    side: Vec<u8>,
    child: Vec<u32>,
    scratch: Vec<u32>,
}

#[derive(Clone)]
struct Pending {
    node: usize,
    range: Range<usize>,
    depth: usize,
    features: Range<usize>,
    /// Have the coarse features no lists here?
    is_coarse: bool,
}

/// A split that was chosen, with all that follows from it.
struct Chosen {
    split: Split,
    missing: MissingRoute,
    /// The list that has the rows of each child together: that of the split's feature, mostly.
    list: usize,
    /// Positions in that list and the child that they belong to, in order of position. With
    /// [`Chosen::distributes`] the missing rows are not among them.
    parts: Vec<(Range<usize>, u32)>,
    n_children: usize,
    /// Share of each child among the known rows, if missing rows go to all of them.
    distributes: Option<Vec<f64>>,
}

impl Grower<'_> {
    /// Grows a tree on all rows of a frame.
    pub(super) fn grow(&self, frame: Frame<'_>) -> Result<Tree> {
        let features: Vec<u32> = (0..frame.n_features() as u32).collect();
        let n_rows = frame.n_rows();
        self.budget.progress().start(n_rows as u64);
        let summary = match frame.n_features() {
            0 => {
                return Err(Error::schema(
                    "the table has no features, expected at least one",
                ));
            }
            _ => self.summaries.of(&frame, &[frame.all_rows()]),
        };
        let threads = rayon::current_num_threads();
        let task_rows = if threads > 1 {
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
        let mut levels = Vec::new();
        let stops = self.stops(&summary, depth);
        grown.nodes.push(GrownNode {
            summary,
            below: Below::Nothing,
        });
        if stops {
            self.budget.progress().advance(frame.n_rows() as u64);
        } else {
            levels.push(Level::new(frame, 0, depth, features));
        }
        let mut numbering = Vec::new();
        while let Some(level) = levels.last_mut() {
            let Some(pending) = level.stack.pop() else {
                levels.pop();
                continue;
            };
            level.features.truncate(pending.features.end);
            if (SMALLEST_TASK..=task_rows).contains(&pending.range.len()) {
                let task = level.split_off(&pending, &mut grown.nodes, &mut numbering);
                grown.nodes[pending.node].below = Below::Task(tasks.len());
                tasks.push(task);
                continue;
            }
            let new_levels = self.split(level, &pending, &mut grown, &mut numbering)?;
            levels.extend(new_levels);
        }
        Ok(grown)
    }

    /// Splits a node if there is a split to be had. Returns the frames of children that need one.
    fn split<'a>(
        &self,
        level: &mut Level<'a>,
        pending: &Pending,
        grown: &mut Grown,
        numbering: &mut Vec<u32>,
    ) -> Result<Vec<Level<'a>>> {
        let leaf = |n: usize| self.budget.progress().advance(n as u64);
        if self.budget.is_spent() {
            self.stopped.store(true, Ordering::Relaxed);
            leaf(pending.range.len());
            return Ok(Vec::new());
        }
        let mut pending = pending.clone();
        let summary = &grown.nodes[pending.node].summary;
        level.refine_if_small(&mut pending, summary);
        let (candidate, alive) = self.best_split(level, &pending, grown);
        let Some(candidate) = candidate else {
            leaf(pending.range.len());
            return Ok(Vec::new());
        };
        let chosen = match candidate.shape {
            Shape::Coarse {
                below,
                above,
                n_below,
            } => {
                level.part_rows(&pending, candidate.feature, below);
                self.choose_coarse(level, &pending, candidate.feature, (below, above), n_below)
            }
            _ => self.choose(&level.frame, &pending.range, &candidate),
        };
        if let Split::Categories { branches, .. } = &chosen.split {
            grown.n_branches += branches.len();
            if grown.n_branches > MOST_BRANCHES {
                return Err(Error::schema(
                    "the categorical splits would need too much memory: use multiway splits, a \
                     smaller depth, or drop features with very many categories",
                ));
            }
        }
        if chosen.distributes.is_some() {
            level.refine(&mut pending);
            Ok(self.distribute(level, &pending, &alive, chosen, grown, numbering))
        } else {
            self.part(level, &pending, &alive, chosen, grown);
            Ok(Vec::new())
        }
    }

    fn best_split(
        &self,
        level: &Level<'_>,
        pending: &Pending,
        grown: &Grown,
    ) -> (Option<Candidate>, Vec<u32>) {
        let summary = &grown.nodes[pending.node].summary;
        let view = NodeView {
            range: pending.range.clone(),
            counts: &summary.counts,
            totals: Totals::new(
                summary.counts.iter().map(|&count| count as u32).collect(),
                self.search.logs().filter(|_| level.frame.is_plain()),
            ),
            weight: summary.weight,
            mean: summary.moments.mean,
            is_coarse: pending.is_coarse,
        };
        let features = &level.features[pending.features.clone()];
        let is_large = self.in_parallel(pending.range.len() * features.len());
        self.search.best(&level.frame, &view, features, is_large)
    }

    /// Works out what a candidate means for the rows of its node.
    fn choose(&self, frame: &Frame<'_>, range: &Range<usize>, candidate: &Candidate) -> Chosen {
        let feature = candidate.feature;
        let (known, missing) = frame.known_and_missing(feature, range);
        let n_known = known.len();
        let mut parts: Vec<(Range<usize>, u32)> = match candidate.shape {
            Shape::Coarse { .. } => unreachable!("coarse features are parted by their codes"),
            Shape::MissingOnly => vec![(0..n_known, 0)],
            Shape::Cut(position) => vec![(0..position, 0), (position..n_known, 1)],
            Shape::OneVsRest(start, end) => vec![(0..start, 1), (start..end, 0), (end..n_known, 1)],
            Shape::Multiway => {
                let starts = (0..n_known).filter(|&at| at == 0 || !is_tie(known[at]));
                let starts: Vec<usize> = starts.chain([n_known]).collect();
                let groups = starts.windows(2).enumerate();
                groups
                    .map(|(child, ends)| (ends[0]..ends[1], child as u32))
                    .collect()
            }
        };
        parts.retain(|(positions, _)| !positions.is_empty());
        let mut n_children = parts
            .iter()
            .map(|part| part.1 as usize + 1)
            .max()
            .unwrap_or(0);
        let split = self.question(frame, feature, known, candidate.shape, &parts);
        let mut known_weights = vec![0.0; n_children];
        for (positions, child) in &parts {
            let entries = &known[positions.clone()];
            known_weights[*child as usize] += entries.iter().map(|&e| frame.weight(e)).sum::<f64>();
        }
        let mut heaviest = 0;
        for (child, weight) in known_weights.iter().enumerate() {
            if *weight > known_weights[heaviest] {
                heaviest = child;
            }
        }
        let rest = n_known..n_known + missing.len();
        let mut distributes = None;
        let route = match self.search.missing {
            MissingPolicy::Distribute => {
                if !missing.is_empty() {
                    let total: f64 = known_weights.iter().sum();
                    distributes = Some(known_weights.iter().map(|weight| weight / total).collect());
                }
                MissingRoute::Distribute
            }
            MissingPolicy::Branch if !missing.is_empty() => {
                parts.push((rest, n_children as u32));
                n_children += 1;
                MissingRoute::Child(n_children as u32 - 1)
            }
            MissingPolicy::Branch | MissingPolicy::Majority => {
                if !missing.is_empty() {
                    parts.push((rest, heaviest as u32));
                }
                MissingRoute::Child(heaviest as u32)
            }
        };
        Chosen {
            split,
            missing: route,
            list: feature,
            parts,
            n_children,
            distributes,
        }
    }

    /// The same for a cut between two codes of a coarse feature; the list of rows has been parted.
    fn choose_coarse(
        &self,
        level: &Level<'_>,
        pending: &Pending,
        feature: usize,
        (below, above): (u8, u8),
        n_below: usize,
    ) -> Chosen {
        let coarse = level
            .frame
            .coarse()
            .expect("only called for coarse features");
        let cut = midpoint(coarse.value(feature, below), coarse.value(feature, above));
        let n_rows = pending.range.len();
        let missing = match self.search.missing {
            MissingPolicy::Distribute => MissingRoute::Distribute,
            MissingPolicy::Branch | MissingPolicy::Majority => {
                MissingRoute::Child(u32::from(n_rows - n_below > n_below))
            }
        };
        Chosen {
            split: Split::Intervals {
                feature,
                cuts: vec![cut],
                closed: Closed::Right,
            },
            missing,
            list: level.frame.row_list(),
            parts: vec![(0..n_below, 0), (n_below..n_rows, 1)],
            n_children: 2,
            distributes: None,
        }
    }

    /// The split as the tree will ask it.
    fn question(
        &self,
        frame: &Frame<'_>,
        feature: usize,
        known: &[u32],
        shape: Shape,
        parts: &[(Range<usize>, u32)],
    ) -> Split {
        match &self.schema.features[feature].kind {
            FeatureKind::Numeric => {
                let cuts = match shape {
                    Shape::Cut(position) => {
                        let number = |at: usize| match frame.value(feature, known[at]) {
                            Value::Number(number) => number,
                            _ => unreachable!("known entries of a numeric feature have numbers"),
                        };
                        vec![midpoint(number(position - 1), number(position))]
                    }
                    _ => Vec::new(),
                };
                Split::Intervals {
                    feature,
                    cuts,
                    closed: Closed::Right,
                }
            }
            FeatureKind::Categorical(categories) => {
                let mut branches = vec![None; categories.len()];
                for (positions, child) in parts {
                    for at in positions.clone() {
                        if at == positions.start || !is_tie(known[at]) {
                            let Value::Category(code) = frame.value(feature, known[at]) else {
                                unreachable!("known entries of a categorical feature have codes")
                            };
                            branches[code as usize] = Some(*child);
                        }
                    }
                }
                Split::Categories { feature, branches }
            }
        }
    }

    /// Parts the rows of a node among its children, each row going to one of them.
    fn part(
        &self,
        level: &mut Level<'_>,
        pending: &Pending,
        alive: &[u32],
        chosen: Chosen,
        grown: &mut Grown,
    ) {
        let list = level.frame.list(chosen.list, &pending.range);
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
            let summary = self.summaries.of(&level.frame, parts);
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
            level.part(pending, alive, &chosen, &sizes, &wanted, in_parallel);
            let at = level.features.len();
            level.features.extend_from_slice(alive);
            let features = at..level.features.len();
            let mut end = pending.range.end;
            for child in (0..chosen.n_children).rev() {
                let range = end - sizes[child]..end;
                end = range.start;
                if wanted[child] {
                    let features = features.clone();
                    level.stack.push(Pending {
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
        level: &Level<'a>,
        pending: &Pending,
        alive: &[u32],
        chosen: Chosen,
        grown: &mut Grown,
        numbering: &mut Vec<u32>,
    ) -> Vec<Level<'a>> {
        let frame = &level.frame;
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
        let mut levels = Vec::new();
        for (child, mut rows) in rows.into_iter().enumerate() {
            rows.sort_unstable_by_key(|&(row, _)| row);
            let frame = frame.subframe(&pending.range, &rows, alive, false, numbering);
            let summary = self.summaries.of(&frame, &[frame.all_rows()]);
            if !self.stops(&summary, depth) {
                levels.push(Level::new(frame, first + child, depth, alive.to_vec()));
            }
            grown.nodes.push(GrownNode {
                summary,
                below: Below::Nothing,
            });
        }
        grown.nodes[pending.node].below = Below::Children(first, chosen.split, chosen.missing);
        levels
    }

    /// Is there enough to look at for all threads?
    fn in_parallel(&self, n_entries: usize) -> bool {
        n_entries >= LARGE && rayon::current_num_threads() > 1
    }

    fn stops(&self, summary: &NodeSummary, depth: usize) -> bool {
        depth >= self.max_depth || summary.is_pure || summary.rows < self.min_split as f64
    }

    /// Puts the parts together and numbers the nodes: a node's children when the node is reached, and
    /// everything below its first child before anything below the second.
    fn number(&self, top: Grown, subtrees: Vec<Grown>) -> Result<Tree> {
        let mut parts = vec![top];
        parts.extend(subtrees);
        let mut nodes: Vec<Vec<Option<GrownNode>>> = parts
            .into_iter()
            .map(|grown| grown.nodes.into_iter().map(Some).collect())
            .collect();
        let mut take = |part: usize, node: usize| {
            nodes[part][node]
                .take()
                .expect("every node hangs in one place")
        };
        let root = take(0, 0);
        let value = root.summary.value;
        let outcome = self.summaries.outcome(root.summary);
        let loss = match &self.summaries {
            Summaries::Classes(loss) => (*loss).clone(),
            Summaries::Numbers { .. } => Loss::Squared,
        };
        let mut builder = TreeBuilder::new(Arc::clone(self.schema), loss, outcome, value)?;
        let mut stack = vec![(NodeId::ROOT, 0, root.below)];
        while let Some((id, part, below)) = stack.pop() {
            match below {
                Below::Nothing => {}
                // Task `t` grew part `t + 1`; the summary of its root is that of this node.
                Below::Task(task) => stack.push((id, task + 1, take(task + 1, 0).below)),
                Below::Children(first, split, missing) => {
                    let n_children = split.n_present()
                        + usize::from(missing == MissingRoute::Child(split.n_present() as u32));
                    let mut outcomes = Vec::with_capacity(n_children);
                    let mut belows = Vec::with_capacity(n_children);
                    for child in first..first + n_children {
                        let GrownNode { summary, below } = take(part, child);
                        let value = summary.value;
                        outcomes.push((self.summaries.outcome(summary), value));
                        belows.push(below);
                    }
                    let first_id = builder.split(id, split, missing, outcomes)?;
                    for (offset, below) in belows.into_iter().enumerate().rev() {
                        stack.push((NodeId(first_id.0 + offset as u32), part, below));
                    }
                }
            }
        }
        Ok(builder.finish())
    }
}

impl<'a> Level<'a> {
    /// A frame whose only node so far holds all its rows.
    fn new(frame: Frame<'a>, node: usize, depth: usize, features: Vec<u32>) -> Self {
        let range = 0..frame.n_rows();
        let root = Pending {
            node,
            range,
            depth,
            features: 0..features.len(),
            is_coarse: frame.coarse().is_some(),
        };
        Self {
            frame,
            stack: vec![root],
            features,
            side: Vec::new(),
            child: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Turns a node into a task.
    fn split_off(
        &self,
        pending: &Pending,
        nodes: &mut [GrownNode],
        numbering: &mut Vec<u32>,
    ) -> Task<'a> {
        let features = self.features[pending.features.clone()].to_vec();
        let any_list = if pending.is_coarse {
            self.frame.row_list()
        } else {
            features[0] as usize
        };
        let entries = self.frame.list(any_list, &pending.range);
        let row = |&entry: &u32| (self.frame.packing().row(entry) as u32, 1.0);
        let mut rows: Vec<(u32, f64)> = entries.iter().map(row).collect();
        rows.sort_unstable_by_key(|&(row, _)| row);
        let frame = self.frame.subframe(
            &pending.range,
            &rows,
            &features,
            pending.is_coarse,
            numbering,
        );
        let summary = nodes[pending.node].summary.clone();
        Task {
            frame,
            summary,
            depth: pending.depth,
            features,
        }
    }

    /// Parts the lists of the features that are alive.
    fn part(
        &mut self,
        pending: &Pending,
        alive: &[u32],
        chosen: &Chosen,
        sizes: &[usize],
        wanted: &[bool],
        in_parallel: bool,
    ) {
        let packing = self.frame.packing();
        let n_rows = self.frame.n_rows();
        let list = self.frame.list(chosen.list, &pending.range);
        let in_two = sizes.len() == 2;
        if in_two {
            self.side.resize(n_rows, 0);
        } else {
            self.child.resize(n_rows, 0);
        }
        for (positions, child) in &chosen.parts {
            for &entry in &list[positions.clone()] {
                if in_two {
                    self.side[packing.row(entry)] = *child as u8;
                } else {
                    self.child[packing.row(entry)] = *child;
                }
            }
        }
        let mut starts = vec![0_u32];
        for size in sizes {
            starts.push(starts[starts.len() - 1] + *size as u32);
        }
        // The list of the split's own feature has the children in order already, unless one of them
        // is made of several pieces.
        let in_order = chosen.parts.windows(2).all(|pair| pair[0].1 < pair[1].1);
        let (side, child) = (&self.side, &self.child);
        let part = |list: &mut Vec<u32>, scratch: &mut Vec<u32>| {
            let list = &mut list[pending.range.clone()];
            if in_two {
                partition_in_two(list, packing, side, [wanted[0], wanted[1]], scratch);
            } else {
                partition(list, packing, child, &starts, scratch);
            }
        };
        let is_parted = |list: usize| {
            let is_used = if list == self.frame.row_list() {
                pending.is_coarse
            } else {
                alive.binary_search(&(list as u32)).is_ok()
                    && !(pending.is_coarse && self.frame.is_coarse(list))
            };
            is_used && !(in_order && list == chosen.list)
        };
        let parted: Vec<bool> = (0..=self.frame.row_list()).map(is_parted).collect();
        let lists = self.frame.lists_mut();
        if in_parallel {
            let lists = lists
                .par_iter_mut()
                .zip(&parted)
                .filter(|(_, is_parted)| **is_parted);
            lists.for_each_init(Vec::new, |scratch, (list, _)| part(list, scratch));
        } else {
            let scratch = &mut self.scratch;
            let lists = lists
                .iter_mut()
                .zip(&parted)
                .filter(|(_, is_parted)| **is_parted);
            lists.for_each(|(list, _)| part(list, scratch));
        }
    }

    /// Parts the list of the rows of a coarse node by the codes of a feature.
    fn part_rows(&mut self, pending: &Pending, feature: usize, below: u8) {
        let packing = self.frame.packing();
        self.side.resize(self.frame.n_rows(), 0);
        let row_list = self.frame.row_list();
        let coarse = self
            .frame
            .coarse()
            .expect("only called for coarse features");
        for &entry in self.frame.list(row_list, &pending.range) {
            let row = packing.row(entry);
            self.side[row] = u8::from(coarse.code(feature, row) > below);
        }
        let rows = &mut self.frame.lists_mut()[row_list][pending.range.clone()];
        partition_in_two(rows, packing, &self.side, [true; 2], &mut self.scratch);
    }

    /// Gives a coarse node lists for all its features once counting does not pay any more.
    fn refine_if_small(&mut self, pending: &mut Pending, summary: &NodeSummary) {
        let Some(coarse) = self.frame.coarse().filter(|_| pending.is_coarse) else {
            return;
        };
        let n_classes = summary.counts.iter().filter(|&&count| count > 0.0).count();
        let features = &self.features[pending.features.clone()];
        if !coarse.pays(features, pending.range.len(), n_classes) {
            self.refine(pending);
        }
    }

    fn refine(&mut self, pending: &mut Pending) {
        if pending.is_coarse {
            self.frame
                .refine(&pending.range, &self.features[pending.features.clone()]);
            pending.is_coarse = false;
        }
    }
}

/// The cut between two neighbouring values: midway, or at the lower one where rounding would reach
/// the upper one.
fn midpoint(low: f64, high: f64) -> f64 {
    let middle = low / 2.0 + high / 2.0;
    if low <= middle && middle < high {
        middle
    } else {
        low
    }
}

#[cfg(test)]
mod tests {
    use super::midpoint;

    #[test]
    fn a_cut_separates_its_neighbours() {
        assert_eq!(midpoint(1.0, 2.0), 1.5);
        assert_eq!(midpoint(-1.7e308, 1.7e308), 0.0);
        for (low, high) in [
            (1.0, 1.0_f64.next_up()),
            (0.0, f64::from_bits(1)),
            (-1e-320, 0.0),
        ] {
            let cut = midpoint(low, high);
            assert!(low <= cut && cut < high);
        }
    }
}
