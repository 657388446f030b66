//! `prune TREE.json`: anybody's tree, given by children and costs.

use std::fmt::Write;

use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;
use treewright::export::json::CostedNodes;
use treewright::prune::{Aim, CostFamily, CostMember, CostTree, KeptNodes};
use treewright::tree::Member;

use super::all_sizes::{LeastCosts, figure};
use crate::args::PruneArgs;
use crate::commands::family::{evenly, threshold};
use crate::commands::{about, count, most_bytes};
use crate::input;
use crate::output::{self, Console, Destination};

/// Families of more kept nodes in all are not written.
const MOST_NODES_WRITTEN: usize = 50_000_000;
/// More nodes or members are not printed.
const MOST_NODES_SHOWN: usize = 400;
const MOST_MEMBERS_SHOWN: usize = 60;

pub(super) fn run(
    nodes: &CostedNodes,
    args: &PruneArgs,
    file: Option<&Destination>,
    console: &Console,
) -> Result<()> {
    let path = args.model.path();
    let name = || input::name_of(path);
    ensure!(
        args.data.is_none() && args.pruning.cost.is_none(),
        "{}: a tree of costs has its costs already: leave DATA and --cost out",
        name()
    );
    let tree = CostTree::new(&nodes.children, &nodes.cost).with_context(name)?;
    if !tree.is_exact() {
        console.note(
            "costs have more than 15 digits: they are rounded, and splits that gain next to nothing gain nothing",
        );
    }
    if args.all_sizes {
        let sizes = LeastCosts::new(tree.least_costs(), tree.is_exact(), figure);
        return sizes.write(file, console);
    }
    let penalty = args.pruning.penalty.read()?;
    let (method, most_bytes) = (args.pruning.method(), most_bytes(&args.limits));
    let failed = |error| about(path, &args.pruning.penalty, error);
    if args.family {
        let family = tree.family(&penalty, method, most_bytes).map_err(failed)?;
        return write_family(&tree, &family, &penalty.to_string(), file, console);
    }
    let aim = aim(args)?;
    let kept = tree.prune(&penalty, &aim, method, most_bytes);
    let kept = PruningDocument::new(kept.map_err(failed)?, tree.is_exact());
    output::document(&kept, file, console, || kept.words(tree.n_leaves()))
}

/// What the pruning shall be best at.
fn aim(args: &PruneArgs) -> Result<Aim> {
    Ok(
        match (args.lambda.value()?, args.leaves.count()?, &args.max_cost) {
            (Some(lambda), ..) => Aim::Weight(lambda),
            (_, Some(leaves), _) => Aim::Leaves(leaves),
            (.., Some(most)) => Aim::MaxCost(most.value("max-cost")?),
            _ => bail!("--select chooses in a family of learned trees: take --lambda or --leaves"),
        },
    )
}

#[derive(Serialize)]
struct PruningDocument {
    kept: Vec<usize>,
    leaves: usize,
    cost: f64,
    exact: bool,
}

impl PruningDocument {
    fn new(kept: KeptNodes, exact: bool) -> Self {
        Self {
            kept: kept.nodes,
            leaves: kept.leaves,
            cost: kept.cost,
            exact,
        }
    }

    fn words(&self, before: usize) -> String {
        let shown = self.kept.iter().take(MOST_NODES_SHOWN);
        let numbers: Vec<String> = shown.map(ToString::to_string).collect();
        let mut text = output::wrapped(&format!("kept nodes: {}", numbers.join(" ")));
        if self.kept.len() > numbers.len() {
            let (shown, all) = (numbers.len(), self.kept.len());
            let _ = writeln!(text, "({shown} of {all}; --json and -o FILE give all)");
        }
        let leaves = count(self.leaves, "leaf", "leaves");
        let _ = writeln!(text, "{leaves} of {before}, cost {}", figure(self.cost));
        text
    }
}

#[derive(Serialize)]
struct FamilyDocument<'a> {
    penalty: &'a str,
    exact: bool,
    members: Vec<MemberDocument>,
}

#[derive(Serialize)]
struct MemberDocument {
    leaves: usize,
    cost: f64,
    lambda_low: f64,
    lambda_high: Option<f64>,
    kept: Vec<usize>,
}

fn write_family(
    tree: &CostTree,
    family: &CostFamily<'_>,
    penalty: &str,
    file: Option<&Destination>,
    console: &Console,
) -> Result<()> {
    if file.is_none() && !console.json {
        return output::print(&table(&family.members, penalty));
    }
    let mut members = Vec::new();
    let mut n_nodes = 0;
    for (place, member) in family.members.iter().enumerate() {
        let kept = family.kept(place)?.nodes;
        n_nodes += kept.len();
        ensure!(
            n_nodes <= MOST_NODES_WRITTEN,
            "the prunings of this family have more than {MOST_NODES_WRITTEN} nodes together: take \
             single ones with --lambda or --leaves, or the costs alone with --all-sizes"
        );
        members.push(MemberDocument {
            leaves: member.leaves,
            cost: member.cost,
            lambda_low: member.lambda_low,
            lambda_high: member.lambda_high,
            kept,
        });
    }
    let document = FamilyDocument {
        penalty,
        exact: tree.is_exact(),
        members,
    };
    output::document(&document, file, console, String::new)
}

/// The members, smallest first.
fn table(members: &[CostMember], penalty: &str) -> String {
    let places: Vec<usize> = (0..members.len()).collect();
    let shown = evenly(&places, MOST_MEMBERS_SHOWN);
    let from = |place: usize| {
        let CostMember {
            leaves,
            cost,
            lambda_low,
            lambda_high,
        } = members[place];
        let member = Member {
            leaves,
            cost,
            errors: None,
            lambda_low: Some(lambda_low),
            lambda_high,
        };
        threshold(&member, lambda_low)
    };
    let rows = shown.iter().map(|&place| {
        vec![
            members[place].leaves.to_string(),
            from(place),
            place.checked_sub(1).map_or("inf".into(), from),
            figure(members[place].cost),
        ]
    });
    let header = ["leaves", "lambda from", "to below", "cost"].map(str::to_owned);
    let mut text = output::figures(header.to_vec(), rows);
    let all = count(members.len(), "member", "members");
    if shown.len() < members.len() {
        let shown = shown.len();
        let _ = writeln!(text, "({shown} of {all}; --json and -o FILE give all)");
    }
    let _ = writeln!(text, "\n{all} for penalty {penalty}");
    text
}
