//! Points of a grid while its resolution is sought: rows that fall together become one.

use rustc_hash::FxHashMap;

use super::coordinate::{Coordinate, NO_CELL};
use super::field::Field;
use super::points::Points;
use crate::cost::RowLosses;
use crate::learn::dyadic::deadline::{GridDeadline, Stopped};

/// More halvings than this are not tried to find a resolution.
pub(crate) const MOST_AUTOMATIC: u32 = 20;

/// Points between two checks of the deadline.
const CHUNK: usize = 1 << 16;

/// This many points are tried first: if they are not separated, all of them are not.
const SAMPLE: usize = 1 << 12;

/// A point that has no other one in its group.
const ALONE: u32 = u32::MAX;

/// Distinct points with their losses, at the present resolution.
pub(crate) struct MergedPoints {
    n_classes: usize,
    n_points: usize,
    /// For each coordinate the cell of each point.
    cells: Vec<Vec<u32>>,
    losses: Vec<u64>,
    pub(super) base: u64,
    /// Losses up to this may be nothing but rounding.
    negligible: u64,
    /// What was left out as negligible.
    pub(super) left_out: u64,
}

struct PointGroups {
    of_point: Vec<u32>,
    /// The first point of each group.
    firsts: Vec<u32>,
}

impl MergedPoints {
    /// The points of all rows, and for each row its group of rows that are alike.
    pub(crate) fn rows(
        cells: Vec<Vec<u32>>,
        n_rows: usize,
        losses: &RowLosses<'_>,
        deadline: &GridDeadline<'_>,
    ) -> Result<(Self, Vec<u32>), Stopped> {
        let mut merged = Self {
            n_classes: losses.n_classes,
            n_points: n_rows,
            cells,
            losses: Vec::new(),
            base: 0,
            negligible: losses.negligible(),
            left_out: 0,
        };
        let groups = merged.merge_by(|row, sums| losses.add_to(row, sums), deadline)?;
        Ok((merged, groups))
    }

    /// Makes points with equal cells one.
    pub(crate) fn merge(&mut self, deadline: &GridDeadline<'_>) -> Result<(), Stopped> {
        let (losses, n_classes) = (std::mem::take(&mut self.losses), self.n_classes);
        let add = |point: usize, sums: &mut [u64]| {
            for (sum, loss) in sums.iter_mut().zip(&losses[point * n_classes..]) {
                *sum += loss;
            }
        };
        self.merge_by(add, deadline).map(drop)
    }

    /// Makes points with equal cells one, whose losses `add` adds to those of its group; takes off the loss that
    /// none can avoid, and leaves out points without any. Says for each point before to which group it belonged.
    ///
    /// A point whose answers cost the same but for rounding is left out, too. The first halving that parts some points
    /// parts them whether or not it is there, so every tree with it is, without splits that part nothing, a tree
    /// without it: lower and upper bounds hold for both.
    fn merge_by(
        &mut self,
        add: impl Fn(usize, &mut [u64]),
        deadline: &GridDeadline<'_>,
    ) -> Result<Vec<u32>, Stopped> {
        let n_classes = self.n_classes;
        let groups = self.groups(self.n_points, |cell, _| cell, deadline)?;
        let n_losses = groups.firsts.len().saturating_mul(n_classes);
        // Twice: here, and for the points of a search.
        deadline.room_for(n_losses.saturating_mul(2 * size_of::<u64>()))?;
        let mut losses = Vec::new();
        losses.try_reserve_exact(n_losses).map_err(|_| Stopped)?;
        losses.resize(n_losses, 0_u64);
        let per_look = (CHUNK / n_classes.max(1)).max(1);
        for (chunk, points) in groups.of_point.chunks(per_look).enumerate() {
            deadline.look(points.len() * n_classes)?;
            for (place, &group) in points.iter().enumerate() {
                let sums = &mut losses[group as usize * n_classes..][..n_classes];
                add(chunk * per_look + place, sums);
            }
        }
        let mut kept = Vec::new();
        for group in 0..groups.firsts.len() {
            if group.is_multiple_of(per_look) {
                deadline.look(per_look * n_classes)?;
            }
            let all = group * n_classes..(group + 1) * n_classes;
            let own = &mut losses[all.clone()];
            let least = own.iter().copied().min().unwrap_or(0);
            self.base += least;
            let mut most = 0;
            for loss in own {
                *loss -= least;
                most = most.max(*loss);
            }
            if most > self.negligible {
                // What is kept moves to the front: there is no second table.
                losses.copy_within(all, kept.len() * n_classes);
                kept.push(groups.firsts[group]);
            } else {
                self.left_out += most;
            }
        }
        losses.truncate(kept.len() * n_classes);
        losses.shrink_to_fit();
        (self.losses, self.n_points) = (losses, kept.len());
        for cells in &mut self.cells {
            *cells = kept.iter().map(|&first| cells[first as usize]).collect();
        }
        Ok(groups.of_point)
    }

