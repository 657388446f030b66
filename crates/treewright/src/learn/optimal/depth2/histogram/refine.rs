//! A closer look between two lanes of a level.

use super::bin_bounds::Goal;
use super::bins::{Piece, part};
use super::gathered::{StripRow, Strips};
use super::{Child, Level, Spare, zeros};
use crate::learn::optimal::depth2::lane_of_rank::Lanes;
use crate::learn::optimal::depth2::simd::Lane;
use crate::learn::optimal::problem::{Cells, Kind, NONE, Rows, Setting};

/// Rows between two lanes of a coarser level.
struct Moving<'a> {
    rows: &'a [u32],
    lanes: Lanes,
    ranks: &'a [u32],
    from: usize,
    to: usize,
}

impl Moving<'_> {
    #[inline]
    fn lane(&self, row: u32) -> usize {
        self.lanes.of(self.ranks[row as usize])
    }
}

/// Where the old pieces of a child go.
struct Parting {
    pieces: Vec<Piece>,
    /// For each old piece, with that of missing cells, the first new one.
    first: Vec<usize>,
    /// Is it parted? The others are only sums.
    is_parted: Vec<bool>,
}

impl<T: Lane> Level<T> {
    /// The cuts from a lane on and before the next, with all that could still cost less than `best`.
    pub(crate) fn finer(
        &self,
        setting: Setting<'_>,
        rows: &Rows,
        lane: usize,
        best: u64,
        strips: &Strips,
        spare: &mut Spare<T>,
    ) -> Self {
        let end = self.end(lane);
        let of_root = &rows.cells[self.root];
        let mut cuts = vec![self.cuts[lane]];
        if end > lane {
            let zones = part(
                of_root,
                self.cuts[lane],
                self.cuts[end],
                setting.sizes.close_lanes,
            );
            cuts.extend(zones.map(|zone| zone.end));
        }
        let mut level = Self::new(setting, rows, self.root, cuts);
        let moving = Moving {
            rows: of_root.rows(self.cuts[lane], self.cuts[end]),
            lanes: Lanes::new(&level.cuts),
            ranks: &of_root.ranks,
            from: lane,
            to: end,
        };
        let mut sums = std::mem::take(&mut level.sums);
        level.keep(&mut sums, 0, self, &self.sums, 0, &moving);
        for &row in moving.rows {
            level.add(&mut sums, 0, rows, row, moving.lane(row));
        }
        level.sums = sums;
        level.sweep_leaves(setting);
        for child in &self.children {
            let costs = self.costs(child, lane);
            let live = costs.map(|cost| cost < best);
            for cost in costs.into_iter().filter(|&cost| cost >= best) {
                level.floor = level.floor.min(cost);
            }
            if live == [false; 2] {
                continue;
            }
            let goal = Goal {
                live,
                others: [self.least[1][end], self.least[0][lane]],
                lanes: [lane, end],
                best,
            };
            let finer = self.finer_child(
                setting, rows, child, &mut level, &moving, goal, strips, spare,
            );
            level.sweep(setting, rows, finer, live);
        }
        level
    }

    /// Adds a row to a piece of a table.
    #[inline]
    fn add(&self, table: &mut [T], piece: usize, rows: &Rows, row: u32, lane: usize) {
        let slot = self.slot(rows, row as usize);
        let sum = &mut table[(piece * self.n_slots + slot) * self.stride + lane];
        *sum = sum.plus(T::new(rows.labels[row as usize].amount()));
    }

    /// Adds rows that lie side by side.
    #[inline(never)]
    fn add_strip(&self, table: &mut [T], piece: usize, rows: &[StripRow], lanes: &Lanes) {
        for row in rows {
            let slot = piece * self.n_slots + row.slot as usize;
            let sum = &mut table[slot * self.stride + lanes.of(row.rank)];
            *sum = sum.plus(T::new(u32::from(row.amount)));
        }
    }

