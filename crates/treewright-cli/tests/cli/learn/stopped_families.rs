//! Families of every number of leaves whose search was stopped: what the table says, and what trees out of them are.

use crate::support::Folder;

/// Too little memory for a search: depth one is all that is known.
const LITTLE: [&str; 4] = ["path", "optimal", "data.csv", "--memory-limit"];

#[test]
fn the_table_says_that_it_was_stopped() {
    let folder = Folder::with_bundled("shop.csv");
    let table = folder.done(&[&LITTLE[..], &["1KB", "--quiet"]].concat());
    let header = table.lines().next().unwrap();
    assert!(header.ends_with("cost  at least"), "{table}");
    let of_three = table.lines().find(|line| line.trim().starts_with("3 "));
    assert!(of_three.unwrap().ends_with("0.322500  0.000000"), "{table}");
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
    folder.done(&[&LITTLE[..], &["1KB", "-o", "family.json"]].concat());
    for (leaves, expected) in [
        ("2", ""),
        ("3", "this is its best tree, perhaps not the best of all\n"),
        (
            "4",
            "its best tree with up to 4 leaves has 3, and one with more may be better\n",
        ),
    ] {
        let run = folder.run(&["prune", "family.json", "--leaves", leaves]);
        assert_eq!(run.code, 0, "{run:?}");
        let expected = if expected.is_empty() {
            String::new()
        } else {
            format!("the search for the family was stopped early: {expected}")
        };
        assert_eq!(run.stderr, expected);
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
