//! The claims of optimal trees of bounded depth.

use std::cell::Cell;

use num_bigint::BigInt;
use num_traits::{One, Zero};
use serde_json::Value as Json;

use crate::families::fewest_of_unproven;
use crate::figures::{Figures, certificate};
use crate::numbers::{Ratio, binary, ceil, nearest, of_json, small};
use crate::read::costs::least_multiple;
use crate::read::data::{Column, Data};
use crate::read::model::{Closed, Missing, Model, Node, Split};
mod proof;
pub(crate) mod search;

use self::search::{Search, different};
use crate::report::{Report, TooLarge, Verdict};
use crate::values::{LARGEST, Values};

/// Levels inside each other: more might not fit on the stack.
const DEEPEST: usize = 500;

/// Which trees a tree was compared with.
pub(crate) struct Class {
    pub(crate) depth: usize,
    pub(crate) intervals: usize,
    pub(crate) min_leaf: usize,
    /// The share of the weight of all rows that a leaf has at least.
    pub(crate) min_leaf_weight: Ratio,
    pub(crate) leaf_cost: Ratio,
}

impl Class {
    fn new(model: &Model) -> Result<Self, String> {
        let params = &model.learner.params;
        let whole = |name: &str| {
            let number = params.get(name).and_then(Json::as_u64);
            number
                .map(|number| number as usize)
                .ok_or_else(|| format!("params.{name} is no whole number"))
        };
        let ratio = |name: &str| match params.get(name) {
            None => Ok(Ratio::zero()),
            Some(value) => of_json(value)
                .filter(|ratio| *ratio >= Ratio::zero())
                .ok_or_else(|| format!("params.{name} is no number of at least 0")),
        };
        Ok(Self {
            depth: whole("depth")?,
            intervals: whole("intervals")?.max(1),
            min_leaf: whole("min_leaf")?,
            min_leaf_weight: ratio("min_leaf_weight")?,
            leaf_cost: ratio("leaf_cost")?,
        })
    }

    /// Deeper trees ask something that parts nothing. With one interval the last level has no cuts: hence one more.
    pub(crate) fn effective_depth(&self, data: &Data) -> usize {
        let questions = |column: &Column| match column {
            Column::Codes(_) => 1,
            Column::Numbers(numbers) => different(numbers).len(),
        };
        let longest: usize = data.columns.iter().map(questions).sum();
        let one_more = usize::from(self.intervals == 1);
        self.depth.min(longest.min(data.n_rows() - 1) + one_more)
    }

    /// Is the tree one of these?
    fn has(&self, figures: &Figures<'_>, data: &Data) -> Result<(), String> {
        let depths = figures.depths();
        for (at, node) in figures.nodes.iter().enumerate() {
            self.has_node(figures, data, at, node, depths[at])
                .map_err(|fault| format!("node {at}: {fault}"))?;
        }
        Ok(())
    }

    fn has_node(
        &self,
        figures: &Figures<'_>,
        data: &Data,
        at: usize,
        node: &Node,
        depth: usize,
    ) -> Result<(), String> {
        let Some(split) = &node.split else {
            let weight: Ratio = data.weighted(&figures.sums[at]).iter().sum();
            // The weight of a leaf was compared after rounding.
            let least = &self.min_leaf_weight * data.total() * (Ratio::one() - binary(1e-9));
            if at > 0 && (figures.rows[at] < self.min_leaf || weight < least) {
                return Err(format!(
                    "a leaf with {} rows of weight {}",
                    figures.rows[at],
                    nearest(&weight)
                ));
            }
            return Ok(());
        };
        if depth >= self.depth {
            return Err(format!("a split below depth {}", self.depth));
        }
        let (outcomes, distinct) = match split {
            Split::Intervals { cuts, closed, .. } => {
                let above_leaves = node.children.iter().all(|&child| figures.is_leaf(child));
                let is_last = depth + 1 == self.depth;
                let most = match above_leaves {
                    true if is_last => self.intervals,
                    true => self.intervals.max(2),
                    false => 2,
                };
                if cuts.len() >= most || *closed != Closed::Left {
                    return Err(format!(
                        "{} intervals, expected at most {most}, closed on the left",
                        cuts.len() + 1
                    ));
                }
                (cuts.len() + 1, true)
            }
            Split::Categories { branches, .. } => {
                let used: Vec<_> = branches.iter().flatten().collect();
                let outcomes = used.iter().map(|&&child| child + 1).max().unwrap_or(0);
                (outcomes, used.len() == outcomes)
            }
        };
        if !distinct {
            return Err("several categories in one branch".into());
        }
        let own = node.children.len() > outcomes;
        let missing = figures.has_missing[at];
        if figures.has_unseen[at] {
            return Err("a category of its rows has no branch".into());
        }
        if own != missing
            || node
                .missing
                .is_none_or(|missing| !matches!(missing, Missing::Child(_)))
        {
            return Err("missing values have a branch exactly where there are some".into());
        }
        match node
            .children
            .iter()
            .find(|&&child| figures.rows[child] == 0)
        {
            Some(child) => Err(format!("child {child} has no rows")),
            None => Ok(()),
        }
    }
}

