//! All best trees at once, in the boxed model of Hush and Porter.
//!
//! Here every halving counts. One that leaves all points on one side makes an empty leaf, which is paid
//! for like any other. So the best trees depend on the points and on their box. Of the box it matters, for
//! each coordinate in which the points differ at all, how many halvings `z` leave them together before one
//! separates them.
//!
//! Some best tree never halves a coordinate part of the way to the separation and then stops. (Take a
//! node that has spent `r < z` empty leaves on a coordinate, and the highest nodes below that spend more on
//! it. If there are none, the `r` leaves were for nothing. If there is one, the `r` halvings can be moved
//! down to it. If there are two or more, the rest of the halvings is cheaper before they part.) That leaves
//! three kinds of moves: stop; separate the points by one coordinate, with `z` empty leaves; or pay the `z`
//! empty leaves of a coordinate now and go on with the same points in the smaller box.
//!
//! The collapsed model is a lower bound, since contracting all halvings with an empty side makes a tree of
//! that model which is no larger. So its hulls say which splits are worth a look, and as soon as what was
//! found is as good as they are, the search for this box ends.

use super::collapsed::{Best, Collapsed, Halving, Part, Stopped, at_best, by_promise};
use super::hull::{Corner, corner, is_dominated, sum, union};
use super::table::{Key, Table};

/// Solved sets of points in boxes.
#[derive(Debug)]
pub(super) struct Boxed<const W: usize, const L: usize> {
    pub(super) collapsed: Collapsed<W, L>,
    pub(super) table: Table,
    /// For each coordinate and number of halvings before the separation: its share in the key.
    keys: Vec<[Key; 64]>,
    frames: Vec<Frame<L>>,
}

/// How often each coordinate of a box has been halved already.
pub(super) type Levels = Vec<u8>;

/// Working memory of one level of the recursion.
#[derive(Debug)]
struct Frame<const L: usize> {
    halvings: Vec<Halving<L>>,
    best: Vec<Corner>,
    bound: Vec<Corner>,
    candidate: Vec<Corner>,
    merged: Vec<Corner>,
    left: Vec<Corner>,
    right: Vec<Corner>,
    levels: Levels,
}

impl<const L: usize> Default for Frame<L> {
    fn default() -> Self {
        Self {
            halvings: Vec::new(),
            best: Vec::new(),
            bound: Vec::new(),
            candidate: Vec::new(),
            merged: Vec::new(),
            left: Vec::new(),
            right: Vec::new(),
            levels: Vec::new(),
        }
    }
}

/// What is known about one side of a split.
#[derive(Clone, Copy)]
enum Side {
    Unknown,
    /// Its hull in the collapsed model, a lower bound.
    Bound(Best),
    Solved(Best),
}

impl<const W: usize, const L: usize> Boxed<W, L> {
    pub(super) fn new(collapsed: Collapsed<W, L>) -> Self {
        let mut random = fastrand::Rng::with_seed(0x7472_6565_626f_7865);
        let keys = collapsed.fields.iter().map(|_| {
            let mut keys = [0; 64];
            keys[1..].fill_with(|| random.u128(..));
            keys
        });
        Self {
            keys: keys.collect(),
            collapsed,
            table: Table::default(),
            frames: Vec::new(),
        }
    }

    /// The box of everything.
    pub(super) fn whole_box(&self) -> Levels {
        vec![0; self.keys.len()]
    }

    /// How many halvings of the box come before the one of a split.
    pub(super) fn empty_leaves(&self, halving: &Halving<L>, levels: &Levels) -> u32 {
        let coordinate = halving.coordinate as usize;
        self.level(halving) - u32::from(levels[coordinate])
    }

    /// How many halvings of the whole box come before the one of a split.
    pub(super) fn level(&self, halving: &Halving<L>) -> u32 {
        self.collapsed.fields[halving.coordinate as usize].level(halving.bit)
    }

