//! From options to a learner.
//!
//! What can be wrong with the options is found before any table is read. What wrong predictions cost is known
//! only after that.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use treewright::cost::{Loss, Penalty};
use treewright::data::{Dataset, ReadOptions};
use treewright::error::quoted;
use treewright::learn::Learner;
use treewright::learn::dyadic::{self, Dyadic, Solver};
use treewright::prune::Aim;
use treewright::select::{Choice, Pruned, Searched};
use treewright::{Budget, Error, Fit};

use crate::args::{
    FitDyadicArgs, FitGreedyArgs, FitOptimalArgs, LearnerArgs, NamedLearner, SolverArg,
};
use crate::commands::most_bytes;
use crate::commands::problem::need_classes;

/// Makes the learner, once it is known what wrong predictions cost.
pub(in crate::commands) type Plan<'a> = Box<dyn Fn(Loss) -> Result<BoxedLearner> + 'a>;

pub(in crate::commands) type BoxedLearner = Box<dyn Learner + Sync>;

/// The learners of a list, whose settings are in range.
pub(in crate::commands) fn all(named: &[NamedLearner]) -> Result<Vec<Plan<'_>>> {
    named.iter().map(checked).collect()
}

fn checked(named: &NamedLearner) -> Result<Plan<'_>> {
    any(&named.args).with_context(|| format!("learner {}", quoted(&named.name)))
}

/// Makes them for a table, unless it holds numbers that one of them cannot learn.
pub(in crate::commands) fn all_for(
    named: &[NamedLearner],
    plans: &[Plan<'_>],
    loss: &Loss,
    (file, data, options): (&Path, &Dataset, &ReadOptions),
) -> Result<Vec<BoxedLearner>> {
    for named in named {
        let what = match &named.args {
            LearnerArgs::Greedy(_) => continue,
            LearnerArgs::Dyadic(_) => "dyadic trees need classes",
            LearnerArgs::Optimal(_) => "optimal trees need classes",
        };
        need_classes(file, data, options, what)?;
    }
    let learner = |(named, plan): (&NamedLearner, &Plan<'_>)| -> Result<BoxedLearner> {
        Ok(Box::new(Introduced {
            name: quoted(&named.name),
            learner: plan(loss.clone())?,
        }))
    };
    named.iter().zip(plans).map(learner).collect()
}

/// A learner of a list. What it complains about might be an option of the command, or a setting of any of
/// the learners, so its complaints begin with its name.
struct Introduced {
    name: String,
    learner: BoxedLearner,
}

impl Learner for Introduced {
    fn fit(&self, data: &Dataset, budget: &Budget) -> treewright::Result<Fit> {
        let fit = self.learner.fit(data, budget);
        fit.map_err(|error| Error::schema(format!("learner {}: {error}", self.name)))
    }
}

/// A learner of any kind.
fn any(args: &LearnerArgs) -> Result<Plan<'_>> {
    match args {
        LearnerArgs::Greedy(args) => greedy(args),
        LearnerArgs::Dyadic(args) => dyadic(args),
        LearnerArgs::Optimal(args) => optimal(args),
    }
}

/// The learner of optimal trees of a depth, for one weight or size or with a choice among all sizes.
pub(super) fn optimal(args: &FitOptimalArgs) -> Result<Plan<'_>> {
    let select = args.select.rule()?;
    let penalty = args.penalty.read()?;
    let most_bytes = args.limits.memory_limit();
    // Whatever is wrong with the numbers has nothing to do with the loss.
    args.learner(Loss::ZeroOne, most_bytes, penalty.clone())?;
    Ok(Box::new(move |loss| {
        let learner = args.learner(loss, most_bytes, penalty.clone())?;
        Ok(match select {
            None => Box::new(learner),
            Some((rule, resampling)) => Box::new(Searched {
                learner,
                rule,
                resampling,
            }),
        })
    }))
}

/// The greedy learner, perhaps followed by pruning.
pub(super) fn greedy(args: &FitGreedyArgs) -> Result<Plan<'_>> {
    let choice = choice(args)?;
    let penalty = args.pruning.penalty.read()?;
    args.greedy.learner(Loss::ZeroOne)?;
    Ok(Box::new(move |loss| {
        Ok(match choice.clone() {
            None => Box::new(args.greedy.learner(loss)?),
            Some(choice) => Box::new(pruned(args, loss, choice, penalty.clone())?),
        })
    }))
}

/// The greedy learner, followed by pruning.
pub(super) fn pruned(
    args: &FitGreedyArgs,
    loss: Loss,
    choice: Choice,
    penalty: Penalty,
) -> Result<Pruned> {
    Ok(Pruned {
        learner: args.greedy.learner(loss)?,
        cost: args.pruning.cost(),
        penalty,
        method: args.pruning.method(),
        choice,
        most_bytes: most_bytes(&args.limits),
    })
}

/// The learner of dyadic trees, for one weight or size or with a choice among all.
pub(super) fn dyadic(args: &FitDyadicArgs) -> Result<Plan<'_>> {
    let select = args.select.rule()?;
    let aim = aim(args)?;
    let penalty = args.dyadic.penalty.read()?;
    let solver = solver(args, &penalty)?;
    let most_bytes = most_bytes(&args.limits);
    args.dyadic.learner(Loss::ZeroOne, most_bytes)?;
    Ok(Box::new(move |loss| {
        let learner = Dyadic {
            aim: aim.clone(),
            penalty: penalty.clone(),
            solver,
            ..args.dyadic.learner(loss, most_bytes)?
        };
        Ok(match select {
            None => Box::new(learner),
            Some((rule, resampling)) => Box::new(Searched {
                learner,
                rule,
                resampling,
            }),
        })
    }))
}

/// How a pruning is chosen, if the tree is pruned at all.
pub(super) fn choice(args: &FitGreedyArgs) -> Result<Option<Choice>> {
    if let Some(lambda) = args.lambda.value()? {
        return Ok(Some(Choice::Aim(Aim::Weight(lambda))));
    }
    if let Some(leaves) = args.leaves.count()? {
        return Ok(Some(Choice::Aim(Aim::Leaves(leaves))));
    }
    let select = args.select.rule()?;
    Ok(select.map(|(rule, resampling)| Choice::Select { rule, resampling }))
}

/// What the tree shall be best at.
fn aim(args: &FitDyadicArgs) -> Result<dyadic::Aim> {
    Ok(
        match (args.lambda.value()?, &args.kappa, args.leaves.count()?) {
            (Some(lambda), ..) => dyadic::Aim::Lambda(lambda),
            (_, Some(kappa), _) => dyadic::Aim::Kappa(kappa.value("kappa")?),
            (.., Some(leaves)) => dyadic::Aim::Leaves(leaves),
            _ => dyadic::Aim::default(),
        },
    )
}

/// How the tree is found.
fn solver(args: &FitDyadicArgs, penalty: &Penalty) -> Result<Solver> {
    let solver = args.solver.map(SolverArg::solver).unwrap_or_default();
    ensure!(
        solver == Solver::Auto || *penalty == Penalty::Linear,
        "--solver {} is for the linear penalty: leave --solver or --penalty out",
        solver.name()
    );
    Ok(solver)
}
