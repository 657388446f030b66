//! Worth of groups of numbers: squared and absolute deviation.
//!
//! As for classes, a split lowers the weighted impurity by the worth of its children minus the worth
//! of the known rows. For squared error the worth of a group is `sum^2 / weight` of the numbers taken
//! relative to the mean of the node, which keeps the sums small; for absolute error it is minus the sum of
//! distances from the median.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A number and its weight, ordered by the number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weighed {
    pub(crate) number: f64,
    pub(crate) weight: f64,
}

impl Ord for Weighed {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.number.total_cmp(&other.number)
    }
}

impl PartialOrd for Weighed {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Weighed {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Weighed {}

/// Sum and weight of numbers relative to a centre.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WeightedSum {
    pub(crate) sum: f64,
    pub(crate) weight: f64,
}

impl WeightedSum {
    pub(crate) fn add(&mut self, number: f64, weight: f64) {
        self.sum += number * weight;
        self.weight += weight;
    }

    pub(crate) fn without(self, part: Self) -> Self {
        Self {
            sum: self.sum - part.sum,
            weight: self.weight - part.weight,
        }
    }

    /// Worth under squared error.
    pub(crate) fn worth(self) -> f64 {
        if self.weight > 0.0 {
            self.sum * self.sum / self.weight
        } else {
            0.0
        }
    }
}

/// The numbers seen so far and the sum of their distances from their median.
#[derive(Debug, Default)]
pub(crate) struct RunningMedian {
    /// The lower half, with the median on top.
    low: BinaryHeap<Weighed>,
    high: BinaryHeap<Reverse<Weighed>>,
    low_sum: WeightedSum,
    high_sum: WeightedSum,
}

impl RunningMedian {
    pub(crate) fn add(&mut self, item: Weighed) {
        if self
            .low
            .peek()
            .is_none_or(|median| item.number <= median.number)
        {
            self.low.push(item);
            self.low_sum.add(item.number, item.weight);
        } else {
            self.high.push(Reverse(item));
            self.high_sum.add(item.number, item.weight);
        }
        let half = f64::midpoint(self.low_sum.weight, self.high_sum.weight);
        while let Some(&median) = self.low.peek() {
            if self.low_sum.weight - median.weight < half || self.low.len() == 1 {
                break;
            }
            self.low.pop();
            self.low_sum.add(median.number, -median.weight);
            self.high.push(Reverse(median));
            self.high_sum.add(median.number, median.weight);
        }
        while self.low_sum.weight < half {
            let Some(Reverse(next)) = self.high.pop() else {
                break;
            };
            self.high_sum.add(next.number, -next.weight);
            self.low.push(next);
            self.low_sum.add(next.number, next.weight);
        }
    }

    /// Sum of the distances from the median.
    pub(crate) fn deviation(&self) -> f64 {
        let median = self.low.peek().map_or(0.0, |median| median.number);
        let below = median * self.low_sum.weight - self.low_sum.sum;
        let above = self.high_sum.sum - median * self.high_sum.weight;
        (below + above).max(0.0)
    }
}

/// The weighted median: the middle between the two middle numbers where the weight falls in equal
/// halves.
pub(crate) fn median(items: &mut [Weighed]) -> f64 {
    items.sort_unstable();
    let total: f64 = items.iter().map(|item| item.weight).sum();
    let mut below = 0.0;
    for at in 0..items.len() {
        below += items[at].weight;
        if below * 2.0 == total && at + 1 < items.len() {
            return items[at].number / 2.0 + items[at + 1].number / 2.0;
        }
        if below * 2.0 > total {
            return items[at].number;
        }
    }
    items.last().map_or(0.0, |item| item.number)
}

#[cfg(test)]
mod tests {

    use super::*;

    fn deviation(items: &[Weighed]) -> f64 {
        let median = median(&mut items.to_vec());
        items
            .iter()
            .map(|item| item.weight * (item.number - median).abs())
            .sum()
    }

    #[test]
    fn the_running_deviation_is_that_of_the_numbers_so_far() {
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..500 {
            let whole = random.bool();
            let items: Vec<Weighed> = (0..random.usize(1..30))
                .map(|_| Weighed {
                    number: f64::from(random.i32(-5..6)),
                    weight: if whole {
                        f64::from(random.u8(1..4))
                    } else {
                        random.f64() + 0.1
                    },
                })
                .collect();
            let mut running = RunningMedian::default();
            for at in 0..items.len() {
                running.add(items[at]);
                let expected = deviation(&items[..=at]);
                assert!((running.deviation() - expected).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn a_median_between_two_numbers_is_their_middle() {
        let items = |numbers: &[f64]| -> Vec<Weighed> {
            numbers
                .iter()
                .map(|&number| Weighed {
                    number,
                    weight: 1.0,
                })
                .collect()
        };
        assert_eq!(median(&mut items(&[4.0, 1.0, 3.0, 2.0])), 2.5);
        assert_eq!(median(&mut items(&[4.0, 1.0, 3.0])), 3.0);
        assert_eq!(median(&mut items(&[1e308, 1.7e308])), 1.35e308);
    }
}
