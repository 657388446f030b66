//! The best tree for one alpha, by a memoised recursion over rectangles.
//!
//! This is the yardstick for the other searches: the recursion of D. Hush and R. Porter, "Algorithms for
//! optimal dyadic decision trees" (2010). The best tree of a rectangle is a leaf, or the best of all halvings
//! with the best trees of both halves. Every rectangle is solved once for each alpha.
//!
//! With the *lookahead* of the paper a rectangle whose error as a leaf is below alpha is not
//! halved, since a second leaf could not pay for itself. Without it the recursion goes on down to the finest
//! rectangles. An empty rectangle is a leaf in any case.
//!
//! What differs: comparisons are exact, in whole numbers; a memo entry holds the value and the coordinate,
//! and the tree is found afterwards by a walk through the memo. In the collapsed model a halving that leaves
//! one side empty is passed over for free.

mod memo;
mod point_order;
mod refused;

use std::sync::Arc;

use self::memo::{Entry, Memo, Name};
use self::point_order::{CellHalving, PointOrder};
use self::refused::Refused;
use crate::learn::dyadic::deadline::{SearchLimits, Stopped};
use crate::learn::dyadic::frontier::{Alpha, Vertex, vertex};
use crate::learn::dyadic::parameters::{Model, Ties};
use crate::learn::dyadic::plan::HalvingPlan;
use crate::learn::dyadic::problem::Points;

/// The recursion over the rectangles of some points.
#[derive(Debug)]
pub(crate) struct Rectangles<'a> {
    cells: PointOrder<'a>,
    looks_ahead: bool,
    ties: Ties,
    limits: SearchLimits,
    alpha: Alpha,
    memo: Memo,
    visited: Visited,
    refused: Refused,
    /// Rectangles solved for all alphas so far.
    steps: u64,
}

/// How many different rectangles were met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Visited {
    /// With points in them.
    pub(crate) occupied: u64,
    /// Without.
    pub(crate) empty: u64,
}

/// How many rectangles are solved between two checks of the deadline.
const CHECK_EVERY: u64 = 512;

impl<'a> Rectangles<'a> {
    /// `None` if the grid is too fine, has too many points for the memo, or sums of losses are too large for it.
    pub(crate) fn new(
        points: &'a Points,
        model: Model,
        looks_ahead: bool,
        ties: Ties,
        limits: SearchLimits,
    ) -> Option<Self> {
        // A tree without error halves a point's rectangles no more often than this.
        let n_halvings: u32 = points.fields.iter().map(|field| field.bits).sum();
        if points.len() * n_halvings as usize >= Entry::TOO_MANY_LEAVES as usize - 1 {
            return None;
        }
        Some(Self {
            cells: PointOrder::new(points, model)?,
            looks_ahead,
            ties,
            limits,
            alpha: Alpha::ZERO,
            memo: Memo::new(&points.fields),
            visited: Visited::default(),
            refused: Refused::default(),
            steps: 0,
        })
    }

    /// Leaves and error of the best tree for an alpha. At alpha zero, whatever the ties, it is the smallest
    /// of those with the least error.
    pub(crate) fn value(&mut self, alpha: Alpha) -> Result<Vertex, Stopped> {
        self.alpha = alpha;
        self.memo.clear();
        self.visited = Visited::default();
        self.refused = Refused::default();
        self.best(self.cells.whole(), 0, self.cells.points.len())
    }

    /// The tree of the last value.
    pub(crate) fn plan(&mut self) -> HalvingPlan {
        self.plan_of(self.cells.whole(), 0, self.cells.points.len())
    }

    /// The rectangles met for the last value.
    pub(crate) fn visited(&self) -> Visited {
        self.visited
    }

    /// The best halvings that were not worth the last alpha.
    pub(crate) fn refused(&self) -> Refused {
        self.refused
    }

    /// The error of all points as one leaf.
    pub(crate) fn error_of_leaf(&self) -> u64 {
        self.cells.points.least_loss()
    }

