//! Mutations of the corpus, by the million: `hammer TARGET RUNS SEED CORPUS FINDINGS`.
//!
//! Each run starts from a file of the corpus, or from an earlier mutation that could be read, and changes it again. What
//! makes a target panic, or takes it seconds, is kept in the folder of the findings.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use fastrand::Rng;
use treewright_fuzz::{mutate, target};

/// A run that takes longer than this is a finding, also on a busy machine.
const MOST_SECONDS: f64 = 10.0;
/// Readable mutations that are kept to be mutated again.
const POOL: usize = 500;
/// They are at most this many times as long as the longest file of the corpus: else they would grow with every run,
/// and the runs would take longer and longer.
const GROWTH: usize = 2;

/// Where the last panic was.
static PLACE: Mutex<String> = Mutex::new(String::new());

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, name, runs, seed, corpus, findings] = &arguments[..] else {
        return Err("usage: hammer TARGET RUNS SEED CORPUS FINDINGS".into());
    };
    let (runs, seed): (u64, u64) = (runs.parse()?, seed.parse()?);
    let target = target(name).ok_or("there is no such target")?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread();
    pool.build_global()?;
    set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string);
        *PLACE.lock().expect("not poisoned") = format!("{} {info}", place.unwrap_or_default());
    }));
    let mut files = Vec::new();
    for entry in fs::read_dir(Path::new(corpus).join(name))? {
        files.push(fs::read(entry?.path())?);
    }
    let (mut rng, start, mut slowest) = (Rng::with_seed(seed), Instant::now(), 0.0_f64);
    let mut places = BTreeSet::new();
    let mut n_read: u64 = 0;
    let mut kept: Vec<Vec<u8>> = files.clone();
    let longest = files.iter().map(Vec::len).max().unwrap_or(0);
    for _ in 0..runs {
        let again = rng.u8(..2) == 0;
        let from = if again { &kept } else { &files };
        let bytes = mutate(&from[rng.usize(..from.len())], rng.u64(..));
        let begin = Instant::now();
        let run = catch_unwind(AssertUnwindSafe(|| (target.run)(&bytes)));
        let seconds = begin.elapsed().as_secs_f64();
        slowest = slowest.max(seconds);
        let panicked = run
            .is_err()
            .then(|| PLACE.lock().expect("not poisoned").clone());
        let slow = (seconds > MOST_SECONDS).then(|| format!("slow: {seconds:.0} s"));
        if let Some(what) = panicked.or(slow) {
            let place: String = what.split(' ').next().unwrap_or_default().to_owned();
            if places.insert(place) {
                fs::create_dir_all(findings)?;
                let file = Path::new(findings).join(format!("{name}-{}", places.len()));
                fs::write(&file, &bytes)?;
                println!("{}: {what}", file.display());
            }
            continue;
        }
        if !run.is_ok_and(|was_read| was_read) {
            continue;
        }
        n_read += 1;
        if bytes.len() > GROWTH * longest {
            continue;
        }
        if kept.len() < POOL {
            kept.push(bytes);
        } else {
            let place = rng.usize(..POOL);
            kept[place] = bytes;
        }
    }
    println!(
        "{name}: {runs} runs ({n_read} readable), seed {seed}, {:.0} s, slowest {:.0} ms, {} findings",
        start.elapsed().as_secs_f64(),
        slowest * 1000.0,
        places.len()
    );
    Ok(())
}
