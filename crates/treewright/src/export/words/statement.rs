//! What a certificate says, as a sentence.

use crate::cost::{ClassShare, Lambda};
use crate::error::{counted, printable};
use crate::tree::{
    CategoricalSplits, CostKind, Least, LeastLeaf, Minimised, PathRules, PruningLimit, PruningLoss,
    Statement, TreeClass,
};

/// The longest exact number in a sentence about prunings.
const LONGEST: usize = 40;

/// What is minimised, over which trees: `cost + 0.01 * leaves over collapsed dyadic trees, k = [2, 3]`.
pub fn statement(statement: &Statement) -> String {
    match statement {
        Statement::Words(words) => words.clone(),
        Statement::Least(least) => {
            let Least { minimised, over } = &**least;
            // The weights of prunings may be thresholds, with hundreds of digits.
            let number = match over {
                TreeClass::Prunings { .. } => short,
                TreeClass::Bounded { .. } | TreeClass::Dyadic { .. } => Lambda::to_string,
            };
            let minimised = match minimised {
                Minimised::Cost(kind) => cost(*kind),
                Minimised::Penalised(kind, lambda, penalty) => {
                    let (cost, lambda) = (cost(*kind), number(lambda));
                    format!("{cost} + {lambda} * {}", penalty.in_words())
                }
                Minimised::Leaves => "leaves".to_owned(),
            };
            format!("{minimised} over {}", trees(over))
        }
    }
}

/// A class of trees: `trees of depth 2 with up to 3 intervals at the last level`.
pub fn trees(class: &TreeClass) -> String {
    match class {
        TreeClass::Bounded {
            depth,
            intervals,
            categories,
            leaf,
            min_class_share,
            most_leaves,
            rules,
        } => {
            let least = match leaf {
                LeastLeaf::Weight(share) => format!(", at least {share} of all weight in a leaf"),
                LeastLeaf::Rows(1) => String::new(),
                LeastLeaf::Rows(rows) => format!(", at least {rows} rows in a leaf"),
            };
            let share = sure(min_class_share.as_ref());
            let most = most_leaves.map(|most| counted(most, "leaf", "leaves"));
            let most = most.map_or(String::new(), |it| format!(", at most {it}"));
            let [groups, above] = match categories {
                CategoricalSplits::Multiway => [String::new(), String::new()],
                CategoricalSplits::OneVsRest => {
                    [String::new(), ", one category against the rest".to_owned()]
                }
                CategoricalSplits::Grouped => {
                    let groups = match intervals {
                        2.. => " or groups of categories".to_owned(),
                        _ => " or 2 groups of categories".to_owned(),
                    };
                    [groups, ", one category against the rest above".to_owned()]
                }
            };
            format!(
                "trees of depth {depth} with up to {intervals} intervals{groups} at the last level{above}{least}{share}{most}{}",
                kept(rules)
            )
        }
        TreeClass::Dyadic {
            model,
            grid_box,
            halvings,
            most_leaves,
        } => {
            let model = model.as_ref().map_or(String::new(), |it| format!("{it} "));
            let most = most_leaves.map(|most| counted(most, "leaf", "leaves"));
            let most = most.map_or(String::new(), |it| format!(" with at most {it}"));
            let grid_box = grid_box.as_ref();
            let grid_box = grid_box.map_or(String::new(), |it| format!(", box = {it}"));
            let grid = halvings.as_ref();
            let grid = grid.map_or(String::new(), |it| format!(", k = {it:?}"));
            format!("{model}dyadic trees{most}{grid_box}{grid}")
        }
        TreeClass::Prunings {
            of,
            from_leaves,
            min_class_share,
            only,
        } => {
            let only = match only {
                None => String::new(),
                Some(PruningLimit::Leaves(most)) => {
                    format!(" with at most {}", counted(*most, "leaf", "leaves"))
                }
                Some(PruningLimit::Cost(kind, most)) => {
                    format!(" with {} of at most {}", cost(*kind), short(most))
                }
            };
            let leaves = counted(*from_leaves, "leaf", "leaves");
            let share = sure(min_class_share.as_ref());
            format!("the prunings{only} of a {of} tree with {leaves}{share}")
        }
    }
}

/// How frequent the class of a leaf is, after a comma.
fn sure(share: Option<&ClassShare>) -> String {
    share.map_or(String::new(), |share| {
        format!(", at least {share} of the weight of a leaf in its class")
    })
}

/// Which rules the trees keep, after a comma.
fn kept(rules: &PathRules) -> String {
    let joined = |names: &[String], between: &str| {
        let names: Vec<String> = names.iter().map(|name| printable(name)).collect();
        names.join(between)
    };
    let one_of =
        |group: &Vec<String>| format!(", at most one of {} on a path", joined(group, ", "));
    let not_above = |pair: &Vec<String>| format!(", {}", joined(pair, " never above "));
    let at_root = |name: &String| format!(", {} only at the root", printable(name));
    let interactions = rules.interactions.iter().map(one_of);
    let root_only = rules.root_only.iter().map(at_root);
    let not_above = rules.not_above.iter().map(not_above);
    interactions.chain(root_only).chain(not_above).collect()
}

