//! Which rows are left out of learning, and when: folds for cross-validation, or one part held out.
//!
//! Rows are put in random order and then sorted by their target, equal ones staying in random order.
//! Dealing them out along this list gives every part its share of every class, or of low and high
//! numbers. Classes are dealt in one order of the folds throughout, so that the counts of a class in two
//! folds differ by one at most, as the sizes of the folds do. Numbers are dealt in rounds, each in an
//! order of its own: else the first fold would always get the lowest of a round.

use fastrand::Rng;

use crate::data::{Dataset, Target};
use crate::error::{Error, Result, counted};

/// Rows dealt into parts, each of which is left out once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folds {
    /// The part of each row. Those of `n_tests` and above are never left out.
    part_of: Vec<u32>,
    n_tests: usize,
}

impl Folds {
    /// Deals the rows into `n_folds` parts that are alike in size and target. The same seed gives the
    /// same parts.
    pub fn stratified(data: &Dataset, n_folds: usize, seed: u64) -> Result<Self> {
        check_rows(data)?;
        if n_folds < 2 || n_folds > data.n_rows() {
            let allowed = format!("between 2 and {}, the number of rows", data.n_rows());
            return Err(Error::parameter("folds", n_folds, allowed));
        }
        let mut rng = Rng::with_seed(seed);
        let order = by_target(data, &mut rng)?;
        let mut folds: Vec<u32> = (0..n_folds as u32).collect();
        let mut part_of = vec![0; data.n_rows()];
        for (round, rows) in order.chunks(n_folds).enumerate() {
            if round == 0 || matches!(data.target(), Target::Numbers(_)) {
                rng.shuffle(&mut folds);
            }
            for (&row, &fold) in rows.iter().zip(&folds) {
                part_of[row] = fold;
            }
        }
        Ok(Self {
            part_of,
            n_tests: n_folds,
        })
    }

    /// Leaves a share of the rows out, once. Their target is spread as that of all rows is. At least
    /// one row is left out, and one is not.
    pub fn holdout(data: &Dataset, share: f64, seed: u64) -> Result<Self> {
        let n_rows = data.n_rows();
        if !(share > 0.0 && share < 1.0) {
            let allowed = "a share between 0 and 1, without these";
            return Err(Error::parameter("holdout", share, allowed));
        }
        check_rows(data)?;
        let mut rng = Rng::with_seed(seed);
        let order = by_target(data, &mut rng)?;
        let n_test = ((share * n_rows as f64).round() as usize).clamp(1, n_rows - 1);
        let start = |test: usize| (test as u128 * n_rows as u128 / n_test as u128) as usize;
        let mut part_of = vec![1; n_rows];
        for test in 0..n_test {
            // One of each stretch of the list; rows of a class are in random order already.
            let stretch = start(test)..start(test + 1);
            let place = match data.target() {
                Target::Numbers(_) => rng.usize(stretch),
                _ => stretch.end - 1,
            };
            part_of[order[place]] = 0;
        }
        Ok(Self {
            part_of,
            n_tests: 1,
        })
    }

    /// How often rows are left out, at least once.
    #[expect(clippy::len_without_is_empty, reason = "something is always left out")]
    pub fn len(&self) -> usize {
        self.n_tests
    }

    /// The rows to learn from while part `fold` is left out, in order.
    pub fn train(&self, fold: usize) -> Vec<usize> {
        self.rows(|part| part as usize != fold)
    }

    /// The rows of part `fold`, in order.
    pub fn test(&self, fold: usize) -> Vec<usize> {
        self.rows(|part| part as usize == fold)
    }

    fn rows(&self, is_wanted: impl Fn(u32) -> bool) -> Vec<usize> {
        let rows = self.part_of.iter().enumerate();
        rows.filter(|&(_, &part)| is_wanted(part))
            .map(|(row, _)| row)
            .collect()
    }
}

/// Refuses too few rows to learn from some and leave others out.
fn check_rows(data: &Dataset) -> Result<()> {
    let n_rows = data.n_rows();
    if n_rows >= 2 {
        return Ok(());
    }
    let rows = counted(n_rows, "row", "rows");
    let message = format!("got {rows}, expected at least 2 to leave some of them out");
    Err(Error::schema(message))
}

/// The rows by class or rising number, equal ones in random order.
fn by_target(data: &Dataset, rng: &mut Rng) -> Result<Vec<usize>> {
    let mut rows: Vec<usize> = (0..data.n_rows()).collect();
    rng.shuffle(&mut rows);
    match data.target() {
        Target::Classes(classes) => rows.sort_by_key(|&row| classes[row]),
        Target::Numbers(numbers) => rows.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b])),
        Target::Absent => return Err(Error::schema("the table has no target to learn")),
    }
    Ok(rows)
}
