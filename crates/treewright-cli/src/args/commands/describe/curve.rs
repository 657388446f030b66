//! `curve`: learning curves.

use anyhow::Result;
use clap::Args;
use treewright::learn::optimal::Optimal;
use treewright::select::LearningCurve;

use crate::args::groups::{HoldoutArg, LimitArgs, OutputArgs, RepeatsArg, SeedArg, TableArgs};
use crate::args::learners::{LearnersArg, NamedLearner};
use crate::args::values::WholeNumber;

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
#[command(
    mut_arg("repeats", |arg| {
        arg.help("How often other rows are held out").default_value("10")
    }),
    mut_arg("holdout", |arg| arg.default_value("0.3")),
    mut_arg("seed", |arg| {
        arg.help("Decides which rows are held out when").default_value("0")
    }),
)]
#[command(after_help = "\
Examples:
  treewright curve greedy iris.csv
  treewright curve greedy,greedy:select=1se,optimal:depth=2 titanic.csv --target survived
  treewright curve '\"dyadic:k=3,2,1\",greedy' iris.csv --sizes 20,40,80 --repeats 20
  treewright curve optimal:depth=1,optimal:depth=2 iris.csv
  treewright curve greedy iris.csv --rates -o curve.csv")]
pub(crate) struct CurveArgs {
    #[command(flatten)]
    learners: LearnersArg,
    #[command(flatten)]
    pub(crate) table: TableArgs,
    /// Numbers of rows to learn from [default: all that are not held out, half of them, a quarter, ...]
    #[arg(
        long,
        value_name = "N,N,...",
        value_delimiter = ',',
        help_heading = "Curve",
        allow_hyphen_values = true
    )]
    sizes: Option<Vec<WholeNumber>>,
    #[command(flatten, next_help_heading = "Curve")]
    repeats: RepeatsArg,
    #[command(flatten)]
    holdout: HoldoutArg,
    #[command(flatten)]
    seed: SeedArg,
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
        let mut learners = self.learners.named(self.limits)?;
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
            repeats: self.repeats.count()?,
            holdout: self.holdout.share(),
            seed: self.seed.number()?,
        })
    }
}
