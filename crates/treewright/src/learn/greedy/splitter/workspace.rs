//! Memory that is used again from node to node.

use super::lists::Lists;
use super::sorter::Sorter;
use crate::learn::greedy::split::CategoryTables;
use crate::learn::greedy::split::Scratch;

/// Memory that is used again from node to node. One for each thread.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    pub(super) scratch: Scratch,
    pub(super) tables: CategoryTables,
    pub(super) sorter: Sorter,
    pub(super) list: Vec<u32>,
    /// For every row the child that it goes to.
    pub(super) child: Vec<u32>,
    pub(super) spare: Vec<Lists>,
}

impl Workspace {
    /// Takes lists back that are no longer needed.
    pub(crate) fn recycle(&mut self, lists: Lists) {
        // Deep trees leave many behind.
        const MOST_SPARE: usize = 64;
        if self.spare.len() < MOST_SPARE {
            self.spare.push(lists);
        }
    }
}
