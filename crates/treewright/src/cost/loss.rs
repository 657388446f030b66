//! What a wrong prediction costs, and which class is cheapest to predict.

use crate::data::Schema;
use crate::error::{Error, Result, quoted, quoted_list};

/// The loss of a prediction on one row of weight 1.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Loss {
    /// 1 for a wrong class, 0 for the right one.
    #[default]
    ZeroOne,
    /// `matrix[true class][predicted class]`.
    Matrix(CostMatrix),
    /// Squared difference, for regression.
    Squared,
}

/// Costs of predicting one class when another is true: square, finite, not negative.
#[derive(Debug, Clone, PartialEq)]
pub struct CostMatrix {
    n_classes: usize,
    /// Row by row, a row for each true class.
    costs: Vec<f64>,
}

impl CostMatrix {
    /// Checks and takes `rows[true class][predicted class]`.
    pub fn new(rows: &[Vec<f64>]) -> Result<Self> {
        let n_classes = rows.len();
        if let Some(row) = rows.iter().find(|row| row.len() != n_classes) {
            return Err(Error::schema(format!(
                "costs: a row has {} entries, expected {n_classes} (one for each class)",
                row.len()
            )));
        }
        let costs = rows.concat();
        if let Some(cost) = costs.iter().find(|cost| !cost.is_finite() || **cost < 0.0) {
            return Err(Error::schema(format!(
                "costs: got {cost}, expected finite numbers that are not negative"
            )));
        }
        Ok(Self { n_classes, costs })
    }

    /// A matrix from a table with named rows (true classes) and columns (predicted classes), in any order. It has all
    /// `classes`, and may have others that are not among them: a part of the rows may lack a class. Those must have
    /// a row and a column each, so that a slip of the pen is not taken for one.
    pub fn from_named(
        classes: &[String],
        predicted: &[String],
        rows: &[(String, Vec<f64>)],
    ) -> Result<Self> {
        let truths: Vec<&str> = rows.iter().map(|(name, _)| name.as_str()).collect();
        let predicted: Vec<&str> = predicted.iter().map(String::as_str).collect();
        let is_class = |name: &str| classes.iter().any(|class| class == name);
        let has_both = |name: &&str| truths.contains(name) && predicted.contains(name);
        let all = || predicted.iter().chain(&truths);
        if let Some(name) = all().find(|name| !is_class(name) && !has_both(name)) {
            return Err(Error::schema(format!(
                "costs: {} is not a class of the target (its classes: {})",
                quoted(name),
                quoted_list(classes.iter().map(String::as_str))
            )));
        }
        for name in truths.iter().filter(|name| !is_class(name)) {
            only_position(&truths, name, "row")?;
            only_position(&predicted, name, "column")?;
        }
        let mut matrix = Vec::with_capacity(classes.len());
        for class in classes {
            let row = &rows[only_position(&truths, class, "row")?].1;
            if row.len() != predicted.len() {
                return Err(Error::schema(format!(
                    "costs: the row of class {} has {} entries, expected {}",
                    quoted(class),
                    row.len(),
                    predicted.len()
                )));
            }
            let mut costs = Vec::with_capacity(classes.len());
            for other in classes {
                costs.push(row[only_position(&predicted, other, "column")?]);
            }
            matrix.push(costs);
        }
        Self::new(&matrix)
    }

    /// Number of classes.
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// Cost of predicting class `predicted` for a row of class `truth`.
    pub fn cost(&self, truth: usize, predicted: usize) -> f64 {
        self.costs[truth * self.n_classes + predicted]
    }

    /// The rows of the matrix, one for each true class.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.costs.chunks(self.n_classes.max(1))
    }
}

/// Where a class stands in a list that must have it exactly once.
fn only_position(names: &[&str], class: &str, what: &str) -> Result<usize> {
    let mut places = (0..names.len()).filter(|&place| names[place] == class);
    match (places.next(), places.next()) {
        (Some(place), None) => Ok(place),
        (None, _) => Err(Error::schema(format!(
            "costs: no {what} for class {}",
            quoted(class)
        ))),
        (Some(_), Some(_)) => Err(Error::schema(format!(
            "costs: two {what}s for class {}",
            quoted(class)
        ))),
    }
}

