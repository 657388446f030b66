//! What the data check found, and the options that help.

use crate::check::{Change, ColumnCheck, Finding, IdSign, TableCheck, Token, Wanted};
use crate::data::{DateFormat, DateOrder, DateUnit, Role};
use crate::error::{quoted, quoted_list};
use crate::eval;

/// Tokens that a sentence tells more of than their names.
const MOST_NAMES: usize = 5;

/// A finding as a sentence about its column, or about the table.
pub fn finding(finding: &Finding, column: Option<&ColumnCheck>) -> String {
    let (distinct, missing) = column.map_or((0, 0), |it| (it.distinct, it.missing));
    match finding {
        Finding::EmptyColumn => "every cell is missing".into(),
        Finding::Constant => "every row has the same value".into(),
        Finding::IdText => format!(
            "nearly every row has a text of its own ({distinct} distinct): an id or a free text"
        ),
        Finding::IdNumber { sign, betrays } => id_number(*sign, *betrays),
        Finding::Date {
            format,
            is_ambiguous,
        } => date(*format, *is_ambiguous),
        Finding::Nearly { wanted, tokens } => {
            let (what, tokens) = (plural(*wanted), tokens_named(tokens));
            format!("all cells are {what} but {tokens}; so {}", read_as(column))
        }
        Finding::FormattedNumbers { .. } => formatted(finding, column),
        Finding::MixedDates { examples, .. } => {
            let [one, other] = examples.each_ref().map(|example| quoted(example));
            let kind = read_as(column);
            format!("dates in different orders, such as {one} and {other}; so {kind}")
        }
        Finding::AlikeCategories { .. } => alike(finding),
        Finding::DuplicateColumn { of } => {
            format!("tells the same as column {} in every row", quoted(of))
        }
        Finding::DuplicateOfTarget => "a copy of the target: each value stands for one".into(),
        Finding::PredictsTarget => {
            "alone predicts the target without any error: is it known before the target is?".into()
        }
        Finding::OneRowCategories { categories } => format!(
            "{} in one row only, of {distinct}",
            counted(*categories, "category occurs", "categories occur")
        ),
        Finding::ManyCategories { one_row: 0 } => format!("{distinct} categories are many"),
        Finding::ManyCategories { one_row } => {
            format!("{distinct} categories are many; {one_row} of them occur in one row only")
        }
        Finding::RowOrder => {
            "the rows are sorted by the target, and these numbers follow the rows, \
                              so that they give the target away"
                .into()
        }
        Finding::MissingTarget { rows, of, .. } if rows == of => {
            "the target is missing in every row".into()
        }
        Finding::MissingTarget {
            rows,
            first_row,
            of,
        } => format!(
            "{} of {of} without a target (the first is row {first_row})",
            counted(*rows, "row", "rows")
        ),
        Finding::SingleClass { class } => format!(
            "the target is {} in every row{}: there is nothing to learn",
            quoted(class),
            if missing > 0 { " that has one" } else { "" }
        ),
        Finding::ClassImbalance { rarest, most, of } => format!(
            "{} is the class of {} of {of} rows ({}); always to answer {} is wrong in {}, so the \
             error says little",
            quoted(&rarest.0),
            rarest.1,
            percent(rarest.1, *of),
            quoted(&most.0),
            percent(of - most.1, *of)
        ),
        Finding::RareClasses { classes, fewest } => format!(
            "{} fewer than 10 rows ({} has {fewest}), and cannot be in each of 10 folds",
            counted(classes.len(), "class has", "classes have"),
            classes.first().map_or_else(String::new, |it| quoted(it))
        ),
        Finding::ManyClasses => format!(
            "nearly every row has a class of its own ({distinct} classes): is this the target?"
        ),
        Finding::DuplicateRows { rows, of } => format!(
            "{rows} of {of} rows {} equal to an earlier row in all columns",
            if *rows == 1 { "is" } else { "are" }
        ),
        Finding::SortedRows => {
            "the rows are sorted by the target: whatever follows the rows gives it away".into()
        }
        Finding::NoFeatures => "no column is left to learn from".into(),
    }
}

/// The sentence about numbers for people.
fn formatted(finding: &Finding, column: Option<&ColumnCheck>) -> String {
    let Finding::FormattedNumbers {
        example,
        cells,
        of,
        tokens,
        ..
    } = finding
    else {
        return String::new();
    };
    let how_many = if cells == of {
        "all".to_owned()
    } else {
        format!("{cells} of {of}")
    };
    let words = if tokens.is_empty() {
        String::new()
    } else {
        format!(", and words: {}", tokens_named(tokens))
    };
    format!(
        "numbers, {how_many} of them with units, commas or blanks, such as {}{words}; so {}",
        quoted(example),
        read_as(column)
    )
}