    /// Adds those rows of an old piece that are below or above all lanes to a new one.
    fn keep(
        &self,
        table: &mut [T],
        new: usize,
        coarse: &Self,
        from: &[T],
        old: usize,
        moving: &Moving<'_>,
    ) {
        let last = self.cuts.len();
        for slot in 0..self.n_slots {
            let old = &from[(old * self.n_slots + slot) * coarse.stride..][..coarse.stride];
            let new = &mut table[(new * self.n_slots + slot) * self.stride..][..self.stride];
            new[0] = new[0].plus(old[moving.from]);
            new[last] = new[last].plus(old[coarse.cuts.len()].minus(old[moving.to]));
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn finer_child(
        &self,
        setting: Setting<'_>,
        rows: &Rows,
        child: &Child<T>,
        level: &mut Self,
        moving: &Moving<'_>,
        goal: Goal,
        strips: &Strips,
        spare: &mut Spare<T>,
    ) -> Child<T> {
        let mut finer = Child {
            feature: child.feature,
            pieces: child.pieces.clone(),
            table: Vec::new(),
            least: [Vec::new(), Vec::new()],
        };
        if child.table.is_empty() {
            return finer;
        }
        let is_numeric = setting.table.kinds[child.feature] == Kind::Numeric;
        let n_old = child.table.len() / (self.n_slots * self.stride);
        let cells = &rows.cells[child.feature];
        let parting = if is_numeric {
            let bounds = self.piece_bounds(setting, child, goal);
            for (piece, &bound) in child.pieces.iter().zip(&bounds) {
                if bound >= goal.best && (piece.is_open || piece.is_cut_after) {
                    level.floor = level.floor.min(bound);
                }
            }
            let is_parted = bounds.into_iter().map(|bound| bound < goal.best).collect();
            let n_pieces = setting.sizes.close_pieces;
            Parting::new(cells, &child.pieces, is_parted, n_old, n_pieces)
        } else {
            Parting::none(&child.pieces, n_old)
        };
        let n_new = parting.pieces.len() + n_old - child.pieces.len();
        let mut table = zeros(spare, n_new * level.n_slots * level.stride);
        for old in (0..n_old).filter(|&old| !parting.is_parted[old]) {
            level.keep(
                &mut table,
                parting.first[old],
                self,
                &child.table,
                old,
                moving,
            );
        }
        // Rows that move, in pieces that are only sums.
        for &row in moving.rows {
            let rank = cells.ranks[row as usize];
            let old = if rank == NONE {
                n_old - 1
            } else {
                child.pieces.partition_point(|piece| piece.end <= rank)
            };
            if !parting.is_parted[old] {
                level.add(&mut table, parting.first[old], rows, row, moving.lane(row));
            }
        }
        // All rows of the others.
        let is_parted = |old: &usize| parting.is_parted[*old];
        let n_rows = |old: usize| {
            let piece = child.pieces[old];
            cells.rows(piece.start, piece.end).len()
        };
        let n_looks = || (0..child.pieces.len()).filter(is_parted).map(n_rows).sum();
        let strip = strips.of(rows, self.root, child.feature, n_looks);
        for old in (0..child.pieces.len()).filter(is_parted) {
            let after = parting.first.get(old + 1).copied();
            for new in parting.first[old]..after.unwrap_or(parting.pieces.len()) {
                let piece = parting.pieces[new];
                if let Some(strip) = strip {
                    let [from, to] =
                        [piece.start, piece.end].map(|rank| cells.starts[rank as usize]);
                    level.add_strip(
                        &mut table,
                        new,
                        &strip[from as usize..to as usize],
                        &moving.lanes,
                    );
                } else {
                    for &row in cells.rows(piece.start, piece.end) {
                        level.add(&mut table, new, rows, row, moving.lane(row));
                    }
                }
            }
        }
        finer.pieces = parting.pieces;
        finer.table = table;
        finer
    }
}

impl Parting {
    /// Pieces in which a cut could be better are parted further, neighbours of the others are one.
    fn new(
        cells: &Cells,
        old: &[Piece],
        mut is_parted: Vec<bool>,
        n_old: usize,
        n_pieces: usize,
    ) -> Self {
        let n_parted = is_parted.iter().filter(|&&is_parted| is_parted).count();
        let each = (n_pieces / n_parted.max(1)).max(2);
        let (mut pieces, mut first): (Vec<Piece>, Vec<usize>) = (Vec::new(), Vec::new());
        for (at, piece) in old.iter().enumerate() {
            if is_parted[at] {
                first.push(pieces.len());
                pieces.extend(part(cells, piece.start, piece.end, each));
                if let Some(last) = pieces.last_mut() {
                    last.is_cut_after = piece.is_cut_after;
                }
                continue;
            }
            match pieces.last_mut() {
                Some(last) if at > 0 && !is_parted[at - 1] => last.end = piece.end,
                _ => pieces.push(Piece {
                    is_open: false,
                    is_cut_after: false,
                    ..*piece
                }),
            }
            first.push(pieces.len() - 1);
        }
        // Missing cells.
        is_parted.resize(n_old, false);
        first.resize(n_old, pieces.len());
        Self {
            pieces,
            first,
            is_parted,
        }
    }

    /// All pieces stay as they are.
    fn none(old: &[Piece], n_old: usize) -> Self {
        Self {
            pieces: old.to_vec(),
            first: (0..n_old).collect(),
            is_parted: vec![false; n_old],
        }
    }
}
