//! Families of every number of leaves whose search was stopped: what the table says, and what trees out of them are.

use serde_json::Value;

use crate::support::Folder;

/// Too little memory for a search: some sizes are known, some are not.
const LITTLE: [&str; 4] = ["path", "optimal", "data.csv", "--memory-limit"];

#[test]
fn the_table_says_that_it_was_stopped() {
    let folder = Folder::with_bundled("shop.csv");
    let table = folder.done(&[&LITTLE[..], &["1KB", "--quiet"]].concat());
    let header = table.lines().next().unwrap();
    assert!(header.ends_with("cost  at least"), "{table}");
    assert!(table.trim_end().ends_with(", stopped early"), "{table}");
    let whole = folder.done(&["path", "optimal", "data.csv", "--quiet"]);
    assert!(
        !whole.contains("stopped") && !whole.contains("at least"),
        "{whole}"
    );
}

#[test]
fn a_tree_with_fewer_leaves_than_asked_is_explained() {
    let folder = Folder::with_bundled("shop.csv");
    let family = folder.json(&[&LITTLE[..], &["1KB", "--json", "-o", "family.json"]].concat());
    let members = family["members"].as_array().unwrap();
    let leaves = |member: &Value| member["leaves"].as_u64().unwrap();
    let note = |asked: u64| {
        let run = folder.run(&["prune", "family.json", "--leaves", &asked.to_string()]);
        assert_eq!(run.code, 0, "{run:?}");
        run.stderr
    };
    let largest = leaves(members.last().unwrap());
    let expected = format!(
        "the search for the family was stopped early: its best tree with up to 1000 leaves has {largest}, and one with \
         more may be better\n"
    );
    assert_eq!(note(1000), expected);
    for member in members {
        let is_proven = member["lower_bound"] == member["cost"];
        assert_eq!(note(leaves(member)).is_empty(), is_proven, "{member}");
    }
}

/// Nothing takes these trees by their cost, so there is no need to round it up.
#[test]
fn costs_of_searched_families_are_rounded_to_the_nearest() {
    let table = "x,class\n1,a\n2,a\n3,b\n";
    let folder = Folder::new().file("data.csv", table);
    for (learner, expected) in [
        ("optimal", "0.333333"),
        ("dyadic", "0.333333"),
        ("greedy", "0.333334"),
    ] {
        let table = folder.done(&["path", learner, "data.csv", "--quiet"]);
        assert!(table.contains(expected), "{learner}: {table}");
    }
}
