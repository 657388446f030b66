//! All best trees at once, in the boxed model of Hush and Porter.
//!
//! **Problem.** As in `collapsed`, but every halving counts. One that leaves all points on one side makes an empty
//! leaf, which is paid for like any other. So the best trees depend on the points and on their box. Of the box it
//! matters, for each coordinate in which the points differ at all, how many halvings `z` leave them together before one
//! separates them.
//!
//! **Lemma.** Some best tree never halves a coordinate part of the way to the separation and then stops. (Take a node
//! that has spent `r < z` empty leaves on a coordinate, and the highest nodes below that spend more on it. If there are
//! none, the `r` leaves were for nothing. If there is one, the `r` halvings can be moved down to it. If there are two
//! or more, the rest of the halvings is cheaper before they part.) That leaves three kinds of moves: stop; separate the
//! points by one coordinate, with `z` empty leaves; or pay the `z` empty leaves of a coordinate now and go on with the
//! same points in the smaller box.
//!
//! **Lower bound.** The collapsed model, since contracting all halvings with an empty side makes a tree of that model
//! which is no larger. So its hulls tell which splits are worth a look, and as soon as what was found is as good as
//! they are, the search for this box ends.
//!
//! **Source.** The model is that of D. Hush and R. Porter, "Algorithms for optimal dyadic decision trees" (2010).
//! **Difference.** Their recursion (Procedure 1) visits rectangles and returns at an empty one, so nothing inside it is
//! visited. This one visits sets of points with their boxes.

mod plan;

use crate::learn::dyadic::deadline::Stopped;
use crate::learn::dyadic::engines::collapsed::{
    Collapsed, Halving, LossSums, PointSet, SearchStack, SolvedHull, SolvedSets, at_best,
    by_promise,
};
use crate::learn::dyadic::engines::keys::{Key, Keys};
use crate::learn::dyadic::frontier::{Vertex, vertex};

/// Solved sets of points in boxes, shared by all threads.
#[derive(Debug)]
pub(crate) struct Boxed<S: LossSums, const W: usize> {
    pub(super) collapsed: Collapsed<S, W>,
    pub(super) table: SolvedSets,
    /// For each coordinate and number of halvings before the separation: its share in the key.
    keys: Vec<[Key; 64]>,
}

/// The way of one thread down to the set and box that it is solving.
#[derive(Debug)]
pub(crate) struct BoxedStack<S: LossSums> {
    way: SearchStack<S>,
    frames: Vec<BoxedFrame<S>>,
}

impl<S: LossSums> BoxedStack<S> {
    pub(crate) fn new(way: SearchStack<S>) -> Self {
        Self {
            way,
            frames: Vec::new(),
        }
    }
}

/// How often each coordinate of a box has been halved already.
pub(crate) type Levels = Vec<u8>;

/// Working memory of one level of the recursion.
#[derive(Debug)]
struct BoxedFrame<S: LossSums> {
    halvings: Vec<Halving<S>>,
    best: Vec<Vertex>,
    lower: Vec<Vertex>,
    candidate: Vec<Vertex>,
    merged: Vec<Vertex>,
    left: Vec<Vertex>,
    right: Vec<Vertex>,
    levels: Levels,
}

