//! All prunings of a greedy tree that are the best for some weight of a leaf: `cargo run --example prune [TABLE.csv]`

use std::sync::Arc;

use treewright::Budget;
use treewright::cost::Penalty;
use treewright::data::{Dataset, ReadOptions, csv::CsvSource};
use treewright::learn::{Greedy, Learner};
use treewright::prune::{Method, NodeCosts, PruningCost, family};

/// More than any table of prunings takes here.
const MOST_BYTES: u64 = 1 << 30;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1);
    let path = path.unwrap_or_else(|| "testdata/tables/rings.csv".into());
    let source = CsvSource::new(std::fs::read(path)?, b',')?;
    let data = Dataset::read(&source, &ReadOptions::default())?;
    let grown = Arc::new(Greedy::default().fit(&data, &Budget::unlimited())?.model);
    let costs = NodeCosts::of(&grown, PruningCost::Error)?;
    let family = family(&grown, &costs, &Penalty::Linear, Method::Auto, MOST_BYTES)?;
    for member in family.members() {
        let (leaves, cost) = (member.leaves, member.cost);
        println!(
            "{leaves} leaves, cost {cost:.4}, the best from lambda = {:.6} on",
            member.lambda_low.unwrap()
        );
    }
    assert_eq!(
        family.tree(0).n_leaves(),
        1,
        "for large weights one leaf is the best"
    );
    Ok(())
}
