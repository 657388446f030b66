//! How many rows are enough: the VC dimension of trees of bounded depth, and the sample size it implies.
//!
//! The bounds on the dimension are those of P. Auer, R. Holte and W. Maass, "Theory and applications of
//! agnostic PAC-learning with small decision trees" (1995), for two classes: categorical features with
//! `b` values on the levels above the last, numeric ones with up to `K` intervals on the last. A value
//! may also be missing, hence `b + 1` branches. The sample size is that of M. Anthony and P. Bartlett,
//! "Neural Network Learning: Theoretical Foundations" (1999), chapter 4; `docs/algorithms/optimal.md`
//! derives its constants.
//!
//! ```
//! use treewright::eval::{TreeClass, sample_size};
//!
//! let trees = TreeClass { depth: 2, features: 9, values: 2, intervals: 3 };
//! assert_eq!(trees.vc_lower()?, 18.0);
//! let rows = sample_size(trees.vc_upper()?, 0.1, 0.05)?;
//! assert!(rows > 2e6);
//! # Ok::<(), treewright::Error>(())
//! ```

use crate::data::{Dataset, FeatureKind};
use crate::error::{Error, Result};

/// A class of trees, as far as its VC dimension depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeClass {
    /// The longest way from the root to a leaf, `d`; at least 1.
    pub depth: usize,
    /// How many features there are, `n`.
    pub features: usize,
    /// How many values a feature has on the levels above the last, `b`; at least 1.
    pub values: usize,
    /// How many intervals a numeric feature may have on the last level, `K`; at least 1.
    pub intervals: usize,
}

impl TreeClass {
    /// The trees of a depth on a table. `b` is the largest number of categories of a feature, and at
    /// least the 2 that a cut of numbers makes.
    pub fn of(data: &Dataset, depth: usize, intervals: usize) -> Self {
        let features = &data.schema().features;
        let categories = features.iter().map(|feature| match &feature.kind {
            FeatureKind::Numeric => 2,
            FeatureKind::Categorical(names) => names.len(),
        });
        Self {
            depth,
            features: features.len(),
            values: categories.max().unwrap_or(2).max(2),
            intervals,
        }
    }

    /// The VC dimension is at least `(b+1)^(d-1) * (log2(n+1-d) + max(K, b))`.
    ///
    /// There must be as many features as levels.
    pub fn vc_lower(&self) -> Result<f64> {
        self.check()?;
        if self.features < self.depth {
            let allowed = format!("at least {}, the depth", self.depth);
            return Err(Error::parameter("features", self.features, allowed));
        }
        let on_last_level = (self.features - self.depth + 1) as f64;
        let most = self.intervals.max(self.values) as f64;
        self.finite(self.nodes(self.depth - 1) * (on_last_level.log2() + most))
    }

    /// For large `n` the VC dimension is at most
    /// `((b+1)^d - 1) * log2 n + ((b+1)^(d-1) * (K-1) + 1) * log2 log2 n`.
    ///
    /// There must be at least two features. What "large" means the paper leaves open; where the result
    /// is below [`TreeClass::vc_lower`], `n` is not large.
    pub fn vc_upper(&self) -> Result<f64> {
        self.check()?;
        if self.features < 2 {
            return Err(Error::parameter("features", self.features, "at least 2"));
        }
        let log = (self.features as f64).log2();
        let cuts = (self.intervals - 1) as f64;
        let by_features = (self.nodes(self.depth) - 1.0) * log;
        let by_cuts = (self.nodes(self.depth - 1) * cuts + 1.0) * log.log2();
        self.finite(by_features + by_cuts)
    }

    /// How many nodes a level can have, the root being level 0.
    fn nodes(&self, level: usize) -> f64 {
        let branches = self.values as f64 + 1.0;
        branches.powi(i32::try_from(level).unwrap_or(i32::MAX))
    }

    /// A bound that no double can hold is none.
    fn finite(&self, bound: f64) -> Result<f64> {
        if bound.is_finite() {
            return Ok(bound);
        }
        let allowed = "a depth whose VC dimension can be written as a number";
        Err(Error::parameter("depth", self.depth, allowed))
    }

    fn check(&self) -> Result<()> {
        let at_least_one = [
            ("depth", self.depth),
            ("values", self.values),
            ("intervals", self.intervals),
        ];
        match at_least_one.iter().find(|(_, number)| *number == 0) {
            Some((name, _)) => Err(Error::parameter(name, 0, "at least 1")),
            None => Ok(()),
        }
    }
}

