//! One best tree for one alpha, by branch and bound. In the collapsed model, on sets of bits.
//!
//! **Problem.** What is the least `error + alpha * leaves` of a set, *if that is below an upper bound*? Otherwise a
//! proof that it is not will do. What is known about a set, its value or a lower bound, is kept by its key. A set
//! without error needs one leaf; any other at least its error and one leaf, or two leaves.
//!
//! **Lemma.** A tree for a set is, with all splits that separate nothing left out, a tree for any part of it. So a set
//! is worth at least as much as either side of any of its splits.
//!
//! - Splits are tried in the order of their errors, the smaller side first. Its upper bound is what the other side, at
//!   best, leaves of the upper bound of the set.
//! - A set that comes again with a larger upper bound than the one it was refuted for gets some more than that. So
//!   it does not come back for every small step.
//!
//! Ties go to fewer leaves (or to more, if asked for): a leaf costs a tiny bit more (less) than alpha, too little to
//! matter otherwise.

mod bits;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use self::bits::{Layout, Set, Split, Universe};
use crate::learn::dyadic::deadline::{SearchLimits, Stopped};
use crate::learn::dyadic::engines::keys::Key;
use crate::learn::dyadic::frontier::Alpha;
use crate::learn::dyadic::parameters::Ties;
use crate::learn::dyadic::plan::HalvingPlan;
use crate::learn::dyadic::problem::Points;

/// Solved and refuted sets for one alpha.
#[derive(Debug)]
pub(crate) struct Branch {
    layout: Layout,
    universe: Universe,
    /// What a loss of one and what a leaf is worth.
    per_error: u64,
    per_leaf: u64,
    /// A value is the error + alpha * leaves, times this and the denominator of the alpha, and less than
    /// this off.
    much: u64,
    table: HashMap<[u64; 2], KnownValue, BuildHasherDefault<KeyHasher>>,
    limits: SearchLimits,
    /// Points looked at, times coordinates; and how much of that when the deadline was checked.
    work: u64,
    checked: u64,
    /// The key of all points, and the split of the best tree found for them so far.
    root: Key,
    incumbent: Option<u16>,
}

/// What is known about a set.
#[derive(Debug, Clone, Copy)]
struct KnownValue {
    /// Its value, or a lower bound.
    value: u64,
    is_exact: bool,
    /// Where the value comes from; `LEAF` for one leaf.
    coordinate: u16,
}

const LEAF: u16 = u16::MAX;

/// The outcome of a search.
#[derive(Debug)]
pub(crate) struct BranchResult {
    /// The best tree, if one is better than the one that was known.
    pub(crate) plan: Option<HalvingPlan>,
    /// No tree is worth less; if the search came to its end, the best one is worth this.
    pub(crate) value: u64,
    /// No tree has a smaller error + alpha * leaves.
    pub(crate) least_risk: f64,
    /// Did the search come to its end?
    pub(crate) is_complete: bool,
}

impl Branch {
    /// `None` if the numbers get too long, or there are too many features.
    pub(crate) fn new(
        points: &Points,
        alpha: Alpha,
        ties: Ties,
        limits: SearchLimits,
    ) -> Result<Option<Self>, Stopped> {
        let Some((per_error, per_leaf, much)) = Self::numbers(points, alpha, ties) else {
            return Ok(None);
        };
        let layout = Layout::new(points);
        Ok(Some(Self {
            universe: layout.universe(points, &limits.budget)?,
            layout,
            per_error,
            per_leaf,
            much,
            table: HashMap::default(),
            limits,
            work: 0,
            checked: 0,
            root: 0,
            incumbent: None,
        }))
    }

    /// What an error and a leaf are worth, and a number above that of all leaves; `None` if they get too long.
    fn numbers(points: &Points, alpha: Alpha, ties: Ties) -> Option<(u64, u64, u64)> {
        // More than there can be leaves.
        let much = (points.len() as u64 + 1).next_power_of_two();
        let tiny = match ties {
            _ if alpha.numerator == 0 => 1,
            Ties::Smaller => 1,
            Ties::Larger => -1,
        };
        let per_error = alpha.denominator.checked_mul(much)?;
        let per_leaf = alpha
            .numerator
            .checked_mul(much)?
            .checked_add_signed(tiny)?;
        let all = per_error.checked_mul(points.least_loss() + 1)?;
        all.checked_add(per_leaf.checked_mul(points.len() as u64 + 2)?)
            .filter(|&all| all < u64::MAX / 4 && points.fields.len() < usize::from(LEAF))?;
        Some((per_error, per_leaf, much))
    }

