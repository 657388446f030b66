//! Every command and every flag, defined once.
//!
//! Flags that several commands share are groups ([`ReadingArgs`], [`GreedyArgs`], ...) which a
//! command takes in with `flatten`. A text that is no value of its flag at all ends here, with exit
//! code 2; a value that is out of range is passed on and refused by whoever knows the range.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{anyhow, ensure};
use clap::{Args, Parser, Subcommand, ValueEnum};
use treewright::cost::Loss;
use treewright::data::{ClassWeight, ReadOptions, Reading, Task};
use treewright::learn::Greedy;
use treewright::learn::greedy::{CategoricalSplits, Criterion, MissingPolicy, Summary};

use crate::input;
use crate::output::{Console, Destination};

/// Decision trees done exactly.
///
/// treewright turns a table into decision trees that you can read, check and use elsewhere. A table
/// is a CSV or TSV file (also with .gz), a Parquet, Arrow or Feather file, or `-` for standard input.
#[derive(Debug, Parser)]
#[command(
    name = "treewright",
    bin_name = "treewright",
    version,
    max_term_width = 100
)]
#[command(after_help = "\
Examples:
  treewright fit greedy iris.csv -o model.json
  treewright show model.json
  treewright predict model.json new.csv > predictions.csv

Exit code: 0 done, 1 bad input or failure, 2 the command line cannot be parsed.")]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command; they stand before or after it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
#[expect(clippy::struct_excessive_bools, reason = "switches are what they are")]
pub(crate) struct GlobalArgs {
    /// Number of threads; the result does not depend on it [default: all cores]
    #[arg(long, global = true, value_name = "N", allow_negative_numbers = true)]
    pub(crate) threads: Option<WholeNumber>,
    /// No messages, only results and errors
    #[arg(long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more on standard error
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// Exactly one JSON document on standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// No colours (`NO_COLOR` in the environment does the same)
    #[arg(long, global = true)]
    pub(crate) no_color: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Fit(Box<FitArgs>),
    Predict(PredictArgs),
    Score(ScoreArgs),
    Show(ShowArgs),
    Verify(VerifyArgs),
    Export(ExportArgs),
}

/// Learn one tree from a table.
///
/// Choose a learner: `greedy` grows a tree from the root down, as CART and C4.5 do.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright fit greedy iris.csv
  treewright fit greedy iris.csv --max-depth 3 -o model.json")]
