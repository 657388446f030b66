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
//! and the tree is found afterwards by a walk through the memo; the points of a rectangle are neighbours in
//! one list, which halvings rearrange in place. The collapsed model passes over halvings with an empty side.

use super::Model;
use super::collapsed::{Limits, Stopped};
use super::engine::Plan;
use super::hull::{Corner, Price, corner};
use super::lambda_search::Refused;
use super::memo::{Entry, Memo, Name, Slot};
use super::points::Points;

/// Which of several trees with the same objective is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ties {
    /// The one with the fewest leaves.
    #[default]
    Smaller,
    /// The one with the most leaves, as in the paper of Hush and Porter.
    Larger,
}

impl Ties {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Smaller => "smaller",
            Self::Larger => "larger",
        }
    }
}

/// The recursion over the rectangles of some points.
#[derive(Debug)]
pub(super) struct Rectangles<'a> {
    points: &'a Points,
    model: Model,
    is_bounded: bool,
    ties: Ties,
    limits: Limits,
    /// The losses of each point, two classes in each word.
    losses: Vec<u64>,
    slots: Vec<Slot>,
    memo: Memo,
    /// All points. Those of the rectangles on the way down are neighbours.
    members: Vec<u32>,
    price: Price,
    visited: Visited,
    refused: Refused,
}

/// How many different rectangles were met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Visited {
    /// With points in them.
    pub(super) occupied: u64,
    /// Without.
    pub(super) empty: u64,
}

/// The best tree for a price.
#[derive(Debug)]
pub(super) struct Solved {
    pub(super) value: Corner,
    pub(super) plan: Plan,
    pub(super) visited: Visited,
}

/// The halving of a rectangle by one coordinate.
struct Halving {
    word: usize,
    bit: u32,
    level: u32,
    prefix: u64,
    /// The names of both halves.
    names: [Name; 2],
}

/// The bits in which points differ. Points whose rectangles have names take no more words.
type Differing = [u64; 3];

/// How many rectangles are solved between two looks at the clock.
const CHECK_EVERY: u64 = 512;

impl<'a> Rectangles<'a> {
    /// `None` if the grid is too fine or has too many points for the memo.
    pub(super) fn new(
        points: &'a Points,
        model: Model,
        is_bounded: bool,
        ties: Ties,
        limits: Limits,
    ) -> Option<Self> {
        let slots = Slot::lay_out(&points.fields)?;
        // A tree without error halves a point's rectangles no more often than this.
        let n_halvings: u32 = points.fields.iter().map(|field| field.bits).sum();
        if points.len() * n_halvings as usize >= Entry::TOO_MANY_LEAVES as usize - 1 {
            return None;
        }
        let words = |pair: &[u32]| {
            let second = pair.get(1).copied().unwrap_or(0);
            u64::from(pair[0]) | u64::from(second) << 32
        };
        let of_point = |point| points.losses_of(point).chunks(2).map(words);
        Some(Self {
            points,
            model,
            is_bounded,
            ties,
            limits,
            losses: (0..points.len()).flat_map(of_point).collect(),
            slots,
            memo: Memo::new(&points.fields),
            members: (0..points.len() as u32).collect(),
            price: Price::ZERO,
            visited: Visited::default(),
            refused: Refused::default(),
        })
    }

    /// The best tree for a price. At price zero, whatever the ties, it is the smallest of those with the
    /// least error.
    pub(super) fn solve(&mut self, price: Price) -> Result<Solved, Stopped> {
        let value = self.value(price)?;
        Ok(Solved {
            value,
            plan: self.plan(),
            visited: self.visited,
        })
    }

    /// Leaves and error of the best tree for a price.
    pub(super) fn value(&mut self, price: Price) -> Result<Corner, Stopped> {
        self.price = price;
        self.memo.clear();
        self.visited = Visited::default();
        self.refused = Refused::default();
        self.best(Slot::whole(&self.slots), 0, self.members.len())
    }

