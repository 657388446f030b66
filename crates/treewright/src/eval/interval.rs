//! The exact interval for a share: Clopper and Pearson (1934).
//!
//! Of `trials` independent rows `successes` have some property. The interval holds every probability that two one-sided
//! binomial tests do not reject, one against fewer and one against more successes, each at half of the level (2.5 %
//! for a confidence of 95 %). Its ends are quantiles of beta distributions, found by bisection of the regularised
//! incomplete beta function; that is computed by its continued fraction, with the method of Lentz (Press et al.,
//! Numerical Recipes, section 6.4).
//!
//! The interval is valid for any number of rows, and somewhat wide for few: it covers the true probability at least
//! as often as the confidence says.
//!
//! Of rows with different weights nothing exact is known. The ends of the exact interval are quantiles of the beta
//! distribution that has the mean and the variance of the share after one more row was seen, a success for the upper end
//! and none for the lower one. The same is done with weights, where that row is as heavy as the heaviest: the next
//! surprise may be of that kind. So do Fay and Feuer ("Confidence intervals for directly standardized rates", 1997) for
//! rates of rare events. With equal weights it is the exact interval.

/// The interval with this confidence, between 0 and 1, for the probability of what happened in `successes` of
/// `trials` independent rows. Without any row it is all of [0, 1].
///
/// ```
/// let (low, high) = treewright::eval::exact_interval(0, 10, 0.95);
/// assert_eq!(low, 0.0);
/// assert!((high - (1.0 - 0.025_f64.powf(0.1))).abs() < 1e-12);
/// ```
pub fn exact_interval(successes: u64, trials: u64, confidence: f64) -> (f64, f64) {
    let successes = successes.min(trials);
    let tail = (1.0 - confidence) / 2.0;
    let (k, n) = (successes as f64, trials as f64);
    let low = match successes {
        0 => 0.0,
        _ => beta_quantile(tail, k, n - k + 1.0),
    };
    let high = if successes == trials {
        1.0
    } else {
        // By symmetry, so that small tails are not differences from 1.
        1.0 - beta_quantile(tail, n - k, k + 1.0)
    };
    (low, high)
}

/// An interval, about with this confidence, for the probability of what happened in rows of some weight; each row says
/// its weight, and whether it happened there.
pub(crate) fn weighted_interval(rows: &[(f64, bool)], confidence: f64) -> (f64, f64) {
    let tail = (1.0 - confidence) / 2.0;
    let upper = |is_success: bool| {
        if rows.iter().all(|&(_, it)| it == is_success) {
            return 1.0;
        }
        let heaviest = rows.iter().map(|it| it.0).fold(0.0, f64::max);
        let counts = |&(weight, it): &(f64, bool)| {
            (weight / heaviest, f64::from(u8::from(it == is_success)))
        };
        let all = || rows.iter().map(counts).chain([(1.0, 1.0)]);
        let sum: f64 = all().map(|(weight, _)| weight).sum();
        let mean = all().map(|(weight, it)| weight * it).sum::<f64>() / sum;
        let squares: f64 = all()
            .map(|(weight, it)| (weight * (it - mean)).powi(2))
            .sum();
        // As many equal rows have this mean and this variance.
        let n = mean * (1.0 - mean) * sum * (sum / squares);
        1.0 - beta_quantile(tail, (1.0 - mean) * n, mean * n)
    };
    (1.0 - upper(false), upper(true))
}

/// Where the beta distribution reaches a probability.
fn beta_quantile(probability: f64, a: f64, b: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high || high - low < 1e-15 {
            return middle;
        }
        if incomplete_beta(middle, a, b) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// The regularised incomplete beta function, the distribution function of a beta distribution.
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let ln_front = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p();
    // The fraction converges fast on one side of the mean; the other side is its mirror image.
    if x < (a + 1.0) / (a + b + 2.0) {
        ln_front.exp() * continued_fraction(x, a, b) / a
    } else {
        1.0 - ln_front.exp() * continued_fraction(1.0 - x, b, a) / b
    }
}

