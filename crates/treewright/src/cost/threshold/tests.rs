//! Thresholds given back choose the smaller tree, and smaller doubles do not.

use std::cmp::Ordering;

use super::*;
use crate::cost::{Lambda, Objective};

fn tree(cost: i64, leaves: usize) -> SolutionValue {
    SolutionValue { cost, leaves }
}

/// Two trees of which the second has more leaves and less cost.
fn random_trees(random: &mut fastrand::Rng) -> (SolutionValue, SolutionValue) {
    let most = [10, 1000, 1_000_000][random.usize(..3)];
    let leaves = random.usize(1..most);
    let cost = random.i64(0..1 << 60);
    let n_bits = random.u32(1..61);
    let fall = random.i64(1..=1 << n_bits);
    let more = random.usize(1..most);
    (tree(cost, leaves), tree(cost - fall, leaves + more))
}

fn random_scale(random: &mut fastrand::Rng) -> Scale {
    let total_weight = match random.u8(..3) {
        0 => f64::from(random.u32(1..300_000)),
        1 => random.f64() * 1000.0 + 1e-3,
        _ => 2.0_f64.powi(random.i32(-10..20)),
    };
    let unit = 2.0_f64.powi([0, 0, -1, -30, -50][random.usize(..5)]);
    Scale::new(unit, total_weight)
}

/// Every promise of [`lambda_low`], through the texts that a user may give back.
fn check(trees: (SolutionValue, SolutionValue), penalty: &Penalty, scale: Scale) {
    let (smaller, larger) = trees;
    let number = lambda_low(smaller, larger, penalty, scale);
    let chooses_smaller = |lambda: Lambda| {
        Objective::new(lambda, penalty.clone(), scale).compare(smaller, larger) == Ordering::Less
    };
    let reads = |text: String| chooses_smaller(text.parse().unwrap());
    let holds = |number: f64| {
        let (digits, exponent) = shortest(number);
        chooses_smaller(Lambda::try_from(number).unwrap())
            && reads(number.to_string())
            && reads(format!("{digits}e{exponent}"))
    };
    let place = format!("{number:e}: {trees:?} {penalty} {scale:?}");
    assert!(number.is_finite() && holds(number), "{place}");
    let lower = number.next_down();
    assert!(lower == 0.0 || !holds(lower), "{place}");
}

#[test]
fn linear_thresholds_keep_their_promises_and_the_quick_way_agrees() {
    let mut random = fastrand::Rng::with_seed(9);
    let mut n_quick = 0;
    for round in 0..4000 {
        let (smaller, larger) = random_trees(&mut random);
        let scale = random_scale(&mut random);
        let slow = Threshold::new(smaller, larger, &Penalty::Linear, scale).rounded_up();
        let quick = Quotient::new(smaller, larger, scale).and_then(|it| it.threshold());
        assert_eq!(
            quick.unwrap_or(slow),
            slow,
            "{smaller:?} {larger:?} {scale:?}"
        );
        n_quick += i32::from(quick.is_some());
        if round % 4 == 0 {
            check((smaller, larger), &Penalty::Linear, scale);
        }
    }
    assert!(n_quick > 3600, "{n_quick}");
}

#[test]
fn other_thresholds_keep_their_promises() {
    let mut random = fastrand::Rng::with_seed(10);
    let mut sum = 0;
    let values: Vec<String> = (0..2000)
        .map(|_| {
            sum += random.u32(1..1000);
            format!("{}.{:02}", sum / 100, sum % 100)
        })
        .collect();
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    let table = Penalty::table(&values).unwrap();
    for text in [
        "sqrt",
        "log",
        "power:1.5",
        "power:2",
        "power:0.123456789",
        "power:1",
        "table",
    ] {
        let penalty = text.parse().unwrap_or_else(|_| table.clone());
        for _ in 0..60 {
            let (smaller, larger) = random_trees(&mut random);
            if text != "table" || larger.leaves <= 2000 {
                check((smaller, larger), &penalty, random_scale(&mut random));
            }
        }
    }
}

#[test]
fn thresholds_that_are_doubles_or_decimals_are_exact() {
    let whole = Scale::new(1.0, 10.0);
    assert_eq!(
        lambda_low(tree(3, 1), tree(0, 4), &Penalty::Linear, whole),
        0.1
    );
    let sqrt: Penalty = "sqrt".parse().unwrap();
    // sqrt(9) - sqrt(4) = 1, and 7/10 as a decimal although the double is below.
    assert!(BigRational::from_float(0.7).unwrap() < decimal::parse("0.7").unwrap());
    assert_eq!(
        lambda_low(tree(7, 4), tree(0, 9), &sqrt, whole),
        0.7_f64.next_up()
    );
    check((tree(7, 4), tree(0, 9)), &sqrt, whole);
    check((tree(7, 2), tree(0, 8)), &sqrt, whole);
}

#[test]
fn where_printers_disagree_the_lower_decimal_counts() {
    let number = 2.0_f64.powi(-25);
    assert_eq!(shortest(number), (29_802_322_387_695_312, -24));
    let scale = Scale::new(1.0, 2.0_f64.powi(25));
    let trees = (tree(1, 1), tree(0, 2));
    assert_eq!(
        lambda_low(trees.0, trees.1, &Penalty::Linear, scale),
        number.next_up()
    );
    check(trees, &Penalty::Linear, scale);
    assert_eq!(shortest(0.1), (1, -1));
    assert_eq!(shortest(1e22), (1, 22));
    assert_eq!(shortest(5e-324), (5, -324));
}

#[test]
fn the_ends_of_the_doubles() {
    let low = |trees: (SolutionValue, SolutionValue), penalty: &Penalty, unit, total_weight| {
        lambda_low(trees.0, trees.1, penalty, Scale::new(unit, total_weight))
    };
    let log = Penalty::Log;
    for penalty in [&Penalty::Linear, &log, &"power:60".parse().unwrap()] {
        let trees = (tree(i64::MAX, 1), tree(i64::MIN, 2));
        assert_eq!(low(trees, penalty, f64::MAX, 5e-324), f64::INFINITY);
        assert_eq!(low(trees, penalty, 5e-324, f64::MAX), 5e-324);
        assert_eq!(low((tree(0, 1), tree(0, 2)), penalty, 1.0, 1.0), 0.0);
        assert_eq!(
            low((tree(1, 2), tree(0, 2)), penalty, 1.0, 1.0),
            f64::INFINITY
        );
        assert_eq!(
            low((tree(1, 0), tree(0, 1)), penalty, 1.0, 1.0),
            f64::INFINITY
        );
        for unit in [f64::NAN, 0.0, f64::INFINITY, -1.0] {
            assert!(low(trees, penalty, unit, unit).is_finite());
        }
        for unit in [1e-320, 1e-310, 1e-300, 1e270, 1e280] {
            check((tree(77, 1), tree(0, 3)), penalty, Scale::new(unit, 3.0));
        }
    }
    // From 1 to as many leaves as there can be.
    assert!(
        low(
            (tree(1, 1), tree(0, usize::MAX)),
            &Penalty::Linear,
            1.0,
            1.0
        ) > 0.0
    );
}
