//! The best tree of two levels, with its proof: `cargo run --example optimal [TABLE.csv]`

use treewright::Budget;
use treewright::data::{Dataset, ReadOptions, csv::CsvSource};
use treewright::export;
use treewright::learn::{Learner, optimal::Optimal};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1);
    let path = path.unwrap_or_else(|| "testdata/tables/rings.csv".into());
    let source = CsvSource::new(std::fs::read(path)?, b',')?;
    let data = Dataset::read(&source, &ReadOptions::default())?;
    let learner = Optimal {
        depth: 2,
        intervals: Some(2),
        ..Optimal::default()
    };
    let fit = learner.fit(&data, &Budget::unlimited())?;
    println!("{}", export::text::plain(&fit.model));
    let proven = fit.certificate.ok_or("optimal trees have a certificate")?;
    println!(
        "cost {}, and no tree has less than {}",
        proven.objective, proven.lower_bound
    );
    assert!(proven.lower_bound >= proven.objective);
    Ok(())
}
