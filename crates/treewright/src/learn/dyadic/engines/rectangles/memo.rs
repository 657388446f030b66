//! Solved rectangles by their exact names.
//!
//! A rectangle is named by a one and the bits of its halvings so far, for each coordinate: a coordinate
//! that can be halved `k` times takes `k + 1` bits of the name. Tables that need more bits than a name has
//! are refused. There may be tens of millions of rectangles, so an entry is 16 bytes where names fit into
//! 64 bits, and 24 where they do not.

use rustc_hash::FxHashMap;

use crate::learn::dyadic::frontier::{Vertex, vertex};
use crate::learn::dyadic::problem::Field;

/// The name of a rectangle.
pub(crate) type Name = u128;

/// Where the bits of a coordinate are in a name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NameBits {
    shift: u32,
    mask: Name,
}

impl NameBits {
    /// A slot for each coordinate; `None` if there is not room for all.
    pub(crate) fn lay_out(fields: &[Field]) -> Option<Vec<Self>> {
        if n_bits(fields) > Name::BITS {
            return None;
        }
        let mut shift = 0;
        let place = |field: &Field| {
            let mask = (1 << (field.bits + 1)) - 1;
            shift += field.bits + 1;
            Self {
                shift: shift - field.bits - 1,
                mask,
            }
        };
        Some(fields.iter().map(place).collect())
    }

    /// The name of the box of everything.
    pub(crate) fn whole(slots: &[Self]) -> Name {
        slots.iter().fold(0, |name, slot| slot.set(name, 0, 0))
    }

    /// How often the coordinate was halved.
    pub(crate) fn level(self, name: Name) -> u32 {
        (name >> self.shift & self.mask).ilog2()
    }

    /// The name with other halvings of this coordinate.
    pub(crate) fn set(self, name: Name, level: u32, bits: u64) -> Name {
        let others = name & !(self.mask << self.shift);
        others | (1 << level | Name::from(bits)) << self.shift
    }
}

/// How many bits the names of rectangles have.
fn n_bits(fields: &[Field]) -> u32 {
    fields.iter().map(|field| field.bits + 1).sum()
}

/// The best tree of a rectangle: its figures, and the coordinate that it halves first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    error: u32,
    /// The coordinate in the lowest bits: a name has room for no more than 64.
    packed: u32,
}

const COORDINATE_BITS: u32 = 6;

impl Entry {
    /// Every tree must have fewer leaves than this.
    pub(crate) const TOO_MANY_LEAVES: u32 = 1 << (u32::BITS - COORDINATE_BITS);

    pub(crate) fn new(value: Vertex, coordinate: usize) -> Self {
        Self {
            // Cells have narrow sums only.
            error: value.error as u32,
            packed: value.leaves << COORDINATE_BITS | coordinate as u32,
        }
    }

    pub(crate) fn value(self) -> Vertex {
        vertex(self.packed >> COORDINATE_BITS, self.error.into())
    }

    /// Which coordinate is halved, if the tree is not a leaf.
    pub(crate) fn coordinate(self) -> usize {
        (self.packed & ((1 << COORDINATE_BITS) - 1)) as usize
    }
}

/// Best trees by the names of their rectangles.
#[derive(Debug)]
pub(crate) enum Memo {
    Narrow(FxHashMap<u64, Entry>),
    // Two halves: a `u128` would be padded to 32 bytes with its entry.
    Wide(FxHashMap<(u64, u64), Entry>),
}

impl Memo {
    pub(crate) fn new(fields: &[Field]) -> Self {
        if n_bits(fields) <= u64::BITS {
            Self::Narrow(FxHashMap::default())
        } else {
            Self::Wide(FxHashMap::default())
        }
    }

    pub(crate) fn get(&self, name: Name) -> Option<Entry> {
        match self {
            Self::Narrow(entries) => entries.get(&(name as u64)).copied(),
            Self::Wide(entries) => entries.get(&halves(name)).copied(),
        }
    }

    pub(crate) fn insert(&mut self, name: Name, entry: Entry) {
        match self {
            Self::Narrow(entries) => entries.insert(name as u64, entry),
            Self::Wide(entries) => entries.insert(halves(name), entry),
        };
    }

    /// Forgets all rectangles.
    pub(crate) fn clear(&mut self) {
        match self {
            Self::Narrow(entries) => entries.clear(),
            Self::Wide(entries) => entries.clear(),
        }
    }

    /// Memory in use, about.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Narrow(entries) => entries.capacity() * (size_of::<(u64, Entry)>() + 1),
            Self::Wide(entries) => entries.capacity() * (size_of::<((u64, u64), Entry)>() + 1),
        }
    }
}

fn halves(name: Name) -> (u64, u64) {
    (name as u64, (name >> u64::BITS) as u64)
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn names_hold_the_halvings_of_each_coordinate() {
        let (fields, _) = Field::lay_out(&[3, 64, 1]);
        let slots = NameBits::lay_out(&fields).unwrap();
        let whole = NameBits::whole(&slots);
        let name = slots[1].set(slots[0].set(whole, 2, 0b01), 64, u64::MAX);
        let levels: Vec<u32> = slots.iter().map(|slot| slot.level(name)).collect();
        assert_eq!(levels, [2, 64, 0]);
        assert_ne!(name, slots[0].set(name, 3, 0b001));
        assert_eq!(slots[1].set(slots[0].set(name, 0, 0), 0, 0), whole);
        let (fields, _) = Field::lay_out(&[60, 60, 6]);
        assert!(NameBits::lay_out(&fields).is_none());
    }

    #[test]
    fn entries_are_small() {
        assert_eq!(size_of::<(u64, Entry)>(), 16);
        assert_eq!(size_of::<((u64, u64), Entry)>(), 24);
        let entry = Entry::new(vertex(Entry::TOO_MANY_LEAVES - 1, u32::MAX.into()), 63);
        assert_eq!(entry.value(), vertex((1 << 26) - 1, u32::MAX.into()));
        assert_eq!(entry.coordinate(), 63);
    }
}
