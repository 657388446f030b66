//! Decision trees done exactly.
//!
//! treewright turns a table into every decision tree worth having. The rooms of this crate, in the
//! order a value moves through them:
//!
//! | room | what lives there |
//! |---|---|
//! | [`data`] | tables in columnar memory, read from text files and other sources |
//! | [`check`] | what in a table would spoil a tree |
//! | [`cost`] | what is minimised: losses, penalties, the one comparison |
//! | [`tree`] | the one [`Tree`], how it is built, walked and asked for predictions |
//! | [`learn`] | the learners |
//! | [`prune`] | exact prunings of a tree, for every size and every penalty |
//! | [`eval`] | how a tree does on rows: scores, and checking a model's claims |
//! | [`select`] | choosing a tree by rows that were left out of learning |
//! | [`export`] | the model file and other ways to write a tree |
//!
//! ```
//! use treewright::data::{Dataset, ReadOptions, csv::CsvSource};
//! use treewright::learn::{Greedy, Learner};
//! use treewright::Budget;
//!
//! let table = "height,colour,class\n1.5,red,no\n2.5,red,yes\n2.6,blue,yes\n1.2,blue,no\n";
//! let source = CsvSource::new(table.into(), b',')?;
//! let data = Dataset::read(&source, &ReadOptions::default())?;
//! let fit = Greedy::default().fit(&data, &Budget::unlimited())?;
//! assert_eq!(fit.model.n_leaves(), 2);
//! assert_eq!(fit.training.errors, Some(0.0));
//! # Ok::<(), treewright::Error>(())
//! ```

pub mod check;
pub mod cost;
pub mod data;
pub mod error;
pub mod eval;
pub mod export;
pub mod learn;
pub mod prune;
pub mod select;
pub mod tree;

mod budget;

pub use budget::{Budget, Progress};
pub use error::{Error, ErrorKind, Result};
pub use tree::{Family, Fit, Tree};