    /// The best value of a rectangle with the points `members[start..end]`.
    fn best(&mut self, name: Name, start: usize, end: usize) -> Result<Vertex, Stopped> {
        if let Some(entry) = self.memo.get(name) {
            return Ok(entry.value());
        }
        if start == end {
            let leaf = vertex(1, 0);
            self.visited.empty += 1;
            self.memo.insert(name, Entry::new(leaf, 0));
            return Ok(leaf);
        }
        self.visited.occupied += 1;
        self.check()?;
        let leaf = vertex(1, self.cells.error(start, end));
        let mut entry = Entry::new(leaf, 0);
        if !self.is_closed(leaf.error)
            && let Some((split, coordinate)) = self.best_split(name, start, end)?
        {
            if self.is_better(split, leaf) {
                entry = Entry::new(split, coordinate);
            } else {
                self.refused.note(leaf, split, self.alpha);
            }
        }
        self.memo.insert(name, entry);
        Ok(entry.value())
    }

    /// The best value of a rectangle that is halved, and the coordinate; `None` if it cannot be.
    fn best_split(
        &mut self,
        name: Name,
        start: usize,
        end: usize,
    ) -> Result<Option<(Vertex, usize)>, Stopped> {
        let differing = self.cells.differing(start, end);
        let mut best: Option<(Vertex, usize)> = None;
        for coordinate in 0..self.cells.points.fields.len() {
            let Some(halving) = self.cells.halving(name, coordinate, start, differing) else {
                continue;
            };
            let value = self.value_of(&halving, start, end)?;
            if best.is_none_or(|(before, _)| self.is_better(value, before)) {
                best = Some((value, coordinate));
            }
        }
        Ok(best)
    }

    /// The sum of the best values of both halves.
    fn value_of(
        &mut self,
        halving: &CellHalving,
        start: usize,
        end: usize,
    ) -> Result<Vertex, Stopped> {
        let known = halving.names.map(|name| self.memo.get(name));
        let [left, right] = if let [Some(left), Some(right)] = known {
            [left.value(), right.value()]
        } else {
            let middle = self.cells.part(halving, start, end);
            let left = self.best(halving.names[0], start, middle)?;
            [left, self.best(halving.names[1], middle, end)?]
        };
        Ok(vertex(left.leaves + right.leaves, left.error + right.error))
    }

    /// Is a rectangle with this error a leaf, whatever its halvings are?
    fn is_closed(&self, error: u64) -> bool {
        let saving = u128::from(error) * u128::from(self.alpha.denominator);
        let alpha = u128::from(self.alpha.numerator);
        let is_below = match self.ties {
            Ties::Smaller => saving <= alpha,
            Ties::Larger => saving < alpha,
        };
        self.looks_ahead && (error == 0 || is_below)
    }

    /// Is a tree better than another, at this alpha and by the rule for ties?
    fn is_better(&self, a: Vertex, b: Vertex) -> bool {
        let objective = |value: Vertex| {
            u128::from(value.error) * u128::from(self.alpha.denominator)
                + u128::from(value.leaves) * u128::from(self.alpha.numerator)
        };
        let (of_a, of_b) = (objective(a), objective(b));
        let is_larger_better = self.ties == Ties::Larger && self.alpha.numerator > 0;
        let has_better_size = if is_larger_better {
            a.leaves > b.leaves
        } else {
            a.leaves < b.leaves
        };
        of_a < of_b || of_a == of_b && has_better_size
    }

    fn plan_of(&mut self, name: Name, start: usize, end: usize) -> HalvingPlan {
        let entry = self.memo.get(name);
        let entry = entry.expect("a best tree has solved rectangles only");
        if entry.value().leaves == 1 {
            return HalvingPlan::Leaf;
        }
        let coordinate = entry.coordinate();
        let differing = self.cells.differing(start, end);
        let halving = self.cells.halving(name, coordinate, start, differing);
        let halving = halving.expect("the best halving was possible");
        let middle = self.cells.part(&halving, start, end);
        let sides = [
            self.plan_of(halving.names[0], start, middle),
            self.plan_of(halving.names[1], middle, end),
        ];
        HalvingPlan::Halve {
            coordinate,
            level: halving.level,
            prefix: halving.prefix as u32,
            sides: Arc::new(sides),
        }
    }

