//! Optimal trees of bounded depth.
//!
//! **Problem.** Among all trees of a depth, find the one with the least cost on the rows, and prove that none is
//! better. Above the last level a numeric feature is cut in two; at the last level into up to `K` intervals. Of a
//! categorical feature one category is split from the others, and at the last level the categories are grouped in two,
//! or, as in the paper, each category has a branch. Missing values have a branch of their own wherever there are some.
//!
//! **Source.** These are the trees of P. Auer, R. Holte and W. Maass, "Theory and applications of agnostic
//! PAC-learning with small decision trees" (1995): T1 is depth one, and their Theorem 3 is for Td of every depth
//! `d >= 2`. The search is a branch and bound over ranges of cuts, as in Quant-BnB and ConTree, with a special solver
//! for the last two levels, as in MurTree, STreeD and ConTree.
//!
//! | folder or file | contents |
//! |---|---|
//! | `switches` | a switch for each bound, cache and order, and sizes of work |
//! | `problem` | the table in ranks, sets of rows, values of trees, results of subproblems |
//! | `depth1` | the best split into leaves |
//! | `depth2` | the solver of the last two levels, by `histogram` or by `scan` |
//! | `deeper` | best-first search over ranges of cuts, region bounds, equivalent points bound |
//! | `search` | which of these solves a set of rows, by depth |
//! | `plan` | the tree of a value that was found |
//! | `sizes` | the best trees for every number of leaves |
//! | `proof` | what the search has found out, as claims that others can check |
//! | `claim` | what is proven, as a certificate |
//! | `by_depth` | one depth after the other, until the time is up |
//! | `by_size` | the same for every number of leaves |
//! | `of_size` | one of these trees: for a number of leaves, or for a penalty that is not linear |
//!
//! The table begins with the lowest layer. Each may use those above it in the table; `deeper` and `search` may use
//! each other, and so may `claim`, `by_depth`, `by_size` and `of_size`. A test checks that. `learn::exact` has the deadline, the incumbent
//! and the way from a plan to a tree.

mod by_depth;
mod by_size;
mod claim;
mod deeper;
mod depth1;
mod depth2;
mod of_size;
mod plan;
mod problem;
mod proof;
mod search;
mod sizes;
mod switches;

use std::time::{Duration, Instant};

use self::by_depth::FoundTree;
use self::claim::{Proven, lower_at_once, lower_of_any_depth, most_loss};
use self::depth2::DepthTwo;
use self::depth2::screening::Screened;
use self::plan::TreePlan;
pub use self::problem::SortedColumns;
pub use self::switches::{Sizes, Switches};
use super::greedy::{self, MissingPolicy, check_min_leaf_weight};
use super::{Greedy, Learner};
use crate::budget::Budget;
use crate::cost::{ClassShare, Lambda, Loss, Penalty, RowLosses, Scale, tens_of_weights};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learn::optimal::problem::{
    Context, IntervalRule, LeafSize, RankTable, ValueEncoding, ValueSize,
};
use crate::tree::{CategoricalSplits, Fit, PathRules, Proof, Training, Tree};

/// A greedy tree takes at most about this many times as long as making the table.
const GREEDY_PER_TABLE: u32 = 4;
/// Cells times levels times classes of a greedy tree that takes no time worth counting.
const LITTLE_GREEDY: u64 = 1 << 22;
/// How long it takes to part a row twice, about.
const NANOS_PER_ROW: u64 = 20;

/// The learner of optimal trees of bounded depth.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimal {
    /// The longest way from the root to a leaf.
    pub depth: usize,
    /// Numeric features have up to this many intervals at the last level; `None`: one more than there are
    /// classes.
    pub intervals: Option<usize>,
    /// How a split parts categories.
    pub categorical_splits: CategoricalSplits,
    /// A leaf has at least this many rows.
    pub min_leaf: usize,
    /// Or, instead of rows, at least this share of the weight of all rows.
    pub min_leaf_weight: f64,
    /// Of the weight of a leaf, the class that it predicts has at least this share; a tree of one leaf may have less.
    pub min_class_share: Option<ClassShare>,
    /// What a leaf costs, on the scale of the cost divided by the total weight.
    pub leaf_cost: Lambda,
    /// What a number of leaves costs, times `leaf_cost`; a family has the best trees for all weights of it.
    pub penalty: Penalty,
    /// A tree has at most this many leaves, and leaves are free; `None`: any number, or up to 256 in a family.
    pub leaves: Option<usize>,
    /// Which features may be asked below which.
    pub rules: PathRules,
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
            categorical_splits: CategoricalSplits::default(),
            min_leaf: 1,
            min_leaf_weight: 0.0,
            min_class_share: None,
            leaf_cost: Lambda::zero(),
            penalty: Penalty::Linear,
            leaves: None,
            rules: PathRules::default(),
            loss: Loss::default(),
            most_bytes: usize::MAX,
        }
    }
}

