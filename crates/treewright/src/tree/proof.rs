//! Why no tree of bounded depth is better: claims about rows, each of which follows from others.
//!
//! The proof file has these claims, one on a line; `docs/formats.md` says what each means and why it follows.

/// A proof that no tree has a smaller value.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Proof {
    /// Trees are at most so deep.
    pub depth: usize,
    /// What a loss of 1 stands for, on the scale of weights times costs.
    pub unit: f64,
    /// What a unit of loss is worth.
    pub per_loss: u64,
    /// What a leaf is worth.
    pub per_leaf: u64,
    /// No tree is worth less. Of the loss of a row only what is above its least loss counts.
    pub value: u64,
    /// The claims, the first about all rows; none for trees of up to two levels, about which nothing needs to be
    /// claimed. `None` if there is no proof.
    pub claims: Option<Vec<Claim>>,
}

/// No tree of a depth has a smaller value for some rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The rows: those that meet all conditions.
    pub path: Vec<Condition>,
    /// Trees are at most so deep.
    pub depth: usize,
    /// They are worth at least this.
    pub at_least: u64,
    /// For every feature that can part the rows: why a tree that asks it first is worth no less.
    pub covers: Vec<Cover>,
}

/// A condition on the value of a feature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Condition {
    /// The number of the feature in the schema.
    pub feature: usize,
    /// What its value must be.
    pub is: Is,
}

/// What a value must be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Is {
    /// A number below this.
    Below(f64),
    /// A number from this on.
    From(f64),
    /// The category with this code.
    Category(u32),
    /// Missing.
    Missing,
    /// Not missing.
    Present,
}

/// What the branches of a first question are worth at least.
#[derive(Debug, Clone, PartialEq)]
pub struct Cover {
    /// The feature that is asked.
    pub feature: usize,
    /// What the rows without a value are worth, if there are any.
    pub missing: Option<u64>,
    /// What the others are worth.
    pub branches: Branches,
}

/// What the branches of rows that have a value are worth at least.
#[derive(Debug, Clone, PartialEq)]
pub enum Branches {
    /// Each category of the rows with its bound.
    Categories(Vec<(u32, u64)>),
    /// Numbers, which are cut in two.
    Numbers {
        /// The bound of all rows with a number; only where some have none.
        present: Option<u64>,
        /// Ranges that hold every cut.
        ranges: Vec<CutRange>,
    },
}

/// Cuts of a feature, and bounds that are enough for all of them. A cut is the least number above it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CutRange {
    /// The first cut.
    pub first: f64,
    /// The last one.
    pub last: f64,
    /// A cut, and what the rows below it are worth at least.
    pub low: (f64, u64),
    /// A cut, and what the rows from it on are worth at least.
    pub high: (f64, u64),
}
