//! The checker's word on what was learned: it sees the text of the table and the documents, nothing else.

use treewright_check as check;

use super::Verdict;
use crate::learn::Learned;
use crate::table::Table;

/// Enough for tables of 50,000 rows at depth 2, some seconds at most.
const WORK: u64 = 3_000_000_000;

/// Asks the checker.
pub(crate) fn check(table: &Table, learned: &Learned) -> Verdict {
    let cells = match check::Table::from_text(&table.text(), table.separator) {
        Ok(cells) => cells,
        Err(fault) => {
            return Verdict::Refuted(format!("the checker cannot read the table: {fault}"));
        }
    };
    let report = check::check(&learned.document, &cells, learned.proof.as_deref(), WORK);
    match report.verdict() {
        check::Verdict::Confirmed => Verdict::Confirmed,
        check::Verdict::Refuted(what) => Verdict::Refuted(what),
        check::Verdict::NotChecked(why) => Verdict::NotChecked(why),
    }
}
