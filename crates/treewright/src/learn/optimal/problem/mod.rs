//! What is searched: the table, sets of its rows, and the values of trees.

pub(crate) mod leaf_size;
pub(crate) mod rows;
pub(crate) mod table;
pub(crate) mod value_encoding;
