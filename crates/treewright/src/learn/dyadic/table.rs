//! Solved subsets: hulls by key, in two flat arrays.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::hull::Corner;

/// Names a set of points, or such a set together with its box: a sum of random numbers, one for each
/// point. Two of ten million different sets share a name with a chance of about one in 10^24.
pub(super) type Key = u128;

/// A hull in the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stored {
    start: u32,
    length: u32,
}

/// Hulls by key.
#[derive(Debug, Default)]
pub(super) struct Table {
    // Two halves: a `u128` would be padded to 32 bytes with its entry.
    places: HashMap<[u64; 2], Stored, BuildHasherDefault<KeyHasher>>,
    corners: Vec<Corner>,
}

impl Table {
    pub(super) fn get(&self, key: Key) -> Option<Stored> {
        self.places.get(&halves(key)).copied()
    }

    pub(super) fn insert(&mut self, key: Key, hull: &[Corner]) -> Stored {
        let stored = Stored {
            start: self.corners.len() as u32,
            length: hull.len() as u32,
        };
        self.corners.extend_from_slice(hull);
        self.places.insert(halves(key), stored);
        stored
    }

    pub(super) fn hull(&self, stored: Stored) -> &[Corner] {
        &self.corners[stored.start as usize..][..stored.length as usize]
    }

    /// Number of hulls.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Memory in use, about.
    pub(super) fn bytes(&self) -> usize {
        self.places.capacity() * (size_of::<([u64; 2], Stored)>() + 1)
            + self.corners.capacity() * size_of::<Corner>()
    }
}

fn halves(key: Key) -> [u64; 2] {
    [key as u64, (key >> 64) as u64]
}

/// Keys are random already: half of one is its hash.
#[derive(Debug, Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = self.0.rotate_left(32) ^ word;
    }

    fn write_usize(&mut self, _: usize) {}
}
