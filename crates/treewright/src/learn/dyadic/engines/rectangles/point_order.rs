//! Rectangles of the grid, and the points in them.
//!
//! The points of a rectangle are neighbours in one list of all points. Halving a rectangle rearranges its
//! part of the list, so that each half has its points together again: nothing is copied, and the points of
//! the rectangles around it stay the same sets.

use super::memo::{Name, NameBits};
use crate::learn::dyadic::parameters::Model;
use crate::learn::dyadic::problem::Points;

/// The points of a grid, arranged for the recursion over its rectangles.
#[derive(Debug)]
pub(crate) struct PointOrder<'a> {
    pub(super) points: &'a Points,
    model: Model,
    /// The losses of each point, two classes in each word.
    losses: Vec<u64>,
    slots: Vec<NameBits>,
    members: Vec<u32>,
}

/// The halving of a rectangle by one coordinate.
pub(crate) struct CellHalving {
    word: usize,
    bit: u32,
    /// How often the coordinate was halved before.
    pub(super) level: u32,
    /// The bits of these halvings.
    pub(super) prefix: u64,
    /// The names of both halves.
    pub(super) names: [Name; 2],
}

/// The bits in which points differ. Points whose rectangles have names take no more words.
pub(crate) type Differing = [u64; 3];

impl<'a> PointOrder<'a> {
    /// `None` if the grid is too fine for names, or sums of losses are too large.
    pub(crate) fn new(points: &'a Points, model: Model) -> Option<Self> {
        if !points.is_narrow() {
            return None;
        }
        let words = |pair: &[u64]| {
            let second = pair.get(1).copied().unwrap_or(0);
            pair[0] | second << 32
        };
        let of_point = |point| points.losses_of(point).chunks(2).map(words);
        Some(Self {
            points,
            model,
            losses: (0..points.len()).flat_map(of_point).collect(),
            slots: NameBits::lay_out(&points.fields)?,
            members: (0..points.len() as u32).collect(),
        })
    }

    /// The name of the box of everything, which has the places from 0 to the number of points.
    pub(crate) fn whole(&self) -> Name {
        NameBits::whole(&self.slots)
    }

    /// How a rectangle can be halved by a coordinate.
    pub(crate) fn halving(
        &self,
        name: Name,
        coordinate: usize,
        start: usize,
        differing: Differing,
    ) -> Option<CellHalving> {
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
        Some(CellHalving {
            word,
            bit,
            level,
            prefix,
            names,
        })
    }

    /// Brings the points of the lower half to the front; where do those of the upper half begin?
    pub(crate) fn part(&mut self, halving: &CellHalving, start: usize, end: usize) -> usize {
        let codes = &self.points.codes[halving.word..];
        let n_words = self.points.n_words;
        let members = &mut self.members[start..end];
        let mut middle = 0;
        // Without a branch: what is at the middle belongs to the upper half, or is this point itself.
        for place in 0..members.len() {
            let member = members[place];
            members.swap(place, middle);
            let is_upper = codes[member as usize * n_words] >> halving.bit & 1;
            middle += 1 - is_upper as usize;
        }
        start + middle
    }

    /// The bits in which points differ; not needed where halvings are not passed over.
    pub(crate) fn differing(&self, start: usize, end: usize) -> Differing {
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
    pub(crate) fn error(&self, start: usize, end: usize) -> u64 {
        let n_pairs = self.points.n_classes.div_ceil(2);
        let mut least = u64::MAX;
        for pair in 0..n_pairs {
            let of = |&member: &u32| self.losses[member as usize * n_pairs + pair];
            let sums: u64 = self.members[start..end].iter().map(of).sum();
            least = least.min(sums & u64::from(u32::MAX));
            if pair * 2 + 1 < self.points.n_classes {
                least = least.min(sums >> 32);
            }
        }
        least
    }
}
