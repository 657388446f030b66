//! All cuts of a feature by few bounds of its two sides.
//!
//! Let `L(t)` and `R(t)` be the least values of the rows below and above a cut `t`. A bound of `L` at a cut `a` holds for
//! all cuts after `a`, as fewer rows never cost more. Before `a` it holds less what the rows between cost at most.
//! So a bound of `L` and one of `R` are together enough for all cuts of one range, and for no other ones: going to the
//! right, the bound of `L` rises until `a` and then stays, that of `R` stays until its cut and then falls, each by the
//! same steps.

/// The least value of one side of a cut, or something below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bound {
    pub(in crate::learn::optimal) cut: u32,
    pub(in crate::learn::optimal) least: u64,
}

/// Cuts for which two bounds are enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(in crate::learn::optimal) first: u32,
    pub(in crate::learn::optimal) last: u32,
    pub(in crate::learn::optimal) low: Bound,
    pub(in crate::learn::optimal) high: Bound,
}

/// What is known about both sides of the cuts of a feature.
#[derive(Debug)]
pub(crate) struct Sides<'a> {
    /// Bounds of the rows below cuts, in any order.
    pub(in crate::learn::optimal) low: Vec<Bound>,
    /// Bounds of the rows above.
    pub(in crate::learn::optimal) high: Vec<Bound>,
    /// What the rows below each cut could cost, at most.
    pub(in crate::learn::optimal) most: &'a [u64],
    /// What any rows cost at least.
    pub(in crate::learn::optimal) leaf: u64,
}

impl Sides<'_> {
    /// Ranges that hold all cuts, each with two bounds whose sum is at least `need` there. `None` if there are none.
    pub(crate) fn cover(mut self, need: u64) -> Option<Vec<Stretch>> {
        let last = u32::try_from(self.most.len()).ok()?.checked_sub(2)?;
        self.reduce(last);
        let mut stretches: Vec<Stretch> = Vec::new();
        let mut first = 1;
        while first <= last {
            let before = stretches.last().map(|stretch| stretch.low);
            let nearest = self.low.iter().copied();
            let nearest = nearest.max_by_key(|&low| self.below(low, first));
            let reach = |low: Bound, high: Bound| {
                let reach = self.reach(low, high, first, last, need)?;
                Some((reach, std::cmp::Reverse(high.least), low, high))
            };
            let pairs = before.into_iter().chain(nearest).flat_map(|low| {
                let highs = self.high.iter();
                highs.filter_map(move |&high| reach(low, high))
            });
            let (reach, _, low, high) = pairs.max_by_key(|&(reach, least, ..)| (reach, least))?;
            stretches.push(Stretch {
                first,
                last: reach,
                low,
                high,
            });
            first = reach + 1;
        }
        self.lower(&mut stretches, need);
        Some(stretches)
    }

    /// The same where fewer rows may cost more: every cut by its own bounds.
    pub(crate) fn cut_by_cut(mut self, need: u64) -> Option<Vec<Stretch>> {
        let last = u32::try_from(self.most.len()).ok()?.checked_sub(2)?;
        self.low.sort_by_key(|bound| bound.cut);
        self.high.sort_by_key(|bound| bound.cut);
        let at = |bounds: &[Bound], cut: u32| {
            let least = match bounds.binary_search_by_key(&cut, |bound| bound.cut) {
                // A side with too few rows for a leaf costs more than anything.
                Ok(at) => bounds[at].least.clamp(self.leaf, need.max(self.leaf)),
                Err(_) => self.leaf,
            };
            Bound { cut, least }
        };
        let stretch = |cut: u32| {
            let (low, high) = (at(&self.low, cut), at(&self.high, cut));
            (low.least.saturating_add(high.least) >= need).then_some(Stretch {
                first: cut,
                last: cut,
                low,
                high,
            })
        };
        (1..=last).map(stretch).collect()
    }

    /// What the rows below a cut cost at least by a bound; perhaps it says nothing at all.
    fn below(&self, low: Bound, cut: u32) -> i128 {
        let most = self.most[low.cut.max(cut) as usize] - self.most[cut as usize];
        i128::from(low.least) - i128::from(most)
    }

    /// The same for the rows above.
    fn above(&self, high: Bound, cut: u32) -> i128 {
        let most = self.most[cut as usize] - self.most[high.cut.min(cut) as usize];
        i128::from(high.least) - i128::from(most)
    }

    /// By how much two bounds are more than enough for a cut.
    fn spare(&self, low: Bound, high: Bound, cut: u32, need: u64) -> i128 {
        self.below(low, cut) + self.above(high, cut) - i128::from(need)
    }

    /// Leaves out what others say as well, by the order of the cuts.
    fn reduce(&mut self, last: u32) {
        let any = |cut| Bound {
            cut,
            least: self.leaf,
        };
        self.low.push(any(1));
        self.high.push(any(last));
        for bound in self.low.iter_mut().chain(&mut self.high) {
            bound.least = bound.least.max(self.leaf);
        }
        // The largest bound of a cut comes first.
        let rest = |bound: &Bound| std::cmp::Reverse(bound.least);
        self.low.sort_by_key(|bound| (bound.cut, rest(bound)));
        self.high
            .sort_by_key(|bound| (std::cmp::Reverse(bound.cut), rest(bound)));
        for bounds in [&mut self.low, &mut self.high] {
            let mut most = 0;
            bounds.retain(|bound| {
                let is_more = bound.least > most;
                most = most.max(bound.least);
                is_more
            });
        }
    }

    /// The last cut from `first` on for which two bounds are enough; `None` if they are not for the first.
    fn reach(&self, low: Bound, high: Bound, first: u32, last: u32, need: u64) -> Option<u32> {
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

    /// Lowers the bounds as far as the sums allow: what is lower is easier to check.
    fn lower(&self, stretches: &mut [Stretch], need: u64) {
        for is_low in [true, false] {
            let of = |stretch: &Stretch| if is_low { stretch.low } else { stretch.high };
            let mut bounds: Vec<Bound> = stretches.iter().map(of).collect();
            bounds.sort_by_key(|bound| bound.cut);
            bounds.dedup();
            for bound in bounds {
                let with = |stretch: &&Stretch| of(stretch) == bound;
                // It is least at one of the ends.
                let spare = |stretch: &Stretch| {
                    let at = |cut| self.spare(stretch.low, stretch.high, cut, need);
                    at(stretch.first).min(at(stretch.last))
                };
                let spare = stretches.iter().filter(with).map(spare).min();
                let spare = spare.and_then(|spare| u64::try_from(spare).ok());
                let spare = spare.unwrap_or(0);
                let least = bound.least.saturating_sub(spare).max(self.leaf);
                for stretch in stretches.iter_mut() {
                    let side = if is_low {
                        &mut stretch.low
                    } else {
                        &mut stretch.high
                    };
                    if *side == bound {
                        side.least = least;
                    }
                }
            }
        }
    }
}
