//! The program and the guides against the tables of parameters.

use std::collections::BTreeSet;
use std::fs;

use treewright::learn::parameters::{COMMON, Kind, LEARNERS, LearnerTable, Parameter, Range};

use crate::support::Folder;

fn document(name: &str) -> String {
    let path = format!("{}/../../docs/{name}", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(path).unwrap()
}

/// A value just outside of the range, if there is one that the parser of the command line accepts.
fn outside(parameter: &Parameter) -> Option<String> {
    let number = match parameter.range {
        Range::All | Range::OneOf(_) => return None,
        Range::AtLeast(least) => least - 1.0,
        Range::Between(_, most) => most + 1.0,
        Range::Below(_, above) | Range::Inside(_, above) => above,
    };
    Some(number.to_string())
}

#[test]
fn errors_have_the_names_of_the_tables() {
    let folder = Folder::with_model();
    for learner in LEARNERS {
        for parameter in learner.parameters().filter(|parameter| parameter.has_flag) {
            let Some(value) = outside(parameter) else {
                continue;
            };
            let flag = format!("--{}", parameter.name);
            let mut line = vec!["fit", learner.name, "data.csv", &flag, &value];
            match parameter.name {
                "folds" | "repeats" | "seed" => line.extend(["--select", "cv"]),
                "holdout" => line.extend(["--select", "holdout"]),
                _ => {}
            }
            let number = if parameter.kind == Kind::Exact {
                ""
            } else {
                &value
            };
            folder.refused(&line, &format!("{}: got {number}", parameter.name));
        }
    }
}

/// The cells of the rows of all Markdown tables in a text whose first cell begins with a backtick or a star.
fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let lines = text
        .lines()
        .filter(|line| line.starts_with("| `") || line.starts_with("| **"));
    lines.map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
}

/// The texts between backticks in a cell.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The part of a guide under a heading, to the next heading.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let start = text.find(heading).unwrap_or_else(|| panic!("{heading}"));
    let rest = &text[start + heading.len()..];
    rest.find("\n#").map_or(rest, |end| &rest[..end])
}

fn learner(name: &str) -> &'static LearnerTable {
    LearnerTable::of(name).unwrap()
}

#[test]
fn the_guide_lists_the_options_of_every_learner() {
    let guide = document("guide.md");
    let sections = [
        ("greedy", "\n## The greedy learner\n"),
        ("dyadic", "\n## Optimal dyadic trees\n"),
        ("optimal", "\n## Optimal trees of a depth\n"),
    ];
    assert_eq!(sections.len(), LEARNERS.len());
    for (name, heading) in sections {
        let mut listed = BTreeSet::new();
        for row in rows(section(&guide, heading)) {
            let Some(flag) = quoted(row[0])
                .next()
                .and_then(|flag| flag.strip_prefix("--"))
            else {
                continue;
            };
            let flag = flag.split(' ').next().unwrap_or_default();
            let parameter = learner(name).own.iter().find(|it| it.name == flag);
            let parameter = parameter.unwrap_or_else(|| panic!("{name}: --{flag}"));
            if let (Some(cell), Some(default)) = (row.get(2), parameter.default) {
                let shown = quoted(cell).next().unwrap_or(cell);
                assert_eq!(shown, default, "{name}: --{flag}");
            }
            listed.insert(flag);
        }
        let with_flag = learner(name).own.iter().filter(|it| it.has_flag);
        let expected: BTreeSet<&str> = with_flag.map(|it| it.name).collect();
        assert_eq!(listed, expected, "{name}");
    }
}

/// The pairs of a name in Python and a flag that the guide to the package lists for a learner, or for all of them.
fn pairs(text: &str, part: &str) -> BTreeSet<(String, String)> {
    let mut pairs = BTreeSet::new();
    let mut here = "all";
    for row in rows(section(text, "\n## Estimators\n")) {
        if let Some(name) = row[0].strip_prefix("**") {
            here = name.trim_end_matches('*');
        } else if here == part && row.len() > 2 {
            let names = quoted(row[0]).filter(|name| !name.contains('(') && *name != "fit");
            let flags: Vec<&str> = quoted(row[1]).collect();
            for (place, name) in names.enumerate() {
                let flag = match flags.get(place) {
                    Some(flag) => flag.trim_start_matches('-').to_owned(),
                    None if row[1] == "the same" => name.replace('_', "-"),
                    None => String::new(),
                };
                pairs.insert((name.to_owned(), flag));
            }
        }
    }
    pairs
}

#[test]
fn the_guide_to_the_package_lists_the_names_of_the_tables() {
    let text = document("python.md");
    let pair = |parameter: &Parameter| {
        let flag = if parameter.has_flag {
            parameter.name
        } else {
            ""
        };
        let name = parameter.sklearn?;
        Some((name.to_owned(), flag.to_owned()))
    };
    let for_all = pairs(&text, "all");
    for learner in LEARNERS {
        let mut listed = pairs(&text, learner.name);
        let own: BTreeSet<_> = learner.own.iter().filter_map(pair).collect();
        let after: BTreeSet<_> = learner
            .after
            .iter()
            .copied()
            .flatten()
            .filter_map(pair)
            .collect();
        listed.extend(
            for_all
                .iter()
                .filter(|it| after.contains(it) || own.contains(it))
                .cloned(),
        );
        let expected: BTreeSet<_> = own.union(&after).cloned().collect();
        assert_eq!(listed, expected, "{}", learner.name);
    }
    let common: BTreeSet<_> = COMMON.iter().filter_map(pair).collect();
    let missing: Vec<_> = common.difference(&for_all).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
