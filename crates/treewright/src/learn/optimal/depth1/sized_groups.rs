//! The best groups of the categories of one feature, if leaves have a least size.
//!
//! **Lemma.** Two groups with the same label are no better than both as one: that has one leaf less, and is large
//! enough. So groups have different labels, and a grouping is a label for each category.
//!
//! **Method.** Branch and bound: one category after the other, the largest first, gets a label. What the rest loses
//! at least, each with its best label, is a lower bound; and the rest has to be large enough to fill up all groups that
//! are still too small. Of two ways that leave the same groups with the same sizes, as far as these are below the
//! least size, only the better one goes on. This is a knapsack problem.

use rustc_hash::FxHashMap;

use super::groups::{CategorySums, in_groups, set_apart};
use crate::learn::exact::{Deadline, Stopped};

/// No more ways than this are remembered.
const MOST_KNOWN: usize = 1 << 16;

/// Categories with their sizes.
#[derive(Debug)]
pub(crate) struct SizedGroups<'a> {
    sums: &'a CategorySums,
    sizes: &'a [usize],
    min_leaf: usize,
}

/// Which categories have a label so far, and how large each group is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Way {
    n_labelled: usize,
    /// The sizes of labels with a group, as far as they matter.
    groups: Vec<(usize, usize)>,
}

impl<'a> SizedGroups<'a> {
    pub(crate) fn new(sums: &'a CategorySums, sizes: &'a [usize], min_leaf: usize) -> Self {
        Self {
            sums,
            sizes,
            min_leaf,
        }
    }

    fn total(&self) -> usize {
        self.sizes.iter().sum()
    }

    /// The losses of one leaf, and of one category against the rest.
    pub(super) fn losses_apart(&self) -> Vec<Option<u64>> {
        let all = self.sums.of_classes();
        let one = (self.total() >= self.min_leaf).then(|| loss(&all));
        let mut losses = vec![one];
        if self.sizes.len() > 1 {
            losses.push(self.apart(&all).map(|(loss, _)| loss).min());
        }
        losses
    }

    /// The losses of categories that can be set apart.
    fn apart(&self, all: &[u64]) -> impl Iterator<Item = (u64, u32)> {
        let total = self.total();
        let each = self.sums.categories().zip(self.sizes).zip(0..);
        each.filter_map(move |((category, &size), number)| {
            let is_large = size >= self.min_leaf && total - size >= self.min_leaf;
            let rest: Vec<u64> = all.iter().zip(category).map(|(a, b)| a - b).collect();
            is_large.then(|| (loss(category) + loss(&rest), number))
        })
    }

    /// The first category of a loss against the rest.
    pub(crate) fn groups_apart(&self, of_loss: u64) -> Option<Vec<Vec<u32>>> {
        let all = self.sums.of_classes();
        let found = self.apart(&all).find(|&(loss, _)| loss == of_loss)?;
        Some(set_apart(found.1, self.sizes.len() as u32))
    }

    /// The least losses in at most 1, 2, ... groups.
    pub(super) fn losses(
        &self,
        most: usize,
        deadline: &mut Deadline<'_>,
    ) -> Result<Vec<Option<u64>>, Stopped> {
        let most = most.min(self.sums.n_classes()).min(self.sizes.len()).max(1);
        let mut order: Vec<usize> = (0..self.sizes.len()).collect();
        order.sort_by_key(|&category| std::cmp::Reverse(self.sizes[category]));
        let mut search = Labelling::new(self, order, vec![u64::MAX; most]);
        search.run(deadline)?;
        let known = |loss: u64| (loss < u64::MAX).then_some(loss);
        Ok(search.best.into_iter().map(known).collect())
    }

    /// The groups of the first labelling with this many groups and this loss: the labels of the categories, one after
    /// the other, are lowest.
    pub(crate) fn groups(&self, n_groups: usize, loss: u64) -> Option<Vec<Vec<u32>>> {
        let mut best = vec![0; n_groups];
        best[n_groups - 1] = loss + 1;
        let mut search = Labelling::new(self, (0..self.sizes.len()).collect(), best);
        search.is_first_wanted = true;
        let done = search.run(&mut Deadline::new(&|| false));
        done.ok()?;
        search.found.map(|labels| in_groups(&labels))
    }
}

/// The weight outside the best class.
fn loss(sums: &[u64]) -> u64 {
    sums.iter().sum::<u64>() - sums.iter().copied().max().unwrap_or(0)
}

/// A search for the best labels.
struct Labelling<'a> {
    groups: &'a SizedGroups<'a>,
    categories: Vec<&'a [u64]>,
    order: Vec<usize>,
    /// What the categories from one on lose at least, and their size.
    rest: Vec<(u64, usize)>,
    /// The size of each group, and how many there are.
    sizes: Vec<usize>,
    is_used: Vec<bool>,
    n_used: usize,
    labels: Vec<usize>,
    /// The least losses so far in at most 1, 2, ... groups.
    best: Vec<u64>,
    /// The least loss of each way.
    known: FxHashMap<Way, u64>,
    /// Is the first way with as many groups as possible wanted?
    is_first_wanted: bool,
    found: Option<Vec<usize>>,
}

