//! A lower bound for all trees of a depth that is there early and rises with time.
//!
//! **Problem.** A proof solves branch after branch to the end. Stopped halfway, it often knows nothing about most
//! roots, and so about the whole.
//!
//! **Lemma.** All cuts of a feature from `a` to `b` cost at least what the rows below `a` cost and those from `b` on,
//! with a level less, and any lower bounds of these will do.
//!
//! **Method.** So a lower bound of some rows needs lower bounds of fewer rows with a level less, down to two levels,
//! which are solved. The root with the least lower bound of all is what the bound depends on: its sides are bounded
//! better, or its range of cuts is parted, whichever may gain most. Every side goes on where it was left. A row is
//! expected to cost about as much everywhere.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::Arc;

use super::best_first::middle_cut;
use crate::learn::exact::{Deadline, Stopped};
use crate::learn::optimal::problem::{Inherited, NONE, RootSplit, RowSet};
use crate::learn::optimal::search::TreeSearch;

/// Roots of a branch that are looked at before others get their turn: it takes time to find its rows.
const TURN: usize = 8;

/// A lower bound of some rows, with what it follows from.
#[derive(Debug)]
pub(crate) struct RisingBound {
    depth: usize,
    n_rows: usize,
    lower: u64,
    /// Can it not rise any more?
    is_final: bool,
    /// How often it was worked on.
    n_turns: u32,
    roots: Option<Box<Roots>>,
}

/// All root splits of some rows.
#[derive(Debug)]
struct Roots {
    /// Those of which nothing more can be found out cost at least this.
    floor: u64,
    waiting: BinaryHeap<Reverse<Root>>,
}

/// A root split, or a range of them.
#[derive(Debug)]
struct Root {
    feature: usize,
    /// The first and the last cut; none if there is a branch for all numbers, or for each category.
    cuts: Option<[u32; 2]>,
    /// The rows below the first cut, from the last one on, and without a number; or those of each branch.
    sides: Vec<RisingBound>,
}

/// What matters about a bound.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Aim {
    /// Only values below this.
    pub(crate) upper: u64,
    /// A row costs about this.
    pub(crate) per_row: f64,
}

/// What is to be done about a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    Side(usize),
    Part,
}

impl RisingBound {
    /// About some rows with trees of a depth it is known only that none has a smaller value.
    pub(crate) fn new(depth: usize, n_rows: usize, lower: u64) -> Self {
        Self {
            depth,
            n_rows,
            lower,
            is_final: false,
            n_turns: 0,
            roots: None,
        }
    }

    /// No tree has a smaller value.
    pub(crate) fn lower(&self) -> u64 {
        self.lower
    }

    /// Is there nothing more to find out for whom only values below `upper` matter?
    pub(crate) fn is_done(&self, upper: u64) -> bool {
        self.is_final || self.lower >= upper
    }

    /// Works on the bound of these rows for some steps.
    pub(crate) fn raise(
        &mut self,
        search: &TreeSearch<'_>,
        rows: &Arc<RowSet>,
        aim: Aim,
        n_steps: usize,
    ) -> Result<(), Stopped> {
        self.n_turns += 1;
        if self.depth <= 2 {
            return self.solve(search, rows, aim.upper);
        }
        let region = rows.region().filter(|_| search.has_region_bounds());
        let spare = search.spare_end(rows.len());
        if let Some(region) = region {
            let known = search.region_bounds.find(self.depth, region, spare);
            self.lower = self.lower.max(known);
        }
        for _ in 0..n_steps {
            if self.is_done(aim.upper) {
                break;
            }
            self.step(search, rows, aim)?;
        }
        if let Some(region) = region {
            let whole = search.context.table.whole();
            let met = (region, spare);
            search
                .region_bounds
                .insert(self.depth, met, rows, whole, self.lower);
        }
        Ok(())
    }

    fn solve(
        &mut self,
        search: &TreeSearch<'_>,
        rows: &Arc<RowSet>,
        upper: u64,
    ) -> Result<(), Stopped> {
        if self.n_turns == 1 && search.is_by_pairs(rows) {
            let (lower, is_done) = search.rough_two(rows, upper);
            self.lower = self.lower.max(lower);
            if is_done || !search.budget.is_spent() {
                self.is_final = is_done && lower < upper;
                return Ok(());
            }
            return Err(Stopped);
        }
        let solved = search.solve(rows, self.depth, upper, &Inherited::default());
        self.lower = self.lower.max(solved.lower_of(upper));
        self.is_final = solved.value.is_some() && solved.is_done;
        if solved.is_done { Ok(()) } else { Err(Stopped) }
    }

