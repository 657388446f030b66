//! Re-checks every claim of a model file from the rows alone.
//!
//! The rows go down the tree once more, with shares where a missing value is distributed (in
//! proportion to the weights that the file gives the children), and every number of the file is
//! compared with what they add up to. Counts must agree exactly where weights are whole numbers and no
//! row of the node was shared out; everywhere else to a relative `1e-9`, because then the file's sums
//! were rounded in an order that it does not tell.
//!
//! What cannot be checked from rows is the lower bound of a certificate: of that only the arithmetic is.

use super::comparable;
use crate::cost::Loss;
use crate::data::{Dataset, Target};
use crate::tree::{Branch, Fit, LITTLE, LearnerKind, Moments, NodeId, PathRules, Training, Tree};
use serde::Serialize;

mod dyadic;
mod optimal;
mod pruned;

/// How far two sums of the same numbers may lie apart, relative to their size.
const RELATIVE: f64 = 1e-9;
/// The same where terms cancel, relative to the size of the terms.
const CANCELLED: f64 = 1e-12;
/// A number this close to the border of two bins, in widths of a bin, may lie in either.
const BORDER: f64 = 1e-9;

/// What came of checking a model file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verification {
    /// Do all claims hold?
    pub holds: bool,
    /// The checks, in the order of the file.
    pub checks: Vec<Check>,
}

/// One claim, checked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    /// Which part of the file claims it.
    pub name: &'static str,
    /// Does it hold?
    pub ok: bool,
    /// What differs, on one line: where, what is claimed, what was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differs: Option<String>,
}

/// Checks the claims of a model against the rows it says it was learned from.
pub fn verify(fit: &Fit<Tree>, data: &Dataset) -> Verification {
    // A `Tree` cannot be broken: whoever made it went through `TreeBuilder`.
    let mut checks = vec![Check::new("structure", None)];
    let fits = comparable(&fit.model, data);
    let is_comparable = fits.is_ok();
    checks.push(Check::new(
        "columns",
        fits.err().map(|error| error.to_string()),
    ));
    if is_comparable {
        let found = found(fit, data);
        training_checks(fit, data, &found, &mut checks);
        checks.push(certificate_check(fit, data, &found));
        checks.extend(rules_check(fit));
        checks.extend(share_check(fit));
        node_checks(fit, data, &mut checks);
    }
    Verification {
        holds: checks.iter().all(|check| check.ok),
        checks,
    }
}

impl Check {
    fn new(name: &'static str, differs: Option<String>) -> Self {
        Self {
            name,
            ok: differs.is_none(),
            differs,
        }
    }

    /// A claim about every node: the first that differs is told, the others are counted.
    fn of_nodes(name: &'static str, tree: &Tree, check: impl Fn(NodeId) -> Option<String>) -> Self {
        let mut differing = tree.ids().filter_map(|id| Some((id, check(id)?)));
        let Some((id, first)) = differing.next() else {
            return Self::new(name, None);
        };
        let more = match differing.count() {
            0 => String::new(),
            n => format!(" (and {n} more)"),
        };
        Self::new(name, Some(format!("node {}: {first}{more}", id.0)))
    }
}

/// The figures of a model on its rows. A file that was pruned without the rows cannot know what they
/// are answered where they are distributed: there sums over leaves will do as well.
fn found(fit: &Fit<Tree>, data: &Dataset) -> Training {
    let found = Training::of(&fit.model, data);
    if !pruned::is_pruned(fit) {
        return found;
    }
    let of_leaves = Training::of_leaves(&fit.model, data);
    let (claimed, sums) = (&fit.training, &of_leaves);
    let errors = [claimed.errors, sums.errors].map(|errors| errors.unwrap_or(0.0));
    let are_sums = claimed.errors.is_some() == sums.errors.is_some()
        && agree(errors[0], errors[1], sums.weight, false)
        && agree(claimed.cost, sums.cost, sums.cost, false);
    if are_sums {
        Training {
            errors: claimed.errors,
            cost: claimed.cost,
            ..found
        }
    } else {
        found
    }
}