    /// Sets the number of halvings of every coordinate, by its feature.
    pub(crate) fn limit(
        &mut self,
        coordinates: &mut [Coordinate],
        of_feature: impl Fn(usize) -> u32,
    ) {
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

    /// Step 3 of the doc of `grid`; false if not even the finest grid is without loss.
    pub(crate) fn find_resolution(
        &mut self,
        coordinates: &mut [Coordinate],
        deadline: &GridDeadline<'_>,
    ) -> Result<bool, Stopped> {
        let mut found = None;
        for halvings in 1..=MOST_AUTOMATIC {
            if self.is_separated(coordinates, halvings, deadline)? {
                found = Some(halvings);
                break;
            }
        }
        let most = found.unwrap_or(MOST_AUTOMATIC);
        for (place, coordinate) in coordinates.iter_mut().enumerate() {
            deadline.look(self.n_points)?;
            let least = self.needed(coordinate, place, most);
            self.coarsen(coordinate, place, least);
        }
        Ok(found.is_some())
    }

    /// The least number of halvings of a coordinate that tells apart as many of its cells as `most` of them do.
    fn needed(&self, coordinate: &Coordinate, place: usize, most: u32) -> u32 {
        let cells = self.cells[place].iter().filter(|&&cell| cell != NO_CELL);
        let mut cells: Vec<u32> = cells.map(|&cell| coordinate.coarse(cell, most)).collect();
        cells.sort_unstable();
        let most = most.min(coordinate.halvings);
        // Two cells are told apart by the halving of the first bit in which they differ. The missing ones are
        // told apart in any case.
        let first_difference = |pair: &[u32]| {
            let differing = pair[0] ^ pair[1];
            differing.checked_ilog2().map_or(0, |bit| most - bit)
        };
        cells.windows(2).map(first_difference).max().unwrap_or(0)
    }

    /// Has every cell after this many halvings a label without loss?
    fn is_separated(
        &self,
        coordinates: &[Coordinate],
        halvings: u32,
        deadline: &GridDeadline<'_>,
    ) -> Result<bool, Stopped> {
        let is_separated =
            |n_points: usize| self.are_separated(n_points, coordinates, halvings, deadline);
        // A few points tell at once that coarse cells are not enough.
        let has_sample = deadline.switches().sample_first;
        let may_be = !has_sample || is_separated(self.n_points.min(SAMPLE))?;
        Ok(may_be && is_separated(self.n_points)?)
    }

    /// Has every cell after this many halvings a label without loss for the first `n_points` points?
    fn are_separated(
        &self,
        n_points: usize,
        coordinates: &[Coordinate],
        halvings: u32,
        deadline: &GridDeadline<'_>,
    ) -> Result<bool, Stopped> {
        let n_classes = self.n_classes;
        let view = |cell: u32, place: usize| coordinates[place].coarse(cell, halvings);
        let groups = self.groups(n_points, view, deadline)?;
        if groups.firsts.len() == n_points {
            // No two points are together, and each has a label without loss.
            return Ok(true);
        }
        let n_labels = groups.firsts.len().saturating_mul(n_classes);
        deadline.room_for(n_labels)?;
        let mut is_lossy = vec![false; n_labels];
        let per_look = (CHUNK / n_classes.max(1)).max(1);
        for (point, &group) in groups.of_point.iter().enumerate() {
            if point.is_multiple_of(per_look) {
                deadline.look(per_look * n_classes)?;
            }
            let lossy = &mut is_lossy[group as usize * n_classes..][..n_classes];
            for (is_lossy, &loss) in lossy.iter_mut().zip(&self.losses[point * n_classes..]) {
                *is_lossy |= loss > 0;
            }
        }
        Ok(is_lossy
            .chunks(n_classes.max(1))
            .all(|classes| classes.contains(&false)))
    }

    /// The first points, those with the same view of all their cells together. Coordinate by coordinate: two points
    /// are together if they were so far, and have the same view of the next cell.
    fn groups(
        &self,
        n_points: usize,
        view: impl Fn(u32, usize) -> u32,
        deadline: &GridDeadline<'_>,
    ) -> Result<PointGroups, Stopped> {
        // The maps may take some times what the groups take.
        deadline.room_for(n_points.saturating_mul(32))?;
        let mut of_point = vec![0_u32; n_points];
        let mut next: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let mut sizes: Vec<u32> = Vec::new();
        for (place, cells) in self.cells.iter().enumerate() {
            next.clear();
            sizes.clear();
            for (groups, cells) in of_point.chunks_mut(CHUNK).zip(cells.chunks(CHUNK)) {
                deadline.look(cells.len())?;
                for (group, &cell) in groups.iter_mut().zip(cells) {
                    if *group == ALONE {
                        continue;
                    }
                    let n_groups = next.len() as u32;
                    *group = *next.entry((*group, view(cell, place))).or_insert(n_groups);
                    if *group == n_groups {
                        sizes.push(0);
                    }
                    sizes[*group as usize] += 1;
                }
            }
            // A point that is alone stays alone.
            for group in of_point.iter_mut().filter(|group| **group != ALONE) {
                if sizes[*group as usize] == 1 {
                    *group = ALONE;
                }
            }
            if next.is_empty() {
                break;
            }
        }
        // Without any coordinate all points are together.
        Ok(PointGroups::numbered(of_point, sizes.len().max(1)))
    }

    pub(crate) fn points(self, coordinates: &[Coordinate]) -> (Vec<usize>, Points) {
        let halved: Vec<usize> = (0..coordinates.len())
            .filter(|&place| coordinates[place].bits() > 0)
            .collect();
        let bits: Vec<u32> = halved
            .iter()
            .map(|&place| coordinates[place].bits())
            .collect();
        let (fields, n_words) = Field::lay_out(&bits);
        let mut codes = vec![0_u64; self.n_points * n_words];
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
            losses: self.losses,
        };
        (halved, points)
    }
}