/// This many rows are enough: with probability `1 - delta` over the rows, the tree with the least error on
/// them has an error of at most `eps` above the least in its class, whatever the rows are drawn from.
///
/// It is `64 / eps^2 * (2 * vc * ln(12 / eps) + ln(4 / delta))`, rounded up. An upper bound on the
/// dimension serves as `vc`.
pub fn sample_size(vc: f64, eps: f64, delta: f64) -> Result<f64> {
    if !(vc >= 1.0 && vc.is_finite()) {
        return Err(Error::parameter("vc", vc, "a finite number of at least 1"));
    }
    for (name, share) in [("eps", eps), ("delta", delta)] {
        if !(share > 0.0 && share < 1.0) {
            let allowed = "a number between 0 and 1, without these";
            return Err(Error::parameter(name, share, allowed));
        }
    }
    let rows = 64.0 / (eps * eps) * (2.0 * vc * (12.0 / eps).ln() + (4.0 / delta).ln());
    if rows.is_finite() {
        Ok(rows.ceil())
    } else {
        let allowed = "a number that finitely many rows can reach";
        Err(Error::parameter("eps", eps, allowed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trees(depth: usize, features: usize, values: usize, intervals: usize) -> TreeClass {
        TreeClass {
            depth,
            features,
            values,
            intervals,
        }
    }

    #[test]
    fn bounds_by_hand() {
        // log2 16 + 3; 2 * 4 + 3 * 2.
        assert_eq!(trees(1, 16, 2, 3).vc_lower().unwrap(), 7.0);
        assert_eq!(trees(1, 16, 2, 3).vc_upper().unwrap(), 14.0);
        // 3 * (log2 16 + 3) with 17 features; 8 * 4 + (3 * 2 + 1) * 2 with 16.
        assert_eq!(trees(2, 17, 2, 3).vc_lower().unwrap(), 21.0);
        assert_eq!(trees(2, 16, 2, 3).vc_upper().unwrap(), 46.0);
        // 25 * (log2 4 + 4); 124 * 2 + (25 * 1 + 1) * 1.
        assert_eq!(trees(3, 6, 4, 2).vc_lower().unwrap(), 150.0);
        assert_eq!(trees(3, 4, 4, 2).vc_upper().unwrap(), 274.0);
    }

    #[test]
    fn bounds_grow_with_the_class() {
        for depth in 1..4 {
            for features in [8, 64, 4096] {
                for values in 1..5 {
                    for intervals in 1..6 {
                        let class = trees(depth, features, values, intervals);
                        let larger = [
                            trees(depth, features * 2, values, intervals),
                            trees(depth, features, values + 1, intervals),
                            trees(depth, features, values, intervals + 1),
                            trees(depth + 1, features, values, intervals),
                        ];
                        for larger in larger {
                            assert!(larger.vc_lower().unwrap() >= class.vc_lower().unwrap());
                            assert!(larger.vc_upper().unwrap() >= class.vc_upper().unwrap());
                        }
                    }
                }
            }
        }
        // In the end the upper one is above the lower one.
        let many = trees(2, 1 << 40, 3, 3);
        assert!(many.vc_lower().unwrap() < many.vc_upper().unwrap());
    }

    #[test]
    fn what_has_no_bound_is_refused() {
        let message = |bound: Result<f64>| bound.unwrap_err().to_string();
        assert_eq!(
            message(trees(3, 2, 2, 3).vc_lower()),
            "features: got 2, expected at least 3, the depth"
        );
        assert_eq!(
            message(trees(1, 1, 2, 3).vc_upper()),
            "features: got 1, expected at least 2"
        );
        assert!(trees(0, 5, 2, 3).vc_lower().is_err());
        assert!(trees(1, 5, 0, 3).vc_upper().is_err());
        assert!(trees(1, 5, 2, 0).vc_upper().is_err());
        assert!(trees(1, 0, 2, 2).vc_lower().is_err());
        assert!(trees(usize::MAX, 5, 2, 2).vc_upper().is_err());
        assert!(trees(10_000, usize::MAX, 2, 2).vc_lower().is_err());
    }

    #[test]
    fn rows_by_hand() {
        // 64 / 0.01 * (2 * 10 * ln 120 + ln 80) = 6400 * (95.7498 + 4.3820).
        let rows = sample_size(10.0, 0.1, 0.05).unwrap();
        assert!((rows - 640_844.0).abs() < 10.0, "{rows}");
        assert!(sample_size(11.0, 0.1, 0.05).unwrap() > rows);
        assert!(sample_size(10.0, 0.09, 0.05).unwrap() > rows);
        assert!(sample_size(10.0, 0.1, 0.04).unwrap() > rows);
        for (vc, eps, delta) in [
            (0.5, 0.1, 0.1),
            (f64::NAN, 0.1, 0.1),
            (f64::INFINITY, 0.1, 0.1),
            (1.0, 0.0, 0.1),
            (1.0, 1.0, 0.1),
            (1.0, f64::NAN, 0.1),
            (1.0, 1e-200, 0.1),
            (1.0, 0.1, 0.0),
            (1.0, 0.1, 1.0),
        ] {
            assert!(sample_size(vc, eps, delta).is_err(), "{vc} {eps} {delta}");
        }
    }
}
