//! `prune`: the best pruning of a model, all of them, or a member of a family.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use treewright::Fit;
use treewright::data::Purpose;
use treewright::eval;
use treewright::export::json::{self, Document};
use treewright::export::proof;
use treewright::prune::{Aim, NodeCosts, Pruner, PruningCost, is_searched, least_costs};
use treewright::select::FamilyChoice;
use treewright::tree::{Certificate, CostsFrom, FamilyFit};

use super::all_sizes::LeastCosts;
use super::any_tree;
use crate::args::{PruneArgs, SelectArg};
use crate::commands::{about, count, family, model, most_bytes};
use crate::input::{self, Table};
use crate::output::{self, Console, Destination};

pub(crate) fn run(args: &PruneArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination(console)?;
    if let Some(data) = &args.data {
        input::only_one_standard(args.model.path(), data.path())?;
    }
    let proof_file = args.proof.destination()?;
    let name = input::name_of(args.model.path());
    let text = input::load_text(args.model.path())?;
    if let Some(nodes) = json::read_costs(&text).with_context(|| name.clone())? {
        ensure!(
            proof_file.is_none(),
            "{name}: --proof is for the prunings of a model file, and this is a tree of costs"
        );
        any_tree::run(&nodes, args, file.as_ref(), console)?;
        no_time_limit(args, console);
        return Ok(ExitCode::SUCCESS);
    }
    let document = json::read(&text).with_context(|| name.clone())?;
    drop(text);
    let mut proof = Vec::new();
    if proof_file.is_some() {
        let Document::Model(grown) = &document else {
            bail!(
                "{name}: --proof is for the prunings of a model file; the proof of a family comes from \
                 `path --proof`"
            );
        };
        proof::write_grown(grown, &mut proof)?;
    }
    match document {
        Document::Model(fit) if args.all_sizes => sizes_of(&fit, args, file.as_ref(), console),
        Document::Model(fit) if args.family => family_of(*fit, args, file.as_ref(), console),
        Document::Model(fit) => {
            let pruned = pruning_of(*fit, args)?;
            finish(&pruned, "pruned", file.as_ref(), console)
        }
        Document::Family(fit) => {
            let member = member_of(&fit, args).with_context(|| name)?;
            let how = if is_searched(&fit) {
                "taken out"
            } else {
                "pruned"
            };
            finish(&member, how, file.as_ref(), console)?;
            if let Some(note) = stopped(&fit, args.leaves.count()?, &member) {
                console.note(&note);
            }
            Ok(())
        }
    }?;
    if let Some(proof_file) = proof_file {
        proof_file.write(|out| out.write_all(&proof))?;
    }
    no_time_limit(args, console);
    Ok(ExitCode::SUCCESS)
}

fn no_time_limit(args: &PruneArgs, console: &Console) {
    if args.limits.time_limit().is_some() {
        console.note("the time limit is not used: pruning ends by itself");
    }
}

/// What a family whose search was stopped does not know about the tree that was taken out of it.
fn stopped(fit: &FamilyFit, asked: Option<usize>, member: &Fit) -> Option<String> {
    if fit.is_complete() {
        return None;
    }
    let own = member.training.leaves;
    if let Some(asked) = asked.filter(|&asked| asked > own) {
        // What is proven of this tree is about its own number of leaves.
        return Some(format!(
            "the search for the family was stopped early: its best tree with up to {} has {own}, and one with more \
             may be better",
            count(asked, "leaf", "leaves")
        ));
    }
    let certificate = member.certificate.as_ref();
    let is_proven = certificate.is_some_and(Certificate::is_optimal);
    (!is_proven).then(|| {
        "the search for the family was stopped early: this is its best tree, perhaps not the best of all".to_owned()
    })
}

/// Writes or shows one tree.
fn finish(fit: &Fit, how: &str, file: Option<&Destination>, console: &Console) -> Result<()> {
    if model::write(fit, file, console)? {
        console.note(&model::figures(&fit.training, how));
        Ok(())
    } else {
        output::print(&model::summary(fit, how))
    }
}

fn family_of(
    fit: Fit,
    args: &PruneArgs,
    file: Option<&Destination>,
    console: &Console,
) -> Result<()> {
    let (pruner, costs, costs_from) = costs_of(&fit, args)?;
    let found = pruner
        .family(fit, &costs, costs_from)
        .map_err(|error| about(args.model.path(), &args.pruning.penalty, error))?;
    if family::write(&found, file, console)? {
        console.note(&family::figures(&found));
        Ok(())
    } else {
        output::print(&family::table(&found))
    }
}

/// The least cost of every size.
fn sizes_of(
    fit: &Fit,
    args: &PruneArgs,
    file: Option<&Destination>,
    console: &Console,
) -> Result<()> {
    let (_, costs, _) = costs_of(fit, args)?;
    let scale = costs.scale();
    let least = least_costs(&costs).into_iter();
    let least = least.map(|value| (value.leaves, scale.cost(value.cost)));
    LeastCosts::new(least, costs.is_whole(), output::rounded).write(file, console)
}

