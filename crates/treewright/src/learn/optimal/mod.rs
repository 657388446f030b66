//! Optimal trees of bounded depth.
//!
//! Among all trees of a depth, the one with the least cost on the rows, and a proof that there is none
//! better. Above the last level a numeric feature is cut in two; at the last level into up to `K` intervals.
//! A categorical feature has a branch for each category, and missing values have a branch of their own
//! wherever there are some. These are the trees of P. Auer, R. Holte and W. Maass, "Theory and
//! applications of agnostic PAC-learning with small decision trees" (1995): T1, T2, and their kin.
//!
//! | file | idea |
//! |---|---|
//! | `table` | weighted classes in place of losses, and what a feature can be asked |
//! | `rows` | sets of rows, with the order of every feature |
//! | `leaf_size` | how large a leaf must be, in rows or in weight |
//! | `price` | what a tree is worth, as one whole number |
//! | `line`, `one` | the best intervals of one feature: trees of one level |
//! | `bins`, `lanes`, `gains`, `level`, `sweep` | all cuts of a root at once, from afar |
//! | `finer`, `reach`, `gathered` | a refine_range look |
//! | `scan`, `sides`, `path`, `exact` | two classes in two intervals: exact values for many cuts of a root at once |
//! | `screen` | a look at a large table before its features are sorted |
//! | `two`, `by_histograms`, `by_scans` | trees of two levels, by all of these |
//! | `deep`, `range` | trees of more levels: the root with the least bound first |
//! | `region` | what is known about sets of rows holds for all that contain them |
//! | `looks` | when to look at the clock |
//! | `best` | the best tree so far, and what a search leaves behind |
//! | `alike` | rows that no tree can tell apart: a bound when a search was stopped |
//! | `notes`, `cover`, `prove` | what a search has found out, as a proof that others can check |
//! | `search` | which of these, and the tree of a value |
//! | `build_tree` | from a plan to a tree with all rows in it |

mod deadline;
mod deeper;
mod depth1;
mod depth2;
mod incumbent;
mod plan;
mod problem;
mod proof;
mod search;
mod switches;

use std::sync::Arc;
use std::time::{Duration, Instant};

use num_bigint::BigInt;

use self::deadline::{Deadline, Stopped};
use self::deeper::best_first::BestFirst;
use self::deeper::region_bounds::RegionBounds;
use self::depth2::DepthTwo;
use self::depth2::screening::Screened;
use self::plan::TreePlan;
use self::plan::build_tree::build_tree;
use self::proof::Prover;
use self::search::TreeSearch;
pub use self::switches::Sizes;
use super::greedy::{MissingPolicy, check_min_leaf_weight};
use super::{Greedy, Learner};
use crate::budget::Budget;
use crate::cost::{Counting, Lambda, Loss, Penalty, RowLosses, Scale, total_weight};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learn::optimal::problem::{
    Context, FeatureCells, FeatureKind, IntervalRule, LeafSize, RankTable, SearchResult,
    ValueEncoding, ValueSize,
};
use crate::tree::{
    Certificate, CostKind, Fit, LearnerInfo, LearnerKind, LeastLeaf, Minimised, Params, Proof,
    Statement, Training, Tree, TreeClass, after_rounding,
};

/// A greedy tree takes at most about so many times as long as making the table.
const GREEDY_PER_TABLE: u32 = 4;
/// How long a step of asking one question takes, about.
const NANOS_PER_STEP: u64 = 4;
/// So many steps may come after the end of the time: they take some hundredths of a second.
const LITTLE_WORK: u64 = 1 << 24;
/// A greedy tree of so many cells, levels and classes takes no longer.
const LITTLE_GREEDY: u64 = 1 << 22;
/// How long it takes to part a row twice, about.
const NANOS_PER_ROW: u64 = 20;
/// With more classes than this, tables of all classes are large.
const WIDE: usize = 64;

