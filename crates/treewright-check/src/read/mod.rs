//! The files: the table, the document that makes claims, and the rows as the document sees them.

pub(crate) mod costs;
pub(crate) mod data;
pub(crate) mod dates;
pub(crate) mod model;
pub(crate) mod table;