    /// The value of a tree.
    pub(crate) fn value(&self, error: u64, leaves: u32) -> u64 {
        self.per_error * error + self.per_leaf * u64::from(leaves)
    }

    /// Searches for a tree that is worth less than `known`.
    pub(crate) fn search(&mut self, known: u64) -> BranchResult {
        let universe = std::mem::replace(&mut self.universe, Universe::EMPTY);
        let mut whole = self.layout.whole(&universe);
        (self.root, self.incumbent) = (whole.key, None);
        let result = self.solve(&universe, &mut whole, known);
        let (lower, is_complete) = match result {
            Ok(value) => (value, true),
            Err(Stopped) => (self.lower_of_root(&universe, &mut whole).min(known), false),
        };
        let plan = self.incumbent.map(|coordinate| {
            let mut whole = self.layout.whole(&universe);
            self.plan_with(&universe, &mut whole, coordinate)
        });
        self.universe = universe;
        // Whole multiples of the denominator, so that rounding down is enough.
        let risk = lower / self.much;
        BranchResult {
            plan,
            value: lower,
            least_risk: risk as f64 / (self.per_error / self.much) as f64,
            is_complete,
        }
    }

    /// Points looked at, times coordinates.
    pub(crate) fn work(&self) -> u64 {
        self.work
    }

    /// Sets that were solved or refuted.
    pub(crate) fn states(&self) -> usize {
        self.table.len()
    }

    fn get(&self, key: Key) -> Option<KnownValue> {
        self.table.get(&halves(key)).copied()
    }

    /// What is known about a set from before; nothing if the memo is switched off.
    fn known_before(&self, key: Key) -> Option<KnownValue> {
        self.get(key).filter(|_| self.limits.switches.memo)
    }

    fn put(&mut self, key: Key, value: u64, is_exact: bool, coordinate: u16) {
        let known = KnownValue {
            value,
            is_exact,
            coordinate,
        };
        let is_known = |key| self.get(key).is_some_and(|before| before.is_exact);
        if !self.limits.switches.memo && !is_exact && is_known(key) {
            // Solved again, and only refuted this time.
            return;
        }
        self.table.insert(halves(key), known);
    }

    /// A set with this error is worth at least this.
    fn at_least(&self, error: u64) -> u64 {
        if error == 0 || !self.limits.switches.split_bounds {
            return self.per_leaf;
        }
        self.value(error, 1).min(2 * self.per_leaf)
    }

    /// Is one leaf the best for this error?
    fn is_closed(&self, error: u64) -> bool {
        self.per_error * error <= self.per_leaf
    }

    /// The value of a set if it is below `upper`, else a lower bound of it that is not.
    fn solve(&mut self, universe: &Universe, set: &mut Set, upper: u64) -> Result<u64, Stopped> {
        let as_leaf = self.value(set.error(), 1);
        if self.is_closed(set.error()) {
            return Ok(as_leaf);
        }
        let mut upper = upper.min(as_leaf);
        if let Some(known) = self.known_before(set.key) {
            if known.is_exact || known.value >= upper {
                return Ok(known.value);
            }
            if self.limits.switches.wider_retries {
                // Not again for every small step.
                upper = upper.max(known.value + known.value / 4).min(as_leaf);
            }
        }
        self.check(set)?;
        let packed = if self.limits.switches.packed_universe {
            self.layout.packed(universe, set)
        } else {
            None
        };
        self.open(packed.as_ref().unwrap_or(universe), set, upper, as_leaf)
    }

    fn open(
        &mut self,
        universe: &Universe,
        set: &mut Set,
        upper: u64,
        as_leaf: u64,
    ) -> Result<u64, Stopped> {
        let mut splits = Vec::new();
        self.layout.splits(universe, set, &mut splits);
        splits.sort_unstable_by_key(|split| (split.errors[0] + split.errors[1], split.coordinate));
        let (mut best, mut coordinate) = (upper, LEAF);
        // No split that was passed over is worth less; no part of the set is worth less than that.
        let (mut least, mut of_parts) = (as_leaf, 0);
        for split in &splits {
            let value = self.try_split(universe, set, split, best, &mut of_parts)?;
            if value < best {
                (best, coordinate) = (value, split.coordinate as u16);
                if set.key == self.root {
                    self.incumbent = Some(coordinate);
                }
            } else {
                least = least.min(value);
            }
            if of_parts >= best {
                break;
            }
        }
        if best < upper || upper == as_leaf {
            // `upper` is the value as a leaf where nothing was better.
            self.put(set.key, best, true, coordinate);
            return Ok(best);
        }
        let least = if of_parts >= upper {
            of_parts
        } else {
            least.max(of_parts)
        };
        self.put(set.key, least, false, LEAF);
        Ok(least)
    }