    /// The corners of a hull.
    pub(super) fn corners(&self, best: Best, out: &mut Vec<Corner>) {
        match best {
            Best::Leaf(_) => self.collapsed.corners(best, out),
            Best::Stored(stored) => {
                out.clear();
                out.extend_from_slice(self.table.hull(stored));
            }
        }
    }

    /// The best hull of the points `members[start..]` in a box.
    pub(super) fn solve(
        &mut self,
        part: &Part<L>,
        levels: &Levels,
        start: usize,
        depth: usize,
    ) -> Result<Best, Stopped> {
        if let Some(best) = self.known(part, levels, start) {
            return Ok(best);
        }
        let error = self.collapsed.error(part);
        let key = self.key(part, levels, start);
        let bound = self.collapsed.solve(part, start, 0)?;
        self.collapsed.check_with(self.table.bytes())?;
        if self.frames.len() <= depth {
            self.frames.resize_with(depth + 1, Frame::default);
        }
        let mut frame = std::mem::take(&mut self.frames[depth]);
        self.collapsed.corners(bound, &mut frame.bound);
        frame.best.clear();
        frame.best.push(corner(1, error));
        let result = self.search(part, levels, start, depth, &mut frame);
        let stored = result.map(|()| self.table.insert(key, &frame.best));
        self.frames[depth] = frame;
        stored.map(Best::Stored)
    }

    /// The best hull of the points `members[start..]` in a box, if it is known without a search.
    pub(super) fn known(&self, part: &Part<L>, levels: &Levels, start: usize) -> Option<Best> {
        let error = self.collapsed.error(part);
        if !self.collapsed.least.is_worth(error, 1) {
            return Some(Best::Leaf(error));
        }
        let key = self.key(part, levels, start);
        self.table.get(key).map(Best::Stored)
    }

    /// The name of some points in a box.
    fn key(&self, part: &Part<L>, levels: &Levels, start: usize) -> Key {
        let differing = self.collapsed.differing(&self.collapsed.members[start..]);
        let mut key = part.key;
        for (coordinate, field) in self.collapsed.fields.iter().enumerate() {
            if let Some(bit) = field.first_bit(differing[field.word as usize]) {
                let empty = field.level(bit) - u32::from(levels[coordinate]);
                key = key.wrapping_add(self.keys[coordinate][empty as usize]);
            }
        }
        key
    }

    fn search(
        &mut self,
        part: &Part<L>,
        levels: &Levels,
        start: usize,
        depth: usize,
        frame: &mut Frame<L>,
    ) -> Result<(), Stopped> {
        let mut halvings = std::mem::take(&mut frame.halvings);
        self.collapsed.halvings(part, start, &mut halvings);
        halvings.sort_unstable_by_key(by_promise);
        for halving in &halvings {
            if is_dominated(&frame.bound, &frame.best, self.collapsed.least) {
                break;
            }
            self.try_halving(halving, levels, start, depth, frame)?;
        }
        for halving in &halvings {
            self.try_zoom(halving, part, levels, start, depth, frame)?;
        }
        frame.halvings = halvings;
        Ok(())
    }

