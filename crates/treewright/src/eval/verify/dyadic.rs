//! What can be said about the certificate of a dyadic tree.
//!
//! The parameters say what the tree is the best at: a weight of a penalty, or a number of leaves. So its
//! objective is known, unless the penalty is a table, whose values no model has.

use serde_json::Value as Json;

use crate::cost::Penalty;
use crate::tree::{AimParam, Fit, LearnerKind, Training, Tree};

const TABLE: &str = "table";

pub(super) fn is_dyadic(fit: &Fit<Tree>) -> bool {
    fit.learner.kind == LearnerKind::Dyadic
}

/// Is the penalty a table? Its values may be negative.
pub(super) fn has_table(fit: &Fit<Tree>) -> bool {
    is_dyadic(fit) && fit.learner.params.has_penalty_table()
}

/// What speaks against the objective of a dyadic tree; nothing for trees of other learners.
pub(super) fn differs(
    fit: &Fit<Tree>,
    found: &Training,
    objective: f64,
    slack: f64,
) -> Option<String> {
    if !is_dyadic(fit) {
        return None;
    }
    match added(fit, found) {
        Err(what) => Some(what),
        Ok(None) => None,
        Ok(Some(added)) => {
            let computed = found.cost + added;
            let differs = !((objective - computed).abs() <= slack);
            differs.then(|| format!("objective is {objective}, found {computed}"))
        }
    }
}

/// What the objective adds to the cost, if that is known.
fn added(fit: &Fit<Tree>, found: &Training) -> Result<Option<f64>, String> {
    let lambda = match fit.learner.params.aim()? {
        None => return Ok(None),
        Some(AimParam::Leaves(most)) => {
            return has_at_most(most, found.leaves).map(|()| Some(0.0));
        }
        Some(AimParam::Lambda(lambda)) => lambda.to_f64(),
        Some(AimParam::Kappa(kappa)) => kappa.to_f64() / found.weight,
    };
    Ok(penalty(fit)?.map(|penalty| lambda * penalty.at(found.leaves)))
}

fn has_at_most(most: u64, leaves: usize) -> Result<(), String> {
    if leaves as u64 > most {
        return Err(format!(
            "{leaves} leaves, but at most {most} were asked for"
        ));
    }
    Ok(())
}

/// What leaves cost; `None` if only the learner knew.
fn penalty(fit: &Fit<Tree>) -> Result<Option<Penalty>, String> {
    match fit.learner.params.penalty() {
        None => Ok(Some(Penalty::Linear)),
        Some(Json::String(name)) if name == TABLE => Ok(None),
        Some(Json::String(name)) => match name.parse() {
            Ok(penalty) => Ok(Some(penalty)),
            Err(error) => Err(format!("params: {error}")),
        },
        Some(_) => Err("params.penalty is no name of a penalty".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Budget;
    use crate::data::csv::CsvSource;
    use crate::data::{Dataset, ReadOptions};
    use crate::eval::verify;
    use crate::learn::Learner;
    use crate::learn::dyadic::{Aim, Dyadic};

    fn data() -> Dataset {
        let rows = (0..40).map(|x| format!("{x},{}\n", ["a", "b"][(x / 7 + x / 11) % 2]));
        let text = format!("x,class\n{}", rows.collect::<String>());
        let source = CsvSource::new(text.into_bytes(), b',').unwrap();
        Dataset::read(&source, &ReadOptions::default()).unwrap()
    }

    fn fit(aim: Aim, penalty: &str) -> Fit<Tree> {
        let penalty = match penalty {
            TABLE => Penalty::table(&["-3", "-1", "0", "2", "9", "10", "20", "30"]).unwrap(),
            name => name.parse().unwrap(),
        };
        let learner = Dyadic {
            aim,
            penalty,
            ..Dyadic::default()
        };
        learner.fit(&data(), &Budget::unlimited()).unwrap()
    }

    fn aims() -> [Aim; 3] {
        [
            Aim::Lambda("1/30".parse().unwrap()),
            Aim::Kappa("3/2".parse().unwrap()),
            Aim::Leaves(3),
        ]
    }

    /// What the check of the certificate says.
    fn complaint(fit: &Fit<Tree>) -> Option<String> {
        let checks = verify(fit, &data()).checks;
        let check = checks.into_iter().find(|check| check.name == "certificate");
        check.unwrap().differs
    }

    /// The same tree with another objective.
    fn with_objective(fit: &Fit<Tree>, change: f64) -> Fit<Tree> {
        let mut fit = fit.clone();
        let certificate = fit.certificate.as_mut().unwrap();
        certificate.objective += change;
        certificate.lower_bound = certificate.objective;
        fit
    }

    #[test]
    fn objectives_are_those_of_the_aim() {
        for aim in aims() {
            for penalty in ["linear", "sqrt", "log", "power:2", "power:1/3"] {
                let fit = fit(aim.clone(), penalty);
                assert_eq!(complaint(&fit), None);
                let certificate = fit.certificate.as_ref().unwrap();
                for change in [certificate.objective * 1e-7, -certificate.objective * 1e-7] {
                    let complaint = complaint(&with_objective(&fit, change)).unwrap();
                    assert!(complaint.starts_with("objective "), "{complaint}");
                }
            }
        }
    }

    #[test]
    fn only_the_learner_knows_a_table() {
        for aim in aims() {
            let is_sized = matches!(aim, Aim::Leaves(_));
            let fit = fit(aim, TABLE);
            assert_eq!(complaint(&fit), None);
            let is_found = complaint(&with_objective(&fit, -0.5)).is_some();
            assert_eq!(is_found, is_sized);
        }
    }

    #[test]
    fn parameters_that_cannot_be() {
        let refused = |aim: Aim, name: &str, value: Json, expected: &str| {
            let mut fit = fit(aim, "sqrt");
            fit.learner.params.insert(name, value);
            let complaint = complaint(&fit).unwrap();
            assert!(complaint.starts_with(expected), "{complaint}");
        };
        let [lambda, kappa, leaves] = aims();
        let both = "params have both lambda and kappa";
        refused(lambda.clone(), "kappa", 2.into(), both);
        refused(kappa.clone(), "lambda", 2.into(), both);
        let both = "params have both lambda and leaves";
        refused(lambda.clone(), "leaves", 9.into(), both);
        refused(
            leaves.clone(),
            "leaves",
            1.into(),
            "3 leaves, but at most 1 were",
        );
        refused(
            leaves.clone(),
            "leaves",
            "3".into(),
            "params.leaves is no number",
        );
        refused(
            lambda.clone(),
            "lambda",
            "x".into(),
            "params.lambda is no weight",
        );
        refused(
            kappa.clone(),
            "kappa",
            Json::Null,
            "params.kappa is no weight",
        );
        refused(
            lambda.clone(),
            "penalty",
            "cubic".into(),
            "params: penalty: got",
        );
        refused(lambda, "penalty", 3.into(), "params.penalty is no name");
        refused(kappa, "penalty", "linear".into(), "objective is");
    }
}
