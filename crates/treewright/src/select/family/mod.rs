//! Families of trees, and the choice of a member.
//!
//! | file | idea |
//! |---|---|
//! | `by_depth` | the best trees of depth 0, 1, 2, ... on a whole table |
//! | `choose` | cross-validation of a family, and the choice of a member by it |
//! | `family_choice` | which member of a family: by a weight, by its leaves or by held-out rows |
//! | `pruned` | a learner followed by pruning, with a member chosen by hand or by cross-validation |
//! | `searched` | a learner of whole families, with a member chosen by cross-validation |

mod by_depth;
mod choose;
mod family_choice;
mod pruned;
mod searched;

pub use by_depth::{ByDepth, by_depth, sizes_by_depth};
pub use choose::{Rule, cross_validate};
pub use family_choice::FamilyChoice;
pub use pruned::{Choice, Pruned, PrunedFamily};
pub use searched::Searched;
