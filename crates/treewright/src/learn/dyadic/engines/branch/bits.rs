//! Sets of points as bits.
//!
//! For every halving of every coordinate there is a column with one bit for each point: is it in the
//! right half? A side of a split is then the set and a column; losses are counts of bits, one column for
//! each binary digit of the loss of a class. Where few points of a universe are left, they move to a
//! smaller one.

use crate::budget::Budget;
use crate::learn::dyadic::deadline::Stopped;
use crate::learn::dyadic::engines::keys::{Key, Keys};
use crate::learn::dyadic::problem::Points;

/// Points that sets are made of.
#[derive(Debug)]
pub(crate) struct Universe {
    n_words: usize,
    /// The points, as they are numbered elsewhere.
    ids: Vec<u32>,
    /// `n_words` for each column.
    columns: Vec<u64>,
    digits: Vec<u64>,
}

/// What all universes of the same points share.
#[derive(Debug)]
pub(crate) struct Layout {
    /// The first column of each coordinate, and the number of all.
    first: Vec<usize>,
    /// For each digit its class and place.
    digits: Vec<(usize, u32)>,
    pub(super) n_classes: usize,
    /// A random number for each point: sums of them name sets.
    keys: Vec<Key>,
}

/// Some points of a universe, in a cell that can be halved further.
#[derive(Debug, Clone)]
pub(crate) struct Set {
    pub(super) bits: Vec<u64>,
    /// For each coordinate the first halving that may separate the points.
    pub(super) levels: Vec<u8>,
    pub(super) key: Key,
    pub(super) n_points: u32,
    /// The loss of each class.
    pub(super) losses: Vec<u64>,
}

/// A split of a set, by its figures.
#[derive(Debug, Clone)]
pub(crate) struct Split {
    pub(super) coordinate: usize,
    pub(super) level: u8,
    /// Errors of the sides.
    pub(super) errors: [u64; 2],
    pub(super) n_right: u32,
}

impl Layout {
    pub(crate) fn new(points: &Points) -> Self {
        let mut first = vec![0];
        for field in &points.fields {
            first.push(first[first.len() - 1] + field.bits as usize);
        }
        let digits = (0..points.n_classes).flat_map(|class| {
            let losses = points.losses.iter().skip(class).step_by(points.n_classes);
            let largest = losses.max().copied().unwrap_or(0);
            (0..u64::BITS - largest.leading_zeros()).map(move |digit| (class, digit))
        });
        let mut random = Keys::new(0x6269_7473_6574_7321);
        Self {
            first,
            digits: digits.collect(),
            n_classes: points.n_classes,
            keys: (0..points.len()).map(|_| random.next()).collect(),
        }
    }

    /// The universe of all points.
    pub(crate) fn universe(&self, points: &Points, budget: &Budget) -> Result<Universe, Stopped> {
        /// Points between two checks of the deadline.
        const CHUNK: usize = 4096;
        let n_words = points.len().div_ceil(64);
        let mut universe = Universe {
            n_words,
            ids: (0..points.len() as u32).collect(),
            columns: vec![0; n_words * self.first[points.fields.len()]],
            digits: vec![0; n_words * self.digits.len()],
        };
        for point in 0..points.len() {
            if point.is_multiple_of(CHUNK) && budget.is_spent() {
                return Err(Stopped);
            }
            let (word, bit) = (point / 64, 1_u64 << (point % 64));
            for (coordinate, field) in points.fields.iter().enumerate() {
                let code = points.codes[point * points.n_words + field.word as usize];
                for level in 0..field.bits {
                    let column = self.first[coordinate] + level as usize;
                    if code >> (field.shift + field.bits - 1 - level) & 1 == 1 {
                        universe.columns[column * n_words + word] |= bit;
                    }
                }
            }
            for (column, &(class, digit)) in self.digits.iter().enumerate() {
                if points.losses_of(point)[class] >> digit & 1 == 1 {
                    universe.digits[column * n_words + word] |= bit;
                }
            }
        }
        Ok(universe)
    }

    /// All points of a universe.
    pub(crate) fn whole(&self, universe: &Universe) -> Set {
        let n_points = universe.ids.len();
        let mut bits = vec![u64::MAX; universe.n_words];
        if !n_points.is_multiple_of(64) {
            bits[n_points / 64] = (1 << (n_points % 64)) - 1;
        }
        Set {
            levels: vec![0; self.first.len() - 1],
            key: self.key(universe, bits.iter().copied()),
            n_points: n_points as u32,
            losses: self.losses(universe, |word| bits[word]),
            bits,
        }
    }

    /// The name of some points.
    fn key(&self, universe: &Universe, words: impl Iterator<Item = u64>) -> Key {
        let mut key: Key = 0;
        for (word, mut bits) in words.enumerate() {
            while bits != 0 {
                let point = universe.ids[word * 64 + bits.trailing_zeros() as usize];
                key = key.wrapping_add(self.keys[point as usize]);
                bits &= bits - 1;
            }
        }
        key
    }

    /// The loss of each class of some points.
    fn losses(&self, universe: &Universe, word_of: impl Fn(usize) -> u64) -> Vec<u64> {
        let mut losses = vec![0; self.n_classes];
        for (column, &(class, digit)) in self.digits.iter().enumerate() {
            let column = universe.digit(column);
            let ones = |(word, bits): (usize, &u64)| (bits & word_of(word)).count_ones();
            let count: u32 = column.iter().enumerate().map(ones).sum();
            losses[class] += u64::from(count) << digit;
        }
        losses
    }