impl Learner for Optimal {
    fn fit(&self, data: &Dataset, budget: &Budget) -> Result<Fit<Tree>> {
        self.fit_with(data, budget, Switches::USUAL)
    }
}

impl Optimal {
    /// Learns a tree, and proves what its certificate says by claims that others can check. There are many such
    /// proofs: with several threads it need not be the same every time.
    pub fn fit_with_proof(&self, data: &Dataset, budget: &Budget) -> Result<(Fit<Tree>, Proof)> {
        self.prove_with(data, budget, Switches::USUAL)
    }

    /// Learns a tree and proves what its certificate says, with the speed-ups that are switched on.
    #[doc(hidden)]
    pub fn prove_with(
        &self,
        data: &Dataset,
        budget: &Budget,
        switches: Switches,
    ) -> Result<(Fit<Tree>, Proof)> {
        if !self.rules.is_empty() {
            let given = "rules about the features on a path";
            return Err(Error::parameter(
                "proof",
                given,
                "none where a proof is written",
            ));
        }
        if let Some(share) = &self.min_class_share {
            let allowed = "none where a proof is written";
            return Err(Error::parameter("min-class-share", share, allowed));
        }
        if self.splits_of(data) != CategoricalSplits::Multiway {
            let (name, given) = ("categorical-splits", self.categorical_splits.name());
            let allowed = "multiway where a proof of a table with categories is wanted";
            return Err(Error::parameter(name, given, allowed));
        }
        let mut proof = Proof {
            depth: self.depth,
            ..Proof::default()
        };
        let fit = self.learn(data, budget, switches, None, Some(&mut proof))?;
        Ok((fit, proof))
    }

    /// Learns from a table that several learners share: its columns are sorted once for all of them, where there is
    /// memory to keep them.
    pub fn fit_sorted(&self, table: &SortedColumns<'_>, budget: &Budget) -> Result<Fit<Tree>> {
        let shared = self.shared(table, budget);
        self.learn(table.data(), budget, Switches::USUAL, shared, None)
    }

