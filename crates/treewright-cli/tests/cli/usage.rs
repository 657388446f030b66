//! Command lines that cannot be parsed, help, and the global options.

use crate::support::Folder;

#[track_caller]
fn unparsable(arguments: &[&str]) {
    let folder = Folder::with_model();
    let before = folder.names();
    let run = folder.run(arguments);
    assert_eq!(run.code, 2, "{arguments:?}: {run:?}");
    assert_eq!(run.stdout, "", "{arguments:?}");
    assert!(!run.stderr.is_empty(), "{arguments:?}");
    assert_eq!(folder.names(), before);
}

#[test]
fn a_command_line_that_cannot_be_parsed_is_exit_code_2() {
    unparsable(&[]);
    unparsable(&["grow", "data.csv"]);
    unparsable(&["fit"]);
    unparsable(&["fit", "greedy"]);
    unparsable(&["fit", "greedily", "data.csv"]);
    unparsable(&["fit", "greedy", "data.csv", "more.csv"]);
    unparsable(&["predict", "model.json"]);
    unparsable(&["export", "model.json"]);
    unparsable(&["export", "model.json", "--to", "stone"]);
    let fit = |options: &[&str]| unparsable(&[&["fit", "greedy", "data.csv"], options].concat());
    fit(&["--nonsense"]);
    fit(&["--target"]);
    fit(&["--task", "guess"]);
    fit(&["--criterion", "beauty"]);
    fit(&["--predict", "mode"]);
    fit(&["--missing", "forget"]);
    fit(&["--categorical-splits", "all"]);
    fit(&["--max-depth", "deep"]);
    fit(&["--max-depth", "2.5"]);
    fit(&["--min-gain", "much"]);
    fit(&["--bins", ""]);
    fit(&["--threads", "two"]);
    fit(&["--time-limit", "soon"]);
    fit(&["--time-limit", "-5 apples"]);
    fit(&["--memory-limit", "lots"]);
    fit(&["--class-weight", "no"]);
    fit(&["--class-weight", "no=heavy"]);
    fit(&["--class-weight", ""]);
    fit(&["--drop", "\"age"]);
    fit(&["--quiet", "--verbose"]);
    fit(&["--lambda", "abc"]);
    fit(&["--lambda", "1/x"]);
    fit(&["--lambda", "0.1", "--leaves", "3"]);
    fit(&["--select", "cv", "--leaves", "3"]);
    fit(&["--select", "best"]);
    fit(&["--folds", "5"]);
    fit(&["--repeats", "5"]);
    fit(&["--seed", "5"]);
    fit(&["--holdout", "0.5"]);
    fit(&["--penalty", "log"]);
    fit(&["--lambda", "1", "--penalty", "cubic"]);
    fit(&["--lambda", "1", "--penalty", "power:x"]);
    fit(&["--lambda", "1", "--cost", "beauty"]);
    fit(&["--lambda", "1", "--method", "magic"]);
    let prune = |options: &[&str]| unparsable(&[&["prune", "model.json"], options].concat());
    prune(&[]);
    prune(&["data.csv"]);
    prune(&["--lambda", "abc"]);
    prune(&["--max-cost", "cheap"]);
    prune(&["--leaves", "few"]);
    prune(&["--leaves", "2.5"]);
    prune(&["--lambda", "1", "--leaves", "2"]);
    prune(&["--family", "--leaves", "2"]);
    prune(&["--lambda", "1", "--penalty", ""]);
    unparsable(&["path"]);
    unparsable(&["path", "greedy"]);
    unparsable(&["path", "greedy", "data.csv", "--repeats", "2"]);
    unparsable(&["path", "greedy", "data.csv", "--folds", "many"]);
}

#[test]
fn the_same_for_dyadic_trees() {
    let fit = |options: &[&str]| unparsable(&[&["fit", "dyadic", "data.csv"], options].concat());
    fit(&["--lambda", "0.1", "--kappa", "2"]);
    fit(&["--lambda", "abc"]);
    fit(&["--kappa", ""]);
    fit(&["--k", "some"]);
    fit(&["--k", "2.5"]);
    fit(&["--k", "1,"]);
    fit(&["--model", "round"]);
    fit(&["--coding", "morse"]);
    fit(&["--missing", "distribute"]);
    fit(&["--snap", "much"]);
    fit(&["--select", "cv", "--lambda", "0.1"]);
    fit(&["--select", "cv", "--kappa", "2"]);
    fit(&["--select", "best"]);
    fit(&["--folds", "5"]);
    fit(&["--repeats", "5"]);
    fit(&["--holdout", "0.5"]);
    fit(&["--leaves", "few"]);
    fit(&["--leaves", "2.5"]);
    fit(&["--leaves", "3", "--lambda", "0.1"]);
    fit(&["--leaves", "3", "--kappa", "2"]);
    fit(&["--leaves", "3", "--select", "cv"]);
    fit(&["--leaves", "3", "--penalty", "sqrt"]);
    fit(&["--leaves", "3", "--ties", "larger"]);
    fit(&["--leaves", "3", "--solver", "mrp"]);
    fit(&["--select", "cv", "--solver", "mrp"]);
    fit(&["--penalty", "cubic"]);
    fit(&["--penalty", "power:x"]);
    fit(&["--penalty", "table:"]);
    fit(&["--ties", "none"]);
    fit(&["--solver", "magic"]);
    fit(&["--method", "hull"]);
    fit(&["--collinear"]);
    let path = |options: &[&str]| unparsable(&[&["path", "dyadic", "data.csv"], options].concat());
    path(&["--method", "magic"]);
    path(&["--solver", "mrp"]);
    path(&["--leaves", "3"]);
    path(&["--penalty", "cubic"]);
    path(&["--ties", "none"]);
    unparsable(&["fit", "dyadic"]);
    unparsable(&["path", "dyadic"]);
    unparsable(&["path", "dyadic", "data.csv", "--lambda", "1"]);
    unparsable(&["path", "dyadic", "data.csv", "--kappa", "1"]);
    unparsable(&["path", "dyadic", "data.csv", "--seed", "1"]);
}

