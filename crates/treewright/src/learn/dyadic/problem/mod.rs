//! The problem that a search solves: points of a grid with a loss for every class, made from the rows of a table.

mod box_side;
mod bundle;
mod coordinate;
mod field;
mod grid;
mod merged_points;
mod points;
mod quantiles;

pub(crate) use self::bundle::Bundle;
pub(crate) use self::field::Field;
pub(crate) use self::grid::Grid;
pub(crate) use self::points::Points;