/// The learner of optimal trees of bounded depth.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimal {
    /// The longest way from the root to a leaf.
    pub depth: usize,
    /// Numeric features have up to so many intervals at the last level; `None`: one more than there are
    /// classes.
    pub intervals: Option<usize>,
    /// A leaf has at least so many rows.
    pub min_leaf: usize,
    /// Or, instead of rows, at least this share of the weight of all rows.
    pub min_leaf_weight: f64,
    /// What a leaf costs, on the scale of the cost divided by the total weight.
    pub leaf_cost: Lambda,
    /// What wrong predictions cost.
    pub loss: Loss,
    /// The search ends when it would need more memory than this.
    pub most_bytes: usize,
}

impl Default for Optimal {
    fn default() -> Self {
        Self {
            depth: 2,
            intervals: None,
            min_leaf: 1,
            min_leaf_weight: 0.0,
            leaf_cost: Lambda::zero(),
            loss: Loss::default(),
            most_bytes: usize::MAX,
        }
    }
}

impl Learner for Optimal {
    fn fit(&self, data: &Dataset, budget: &Budget) -> Result<Fit<Tree>> {
        self.fit_with(data, budget, Sizes::USUAL)
    }
}

/// A tree that was found.
struct FoundTree {
    plan: TreePlan,
    /// What it is worth.
    value: u64,
    /// No tree is worth less; `None` if that is the tree itself.
    lower: Option<u64>,
}

impl Optimal {
    /// Learns a tree, and proves what its certificate says by claims that others can check. There are many such
    /// proofs: with several threads it need not be the same every time.
    pub fn fit_with_proof(&self, data: &Dataset, budget: &Budget) -> Result<(Fit<Tree>, Proof)> {
        self.prove_with(data, budget, Sizes::USUAL)
    }

    /// The same with other sizes of the parts in which work is done.
    #[doc(hidden)]
    pub fn prove_with(
        &self,
        data: &Dataset,
        budget: &Budget,
        sizes: Sizes,
    ) -> Result<(Fit<Tree>, Proof)> {
        let mut proof = Proof {
            depth: self.depth,
            ..Proof::default()
        };
        let fit = self.learn(data, budget, sizes, Some(&mut proof))?;
        Ok((fit, proof))
    }

    /// Learns with other sizes of the parts in which work is done: that must not change the tree.
    #[doc(hidden)]
    pub fn fit_with(&self, data: &Dataset, budget: &Budget, sizes: Sizes) -> Result<Fit<Tree>> {
        self.learn(data, budget, sizes, None)
    }