/// The sentence about categories that are hardly different.
fn alike(finding: &Finding) -> String {
    let Finding::AlikeCategories {
        most,
        other,
        categories,
    } = finding
    else {
        return String::new();
    };
    let more = match categories - 1 {
        0 => String::new(),
        more => format!(" ({more} more like these)"),
    };
    let named =
        |it: &(String, usize)| format!("{} ({})", quoted(&it.0), counted(it.1, "row", "rows"));
    format!(
        "{} and {} differ only in case or blanks, and are taken for two{more}",
        named(most),
        named(other)
    )
}

fn plural(wanted: Wanted) -> &'static str {
    match wanted {
        Wanted::Numbers => "numbers",
        Wanted::Dates(_) => "dates",
    }
}

/// How a column is read whose texts are not all as wanted.
fn read_as(column: Option<&ColumnCheck>) -> &'static str {
    match column.map(|column| column.role) {
        Some(Role::Target) => "the target is read as classes",
        _ => "the column is read as categories",
    }
}

fn id_number(sign: IdSign, betrays: bool) -> String {
    let what = match sign {
        IdSign::Rising => "whole numbers that rise or fall from row to row: an id",
        IdSign::Name => "every row has a whole number of its own: an id, as the name says",
        IdSign::NoGaps => "every row has a whole number of its own, without gaps: perhaps an id",
    };
    let betrayal = "; the rows are sorted by the target, so that it gives the target away";
    format!("{what}{}", if betrays { betrayal } else { "" })
}

fn date(format: DateFormat, is_ambiguous: bool) -> String {
    let what = match format.unit {
        DateUnit::Days => "dates",
        DateUnit::Seconds => "dates with times",
    };
    let order = match format.order {
        DateOrder::YearMonthDay => "year, month, day",
        DateOrder::DayMonthYear => "day, month, year",
        DateOrder::MonthDayYear => "month, day, year",
    };
    let doubt = " (or month first: no cell tells)";
    format!(
        "{what}, {order}{}: read as categories they say little, as numbers much",
        if is_ambiguous { doubt } else { "" }
    )
}

/// The tokens with their places; of more than a few the names alone.
fn tokens_named(tokens: &[Token]) -> String {
    if tokens.len() > MOST_NAMES {
        let names = tokens.iter().map(|token| token.text.as_str());
        let cells = tokens.iter().map(|token| token.cells).sum();
        return format!(
            "{} words ({}; {})",
            tokens.len(),
            quoted_list(names),
            counted(cells, "cell", "cells")
        );
    }
    let token = |token: &Token| {
        format!(
            "{} ({}, first in row {})",
            quoted(&token.text),
            counted(token.cells, "cell", "cells"),
            token.first_row
        )
    };
    let all: Vec<String> = tokens.iter().map(token).collect();
    all.join(", ")
}

fn percent(part: usize, of: usize) -> String {
    eval::percent(part as f64 / of.max(1) as f64)
}

fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// The options that help, or what to write in the table, if there is anything.
pub fn fix(check: &TableCheck, column: Option<&ColumnCheck>, finding: &Finding) -> Option<String> {
    let name = column.map_or("", |column| column.name.as_str());
    let drop = || Some(option("drop", &argument(&[name])));
    match finding {
        Finding::EmptyColumn
        | Finding::Constant
        | Finding::IdText
        | Finding::IdNumber { .. }
        | Finding::DuplicateColumn { .. }
        | Finding::DuplicateOfTarget
        | Finding::PredictsTarget
        | Finding::ManyCategories { .. }
        | Finding::RowOrder => drop(),
        Finding::Date {
            format,
            is_ambiguous: true,
        } => {
            let other = match format.order {
                DateOrder::DayMonthYear => DateOrder::MonthDayYear,
                order => order,
            };
            let with = |order: DateOrder| argument(&[&format!("{name}={}", order.name())]);
            let (found, other) = (with(format.order), with(other));
            let (found, other) = (option("dates", &found), option("dates", &other));
            Some(format!("{found}, or {other}"))
        }
        Finding::Date { .. } => Some(option("dates", &argument(&[name]))),
        Finding::Nearly { wanted, .. } => {
            let na = option("na", &missing_texts(check));
            let is_target = column.is_some_and(|column| column.role == Role::Target);
            let kind = match wanted {
                _ if is_target => "--skip-missing-target".to_owned(),
                Wanted::Numbers => option("numeric", &argument(&[name])),
                Wanted::Dates(_) => option("dates", &argument(&[name])),
            };
            Some(format!("{na} {kind}"))
        }
        Finding::MissingTarget { rows, of, .. } if rows == of => Some("--target NAME".into()),
        Finding::MissingTarget { .. } => Some("--skip-missing-target".into()),
        Finding::SingleClass { .. } | Finding::ManyClasses => Some("--target NAME".into()),
        Finding::ClassImbalance { .. } => Some("--class-weight balanced".into()),
        Finding::FormattedNumbers {
            example,
            plain,
            tokens,
            ..
        } => {
            let write = format!("write {} as {plain}", quoted(example));
            Some(if tokens.is_empty() {
                write
            } else {
                format!("{write}; {}", option("na", &missing_texts(check)))
            })
        }
        Finding::MixedDates { .. } => Some("write all of them alike, such as 2024-03-09".into()),
        Finding::AlikeCategories { most, other, .. } => {
            let (most, other) = (quoted(&most.0), quoted(&other.0));
            Some(format!("write {other} as {most}"))
        }
        Finding::OneRowCategories { .. }
        | Finding::RareClasses { .. }
        | Finding::DuplicateRows { .. }
        | Finding::SortedRows
        | Finding::NoFeatures => None,
    }
}

