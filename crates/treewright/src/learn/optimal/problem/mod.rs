//! What is searched: the table, sets of its rows, and the values of trees.

mod cells;
mod context;
mod leaf_share;
mod leaf_size;
mod region;
mod result;
mod rows;
mod sketch;
mod sorted_columns;
mod table;
mod value_encoding;

pub(crate) use self::cells::FeatureCells;
pub(crate) use self::context::{Context, IntervalRule};
pub(crate) use self::leaf_share::{LeafShare, LeafSums};
pub(crate) use self::leaf_size::LeafSize;
pub(crate) use self::region::{Edge, Region};
pub(crate) use self::result::{Floors, Inherited, SearchResult};
pub(crate) use self::rows::{Label, RowSet};
pub(crate) use self::sketch::{RootSplit, Sketch, TreeIncumbent};
pub use self::sorted_columns::SortedColumns;
pub(crate) use self::table::{FeatureKind, NONE, RankTable};
pub(crate) use self::value_encoding::{ValueEncoding, ValueSize};
