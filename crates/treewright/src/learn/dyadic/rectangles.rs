//! The best tree for one price, by a memoised recursion over rectangles.
//!
//! This is the yardstick for the other searches: the recursion of D. Hush and R. Porter, "Algorithms for
//! optimal dyadic decision trees" (2010). The best tree of a rectangle is a leaf, or the best of all halvings
//! with the best trees of both halves. Every rectangle is solved once for each price.
//!
//! With the *lookahead* of the paper a rectangle whose error as a leaf is below the price of a leaf is not
//! halved, since a second leaf could not pay for itself. Without it the recursion goes on down to the finest
//! rectangles. An empty rectangle is a leaf in any case.
//!
//! What differs: comparisons are exact, in whole numbers; a memo entry holds the value and the coordinate,
//! and the tree is found afterwards by a walk through the memo. In the collapsed model a halving that leaves
//! one side empty is passed over for free.

use std::sync::Arc;

use super::cells::{Cells, Halving};
use super::collapsed::{Limits, Stopped};
use super::engine::Plan;
use super::hull::{Corner, Price, corner};
use super::lambda_search::Refused;
use super::memo::{Entry, Memo, Name};
use super::points::Points;
use super::{Model, Ties};

/// The recursion over the rectangles of some points.
#[derive(Debug)]
pub(super) struct Rectangles<'a> {
    cells: Cells<'a>,
    is_bounded: bool,
    ties: Ties,
    limits: Limits,
    price: Price,
    memo: Memo,
    visited: Visited,
    refused: Refused,
    /// Rectangles solved for all prices so far.
    steps: u64,
}

/// How many different rectangles were met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Visited {
    /// With points in them.
    pub(super) occupied: u64,
    /// Without.
    pub(super) empty: u64,
}

/// How many rectangles are solved between two looks at the clock.
const CHECK_EVERY: u64 = 512;

impl<'a> Rectangles<'a> {
    /// `None` if the grid is too fine, has too many points for the memo, or sums of losses are too large for it.
    pub(super) fn new(
        points: &'a Points,
        model: Model,
        is_bounded: bool,
        ties: Ties,
        limits: Limits,
    ) -> Option<Self> {
        // A tree without error halves a point's rectangles no more often than this.
        let n_halvings: u32 = points.fields.iter().map(|field| field.bits).sum();
        if points.len() * n_halvings as usize >= Entry::TOO_MANY_LEAVES as usize - 1 {
            return None;
        }
        Some(Self {
            cells: Cells::new(points, model)?,
            is_bounded,
            ties,
            limits,
            price: Price::ZERO,
            memo: Memo::new(&points.fields),
            visited: Visited::default(),
            refused: Refused::default(),
            steps: 0,
        })
    }

    /// Leaves and error of the best tree for a price. At price zero, whatever the ties, it is the smallest
    /// of those with the least error.
    pub(super) fn value(&mut self, price: Price) -> Result<Corner, Stopped> {
        self.price = price;
        self.memo.clear();
        self.visited = Visited::default();
        self.refused = Refused::default();
        self.best(self.cells.whole(), 0, self.cells.points.len())
    }

    /// The tree of the last value.
    pub(super) fn plan(&mut self) -> Plan {
        self.plan_of(self.cells.whole(), 0, self.cells.points.len())
    }

    /// The rectangles met for the last value.
    pub(super) fn visited(&self) -> Visited {
        self.visited
    }

    /// The best halvings that were not worth the last price.
    pub(super) fn refused(&self) -> Refused {
        self.refused
    }

    /// The error of all points as one leaf.
    pub(super) fn error_of_leaf(&self) -> u64 {
        self.cells.points.least_loss()
    }

