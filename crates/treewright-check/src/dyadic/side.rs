//! One side of the box of a dyadic grid: in which cells its numbers lie, and where a cut may be.

use std::collections::BTreeMap;
use std::iter;
use std::ops::Range;

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive};

use crate::numbers::{Ratio, decimal, parse};

/// Which box is halved, and where.
pub(crate) enum Boxes {
    /// Midpoints of the range of a coordinate.
    Range,
    /// Where the rows of a coordinate are parted most evenly.
    Quantile,
    /// Midpoints of a range that all numeric features have.
    Between(Ratio, Ratio),
}

impl Boxes {
    /// The box of a parameter.
    pub(crate) fn of(text: &str) -> Option<Self> {
        match text {
            "range" => Some(Self::Range),
            "quantile" => Some(Self::Quantile),
            _ => {
                let (low, high) = text.split_once(':')?;
                let (low, high) = (parse(low)?, parse(high)?);
                (low < high).then_some(Self::Between(low, high))
            }
        }
    }
}

/// A side of the box.
pub(crate) enum Side {
    /// Nothing to halve.
    Point,
    /// Halved at midpoints, so often; numbers count as so much of it larger than they are.
    Middle {
        low: Ratio,
        high: Ratio,
        snap: Ratio,
        halvings: u32,
    },
    /// Halved by rows: the cell of each value.
    Rows(BTreeMap<Ratio, u32>),
}

impl Side {
    /// The side of the numbers of some rows, and how often it is halved. Only numeric features may have a given box.
    pub(crate) fn new(
        numbers: &[Option<Ratio>],
        is_numeric: bool,
        boxes: &Boxes,
        snap: &Ratio,
        halvings: u32,
    ) -> Result<(Self, u32), String> {
        let mut rows: BTreeMap<&Ratio, usize> = BTreeMap::new();
        for number in numbers.iter().flatten() {
            *rows.entry(number).or_insert(0) += 1;
        }
        let (Some((&low, _)), Some((&high, _))) = (rows.first_key_value(), rows.last_key_value())
        else {
            return Ok((Self::Point, 0));
        };
        let middle = |low: &Ratio, high: &Ratio| Self::Middle {
            low: low.clone(),
            high: high.clone(),
            snap: snap.clone(),
            halvings,
        };
        if let Boxes::Between(least, most) = boxes
            && is_numeric
            && (low < least || high > most)
        {
            return Err("params.box does not hold all numbers".into());
        }
        let side = match boxes {
            _ if low == high || halvings == 0 => return Ok((Self::Point, 0)),
            Boxes::Quantile => Self::Rows(by_rows(&rows, halvings)),
            Boxes::Between(least, most) if is_numeric => middle(least, most),
            Boxes::Range | Boxes::Between(..) => middle(low, high),
        };
        Ok((side, halvings))
    }

    /// The cell of a number of a row.
    pub(crate) fn cell(&self, number: &Ratio) -> u32 {
        match self {
            Self::Point => 0,
            Self::Middle {
                low,
                high,
                snap,
                halvings,
            } => {
                let share = (number - low) / (high - low) + snap;
                let cell = (share * (BigInt::one() << halvings)).floor();
                cell.to_integer()
                    .to_u32()
                    .unwrap_or(0)
                    .min((1 << halvings) - 1)
            }
            Self::Rows(cells) => cells.get(number).copied().unwrap_or(0),
        }
    }

    /// Is a cut where two cells meet? It is the least double that is not below that place.
    pub(crate) fn has_cut(&self, cut: f64) -> bool {
        let number = decimal(cut);
        let place = match self {
            Self::Point => return false,
            Self::Middle {
                low,
                high,
                snap,
                halvings,
            } => {
                let n_cells = Ratio::from(BigInt::one() << halvings);
                let share = (&number - low) / (high - low) + snap;
                // Doubles may be so far apart that cells lie between two of them.
                let cell = (share * &n_cells).floor().min(&n_cells - Ratio::one());
                if cell < Ratio::one() {
                    return false;
                }
                (high - low) * (cell / n_cells - snap) + low
            }
            Self::Rows(cells) => {
                let below = cells.range(..&number).next_back();
                let above = cells.range(&number..).next();
                match (below, above) {
                    (Some((below, left)), Some((above, right))) if left != right => {
                        (below + above) / BigInt::from(2)
                    }
                    _ => return false,
                }
            }
        };
        let before = cut.next_down();
        number >= place && (before.is_infinite() || decimal(before) < place)
    }
}

/// The cells of all values. Each halving parts some neighbouring values such that the numbers of rows on both sides
/// differ least, at the lowest of such places; one value alone stays where it is.
fn by_rows(rows: &BTreeMap<&Ratio, usize>, halvings: u32) -> BTreeMap<Ratio, u32> {
    let values: Vec<&Ratio> = rows.keys().copied().collect();
    let mut before = vec![0];
    for n_rows in rows.values() {
        before.push(before[before.len() - 1] + n_rows);
    }
    let mut cells: Vec<u32> = vec![0; values.len()];
    let mut parts: Vec<Range<usize>> = iter::once(0..values.len()).collect();
    for _ in 0..halvings {
        let mut halves = Vec::new();
        for part in parts {
            let all = before[part.start] + before[part.end];
            let places = part.start + 1..part.end;
            let place = places.min_by_key(|&place| all.abs_diff(2 * before[place]));
            let middle = place.unwrap_or(part.end);
            for (at, cell) in cells[part.clone()].iter_mut().enumerate() {
                *cell = *cell * 2 + u32::from(part.start + at >= middle);
            }
            halves.extend([part.start..middle, middle..part.end]);
        }
        parts = halves;
        parts.retain(|part| !part.is_empty());
    }
    values.into_iter().cloned().zip(cells).collect()
}
