//! Who may import whom: reads the sources and fails on a forbidden path.
//!
//! Paths that start at `crate` or `super` are resolved to the room they lead to. Comments and test
//! modules are exempt.

use std::fs;
use std::path::Path;

/// Each room with the rooms that it may import besides itself.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("budget", &[]),
    ("data", &["error", "budget"]),
    ("check", &["error", "data"]),
    ("cost", &["error", "budget", "data"]),
    ("tree", &["error", "budget", "data", "cost"]),
    ("learn", &["error", "budget", "data", "cost", "tree"]),
    ("prune", &["error", "budget", "cost", "tree"]),
    ("eval", &["error", "data", "check", "cost", "tree"]),
    (
        "select",
        &[
            "error", "budget", "data", "cost", "tree", "learn", "prune", "eval",
        ],
    ),
    (
        "export",
        &["error", "data", "check", "cost", "tree", "eval"],
    ),
];

/// Learners that begin where another ends: optimal trees are never worse than greedy ones. And `exact`, which is not a
/// learner but what the exact learners share.
const MAY_BUILD_ON: &[(&str, &str)] = &[
    ("optimal", "greedy"),
    ("optimal", "exact"),
    ("dyadic", "exact"),
];

/// The folders and files of a learner, from the lowest layer up: each may import its own layer and those before it. The
/// file `mod.rs` of a learner may import all, and only the last layer may import from it.
const LAYERS: &[(&str, &[&[&str]])] = &[
    (
        "optimal",
        &[
            &["switches"],
            &["problem"],
            &["depth1"],
            &["depth2"],
            // A tree consists of trees with a level less: the two call each other.
            &["deeper", "search"],
            &["plan"],
            &["sizes"],
            &["proof"],
            &["claim", "by_depth", "by_size", "of_size"],
        ],
    ),
    (
        "dyadic",
        &[
            &["switches"],
            &["parameters"],
            &["deadline"],
            &["frontier"],
            &["problem"],
            &["plan"],
            &["engines"],
            &["claim"],
            &["path"],
            &["search"],
        ],
    ),
    (
        "greedy",
        &[
            &["parameters"],
            &["switches"],
            &["deadline"],
            &["problem"],
            &["split"],
            &["setup"],
            &["check"],
            &["grow"],
            &["splitter"],
        ],
    ),
];

/// Names that the crate's root hands on, with the rooms they come from.
const AT_THE_ROOT: &[(&str, &str)] = &[
    ("Budget", "budget"),
    ("Progress", "budget"),
    ("Error", "error"),
    ("ErrorKind", "error"),
    ("Result", "error"),
    ("Fit", "tree"),
    ("Tree", "tree"),
];

#[test]
fn every_room_imports_only_what_it_may() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let learn = fs::read_to_string(root.join("learn/mod.rs")).expect("there are learners");
    let learners = learners(&learn);
    let mut complaints = Vec::new();
    let mut n_files = 0;
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("readable sources");
                let inside = path.strip_prefix(&root).expect("inside the sources");
                complaints.extend(complaints_about(&module(inside), &text, &learners));
                n_files += 1;
            }
        }
    }
    assert!(n_files > 10, "looked at {n_files} files only");
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// A learner's folder and the names that `learn` hands on from it.
type Learners = Vec<(String, Vec<String>)>;

fn learners(text: &str) -> Learners {
    let code = code_of(text);
    let modules = code.lines().filter_map(|line| {
        let rest = line.trim().trim_start_matches("pub ");
        rest.strip_prefix("mod ")?
            .strip_suffix(';')
            .map(str::to_owned)
    });
    let mut learners: Learners = modules.map(|module| (module, Vec::new())).collect();
    for (module, names) in &mut learners {
        for (at, _) in code.match_indices(&format!("pub use {module}::")) {
            for path in paths(&code[at + "pub use ".len()..]) {
                names.extend(path.last().cloned());
            }
        }
    }
    learners
}

/// The module path of a source file.
fn module(file: &Path) -> Vec<String> {
    let mut parts: Vec<String> = file
        .with_extension("")
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    if parts
        .last()
        .is_some_and(|last| last == "mod" || last == "lib")
    {
        parts.pop();
    }
    parts
}