/// The continued fraction of the incomplete beta function. It takes about as many steps as the root of the
/// larger parameter.
fn continued_fraction(x: f64, a: f64, b: f64) -> f64 {
    const MOST_STEPS: u32 = 1_000_000;
    let away_from_zero = |number: f64| {
        if number.abs() < f64::MIN_POSITIVE {
            f64::MIN_POSITIVE
        } else {
            number
        }
    };
    let mut upper = 1.0;
    let mut lower = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut value = lower;
    for step in 1..=MOST_STEPS {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for part in [even, odd] {
            lower = 1.0 / away_from_zero(1.0 + part * lower);
            upper = away_from_zero(1.0 + part / upper);
            change = lower * upper;
            value *= change;
        }
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

/// The logarithm of the gamma function for positive numbers, by the series of Stirling.
fn ln_gamma(x: f64) -> f64 {
    const LARGE: f64 = 15.0;
    // The gamma function of x + 1 is x times that of x; the series is good for large numbers.
    let (mut x, mut product) = (x, 1.0);
    while x < LARGE {
        product *= x;
        x += 1.0;
    }
    let square = x * x;
    let series = (1.0 / 12.0
        - (1.0 / 360.0
            - (1.0 / 1260.0 - (1.0 / 1680.0 - 1.0 / (1188.0 * square)) / square) / square)
            / square)
        / x;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series - product.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found}, not {expected}");
    }

    #[test]
    fn gamma_is_the_factorial() {
        let mut factorial = 1.0_f64;
        for n in 1..20 {
            close(ln_gamma(f64::from(n)), factorial.ln());
            factorial *= f64::from(n);
        }
        close(ln_gamma(0.5), std::f64::consts::PI.sqrt().ln());
    }

    /// The tails that define the interval, summed term by term.
    #[test]
    fn the_tails_at_its_ends_are_what_the_confidence_leaves() {
        let tail = |n: u64, p: f64, counts: std::ops::RangeInclusive<u64>| -> f64 {
            let choose = |k: u64| {
                (0..k)
                    .map(|i| (n - i) as f64 / (i + 1) as f64)
                    .product::<f64>()
            };
            let term = |k: u64| choose(k) * p.powi(k as i32) * (1.0 - p).powi((n - k) as i32);
            counts.map(term).sum()
        };
        for n in [1, 2, 7, 30, 61] {
            for k in 0..=n {
                for confidence in [0.5, 0.9, 0.95, 0.99] {
                    let (low, high) = exact_interval(k, n, confidence);
                    let half = (1.0 - confidence) / 2.0;
                    if k > 0 {
                        close(tail(n, low, k..=n), half);
                    } else {
                        assert_eq!(low, 0.0);
                    }
                    if k < n {
                        close(tail(n, high, 0..=k), half);
                    } else {
                        assert_eq!(high, 1.0);
                    }
                }
            }
        }
    }

    /// The values of `binom.test` in R.
    #[test]
    fn known_values() {
        for (k, n, low, high) in [
            (7, 20, 0.153_909_2, 0.592_188_5),
            (1, 10, 0.002_528_6, 0.445_016_1),
        ] {
            let (found_low, found_high) = exact_interval(k, n, 0.95);
            assert!((found_low - low).abs() < 1e-6, "{found_low}, not {low}");
            assert!((found_high - high).abs() < 1e-6, "{found_high}, not {high}");
        }
    }

    #[test]
    fn rows_that_weigh_the_same_are_counted() {
        for (k, n) in [(0_u64, 12_u64), (3, 40), (17, 40), (40, 40)] {
            let rows: Vec<(f64, bool)> = (0..n).map(|row| (2.5, row < k)).collect();
            let (low, high) = weighted_interval(&rows, 0.95);
            let exact = exact_interval(k, n, 0.95);
            close(low, exact.0);
            close(high, exact.1);
        }
    }

    /// It is at least as wide as that of all rows counted alike, and holds the share.
    #[test]
    fn a_heavy_row_makes_it_wide() {
        let rows = |heavy: f64, is_wrong: bool| -> Vec<(f64, bool)> {
            let light = (0..99).map(|row| (1.0, row < 5));
            light.chain([(heavy, is_wrong)]).collect()
        };
        let of_equal = exact_interval(5, 100, 0.95);
        for heavy in [10.0, 100.0, 1e6] {
            let (low, high) = weighted_interval(&rows(heavy, false), 0.95);
            let share = 5.0 / (99.0 + heavy);
            assert!(0.0 < low && low < share && share < high, "{low} {high}");
            assert!(high > of_equal.1, "{high} with a weight of {heavy}");
            let (low, high) = weighted_interval(&rows(heavy, true), 0.95);
            let share = (5.0 + heavy) / (99.0 + heavy);
            assert!(low < share && share < high && high <= 1.0, "{low} {high}");
        }
        assert_eq!(weighted_interval(&[(1.0, true), (3.0, true)], 0.95).1, 1.0);
        assert_eq!(
            weighted_interval(&[(1.0, false), (3.0, false)], 0.95).0,
            0.0
        );
    }

    #[test]
    fn many_rows_take_no_time_and_none_say_nothing() {
        assert_eq!(exact_interval(0, 0, 0.95), (0.0, 1.0));
        let (low, high) = exact_interval(200_000_000, 1_000_000_000, 0.95);
        // The normal approximation, which is good here.
        let width = 2.0 * 1.959_963_985 * (0.2_f64 * 0.8 / 1e9).sqrt();
        assert!(low < 0.2 && 0.2 < high);
        assert!(((high - low) / width - 1.0).abs() < 1e-3, "{low} {high}");
    }
}
