//! Numbers that are written for people: with a currency, a per cent sign, commas or blanks between thousands, a decimal
//! comma, or blanks around.

use crate::data::Number;

/// What may stand between whole numbers and decimals; of two that fit, the first one is taken.
pub(super) const POINTS: [char; 2] = ['.', ','];

const CURRENCIES: [&str; 12] = [
    "$", "€", "£", "¥", "₹", "USD", "EUR", "GBP", "CHF", "JPY", "CAD", "AUD",
];

/// Does the text look like a number, plain or written for people? Also one that is too large.
pub(super) fn is_number(text: &str, point: char) -> bool {
    is_plain(text) && point == '.' || plain(text, point).is_some()
}

/// Does the text look like a number as it is?
pub(super) fn is_plain(text: &str) -> bool {
    Number::parse(text) != Number::Not
}

/// The text as a plain number.
pub(super) fn plain(text: &str, point: char) -> Option<String> {
    let text = text.trim();
    let (text, is_bracketed) = match text.strip_prefix('(').and_then(|it| it.strip_suffix(')')) {
        Some(inner) => (inner.trim(), true),
        None => (text, false),
    };
    let text = text.strip_suffix('%').unwrap_or(text).trim_end();
    let (text, before) = without_sign(text);
    let text = without_currency(text).trim();
    let (text, behind) = without_sign(text);
    let is_negative = match (before, behind, is_bracketed) {
        (None, None, bracketed) => bracketed,
        (Some(sign), None, false) | (None, Some(sign), false) => sign == '-',
        _ => return None,
    };
    let (whole, decimals) = match text.split_once(point) {
        Some((whole, decimals)) => (whole, Some(decimals)),
        None => (text, None),
    };
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let whole = ungrouped(whole, point)?;
    let decimals = decimals.unwrap_or_default();
    if !is_digits(decimals) || whole.is_empty() && decimals.is_empty() {
        return None;
    }
    let sign = if is_negative { "-" } else { "" };
    let whole = if whole.is_empty() { "0" } else { &whole };
    let dot = if decimals.is_empty() { "" } else { "." };
    Some(format!("{sign}{whole}{dot}{decimals}"))
}

fn without_sign(text: &str) -> (&str, Option<char>) {
    for (sign, meaning) in [('-', '-'), ('\u{2212}', '-'), ('+', '+')] {
        if let Some(rest) = text.strip_prefix(sign) {
            return (rest, Some(meaning));
        }
    }
    (text, None)
}

fn without_currency(text: &str) -> &str {
    let mut bare = CURRENCIES.iter().filter_map(|currency| {
        let before = text.strip_prefix(currency);
        before.or_else(|| text.strip_suffix(currency))
    });
    bare.next().unwrap_or(text)
}

/// Digits, perhaps with the same sign between each three of them.
fn ungrouped(text: &str, point: char) -> Option<String> {
    let is_between = |c: char| {
        c != point
            && matches!(
                c,
                ',' | '.' | ' ' | '\'' | '\u{2019}' | '\u{a0}' | '\u{202f}' | '\u{2009}'
            )
    };
    let mut groups = match text
        .find(is_between)
        .and_then(|at| text[at..].chars().next())
    {
        Some(sign) => text.split(sign),
        None => text.split(','),
    };
    let first = groups.next()?;
    let rest: Vec<&str> = groups.collect();
    let is_grouped = (1..=3).contains(&first.len()) && rest.iter().all(|group| group.len() == 3);
    let digits: String = std::iter::once(first).chain(rest.iter().copied()).collect();
    let is_right = rest.is_empty() || is_grouped;
    (is_right && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_plain() {
        for (text, expected) in [
            ("$1,882", "1882"),
            ("-$1,234,567.50", "-1234567.50"),
            ("$-3", "-3"),
            ("(1,200)", "-1200"),
            ("36.9%", "36.9"),
            ("36.9 %", "36.9"),
            (" 18", "18"),
            ("18\u{a0}", "18"),
            ("1 234 567", "1234567"),
            ("1'234.5", "1234.5"),
            ("12 EUR", "12"),
            ("€ .5", "0.5"),
            ("5.", "5"),
        ] {
            assert_eq!(plain(text, '.').as_deref(), Some(expected), "{text}");
        }
        for (text, expected) in [("1.234,5", "1234.5"), ("0,25", "0.25"), ("1.234", "1234")] {
            assert_eq!(plain(text, ',').as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_texts_do_not() {
        for text in [
            "",
            " ",
            "$",
            "%",
            ".",
            "-",
            "--1",
            "(-1)",
            "1,23",
            "1,2345",
            "12,34,567",
            "10-20",
            "192.168.1.1",
            "1.2.3",
            "2024-03-09",
            "3.4.2024",
            "12kg",
            "5more",
            ">100",
            "1 2",
            "a1",
            "1,234 567",
        ] {
            assert_eq!(plain(text, '.'), None, "{text}");
        }
        for text in ["12.5", "1,2,3", "1.23,4", "1e5"] {
            assert_eq!(plain(text, ','), None, "{text}");
        }
    }
}
