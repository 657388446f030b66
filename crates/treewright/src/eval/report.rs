//! Trees and their figures side by side, for people to look at.
//!
//! A [`Report`] is plain numbers, names and trees. Whoever fills it has done all the work; terminal, JSON and
//! HTML are written from it.

use std::sync::Arc;

use super::{Explored, Quality, confusion, nested_order, rate};
use crate::check::TableCheck;
use crate::cost::{Loss, Penalty};
use crate::data::{Dataset, Schema, Target};
use crate::error::Result;
use crate::tree::{Certificate, LearnerInfo, Tree};

/// A sample has at most this many rows.
const MOST_ROWS: usize = 1000;
/// And at most this many cells.
const MOST_CELLS: usize = 60_000;

/// What was found about a table.
#[derive(Debug, Clone)]
pub struct Report {
    /// The heading, usually the name of the table.
    pub title: String,
    /// Names and kinds of the columns.
    pub schema: Arc<Schema>,
    /// What wrong predictions cost.
    pub loss: Loss,
    /// Number of rows.
    pub rows: usize,
    /// Their total weight.
    pub weight: f64,
    /// Have rows different weights, so that errors are not shares of the rows?
    pub is_weighted: bool,
    /// For each feature: are there missing cells?
    pub has_missing: Vec<bool>,
    /// Folds, repeats and seed, if anything was cross-validated.
    pub folds: Option<(usize, usize, u64)>,
    /// Cost of a single leaf, divided by the total weight.
    pub baseline: Option<f64>,
    /// What the same answer costs on the rows left out, where these are not all rows.
    pub baseline_left_out: Option<f64>,
    /// How a table was explored; `None` for a report on given trees.
    pub explored: Option<Explored>,
    /// Trees that belong together.
    pub sections: Vec<Section>,
    /// The section and the entry to look at first.
    pub start: (usize, usize),
    /// Some rows of the table.
    pub sample: Option<Sample>,
    /// What was found in the table before it was explored.
    pub check: Option<TableCheck>,
    /// The number of rows that confusions and the sample come from, if these are not the rows of training.
    pub other_rows: Option<usize>,
    /// The rows that figures of quality are about.
    pub judged_on: Option<JudgedOn>,
}

/// Rows that trees are judged on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgedOn {
    /// Rows left out of learning: each is answered by the tree of the fold that has not seen it.
    LeftOut,
    /// The rows of the report. Unless they are other rows, the trees were learned from them.
    Rows,
}

/// Trees that belong together, from the smallest to the largest.
#[derive(Debug, Clone)]
pub struct Section {
    /// A short name.
    pub id: String,
    /// What sets it apart from other families of the same learner.
    pub way: Option<String>,
    /// How the trees belong together.
    pub kind: SectionKind,
    /// Who learned them, with which parameters.
    pub learner: LearnerInfo,
    /// The penalty on leaves, if there is one.
    pub penalty: Option<String>,
    /// Time of finding them.
    pub seconds: f64,
    /// The entries that rows left out speak for.
    pub chosen: Option<Choices>,
    /// What is known of a family as a whole.
    pub state: Option<FamilyState>,
    /// Of nested trees the largest that is shown, from which the others are cut.
    pub trunk: Option<Trunk>,
    /// The trees.
    pub entries: Vec<Entry>,
}

/// How trees belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionKind {
    /// The best trees for all weights of a penalty.
    Family,
    /// A single tree.
    Tree,
}

/// What is known of a family as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct FamilyState {
    /// The penalty on leaves.
    pub penalty: Penalty,
    /// How much of it was found.
    pub extent: Extent,
    /// How often a dyadic grid halves each feature.
    pub halvings: Option<Vec<u32>>,
    /// The largest depth of a family of all sizes.
    pub depth: Option<usize>,
    /// Was there no time for held-out rows?
    pub is_unvalidated: bool,
    /// Was there no time for a finer grid, or for deeper trees?
    pub is_coarser: bool,
}

/// How much of a family was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Complete,
    /// The tree that is pruned was still growing.
    StillGrowing,
    /// The members for small weights are missing.
    Stopped,
}

/// Entries that rows left out speak for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choices {
    /// That of least error.
    pub min: usize,
    /// The smallest within one standard error of it.
    pub one_se: usize,
}

/// A tree from which smaller ones are cut.
#[derive(Debug, Clone)]
pub struct Trunk {
    /// The tree.
    pub tree: Tree,
    /// For each node the weight from which on it is a leaf; `None` for leaves.
    pub collapse_at: Vec<Option<f64>>,
}