    /// One step for the root on which the bound depends.
    fn step(
        &mut self,
        search: &TreeSearch<'_>,
        rows: &Arc<RowSet>,
        aim: Aim,
    ) -> Result<(), Stopped> {
        if search.budget.is_spent() {
            return Err(Stopped);
        }
        if self.roots.is_none() {
            self.roots = Some(Box::new(Roots::new(search, rows, self.depth)?));
        }
        let Some(roots) = &mut self.roots else {
            return Ok(());
        };
        let mut result = Ok(());
        match roots.waiting.pop() {
            Some(Reverse(mut root)) if root.lower() < roots.floor => {
                match root.improve(search, rows, aim) {
                    Ok(other) => roots.waiting.extend(other.map(Reverse)),
                    Err(Stopped) => result = Err(Stopped),
                }
                if root.is_final() {
                    roots.floor = roots.floor.min(root.lower());
                } else {
                    roots.waiting.push(Reverse(root));
                }
            }
            _ => self.is_final = true,
        }
        let least = roots.waiting.peek().map(|Reverse(root)| root.lower());
        let least = least.unwrap_or(u64::MAX).min(roots.floor);
        if self.is_final {
            self.lower = self.lower.max(roots.floor);
            self.roots = None;
        } else {
            self.lower = self.lower.max(least);
        }
        result
    }
}

impl Roots {
    /// All roots of some rows, with nothing known about their branches.
    fn new(search: &TreeSearch<'_>, rows: &RowSet, depth: usize) -> Result<Self, Stopped> {
        let context = search.context;
        let mut roots = Self {
            floor: context.leaf(rows).unwrap_or(u64::MAX),
            waiting: BinaryHeap::new(),
        };
        let is_spent = || search.budget.is_spent();
        let mut deadline = Deadline::new(&is_spent);
        if context.asks_once(rows) {
            // Its intervals cannot be made by further cuts of it.
            let one = context.one(rows, &mut deadline)?;
            roots.floor = roots.floor.min(one.unwrap_or(u64::MAX));
        }
        let per_leaf = context.encoding.per_leaf();
        for (feature, cells) in rows.cells().iter().enumerate() {
            let n_ranks = cells.n_ranks() as u32;
            if n_ranks == 0 || n_ranks == 1 && !cells.has_missing() {
                continue;
            }
            let n_missing = rows.len() - cells.order().len();
            let of_size = |n_rows: usize| RisingBound::new(depth - 1, n_rows, per_leaf);
            let missing = || (n_missing > 0).then(|| of_size(n_missing));
            let n_of = |first: u32, end: u32| cells.rows(first, end).len();
            let mut add = |cuts: Option<[u32; 2]>, sizes: &[usize]| {
                let sides = sizes.iter().copied().map(of_size).chain(missing());
                roots.waiting.push(Reverse(Root {
                    feature,
                    cuts,
                    sides: sides.collect(),
                }));
            };
            if context.table.is_multiway(feature) {
                let sizes: Vec<usize> = (0..n_ranks).map(|rank| n_of(rank, rank + 1)).collect();
                add(None, &sizes);
                continue;
            }
            let n_present = cells.order().len();
            if n_missing > 0 {
                add(None, &[n_present]);
            }
            if context.table.is_binary(feature) {
                for cut in 1..=cells.n_ways_apart() {
                    let n_low = n_of(cut - 1, cut);
                    add(Some([cut, cut]), &[n_low, n_present - n_low]);
                }
                let groups = context.asked(rows, feature, &mut deadline)?;
                roots.floor = roots.floor.min(groups.unwrap_or(u64::MAX));
            } else if n_ranks > 1 {
                add(
                    Some([1, n_ranks - 1]),
                    &[n_of(0, 1), n_of(n_ranks - 1, n_ranks)],
                );
            }
        }
        Ok(roots)
    }
}

impl Root {
    /// No tree with such a root has a smaller value.
    fn lower(&self) -> u64 {
        self.sides.iter().map(RisingBound::lower).sum()
    }

    fn is_range(&self) -> bool {
        self.cuts.is_some_and(|[first, last]| first < last)
    }

    /// Can its bound not rise any more?
    fn is_final(&self) -> bool {
        !self.is_range() && self.sides.iter().all(|side| side.is_final)
    }

    /// Does what may raise the bound most. What is returned are the later cuts, if the range was parted.
    fn improve(
        &mut self,
        search: &TreeSearch<'_>,
        rows: &Arc<RowSet>,
        aim: Aim,
    ) -> Result<Option<Self>, Stopped> {
        let Task::Side(side) = self.task(rows, aim) else {
            return Ok(Some(self.part(rows)));
        };
        let others = self.lower() - self.sides[side].lower();
        let upper = aim.upper.saturating_sub(others);
        let part = self.rows_of(search, rows, side);
        self.sides[side].raise(search, &part, Aim { upper, ..aim }, TURN)?;
        Ok(None)
    }

