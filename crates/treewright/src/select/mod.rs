//! Choosing a tree by rows that were left out of learning.
//!
//! This is the only room that runs others repeatedly: it learns on parts of the rows, prunes what was
//! learned, and looks at the rest.
//!
//! | file | idea |
//! |---|---|
//! | `choose` | cross-validation of a family, and the choice of a member by it |
//! | `held_out` | the cost of all members of a family on rows that were left out, in one pass |
//! | `mixture` | the same for rows that a missing value distributes over several leaves |
//! | `pruned` | a learner followed by pruning, with a member chosen by hand or by cross-validation |

mod choose;
mod held_out;
mod mixture;
mod pruned;

pub use choose::{Resampling, cross_validate};
pub use pruned::{Choice, Pruned, Rule};
