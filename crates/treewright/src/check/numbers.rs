//! Columns of numbers: ids, and columns that follow the rows.

use super::{ColumnCheck, FEW_ROWS, Finding, IdSign};

/// Up to here all whole numbers are told apart.
const ALL_WHOLE_TO: f64 = (1_u64 << 53) as f64;

/// Names of columns that number the rows.
const NAMES: [&str; 9] = [
    "id", "ids", "uid", "uuid", "guid", "index", "rowid", "rownum", "unnamed",
];

pub(super) fn look_at(name: &str, numbers: &[f64], is_sorted: bool, check: &mut ColumnCheck) {
    if numbers.len() < FEW_ROWS || check.missing > 0 {
        return;
    }
    let order = Order::of(numbers);
    if check.distinct == numbers.len() && is_whole(numbers) {
        let (low, high) = (numbers.iter())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| {
                (low.min(x), high.max(x))
            });
        let has_no_gaps = high - low + 1.0 == numbers.len() as f64;
        let sign = match order {
            Order::Strict => Some(IdSign::Rising),
            _ if has_name_of_id(name) => Some(IdSign::Name),
            _ if has_no_gaps => Some(IdSign::NoGaps),
            _ => None,
        };
        if let Some(sign) = sign {
            let betrays = is_sorted && sign == IdSign::Rising;
            check.findings.push(Finding::IdNumber { sign, betrays });
            return;
        }
    }
    let has_many_values = check.distinct > numbers.len() / 2;
    if is_sorted && order != Order::None && has_many_values {
        check.findings.push(Finding::RowOrder);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    None,
    /// Each number is at least (at most) the one before.
    Weak,
    /// Each is larger (smaller) than the one before.
    Strict,
}

impl Order {
    fn of(numbers: &[f64]) -> Self {
        let all = |is_right: fn(f64, f64) -> bool| {
            let mut pairs = numbers.windows(2);
            pairs.all(|pair| is_right(pair[0], pair[1]))
        };
        if all(|a, b| a < b) || all(|a, b| a > b) {
            Self::Strict
        } else if all(|a, b| a <= b) || all(|a, b| a >= b) {
            Self::Weak
        } else {
            Self::None
        }
    }
}

fn is_whole(numbers: &[f64]) -> bool {
    let is_whole = |number: &f64| number.fract() == 0.0 && number.abs() < ALL_WHOLE_TO;
    numbers.iter().all(is_whole)
}

/// Is one of the words of the name that of an id? `customerId` and `CUSTOMER_ID` have the words customer and id.
pub(super) fn has_name_of_id(name: &str) -> bool {
    let mut words: Vec<String> = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        if c.is_uppercase() && before.is_lowercase() || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.iter().any(|word| NAMES.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_ids() {
        for name in [
            "id",
            "ID",
            "customer_id",
            "customerId",
            "Unnamed: 0",
            "row-id",
            "PassengerId",
            "user.ID",
        ] {
            assert!(has_name_of_id(name), "{name}");
        }
        for name in ["idle", "width", "paid", "Idaho", "x", "grid"] {
            assert!(!has_name_of_id(name), "{name}");
        }
    }
}
