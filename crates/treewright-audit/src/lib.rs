//! The audit: random tables of every kind for every learner, and a checker that judges what they claim.
//!
//! A case is a table as text and a learner with its parameters, both drawn from one seed. The library learns
//! and writes the document that the program would write. The checker, which shares nothing with the
//! library, sees the text of the table and that document. Beside that, what is learned with tiny sizes of
//! work or on two threads must be the same, and the bounds of a search that was stopped must hold
//! for the optimum.
//!
//! | file or folder | idea |
//! |---|---|
//! | `dice` | random choices that a seed decides |
//! | `table` | tables as texts, and random ones of every kind |
//! | `setting` | what is learned, and the command line that repeats it |
//! | `learn` | learning, in this process |
//! | `judge` | the verdict |
//! | `case`, `shrink` | a failure as a small text that can be kept |
//! | `falsify` | false documents, made on purpose, which the checker must refute |
//! | `run`, `tally` | many cases, and counts |

mod case;
mod dice;
mod falsify;
mod judge;
mod learn;
mod run;
mod setting;
mod shrink;
mod table;
mod tally;

pub use case::Case;
pub use falsify::lies::Lies;
pub use falsify::{Falsehood, falsehoods};
pub use judge::{Judged, Verdict, judge};
pub use learn::{Learned, learn};
pub use run::{Outcome, Plan, run, seed_of};
pub use setting::command::command;
pub use setting::{
    DyadicJob, GreedyJob, Job, OptimalJob, PruneJob, Rules, Setting, SizesJob, Stop,
};
pub use shrink::shrunk;
pub use table::kinds::Kind;
pub use table::{Costs, How, Table, Weights};
pub use tally::Tally;
