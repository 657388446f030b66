//! Commands that describe a table: how well it can be learned.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use treewright::learn::optimal::Optimal;
use treewright::select::LearningCurve;

use super::values::Names;
use super::{LimitArgs, NamedLearner, OptimalArgs, OutputArgs, ReadingArgs, WholeNumber};

/// How well trees of depth 0, 1, 2, 3 can describe a whole table.
///
/// For each depth the tree with the least cost on all rows is found, and proven to be the best: its errors,
/// its leaves and the features that it asks. If two levels do almost as well as three, the table is simple;
/// a single feature often explains most of it. These are figures on the rows themselves, not on new ones:
/// `curve` shows those. The target must hold classes.
///
/// Each level takes far longer than the one before. A time limit spans all of them; a depth that is not
/// proven by then shows its best tree so far, and a bound that no tree can be below.
#[derive(Debug, Args)]
#[command(
    mut_arg("depth", |arg| arg.default_value("3").help("The largest depth")),
    after_help = "\
Examples:
  treewright summary iris.csv
  treewright summary titanic.csv --target survived --depth 2
  treewright summary big.csv --intervals 2 --min-leaf 10 --time-limit 60s
  treewright summary iris.csv --json | jq '.depths[].errors'"
)]
pub(crate) struct SummaryArgs {
    /// The table to describe: a file or `-`
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) optimal: OptimalArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Learning curves: error on rows held out, against the number of rows learned from.
///
/// A share of the rows is held out, and learners see more and more of the others; all learners see the same
/// rows. This is repeated with other rows held out. A curve that still falls at its end says that more
/// rows would help; one that is flat, that another kind of tree might.
///
/// A learner is a name with settings after colons, which are options of `treewright fit` with that learner:
/// greedy:criterion=gain-ratio:select=1se, dyadic:kappa=5, optimal:depth=1. A learner with a comma in it
/// is put in double quotes inside the list.
///
/// With optimal:depth=1 and optimal:depth=2 in the list, or --rates, a second table shows the rows against
/// 1/eps, where eps is the error above that of the best tree of that depth on the whole table, and compares
/// the rows that both depths need for the same eps with the VC dimensions of such trees.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright curve greedy iris.csv
  treewright curve greedy,greedy:select=1se,optimal:depth=2 titanic.csv --target survived
  treewright curve '\"dyadic:k=3,2,1\",greedy' iris.csv --sizes 20,40,80 --repeats 20
  treewright curve optimal:depth=1,optimal:depth=2 iris.csv
  treewright curve greedy iris.csv --rates -o curve.csv")]
pub(crate) struct CurveArgs {
    /// Learners, each a name with settings: greedy, dyadic:kappa=5, optimal:depth=1
    #[arg(value_name = "LEARNER,...", value_parser = Names::parse)]
    learners: Names,
    /// The table to learn from: a file or `-`
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    /// Numbers of rows to learn from [default: all that are not held out, half of them, a quarter, ...]
    #[arg(
        long,
        value_name = "N,N,...",
        value_delimiter = ',',
        help_heading = "Curve",
        allow_hyphen_values = true
    )]
    sizes: Option<Vec<WholeNumber>>,
    /// How often other rows are held out
    #[arg(
        long,
        value_name = "N",
        default_value = "10",
        help_heading = "Curve",
        allow_negative_numbers = true
    )]
    repeats: WholeNumber,
    /// Share of the rows that is held out
    #[arg(
        long,
        value_name = "SHARE",
        default_value = "0.3",
        help_heading = "Curve",
        allow_negative_numbers = true
    )]
    holdout: f64,
    /// Decides which rows are held out when
    #[arg(
        long,
        value_name = "N",
        default_value = "0",
        help_heading = "Curve",
        allow_negative_numbers = true
    )]
    seed: WholeNumber,
    /// Rows against 1/eps, with the ratio of depth 2 to depth 1; adds the learners optimal:depth=1 and
    /// optimal:depth=2 if they are not in the list
    #[arg(long, help_heading = "Curve")]
    pub(crate) rates: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl CurveArgs {
    /// The learners of the list, each once, and those that `--rates` adds.
    pub(crate) fn learners(&self) -> Result<Vec<NamedLearner>> {
        let mut learners = NamedLearner::parse_list(&self.learners, self.limits)?;
        for depth in [1, 2] {
            let wanted = Optimal {
                depth,
                ..Optimal::default()
            };
            if self.rates && !learners.iter().any(|learner| learner.is(&wanted)) {
                let text = format!("optimal:depth={depth}");
                learners.push(NamedLearner::parse(&text, self.limits)?);
            }
        }
        Ok(learners)
    }

    /// Which rows are learned from and held out.
    pub(crate) fn plan(&self) -> Result<LearningCurve> {
        let sizes = self.sizes.as_ref().map(|sizes| {
            let sizes = sizes.iter().map(|size| size.count("sizes", 1));
            sizes.collect::<Result<Vec<usize>>>()
        });
        Ok(LearningCurve {
            sizes: sizes.transpose()?,
            repeats: self.repeats.count("repeats", 1)?,
            holdout: self.holdout,
            seed: self.seed.count("seed", 0)? as u64,
        })
    }
}
