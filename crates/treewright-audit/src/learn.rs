//! Learns from a table, in this process, and writes what the program would write.

use std::time::Duration;

use serde_json::{Value, json};
use treewright::cost::{ClassShare, Lambda, Loss, Penalty};
use treewright::data::Dataset;
use treewright::export::json::{self, write_family, write_model};
use treewright::learn::dyadic::{self, Coding, Dyadic, Method, Model, Resolution, Solver, Ties};
use treewright::learn::greedy::{CategoricalSplits, Criterion, Greedy, MissingPolicy};
use treewright::learn::optimal::{Optimal, Switches};
use treewright::learn::{FamilyLearner, Learner};
use treewright::prune::{self, Aim, Impurity, NodeCosts, Pruner, PruningCost};
use treewright::select::{Complete, Distinct, Pruned};
use treewright::tree::{self, FamilyFit, LearnerInfo, PathRules};
use treewright::{Budget, Error, Fit, Result};

use crate::setting::{DyadicJob, GreedyJob, Job, OptimalJob, PruneJob, Setting, SizesJob, Stop};
use crate::table::Table;

/// What came of learning.
#[derive(Debug, Clone)]
pub struct Learned {
    /// The document that the program would write: a model, a family or a result.
    pub document: String,
    /// A proof file that helps the checker.
    pub proof: Option<String>,
    /// The objective and the lower bound, where there is one tree with a certificate.
    pub bounds: Option<(f64, f64)>,
}

/// Learns as a setting says.
pub fn learn(table: &Table, setting: &Setting) -> Result<Learned> {
    let data = table.read()?;
    let loss = table.loss(&data)?;
    on_threads(setting.threads, || learn_from(table, &data, loss, setting))
}

/// One thread has a pool of its own; more take the threads that everything in this process shares.
fn on_threads<T: Send>(n_threads: usize, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    if n_threads > 1 {
        return work();
    }
    thread_local! {
        static ALONE: Option<rayon::ThreadPool> =
            rayon::ThreadPoolBuilder::new().num_threads(1).build().ok();
    }
    ALONE.with(|pool| match pool {
        Some(pool) => pool.install(work),
        None => work(),
    })
}

fn learn_from(table: &Table, data: &Dataset, loss: Loss, setting: &Setting) -> Result<Learned> {
    let budget = budget(setting.stop);
    let most_bytes = match setting.stop {
        Stop::Bytes(bytes) => Some(bytes),
        _ => None,
    };
    match &setting.job {
        Job::Optimal(job) => {
            let learner = optimal(job, loss, most_bytes)?;
            Ok(model(
                learner.fit_with(data, &budget, switches(job))?,
                table,
            ))
        }
        Job::OptimalPath(job) => {
            let found = sizes(job, loss, data, &budget, most_bytes, table)?;
            Ok(document(write_family(&found)))
        }
        Job::OptimalSize(job) if job.alone => {
            let learner = size_alone(job, loss, most_bytes)?;
            let fit = learner.fit_with(data, &budget, switches(&job.trees))?;
            Ok(model(fit, table))
        }
        Job::OptimalSize(job) => {
            let found = sizes(job, loss, data, &budget, most_bytes, table)?;
            let value = job.aim.1.as_str();
            let (member, lambda) = if job.aim.0 == "lambda" {
                let lambda: Lambda = value.parse()?;
                (found.family.at(&lambda), Some(lambda))
            } else {
                let member = found.family.with_leaves(whole(value)?);
                (member.unwrap_or(0), None)
            };
            Ok(model(prune::take_out(&found, member, lambda, None)?, table))
        }
        Job::Dyadic(job) => {
            let learner = dyadic(job, loss, most_bytes, false)?;
            Ok(model(learner.fit(data, &budget)?, table))
        }
        Job::DyadicPath(job) => {
            let learner = dyadic(job, loss, most_bytes, true)?;
            let mut found = learner.fit_family(data, &budget)?;
            remember(&mut found.learner, table);
            Ok(document(write_family(&found)))
        }
        Job::Greedy(job) => Ok(model(greedy(job, loss)?.fit(data, &budget)?, table)),
        Job::Prune(job) => prune(job, loss, data, &budget, table),
        Job::PrunePath(job) => {
            let pruned = Pruned {
                cost: pruning_cost(job)?,
                penalty: penalty(&job.penalty, &job.table)?,
                method: method(&job.method)?,
                most_bytes: most_bytes.unwrap_or(u64::MAX),
                ..Pruned::new(greedy(&job.greedy, loss.clone())?)
            };
            let mut found = pruned.fit_family(data, &budget, None)?;
            remember(&mut found.learner, table);
            // The same tree again, unless only the clock knows when its growth was stopped.
            let is_again = !matches!(setting.stop, Stop::Micros(_));
            let again = is_again.then(|| pruned.learner.fit(data, &self::budget(setting.stop)));
            let proof = again.transpose()?.map(|grown| grown_proof(grown, table));
            Ok(Learned {
                proof,
                ..document(write_family(&found))
            })
        }
        Job::Select(job) => select(job, loss, (data, table), &budget),
        Job::Distinct(job) => distinct(job, loss, (data, table), &budget),
    }
}

