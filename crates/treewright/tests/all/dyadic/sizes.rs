//! The best dyadic tree of a size: against a plain recursion over boxes, and against the best trees for
//! all weights.

use std::collections::{BTreeMap, HashMap};

use fastrand::Rng;
use num_rational::BigRational;
use treewright::cost::{Lambda, Objective, Penalty, Scale, SolutionValue};
use treewright::data::{Column, Dataset, Target, TargetKind};
use treewright::eval::verify;
use treewright::learn::dyadic::{Aim, Dyadic, Model, Resolution};
use treewright::learn::{FamilyLearner, Learner};
use treewright::tree::Fit;
use treewright::{Budget, Tree};

use super::claims::random_learner;
use crate::tables::{Table, Weights, Wishes, assemble, random_table};

/// A table of whole weights or any, with a learner for it.
pub(crate) fn any_case(rng: &mut Rng, weights: Weights) -> (Dyadic, Table) {
    let wishes = Wishes {
        classes: true,
        missing: rng.bool(),
        weights,
    };
    let table = random_table(rng, wishes);
    (random_learner(rng, &table.data), table)
}

pub(crate) fn fitted(learner: &Dyadic, aim: Aim, data: &Dataset) -> Fit<Tree> {
    let learner = Dyadic {
        aim,
        ..learner.clone()
    };
    learner.fit(data, &Budget::unlimited()).unwrap()
}

/// Cost and leaves of a tree, in units.
pub(crate) fn value(fit: &Fit<Tree>, scale: Scale) -> SolutionValue {
    let units = fit.training.cost * scale.total_weight / scale.unit;
    SolutionValue {
        cost: units.round() as i64,
        leaves: fit.training.leaves,
    }
}

/// The best trees with at most 1, 2, ... leaves, as far as that makes a difference.
pub(crate) fn sizes(learner: &Dyadic, data: &Dataset) -> (Vec<SolutionValue>, Scale) {
    let family = learner.fit_family(data, &Budget::unlimited());
    let family = family.unwrap().family;
    let largest = family.values()[family.len() - 1];
    let best = (1..=largest.leaves).map(|leaves| {
        let fit = fitted(learner, Aim::Leaves(leaves), data);
        value(&fit, family.scale())
    });
    let mut best: Vec<SolutionValue> = best.collect();
    best.dedup();
    // Costs may be rounded.
    assert_eq!(best[best.len() - 1].leaves, largest.leaves);
    (best, family.scale())
}

/// The cell of a row or a point on each side of the box.
type Place = [u32; 2];
/// Place, class and weight.
type Row = (Place, u32, u32);
/// Place and losses by class.
type Point = (Place, Vec<i64>);
/// The first cell and the number of cells on each side.
type Sides = [(u32, u32); 2];

/// Least errors of trees with at most this many leaves, over the boxes of a grid of 8 times 8 cells.
struct Plain<'a> {
    points: &'a [Point],
    is_boxed: bool,
    known: HashMap<(Sides, usize), i64>,
}

impl Plain<'_> {
    fn least(&mut self, sides: Sides, leaves: usize) -> i64 {
        if let Some(&known) = self.known.get(&(sides, leaves)) {
            return known;
        }
        let mut best = self.of_leaf(sides);
        for side in 0..2 {
            let (first, length) = sides[side];
            if length == 1 {
                continue;
            }
            let half = length / 2;
            let [mut low, mut high] = [sides; 2];
            low[side] = (first, half);
            high[side] = (first + half, half);
            best = best.min(self.of_split(low, high, leaves));
        }
        self.known.insert((sides, leaves), best);
        best
    }

    fn of_split(&mut self, low: Sides, high: Sides, leaves: usize) -> i64 {
        match (self.is_empty(low), self.is_empty(high)) {
            (true, true) => 0,
            // Its empty half is a leaf or nothing.
            (true, false) | (false, true) => {
                let rest = if self.is_empty(low) { high } else { low };
                match leaves - usize::from(self.is_boxed) {
                    0 => i64::MAX,
                    leaves => self.least(rest, leaves),
                }
            }
            (false, false) => (1..leaves)
                .map(|left| self.least(low, left) + self.least(high, leaves - left))
                .min()
                .unwrap_or(i64::MAX),
        }
    }

    fn inside(&self, sides: Sides) -> impl Iterator<Item = &Vec<i64>> {
        let is_inside = move |place: &Place| {
            (0..2).all(|side| {
                let (first, length) = sides[side];
                (first..first + length).contains(&place[side])
            })
        };
        let points = self.points.iter();
        points.filter_map(move |(place, losses)| is_inside(place).then_some(losses))
    }

    fn is_empty(&self, sides: Sides) -> bool {
        self.inside(sides).next().is_none()
    }

    fn of_leaf(&self, sides: Sides) -> i64 {
        let of_class = |class: usize| self.inside(sides).map(|losses| losses[class]).sum();
        (0..3).map(of_class).min().unwrap_or(0)
    }
}