    /// Checks now and then whether time or memory is spent.
    fn check(&mut self) -> Result<(), Stopped> {
        self.steps += 1;
        if !self.steps.is_multiple_of(CHECK_EVERY) {
            return Ok(());
        }
        let n_rectangles = self.visited.occupied + self.visited.empty;
        self.limits.check(n_rectangles as usize, self.memo.bytes())
    }
}

#[cfg(test)]
mod tests {
    //! The recursion over rectangles, and the searches over alphas, against plain recursions.

    use std::collections::BTreeSet;

    use super::{Rectangles, Visited};
    use crate::learn::dyadic::deadline::{SearchLimits, Stopped};
    use crate::learn::dyadic::engines::tests::{figures, plain, random_points, unlimited};
    use crate::learn::dyadic::frontier::{Alpha, Vertex, vertex};
    use crate::learn::dyadic::parameters::{Model, Ties};
    use crate::learn::dyadic::path::lambda_search::{
        LambdaSearch, adaptive_count, grid_count, search, upper_leaves,
    };
    use crate::learn::dyadic::plan::HalvingPlan;
    use crate::learn::dyadic::problem::{Field, Points};

    const MODELS: [Model; 2] = [Model::Collapsed, Model::Boxed];

    struct Solved {
        value: Vertex,
        plan: HalvingPlan,
        visited: Visited,
    }

    fn solve(rectangles: &mut Rectangles<'_>, alpha: Alpha) -> Result<Solved, Stopped> {
        let value = rectangles.value(alpha)?;
        Ok(Solved {
            value,
            plan: rectangles.plan(),
            visited: rectangles.visited(),
        })
    }

