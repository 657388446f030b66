//! Searches that need too much memory say so.

use fastrand::Rng;

use super::leaf_size::LeafSize;
use super::table::Table;
use super::{Optimal, Sizes, plant};
use crate::budget::Budget;
use crate::cost::RowLosses;
use crate::data::csv::CsvSource;
use crate::data::{Dataset, ReadOptions};
use crate::tree::Training;

fn random_table(rng: &mut Rng) -> Dataset {
    let mut text = String::from("kind,x,y,z,class\n");
    for _ in 0..rng.usize(20..40) {
        let number = |rng: &mut Rng| match rng.u8(..12) {
            0 => String::new(),
            _ => rng.u32(..60).to_string(),
        };
        let kind = ["red", "green"][rng.usize(..2)];
        let class = ["a", "b"][rng.usize(..2)];
        let [x, y, z] = [(); 3].map(|()| number(rng));
        text += &[kind, &x, &y, &z, class].join(",");
        text.push('\n');
    }
    let source = CsvSource::new(text.into(), b',').unwrap();
    Dataset::read(&source, &ReadOptions::default()).unwrap()
}

#[test]
fn too_little_memory_is_never_taken_for_a_proof() {
    let mut n_stopped = 0;
    for seed in 0..20 {
        let mut rng = Rng::with_seed(seed);
        let data = random_table(&mut rng);
        let cost = |most_bytes: usize| {
            let learner = Optimal {
                depth: 4,
                intervals: Some(2),
                most_bytes,
                leaf_cost: "1/60".parse().unwrap(),
                ..Optimal::default()
            };
            let losses =
                RowLosses::new(&data, &learner.loss, "optimal trees", RowLosses::NARROW).unwrap();
            let table = Table::new(&data, &losses, LeafSize::new(&learner, &data));
            let columns = (0..data.columns().len()).collect();
            let (table, _) = table.sorted(columns, &Budget::unlimited());
            let price = learner.price(&table, losses.scale, true).unwrap();
            // Without the first look at the memory.
            let found = learner.search(
                &table,
                price,
                [&Budget::unlimited(); 2],
                Sizes::USUAL,
                None,
                None,
            );
            let tree = plant(&found.plan, &data, &learner.loss).unwrap();
            let objective = learner.objective(&Training::of_leaves(&tree, &data));
            (objective, found.bound.is_none())
        };
        let (best, _) = cost(usize::MAX);
        for bytes in [0, 200, 400, 800, 1200, 1600, 2000, 3000, 4000] {
            let (found, is_proven) = cost(bytes);
            n_stopped += u32::from(!is_proven);
            assert!(
                !is_proven || found == best,
                "{found} {best} seed {seed} {bytes} bytes"
            );
        }
    }
    assert!(n_stopped > 10, "{n_stopped} were stopped");
    // A tree that is worth less than all trees were said to be.
    assert!(super::check_bound(5, 5).is_ok() && super::check_bound(5, 6).is_ok());
    assert!(super::check_bound(5, 4).is_err());
}