fn budget(stop: Stop) -> Budget {
    let budget = Budget::unlimited();
    match stop {
        Stop::Never | Stop::Bytes(_) => budget,
        Stop::Looks(looks) => budget.with_looks(looks),
        Stop::Micros(micros) => budget.with_time_limit(Duration::from_micros(micros)),
    }
}

fn document(document: String) -> Learned {
    Learned {
        document,
        proof: None,
        bounds: None,
    }
}

fn model(mut fit: Fit, table: &Table) -> Learned {
    remember(&mut fit.learner, table);
    let certificate = fit.certificate.as_ref();
    Learned {
        bounds: certificate.map(|c| (c.objective, c.lower_bound)),
        ..document(write_model(&fit))
    }
}

/// The proof of prunings: the tree before.
fn grown_proof(mut grown: Fit, table: &Table) -> String {
    remember(&mut grown.learner, table);
    let header = json!({"format": "treewright.proof", "version": 1, "kind": "grown"});
    format!("{header}\n{}\n", write_model(&grown))
}

/// Adds the weights of classes to the parameters, as the program does.
fn remember(learner: &mut LearnerInfo, table: &Table) {
    learner.params.set_class_weight(&table.class_weight());
}

fn optimal(job: &OptimalJob, loss: Loss, most_bytes: Option<u64>) -> Result<Optimal> {
    Ok(Optimal {
        depth: job.depth,
        intervals: job.intervals,
        min_leaf: job.min_leaf,
        min_leaf_weight: job.min_leaf_weight,
        min_class_share: class_share(&job.min_class_share)?,
        leaf_cost: job.leaf_cost.parse()?,
        categorical_splits: categorical_splits(&job.categorical_splits)?,
        rules: PathRules {
            interactions: job.rules.interactions.clone(),
            root_only: job.rules.root_only.clone(),
            not_above: job.rules.not_above.clone(),
        },
        loss,
        most_bytes: most_bytes.map_or(usize::MAX, |bytes| bytes as usize),
        ..Optimal::default()
    })
}

fn categorical_splits(name: &str) -> Result<tree::CategoricalSplits> {
    let all = [
        tree::CategoricalSplits::Multiway,
        tree::CategoricalSplits::OneVsRest,
        tree::CategoricalSplits::Grouped,
    ];
    named(name, &all, tree::CategoricalSplits::name)
}

/// The search for one of the best trees of every number of leaves.
fn size_alone(job: &SizesJob, loss: Loss, most_bytes: Option<u64>) -> Result<Optimal> {
    let learner = optimal(&job.trees, loss, most_bytes)?;
    let value = job.aim.1.as_str();
    Ok(if job.aim.0 == "lambda" {
        Optimal {
            leaf_cost: value.parse()?,
            penalty: penalty(&job.penalty, &job.table)?,
            ..learner
        }
    } else {
        Optimal {
            leaves: Some(whole(value)?),
            ..learner
        }
    })
}

fn switches(job: &OptimalJob) -> Switches {
    if job.tiny {
        Switches::TINY
    } else {
        Switches::USUAL
    }
}