fn complaints_about(module: &[String], text: &str, learners: &Learners) -> Vec<String> {
    if module.last().is_some_and(|last| last == "tests") {
        return Vec::new();
    }
    // The crate's root is the table of contents and names every room.
    let Some(room) = module.first() else {
        return Vec::new();
    };
    let Some((_, allowed)) = MAY_IMPORT.iter().find(|(name, _)| name == room) else {
        return vec![format!("{room}: not a room of the import table")];
    };
    let mut complaints = Vec::new();
    for path in absolute_paths(module, &code_of(text)) {
        let Some(first) = path.first() else { continue };
        let to = AT_THE_ROOT
            .iter()
            .find(|(name, _)| name == first)
            .map_or(&**first, |x| x.1);
        if to == room {
            if room == "learn" && leads_to_another_learner(module, &path, learners) {
                complaints.push(format!(
                    "{}: imports another learner, {}",
                    module.join("::"),
                    path.join("::")
                ));
            }
            if room == "learn" && leads_up(module, &path) {
                complaints.push(format!(
                    "{}: imports from a layer above, {}",
                    module.join("::"),
                    path.join("::")
                ));
            }
        } else if !allowed.contains(&to) {
            complaints.push(format!(
                "{}: imports {}",
                module.join("::"),
                path.join("::")
            ));
        }
    }
    complaints
}

fn leads_to_another_learner(module: &[String], path: &[String], learners: &Learners) -> bool {
    let (Some(own), Some(name)) = (module.get(1), path.get(1)) else {
        return false;
    };
    learners.iter().any(|(folder, names)| {
        let is_foreign = folder != own && !MAY_BUILD_ON.contains(&(own, folder));
        is_foreign && (folder == name || names.contains(name))
    })
}

/// Does a path lead to a layer of the same learner that is above the module?
fn leads_up(module: &[String], path: &[String]) -> bool {
    let (Some(learner), Some(from), Some(to)) = (module.get(1), module.get(2), path.get(2)) else {
        return false;
    };
    let Some((_, layers)) = LAYERS.iter().find(|(name, _)| name == learner) else {
        return false;
    };
    if path.get(1) != Some(learner) {
        return false;
    }
    let layer = |name: &String| layers.iter().position(|layer| layer.contains(&&**name));
    match (layer(from), layer(to)) {
        (Some(from), Some(to)) => to > from,
        // What is in no layer belongs to `mod.rs`.
        (Some(from), None) => from + 1 < layers.len(),
        (None, None) => false,
        (None, Some(_)) => true,
    }
}

/// All paths from `crate` or `super`, the latter resolved, without that first word.
fn absolute_paths(module: &[String], code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for word in ["crate::", "super::"] {
        for (at, _) in code.match_indices(word) {
            let before = code[..at].chars().next_back();
            let inside = before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':');
            if inside {
                continue;
            }
            for mut path in paths(&code[at..]) {
                let ups = path.iter().take_while(|part| *part == "super").count();
                let base = if word == "super::" {
                    module.len().saturating_sub(ups)
                } else {
                    0
                };
                path.drain(..ups.max(1));
                found.push([&module[..base], &path].concat());
            }
        }
    }
    found
}

/// The paths that a text starts with: one, or several if it has braces.
fn paths(code: &str) -> Vec<Vec<String>> {
    let mut done = Vec::new();
    let mut prefixes: Vec<Vec<String>> = vec![Vec::new()];
    let mut current: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut renaming = false;
    let mut characters = code.chars().peekable();
    while let Some(c) = characters.next() {
        if c.is_alphanumeric() || c == '_' || c == '*' {
            word.push(c);
            continue;
        }
        if word == "as" {
            renaming = true;
        } else if !word.is_empty() && !renaming {
            current.push(word.clone());
        }
        word.clear();
        match c {
            ':' if characters.next_if_eq(&':').is_some() => {
                if characters.next_if_eq(&'{').is_some() {
                    prefixes.push(current.clone());
                }
            }
            ',' | '}' if prefixes.len() > 1 => {
                if current.len() > prefixes[prefixes.len() - 1].len() {
                    done.push(current.clone());
                }
                renaming = false;
                if c == '}' {
                    prefixes.pop();
                    if prefixes.len() == 1 {
                        return done;
                    }
                }
                current.clone_from(&prefixes[prefixes.len() - 1]);
            }
            c if c.is_whitespace() && prefixes.len() > 1 => {}
            _ => break,
        }
    }
    if !word.is_empty() {
        current.push(word);
    }
    if prefixes.len() == 1 && !current.is_empty() {
        done.push(current);
    }
    done
}

/// The text without comments and without what stands under `#[cfg(test)]`.
fn code_of(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" {
            skip_item(&mut lines);
            continue;
        }
        code.push_str(line.split("//").next().unwrap_or_default());
        code.push('\n');
    }
    code
}