impl PointGroups {
    /// Numbers groups by their first points.
    fn numbered(mut of_point: Vec<u32>, n_groups: usize) -> Self {
        let mut numbers = vec![ALONE; n_groups];
        let mut firsts = Vec::new();
        for (point, group) in of_point.iter_mut().enumerate() {
            let mut alone = ALONE;
            let number = match *group {
                ALONE => &mut alone,
                group => &mut numbers[group as usize],
            };
            if *number == ALONE {
                *number = firsts.len() as u32;
                firsts.push(point as u32);
            }
            *group = *number;
        }
        Self { of_point, firsts }
    }
}

#[cfg(test)]
mod tests {

    use std::fmt::Write;

    use super::*;
    use crate::budget::Budget;
    use crate::cost::Loss;
    use crate::data::csv::CsvSource;
    use crate::data::{Dataset, ReadOptions};
    use crate::learn::dyadic::deadline::Resources;
    use crate::learn::dyadic::parameters::Dyadic;
    use crate::learn::dyadic::switches::DyadicSwitches;

    fn random_table(random: &mut fastrand::Rng) -> Dataset {
        let n_rows = random.usize(2..40);
        let n_values = random.u32(2..50);
        let mut text = "a,b,c,class\n0,1,2,x\n1,2,0,y\n".to_owned();
        for _ in 0..n_rows {
            for _ in 0..3 {
                match random.u32(..n_values + 2) {
                    0 => text.push_str("?,"),
                    value => write!(text, "{},", f64::from(value) / 8.0).unwrap(),
                }
            }
            text.push_str(["x\n", "y\n", "z\n"][random.usize(..3)]);
        }
        let source = CsvSource::new(text.into_bytes(), b',').unwrap();
        Dataset::read(&source, &ReadOptions::default()).unwrap()
    }