/// Rows in a grid whose cells are whole numbers: places, classes and weights.
fn random_rows(rng: &mut Rng) -> Vec<Row> {
    let n_rows = rng.usize(2..30);
    let mut rows: Vec<Row> = (0..n_rows)
        .map(|_| {
            let place = [rng.u32(0..8), rng.u32(0..8)];
            (place, rng.u32(0..3), rng.u32(1..4))
        })
        .collect();
    // They span the box from 0 to 8; the end belongs to the last cell.
    rows[0].0 = [0, 0];
    rows[1].0 = [8, 8];
    rows
}

/// What each class costs at each place, without what none can avoid, and the sum of that.
fn points_of(rows: &[Row]) -> (Vec<Point>, i64) {
    let mut losses: BTreeMap<Place, Vec<i64>> = BTreeMap::new();
    for &(place, truth, weight) in rows {
        let place = place.map(|cell| cell.min(7));
        let losses = losses.entry(place).or_insert_with(|| vec![0; 3]);
        for class in (0..3).filter(|&class| class != truth) {
            losses[class as usize] += i64::from(weight);
        }
    }
    let mut base = 0;
    for losses in losses.values_mut() {
        let least = losses.iter().min().copied().unwrap();
        for loss in losses {
            *loss -= least;
        }
        base += least;
    }
    losses.retain(|_, losses| losses.iter().any(|&loss| loss > 0));
    (losses.into_iter().collect(), base)
}

#[test]
fn sizes_agree_with_a_plain_recursion() {
    for seed in 0..300 {
        let mut rng = Rng::with_seed(seed);
        let rows = random_rows(&mut rng);
        let numbers = |side: usize| {
            let cells = rows.iter().map(|(place, ..)| f64::from(place[side]));
            Column::Numeric(cells.collect())
        };
        let classes = Target::Classes(rows.iter().map(|row| row.1).collect());
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        let weights = rows.iter().map(|row| f64::from(row.2)).collect();
        let target = (TargetKind::Classes(names), classes);
        let table = assemble(
            &mut rng,
            vec![numbers(0), numbers(1)],
            target,
            Some(weights),
        );
        let (points, base) = points_of(&rows);
        for model in [Model::Collapsed, Model::Boxed] {
            let learner = Dyadic {
                model,
                resolution: Resolution::Same(3),
                ..Dyadic::default()
            };
            let mut plain = Plain {
                points: &points,
                is_boxed: model == Model::Boxed,
                known: HashMap::new(),
            };
            for leaves in 1..9 {
                let fit = fitted(&learner, Aim::Leaves(leaves), &table.data);
                let least = plain.least([(0, 8); 2], leaves) + base;
                let found = fit.training.errors.unwrap() as i64;
                assert_eq!(
                    found, least,
                    "seed {seed}, {model:?}, {leaves} leaves\n{table}"
                );
            }
        }
    }
}

#[test]
fn sizes_are_proven_and_hold() {
    for seed in 0..300 {
        let mut rng = Rng::with_seed(seed);
        let (learner, table) = any_case(&mut rng, Weights::Any);
        let mut before = f64::INFINITY;
        for leaves in 1..=6 {
            let fit = fitted(&learner, Aim::Leaves(leaves), &table.data);
            let case = || format!("seed {seed}, {leaves} leaves, {learner:?}\n{table}");
            assert!(fit.training.leaves <= leaves, "{}", case());
            assert!(fit.training.cost <= before, "{}", case());
            before = fit.training.cost;
            let certificate = fit.certificate.as_ref().unwrap();
            // Where rounded weights matter beside a small cost, the bound lies lower by that much.
            let rounding = certificate.tolerance.unwrap_or(0.0) * (1.0 + 1e-6);
            let open = certificate.objective - certificate.lower_bound;
            assert!(certificate.is_optimal() || open <= rounding, "{}", case());
            assert_eq!(certificate.objective, fit.training.cost, "{}", case());
            assert_eq!(fit.learner.params.as_json()["leaves"], leaves);
            let checks = verify(&fit, &table.data);
            assert!(checks.holds, "{checks:?}, {}", case());
        }
    }
}

/// The best tree for a weight is the best one of its size, and none of another size is better.
#[test]
fn sizes_and_weights_agree() {
    for seed in 0..200 {
        let mut rng = Rng::with_seed(seed);
        let (learner, table) = any_case(&mut rng, Weights::Whole);
        let (best, scale) = sizes(&learner, &table.data);
        for pair in best.windows(2) {
            assert!(pair[0].leaves < pair[1].leaves && pair[0].cost > pair[1].cost);
        }
        let family = learner.fit_family(&table.data, &Budget::unlimited());
        let family = family.unwrap().family;
        for numerator in 0..60 {
            let ratio = BigRational::new(numerator.into(), 160.into());
            let lambda = Lambda::new(ratio).unwrap();
            let objective = Objective::new(lambda.clone(), Penalty::Linear, scale);
            let by_size = best
                .iter()
                .copied()
                .min_by(|a, b| objective.compare(*a, *b));
            let by_weight = family.values()[family.at(&lambda)];
            assert_eq!(
                Some(by_weight),
                by_size,
                "seed {seed}, {learner:?}\n{table}"
            );
        }
    }
}