/// Leaves out one item: to its semicolon, or to the brace that closes it.
fn skip_item<'a>(lines: &mut impl Iterator<Item = &'a str>) {
    let mut indent = None;
    for line in lines {
        let here = line.len() - line.trim_start().len();
        let indent = *indent.get_or_insert(here);
        let ends = line.trim_end().ends_with(';') || line.trim() == "}" || line.ends_with("{}");
        if here == indent && ends {
            return;
        }
    }
}

/// What the sources of a module would be told.
fn complaints(path: &str, text: &str) -> Vec<String> {
    let module: Vec<String> = path.split("::").map(str::to_owned).collect();
    let learners = learners("pub mod greedy;\npub mod dyadic;\npub use greedy::Greedy;\n");
    complaints_about(&module, text, &learners)
}

#[test]
fn allowed_paths_are_passed() {
    let allowed = [
        ("data::csv", "use crate::error::{Error, Result};"),
        ("data::csv", "// crate::tree\n/// [`x`](crate::Tree)\n"),
        (
            "data",
            "#[cfg(test)]\nmod tests {\n    use crate::tree::Tree;\n}\n",
        ),
        ("learn::greedy::grow", "use super::super::Learner;"),
        (
            "learn::greedy",
            "use crate::learn::{Learner, greedy::grow};",
        ),
        ("learn::greedy", "use crate::Budget;"),
        ("learn::optimal", "use self::proof::Prover;"),
        (
            "learn::optimal::plan::best_plan",
            "use crate::learn::optimal::search::TreeSearch;",
        ),
        ("learn::optimal::depth2::scan", "use super::simd::Lane;"),
        (
            "learn::optimal::deeper",
            "use crate::learn::optimal::search::TreeSearch;",
        ),
        ("learn::greedy", "use self::grow::Grower;"),
        (
            "learn::greedy::split::scan",
            "use super::measure::Score;\nuse crate::learn::greedy::problem::Packing;",
        ),
        ("export::json", "use super::super::cost::Loss;"),
    ];
    for (path, text) in allowed {
        assert!(complaints(path, text).is_empty(), "{path}: {text}");
    }
}

#[test]
fn forbidden_paths_are_found() {
    let forbidden = [
        ("error", "use crate::budget::Budget;"),
        ("data::csv", "use crate::tree::Tree;"),
        (
            "data::csv",
            "use crate::{error::Error, tree::{Split, Tree as T}};",
        ),
        (
            "data::csv",
            "use crate::{\n    error::Error,\n    Tree,\n};",
        ),
        ("data::csv", "fn f(tree: &crate::Tree) {}"),
        ("data::csv", "use super::super::tree::Tree;"),
        (
            "data",
            "#[cfg(test)]\nmod tests {\n}\nuse crate::tree::Tree;",
        ),
        ("cost", "use crate::learn::Learner;"),
        ("tree::walk", "use crate::eval::Report;"),
        ("eval", "use crate::budget::Budget;"),
        ("export::json", "use crate::learn::Greedy;"),
        ("learn::dyadic", "use crate::learn::greedy::Criterion;"),
        ("learn::dyadic", "use crate::learn::{Learner, Greedy};"),
        (
            "learn::dyadic::grid",
            "use super::super::greedy::Criterion;",
        ),
        ("learn::dyadic", "use crate::eval::Report;"),
        (
            "learn::optimal::problem::rows",
            "use crate::learn::optimal::depth1::split;",
        ),
        (
            "learn::optimal::depth2::scan::root",
            "use super::super::super::search::TreeSearch;",
        ),
        (
            "learn::optimal::plan",
            "use crate::learn::optimal::Optimal;",
        ),
        (
            "learn::optimal::cellar",
            "use crate::learn::optimal::problem::RowSet;",
        ),
        ("cellar", "fn f() {}"),
        (
            "learn::dyadic::problem::grid",
            "use crate::learn::dyadic::path::Steps;",
        ),
        ("learn::dyadic::problem::grid", "use super::super::Dyadic;"),
        (
            "learn::greedy::problem::frame",
            "use crate::learn::greedy::split::Score;",
        ),
        (
            "learn::greedy::odds_and_ends",
            "use crate::learn::greedy::problem::Frame;",
        ),
    ];
    for (path, text) in forbidden {
        assert!(!complaints(path, text).is_empty(), "{path}: {text}");
    }
}
