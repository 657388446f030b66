//! Families of greedy trees, and trees chosen by cross-validation.

use serde_json::{Value, json};

use crate::support::Folder;

fn places(family: &Value) -> (usize, usize) {
    let place = |name: &str| family["chosen"][name].as_u64().unwrap() as usize;
    (place("min"), place("1se"))
}

#[test]
fn without_folds_nothing_is_chosen() {
    let folder = Folder::with_bundled("titanic.csv");
    let family = folder.json(&["path", "greedy", "data.csv", "--json"]);
    assert!(family.get("chosen").is_none());
    assert!(family["members"][0].get("cv_error").is_none());
    let pruned = folder.json(&["prune", "model.json", "--family", "--json"]);
    for field in [
        "members",
        "nodes",
        "penalty",
        "certificate",
        "features",
        "target",
        "reading",
    ] {
        assert_eq!(family[field], pruned[field], "{field}");
    }
    let stdout = folder.done(&["path", "greedy", "data.csv"]);
    assert!(stdout.contains("4 members with 1 to 5 leaves"), "{stdout}");
    assert!(!stdout.contains("cv error"), "{stdout}");
}

#[test]
fn cross_validation_marks_two_members() {
    let folder = Folder::with_bundled("shop.csv");
    let options = [
        "path",
        "greedy",
        "data.csv",
        "--folds",
        "5",
        "--repeats",
        "2",
        "--seed",
        "7",
    ];
    let family = folder.json(&[&options[..], &["--json", "-o", "family.json"]].concat());
    let members = family["members"].as_array().unwrap();
    let error = |place: usize| members[place]["cv_error"].as_f64().unwrap();
    let (min, one_se) = places(&family);
    assert!(one_se <= min);
    assert!((0..members.len()).all(|place| error(place) >= error(min)));
    assert!(error(one_se) <= error(min) + members[min]["cv_se"].as_f64().unwrap());
    let file: Value = serde_json::from_str(&folder.read("family.json")).unwrap();
    assert_eq!(file, family);
    let again = folder.json(&[&options[..], &["--json", "--threads", "1"]].concat());
    assert_eq!(again["members"], family["members"]);

    let taken = |rule: &str| folder.json(&["prune", "family.json", "--select", rule, "--json"]);
    assert_eq!(taken("cv")["training"]["leaves"], members[min]["leaves"]);
    assert_eq!(
        taken("1se")["training"]["leaves"],
        members[one_se]["leaves"]
    );
    let params = &taken("1se")["learner"]["params"];
    assert!(params.get("folds").is_none() && params.get("cost").is_none());
    let pruned = &params["pruned"];
    assert_eq!(
        (&pruned["folds"], &pruned["repeats"]),
        (&json!(5), &json!(2))
    );
    assert_eq!(pruned["lambda"], members[one_se]["lambda_low"]);
    assert_eq!(pruned["cv_error"], members[one_se]["cv_error"]);

    let stdout = folder.done(&options);
    for part in [
        "cv error",
        "cv se",
        "\nmin",
        "\n1se",
        "min: least cv error",
        "members; --json",
    ] {
        assert!(stdout.contains(part), "{part:?} is not in {stdout}");
    }
    assert!(stdout.lines().count() < 40, "{stdout}");
}

#[test]
fn a_rule_implies_ten_folds_and_holdout_one_split() {
    let folder = Folder::with_bundled("titanic.csv");
    let by_rule = folder.json(&["path", "greedy", "data.csv", "--select", "1se", "--json"]);
    let by_folds = folder.json(&["path", "greedy", "data.csv", "--folds", "10", "--json"]);
    assert_eq!(by_rule["members"], by_folds["members"]);
    let holdout = folder.json(&[
        "path", "greedy", "data.csv", "--select", "holdout", "--json",
    ]);
    assert_eq!(holdout["learner"]["params"]["holdout"], 0.3);
    assert!(holdout["chosen"]["min"].is_u64());
}

