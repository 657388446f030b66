//! Distinct trees over subsets of the features, and the best subset.
//!
//! `cargo run --example features`

use treewright::Budget;
use treewright::data::csv::CsvSource;
use treewright::data::{Dataset, ReadOptions};
use treewright::learn::Greedy;
use treewright::select::{Complete, Distinct};

fn main() -> treewright::Result<()> {
    // The class is that of `a` and `b` together; `noise` has nothing to do with it.
    let row = |row: usize| {
        let (a, b, noise) = (row % 2, row / 2 % 2, row * row % 7);
        let class = if a == 1 && b == 1 { "yes" } else { "no" };
        format!("{a},{b},{noise},{class}\n")
    };
    let rows: String = (0..80).map(row).collect();
    let table = format!("a,b,noise,class\n{rows}");
    let source = CsvSource::new(table.into(), b',')?;
    let data = Dataset::read(&source, &ReadOptions::default())?;
    let name = |feature: &usize| &*data.schema().features[*feature].name;

    let distinct = Distinct::new(Greedy::default());
    for found in distinct.trees(&data)? {
        let names: Vec<&str> = found.features.iter().map(name).collect();
        println!("{} leaves from {names:?}", found.tree.n_leaves());
    }

    let best = Complete::new(Greedy::default()).select(&data, &Budget::unlimited())?;
    let names: Vec<&str> = best.selected.iter().map(name).collect();
    println!("best: {names:?}, error {}", best.search_error);
    assert_eq!(names, ["a", "b"]);
    Ok(())
}
