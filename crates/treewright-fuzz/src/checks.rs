//! What the independent checker reads: models, tables and proofs.

use treewright_check::{Table, check};

use crate::dice::Dice;

/// The table that the seeds were learned from.
const TABLE: &str = "x,k,w,class\n1,a,1,no\n2,b,2,yes\n3,a,1,no\n4.5,,3,yes\n?,b,1,yes\n6,c,2,no\n";
/// A model that was learned from it.
const MODEL: &str = include_str!("../../../testdata/fuzz/model/seed-optimal");
/// Little work: checking many files matters more than checking one to the end.
const WORK: u64 = 20_000;

/// Bytes as a model or a family for the checker.
pub(crate) fn model(bytes: &[u8]) -> bool {
    let table = Table::from_text(TABLE, ',').expect("a sound table");
    judge(std::str::from_utf8(bytes).ok(), &table, None)
}

/// Bytes as a table for the checker.
pub(crate) fn table(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    match Table::from_text(text, Table::separator_of(text)) {
        Ok(table) => judge(Some(MODEL), &table, None),
        Err(message) => {
            assert!(!message.is_empty());
            false
        }
    }
}

/// Bytes as a proof for the checker; of a model of three levels or of a pruned one.
pub(crate) fn proof(bytes: &[u8]) -> bool {
    const DEEP: &str = include_str!("../../../testdata/fuzz/model/seed-deep");
    const PRUNED: &str = include_str!("../../../testdata/fuzz/model/seed-pruned-linear");
    let table = Table::from_text(TABLE, ',').expect("a sound table");
    let model = [DEEP, PRUNED][Dice::of(bytes).throw(10, 2)];
    let text = std::str::from_utf8(bytes).ok();
    text.is_some() && judge(Some(model), &table, text)
}

/// The checker comes to a verdict, whatever it is.
fn judge(model: Option<&str>, table: &Table, proof: Option<&str>) -> bool {
    let Some(model) = model else {
        return false;
    };
    let report = check(model, table, proof, WORK);
    let code = report.exit_code();
    assert!([0, 1, 3].contains(&code), "exit code {code}");
    serde_json::from_str::<serde_json::Value>(&report.to_json()).expect("a report is JSON");
    code != 1
}
