//! The engines: searches for best trees over the points of a grid.
//!
//! | folder | finds | for |
//! |---|---|---|
//! | `collapsed` | all best trees in one pass | the collapsed model |
//! | `boxed` | all best trees in one pass | the boxed model |
//! | `branch` | one best tree for one alpha, by branch and bound | the collapsed model |
//! | `rectangles` | one best tree for one alpha, by the recursion of Hush and Porter | both models |
//!
//! The first two stand behind the trait [`Engine`], whatever the number of words and classes of their points.

mod boxed;
mod branch;
mod collapsed;
mod keys;
mod rectangles;

use std::fmt::Debug;

use rustc_hash::FxHashMap;

pub(crate) use self::boxed::Boxed;
pub(crate) use self::branch::{Branch, BranchResult};
pub(crate) use self::collapsed::Collapsed;
pub(crate) use self::rectangles::{Rectangles, Visited};

use self::collapsed::{LossSums, Packed, Point, Wide};
use self::keys::Key;
use crate::learn::dyadic::deadline::{SearchLimits, Stopped};
use crate::learn::dyadic::frontier::{Frontier, Vertex};
use crate::learn::dyadic::parameters::Model;
use crate::learn::dyadic::plan::HalvingPlan;
use crate::learn::dyadic::problem::Points;
use crate::learn::dyadic::switches::DyadicSwitches;

/// Plans by the key of a set, and the vertex of its hull that they are for.
pub(crate) type KnownPlans = FxHashMap<(Key, Vertex), HalvingPlan>;

/// A search for all best trees of some kind.
pub(crate) trait Engine: Debug + Send {
    /// The best trees, from one leaf on.
    fn hull(&self) -> Result<Vec<Vertex>, Stopped>;

    /// The tree of a vertex of the hull. Of several the one whose splits come first in the order of the
    /// search, from the root down: least error of both sides, then lowest coordinate.
    fn plan(&self, target: Vertex, known: &mut KnownPlans) -> HalvingPlan;

    /// Good trees, found at once: leaves and error rise and fall as in the hull, twice.
    fn greedy(&self) -> Vec<(Vertex, HalvingPlan)>;

    /// How many sets of points were solved, in both models together.
    fn states(&self) -> usize;

    /// How many places of the table are looked at to find a solved set, on average.
    fn probes(&self) -> f64;

    /// Memory of the solved sets.
    fn bytes(&self) -> usize;

    /// Points looked at, times coordinates.
    fn work(&self) -> u64;
}

/// No search is made for more classes than this.
pub(crate) const MOST_CLASSES: usize = 1024;

/// Calls a function with the words and the sums that are wide enough for some points: `None` if none are.
macro_rules! with_width {
    ($points:expr, $packed:expr, $call:ident($($argument:expr),*)) => {{
        let (words, classes) = ($points.n_words, $points.n_classes);
        match ($packed && $points.is_narrow(), words, classes) {
            (true, ..=1, ..=2) => Some($call::<Packed<1>, 1>($($argument),*)),
            (true, ..=1, ..=4) => Some($call::<Packed<2>, 1>($($argument),*)),
            (true, ..=1, ..=32) => Some($call::<Packed<16>, 1>($($argument),*)),
            (true, ..=4, ..=2) => Some($call::<Packed<1>, 4>($($argument),*)),
            (true, ..=4, ..=32) => Some($call::<Packed<16>, 4>($($argument),*)),
            (true, ..=64, ..=32) => Some($call::<Packed<16>, 64>($($argument),*)),
            (true, ..=64, ..=MOST_CLASSES) => Some($call::<Packed<512>, 64>($($argument),*)),
            (false, ..=4, ..=2) => Some($call::<Wide<2>, 4>($($argument),*)),
            (false, ..=64, ..=32) => Some($call::<Wide<32>, 64>($($argument),*)),
            (false, ..=64, ..=MOST_CLASSES) => Some($call::<Wide<MOST_CLASSES>, 64>($($argument),*)),
            _ => None,
        }
    }};
}

