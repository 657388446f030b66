//! Dates and times as numbers: days or seconds since the first of January 1970, in the Gregorian calendar.
//!
//! A date has a year of four digits, and the same sign between its parts: 2024-03-09, 9.3.2024, 03/09/2024. A time may
//! follow after a `T` or a space: 17:05, 17:05:30.25, with `Z` or an offset such as +01:00. Without an offset a time
//! is taken as it stands. Days are counted by the months of a year that begins in March, so that the day which leap
//! years add is the last one.

/// In which order the parts of a date stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateOrder {
    /// 2024-03-09, as in ISO 8601.
    YearMonthDay,
    /// 9.3.2024.
    DayMonthYear,
    /// 03/09/2024.
    MonthDayYear,
}

/// What the numbers count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateUnit {
    /// Days since 1970-01-01.
    Days,
    /// Seconds since the begin of that day.
    Seconds,
}

/// How the texts of a column become numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateFormat {
    /// The order of day, month and year.
    pub order: DateOrder,
    /// Days or seconds.
    pub unit: DateUnit,
}

/// A column whose texts are dates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateColumn {
    /// Column name.
    pub name: String,
    /// How its texts become numbers.
    pub format: DateFormat,
}

/// The order of dates that were looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundDates {
    /// How to read them.
    pub format: DateFormat,
    /// Could day and month be the other way round in all of them?
    pub is_ambiguous: bool,
}

const SECONDS_A_DAY: i64 = 86_400;

impl DateOrder {
    /// All orders; of two that fit, the first one is taken.
    pub const ALL: [Self; 3] = [Self::YearMonthDay, Self::DayMonthYear, Self::MonthDayYear];

    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::YearMonthDay => "ymd",
            Self::DayMonthYear => "dmy",
            Self::MonthDayYear => "mdy",
        }
    }

    /// The order of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|order| order.name() == name)
    }
}

impl DateUnit {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Days => "days",
            Self::Seconds => "seconds",
        }
    }
}

impl DateFormat {
    /// The number of a text; `None` if it is not a date of this order.
    pub fn parse(self, text: &str) -> Option<f64> {
        let moment = Moment::parse(text, self.order)?;
        Some(match self.unit {
            DateUnit::Days => moment.days as f64 + moment.seconds / SECONDS_A_DAY as f64,
            DateUnit::Seconds => (moment.days * SECONDS_A_DAY) as f64 + moment.seconds,
        })
    }

    /// The format of a column of texts, of which all are dates of the same order: the given one, or any.
    pub fn of<'a>(
        texts: &(impl Iterator<Item = &'a str> + Clone),
        given: Option<DateOrder>,
    ) -> Option<FoundDates> {
        let mut fitting = DateOrder::ALL.into_iter().filter_map(|order| {
            let mut has_times = false;
            let mut n_texts = 0;
            for text in texts.clone() {
                has_times |= Moment::parse(text, order)?.has_time;
                n_texts += 1;
            }
            let unit = if has_times {
                DateUnit::Seconds
            } else {
                DateUnit::Days
            };
            (n_texts > 0 && given.is_none_or(|given| given == order))
                .then_some(DateFormat { order, unit })
        });
        let format = fitting.next()?;
        // With points between, the day comes first everywhere.
        let is_ambiguous =
            fitting.next().is_some() && !texts.clone().all(|text| text.contains('.'));
        Some(FoundDates {
            format,
            is_ambiguous,
        })
    }
}

/// A moment: the day, and the seconds since its begin.
struct Moment {
    days: i64,
    seconds: f64,
    has_time: bool,
}

impl Moment {
    fn parse(text: &str, order: DateOrder) -> Option<Self> {
        let end = text.find(['T', ' ']).unwrap_or(text.len());
        let days = day(&text[..end], order)?;
        let time = text.get(end + 1..);
        Some(Self {
            days,
            seconds: time.map_or(Some(0.0), seconds)?,
            has_time: time.is_some(),
        })
    }
}

/// The number of a day.
fn day(text: &str, order: DateOrder) -> Option<i64> {
    let sign = text.find(['-', '/', '.'])?;
    let sign = text[sign..].chars().next()?;
    let mut parts = text.split(sign);
    let mut next = || parts.next();
    let (first, second, third) = (next()?, next()?, next()?);
    if next().is_some() {
        return None;
    }
    let (year, month, day) = match order {
        DateOrder::YearMonthDay => (first, second, third),
        DateOrder::DayMonthYear => (third, second, first),
        DateOrder::MonthDayYear => (third, first, second),
    };
    if year.len() != 4 {
        return None;
    }
    let (year, month, day) = (digits(year, 4)?, digits(month, 2)?, digits(day, 2)?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        _ => return None,
    };
    (1..=length)
        .contains(&day)
        .then(|| number(year, month, day))
}

/// Days since 1970-01-01.
fn number(year: i64, month: i64, day: i64) -> i64 {
    /// The days before 1970-01-01, counted from the first of March of the year 0.
    const BEFORE_1970: i64 = 719_468;
    // Months of a year that begins in March: five of them have 153 days.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - BEFORE_1970
}