fn training_checks(fit: &Fit<Tree>, data: &Dataset, found: &Training, checks: &mut Vec<Check>) {
    let claimed = &fit.training;
    let exact = data.has_whole_weights();
    let number = |name, claimed: usize, found: usize| {
        Check::new(name, difference(name, claimed as f64, found as f64, true))
    };
    let amount =
        |name, claimed, found, exact| Check::new(name, difference(name, claimed, found, exact));
    checks.push(number("rows", claimed.rows, found.rows));
    checks.push(amount("weight", claimed.weight, found.weight, exact));
    checks.push(match (claimed.errors, found.errors) {
        (Some(claimed), Some(found)) => amount("errors", claimed, found, exact),
        (None, None) => Check::new("errors", None),
        (Some(_), None) => Check::new("errors", Some("claimed for a regression".into())),
        (None, Some(found)) => {
            let what = format!("errors: nothing is claimed, found {found}");
            Check::new("errors", Some(what))
        }
    });
    let exact_cost = exact && has_whole_costs(fit.model.loss());
    checks.push(amount("cost", claimed.cost, found.cost, exact_cost));
    checks.push(number("leaves", claimed.leaves, found.leaves));
    checks.push(number("depth", claimed.depth, found.depth));
}

/// What rows and arithmetic can say about a certificate.
fn certificate_check(fit: &Fit<Tree>, data: &Dataset, found: &Training) -> Check {
    let differs = fit.certificate.as_ref().and_then(|certificate| {
        let (objective, bound) = (certificate.objective, certificate.lower_bound);
        if fit.learner.kind == LearnerKind::Greedy && !pruned::is_pruned(fit) {
            return Some("a greedy tree that was not pruned has none: nothing is proven".into());
        }
        if !objective.is_finite() || !(bound <= objective) {
            return Some(format!(
                "lower_bound {bound} is above objective {objective}"
            ));
        }
        if bound < 0.0 && objective >= 0.0 && !dyadic::has_table(fit) {
            return Some(format!("lower_bound {bound} is below 0"));
        }
        let is_whole = pruned::has_whole_counts(fit).unwrap_or_else(|| data.has_whole_weights());
        // Those learners scale weights, weights of classes and costs to whole numbers.
        let is_scaled = !pruned::is_pruned(fit)
            && (optimal::is_optimal(fit) || dyadic::is_dyadic(fit));
        let is_whole = is_whole && has_whole_costs(fit.model.loss());
        if certificate.exact && !(is_whole || is_scaled) {
            return Some("exact is claimed, but costs of these rows are not whole numbers".into());
        }
        if pruned::is_pruned(fit) {
            return pruned::differs(fit, certificate);
        }
        // These minimise the cost on the training rows plus something that is not negative.
        let adds_to_cost =
            optimal::is_optimal(fit) || dyadic::is_dyadic(fit) && !dyadic::has_table(fit);
        let little = LITTLE * objective.abs();
        let tolerance = certificate.tolerance.unwrap_or(0.0);
        // Nothing is below 0, however large the tolerance.
        if certificate.is_optimal() && tolerance > little && objective != 0.0 {
            return Some(format!(
                "a tolerance of {tolerance:e} is above a millionth of the objective, so it is not optimal"
            ));
        }
        let slack = RELATIVE * objective.abs() + tolerance.min(little);
        if adds_to_cost && objective + slack < found.cost {
            let cost = found.cost;
            return Some(format!("objective {objective} is below the cost {cost}"));
        }
        dyadic::differs(fit, found, objective, slack)
            .or_else(|| optimal::differs(fit, data, found, objective, slack))
    });
    Check::new("certificate", differs)
}

/// Does the tree keep the rules about the features on a path that its learner was asked to keep?
fn rules_check(fit: &Fit<Tree>) -> Option<Check> {
    let broken = |rules: PathRules| match rules.broken_by(&fit.model) {
        Ok(broken) => broken.map(|(NodeId(node), what)| format!("node {node}: {what}")),
        Err(error) => Some(error.to_string()),
    };
    match fit.learner.params.rules() {
        Ok(rules) if rules.is_empty() => None,
        Ok(rules) => Some(Check::new("rules", broken(rules))),
        Err(what) => Some(Check::new("rules", Some(what))),
    }
}

/// Has the class of each leaf the share that the learner was asked for?
fn share_check(fit: &Fit<Tree>) -> Option<Check> {
    let share = match fit.learner.params.min_class_share() {
        Ok(share) => share?,
        Err(what) => return Some(Check::new("share", Some(what))),
    };
    let broken = match fit.model.below_share(&share) {
        _ if !fit.model.schema().is_classification() => Some("the leaves have no classes".into()),
        found => found.map(|NodeId(node)| {
            format!("node {node}: its class has less than {share} of its weight")
        }),
    };
    Some(Check::new("share", broken))
}