/// What the points take in a search, which has room for the next larger number of words and classes.
pub(crate) fn bytes(points: &Points, switches: DyadicSwitches) -> usize {
    let of_point = with_width!(points, switches.packed_sums, bytes_of_point());
    points.len().saturating_mul(of_point.unwrap_or(0))
}

fn bytes_of_point<S: LossSums, const W: usize>() -> usize {
    size_of::<Point<S, W>>()
}

/// The search for a model, made for the number of words and classes of the points, and the width of their sums.
pub(crate) fn engine(
    points: &Points,
    model: Model,
    front: Frontier,
    limits: SearchLimits,
) -> Option<Box<dyn Engine>> {
    let packed = limits.switches.packed_sums;
    with_width!(points, packed, search(points, model, front, limits))
}

fn search<S: LossSums, const W: usize>(
    points: &Points,
    model: Model,
    front: Frontier,
    limits: SearchLimits,
) -> Box<dyn Engine> {
    let collapsed = Collapsed::<S, W>::new(points, front, limits);
    match model {
        Model::Collapsed => Box::new(collapsed),
        Model::Boxed => Box::new(Boxed::new(collapsed)),
    }
}

#[cfg(test)]
mod tests {
    //! The searches against plain recursions over all boxes.

    use std::collections::HashMap;

    use super::{KnownPlans, engine};
    use crate::budget::Budget;
    use crate::learn::dyadic::deadline::SearchLimits;
    use crate::learn::dyadic::engines::branch::Branch;
    use crate::learn::dyadic::frontier::{Alpha, Frontier, LeastAlpha, Vertex, vertex};
    use crate::learn::dyadic::parameters::{Model, Ties};
    use crate::learn::dyadic::plan::HalvingPlan;
    use crate::learn::dyadic::problem::{Field, Points};
    use crate::learn::dyadic::switches::DyadicSwitches;

    /// A cell: for each coordinate how often it was halved, and the bits of its halves.
    type Cell = Vec<(u32, u64)>;