fn cost(kind: CostKind) -> String {
    let CostKind::Pruning { of, other_rows } = kind else {
        return "cost".into();
    };
    let cost = match of {
        PruningLoss::Error => "error",
        PruningLoss::Matrix => "cost",
        PruningLoss::Squared => "mse",
        PruningLoss::Impurity => "impurity",
    };
    match other_rows {
        None => cost.to_owned(),
        Some(rows) => format!("{cost} on {}", counted(rows, "other row", "other rows")),
    }
}

/// Exact where that is short.
fn short(ratio: &Lambda) -> String {
    let exact = ratio.to_string();
    if exact.len() <= LONGEST {
        exact
    } else {
        format!("about {:e}", ratio.to_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Penalty;
    use crate::tree::LearnerKind;

    #[test]
    fn long_numbers_are_shortened() {
        let shortened = |text: &str| short(&text.parse().unwrap());
        for text in ["1/3", "0.01", "1e308", "2.5e-300"] {
            assert_eq!(shortened(text), text);
        }
        let long = format!("{}/7", "1".repeat(300));
        assert!(shortened(&long).starts_with("about 1.587301"));
    }

    #[test]
    fn every_class_of_trees() {
        let lambda: Lambda = "1/3".parse().unwrap();
        let bounded = |leaf| TreeClass::Bounded {
            depth: 2,
            intervals: 3,
            categories: CategoricalSplits::Multiway,
            leaf,
            min_class_share: None,
            most_leaves: None,
            rules: PathRules::default(),
        };
        let small = TreeClass::Bounded {
            depth: 2,
            intervals: 2,
            categories: CategoricalSplits::Multiway,
            leaf: LeastLeaf::Rows(1),
            min_class_share: "2/3".parse().ok(),
            most_leaves: Some(3),
            rules: PathRules {
                interactions: vec![["x", "y"].map(str::to_owned).to_vec()],
                root_only: ["u", "v"].map(str::to_owned).to_vec(),
                not_above: vec![["x", "z"].map(str::to_owned).to_vec()],
            },
        };
        let binary = |intervals, categories| TreeClass::Bounded {
            depth: 3,
            intervals,
            categories,
            leaf: LeastLeaf::Rows(5),
            min_class_share: None,
            most_leaves: None,
            rules: PathRules::default(),
        };
        let error = CostKind::Pruning {
            of: PruningLoss::Error,
            other_rows: Some(1),
        };
        let prunings = |only| TreeClass::Prunings {
            of: LearnerKind::Greedy,
            from_leaves: 9,
            min_class_share: "0.9".parse().ok(),
            only,
        };
        let dyadic = TreeClass::Dyadic {
            model: Some("collapsed".into()),
            grid_box: None,
            halvings: Some(vec![1, 2]),
            most_leaves: Some(1),
        };
        let penalised =
            |kind| Minimised::Penalised(kind, lambda.clone(), "sqrt".parse::<Penalty>().unwrap());
        for (minimised, over, expected) in [
            (
                Minimised::Cost(CostKind::Loss),
                bounded(LeastLeaf::Rows(1)),
                "cost over trees of depth 2 with up to 3 intervals at the last level",
            ),
            (
                Minimised::Cost(CostKind::Loss),
                bounded(LeastLeaf::Weight(0.25)),
                "cost over trees of depth 2 with up to 3 intervals at the last level, at least 0.25 of all weight in a leaf",
            ),
            (
                Minimised::Cost(CostKind::Loss),
                small,
                "cost over trees of depth 2 with up to 2 intervals at the last level, at least 2/3 of the weight of a leaf in its class, at most 3 leaves, at most one of x, y on a path, u only at the root, v only at the root, x never above z",
            ),
            (
                Minimised::Cost(CostKind::Loss),
                binary(3, CategoricalSplits::OneVsRest),
                "cost over trees of depth 3 with up to 3 intervals at the last level, one category against the rest, at least 5 rows in a leaf",
            ),
            (
                Minimised::Cost(CostKind::Loss),
                binary(3, CategoricalSplits::Grouped),
                "cost over trees of depth 3 with up to 3 intervals or groups of categories at the last level, one category against the rest above, at least 5 rows in a leaf",
            ),
            (
                Minimised::Cost(CostKind::Loss),
                binary(1, CategoricalSplits::Grouped),
                "cost over trees of depth 3 with up to 1 intervals or 2 groups of categories at the last level, one category against the rest above, at least 5 rows in a leaf",
            ),
            (
                Minimised::Cost(CostKind::Loss),
                dyadic,
                "cost over collapsed dyadic trees with at most 1 leaf, k = [1, 2]",
            ),
            (
                penalised(error),
                prunings(None),
                "error on 1 other row + 1/3 * sqrt(leaves) over the prunings of a greedy tree with 9 leaves, at least 0.9 of the weight of a leaf in its class",
            ),
            (
                Minimised::Leaves,
                prunings(Some(PruningLimit::Cost(error, lambda.clone()))),
                "leaves over the prunings with error on 1 other row of at most 1/3 of a greedy tree with 9 leaves, at least 0.9 of the weight of a leaf in its class",
            ),
        ] {
            assert_eq!(statement(&Statement::least(minimised, over)), expected);
        }
    }

    #[test]
    fn a_box_is_named_where_it_is_not_the_range() {
        let quantile = TreeClass::Dyadic {
            model: Some("boxed".into()),
            grid_box: Some("quantile".into()),
            halvings: Some(vec![3]),
            most_leaves: None,
        };
        assert_eq!(
            trees(&quantile),
            "boxed dyadic trees, box = quantile, k = [3]"
        );
    }
}
