//! Rows in order, in parts of about equal weight.
//!
//! Rows with equal numbers stay together: a part ends with the first group of them that reaches the next of evenly
//! spaced marks. So a tree of few leaves has few parts, each of whole leaves.

use std::ops::Range;

/// Cuts a list of groups in order, given by their weights, into at most `n_parts` parts.
pub(super) fn parts(weights: &[f64], n_parts: usize) -> Vec<Range<usize>> {
    let total: f64 = weights.iter().sum();
    let mut found = Vec::new();
    let (mut start, mut sum, mut mark) = (0, 0.0, 1);
    for (group, weight) in weights.iter().enumerate() {
        sum += weight;
        if sum * n_parts as f64 >= total * mark as f64 || group + 1 == weights.len() {
            found.push(start..group + 1);
            start = group + 1;
            // A heavy group may pass several marks.
            while mark < n_parts && sum * n_parts as f64 >= total * mark as f64 {
                mark += 1;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_of_whole_groups() {
        assert_eq!(parts(&[1.0; 6], 3), [0..2, 2..4, 4..6]);
        assert_eq!(parts(&[1.0, 1.0], 10), [0..1, 1..2]);
        assert_eq!(parts(&[8.0, 1.0, 1.0], 2), [0..1, 1..3]);
        assert_eq!(parts(&[4.0, 1.0, 1.0, 1.0, 1.0], 4), [0..1, 1..3, 3..5]);
        assert_eq!(parts(&[], 4), [] as [Range<usize>; 0]);
    }
}
