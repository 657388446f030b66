//! Optimal trees over all dyadic partitions.

mod boxed;
mod collapsed;
mod coordinate;
mod grid;
mod hull;
mod points;
mod table;
#[cfg(test)]
mod tests;

#[doc(hidden)]
pub mod probe {
    //! Scratch.
    use super::collapsed::*;
    use super::coordinate::*;
    use super::grid::*;
    use super::hull::*;
    use crate::Budget;
    use crate::cost::Loss;
    use crate::data::Dataset;
    /// Scratch.
    pub fn path(data: &Dataset, k: Option<u32>, price: (u64, u64)) {
        let t = std::time::Instant::now();
        let r = k.map_or(Resolution::Auto, Resolution::Same);
        let grid = Grid::new(data, &Loss::ZeroOne, &r, Coding::Share, Missing::Code, std::env::var("SNAP").map_or(0.0, |s| s.parse().unwrap())).unwrap();
        let ks: Vec<u32> = grid.coordinates.iter().map(|c| c.bits()).collect();
        eprintln!("k {ks:?} points {} words {} base {} prep {:?}", grid.points.len(), grid.points.n_words, grid.base, t.elapsed());
        let t = std::time::Instant::now();
        let limits = Limits { budget: Budget::unlimited(), most_bytes: 8 << 30 };
        let least = Price { numerator: price.0, denominator: price.1 };
        let mut c: Collapsed<1, 1> = Collapsed::new(&grid.points, least, limits);
        let whole = c.whole();
        let best = c.solve(&whole, 0, 0).unwrap();
        let mut out = Vec::new();
        c.corners(best, &mut out);
        let shown: Vec<(u32, u32)> = out.iter().map(|c| (c.error, c.leaves)).collect();
        eprintln!("collapsed states {} corners {} bytes {} time {:?}\n{:?}", c.table.len(), c.table.n_corners(), c.table.bytes(), t.elapsed(), shown);
        let t = std::time::Instant::now();
        let limits = Limits { budget: Budget::unlimited(), most_bytes: 8 << 30 };
        let c: Collapsed<1, 1> = Collapsed::new(&grid.points, least, limits);
        let mut b = super::boxed::Boxed::new(c);
        let levels = b.whole_box();
        let best = b.solve(&whole, &levels, 0, 0).unwrap();
        b.corners(best, &mut out);
        let shown: Vec<(u32, u32)> = out.iter().map(|c| (c.error, c.leaves)).collect();
        eprintln!("boxed states {} + {} corners {} bytes {} time {:?}\n{:?}", b.table.len(), b.collapsed.table.len(), b.table.n_corners(), b.table.bytes(), t.elapsed(), shown);
    }
}
