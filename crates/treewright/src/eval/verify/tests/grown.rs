//! Random trees, grown as learners grow them, against their own rows and against others.

use proptest::prelude::*;

use super::*;

/// Grows random trees the way learners do: every row with its share, missing values in proportion to
/// the known weights.
struct Grower<'a> {
    data: &'a Dataset,
    truths: &'a [u32],
    random: fastrand::Rng,
}

impl Grower<'_> {
    fn counts(&self, rows: &[(usize, f64)]) -> Vec<f64> {
        let mut counts = vec![0.0; 2];
        for &(row, share) in rows {
            counts[self.truths[row] as usize] += self.data.weight(row) * share;
        }
        counts
    }

    fn tree(&mut self) -> Tree {
        let all: Vec<(usize, f64)> = (0..self.data.n_rows()).map(|row| (row, 1.0)).collect();
        let counts = self.counts(&all);
        let value = Loss::ZeroOne.best_class(&counts) as f64;
        let root = Outcome::Counts(counts);
        let mut builder =
            TreeBuilder::new(schema(two_classes()), Loss::ZeroOne, root, value).unwrap();
        let mut open = vec![(NodeId::ROOT, all, value)];
        for _ in 0..6 {
            let (id, rows, value) = open.swap_remove(self.random.usize(..open.len()));
            let cut = f64::from(self.random.u8(0..8)) + 0.5;
            let own_branch = self.random.bool();
            let (missing, groups) = self.divide(&rows, cut, own_branch);
            let children: Vec<(Outcome, f64)> = groups
                .iter()
                .map(|group| {
                    let counts = self.counts(group);
                    let is_empty = counts.iter().all(|&count| count == 0.0);
                    let best = Loss::ZeroOne.best_class(&counts) as f64;
                    (Outcome::Counts(counts), if is_empty { value } else { best })
                })
                .collect();
            let values: Vec<f64> = children.iter().map(|child| child.1).collect();
            let first = builder.split(id, cuts(&[cut]), missing, children).unwrap();
            let children = groups.into_iter().zip(values).zip(first.0..);
            open.extend(children.map(|((group, value), id)| (NodeId(id), group, value)));
        }
        builder.finish()
    }

    fn divide(
        &mut self,
        rows: &[(usize, f64)],
        cut: f64,
        own_branch: bool,
    ) -> (MissingRoute, Vec<Vec<(usize, f64)>>) {
        let Column::Numeric(x) = &self.data.columns()[0] else {
            unreachable!("the feature is numeric")
        };
        let mut groups = vec![Vec::new(); 2 + usize::from(own_branch)];
        let mut missing = Vec::new();
        for &(row, share) in rows {
            match x[row] {
                x if x.is_nan() => missing.push((row, share)),
                x => groups[usize::from(x > cut)].push((row, share)),
            }
        }
        if own_branch {
            groups[2] = missing;
            return (MissingRoute::Child(2), groups);
        }
        let known: Vec<f64> = groups
            .iter()
            .map(|group| self.counts(group).iter().sum())
            .collect();
        let total: f64 = known.iter().sum();
        // Learners never split where nothing is known; here the rows just stay together.
        if total == 0.0 || self.random.bool() {
            groups[1].extend(missing);
            return (MissingRoute::Child(1), groups);
        }
        for (group, known) in groups
            .iter_mut()
            .zip(known)
            .filter(|(_, known)| *known > 0.0)
        {
            group.extend(
                missing
                    .iter()
                    .map(|&(row, share)| (row, share * known / total)),
            );
        }
        (MissingRoute::Distribute, groups)
    }
}

proptest! {
    #[test]
    fn honest_trees_hold_and_forged_ones_do_not(seed: u64, whole: bool) {
        let mut random = fastrand::Rng::with_seed(seed);
        let n_rows = random.usize(1..40);
        let x = (0..n_rows)
            .map(|_| if random.u8(..4) == 0 { f64::NAN } else { f64::from(random.u8(0..9)) })
            .collect();
        let truths: Vec<u32> = (0..n_rows).map(|_| random.u32(..2)).collect();
        let weights = (0..n_rows)
            .map(|_| if whole { f64::from(random.u8(1..4)) } else { random.f64() + 0.01 })
            .collect();
        let data = Dataset::new(
            schema(two_classes()),
            vec![Column::Numeric(x)],
            Target::Classes(truths.clone()),
            Some(weights),
        );
        let tree = Grower { data: &data, truths: &truths, random }.tree();
        let honest = fit(tree, &data, "greedy");
        prop_assert_eq!(complaints(&honest, &data), []);
        let swapped: Vec<u32> = truths.iter().map(|truth| 1 - truth).collect();
        let other = Dataset::new(
            schema(two_classes()),
            data.columns().to_vec(),
            Target::Classes(swapped),
            data.weights().map(<[f64]>::to_vec),
        );
        let balanced = honest.model.counts(NodeId::ROOT);
        if (balanced[0] - balanced[1]).abs() > 1e-6 {
            prop_assert!(!verify(&honest, &other).holds);
        }
    }
}
