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

use rustc_hash::FxHashMap;

use super::coordinate::{Coding, Coordinate, Missing};
use super::points::{Field, Points};
use crate::cost::{Loss, RowLosses, Scale};
use crate::data::{Dataset, Target};
use crate::error::{Error, Result};

/// How often coordinates may be halved.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Resolution {
    /// As often as it takes to have no unavoidable loss.
    #[default]
    Auto,
    /// So often, each.
    Same(u32),
    /// So often, feature by feature.
    Each(Vec<u32>),
}

/// More halvings than this are not tried to find a resolution.
const MOST_AUTOMATIC: u32 = 20;

/// A table as points of a grid.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    pub(super) coordinates: Vec<Coordinate>,
    /// The places of those coordinates that are halved at all.
    pub(super) halved: Vec<usize>,
    pub(super) points: Points,
    /// Loss that no tree can avoid, in units.
    pub(super) base: u64,
    pub(super) scale: Scale,
    /// Were all losses whole numbers?
    pub(super) is_whole: bool,
    /// Was the resolution not enough to have no unavoidable loss?
    pub(super) is_capped: bool,
    /// Values that were moved by the snap.
    pub(super) n_snapped: usize,
    /// All rows, those together that no split can tell apart.
    pub(super) bundles: Vec<Bundle>,
    tolerance: f64,
}

/// Rows of the same class that no split can tell apart.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bundle {
    /// One of them.
    pub(super) row: u32,
    pub(super) class: u32,
    /// The weight of all.
    pub(super) weight: f64,
}

impl Grid {
    pub(super) fn new(
        data: &Dataset,
        loss: &Loss,
        resolution: &Resolution,
        coding: Coding,
        missing: Missing,
        snap: f64,
    ) -> Result<Self> {
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
        let losses = RowLosses::new(data, loss, "dyadic trees")?;
        let mut coordinates = Coordinate::of(data, coding, missing, snap)?;
        let cells: Vec<Vec<u32>> = coordinates.iter().map(|c| c.cells(data)).collect();
        let (mut merged, groups) = Merged::rows(cells, &losses);
        let bundles = bundles(data, &groups);
        drop(groups);
        let is_capped = match resolution {
            Resolution::Auto => !merged.find_resolution(&mut coordinates),
            Resolution::Same(halvings) => {
                merged.limit(&mut coordinates, |_| *halvings);
                false
            }
            Resolution::Each(halvings) => {
                merged.limit(&mut coordinates, |feature| halvings[feature]);
                false
            }
        };
        let n_snapped = coordinates.iter().map(|c| c.n_snapped(data)).sum();
        merged.merge();
        let (halved, points) = merged.points(&coordinates);
        Ok(Self {
            coordinates,
            halved,
            points,
            base: merged.base,
            scale: losses.scale,
            is_whole: losses.is_whole,
            is_capped,
            n_snapped,
            bundles,
            tolerance: losses.tolerance(data),
        })
    }
}

impl Grid {
    /// How often each coordinate may be halved, besides into missing and present.
    pub(super) fn halvings(&self) -> Vec<u32> {
        self.coordinates
            .iter()
            .map(|coordinate| coordinate.halvings)
            .collect()
    }

    /// How far costs may be off by rounding, divided by the total weight; `None` where nothing was.
    pub(super) fn tolerance(&self) -> Option<f64> {
        (!self.is_whole).then_some(self.tolerance)
    }
}

/// All rows, those of one group and class together. Sums of weights that are not whole depend on their
/// order, so such rows stay alone.
fn bundles(data: &Dataset, groups: &[u32]) -> Vec<Bundle> {
    let Target::Classes(classes) = data.target() else {
        unreachable!("a grid is made from classes");
    };
    let bundle = |row: usize| Bundle {
        row: row as u32,
        class: classes[row],
        weight: data.weight(row),
    };
    if !data.has_whole_weights() {
        return (0..data.n_rows()).map(bundle).collect();
    }
    let mut places: FxHashMap<(u32, u32), usize> = FxHashMap::default();
    let mut bundles: Vec<Bundle> = Vec::new();
    for (row, &group) in groups.iter().enumerate() {
        let place = *places.entry((group, classes[row])).or_insert(bundles.len());
        match bundles.get_mut(place) {
            Some(bundle) => bundle.weight += data.weight(row),
            None => bundles.push(bundle(row)),
        }
    }
    bundles
}

/// Distinct points with their losses, at the present resolution.
struct Merged {
    n_classes: usize,
    /// For each coordinate the cell of each point.
    cells: Vec<Vec<u32>>,
    losses: Vec<u32>,
    base: u64,
}

impl Merged {
    /// The points of all rows, and for each row its group of rows that are alike.
    fn rows(cells: Vec<Vec<u32>>, losses: &RowLosses) -> (Self, Vec<u32>) {
        let mut merged = Self {
            n_classes: losses.n_classes,
            cells,
            losses: losses.losses.clone(),
            base: 0,
        };
        let groups = merged.merge();
        (merged, groups)
    }

    /// Number of points.
    fn len(&self) -> usize {
        self.losses.len() / self.n_classes
    }

