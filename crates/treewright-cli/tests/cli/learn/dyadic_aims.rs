//! Dyadic trees of a size, for other penalties, and with other rules for ties.

use serde_json::Value;

use super::dyadic::{verified, with_table};
use crate::support::Folder;

/// The model of these options, which must hold.
#[track_caller]
pub(crate) fn fit(folder: &Folder, options: &[&str]) -> Value {
    let command = ["fit", "dyadic", "data.csv", "--json", "-o", "model.json"];
    let model = folder.json(&[&command[..], options].concat());
    verified(folder, "model.json");
    model
}

#[track_caller]
pub(crate) fn path(folder: &Folder, options: &[&str]) -> Value {
    let command = ["path", "dyadic", "data.csv", "--json", "-o", "family.json"];
    folder.json(&[&command[..], options].concat())
}

pub(crate) fn sizes(family: &Value) -> Vec<u64> {
    let members = family["members"].as_array().unwrap().iter();
    members.map(|it| it["leaves"].as_u64().unwrap()).collect()
}

fn what(model: &Value) -> &str {
    model["certificate"]["what"].as_str().unwrap()
}

#[test]
fn the_best_tree_of_a_size() {
    let folder = with_table("titanic.csv");
    let mut before = 1.0;
    for (most, leaves, errors) in [
        (1, 1, 711),
        (2, 2, 493),
        (3, 2, 493),
        (4, 4, 474),
        (99, 6, 461),
    ] {
        let model = fit(&folder, &["--leaves", &most.to_string()]);
        assert_eq!(model["training"]["leaves"], leaves);
        assert_eq!(model["training"]["errors"], errors);
        let certificate = &model["certificate"];
        assert_eq!(certificate["optimal"], true);
        assert_eq!(certificate["objective"], model["training"]["cost"]);
        let words = if most == 1 { "leaf" } else { "leaves" };
        let expected =
            format!("cost over collapsed dyadic trees with at most {most} {words}, k = [2, 1, 1]");
        assert_eq!(what(&model), expected);
        let params = &model["learner"]["params"];
        assert_eq!(params["leaves"], most);
        assert!(params.get("kappa").is_none() && params.get("lambda").is_none());
        let cost = model["training"]["cost"].as_f64().unwrap();
        assert!(cost <= before);
        before = cost;
    }
    folder.refused(
        &["fit", "dyadic", "data.csv", "--leaves", "0"],
        "leaves: got 0, expected at least 1\n",
    );
    folder.refused(
        &["fit", "dyadic", "data.csv", "--leaves", "-3"],
        "leaves: got -3, expected at least 1\n",
    );
}

#[test]
fn penalties() {
    let folder = with_table("titanic.csv").file("table.txt", "0\n1\n1.5\n4\n5\n6\n7\n");
    for (penalty, name, words, leaves) in [
        ("linear", None, "leaves", 2),
        ("sqrt", Some("sqrt"), "sqrt(leaves)", 6),
        ("log", Some("log"), "log(leaves)", 6),
        ("power:0.5", Some("sqrt"), "sqrt(leaves)", 6),
        ("power:2", Some("power:2"), "leaves^2", 2),
        ("table:table.txt", Some("table"), "penalty(leaves)", 2),
    ] {
        let options = ["--penalty", penalty, "--lambda", "0.012"];
        let model = fit(&folder, &options);
        let params = &model["learner"]["params"];
        assert_eq!(params.get("penalty").and_then(Value::as_str), name);
        let expected = format!("cost + 0.012 * {words} over collapsed dyadic trees, k = [2, 1, 1]");
        assert_eq!(what(&model), expected);
        let family = path(&folder, &options[..2]);
        assert_eq!(family["penalty"], name.unwrap_or("linear"));
        let taken = ["prune", "family.json", "--lambda", "0.012", "--json"];
        let taken = folder.json(&[&taken[..], &["-o", "taken.json"]].concat());
        verified(&folder, "taken.json");
        assert_eq!(taken["certificate"], model["certificate"], "{penalty}");
        assert_eq!(taken["training"]["leaves"], model["training"]["leaves"]);
        assert_eq!(model["training"]["leaves"], leaves, "{penalty}");
        let sized = ["prune", "family.json", "--leaves", "5", "-o", "sized.json"];
        folder.done(&sized);
        verified(&folder, "sized.json");
    }
    let model = fit(&folder, &["--penalty", "sqrt", "--kappa", "20"]);
    assert!(what(&model).starts_with("cost + 20/2201 * sqrt(leaves) over "));
    let select = ["--penalty", "log", "--select", "1se", "--folds", "5"];
    let model = fit(&folder, &select);
    assert_eq!(model["learner"]["params"]["penalty"], "log");
    assert_eq!(model["learner"]["params"]["select"], "1se");
}