fn node_checks(fit: &Fit<Tree>, data: &Dataset, checks: &mut Vec<Check>) {
    let tree = &fit.model;
    match data.target() {
        Target::Classes(truths) => {
            let found = ClassSums::of(tree, data, truths);
            checks.push(Check::of_nodes("counts", tree, |id| found.counts(tree, id)));
            checks.push(Check::of_nodes("values", tree, |id| found.value(tree, id)));
        }
        Target::Numbers(truths) => {
            let found = NumberSums::of(tree, data, truths);
            checks.push(Check::of_nodes("moments", tree, |id| {
                found.moments(tree, id)
            }));
            if !tree.bins(NodeId::ROOT).is_empty() {
                let claimed = fit.learner.params.bins();
                checks.push(found.bins.check(tree, claimed, &found.nodes));
            }
            let median = fit.learner.params.predicts_median();
            checks.push(Check::of_nodes("values", tree, |id| {
                found.value(tree, id, median)
            }));
        }
        Target::Absent => {}
    }
}

/// What both tasks need to know about the nodes.
struct Nodes {
    /// Did every row that came here come whole, with a weight that adds up exactly?
    exact: Vec<bool>,
    /// The node itself, or its nearest ancestor that has rows (the root if none has).
    occupied: Vec<NodeId>,
    total_weight: f64,
}

impl Nodes {
    fn new(tree: &Tree, data: &Dataset) -> Self {
        Self {
            exact: vec![data.has_whole_weights(); tree.n_nodes()],
            occupied: vec![NodeId::ROOT; tree.n_nodes()],
            total_weight: data.total_weight(),
        }
    }

    /// Sends every row down; `arrive` learns the node, the row and its weight there.
    fn send(&mut self, tree: &Tree, data: &Dataset, mut arrive: impl FnMut(NodeId, usize, f64)) {
        for row in 0..data.n_rows() {
            let weight = data.weight(row);
            tree.visit(
                |feature| data.columns()[feature].value(row),
                |id, share| {
                    self.exact[id.index()] &= share == 1.0;
                    arrive(id, row, weight * share);
                },
            );
        }
    }

    fn set_occupied(&mut self, tree: &Tree, has_rows: impl Fn(NodeId) -> bool) {
        for id in tree.ids() {
            if has_rows(id) {
                self.occupied[id.index()] = id;
            }
            let from = self.occupied[id.index()];
            for child in tree.branch(id).into_iter().flat_map(Branch::children) {
                self.occupied[child.index()] = from;
            }
        }
    }

    /// For a node without rows: what differs from the value of the ancestor that speaks for it.
    fn inherited(&self, tree: &Tree, id: NodeId) -> Option<String> {
        let from = self.occupied[id.index()];
        let (claimed, found) = (tree.value(id), tree.value(from));
        (claimed != found).then(|| {
            format!(
                "value is {claimed}, but it has no rows and node {} has {found}",
                from.0
            )
        })
    }
}

/// Class counts of all nodes, from the rows.
struct ClassSums {
    nodes: Nodes,
    n_classes: usize,
    counts: Vec<f64>,
}

impl ClassSums {
    fn of(tree: &Tree, data: &Dataset, truths: &[u32]) -> Self {
        let n_classes = tree.schema().classes().len();
        let mut counts = vec![0.0; tree.n_nodes() * n_classes];
        let mut nodes = Nodes::new(tree, data);
        nodes.send(tree, data, |id, row, weight| {
            counts[id.index() * n_classes + truths[row] as usize] += weight;
        });
        nodes.set_occupied(tree, |id| {
            counts[id.index() * n_classes..][..n_classes]
                .iter()
                .any(|&count| count > 0.0)
        });
        Self {
            nodes,
            n_classes,
            counts,
        }
    }

    fn found(&self, id: NodeId) -> &[f64] {
        &self.counts[id.index() * self.n_classes..][..self.n_classes]
    }

    fn counts(&self, tree: &Tree, id: NodeId) -> Option<String> {
        let exact = self.nodes.exact[id.index()];
        let scale = self.nodes.total_weight;
        let pairs = tree.counts(id).iter().zip(self.found(id)).enumerate();
        for (class, (&claimed, &found)) in pairs {
            if !agree(claimed, found, scale, exact) {
                return Some(format!(
                    "count of class {class} is {claimed}, found {found}"
                ));
            }
        }
        None
    }