/// The best trees of every number of leaves.
fn sizes(
    job: &SizesJob,
    loss: Loss,
    data: &Dataset,
    budget: &Budget,
    most_bytes: Option<u64>,
    table: &Table,
) -> Result<FamilyFit> {
    let learner = Optimal {
        penalty: penalty(&job.penalty, &job.table)?,
        ..optimal(&job.trees, loss, most_bytes)?
    };
    let mut found = learner.fit_family_with(data, budget, switches(&job.trees))?;
    remember(&mut found.learner, table);
    Ok(found)
}

fn dyadic(job: &DyadicJob, loss: Loss, most_bytes: Option<u64>, is_path: bool) -> Result<Dyadic> {
    let usual = Dyadic::default();
    let (aim, value) = (job.aim.0.as_str(), job.aim.1.as_str());
    Ok(Dyadic {
        resolution: resolution(&job.k)?,
        grid_box: match job.grid_box.as_str() {
            "" => usual.grid_box,
            name => name.parse()?,
        },
        model: named(&job.model, &[Model::Collapsed, Model::Boxed], Model::name)?,
        coding: named(
            &job.coding,
            &[Coding::Share, Coding::Order, Coding::OneVsRest],
            Coding::name,
        )?,
        snap: job.snap,
        aim: match aim {
            "lambda" => dyadic::Aim::Lambda(value.parse()?),
            "kappa" => dyadic::Aim::Kappa(value.parse()?),
            _ => dyadic::Aim::Leaves(whole(value)?),
        },
        penalty: penalty(&job.penalty, &job.table)?,
        ties: named(&job.ties, &[Ties::Smaller, Ties::Larger], Ties::name)?,
        solver: if is_path {
            usual.solver
        } else {
            let all = [
                Solver::Auto,
                Solver::BranchAndBound,
                Solver::Recursion,
                Solver::PlainRecursion,
            ];
            named(&job.search, &all, Solver::name)?
        },
        method: if is_path {
            let all = [
                Method::Hull,
                Method::Grid,
                Method::Adaptive,
                Method::Heuristic,
            ];
            named(&job.search, &all, Method::name)?
        } else {
            usual.method
        },
        collinear: job.collinear,
        loss,
        most_bytes: most_bytes.map_or(usual.most_bytes, |bytes| bytes as usize),
        ..usual
    })
}

fn resolution(k: &str) -> Result<Resolution> {
    if k == "auto" {
        return Ok(Resolution::Auto);
    }
    let numbers: Result<Vec<u32>> = k.split(',').map(|k| Ok(whole(k)? as u32)).collect();
    Ok(match numbers?.as_slice() {
        [same] => Resolution::Same(*same),
        each => Resolution::Each(each.to_vec()),
    })
}

fn greedy(job: &GreedyJob, loss: Loss) -> Result<Greedy> {
    let criteria = [
        Criterion::Gini,
        Criterion::Entropy,
        Criterion::GainRatio,
        Criterion::Error,
        Criterion::Mse,
        Criterion::Mae,
    ];
    let (policies, splits) = (MissingPolicy::ALL, CategoricalSplits::ALL);
    Ok(Greedy {
        criterion: Some(named(&job.criterion, &criteria, Criterion::name)?),
        max_depth: job.max_depth,
        min_leaf: job.min_leaf,
        missing: named(&job.missing, &policies, MissingPolicy::name)?,
        categorical_splits: named(&job.categorical_splits, &splits, CategoricalSplits::name)?,
        zero_gain: job.zero_gain,
        min_class_share: class_share(&job.min_class_share)?,
        loss,
        ..Greedy::default()
    })
}

/// The least share of the class of a leaf, if there is one.
fn class_share(text: &str) -> Result<Option<ClassShare>> {
    match text {
        "" => Ok(None),
        text => text.parse().map(Some),
    }
}

fn pruning_cost(job: &PruneJob) -> Result<PruningCost> {
    let impurity = PruningCost::Impurity(Impurity::default());
    named(
        &job.cost,
        &[PruningCost::Error, impurity],
        PruningCost::name,
    )
}

