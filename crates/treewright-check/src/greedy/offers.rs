//! What a feature offers the rows of a node: all its splits in the order of docs/algorithms/greedy.md, and the best of
//! them.

use std::cmp::Ordering;

use super::build::{Builder, Offer, Policy};
use super::score::Score;
use crate::bounded::class::Categorical;
use crate::read::data::Column;
use crate::read::model::{Closed, Distribute, Missing, Split};

/// The best split of a feature for some rows.
pub(super) fn offer(
    builder: &Builder<'_>,
    rows: &[u32],
    feature: usize,
) -> Result<Option<Offer>, String> {
    let column = &builder.data.columns[feature];
    let is_missing = |row: &u32| column.is_missing(*row as usize);
    let missing: Vec<u32> = rows.iter().copied().filter(is_missing).collect();
    // Groups of rows with the same value, in order.
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut values = Vec::new();
    let value = |row: u32| match column {
        Column::Numbers(numbers) => numbers[row as usize],
        Column::Codes(codes) => codes[row as usize].map_or(0.0, |code| code as f64),
    };
    let mut order: Vec<u32> = rows
        .iter()
        .copied()
        .filter(|row| !is_missing(row))
        .collect();
    order.sort_by(|&a, &b| value(a).total_cmp(&value(b)));
    for group in order.chunk_by(|&a, &b| value(a) == value(b)) {
        values.push(value(group[0]));
        groups.push(group.to_vec());
    }
    if groups.is_empty() {
        return Ok(None);
    }
    let mut node = AtNode {
        builder,
        feature,
        of_missing: builder.counts(&missing),
        missing,
        of_groups: groups.iter().map(|group| builder.counts(group)).collect(),
        groups,
        values,
        best: None,
    };
    node.try_all()?;
    Ok(node.best)
}

/// The rows of a node, grouped by the values of a feature.
struct AtNode<'a> {
    builder: &'a Builder<'a>,
    feature: usize,
    missing: Vec<u32>,
    of_missing: Vec<u64>,
    groups: Vec<Vec<u32>>,
    of_groups: Vec<Vec<u64>>,
    values: Vec<f64>,
    best: Option<Offer>,
}

/// Where the missing rows are while a split is judged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Nowhere, or there are none.
    Apart,
    /// In a child of their own, the last.
    Own,
    /// In this child, with others.
    With(usize),
}

