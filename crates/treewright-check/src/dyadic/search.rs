//! The plain recursion over cells: the best trees of some points are one leaf, or the best trees of the two halves of their
//! box for some coordinate.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::cells::{Grid, Points};
use crate::families::steps::{Sizes, Step};
use crate::report::{TooLarge, spend};
use crate::values::Value;

/// What may be remembered, in bytes, about.
const MEMORY: usize = 2 << 30;
/// Halvings inside each other: more might not fit on the stack.
const DEPTH: usize = 1500;

/// Some points, and in the boxed model how often their box was halved along each coordinate.
pub(crate) type Part = (Vec<u32>, Vec<u32>);

pub(crate) struct Search<'a> {
    points: &'a Points,
    halvings: &'a [u32],
    per_leaf: Value,
    /// Do halvings with an empty side count?
    is_boxed: bool,
    known: BTreeMap<Part, Known>,
    steps: BTreeMap<Part, Rc<[Step]>>,
    memory: usize,
    depth: usize,
    work: &'a Cell<u64>,
}

/// The least value of some points, or that it is not below.
#[derive(Clone, Copy)]
struct Known {
    value: Value,
    is_exact: bool,
}

impl<'a> Search<'a> {
    pub(crate) fn new(
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
            steps: BTreeMap::new(),
            memory: MEMORY,
            depth: 0,
            work,
        }
    }

    pub(crate) fn all(&self) -> Part {
        let members = (0..self.points.cells.len() as u32).collect();
        let levels = if self.is_boxed {
            vec![0; self.halvings.len()]
        } else {
            Vec::new()
        };
        (members, levels)
    }

    /// Begins with the halves of a part.
    fn descend(&mut self, part: &Part) -> Result<(), TooLarge> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(TooLarge);
        }
        spend(self.work, part.0.len() * (self.halvings.len() + 1))
    }

    /// Done with a part; takes the room for what is remembered about it.
    fn remember(&mut self, part: &Part, more: usize) -> Result<(), TooLarge> {
        self.depth -= 1;
        let bytes = 4 * (part.0.len() + part.1.len()) + more + 100;
        self.memory = self.memory.checked_sub(bytes).ok_or(TooLarge)?;
        Ok(())
    }

    /// The loss of one leaf.
    fn loss(&self, members: &[u32]) -> Value {
        let mut sums: Vec<Value> = Vec::new();
        for &point in members {
            let losses = &self.points.losses[point as usize];
            sums.resize(losses.len(), 0);
            for (sum, loss) in sums.iter_mut().zip(losses) {
                *sum += loss;
            }
        }
        sums.into_iter().min().unwrap_or(0)
    }

    /// The halves of the box, for each coordinate that has some. In the collapsed model halvings with an empty side are
    /// passed over.
    pub(crate) fn halves(&self, (members, levels): &Part) -> Vec<[Part; 2]> {
        let mut all = Vec::new();
        for (coordinate, &halvings) in self.halvings.iter().enumerate() {
            let cell = |point: u32| self.points.cells[point as usize][coordinate];
            let bit = if self.is_boxed {
                halvings.checked_sub(levels[coordinate] + 1)
            } else {
                // The highest bit in which two points differ.
                let first = members.first().map_or(0, |&point| cell(point));
                let differ = members
                    .iter()
                    .fold(0, |all, &point| all | first ^ cell(point));
                differ.checked_ilog2()
            };
            let Some(bit) = bit else { continue };
            let mut levels = levels.clone();
            if self.is_boxed {
                levels[coordinate] += 1;
            }
            let part = |side: u32| -> Part {
                let is_here = |&point: &u32| cell(point) >> bit & 1 == side;
                let members = members.iter().copied().filter(is_here).collect();
                (members, levels.clone())
            };
            all.push([part(0), part(1)]);
        }
        all
    }

    /// The least value of all trees for these points, or `limit` if none is below.
    pub(crate) fn least(&mut self, part: &Part, limit: Value) -> Result<Value, TooLarge> {
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
        self.descend(part)?;
        let mut best = leaf.min(limit);
        let halves = self.halves(part).into_iter();
        let mut splits: Vec<(Value, [Part; 2])> = halves
            .map(|halves| (self.loss(&halves[0].0) + self.loss(&halves[1].0), halves))
            .collect();
        splits.sort_by_key(|(loss, _)| *loss);
        for (_, mut halves) in splits {
            halves.sort_by_key(|half| half.0.len());
            let first = self.least(&halves[0], best - self.per_leaf)?;
            if first + self.per_leaf < best {
                best = best.min(first + self.least(&halves[1], best - first)?);
            }
        }
        let is_exact = best < limit || best == leaf;
        let known = Known {
            value: best,
            is_exact,
        };
        self.remember(part, 0)?;
        self.known.insert(part.clone(), known);
        Ok(best)
    }

    /// The best trees of all sizes: leaves rise and losses fall.
    pub(crate) fn steps(&mut self, part: &Part, sizes: Sizes) -> Result<Rc<[Step]>, TooLarge> {
        let loss = self.loss(&part.0);
        if loss == 0 {
            return Ok([(1, 0)].into());
        }
        if let Some(known) = self.steps.get(part) {
            return Ok(known.clone());
        }
        self.descend(part)?;
        let mut best = vec![(1, loss)];
        for [low, high] in self.halves(part) {
            let (low, high) = (self.steps(&low, sizes)?, self.steps(&high, sizes)?);
            let sums = sizes.sums(&low, &high);
            spend(self.work, sums.len())?;
            best = sizes.of_use([best, sums].concat());
        }
        self.remember(part, size_of_val(&*best))?;
        let best: Rc<[Step]> = best.into();
        self.steps.insert(part.clone(), best.clone());
        Ok(best)
    }
}
