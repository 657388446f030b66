//! The best groups of the categories of one feature, if leaves have a least size, or their class a least share.
//!
//! **Lemma.** Two groups with the same label are no better than both as one: that has one leaf less, is large enough,
//! predicts the label, too, and has as large a share of it. So groups have different labels, and a grouping is a label
//! for each category.
//!
//! **Method.** Branch and bound: one category after the other, the largest first, gets a label. What the rest loses
//! at least, each with its best label, is a lower bound; and the rest has to be large enough to fill up all groups that
//! are still too small, and to make their labels frequent enough. Of two ways that leave the same groups with the same
//! sizes and shares, as far as these matter, only the better one goes on. This is a knapsack problem.
//!
//! Where the class of the most weight is predicted, a group may as well be judged by its label: if another class is
//! more frequent, that has the share, too, and its label loses less. Else a group has to predict its label.

use rustc_hash::FxHashMap;

use super::groups::{CategorySums, in_groups, set_apart};
use crate::learn::exact::{Deadline, Stopped};
use crate::learn::optimal::problem::{LeafShare, LeafSums};

/// No more ways than this are remembered.
const MOST_KNOWN: usize = 1 << 16;

/// Which groups of categories are leaves.
#[derive(Debug)]
pub(crate) struct GroupLimits<'a> {
    /// How large the categories are.
    pub(super) sizes: &'a [usize],
    /// The least size of a group.
    pub(super) min_leaf: usize,
    /// The least share of the predicted class, and for each category the weight of each class.
    pub(super) share: Option<(&'a LeafShare, Vec<Vec<u64>>)>,
}

/// Categories that are put into groups.
#[derive(Debug)]
pub(crate) struct LimitedGroups<'a> {
    sums: &'a CategorySums,
    limits: &'a GroupLimits<'a>,
}

/// Which categories have a label so far, and how large each group is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Way {
    n_labelled: usize,
    /// The labels with a group, their sizes and by how much their share is larger than it has to be, as far as these
    /// matter.
    groups: Vec<(usize, usize, i128)>,
    /// What groups gain by each class, if that decides what they predict.
    gains: Vec<u64>,
}

impl<'a> LimitedGroups<'a> {
    pub(crate) fn new(sums: &'a CategorySums, limits: &'a GroupLimits<'a>) -> Self {
        Self { sums, limits }
    }

    /// The categories that make a group, together: their sums, and their size.
    fn together(&self, is_in: impl Fn(usize) -> bool) -> (LeafSums, usize) {
        let mut sums = LeafSums::none(self.sums.n_classes());
        let mut size = 0;
        for (category, gains) in self.sums.categories().enumerate() {
            if !is_in(category) {
                continue;
            }
            size += self.limits.sizes[category];
            add(&mut sums.gains, gains);
            if let Some((_, weights)) = &self.limits.share {
                add(&mut sums.weights, &weights[category]);
            }
        }
        (sums, size)
    }

    fn is_leaf(&self, (sums, size): &(LeafSums, usize)) -> bool {
        let share = self.limits.share.as_ref();
        *size >= self.limits.min_leaf && share.is_none_or(|(share, _)| share.allows(sums))
    }

    /// For each category and label by how much its share is larger than it has to be.
    fn spare(&self) -> Vec<Vec<i128>> {
        let Some((share, weights)) = &self.limits.share else {
            return Vec::new();
        };
        let of_category = |weights: &Vec<u64>| {
            let all = weights.iter().sum();
            let of_label = |&own: &u64| share.share().spare(own, all);
            weights.iter().map(of_label).collect()
        };
        weights.iter().map(of_category).collect()
    }

    /// May a group predict another class than the one with the most weight?
    fn predicts_by_cost(&self) -> bool {
        let share = self.limits.share.as_ref();
        share.is_some_and(|(share, _)| !share.is_by_weight())
    }

    /// The losses of one leaf, and of one category against the rest.
    pub(super) fn losses_apart(&self) -> Vec<Option<u64>> {
        let all = self.together(|_| true);
        let mut losses = vec![self.is_leaf(&all).then(|| loss(&all.0.gains))];
        if self.limits.sizes.len() > 1 {
            losses.push(self.apart(&all).map(|(loss, _)| loss).min());
        }
        losses
    }

    /// The losses of categories that can be set apart.
    fn apart(&self, all: &(LeafSums, usize)) -> impl Iterator<Item = (u64, u32)> {
        (0..self.limits.sizes.len()).filter_map(move |number| {
            let own = self.together(|category| category == number);
            let rest = (all.0.without(&own.0), all.1 - own.1);
            let are_leaves = self.is_leaf(&own) && self.is_leaf(&rest);
            are_leaves.then(|| (loss(&own.0.gains) + loss(&rest.0.gains), number as u32))
        })
    }

    /// The first category of a loss against the rest.
    pub(crate) fn groups_apart(&self, of_loss: u64) -> Option<Vec<Vec<u32>>> {
        let all = self.together(|_| true);
        let found = self.apart(&all).find(|&(loss, _)| loss == of_loss)?;
        Some(set_apart(found.1, self.limits.sizes.len() as u32))
    }

