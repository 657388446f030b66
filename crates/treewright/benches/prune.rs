//! Times pruning on one model file, for the scripts in `benches/`.
//!
//! `prune MODEL.json error|gini|entropy REPEATS` prints one JSON line: the shortest time of each
//! job, and the peak memory.

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use treewright::cost::Penalty;
use treewright::export::json;
use treewright::prune::{Impurity, Method, MinCost, NodeCosts, PruningCost, family};

const MOST_BYTES: u64 = 8 << 30;
const MOST_MEMBERS: usize = 10_000;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, cost, repeats] = &arguments[..] else {
        return Err("usage: prune MODEL.json error|gini|entropy REPEATS".into());
    };
    let cost = match cost.as_str() {
        "error" => PruningCost::Error,
        "gini" => PruningCost::Impurity(Impurity::Gini),
        "entropy" => PruningCost::Impurity(Impurity::Entropy),
        other => return Err(format!("unknown cost {other:?}").into()),
    };
    let tree = Arc::new(json::read_model(&fs::read_to_string(model)?)?.model);
    let repeats = repeats.parse::<usize>()?.max(1);

    // The costs of the nodes are part of the work: scikit-learn has them stored.
    let (path_seconds, path) = shortest(repeats, || {
        let costs = NodeCosts::of(&tree, cost).expect("a tree with rows");
        family(&tree, &costs, &Penalty::Linear, Method::Auto, MOST_BYTES).expect("a linear family")
    });
    let (thresholds_seconds, thresholds) = shortest(repeats, || path.members());

    // Of very many members a part stands for all.
    let start = Instant::now();
    let mut nodes = 0_u64;
    let step = path.len().div_ceil(MOST_MEMBERS);
    for member in (0..path.len()).step_by(step) {
        nodes += black_box(path.tree(member)).n_nodes() as u64;
    }
    let members_seconds = start.elapsed().as_secs_f64() * step as f64;

    let costs = NodeCosts::of(&tree, cost)?;
    forget_peak();
    let before = peak_kilobytes();
    let (table_seconds, table) = shortest(repeats, || {
        MinCost::new(&costs, MOST_BYTES).expect("enough memory")
    });
    let after = peak_kilobytes();
    let (by_size_seconds, by_size) =
        shortest(repeats, || table.tree(&tree, table.most_leaves() / 2));

    let line = serde_json::json!({
        "leaves": tree.n_leaves(),
        "depth": tree.depth(),
        "members": path.len(),
        "largest_lambda": thresholds[0].lambda_low,
        "path_seconds": path_seconds,
        "thresholds_seconds": thresholds_seconds,
        "all_trees_seconds": members_seconds,
        "all_trees_nodes": nodes * step as u64,
        "table_seconds": table_seconds,
        "table_kilobytes": after.zip(before).map(|(after, before)| after - before),
        "by_size_seconds": by_size_seconds,
        "by_size_leaves": by_size.map(|tree| tree.n_leaves()),
    });
    println!("{line}");
    Ok(())
}

/// The shortest wall time of several runs, and the last result. One thread does the work.
fn shortest<T>(repeats: usize, work: impl Fn() -> T) -> (f64, T) {
    let mut shortest = f64::INFINITY;
    let mut result = None;
    for _ in 0..repeats {
        drop(result.take());
        let start = Instant::now();
        result = Some(black_box(work()));
        shortest = shortest.min(start.elapsed().as_secs_f64());
    }
    (shortest, result.expect("at least one run"))
}

/// Starts the largest memory anew; only Linux can.
fn forget_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Largest memory of the process so far; only Linux tells.
fn peak_kilobytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
