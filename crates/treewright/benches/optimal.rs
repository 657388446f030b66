//! Times the learner of optimal trees on one table, for the scripts in `benches/`.
//!
//! `optimal TABLE.csv DEPTH INTERVALS|auto REPEATS [TIME_LIMIT]` prints one JSON line; the limit is
//! in seconds. The target is the last column and is taken for a class. One thread does the work.

use std::error::Error;
use std::fs;
use std::time::{Duration, Instant};

use treewright::Budget;
use treewright::data::csv::CsvSource;
use treewright::data::{Dataset, ReadOptions, Task};
use treewright::learn::Learner;
use treewright::learn::optimal::Optimal;

/// No further run starts after this many seconds.
const LONG_ENOUGH: f64 = 4.0;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (table, depth, intervals, repeats, limit) = match &arguments[..] {
        [table, depth, intervals, repeats] => (table, depth, intervals, repeats, None),
        [table, depth, intervals, repeats, limit] => {
            (table, depth, intervals, repeats, Some(limit))
        }
        _ => {
            let usage = "usage: optimal TABLE.csv DEPTH INTERVALS|auto REPEATS [TIME_LIMIT]";
            return Err(usage.into());
        }
    };
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build_global()?;
    let learner = Optimal {
        depth: depth.parse()?,
        intervals: match intervals.as_str() {
            "auto" => None,
            most => Some(most.parse()?),
        },
        ..Optimal::default()
    };
    let limit: Option<f64> = limit.map(|seconds| seconds.parse()).transpose()?;
    let repeats = repeats.parse::<usize>()?.max(1);

    let data = read(table)?;
    let rss_read = peak_kilobytes();
    let (mut cpu, mut wall, mut spent) = (f64::INFINITY, f64::INFINITY, 0.0);
    let mut runs = 0;
    let fit = loop {
        let budget = match limit {
            Some(limit) => Budget::unlimited().with_time_limit(Duration::from_secs_f64(limit)),
            None => Budget::unlimited(),
        };
        let (cpu_before, start) = (cpu_seconds(), Instant::now());
        let fit = learner.fit(&data, &budget)?;
        let elapsed = start.elapsed().as_secs_f64();
        let used = match (cpu_before, cpu_seconds()) {
            (Some(before), Some(after)) => after - before,
            _ => elapsed,
        };
        (cpu, wall) = (cpu.min(used), wall.min(elapsed));
        spent += elapsed;
        runs += 1;
        if runs == repeats || spent > LONG_ENOUGH {
            break fit;
        }
    };

    let certificate = fit.certificate.ok_or("no certificate")?;
    let line = serde_json::json!({
        "rows": data.n_rows(),
        "features": data.columns().len(),
        "classes": data.schema().classes().len(),
        "ms": cpu * 1e3,
        "wall_ms": wall * 1e3,
        "runs": runs,
        "cost": fit.training.cost,
        "errors": fit.training.errors,
        "leaves": fit.training.leaves,
        "lower_bound": certificate.lower_bound,
        "optimal": certificate.is_optimal(),
        "rss_read": rss_read,
        "peak_rss": peak_kilobytes(),
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

/// Largest memory of the process so far, in kilobytes; only Linux tells.
fn peak_kilobytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