impl Loss {
    /// The loss unless another one is given: wrong predictions of classes, squared errors of numbers.
    pub fn usual(schema: &Schema) -> Self {
        if schema.is_classification() {
            Self::ZeroOne
        } else {
            Self::Squared
        }
    }

    /// Loss of predicting class `predicted` for a row of class `truth`.
    pub fn of_class(&self, truth: usize, predicted: usize) -> f64 {
        match self {
            Self::Matrix(matrix) => matrix.cost(truth, predicted),
            Self::ZeroOne | Self::Squared => f64::from(u8::from(truth != predicted)),
        }
    }

    /// Cost of predicting `class` for rows with these weighted class counts.
    pub fn of_counts(&self, counts: &[f64], class: usize) -> f64 {
        let counts = counts.iter().enumerate();
        let cost: f64 = match self {
            Self::Matrix(matrix) => counts
                .map(|(truth, count)| count * matrix.cost(truth, class))
                .sum(),
            Self::ZeroOne | Self::Squared => counts
                .filter(|&(truth, _)| truth != class)
                .map(|(_, count)| count)
                .sum(),
        };
        // The sum of no numbers is -0.
        cost + 0.0
    }

    /// The class of least cost for these weighted class counts; the lowest index on ties.
    pub fn best_class(&self, counts: &[f64]) -> usize {
        match self {
            // The most frequent class: comparing counts avoids the rounding of their sums.
            Self::ZeroOne | Self::Squared => {
                let mut best = 0;
                for (class, count) in counts.iter().enumerate() {
                    if *count > counts[best] {
                        best = class;
                    }
                }
                best
            }
            Self::Matrix(_) => {
                let mut best = (0, f64::INFINITY);
                for class in 0..counts.len() {
                    let cost = self.of_counts(counts, class);
                    if cost < best.1 {
                        best = (class, cost);
                    }
                }
                best.0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_errors_are_plus_zero() {
        let errors = Loss::ZeroOne.of_counts(&[5.0], 0);
        assert_eq!(errors.to_string(), "0");
    }

    #[test]
    fn the_cheapest_class_need_not_be_the_most_frequent() {
        let counts = [6.0, 4.0];
        assert_eq!(Loss::ZeroOne.best_class(&counts), 0);
        let matrix = CostMatrix::new(&[vec![0.0, 1.0], vec![5.0, 0.0]]).unwrap();
        assert_eq!(Loss::Matrix(matrix).best_class(&counts), 1);
        assert_eq!(Loss::ZeroOne.best_class(&[2.0, 2.0]), 0);
    }

    #[test]
    fn a_single_class_costs_nothing() {
        assert!(Loss::ZeroOne.of_counts(&[7.0], 0).is_sign_positive());
    }

    #[test]
    fn named_costs_are_reordered_and_checked() {
        let classes = ["no".to_owned(), "yes".to_owned()];
        let swapped = ["yes".to_owned(), "no".to_owned()];
        let rows = [
            ("yes".to_owned(), vec![0.0, 5.0]),
            ("no".to_owned(), vec![1.0, 0.0]),
        ];
        let matrix = CostMatrix::from_named(&classes, &swapped, &rows).unwrap();
        assert_eq!(matrix.cost(1, 0), 5.0);
        assert_eq!(matrix.cost(0, 1), 1.0);
        let more = ["maybe", "yes", "no"].map(str::to_owned);
        let rows = [
            ("yes".to_owned(), vec![9.0, 0.0, 5.0]),
            ("maybe".to_owned(), vec![0.0, 8.0, 7.0]),
            ("no".to_owned(), vec![6.0, 1.0, 0.0]),
        ];
        assert_eq!(
            CostMatrix::from_named(&classes, &more, &rows).unwrap(),
            matrix
        );
        let strange = [("maybe".to_owned(), vec![0.0, 5.0])];
        let error = CostMatrix::from_named(&classes, &swapped, &strange).unwrap_err();
        assert!(error.to_string().contains("\"maybe\" is not a class"));
    }
}