    fn learn(
        &self,
        data: &Dataset,
        budget: &Budget,
        sizes: Sizes,
        mut proof: Option<&mut Proof>,
    ) -> Result<Fit<Tree>> {
        let start = Instant::now();
        self.check(data)?;
        let budget = &budget.within_memory(self.most_bytes);
        let losses = RowLosses::new(data, &self.loss, "optimal trees", most_loss(data))?;
        let (scale, counting, unit) = (losses.scale, losses.counting, losses.unit);
        let before = Instant::now();
        let table = RankTable::new(data, &losses, LeafSize::new(self, data));
        let encoding = self.encoding(&table, scale, losses.is_whole)?;
        let bytes = self.bytes(data);
        let is_too_large = bytes > self.most_bytes || !budget.has_room_for(bytes);
        let screened = (!is_too_large && !budget.is_spent())
            .then(|| self.screen(&table, encoding, budget, sizes));
        let screened = screened.flatten();
        let all = (0..data.columns().len()).collect();
        let features = screened
            .as_ref()
            .map(|screened| screened.features().to_vec());
        // The orders alone may fit where a search does not.
        let has_orders = budget.has_room_for(data.n_rows() * 12 * (data.columns().len() + 2));
        let (table, is_sorted) = if has_orders {
            table.sorted(features.unwrap_or(all), budget)
        } else {
            (table, false)
        };
        // If the search is not finished, the tree must not be worse than a greedy one. To learn that is mostly
        // sorting all columns, as making the table was.
        let part = data.columns().len() / table.columns().len().max(1);
        let reserve = GREEDY_PER_TABLE * part as u32 * before.elapsed();
        let reserve = budget.left().map_or(reserve, |left| reserve.min(left / 2));
        let leaf = encoding.leaf(table.whole().error());
        let mut found = if is_too_large || !is_sorted {
            let lower = if is_sorted {
                lower_of_any_depth(&table, encoding, 0, leaf, budget)
            } else {
                lower_at_once(&table, encoding)
            };
            FoundTree {
                plan: TreePlan::Leaf,
                value: leaf,
                lower: Some(lower),
            }
        } else {
            let proof = proof.as_deref_mut();
            let budgets = [budget, &budget.keeping(reserve)];
            self.search(&table, encoding, budgets, sizes, screened.as_ref(), proof)
        };
        if let Some(proof) = proof {
            proof.unit = unit.unwrap_or(scale.unit);
            if !unit.is_some_and(|unit| self.is_leaf_cost_exact(data, encoding, unit)) {
                // The search is about rounded losses.
                proof.claims = None;
            }
        }
        if let (Some(lower), Some(screened)) = (&mut found.lower, &screened) {
            // That is said of trees with the features that are left.
            *lower = (*lower).min(screened.value());
        }
        // A tree has counts of all classes in each node.
        let counts = 2 * size_of::<f64>() * table.n_classes();
        if !budget.has_room_for(found.plan.n_nodes().saturating_mul(counts)) {
            found.lower.get_or_insert(found.value);
            found.plan = TreePlan::Leaf;
        }
        let tree = build_tree(&found.plan, data, &self.loss)?;
        let training = Training::of_leaves(&tree, data);
        let mut best = (tree, training);
        if found.lower.is_some()
            && let Some(tree) = self.greedy(data, budget)?
        {
            let training = Training::of_leaves(&tree, data);
            if self.objective(&training) < self.objective(&best.1) {
                best = (tree, training);
            }
        }
        let (tree, training) = best;
        let objective = self.objective(&training);
        let value = encoding.tree(tree.recounted(data, counting), table.constant());
        let least = found.lower.unwrap_or(found.value);
        check_lower(least, value)?;
        let is_proven = encoding.is_as_good(value, least, losses.slack);
        let as_cost = |losses: f64| losses * scale.unit / scale.total_weight;
        let by_leaf_costs =
            as_cost(encoding.off_by() * 2.0 * training.leaves.max(table.whole().len()) as f64);
        let is_exact = losses.is_whole && encoding.off_by() == 0.0;
        let by_losses = losses.tolerance().unwrap_or(0.0);
        let tolerance = (!is_exact).then_some(by_losses + by_leaf_costs);
        let lower = if is_proven {
            objective
        } else {
            let losses = encoding.in_losses(least) + table.constant() as f64;
            as_cost(losses.max(0.0)) * (1.0 - 1e-12)
        };
        let lower_bound = after_rounding(lower, objective, tolerance);
        let is_counted = !matches!(counting, Counting::Rounded(_)) && encoding.off_by() == 0.0;
        Ok(Fit {
            certificate: Some(Certificate {
                objective,
                lower_bound,
                exact: is_exact,
                tolerance,
                fewest_leaves: Some(value == least && is_counted && lower_bound == objective),
                statement: self.statement(data),
            }),
            model: tree,
            learner: self.info(data),
            training: training.taking(start.elapsed()),
        })
    }

    /// Is the price of a leaf exact, where losses are whole numbers of a unit?
    fn is_leaf_cost_exact(&self, data: &Dataset, encoding: ValueEncoding, unit: f64) -> bool {
        let in_units = total_weight(data) * BigInt::from(unit.recip().round() as u64);
        encoding.is_exactly(&(self.leaf_cost.ratio() * in_units))
    }