    fn rectangles(points: &Points, model: Model, looks_ahead: bool, ties: Ties) -> Rectangles<'_> {
        Rectangles::new(points, model, looks_ahead, ties, unlimited()).unwrap()
    }

    /// The best vertex of a hull, by the rule for ties.
    fn best_of(hull: &[Vertex], alpha: Alpha, ties: Ties) -> Vertex {
        if alpha.numerator == 0 {
            return *hull.last().unwrap();
        }
        let objective =
            |c: &Vertex| c.error * alpha.denominator + u64::from(c.leaves) * alpha.numerator;
        let least = hull.iter().map(objective).min().unwrap();
        let mut tied = hull.iter().filter(|c| objective(c) == least);
        match ties {
            Ties::Smaller => *tied.next().unwrap(),
            Ties::Larger => *tied.next_back().unwrap(),
        }
    }

    /// Zero, any alpha, and where the best tree changes.
    fn alphas(hull: &[Vertex], random: &mut fastrand::Rng) -> Vec<Alpha> {
        let any = Alpha {
            numerator: random.u64(0..9),
            denominator: random.u64(1..5),
        };
        let edge = |c: &[Vertex]| Alpha {
            numerator: (c[0].error - c[1].error),
            denominator: u64::from(c[1].leaves - c[0].leaves),
        };
        let edges: Vec<Alpha> = hull.windows(2).map(edge).collect();
        let mut alphas = vec![Alpha::ZERO, any];
        alphas.extend(random.choice(edges));
        alphas
    }

    #[test]
    fn all_variants_agree_with_plain_recursion() {
        let mut random = fastrand::Rng::with_seed(11);
        for _ in 0..4000 {
            let points = random_points(&mut random);
            for model in MODELS {
                let hull = plain(&points, model == Model::Boxed, Alpha::ZERO);
                for alpha in alphas(&hull, &mut random) {
                    for ties in [Ties::Smaller, Ties::Larger] {
                        check(&points, model, &hull, alpha, ties);
                    }
                }
            }
        }
    }

    /// With and without the lookahead.
    fn check(points: &Points, model: Model, hull: &[Vertex], alpha: Alpha, ties: Ties) {
        let case = || format!("{model:?} {ties:?} {alpha:?} {points:?}");
        let expected = best_of(hull, alpha, ties);
        let solved = [false, true].map(|looks_ahead| {
            let mut rectangles = rectangles(points, model, looks_ahead, ties);
            let solved = solve(&mut rectangles, alpha).unwrap();
            assert_eq!(solved.value, expected, "{looks_ahead} {}", case());
            assert_eq!(figures(&solved.plan, points), expected, "{}", case());
            let again = solve(&mut rectangles, alpha).unwrap();
            assert_eq!(again.plan, solved.plan, "{}", case());
            solved
        });
        let [all, ahead] = solved.map(|solved| solved.visited);
        assert!(all.occupied >= ahead.occupied && all.empty >= ahead.empty);
        assert!(model == Model::Boxed || all.empty == 0);
    }

    /// All rectangles with points, and those without into which such a one can be halved.
    fn enumerate(points: &Points) -> Visited {
        let mut occupied: BTreeSet<Vec<(u32, u64)>> = BTreeSet::new();
        for point in 0..points.len() {
            let mut cells: Vec<Vec<(u32, u64)>> = vec![Vec::new()];
            for field in &points.fields {
                let bits = (points.codes[point] & field.mask()) >> field.shift;
                let longer = |cell: &Vec<(u32, u64)>| {
                    let side = |level| (level, bits >> (field.bits - level));
                    let add = |level| [&cell[..], &[side(level)]].concat();
                    (0..=field.bits).map(add).collect::<Vec<_>>()
                };
                cells = cells.iter().flat_map(longer).collect();
            }
            occupied.extend(cells);
        }
        let mut empty = BTreeSet::new();
        for cell in &occupied {
            for (coordinate, field) in points.fields.iter().enumerate() {
                let (level, bits) = cell[coordinate];
                for bit in 0..2 {
                    let mut half = cell.clone();
                    half[coordinate] = (level + 1, bits << 1 | bit);
                    if level < field.bits && !occupied.contains(&half) {
                        empty.insert(half);
                    }
                }
            }
        }
        Visited {
            occupied: occupied.len() as u64,
            empty: empty.len() as u64,
        }
    }

    #[test]
    fn without_lookahead_all_rectangles_are_met_once() {
        let mut random = fastrand::Rng::with_seed(12);
        for _ in 0..400 {
            let points = random_points(&mut random);
            let mut rectangles = rectangles(&points, Model::Boxed, false, Ties::Smaller);
            let alpha = Alpha {
                numerator: random.u64(0..5),
                denominator: 2,
            };
            let solved = solve(&mut rectangles, alpha).unwrap();
            assert_eq!(solved.visited, enumerate(&points), "{points:?}");
        }
    }

    #[test]
    fn searches_over_alphas_stay_on_the_hull() {
        let mut random = fastrand::Rng::with_seed(13);
        let (mut n_heuristic, mut n_adaptive) = (0, 0);
        for round in 0..2000 {
            let points = random_points(&mut random);
            let model = MODELS[round % 2];
            let hull = plain(&points, model == Model::Boxed, Alpha::ZERO);
            let upper = upper_leaves(&points, model, unlimited()).unwrap();
            let mut rectangles = rectangles(&points, model, true, Ties::Larger);
            let adaptive = search(&mut rectangles, upper, false);
            assert_eq!(values(&adaptive), hull, "{model:?} {points:?}");
            assert_eq!(adaptive.n_solves, adaptive_count(&hull, upper));
            n_adaptive += adaptive.n_solves;
            let found = search(&mut rectangles, upper, true);
            n_heuristic += found.n_solves;
            let values = values(&found);
            assert!(values.iter().all(|value| hull.contains(value)));
            assert!(values.is_sorted_by_key(|value| value.leaves));
            assert_eq!((values.first(), values.last()), (hull.first(), hull.last()));
            for (value, plan) in &found.solutions {
                assert_eq!(figures(plan, &points), *value);
            }
        }
        assert!(n_heuristic < n_adaptive, "{n_heuristic} {n_adaptive}");
    }

    fn values(found: &LambdaSearch) -> Vec<Vertex> {
        found.solutions.iter().map(|&(value, _)| value).collect()
    }

    #[test]
    fn alphas_are_counted_as_in_the_paper() {
        assert_eq!(grid_count(65, 59), 2319);
        assert_eq!((grid_count(3, 1), grid_count(1, 9)), (0, 8));
        let path = [
            (1, 65),
            (2, 41),
            (3, 27),
            (5, 18),
            (7, 14),
            (10, 9),
            (12, 7),
            (17, 3),
            (19, 2),
            (25, 0),
        ];
        let path = path.map(|(leaves, error)| vertex(leaves, error));
        assert_eq!(adaptive_count(&path, 59), 161);
        assert_eq!(adaptive_count(&path[..1], 59), 0);
    }

    /// These points behind a coordinate in which all are equal, so that names and points are wide.
    fn widened(points: &Points) -> Points {
        let mut bits = vec![60];
        bits.extend(points.fields.iter().map(|field| field.bits));
        let (fields, n_words) = Field::lay_out(&bits);
        let mut codes = vec![0; points.len() * n_words];
        for (from, to) in points.fields.iter().zip(&fields[1..]) {
            for point in 0..points.len() {
                let cell = (points.codes[point] & from.mask()) >> from.shift;
                codes[point * n_words + to.word as usize] |= cell << to.shift;
            }
        }
        Points {
            fields,
            n_words,
            codes,
            ..points.clone()
        }
    }

    /// The coordinates of a plan from the root down, each less `shift`.
    fn coordinates(plan: &HalvingPlan, shift: usize, out: &mut Vec<(usize, u32, u32)>) {
        if let HalvingPlan::Halve {
            coordinate,
            level,
            prefix,
            sides,
        } = plan
        {
            out.push((coordinate - shift, *level, *prefix));
            for side in sides.iter() {
                coordinates(side, shift, out);
            }
        }
    }

    #[test]
    fn wide_names_and_points_change_nothing() {
        let mut random = fastrand::Rng::with_seed(15);
        for round in 0..200 {
            let points = random_points(&mut random);
            let wide = widened(&points);
            let model = MODELS[round % 2];
            let alpha = Alpha {
                numerator: random.u64(1..5),
                denominator: random.u64(1..4),
            };
            let [narrow, wide] = [(&points, 0), (&wide, 1)].map(|(points, shift)| {
                let mut rectangles = rectangles(points, model, true, Ties::Smaller);
                let solved = solve(&mut rectangles, alpha).unwrap();
                let mut halvings = Vec::new();
                coordinates(&solved.plan, shift, &mut halvings);
                (solved.value, halvings)
            });
            assert_eq!(narrow, wide, "{model:?} {alpha:?} {points:?}");
        }
    }

    #[test]
    fn limits_stop_a_search_and_wide_grids_are_refused() {
        let mut random = fastrand::Rng::with_seed(14);
        let mut points = random_points(&mut random);
        let limits = SearchLimits {
            most_bytes: 0,
            ..unlimited()
        };
        let new = |points| Rectangles::new(points, Model::Boxed, false, Ties::Smaller, limits);
        let mut rectangles = new(&points).unwrap();
        // Small ones are checked now and then, too.
        assert!((0..513).any(|_| solve(&mut rectangles, Alpha::ZERO).is_err()));
        let (fields, n_words) = Field::lay_out(&[50, 50, 26]);
        points.codes = vec![0; points.len() * n_words];
        (points.fields, points.n_words) = (fields, n_words);
        let wide = Rectangles::new(&points, Model::Boxed, true, Ties::Smaller, unlimited());
        assert!(wide.is_none());
    }
}
