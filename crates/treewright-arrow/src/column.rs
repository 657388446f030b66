//! A column in the making: cells go in, a [`RawColumn`] comes out.

use std::fmt::{Display, Write};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use rustc_hash::{FxHashMap, FxHashSet};
use treewright::Result;
use treewright::data::{FEW_TEXTS, MISSING_CODE, Number, RawColumn, Texts, Wanted, not_a_number};
use treewright::error::{Error, Place};

use crate::cell::{Cell, Kind, each_cell};

/// The texts that mean "missing", and the numbers that are written like one of them.
pub(crate) struct Na<'a> {
    texts: FxHashSet<&'a str>,
    numbers: Vec<f64>,
}

impl<'a> Na<'a> {
    pub(crate) fn new(texts: &'a [String]) -> Self {
        let number = |text: &String| match Number::parse(text) {
            Number::Finite(number) if number.to_string() == *text => Some(number),
            _ => None,
        };
        Self {
            texts: texts.iter().map(String::as_str).collect(),
            numbers: texts.iter().filter_map(number).collect(),
        }
    }

    fn has_text(&self, text: &str) -> bool {
        text.is_empty() || self.texts.contains(text)
    }
}

/// A column of the file as far as it has been read.
pub(crate) struct ColumnBuilder<'a> {
    position: usize,
    name: &'a str,
    na: &'a Na<'a>,
    form: Form,
    dictionary: Option<Dictionary>,
}

enum Form {
    Numbers(Vec<f64>),
    Texts(Interner),
    /// Numbers, and their texts while these are few.
    Both(Vec<f64>, Interner),
}

impl<'a> ColumnBuilder<'a> {
    /// A column without rows, in the form that serves the wish.
    pub(crate) fn new(
        position: usize,
        name: &'a str,
        kind: Kind,
        wanted: Wanted,
        na: &'a Na<'a>,
    ) -> Self {
        let form = match (wanted, kind) {
            (Wanted::Numbers, _) | (Wanted::Either | Wanted::Skip, Kind::Numbers) => {
                Form::Numbers(Vec::new())
            }
            (Wanted::Both, Kind::Numbers) => Form::Both(Vec::new(), Interner::default()),
            (Wanted::Texts, _) | (_, Kind::Texts) => Form::Texts(Interner::default()),
        };
        Self {
            position,
            name,
            na,
            form,
            dictionary: None,
        }
    }

    /// Where the column stands in the file.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Makes room, if there is as much: the number of rows is only what the file claims.
    pub(crate) fn reserve(&mut self, rows: usize) -> Result<()> {
        let reserved = match &mut self.form {
            Form::Numbers(numbers) | Form::Both(numbers, _) => numbers.try_reserve_exact(rows),
            Form::Texts(texts) => texts.codes.try_reserve_exact(rows),
        };
        reserved.map_err(|_| {
            let message = format!("the file claims {rows} rows, more than fit into memory");
            Error::table(Place::default(), message)
        })
    }

    /// Appends the cells of an array.
    pub(crate) fn push(&mut self, array: &ArrayRef) -> Result<()> {
        match array.as_any_dictionary_opt() {
            None => each_cell(array, |cell| self.push_cell(&cell)),
            Some(dictionary) if dictionary.values().is_empty() => {
                (0..array.len()).try_for_each(|_| self.push_cell(&Cell::Missing))
            }
            Some(dictionary) => {
                // Taken out while cells are pushed; on an error it is lost, and so is the column.
                let known = self.dictionary.take();
                let mut known = match known.filter(|known| known.holds(dictionary.values())) {
                    Some(known) => known,
                    None => Dictionary::new(dictionary.values())?,
                };
                let keys = dictionary.normalized_keys();
                for (row, &key) in keys.iter().enumerate() {
                    if dictionary.keys().is_null(row) {
                        self.push_cell(&Cell::Missing)?;
                    } else {
                        self.push_value(&mut known.cells[key])?;
                    }
                }
                self.dictionary = Some(known);
                Ok(())
            }
        }
    }

    /// The finished column.
    pub(crate) fn finish(self) -> RawColumn {
        match self.form {
            Form::Numbers(numbers) => RawColumn::Numbers(numbers),
            Form::Texts(texts) => RawColumn::Texts(texts.finish()),
            Form::Both(numbers, texts) => RawColumn::Both(numbers, texts.finish()),
        }
    }

    fn push_cell(&mut self, cell: &Cell<'_>) -> Result<()> {
        match &mut self.form {
            Form::Numbers(numbers) => {
                let number = number(cell, self.na, self.name, numbers.len())?;
                numbers.push(number);
            }
            Form::Texts(texts) => texts.push(cell, self.na),
            Form::Both(numbers, texts) => {
                let number = number(cell, self.na, self.name, numbers.len())?;
                numbers.push(number);
                texts.push(cell, self.na);
                if texts.code_of.len() > FEW_TEXTS {
                    self.form = Form::Numbers(std::mem::take(numbers));
                }
            }
        }
        Ok(())
    }