pub(crate) struct FitArgs {
    #[command(subcommand)]
    pub(crate) learner: FitLearner,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FitLearner {
    Greedy(FitGreedyArgs),
}

/// Grow a tree from the root down, taking the best split at every node.
///
/// Handles classes and numbers as target, numeric and categorical features, and missing values. The
/// choice of a split is exact: with whole-number weights no rounding decides between two splits.
/// Prints the tree with its figures; with -o writes a model file for the other commands.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright fit greedy iris.csv
  treewright fit greedy titanic.csv --target survived --drop name,ticket --max-depth 4 -o model.json
  treewright fit greedy houses.csv.gz --target price --criterion mae --predict median --min-leaf 20")]
pub(crate) struct FitGreedyArgs {
    /// The table to learn from: a file or `-`
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) greedy: GreedyArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Predict the target of every row of a table.
///
/// Writes a CSV in row order with the column `prediction`: the class label, or a number. With --proba
/// there is one more column for each class, named by the class. The columns are found by name and read
/// with the kinds and missing tokens of the model; the target column need not be there.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright predict model.json new.csv > predictions.csv
  treewright predict model.json new.parquet --proba -o predictions.csv
  zcat new.csv.gz | treewright predict model.json - --json")]
pub(crate) struct PredictArgs {
    #[command(flatten)]
    pub(crate) on: ModelOnData,
    /// Also the probability of every class
    #[arg(long, help_heading = "Output")]
    pub(crate) proba: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Measure how well a model does on rows whose target is known.
///
/// Error, cost, confusion matrix and figures for every class; in regression the usual errors. Also
/// how large the tree is, and how many features it asks for on average. Row weights are used if the
/// model was learned with a weight column, which must then be there.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright score model.json test.csv
  treewright score model.json test.csv --json | jq .error")]
pub(crate) struct ScoreArgs {
    #[command(flatten)]
    pub(crate) on: ModelOnData,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Print a tree as text.
///
/// One line for each branch, with the rows that reach it and what it answers; in colour on a
/// terminal. With --json the checked model itself.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright show model.json
  treewright show model.json --no-color > tree.txt")]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    pub(crate) model: ModelArg,
}

/// Check every claim of a model file from the rows alone.
///
/// DATA must be the table that the model was learned from. Structure, counts, values, errors, cost
/// and the arithmetic of the certificate are computed anew and compared. Exit code 1 and a line for
/// each claim that does not hold.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright verify model.json train.csv
  treewright verify model.json train.csv --json")]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) on: ModelOnData,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Write a tree in a form for elsewhere.
///
/// `dot` is a drawing for Graphviz; `rules` are plain sentences, one for each leaf.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright export model.json --to rules
  treewright export model.json --to dot | dot -Tsvg > tree.svg
  treewright export model.json --to dot -o tree.dot")]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) model: ModelArg,
    /// The form
    #[arg(long, value_name = "FORM", help_heading = "Output")]
    pub(crate) to: ExportForm,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ExportForm {
    /// Graphviz
    Dot,
    /// One sentence for each leaf
    Rules,
}

/// A model file.
#[derive(Debug, Args)]
pub(crate) struct ModelArg {
    /// A model file, as written by `fit -o`
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
}

/// A model and the table to apply it to.
#[derive(Debug, Args)]
pub(crate) struct ModelOnData {
    #[command(flatten)]
    pub(crate) model: ModelArg,
    /// A table with the columns of the model: a file or `-`
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
}

/// Where the result goes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Write the result to this file; it appears only when it is complete
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    file: Option<PathBuf>,
}

impl OutputArgs {
    /// Where to write to, if that was said; refused where there is no place for it. With `--json`
    /// standard output is taken.
    pub(crate) fn destination(&self, console: &Console) -> anyhow::Result<Option<Destination>> {
        let destination = self.file.as_deref().map(Destination::new).transpose()?;
        Ok(destination.filter(|to| !(console.json && matches!(to, Destination::Stdout))))
    }
}

/// Which columns of a table to use, and how, on commands that learn.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct ReadingArgs {
    /// Column to predict [default: the last one that is not the weight]
    #[arg(long, value_name = "NAME")]
    target: Option<String>,
    /// Columns to learn from [default: all others]
    #[arg(long, value_name = "A,B,...", value_parser = Names::parse)]
    features: Option<Names>,
    /// Columns to leave out
    #[arg(long, value_name = "A,B,...", value_parser = Names::parse)]
    drop: Option<Names>,
    /// Column of row weights: finite, not negative; rows of weight 0 are dropped
    #[arg(long, value_name = "NAME")]
    weight: Option<String>,
    /// Columns to read as categories even if they hold numbers
    #[arg(long, value_name = "A,B,...", value_parser = Names::parse)]
    categorical: Option<Names>,
    /// Columns that must hold numbers
    #[arg(long, value_name = "A,B,...", value_parser = Names::parse)]
    numeric: Option<Names>,
    /// Texts that mean "missing", besides the empty cell; "" for none [default: ?,NA,NaN,null]
    #[arg(long, value_name = "A,B,...", value_parser = Names::parse)]
    na: Option<Names>,
    /// Weights of the classes, which multiply the row weights: `balanced` or LABEL=W,...
    #[arg(long, value_name = "WEIGHTS", value_parser = parse_class_weight)]
    class_weight: Option<ClassWeight>,
    /// Costs of wrong predictions: a CSV with the predicted classes in the first line and the true
    /// classes in the first column
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) costs: Option<PathBuf>,
    /// What to predict; `auto` takes texts and few whole numbers for classes
    #[arg(long, value_name = "TASK", default_value = "auto")]
    task: TaskArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TaskArg {
    Auto,
    Classification,
    Regression,
}

impl ReadingArgs {
    /// The reading options of the library.
    pub(crate) fn options(&self) -> ReadOptions {
        let list = |names: &Option<Names>| names.clone().unwrap_or_default().0;
        let mut reading = Reading {
            weight: self.weight.clone(),
            ..Reading::default()
        };
        if let Some(na) = &self.na {
            reading.na.clone_from(&na.0);
            reading.na.retain(|token| !token.is_empty());
        }
        ReadOptions {
            reading,
            target: self.target.clone(),
            features: self.features.clone().map(|names| names.0),
            drop: list(&self.drop),
            categorical: list(&self.categorical),
            numeric: list(&self.numeric),
            task: match self.task {
                TaskArg::Auto => Task::Auto,
                TaskArg::Classification => Task::Classification,
                TaskArg::Regression => Task::Regression,
            },
            class_weight: self.class_weight.clone().unwrap_or_default(),
        }
    }
}

