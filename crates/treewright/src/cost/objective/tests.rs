//! Comparisons against exact sums, ties, and values that no one should give.

use super::*;

fn tree(cost: i64, leaves: usize) -> SolutionValue {
    SolutionValue { cost, leaves }
}

fn objective(lambda: &str, penalty: &str, scale: (f64, f64)) -> Objective {
    let scale = Scale::new(scale.0, scale.1);
    Objective::new(lambda.parse().unwrap(), penalty.parse().unwrap(), scale)
}

#[test]
fn ties_go_to_fewer_leaves() {
    for (lambda, penalty, weight, smaller, larger) in [
        // As doubles, 3 * 0.1 is more than 0.3.
        ("0.1", "linear", 10.0, tree(3, 1), tree(0, 4)),
        ("1/3", "linear", 3.0, tree(7, 2), tree(0, 9)),
        ("0.1", "sqrt", 10.0, tree(2, 1), tree(0, 9)),
        ("0.7", "power:1.5", 10.0, tree(49, 1), tree(0, 4)),
        ("0.1", "power:1", 10.0, tree(3, 1), tree(0, 4)),
        ("0", "log", 1.0, tree(5, 1), tree(5, 4)),
    ] {
        let tied = objective(lambda, penalty, (1.0, weight));
        assert_eq!(tied.compare(smaller, larger), Ordering::Less, "{penalty}");
        assert_eq!(tied.compare(larger, smaller), Ordering::Greater);
        let worse = tree(smaller.cost + 1, smaller.leaves);
        assert_eq!(tied.compare(worse, larger), Ordering::Greater, "{penalty}");
        assert_eq!(tied.compare(larger, larger), Ordering::Equal);
    }
}

#[test]
fn comparisons_agree_with_exact_sums() {
    let mut random = fastrand::Rng::with_seed(8);
    let table = Penalty::table(&["-0.5", "0.1", "0.2", "0.3", "1/3", "7", "8.25", "9"]).unwrap();
    let mut n_ties = 0;
    for round in 0..20_000 {
        let penalty = if round % 2 == 0 {
            Penalty::Linear
        } else {
            table.clone()
        };
        let exact = |leaves: usize| match &penalty {
            Penalty::Table(table) => table.ratios()[leaves - 1].clone(),
            _ => BigRational::from_integer(leaves.into()),
        };
        let lambda = [
            "0",
            "0.1",
            "1/3",
            "0.30000000000000004",
            "2.5e-20",
            "123456789.123456789",
        ][random.usize(..6)];
        let scale = Scale::new(
            2.0_f64.powi([0, -3, -40, 300][random.usize(..4)]),
            [1.0, 30.0, 0.1, 12345.678, 1e-200][random.usize(..5)],
        );
        let objective = Objective::new(lambda.parse().unwrap(), penalty.clone(), scale);
        let largest = [5, 1000, 1 << 61][random.usize(..3)];
        let mut any = || tree(random.i64(-largest..=largest), random.usize(1..=8));
        let (a, b) = (any(), any());
        let value = |tree: SolutionValue| {
            scale.ratio() * BigInt::from(tree.cost)
                + objective.lambda().ratio() * exact(tree.leaves)
        };
        let order = value(a).cmp(&value(b));
        n_ties += i32::from(order.is_eq() && a.leaves != b.leaves);
        let expected = order.then(a.leaves.cmp(&b.leaves));
        assert_eq!(
            objective.compare(a, b),
            expected,
            "{lambda} {penalty} {scale:?} {a:?} {b:?}"
        );
    }
    assert!(n_ties > 20);
}

#[test]
fn absurd_values_do_not_panic() {
    let numbers = [f64::NAN, f64::INFINITY, 0.0, -1.0, 5e-324, f64::MAX, 1.0];
    let trees = [
        tree(i64::MIN, usize::MAX),
        tree(i64::MAX, 1),
        tree(0, 2),
        tree(-1, 3),
    ];
    for lambda in ["0", "1e-400", "1e308", "1/3"] {
        for penalty in ["linear", "sqrt", "log", "power:1000"] {
            for (unit, total_weight) in numbers.iter().zip(numbers.iter().cycle().skip(3)) {
                let objective = objective(lambda, penalty, (*unit, *total_weight));
                for a in trees {
                    for b in trees {
                        let order = objective.compare(a, b);
                        assert_eq!(order.reverse(), objective.compare(b, a));
                    }
                    let _ = objective.value(a);
                }
            }
        }
    }
}
