//! What holds for every learner.

mod limits;
mod panics;
mod parameters;
mod weights;