    /// The tree of the last value.
    pub(super) fn plan(&mut self) -> Plan {
        self.plan_of(Slot::whole(&self.slots), 0, self.members.len())
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
    pub(super) fn error_of_leaf(&self) -> u32 {
        self.points.least_loss()
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
        let leaf = corner(1, self.error(start, end));
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
        let differing = self.differing(start, end);
        let mut best: Option<(Corner, usize)> = None;
        for coordinate in 0..self.slots.len() {
            let Some(halving) = self.halving(name, coordinate, start, differing) else {
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
            let middle = self.part(halving, start, end);
            let left = self.best(halving.names[0], start, middle)?;
            [left, self.best(halving.names[1], middle, end)?]
        };
        Ok(corner(left.leaves + right.leaves, left.error + right.error))
    }

    /// How a rectangle can be halved by a coordinate.
    fn halving(
        &self,
        name: Name,
        coordinate: usize,
        start: usize,
        differing: Differing,
    ) -> Option<Halving> {
        let (field, slot) = (self.points.fields[coordinate], self.slots[coordinate]);
        let word = field.word as usize;
        let bit = match self.model {
            Model::Boxed => (field.shift + field.bits).checked_sub(slot.level(name) + 1),
            Model::Collapsed => field.first_bit(differing[word]),
        };
        let bit = bit.filter(|&bit| bit >= field.shift)?;
        let level = field.level(bit);
        // Any point of the rectangle has the bits of its halvings so far.
        let code = self.points.codes[self.members[start] as usize * self.points.n_words + word];
        let prefix = (code & field.mask()) >> bit >> 1;
        let names = [0, 1].map(|side| slot.set(name, level + 1, prefix << 1 | side));
        Some(Halving {
            word,
            bit,
            level,
            prefix,
            names,
        })
    }

    /// Brings the points of the lower half to the front; where do those of the upper half begin?
    fn part(&mut self, halving: &Halving, start: usize, end: usize) -> usize {
        let codes = &self.points.codes[halving.word..];
        let n_words = self.points.n_words;
        let members = &mut self.members[start..end];
        let mut middle = 0;
        // Without a branch: what is at the middle belongs to the upper half, or is this point itself.
        for place in 0..members.len() {
            let member = members[place];
            members[place] = members[middle];
            members[middle] = member;
            let is_upper = codes[member as usize * n_words] >> halving.bit & 1;
            middle += 1 - is_upper as usize;
        }
        start + middle
    }

    /// The bits in which points differ; not needed where halvings are not passed over.
    fn differing(&self, start: usize, end: usize) -> Differing {
        let mut differing = Differing::default();
        if self.model == Model::Boxed {
            return differing;
        }
        let n_words = self.points.n_words;
        let code = |member: u32| &self.points.codes[member as usize * n_words..][..n_words];
        let first = code(self.members[start]);
        for &member in &self.members[start..end] {
            for (word, bits) in code(member).iter().enumerate() {
                differing[word] |= bits ^ first[word];
            }
        }
        differing
    }

    /// The least error of some points as a leaf.
    fn error(&self, start: usize, end: usize) -> u32 {
        let n_pairs = self.points.n_classes.div_ceil(2);
        let mut least = u32::MAX;
        for pair in 0..n_pairs {
            let of = |&member: &u32| self.losses[member as usize * n_pairs + pair];
            let sums: u64 = self.members[start..end].iter().map(of).sum();
            least = least.min(sums as u32);
            if pair * 2 + 1 < self.points.n_classes {
                least = least.min((sums >> 32) as u32);
            }
        }
        least
    }

    /// Is a rectangle with this error a leaf, whatever its halvings are?
    fn is_closed(&self, error: u32) -> bool {
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
        let differing = self.differing(start, end);
        let halving = self.halving(name, coordinate, start, differing);
        let halving = halving.expect("the best halving was possible");
        let middle = self.part(&halving, start, end);
        let sides = [
            self.plan_of(halving.names[0], start, middle),
            self.plan_of(halving.names[1], middle, end),
        ];
        Plan::Halve {
            coordinate,
            level: halving.level,
            prefix: halving.prefix as u32,
            sides: Box::new(sides),
        }
    }

    /// Looks now and then whether time or memory is spent.
    fn check(&self) -> Result<(), Stopped> {
        if self.visited.occupied.is_multiple_of(CHECK_EVERY)
            && (self.memo.bytes() > self.limits.most_bytes || self.limits.budget.is_spent())
        {
            return Err(Stopped);
        }
        Ok(())
    }
}