    /// What the search needs at least: the order of each feature, for the rows of every level.
    fn bytes(&self, data: &Dataset) -> usize {
        let per_row = 12 * (data.columns().len() + 2);
        let (n_rows, n_classes) = (data.n_rows(), data.schema().classes().len());
        // Intervals of a feature need a number for each class and cut, and their cuts one for each class and row.
        let intervals = self.intervals(data);
        let is_large = n_classes > WIDE && (2..n_rows).contains(&intervals);
        let has_lines =
            is_large && intervals > 2 || self.min_leaf > 1 || self.min_leaf_weight > 0.0;
        let of_cuts = if is_large {
            8 * n_classes * intervals
        } else {
            0
        };
        let of_lines = if has_lines {
            16 * n_rows * n_classes
        } else {
            0
        };
        n_rows * per_row * (1 + self.depth.clamp(2, 8) / 2) + of_cuts + of_lines
    }

    /// A tree of a smaller depth where there is no time for a search: of the others nothing is known.
    pub(crate) fn unsearched(&self, data: &Dataset, shallower: &Fit<Tree>) -> Fit<Tree> {
        let known = shallower.certificate.as_ref();
        let mut training = shallower.training;
        training.seconds = 0.0;
        Fit {
            certificate: Some(Certificate {
                objective: self.objective(&training),
                lower_bound: 0.0,
                exact: known.is_some_and(|known| known.exact),
                tolerance: known.and_then(|known| known.tolerance),
                fewest_leaves: Some(false),
                statement: self.statement(data),
            }),
            model: shallower.model.clone(),
            learner: self.info(data),
            training,
        }
    }

    fn objective(&self, training: &Training) -> f64 {
        training.cost + self.leaf_cost.to_f64() * training.leaves as f64
    }

    /// A greedy tree of the same kind; `None` if the last level has no intervals for its cuts.
    fn greedy(&self, data: &Dataset, budget: &Budget) -> Result<Option<Tree>> {
        if self.intervals == Some(1) || self.depth == 0 {
            return Ok(None);
        }
        let steps = data.n_rows() as u64 * (self.depth.min(64) as u64 + 1);
        let of_columns = steps.saturating_mul(data.columns().len() as u64);
        let budget =
            if of_columns.saturating_mul(data.schema().classes().len() as u64) <= LITTLE_GREEDY {
                &Budget::unlimited()
            } else {
                // Its rows are then parted twice.
                &budget.keeping(Duration::from_nanos(steps * NANOS_PER_ROW))
            };
        if budget.is_spent() {
            return Ok(None);
        }
        let learner = Greedy {
            max_depth: Some(self.depth),
            min_leaf: self.min_leaf,
            min_leaf_weight: self.min_leaf_weight,
            missing: MissingPolicy::Branch,
            loss: self.loss.clone(),
            ..Greedy::default()
        };
        let fit = learner.fit(data, budget)?;
        let plan = TreePlan::of(&fit.model, data, &LeafSize::new(self, data));
        Ok(Some(build_tree(&plan, data, &self.loss)?))
    }

    fn check(&self, data: &Dataset) -> Result<()> {
        data.require_rows_and_features()?;
        if self.intervals == Some(0) {
            return Err(Error::parameter("intervals", 0, "at least 1"));
        }
        if self.min_leaf == 0 {
            return Err(Error::parameter("min-leaf", 0, "at least 1"));
        }
        check_min_leaf_weight(self.min_leaf_weight)?;
        if self.min_leaf > 1 && self.min_leaf_weight > 0.0 {
            let allowed = "1 where leaves have a least weight";
            return Err(Error::parameter("min-leaf", self.min_leaf, allowed));
        }
        Ok(())
    }

    fn intervals(&self, data: &Dataset) -> usize {
        let auto = data.schema().classes().len() + 1;
        self.intervals.unwrap_or(auto)
    }

