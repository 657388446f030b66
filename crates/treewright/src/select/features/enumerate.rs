//! All and only the distinct trees: Ruggieri's enumeration.
//!
//! The sets `F` with `required ⊆ F ⊆ required ∪ optional` are gone through from the largest down. The largest
//! is the union itself, with some tree. A set that lacks only features on which this tree does not split has
//! the same tree. Every other set lacks some of the optional features on which it does, `a_1, a_2, ...` in some
//! order; let `a_i` be the last of them that it lacks. Then it contains `a_(i+1), a_(i+2), ...`: they become
//! required, `a_1 .. a_(i-1)` and the optional features that the tree does not use stay optional. So every set
//! is met on one way only.
//!
//! A tree is counted where all required features are used. The tree that uses exactly the features `W` is
//! that of the set `W` itself, and of all sets with this tree only the way to `W` has nothing required that is
//! not in `W`: each tree is counted once. With few rows at the splits of `a_1` and many at those of the last
//! feature, required features rarely fall out of use, and little is built in vain.
//!
//! In line 8 of the paper's Algorithm 2 the unused features are taken away from a set that has none of
//! them; what is meant is that they stay optional.

use super::lattice::{Lattice, Top, bits};

/// In which order the features of a tree are taken away. Every order finds the same trees; how many trees
/// are built in vain differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// First those whose splits few rows reach.
    #[default]
    Frontier,
    /// First those whose splits many rows reach.
    Reverse,
    /// In the order of the table.
    Index,
}

/// One set of features on the way, with its trees.
#[derive(Debug, Default, Clone)]
pub(super) struct Place {
    pub(super) required: Vec<u64>,
    pub(super) optional: Vec<u64>,
    pub(super) set: Vec<u64>,
    pub(super) tops: Vec<Top>,
    pub(super) used: Vec<u64>,
    /// Its share of all sets, if a feature is in half of them.
    pub(super) width: f64,
    /// Is the tree one that no other set on the way yields?
    pub(super) is_new: bool,
    todo: Vec<u32>,
    next: usize,
}

/// Where an enumeration begins: all sets between these two.
#[derive(Debug, Clone)]
pub(super) struct Start {
    pub(super) required: Vec<u64>,
    pub(super) optional: Vec<u64>,
}

impl Start {
    /// All sets of this many features.
    pub(super) fn all(n_features: usize) -> Self {
        Self {
            required: vec![0; bits::words_for(n_features)],
            optional: bits::all(n_features),
        }
    }
}

/// Goes through the sets of features whose trees may differ.
#[derive(Debug)]
pub(super) struct Enumeration<'a> {
    pub(super) lattice: Lattice<'a>,
    order: Order,
    places: Vec<Place>,
    depth: usize,
    proposed: usize,
    scratch: Vec<(f64, u32)>,
}

impl<'a> Enumeration<'a> {
    pub(super) fn new(lattice: Lattice<'a>, order: Order) -> Self {
        Self {
            lattice,
            order,
            places: Vec::new(),
            depth: 0,
            proposed: 0,
            scratch: Vec::new(),
        }
    }

    /// Begins anew at some sets with the largest; what has been grown stays known.
    pub(super) fn start(&mut self, start: &Start) -> &Place {
        if self.places.is_empty() {
            self.places.push(Place::default());
        }
        let place = &mut self.places[0];
        place.required.clone_from(&start.required);
        place.optional.clone_from(&start.optional);
        place.set.clone_from(&start.required);
        place.width = 1.0;
        bits::add_all(&mut place.set, &start.optional);
        self.lattice.grow(&place.set, &mut place.tops);
        self.depth = 1;
        self.arrive();
        &self.places[0]
    }

    /// Prepares the next set; `false` if there is none. It is left out with all its subsets unless
    /// [`Self::accept`] follows.
    pub(super) fn propose(&mut self) -> bool {
        while self.depth > 0 {
            let place = &mut self.places[self.depth - 1];
            if place.next == place.todo.len() {
                self.depth -= 1;
                continue;
            }
            self.proposed = place.todo[place.next] as usize;
            place.next += 1;
            self.prepare();
            return true;
        }
        false
    }

