//! How dyadic trees are searched for: solvers, methods, limits, threads.

use serde_json::{Value, json};

use super::dyadic::{noisy_table, verified, with_table};
use super::dyadic_aims::{fit, path, sizes};
use crate::support::Folder;

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
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
    for (trees, solvers) in [
        ("collapsed", &["auto", "bnb", "mrp", "mr"][..]),
        ("boxed", &["auto", "mrp", "mr"]),
    ] {
        let options = ["--model", trees, "--kappa", "5"];
        let model = fit(&folder, &options);
        for solver in solvers {
            let same = fit(&folder, &[&options[..], &["--solver", solver]].concat());
            assert_eq!(same["certificate"], model["certificate"], "{solver}");
            assert_eq!(same["training"]["leaves"], model["training"]["leaves"]);
        }
    }
    folder.refused(
        &[
            "fit", "dyadic", "data.csv", "--model", "boxed", "--solver", "bnb",
        ],
        "solver: got bnb, expected auto, mrp or mr for boxed trees",
    );
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
    // Negative ones, and fewer than a greedy tree has leaves.
    let penalties: String = (-20..20).fold(String::new(), |text, it| format!("{text}{it}\n"));
    let folder = Folder::new()
        .file("data.csv", noisy_table(1500))
        .file("penalties.txt", penalties);
    let mut n_proven = 0;
    for limit in [["--memory-limit", "1MB"], ["--time-limit", "0s"]] {
        for aim in [
            &["--lambda", "1e-5", "--penalty", "table:penalties.txt"][..],
            &["--lambda", "0.1", "--penalty", "table:penalties.txt"],
            &["--leaves", "12"],
            &["--kappa", "1/100", "--penalty", "sqrt"],
            &["--lambda", "1e-6", "--penalty", "power:2"],
            &["--kappa", "1/100", "--ties", "larger", "--model", "boxed"],
        ] {
            let model = fit(&folder, &[aim, &limit].concat());
            let number = |name: &str| model["certificate"][name].as_f64().unwrap();
            assert!((0.0..=1.0).contains(&number("gap")), "{limit:?} {aim:?}");
            let is_proven = number("lower_bound") == number("objective");
            assert!(is_proven || number("lower_bound") < number("objective"));
            assert_eq!(model["certificate"]["optimal"], is_proven);
            n_proven += usize::from(is_proven);
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
    assert!(n_proven < 4, "{n_proven} searches were not stopped");
    // So little for a second leaf that no weight is known for which a single one is the best.
    let folder = folder.file("cheap.txt", "0\n5e-324\n1\n2\n3\n");
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
