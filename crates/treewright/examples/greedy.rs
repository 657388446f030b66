//! Learns a greedy tree from a text table and prints it.

use treewright::data::{Dataset, ReadOptions, csv::CsvSource};
use treewright::learn::{Greedy, Learner};
use treewright::{Budget, export};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1);
    let path = path.unwrap_or_else(|| "testdata/tables/rings.csv".into());
    let source = CsvSource::new(std::fs::read(path)?, b',')?;
    let data = Dataset::read(&source, &ReadOptions::default())?;
    let learner = Greedy {
        max_depth: Some(3),
        ..Greedy::default()
    };
    let fit = learner.fit(&data, &Budget::unlimited())?;
    println!("{}", export::text::plain(&fit.model));
    let training = &fit.training;
    println!("{} leaves, cost {:.4}", training.leaves, training.cost);
    Ok(())
}