    /// What may raise the bound most: what a side is expected to cost more than is known, or the rows between the
    /// cuts. A side that was worked on for long is less promising.
    fn task(&self, rows: &RowSet, aim: Aim) -> Task {
        const LONG: f64 = 4.0;
        const SIDES_FIRST: f64 = 1.5;
        let lower = self.lower();
        let gain = |side: &RisingBound| {
            let most = aim.upper.saturating_sub(lower - side.lower);
            if side.is_done(most) {
                return -1.0;
            }
            let expected = (side.n_rows as f64 * aim.per_row).min(most as f64);
            let gain = (expected - side.lower as f64).max(0.0);
            gain / (1.0 + f64::from(side.n_turns) / LONG)
        };
        let gains = self.sides.iter().map(gain).enumerate();
        let best = gains.max_by(|one, other| one.1.total_cmp(&other.1).then(other.0.cmp(&one.0)));
        let (side, best) = best.unwrap_or((0, -1.0));
        let between = match self.cuts {
            Some([first, last]) if first < last => {
                let starts = rows.cells()[self.feature].starts();
                f64::from(starts[last as usize] - starts[first as usize]) * aim.per_row
            }
            _ => -1.0,
        };
        // What is known of a side holds for all cuts.
        if self.is_range() && between > SIDES_FIRST * best {
            Task::Part
        } else {
            Task::Side(side)
        }
    }

    /// Leaves the cuts up to the middle one, and returns the later ones.
    fn part(&mut self, rows: &RowSet) -> Self {
        let cells = &rows.cells()[self.feature];
        let starts = cells.starts();
        let [first, last] = self.cuts.unwrap_or([1, 1]);
        let middle = middle_cut(starts, [first, last]).min(last - 1);
        let n_below = |cut: u32| starts[cut as usize] as usize;
        let (low, high) = (&self.sides[0], &self.sides[1]);
        let depth = low.depth;
        let low = RisingBound::new(depth, n_below(middle + 1), low.lower);
        let new_high = RisingBound::new(depth, cells.order().len() - n_below(middle), high.lower);
        let missing = self.sides.get(2);
        let missing = missing.map(|side| RisingBound::new(depth, side.n_rows, side.lower));
        let high = std::mem::replace(&mut self.sides[1], new_high);
        self.cuts = Some([first, middle]);
        Self {
            feature: self.feature,
            cuts: Some([middle + 1, last]),
            sides: [low, high].into_iter().chain(missing).collect(),
        }
    }

    /// The rows of a side.
    fn rows_of(&self, search: &TreeSearch<'_>, rows: &RowSet, side: usize) -> Arc<RowSet> {
        let (feature, cells) = (self.feature, &rows.cells()[self.feature]);
        let is_binary = search.context.table.is_binary(feature);
        let mut region = None;
        let part = match (self.cuts, side) {
            _ if side + 1 == self.sides.len() && cells.has_missing() => rows.missing(feature),
            (Some(cuts), 0 | 1) => {
                let root = RootSplit::at(feature, cuts[side]);
                if !cells.has_missing() {
                    region = search.regions_of(rows, root)[side].take();
                }
                let cut = cuts[side];
                let is_low = |rank: u32| {
                    if is_binary {
                        rank + 1 == cut
                    } else {
                        rank < cut
                    }
                };
                let of = cells.ranks();
                rows.only(|row| of[row] != NONE && is_low(of[row]) == (side == 0))
            }
            _ if search.context.table.is_multiway(feature) => rows.group(feature, side as u32),
            _ => rows.only(|row| cells.ranks()[row] != NONE),
        };
        let part = search.context.below(part, feature);
        Arc::new(part.with_region(region))
    }

    fn key(&self) -> (u64, usize, Option<[u32; 2]>) {
        (self.lower(), self.feature, self.cuts)
    }
}

impl Ord for Root {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Root {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Root {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Root {}

#[cfg(test)]
mod tests {
    //! The bound is never above the optimum, rises with every step, and comes to the optimum in the end.

    use fastrand::Rng;

    use super::{Aim, RisingBound};
    use crate::budget::Budget;
    use crate::cost::{CostMatrix, Loss, RowLosses};
    use crate::data::csv::CsvSource;
    use crate::data::{Dataset, ReadOptions};
    use crate::learn::optimal::deeper::region_bounds::RegionBounds;
    use crate::learn::optimal::{Optimal, Switches};
    use crate::tree::{CategoricalSplits, PathRules};
    use std::time::Duration;

