//! Facts as sentences: what is proven about a tree, a family and a report, and what was found in a table.

mod answer;
mod check;
mod report;
mod statement;

pub use answer::answer;
pub use check::{change, finding, fix, shell};
pub use report::{entry, section, title};
pub use statement::{statement, trees};