impl<S: LossSums> Default for BoxedFrame<S> {
    fn default() -> Self {
        Self {
            halvings: Vec::new(),
            best: Vec::new(),
            lower: Vec::new(),
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
enum SideState {
    Unknown,
    /// Its hull in the collapsed model, a lower bound.
    Lower(SolvedHull),
    Solved(SolvedHull),
}

impl<S: LossSums, const W: usize> Boxed<S, W> {
    pub(crate) fn new(collapsed: Collapsed<S, W>) -> Self {
        let mut random = Keys::new(0x7472_6565_626f_7865);
        let keys = collapsed.fields.iter().map(|_| {
            let mut keys = [0; 64];
            keys[1..].fill_with(|| random.next());
            keys
        });
        Self {
            keys: keys.collect(),
            collapsed,
            table: SolvedSets::default(),
        }
    }

    /// The box of everything.
    pub(crate) fn whole_box(&self) -> Levels {
        vec![0; self.keys.len()]
    }

    /// How many halvings of the box come before the one of a split.
    pub(crate) fn empty_leaves(&self, halving: &Halving<S>, levels: &Levels) -> u32 {
        let coordinate = halving.coordinate as usize;
        self.level(halving) - u32::from(levels[coordinate])
    }

    /// How many halvings of the whole box come before the one of a split.
    pub(crate) fn level(&self, halving: &Halving<S>) -> u32 {
        self.collapsed.fields[halving.coordinate as usize].level(halving.bit)
    }

    /// The vertices of a hull.
    pub(crate) fn vertices(&self, best: SolvedHull, out: &mut Vec<Vertex>) {
        match best {
            SolvedHull::Leaf(_) => self.collapsed.vertices(best, out),
            SolvedHull::Stored(stored) => {
                out.clear();
                self.table.read(stored, out);
            }
        }
    }

    /// The best hull of the points `members[start..]` in a box.
    pub(crate) fn solve(
        &self,
        part: &PointSet<S>,
        levels: &Levels,
        start: usize,
        depth: usize,
        way: &mut BoxedStack<S>,
    ) -> Result<SolvedHull, Stopped> {
        let error = self.collapsed.error(part);
        if self.collapsed.front.is_leaf(error) {
            return Ok(SolvedHull::Leaf(error));
        }
        let key = self.key(part, levels, &way.way.members[start..]);
        let switches = self.collapsed.switches();
        if let Some(stored) = self.table.get(key).filter(|_| switches.memo) {
            return Ok(SolvedHull::Stored(stored));
        }
        let lower = if switches.collapsed_bounds {
            Some(self.collapsed.solve(part, start, 0, &mut way.way)?)
        } else {
            None
        };
        self.collapsed
            .check(part, &mut way.way, Some(&self.table))?;
        if way.frames.len() <= depth {
            way.frames.resize_with(depth + 1, BoxedFrame::default);
        }
        let mut frame = std::mem::take(&mut way.frames[depth]);
        match lower {
            Some(lower) => self.collapsed.vertices(lower, &mut frame.lower),
            None => at_best(error, &mut frame.lower),
        }
        frame.best.clear();
        frame.best.push(vertex(1, error));
        let result = self.search(part, levels, start, depth, &mut frame, way);
        let stored = result.map(|()| self.table.insert(key, &frame.best));
        way.frames[depth] = frame;
        stored.map(SolvedHull::Stored)
    }

    /// The best hull of some points in a box, if it is known without a search.
    pub(crate) fn known(
        &self,
        part: &PointSet<S>,
        levels: &Levels,
        members: &[u32],
    ) -> Option<SolvedHull> {
        let error = self.collapsed.error(part);
        if self.collapsed.front.is_leaf(error) {
            return Some(SolvedHull::Leaf(error));
        }
        let key = self.key(part, levels, members);
        self.table.get(key).map(SolvedHull::Stored)
    }

    /// The name of some points in a box.
    pub(crate) fn key(&self, part: &PointSet<S>, levels: &Levels, members: &[u32]) -> Key {
        let differing = self.collapsed.differing(members);
        let mut key = part.key;
        for (coordinate, field) in self.collapsed.fields.iter().enumerate() {
            if let Some(bit) = field.first_bit(differing[field.word as usize]) {
                let empty = field.level(bit) - u32::from(levels[coordinate]);
                key = key.wrapping_add(self.keys[coordinate][empty as usize]);
            }
        }
        key
    }

    /// The splits of some points, the most promising first. Boxes differ even where points are parted
    /// alike, so all of them.
    pub(crate) fn splits(&self, part: &PointSet<S>, members: &[u32], out: &mut Vec<Halving<S>>) {
        self.collapsed.halvings(part, members, out);
        out.sort_unstable_by_key(by_promise);
    }

    fn search(
        &self,
        part: &PointSet<S>,
        levels: &Levels,
        start: usize,
        depth: usize,
        frame: &mut BoxedFrame<S>,
        way: &mut BoxedStack<S>,
    ) -> Result<(), Stopped> {
        let switches = self.collapsed.switches();
        let mut halvings = std::mem::take(&mut frame.halvings);
        self.splits(part, &way.way.members[start..], &mut halvings);
        for halving in &halvings {
            if switches.lower_bounds && self.collapsed.front.is_dominated(&frame.lower, &frame.best)
            {
                break;
            }
            self.try_halving(halving, levels, start, depth, frame, way)?;
        }
        for halving in &halvings {
            self.try_zoom(halving, part, levels, start, depth, frame, way)?;
        }
        frame.halvings = halvings;
        Ok(())
    }

    /// Solves the sides as far as it may help, first without boxes, and takes the split in.
    fn try_halving(
        &self,
        halving: &Halving<S>,
        levels: &Levels,
        start: usize,
        depth: usize,
        frame: &mut BoxedFrame<S>,
        way: &mut BoxedStack<S>,
    ) -> Result<(), Stopped> {
        let switches = self.collapsed.switches();
        let empty = self.empty_leaves(halving, levels);
        let known = |side: &PointSet<S>, error: u64| match self.collapsed.solved_before(side, error)
        {
            Some(leaf @ SolvedHull::Leaf(_)) => SideState::Solved(leaf),
            Some(lower) if switches.collapsed_bounds => SideState::Lower(lower),
            _ => SideState::Unknown,
        };
        let mut sides = [
            known(&halving.left, halving.left_error),
            known(&halving.right, halving.right_error),
        ];
        frame.levels.clone_from(levels);
        frame.levels[halving.coordinate as usize] = self.level(halving) as u8 + 1;
        let front = self.collapsed.front;
        loop {
            self.side_vertices(sides[0], halving.left_error, &mut frame.left);
            self.side_vertices(sides[1], halving.right_error, &mut frame.right);
            front.sum(&frame.left, &frame.right, empty, &mut frame.candidate);
            if switches.lower_bounds && front.is_dominated(&frame.candidate, &frame.best) {
                return Ok(());
            }
            // The side of which less is known, of equals the smaller one, or both at once.
            let is_left_smaller = halving.left.n_points <= halving.right.n_points;
            let is_right = match sides[0].known().cmp(&sides[1].known()) {
                std::cmp::Ordering::Less => false,
                std::cmp::Ordering::Greater => true,
                std::cmp::Ordering::Equal if sides[0].known() == 2 => break,
                std::cmp::Ordering::Equal if self.collapsed.are_both_large(halving) => {
                    sides = self.learn_both(sides, halving, start, depth, &frame.levels, way)?;
                    continue;
                }
                std::cmp::Ordering::Equal => !is_left_smaller,
            };
            let side = &mut sides[usize::from(is_right)];
            *side = self.learn_side(*side, halving, is_right, start, depth, &frame.levels, way)?;
        }
        front.union(&frame.best, &frame.candidate, &mut frame.merged);
        std::mem::swap(&mut frame.best, &mut frame.merged);
        Ok(())
    }

    fn side_vertices(&self, side: SideState, error: u64, out: &mut Vec<Vertex>) {
        match side {
            SideState::Unknown => at_best(error, out),
            SideState::Lower(best) => self.collapsed.vertices(best, out),
            SideState::Solved(best) => self.vertices(best, out),
        }
    }

    /// Takes one step towards the hull of a side, whose box has been halved as `inside` says.
    #[expect(
        clippy::too_many_arguments,
        reason = "the place of a side in the search"
    )]
    fn learn_side(
        &self,
        side: SideState,
        halving: &Halving<S>,
        is_right: bool,
        start: usize,
        depth: usize,
        inside: &Levels,
        way: &mut BoxedStack<S>,
    ) -> Result<SideState, Stopped> {
        let end = way.way.members.len();
        self.collapsed
            .push_side(halving, is_right, start, end, &mut way.way);
        let part = halving.side(usize::from(is_right));
        let learned = self.learn(side, part, inside, end, depth + 1, way);
        way.way.members.truncate(end);
        learned
    }

    /// Takes one step towards the hulls of both sides, side by side.
    fn learn_both(
        &self,
        sides: [SideState; 2],
        halving: &Halving<S>,
        start: usize,
        depth: usize,
        inside: &Levels,
        way: &mut BoxedStack<S>,
    ) -> Result<[SideState; 2], Stopped> {
        let members = self
            .collapsed
            .side(halving, true, &way.way.members[start..]);
        let mut other = BoxedStack::new(SearchStack::new(members));
        let (left, right) = rayon::join(
            || self.learn_side(sides[0], halving, false, start, depth, inside, way),
            || self.learn(sides[1], &halving.right, inside, 0, 0, &mut other),
        );
        way.way.work += other.way.work;
        Ok([left?, right?])
    }

    /// The next better knowledge of the points `members[start..]`.
    fn learn(
        &self,
        side: SideState,
        part: &PointSet<S>,
        inside: &Levels,
        start: usize,
        depth: usize,
        way: &mut BoxedStack<S>,
    ) -> Result<SideState, Stopped> {
        if matches!(side, SideState::Unknown) && self.collapsed.switches().collapsed_bounds {
            let lower = self.collapsed.solve(part, start, 0, &mut way.way)?;
            return Ok(SideState::Lower(lower));
        }
        let best = self.solve(part, inside, start, depth, way)?;
        Ok(SideState::Solved(best))
    }

    /// Pays the empty leaves of a coordinate and goes on in the smaller box.
    #[expect(
        clippy::too_many_arguments,
        reason = "the place of a box in the search"
    )]
    fn try_zoom(
        &self,
        halving: &Halving<S>,
        part: &PointSet<S>,
        levels: &Levels,
        start: usize,
        depth: usize,
        frame: &mut BoxedFrame<S>,
        way: &mut BoxedStack<S>,
    ) -> Result<(), Stopped> {
        let empty = self.empty_leaves(halving, levels);
        if empty == 0 {
            return Ok(());
        }
        let front = self.collapsed.front;
        let shift = |hull: &[Vertex], out: &mut Vec<Vertex>| {
            out.clear();
            let larger = hull.iter().filter(|vertex| vertex.leaves > 1);
            out.extend(larger.map(|c| vertex(c.leaves + empty, c.error)));
        };
        shift(&frame.lower, &mut frame.candidate);
        let has_bounds = self.collapsed.switches().lower_bounds;
        if has_bounds && front.is_dominated(&frame.candidate, &frame.best) {
            return Ok(());
        }
        frame.levels.clone_from(levels);
        frame.levels[halving.coordinate as usize] = self.level(halving) as u8;
        let best = self.solve(part, &frame.levels, start, depth + 1, way)?;
        self.vertices(best, &mut frame.left);
        shift(&frame.left, &mut frame.candidate);
        front.union(&frame.best, &frame.candidate, &mut frame.merged);
        std::mem::swap(&mut frame.best, &mut frame.merged);
        Ok(())
    }
}

impl SideState {
    /// How much is known.
    fn known(self) -> u8 {
        match self {
            Self::Unknown => 0,
            Self::Lower(_) => 1,
            Self::Solved(_) => 2,
        }
    }
}
