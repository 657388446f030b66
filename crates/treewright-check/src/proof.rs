//! Proof files.

use std::cell::Cell;

use crate::bounded::Class;
use crate::data::Data;
use crate::report::Verdict;
use crate::values::{Value, Values};

pub(crate) fn check(
    _class: &Class,
    _data: &Data,
    _values: Values,
    _proof: &str,
    _limit: Value,
    _work: &Cell<u64>,
) -> Verdict {
    Verdict::NotChecked("proof files are not read yet".into())
}