#[test]
fn fitting_with_a_rule_is_taking_it_out_of_the_path() {
    for table in ["shop.csv", "prices.csv"] {
        let folder = Folder::with_bundled(table);
        folder.done(&[
            "path",
            "greedy",
            "data.csv",
            "--folds",
            "10",
            "-o",
            "family.json",
        ]);
        for rule in ["cv", "1se"] {
            let run = folder.run(&[
                "fit", "greedy", "data.csv", "--select", rule, "-o", "fit.json",
            ]);
            assert_eq!(run.code, 0, "{run:?}");
            let said = format!("chosen by {rule}: ");
            assert!(
                run.stderr.contains(&said) && run.stderr.contains("cv error"),
                "{run:?}"
            );
            let fit: Value = serde_json::from_str(&folder.read("fit.json")).unwrap();
            let taken = folder.json(&["prune", "family.json", "--select", rule, "--json"]);
            assert_eq!(fit["nodes"], taken["nodes"]);
            assert_eq!(fit["learner"], taken["learner"]);
            assert_eq!(fit["learner"]["params"]["pruned"]["select"], rule);
            let stdout = folder.done(&["verify", "fit.json", "data.csv"]);
            assert!(stdout.ends_with("every claim holds\n"), "{stdout}");
        }
        folder.done(&[
            "fit", "greedy", "data.csv", "--select", "holdout", "-o", "fit.json",
        ]);
        folder.done(&["verify", "fit.json", "data.csv"]);
    }
}

#[test]
fn a_rule_must_be_that_of_the_family() {
    let folder = Folder::with_bundled("titanic.csv");
    let path = ["path", "greedy", "data.csv", "--select"];
    folder.done(&[&path[..], &["holdout", "-o", "part.json"]].concat());
    folder.done(&[&path[..], &["cv", "-o", "folds.json"]].concat());
    for (family, rule, complaint) in [
        (
            "part.json",
            "cv",
            "part.json: select: got cv, expected holdout or 1se for",
        ),
        (
            "folds.json",
            "holdout",
            "folds.json: select: got holdout, expected cv or 1se for",
        ),
    ] {
        folder.refused(
            &["prune", family, "--select", rule, "-o", "out.json"],
            complaint,
        );
    }
    for (family, rule) in [("part.json", "holdout"), ("part.json", "1se")] {
        let taken = folder.json(&["prune", family, "--select", rule, "--json"]);
        assert_eq!(taken["learner"]["params"]["pruned"]["select"], rule);
    }
    let by_size = folder.json(&["prune", "part.json", "--leaves", "2", "--json"]);
    let pruned = &by_size["learner"]["params"]["pruned"];
    assert!(pruned.get("select").is_none(), "{pruned}");
}

#[test]
fn fitting_with_a_weight_or_a_size_is_pruning() {
    let folder = Folder::with_bundled("titanic.csv");
    for options in [
        &["--lambda", "0.01"][..],
        &["--leaves", "5"],
        &[
            "--lambda",
            "1/100",
            "--penalty",
            "log",
            "--cost",
            "impurity",
        ],
    ] {
        let fit = folder.json(&[&["fit", "greedy", "data.csv", "--json"], options].concat());
        let pruned = folder.json(&[&["prune", "model.json", "--json"], options].concat());
        for field in ["nodes", "certificate", "learner"] {
            assert_eq!(fit[field], pruned[field], "{field}");
        }
        assert_eq!(fit["training"]["errors"], pruned["training"]["errors"]);
    }
}

