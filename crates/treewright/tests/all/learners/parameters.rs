//! The learners against the tables of their parameters: names and defaults in model files, names in errors.

use std::fmt::Write as _;

use treewright::Budget;
use treewright::data::csv::CsvSource;
use treewright::data::{Dataset, ReadOptions};
use treewright::error::{Error, ErrorKind};
use treewright::learn::dyadic::{Dyadic, GridBox, Resolution};
use treewright::learn::greedy::Criterion;
use treewright::learn::optimal::Optimal;
use treewright::learn::parameters::{
    CHOICE, DYADIC, DYADIC_PATH, GREEDY, Kind, LEARNERS, LearnerTable, OPTIMAL, PRUNING, Parameter,
    Range,
};
use treewright::learn::{FamilyLearner, Greedy, Learner};
use treewright::select::{Pruned, Searched};
use treewright::tree::{CategoricalSplits, LearnerInfo, PathRules};

/// Keys of `learner.params` that are results, not parameters.
const RESULTS: [&str; 6] = [
    "stopped",
    "points",
    "snapped",
    "capped",
    "search",
    "bin_edges",
];

fn table(target: &str) -> Dataset {
    let mut text = String::from("x,c,target\n");
    for row in 0..40 {
        let word = if row % 3 == 0 { "a" } else { "b" };
        let number = f64::from(row * 7 % 40) / 2.0;
        let value = match target {
            "classes" => if row % 2 == 0 { "no" } else { "yes" }.to_owned(),
            _ => (f64::from(row) + 0.5).to_string(),
        };
        writeln!(text, "{number},{word},{value}").unwrap();
    }
    let source = CsvSource::new(text.into(), b',').unwrap();
    Dataset::read(&source, &ReadOptions::default()).unwrap()
}

/// The text of a value in a model file as the table has it.
fn text(value: &serde_json::Value) -> String {
    let text = value.as_str().map_or(value.to_string(), str::to_owned);
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// Compares the keys that a learner writes with its table, and defaults with values. Returns the keys.
fn compare(learner: &LearnerInfo, extra: &[Parameter], is_default: bool) -> Vec<String> {
    let table = LearnerTable::of(learner.kind.name()).unwrap();
    for (key, value) in learner.params.as_json() {
        if RESULTS.contains(&key.as_str()) {
            continue;
        }
        let mut known = table.own.iter().chain(extra);
        let parameter = known.find(|parameter| parameter.key() == *key);
        let parameter = parameter.unwrap_or_else(|| panic!("{key} is not in the table"));
        // What was chosen is in the file: a number, or how leaves predict.
        let is_auto = matches!(parameter.kind, Kind::WholeOrAuto | Kind::WholesOrAuto)
            || parameter.name == "predict";
        if is_default && !is_auto {
            let default = match parameter.kind {
                Kind::Switch => "false",
                _ => parameter.default.unwrap_or("null"),
            };
            assert_eq!(text(value), default, "{key}");
        }
    }
    learner.params.as_json().keys().cloned().collect()
}

#[test]
fn names_are_those_of_flags_and_unique() {
    for learner in LEARNERS {
        let mut names: Vec<&str> = learner.parameters().map(|it| it.name).collect();
        let is_flag = |name: &&str| name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        assert!(names.iter().all(is_flag), "{names:?}");
        let n_names = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), n_names, "{}", learner.name);
    }
}

#[test]
fn defaults_are_in_their_range() {
    let all = LEARNERS.iter().flat_map(|learner| {
        let parameters = learner.parameters();
        parameters.chain(learner.of_family.iter().copied().flatten())
    });
    for parameter in all {
        assert!(!parameter.help.is_empty() && !parameter.help.contains('\n'));
        let is_words = matches!(parameter.range, Range::OneOf(_));
        assert_eq!(is_words, parameter.kind == Kind::Word, "{}", parameter.name);
        let Some(default) = parameter.default else {
            continue;
        };
        let number = default.parse::<f64>().unwrap_or(1.0);
        let is_allowed = match parameter.range {
            Range::All => true,
            Range::AtLeast(least) => number >= least,
            Range::Between(least, most) => (least..=most).contains(&number),
            Range::Below(least, above) => (least..above).contains(&number),
            Range::Inside(below, above) => below < number && number < above,
            Range::OneOf(words) => words.contains(&default),
        };
        assert!(is_allowed, "{}: {default}", parameter.name);
    }
}

#[test]
fn model_files_have_the_names_and_defaults_of_the_tables() {
    let budget = Budget::unlimited();
    let classes = table("classes");
    let greedy = Greedy::default().fit(&classes, &budget).unwrap();
    compare(&greedy.learner, &[], true);
    let dyadic = Dyadic::default();
    compare(&dyadic.fit(&classes, &budget).unwrap().learner, &[], true);
    let family = dyadic.fit_family(&classes, &budget).unwrap();
    compare(&family.learner, DYADIC_PATH, true);
    let optimal = Optimal::default().fit(&classes, &budget).unwrap();
    compare(&optimal.learner, &[], true);
}