/// Checks the class, the objective and the bound of an optimal tree.
pub(crate) fn check(
    model: &Model,
    data: &Data,
    figures: &Figures<'_>,
    proof: Option<&str>,
    work: &Cell<u64>,
    report: &mut Report,
) {
    if let Some(splits) = model.learner.params.get("categorical_splits")
        && splits != "multiway"
    {
        let why = format!("trees with params.categorical_splits {splits} are not searched here");
        return report.add("optimal", Verdict::NotChecked(why));
    }
    let class = match Class::new(model) {
        Ok(class) => class,
        Err(fault) => return report.add("parameters", Verdict::Refuted(fault)),
    };
    if !report.result("class of trees", class.has(figures, data)) {
        return;
    }
    let Some(claimed) = &model.certificate else {
        return;
    };
    let params = &model.learner.params;
    if let Some(name) = ["leaves", "penalty"]
        .iter()
        .find(|&&name| params.contains_key(name))
    {
        let why = format!("trees with params.{name} are not searched here");
        return report.add("optimal", Verdict::NotChecked(why));
    }
    let total = data.total();
    let (_, cost) = figures.of_leaves();
    let price = &class.leaf_cost * &total;
    let objective = (&cost + &price * BigInt::from(figures.n_leaves())) / &total;
    if !report.result("objective", certificate(claimed, &objective, data.is_whole)) {
        return;
    }
    let is_optimal = claimed.optimal == Some(true);
    let tolerance = binary(claimed.tolerance.unwrap_or(0.0));
    let name = match (is_optimal, claimed.exact) {
        (true, true) => "optimal".to_owned(),
        (true, false) => format!("optimal up to {:e}", nearest(&tolerance)),
        (false, true) => format!("lower bound {}", claimed.lower_bound.unwrap_or(0.0)),
        (false, false) => {
            let bound = claimed.lower_bound.unwrap_or(0.0);
            format!("lower bound {bound} up to {:e}", nearest(&tolerance))
        }
    };
    let bound = if is_optimal {
        objective
    } else {
        binary(claimed.lower_bound.unwrap_or(0.0))
    };
    let found = Claim {
        class: &class,
        data,
        price,
        cost: (is_optimal && claimed.claims_fewest()).then_some(cost),
        leaves: figures.n_leaves(),
        bound: (bound - tolerance) * total,
    };
    report.add(name, found.check(proof, work));
    fewest_of_unproven(claimed, report);
}

/// No tree of the class is below a bound.
struct Claim<'a> {
    class: &'a Class,
    data: &'a Data,
    /// What a leaf costs, on the scale of the total cost.
    price: Ratio,
    /// The cost of the tree, if it is claimed to be the best, by the fewest leaves.
    cost: Option<Ratio>,
    leaves: usize,
    bound: Ratio,
}

impl Claim<'_> {
    fn check(&self, proof: Option<&str>, work: &Cell<u64>) -> Verdict {
        let values = match Values::new(self.data, &self.price, self.data.n_rows()) {
            Ok(values) => values,
            Err(why) => return Verdict::NotChecked(why),
        };
        let own = self.cost.as_ref().filter(|_| values.off_by == 0);
        let limit = match own {
            Some(cost) => values.of(cost, self.leaves),
            None => values.bound(&self.bound),
        };
        let Some(limit) = limit else {
            return Verdict::NotChecked("too many digits".into());
        };
        let Some((sizes, least)) = self.sizes() else {
            return Verdict::NotChecked("too many digits in the weights of leaves".into());
        };
        if self.class.effective_depth(self.data) > DEEPEST {
            return Verdict::NotChecked("too deep".into());
        }
        if self.class.depth > 2
            && let Some(proof) = proof
        {
            return proof::check(
                self.class,
                self.data,
                values,
                proof,
                limit,
                (sizes, least),
                work,
            );
        }
        let search =
            Search::new(self.data, &values, self.class.intervals, work).with_sizes(sizes, least);
        let rows = search.all();
        let depth = self.class.effective_depth(self.data);
        // A single leaf may be of any size.
        let leaf = search.leaf(&rows.orders[0]);
        let found = search
            .least(&rows, depth, limit, least > 1)
            .map(|found| found.min(leaf));
        let is_rounded = self.cost.is_some() && values.off_by != 0;
        match found {
            Ok(found) if found >= limit && is_rounded => {
                Verdict::NotChecked("too many digits to compare numbers of leaves".into())
            }
            Ok(found) if found >= limit => Verdict::Confirmed,
            Ok(found) if found + values.off_by >= limit => {
                Verdict::NotChecked("too many digits".into())
            }
            Ok(found) => Verdict::Refuted(format!("a tree of value {found}, claimed {limit}")),
            Err(TooLarge) if depth > 2 => {
                Verdict::NotChecked("too large without a proof file".into())
            }
            Err(TooLarge) => Verdict::NotChecked("too large".into()),
        }
    }

    /// The sizes of rows, if they are not 1, and the least size of a leaf.
    fn sizes(&self) -> Option<(Option<Vec<i128>>, i128)> {
        let (class, data) = (self.class, self.data);
        if class.min_leaf_weight.is_zero() {
            return Some((None, class.min_leaf.max(1) as i128));
        }
        let mut parts = BigInt::one();
        for factor in &data.factors {
            parts = least_multiple(&parts, factor.denom());
        }
        let factors: Vec<BigInt> = data
            .factors
            .iter()
            .map(|factor| (factor * &parts).to_integer())
            .collect();
        let mut rows = data.weights.iter().zip(&data.classes);
        let sizes: Option<Vec<i128>> = rows
            .by_ref()
            .map(|(weight, &class)| small(&(weight * &factors[class])))
            .collect();
        let sizes = sizes?;
        // Sums of sizes must fit, too.
        let all = sizes
            .iter()
            .try_fold(0_i128, |sum, &size| sum.checked_add(size))?;
        let least = ceil(&(&class.min_leaf_weight * data.total() * &data.per_one * &parts));
        let least = small(&least)?.max(1);
        (all < LARGEST).then_some((Some(sizes), least))
    }
}