fn pruning_of(fit: Fit, args: &PruneArgs) -> Result<Fit> {
    let aim = match (args.lambda.value()?, args.leaves.count()?, &args.max_cost) {
        (Some(lambda), ..) => Aim::Weight(lambda),
        (_, Some(leaves), _) => Aim::Leaves(leaves),
        (.., Some(most)) => Aim::MaxCost(most.value("max-cost")?),
        _ => bail!(
            "--select chooses in a family, but {} is a single tree; `path greedy --folds 10 -o FAMILY` \
             makes a family to choose from",
            input::name_of(args.model.path())
        ),
    };
    let (pruner, costs, costs_from) = costs_of(&fit, args)?;
    pruner
        .prune(fit, &costs, costs_from, &aim)
        .map_err(|error| about(args.model.path(), &args.pruning.penalty, error))
}

/// How to prune, and by which costs.
fn costs_of(fit: &Fit, args: &PruneArgs) -> Result<(Pruner, NodeCosts, Option<CostsFrom>)> {
    let cost = args.pruning.cost().as_in(&fit.learner);
    let pruner = Pruner {
        penalty: args.pruning.penalty.read()?,
        cost,
        method: args.pruning.method(),
        most_bytes: most_bytes(&args.limits),
    };
    match &args.data {
        None => {
            let costs = NodeCosts::of_model(fit, cost)
                .map_err(|error| about(args.model.path(), &args.pruning.penalty, error))?;
            Ok((pruner, costs, None))
        }
        Some(data) => {
            let (costs, from) = costs_from(fit, args.model.path(), data.path(), cost)?;
            Ok((pruner, costs, Some(from)))
        }
    }
}

/// Costs from other rows than those of the training, with the class weights of the training.
fn costs_from(
    fit: &Fit,
    model: &Path,
    path: &Path,
    cost: PruningCost,
) -> Result<(NodeCosts, CostsFrom)> {
    ensure!(
        !matches!(cost, PruningCost::Impurity(_)),
        "--cost impurity is that of the training rows: leave DATA out, or use --cost error"
    );
    let tree = &fit.model;
    ensure!(
        cost != PruningCost::Squared || !tree.schema().is_classification(),
        "cost: got mse, expected error for a tree that predicts classes"
    );
    let mut data = Table::open(path)?.for_model(tree.schema(), Purpose::Score)?;
    let class_weight = fit.learner.params.class_weight();
    class_weight
        .and_then(|weights| data.weigh_classes(&weights))
        .with_context(|| input::name_of(model))?;
    let context = || input::name_of(path);
    let found = eval::recost(tree, &data).with_context(context)?;
    let costs = NodeCosts::of_other_rows(fit, found.costs, found.errors.as_deref(), found.weight)
        .with_context(context)?;
    let from = CostsFrom {
        rows: found.rows,
        weight: found.weight,
    };
    let is_whole = data.has_whole_weights();
    Ok((if is_whole { costs } else { costs.rounded() }, from))
}

/// The member of a family that was asked for.
fn member_of(fit: &FamilyFit, args: &PruneArgs) -> Result<Fit> {
    let pruning = &args.pruning;
    ensure!(
        args.data.is_none(),
        "a family has its costs already: leave DATA out, or prune a model file"
    );
    ensure!(
        !pruning.penalty.is_given() && pruning.cost.is_none() && pruning.method.is_none(),
        "a family is for one penalty and cost (here {}): leave --penalty, --cost and --method out, or \
         prune a model file",
        fit.family.penalty()
    );
    let choice = (
        args.lambda.value()?,
        args.leaves.count()?,
        args.select.select,
    );
    let member = match choice {
        (Some(lambda), ..) => FamilyChoice::Weight(lambda),
        (_, Some(leaves), _) => FamilyChoice::Leaves(leaves),
        (.., Some(select)) => by_rule(fit, select)?,
        _ => bail!(
            "this is a family already: --lambda X, --leaves K or --select 1se takes a tree out of it"
        ),
    };
    member.take_out(fit)?.with_context(|| match member {
        FamilyChoice::Leaves(leaves) => {
            let smallest = fit.family.member(0).leaves;
            format!(
                "leaves: got {leaves}, expected at least {smallest}, the smallest of the family"
            )
        }
        FamilyChoice::Weight(_) | FamilyChoice::HeldOut { .. } => {
            "the family has no such member".to_owned()
        }
    })
}

/// The member that a rule chooses, if there is something to choose by.
fn by_rule(fit: &FamilyFit, select: SelectArg) -> Result<FamilyChoice> {
    fit.cross_validation.as_ref().with_context(|| {
        let learner = if is_searched(fit) {
            fit.learner.kind.name()
        } else {
            "greedy"
        };
        format!(
            "the family is not cross-validated, so --select cannot choose: make it with \
             `path {learner} DATA --folds 10`"
        )
    })?;
    let params = &fit.learner.params;
    ensure!(
        select != SelectArg::Cv || !params.has_holdout(),
        "select: got cv, expected holdout or 1se for a family that was validated on one part of the rows"
    );
    ensure!(
        select != SelectArg::Holdout || !params.is_cross_validated(),
        "select: got holdout, expected cv or 1se for a family that was cross-validated"
    );
    Ok(FamilyChoice::HeldOut {
        rule: select.rule(),
        name: select.name(),
    })
}
