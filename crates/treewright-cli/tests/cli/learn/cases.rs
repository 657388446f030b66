//! The corpus of small tables with answers that were worked out by hand: `testdata/cases/*.toml`.
//!
//! A file has a `table`, `files` that commands need besides, and `answers`: a command without its table, and what it must
//! find. Every answer of an exact learner is also judged by `verify --optimality`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::support::Folder;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    about: String,
    table: String,
    #[serde(default)]
    files: BTreeMap<String, String>,
    answers: Vec<Answer>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    command: String,
    leaves: Option<u64>,
    errors: Option<f64>,
    cost: Option<f64>,
    objective: Option<f64>,
    optimal: Option<bool>,
    /// Leaves and cost of each tree of a family.
    members: Option<Vec<(u64, f64)>>,
    /// The number of distinct trees.
    distinct: Option<u64>,
}

#[test]
fn cases_have_their_known_answers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cases");
    let mut n_answers = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let case: Case = toml::from_str(&fs::read_to_string(&path).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut folder = Folder::new().file("data.csv", case.table.trim_start());
        for (name, text) in &case.files {
            folder = folder.file(name, text.trim_start());
        }
        for answer in &case.answers {
            let place = format!("{} ({}): {}", path.display(), case.about, answer.command);
            let found = folder.json(&answer.arguments());
            answer.compare(&found, &place);
            if answer.optimal == Some(true) {
                fs::write(folder.path("model.json"), found.to_string()).unwrap();
                folder.done(&["verify", "model.json", "data.csv", "--optimality"]);
            }
            n_answers += 1;
        }
    }
    assert!(n_answers > 30, "only {n_answers} answers");
}

impl Answer {
    /// The words of the command with the table after its name.
    fn arguments(&self) -> Vec<&str> {
        let mut words: Vec<&str> = self.command.split_whitespace().collect();
        let name = if words[0] == "distinct" { 1 } else { 2 };
        words.insert(name, "data.csv");
        words.extend(["--quiet", "--json"]);
        words
    }

    fn compare(&self, found: &Value, place: &str) {
        let number = |pointer: &str, expected: Option<f64>| {
            if let Some(expected) = expected {
                let found = found.pointer(pointer).and_then(Value::as_f64);
                let is_near = found.is_some_and(|found| (found - expected).abs() < 1e-12);
                assert!(is_near, "{place}: {pointer} is {found:?}, not {expected}");
            }
        };
        number("/training/leaves", self.leaves.map(|leaves| leaves as f64));
        number("/training/errors", self.errors);
        number("/training/cost", self.cost);
        number("/certificate/objective", self.objective);
        number("/distinct", self.distinct.map(|distinct| distinct as f64));
        if let Some(optimal) = self.optimal {
            let found = found.pointer("/certificate/optimal");
            assert_eq!(found, Some(&Value::Bool(optimal)), "{place}");
        }
        if let Some(members) = &self.members {
            let n_members = found["members"].as_array().map(Vec::len);
            assert_eq!(n_members, Some(members.len()), "{place}");
            for (at, (leaves, cost)) in members.iter().enumerate() {
                number(&format!("/members/{at}/leaves"), Some(*leaves as f64));
                number(&format!("/members/{at}/cost"), Some(*cost));
            }
        }
    }
}
