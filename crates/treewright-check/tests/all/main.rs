//! The checker against plain references, and against certificates that were falsified on purpose.

mod bounded;
mod brute;
mod falsified;
mod forged;
mod prunings;
mod subsets;
mod tables;
