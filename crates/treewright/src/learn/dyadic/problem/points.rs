//! The working form of a table: points of a grid with a loss for every class.
//!
//! Every coordinate of a point is a short binary number. Its first bit says in which half of the box the
//! point lies, the second in which half of that half, and so on: a halving of a cell looks at one bit.
//! The bits of all coordinates are packed into words, so that one `and` and one `or` over some points
//! tell, for every coordinate, which halving is the first to separate them.

use crate::learn::dyadic::engines::HalvingPlan;
use crate::learn::dyadic::frontier::hull::{Vertex, vertex};

/// Points of a grid with a loss for every class.
#[derive(Debug, Clone)]
pub(crate) struct Points {
    /// Where the bits of each coordinate are.
    pub(crate) fields: Vec<Field>,
    /// Words for one point.
    pub(crate) n_words: usize,
    /// The coordinates, `n_words` for each point.
    pub(crate) codes: Vec<u64>,
    pub(crate) n_classes: usize,
    /// The cost of giving the point a class, `n_classes` for each point. The least is 0 and the largest
    /// is not.
    pub(crate) losses: Vec<u64>,
}

/// The place of a coordinate among the words of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Field {
    /// The word, which it does not cross.
    pub(crate) word: u32,
    /// The lowest of its bits: the last halving.
    pub(crate) shift: u32,
    /// How many bits there are, at least one.
    pub(crate) bits: u32,
}

/// Bits in a word.
const WORD: u32 = u64::BITS;

impl Field {
    /// Finds a place for coordinates of so many bits each; also how many words it takes.
    pub(crate) fn lay_out(bits: &[u32]) -> (Vec<Self>, usize) {
        let (mut word, mut used) = (0, 0);
        let place = |&bits: &u32| {
            if used + bits > WORD {
                word += 1;
                used = 0;
            }
            used += bits;
            Self {
                word,
                shift: used - bits,
                bits,
            }
        };
        let fields: Vec<Self> = bits.iter().map(place).collect();
        (fields, word as usize + 1)
    }

    /// The bits of this coordinate within its word.
    pub(crate) fn mask(self) -> u64 {
        (u64::MAX >> (WORD - self.bits)) << self.shift
    }

    /// Given the bits in which points differ: the first halving that separates them, as the position of
    /// its bit in the word; `None` if none does.
    pub(crate) fn first_bit(self, differing: u64) -> Option<u32> {
        let bits = differing & self.mask();
        (bits != 0).then(|| WORD - 1 - bits.leading_zeros())
    }

    /// How many halvings come before the one of a bit.
    pub(crate) fn level(self, bit: u32) -> u32 {
        self.shift + self.bits - 1 - bit
    }
}

impl Points {
    /// No points at all.
    pub(crate) fn none(n_classes: usize) -> Self {
        Self {
            fields: Vec::new(),
            n_words: 1,
            codes: Vec::new(),
            n_classes,
            losses: Vec::new(),
        }
    }

    /// Number of points.
    pub(crate) fn len(&self) -> usize {
        self.losses.len() / self.n_classes
    }

    /// The loss of the best label for all points.
    pub(crate) fn least_loss(&self) -> u64 {
        let of_class = |class| self.losses.iter().skip(class).step_by(self.n_classes).sum();
        (0..self.n_classes).map(of_class).min().unwrap_or(0)
    }

    /// Are all sums of losses below 2^32?
    pub(crate) fn is_narrow(&self) -> bool {
        let of_class = |class| -> u64 {
            let losses = self.losses.iter().skip(class);
            losses.step_by(self.n_classes).sum()
        };
        (0..self.n_classes).all(|class| u32::try_from(of_class(class)).is_ok())
    }

    /// Leaves and error of a tree of halvings.
    pub(crate) fn figures(&self, plan: &HalvingPlan) -> Vertex {
        let all: Vec<u32> = (0..self.len() as u32).collect();
        self.figures_of(plan, &all)
    }

    fn figures_of(&self, plan: &HalvingPlan, members: &[u32]) -> Vertex {
        let HalvingPlan::Halve {
            coordinate,
            level,
            sides,
            ..
        } = plan
        else {
            let of_class = |class| -> u64 {
                let loss = |&member: &u32| self.losses_of(member as usize)[class];
                members.iter().map(loss).sum()
            };
            return vertex(1, (0..self.n_classes).map(of_class).min().unwrap_or(0));
        };
        let field = self.fields[*coordinate];
        let bit = field.shift + field.bits - 1 - level;
        let is_right = |member: &u32| {
            let word = *member as usize * self.n_words + field.word as usize;
            self.codes[word] >> bit & 1 == 1
        };
        let (right, left): (Vec<u32>, Vec<u32>) = members.iter().partition(|it| is_right(it));
        let (left, right) = (
            self.figures_of(&sides[0], &left),
            self.figures_of(&sides[1], &right),
        );
        vertex(left.leaves + right.leaves, left.error + right.error)
    }

    /// The losses of a point.
    pub(crate) fn losses_of(&self, point: usize) -> &[u64] {
        &self.losses[point * self.n_classes..][..self.n_classes]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_do_not_cross_words() {
        let (fields, n_words) = Field::lay_out(&[30, 30, 5, 64, 1]);
        assert_eq!(n_words, 4);
        let places: Vec<_> = fields.iter().map(|f| (f.word, f.shift)).collect();
        assert_eq!(places, [(0, 0), (0, 30), (1, 0), (2, 0), (3, 0)]);
        let field = fields[1];
        assert_eq!(field.first_bit(1 << 29), None);
        assert_eq!(field.first_bit(1 << 40 | 1 << 3), Some(40));
        assert_eq!(field.level(59), 0);
        assert_eq!(fields[3].mask(), u64::MAX);
    }
}
