//! The judge must accept what it would build itself, and nothing that is a little wrong.

use fastrand::Rng;
use treewright::data::Dataset;
use treewright::learn::Greedy;
use treewright::learn::greedy::Criterion;
use treewright::tree::{MissingRoute, Outcome, Split};

use super::build::{Plan, build, grow_by};
use super::greedy::judge;
use super::splits::Problem;
use crate::greedy::differential::{
    CRITERIA, NUMBER_CRITERIA, all_policies, random_params, settled_table,
};
use crate::tables::{Weights, Wishes};

fn accepts(data: &Dataset, params: &Greedy, plan: &Plan) -> Result<(), String> {
    judge(data, params, &plan.tree(data.schema(), &params.loss))
}

/// Runs `check` on random tables with random parameters for every criterion and policy.
fn for_many(
    classes: bool,
    weights: Weights,
    check: impl Fn(&Dataset, &Greedy) -> Result<(), String>,
) {
    let criteria: &[Criterion] = if classes { &CRITERIA } else { &NUMBER_CRITERIA };
    for (seed, &criterion) in criteria.iter().enumerate() {
        let mut rng = Rng::with_seed(seed as u64);
        for (missing, categorical_splits) in all_policies() {
            for _ in 0..20 {
                let mut params = random_params(&mut rng, criterion);
                (params.missing, params.categorical_splits) = (missing, categorical_splits);
                let wishes = Wishes {
                    classes,
                    missing: true,
                    weights,
                };
                let table = settled_table(&mut rng, wishes, &mut params);
                if let Err(what) = check(&table.data, &params) {
                    panic!("{what}\n{params:?}\n{table}");
                }
            }
        }
    }
}

#[test]
fn the_judge_accepts_the_naive_builder() {
    for classes in [true, false] {
        for_many(classes, Weights::Any, |data, params| {
            accepts(data, params, &build(data, params))
        });
    }
}

#[test]
fn the_judge_rejects_spoiled_nodes() {
    for classes in [true, false] {
        for_many(classes, Weights::Any, |data, params| {
            let plan = build(data, params);
            for (name, spoiled) in spoil(&plan) {
                if accepts(data, params, &spoiled).is_ok() {
                    return Err(format!("accepts a tree with {name}: {spoiled:#?}"));
                }
            }
            Ok(())
        });
    }
}

/// With exact comparison there is just one right split of the root; otherwise only splits that are
/// nearly as good may be taken.
#[test]
fn the_judge_rejects_every_other_split() {
    for classes in [true, false] {
        for_many(classes, Weights::Any, |data, params| {
            let problem = Problem::new(data, params);
            let root = problem.root();
            let candidates = problem.candidates(&root);
            let right = build(data, params).branch.map(|branch| branch.split);
            let best = candidates
                .iter()
                .find(|candidate| Some(&candidate.split) == right.as_ref());
            // Rounding may leave open whether the learner looks at the best split at all.
            if best.is_some_and(|best| !best.is_sure) {
                return Ok(());
            }
            let rational = matches!(
                problem.criterion,
                Criterion::Gini | Criterion::Error | Criterion::BinnedGini
            );
            let one_is_right = rational && root.whole && params.min_gain == 0.0;
            for other in &candidates {
                let worse = best.is_some_and(|best| {
                    problem.score(other) < problem.score(best) * (1.0 - 1e-6) - 1e-6
                });
                let same = Some(&other.split) == right.as_ref();
                if same || !(worse || one_is_right) {
                    continue;
                }
                let plan = grow_by(&problem, &root, other, 0);
                if accepts(data, params, &plan).is_ok() {
                    return Err(format!("accepts {:?} instead of {right:?}", other.split));
                }
            }
            Ok(())
        });
    }
}

