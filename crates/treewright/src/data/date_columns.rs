//! Columns of dates in a table.

use super::{
    DateColumn, DateFormat, DateOrder, DateUnit, MISSING_CODE, RawColumn, ReadOptions, Source,
    Texts,
};
use crate::error::{Error, Result, no_column, quoted};

/// Refuses dates that are not there, are the target or the weight, or are to be something else as well.
pub(super) fn check_dates(
    names: &[String],
    options: &ReadOptions,
    target: usize,
    weight: Option<usize>,
) -> Result<()> {
    for (name, _) in &options.dates {
        let Some(position) = names.iter().position(|candidate| candidate == name) else {
            return Err(no_column("dates", name, names.iter().map(String::as_str)));
        };
        if options.categorical.contains(name) || options.numeric.contains(name) {
            return Err(Error::schema(format!(
                "column {} is listed both as a date and as categorical or numeric",
                quoted(name)
            )));
        }
        if position == target || Some(position) == weight {
            return Err(Error::schema(format!(
                "dates: column {} is not a feature, and only those can be dates",
                quoted(name)
            )));
        }
    }
    Ok(())
}

/// Turns the columns of dates into numbers, and says in which format they are.
pub(super) fn take_dates(
    source: &dyn Source,
    options: &ReadOptions,
    raw: &mut [RawColumn],
) -> Result<Vec<DateColumn>> {
    let mut dates = Vec::new();
    for (position, name) in source.names().iter().enumerate() {
        let given = options.dates.iter().find(|(date, _)| date == name);
        let Some((_, order)) = given.filter(|_| raw[position] != RawColumn::Skipped) else {
            continue;
        };
        let texts = texts_of(std::mem::replace(&mut raw[position], RawColumn::Skipped));
        let column = DateColumn {
            name: name.clone(),
            format: format_of(source, position, &texts, *order)?,
        };
        raw[position] = RawColumn::Numbers(numbers_of(source, position, &column, &texts)?);
        dates.push(column);
    }
    Ok(dates)
}

/// The format of a column of dates.
fn format_of(
    source: &dyn Source,
    position: usize,
    texts: &Texts,
    order: Option<DateOrder>,
) -> Result<DateFormat> {
    let distinct = || texts.distinct.iter().map(String::as_str);
    if let Some(found) = DateFormat::of(&distinct(), order) {
        return Ok(found.format);
    }
    // In the order that most texts have, one of them is the first that is none.
    let n_fitting = |order: &DateOrder| {
        let unit = DateUnit::Days;
        let format = DateFormat {
            order: *order,
            unit,
        };
        distinct()
            .filter(|text| format.parse(text).is_some())
            .count()
    };
    let orders = DateOrder::ALL.into_iter().rev();
    let likely = order.or_else(|| orders.max_by_key(n_fitting));
    let column = DateColumn {
        name: source.names()[position].clone(),
        format: DateFormat {
            order: likely.expect("there are orders"),
            unit: DateUnit::Days,
        },
    };
    numbers_of(source, position, &column, texts)?;
    // Without any cell there is nothing to tell the format from.
    Ok(column.format)
}

/// The numbers of a column of dates; the first text that is no such date is an error.
pub(super) fn numbers_of(
    source: &dyn Source,
    position: usize,
    column: &DateColumn,
    texts: &Texts,
) -> Result<Vec<f64>> {
    column.numbers(texts).map_err(|row| {
        let mut place = source.place(row);
        place.column = Some(source.names()[position].clone());
        let text = quoted(&texts.distinct[texts.codes[row] as usize]);
        let example = match column.format.order {
            DateOrder::YearMonthDay => "2024-03-09",
            DateOrder::DayMonthYear => "09.03.2024 or 09/03/2024 for the ninth of March",
            DateOrder::MonthDayYear => "03/09/2024 for the ninth of March",
        };
        Error::table(
            place,
            format!("{text} is not a date, expected one such as {example}"),
        )
    })
}

impl DateColumn {
    /// A column of texts as numbers; else the first row whose text is not such a date.
    pub(super) fn numbers(&self, texts: &Texts) -> std::result::Result<Vec<f64>, usize> {
        let parsed: Vec<Option<f64>> = texts
            .distinct
            .iter()
            .map(|text| self.format.parse(text))
            .collect();
        let number = |(row, &code): (usize, &u32)| match code {
            MISSING_CODE => Ok(f64::NAN),
            code => parsed[code as usize].ok_or(row),
        };
        texts.codes.iter().enumerate().map(number).collect()
    }
}

/// The texts of a column that was read as such.
pub(super) fn texts_of(column: RawColumn) -> Texts {
    match column {
        RawColumn::Texts(texts) => texts,
        _ => unreachable!("dates are read as texts"),
    }
}