/// The greedy learner.
#[derive(Debug, Args)]
#[command(next_help_heading = "Greedy tree")]
pub(crate) struct GreedyArgs {
    /// How good a split is; the last three are for regression [default: gini; regression: mse]
    #[arg(long, value_name = "CRITERION")]
    criterion: Option<CriterionArg>,
    /// Number of bins of the target for `binned-gini`
    #[arg(
        long,
        value_name = "N",
        default_value = "32",
        allow_negative_numbers = true
    )]
    bins: WholeNumber,
    /// What a leaf predicts in regression
    #[arg(long, value_name = "WHAT", default_value = "mean")]
    predict: PredictArg,
    /// Longest way from the root to a leaf [default: unlimited]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_depth: Option<WholeNumber>,
    /// A node with fewer rows is a leaf
    #[arg(
        long,
        value_name = "N",
        default_value = "2",
        allow_negative_numbers = true
    )]
    min_split: WholeNumber,
    /// A split must leave at least this many rows in every child
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        allow_negative_numbers = true
    )]
    min_leaf: WholeNumber,
    /// A split must gain at least this much at its node
    #[arg(
        long,
        value_name = "X",
        default_value = "0",
        allow_negative_numbers = true
    )]
    min_gain: f64,
    /// What happens to rows whose value is missing
    #[arg(long, value_name = "HOW", default_value = "distribute")]
    missing: MissingArg,
    /// How categorical features are split
    #[arg(long, value_name = "HOW", default_value = "multiway")]
    categorical_splits: CategoricalSplitsArg,
    /// Also take splits that gain nothing
    #[arg(long)]
    zero_gain: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum CriterionArg {
    Gini,
    Entropy,
    GainRatio,
    Error,
    Mse,
    Mae,
    BinnedGini,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum PredictArg {
    Mean,
    Median,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MissingArg {
    /// They go to all children, in proportion
    Distribute,
    /// They have a child of their own
    Branch,
    /// They go to the heaviest child
    Majority,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum CategoricalSplitsArg {
    /// One child for each category
    Multiway,
    /// One category against the others
    OneVsRest,
}

impl GreedyArgs {
    /// The learner with these parameters.
    pub(crate) fn learner(&self, loss: Loss) -> anyhow::Result<Greedy> {
        Ok(Greedy {
            criterion: self.criterion.map(|criterion| match criterion {
                CriterionArg::Gini => Criterion::Gini,
                CriterionArg::Entropy => Criterion::Entropy,
                CriterionArg::GainRatio => Criterion::GainRatio,
                CriterionArg::Error => Criterion::Error,
                CriterionArg::Mse => Criterion::Mse,
                CriterionArg::Mae => Criterion::Mae,
                CriterionArg::BinnedGini => Criterion::BinnedGini,
            }),
            bins: self.bins.count("bins", 0)?,
            predict: match self.predict {
                PredictArg::Mean => Summary::Mean,
                PredictArg::Median => Summary::Median,
            },
            max_depth: self
                .max_depth
                .map(|depth| depth.count("max-depth", 0))
                .transpose()?,
            min_split: self.min_split.count("min-split", 0)?,
            min_leaf: self.min_leaf.count("min-leaf", 0)?,
            min_gain: self.min_gain,
            missing: match self.missing {
                MissingArg::Distribute => MissingPolicy::Distribute,
                MissingArg::Branch => MissingPolicy::Branch,
                MissingArg::Majority => MissingPolicy::Majority,
            },
            categorical_splits: match self.categorical_splits {
                CategoricalSplitsArg::Multiway => CategoricalSplits::Multiway,
                CategoricalSplitsArg::OneVsRest => CategoricalSplits::OneVsRest,
            },
            zero_gain: self.zero_gain,
            loss,
        })
    }
}

/// When to stop with the best result so far.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArgs {
    /// Stop after this time with the best result so far: 500ms, 30s, 5m, 1h
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(crate) time_limit: Option<Duration>,
    /// Stop at this much memory with the best result so far: 512MB, 4GB
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    pub(crate) memory_limit: Option<u64>,
}

/// A list of names, written as one CSV record: quotes protect a comma.
#[derive(Debug, Clone, Default)]
struct Names(Vec<String>);

impl Names {
    fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        match input::text_records(text, ',').map_err(|error| error.to_string())? {
            mut records if records.len() == 1 => Ok(Self(records.remove(0).cells)),
            _ => Err("expected a list on one line".into()),
        }
    }
}

/// A whole number as it was typed, perhaps outside of the range that its flag allows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WholeNumber(i128);

impl std::str::FromStr for WholeNumber {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse()
            .map(Self)
            .map_err(|_| "expected a whole number")
    }
}

