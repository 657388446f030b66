//! `verify --optimality`, and what `verify` finds without it.

use crate::support::Folder;

/// Three rows for which a false certificate was once made: one leaf costs 1/3 + 0.01.
const ROWS: &str = "x,class\n1000000.1,b\n1000000.2,b\n1000000.3,a\n";
const FALSE: &str = r#"{"format":"treewright.tree","version":1,"task":"classification","features":[{"name":"x","kind":"numeric"}],"target":{"name":"class","classes":["a","b"]},"reading":{"na":["?","NA","NaN","null"],"weight":null},"learner":{"name":"dyadic","params":{"model":"collapsed","k":[1],"points":2,"coding":"share","missing":"code","snap":0.0,"lambda":0.01,"search":{"solves":1,"rectangles":0,"rectangles_empty":0,"states":1,"probes":0.0}}},"training":{"rows":3,"weight":3.0,"errors":1,"cost":0.3333333333333333,"leaves":2,"depth":1,"seconds":0.000157103},"certificate":{"objective":0.35333333333333333,"lower_bound":0.35333333333333333,"gap":0.0,"optimal":true,"exact":true,"what":"cost + 0.01 * leaves over collapsed dyadic trees, k = [1]"},"nodes":[{"counts":[1.0,2.0],"value":1,"split":{"kind":"intervals","feature":0,"cuts":[1000000.2],"closed":"left"},"children":[1,2],"missing":1},{"counts":[0.0,1.0],"value":1},{"counts":[1.0,1.0],"value":0}]}"#;

#[test]
fn a_false_certificate_is_refuted() {
    let folder = Folder::new()
        .file("data.csv", ROWS)
        .file("false.json", FALSE);
    let run = folder.run(&["verify", "false.json", "data.csv"]);
    assert_eq!(run.code, 1);
    assert!(
        run.stderr
            .contains("better trees: a pruning with 1 leaves has the objective 0.34"),
        "{}",
        run.stderr
    );
    let run = folder.run(&["verify", "false.json", "data.csv", "--optimality"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("refuted: "), "{}", run.stdout);
}

#[test]
fn what_is_found_is_confirmed() {
    let folder = Folder::new().file("data.csv", ROWS);
    for learner in ["optimal", "dyadic"] {
        folder.done(&["fit", learner, "data.csv", "-o", "model.json"]);
        let stdout = folder.done(&["verify", "model.json", "data.csv", "--optimality"]);
        assert!(stdout.ends_with("\nconfirmed\n"), "{stdout}");
    }
    folder.done(&["path", "dyadic", "data.csv", "-o", "family.json"]);
    let document = folder.json(&[
        "verify",
        "family.json",
        "data.csv",
        "--optimality",
        "--json",
    ]);
    assert_eq!(document["verdict"], "confirmed");
    let run = folder.run(&[
        "verify",
        "model.json",
        "data.csv",
        "--optimality",
        "--work",
        "0",
    ]);
    assert!([0, 3].contains(&run.code), "{run:?}");
}

/// A greedy tree keeps the categories together where a tree of the class has a branch for each.
#[test]
fn greedy_trees_with_fewer_leaves_are_of_another_class() {
    let table = "x,class\nc1,a\nc2,a\n,b\n,b\n,b\n";
    let folder = Folder::new().file("data.csv", table);
    let multiway = ["--depth", "1", "--categorical-splits", "multiway"];
    for aim in [["--lambda", "1/20"], ["--leaves", "2"], ["--lambda", "0"]] {
        let command = ["fit", "optimal", "data.csv", "-o", "model.json"];
        folder.done(&[&command[..], &multiway, &aim].concat());
        folder.done(&["verify", "model.json", "data.csv"]);
        let stdout = folder.done(&["verify", "model.json", "data.csv", "--optimality"]);
        assert!(stdout.ends_with("\nconfirmed\n"), "{stdout}");
    }
}

/// What searches over subsets say is repeated; what they did not find is refuted.
#[test]
fn subsets_of_the_features() {
    let mut table = String::from("a,b,c,class\n");
    for row in 0..60_usize {
        let class = ["no", "yes"][usize::from(row * row % 11 > 4)];
        let cells = [row % 7, row * 5 % 13, row % 3].map(|cell| cell.to_string());
        table += &[&cells.join(","), ",", class, "\n"].concat();
    }
    let mut folder = Folder::new().file("data.csv", &table);
    for (command, field) in [
        (&["distinct"][..], "distinct"),
        (&["select", "complete"][..], "trees_skipped"),
    ] {
        let words = [command, &["data.csv", "--json"]].concat();
        let mut document = folder.json(&words);
        folder = folder.file("result.json", document.to_string());
        let verify = ["verify", "result.json", "data.csv", "--optimality"];
        let stdout = folder.done(&verify);
        assert!(stdout.ends_with("\nconfirmed\n"), "{stdout}");
        let number = document[field].as_u64().unwrap();
        document[field] = (number + 1).into();
        folder = folder.file("result.json", document.to_string());
        assert_eq!(folder.run(&verify).code, 1, "{command:?}");
    }
}
