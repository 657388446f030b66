//! From the parameters to trees with a certificate: which engine runs, and what its answer proves.

mod answer;
mod by_branches;
mod by_path;
mod by_rectangles;
pub(crate) mod family;
pub(crate) mod single;

#[cfg(test)]
mod tests {
    //! Searches that are stopped tell the truth.

    use crate::budget::Budget;
    use crate::cost::Penalty;
    use crate::data::csv::CsvSource;
    use crate::data::{Dataset, ReadOptions};
    use crate::learn::dyadic::parameters::{Aim, Dyadic, Model, Solver};
    use crate::learn::{FamilyLearner, Learner};

    fn random_table(random: &mut fastrand::Rng) -> Dataset {
        let n_features = random.usize(2..=4);
        let names: Vec<String> = (0..n_features).map(|at| format!("x{at}")).collect();
        let mut text = format!("{},class\n", names.join(","));
        for _ in 0..random.usize(30..90) {
            let row: Vec<u32> = (0..n_features).map(|_| random.u32(0..12)).collect();
            let noise = random.u8(0..4) == 0;
            let class = if noise {
                random.u32(0..3)
            } else {
                (row[0] / 5 + row[1] / 7) % 3
            };
            let mut cells: Vec<String> = row.iter().map(u32::to_string).collect();
            cells.push(["a", "b", "c"][class as usize].into());
            text += &cells.join(",");
            text.push('\n');
        }
        let source = CsvSource::new(text.into(), b',').unwrap();
        Dataset::read(&source, &ReadOptions::default()).unwrap()
    }

    fn random_learner(random: &mut fastrand::Rng) -> Dyadic {
        let penalties = ["linear", "linear", "sqrt", "power:2"];
        let penalty: Penalty = penalties[random.usize(0..4)].parse().unwrap();
        let kappa = format!("{}/3", random.u32(1..14)).parse().unwrap();
        let is_sized = random.u8(0..3) == 0;
        let model = [Model::Collapsed, Model::Boxed][random.usize(0..2)];
        let is_linear = penalty == Penalty::Linear && !is_sized;
        Dyadic {
            model,
            aim: if is_sized {
                Aim::Leaves(random.usize(2..9))
            } else {
                Aim::Kappa(kappa)
            },
            solver: match random.u8(0..3) {
                0 if is_linear => Solver::Recursion,
                _ => Solver::Auto,
            },
            penalty,
            ..Dyadic::default()
        }
    }

    #[test]
    fn bounds_of_stopped_searches_hold() {
        let mut random = fastrand::Rng::with_seed(21);
        let budget = Budget::unlimited();
        let (mut n_stopped, mut n_bounded) = (0, 0);
        for round in 0..600 {
            let data = random_table(&mut random);
            let learner = random_learner(&mut random);
            let best = learner.fit(&data, &budget).unwrap().certificate.unwrap();
            assert!(best.is_optimal());
            for most_bytes in [0, 100_000, 150_000, 250_000] {
                let stopped = Dyadic {
                    most_bytes,
                    ..learner.clone()
                };
                let found = stopped.fit(&data, &budget).unwrap().certificate.unwrap();
                let slack = 1e-12 * best.objective.abs();
                let case = || format!("{round}: {found:?} {best:?} {stopped:?}");
                assert!(found.lower_bound <= best.objective + slack, "{}", case());
                assert!(found.objective >= best.objective - slack, "{}", case());
                n_stopped += usize::from(!found.is_optimal());
                n_bounded += usize::from(!found.is_optimal() && found.gap() < 0.5);
            }
        }
        assert!(n_stopped > 300, "only {n_stopped} searches were stopped");
        assert!(
            n_bounded > 50,
            "only {n_bounded} of {n_stopped} have a bound of use"
        );
    }

    #[test]
    fn stopped_families_are_the_upper_part_of_the_whole() {
        let mut random = fastrand::Rng::with_seed(22);
        let budget = Budget::unlimited();
        let mut n_stopped = 0;
        for round in 0..300 {
            let data = random_table(&mut random);
            let learner = Dyadic {
                solver: Solver::Auto,
                ..random_learner(&mut random)
            };
            let whole = learner.fit_family(&data, &budget).unwrap();
            for most_bytes in [0, 100_000, 150_000, 250_000] {
                let stopped = Dyadic {
                    most_bytes,
                    ..learner.clone()
                };
                let found = stopped.fit_family(&data, &budget).unwrap();
                let from = found.exact_down_to;
                n_stopped += usize::from(from > 0.0);
                let case = || format!("{round}: {stopped:?}");
                let n = found.family.len();
                assert_eq!(
                    found.family.values(),
                    &whole.family.values()[..n],
                    "{}",
                    case()
                );
                // No other member is the best for a weight that is said to be covered.
                if n < whole.family.len() {
                    assert!(
                        whole.family.lambda_low(n - 1).unwrap() <= from,
                        "{}",
                        case()
                    );
                }
            }
        }
        assert!(n_stopped > 100, "only {n_stopped} searches were stopped");
    }
}
