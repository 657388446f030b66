//! Columns of texts.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};

use rustc_hash::FxHashMap;

use super::columns::{Part, reserve};
use super::records::{Cell, Records};
use crate::data::{MISSING_CODE, Number, Texts};

/// A text that is quickly compared: if it is short, without looking it up in the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Text<'a> {
    /// Up to 16 bytes, the first one lowest; above them zeros, which no text has.
    Short(u128),
    /// More bytes.
    Long(Cow<'a, str>),
}

impl<'a> Text<'a> {
    #[inline]
    pub(super) fn of_cell(records: Records<'a>, cell: Cell) -> Self {
        let n_unused = 16_usize.checked_sub(cell.end - cell.start);
        match (n_unused, records.text[cell.start..].first_chunk()) {
            (Some(n_unused), Some(bytes)) if !cell.doubled => {
                let used = u128::MAX.checked_shr(8 * n_unused as u32).unwrap_or(0);
                Self::Short(u128::from_le_bytes(*bytes) & used)
            }
            _ => Self::new(records.content(cell)),
        }
    }

    fn new(text: Cow<'a, str>) -> Self {
        let mut bytes = [0; 16];
        if let Some(used) = bytes.get_mut(..text.len()) {
            used.copy_from_slice(text.as_bytes());
            Self::Short(u128::from_le_bytes(bytes))
        } else {
            Self::Long(text)
        }
    }

    fn into_string(self) -> String {
        match self {
            Self::Short(bytes) => {
                let n_used = 16 - bytes.leading_zeros() as usize / 8;
                let used = bytes.to_le_bytes()[..n_used].to_vec();
                String::from_utf8(used).expect("texts are cut where cells end")
            }
            Self::Long(text) => text.into_owned(),
        }
    }
}

impl Hash for Text<'_> {
    /// As bytes: those are mixed well, of numbers the high bits are lost.
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Short(bytes) => state.write(&bytes.to_le_bytes()),
            Self::Long(text) => state.write(text.as_bytes()),
        }
    }
}

/// Texts of a column, each kept once, in the order they came.
#[derive(Debug)]
pub(super) struct Interned<'a> {
    /// Also has the texts for "missing", so that one look finds either.
    code_of: FxHashMap<Text<'a>, u32>,
    distinct: Vec<Text<'a>>,
    codes: Vec<u32>,
}

impl<'a> Interned<'a> {
    pub(super) fn new(na: &'a [String], rows: usize) -> Self {
        let mut empty = Self {
            code_of: FxHashMap::default(),
            distinct: Vec::new(),
            codes: Vec::with_capacity(rows),
        };
        empty.clear(na);
        empty
    }

    pub(super) fn clear(&mut self, na: &'a [String]) {
        let missing = na.iter().map(String::as_str).chain([""]);
        self.code_of.clear();
        self.code_of
            .extend(missing.map(|token| (Text::new(token.into()), MISSING_CODE)));
        self.distinct.clear();
        self.codes.clear();
    }

    pub(super) fn n_distinct(&self) -> usize {
        self.distinct.len()
    }

    #[inline]
    pub(super) fn push(&mut self, text: Text<'a>) {
        let code = self.code(text);
        self.codes.push(code);
    }

    #[inline]
    fn code(&mut self, text: Text<'a>) -> u32 {
        if let Some(&code) = self.code_of.get(&text) {
            return code;
        }
        let code = self.distinct.len() as u32;
        self.distinct.push(text.clone());
        self.code_of.insert(text, code);
        code
    }

    /// Appends the rows of the next part. `expected` more rows may follow.
    pub(super) fn append(&mut self, next: &Interned<'a>, expected: usize) {
        let texts = next.distinct.iter();
        let new_code: Vec<u32> = texts.map(|text| self.code(text.clone())).collect();
        reserve(&mut self.codes, next.codes.len(), expected);
        let translate = |&code: &u32| new_code.get(code as usize).copied().unwrap_or(MISSING_CODE);
        self.codes.extend(next.codes.iter().map(translate));
    }

    /// The same rows as numbers; each distinct text is parsed once.
    pub(super) fn to_numbers(&self) -> Part<'a> {
        let mut infinite = false;
        let mut number_of = Vec::with_capacity(self.distinct.len());
        for text in &self.distinct {
            number_of.push(match Number::parse(&text.clone().into_string()) {
                Number::Finite(value) => value,
                Number::Infinite => {
                    infinite = true;
                    f64::INFINITY
                }
                Number::Not => return Part::FoundText,
            });
        }
        let number = |&code: &u32| number_of.get(code as usize).copied().unwrap_or(f64::NAN);
        Part::Numbers {
            values: self.codes.iter().map(number).collect(),
            strict: false,
            infinite,
        }
    }

    pub(super) fn finish(self) -> Texts {
        let mut texts = Texts {
            codes: self.codes,
            distinct: self.distinct.into_iter().map(Text::into_string).collect(),
        };
        texts.sort_by(str::cmp);
        texts
    }
}
