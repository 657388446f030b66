//! From ranks of the root to the lanes of its cuts.

/// From ranks of the root to the first lane in which the row is below the cut.
#[derive(Debug)]
pub(crate) struct LaneOfRank {
    first: u32,
    /// Of the rank before the first cut, all ranks from there on, and the last cut.
    of_rank: Vec<u8>,
}

impl LaneOfRank {
    pub(crate) fn new(cuts: &[u32]) -> Self {
        let last = cuts[cuts.len() - 1];
        let mut of_rank = Vec::with_capacity((last - cuts[0]) as usize + 2);
        of_rank.push(0);
        for (lane, cut) in cuts.windows(2).enumerate() {
            of_rank.resize((cut[1] - cuts[0]) as usize + 1, lane as u8 + 1);
        }
        of_rank.push(cuts.len() as u8);
        Self {
            first: cuts[0],
            of_rank,
        }
    }

    /// The one lane of a category that is set apart; the others are beyond.
    pub(crate) fn apart(category: u32) -> Self {
        Self {
            first: category,
            of_rank: vec![1, 0, 1],
        }
    }

    /// Nothing branches on whether the rank is between the cuts.
    #[inline]
    pub(crate) fn of(&self, rank: u32) -> usize {
        let place = (rank as usize + 1).saturating_sub(self.first as usize);
        self.of_rank[place.min(self.of_rank.len() - 1)] as usize
    }
}