fn method(name: &str) -> Result<prune::Method> {
    let all = [
        prune::Method::Auto,
        prune::Method::Additive,
        prune::Method::Family,
        prune::Method::Table,
    ];
    named(name, &all, prune::Method::name)
}

fn prune(
    job: &PruneJob,
    loss: Loss,
    data: &Dataset,
    budget: &Budget,
    table: &Table,
) -> Result<Learned> {
    let mut grown = greedy(&job.greedy, loss)?.fit(data, budget)?;
    remember(&mut grown.learner, table);
    let proof = grown_proof(grown.clone(), table);
    let cost = pruning_cost(job)?.as_in(&grown.learner);
    let pruner = Pruner {
        penalty: penalty(&job.penalty, &job.table)?,
        cost,
        method: method(&job.method)?,
        most_bytes: u64::MAX,
    };
    let value = job.aim.1.as_str();
    let aim = match job.aim.0.as_str() {
        "lambda" => Aim::Weight(value.parse()?),
        "leaves" => Aim::Leaves(whole(value)?),
        _ => Aim::MaxCost(value.parse()?),
    };
    let costs = NodeCosts::of_model(&grown, cost)?;
    let pruned = pruner.prune(grown, &costs, None, &aim)?;
    Ok(Learned {
        proof: Some(proof),
        ..model(pruned, table)
    })
}

/// The table as it was read, and the learner: fields of a model file.
fn problem(greedy: &Greedy, data: &Dataset, table: &Table) -> Value {
    let mut learner = greedy.info(data);
    remember(&mut learner, table);
    json::problem(data.schema(), &greedy.loss, &learner)
}

/// The document of `select complete --json`.
fn select(
    job: &GreedyJob,
    loss: Loss,
    (data, table): (&Dataset, &Table),
    budget: &Budget,
) -> Result<Learned> {
    let greedy = greedy(job, loss)?;
    let found = Complete::new(greedy.clone()).select(data, budget)?;
    let features = &data.schema().features;
    let names = |of: &[usize]| -> Vec<&str> { of.iter().map(|&at| &*features[at].name).collect() };
    let mut text = json!({
        "method": "complete",
        "selected": names(&found.selected),
        "unused": names(&found.unused),
        "removed": names(&found.removed),
        "search_error": found.search_error,
        "all_features_error": found.all_features_error,
        "trees_built": found.trees_built,
        "trees_skipped": found.trees_skipped,
        "optimal": found.proof.map(|proof| proof.optimal),
        "lower_bound": found.proof.map(|proof| proof.lower_bound),
        "seconds": found.time.as_secs_f64(),
        "problem": problem(&greedy, data, table),
        "judged_by": {"holdout": 0.3, "seed": 0},
    });
    if found.stopped {
        text["stopped"] = true.into();
    }
    Ok(document(text.to_string()))
}

/// The document of `distinct --json`.
fn distinct(
    job: &GreedyJob,
    loss: Loss,
    (data, table): (&Dataset, &Table),
    budget: &Budget,
) -> Result<Learned> {
    let greedy = greedy(job, loss)?;
    let found = Distinct::new(greedy.clone()).count(data, budget)?;
    let text = json!({
        "features": found.n_features,
        "distinct": found.distinct,
        "built": found.built,
        "ratio": found.built as f64 / found.distinct as f64,
        "by_size": found.by_size,
        "complete": found.complete,
        "seconds": found.time.as_secs_f64(),
        "problem": problem(&greedy, data, table),
    });
    Ok(document(text.to_string()))
}

fn penalty(name: &str, values: &[String]) -> Result<Penalty> {
    if name == "table" {
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        return Penalty::table(&values);
    }
    name.parse()
}

/// The one with that name.
fn named<T: Copy>(name: &str, all: &[T], name_of: impl Fn(T) -> &'static str) -> Result<T> {
    let found = all.iter().copied().find(|&one| name_of(one) == name);
    found.ok_or_else(|| Error::parameter("setting", name, "a name that is known"))
}

fn whole(text: &str) -> Result<usize> {
    text.parse()
        .map_err(|_| Error::parameter("setting", text, "a whole number"))
}