    /// Makes points with equal cells one, takes off the loss that none can avoid, and leaves out points
    /// without any. Says for each point before to which group it belonged.
    fn merge(&mut self) -> Vec<u32> {
        let n_classes = self.n_classes;
        let groups = self.groups(|cell, _| cell);
        let mut losses = vec![0_u32; groups.firsts.len() * n_classes];
        for (point, &group) in groups.of_point.iter().enumerate() {
            for class in 0..n_classes {
                losses[group as usize * n_classes + class] +=
                    self.losses[point * n_classes + class];
            }
        }
        let mut kept = Vec::new();
        self.losses.clear();
        for (group, losses) in losses.chunks_mut(n_classes).enumerate() {
            let least = losses.iter().copied().min().unwrap_or(0);
            self.base += u64::from(least);
            for loss in losses.iter_mut() {
                *loss -= least;
            }
            if losses.iter().any(|&loss| loss > 0) {
                kept.push(groups.firsts[group]);
                self.losses.extend_from_slice(losses);
            }
        }
        for cells in &mut self.cells {
            *cells = kept.iter().map(|&first| cells[first as usize]).collect();
        }
        groups.of_point
    }

    /// Sets the number of halvings of every coordinate, by its feature.
    fn limit(&mut self, coordinates: &mut [Coordinate], of_feature: impl Fn(usize) -> u32) {
        for (place, coordinate) in coordinates.iter_mut().enumerate() {
            let halvings = of_feature(coordinate.feature);
            self.coarsen(coordinate, place, halvings);
        }
    }

    /// Brings a coordinate and its cells to fewer halvings.
    fn coarsen(&mut self, coordinate: &mut Coordinate, place: usize, halvings: u32) {
        for cell in &mut self.cells[place] {
            *cell = coordinate.coarse(*cell, halvings);
        }
        coordinate.halvings = coordinate.halvings.min(halvings);
    }

    /// Step 3 of the module's doc; false if not even the finest grid is without loss.
    fn find_resolution(&mut self, coordinates: &mut [Coordinate]) -> bool {
        let found = (1..=MOST_AUTOMATIC).find(|&k| self.is_separated(coordinates, k));
        let most = found.unwrap_or(MOST_AUTOMATIC);
        for (place, coordinate) in coordinates.iter_mut().enumerate() {
            let n_intervals = |halvings: u32| {
                let coarse = |&cell: &u32| coordinate.coarse(cell, halvings);
                let mut intervals: Vec<u32> = self.cells[place].iter().map(coarse).collect();
                intervals.sort_unstable();
                intervals.dedup();
                intervals.len()
            };
            let wanted = n_intervals(most);
            let least = (0..most).find(|&halvings| n_intervals(halvings) == wanted);
            self.coarsen(coordinate, place, least.unwrap_or(most));
        }
        found.is_some()
    }

    /// Has every cell after so many halvings a label without loss?
    fn is_separated(&self, coordinates: &[Coordinate], halvings: u32) -> bool {
        let n_classes = self.n_classes;
        let groups = self.groups(|cell, place| coordinates[place].coarse(cell, halvings));
        let mut is_lossy = vec![false; groups.firsts.len() * n_classes];
        for (point, &group) in groups.of_point.iter().enumerate() {
            for class in 0..n_classes {
                is_lossy[group as usize * n_classes + class] |=
                    self.losses[point * n_classes + class] > 0;
            }
        }
        is_lossy
            .chunks(n_classes.max(1))
            .all(|classes| classes.contains(&false))
    }

    /// Points with the same view of all their cells. Coordinate by coordinate: two points are together
    /// if they were so far, and have the same view of the next cell.
    fn groups(&self, view: impl Fn(u32, usize) -> u32) -> Groups {
        let mut of_point = vec![0_u32; self.len()];
        let mut next: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for (place, cells) in self.cells.iter().enumerate() {
            next.clear();
            for (group, &cell) in of_point.iter_mut().zip(cells) {
                let n_groups = next.len() as u32;
                *group = *next.entry((*group, view(cell, place))).or_insert(n_groups);
            }
        }
        // Groups are numbered by their first points.
        let mut firsts = Vec::new();
        for (point, &group) in of_point.iter().enumerate() {
            if group as usize == firsts.len() {
                firsts.push(point as u32);
            }
        }
        Groups { of_point, firsts }
    }

    fn points(&self, coordinates: &[Coordinate]) -> (Vec<usize>, Points) {
        let halved: Vec<usize> = (0..coordinates.len())
            .filter(|&place| coordinates[place].bits() > 0)
            .collect();
        let bits: Vec<u32> = halved
            .iter()
            .map(|&place| coordinates[place].bits())
            .collect();
        let (fields, n_words) = Field::lay_out(&bits);
        let mut codes = vec![0_u64; self.len() * n_words];
        for (&place, field) in halved.iter().zip(&fields) {
            for (point, &cell) in self.cells[place].iter().enumerate() {
                codes[point * n_words + field.word as usize] |=
                    u64::from(coordinates[place].code(cell)) << field.shift;
            }
        }
        let points = Points {
            fields,
            n_words,
            codes,
            n_classes: self.n_classes,
            losses: self.losses.clone(),
        };
        (halved, points)
    }
}

struct Groups {
    of_point: Vec<u32>,
    /// The first point of each group.
    firsts: Vec<u32>,
}
