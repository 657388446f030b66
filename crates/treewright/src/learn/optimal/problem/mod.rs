//! What is searched: the table, sets of its rows, and the values of trees.

mod cells;
mod context;
mod interval_rule;
mod leaf_size;
mod region;
mod result;
mod rows;
mod sketch;
mod table;
mod value_encoding;

pub(crate) use self::cells::Cells;
pub(crate) use self::context::Setting;
pub(crate) use self::interval_rule::Rule;
pub(crate) use self::leaf_size::LeafSize;
pub(crate) use self::region::{Edge, Region};
pub(crate) use self::result::{Floors, Known, Solved};
pub(crate) use self::rows::{Label, Rows};
pub(crate) use self::sketch::{Root, Sketch};
pub(crate) use self::table::{Kind, NONE, Table};
pub(crate) use self::value_encoding::{Price, Size};