    fn encoding(
        &self,
        table: &RankTable<'_>,
        scale: Scale,
        is_whole: bool,
    ) -> Result<ValueEncoding> {
        let size = ValueSize::new(table.whole());
        ValueEncoding::new(&self.leaf_cost, scale, is_whole, size)
    }

    fn context<'a>(
        &self,
        table: &'a RankTable<'a>,
        encoding: ValueEncoding,
        sizes: Sizes,
    ) -> Context<'a> {
        Context {
            table,
            encoding,
            rule: IntervalRule::new(
                self.intervals.unwrap_or(table.n_classes() + 1),
                table.leaf_size().least(),
            ),
            arch: pulp::Arch::new(),
            sizes,
        }
    }

    /// The features that matter for trees of two levels, where it pays to find that out before they are sorted.
    fn screen(
        &self,
        table: &RankTable<'_>,
        encoding: ValueEncoding,
        budget: &Budget,
        sizes: Sizes,
    ) -> Option<Screened> {
        let context = self.context(table, encoding, sizes);
        // What is kept takes less memory than the sorted table.
        let n_rows = table.whole().len();
        let is_worth_it = n_rows >= sizes.screened_rows
            && n_rows >= 2 * sizes.many * table.kinds().len()
            && self.depth == 2
            && context.rule.min_leaf() == 1
            && context.is_narrow();
        let columns = is_worth_it.then(|| table.numbers())??;
        let two = DepthTwo::new(context, budget, true, None);
        two.screen(table.whole(), &columns)
    }

    /// One depth after the other: if time is up, the best tree of the last one stands. Of all the time there is a
    /// part for the search.
    fn search(
        &self,
        table: &RankTable<'_>,
        encoding: ValueEncoding,
        [all, budget]: [&Budget; 2],
        sizes: Sizes,
        screened: Option<&Screened>,
        proof: Option<&mut Proof>,
    ) -> FoundTree {
        let rows = Arc::clone(table.whole());
        let may_need_leaf = table.kinds().contains(&FeatureKind::Categorical)
            || rows.cells().iter().any(FeatureCells::has_missing);
        let context = self.context(table, encoding, sizes);
        // The last level of a tree is made at the end. With many classes in many intervals that takes so long that
        // some time is kept for it.
        let work = context.work_of_one(context.rule.most());
        let left = budget.left().filter(|_| work > LITTLE_WORK);
        let kept = left.map_or(Duration::ZERO, |left| {
            Duration::from_nanos(work.saturating_mul(NANOS_PER_STEP)).min(left / 4)
        });
        let budget = &budget.keeping(kept);
        let search = TreeSearch {
            context,
            budget,
            most_bytes: self.most_bytes,
            region_bounds: &RegionBounds::new(self.most_bytes),
            work_at_last: LITTLE_WORK.max(kept.as_nanos() as u64 / NANOS_PER_STEP),
            screened,
            per_row: if may_need_leaf {
                encoding.per_leaf()
            } else {
                0
            },
        };
        let mut best = encoding.leaf(rows.error());
        let mut found = FoundTree {
            plan: TreePlan::Leaf,
            value: best,
            lower: None,
        };
        let mut known: Option<(usize, SearchResult)> = None;
        let mut shallower = None;
        let mut notes = Vec::new();
        let mut proven = 0;
        let deepest = self.depth.min(table.longest_way());
        for depth in 2.min(deepest)..=deepest {
            let is_noted = proof.is_some() && depth > 2 && depth == deepest;
            let solved = match shallower.take() {
                Some(shallower) if is_noted => {
                    let solved;
                    (solved, notes) =
                        BestFirst::solve_noting(&search, &rows, depth, best, shallower);
                    solved
                }
                shallower => search.solve_node(&rows, depth, best, shallower),
            };
            let is_done = solved.is_done;
            if let Some(value) = solved.value.filter(|&value| value < best) {
                best = value;
                known = Some((depth, solved.clone()));
            }
            if !is_done {
                // Of deeper trees the search knows nothing.
                let least = if depth == deepest { solved.least } else { 0 };
                found.lower = Some(lower_of_any_depth(table, encoding, least, best, all));
            }
            if depth == deepest {
                proven = if is_done {
                    best
                } else {
                    solved.least.min(best)
                };
            }
            shallower = Some(solved);
            if !is_done {
                break;
            }
        }
        if let Some(proof) = proof {
            Prover::new(&search).fill(proof, deepest, proven, &notes);
        }
        found.value = best;
        let Some((depth, solved)) = known else {
            return found;
        };
        found.value = best;
        if found.lower.is_some() && search.context.work_of_one(2) > search.work_at_last {
            // There is no time for its last level.
            return found;
        }
        // The tree of a search that was stopped must not take long.
        let in_a_hurry = search.in_a_hurry();
        let is_late = found.lower.is_some() && in_a_hurry.context.rule != search.context.rule;
        let search = if is_late { in_a_hurry } else { search };
        // A tree of one level may be as good.
        let is_shallower = depth == 1
            || depth == 2
                && encoding.leaves(best) <= search.most_leaves_of_one()
                && search.context.one(&rows, &mut Deadline::new(&|| is_late)) == Ok(Some(best));
        let plan = match solved.is_done && !is_late {
            true if is_shallower => search.plan(&rows, 1),
            true => search.plan_below(&rows, depth, solved.sketch.as_ref()),
            false => Err(Stopped),
        };
        found.plan = plan.unwrap_or_else(|Stopped| {
            let sketch = solved.sketch.as_ref();
            sketch.map_or(TreePlan::Leaf, |sketch| search.follow(&rows, depth, sketch))
        });
        found
    }

    fn info(&self, data: &Dataset) -> LearnerInfo {
        let mut params = Params::default();
        params.insert("depth", self.depth);
        params.insert("intervals", self.intervals(data));
        params.insert("min_leaf", self.min_leaf);
        if self.min_leaf_weight > 0.0 {
            params.insert("min_leaf_weight", self.min_leaf_weight);
        }
        params.insert("leaf_cost", self.leaf_cost.number_or_text());
        LearnerInfo {
            kind: LearnerKind::Optimal,
            params,
        }
    }

    /// What the certificate is about.
    fn statement(&self, data: &Dataset) -> Statement {
        let minimised = if self.leaf_cost == Lambda::zero() {
            Minimised::Cost(CostKind::Loss)
        } else {
            Minimised::Penalised(CostKind::Loss, self.leaf_cost.clone(), Penalty::Linear)
        };
        let over = TreeClass::Bounded {
            depth: self.depth,
            intervals: self.intervals(data),
            leaf: if self.min_leaf_weight > 0.0 {
                LeastLeaf::Weight(self.min_leaf_weight)
            } else {
                LeastLeaf::Rows(self.min_leaf)
            },
        };
        Statement::Least(minimised, over)
    }
}