    /// Is there anything left to be proposed?
    pub(super) fn is_ahead(&self) -> bool {
        let mut places = self.places[..self.depth].iter();
        places.any(|place| place.next < place.todo.len())
    }

    /// The set that was proposed, without its trees.
    pub(super) fn proposal(&mut self) -> (&mut Place, &mut Lattice<'a>) {
        (&mut self.places[self.depth], &mut self.lattice)
    }

    /// Grows the trees of the set that was proposed.
    pub(super) fn accept(&mut self) -> &Place {
        let (above, below) = self.places.split_at_mut(self.depth);
        let (from, to) = (&above[self.depth - 1], &mut below[0]);
        self.lattice
            .without(self.proposed, &to.set, &from.tops, &mut to.tops);
        self.depth += 1;
        self.arrive();
        &self.places[self.depth - 1]
    }

    /// Takes the last step back, so that the set that was reached with it is left out.
    pub(super) fn step_back(&mut self) {
        self.depth -= 1;
    }

    /// The set that was reached last.
    pub(super) fn place(&self) -> &Place {
        &self.places[self.depth - 1]
    }

    /// The share of the sets that lie behind, counted from the start.
    pub(super) fn share_done(&self) -> f64 {
        let behind = self.places[..self.depth].iter().map(|place| {
            // What comes next is part of a place below, unless it is still to be proposed.
            let ahead = place.todo.len() - place.next + 1;
            place.width * half_to_the(ahead)
        });
        if self.depth == 0 { 1.0 } else { behind.sum() }
    }

    /// Takes a feature away from the set reached last.
    fn prepare(&mut self) {
        if self.places.len() == self.depth {
            self.places.push(Place::default());
        }
        let in_use = self.places[..self.depth].iter_mut();
        self.lattice
            .forget_if_full(in_use.map(|place| &mut place.tops));
        let (above, below) = self.places.split_at_mut(self.depth);
        let (from, to) = (&mut above[self.depth - 1], &mut below[0]);
        bits::remove(&mut from.required, self.proposed);
        to.required.clone_from(&from.required);
        to.optional.clone_from(&from.optional);
        bits::add(&mut from.optional, self.proposed);
        to.set.clone_from(&from.set);
        bits::remove(&mut to.set, self.proposed);
        // The last one to be taken away has half of all sets, the one before it a quarter, ...
        to.width = from.width * half_to_the(from.todo.len() - from.next + 1);
    }

    /// Finds out which features are to be taken away from the set that was reached.
    fn arrive(&mut self) {
        let place = &mut self.places[self.depth - 1];
        let Place {
            tops, used, todo, ..
        } = place;
        used.clear();
        used.resize(place.set.len(), 0);
        for top in &*tops {
            bits::add_all(used, top.used());
        }
        place.next = 0;
        place.is_new = bits::is_subset(&place.required, used);
        todo.clear();
        for (at, (used, optional)) in used.iter().zip(&place.optional).enumerate() {
            let mut rest = used & optional;
            while rest != 0 {
                todo.push(64 * at as u32 + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
        for &feature in &*todo {
            bits::remove(&mut place.optional, feature as usize);
            bits::add(&mut place.required, feature as usize);
        }
        if todo.len() < 2 || self.order == Order::Index {
            return;
        }
        let frontier = self.lattice.frontier(tops);
        let by = &mut self.scratch;
        by.clear();
        let sign = if self.order == Order::Frontier {
            1.0
        } else {
            -1.0
        };
        by.extend(
            todo.iter()
                .map(|&feature| (sign * frontier[feature as usize], feature)),
        );
        by.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        todo.clear();
        todo.extend(by.iter().map(|&(_, feature)| feature));
    }
}

fn half_to_the(n: usize) -> f64 {
    0.5_f64.powi(n.min(1000) as i32)
}