    fn random_table(rng: &mut Rng) -> Dataset {
        let mut text = String::from("kind,x,y,z,weight,class\n");
        for _ in 0..rng.usize(5..30) {
            let number = |rng: &mut Rng, most: u32| match rng.u8(..10) {
                0 => String::new(),
                _ => rng.u32(..most).to_string(),
            };
            let kind = ["", "red", "green", "blue", "grey"][rng.usize(..5)];
            let class = ["a", "b", "c"][rng.usize(..3)];
            let [x, y] = [(); 2].map(|()| number(rng, 9));
            let z = rng.u32(..30).to_string();
            let weight = ["1", "2", "0.5"][rng.usize(..3)];
            text += &[kind, &x, &y, &z, weight, class].join(",");
            text.push('\n');
        }
        let source = CsvSource::new(text.into(), b',').unwrap();
        let mut options = ReadOptions::default();
        if rng.bool() {
            options.reading.weight = Some("weight".into());
        } else {
            options.drop = vec!["weight".into()];
        }
        if rng.bool() {
            options.drop.push("kind".into());
        }
        Dataset::read(&source, &options).unwrap()
    }

    fn random_learner(rng: &mut Rng, data: &Dataset) -> Optimal {
        let n_classes = data.schema().classes().len();
        let mut rules = PathRules::default();
        if rng.u8(..4) == 0 {
            rules.root_only = vec!["z".into()];
        }
        if rng.u8(..4) == 0 {
            rules.not_above = vec![vec!["x".into(), "y".into()]];
        }
        let cost = |from: usize, to: usize| if from == to { 0.0 } else { (1 + from) as f64 };
        let costs = (0..n_classes).map(|from| (0..n_classes).map(|to| cost(from, to)).collect());
        let costs: Vec<Vec<f64>> = costs.collect();
        Optimal {
            depth: 3 + usize::from(rng.u8(..3) == 0),
            intervals: [Some(1), Some(2), Some(2), Some(3), None][rng.usize(..5)],
            categorical_splits: CategoricalSplits::ALL[rng.usize(..3)],
            min_leaf: [1, 1, 2, 3][rng.usize(..4)],
            leaf_cost: ["0", "0", "1/50"][rng.usize(..3)].parse().unwrap(),
            loss: match rng.u8(..3) {
                0 => Loss::Matrix(CostMatrix::new(&costs).unwrap()),
                _ => Loss::ZeroOne,
            },
            rules,
            ..Optimal::default()
        }
    }

    #[test]
    fn it_rises_to_the_optimum() {
        let (mut n_between, mut n_equal) = (0, 0);
        for seed in 0..300 {
            let mut rng = Rng::with_seed(seed);
            let data = random_table(&mut rng);
            let learner = random_learner(&mut rng, &data);
            let case = format!("seed {seed}: {learner:?}");
            let losses =
                RowLosses::new(&data, &learner.loss, "optimal trees", RowLosses::NARROW).unwrap();
            let table = learner.table(&data, &losses).unwrap();
            let columns = (0..data.columns().len()).collect();
            let (table, _) = table.sorted(columns, &Budget::unlimited());
            let encoding = learner
                .encoding(&table, losses.scale, losses.is_whole)
                .unwrap();
            let budget = Budget::unlimited();
            let found = learner.search(&table, encoding, [&budget; 2], Switches::USUAL, None, None);
            assert_eq!(found.lower, None, "{case}");
            let region_bounds = RegionBounds::new(usize::MAX);
            let context = learner.context(&table, encoding, Switches::USUAL);
            let search = learner.tree_search(context, &budget, Duration::ZERO, &region_bounds);
            let search = search.with_least(1);
            let rows = table.whole();
            // Sometimes only small values matter.
            let upper = [u64::MAX / 16, found.value + 1, found.value][rng.usize(..3)];
            let aim = Aim {
                upper,
                per_row: rng.f64() * found.value as f64 / rows.len() as f64,
            };
            let mut bound = RisingBound::new(table.longest_way().min(learner.depth), rows.len(), 1);
            let mut before = 0;
            while !bound.is_done(upper) {
                bound.raise(&search, rows, aim, 1).unwrap();
                let lower = bound.lower();
                assert!(before <= lower, "{before} {lower} {case}");
                assert!(lower <= found.value, "{lower} {} {case}", found.value);
                n_between += u32::from(before < lower && lower < found.value);
                before = lower;
            }
            let is_equal = bound.lower() == found.value;
            assert!(is_equal || learner.min_leaf > 1, "{} {case}", bound.lower());
            n_equal += u32::from(is_equal);
        }
        assert!(n_between > 500 && n_equal > 100, "{n_between} {n_equal}");
    }
}
