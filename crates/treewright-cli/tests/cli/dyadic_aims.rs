//! Dyadic trees of a size, for other penalties, with other rules for ties; how they are searched for.

use serde_json::{Value, json};

use crate::dyadic::{noisy_table, verified, with_table};
use crate::support::Folder;

/// The model of these options, which must hold.
#[track_caller]
fn fit(folder: &Folder, options: &[&str]) -> Value {
    let command = ["fit", "dyadic", "data.csv", "--json", "-o", "model.json"];
    let model = folder.json(&[&command[..], options].concat());
    verified(folder, "model.json");
    model
}

#[track_caller]
fn path(folder: &Folder, options: &[&str]) -> Value {
    let command = ["path", "dyadic", "data.csv", "--json", "-o", "family.json"];
    folder.json(&[&command[..], options].concat())
}

fn sizes(family: &Value) -> Vec<u64> {
    let members = family["members"].as_array().unwrap().iter();
    members.map(|it| it["leaves"].as_u64().unwrap()).collect()
}

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
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

#[test]
fn what_a_search_took() {
    let folder = with_table("titanic.csv");
    let figures = [
        "solves",
        "rectangles",
        "rectangles_empty",
        "states",
        "probes",
    ];
    let model = fit(&folder, &[]);
    assert_eq!(keys(&model["learner"]["params"]["search"]), figures);
    let family = path(&folder, &[]);
    assert_eq!(
        keys(&family["search"]),
        [&figures[..], &["seconds"]].concat()
    );
    assert!(family["search"]["states"].as_u64().unwrap() > 0);
}

#[test]
fn solvers_and_methods_agree() {
    let folder = with_table("titanic.csv");
    let boxed = ["--model", "boxed", "--kappa", "5"];
    let model = fit(&folder, &boxed);
    for solver in ["auto", "bnb", "mrp", "mr"] {
        let same = fit(&folder, &[&boxed[..], &["--solver", solver]].concat());
        assert_eq!(same["certificate"], model["certificate"], "{solver}");
        assert_eq!(same["training"]["leaves"], model["training"]["leaves"]);
    }
    let family = path(&folder, &["--model", "boxed"]);
    for method in ["hull", "grid", "adaptive"] {
        let same = path(&folder, &["--model", "boxed", "--method", method]);
        assert_eq!(sizes(&same), sizes(&family), "{method}");
    }
    let fewer = sizes(&path(
        &folder,
        &["--model", "boxed", "--method", "heuristic"],
    ));
    assert!(fewer.iter().all(|leaves| sizes(&family).contains(leaves)));
}

#[test]
fn solvers_and_methods_are_for_the_linear_penalty() {
    let folder = with_table("titanic.csv");
    for solver in ["bnb", "mrp", "mr"] {
        let options = ["--penalty", "sqrt", "--solver", solver, "-o", "out.json"];
        folder.refused(
            &[&["fit", "dyadic", "data.csv"], &options[..]].concat(),
            &format!("--solver {solver} is for the linear penalty"),
        );
    }
    fit(&folder, &["--penalty", "sqrt", "--solver", "auto"]);
    fit(&folder, &["--penalty", "linear", "--solver", "mrp"]);
    for method in ["grid", "adaptive", "heuristic"] {
        let refused = |options: &[&str], complaint: &str| {
            let command = ["path", "dyadic", "data.csv", "--method", method];
            folder.refused(
                &[&command[..], options].concat(),
                &format!("--method {method} {complaint}"),
            );
        };
        refused(&["--penalty", "log"], "is for the linear penalty");
        refused(&["--collinear"], "does not find trees that are only tied");
    }
    path(
        &folder,
        &["--method", "hull", "--penalty", "log", "--collinear"],
    );
}

#[test]
fn limits_leave_a_valid_tree() {
    let folder = Folder::new().file("data.csv", noisy_table(1500));
    for limit in [["--memory-limit", "1MB"], ["--time-limit", "0s"]] {
        for aim in [
            &["--leaves", "12"][..],
            &["--kappa", "1/100", "--penalty", "sqrt"],
            &["--lambda", "1e-6", "--penalty", "power:2"],
            &["--kappa", "1/100", "--ties", "larger", "--model", "boxed"],
        ] {
            let model = fit(&folder, &[aim, &limit].concat());
            let number = |name: &str| model["certificate"][name].as_f64().unwrap();
            assert!(number("gap") >= 0.0, "{limit:?} {aim:?}");
            assert!(number("lower_bound") < number("objective"));
            assert_eq!(model["certificate"]["optimal"], false);
            if aim[0] == "--leaves" {
                assert!(model["training"]["leaves"].as_u64().unwrap() <= 12);
            }
        }
        for options in [
            &["--collinear"][..],
            &["--penalty", "power:2"],
            &["--penalty", "log"],
        ] {
            let family = path(&folder, &[options, &limit].concat());
            let from = &family["certificate"]["exact_down_to"];
            assert!(from.as_f64().unwrap() > 0.0, "{limit:?} {options:?}");
            let take = ["prune", "family.json", "--leaves", "1", "-o", "taken.json"];
            folder.done(&take);
            verified(&folder, "taken.json");
        }
    }
    // So little for a second leaf that no weight is known for which a single one is the best.
    let folder = folder.file("cheap.txt", "0\n1e-330\n1\n2\n3\n");
    let options = ["--penalty", "table:cheap.txt", "--time-limit", "0s"];
    let family = path(&folder, &options);
    assert_eq!(family["certificate"]["exact_down_to"], json!(null));
    assert_eq!(family["members"][0]["lambda_low"], json!(null));
    let command = ["path", "dyadic", "data.csv", "-o", "family.json"];
    let run = folder.run(&[&command[..], &options].concat());
    let said = "stopped early: for any lambda, larger trees may be better\n";
    assert!(run.stderr.contains(said), "{run:?}");
    folder.done(&["prune", "family.json", "--leaves", "9", "-o", "taken.json"]);
    verified(&folder, "taken.json");
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let folder = with_table("rings.csv");
    let file = |options: &[&str], threads: &str| {
        let command = [options, &["--k", "3", "--json", "--threads", threads]].concat();
        let mut document = folder.json(&command);
        document["training"]["seconds"] = json!(0);
        if let Some(search) = document.get_mut("search") {
            search["seconds"] = json!(0);
        }
        document.to_string()
    };
    for options in [
        &["fit", "dyadic", "data.csv", "--leaves", "9"][..],
        &[
            "fit",
            "dyadic",
            "data.csv",
            "--penalty",
            "power:2",
            "--lambda",
            "1/9999",
        ],
        &["path", "dyadic", "data.csv", "--collinear"],
        &["path", "dyadic", "data.csv", "--penalty", "sqrt"],
    ] {
        assert_eq!(file(options, "1"), file(options, "2"), "{options:?}");
    }
}
