//! Whoever works for long looks often enough whether it is time to stop.

use std::cell::Cell;
use std::fmt::Write;

use fastrand::Rng;

use super::leaf_size::LeafSize;
use super::level::Setting;
use super::line::Rule;
use super::looks::{Looks, Stopped};
use super::table::Table;
use super::{Optimal, Sizes};
use crate::budget::Budget;
use crate::cost::RowLosses;
use crate::data::csv::CsvSource;
use crate::data::{Dataset, ReadOptions};

const N_CLASSES: usize = 50;
const N_ROWS: usize = 2000;

fn many_classes() -> Dataset {
    let mut rng = Rng::with_seed(1);
    let mut text = String::from("x,y,class\n");
    for _ in 0..N_ROWS {
        let [x, y] = [(); 2].map(|()| rng.f64());
        writeln!(text, "{x},{y},c{}", rng.usize(..N_CLASSES)).unwrap();
    }
    let source = CsvSource::new(text.into(), b',').unwrap();
    Dataset::read(&source, &ReadOptions::default()).unwrap()
}

#[test]
fn many_classes_are_given_up_at_the_next_look() {
    let data = many_classes();
    for min_leaf in [1, 3] {
        let learner = Optimal {
            min_leaf,
            ..Optimal::default()
        };
        let losses =
            RowLosses::new(&data, &learner.loss, "optimal trees", RowLosses::NARROW).unwrap();
        let table = Table::new(&data, &losses, LeafSize::new(&learner, &data));
        let columns = (0..data.columns().len()).collect();
        let (table, _) = table.sorted(columns, &Budget::unlimited());
        let price = learner.price(&table, losses.scale, losses.is_whole);
        let setting = Setting {
            table: &table,
            price: price.unwrap(),
            rule: Rule {
                most: N_CLASSES + 1,
                min_leaf,
            },
            arch: pulp::Arch::new(),
            sizes: Sizes::USUAL,
        };
        let one = |n_before: usize| {
            let n_looks = Cell::new(0);
            let is_spent = || n_looks.replace(n_looks.get() + 1) >= n_before;
            let value = setting.one(&table.whole, &mut Looks::new(&is_spent));
            (value, n_looks.get())
        };
        let (whole, n_looks) = one(usize::MAX);
        assert!(matches!(whole, Ok(Some(_))), "{whole:?}");
        // About a look for each million of steps.
        let fair = setting.work_of_one(setting.rule.most) as usize >> 20;
        assert!(fair >= 9, "{fair}");
        assert!((fair..2 * fair).contains(&n_looks), "{n_looks} {fair}");
        for n_before in 0..n_looks {
            assert_eq!(one(n_before), (Err(Stopped), n_before + 1));
        }
        assert_eq!(one(n_looks), (whole, n_looks));
    }
}