#[test]
fn bad_penalties_are_about_their_file() {
    let folder = with_table("titanic.csv")
        .file("short.txt", "1\n2\n3\n")
        .file("falling.txt", "1\n3\n2\n");
    for command in ["fit", "path"] {
        let refused = |penalty: &str, complaint: &str| {
            let command = [command, "dyadic", "data.csv", "-o", "out.json"];
            folder.refused(&[&command[..], &["--penalty", penalty]].concat(), complaint);
        };
        refused("power:0", "penalty: got \"power:0\", expected ");
        refused("power:-1", "penalty: got \"power:-1\", expected ");
        refused("table:nowhere.txt", "nowhere.txt: no such");
        let line = "falling.txt: penalty table, line 3: 2 is not above 3 of line 2";
        refused("table:falling.txt", line);
        let short = "short.txt: penalty table: has 3 lines, expected at least 4";
        refused("table:short.txt", short);
    }
    // Where no fourth leaf can be of use, three lines are enough.
    let enough = ["--penalty", "table:short.txt", "--lambda", "0.2"];
    assert_eq!(fit(&folder, &enough)["training"]["leaves"], 1);
}

#[test]
fn ties() {
    let folder = with_table("titanic.csv");
    // 19 errors less for 2 leaves more.
    let tie = ["--lambda", "19/4402"];
    let smaller = fit(&folder, &tie);
    let larger = fit(&folder, &[&tie[..], &["--ties", "larger"]].concat());
    let explicit = fit(&folder, &[&tie[..], &["--ties", "smaller"]].concat());
    assert_eq!(smaller["training"]["leaves"], 2);
    assert_eq!(larger["training"]["leaves"], 4);
    assert_eq!(explicit["nodes"], smaller["nodes"]);
    assert!(smaller["learner"]["params"].get("ties").is_none());
    assert_eq!(larger["learner"]["params"]["ties"], "larger");
    let objective = |model: &Value| model["certificate"]["objective"].as_f64().unwrap();
    assert!((objective(&smaller) - objective(&larger)).abs() < 1e-15);
    let family = path(&folder, &["--ties", "larger"]);
    assert_eq!(family["learner"]["params"]["ties"], "larger");
}

#[test]
fn tied_members() {
    let folder = with_table("shop.csv");
    let plain = path(&folder, &["--k", "2"]);
    let all = path(&folder, &["--k", "2", "--collinear"]);
    assert_eq!(all["learner"]["params"]["collinear"], true);
    assert!(plain["learner"]["params"].get("collinear").is_none());
    let (few, many) = (sizes(&plain), sizes(&all));
    assert!(few.len() < many.len());
    assert!(few.iter().all(|leaves| many.contains(leaves)));
    for (member, leaves) in all["members"].as_array().unwrap().iter().zip(&many) {
        let is_tied = member["lambda_low"] == member["lambda_high"];
        assert_eq!(is_tied, !few.contains(leaves));
        let leaves = leaves.to_string();
        let take = ["prune", "family.json", "--leaves", &leaves, "--json"];
        let taken = folder.json(&[&take[..], &["-o", "taken.json"]].concat());
        verified(&folder, "taken.json");
        assert_eq!(taken["training"]["leaves"], member["leaves"]);
        assert_eq!(taken["training"]["cost"], member["cost"]);
        // A smaller tree is as good at the only weight, and the rule is to take that.
        assert_eq!(taken.get("certificate").is_none(), is_tied);
        let low = member["lambda_low"].to_string();
        let best = folder.json(&["prune", "family.json", "--lambda", &low, "--json"]);
        assert_eq!(best["training"]["leaves"] == member["leaves"], !is_tied);
    }
    let table = folder.done(&["path", "dyadic", "data.csv", "--k", "2", "--collinear"]);
    assert!(
        table.contains("\n       20         tied   0.003751  0.212500\n"),
        "{table}"
    );
    assert!(
        table.contains("\ntied: as good as its neighbours"),
        "{table}"
    );
}
