//! What the exact learners have in common: when to stop, the best tree so far, and trees from plans.

mod build_tree;
mod by_rows;
mod deadline;
mod incumbent;

pub(crate) use self::build_tree::{Branching, PlanSource, build_tree};
pub(crate) use self::by_rows::by_rows;
pub(crate) use self::deadline::{Deadline, Stopped};
pub(crate) use self::incumbent::{Incumbent, IncumbentTree};
