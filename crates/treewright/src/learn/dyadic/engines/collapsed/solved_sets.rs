//! Solved sets of points, shared by all threads.
//!
//! Hulls by key, in shards with a lock each. A shard is an open table with linear probing: the key is
//! random already, so its bits are its hash. Hulls are never changed or taken out.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::learn::dyadic::engines::keys::Key;
use crate::learn::dyadic::frontier::Vertex;

/// Where a hull is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stored {
    shard: u32,
    start: u32,
    length: u32,
}

/// Hulls by key.
#[derive(Debug)]
pub(crate) struct SolvedSets {
    shards: Vec<Mutex<Shard>>,
}

#[derive(Debug, Default)]
struct Shard {
    slots: Vec<Slot>,
    n_used: usize,
    vertices: Vec<Vertex>,
}

/// A key in two halves (a `u128` would be padded) and the place of its hull.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    key: [u64; 2],
    start: u32,
    /// Zero in a free slot.
    length: u32,
}

/// Enough that two threads seldom meet.
const N_SHARDS: usize = 64;

/// The slots of a new shard.
const FEWEST_SLOTS: usize = 64;

impl Default for SolvedSets {
    fn default() -> Self {
        Self {
            shards: (0..N_SHARDS).map(|_| Mutex::default()).collect(),
        }
    }
}

impl SolvedSets {
    pub(crate) fn get(&self, key: Key) -> Option<Stored> {
        let (shard, halves) = place(key);
        let slots = self.lock(shard);
        let slot = slots.slots.get(slots.find(halves)?)?;
        (slot.length > 0).then_some(Stored {
            shard: shard as u32,
            start: slot.start,
            length: slot.length,
        })
    }

    /// Keeps a hull. If another thread was faster, its hull is the same.
    pub(crate) fn insert(&self, key: Key, hull: &[Vertex]) -> Stored {
        let (shard, halves) = place(key);
        let (start, length) = self.lock(shard).insert(halves, hull);
        Stored {
            shard: shard as u32,
            start,
            length,
        }
    }

    /// Copies a hull.
    pub(crate) fn read(&self, stored: Stored, out: &mut Vec<Vertex>) {
        let shard = self.lock(stored.shard as usize);
        let vertices = &shard.vertices[stored.start as usize..];
        out.extend_from_slice(&vertices[..stored.length as usize]);
    }

    /// Number of hulls.
    pub(crate) fn len(&self) -> usize {
        (0..N_SHARDS).map(|shard| self.lock(shard).n_used).sum()
    }

    /// Memory in use.
    pub(crate) fn bytes(&self) -> usize {
        let bytes = |shard| {
            let shard = self.lock(shard);
            shard.slots.capacity() * size_of::<Slot>()
                + shard.vertices.capacity() * size_of::<Vertex>()
        };
        (0..N_SHARDS).map(bytes).sum()
    }

    /// How many places are looked at to find a hull, on average. That does not depend on the order in
    /// which they came.
    pub(crate) fn probes(&self) -> f64 {
        let (mut sum, mut n) = (0, 0);
        for shard in 0..N_SHARDS {
            let shard = self.lock(shard);
            let mask = shard.slots.len().wrapping_sub(1);
            for (at, slot) in shard.slots.iter().enumerate() {
                if slot.length > 0 {
                    sum += (at.wrapping_sub(slot.key[0] as usize) & mask) + 1;
                    n += 1;
                }
            }
        }
        sum as f64 / f64::from(n.max(1))
    }

    fn lock(&self, shard: usize) -> MutexGuard<'_, Shard> {
        // A hull is complete before its slot is taken.
        self.shards[shard]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The shard of a key, and its halves.
fn place(key: Key) -> (usize, [u64; 2]) {
    let halves = [key as u64, (key >> 64) as u64];
    ((halves[0] >> 32) as usize % N_SHARDS, halves)
}

impl Shard {
    /// The slot of a key, or the free one where it belongs; `None` while there are no slots.
    fn find(&self, key: [u64; 2]) -> Option<usize> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = key[0] as usize & mask;
        while self.slots[at].length > 0 && self.slots[at].key != key {
            at = (at + 1) & mask;
        }
        Some(at)
    }

    fn insert(&mut self, key: [u64; 2], hull: &[Vertex]) -> (u32, u32) {
        if self.n_used * 4 >= self.slots.len() * 3 {
            self.grow();
        }
        let at = self.find(key).expect("there are slots now");
        if self.slots[at].length == 0 {
            self.slots[at] = Slot {
                key,
                start: self.vertices.len() as u32,
                length: hull.len() as u32,
            };
            self.vertices.extend_from_slice(hull);
            self.n_used += 1;
        }
        (self.slots[at].start, self.slots[at].length)
    }

    fn grow(&mut self) {
        let n_slots = (self.slots.len() * 2).max(FEWEST_SLOTS);
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); n_slots]);
        for slot in old.into_iter().filter(|slot| slot.length > 0) {
            let at = self.find(slot.key).expect("there are slots now");
            self.slots[at] = slot;
        }
    }
}
