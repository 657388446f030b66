//! Signs against references that do not share their code, and true ties.

use super::*;

fn penalty(text: &str) -> Penalty {
    text.parse().unwrap()
}

/// The sign of `fall * (P(right) - P(middle)) - further * (P(middle) - P(left))`, plus a constant.
fn turn(text: &str, leaves: [usize; 3], falls: (i128, i128), constant: i128) -> Ordering {
    let (fall, further) = (BigInt::from(falls.0), BigInt::from(falls.1));
    let terms = [
        (further.clone(), leaves[0]),
        (-(&fall + further), leaves[1]),
        (fall, leaves[2]),
    ];
    let (penalty, constant) = (penalty(text), BigInt::from(constant));
    let found = sign(&penalty, &constant, &terms);
    assert_eq!(found, exact_sign(&penalty, &constant, &terms));
    found
}

#[test]
fn true_ties_are_equal_and_next_to_them_nothing_is() {
    const LARGE: i128 = 1 << 100;
    for (text, leaves, falls) in [
        ("linear", [1, 2, 8], (1, 6)),
        ("log", [1, 2, 8], (1, 2)),
        ("log", [2, 4, 8], (1, 1)),
        ("log", [1, 3, 9], (1, 1)),
        ("log", [3, 6, 12], (1, 1)),
        ("log", [1, 6, 36], (1, 1)),
        ("sqrt", [1, 4, 9], (1, 1)),
        ("sqrt", [2, 8, 18], (1, 1)),
        ("sqrt", [3, 12, 27], (1, 1)),
        ("power:1.5", [1, 4, 9], (7, 19)),
        ("power:1.5", [2, 8, 18], (7, 19)),
        ("power:2", [1, 2, 3], (3, 5)),
        ("power:1/3", [2, 16, 54], (1, 1)),
        ("power:0.000000003", [1, 2, 2], (0, 0)),
    ] {
        let (fall, further) = falls;
        let (large, larger) = (fall * LARGE, further * LARGE);
        assert_eq!(turn(text, leaves, falls, 0), Ordering::Equal, "{text}");
        assert_eq!(turn(text, leaves, (large, larger), 0), Ordering::Equal);
        assert_eq!(turn(text, leaves, (large, larger), 1), Ordering::Greater);
        assert_eq!(turn(text, leaves, (large, larger), -1), Ordering::Less);
        if leaves[2] > leaves[1] {
            assert_eq!(
                turn(text, leaves, (large + 1, larger), 0),
                Ordering::Greater
            );
            assert_eq!(turn(text, leaves, (large, larger + 1), 0), Ordering::Less);
        }
    }
}

#[test]
fn tables_are_compared_as_decimals() {
    let table = Penalty::table(&["0.1", "0.2", "0.3"]).unwrap();
    let terms = [1, -2, 1].map(BigInt::from);
    let [a, b, c] = terms;
    let terms = [(a, 1), (b, 2), (c, 3)];
    assert_eq!(sign(&table, &BigInt::ZERO, &terms), Ordering::Equal);
    let tenth = [(BigInt::from(10), 1)];
    assert_eq!(sign(&table, &BigInt::from(-1), &tenth), Ordering::Equal);
}

/// Random coefficients, and leaves that are often multiples of each other by squares or powers.
fn random_terms(random: &mut fastrand::Rng, most: i64) -> [Term; 3] {
    let families = [
        [1, 2, 4, 8],
        [1, 3, 9, 27],
        [3, 6, 12, 24],
        [1, 4, 9, 16],
        [2, 8, 18, 32],
        [6, 24, 54, 997],
    ];
    let family = families[random.usize(..6)];
    std::array::from_fn(|_| {
        let factor = BigInt::from(random.i64(-most..=most));
        (factor, family[random.usize(..4)])
    })
}

/// Largest coefficients: often small, so that ties happen.
const MOST: [i64; 3] = [2, 6, 1000];

