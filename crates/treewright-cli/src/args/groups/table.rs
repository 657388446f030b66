//! A table: where it is, which of its columns to use, and how.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use treewright::data::{ClassWeight, DateOrder, MissingTarget, ReadOptions, Reading, Task};

use crate::args::values::Names;

/// Where a table is.
#[derive(Debug, Args)]
pub(crate) struct DataArg {
    /// The table to learn from: a file or `-`
    #[arg(value_name = "DATA")]
    data: PathBuf,
}

impl DataArg {
    /// The file, or `-`.
    pub(crate) fn path(&self) -> &Path {
        &self.data
    }
}

/// A table to learn from, and how to read it.
#[derive(Debug, Args)]
pub(crate) struct TableArgs {
    #[command(flatten)]
    data: DataArg,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

impl TableArgs {
    /// The file, or `-`.
    pub(crate) fn path(&self) -> &Path {
        self.data.path()
    }

    /// The reading options of the library.
    pub(crate) fn options(&self) -> ReadOptions {
        self.reading.options()
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
    /// Columns of dates, which become days or seconds since 1970-01-01; A=mdy (or dmy, ymd) says in which order
    /// month, day and year stand
    #[arg(long, value_name = "A,B=ORDER,...", value_parser = Dates::parse)]
    dates: Option<Dates>,
    /// Leave out rows without a target
    #[arg(long)]
    skip_missing_target: bool,
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
    fn options(&self) -> ReadOptions {
        let list = |names: &Option<Names>| names.clone().unwrap_or_default().0;
        let mut reading = Reading {
            weight: self.weight.clone(),
            missing_target: if self.skip_missing_target {
                MissingTarget::Skip
            } else {
                MissingTarget::Refuse
            },
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
            dates: self.dates.clone().unwrap_or_default().0,
            task: match self.task {
                TaskArg::Auto => Task::Auto,
                TaskArg::Classification => Task::Classification,
                TaskArg::Regression => Task::Regression,
            },
            class_weight: self.class_weight.clone().unwrap_or_default(),
        }
    }
}

/// Columns of dates, some with the order of their parts.
#[derive(Debug, Clone, Default)]
struct Dates(Vec<(String, Option<DateOrder>)>);

impl Dates {
    fn parse(text: &str) -> Result<Self, String> {
        let names = Names::parse(text)?.0.into_iter();
        let with_order = |name: String| match name.rsplit_once('=') {
            None => Ok((name, None)),
            Some((column, order)) => match DateOrder::named(order) {
                Some(order) => Ok((column.to_owned(), Some(order))),
                None => Err(format!(
                    "the order of {column:?} is {order:?}, expected ymd, dmy or mdy"
                )),
            },
        };
        names.map(with_order).collect::<Result<_, _>>().map(Self)
    }
}

pub(in crate::args) fn parse_class_weight(text: &str) -> Result<ClassWeight, String> {
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

#[cfg(test)]
mod tests {
    use super::*;

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
