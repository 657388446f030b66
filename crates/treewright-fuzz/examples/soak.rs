//! Learns, prunes, validates, writes and reads for ever, in one process: its memory must stay flat.
//!
//! A line on standard output after each round; ends when its standard input does. `tests/python/soak.py` runs
//! it and watches its memory.

use std::error::Error;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fs, thread};

use fastrand::Rng;
use treewright::Budget;
use treewright::cost::Penalty;
use treewright::data::{Dataset, ReadOptions, csv::CsvSource};
use treewright::eval::{self, Report};
use treewright::export::{html, json};
use treewright::learn::dyadic::{Dyadic, Resolution};
use treewright::learn::optimal::Optimal;
use treewright::learn::{FamilyLearner, Greedy, Learner};
use treewright::prune::{Method, NodeCosts, Pruner, PruningCost};
use treewright_fuzz::{TARGETS, mutate};

fn main() -> Result<(), Box<dyn Error>> {
    let corpus = std::env::args()
        .nth(1)
        .ok_or("name the folder of the corpus")?;
    let mut files = Vec::new();
    for target in TARGETS {
        for entry in fs::read_dir(format!("{corpus}/{}", target.name))? {
            files.push((target, fs::read(entry?.path())?));
        }
    }
    let is_over = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&is_over);
    thread::spawn(move || {
        let _ = io::stdin().read_to_end(&mut Vec::new());
        flag.store(true, Ordering::Relaxed);
    });
    let mut rng = Rng::with_seed(1);
    let mut round: u64 = 0;
    while !is_over.load(Ordering::Relaxed) {
        learn(&table(&mut rng)?)?;
        for _ in 0..20 {
            let (target, bytes) = &files[rng.usize(..files.len())];
            (target.run)(&mutate(bytes, rng.u64(..)));
        }
        round += 1;
        println!("{round}");
    }
    Ok(())
}

/// A table of any size up to a few hundred rows, with all kinds of columns.
fn table(rng: &mut Rng) -> Result<Dataset, treewright::Error> {
    use std::fmt::Write;
    let mut text = String::from("a,b,c,d,class\n");
    let n_classes = rng.u32(2..5);
    for _ in 0..rng.usize(20..400) {
        let (a, b) = (rng.u32(..30), rng.f64());
        let c = ["x", "y", "z", ""][rng.usize(..4)];
        let d = if rng.u8(..10) == 0 {
            "?".into()
        } else {
            rng.u8(..4).to_string()
        };
        let class = if rng.u8(..4) == 0 {
            rng.u32(..n_classes)
        } else {
            a * n_classes / 30
        };
        let _ = writeln!(text, "{a},{b},{c},{d},k{class}");
    }
    let source = CsvSource::new(text.into_bytes(), b',')?;
    Dataset::read(&source, &ReadOptions::default())
}

fn learn(data: &Dataset) -> Result<(), Box<dyn Error>> {
    let budget = Budget::unlimited();
    let grown = Greedy::default().fit(data, &budget)?;
    let dyadic = Dyadic {
        resolution: Resolution::Same(2),
        ..Dyadic::default()
    };
    let optimal = Optimal {
        depth: 2,
        ..Optimal::default()
    };
    for fit in [
        dyadic.fit(data, &budget)?,
        optimal.fit(data, &budget)?,
        grown.clone(),
    ] {
        assert!(eval::verify(&fit, data).holds);
        let text = json::write_model(&fit);
        assert_eq!(json::write_model(&json::read_model(&text)?), text);
        html::html(&Report::on_model("soak", &fit, Some(data))?);
    }
    json::write_family(&dyadic.fit_family(data, &budget)?);
    for penalty in [Penalty::Linear, "sqrt".parse()?] {
        let costs = NodeCosts::of(&grown.model, PruningCost::Error)?;
        let pruner = Pruner {
            penalty,
            cost: PruningCost::Error,
            method: Method::Auto,
            most_bytes: 1 << 30,
        };
        let family = pruner.family(grown.clone(), &costs, None)?;
        json::write_family(&family);
    }
    Ok(())
}
