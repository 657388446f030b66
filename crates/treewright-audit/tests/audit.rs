//! A part of the audit, and the cases that are kept.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use treewright_audit::{Case, Judged, Lies, Plan, Verdict, judge, run};

/// Draws tables, falsifies some of what was confirmed, and wants no false claim and no falsehood believed.
#[test]
fn no_table_has_a_false_certificate() {
    let plan = Plan {
        tables: 3000,
        seed: 11,
        kind: None,
        job: None,
        workers: std::thread::available_parallelism().map_or(1, usize::from),
    };
    let lies = Mutex::new(Lies::default());
    let watch = |case: &Case, judged: &Judged| {
        if case.seed.is_multiple_of(20) {
            let told = Lies::tell(case, judged);
            let mut lies = lies.lock().unwrap_or_else(PoisonError::into_inner);
            lies.add(told);
        }
    };
    let outcome = run(&plan, &watch);
    let lies = lies.into_inner().unwrap();
    println!("{}\n{}", outcome.tally.to_text(), lies.to_text());
    for (case, verdict) in &outcome.failures {
        println!(
            "{}",
            case.to_text(&format!("refuted: {}", verdict.reason()))
        );
    }
    for (case, said, document) in &lies.believed {
        println!("{}{document}", case.to_text(said));
    }
    assert_eq!(outcome.tally.refuted(), 0, "see the cases above");
    assert!(lies.believed.is_empty(), "falsehoods were believed");
    assert!(lies.told() > 300, "only {} falsehoods", lies.told());
}

#[test]
fn kept_cases_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/audit");
    let mut n_cases = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let case = Case::from_text(&text).unwrap();
        // A line of the file says which check is too much for the checker, if one is.
        let mut lines = text.lines();
        let expected = match lines.find_map(|line| line.strip_prefix("# not checked: ")) {
            Some(why) => Verdict::NotChecked(why.to_owned()),
            None => Verdict::Confirmed,
        };
        assert_eq!(judge(&case).verdict, expected, "{}", path.display());
        n_cases += 1;
    }
    assert!(n_cases > 5, "only {n_cases} cases");
}
