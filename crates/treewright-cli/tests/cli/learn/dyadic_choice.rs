//! Choosing among optimal dyadic trees by rows left out of learning.

use serde_json::{Value, json};

use super::dyadic::{noisy_table, verified, with_table};
use crate::support::Folder;

/// Runs a command that must succeed; returns what it said.
#[track_caller]
fn said(folder: &Folder, command: &[&str]) -> String {
    let run = folder.run(command);
    assert_eq!(run.code, 0, "{run:?}");
    run.stderr
}

fn document(folder: &Folder, name: &str) -> Value {
    serde_json::from_str(&folder.read(name)).unwrap()
}

#[test]
fn fitting_with_a_rule_is_taking_it_out_of_the_path() {
    for (table, options) in [
        ("titanic.csv", &[][..]),
        ("rings.csv", &["--k", "3", "--repeats", "2", "--seed", "7"]),
        ("shop.csv", &["--k", "2", "--model", "boxed"]),
    ] {
        let folder = with_table(table);
        let path = ["path", "dyadic", "data.csv", "--folds", "5"];
        let family = [&path[..], options, &["-o", "family.json"]].concat();
        folder.done(&family);
        for rule in ["cv", "1se"] {
            let fit = ["fit", "dyadic", "data.csv", "--folds", "5", "--select"];
            let fit = [&fit[..], &[rule, "-o", "fit.json"], options].concat();
            let stderr = said(&folder, &fit);
            let fit = document(&folder, "fit.json");
            let params = &fit["learner"]["params"];
            let note = format!(
                "chosen by {rule}: {} leaves, lambda {}, cv error ",
                fit["training"]["leaves"], params["lambda"]
            );
            assert!(stderr.contains(&note), "{note} is not in {stderr}");
            assert_eq!(params["select"], rule);
            assert_eq!(params["folds"], 5);
            assert!(params["cv_error"].is_f64() && params["cv_se"].is_f64());
            assert!(params.get("kappa").is_none() && params.get("pruned").is_none());
            verified(&folder, "fit.json");

            let take = ["prune", "family.json", "--select", rule, "--json"];
            let taken = folder.json(&[&take[..], &["-o", "taken.json"]].concat());
            for field in ["nodes", "learner", "certificate"] {
                assert_eq!(fit[field], taken[field], "{table} {rule} {field}");
            }
            verified(&folder, "taken.json");
        }
    }
}

#[test]
fn the_family_tells_what_was_found() {
    let folder = with_table("titanic.csv");
    let path = ["path", "dyadic", "data.csv"];
    let family = folder.json(&[&path[..], &["--folds", "10", "--json"]].concat());
    let members = family["members"].as_array().unwrap();
    let error = |place: usize| members[place]["cv_error"].as_f64().unwrap();
    let chosen = |name: &str| family["chosen"][name].as_u64().unwrap() as usize;
    let (min, one_se) = (chosen("min"), chosen("1se"));
    assert!((0..members.len()).all(|place| error(place) >= error(min)));
    let most = error(min) + members[min]["cv_se"].as_f64().unwrap();
    assert!(one_se <= min && error(one_se) <= most);
    // The smallest member has no split, so that a fold's answer is its most frequent class.
    assert_eq!(members[0]["cv_error"], members[0]["cost"]);
    let params = &family["learner"]["params"];
    assert_eq!(
        (&params["folds"], &params["repeats"], &params["seed"]),
        (&json!(10), &json!(1), &json!(0))
    );
    let by_rule = folder.json(&[&path[..], &["--select", "1se", "--json"]].concat());
    assert_eq!(by_rule["members"], family["members"]);
    let table = folder.done(&[&path[..], &["--folds", "10"]].concat());
    for part in ["cv error", "cv se", "\nmin", "min: least cv error"] {
        assert!(table.contains(part), "{part:?} is not in {table}");
    }
}

