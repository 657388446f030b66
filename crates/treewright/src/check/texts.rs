//! Columns of texts: ids, dates, numbers with words among them or written for people, rare categories.

use super::cells::Cells;
use super::finding::kind_of;
use super::numbers::has_name_of_id;
use super::{Column, ColumnCheck, FEW_ROWS, Finding, Token, Wanted};
use crate::data::{DateFormat, DateOrder, DateUnit, MISSING_CODE, Role};

use self::formatted::{POINTS, is_number, is_plain, plain};

pub(super) mod alike;
mod formatted;

/// Words for "missing", in lower case and without blanks around.
const MISSING: [&str; 44] = [
    "",
    "n/a",
    "na",
    "n.a.",
    "n.a",
    "n. a.",
    "#n/a",
    "<na>",
    "nan",
    "-nan",
    "null",
    "nil",
    "none",
    "missing",
    "(missing)",
    "unknown",
    "unk",
    "not known",
    "not available",
    "not applicable",
    "undefined",
    "undef",
    "tbd",
    "tba",
    "t.b.d.",
    "nd",
    "n.d.",
    "no data",
    "nodata",
    "blank",
    "(blank)",
    "empty",
    "-",
    "--",
    "---",
    "\u{2013}",
    "\u{2014}",
    ".",
    "..",
    "?",
    "??",
    "(null)",
    "#value!",
    "#div/0!",
];

/// As many distinct texts with digits among numbers may be slips; of more, each may be something by itself.
const MOST_SLIPS: usize = 5;
/// As many distinct words among numbers can be looked at by people.
const MOST_WORDS: usize = 50;
/// More categories than this are many.
const MANY_CATEGORIES: usize = 50;
/// A target of so few distinct numbers is one of classes.
const FEW_NUMBERS: usize = 20;

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
    let texts = Counted::of(codes, distinct, present);
    let is_id = present >= FEW_ROWS && check.distinct * 10 >= present * 9;
    let is_named_id = is_id && has_name_of_id(&check.name);
    let nearly = mixed_dates(distinct, is_id)
        .or_else(|| nearly_numbers(&texts, is_id))
        .or_else(|| nearly_dates(&texts));
    if let Some(finding) = nearly.filter(|_| !is_named_id) {
        check.findings.push(finding);
        return;
    }
    if is_id {
        check.findings.push(Finding::IdText);
        return;
    }
    check.findings.extend(alike::of(distinct, &texts.cells));
    let one_row = texts.cells.iter().filter(|&&n| n == 1).count();
    if check.distinct > MANY_CATEGORIES {
        check.findings.push(Finding::ManyCategories { one_row });
    } else if one_row > 0 && present >= FEW_ROWS {
        let categories = one_row;
        check
            .findings
            .push(Finding::OneRowCategories { categories });
    }
}

/// What is found if nearly all classes are numbers: more of them than classes would be.
pub(super) fn of_target(codes: &[u32], distinct: &[String], missing: usize) -> Option<Finding> {
    let texts = Counted::of(codes, distinct, codes.len() - missing);
    let n_numbers = distinct.iter().filter(|text| is_number(text, '.')).count();
    (n_numbers > FEW_NUMBERS).then_some(())?;
    nearly_numbers(&texts, false)
}

/// The texts of a column, each with its cells and its first row.
struct Counted<'a> {
    distinct: &'a [String],
    cells: Vec<usize>,
    /// Counted from 1.
    first_row: Vec<usize>,
    /// The cells that are not missing.
    present: usize,
}

impl<'a> Counted<'a> {
    fn of(codes: &[u32], distinct: &'a [String], present: usize) -> Self {
        let mut cells = vec![0; distinct.len()];
        let mut first_row = vec![0; distinct.len()];
        for (row, &code) in codes.iter().enumerate() {
            if code != MISSING_CODE {
                let code = code as usize;
                cells[code] += 1;
                if cells[code] == 1 {
                    first_row[code] = row + 1;
                }
            }
        }
        Self {
            distinct,
            cells,
            first_row,
            present,
        }
    }

    fn token(&self, code: usize) -> Token {
        let text = self.distinct[code].clone();
        Token {
            means_missing: MISSING.contains(&text.trim().to_lowercase().as_str()),
            text,
            cells: self.cells[code],
            first_row: self.first_row[code],
        }
    }
}