    /// The value of a split if it is below `best`, else a lower bound of it that is not.
    fn try_split(
        &mut self,
        universe: &Universe,
        set: &Set,
        split: &Split,
        best: u64,
        of_parts: &mut u64,
    ) -> Result<u64, Stopped> {
        let mut values = split.errors.map(|error| self.at_least(error));
        if values[0] + values[1] >= best {
            return Ok(values[0] + values[1]);
        }
        let keys = self.layout.keys(universe, set, split);
        for side in [0, 1] {
            values[side] = if self.is_closed(split.errors[side]) {
                self.value(split.errors[side], 1)
            } else {
                self.known_before(keys[side])
                    .map_or(values[side], |known| known.value)
            };
        }
        let has_bounds = self.limits.switches.part_bounds;
        let of_both = |values: [u64; 2], before: u64| {
            if has_bounds {
                values[0].max(values[1]).max(before)
            } else {
                0
            }
        };
        let smaller = usize::from(split.n_right * 2 <= set.n_points);
        for side in [smaller, 1 - smaller] {
            *of_parts = of_both(values, *of_parts);
            if values[0] + values[1] >= best || *of_parts >= best {
                break;
            }
            if !self.is_closed(split.errors[side]) {
                let mut part = self.layout.side(universe, set, split, side, keys[side]);
                values[side] = self.solve(universe, &mut part, best - values[1 - side])?;
            }
        }
        *of_parts = of_both(values, *of_parts);
        Ok((values[0] + values[1]).max(if *of_parts >= best { *of_parts } else { 0 }))
    }

    /// A lower bound for all points, from what is known about the sides of their splits.
    fn lower_of_root(&self, universe: &Universe, whole: &mut Set) -> u64 {
        let mut splits = Vec::new();
        self.layout.splits(universe, whole, &mut splits);
        let mut least = self.value(whole.error(), 1);
        let mut of_parts = 0;
        for split in &splits {
            let keys = self.layout.keys(universe, whole, split);
            let values = [0, 1].map(|side| {
                let known = self.get(keys[side]).map(|known| known.value);
                known.unwrap_or_else(|| self.at_least(split.errors[side]))
            });
            least = least.min(values[0] + values[1]);
            of_parts = values[0].max(values[1]).max(of_parts);
        }
        least.max(of_parts)
    }

    /// The tree of a set whose value is known.
    fn plan(&self, universe: &Universe, set: &mut Set) -> HalvingPlan {
        let known = self.get(set.key).filter(|_| !self.is_closed(set.error()));
        match known {
            Some(known) if known.is_exact && known.coordinate != LEAF => {
                self.plan_with(universe, set, known.coordinate)
            }
            _ => HalvingPlan::Leaf,
        }
    }

    /// The tree of a set that is split by a coordinate; the values of both sides are known.
    fn plan_with(&self, universe: &Universe, set: &mut Set, coordinate: u16) -> HalvingPlan {
        let mut splits = Vec::new();
        self.layout.splits(universe, set, &mut splits);
        let coordinate = usize::from(coordinate);
        let split = splits
            .iter()
            .find(|split| split.coordinate == coordinate)
            .expect("the coordinate separated the points before");
        let keys = self.layout.keys(universe, set, split);
        let sides = [0, 1].map(|side| {
            let mut part = self.layout.side(universe, set, split, side, keys[side]);
            self.plan(universe, &mut part)
        });
        HalvingPlan::Halve {
            coordinate,
            level: u32::from(split.level),
            prefix: self.layout.prefix(universe, set, coordinate, split.level),
            sides: Arc::new(sides),
        }
    }

    fn check(&mut self, set: &Set) -> Result<(), Stopped> {
        self.work += (u64::from(set.n_points) + 8) * set.levels.len() as u64;
        if self.work < self.checked + self.limits.switches.check_every {
            return Ok(());
        }
        self.checked = self.work;
        if self.work > self.limits.most_work {
            return Err(Stopped);
        }
        let entry = size_of::<([u64; 2], KnownValue)>() + 1;
        // A full table is copied into one of twice its size.
        let is_full = self.table.len() * 8 > self.table.capacity() * 7;
        let tables = if is_full { 3 } else { 1 };
        let bytes = self.table.capacity() * entry * tables;
        self.limits.check(self.table.len(), bytes)
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
