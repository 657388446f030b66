//! The recursion over rectangles, and the searches over prices, against plain recursions.

use std::collections::BTreeSet;

use super::collapsed::{Limits, Stopped};
use super::engine::Plan;
use super::hull::{Corner, Price, corner};
use super::lambda_search::{Search, adaptive_count, grid_count, l_bound, search};
use super::points::{Field, Points};
use super::rectangles::{Rectangles, Visited};
use super::tests::{figures, plain, random_points, unlimited};
use super::{Model, Ties};

const MODELS: [Model; 2] = [Model::Collapsed, Model::Boxed];

struct Solved {
    value: Corner,
    plan: Plan,
    visited: Visited,
}

fn solve(rectangles: &mut Rectangles<'_>, price: Price) -> Result<Solved, Stopped> {
    let value = rectangles.value(price)?;
    Ok(Solved {
        value,
        plan: rectangles.plan(),
        visited: rectangles.visited(),
    })
}

fn rectangles(points: &Points, model: Model, is_bounded: bool, ties: Ties) -> Rectangles<'_> {
    Rectangles::new(points, model, is_bounded, ties, unlimited()).unwrap()
}

/// The best corner of a hull, by the rule for ties.
fn best_of(hull: &[Corner], price: Price, ties: Ties) -> Corner {
    if price.numerator == 0 {
        return *hull.last().unwrap();
    }
    let objective =
        |c: &Corner| c.error * price.denominator + u64::from(c.leaves) * price.numerator;
    let least = hull.iter().map(objective).min().unwrap();
    let mut tied = hull.iter().filter(|c| objective(c) == least);
    match ties {
        Ties::Smaller => *tied.next().unwrap(),
        Ties::Larger => *tied.next_back().unwrap(),
    }
}

/// Zero, any price, and where the best tree changes.
fn prices(hull: &[Corner], random: &mut fastrand::Rng) -> Vec<Price> {
    let any = Price {
        numerator: random.u64(0..9),
        denominator: random.u64(1..5),
    };
    let edge = |c: &[Corner]| Price {
        numerator: (c[0].error - c[1].error),
        denominator: u64::from(c[1].leaves - c[0].leaves),
    };
    let edges: Vec<Price> = hull.windows(2).map(edge).collect();
    let mut prices = vec![Price::ZERO, any];
    prices.extend(random.choice(edges));
    prices
}

#[test]
fn all_variants_agree_with_plain_recursion() {
    let mut random = fastrand::Rng::with_seed(11);
    for _ in 0..4000 {
        let points = random_points(&mut random);
        for model in MODELS {
            let hull = plain(&points, model == Model::Boxed, Price::ZERO);
            for price in prices(&hull, &mut random) {
                for ties in [Ties::Smaller, Ties::Larger] {
                    check(&points, model, &hull, price, ties);
                }
            }
        }
    }
}

/// With and without the lookahead.
fn check(points: &Points, model: Model, hull: &[Corner], price: Price, ties: Ties) {
    let case = || format!("{model:?} {ties:?} {price:?} {points:?}");
    let expected = best_of(hull, price, ties);
    let solved = [false, true].map(|is_bounded| {
        let mut rectangles = rectangles(points, model, is_bounded, ties);
        let solved = solve(&mut rectangles, price).unwrap();
        assert_eq!(solved.value, expected, "{is_bounded} {}", case());
        assert_eq!(figures(&solved.plan, points), expected, "{}", case());
        let again = solve(&mut rectangles, price).unwrap();
        assert_eq!(again.plan, solved.plan, "{}", case());
        solved
    });
    let [all, bounded] = solved.map(|solved| solved.visited);
    assert!(all.occupied >= bounded.occupied && all.empty >= bounded.empty);
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
        let price = Price {
            numerator: random.u64(0..5),
            denominator: 2,
        };
        let solved = solve(&mut rectangles, price).unwrap();
        assert_eq!(solved.visited, enumerate(&points), "{points:?}");
    }
}

#[test]
fn searches_over_prices_stay_on_the_hull() {
    let mut random = fastrand::Rng::with_seed(13);
    let (mut n_heuristic, mut n_adaptive) = (0, 0);
    for round in 0..2000 {
        let points = random_points(&mut random);
        let model = MODELS[round % 2];
        let hull = plain(&points, model == Model::Boxed, Price::ZERO);
        let bound = l_bound(&points, model, unlimited()).unwrap();
        let mut rectangles = rectangles(&points, model, true, Ties::Larger);
        let adaptive = search(&mut rectangles, bound, false);
        assert_eq!(values(&adaptive), hull, "{model:?} {points:?}");
        assert_eq!(adaptive.n_solves, adaptive_count(&hull, bound));
        n_adaptive += adaptive.n_solves;
        let found = search(&mut rectangles, bound, true);
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

fn values(found: &Search) -> Vec<Corner> {
    found.solutions.iter().map(|&(value, _)| value).collect()
}

#[test]
fn prices_are_counted_as_in_the_paper() {
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
    let path = path.map(|(leaves, error)| corner(leaves, error));
    assert_eq!(adaptive_count(&path, 59), 161);
    assert_eq!(adaptive_count(&path[..1], 59), 0);
}

/// The same points behind a coordinate in which all are equal, so that names and points are wide.
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
fn coordinates(plan: &Plan, shift: usize, out: &mut Vec<(usize, u32, u32)>) {
    if let Plan::Halve {
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
        let price = Price {
            numerator: random.u64(1..5),
            denominator: random.u64(1..4),
        };
        let [narrow, wide] = [(&points, 0), (&wide, 1)].map(|(points, shift)| {
            let mut rectangles = rectangles(points, model, true, Ties::Smaller);
            let solved = solve(&mut rectangles, price).unwrap();
            let mut halvings = Vec::new();
            coordinates(&solved.plan, shift, &mut halvings);
            (solved.value, halvings)
        });
        assert_eq!(narrow, wide, "{model:?} {price:?} {points:?}");
    }
}

#[test]
fn limits_stop_a_search_and_wide_grids_are_refused() {
    let mut random = fastrand::Rng::with_seed(14);
    let mut points = random_points(&mut random);
    let limits = Limits {
        most_bytes: 0,
        ..unlimited()
    };
    let new = |points| Rectangles::new(points, Model::Boxed, false, Ties::Smaller, limits);
    let mut rectangles = new(&points).unwrap();
    // Small ones are checked now and then, too.
    assert!((0..513).any(|_| solve(&mut rectangles, Price::ZERO).is_err()));
    let (fields, n_words) = Field::lay_out(&[50, 50, 26]);
    points.codes = vec![0; points.len() * n_words];
    (points.fields, points.n_words) = (fields, n_words);
    let wide = Rectangles::new(&points, Model::Boxed, true, Ties::Smaller, unlimited());
    assert!(wide.is_none());
}
