//! Bins of a numeric target: nodes of one bin, and the ends of the bins.

use treewright::data::csv::CsvSource;
use treewright::data::{Dataset, ReadOptions, Task};
use treewright::learn::Learner;
use treewright::learn::greedy::{Criterion, Greedy};
use treewright::{Budget, Fit};

fn grown(bins: usize) -> (Dataset, Fit) {
    // Two clusters: 0, 0.1, ... and 9, 9.1, ...
    let rows =
        (0..20).map(|x| format!("{x},{}\n", f64::from(x % 10) / 10.0 + f64::from(x / 10 * 9)));
    let text = format!("x,y\n{}", rows.collect::<String>());
    let source = CsvSource::new(text.into_bytes(), b',').unwrap();
    let options = ReadOptions {
        target: Some("y".into()),
        task: Task::Regression,
        ..ReadOptions::default()
    };
    let data = Dataset::read(&source, &options).unwrap();
    let learner = Greedy {
        criterion: Some(Criterion::BinnedGini),
        bins,
        zero_gain: true,
        min_split: 2,
        ..Greedy::default()
    };
    let fit = learner.fit(&data, &Budget::unlimited()).unwrap();
    (data, fit)
}

#[test]
fn a_node_of_one_bin_is_a_leaf() {
    let (data, fit) = grown(2);
    assert_eq!(fit.model.n_leaves(), 2);
    let shares = fit.model.predict_bins(&data);
    assert_eq!(shares[..2], [1.0, 0.0]);
    assert_eq!(shares[38..], [0.0, 1.0]);
    assert!(fit.model.predict_proba(&data).is_empty());
}

#[test]
fn the_ends_of_bins_are_in_the_parameters() {
    let (_, fit) = grown(3);
    let edges = fit.learner.params.bin_edges().unwrap();
    assert_eq!(edges.len(), 4);
    assert_eq!((edges[0], edges[3]), (0.0, 9.9));
    assert!((edges[1] - 3.3).abs() < 1e-12);
}