    /// The least losses in at most 1, 2, ... groups.
    pub(super) fn losses(
        &self,
        most: usize,
        deadline: &mut Deadline<'_>,
    ) -> Result<Vec<Option<u64>>, Stopped> {
        let sizes = self.limits.sizes;
        let most = most.min(self.sums.n_classes()).min(sizes.len()).max(1);
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by_key(|&category| std::cmp::Reverse(sizes[category]));
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
        let mut search = Labelling::new(self, (0..self.limits.sizes.len()).collect(), best);
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

fn add(sums: &mut [u64], others: &[u64]) {
    for (sum, other) in sums.iter_mut().zip(others) {
        *sum += other;
    }
}

/// What the categories from one on can do.
#[derive(Debug, Clone)]
struct Rest {
    /// They lose at least this.
    least: u64,
    size: usize,
    /// For each label by how much they can make its share better, at most, and worse.
    better: Vec<i128>,
    worse: Vec<i128>,
}

/// A search for the best labels.
struct Labelling<'a> {
    groups: &'a LimitedGroups<'a>,
    categories: Vec<&'a [u64]>,
    order: Vec<usize>,
    rest: Vec<Rest>,
    /// For each category and label by how much the share of the label is larger than it has to be; nothing without a
    /// least share.
    spare: Vec<Vec<i128>>,
    /// The size of each group, its sum of these, and how many groups there are.
    sizes: Vec<usize>,
    spares: Vec<i128>,
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
    fn new(groups: &'a LimitedGroups<'a>, order: Vec<usize>, best: Vec<u64>) -> Self {
        let categories: Vec<&[u64]> = groups.sums.categories().collect();
        let n_classes = groups.sums.n_classes();
        let spare = groups.spare();
        let mut rest = vec![
            Rest {
                least: 0,
                size: 0,
                better: vec![0; n_classes],
                worse: vec![0; n_classes],
            };
            order.len() + 1
        ];
        for (place, &category) in order.iter().enumerate().rev() {
            let mut from = rest[place + 1].clone();
            from.least += loss(categories[category]);
            from.size += groups.limits.sizes[category];
            for (label, &spare) in spare.get(category).into_iter().flatten().enumerate() {
                from.better[label] += spare.max(0);
                from.worse[label] -= spare.min(0);
            }
            rest[place] = from;
        }
        Self {
            groups,
            rest,
            spare,
            sizes: vec![0; n_classes],
            spares: vec![0; n_classes],
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
        self.sizes[label] += self.groups.limits.sizes[category];
        if let Some(spare) = self.spare.get(category) {
            self.spares[label] += spare[label];
        }
        self.labels[category] = label;
        let sums = self.categories[category];
        sums.iter().sum::<u64>() - sums[label]
    }

    fn unlabel(&mut self, place: usize, label: usize, is_new: bool) {
        let category = self.order[place];
        self.sizes[label] -= self.groups.limits.sizes[category];
        if let Some(spare) = self.spare.get(category) {
            self.spares[label] -= spare[label];
        }
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
        let rest = &self.rest[place];
        let n_groups = if self.is_first_wanted {
            self.best.len()
        } else {
            self.n_used.max(1)
        };
        if lost + rest.least >= self.best[n_groups - 1] {
            return true;
        }
        let min_leaf = self.groups.limits.min_leaf;
        let labels = (0..self.sizes.len()).filter(|&label| self.is_used[label]);
        let state = |label: usize| {
            let (size, spare) = (self.sizes[label], self.spares[label]);
            // More is of no use.
            (label, size.min(min_leaf), spare.min(rest.worse[label]))
        };
        let groups: Vec<(usize, usize, i128)> = labels.map(state).collect();
        let lacking: usize = groups.iter().map(|(_, size, _)| min_leaf - size).sum();
        let is_rare = |&(label, _, spare): &(usize, usize, i128)| spare + rest.better[label] < 0;
        if lacking > rest.size || groups.iter().any(is_rare) {
            return true;
        }
        let way = Way {
            n_labelled: place,
            gains: self.gains_so_far(place),
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

    /// What each group so far gains by each class, if that decides what it predicts.
    fn gains_so_far(&self, place: usize) -> Vec<u64> {
        let n_classes = self.sizes.len();
        if !self.groups.predicts_by_cost() {
            return Vec::new();
        }
        let mut gains = vec![0; n_classes * n_classes];
        for &category in &self.order[..place] {
            let group = &mut gains[self.labels[category] * n_classes..][..n_classes];
            add(group, self.categories[category]);
        }
        gains
    }

    /// Does each group predict its label?
    fn predicts_labels(&self) -> bool {
        let predicts = |label: usize| {
            let is_in = |category: usize| self.labels[category] == label;
            self.groups.together(is_in).0.predicted() == label
        };
        let mut labels = (0..self.sizes.len()).filter(|&label| self.is_used[label]);
        !self.groups.predicts_by_cost() || labels.all(predicts)
    }

    fn take(&mut self, lost: u64) {
        if !self.predicts_labels() {
            return;
        }
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
