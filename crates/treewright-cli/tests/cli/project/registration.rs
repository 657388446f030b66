//! All places where a learner must be known. "Adding a learner" in CONTRIBUTING.md lists them in the same order.

use std::fs;
use std::path::{Path, PathBuf};

use treewright::learn::parameters::{LEARNERS, LearnerTable};

use crate::support::Folder;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[track_caller]
fn assert_has(path: &str, what: &str) {
    assert!(text(path).contains(what), "{path} does not have {what:?}");
}

/// The texts of all files below a folder whose names end so.
fn all_texts(folder: &str, ending: &str) -> String {
    let mut texts = String::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                texts.push_str(&fs::read_to_string(path).unwrap());
            }
        }
    }
    texts
}

#[test]
fn the_library_has_every_learner() {
    for LearnerTable { name, .. } in LEARNERS {
        assert_has(
            "crates/treewright/src/learn/mod.rs",
            &format!("pub mod {name};"),
        );
        let folder = format!("crates/treewright/src/learn/{name}/mod.rs");
        assert!(root().join(&folder).exists(), "{folder}");
    }
    // And no learner is missing in the tables.
    for entry in fs::read_dir(root().join("crates/treewright/src/learn")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let is_learner = path.is_dir() && !["exact", "parameters"].contains(&&*name);
        assert!(!is_learner || LearnerTable::of(&name).is_some(), "{name}");
    }
}

#[test]
fn the_program_has_every_learner() {
    let folder = Folder::with_model();
    for LearnerTable { name, .. } in LEARNERS {
        folder.done(&["fit", name, "--help"]);
        let model = folder.json(&["fit", name, "data.csv", "--json"]);
        assert_eq!(model["learner"]["name"], name);
        // In a list of learners.
        folder.done(&["validate", name, "data.csv", "--folds", "2"]);
        let line = folder.refused(&["validate", "nobody", "data.csv"], "learner: ");
        assert!(line.contains(name), "{line}");
    }
}

#[test]
fn the_documents_have_every_learner() {
    for LearnerTable { name, .. } in LEARNERS {
        let page = format!("docs/algorithms/{name}.md");
        assert!(root().join(&page).exists(), "{page}");
        assert_has("docs/guide.md", &format!("algorithms/{name}.md"));
        assert_has("docs/guide.md", &format!("treewright fit {name} "));
        assert_has("docs/python.md", &format!("| **{name}** | `fit {name}` |"));
    }
}

#[test]
fn the_checker_and_the_audit_have_every_learner() {
    for LearnerTable { name, .. } in LEARNERS {
        assert_has(
            "crates/treewright-check/src/lib.rs",
            &format!("(\"{name}\", "),
        );
        let settings = all_texts("crates/treewright-audit/src", ".rs");
        assert!(settings.contains(&format!("(\"{name}\", ")), "{name}");
        assert!(
            settings.contains(&format!("treewright fit {name} ")),
            "{name}"
        );
    }
}

#[test]
fn the_package_has_every_learner() {
    let sources = all_texts("python/treewright", ".py");
    let native = all_texts("crates/treewright-py/src", ".rs");
    for LearnerTable {
        name, estimators, ..
    } in LEARNERS
    {
        assert!(native.contains(&format!("fit_{name}")), "{name}");
        for estimator in estimators {
            assert!(
                sources.contains(&format!("class {estimator}(")),
                "{estimator}"
            );
            assert_has("python/treewright/__init__.py", &format!("\"{estimator}\""));
            assert_has("docs/python.md", &format!("`{estimator}`"));
        }
    }
}

#[test]
fn the_checks_from_outside_have_every_learner() {
    for LearnerTable { name, .. } in LEARNERS {
        for file in ["commands.py", "limits.py"] {
            let call = format!("\"fit\", \"{name}\"");
            assert_has(&format!("tests/python/{file}"), &call);
        }
    }
}

#[test]
fn contributing_lists_every_place() {
    let guide = text("CONTRIBUTING.md");
    let start = guide.find("## Adding a learner").unwrap();
    let steps = &guide[start..];
    for place in [
        "crates/treewright/src/learn/",
        "learn/mod.rs",
        "learn/parameters/",
        "crates/treewright-cli/src/args/learners/",
        "args/commands/learn/fit.rs",
        "args/learners/list.rs",
        "commands/learn/",
        "docs/algorithms/",
        "docs/guide.md",
        "docs/python.md",
        "crates/treewright-check",
        "crates/treewright-audit",
        "crates/treewright-py/src/learners/",
        "python/treewright/__init__.py",
        "tests/python/commands.py",
        "limits.py",
    ] {
        assert!(steps.contains(place), "{place}");
    }
}