impl AtNode<'_> {
    /// Looks at every split, in order.
    fn try_all(&mut self) -> Result<(), String> {
        let policy = self.builder.rules.missing;
        let n = self.values.len();
        let is_tried = policy == Policy::Learned && !self.missing.is_empty();
        let is_apart = policy == Policy::Branch && !self.missing.is_empty();
        if is_tried || is_apart {
            // Present against missing, before all others.
            self.try_split(1, &vec![0; n], Place::Own)?;
        }
        let places: &[Place] = match (is_tried, is_apart) {
            (true, _) => &[Place::With(0), Place::With(1)],
            (_, true) => &[Place::Own],
            _ => &[Place::Apart],
        };
        let is_numeric = matches!(self.builder.data.columns[self.feature], Column::Numbers(_));
        let categorical = self.builder.rules.categorical;
        if !is_numeric && categorical == Categorical::Multiway {
            let sides: Vec<usize> = (0..n).collect();
            let place = if is_tried {
                self.best_child()?
            } else {
                Some(places[0])
            };
            return match place {
                Some(place) if n > 1 => self.try_split(n, &sides, place),
                _ => Ok(()),
            };
        }
        for &place in places {
            for sides in self.splits_in_two(is_numeric, categorical) {
                self.try_split(2, &sides, place)?;
            }
        }
        Ok(())
    }

    /// The side of each group in every split in two.
    fn splits_in_two(&self, is_numeric: bool, categorical: Categorical) -> Vec<Vec<usize>> {
        let n = self.values.len();
        let each = (0..n).map(|one| (0..n).map(|group| usize::from(group != one)).collect());
        let cuts = |order: Vec<usize>| {
            let place = |group| order.iter().position(|&other| other == group);
            let places: Vec<Option<usize>> = (0..n).map(place).collect();
            let sides = move |cut| {
                let side = |place: &Option<usize>| usize::from(*place >= Some(cut));
                places.iter().map(side).collect()
            };
            (1..n).map(sides).collect::<Vec<Vec<usize>>>()
        };
        if n < 2 {
            return Vec::new();
        }
        if is_numeric {
            return cuts((0..n).collect());
        }
        if categorical == Categorical::OneVsRest {
            return each.collect();
        }
        let occurs = |&class: &usize| self.of_groups.iter().any(|counts| counts[class] > 0);
        let classes: Vec<usize> = (0..self.of_missing.len()).filter(occurs).collect();
        if let [class] | [_, class] = classes[..] {
            return cuts(self.by_share(class));
        }
        let orders = classes.iter().map(|&class| self.by_share(class));
        orders.flat_map(cuts).chain(each).collect()
    }

    /// The groups by rising share of a class, equal ones by code.
    fn by_share(&self, class: usize) -> Vec<usize> {
        let product = |a: usize, b: usize| {
            let all: u64 = self.of_groups[b].iter().sum();
            u128::from(self.of_groups[a][class]) * u128::from(all)
        };
        let mut order: Vec<usize> = (0..self.groups.len()).collect();
        order.sort_by(|&a, &b| product(a, b).cmp(&product(b, a)));
        order
    }

    /// The child of a many-way split with which the missing rows gain most, of those with which all are large enough.
    fn best_child(&self) -> Result<Option<Place>, String> {
        let rules = &self.builder.rules;
        let is_small = |&child: &usize| self.groups[child].len() < rules.min_leaf;
        let small: Vec<usize> = (0..self.groups.len()).filter(is_small).collect();
        let may_be = |&child: &usize| {
            let joined = self.groups[child].len() + self.missing.len();
            joined >= rules.min_leaf && small.iter().all(|&other| other == child)
        };
        let mut best: Option<(usize, Score)> = None;
        for child in (0..self.groups.len()).filter(may_be) {
            let mut children = self.of_groups.clone();
            add(&mut children[child], &self.of_missing);
            let score = Score::new(children, 0, rules.criterion);
            let order = match &best {
                None => Ordering::Greater,
                Some((_, best)) => score.compare_drops(best)?,
            };
            if order.is_gt() {
                best = Some((child, score));
            }
        }
        Ok(best.map(|(child, _)| Place::With(child)))
    }

    /// Looks at the split that sends each group to a side.
    fn try_split(&mut self, n_sides: usize, sides: &[usize], place: Place) -> Result<(), String> {
        let rules = &self.builder.rules;
        let n_children = n_sides + usize::from(place == Place::Own);
        if n_children < 2 {
            return Ok(());
        }
        let mut children = vec![vec![0; self.builder.data.n_classes()]; n_children];
        let mut sizes = vec![0; n_children];
        for (group, &side) in sides.iter().enumerate() {
            sizes[side] += self.groups[group].len();
            add(&mut children[side], &self.of_groups[group]);
        }
        let known: Vec<u64> = children.iter().map(|counts| counts.iter().sum()).collect();
        let of_missing = match place {
            Place::Apart => None,
            Place::Own => Some(n_sides),
            Place::With(side) => Some(side),
        };
        let apart = match of_missing {
            None => self.of_missing.iter().sum(),
            Some(child) => {
                sizes[child] += self.missing.len();
                add(&mut children[child], &self.of_missing);
                0
            }
        };
        if sizes.iter().any(|&size| size < rules.min_leaf) {
            return Ok(());
        }
        let score = Score::new(children, apart, rules.criterion);
        if !score.gains(rules.criterion) && !rules.zero_gain || !score.reaches(rules.min_gain)? {
            return Ok(());
        }
        if let Some(best) = &self.best
            && !self.builder.is_better(&score, &best.score)?
        {
            return Ok(());
        }
        // The first of the heaviest.
        let heaviest = (0..n_sides).max_by_key(|&side| (known[side], n_sides - side));
        let child = of_missing.or(heaviest).unwrap_or(0);
        let mut parts = vec![Vec::new(); n_children];
        for (group, &side) in self.groups.iter().zip(sides) {
            parts[side].extend(group);
        }
        if rules.missing != Policy::Distribute {
            parts[child].extend(&self.missing);
        }
        for part in &mut parts {
            part.sort_unstable();
        }
        self.best = Some(Offer {
            score,
            split: self.split(sides),
            missing: match rules.missing {
                Policy::Distribute => Missing::Shared(Distribute::Distribute),
                Policy::Branch | Policy::Majority | Policy::Learned => Missing::Child(child),
            },
            children: parts,
        });
        Ok(())
    }

    /// The question with these sides for the values of the node.
    fn split(&self, sides: &[usize]) -> Split {
        let (feature, values) = (self.feature, &self.values);
        match &self.builder.data.columns[feature] {
            Column::Numbers(_) => {
                let cut = sides.iter().position(|&side| side == 1);
                let cuts = cut.map(|cut| middle(values[cut - 1], values[cut]));
                Split::Intervals {
                    feature,
                    cuts: cuts.into_iter().collect(),
                    closed: Closed::Right,
                }
            }
            Column::Codes(_) => {
                let mut branches = vec![None; self.builder.n_categories[feature]];
                for (value, side) in values.iter().zip(sides) {
                    branches[*value as usize] = Some(*side);
                }
                Split::Categories { feature, branches }
            }
        }
    }
}

fn add(sums: &mut [u64], counts: &[u64]) {
    for (sum, count) in sums.iter_mut().zip(counts) {
        *sum += count;
    }
}

/// The cut between two neighbouring values.
fn middle(a: f64, b: f64) -> f64 {
    let middle = a / 2.0 + b / 2.0;
    if (a..b).contains(&middle) { middle } else { a }
}
