//! The column to be predicted: classes or numbers, and never missing.

use std::cmp::Ordering;

use super::read::{keep_rows, keep_texts, read_column, translate};
use super::{
    MISSING_CODE, Number, RawColumn, ReadOptions, Schema, Source, Target, TargetKind, Task, Texts,
    Wanted,
};
use crate::error::{Error, Result, quoted, quoted_list};

/// A whole-numbered target with at most this many distinct values is taken for classes.
const MOST_NUMERIC_CLASSES: usize = 20;

/// What whoever learns can do about missing targets.
const TO_SKIP: &str = " (--skip-missing-target leaves such rows out)";

/// Decides between classes and numbers, and refuses missing cells.
pub(super) fn decide_target(
    source: &dyn Source,
    options: &ReadOptions,
    position: usize,
    column: RawColumn,
    kept: Option<&[usize]>,
) -> Result<(Target, TargetKind)> {
    let column = match (options.task, column) {
        (Task::Auto, RawColumn::Numbers(numbers)) if looks_like_classes(&numbers, kept) => {
            read_column(source, options, position, Wanted::Texts)?
        }
        (Task::Auto, RawColumn::Both(numbers, texts)) if looks_like_classes(&numbers, kept) => {
            RawColumn::Texts(texts)
        }
        (_, RawColumn::Both(numbers, _)) => RawColumn::Numbers(numbers),
        (_, column) => column,
    };
    match column {
        RawColumn::Texts(texts) => {
            let mut texts = keep_texts(texts, kept);
            refuse_missing(
                source,
                position,
                kept,
                |row| texts.codes[row] == MISSING_CODE,
                texts.codes.len(),
                TO_SKIP,
            )?;
            sort_labels(&mut texts);
            Ok((
                Target::Classes(texts.codes),
                TargetKind::Classes(texts.distinct),
            ))
        }
        RawColumn::Numbers(numbers) => {
            let target = number_target(source, position, numbers, kept, TO_SKIP)?;
            Ok((target, TargetKind::Number))
        }
        RawColumn::Skipped | RawColumn::Both(..) => unreachable!("the target was wanted"),
    }
}

/// Of the rows that are kept (`None` is all) those that have a target.
pub(super) fn rows_with_target(
    target: &RawColumn,
    name: &str,
    kept: Option<Vec<usize>>,
) -> Result<Option<Vec<usize>>> {
    let has_target = |&row: &usize| match target {
        RawColumn::Numbers(numbers) | RawColumn::Both(numbers, _) => !numbers[row].is_nan(),
        RawColumn::Texts(texts) => texts.codes[row] != MISSING_CODE,
        RawColumn::Skipped => unreachable!("the target was wanted"),
    };
    let n_rows = target.n_rows().unwrap_or(0);
    if kept.is_none() && (0..n_rows).all(|row| has_target(&row)) {
        return Ok(None);
    }
    let rows = kept.unwrap_or_else(|| (0..n_rows).collect());
    let rows: Vec<usize> = rows.into_iter().filter(has_target).collect();
    if rows.is_empty() && n_rows > 0 {
        let name = quoted(name);
        return Err(Error::schema(format!(
            "the target {name} is missing in every row; another column is named with --target"
        )));
    }
    Ok(Some(rows))
}

/// Whole numbers, few of them distinct. (All missing looks like nothing and is refused later.)
pub fn looks_like_classes(numbers: &[f64], kept: Option<&[usize]>) -> bool {
    let mut distinct: Vec<f64> = Vec::new();
    for position in 0..kept.map_or(numbers.len(), <[usize]>::len) {
        let number = numbers[kept.map_or(position, |kept| kept[position])];
        if !number.is_nan() && !distinct.contains(&number) {
            if number.fract() != 0.0 || distinct.len() == MOST_NUMERIC_CLASSES {
                return false;
            }
            distinct.push(number);
        }
    }
    true
}

/// Classes go by number if all of them are numbers, else by code point.
fn sort_labels(texts: &mut Texts) {
    let number = |text: &str| match Number::parse(text) {
        Number::Finite(value) => Some(value),
        _ => None,
    };
    if texts.distinct.iter().all(|text| number(text).is_some()) {
        texts.sort_by(|a, b| {
            number(a)
                .partial_cmp(&number(b))
                .unwrap_or(Ordering::Equal)
                .then_with(|| a.cmp(b))
        });
    }
}

/// The target of rows that a known model is applied to: only classes that it knows.
pub(super) fn known_target(
    source: &dyn Source,
    schema: &Schema,
    position: usize,
    column: RawColumn,
    kept: Option<&[usize]>,
) -> Result<Target> {
    match column {
        RawColumn::Numbers(numbers) => number_target(source, position, numbers, kept, ""),
        RawColumn::Texts(texts) => {
            let texts = keep_texts(texts, kept);
            let codes = translate(&texts, schema.classes());
            refuse_missing(
                source,
                position,
                kept,
                |row| texts.codes[row] == MISSING_CODE,
                codes.len(),
                "",
            )?;
            if let Some(row) = codes.iter().position(|&code| code == MISSING_CODE) {
                let mut place = source.place(kept.map_or(row, |kept| kept[row]));
                place.column = Some(schema.target.name.clone());
                return Err(Error::table(
                    place,
                    format!(
                        "{} is not a class of the model (its classes: {})",
                        quoted(&texts.distinct[texts.codes[row] as usize]),
                        quoted_list(schema.classes().iter().map(String::as_str))
                    ),
                ));
            }
            Ok(Target::Classes(codes))
        }
        RawColumn::Skipped | RawColumn::Both(..) => unreachable!("the target was wanted"),
    }
}

/// The numbers of the rows that are kept, none of them missing.
fn number_target(
    source: &dyn Source,
    position: usize,
    numbers: Vec<f64>,
    kept: Option<&[usize]>,
    fix: &str,
) -> Result<Target> {
    let numbers = keep_rows(numbers, kept);
    let is_missing = |row: usize| numbers[row].is_nan();
    refuse_missing(source, position, kept, is_missing, numbers.len(), fix)?;
    Ok(Target::Numbers(numbers))
}

fn refuse_missing(
    source: &dyn Source,
    position: usize,
    kept: Option<&[usize]>,
    is_missing: impl Fn(usize) -> bool,
    n_rows: usize,
    fix: &str,
) -> Result<()> {
    match (0..n_rows).find(|&row| is_missing(row)) {
        None => Ok(()),
        Some(row) => {
            let mut place = source.place(kept.map_or(row, |kept| kept[row]));
            place.column = Some(source.names()[position].clone());
            Err(Error::table(
                place,
                format!("the target is missing, expected a value in every row{fix}"),
            ))
        }
    }
}