    /// The class must be the cheapest; where sums are rounded, one that is as cheap will do.
    fn value(&self, tree: &Tree, id: NodeId) -> Option<String> {
        let counts = self.found(id);
        if self.nodes.occupied[id.index()] != id || counts.iter().all(|&count| count == 0.0) {
            return self.nodes.inherited(tree, id);
        }
        let loss = tree.loss();
        let (claimed, found) = (tree.value(id) as usize, loss.best_class(counts));
        let (cost, least) = (
            loss.of_counts(counts, claimed),
            loss.of_counts(counts, found),
        );
        let exact = self.nodes.exact[id.index()] && has_whole_costs(loss);
        let as_cheap = !exact && agree(cost, least, counts.iter().sum(), false);
        (claimed != found && !as_cheap).then(|| {
            format!("value is class {claimed} of cost {cost}, found class {found} of cost {least}")
        })
    }
}

/// Summaries of the numbers of all nodes, from the rows.
struct NumberSums {
    nodes: Nodes,
    moments: Vec<Moments>,
    /// Sums of weight times magnitude and of weight times square: the size of the terms.
    sizes: Vec<(f64, f64)>,
    around: Vec<Around>,
    bins: BinSums,
}

/// The rows of a node as seen from the value it claims, to recognise a median without sorting.
#[derive(Clone, Copy)]
struct Around {
    weight_below: f64,
    weight_above: f64,
    next_below: f64,
    next_above: f64,
}

impl NumberSums {
    fn of(tree: &Tree, data: &Dataset, truths: &[f64]) -> Self {
        let n_nodes = tree.n_nodes();
        let mut moments = vec![Moments::default(); n_nodes];
        let mut sizes = vec![(0.0, 0.0); n_nodes];
        let nothing = Around {
            weight_below: 0.0,
            weight_above: 0.0,
            next_below: f64::NEG_INFINITY,
            next_above: f64::INFINITY,
        };
        let mut around = vec![nothing; n_nodes];
        let mut bins = BinSums::new(tree, truths);
        let mut nodes = Nodes::new(tree, data);
        nodes.send(tree, data, |id, row, weight| {
            let y = truths[row];
            add(&mut moments[id.index()], y, weight);
            let (magnitudes, squares) = &mut sizes[id.index()];
            *magnitudes += weight * y.abs();
            *squares += weight * y * y;
            around[id.index()].add(y, weight, tree.value(id));
            bins.add(id, y, weight);
        });
        nodes.set_occupied(tree, |id| moments[id.index()].weight > 0.0);
        Self {
            nodes,
            moments,
            sizes,
            around,
            bins,
        }
    }

    fn moments(&self, tree: &Tree, id: NodeId) -> Option<String> {
        let claimed = tree.moments(id)?;
        let found = self.moments[id.index()];
        let (magnitudes, squares) = self.sizes[id.index()];
        let mean_size = magnitudes / found.weight.max(f64::MIN_POSITIVE);
        let exact = self.nodes.exact[id.index()];
        let total = self.nodes.total_weight;
        [
            ("weight", claimed.weight, found.weight, total, exact),
            ("mean", claimed.mean, found.mean, mean_size, false),
            ("sse", claimed.sse, found.sse, squares, false),
        ]
        .into_iter()
        .find(|&(_, claimed, found, scale, exact)| !agree(claimed, found, scale, exact))
        .map(|(name, claimed, found, ..)| format!("{name} is {claimed}, found {found}"))
    }

    fn value(&self, tree: &Tree, id: NodeId, median: bool) -> Option<String> {
        let found = self.moments[id.index()];
        if found.weight <= 0.0 {
            return self.nodes.inherited(tree, id);
        }
        let claimed = tree.value(id);
        if median {
            let exact = self.nodes.exact[id.index()];
            return self.around[id.index()].median(claimed, found.weight, exact);
        }
        let size = self.sizes[id.index()].0 / found.weight;
        (!agree(claimed, found.mean, size, false))
            .then(|| format!("value is {claimed}, found a mean of {}", found.mean))
    }
}

/// Takes one more number into a summary (West 1979), without the cancellation of sums of squares.
fn add(moments: &mut Moments, y: f64, weight: f64) {
    if weight > 0.0 {
        moments.weight += weight;
        let before = y - moments.mean;
        moments.mean += before * (weight / moments.weight);
        moments.sse += weight * before * (y - moments.mean);
    }
}

impl Around {
    fn add(&mut self, y: f64, weight: f64, value: f64) {
        if y < value {
            self.weight_below += weight;
            self.next_below = self.next_below.max(y);
        } else if y > value {
            self.weight_above += weight;
            self.next_above = self.next_above.min(y);
        }
    }

