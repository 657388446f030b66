//! Losses by number of leaves.

/// More than any loss; sums of a few do not overflow.
pub(crate) const NEVER: u64 = u64::MAX / 8;

/// The losses of some rows with at most 1, 2, ... leaves. They never rise, and more leaves than there are entries
/// change nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LossBySize(Vec<u64>);

impl FromIterator<u64> for LossBySize {
    fn from_iter<I: IntoIterator<Item = u64>>(losses: I) -> Self {
        Self(losses.into_iter().collect())
    }
}

impl LossBySize {
    /// One loss for every size up to `n_sizes`.
    pub(crate) fn same(loss: u64, n_sizes: usize) -> Self {
        Self(vec![loss; n_sizes])
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The loss with at most this many leaves.
    pub(crate) fn at(&self, leaves: usize) -> u64 {
        match leaves.min(self.0.len()).checked_sub(1) {
            Some(place) => self.0[place],
            None => NEVER,
        }
    }

    pub(crate) fn set(&mut self, leaves: usize, loss: u64) {
        self.0[leaves - 1] = loss;
    }

    /// These losses; sizes without a tree get the loss of a leaf.
    pub(crate) fn or_leaf(&self, leaf: u64) -> Self {
        let loss = |&loss: &u64| if loss >= NEVER { leaf } else { loss };
        Self(self.0.iter().map(loss).collect())
    }

    /// Lower bounds of more leaves hold for fewer, too.
    pub(crate) fn never_rising(mut self) -> Self {
        let mut most = 0;
        for loss in self.0.iter_mut().rev() {
            most = most.max(*loss);
            *loss = most;
        }
        self
    }

    /// These losses for `n_sizes` sizes: cut off, or continued with the last one.
    pub(crate) fn resized(&self, n_sizes: usize) -> Self {
        Self((1..=n_sizes).map(|leaves| self.at(leaves)).collect())
    }

    /// There is a tree with this many leaves and this loss.
    pub(crate) fn offer(&mut self, leaves: usize, loss: u64) {
        for known in self.0.iter_mut().skip(leaves.max(1) - 1) {
            *known = loss.min(*known);
        }
    }

    /// Trees with at most this many leaves lose no less than this, and nor do smaller ones.
    pub(crate) fn raise(&mut self, leaves: usize, loss: u64) {
        for known in self.0.iter_mut().take(leaves) {
            *known = loss.max(*known);
        }
    }

    /// The larger of both, for each size.
    pub(crate) fn raise_all(&mut self, other: &Self) {
        for (place, known) in self.0.iter_mut().enumerate() {
            *known = other.at(place + 1).max(*known);
        }
    }

    /// The least sum over all ways to share leaves between two sets of rows.
    pub(crate) fn plus(&self, other: &Self, n_sizes: usize) -> Self {
        let sum = |leaves: usize| self.share(other, leaves).map_or(NEVER, |(_, sum)| sum);
        Self((1..=n_sizes).map(sum).collect())
    }

    /// How many of the leaves the first of two sets gets in the best way to share them, the fewest of equal ones,
    /// and the sum of both losses.
    pub(crate) fn share(&self, other: &Self, leaves: usize) -> Option<(usize, u64)> {
        let sum = |own: usize| (self.at(own).saturating_add(other.at(leaves - own)), own);
        let most = self.len().min(leaves.checked_sub(1)?);
        let least = (1..=most).map(sum).min()?;
        (least.0 < NEVER).then_some((least.1, least.0))
    }
}

/// For each number of leaves of a set of rows: which losses matter? Those below the entry; 0 stands for none.
pub(crate) type Wanted = Vec<u64>;

/// Which losses of a part matter, if those of all rows are wanted and the other parts lose at least `rest`. The part
/// has at most `n_sizes` leaves, and there are `more` parts of which nothing is known but that each has a leaf.
pub(crate) fn wanted_of_part(
    wanted: &[u64],
    rest: Option<&LossBySize>,
    more: usize,
    n_sizes: usize,
) -> Wanted {
    let mut of_part = vec![0; n_sizes];
    for (place, &below) in wanted.iter().enumerate().filter(|&(_, &below)| below > 0) {
        let Some(leaves) = (place + 1).checked_sub(more) else {
            continue;
        };
        let Some(rest) = rest else {
            // The others may have any number of leaves.
            for own in of_part.iter_mut().take(leaves) {
                *own = below.max(*own);
            }
            continue;
        };
        // Where the other parts have all the leaves that they can use, this one may have the others.
        let fewest = leaves.saturating_sub(rest.len()).clamp(1, n_sizes);
        for own in fewest..=n_sizes.min(leaves.saturating_sub(1)) {
            let below = below.saturating_sub(rest.at(leaves - own));
            of_part[own - 1] = of_part[own - 1].max(below);
        }
    }
    of_part
}
