//! The problem that a search solves: points of a grid with a loss for every class, made from the rows of a table.

pub(crate) mod coordinate;
pub(crate) mod grid;
pub(crate) mod merged;
pub(crate) mod points;
mod side;
