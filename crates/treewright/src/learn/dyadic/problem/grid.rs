//! From a table to the points of a grid.
//!
//! 1. Every row has a loss for every class, a whole number.
//! 2. Rows that agree in all coordinates become one, with the sums of their losses. What every class
//!    costs anyway, the least of these sums, is taken off and remembered in `base`. Rows whose losses are
//!    all zero then do not matter to any choice of a label and are left out.
//! 3. How often each coordinate is halved is given, or found: `k0` is the least number such that a grid
//!    with `2^k0` cells a coordinate has a label without loss for every cell. Then each coordinate gets
//!    the least number of halvings that still tells apart as many of its own intervals as `k0` does.
//! 4. Points in the same cell become one, as in step 2.

use super::bundle::{Bundle, bundles};
use super::coordinate::Coordinate;
use super::merged_points::{MOST_AUTOMATIC, MergedPoints};
use super::points::Points;
use crate::cost::{Counting, RowLosses, Scale};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learn::dyadic::deadline::{GridDeadline, Resources, Stopped};
use crate::learn::dyadic::frontier::{Vertex, vertex};
use crate::learn::dyadic::parameters::{Dyadic, GridBox, Resolution};

/// A table as points of a grid.
#[derive(Debug, Clone)]
pub(crate) struct Grid {
    pub(crate) coordinates: Vec<Coordinate>,
    /// The places of those coordinates that are halved at all.
    pub(crate) halved: Vec<usize>,
    pub(crate) points: Points,
    /// Loss that no tree can avoid, in units.
    pub(crate) base: u64,
    pub(crate) scale: Scale,
    /// Were all losses whole numbers?
    pub(crate) is_whole: bool,
    /// Was the resolution not enough to have no unavoidable loss?
    pub(crate) is_capped: bool,
    /// Values that were moved by the snap.
    pub(crate) n_snapped: usize,
    /// All rows, those together that no split can tell apart.
    pub(crate) bundles: Vec<Bundle>,
    /// The tree of one leaf, if time or memory did not suffice for the points: there are none then.
    pub(crate) only_leaf: Option<Vertex>,
    /// How losses became whole numbers.
    pub(crate) counting: Counting,
    /// How far sums of losses may be off by rounding, in units.
    pub(crate) slack: u64,
    tolerance: Option<f64>,
}

impl Grid {
    pub(crate) fn new(data: &Dataset, learner: &Dyadic, resources: &Resources<'_>) -> Result<Self> {
        let resolution = &learner.resolution;
        if let Resolution::Each(halvings) = resolution
            && halvings.len() != data.columns().len()
        {
            let allowed = format!("one for each of the {} features", data.columns().len());
            return Err(Error::parameter(
                "k",
                format!("{} numbers", halvings.len()),
                allowed,
            ));
        }
        let losses = RowLosses::new(data, &learner.loss, "dyadic trees", RowLosses::WIDE)?;
        let mut coordinates = Coordinate::of(data, learner)?;
        match Self::of_rows(data, &losses, learner, &mut coordinates, resources) {
            Ok(grid) => Ok(grid),
            Err(Stopped) => Ok(Self::of_one_leaf(data, &losses, resolution, coordinates)),
        }
    }

    fn of_rows(
        data: &Dataset,
        losses: &RowLosses<'_>,
        learner: &Dyadic,
        coordinates: &mut Vec<Coordinate>,
        resources: &Resources<'_>,
    ) -> std::result::Result<Self, Stopped> {
        let deadline = GridDeadline::new(resources);
        // A cell for each row, and perhaps a value with its cell.
        let per_row = match learner.grid_box {
            GridBox::Quantile => 16,
            GridBox::Range | GridBox::Between(..) => 4,
        };
        deadline.room_for(data.n_rows().saturating_mul(per_row * coordinates.len()))?;
        let mut cells: Vec<Vec<u32>> = Vec::with_capacity(coordinates.len());
        for coordinate in coordinates.iter_mut() {
            deadline.look(data.n_rows())?;
            if learner.grid_box == GridBox::Quantile {
                coordinate.halve_rows(data);
            }
            cells.push(coordinate.cells(data, resources.switches));
        }
        let (mut merged, groups) = MergedPoints::rows(cells, data.n_rows(), losses, &deadline)?;
        // A snap may put several categories into one cell, but a tree names each of them.
        let are_apart = coordinates.iter().any(Coordinate::has_snapped_categories);
        let bundles = bundles(data, if are_apart { &[] } else { &groups });
        drop(groups);
        let is_capped = match &learner.resolution {
            Resolution::Auto => !merged.find_resolution(coordinates, &deadline)?,
            Resolution::Same(halvings) => {
                merged.limit(coordinates, |_| *halvings);
                false
            }
            Resolution::Each(halvings) => {
                merged.limit(coordinates, |feature| halvings[feature]);
                false
            }
        };
        let n_snapped = coordinates
            .iter()
            .map(|c| c.n_snapped(data, resources.switches))
            .sum();
        merged.merge(&deadline)?;
        let (base, left_out) = (merged.base, merged.left_out);
        let (halved, points) = merged.points(coordinates);
        Ok(Self {
            coordinates: std::mem::take(coordinates),
            halved,
            points,
            base,
            scale: losses.scale,
            is_whole: losses.is_whole,
            is_capped,
            n_snapped,
            bundles,
            only_leaf: None,
            counting: losses.counting.clone(),
            slack: losses.slack + left_out,
            tolerance: losses.tolerance().map(|tolerance| {
                let left_out = left_out as f64 * losses.scale.unit;
                tolerance + left_out / data.total_weight()
            }),
        })
    }

    /// What is known without any points: one leaf, which is a tree of every resolution.
    fn of_one_leaf(
        data: &Dataset,
        losses: &RowLosses<'_>,
        resolution: &Resolution,
        mut coordinates: Vec<Coordinate>,
    ) -> Self {
        for coordinate in &mut coordinates {
            let most = match resolution {
                Resolution::Auto => MOST_AUTOMATIC,
                Resolution::Same(halvings) => *halvings,
                Resolution::Each(halvings) => halvings[coordinate.feature],
            };
            coordinate.halvings = coordinate.halvings.min(most);
        }
        Self {
            coordinates,
            halved: Vec::new(),
            points: Points::none(losses.n_classes),
            base: 0,
            scale: losses.scale,
            is_whole: losses.is_whole,
            is_capped: false,
            n_snapped: 0,
            bundles: bundles(data, &[]),
            only_leaf: Some(vertex(1, losses.least_of_all())),
            counting: losses.counting.clone(),
            slack: losses.slack,
            tolerance: losses.tolerance(),
        }
    }
}

impl Grid {
    /// How often each coordinate may be halved, besides into missing and present.
    pub(crate) fn halvings(&self) -> Vec<u32> {
        self.coordinates
            .iter()
            .map(|coordinate| coordinate.halvings)
            .collect()
    }

    /// How far costs may be off by rounding, divided by the total weight; `None` where nothing was.
    pub(crate) fn tolerance(&self) -> Option<f64> {
        self.tolerance
    }
}
