//! Cells that are dates: the days or seconds since 1970, counted year by year and month by month.

use serde::Deserialize;

/// A column of dates.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Date {
    pub(crate) name: String,
    order: Order,
    unit: Unit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Order {
    Ymd,
    Dmy,
    Mdy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Days,
    Seconds,
}

impl Date {
    /// The number that a cell stands for.
    pub(crate) fn number(&self, cell: &str) -> Result<f64, String> {
        let fault = || format!("{cell:?} is no date of this column");
        let (date, time) = match cell.split_once(['T', ' ']) {
            Some((date, time)) => (date, Some(time)),
            None => (cell, None),
        };
        let days = self.days(date).ok_or_else(fault)?;
        let seconds = time.map_or(Some(0.0), seconds).ok_or_else(fault)?;
        Ok(match self.unit {
            Unit::Days => days as f64 + seconds / 86_400.0,
            Unit::Seconds => (days * 86_400) as f64 + seconds,
        })
    }

    fn days(&self, date: &str) -> Option<i64> {
        let parts: Vec<&str> = ['-', '/', '.']
            .iter()
            .map(|&sign| date.split(sign).collect::<Vec<&str>>())
            .find(|parts| parts.len() == 3)?;
        let (year, month, day) = match self.order {
            Order::Ymd => (parts[0], parts[1], parts[2]),
            Order::Dmy => (parts[2], parts[1], parts[0]),
            Order::Mdy => (parts[2], parts[0], parts[1]),
        };
        let is_sound = year.len() == 4 && month.len() <= 2 && day.len() <= 2;
        let (year, month, day) = (whole(year)?, whole(month)?, whole(day)?);
        if !is_sound || !(1..=12).contains(&month) || !(1..=length(year, month)).contains(&day) {
            return None;
        }
        let before = |year: i64| -> i64 { (0..year).map(|year| 337 + length(year, 2)).sum() };
        let months: i64 = (1..month).map(|month| length(year, month)).sum();
        Some(before(year) - before(1970) + months + day - 1)
    }
}

/// The days of a month.
fn length(year: i64, month: i64) -> i64 {
    let is_leap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn whole(text: &str) -> Option<i64> {
    let is_whole = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_whole.then(|| text.parse().ok()).flatten()
}

/// The seconds of a time of the day, in universal time if it has an offset.
fn seconds(text: &str) -> Option<f64> {
    let (clock, offset) = match text.find(['Z', '+', '-']) {
        None => (text, 0),
        Some(at) => (&text[..at], offset(&text[at..])?),
    };
    let parts: Vec<&str> = clock.split(':').collect();
    let (hours, minutes, seconds) = match parts[..] {
        [hours, minutes] => (hours, minutes, 0.0),
        [hours, minutes, seconds] => {
            let (whole_part, decimals) = seconds.split_once('.').unwrap_or((seconds, "0"));
            part(whole_part, 60)?;
            whole(decimals).filter(|_| decimals.len() <= 12)?;
            (hours, minutes, seconds.parse().ok()?)
        }
        _ => return None,
    };
    let minutes = 60 * part(hours, 24)? + part(minutes, 60)? - offset;
    Some((60 * minutes) as f64 + seconds)
}

/// The minutes of an offset.
fn offset(text: &str) -> Option<i64> {
    if text == "Z" {
        return Some(0);
    }
    let sign = match &text[..1] {
        "+" => 1,
        "-" => -1,
        _ => return None,
    };
    let (hours, minutes) = match text.len() {
        3 => (&text[1..], "00"),
        5 => (text.get(1..3)?, text.get(3..)?),
        6 if text.as_bytes()[3] == b':' => (text.get(1..3)?, text.get(4..)?),
        _ => return None,
    };
    Some(sign * (60 * part(hours, 24)? + part(minutes, 60)?))
}

/// A number of two digits below `end`.
fn part(text: &str, end: i64) -> Option<i64> {
    whole(text).filter(|&number| text.len() == 2 && number < end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_days_or_seconds() {
        let number = |order, unit, cell| {
            let name = String::new();
            Date { name, order, unit }.number(cell).ok()
        };
        assert_eq!(number(Order::Ymd, Unit::Days, "1970-01-01"), Some(0.0));
        assert_eq!(number(Order::Ymd, Unit::Days, "2024-03-09"), Some(19_791.0));
        assert_eq!(number(Order::Dmy, Unit::Days, "9.3.2024"), Some(19_791.0));
        assert_eq!(number(Order::Mdy, Unit::Days, "03/09/2024"), Some(19_791.0));
        assert_eq!(
            number(Order::Ymd, Unit::Days, "1895-01-01"),
            Some(-27_393.0)
        );
        assert_eq!(number(Order::Ymd, Unit::Days, "2023-02-29"), None);
        let seconds = |cell| number(Order::Ymd, Unit::Seconds, cell);
        assert_eq!(seconds("1970-01-02T00:00:01.5Z"), Some(86_401.5));
        assert_eq!(seconds("1970-01-01 01:00+01:00"), Some(0.0));
        assert_eq!(seconds("1970-01-01 24:00"), None);
    }
}
