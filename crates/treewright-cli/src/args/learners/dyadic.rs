//! The learner of optimal dyadic trees.

use std::str::FromStr;

use anyhow::Result;
use clap::{Args, ValueEnum};
use treewright::cost::Loss;
use treewright::learn::dyadic::{Coding, Dyadic, Method, Missing, Model, Resolution, Solver, Ties};

use crate::args::groups::PenaltyArgs;
use crate::args::values::WholeNumber;

/// The learner of optimal dyadic trees.
#[derive(Debug, Args)]
#[command(next_help_heading = "Dyadic tree")]
pub(crate) struct DyadicArgs {
    /// How often features may be halved: `auto` (as often as it takes to tell the classes apart), one
    /// number for all, or a list with a number for each feature in the order of the table
    #[arg(
        long,
        value_name = "auto|N|N,N,...",
        default_value = "auto",
        allow_hyphen_values = true
    )]
    k: HalvingsArg,
    /// Where sides are halved: at the midpoint of a feature's range (`range`), where that parts the rows most evenly
    /// (`quantile`), or at the midpoint of a box that is the same for all numeric features (LO:HI, such as 0:1)
    #[arg(
        id = "box",
        long = "box",
        value_name = "range|quantile|LO:HI",
        default_value = "range",
        allow_hyphen_values = true
    )]
    grid_box: String,
    /// Which halvings count as splits
    #[arg(long, value_name = "MODEL", default_value = "collapsed")]
    model: ModelArg,
    /// How categories become something that can be halved
    #[arg(long, value_name = "HOW", default_value = "share")]
    coding: CodingArg,
    /// What to do with missing cells
    #[arg(long, value_name = "HOW", default_value = "code")]
    missing: MissingArg,
    /// A value this far below a midpoint already counts as above it, as a share of the feature's range;
    /// from 0 to below 0.25
    #[arg(
        long,
        value_name = "X",
        default_value = "0",
        allow_negative_numbers = true
    )]
    snap: f64,
    #[command(flatten)]
    pub(crate) penalty: PenaltyArgs,
    /// Which of several trees with the same objective is taken [default: smaller]
    #[arg(long, value_name = "WHICH")]
    ties: Option<TiesArg>,
}

/// Numbers of halvings as they were typed, perhaps out of range.
#[derive(Debug, Clone)]
enum HalvingsArg {
    Auto,
    Same(WholeNumber),
    Each(Vec<WholeNumber>),
}

impl FromStr for HalvingsArg {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        let numbers: Result<Vec<WholeNumber>, _> = text.split(',').map(str::parse).collect();
        match numbers.as_deref() {
            Ok([number]) => Ok(Self::Same(*number)),
            Ok(numbers) => Ok(Self::Each(numbers.to_vec())),
            Err(_) => Err("expected auto, a whole number, or a list of these such as 3,2,1"),
        }
    }
}

impl HalvingsArg {
    fn resolution(&self) -> Result<Resolution> {
        // More halvings than the learner can use are all the same to it.
        let halvings = |number: &WholeNumber| -> Result<u32> {
            let number = number.count("k", 0)?;
            Ok(u32::try_from(number).unwrap_or(u32::MAX))
        };
        Ok(match self {
            Self::Auto => Resolution::Auto,
            Self::Same(number) => Resolution::Same(halvings(number)?),
            Self::Each(numbers) => {
                Resolution::Each(numbers.iter().map(halvings).collect::<Result<_>>()?)
            }
        })
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ModelArg {
    /// Only halvings that separate rows; those before them are free
    Collapsed,
    /// Every halving, also one that makes an empty leaf, as in the paper of Hush and Porter
    Boxed,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum CodingArg {
    /// Numbered by the share of the first class among their rows
    Share,
    /// Numbered in alphabetical order
    Order,
    /// One category against the others
    OneVsRest,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MissingArg {
    /// The first split of such a feature is missing against present
    Code,
    /// Refuse tables that have some
    Refuse,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum TiesArg {
    /// One with the fewest leaves
    Smaller,
    /// One with the most leaves, as in the paper of Hush and Porter
    Larger,
}

/// How a single tree is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SolverArg {
    /// Whichever is likely to be faster
    Auto,
    /// Branch and bound
    Bnb,
    /// The paper's memoised recursion over rectangles, with lookahead: a rectangle whose error is below
    /// the price of a leaf is not looked into
    Mrp,
    /// The same without lookahead
    Mr,
}

impl SolverArg {
    pub(crate) fn solver(self) -> Solver {
        match self {
            Self::Auto => Solver::Auto,
            Self::Bnb => Solver::BranchAndBound,
            Self::Mrp => Solver::Recursion,
            Self::Mr => Solver::PlainRecursion,
        }
    }
}

/// How a family is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PathMethodArg {
    /// All best trees in one pass; exact
    Hull,
    /// The same trees, with the number of solves of the paper's search over all weights that could
    /// matter
    Grid,
    /// The same trees, with the number of solves of the paper's search that lists the weights anew after
    /// every new tree
    Adaptive,
    /// The paper's search that guesses the next weight from the last solve; it may miss trees
    Heuristic,
}

impl PathMethodArg {
    pub(crate) fn method(self) -> Method {
        match self {
            Self::Hull => Method::Hull,
            Self::Grid => Method::Grid,
            Self::Adaptive => Method::Adaptive,
            Self::Heuristic => Method::Heuristic,
        }
    }
}

impl DyadicArgs {
    /// The learner with these parameters, but for the penalty, which is read first.
    pub(crate) fn learner(&self, loss: Loss, most_bytes: u64) -> Result<Dyadic> {
        Ok(Dyadic {
            resolution: self.k.resolution()?,
            grid_box: self.grid_box.parse()?,
            model: match self.model {
                ModelArg::Collapsed => Model::Collapsed,
                ModelArg::Boxed => Model::Boxed,
            },
            coding: match self.coding {
                CodingArg::Share => Coding::Share,
                CodingArg::Order => Coding::Order,
                CodingArg::OneVsRest => Coding::OneVsRest,
            },
            missing: match self.missing {
                MissingArg::Code => Missing::Code,
                MissingArg::Refuse => Missing::Refuse,
            },
            snap: self.snap,
            ties: match self.ties {
                None | Some(TiesArg::Smaller) => Ties::Smaller,
                Some(TiesArg::Larger) => Ties::Larger,
            },
            loss,
            most_bytes: usize::try_from(most_bytes).unwrap_or(usize::MAX),
            ..Dyadic::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halvings_are_a_word_a_number_or_a_list() {
        let resolution = |text: &str| {
            let argument: Option<HalvingsArg> = text.parse().ok();
            argument.map(|argument| argument.resolution().ok())
        };
        assert_eq!(resolution("auto"), Some(Some(Resolution::Auto)));
        assert_eq!(resolution("3"), Some(Some(Resolution::Same(3))));
        let each = Resolution::Each(vec![3, 0, 1]);
        assert_eq!(resolution("3,0,1"), Some(Some(each)));
        assert_eq!(resolution("3,-1"), Some(None));
        for text in ["", "a", "3,", "3;1", "2.5"] {
            assert_eq!(resolution(text), None, "{text}");
        }
    }
}
