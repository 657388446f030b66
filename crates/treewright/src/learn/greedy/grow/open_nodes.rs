//! The nodes of one frame that are still to be split, and how a split parts the frame's lists.

use std::ops::Range;

use rayon::prelude::*;

use super::summary::NodeSummary;
use crate::learn::greedy::problem::{Frame, partition, partition_in_two};
use crate::learn::greedy::split::Chosen;
use crate::learn::greedy::switches::GreedySwitches;

/// A frame and its nodes that are still to be split.
pub(crate) struct OpenNodes<'a> {
    pub(super) frame: Frame<'a>,
    pub(super) stack: Vec<Pending>,
    /// Live features of the nodes on the stack, those of later nodes behind those of earlier ones.
    pub(super) features: Vec<u32>,
    /// Child of each row, scratch memory of the split at hand.
    side: Vec<u8>,
    child: Vec<u32>,
    scratch: Vec<u32>,
    switches: GreedySwitches,
}

/// A node that is still to be split.
#[derive(Clone)]
pub(crate) struct Pending {
    pub(super) node: usize,
    pub(super) range: Range<usize>,
    pub(super) depth: usize,
    /// Its live features, as a range of [`OpenNodes::features`].
    pub(super) features: Range<usize>,
    /// Have the coarse features no lists here?
    pub(super) is_coarse: bool,
}

impl<'a> OpenNodes<'a> {
    /// A frame whose only node so far holds all its rows.
    pub(crate) fn new(
        frame: Frame<'a>,
        node: usize,
        depth: usize,
        features: Vec<u32>,
        switches: GreedySwitches,
    ) -> Self {
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
            switches,
        }
    }

    /// A frame of its own for a node, and its live features.
    pub(crate) fn split_off(
        &self,
        pending: &Pending,
        numbering: &mut Vec<u32>,
    ) -> (Frame<'a>, Vec<u32>) {
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
        let is_coarse = pending.is_coarse;
        let frame = self
            .frame
            .subframe(&pending.range, &rows, &features, is_coarse, numbering);
        (frame, features)
    }

    /// Parts the lists of the features that are alive.
    pub(crate) fn part(
        &mut self,
        pending: &Pending,
        alive: &[u32],
        chosen: &Chosen,
        sizes: &[usize],
        wanted: &[bool],
        in_parallel: bool,
    ) {
        let packing = self.frame.packing();
        let in_two = sizes.len() == 2 && self.switches.parting_in_two;
        self.mark_children(pending, chosen, in_two);
        let parted = self.parted_lists(pending, alive, chosen);
        let mut starts = vec![0_u32];
        for size in sizes {
            starts.push(starts[starts.len() - 1] + *size as u32);
        }
        let (side, child) = (&self.side, &self.child);
        let part = |list: &mut Vec<u32>, scratch: &mut Vec<u32>| {
            let list = &mut list[pending.range.clone()];
            if in_two {
                partition_in_two(list, packing, side, [wanted[0], wanted[1]], scratch);
            } else {
                partition(list, packing, child, &starts, scratch);
            }
        };
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

    /// Notes the child of every row of a node, as a byte if there are two of them.
    fn mark_children(&mut self, pending: &Pending, chosen: &Chosen, in_two: bool) {
        let packing = self.frame.packing();
        let n_rows = self.frame.n_rows();
        let list = self.frame.list(chosen.list, &pending.range);
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
    }

    /// Which lists a split has to part.
    fn parted_lists(&self, pending: &Pending, alive: &[u32], chosen: &Chosen) -> Vec<bool> {
        // The list of the split's own feature has the children in order already, unless one of them
        // is made of several pieces.
        let in_order = chosen.parts.windows(2).all(|pair| pair[0].1 < pair[1].1);
        let is_parted = |list: usize| {
            let is_used = if list == self.frame.row_list() {
                pending.is_coarse
            } else {
                alive.binary_search(&(list as u32)).is_ok()
                    && !(pending.is_coarse && self.frame.is_coarse(list))
            };
            is_used && !(self.switches.own_list_stays && in_order && list == chosen.list)
        };
        (0..=self.frame.row_list()).map(is_parted).collect()
    }

    /// Parts the list of the rows of a coarse node by the codes of a feature.
    pub(crate) fn part_rows(&mut self, pending: &Pending, feature: usize, below: u8) {
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
    pub(crate) fn refine_if_small(&mut self, pending: &mut Pending, summary: &NodeSummary) {
        let Some(coarse) = self.frame.coarse().filter(|_| pending.is_coarse) else {
            return;
        };
        let n_classes = summary.counts.iter().filter(|&&count| count > 0.0).count();
        let features = &self.features[pending.features.clone()];
        if !coarse.pays(features, pending.range.len(), n_classes) {
            self.refine(pending);
        }
    }

    pub(crate) fn refine(&mut self, pending: &mut Pending) {
        if pending.is_coarse {
            self.frame
                .refine(&pending.range, &self.features[pending.features.clone()]);
            pending.is_coarse = false;
        }
    }
}
