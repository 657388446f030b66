//! Columns of texts: ids, dates, numbers with a few words among them, rare categories.

use super::cells::Cells;
use super::finding::kind_of;
use super::{Column, ColumnCheck, FEW_ROWS, Finding, Token, Wanted};
use crate::data::{DateFormat, DateOrder, DateUnit, MISSING_CODE, Number, Role};

/// Words for "missing", in lower case.
const MISSING: [&str; 22] = [
    "n/a", "na", "n.a.", "n.a", "#n/a", "nan", "null", "nil", "none", "missing", "unknown", "unk",
    "-", "--", "---", ".", "..", "?", "??", "(null)", "#value!", "#div/0!",
];

/// As many words among numbers can be looked at by people.
const MOST_TOKENS: usize = 5;
/// More categories than this are many.
const MANY_CATEGORIES: usize = 50;

pub(super) fn look_at(codes: &[u32], distinct: &[String], check: &mut ColumnCheck) {
    let present = codes.len() - check.missing;
    let all = || distinct.iter().map(String::as_str);
    if let Some(found) = DateFormat::of(&all(), None) {
        check.kind = kind_of(found.format);
        check.findings.push(Finding::Date {
            format: found.format,
            is_ambiguous: found.is_ambiguous,
        });
        return;
    }
    if let Some(finding) = nearly(codes, distinct, present) {
        check.findings.push(finding);
        return;
    }
    let is_id = present >= FEW_ROWS && check.distinct * 10 >= present * 9;
    let many = check.distinct > MANY_CATEGORIES;
    if (is_id || many) && all().all(|text| plain(text).is_some()) {
        let example = distinct[0].clone();
        check
            .findings
            .push(Finding::FormattedNumbers { example, is_id });
        return;
    }
    if is_id {
        check.findings.push(Finding::IdText);
        return;
    }
    let one_row = count(codes, distinct.len())
        .iter()
        .filter(|&&n| n == 1)
        .count();
    if many {
        check.findings.push(Finding::ManyCategories { one_row });
    } else if one_row > 0 && present >= FEW_ROWS {
        let categories = one_row;
        check
            .findings
            .push(Finding::OneRowCategories { categories });
    }
}

fn count(codes: &[u32], n_distinct: usize) -> Vec<usize> {
    let mut counts = vec![0; n_distinct];
    for &code in codes.iter().filter(|&&code| code != MISSING_CODE) {
        counts[code as usize] += 1;
    }
    counts
}

/// Numbers or dates with a few other texts among them.
fn nearly(codes: &[u32], distinct: &[String], present: usize) -> Option<Finding> {
    let is_number = |text: &str| matches!(Number::parse(text), Number::Finite(_));
    if let Some(tokens) = odd_ones(codes, distinct, present, &is_number) {
        let wanted = Wanted::Numbers;
        return Some(Finding::Nearly { wanted, tokens });
    }
    DateOrder::ALL.into_iter().find_map(|order| {
        let unit = DateUnit::Days;
        let format = DateFormat { order, unit };
        let is_date = |text: &str| format.parse(text).is_some();
        let tokens = odd_ones(codes, distinct, present, &is_date)?;
        let dates = distinct.iter().map(String::as_str);
        let dates = dates.filter(|text| is_date(text));
        let format = DateFormat::of(&dates, Some(order))?.format;
        let wanted = Wanted::Dates(format);
        Some(Finding::Nearly { wanted, tokens })
    })
}

/// The texts that are not as wanted, if they are few. Words for "missing" may be more frequent than others, and there
/// need not be many distinct values beside them.
fn odd_ones(
    codes: &[u32],
    distinct: &[String],
    present: usize,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Option<Vec<Token>> {
    let mut odd = Vec::new();
    for (code, text) in distinct.iter().enumerate() {
        if !is_wanted(text) {
            odd.push(code);
            if odd.len() > MOST_TOKENS {
                return None;
            }
        }
    }
    let n_wanted = distinct.len() - odd.len();
    let token = |&code: &usize| {
        let has_it = |&&other: &&u32| other as usize == code;
        let text = distinct[code].clone();
        Token {
            means_missing: MISSING.contains(&text.trim().to_lowercase().as_str()),
            text,
            cells: codes.iter().filter(has_it).count(),
            first_row: codes
                .iter()
                .position(|other| has_it(&other))
                .map_or(0, |row| row + 1),
        }
    };
    let tokens: Vec<Token> = odd.iter().map(token).collect();
    let cells: usize = tokens.iter().map(|token| token.cells).sum();
    let all_mean_missing = tokens.iter().all(|token| token.means_missing);
    let is_rare = cells * 5 <= present;
    let is_nearly = match n_wanted {
        10.. => is_rare || all_mean_missing && cells * 2 <= present,
        3.. => is_rare && all_mean_missing,
        _ => false,
    };
    (is_nearly && !tokens.is_empty()).then_some(tokens)
}

/// The number that is written for people: with a unit, commas between thousands, or a decimal comma.
fn plain(text: &str) -> Option<f64> {
    let is_sign = |c: char| matches!(c, '$' | '€' | '£' | '¥' | '%' | ' ' | '\u{a0}' | '\'');
    let bare: String = text.chars().filter(|&c| !is_sign(c)).collect();
    let is_right = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+');
    if !bare.chars().all(is_right) {
        return None;
    }
    let point = bare.rfind(['.', ',']);
    let digits = |part: &str| part.replace(['.', ','], "");
    let number = match point {
        Some(at) => format!("{}.{}", digits(&bare[..at]), &bare[at + 1..]),
        None => bare,
    };
    number.parse().ok()
}

/// A word that is a category elsewhere cannot be taken for missing in the whole table.
pub(super) fn note_tokens_elsewhere(columns: &[Column<'_>], checks: &mut [ColumnCheck]) {
    let is_nearly: Vec<bool> = checks
        .iter()
        .map(|check| matches!(check.findings[..], [Finding::Nearly { .. }, ..]))
        .collect();
    let is_category = |token: &str| {
        columns.iter().zip(&is_nearly).any(|(column, is_nearly)| {
            let Cells::Texts { distinct, .. } = column.cells else {
                return false;
            };
            !is_nearly && column.role != Role::Unused && distinct.iter().any(|text| text == token)
        })
    };
    for finding in checks.iter_mut().flat_map(|check| &mut check.findings) {
        if let Finding::Nearly { tokens, .. } = finding {
            for token in tokens {
                token.means_missing = token.means_missing && !is_category(&token.text);
            }
        }
    }
}