impl WholeNumber {
    /// The number, if it is one to count with and at least `least`.
    pub(crate) fn count(self, flag: &str, least: usize) -> anyhow::Result<usize> {
        let given = self.0;
        ensure!(
            given >= least as i128,
            "{flag}: got {given}, expected at least {least}"
        );
        usize::try_from(given).map_err(|_| {
            let most = usize::MAX;
            anyhow!("{flag}: got {given}, expected at most {most}")
        })
    }
}

fn parse_class_weight(text: &str) -> Result<ClassWeight, String> {
    if text == "balanced" {
        return Ok(ClassWeight::Balanced);
    }
    let weight_of = |pair: String| {
        let (label, weight) = pair
            .rsplit_once('=')
            .ok_or_else(|| format!("{pair:?} is neither `balanced` nor LABEL=W"))?;
        let number = weight
            .parse()
            .map_err(|_| format!("the weight of {label:?} is {weight:?}, expected a number"))?;
        Ok((label.to_owned(), number))
    };
    let pairs = Names::parse(text)?.0.into_iter().map(weight_of);
    match pairs.collect::<Result<Vec<_>, String>>()? {
        pairs if pairs.is_empty() => Err("expected `balanced` or LABEL=W,...".into()),
        pairs => Ok(ClassWeight::Given(pairs)),
    }
}

fn parse_time(text: &str) -> Result<Duration, String> {
    let units = [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let seconds = with_unit(text, &units, "500ms, 30s, 5m or 1h")?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

fn parse_memory(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, f64); 9] = [
        ("KB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("TB", 1e12),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
        ("TiB", 1_099_511_627_776.0),
        ("B", 1.0),
    ];
    with_unit(text, &UNITS, "512MB or 4GB").map(|bytes| bytes as u64)
}

/// A number that is not negative, followed by one of the units.
fn with_unit(text: &str, units: &[(&str, f64)], such_as: &str) -> Result<f64, String> {
    let expected = || format!("expected a number with a unit, such as {such_as}");
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .ok_or_else(expected)?;
    let (number, unit) = text.split_at(digits);
    let (_, size) = units
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(unit))
        .ok_or_else(expected)?;
    number
        .parse::<f64>()
        .map(|number| number * size)
        .map_err(|_| expected())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn lists_are_csv_records() {
        let names = |text| Names::parse(text).map(|names| names.0);
        assert_eq!(names("a,b c").unwrap(), ["a", "b c"]);
        assert_eq!(
            names(r#""a,b","say ""x""",c"#).unwrap(),
            ["a,b", "say \"x\"", "c"]
        );
        assert!(names("").unwrap().is_empty());
        assert!(names("\"a").is_err());
        assert!(names("a\nb").is_err());
    }

    #[test]
    fn times_and_sizes_have_units() {
        assert_eq!(parse_time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_time("1.5h"), Ok(Duration::from_secs(5400)));
        assert!(parse_time("30").is_err());
        assert!(parse_time("-3s").is_err());
        assert!(parse_time("s").is_err());
        assert_eq!(parse_memory("4GB"), Ok(4_000_000_000));
        assert_eq!(parse_memory("1kib"), Ok(1024));
        assert!(parse_memory("4 apples").is_err());
    }

    #[test]
    fn class_weights_are_pairs() {
        assert_eq!(parse_class_weight("balanced"), Ok(ClassWeight::Balanced));
        let given = vec![("a=b".to_owned(), 2.0), ("c".to_owned(), 0.5)];
        assert_eq!(
            parse_class_weight("a=b=2,c=0.5"),
            Ok(ClassWeight::Given(given))
        );
        assert!(parse_class_weight("a").is_err());
        assert!(parse_class_weight("a=x").is_err());
    }
}
