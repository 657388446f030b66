//! The working form of a table: rows in the order of every feature, with labels and weights.

mod coarse_features;
mod codes;
mod frame;
mod labels;
mod packing;
mod partition;
mod sorting;

pub(crate) use self::coarse_features::CoarseFeatures;
pub(crate) use self::frame::Frame;
pub(crate) use self::labels::{Labels, WholeTargets};
pub(crate) use self::packing::{Packing, is_tie};
pub(crate) use self::partition::{partition, partition_in_two};
pub(crate) use self::sorting::sorted_list_in_time;
