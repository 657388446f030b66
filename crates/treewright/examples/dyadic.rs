//! The best dyadic trees for all weights of a leaf: `cargo run --example dyadic [TABLE.csv]`

use treewright::Budget;
use treewright::data::{Dataset, ReadOptions, csv::CsvSource};
use treewright::learn::FamilyLearner;
use treewright::learn::dyadic::{Dyadic, Resolution};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1);
    let path = path.unwrap_or_else(|| "testdata/tables/titanic.csv".into());
    let source = CsvSource::new(std::fs::read(path)?, b',')?;
    let data = Dataset::read(&source, &ReadOptions::default())?;
    let learner = Dyadic {
        resolution: Resolution::Same(2),
        ..Dyadic::default()
    };
    let fit = learner.fit_family(&data, &Budget::unlimited())?;
    for member in fit.family.members() {
        let (leaves, cost) = (member.leaves, member.cost);
        println!(
            "{leaves} leaves, cost {cost:.4}, the best from lambda = {:.6} on",
            member.lambda_low.unwrap()
        );
    }
    assert_eq!(fit.exact_down_to, 0.0, "the family is complete");
    Ok(())
}
