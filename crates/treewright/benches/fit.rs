//! Times the greedy learner and its predictions on one table, for the scripts in `benches/`.
//!
//! `fit TABLE.csv CRITERION MAX_DEPTH|- THREADS REPEATS` prints one JSON line. The target is the
//! last column and is taken for a class.

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::time::Instant;

use treewright::data::csv::CsvSource;
use treewright::data::{Dataset, ReadOptions, Task};
use treewright::learn::greedy::Criterion;
use treewright::learn::{Greedy, Learner};
use treewright::{Budget, Tree};

const PREDICT_REPEATS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [table, criterion, max_depth, threads, repeats] = &arguments[..] else {
        return Err("usage: fit TABLE.csv CRITERION MAX_DEPTH|- THREADS REPEATS".into());
    };
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.parse()?)
        .build_global()?;
    let learner = Greedy {
        criterion: Some(criterion_of(criterion)?),
        max_depth: match max_depth.as_str() {
            "-" => None,
            depth => Some(depth.parse()?),
        },
        ..Greedy::default()
    };

    let start = Instant::now();
    let data = read(table)?;
    let read_seconds = start.elapsed().as_secs_f64();

    let mut tree = None;
    let mut fit = Shortest::default();
    for _ in 0..repeats.parse::<usize>()?.max(1) {
        let fitted = fit.time(|| learner.fit(&data, &Budget::unlimited()))?;
        tree = Some(fitted.model);
    }
    let tree: Tree = tree.expect("at least one repeat");

    let mut predict = Shortest::default();
    for _ in 0..PREDICT_REPEATS {
        black_box(predict.time(|| tree.predict(black_box(&data))));
    }

    let line = serde_json::json!({
        "rows": data.n_rows(),
        "features": data.columns().len(),
        "leaves": tree.n_leaves(),
        "depth": tree.depth(),
        "read_wall_seconds": read_seconds,
        "fit_cpu_seconds": fit.cpu,
        "fit_wall_seconds": fit.wall,
        "predict_cpu_seconds": predict.cpu,
        "predict_wall_seconds": predict.wall,
        "predict_rows_per_second": data.n_rows() as f64 / predict.wall,
        "peak_kilobytes": peak_kilobytes(),
    });
    println!("{line}");
    Ok(())
}

fn read(path: &str) -> Result<Dataset, Box<dyn Error>> {
    let source = CsvSource::new(fs::read(path)?, b',')?;
    let options = ReadOptions {
        task: Task::Classification,
        ..ReadOptions::default()
    };
    Ok(Dataset::read(&source, &options)?)
}

fn criterion_of(name: &str) -> Result<Criterion, String> {
    match name {
        "gini" => Ok(Criterion::Gini),
        "entropy" => Ok(Criterion::Entropy),
        "gain-ratio" => Ok(Criterion::GainRatio),
        "error" => Ok(Criterion::Error),
        _ => Err(format!("unknown criterion {name:?}")),
    }
}

/// The shortest of several runs, each clock for itself.
struct Shortest {
    cpu: f64,
    wall: f64,
}

impl Default for Shortest {
    fn default() -> Self {
        Self {
            cpu: f64::INFINITY,
            wall: f64::INFINITY,
        }
    }
}

impl Shortest {
    fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let (cpu, wall) = (cpu_seconds(), Instant::now());
        let result = work();
        let wall = wall.elapsed().as_secs_f64();
        let cpu = match (cpu, cpu_seconds()) {
            (Some(before), Some(after)) => after - before,
            _ => wall,
        };
        self.cpu = self.cpu.min(cpu);
        self.wall = self.wall.min(wall);
        result
    }
}

/// Time on the processor of all threads that are alive, to the nanosecond; only Linux tells.
fn cpu_seconds() -> Option<f64> {
    // The kernel brings the figure of a running thread up to date when it reschedules.
    std::thread::yield_now();
    let mut nanoseconds = 0_u64;
    for task in fs::read_dir("/proc/self/task").ok()? {
        let text = fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        nanoseconds += text.split_whitespace().next()?.parse::<u64>().ok()?;
    }
    Some(nanoseconds as f64 / 1e9)
}

/// Largest memory of the process so far; only Linux tells.
fn peak_kilobytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