#[test]
fn families_give_members_only() {
    let folder = Folder::with_bundled("titanic.csv");
    folder.done(&["path", "greedy", "data.csv", "-o", "family.json"]);
    let taken = |leaves: &str| {
        let model = folder.json(&["prune", "family.json", "--leaves", leaves, "--json"]);
        model["training"]["leaves"].clone()
    };
    assert_eq!(taken("1"), 1);
    assert_eq!(taken("4"), 3);
    assert_eq!(taken("9"), 5);
    assert_eq!(taken("1000"), 5);
    let model = folder.json(&["prune", "family.json", "--leaves", "7", "--json"]);
    assert_eq!(model["learner"]["params"]["pruned"]["from_leaves"], 13);
    assert!(model["learner"]["params"].get("penalty").is_none());
    assert_eq!(model["certificate"]["exact"], true);
    let folder = folder.file("small.json", model.to_string());
    folder.done(&["verify", "small.json", "data.csv"]);

    let refused = |options: &[&str], complaint: &str| {
        folder.refused(
            &[&["prune", "family.json", "-o", "out.json"], options].concat(),
            complaint,
        );
    };
    refused(
        &["--leaves", "0"],
        "family.json: leaves: got 0, expected at least 1\n",
    );
    refused(
        &["--lambda", "-1"],
        "family.json: lambda: got -1, expected ",
    );
    refused(&["--family"], "family.json: this is a family already");
    refused(
        &["--max-cost", "0.1"],
        "family.json: this is a family already",
    );
    refused(
        &["--select", "1se"],
        "family.json: the family is not cross-validated",
    );
    refused(
        &["--lambda", "1", "--penalty", "log"],
        "family.json: a family is for one penalty",
    );
    refused(
        &["data.csv", "--lambda", "1"],
        "family.json: a family has its costs already",
    );
}

#[test]
fn numbers_have_no_errors() {
    let folder = Folder::with_bundled("prices.csv");
    let family = folder.json(&["path", "greedy", "data.csv", "--json", "--folds", "3"]);
    assert!(family["members"][0].get("errors").is_none());
    assert_eq!(family["certificate"]["exact"], false);
    let stdout = folder.done(&["path", "greedy", "data.csv", "--cost", "mse"]);
    assert!(stdout.contains("mse"), "{stdout}");
    assert_eq!(
        folder.json(&["path", "greedy", "data.csv", "--json", "--cost", "mse"])["members"],
        folder.json(&["path", "greedy", "data.csv", "--json", "--cost", "error"])["members"]
    );
}

#[test]
fn resampling_out_of_range() {
    let folder = Folder::with_model();
    for command in [
        &["path", "greedy", "data.csv"][..],
        &["fit", "greedy", "data.csv"],
        &["path", "dyadic", "data.csv"],
        &["fit", "dyadic", "data.csv"],
    ] {
        let refused = |options: &[&str], complaint: &str| {
            folder.refused(&[command, options, &["-o", "out.json"]].concat(), complaint);
        };
        let cv = ["--select", "cv", "--folds"];
        refused(
            &[&cv[..], &["1"]].concat(),
            "folds: got 1, expected at least 2\n",
        );
        refused(
            &[&cv[..], &["0"]].concat(),
            "folds: got 0, expected at least 2\n",
        );
        refused(
            &[&cv[..], &["-2"]].concat(),
            "folds: got -2, expected at least 2\n",
        );
        refused(
            &[&cv[..], &["8"]].concat(),
            "folds: got 8, expected between 2 and 7",
        );
        refused(
            &["--select", "cv"],
            "folds: got 10, expected between 2 and 7",
        );
        refused(
            &["--select", "cv", "--repeats", "0"],
            "repeats: got 0, expected at least 1\n",
        );
        refused(
            &["--select", "cv", "--repeats", "-3"],
            "repeats: got -3, expected at least 1\n",
        );
        refused(
            &["--select", "cv", "--seed", "-1"],
            "seed: got -1, expected at least 0\n",
        );
        refused(
            &["--select", "cv", "--holdout", "0.5"],
            "--holdout goes with --select holdout\n",
        );
        refused(
            &["--select", "holdout", "--folds", "5"],
            "--folds and --repeats go with",
        );
        for share in ["1.5", "0", "1", "-0.5", "NaN"] {
            let complaint = format!("holdout: got {share}, expected a share between 0 and 1");
            refused(&["--select", "holdout", "--holdout", share], &complaint);
        }
    }
    let folder = folder.file("one.csv", "x,class\n1,a\n");
    for (learner, rule) in [("greedy", "cv"), ("greedy", "holdout"), ("dyadic", "cv")] {
        folder.refused(
            &["path", learner, "one.csv", "--select", rule],
            "one.csv: got 1 row, expected at least 2 to leave some of them out\n",
        );
    }
    let help = folder.done(&["path", "greedy", "--help"]);
    let help: Vec<&str> = help.split_whitespace().collect();
    assert!(help.join(" ").contains("[default: 10 with"), "{help:?}");
    folder.refused(
        &["path", "greedy", "data.csv", "--cost", "mse"],
        "cost: got mse, expected error or impurity",
    );
}