    /// The best value of a rectangle with the points `members[start..end]`.
    fn best(&mut self, name: Name, start: usize, end: usize) -> Result<Corner, Stopped> {
        if let Some(entry) = self.memo.get(name) {
            return Ok(entry.value());
        }
        if start == end {
            let leaf = corner(1, 0);
            self.visited.empty += 1;
            self.memo.insert(name, Entry::new(leaf, 0));
            return Ok(leaf);
        }
        self.visited.occupied += 1;
        self.check()?;
        let leaf = corner(1, self.cells.error(start, end));
        let mut entry = Entry::new(leaf, 0);
        if !self.is_closed(leaf.error)
            && let Some((split, coordinate)) = self.best_split(name, start, end)?
        {
            if self.is_better(split, leaf) {
                entry = Entry::new(split, coordinate);
            } else {
                self.refused.note(leaf, split, self.price);
            }
        }
        self.memo.insert(name, entry);
        Ok(entry.value())
    }

    /// The best value of a rectangle that is halved, and the coordinate; `None` if it cannot be.
    fn best_split(
        &mut self,
        name: Name,
        start: usize,
        end: usize,
    ) -> Result<Option<(Corner, usize)>, Stopped> {
        let differing = self.cells.differing(start, end);
        let mut best: Option<(Corner, usize)> = None;
        for coordinate in 0..self.cells.points.fields.len() {
            let Some(halving) = self.cells.halving(name, coordinate, start, differing) else {
                continue;
            };
            let value = self.value_of(&halving, start, end)?;
            if best.is_none_or(|(before, _)| self.is_better(value, before)) {
                best = Some((value, coordinate));
            }
        }
        Ok(best)
    }

    /// The sum of the best values of both halves.
    fn value_of(&mut self, halving: &Halving, start: usize, end: usize) -> Result<Corner, Stopped> {
        let known = halving.names.map(|name| self.memo.get(name));
        let [left, right] = if let [Some(left), Some(right)] = known {
            [left.value(), right.value()]
        } else {
            let middle = self.cells.part(halving, start, end);
            let left = self.best(halving.names[0], start, middle)?;
            [left, self.best(halving.names[1], middle, end)?]
        };
        Ok(corner(left.leaves + right.leaves, left.error + right.error))
    }

    /// Is a rectangle with this error a leaf, whatever its halvings are?
    fn is_closed(&self, error: u64) -> bool {
        let saving = u128::from(error) * u128::from(self.price.denominator);
        let price = u128::from(self.price.numerator);
        let is_below = match self.ties {
            Ties::Smaller => saving <= price,
            Ties::Larger => saving < price,
        };
        self.is_bounded && (error == 0 || is_below)
    }

    /// Is a tree better than another, at this price and by the rule for ties?
    fn is_better(&self, a: Corner, b: Corner) -> bool {
        let objective = |value: Corner| {
            u128::from(value.error) * u128::from(self.price.denominator)
                + u128::from(value.leaves) * u128::from(self.price.numerator)
        };
        let (of_a, of_b) = (objective(a), objective(b));
        let is_larger_better = self.ties == Ties::Larger && self.price.numerator > 0;
        let has_better_size = if is_larger_better {
            a.leaves > b.leaves
        } else {
            a.leaves < b.leaves
        };
        of_a < of_b || of_a == of_b && has_better_size
    }

    fn plan_of(&mut self, name: Name, start: usize, end: usize) -> Plan {
        let entry = self.memo.get(name);
        let entry = entry.expect("a best tree has solved rectangles only");
        if entry.value().leaves == 1 {
            return Plan::Leaf;
        }
        let coordinate = entry.coordinate();
        let differing = self.cells.differing(start, end);
        let halving = self.cells.halving(name, coordinate, start, differing);
        let halving = halving.expect("the best halving was possible");
        let middle = self.cells.part(&halving, start, end);
        let sides = [
            self.plan_of(halving.names[0], start, middle),
            self.plan_of(halving.names[1], middle, end),
        ];
        Plan::Halve {
            coordinate,
            level: halving.level,
            prefix: halving.prefix as u32,
            sides: Arc::new(sides),
        }
    }

    /// Looks now and then whether time or memory is spent.
    fn check(&mut self) -> Result<(), Stopped> {
        self.steps += 1;
        if !self.steps.is_multiple_of(CHECK_EVERY) {
            return Ok(());
        }
        let n_rectangles = self.visited.occupied + self.visited.empty;
        self.limits.check(n_rectangles as usize, self.memo.bytes())
    }
}
