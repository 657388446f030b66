//! The working form of a table: points of a grid with a loss for every class.
//!
//! Every coordinate of a point is a short binary number. Its first bit says in which half of the box the
//! point lies, the second in which half of that half, and so on: a halving of a cell looks at one bit.
//! The bits of all coordinates are packed into words, so that one `and` and one `or` over some points
//! tell, for every coordinate, which halving is the first to separate them.

use super::field::Field;

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

    /// The loss of the best label for some points.
    pub(crate) fn least_loss_of(&self, members: &[u32]) -> u64 {
        let of_class = |class: usize| -> u64 {
            let loss = |&member: &u32| self.losses_of(member as usize)[class];
            members.iter().map(loss).sum()
        };
        (0..self.n_classes).map(of_class).min().unwrap_or(0)
    }

    /// Does a point lie in the upper half of its cell, by the halving of a level?
    pub(crate) fn is_right(&self, point: usize, coordinate: usize, level: u32) -> bool {
        let field = self.fields[coordinate];
        let bit = field.shift + field.bits - 1 - level;
        self.codes[point * self.n_words + field.word as usize] >> bit & 1 == 1
    }

    /// The losses of a point.
    pub(crate) fn losses_of(&self, point: usize) -> &[u64] {
        &self.losses[point * self.n_classes..][..self.n_classes]
    }
}
