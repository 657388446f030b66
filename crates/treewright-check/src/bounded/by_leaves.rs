//! Claims about trees with a limited number of leaves, for each number of leaves.

use std::cell::Cell;

use num_traits::Zero;

use super::DEEPEST;
use super::class::Class;
use super::curve::Curve;
use super::rules::LeafRule;
use super::search::Search;
use crate::numbers::Ratio;
use crate::read::data::Data;
use crate::values::{Value, Values};

/// Trees with at most some leaves are claimed to cost no less than this in total, or, with `more`, to cost more.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Limit {
    pub(super) cost: Ratio,
    pub(super) more: bool,
}

/// Trees that cost less.
pub(super) struct Cheaper {
    /// The most leaves that they may have.
    pub(super) leaves: usize,
    pub(super) cost: Ratio,
    /// It is not known: losses were rounded down.
    pub(super) is_uncertain: bool,
}

impl Limit {
    pub(super) fn at_least(cost: Ratio) -> Self {
        Self { cost, more: false }
    }
}

/// The limits of 1, 2, ... leaves; the last one is about all trees.
pub(super) fn limits(class: &Class, data: &Data, of: impl Fn(usize) -> Limit) -> Vec<Limit> {
    let most = class.most_possible(data);
    let mut limits: Vec<Limit> = Vec::new();
    for leaves in 1..=most {
        let limit = of(leaves);
        // No tree costs less than nothing. Limits do not rise, so those of more leaves say no more.
        let is_end = !limit.more && limit.cost <= Ratio::zero();
        limits.push(limit);
        if is_end {
            break;
        }
        if class.most_leaves == Some(leaves) && leaves < most {
            // Nothing is claimed of larger trees.
            limits.push(Limit::at_least(Ratio::zero()));
            break;
        }
    }
    limits
}

/// Which limits do not hold; an error says why that is not known. The first limit is that of one leaf, the last one is
/// about all trees.
pub(super) fn cheaper(
    class: &Class,
    data: &Data,
    limits: &[Limit],
    work: &Cell<u64>,
) -> Result<Vec<Cheaper>, String> {
    let values = Values::new(data, &Ratio::zero(), data.n_rows())?.losses_only();
    if values.off_by != 0 && limits.iter().any(|limit| limit.more) {
        return Err("too many digits to compare numbers of leaves".into());
    }
    let Some(rule) = LeafRule::new(class, data) else {
        return Err("too many digits in the weights of leaves".into());
    };
    let depth = class.effective_depth(data);
    if depth > DEEPEST {
        return Err("too deep".into());
    }
    let losses = limits
        .iter()
        .map(|limit| values.least_loss(&limit.cost, limit.more));
    let losses: Option<Vec<Value>> = [Some(0)].into_iter().chain(losses).collect();
    let losses = Curve(losses.ok_or("too many digits")?);
    let is_strict = rule.is_strict();
    let search = Search::new(data, &values, class, (rule, limits.len()), work);
    let rows = search.all();
    let allowed = vec![true; search.n_features()];
    let found = search.least(&rows, depth, &allowed, losses.clone(), is_strict);
    let mut found = found.map_err(|_| "too large")?;
    // A single leaf may be of any size.
    found.lower(1, search.leaf(&rows.orders[0]));
    let places = found.0.iter().zip(&losses.0).enumerate().skip(1);
    let below = places.filter(|(_, (found, limit))| found < limit);
    let cheaper = below.map(|(leaves, (&loss, &limit))| Cheaper {
        leaves,
        cost: values.cost(loss),
        is_uncertain: loss + values.off_by >= limit,
    });
    Ok(cheaper.collect())
}