/// Without any search: no tree is worth less.
fn lower_at_once(table: &RankTable<'_>, encoding: ValueEncoding) -> u64 {
    // One leaf, or at least two.
    let leaf = encoding.leaf(table.whole().error());
    leaf.min(2 * encoding.per_leaf())
}

/// Refuses a tree that is worth less than any was said to be.
fn check_lower(least: u64, value: u64) -> Result<()> {
    if value >= least {
        return Ok(());
    }
    Err(Error::internal(format!(
        "no tree was to have a smaller value than {least}, but the rows of one have {value}"
    )))
}

/// Sums of losses stay below this: values are losses times more than there can be leaves, in 62 bits.
fn most_loss(data: &Dataset) -> f64 {
    let n_rows = data.n_rows() as f64 * data.schema().classes().len().max(1) as f64;
    2.0_f64.powi(58) / n_rows
}

/// After a search that was stopped: no tree is worth less. The search has found a tree that is worth `best`, and
/// that none is worth less than `known`.
fn lower_of_any_depth(
    table: &RankTable<'_>,
    encoding: ValueEncoding,
    known: u64,
    best: u64,
    budget: &Budget,
) -> u64 {
    // One leaf, or at least two; and rows that are alike stay together.
    let leaf = encoding.leaf(table.whole().error());
    let split = encoding.loss(deeper::equivalent_points::least_loss(table.whole(), budget))
        + 2 * encoding.per_leaf();
    known.min(best).max(split.min(leaf))
}