    /// For each coordinate the first halving that separates the points of a set.
    pub(crate) fn splits(&self, universe: &Universe, set: &mut Set, out: &mut Vec<Split>) {
        out.clear();
        for coordinate in 0..set.levels.len() {
            let n_levels = self.first[coordinate + 1] - self.first[coordinate];
            while usize::from(set.levels[coordinate]) < n_levels {
                let level = set.levels[coordinate];
                let column = universe.column(self.first[coordinate] + usize::from(level));
                let both = set.bits.iter().zip(column);
                let n_right: u32 = both.map(|(bits, half)| (bits & half).count_ones()).sum();
                if n_right == 0 || n_right == set.n_points {
                    set.levels[coordinate] += 1;
                    continue;
                }
                let right = self.losses(universe, |word| set.bits[word] & column[word]);
                let left = set
                    .losses
                    .iter()
                    .zip(&right)
                    .map(|(all, right)| all - right);
                out.push(Split {
                    coordinate,
                    level,
                    errors: [
                        left.min().unwrap_or(0),
                        right.into_iter().min().unwrap_or(0),
                    ],
                    n_right,
                });
                break;
            }
        }
    }

    /// The keys of both sides of a split.
    pub(crate) fn keys(&self, universe: &Universe, set: &Set, split: &Split) -> [Key; 2] {
        let column = universe.column(self.first[split.coordinate] + usize::from(split.level));
        let is_right_smaller = split.n_right * 2 <= set.n_points;
        let both = set.bits.iter().zip(column);
        let smaller = both.map(|(bits, half)| bits & if is_right_smaller { *half } else { !half });
        let key = self.key(universe, smaller);
        let other = set.key.wrapping_sub(key);
        if is_right_smaller {
            [other, key]
        } else {
            [key, other]
        }
    }

    /// One side of a split.
    pub(crate) fn side(
        &self,
        universe: &Universe,
        set: &Set,
        split: &Split,
        side: usize,
        key: Key,
    ) -> Set {
        let column = universe.column(self.first[split.coordinate] + usize::from(split.level));
        let both = set.bits.iter().zip(column);
        let bits: Vec<u64> = both
            .map(|(bits, half)| bits & if side == 1 { *half } else { !half })
            .collect();
        let mut levels = set.levels.clone();
        levels[split.coordinate] += 1;
        let n_right = split.n_right;
        Set {
            levels,
            key,
            n_points: if side == 1 {
                n_right
            } else {
                set.n_points - n_right
            },
            losses: self.losses(universe, |word| bits[word]),
            bits,
        }
    }

    /// A universe of the points of a set alone, if that is much smaller.
    pub(crate) fn packed(&self, universe: &Universe, set: &mut Set) -> Option<Universe> {
        let n_points = set.n_points as usize;
        if universe.n_words <= 2 || n_points * 6 > universe.ids.len() {
            return None;
        }
        let mut places = Vec::with_capacity(n_points);
        for (word, &bits) in set.bits.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                places.push((word, bits.trailing_zeros()));
                bits &= bits - 1;
            }
        }
        let n_words = n_points.div_ceil(64);
        let pack = |columns: &[u64]| {
            let mut packed = vec![0; columns.len() / universe.n_words * n_words];
            let old = columns.chunks(universe.n_words);
            for (old, new) in old.zip(packed.chunks_mut(n_words)) {
                for (place, &(word, bit)) in places.iter().enumerate() {
                    new[place / 64] |= (old[word] >> bit & 1) << (place % 64);
                }
            }
            packed
        };
        let id = |&(word, bit): &(usize, u32)| universe.ids[word * 64 + bit as usize];
        let packed = Universe {
            n_words,
            ids: places.iter().map(id).collect(),
            columns: pack(&universe.columns),
            digits: pack(&universe.digits),
        };
        set.bits = self.whole(&packed).bits;
        Some(packed)
    }

    /// The bits of a coordinate that all points of a set share, down to a level.
    pub(crate) fn prefix(
        &self,
        universe: &Universe,
        set: &Set,
        coordinate: usize,
        level: u8,
    ) -> u32 {
        let (word, bits) = set
            .bits
            .iter()
            .enumerate()
            .find(|(_, bits)| **bits != 0)
            .expect("a set has points");
        let bit = bits.trailing_zeros();
        (0..usize::from(level)).fold(0, |prefix, level| {
            let column = universe.column(self.first[coordinate] + level);
            prefix << 1 | (column[word] >> bit & 1) as u32
        })
    }
}

impl Universe {
    /// No points.
    pub(crate) const EMPTY: Self = Self {
        n_words: 0,
        ids: Vec::new(),
        columns: Vec::new(),
        digits: Vec::new(),
    };

    fn column(&self, column: usize) -> &[u64] {
        &self.columns[column * self.n_words..][..self.n_words]
    }

    fn digit(&self, column: usize) -> &[u64] {
        &self.digits[column * self.n_words..][..self.n_words]
    }
}

impl Set {
    /// The error as a leaf.
    pub(crate) fn error(&self) -> u64 {
        self.losses.iter().copied().min().unwrap_or(0)
    }
}