    /// Appends a value of a dictionary; a text that was met before need not be looked up again.
    fn push_value(&mut self, value: &mut OwnedCell) -> Result<()> {
        if let (Form::Texts(texts), Some(code)) = (&mut self.form, value.code) {
            texts.codes.push(code);
            return Ok(());
        }
        match &value.text {
            None => self.push_cell(&Cell::Missing)?,
            Some(text) => match value.number {
                Some(number) => self.push_cell(&Cell::Number(number, text))?,
                None => self.push_cell(&Cell::Text(text))?,
            },
        }
        if let Form::Texts(texts) = &self.form {
            value.code = texts.codes.last().copied();
        }
        Ok(())
    }
}

/// The values of a dictionary, kept from batch to batch: a large one may serve many small batches.
struct Dictionary {
    values: ArrayRef,
    cells: Vec<OwnedCell>,
}

/// A cell on its own; without a text it is missing.
struct OwnedCell {
    number: Option<f64>,
    text: Option<String>,
    /// The code that a column of texts gave it.
    code: Option<u32>,
}

impl Dictionary {
    fn new(values: &ArrayRef) -> Result<Self> {
        let mut cells = Vec::with_capacity(values.len());
        each_cell(values, |cell| {
            let (number, text) = match cell {
                Cell::Missing => (None, None),
                Cell::Number(number, text) => (Some(number), Some(text.to_string())),
                Cell::Text(text) => (None, Some(text.to_owned())),
            };
            cells.push(OwnedCell {
                number,
                text,
                code: None,
            });
            Ok(())
        })?;
        Ok(Self {
            values: ArrayRef::clone(values),
            cells,
        })
    }

    /// Are these the same values, at the same place in memory?
    fn holds(&self, values: &ArrayRef) -> bool {
        self.values.to_data().ptr_eq(&values.to_data())
    }
}

/// The cell as a number, NaN if missing; `row` counts from 0.
fn number(cell: &Cell<'_>, na: &Na<'_>, column: &str, row: usize) -> Result<f64> {
    let refuse = |text: &str| {
        let row = Some(row as u64 + 1);
        Err(not_a_number(
            Place {
                row,
                ..Place::default()
            },
            column,
            text,
        ))
    };
    match cell {
        Cell::Missing => Ok(f64::NAN),
        Cell::Number(number, _) if na.numbers.contains(number) => Ok(f64::NAN),
        Cell::Number(number, _) if number.is_finite() => Ok(*number),
        Cell::Number(_, text) => refuse(&text.to_string()),
        Cell::Text(text) if na.has_text(text) => Ok(f64::NAN),
        Cell::Text(text) => match Number::parse(text) {
            Number::Finite(number) => Ok(number),
            _ => refuse(text),
        },
    }
}

/// Numbers the texts of a column in the order of their first row.
#[derive(Default)]
struct Interner {
    codes: Vec<u32>,
    code_of: FxHashMap<String, u32>,
    /// The text of a number, kept to save an allocation each.
    written: String,
}

impl Interner {
    fn push(&mut self, cell: &Cell<'_>, na: &Na<'_>) {
        let code = match cell {
            Cell::Missing => MISSING_CODE,
            Cell::Number(_, text) => self.code_of_number(*text, na),
            Cell::Text(text) => self.code_of_text(text, na),
        };
        self.codes.push(code);
    }

    fn code_of_number(&mut self, number: &dyn Display, na: &Na<'_>) -> u32 {
        let mut written = std::mem::take(&mut self.written);
        written.clear();
        // Writing to a string cannot fail.
        let _ = write!(written, "{number}");
        let code = self.code_of_text(&written, na);
        self.written = written;
        code
    }

    fn code_of_text(&mut self, text: &str, na: &Na<'_>) -> u32 {
        if let Some(&code) = self.code_of.get(text) {
            return code;
        }
        if na.has_text(text) {
            return MISSING_CODE;
        }
        // So many distinct texts that codes run out would have filled the memory long before.
        let code = self.code_of.len() as u32;
        self.code_of.insert(text.to_owned(), code);
        code
    }

    fn finish(mut self) -> Texts {
        let mut by_text: Vec<(String, u32)> = self.code_of.into_iter().collect();
        by_text.sort_unstable();
        let mut new_code = vec![0; by_text.len()];
        for (new, &(_, old)) in by_text.iter().enumerate() {
            new_code[old as usize] = new as u32;
        }
        for code in self.codes.iter_mut().filter(|code| **code != MISSING_CODE) {
            *code = new_code[*code as usize];
        }
        Texts {
            codes: self.codes,
            distinct: by_text.into_iter().map(|(text, _)| text).collect(),
        }
    }
}
