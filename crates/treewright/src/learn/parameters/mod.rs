//! The parameters of all learners, one table for each.
//!
//! The name of a parameter is that of its flag, without the two dashes, and that of error messages. With
//! underscores in place of dashes it is the key in `learner.params` of a model file ([`Parameter::key`]). The Python
//! package uses the name of scikit-learn where there is one ([`Parameter::sklearn`]).
//!
//! The learners, the program, the Python package and the guides spell these names again where they define the
//! parameters. Tests compare all of them with the tables.

mod dyadic;
mod greedy;
mod optimal;
mod shared;

pub use dyadic::{DYADIC, DYADIC_PATH};
pub use greedy::{GREEDY, PRUNING};
pub use optimal::OPTIMAL;
pub use shared::{CHOICE, COMMON};

/// A parameter of a learner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    /// The name of the flag, of the setting in a list of learners, and of error messages.
    pub name: &'static str,
    /// The name in Python; `None` if no estimator has it.
    pub sklearn: Option<&'static str>,
    /// Does the program have a flag for it?
    pub has_flag: bool,
    /// What a value is.
    pub kind: Kind,
    /// Which values of this kind are allowed.
    pub range: Range,
    /// The value if none is given, as text; `None` if there is no value then.
    pub default: Option<&'static str>,
    /// What it means, in one line.
    pub help: &'static str,
}

/// What a value of a parameter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A whole number.
    Whole,
    /// A whole number, or `auto`.
    WholeOrAuto,
    /// One whole number or a list of them, or `auto`.
    WholesOrAuto,
    /// A number.
    Number,
    /// A decimal or a ratio p/q, read exactly.
    Exact,
    /// One of several words.
    Word,
    /// On or off; off unless given.
    Switch,
    /// A penalty on the number of leaves.
    Penalty,
    /// A duration.
    Time,
    /// A number of bytes.
    Memory,
    /// Any text.
    Text,
}

/// Which values are allowed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Range {
    /// All of the kind.
    All,
    /// From this number on.
    AtLeast(f64),
    /// From the first number to the second, both included.
    Between(f64, f64),
    /// From the first number to below the second.
    Below(f64, f64),
    /// Between the two numbers, both excluded.
    Inside(f64, f64),
    /// These words.
    OneOf(&'static [&'static str]),
}

/// A learner with its tables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LearnerTable {
    /// The name of the subcommand, and of `learner.name` in model files.
    pub name: &'static str,
    /// The parameters of the learner itself.
    pub own: &'static [Parameter],
    /// Those of what comes after it: pruning, and the choice of a tree by held-out rows.
    pub after: &'static [&'static [Parameter]],
    /// Those that only the family of the learner has.
    pub of_family: &'static [&'static [Parameter]],
    /// The estimators of the Python package.
    pub estimators: &'static [&'static str],
}

/// All learners.
pub const LEARNERS: [LearnerTable; 3] = [
    LearnerTable {
        name: "greedy",
        own: GREEDY,
        after: &[PRUNING, CHOICE],
        of_family: &[],
        estimators: &["GreedyTreeClassifier", "GreedyTreeRegressor"],
    },
    LearnerTable {
        name: "dyadic",
        own: DYADIC,
        after: &[CHOICE],
        of_family: &[DYADIC_PATH],
        estimators: &["DyadicTreeClassifier"],
    },
    LearnerTable {
        name: "optimal",
        own: OPTIMAL,
        after: &[CHOICE],
        of_family: &[],
        estimators: &["OptimalTreeClassifier"],
    },
];

impl LearnerTable {
    /// The table of a learner.
    pub fn of(name: &str) -> Option<&'static Self> {
        LEARNERS.iter().find(|learner| learner.name == name)
    }

    /// All parameters of one tree: its own, those of what comes after it, and those that all learners have.
    pub fn parameters(&self) -> impl Iterator<Item = &'static Parameter> {
        let after = self.after.iter().copied().flatten();
        self.own.iter().chain(after).chain(COMMON)
    }
}

impl Parameter {
    /// The key in `learner.params` of a model file.
    pub fn key(&self) -> String {
        self.name.replace('-', "_")
    }
}