    /// What speaks against `value` being the weighted median: the middle between the two middle
    /// numbers where the weight is cut in equal halves. With rounded weights any number that has at
    /// most half of the weight on each side will do.
    fn median(&self, value: f64, weight: f64, exact: bool) -> Option<String> {
        let (below, above, half) = (self.weight_below, self.weight_above, weight / 2.0);
        let equal = weight - below - above;
        let middle = self.next_below / 2.0 + self.next_above / 2.0;
        let size = self.next_below.abs().max(self.next_above.abs());
        let ok = if !exact {
            let slack = RELATIVE * weight;
            below <= half + slack && above <= half + slack
        } else if equal > 0.0 {
            below < half && above < half
        } else {
            below == above && agree(value, middle, size, false)
        };
        (!ok).then(|| {
            format!("value is {value}, not the median: weight {below} below it, {above} above it")
        })
    }
}

/// Weights of the bins of equal width between the least and the largest number.
///
/// A number on the border of two bins may have been rounded to either. So there are two sums, with
/// such numbers in the lower and in the upper bin; what a file claims must lie between.
struct BinSums {
    n_bins: usize,
    least: f64,
    largest: f64,
    low: Vec<f64>,
    high: Vec<f64>,
}

impl BinSums {
    fn new(tree: &Tree, truths: &[f64]) -> Self {
        let n_bins = tree.bins(NodeId::ROOT).len();
        Self {
            n_bins,
            least: truths.iter().copied().fold(f64::INFINITY, f64::min),
            largest: truths.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            low: vec![0.0; tree.n_nodes() * n_bins],
            high: vec![0.0; tree.n_nodes() * n_bins],
        }
    }

    fn add(&mut self, id: NodeId, y: f64, weight: f64) {
        if self.n_bins == 0 {
            return;
        }
        // Halves, so that the width of the range cannot overflow.
        let width = self.largest / 2.0 - self.least / 2.0;
        let place = if width > 0.0 {
            (y / 2.0 - self.least / 2.0) / width * self.n_bins as f64
        } else {
            0.0
        };
        let bin = |place: f64| (place.max(0.0) as usize).min(self.n_bins - 1);
        let first = id.index() * self.n_bins;
        self.low[first + bin(place - BORDER)] += weight;
        self.high[first + bin(place + BORDER)] += weight;
    }

    fn check(&self, tree: &Tree, claimed: Option<u64>, nodes: &Nodes) -> Check {
        if let Some(claimed) = claimed.filter(|&claimed| claimed != self.n_bins as u64) {
            let what = format!("the learner had {claimed}, nodes have {}", self.n_bins);
            return Check::new("bins", Some(what));
        }
        Check::of_nodes("bins", tree, |id| self.node(tree, id, nodes))
    }

    /// Compares the weight up to and including each bin.
    fn node(&self, tree: &Tree, id: NodeId, nodes: &Nodes) -> Option<String> {
        let slack = if nodes.exact[id.index()] {
            0.0
        } else {
            RELATIVE * tree.weight(id) + CANCELLED * nodes.total_weight
        };
        let first = id.index() * self.n_bins;
        let (mut claimed, mut most, mut least) = (0.0, 0.0, 0.0);
        for (bin, count) in tree.bins(id).iter().enumerate() {
            claimed += count;
            most += self.low[first + bin];
            least += self.high[first + bin];
            if !(claimed >= least - slack && claimed <= most + slack) {
                return Some(format!(
                    "bins up to {bin} weigh {claimed}, found {}",
                    if claimed < least { least } else { most }
                ));
            }
        }
        None
    }
}

/// Are two figures the same? `scale` is the size of the terms they are sums of.
fn agree(claimed: f64, found: f64, scale: f64, exact: bool) -> bool {
    let slack = RELATIVE * claimed.abs().max(found.abs()) + CANCELLED * scale;
    claimed == found || !exact && (claimed - found).abs() <= slack
}

fn difference(name: &str, claimed: f64, found: f64, exact: bool) -> Option<String> {
    (!agree(claimed, found, 0.0, exact)).then(|| format!("{name} is {claimed}, found {found}"))
}

/// Is every cost of a row of whole weight a whole number?
fn has_whole_costs(loss: &Loss) -> bool {
    match loss {
        Loss::ZeroOne => true,
        Loss::Matrix(matrix) => matrix.rows().flatten().all(|cost| cost.fract() == 0.0),
        Loss::Squared => false,
    }
}

#[cfg(test)]
mod tests;
