//! Files that were forged to be confirmed, each by a fault that the checker once had. None may be.

use std::fs;
use std::path::Path;

use treewright_check::{Table, Verdict, WORK, check};

/// A file of `testdata/forged`, and the table that it is about.
const FORGED: [(&str, &str); 42] = [
    ("bound-beyond-doubles", "t1"),
    ("bound-not-a-number", "t1"),
    ("bound-of-a-log-penalty", "t1"),
    ("boxes-not-halved", "t1"),
    ("boxes-without-end", "boxes"),
    ("collapse-between-thresholds", "t1"),
    ("columns-twice", "twice"),
    ("family-with-fields-of-a-tree", "t1"),
    ("fewest-leaves-not-optimal", "few"),
    ("fewest-leaves-of-a-tie", "t1"),
    ("fewest-leaves-of-digits", "digits"),
    ("fewest-leaves", "t2"),
    ("from-leaves", "t1"),
    ("gap-of-a-penalised-tree", "t1"),
    ("k-beyond-32-bits", "t1"),
    ("lambda-below-zero", "t1"),
    ("leaves-not-whole", "t1"),
    ("objective-beyond-doubles", "t1"),
    ("overflow-in-leaf-sizes", "mw"),
    ("overflow-in-proof", "ov"),
    ("path-down-to-below-zero", "t1"),
    ("penalty-table-falls", "tied"),
    ("penalty-table-short", "t1"),
    ("power-beyond-doubles", "t1"),
    ("proof-of-other-features", "t1"),
    ("prunings-down-to-below-zero", "t1"),
    ("sqrt-path-down-to-below-zero", "tied"),
    ("thresholds-null", "t1"),
    ("tied-rows-parted-by-cost", "tied"),
    ("tied-rows-parted-by-leaves", "tied"),
    ("tied-rows-parted-by-sqrt", "tied"),
    ("tied-rows-parted-in-a-path", "tied"),
    ("tolerance-hides-a-tie", "tied"),
    ("tolerance-of-a-path", "t1"),
    ("tolerance-of-a-penalised-tree", "t1"),
    ("tolerance-of-a-tree", "t1"),
    ("tolerance-of-exact-costs", "t1"),
    ("training-errors-of-prunings", "t1"),
    ("training-leaves-of-prunings", "t1"),
    ("training-of-a-path", "t1"),
    ("training-of-prunings", "t1"),
    ("tree-with-fields-of-a-family", "t1"),
];

#[test]
fn forged_files_are_not_confirmed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/forged");
    let read = |name: String| fs::read_to_string(folder.join(name));
    for (name, table) in FORGED {
        let model = read(format!("{name}.json")).unwrap();
        let table = Table::from_text(&read(format!("{table}.csv")).unwrap(), ',').unwrap();
        let proof = read(format!("{name}.proof")).ok();
        let report = check(&model, &table, proof.as_deref(), WORK);
        let is_known = report.checks.iter().all(|check| check.name != "all claims");
        assert!(
            report.verdict() != Verdict::Confirmed && is_known,
            "{name}:\n{report}"
        );
    }
    let files = fs::read_dir(&folder).unwrap().flatten();
    let ends = |name: &Path| name.extension().is_some_and(|ending| ending == "json");
    let n_models = files.filter(|file| ends(&file.path())).count();
    assert_eq!(n_models, FORGED.len(), "every file is in the list");
}