#[test]
fn one_part_of_the_rows_can_choose() {
    let folder = with_table("shop.csv");
    let options = ["--k", "2", "--select", "holdout", "--holdout", "0.4"];
    let fit = ["fit", "dyadic", "data.csv", "-o", "fit.json"];
    let stderr = said(&folder, &[&fit[..], &options].concat());
    assert!(stderr.contains("chosen by holdout: "), "{stderr}");
    let fit = document(&folder, "fit.json");
    assert_eq!(fit["learner"]["params"]["holdout"], 0.4);
    assert!(fit["learner"]["params"].get("folds").is_none());
    verified(&folder, "fit.json");
    let path = ["path", "dyadic", "data.csv", "-o", "family.json"];
    folder.done(&[&path[..], &options].concat());
    let taken = folder.json(&["prune", "family.json", "--select", "holdout", "--json"]);
    assert_eq!(fit["nodes"], taken["nodes"]);
    folder.refused(
        &["prune", "family.json", "--select", "cv"],
        "family.json: select: got cv, expected holdout or 1se for",
    );
    // By a weight: what is known of the member is kept, but no rule chose it.
    let taken = folder.json(&["prune", "family.json", "--lambda", "0.01", "--json"]);
    let params = &taken["learner"]["params"];
    assert_eq!(params["lambda"], 0.01);
    assert!(params["cv_error"].is_f64() && params.get("select").is_none());
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let folder = with_table("rings.csv");
    let file = |command: &str, threads: &str| {
        let options = ["--k", "3", "--select", "1se", "--threads", threads];
        let command = [command, "dyadic", "data.csv", "--json"];
        let mut document = folder.json(&[&command[..], &options].concat());
        document["training"]["seconds"] = json!(0);
        if let Some(search) = document.get_mut("search") {
            search["seconds"] = json!(0);
        }
        document.to_string()
    };
    for command in ["fit", "path"] {
        assert_eq!(file(command, "1"), file(command, "2"));
    }
}

#[test]
fn weights_costs_and_missing_cells() {
    let folder = with_table("shop.csv").file("costs.csv", ",no,yes\nno,0,1\nyes,2.5,0\n");
    for options in [
        &["--costs", "costs.csv"][..],
        &["--class-weight", "yes=1.7"],
        &["--class-weight", "balanced", "--coding", "one-vs-rest"],
    ] {
        let fit = ["fit", "dyadic", "data.csv", "--k", "1", "--select", "cv"];
        folder.done(&[&fit[..], &["-o", "fit.json"], options].concat());
        let fit = document(&folder, "fit.json");
        assert_eq!(fit["certificate"]["optimal"], true);
        verified(&folder, "fit.json");
    }
}

#[test]
fn a_limit_may_stop_only_the_validation() {
    let folder = with_table("titanic.csv");
    let limits = ["--folds", "3", "--repeats", "1000000000", "--time-limit"];
    let options = [&limits[..], &["1s", "-o", "out.json"]].concat();
    let path = [&["path", "dyadic", "data.csv"], &options[..]].concat();
    let note = "stopped early: nothing is cross-validated; the family is complete\n";
    let stderr = said(&folder, &path);
    assert!(stderr.contains(note), "{stderr}");
    let family = document(&folder, "out.json");
    let params = &family["learner"]["params"];
    assert_eq!(params["stopped"], true);
    assert_eq!(params["stopped_in"], "validation");
    assert!(family.get("chosen").is_none());

    let fit = ["fit", "dyadic", "data.csv", "--select", "1se"];
    let stderr = said(&folder, &[&fit[..], &options].concat());
    let note =
        "stopped early: nothing is cross-validated; this is the tree for the default weight\n";
    assert!(stderr.contains(note), "{stderr}");
    let model = document(&folder, "out.json");
    verified(&folder, "out.json");
    assert_eq!(model["learner"]["params"]["stopped_in"], "validation");
    let plain = folder.json(&["fit", "dyadic", "data.csv", "--json"]);
    assert_eq!(model["nodes"], plain["nodes"]);
    assert_eq!(model["certificate"], plain["certificate"]);
}

#[test]
fn without_a_complete_family_nothing_is_validated() {
    let folder = Folder::new().file("data.csv", noisy_table(1500));
    for limit in [["--time-limit", "1ms"], ["--memory-limit", "10KB"]] {
        let path = ["path", "dyadic", "data.csv", "--folds", "5"];
        let path = [&path[..], &["-o", "out.json"], &limit].concat();
        let stderr = said(&folder, &path);
        let note = "below that, larger trees may be better; nothing is cross-validated\n";
        assert!(stderr.contains(note), "{stderr}");
        let family = document(&folder, "out.json");
        assert_eq!(family["learner"]["params"]["stopped"], true);
        assert!(family.get("chosen").is_none());
        folder.refused(
            &["prune", "out.json", "--select", "cv"],
            "out.json: the family is not cross-validated",
        );
        let fit = ["fit", "dyadic", "data.csv", "--select", "cv"];
        let stderr = said(&folder, &[&fit[..], &["-o", "out.json"], &limit].concat());
        assert!(
            stderr.contains("stopped early: nothing is cross-validated; "),
            "{stderr}"
        );
        verified(&folder, "out.json");
        assert!(document(&folder, "out.json").get("certificate").is_some());
    }
}
