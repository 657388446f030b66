//! What files say about dyadic trees holds, whatever the table: for the tree of one weight, and for the
//! members of a family, also after it was written and read again.

use fastrand::Rng;
use treewright::Budget;
use treewright::cost::{Lambda, Loss};
use treewright::eval::verify;
use treewright::export::json;
use treewright::learn::dyadic::{Aim, Coding, Dyadic, GridBox, Model, Resolution};
use treewright::learn::{FamilyLearner, Learner};
use treewright::prune::take_out;

use crate::greedy::differential::{any_params, settled_table};
use crate::tables::{Table, Weights, Wishes};

const ROUNDS: u64 = 300;

pub(crate) fn any_case(rng: &mut Rng) -> (Dyadic, Table) {
    let wishes = Wishes {
        classes: true,
        missing: rng.u8(..4) > 0,
        weights: Weights::Any,
    };
    let mut params = any_params(rng, true);
    params.loss = Loss::ZeroOne;
    let table = settled_table(rng, wishes, &mut params);
    let grid_box = [GridBox::Range, GridBox::Quantile][rng.usize(..2)];
    let learner = Dyadic {
        grid_box,
        resolution: match rng.u8(..3) {
            0 => Resolution::Auto,
            _ => Resolution::Same(rng.u32(0..4)),
        },
        model: [Model::Collapsed, Model::Boxed][rng.usize(..2)],
        coding: [Coding::Share, Coding::Order, Coding::OneVsRest][rng.usize(..3)],
        snap: match grid_box {
            GridBox::Quantile => 0.0,
            _ => [0.0, 0.0, 0.01, 0.2][rng.usize(..4)],
        },
        loss: params.loss,
        ..Dyadic::default()
    };
    (learner, table)
}

#[test]
fn every_claim_of_every_member_holds() {
    for seed in 0..ROUNDS {
        let (learner, table) = any_case(&mut Rng::with_seed(seed));
        let case = || format!("seed {seed}, {learner:?}\n{table}");
        let budget = Budget::unlimited();
        let found = learner
            .fit_family(&table.data, &budget)
            .unwrap_or_else(|error| panic!("{error}, {}", case()));
        assert_eq!(found.exact_down_to, 0.0);
        let stored = json::read_family(&json::write_family(&found))
            .unwrap_or_else(|error| panic!("{error}, {}", case()));
        for member in 0..stored.family.len() {
            let taken = take_out(&stored, member, None, None).unwrap();
            let checks = verify(&taken, &table.data);
            assert!(checks.holds, "{checks:?}, {}", case());
            let certificate = taken.certificate.as_ref().unwrap();
            let off_by = certificate.tolerance.unwrap_or(0.0) * (1.0 + 1e-9);
            assert!(certificate.objective - certificate.lower_bound <= off_by);
            let low = stored.family.lambda_low(member).unwrap();
            let lambda: Lambda = format!("{low:?}").parse().unwrap();
            let for_one = Dyadic {
                aim: Aim::Lambda(lambda),
                ..learner.clone()
            };
            let mut fit = for_one.fit(&table.data, &budget).unwrap();
            let checks = verify(&fit, &table.data);
            assert!(checks.holds, "{checks:?}, {}", case());
            assert_eq!(fit.training.leaves, taken.training.leaves, "{}", case());
            let mut params = fit.learner.params.as_json().clone();
            params.shift_remove("search");
            fit.learner.params = params.into();
            assert_eq!(fit.learner, taken.learner);
            assert_eq!(fit.model, taken.model, "{}", case());
            assert_eq!(
                fit.certificate.unwrap().statement,
                certificate.statement,
                "{}",
                case()
            );
        }
    }
}