    /// Sorted columns, where there is memory to keep them: each search has a copy.
    fn shared<'a>(
        &self,
        table: &'a SortedColumns<'a>,
        budget: &Budget,
    ) -> Option<&'a SortedColumns<'a>> {
        let budget = budget.within_memory(self.most_bytes);
        let is_shared = budget.has_room_for(2 * table.bytes());
        is_shared.then_some(table)
    }

    /// Learns in another way of working: that must not change the tree.
    #[doc(hidden)]
    pub fn fit_with(
        &self,
        data: &Dataset,
        budget: &Budget,
        switches: Switches,
    ) -> Result<Fit<Tree>> {
        self.learn(data, budget, switches, None, None)
    }

    fn learn(
        &self,
        data: &Dataset,
        budget: &Budget,
        switches: Switches,
        shared: Option<&SortedColumns<'_>>,
        mut proof: Option<&mut Proof>,
    ) -> Result<Fit<Tree>> {
        if self.is_sized() {
            return self.fit_sized(data, budget, switches, shared);
        }
        let start = Instant::now();
        self.check(data)?;
        let budget = &budget.within_memory(self.most_bytes);
        let losses = RowLosses::new(data, &self.loss, "optimal trees", most_loss(data))?;
        let before = Instant::now();
        let table = self.table(data, &losses)?.sharing(shared);
        let encoding = self.encoding(&table, losses.scale, losses.is_whole)?;
        let (table, mut found) = self.found(
            table,
            encoding,
            (budget, before),
            switches,
            proof.as_deref_mut(),
        );
        if let Some(proof) = proof {
            proof.unit = losses.unit.unwrap_or(losses.scale.unit);
            let is_exact = |unit| self.is_leaf_cost_exact(data, encoding, unit);
            if !losses.unit.is_some_and(is_exact) {
                // The search is about rounded losses.
                proof.claims = None;
            }
        }
        // A tree has counts of all classes in each node.
        let counts = 2 * size_of::<f64>() * table.n_classes();
        if !budget.has_room_for(found.plan.n_nodes().saturating_mul(counts)) {
            found.lower.get_or_insert(found.value);
            found.plan = TreePlan::Leaf;
        }
        if found.lower.is_some() && !found.plan.is_of_leaves(&table) {
            // In a hurry, a last level has fewer intervals.
            found.plan = TreePlan::Leaf;
        }
        let tree = found.plan.build(data, &self.loss)?;
        let training = Training::of_leaves(&tree, data);
        let mut best = (tree, training);
        if found.lower.is_some()
            && switches.greedy_incumbent
            && let Some(tree) = self.greedy(data, budget)?
        {
            let training = Training::of_leaves(&tree, data);
            if self.objective(&training) < self.objective(&best.1) {
                best = (tree, training);
            }
        }
        let (tree, training) = best;
        let recounted = tree.recounted(data, &losses.counting);
        let exact = losses.counting.exact_cost(losses.scale, || recounted.cost);
        let training = training.costing(exact);
        let proven = Proven {
            value: encoding.tree(recounted, table.constant()),
            lower: found.lower.unwrap_or(found.value),
            constant: table.constant(),
            n_rows: table.whole().len(),
        };
        Ok(Fit {
            certificate: Some(self.certificate(data, &losses, encoding, &proven, &training)?),
            model: tree,
            learner: self.info(data),
            training: training.taking(start.elapsed()),
        })
    }

    /// The table with all features that matter, sorted, and the tree that a search finds for it. The table was made
    /// from `before` on.
    fn found<'a>(
        &self,
        table: RankTable<'a>,
        encoding: ValueEncoding,
        (budget, before): (&Budget, Instant),
        switches: Switches,
        proof: Option<&mut Proof>,
    ) -> (RankTable<'a>, FoundTree) {
        let data = table.data();
        let n_columns = data.columns().len();
        let bytes = self.bytes(data);
        let is_too_large = bytes > self.most_bytes || !budget.has_room_for(bytes);
        let screened = (!is_too_large && !budget.is_spent())
            .then(|| self.screen(&table, encoding, budget, switches));
        let screened = screened.flatten();
        let features = screened
            .as_ref()
            .map(|screened| screened.features().to_vec());
        // The orders alone may fit where a search does not.
        let has_orders = budget.has_room_for(data.n_rows() * 12 * (n_columns + 2));
        let (table, is_sorted) = if has_orders {
            table.sorted(features.unwrap_or((0..n_columns).collect()), budget)
        } else {
            (table, false)
        };
        if is_too_large || !is_sorted {
            let leaf = encoding.leaf(table.whole().error());
            let lower = if is_sorted {
                lower_of_any_depth(&self.context(&table, encoding, switches), 0, leaf, budget)
            } else {
                lower_at_once(&table, encoding)
            };
            return (table, FoundTree::leaf(leaf, lower));
        }
        // If the search is not finished, the tree must not be worse than a greedy one. To learn that is mostly
        // sorting all columns, as making the table was.
        let part = n_columns / table.columns().len().max(1);
        let making = before.elapsed().max(table.time_saved());
        let reserve = GREEDY_PER_TABLE * part as u32 * making;
        let reserve = budget.left().map_or(reserve, |left| reserve.min(left / 2));
        let budgets = [budget, &budget.keeping(reserve)];
        let screened = screened.as_ref();
        let mut found = self.search(&table, encoding, budgets, switches, screened, proof);
        if let (Some(lower), Some(screened)) = (&mut found.lower, screened) {
            // That is said of trees with the features that are left.
            *lower = (*lower).min(screened.value());
        }
        (table, found)
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
            min_class_share: self.min_class_share.clone(),
            missing: MissingPolicy::Branch,
            rules: self.rules.clone(),
            categorical_splits: match self.categorical_splits {
                CategoricalSplits::Multiway => greedy::CategoricalSplits::Multiway,
                _ => greedy::CategoricalSplits::OneVsRest,
            },
            loss: self.loss.clone(),
            ..Greedy::default()
        };
        let fit = learner.fit(data, budget)?;
        let is_multiway = self.categorical_splits == CategoricalSplits::Multiway;
        let plan = TreePlan::of(&fit.model, data, &self.leaf_size(data), is_multiway);
        let tree = plan.build(data, &self.loss)?;
        // A category with a branch of its own may have another class.
        let share = self.min_class_share.as_ref();
        let keeps_share = share.is_none_or(|share| tree.below_share(share).is_none());
        Ok(keeps_share.then_some(tree))
    }

    /// Refuses a least number of rows in a leaf that a whole table does not have. A part of a table, such as all folds
    /// but one, may have fewer rows: then its tree is a leaf.
    pub fn check_leaf_size(&self, data: &Dataset) -> Result<()> {
        if self.min_leaf > data.n_rows().max(1) {
            let allowed = format!("at most {}, the rows of the table", data.n_rows());
            return Err(Error::parameter("min-leaf", self.min_leaf, allowed));
        }
        Ok(())
    }

    fn check(&self, data: &Dataset) -> Result<()> {
        data.require_rows_and_features()?;
        if self.intervals == Some(0) {
            return Err(Error::parameter("intervals", 0, "at least 1"));
        }
        if self.min_leaf == 0 {
            return Err(Error::parameter("min-leaf", 0, "at least 1"));
        }
        if self.leaves == Some(0) {
            return Err(Error::parameter("leaves", 0, "at least 1"));
        }
        check_min_leaf_weight(self.min_leaf_weight)?;
        self.rules.never_below(data.schema())?;
        if self.min_leaf > 1 && self.min_leaf_weight > 0.0 {
            let allowed = "1 where leaves have a least weight";
            return Err(Error::parameter("min-leaf", self.min_leaf, allowed));
        }
        Ok(())
    }

    /// With a least share of a class, what a leaf predicts decides whether it may be one. Rounded losses can tie where
    /// the real ones do not.
    fn check_share(&self, data: &Dataset, losses: &RowLosses<'_>) -> Result<()> {
        match &self.min_class_share {
            Some(share) if losses.unit.is_none() || tens_of_weights(data).is_none() => {
                let allowed = "left out where weights or costs have too many digits to be added up exactly, \
                               such as those of balanced classes";
                Err(Error::parameter("min-class-share", share, allowed))
            }
            _ => Ok(()),
        }
    }

    /// The rows of the data, in no order yet.
    fn table<'a>(&self, data: &'a Dataset, losses: &RowLosses<'_>) -> Result<RankTable<'a>> {
        self.check_share(data, losses)?;
        let never_below = self.rules.never_below(data.schema())?;
        let table = RankTable::new(data, losses, self.leaf_size(data));
        let table = table.splitting(self.categorical_splits, self.intervals != Some(1));
        let table = table.with_share(self.min_class_share.as_ref(), self.loss == Loss::ZeroOne);
        Ok(table.with_rules(never_below))
    }

    fn leaf_size(&self, data: &Dataset) -> LeafSize {
        LeafSize::new(self.min_leaf, self.min_leaf_weight, data)
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
        switches: Switches,
    ) -> Context<'a> {
        Context {
            table,
            encoding,
            rule: IntervalRule::new(
                self.intervals.unwrap_or(table.n_classes() + 1),
                table.leaf_size().least(),
            )
            .sharing(table.leaf_share().is_some()),
            arch: pulp::Arch::new(),
            switches,
        }
    }

    /// The features that matter for trees of two levels, where it pays to find that out before they are sorted.
    fn screen(
        &self,
        table: &RankTable<'_>,
        encoding: ValueEncoding,
        budget: &Budget,
        switches: Switches,
    ) -> Option<Screened> {
        let context = self.context(table, encoding, switches);
        // What is kept takes less memory than the sorted table.
        let n_rows = table.whole().len();
        let is_worth_it = switches.screening
            && n_rows >= switches.sizes.screened_rows
            && n_rows >= 2 * switches.sizes.many * table.kinds().len()
            && self.depth == 2
            && context.rule.allows_any_leaf()
            && !context.has_rules()
            && context.is_narrow();
        let columns = is_worth_it.then(|| table.numbers())??;
        let two = DepthTwo::new(context, budget, true, None);
        two.screen(table.whole(), &columns)
    }
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
    use crate::learn::optimal::switches::Switches;
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
                let table = learner.table(&data, &losses).unwrap();
                let columns = (0..data.columns().len()).collect();
                let (table, _) = table.sorted(columns, &Budget::unlimited());
                let encoding = learner.encoding(&table, losses.scale, true).unwrap();
                // Without the check of the memory before the search.
                let found = learner.search(
                    &table,
                    encoding,
                    [&Budget::unlimited(); 2],
                    Switches::USUAL,
                    None,
                    None,
                );
                let tree = found.plan.build(&data, &learner.loss).unwrap();
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
        assert!(super::claim::check_lower(5, 5).is_ok() && super::claim::check_lower(5, 6).is_ok());
        assert!(super::claim::check_lower(5, 4).is_err());
    }
}