#[test]
fn the_same_for_subsets_of_the_features() {
    let distinct = |options: &[&str]| unparsable(&[&["distinct", "data.csv"], options].concat());
    distinct(&["--order", "random"]);
    distinct(&["--criterion", "mse"]);
    distinct(&["--limit", "few"]);
    distinct(&["--limit", "2.5"]);
    distinct(&["--trees"]);
    distinct(&["--bins", "3"]);
    distinct(&["--predict", "mean"]);
    unparsable(&["distinct"]);
    unparsable(&["select"]);
    unparsable(&["select", "forward", "data.csv"]);
    for method in ["backward", "complete"] {
        unparsable(&["select", method]);
        let select =
            |options: &[&str]| unparsable(&[&["select", method, "data.csv"], options].concat());
        select(&["--criterion", "beauty"]);
        select(&["--search", "data.csv", "--folds", "3"]);
        select(&["--search", "data.csv", "--holdout", "0.3"]);
        select(&["--holdout", "0.3", "--folds", "3"]);
        select(&["--repeats", "3"]);
        select(&["--resamples", "many"]);
        select(&["--seed", "x"]);
        select(&["--limit", "3"]);
    }
    unparsable(&["select", "backward", "data.csv", "--within", "0.1"]);
    unparsable(&["select", "complete", "data.csv", "--within", "near"]);
    unparsable(&["select", "complete", "data.csv", "--plain"]);
}

#[test]
fn help_and_version_are_results() {
    let folder = Folder::new();
    for arguments in [
        &["--help"][..],
        &["fit", "--help"],
        &["fit", "greedy", "--help"],
        &["path", "--help"],
        &["path", "greedy", "--help"],
        &["fit", "dyadic", "--help"],
        &["fit", "optimal", "--help"],
        &["path", "dyadic", "--help"],
        &["distinct", "--help"],
        &["select", "--help"],
        &["select", "backward", "--help"],
        &["select", "complete", "--help"],
        &["validate", "--help"],
        &["prune", "--help"],
        &["predict", "--help"],
        &["score", "--help"],
        &["show", "--help"],
        &["verify", "--help"],
        &["export", "--help"],
    ] {
        let help = folder.done(arguments);
        assert!(help.contains("Examples:\n  treewright "), "{help}");
        assert!(help.contains("Global options:"), "{help}");
    }
    let help = folder.done(&["fit", "greedy", "--help"]);
    for heading in ["Reading:", "Greedy tree:", "Limits:", "Output:"] {
        assert!(help.contains(heading), "{heading} is not in {help}");
    }
    let help = folder.done(&["fit", "dyadic", "--help"]);
    for heading in ["Dyadic tree:", "Choosing a tree:"] {
        assert!(help.contains(heading), "{heading} is not in {help}");
    }
    assert!(folder.done(&["--version"]).starts_with("treewright "));
}

#[test]
fn global_options_stand_before_or_after_the_command() {
    let folder = Folder::with_model();
    let after = folder.json(&["predict", "model.json", "data.csv", "--json"]);
    assert_eq!(
        folder.json(&["--json", "predict", "model.json", "data.csv"]),
        after
    );
    assert_eq!(
        folder.json(&["predict", "--json", "model.json", "data.csv"]),
        after
    );
    let all = ["--threads", "1", "--no-color", "-v", "--json"];
    let command = ["predict", "model.json", "data.csv"];
    assert_eq!(folder.json(&[&all[..], &command].concat()), after);
    assert_eq!(folder.json(&[&command[..], &all].concat()), after);
    folder.done(&["--quiet", "show", "model.json"]);
    folder.done(&["show", "--quiet", "model.json"]);
}

#[test]
fn a_value_out_of_range_is_exit_code_1() {
    let folder = Folder::with_model();
    for arguments in [
        &["--threads", "0", "show", "model.json"][..],
        &["show", "model.json", "--threads", "0"],
    ] {
        folder.refused(arguments, "threads: got 0, expected at least 1\n");
    }
    folder.refused(
        &["show", "model.json", "--threads", "-2"],
        "threads: got -2, expected at least 1\n",
    );
    // As many threads as help, not as many as asked for.
    folder.done(&["show", "model.json", "--threads", "1000000"]);
    let fit = |flag: &str, value: &str, name: &str| {
        folder.refused(
            &["fit", "greedy", "data.csv", flag, value, "-o", "out.json"],
            &format!("{name}: got {value}, expected "),
        );
    };
    fit("--max-depth", "-1", "max-depth");
    fit("--min-leaf", "-1", "min-leaf");
    fit("--bins", "100000000000000000000", "bins");
}

#[test]
fn the_learner_refuses_values_out_of_range() {
    let folder = Folder::with_model();
    for (flag, value) in [
        ("min-split", "1"),
        ("min-leaf", "0"),
        ("bins", "1"),
        ("min-gain", "-1"),
        ("min-gain", "NaN"),
        ("min-gain", "inf"),
        ("criterion", "mse"),
    ] {
        folder.refused(
            &[
                "fit",
                "greedy",
                "data.csv",
                &format!("--{flag}"),
                value,
                "-o",
                "out.json",
            ],
            &format!("{flag}: got {value}, expected "),
        );
    }
}
