//! All cuts of a feature by few lower bounds of its two sides.
//!
//! Let `L(t)` and `R(t)` be the least values of the rows below and above a cut `t`. A lower bound of `L` at a cut
//! `a` holds for all cuts after `a`, as fewer rows never cost more. Before `a` it holds less what the rows between
//! cost at most. So a lower bound of `L` and one of `R` are together enough for all cuts of one range, and for no
//! others: going to the right, that of `L` rises until `a` and then stays, that of `R` stays until its cut and then
//! falls, each by the same steps.

/// A lower bound of the value of one side of a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SideLower {
    pub(super) cut: u32,
    pub(super) value: u64,
}

/// Cuts for which two lower bounds are enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CoveredCuts {
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) low: SideLower,
    pub(super) high: SideLower,
}

/// What is known about both sides of the cuts of a feature.
#[derive(Debug)]
pub(crate) struct SideLowers<'a> {
    /// Lower bounds of the rows below cuts, in any order.
    low: Vec<SideLower>,
    /// Lower bounds of the rows above cuts, in any order.
    high: Vec<SideLower>,
    /// What the rows below each cut could cost, at most.
    most: &'a [u64],
    /// What any rows cost at least.
    leaf: u64,
}

impl<'a> SideLowers<'a> {
    pub(crate) fn new(
        low: Vec<SideLower>,
        high: Vec<SideLower>,
        most: &'a [u64],
        leaf: u64,
    ) -> Self {
        Self {
            low,
            high,
            most,
            leaf,
        }
    }

    /// Ranges that hold all cuts, each with two lower bounds whose sum is at least `need` there. `None` if there are
    /// none.
    pub(crate) fn cover(mut self, need: u64) -> Option<Vec<CoveredCuts>> {
        let last = u32::try_from(self.most.len()).ok()?.checked_sub(2)?;
        self.reduce(last);
        let mut covered_cuts: Vec<CoveredCuts> = Vec::new();
        let mut first = 1;
        while first <= last {
            let before = covered_cuts.last().map(|covered| covered.low);
            let nearest = self.low.iter().copied();
            let nearest = nearest.max_by_key(|&low| self.below(low, first));
            let reach = |low: SideLower, high: SideLower| {
                let reach = self.reach(low, high, first, last, need)?;
                Some((reach, std::cmp::Reverse(high.value), low, high))
            };
            let pairs = before.into_iter().chain(nearest).flat_map(|low| {
                let highs = self.high.iter();
                highs.filter_map(move |&high| reach(low, high))
            });
            let (reach, _, low, high) = pairs.max_by_key(|&(reach, value, ..)| (reach, value))?;
            covered_cuts.push(CoveredCuts {
                first,
                last: reach,
                low,
                high,
            });
            first = reach + 1;
        }
        self.lower(&mut covered_cuts, need);
        Some(covered_cuts)
    }

    /// Covers every cut by its own lower bounds, for trees where fewer rows may cost more.
    pub(crate) fn cut_by_cut(mut self, need: u64) -> Option<Vec<CoveredCuts>> {
        let last = u32::try_from(self.most.len()).ok()?.checked_sub(2)?;
        self.low.sort_by_key(|lower| lower.cut);
        self.high.sort_by_key(|lower| lower.cut);
        let at = |lowers: &[SideLower], cut: u32| {
            let value = match lowers.binary_search_by_key(&cut, |lower| lower.cut) {
                // A side with too few rows for a leaf costs more than anything.
                Ok(at) => lowers[at].value.clamp(self.leaf, need.max(self.leaf)),
                Err(_) => self.leaf,
            };
            SideLower { cut, value }
        };
        let covered = |cut: u32| {
            let (low, high) = (at(&self.low, cut), at(&self.high, cut));
            (low.value.saturating_add(high.value) >= need).then_some(CoveredCuts {
                first: cut,
                last: cut,
                low,
                high,
            })
        };
        (1..=last).map(covered).collect()
    }

    /// What the rows below a cut cost at least, by a lower bound at any cut. It says nothing if it is negative.
    fn below(&self, low: SideLower, cut: u32) -> i128 {
        let most = self.most[low.cut.max(cut) as usize] - self.most[cut as usize];
        i128::from(low.value) - i128::from(most)
    }

    /// What the rows above a cut cost at least, by a lower bound at any cut.
    fn above(&self, high: SideLower, cut: u32) -> i128 {
        let most = self.most[cut as usize] - self.most[high.cut.min(cut) as usize];
        i128::from(high.value) - i128::from(most)
    }

    /// By how much two lower bounds are more than enough for a cut.
    fn spare(&self, low: SideLower, high: SideLower, cut: u32, need: u64) -> i128 {
        self.below(low, cut) + self.above(high, cut) - i128::from(need)
    }

    /// Leaves out lower bounds that follow from others, and sorts by cuts.
    fn reduce(&mut self, last: u32) {
        let any = |cut| SideLower {
            cut,
            value: self.leaf,
        };
        self.low.push(any(1));
        self.high.push(any(last));
        for lower in self.low.iter_mut().chain(&mut self.high) {
            lower.value = lower.value.max(self.leaf);
        }
        // The largest lower bound of a cut comes first.
        let rest = |lower: &SideLower| std::cmp::Reverse(lower.value);
        self.low.sort_by_key(|lower| (lower.cut, rest(lower)));
        self.high
            .sort_by_key(|lower| (std::cmp::Reverse(lower.cut), rest(lower)));
        for lowers in [&mut self.low, &mut self.high] {
            let mut most = 0;
            lowers.retain(|lower| {
                let is_more = lower.value > most;
                most = most.max(lower.value);
                is_more
            });
        }
    }

    /// The last cut from `first` on for which two lower bounds are enough; `None` if they are not for the first.
    fn reach(
        &self,
        low: SideLower,
        high: SideLower,
        first: u32,
        last: u32,
        need: u64,
    ) -> Option<u32> {
        let is_enough = |cut: u32| self.spare(low, high, cut, need) >= 0;
        if !is_enough(first) {
            return None;
        }
        // They are enough in one range.
        let (mut yes, mut no) = (first, last + 1);
        while no - yes > 1 {
            let middle = yes.midpoint(no);
            if is_enough(middle) {
                yes = middle;
            } else {
                no = middle;
            }
        }
        Some(yes)
    }

    /// Reduces the lower bounds as far as the sums allow: smaller ones are easier to check.
    fn lower(&self, covered_cuts: &mut [CoveredCuts], need: u64) {
        for is_low in [true, false] {
            let of = |covered: &CoveredCuts| if is_low { covered.low } else { covered.high };
            let mut lowers: Vec<SideLower> = covered_cuts.iter().map(of).collect();
            lowers.sort_by_key(|lower| lower.cut);
            lowers.dedup();
            for lower in lowers {
                let with = |covered: &&CoveredCuts| of(covered) == lower;
                // It is least at one of the ends.
                let spare = |covered: &CoveredCuts| {
                    let at = |cut| self.spare(covered.low, covered.high, cut, need);
                    at(covered.first).min(at(covered.last))
                };
                let spare = covered_cuts.iter().filter(with).map(spare).min();
                let spare = spare.and_then(|spare| u64::try_from(spare).ok());
                let spare = spare.unwrap_or(0);
                let value = lower.value.saturating_sub(spare).max(self.leaf);
                for covered in covered_cuts.iter_mut() {
                    let side = if is_low {
                        &mut covered.low
                    } else {
                        &mut covered.high
                    };
                    if *side == lower {
                        side.value = value;
                    }
                }
            }
        }
    }
}