    /// Solves the sides as far as it may help, first without boxes, and takes the split in.
    fn try_halving(
        &mut self,
        halving: &Halving<L>,
        levels: &Levels,
        start: usize,
        depth: usize,
        frame: &mut Frame<L>,
    ) -> Result<(), Stopped> {
        let empty = self.empty_leaves(halving, levels);
        let known = |side: &Part<L>, error: u32| match self.collapsed.known(side, error) {
            None => Side::Unknown,
            Some(leaf @ Best::Leaf(_)) => Side::Solved(leaf),
            Some(bound) => Side::Bound(bound),
        };
        let mut left = known(&halving.left, halving.left_error);
        let mut right = known(&halving.right, halving.right_error);
        loop {
            self.side_corners(left, halving.left_error, &mut frame.left);
            self.side_corners(right, halving.right_error, &mut frame.right);
            sum(&frame.left, &frame.right, empty, &mut frame.candidate);
            if is_dominated(&frame.candidate, &frame.best, self.collapsed.least) {
                return Ok(());
            }
            // The side of which less is known, of equals the smaller one.
            let is_left_smaller = halving.left.n_points <= halving.right.n_points;
            let is_right = match left.known().cmp(&right.known()) {
                std::cmp::Ordering::Less => false,
                std::cmp::Ordering::Greater => true,
                std::cmp::Ordering::Equal if left.known() == 2 => break,
                std::cmp::Ordering::Equal => !is_left_smaller,
            };
            let side = if is_right { &mut right } else { &mut left };
            *side = self.learn_side(*side, halving, is_right, levels, start, depth, frame)?;
        }
        let least = self.collapsed.least;
        union(&frame.best, &frame.candidate, least, &mut frame.merged);
        std::mem::swap(&mut frame.best, &mut frame.merged);
        Ok(())
    }

    fn side_corners(&self, side: Side, error: u32, out: &mut Vec<Corner>) {
        match side {
            Side::Unknown => at_best(error, out),
            Side::Bound(best) => self.collapsed.corners(best, out),
            Side::Solved(best) => self.corners(best, out),
        }
    }

    /// Takes one step towards the hull of a side.
    #[expect(
        clippy::too_many_arguments,
        reason = "the place of a side in the search"
    )]
    fn learn_side(
        &mut self,
        side: Side,
        halving: &Halving<L>,
        is_right: bool,
        levels: &Levels,
        start: usize,
        depth: usize,
        frame: &mut Frame<L>,
    ) -> Result<Side, Stopped> {
        let end = self.collapsed.members.len();
        self.collapsed.push_side(halving, is_right, start, end);
        let part = halving.side(usize::from(is_right));
        let learned = if matches!(side, Side::Unknown) {
            self.collapsed.solve(part, end, 0).map(Side::Bound)
        } else {
            frame.levels.clone_from(levels);
            frame.levels[halving.coordinate as usize] = self.level(halving) as u8 + 1;
            self.solve(part, &frame.levels, end, depth + 1)
                .map(Side::Solved)
        };
        self.collapsed.members.truncate(end);
        learned
    }

    /// Pays the empty leaves of a coordinate and goes on in the smaller box.
    fn try_zoom(
        &mut self,
        halving: &Halving<L>,
        part: &Part<L>,
        levels: &Levels,
        start: usize,
        depth: usize,
        frame: &mut Frame<L>,
    ) -> Result<(), Stopped> {
        let empty = self.empty_leaves(halving, levels);
        if empty == 0 {
            return Ok(());
        }
        let least = self.collapsed.least;
        let shift = |hull: &[Corner], out: &mut Vec<Corner>| {
            out.clear();
            let larger = hull.iter().filter(|corner| corner.leaves > 1);
            out.extend(larger.map(|c| corner(c.leaves + empty, c.error)));
        };
        shift(&frame.bound, &mut frame.candidate);
        if is_dominated(&frame.candidate, &frame.best, least) {
            return Ok(());
        }
        frame.levels.clone_from(levels);
        frame.levels[halving.coordinate as usize] = self.level(halving) as u8;
        let best = self.solve(part, &frame.levels, start, depth + 1)?;
        self.corners(best, &mut frame.left);
        shift(&frame.left, &mut frame.candidate);
        union(&frame.best, &frame.candidate, least, &mut frame.merged);
        std::mem::swap(&mut frame.best, &mut frame.merged);
        Ok(())
    }
}

impl Side {
    /// How much is known.
    fn known(self) -> u8 {
        match self {
            Self::Unknown => 0,
            Self::Bound(_) => 1,
            Self::Solved(_) => 2,
        }
    }
}
