//! Sets of features as bits in words. All sets of one search have the same number of words.

/// Words for this many features.
pub(in crate::select::features) fn words_for(n_features: usize) -> usize {
    n_features.div_ceil(64).max(1)
}

pub(in crate::select::features) fn has(set: &[u64], feature: usize) -> bool {
    set[feature / 64] >> (feature % 64) & 1 != 0
}

pub(in crate::select::features) fn add(set: &mut [u64], feature: usize) {
    set[feature / 64] |= 1 << (feature % 64);
}

pub(in crate::select::features) fn remove(set: &mut [u64], feature: usize) {
    set[feature / 64] &= !(1 << (feature % 64));
}

pub(in crate::select::features) fn is_subset(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a & !b == 0)
}

pub(in crate::select::features) fn add_all(set: &mut [u64], other: &[u64]) {
    for (set, other) in set.iter_mut().zip(other) {
        *set |= other;
    }
}

pub(in crate::select::features) fn keep_common(set: &mut [u64], other: &[u64]) {
    for (set, other) in set.iter_mut().zip(other) {
        *set &= other;
    }
}

pub(in crate::select::features) fn len(set: &[u64]) -> usize {
    set.iter().map(|word| word.count_ones() as usize).sum()
}

/// The features of a set, rising.
pub(in crate::select::features) fn iter(set: &[u64]) -> impl Iterator<Item = usize> {
    set.iter().enumerate().flat_map(|(at, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                64 * at + bit
            })
        })
    })
}

/// All of this many features.
pub(in crate::select::features) fn all(n_features: usize) -> Vec<u64> {
    let mut set = vec![0; words_for(n_features)];
    for feature in 0..n_features {
        add(&mut set, feature);
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_behave() {
        let mut set = all(130);
        assert_eq!(len(&set), 130);
        remove(&mut set, 64);
        assert!(!has(&set, 64) && has(&set, 65) && has(&set, 129));
        assert_eq!(iter(&set).filter(|&f| (60..70).contains(&f)).count(), 9);
        let mut few = vec![0; 3];
        add(&mut few, 129);
        assert!(is_subset(&few, &set));
        add(&mut few, 64);
        assert!(!is_subset(&few, &set));
        keep_common(&mut few, &set);
        assert_eq!(iter(&few).collect::<Vec<_>>(), [129]);
    }
}
