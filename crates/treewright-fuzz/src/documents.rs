//! Models and families: used in every way.

use treewright::cost::Lambda;
use treewright::export::json::{self, Document};
use treewright::prune::take_out;
use treewright::tree::FamilyFit;
use treewright_cli::doors;

use crate::dice::Dice;
use crate::rows::around_cuts;
use crate::scratch::with_file;
use crate::trees;

/// Larger trees are only read and written: what else is done to them takes too long to be repeated.
const MOST_NODES: usize = 200;

/// Bytes as a model file.
pub(crate) fn model(bytes: &[u8]) -> bool {
    any(bytes)
}

/// Bytes as a family file.
pub(crate) fn family(bytes: &[u8]) -> bool {
    any(bytes)
}

/// The file says itself which of them it is.
fn any(bytes: &[u8]) -> bool {
    let dice = Dice::of(bytes);
    match with_file("json", bytes, doors::document) {
        Err(error) => return refused(&format!("{error:#}")),
        Ok(Document::Model(fit)) if fit.model.n_nodes() <= MOST_NODES => {
            trees::use_on_made_up_rows(&fit, dice);
        }
        Ok(Document::Model(_)) => {}
        Ok(Document::Family(fit)) => use_family(&fit, dice),
    }
    true
}

fn use_family(fit: &FamilyFit, dice: Dice) {
    family_round_trip(fit);
    let family = &fit.family;
    let lambda: Lambda = "0.01".parse().expect("a decimal");
    assert!(family.at(&lambda) < family.len());
    family.with_leaves(2);
    let member = dice.throw(4, family.len());
    let tree = family.tree(member);
    if tree.n_nodes() > MOST_NODES {
        return;
    }
    let lambda = (dice.throw(5, 2) == 0).then_some(lambda);
    if let Ok(taken) = take_out(fit, member, lambda, Some("1se")) {
        trees::use_on_made_up_rows(&taken, dice);
    }
    if dice.throw(6, 32) == 0 {
        trees::report(fit, &around_cuts(&tree));
    }
}

/// What is written reads back as the same, unless it says that it is too large.
pub(crate) fn family_round_trip(fit: &FamilyFit) {
    if json::check_family_size(fit).is_err() {
        return;
    }
    let written = json::write_family(fit);
    let read = json::read_family(&written).expect("a written family can be read");
    assert_eq!(json::write_family(&read), written, "written twice");
}

/// A message is one line of a sensible length. The answer of a target that could not read the bytes.
pub(crate) fn refused(message: &str) -> bool {
    const LONGEST: usize = 2000;
    assert!(!message.is_empty() && message.len() <= LONGEST, "{message}");
    false
}