/// All texts that should mean "missing": those that do, where any cell is missing, and the odd ones among numbers.
fn missing_texts(check: &TableCheck) -> String {
    let has_missing = check.columns.iter().any(|column| column.missing > 0);
    let usual = check.na.iter().filter(|_| has_missing).map(String::as_str);
    let odd = check.all().flat_map(|(_, finding)| finding.tokens());
    let mut texts: Vec<&str> = Vec::new();
    for text in usual.chain(odd.map(|token| token.text.as_str())) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    argument(&texts)
}

/// A list of names as an argument of the command line: quotes protect commas from the list, and others the whole from
/// the shell.
fn argument(names: &[&str]) -> String {
    let cell = |name: &&str| {
        if name.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", name.replace('"', "\"\""))
        } else {
            (*name).to_owned()
        }
    };
    let list = names.iter().map(cell).collect::<Vec<String>>().join(",");
    shell(&list)
}

/// An option with its value, which may begin like an option.
fn option(name: &str, value: &str) -> String {
    let between = if value.starts_with('-') { '=' } else { ' ' };
    format!("--{name}{between}{value}")
}

/// A text as one word of a command line, in quotes where a shell wants them.
pub fn shell(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_./:=@%+,-".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// What was read differently, with the option that brings it back.
pub fn change(change: &Change) -> String {
    match change {
        Change::LeftOut { column, finding } => {
            let why = match finding {
                Finding::IdText => "nearly every row has a text of its own",
                Finding::IdNumber { betrays: true, .. } => {
                    "an id, and the rows are sorted by the target"
                }
                Finding::MixedDates { .. } => "dates in different orders",
                Finding::FormattedNumbers { example, plain, .. } => {
                    let example = quoted(example);
                    &format!("to read its numbers, write {example} as {plain} in the table")
                }
                _ => "every row has a number of its own",
            };
            format!(
                "left out: {} ({why}); {} brings it back",
                quoted(column),
                option("keep", &argument(&[column]))
            )
        }
        Change::Date {
            column,
            format,
            is_ambiguous,
        } => {
            let unit = format.unit.name();
            let other = DateOrder::MonthDayYear.name();
            let doubt = if *is_ambiguous {
                let other = option("dates", &argument(&[&format!("{column}={other}")]));
                format!(", the day first; {other} takes the month first")
            } else {
                let keep = option("keep", &argument(&[column]));
                format!("; {keep} leaves them texts")
            };
            let column = quoted(column);
            format!("dates: {column} is read as {unit} since 1970-01-01{doubt}")
        }
        Change::Missing {
            column,
            wanted,
            tokens,
        } => format!(
            "missing: {} among the {} of {}; {} makes categories of them all",
            tokens_named(tokens),
            plural(*wanted),
            quoted(column),
            option("keep", &argument(&[column]))
        ),
        Change::SkippedRows { rows } => format!(
            "left out: {} without a target",
            counted(*rows, "row", "rows")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::{argument, option};

    #[test]
    fn values_are_not_taken_for_options() {
        assert_eq!(option("na", &argument(&["-", "n/a"])), "--na=-,n/a");
        assert_eq!(option("na", &argument(&["n/a", "-"])), "--na n/a,-");
    }

    #[test]
    fn arguments_survive_the_shell() {
        assert_eq!(argument(&["a", "b"]), "a,b");
        assert_eq!(argument(&["n/a"]), "n/a");
        assert_eq!(argument(&["a b"]), "'a b'");
        assert_eq!(argument(&["a,b", "?"]), "'\"a,b\",?'");
        assert_eq!(argument(&["it's"]), r"'it'\''s'");
    }
}
