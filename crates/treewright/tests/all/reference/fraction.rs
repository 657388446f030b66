//! Exact fractions of whole numbers, just enough for gains.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

/// A fraction in lowest terms with a positive denominator. Overflow panics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fraction {
    num: i128,
    den: i128,
}

impl Fraction {
    pub(crate) const ZERO: Self = Self { num: 0, den: 1 };

    pub(crate) fn new(num: i128, den: i128) -> Self {
        assert!(den != 0, "a fraction has a denominator");
        let common = gcd(num, den) * den.signum();
        Self {
            num: num / common,
            den: den / common,
        }
    }

    pub(crate) fn whole(num: i128) -> Self {
        Self { num, den: 1 }
    }

    /// The exact value of a number between 2^-60 and 2^60, or 0.
    pub(crate) fn of_float(x: f64) -> Self {
        let mut den = 1_i128;
        let mut num = x;
        while num.fract() != 0.0 {
            num *= 2.0;
            den = den.checked_mul(2).expect("a number that is not tiny");
        }
        Self::new(num as i128, den)
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn times(a: i128, b: i128) -> i128 {
    a.checked_mul(b).expect("fractions stay small")
}

impl Add for Fraction {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let common = gcd(self.den, other.den);
        let num = times(self.num, other.den / common) + times(other.num, self.den / common);
        Self::new(num, times(self.den / common, other.den))
    }
}

impl Sub for Fraction {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + Self::whole(-1) * other
    }
}

impl Mul for Fraction {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let left = Self::new(self.num, other.den);
        let right = Self::new(other.num, self.den);
        Self::new(times(left.num, right.num), times(left.den, right.den))
    }
}

impl Ord for Fraction {
    /// Whole parts first, then the reciprocals of what is left: nothing can overflow.
    fn cmp(&self, other: &Self) -> Ordering {
        let (mut a, mut b) = (*self, *other);
        loop {
            let whole = a.num.div_euclid(a.den).cmp(&b.num.div_euclid(b.den));
            let (rest_a, rest_b) = (a.num.rem_euclid(a.den), b.num.rem_euclid(b.den));
            if whole.is_ne() {
                return whole;
            }
            if rest_a == 0 || rest_b == 0 {
                return (rest_a != 0).cmp(&(rest_b != 0));
            }
            (a, b) = (
                Self {
                    num: b.den,
                    den: rest_b,
                },
                Self {
                    num: a.den,
                    den: rest_a,
                },
            );
        }
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[test]
fn fractions_add_multiply_and_compare() {
    let third = Fraction::new(1, 3);
    assert_eq!(third + third + third, Fraction::whole(1));
    assert_eq!(third * Fraction::new(3, -2), Fraction::new(-1, 2));
    assert_eq!(Fraction::of_float(0.375), Fraction::new(3, 8));
    let sorted = [
        Fraction::new(-4, 3),
        Fraction::whole(-1),
        Fraction::ZERO,
        Fraction::new(33, 100),
        third,
        Fraction::new(34, 100),
        Fraction::whole(1),
    ];
    for (i, a) in sorted.iter().enumerate() {
        for (j, b) in sorted.iter().enumerate() {
            assert_eq!(a.cmp(b), i.cmp(&j), "{a:?} against {b:?}");
        }
    }
}