/// Numbers with a few other texts among them, or written for people.
fn nearly_numbers(texts: &Counted<'_>, is_id: bool) -> Option<Finding> {
    let found = POINTS.into_iter().filter_map(|point| {
        let tokens = odd_ones(texts, &|text| is_number(text, point))?;
        Some((point, tokens))
    });
    let (point, tokens) = found.min_by_key(|(_, tokens)| tokens.len())?;
    let is_odd = |text: &&String| !is_plain(text) && is_number(text, point);
    let Some(example) = texts.distinct.iter().find(is_odd) else {
        let wanted = Wanted::Numbers;
        return (!tokens.is_empty()).then_some(Finding::Nearly { wanted, tokens });
    };
    let of_people = texts.distinct.iter().zip(&texts.cells);
    let of_people = of_people.filter(|(text, _)| is_odd(text));
    Some(Finding::FormattedNumbers {
        example: example.clone(),
        plain: plain(example, point)?,
        cells: of_people.map(|(_, cells)| cells).sum(),
        of: texts.present,
        tokens,
        is_id,
    })
}

/// Dates with a few other texts among them.
fn nearly_dates(texts: &Counted<'_>) -> Option<Finding> {
    DateOrder::ALL.into_iter().find_map(|order| {
        let unit = DateUnit::Days;
        let format = DateFormat { order, unit };
        let is_date = |text: &str| format.parse(text).is_some();
        let tokens = odd_ones(texts, &is_date)?;
        let dates = texts.distinct.iter().map(String::as_str);
        let dates = dates.filter(|text| is_date(text));
        let format = DateFormat::of(&dates, Some(order))?.format;
        let wanted = Wanted::Dates(format);
        (!tokens.is_empty()).then_some(Finding::Nearly { wanted, tokens })
    })
}

/// Dates of which each has an order, but not all the same one.
fn mixed_dates(distinct: &[String], is_id: bool) -> Option<Finding> {
    let unit = DateUnit::Days;
    let formats = DateOrder::ALL.map(|order| DateFormat { order, unit });
    let fitting = |text: &str| formats.map(|format| format.parse(text).is_some());
    let first = fitting(distinct.first()?);
    let mut other = None;
    for text in distinct {
        let own = fitting(text);
        if !own.contains(&true) {
            return None;
        }
        let has_common = (0..own.len()).any(|at| own[at] && first[at]);
        if !has_common && other.is_none() {
            other = Some(text);
        }
    }
    let examples = [
        distinct[0].clone(),
        other.unwrap_or(distinct.last()?).clone(),
    ];
    Some(Finding::MixedDates { examples, is_id })
}

/// The texts that are not as wanted, the most frequent first, if they have few of the cells. Words for "missing" may
/// have more, and there need not be many distinct values beside them.
fn odd_ones(texts: &Counted<'_>, is_wanted: &dyn Fn(&str) -> bool) -> Option<Vec<Token>> {
    let (mut odd, mut slips) = (Vec::new(), 0);
    for (code, text) in texts.distinct.iter().enumerate() {
        if !is_wanted(text) {
            odd.push(code);
            slips += usize::from(text.contains(|c: char| c.is_ascii_digit()));
            if odd.len() > MOST_WORDS || slips > MOST_SLIPS {
                return None;
            }
        }
    }
    let n_wanted = texts.distinct.len() - odd.len();
    let mut tokens: Vec<Token> = odd.into_iter().map(|code| texts.token(code)).collect();
    tokens.sort_by_key(|token| std::cmp::Reverse(token.cells));
    let cells = |tokens: &mut dyn Iterator<Item = &Token>| -> usize {
        tokens.map(|token| token.cells).sum()
    };
    let all = cells(&mut tokens.iter());
    let others = cells(&mut tokens.iter().filter(|token| !token.means_missing));
    let is_rare = |cells: usize| cells * 5 <= texts.present;
    let is_nearly = match n_wanted {
        10.. => is_rare(others) && all * 4 <= texts.present * 3,
        3.. => is_rare(all) && others == 0,
        _ => false,
    };
    is_nearly.then_some(tokens)
}

/// A word that is a category elsewhere cannot be taken for missing in the whole table.
pub(super) fn note_tokens_elsewhere(columns: &[Column<'_>], checks: &mut [ColumnCheck]) {
    let is_nearly = |check: &ColumnCheck| check.findings.iter().any(|it| !it.tokens().is_empty());
    let is_nearly: Vec<bool> = checks.iter().map(is_nearly).collect();
    let is_category = |token: &str| {
        columns.iter().zip(&is_nearly).any(|(column, is_nearly)| {
            let Cells::Texts { distinct, .. } = column.cells else {
                return false;
            };
            !is_nearly && column.role != Role::Unused && distinct.iter().any(|text| text == token)
        })
    };
    for finding in checks.iter_mut().flat_map(|check| &mut check.findings) {
        if let Finding::Nearly { tokens, .. } | Finding::FormattedNumbers { tokens, .. } = finding {
            for token in tokens {
                token.means_missing = token.means_missing && !is_category(&token.text);
            }
        }
    }
}