fn spoil(plan: &Plan) -> Vec<(&'static str, Plan)> {
    let mut spoiled = Vec::new();
    let mut push = |name, change: &dyn Fn(&mut Plan)| {
        let mut copy = plan.clone();
        change(&mut copy);
        spoiled.push((name, copy));
    };
    push("another weight", &|plan| match &mut plan.outcome {
        Outcome::Counts(counts) => counts[0] += 1.0,
        Outcome::Numbers(moments, _) => moments.weight += 1.0,
    });
    match &plan.outcome {
        Outcome::Counts(counts) if counts.len() < 2 => {}
        Outcome::Counts(_) => {
            push("swapped counts", &|plan| {
                if let Outcome::Counts(counts) = &mut plan.outcome {
                    counts[0] += 0.5;
                    counts[1] -= 0.5_f64.min(counts[1]);
                }
            });
        }
        Outcome::Numbers(_, bins) => {
            push("another value", &|plan| plan.value += 1e-3);
            push("another mean", &|plan| {
                if let Outcome::Numbers(moments, _) = &mut plan.outcome {
                    moments.mean += 1e-3;
                }
            });
            if bins.is_some() {
                push("another bin", &|plan| {
                    if let Outcome::Numbers(_, Some(bins)) = &mut plan.outcome {
                        bins[0] += 1.0;
                    }
                });
            }
        }
    }
    let Some(branch) = &plan.branch else {
        return spoiled;
    };
    let inside = |plan: &mut Plan, change: &dyn Fn(&mut super::build::PlannedBranch)| {
        change(plan.branch.as_mut().expect("is a branch"));
    };
    push("a weight of a child changed", &|plan| {
        inside(plan, &|branch| match &mut branch.children[0].outcome {
            Outcome::Counts(counts) => counts[0] += 1e-3,
            Outcome::Numbers(moments, _) => moments.weight += 1e-3,
        });
    });
    let n_present = branch.split.n_present();
    if branch.children.len() == n_present || n_present > 1 {
        push("another missing route", &|plan| {
            inside(plan, &|branch| {
                branch.children.truncate(n_present);
                branch.missing = match branch.missing {
                    MissingRoute::Child(own) if own as usize == n_present => MissingRoute::Child(0),
                    MissingRoute::Child(_) => MissingRoute::Distribute,
                    MissingRoute::Distribute => MissingRoute::Child(0),
                };
            });
        });
    }
    if let Split::Intervals { cuts, .. } = &branch.split
        && !cuts.is_empty()
    {
        push("a neighbouring cut", &|plan| {
            inside(plan, &|branch| {
                if let Split::Intervals { cuts, .. } = &mut branch.split {
                    cuts[0] = cuts[0].next_down();
                }
            });
        });
    }
    if let Split::Categories { branches, .. } = &branch.split
        && branches.contains(&None)
    {
        push("a branch for a category that does not occur", &|plan| {
            inside(plan, &|branch| {
                if let Split::Categories { branches, .. } = &mut branch.split {
                    for child in branches {
                        *child = Some(child.unwrap_or(0));
                    }
                }
            });
        });
    }
    if branch.children[0].outcome != branch.children[1].outcome {
        push("swapped children", &|plan| {
            inside(plan, &|branch| branch.children.swap(0, 1));
        });
    }
    spoiled
}

/// Leaves where a split was due, and splits where none was.
#[test]
fn the_judge_rejects_trees_that_stop_too_early_or_too_late() {
    for_many(true, Weights::Whole, |data, params| {
        let plan = build(data, params);
        if plan.branch.is_some() {
            let mut cut = plan;
            cut.branch = None;
            return match accepts(data, params, &cut) {
                Ok(()) if params.min_gain == 0.0 => Err("accepts a leaf for a split".into()),
                _ => Ok(()),
            };
        }
        let problem = Problem::new(data, params);
        let root = problem.root();
        for other in problem.candidates(&root) {
            let plan = grow_by(&problem, &root, &other, 0);
            if params.min_gain == 0.0 && accepts(data, params, &plan).is_ok() {
                return Err(format!("accepts {:?} instead of a leaf", other.split));
            }
        }
        Ok(())
    });
}