    /// Rows of a table at full resolution.
    fn with_merged(
        data: &Dataset,
        work: impl FnOnce(MergedPoints, Vec<Coordinate>, &GridDeadline<'_>),
    ) {
        let budget = Budget::unlimited();
        let resources = Resources {
            budget: &budget,
            most_bytes: usize::MAX,
            switches: DyadicSwitches::ALL,
        };
        let deadline = GridDeadline::new(&resources);
        let losses = RowLosses::new(data, &Loss::ZeroOne, "trees", RowLosses::WIDE).unwrap();
        let coordinates = Coordinate::of(data, &Dyadic::default()).unwrap();
        let cells = coordinates
            .iter()
            .map(|it| it.cells(data, DyadicSwitches::ALL))
            .collect();
        let (merged, _) = MergedPoints::rows(cells, data.n_rows(), &losses, &deadline).unwrap();
        work(merged, coordinates, &deadline);
    }

    #[test]
    fn halvings_that_are_needed_are_those_that_change_the_count() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..300 {
            with_merged(&random_table(&mut random), |merged, coordinates, _| {
                let most = random.u32(1..=MOST_AUTOMATIC);
                for (place, coordinate) in coordinates.iter().enumerate() {
                    // The obvious way: count the cells after any number of halvings.
                    let n_cells = |halvings: u32| {
                        let cells = merged.cells[place].iter();
                        let coarse = cells.map(|&cell| coordinate.coarse(cell, halvings));
                        coarse.collect::<std::collections::BTreeSet<u32>>().len()
                    };
                    let obvious = (0..=most).find(|&it| n_cells(it) == n_cells(most)).unwrap();
                    assert_eq!(merged.needed(coordinate, place, most), obvious);
                }
            });
        }
    }

    #[test]
    fn groups_have_equal_cells_and_come_by_their_first_points() {
        let mut random = fastrand::Rng::with_seed(8);
        for _ in 0..300 {
            with_merged(
                &random_table(&mut random),
                |merged, coordinates, deadline| {
                    let halvings = random.u32(0..6);
                    let view = |cell: u32, place: usize| coordinates[place].coarse(cell, halvings);
                    let groups = merged.groups(merged.n_points, view, deadline).unwrap();
                    let mut known: Vec<Vec<u32>> = Vec::new();
                    for point in 0..merged.n_points {
                        let cells = merged.cells.iter().enumerate();
                        let cells: Vec<u32> =
                            cells.map(|(at, cells)| view(cells[point], at)).collect();
                        let group = known.iter().position(|it| *it == cells).unwrap_or_else(|| {
                            assert_eq!(groups.firsts[known.len()] as usize, point);
                            known.push(cells);
                            known.len() - 1
                        });
                        assert_eq!(groups.of_point[point] as usize, group);
                    }
                    assert_eq!(groups.firsts.len(), known.len());
                },
            );
        }
    }
}
