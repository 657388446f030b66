//! The searches against plain recursions over all boxes.

use std::collections::HashMap;

use super::Model;
use super::boxed::Boxed;
use super::collapsed::{Collapsed, Limits};
use super::engine::{Plan, engine};
use super::hull::{Corner, Price, corner, sum, union};
use super::points::{Field, Points};
use crate::budget::Budget;

/// A cell: for each coordinate how often it was halved, and the bits of its halves.
type Cell = Vec<(u32, u64)>;

/// Plain dynamic programming over all boxes, as slow and obvious as can be.
pub(super) struct Plain<'a> {
    pub(super) points: &'a Points,
    pub(super) is_boxed: bool,
    pub(super) least: Price,
    pub(super) solved: HashMap<Cell, Vec<Corner>>,
}

impl Plain<'_> {
    fn bits_of(&self, point: usize, coordinate: usize) -> u64 {
        let field = self.points.fields[coordinate];
        let word = self.points.codes[point * self.points.n_words + field.word as usize];
        (word & field.mask()) >> field.shift
    }

    pub(super) fn hull(&mut self, cell: &Cell, inside: &[usize]) -> Vec<Corner> {
        if let Some(hull) = self.solved.get(cell) {
            return hull.clone();
        }
        let sums = (0..self.points.n_classes).map(|class| -> u32 {
            inside
                .iter()
                .map(|&p| self.points.losses_of(p)[class])
                .sum()
        });
        let error = sums.min().unwrap();
        let mut best = vec![corner(1, error)];
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
                let mut hulls = Vec::new();
                for (bit, side) in [(0, left), (1, right)] {
                    let mut half = cell.clone();
                    half[coordinate] = (level + 1, prefix << 1 | bit);
                    hulls.push(self.hull(&half, &side));
                }
                let mut candidate = Vec::new();
                sum(&hulls[0], &hulls[1], 0, &mut candidate);
                let before = best.clone();
                union(&before, &candidate, self.least, &mut best);
                break;
            }
        }
        self.solved.insert(cell.clone(), best.clone());
        best
    }
}

pub(super) fn plain(points: &Points, is_boxed: bool, least: Price) -> Vec<Corner> {
    let mut plain = Plain {
        points,
        is_boxed,
        least,
        solved: HashMap::new(),
    };
    let all: Vec<usize> = (0..points.len()).collect();
    plain.hull(&vec![(0, 0); points.fields.len()], &all)
}

pub(super) fn unlimited() -> Limits {
    Limits {
        budget: Budget::unlimited(),
        most_bytes: usize::MAX,
    }
}

/// Points with few bits, clustered so that boxes must be zoomed into.
pub(super) fn random_points(random: &mut fastrand::Rng) -> Points {
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
        let mut of_point: Vec<u32> = (0..n_classes).map(|_| random.u32(0..4)).collect();
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

/// Leaves and error of a plan, by sending all points down. Halvings must come in order.
pub(super) fn figures(plan: &Plan, points: &Points) -> Corner {
    fn below(plan: &Plan, inside: &[usize], cell: &Cell, points: &Points) -> Corner {
        match plan {
            Plan::Leaf => {
                let sum = |class| inside.iter().map(|&p| points.losses_of(p)[class]).sum();
                corner(1, (0..points.n_classes).map(sum).min().unwrap())
            }
            Plan::Halve {
                coordinate,
                level,
                prefix,
                sides,
            } => {
                let field = points.fields[*coordinate];
                let bits = |p: usize| (points.codes[p] & field.mask()) >> field.shift;
                let (seen, known) = cell[*coordinate];
                assert!(*level >= seen && u64::from(*prefix) >> (level - seen) == known);
                let mut figures = corner(0, 0);
                for (side, plan) in sides.iter().enumerate() {
                    let is_in = |&p: &usize| bits(p) >> (field.bits - 1 - level) & 1 == side as u64;
                    let inside: Vec<usize> = inside.iter().copied().filter(is_in).collect();
                    let mut half = cell.clone();
                    half[*coordinate] = (level + 1, u64::from(prefix << 1) | side as u64);
                    let found = below(plan, &inside, &half, points);
                    figures = corner(figures.leaves + found.leaves, figures.error + found.error);
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
        let points = random_points(&mut random);
        let least = match round % 3 {
            0 => Price::ZERO,
            _ => Price {
                numerator: random.u64(0..5),
                denominator: random.u64(1..4),
            },
        };
        let expected = plain(&points, false, least);
        let mut collapsed: Collapsed<1, 2> = Collapsed::new(&points, least, unlimited());
        let whole = collapsed.whole();
        let best = collapsed.solve(&whole, 0, 0).unwrap();
        let mut found = Vec::new();
        collapsed.corners(best, &mut found);
        assert_eq!(found, expected, "collapsed, {least:?}, {points:?}");

        let in_boxes = plain(&points, true, least);
        let mut boxed = Boxed::new(Collapsed::<1, 2>::new(&points, least, unlimited()));
        let levels = boxed.whole_box();
        let best = boxed.solve(&whole, &levels, 0, 0).unwrap();
        boxed.corners(best, &mut found);
        assert_eq!(found, in_boxes, "boxed, {least:?}, {points:?}");
        differ += usize::from(in_boxes != expected);
        for (model, hull) in [(Model::Collapsed, &expected), (Model::Boxed, &in_boxes)] {
            let mut engine = engine(&points, model, least, unlimited()).unwrap();
            assert_eq!(engine.hull().unwrap(), *hull);
            for &target in hull {
                let plan = engine.plan(target);
                assert_eq!(figures(&plan, &points), target, "{model:?} {points:?}");
            }
            let (found, plan) = engine.greedy(least);
            assert_eq!(
                figures(&plan, &points),
                found,
                "greedy {model:?} {points:?}"
            );
        }
    }
    assert!(
        differ > ROUNDS / 5,
        "only {differ} of {ROUNDS} cases are hard"
    );
}
