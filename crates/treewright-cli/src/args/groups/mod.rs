//! Flags that several commands share, each defined once. A command takes them in with `flatten`.
//!
//! | file | flags |
//! |---|---|
//! | `table` | a table: where it is, which of its columns to use, and how |
//! | `model` | a model or family file, and a table to apply it to |
//! | `limits` | time and memory |
//! | `folds` | which rows are held out, and how often |
//! | `choice` | choosing a tree by held-out rows |
//! | `aim` | a weight of the penalty, or a size |
//! | `penalty` | what a number of leaves costs |
//! | `pruning` | how trees are pruned |
//! | `rules` | which features may be asked below which, and which leaves there may be |
//! | `output` | where the result goes |

mod aim;
mod choice;
mod folds;
mod limits;
mod model;
mod output;
mod penalty;
mod pruning;
mod rules;
mod table;

pub(crate) use aim::{LambdaArg, LeavesArg};
pub(crate) use choice::{RuleArg, SelectArg, SelectArgs};
pub(crate) use folds::{FoldsArg, HoldoutArg, RepeatsArg, SeedArg};
pub(crate) use limits::{LimitArgs, MemoryArg, Time};
pub(crate) use model::{MODEL_OR_FAMILY, ModelArg, ModelOnData};
pub(crate) use output::{OutputArgs, ProofArgs};
pub(crate) use penalty::PenaltyArgs;
pub(crate) use pruning::PruningArgs;
pub(crate) use rules::RulesArgs;
pub(super) use table::parse_class_weight;
pub(crate) use table::{DataArg, ReadingArgs, TableArgs};