/// A category that gets one label after the other.
struct Step {
    place: usize,
    /// What those before it lose.
    lost: u64,
    labels: Vec<usize>,
    /// The label that it has, and whether no other has it.
    at: Option<(usize, bool)>,
}

impl<'a> Labelling<'a> {
    fn new(groups: &'a SizedGroups<'a>, order: Vec<usize>, best: Vec<u64>) -> Self {
        let categories: Vec<&[u64]> = groups.sums.categories().collect();
        let mut rest = vec![(0, 0); order.len() + 1];
        for (place, &category) in order.iter().enumerate().rev() {
            let (least, size) = rest[place + 1];
            rest[place] = (
                least + loss(categories[category]),
                size + groups.sizes[category],
            );
        }
        let n_classes = groups.sums.n_classes();
        Self {
            groups,
            rest,
            sizes: vec![0; n_classes],
            is_used: vec![false; n_classes],
            n_used: 0,
            labels: vec![0; order.len()],
            best,
            known: FxHashMap::default(),
            is_first_wanted: false,
            found: None,
            categories,
            order,
        }
    }

    /// Tries all ways that may be better, depth first. There may be very many categories, so there is no recursion.
    fn run(&mut self, deadline: &mut Deadline<'_>) -> Result<(), Stopped> {
        let mut open = vec![self.step(0, 0)];
        while let Some(step) = open.last_mut() {
            let (place, lost) = (step.place, step.lost);
            if let Some((label, is_new)) = step.at.take() {
                self.unlabel(place, label, is_new);
            }
            let next = step.labels.pop().filter(|_| self.found.is_none());
            let Some(label) = next else {
                open.pop();
                continue;
            };
            let is_new = !self.is_used[label];
            if is_new && self.n_used == self.best.len() {
                continue;
            }
            step.at = Some((label, is_new));
            deadline.before(4 * self.sizes.len())?;
            let lost = lost + self.label(place, label, is_new);
            open.push(self.step(place + 1, lost));
        }
        Ok(())
    }

    /// The labels that the category at a place may have; none where nothing better can come of it.
    fn step(&mut self, place: usize, lost: u64) -> Step {
        let is_end = place == self.order.len();
        let labels = if self.is_hopeless(place, lost) {
            Vec::new()
        } else if is_end {
            self.take(lost);
            Vec::new()
        } else {
            self.last_first(self.order[place])
        };
        Step {
            place,
            lost,
            labels,
            at: None,
        }
    }

    /// Gives a category its label; what that loses.
    fn label(&mut self, place: usize, label: usize, is_new: bool) -> u64 {
        let category = self.order[place];
        self.is_used[label] = true;
        self.n_used += usize::from(is_new);
        self.sizes[label] += self.groups.sizes[category];
        self.labels[category] = label;
        let sums = self.categories[category];
        sums.iter().sum::<u64>() - sums[label]
    }

    fn unlabel(&mut self, place: usize, label: usize, is_new: bool) {
        self.sizes[label] -= self.groups.sizes[self.order[place]];
        self.n_used -= usize::from(is_new);
        self.is_used[label] = !is_new;
    }

    /// The labels that a category may have, the one to try first at the end: the best, or the lowest if that is
    /// wanted.
    fn last_first(&self, category: usize) -> Vec<usize> {
        let mut labels: Vec<usize> = (0..self.sizes.len()).rev().collect();
        if !self.is_first_wanted {
            labels.sort_by_key(|&label| self.categories[category][label]);
        }
        labels
    }

    /// Can nothing better come of this?
    fn is_hopeless(&mut self, place: usize, lost: u64) -> bool {
        let (least, size) = self.rest[place];
        let n_groups = if self.is_first_wanted {
            self.best.len()
        } else {
            self.n_used.max(1)
        };
        if lost + least >= self.best[n_groups - 1] {
            return true;
        }
        let min_leaf = self.groups.min_leaf;
        let groups = (0..self.sizes.len()).filter(|&label| self.is_used[label]);
        let groups: Vec<(usize, usize)> = groups
            .map(|label| (label, self.sizes[label].min(min_leaf)))
            .collect();
        let lacking: usize = groups.iter().map(|(_, size)| min_leaf - size).sum();
        if lacking > size {
            return true;
        }
        let way = Way {
            n_labelled: place,
            groups,
        };
        let has_room = self.known.len() < MOST_KNOWN;
        match self.known.get_mut(&way) {
            Some(known) if *known <= lost => return true,
            Some(known) => *known = lost,
            None if has_room => {
                self.known.insert(way, lost);
            }
            None => {}
        }
        false
    }

    fn take(&mut self, lost: u64) {
        if self.is_first_wanted {
            if self.n_used == self.best.len() {
                self.found = Some(self.labels.clone());
            }
            return;
        }
        for known in &mut self.best[self.n_used.max(1) - 1..] {
            *known = lost.min(*known);
        }
    }
}