#[cfg(test)]
mod tests {
    //! Searches that need too much memory say so.

    use fastrand::Rng;

    use crate::budget::Budget;
    use crate::cost::RowLosses;
    use crate::data::csv::CsvSource;
    use crate::data::{Dataset, ReadOptions};
    use crate::learn::optimal::Optimal;
    use crate::learn::optimal::plan::build_tree::build_tree;
    use crate::learn::optimal::problem::{LeafSize, RankTable};
    use crate::learn::optimal::switches::Sizes;
    use crate::tree::Training;

    fn random_table(rng: &mut Rng) -> Dataset {
        let mut text = String::from("kind,x,y,z,class\n");
        for _ in 0..rng.usize(20..40) {
            let number = |rng: &mut Rng| match rng.u8(..12) {
                0 => String::new(),
                _ => rng.u32(..60).to_string(),
            };
            let kind = ["red", "green"][rng.usize(..2)];
            let class = ["a", "b"][rng.usize(..2)];
            let [x, y, z] = [(); 3].map(|()| number(rng));
            text += &[kind, &x, &y, &z, class].join(",");
            text.push('\n');
        }
        let source = CsvSource::new(text.into(), b',').unwrap();
        Dataset::read(&source, &ReadOptions::default()).unwrap()
    }

    #[test]
    fn too_little_memory_is_never_taken_for_a_proof() {
        let mut n_stopped = 0;
        for seed in 0..20 {
            let mut rng = Rng::with_seed(seed);
            let data = random_table(&mut rng);
            let cost = |most_bytes: usize| {
                let learner = Optimal {
                    depth: 4,
                    intervals: Some(2),
                    most_bytes,
                    leaf_cost: "1/60".parse().unwrap(),
                    ..Optimal::default()
                };
                let losses =
                    RowLosses::new(&data, &learner.loss, "optimal trees", RowLosses::NARROW)
                        .unwrap();
                let table = RankTable::new(&data, &losses, LeafSize::new(&learner, &data));
                let columns = (0..data.columns().len()).collect();
                let (table, _) = table.sorted(columns, &Budget::unlimited());
                let encoding = learner.encoding(&table, losses.scale, true).unwrap();
                // Without the first look at the memory.
                let found = learner.search(
                    &table,
                    encoding,
                    [&Budget::unlimited(); 2],
                    Sizes::USUAL,
                    None,
                    None,
                );
                let tree = build_tree(&found.plan, &data, &learner.loss).unwrap();
                let objective = learner.objective(&Training::of_leaves(&tree, &data));
                (objective, found.lower.is_none())
            };
            let (best, _) = cost(usize::MAX);
            for bytes in [0, 200, 400, 800, 1200, 1600, 2000, 3000, 4000] {
                let (found, is_proven) = cost(bytes);
                n_stopped += u32::from(!is_proven);
                assert!(
                    !is_proven || found == best,
                    "{found} {best} seed {seed} {bytes} bytes"
                );
            }
        }
        assert!(n_stopped > 10, "{n_stopped} were stopped");
        // A tree that is worth less than all trees were said to be.
        assert!(super::check_lower(5, 5).is_ok() && super::check_lower(5, 6).is_ok());
        assert!(super::check_lower(5, 4).is_err());
    }
}