/// The seconds of a time of day, minus its offset.
fn seconds(text: &str) -> Option<f64> {
    let sign = text.find(['Z', '+', '-']).unwrap_or(text.len());
    let (time, offset) = text.split_at(sign);
    let mut parts = time.splitn(3, ':');
    let (hours, minutes) = (
        two_digits(parts.next()?, 23)?,
        two_digits(parts.next()?, 59)?,
    );
    let seconds = match parts.next() {
        None => 0.0,
        Some(text) => {
            let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
            two_digits(whole, 59)?;
            digits(decimals, 12)?;
            text.parse().ok()?
        }
    };
    let offset = match offset.split_at_checked(1) {
        None | Some(("Z", "")) => 0,
        Some((sign @ ("+" | "-"), text)) => {
            let text = text.replacen(':', "", 1);
            let (hours, minutes) = text.split_at_checked(2)?;
            let minutes = if minutes.is_empty() { "00" } else { minutes };
            let offset = 60 * two_digits(hours, 23)? + two_digits(minutes, 59)?;
            if sign == "-" { -offset } else { offset }
        }
        Some(_) => return None,
    };
    Some((3600 * hours + 60 * minutes - 60 * offset) as f64 + seconds)
}

fn two_digits(text: &str, most: i64) -> Option<i64> {
    digits(text, 2).filter(|&number| text.len() == 2 && number <= most)
}

/// A whole number of one to `most` digits.
fn digits(text: &str, most: usize) -> Option<i64> {
    let is_right = (1..=most).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_digit());
    is_right.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(text: &str, order: DateOrder) -> Option<f64> {
        let unit = DateUnit::Days;
        DateFormat { order, unit }.parse(text)
    }

    fn moment(text: &str) -> Option<f64> {
        let (order, unit) = (DateOrder::YearMonthDay, DateUnit::Seconds);
        DateFormat { order, unit }.parse(text)
    }

    #[test]
    fn days_are_counted_one_by_one() {
        let mut expected = number(1895, 1, 1);
        assert_eq!(expected, -27_393);
        assert_eq!(number(1970, 1, 1), 0);
        for year in 1895..2105 {
            for month in 1..=12 {
                for day in 1..=31 {
                    let text = format!("{year:04}-{month:02}-{day:02}");
                    if let Some(found) = days(&text, DateOrder::YearMonthDay) {
                        assert_eq!(found, expected as f64, "{text}");
                        expected += 1;
                    } else {
                        assert!(day > 28, "{text}");
                    }
                }
            }
        }
        assert_eq!(expected, number(2105, 1, 1));
    }

    #[test]
    fn orders_and_signs() {
        let expected = Some(19_791.0);
        for text in ["2024-03-09", "2024/3/9", "2024.03.09"] {
            assert_eq!(days(text, DateOrder::YearMonthDay), expected, "{text}");
        }
        assert_eq!(days("9.3.2024", DateOrder::DayMonthYear), expected);
        assert_eq!(days("03/09/2024", DateOrder::MonthDayYear), expected);
        for text in [
            "",
            "2024",
            "2024-03",
            "24-03-09",
            "2024-13-01",
            "2023-02-29",
            "2024-00-01",
            "2024-03-00",
            "2024-03/09",
            "2024-03-09-1",
            "2024-+3-09",
            "2024-03-09T",
            "2024-03-09 x",
            "1.5",
            "-1-1",
        ] {
            assert_eq!(days(text, DateOrder::YearMonthDay), None, "{text}");
        }
    }

    #[test]
    fn times_have_seconds_and_offsets() {
        assert_eq!(moment("1970-01-02"), Some(86_400.0));
        assert_eq!(moment("1970-01-01 01:02"), Some(3720.0));
        assert_eq!(moment("1970-01-01T00:00:01.5Z"), Some(1.5));
        assert_eq!(moment("1970-01-01T01:00:00+01:00"), Some(0.0));
        assert_eq!(moment("1970-01-01T01:00:00-0130"), Some(9000.0));
        assert_eq!(moment("1970-01-01T01:00:00+01"), Some(0.0));
        for time in [
            "1",
            "24:00",
            "01:60",
            "01:00:60",
            "01:00:1",
            "01:00Zx",
            "01:00+",
            "01:00:00.",
            "1:2:3:4",
        ] {
            assert_eq!(moment(&format!("1970-01-01 {time}")), None, "{time}");
        }
    }

    #[test]
    fn the_format_is_found() {
        let found = |texts: &[&str]| {
            let found = DateFormat::of(&texts.iter().copied(), None)?;
            Some((
                found.format.order.name(),
                found.format.unit.name(),
                found.is_ambiguous,
            ))
        };
        assert_eq!(found(&["2024-01-02"]), Some(("ymd", "days", false)));
        assert_eq!(
            found(&["2024-01-02", "2024-01-02 10:00"]),
            Some(("ymd", "seconds", false))
        );
        assert_eq!(
            found(&["1/2/2024", "13/2/2024"]),
            Some(("dmy", "days", false))
        );
        assert_eq!(
            found(&["1/2/2024", "1/13/2024"]),
            Some(("mdy", "days", false))
        );
        assert_eq!(found(&["1/2/2024"]), Some(("dmy", "days", true)));
        assert_eq!(found(&["1.2.2024"]), Some(("dmy", "days", false)));
        assert_eq!(found(&["1/13/2024", "13/1/2024"]), None);
        assert_eq!(found(&[]), None);
        let given = DateFormat::of(&["1/2/2024"].into_iter(), Some(DateOrder::MonthDayYear));
        assert_eq!(given.unwrap().format.order, DateOrder::MonthDayYear);
        assert!(!given.unwrap().is_ambiguous);
    }
}