/// One rule of every kind.
fn rules() -> PathRules {
    let both = || ["x", "c"].map(str::to_owned).to_vec();
    PathRules {
        interactions: vec![both()],
        root_only: both(),
        not_above: vec![both()],
    }
}

#[test]
fn every_parameter_of_a_greedy_or_optimal_tree_is_in_its_file() {
    let budget = Budget::unlimited();
    let greedy = Greedy {
        criterion: Some(Criterion::BinnedGini),
        min_leaf_weight: 0.1,
        rules: rules(),
        min_class_share: "0.9".parse().ok(),
        ..Greedy::default()
    };
    // Bins are for regression, and a share of a class is not.
    let mut keys = compare(&greedy.info(&table("numbers")), &[], false);
    keys.retain(|key| key != "bin_edges");
    keys.sort_unstable();
    let mut expected: Vec<String> = GREEDY.iter().map(Parameter::key).collect();
    expected.sort_unstable();
    assert_eq!(keys, expected);

    let optimal = Optimal {
        categorical_splits: CategoricalSplits::OneVsRest,
        min_leaf_weight: 0.1,
        penalty: "sqrt".parse().unwrap(),
        leaves: Some(3),
        rules: rules(),
        min_class_share: "0.9".parse().ok(),
        ..Optimal::default()
    };
    let fit = optimal.fit(&table("classes"), &budget).unwrap();
    let mut keys = compare(&fit.learner, &[], false);
    keys.sort_unstable();
    let mut expected: Vec<String> = OPTIMAL.iter().map(Parameter::key).collect();
    expected.sort_unstable();
    assert_eq!(keys, expected);
}

#[test]
fn prunings_and_choices_have_the_names_of_the_tables() {
    /// Keys that are results of pruning and choosing.
    const OF_CHOICE: [&str; 3] = ["from_leaves", "cv_error", "cv_se"];
    let budget = Budget::unlimited();
    let classes = table("classes");
    let fit = Pruned::new(Greedy::default())
        .fit(&classes, &budget)
        .unwrap();
    let pruned = fit.learner.params.as_json()["pruned"].as_object().unwrap();
    let dyadic = Searched::new(Dyadic::default())
        .fit(&classes, &budget)
        .unwrap();
    let tables = [(pruned, PRUNING), (dyadic.learner.params.as_json(), DYADIC)];
    for (params, own) in tables {
        for key in params.keys() {
            let is_result = RESULTS.contains(&&**key) || OF_CHOICE.contains(&&**key);
            let is_known = own.iter().chain(CHOICE).any(|it| it.key() == *key);
            assert!(is_result || is_known, "{key}");
        }
        assert!(params.contains_key("select") && params.contains_key("folds"));
    }
}

/// The name in the error of a learner.
fn refused(learner: &dyn Learner) -> &'static str {
    let found = learner.fit(&table("classes"), &Budget::unlimited());
    match found.as_ref().map_err(Error::kind) {
        Err(ErrorKind::Parameter { name, .. }) => name,
        other => panic!("{other:?}"),
    }
}

#[test]
fn errors_have_the_names_of_the_tables() {
    let usual = Greedy::default;
    let is_known = |table: &[Parameter], name: &str| table.iter().any(|it| it.name == name);
    for learner in [
        Greedy {
            min_split: 1,
            ..usual()
        },
        Greedy {
            min_leaf: 0,
            ..usual()
        },
        Greedy { bins: 1, ..usual() },
        Greedy {
            min_gain: -1.0,
            ..usual()
        },
        Greedy {
            min_leaf_weight: 0.6,
            ..usual()
        },
        Greedy {
            criterion: Some(Criterion::Mse),
            ..usual()
        },
    ] {
        let name = refused(&learner);
        assert!(is_known(GREEDY, name), "{name}");
    }
    let usual = Optimal::default;
    for learner in [
        Optimal {
            intervals: Some(0),
            ..usual()
        },
        Optimal {
            min_leaf: 0,
            ..usual()
        },
        Optimal {
            min_leaf_weight: 0.6,
            ..usual()
        },
        Optimal {
            min_leaf: 2,
            min_leaf_weight: 0.1,
            ..usual()
        },
    ] {
        let name = refused(&learner);
        assert!(is_known(OPTIMAL, name), "{name}");
    }
    let usual = Dyadic::default;
    for learner in [
        Dyadic {
            snap: 0.25,
            ..usual()
        },
        Dyadic {
            resolution: Resolution::Each(vec![1]),
            ..usual()
        },
        Dyadic {
            grid_box: GridBox::Between(1.0, 2.0),
            ..usual()
        },
        Dyadic {
            grid_box: GridBox::Quantile,
            snap: 0.1,
            ..usual()
        },
    ] {
        let name = refused(&learner);
        assert!(is_known(DYADIC, name), "{name}");
    }
}
