//! The parameters of the learner.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use super::switches::DyadicSwitches;
use crate::cost::{Lambda, Loss, Penalty};
use crate::error::Error;

/// Which halvings are paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Model {
    /// A split is the first halving of a feature that separates the rows; those before it are free. No
    /// leaf is empty.
    #[default]
    Collapsed,
    /// Every halving is a split, also one that makes an empty leaf: the trees of Hush and Porter.
    Boxed,
}

/// Which of several trees with the same objective is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ties {
    /// One with the fewest leaves, as everywhere else.
    #[default]
    Smaller,
    /// One with the most leaves: the rule of Hush and Porter.
    Larger,
}

/// How a single tree is found. All of them find a tree with the same objective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Solver {
    /// By all best trees above alpha, or by branch and bound where there are many
    /// features.
    #[default]
    Auto,
    /// Branch and bound for one weight of the linear penalty.
    BranchAndBound,
    /// The recursion over rectangles of Hush and Porter, which does not look into rectangles whose error
    /// is below alpha.
    Recursion,
    /// The recursion over rectangles of Hush and Porter, which looks into all of them, whatever their error.
    PlainRecursion,
}

/// How a family is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// All best trees in one pass.
    #[default]
    Hull,
    /// All best trees in one pass; counted are the solves of the paper's search over all weights that could matter.
    Grid,
    /// All best trees in one pass; counted are the solves of the paper's search whose list of weights is made anew
    /// after every new tree.
    Adaptive,
    /// The paper's search that guesses the next weight from the last solve, with its solver. It may miss
    /// trees.
    Heuristic,
}

/// The learner of optimal dyadic trees.
#[derive(Debug, Clone, PartialEq)]
pub struct Dyadic {
    /// How often features may be halved.
    pub resolution: Resolution,
    /// Which box is halved, and where.
    pub grid_box: GridBox,
    /// Which halvings are paid for.
    pub model: Model,
    /// How categorical features become coordinates.
    pub coding: Coding,
    /// What to do with missing cells.
    pub missing: Missing,
    /// How far below a midpoint a value already counts as above it, as a share of the box.
    pub snap: f64,
    /// What a single tree shall be best at.
    pub aim: Aim,
    /// What a number of leaves costs.
    pub penalty: Penalty,
    /// Which of several trees with the same objective is taken.
    pub ties: Ties,
    /// How a single tree is found.
    pub solver: Solver,
    /// How a family is found.
    pub method: Method,
    /// Shall a family also have the trees that are only as good as their neighbours, at one weight?
    pub collinear: bool,
    /// What wrong predictions cost.
    pub loss: Loss,
    /// More memory than this is not used for solved sets.
    pub most_bytes: usize,
    /// Which speed-ups are made use of; none changes a tree.
    #[doc(hidden)]
    pub switches: DyadicSwitches,
}

impl Default for Dyadic {
    fn default() -> Self {
        Self {
            resolution: Resolution::default(),
            grid_box: GridBox::default(),
            model: Model::default(),
            coding: Coding::default(),
            missing: Missing::default(),
            snap: 0.0,
            aim: Aim::default(),
            penalty: Penalty::Linear,
            ties: Ties::default(),
            solver: Solver::default(),
            method: Method::default(),
            collinear: false,
            loss: Loss::default(),
            most_bytes: 4 << 30,
            switches: DyadicSwitches::ALL,
        }
    }
}

impl Model {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Collapsed => "collapsed",
            Self::Boxed => "boxed",
        }
    }
}

impl Ties {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Smaller => "smaller",
            Self::Larger => "larger",
        }
    }
}

impl Solver {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::BranchAndBound => "bnb",
            Self::Recursion => "mrp",
            Self::PlainRecursion => "mr",
        }
    }
}

impl Method {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hull => "hull",
            Self::Grid => "grid",
            Self::Adaptive => "adaptive",
            Self::Heuristic => "heuristic",
        }
    }
}

/// How categorical features become coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coding {
    /// Numbered by the share of the first class among their rows, ties by code point.
    #[default]
    Share,
    /// Numbered by code point.
    Order,
    /// One coordinate for each category: it against all others.
    OneVsRest,
}

/// What to do with missing cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// A feature with missing cells may first be split into missing and present.
    #[default]
    Code,
    /// Refuse such tables.
    Refuse,
}

impl Coding {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Share => "share",
            Self::Order => "order",
            Self::OneVsRest => "one-vs-rest",
        }
    }
}

impl Missing {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Refuse => "refuse",
        }
    }
}

/// How often coordinates may be halved.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Resolution {
    /// As often as it takes to have no unavoidable loss.
    #[default]
    Auto,
    /// Each coordinate this often.
    Same(u32),
    /// Each feature this often, in the order of the features.
    Each(Vec<u32>),
}

/// Which box is halved, and where.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum GridBox {
    /// Each side goes from the least to the largest value of a feature, and is halved at its midpoint.
    #[default]
    Range,
    /// Each side has all values of a feature, and is halved where that parts its rows most evenly: midway between the
    /// two values there.
    Quantile,
    /// The side of every numeric feature goes from the first number to the second, and is halved at its midpoint.
    Between(f64, f64),
}

impl GridBox {
    /// The name of a box that is not the usual one.
    pub(crate) fn named(self) -> Option<String> {
        (self != Self::default()).then(|| self.to_string())
    }
}

impl fmt::Display for GridBox {
    /// The name on the command line and in files.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Range => f.write_str("range"),
            Self::Quantile => f.write_str("quantile"),
            Self::Between(low, high) => write!(f, "{low}:{high}"),
        }
    }
}

impl FromStr for GridBox {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let number = |text: &str| text.parse().ok().filter(|number: &f64| number.is_finite());
        let ends = || {
            let (low, high) = text.split_once(':')?;
            Some((number(low)?, number(high)?)).filter(|(low, high)| low < high)
        };
        match text {
            "range" => Ok(Self::Range),
            "quantile" => Ok(Self::Quantile),
            _ => ends()
                .map(|(low, high)| Self::Between(low, high))
                .ok_or_else(|| {
                    let allowed =
                        "range, quantile, or LO:HI, two numbers of which the first is less";
                    Error::parameter("box", text, allowed)
                }),
        }
    }
}

/// What a single tree shall be best at.
#[derive(Debug, Clone, PartialEq)]
pub enum Aim {
    /// The least cost + this weight * penalty of the leaves.
    Lambda(Lambda),
    /// The least cost + weight * penalty of the leaves, with this weight divided by the total weight of the rows.
    Kappa(Lambda),
    /// The least cost with at most this many leaves.
    Leaves(usize),
}

impl Default for Aim {
    fn default() -> Self {
        Self::Kappa(Lambda::try_from(2.0).expect("2 is not negative"))
    }
}

impl Aim {
    /// Its name and value among the parameters of a model.
    pub(crate) fn param(&self) -> (&'static str, Value) {
        match self {
            Self::Lambda(lambda) => ("lambda", lambda.number_or_text()),
            Self::Kappa(kappa) => ("kappa", kappa.number_or_text()),
            Self::Leaves(leaves) => ("leaves", (*leaves).into()),
        }
    }
}
