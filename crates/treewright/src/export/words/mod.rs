//! Facts as sentences: what is proven about a tree, a family and a report.

mod report;
mod statement;

pub use report::{answer, entry, section, title};
pub use statement::{statement, trees};
