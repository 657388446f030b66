//! How files are read and written, and what is left of them.

mod ending;
mod inputs_kept;
pub(crate) mod reading;
