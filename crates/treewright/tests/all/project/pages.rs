//! The pages about algorithms end with a map from their sections to files of the sources: do both exist? And do the
//! files that the page of the papers names?

use std::fs;
use std::path::Path;

const MAP: &str = "## Where it is in the code";

#[test]
fn pages_name_sections_and_files_that_exist() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/algorithms");
    for page in ["greedy", "pruning", "dyadic", "optimal", "distinct"] {
        let text = fs::read_to_string(docs.join(page).with_extension("md")).unwrap();
        let (before, map) = text.split_once(MAP).expect(page);
        let rows: Vec<&str> = map.lines().filter(|line| line.starts_with("| ")).collect();
        assert!(rows.len() > 5, "{page}: {rows:?}");
        // The first row is the heading.
        for row in &rows[1..] {
            let section = row.split('|').nth(1).unwrap().trim();
            let has_section = before.lines().any(|line| {
                line.starts_with("##") && line.trim_start_matches('#').trim() == section
            });
            assert!(has_section, "{page}: no section {section:?}");
            let links: Vec<&str> = row.split("](").skip(1).collect();
            assert!(!links.is_empty(), "{page}: {section} has no files");
            for link in links {
                let file = link.split(')').next().unwrap();
                assert!(docs.join(file).is_file(), "{page}: {section}: no {file}");
            }
        }
    }
}

#[test]
fn every_folder_of_a_learner_is_on_its_page() {
    let crate_root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for learner in ["greedy", "dyadic", "optimal"] {
        let page = crate_root.join("../../docs/algorithms").join(learner);
        let text = fs::read_to_string(page.with_extension("md")).unwrap();
        let (_, map) = text.split_once(MAP).expect(learner);
        let folder = crate_root.join("src/learn").join(learner);
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            // A splitter is what other searches use; a plan is no part of the algorithm.
            let is_apart = name == "splitter" || name == "plan";
            if entry.path().is_dir() && !is_apart {
                assert!(map.contains(&format!("`{name}/")), "{learner}: {name}");
            }
        }
    }
}

#[test]
fn the_page_of_the_papers_names_files_that_exist() {
    let crate_root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = crate_root.join("../../docs");
    let text = fs::read_to_string(docs.join("papers.md")).unwrap();
    let links = text.split("](").skip(1);
    let linked = links.map(|link| link.split([')', '#']).next().unwrap());
    for file in linked.filter(|file| !file.is_empty()) {
        assert!(docs.join(file).is_file(), "no {file}");
    }
    let quoted = text.split('`').skip(1).step_by(2);
    let sources: Vec<&str> = quoted
        .filter(|name| Path::new(name).extension().is_some_and(|it| it == "rs"))
        .collect();
    assert!(sources.len() > 50, "{sources:?}");
    for file in sources {
        assert!(crate_root.join("src").join(file).is_file(), "no {file}");
    }
}
