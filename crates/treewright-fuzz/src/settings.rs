//! What wrong predictions cost, and what leaves cost.

use treewright::cost::Lambda;
use treewright::cost::{Loss, Objective, Scale, SolutionValue};
use treewright::data::{Dataset, ReadOptions, csv::CsvSource};
use treewright::learn::{Greedy, Learner, optimal::Optimal};
use treewright::prune::{Aim, Method, NodeCosts, Pruner, PruningCost};
use treewright::{Budget, Fit};
use treewright_cli::doors;

use crate::dice::Dice;
use crate::documents::{family_round_trip, refused};
use crate::scratch::with_file;
use crate::trees;

const TABLE: &str =
    "x,k,class\n1,a,no\n2,b,yes\n3,a,no\n4,,yes\n5,b,maybe\n,a,yes\n7,c,no\n8,c,yes\n";

/// Bytes as a table of costs.
pub(crate) fn costs(bytes: &[u8]) -> bool {
    let data = table();
    let classes = data.schema().classes();
    let matrix = match with_file("csv", bytes, |path| doors::costs(path, classes)) {
        Ok(matrix) => matrix,
        Err(error) => return refused(&format!("{error:#}")),
    };
    let loss = Loss::Matrix(matrix);
    let greedy = Greedy {
        loss: loss.clone(),
        ..Greedy::default()
    };
    let optimal = Optimal {
        loss,
        depth: 1,
        ..Optimal::default()
    };
    let dice = Dice::of(bytes);
    let learners: [&dyn Learner; 2] = [&greedy, &optimal];
    let learner = learners[dice.throw(7, 2)];
    if let Ok(fit) = learner.fit(&data, &Budget::unlimited()) {
        trees::use_fully(&fit, &data, dice);
    }
    true
}

/// Bytes as a table of penalties.
pub(crate) fn penalty(bytes: &[u8]) -> bool {
    let penalty = match with_file("txt", bytes, doors::penalties) {
        Ok(penalty) => penalty,
        Err(error) => return refused(&format!("{error:#}")),
    };
    let lambda: Lambda = "0.01".parse().expect("a decimal");
    let fit = fit();
    let costs = NodeCosts::of(&fit.model, PruningCost::Error).expect("counts of eight rows");
    let pruner = Pruner {
        penalty: penalty.clone(),
        cost: PruningCost::Error,
        method: Method::Auto,
        most_bytes: 1 << 20,
    };
    for aim in [Aim::Weight(lambda.clone()), Aim::Leaves(3)] {
        let _ = pruner.prune(fit.clone(), &costs, None, &aim);
    }
    if let Ok(family) = pruner.family(fit, &costs, None) {
        family_round_trip(&family);
    }
    if penalty.check(2).is_ok() {
        let scale = Scale::new(1.0, 8.0);
        let objective = Objective::new(lambda, penalty, scale);
        let value = |cost, leaves| SolutionValue { cost, leaves };
        objective.compare(value(3, 1), value(1, 2));
        objective.value(value(1, 2));
    }
    true
}

fn table() -> Dataset {
    let source = CsvSource::new(TABLE.into(), b',').expect("a sound table");
    Dataset::read(&source, &ReadOptions::default()).expect("a sound table")
}

fn fit() -> Fit {
    let fit = Greedy::default().fit(&table(), &Budget::unlimited());
    fit.expect("a sound table")
}