    /// Plain dynamic programming over all boxes, as slow and obvious as can be: for every cell the least
    /// error for each number of leaves.
    struct Plain<'a> {
        points: &'a Points,
        is_boxed: bool,
        solved: HashMap<Cell, Vec<Vertex>>,
    }

    impl Plain<'_> {
        fn bits_of(&self, point: usize, coordinate: usize) -> u64 {
            let field = self.points.fields[coordinate];
            let word = self.points.codes[point * self.points.n_words + field.word as usize];
            (word & field.mask()) >> field.shift
        }

        fn stairs(&mut self, cell: &Cell, inside: &[usize]) -> Vec<Vertex> {
            if let Some(stairs) = self.solved.get(cell) {
                return stairs.clone();
            }
            let sums = (0..self.points.n_classes).map(|class| -> u64 {
                inside
                    .iter()
                    .map(|&p| self.points.losses_of(p)[class])
                    .sum()
            });
            let error = sums.min().unwrap();
            let mut all = vec![vertex(1, error)];
            for coordinate in 0..cell.len() {
                if error == 0 || inside.is_empty() {
                    break;
                }
                let Field { bits, .. } = self.points.fields[coordinate];
                let (mut level, mut prefix) = cell[coordinate];
                while level < bits {
                    let side = |right: u64| -> Vec<usize> {
                        let bit = |p: usize| self.bits_of(p, coordinate) >> (bits - 1 - level) & 1;
                        inside
                            .iter()
                            .copied()
                            .filter(|&p| bit(p) == right)
                            .collect()
                    };
                    let (left, right) = (side(0), side(1));
                    let is_empty = left.is_empty() || right.is_empty();
                    if is_empty && !self.is_boxed {
                        // Passed over for free.
                        prefix = prefix << 1 | u64::from(left.is_empty());
                        level += 1;
                        continue;
                    }
                    let [left, right] = [(0, left), (1, right)].map(|(bit, side)| {
                        let mut half = cell.clone();
                        half[coordinate] = (level + 1, prefix << 1 | bit);
                        self.stairs(&half, &side)
                    });
                    for x in &left {
                        let sum = |y: &Vertex| vertex(x.leaves + y.leaves, x.error + y.error);
                        all.extend(right.iter().map(sum));
                    }
                    break;
                }
            }
            all.sort_by_key(|it| (it.leaves, it.error));
            let mut stairs: Vec<Vertex> = Vec::new();
            for next in all {
                if stairs.last().is_none_or(|last| next.error < last.error) {
                    stairs.push(next);
                }
            }
            self.solved.insert(cell.clone(), stairs.clone());
            stairs
        }
    }

    /// For each number of leaves that pays off the least error.
    pub(crate) fn plain_stairs(points: &Points, is_boxed: bool) -> Vec<Vertex> {
        let mut plain = Plain {
            points,
            is_boxed,
            solved: HashMap::new(),
        };
        let all: Vec<usize> = (0..points.len()).collect();
        plain.stairs(&vec![(0, 0); points.fields.len()], &all)
    }

    /// The strict vertices of the lower left hull, from one to the next by the steepest edge.
    pub(crate) fn hull_of(stairs: &[Vertex], least: LeastAlpha) -> Vec<Vertex> {
        let mut hull = vec![stairs[0]];
        loop {
            let last = hull[hull.len() - 1];
            let edge = |to: &Vertex| {
                let saved = last.error as f64 - to.error as f64;
                saved / f64::from(to.leaves - last.leaves)
            };
            let later = stairs.iter().filter(|it| it.leaves > last.leaves);
            // Of equally steep edges the longest. Small whole numbers: equal ratios are equal doubles.
            let next =
                later.max_by(|a, b| edge(a).total_cmp(&edge(b)).then(a.leaves.cmp(&b.leaves)));
            let is_worth =
                |next: &&Vertex| least.is_worth(last.error - next.error, next.leaves - last.leaves);
            match next.filter(is_worth) {
                None => return hull,
                Some(next) => hull.push(*next),
            }
        }
    }

    /// The best trees for all alphas above the least, by plain dynamic programming.
    pub(crate) fn plain(points: &Points, is_boxed: bool, least: Alpha) -> Vec<Vertex> {
        hull_of(&plain_stairs(points, is_boxed), LeastAlpha::above(least))
    }

    pub(crate) fn unlimited() -> SearchLimits {
        SearchLimits {
            budget: Budget::unlimited(),
            most_bytes: usize::MAX,
            most_work: u64::MAX,
            so_far: String::new(),
            switches: DyadicSwitches::ALL,
        }
    }

    /// Points with few bits, clustered so that boxes must be zoomed into.
    pub(crate) fn random_points(random: &mut fastrand::Rng) -> Points {
        let n_coordinates = random.usize(1..=4);
        let bits: Vec<u32> = (0..n_coordinates).map(|_| random.u32(1..=5)).collect();
        let (fields, n_words) = Field::lay_out(&bits);
        let n_classes = random.usize(2..=4);
        let mut codes: Vec<u64> = Vec::new();
        for _ in 0..random.usize(1..=14) {
            let mut code = 0;
            for field in &fields {
                let cells = 1_u64 << field.bits;
                // Squares crowd at the low end.
                let mut cell = random.u64(0..cells);
                if random.u8(0..4) > 0 {
                    cell = cell * random.u64(0..cells) / cells * random.u64(0..cells) / cells;
                }
                code |= cell << field.shift;
            }
            codes.push(code);
        }
        codes.sort_unstable();
        codes.dedup();
        let mut losses = Vec::new();
        for _ in &codes {
            let mut of_point: Vec<u64> = (0..n_classes).map(|_| random.u64(0..4)).collect();
            if random.bool() {
                let class = random.usize(0..n_classes);
                of_point.fill(1);
                of_point[class] = 0;
            }
            let least = *of_point.iter().min().unwrap();
            for loss in &mut of_point {
                *loss -= least;
            }
            if of_point.iter().all(|&loss| loss == 0) {
                of_point[0] = 1;
            }
            losses.extend(of_point);
        }
        Points {
            fields,
            n_words,
            codes,
            n_classes,
            losses,
        }
    }

    /// Makes losses and the alpha so large that 32 bits do not hold their sums.
    fn widen(points: &mut Points, alpha: &mut Alpha) {
        points.losses.iter_mut().for_each(|loss| *loss <<= 33);
        alpha.numerator <<= 33;
        assert!(!points.is_narrow());
    }

    /// Leaves and error of a plan, by sending all points down. Halvings must come in order.
    pub(crate) fn figures(plan: &HalvingPlan, points: &Points) -> Vertex {
        fn below(plan: &HalvingPlan, inside: &[usize], cell: &Cell, points: &Points) -> Vertex {
            match plan {
                HalvingPlan::Leaf => {
                    let sum = |class| inside.iter().map(|&p| points.losses_of(p)[class]).sum();
                    vertex(1, (0..points.n_classes).map(sum).min().unwrap())
                }
                HalvingPlan::Halve {
                    coordinate,
                    level,
                    prefix,
                    sides,
                } => {
                    let field = points.fields[*coordinate];
                    let bits = |p: usize| (points.codes[p] & field.mask()) >> field.shift;
                    let (seen, known) = cell[*coordinate];
                    assert!(*level >= seen && u64::from(*prefix) >> (level - seen) == known);
                    let mut figures = vertex(0, 0);
                    for (side, plan) in sides.iter().enumerate() {
                        let is_in =
                            |&p: &usize| bits(p) >> (field.bits - 1 - level) & 1 == side as u64;
                        let inside: Vec<usize> = inside.iter().copied().filter(is_in).collect();
                        let mut half = cell.clone();
                        half[*coordinate] = (level + 1, u64::from(prefix << 1) | side as u64);
                        let found = below(plan, &inside, &half, points);
                        figures =
                            vertex(figures.leaves + found.leaves, figures.error + found.error);
                    }
                    figures
                }
            }
        }
        let all: Vec<usize> = (0..points.len()).collect();
        below(plan, &all, &vec![(0, 0); points.fields.len()], points)
    }

    #[test]
    fn both_models_agree_with_plain_recursion() {
        const ROUNDS: usize = 10_000;
        let mut random = fastrand::Rng::with_seed(5);
        let mut differ = 0;
        for round in 0..ROUNDS {
            let mut points = random_points(&mut random);
            let mut alpha = match round % 3 {
                0 => Alpha::ZERO,
                _ => Alpha {
                    numerator: random.u64(0..5),
                    denominator: random.u64(1..4),
                },
            };
            if round % 4 == 0 {
                widen(&mut points, &mut alpha);
            }
            let stairs = [false, true].map(|is_boxed| plain_stairs(&points, is_boxed));
            differ += usize::from(stairs[0] != stairs[1]);
            for (model, stairs) in [Model::Collapsed, Model::Boxed].into_iter().zip(&stairs) {
                let most = random.u32(1..=stairs.last().unwrap().leaves + 2);
                let short: Vec<Vertex> = stairs
                    .iter()
                    .copied()
                    .filter(|it| it.leaves <= most)
                    .collect();
                let (above, tied) = (LeastAlpha::above(alpha), LeastAlpha::with_ties(alpha));
                for (front, expected) in [
                    (Frontier::Hull(above), hull_of(stairs, above)),
                    (Frontier::Hull(tied), hull_of(stairs, tied)),
                    (Frontier::Stairs(u32::MAX), stairs.clone()),
                    (Frontier::Stairs(most), short),
                ] {
                    let engine = engine(&points, model, front, unlimited()).unwrap();
                    let found = engine.hull().unwrap();
                    assert_eq!(found, expected, "{model:?} {front:?} {points:?}");
                    let mut known = KnownPlans::default();
                    for target in expected {
                        let plan = engine.plan(target, &mut known);
                        assert_eq!(figures(&plan, &points), target, "{model:?} {points:?}");
                    }
                    for (found, plan) in engine.greedy() {
                        let figures = figures(&plan, &points);
                        assert_eq!(figures, found, "greedy {model:?} {points:?}");
                    }
                }
            }
        }
        assert!(
            differ > ROUNDS / 5,
            "only {differ} of {ROUNDS} cases are hard"
        );
    }

    /// Error and leaves of the best vertex for an alpha, by the rule for ties.
    fn best_at(hull: &[Vertex], alpha: Alpha, ties: Ties) -> Vertex {
        let value =
            |it: &Vertex| it.error * alpha.denominator + u64::from(it.leaves) * alpha.numerator;
        let least = hull.iter().map(value).min().unwrap();
        let mut tied = hull.iter().filter(|it| value(it) == least);
        match ties {
            Ties::Larger if alpha.numerator > 0 => *tied.next_back().unwrap(),
            _ => *tied.next().unwrap(),
        }
    }

    fn by_branches(points: &Points, alpha: Alpha, ties: Ties) -> Vertex {
        let mut branch = Branch::new(points, alpha, ties, unlimited())
            .unwrap()
            .unwrap();
        let as_leaf = vertex(1, points.least_loss());
        let found = branch.search(branch.value(as_leaf.error, 1));
        assert!(found.is_complete);
        found.plan.map_or(as_leaf, |plan| figures(&plan, points))
    }

    #[test]
    fn branch_and_bound_agrees_with_plain_recursion() {
        let mut random = fastrand::Rng::with_seed(6);
        for round in 0..10_000 {
            let mut points = random_points(&mut random);
            let mut alpha = Alpha {
                numerator: random.u64(0..7),
                denominator: random.u64(1..4),
            };
            if round % 4 == 0 {
                widen(&mut points, &mut alpha);
            }
            let stairs = plain_stairs(&points, false);
            let hull = hull_of(&stairs, LeastAlpha::above(Alpha::ZERO));
            for ties in [Ties::Smaller, Ties::Larger] {
                let expected = best_at(&hull, alpha, ties);
                let found = by_branches(&points, alpha, ties);
                assert_eq!(found, expected, "{alpha:?} {ties:?} {points:?}");
            }
        }
    }

    /// Some hundred points, so that sets are many words long and move to smaller universes.
    #[test]
    fn branch_and_bound_agrees_with_hulls_on_many_points() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..60 {
            let (fields, n_words) = Field::lay_out(&[5, 4, 4, 2]);
            let mut codes: Vec<u64> = (0..random.usize(200..700))
                .map(|_| random.u64(0..1 << 15))
                .collect();
            codes.sort_unstable();
            codes.dedup();
            let n_classes = random.usize(2..=3);
            let losses = codes.iter().flat_map(|code| {
                let mut losses = vec![random.u64(1..4); n_classes];
                let is_noise = random.u8(0..5) == 0;
                let class = if is_noise {
                    random.usize(0..n_classes)
                } else {
                    *code as usize / 9000
                };
                losses[class % n_classes] = 0;
                losses
            });
            let losses: Vec<u64> = losses.collect();
            let points = Points {
                fields,
                n_words,
                codes,
                n_classes,
                losses,
            };
            for numerator in [4, 9, 30] {
                let alpha = Alpha {
                    numerator,
                    denominator: 2,
                };
                for (ties, least) in [
                    (Ties::Smaller, LeastAlpha::above(alpha)),
                    (Ties::Larger, LeastAlpha::with_ties(alpha)),
                ] {
                    let engine = engine(
                        &points,
                        Model::Collapsed,
                        Frontier::Hull(least),
                        unlimited(),
                    );
                    let hull = engine.unwrap().hull().unwrap();
                    let expected = best_at(&hull, alpha, ties);
                    assert_eq!(by_branches(&points, alpha, ties), expected, "{alpha:?}");
                }
            }
        }
    }
}