#[test]
fn a_limit_stops_with_what_there_is() {
    let folder = Folder::with_bundled("shop.csv");
    let run = folder.run(&[
        "path",
        "greedy",
        "data.csv",
        "--folds",
        "5",
        "--time-limit",
        "0s",
        "-o",
        "family.json",
    ]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stderr.contains("stopped early"), "{run:?}");
    let family: Value = serde_json::from_str(&folder.read("family.json")).unwrap();
    assert_eq!(family["learner"]["params"]["stopped"], json!(true));
    let run = folder.run(&[
        "fit",
        "greedy",
        "data.csv",
        "--select",
        "cv",
        "--time-limit",
        "0s",
        "-o",
        "fit.json",
    ]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stderr.contains("stopped early"), "{run:?}");
    folder.done(&["verify", "fit.json", "data.csv"]);
}

#[test]
fn a_limit_may_stop_only_the_validation() {
    let folder = Folder::with_bundled("titanic.csv");
    let limits = ["--folds", "3", "--repeats", "1000000000", "--time-limit"];
    let options = [&limits[..], &["1s", "-o", "out.json"]].concat();
    let run = folder.run(&[&["path", "greedy", "data.csv"], &options[..]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    let note =
        "stopped early: nothing is cross-validated; the tree and its prunings are complete\n";
    assert!(run.stderr.contains(note), "{run:?}");
    let family: Value = serde_json::from_str(&folder.read("out.json")).unwrap();
    let params = &family["learner"]["params"];
    assert_eq!(
        (&params["stopped"], &params["stopped_in"]),
        (&json!(true), &json!("validation"))
    );
    assert!(family.get("chosen").is_none());

    let fit = ["fit", "greedy", "data.csv", "--select", "1se"];
    let run = folder.run(&[&fit[..], &options].concat());
    assert_eq!(run.code, 0, "{run:?}");
    let note = "stopped early: the tree is complete, but nothing is cross-validated";
    assert!(run.stderr.contains(note), "{run:?}");
    let model: Value = serde_json::from_str(&folder.read("out.json")).unwrap();
    assert_eq!(model["training"]["leaves"], 13);
    folder.done(&["verify", "out.json", "data.csv"]);
}

#[test]
fn optimal_trees_of_every_size() {
    let folder = Folder::with_bundled("shop.csv");
    let options = ["path", "optimal", "data.csv", "--intervals", "2"];
    let family = folder.json(&[&options[..], &["--json", "-o", "family.json"]].concat());
    let members = family["members"].as_array().unwrap();
    let leaves: Vec<u64> = members
        .iter()
        .map(|member| member["leaves"].as_u64().unwrap())
        .collect();
    assert_eq!(leaves[..5], [1, 2, 3, 4, 5]);
    assert_eq!(family["certificate"]["exact_down_to"], 0.0);
    // A tree that is best for no weight has none, and the largest tree is that of `fit`.
    assert_eq!(members[1]["lambda_low"], Value::Null);
    assert_eq!(members[1]["lambda_high"], Value::Null);
    let fit = folder.json(&["fit", "optimal", "data.csv", "--intervals", "2", "--json"]);
    let last = &members[members.len() - 1];
    assert_eq!(last["errors"], fit["training"]["errors"]);
    assert_eq!(last["leaves"], fit["training"]["leaves"]);
    let stdout = folder.done(&options);
    assert!(stdout.contains("the best trees of each size"), "{stdout}");

    let small = folder.json(&[
        "prune",
        "family.json",
        "--leaves",
        "4",
        "--json",
        "-o",
        "m.json",
    ]);
    assert_eq!(small["training"]["errors"], members[3]["errors"]);
    assert_eq!(small["certificate"]["optimal"], true);
    let what = small["certificate"]["what"].as_str().unwrap();
    assert!(what.ends_with("at most 4 leaves"), "{what}");
    folder.done(&["verify", "m.json", "data.csv"]);
    let weighed = folder.json(&["prune", "family.json", "--lambda", "0.01", "--json"]);
    let alone = [
        "fit",
        "optimal",
        "data.csv",
        "--intervals",
        "2",
        "--leaf-cost",
        "0.01",
        "--json",
    ];
    let alone = folder.json(&alone);
    for field in ["objective", "lower_bound", "optimal", "what"] {
        assert_eq!(
            weighed["certificate"][field], alone["certificate"][field],
            "{field}"
        );
    }
}

#[test]
fn optimal_sizes_are_cross_validated() {
    let folder = Folder::with_bundled("titanic.csv");
    let options = ["path", "optimal", "data.csv", "--folds", "5"];
    let family = folder.json(&[&options[..], &["--json", "-o", "family.json"]].concat());
    let (min, one_se) = places(&family);
    assert!(one_se <= min);
    let chosen = folder.json(&["prune", "family.json", "--select", "1se", "--json"]);
    assert_eq!(
        chosen["training"]["leaves"],
        family["members"][one_se]["leaves"]
    );
    let one = ["path", "optimal", "data.csv", "--intervals", "1"];
    folder.refused(&one, "intervals: got 1");
}

#[test]
fn optimal_families_are_complete_where_nothing_was_stopped() {
    // More than 256 rows with categories: no tree of depth 1 has as many leaves.
    let folder = Folder::with_bundled("titanic.csv");
    let options = ["path", "optimal", "data.csv", "--depth", "1"];
    let family = folder.json(&[&options[..], &["--folds", "3", "--json"]].concat());
    assert_eq!(family["certificate"]["exact_down_to"], 0.0);
    assert!(family.get("chosen").is_some());
    let sized = [&options[..], &["--min-leaf", "50", "--json"]].concat();
    let family = folder.json(&sized);
    assert_eq!(family["certificate"]["exact_down_to"], 0.0);
}

#[test]
fn what_a_report_says_about_optimal_families() {
    let folder = Folder::with_bundled("shop.csv");
    folder.done(&["path", "optimal", "data.csv", "-o", "family.json"]);
    let report = folder.json(&["report", "family.json", "data.csv", "--json"]);
    let text = report.to_string();
    assert!(
        text.contains("Proven: no tree of depth 2 with as many leaves does better"),
        "{text}"
    );
    assert!(!text.contains("dyadic"), "{text}");
    assert!(!text.contains("was stopped"), "{text}");
}

#[test]
fn trees_for_a_table_of_penalties_are_verified() {
    let lines: Vec<String> = (1..=300)
        .map(|leaves| (leaves * leaves).to_string())
        .collect();
    let folder = Folder::with_bundled("shop.csv").file("penalty.txt", lines.join("\n"));
    let table = ["--penalty", "table:penalty.txt", "-o", "family.json"];
    folder.done(&[&["path", "optimal", "data.csv"], &table[..]].concat());
    folder.done(&[
        "prune",
        "family.json",
        "--lambda",
        "0.001",
        "-o",
        "model.json",
    ]);
    folder.done(&["verify", "model.json", "data.csv"]);
}