/// A tree and its figures.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Number of leaves.
    pub leaves: usize,
    /// Longest way from the root to a leaf, if the tree is there.
    pub depth: Option<usize>,
    /// Cost on the rows of training, divided by their weight.
    pub cost: f64,
    /// Weight of wrong predictions on these; `None` for regression.
    pub errors: Option<f64>,
    /// From this weight of the penalty on the tree is the best.
    pub lambda_low: Option<f64>,
    /// From this weight on it is not any more; `None` is infinity.
    pub lambda_high: Option<f64>,
    /// Cost on rows left out, divided by their weight, and its standard error.
    pub validated: Option<(f64, f64)>,
    /// The same cost for each fold; empty if that is not known.
    pub by_fold: Vec<f64>,
    /// Its place in its family, if it is of one.
    pub member: Option<usize>,
    /// What is proven.
    pub standing: Standing,
    /// The tree, unless it is too large to be shown.
    pub tree: Option<Tree>,
    /// `confusion[true class][predicted class]`: weights of rows.
    pub confusion: Option<Vec<Vec<f64>>>,
    /// How good its answers are, on the rows that [`Report::judged_on`] says.
    pub quality: Option<Quality>,
    /// For each feature its share of what all splits gain.
    pub importances: Option<Vec<f64>>,
}

/// What is proven about a tree.
#[derive(Debug, Clone, PartialEq)]
pub enum Standing {
    /// A tree of its own: what its certificate says, if there is one.
    Tree(Option<Box<Certificate>>),
    /// A member of a family.
    Member(MemberProof),
}

/// What is proven about a member of a family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MemberProof {
    /// Nothing: the tree was still growing.
    StillGrowing,
    /// Nothing: the search was stopped at a larger weight.
    BelowTheSearch,
    /// No dyadic tree is better for its weights.
    BestDyadic,
    /// No tree of the depth with as many leaves costs less.
    BestOfSize {
        /// The largest depth.
        depth: usize,
    },
    /// A tree with as many leaves may cost less.
    SizeNotProven {
        /// No tree with as many leaves costs less than this, divided by the total weight.
        lower: f64,
        /// The distance as a share of the cost.
        gap: f64,
    },
    /// No pruning of a tree is better for its weights.
    BestPruning {
        /// The leaves of that tree.
        from_leaves: usize,
    },
}

impl Standing {
    /// In short.
    pub fn proven(&self) -> Proven {
        match self {
            Self::Tree(Some(certificate)) if certificate.is_optimal() => Proven::Best,
            Self::Tree(Some(certificate)) => Proven::Within(certificate.gap()),
            Self::Member(MemberProof::SizeNotProven { gap, .. }) => Proven::Within(*gap),
            Self::Tree(None)
            | Self::Member(MemberProof::StillGrowing | MemberProof::BelowTheSearch) => {
                Proven::Nothing
            }
            Self::Member(
                MemberProof::BestDyadic
                | MemberProof::BestOfSize { .. }
                | MemberProof::BestPruning { .. },
            ) => Proven::Best,
        }
    }
}

impl Section {
    /// Was its family searched for among all dyadic trees, and not pruned from one tree?
    pub fn is_searched(&self) -> bool {
        self.learner.is_searched()
    }
}

/// What is proven about a tree, in short.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Proven {
    /// There is none better.
    Best,
    /// One may be better, by no more than this share of the objective.
    Within(f64),
    /// Nothing.
    Nothing,
}

/// Some rows of a table.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Their numbers in the table, counted from 0, rising.
    pub places: Vec<usize>,
    /// Their cells.
    pub rows: Dataset,
    /// How many rows the table has.
    pub of: usize,
}

impl Sample {
    /// A fair part of the rows, or all of them if they are few.
    pub fn of(data: &Dataset) -> Option<Self> {
        if matches!(data.target(), Target::Absent) || data.n_rows() == 0 {
            return None;
        }
        let most = MOST_CELLS / data.columns().len().max(1);
        let most = MOST_ROWS.min(most.max(1));
        let all: Vec<usize> = (0..data.n_rows()).collect();
        let places = if data.n_rows() <= most {
            all
        } else {
            let mut some = nested_order(data, &all, 0);
            some.truncate(most);
            some.sort_unstable();
            some
        };
        Some(Self {
            rows: data.rows(&places),
            places,
            of: data.n_rows(),
        })
    }
}

impl Entry {
    /// Looks at rows: who is taken for whom.
    pub fn look_at(&mut self, data: &Dataset) -> Result<()> {
        if let Some(tree) = &self.tree {
            self.confusion = confusion(tree, data)?;
        }
        Ok(())
    }
}

impl Report {
    /// A cost for people: a share of the rows in percent, where costs are that.
    pub fn rate(&self, cost: f64) -> String {
        rate(&self.loss, cost)
    }

    /// What costs are called.
    pub fn cost_name(&self) -> &'static str {
        match (&self.loss, self.is_weighted) {
            (Loss::ZeroOne, false) => "error",
            (Loss::ZeroOne, true) => "weighted error",
            (Loss::Matrix(_), false) => "cost",
            (Loss::Matrix(_), true) => "weighted cost",
            (Loss::Squared, false) => "squared error",
            (Loss::Squared, true) => "weighted squared error",
        }
    }
}