#[test]
fn logarithms_agree_with_products() {
    let mut random = fastrand::Rng::with_seed(5);
    let mut n_ties = 0;
    for round in 0..9000 {
        let terms = random_terms(&mut random, MOST[round % 3]);
        let (mut over, mut under) = (BigInt::from(1), BigInt::from(1));
        for (factor, leaves) in &terms {
            let power = BigInt::from(*leaves).pow(factor.abs().to_u32().unwrap());
            *(if factor.is_positive() {
                &mut over
            } else {
                &mut under
            }) *= power;
        }
        let expected = over.cmp(&under);
        n_ties += i32::from(expected.is_eq());
        assert_eq!(sign(&Penalty::Log, &BigInt::ZERO, &terms), expected);
        assert_eq!(exact_sign(&Penalty::Log, &BigInt::ZERO, &terms), expected);
    }
    assert!(n_ties > 100, "{n_ties}");
}

#[test]
fn powers_agree_with_whole_roots() {
    let mut random = fastrand::Rng::with_seed(6);
    let mut n_ties = 0;
    for round in 0..9000 {
        let (top, bottom) = [(1, 2), (3, 2), (1, 3), (2, 3), (2, 1), (5, 4)][round % 6];
        let penalty = penalty(&format!("power:{top}/{bottom}"));
        let terms = random_terms(&mut random, MOST[round / 6 % 3]);
        let constant = BigInt::from(random.i64(-2..=2) * random.i64(0..=1));
        // Off by 3000 units at most, while sums other than 0 have 20 digits at the very most.
        let bits = 400;
        let mut sum = &constant << bits;
        for (factor, leaves) in &terms {
            let power: BigInt = BigInt::from(*leaves).pow(top) << (bits * bottom);
            sum += factor * power.nth_root(bottom);
        }
        let is_zero = sum.abs() <= BigInt::from(3000);
        n_ties += i32::from(is_zero);
        let expected = if is_zero {
            Ordering::Equal
        } else {
            sum.cmp(&BigInt::ZERO)
        };
        assert_eq!(sign(&penalty, &constant, &terms), expected);
        assert_eq!(exact_sign(&penalty, &constant, &terms), expected);
    }
    assert!(n_ties > 100, "{n_ties}");
}

#[test]
fn doubles_are_never_certain_of_what_is_wrong() {
    let mut random = fastrand::Rng::with_seed(7);
    let penalties = ["linear", "sqrt", "log", "power:0.7", "power:49.123456789"].map(penalty);
    for round in 0..2000 {
        let penalty = &penalties[round % penalties.len()];
        let leaves: [usize; 3] = std::array::from_fn(|_| random.usize(1..1_000_000));
        let factors: [i64; 2] = std::array::from_fn(|_| random.i64(-(1 << 61)..1 << 61));
        // The last coefficient makes the sum nearly 0, as far as doubles can tell.
        let sum: f64 = (0..2)
            .map(|i| factors[i] as f64 * penalty.at(leaves[i]))
            .sum();
        let last = (-sum / penalty.at(leaves[2])).round();
        let shift = random.i64(-5..=5) << random.u32(0..30);
        let Some(last) = BigRational::from_float(last) else {
            continue;
        };
        let factors = [
            factors[0].into(),
            factors[1].into(),
            last.to_integer() + shift,
        ];
        let terms = std::array::from_fn::<Term, 3, _>(|i| (factors[i].clone(), leaves[i]));
        let expected = exact_sign(penalty, &BigInt::ZERO, &terms);
        assert_eq!(sign(penalty, &BigInt::ZERO, &terms), expected);
    }
}

#[test]
fn rises_are_between_their_bounds() {
    for text in [
        "linear",
        "sqrt",
        "log",
        "power:1.5",
        "power:0.000000001",
        "power:49",
    ] {
        let penalty = penalty(text);
        for (from, to) in [(1, 2), (4, 9), (1000, 999_999), (999_999, 1_000_000)] {
            let (low, high) = rise(&penalty, from, to);
            assert!(low > BigRational::zero());
            assert!(
                (&high - &low) * (BigInt::from(1) << 80_u32) <= low,
                "{text}"
            );
            for (bound, expected) in [
                (&low, [Ordering::Greater, Ordering::Equal]),
                (&high, [Ordering::Less, Ordering::Equal]),
            ] {
                let terms = [(bound.denom().clone(), to), (-bound.denom(), from)];
                assert!(expected.contains(&sign(&penalty, &-bound.numer(), &terms)));
            }
        }
    }
}
