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
//! | `table` | ranks in place of numbers, and what each label would cost each row |
//! | `price` | what a tree is worth, as one whole number |
//! | `line` | the best intervals of one feature: the last level |
//! | `search` | all levels above, with bounds |
//! | `plant` | from a plan to a tree with all rows in it |

mod line;
mod plant;
mod price;
mod search;
mod table;

use std::time::Instant;

use serde_json::Map;

use self::line::Rule;
use self::plant::plant;
use self::price::{Price, Size};
use self::search::{Plan, Search};
use self::table::Table;
use super::Learner;
use crate::budget::Budget;
use crate::cost::{Lambda, Loss, RowLosses, Scale};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::tree::{Certificate, Fit, LearnerInfo, Training, Tree};

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
    /// What a leaf costs, on the scale of the cost divided by the total weight.
    pub leaf_cost: Lambda,
    /// What wrong predictions cost.
    pub loss: Loss,
}

impl Default for Optimal {
    fn default() -> Self {
        Self {
            depth: 2,
            intervals: None,
            min_leaf: 1,
            leaf_cost: Lambda::zero(),
            loss: Loss::default(),
        }
    }
}

impl Learner for Optimal {
    fn fit(&self, data: &Dataset, budget: &Budget) -> Result<Fit<Tree>> {
        let start = Instant::now();
        self.check(data)?;
        let losses = RowLosses::new(data, &self.loss, "optimal trees")?;
        let (scale, is_whole) = (losses.scale, losses.is_whole);
        let tolerance = (!is_whole).then(|| losses.tolerance(data));
        let table = Table::new(data, losses);
        let price = self.price(&table, scale, is_whole)?;
        let found = self.search(&table, price, budget);
        let tree = plant(&found.plan, &table, data, &self.loss)?;
        let training = Training::of_leaves(&tree, data).taking(start.elapsed());
        let objective = training.cost + self.leaf_cost.to_f64() * training.leaves as f64;
        let as_cost = |losses: f64| losses * scale.unit / scale.total_weight;
        let bound = |losses: f64| as_cost(losses) * (1.0 - 1e-12);
        let by_prices = as_cost(price.off_by * data.n_rows() as f64);
        Ok(Fit {
            certificate: Some(Certificate {
                objective,
                lower_bound: found.bound.map_or(objective, bound).min(objective),
                exact: is_whole,
                tolerance: tolerance.map(|by_losses| by_losses + by_prices),
                what: self.in_words(data),
            }),
            model: tree,
            learner: self.info(data),
            training,
        })
    }
}

/// A tree that was found.
struct Found {
    plan: Plan,
    /// No tree is worth less, in units of loss; `None` if that is the tree itself.
    bound: Option<f64>,
}

impl Optimal {
    fn check(&self, data: &Dataset) -> Result<()> {
        if data.n_rows() == 0 {
            return Err(Error::schema("the table has no rows to learn from"));
        }
        if data.columns().is_empty() {
            return Err(Error::schema("the table has no features to learn from"));
        }
        if self.intervals == Some(0) {
            return Err(Error::parameter("intervals", 0, "at least 1"));
        }
        if self.min_leaf == 0 {
            return Err(Error::parameter("min-leaf", 0, "at least 1"));
        }
        Ok(())
    }

    fn intervals(&self, data: &Dataset) -> usize {
        let auto = data.schema().classes().len() + 1;
        self.intervals.unwrap_or(auto)
    }

    fn price(&self, table: &Table, scale: Scale, is_whole: bool) -> Result<Price> {
        let sums = table.sums(&table.whole().all);
        let size = Size {
            n_rows: table.n_rows,
            most_loss: sums.into_iter().max().unwrap_or(0),
        };
        Price::new(&self.leaf_cost, scale, is_whole, size)
    }

    /// One depth after the other: if time is up, the best tree of the last one stands.
    fn search(&self, table: &Table, price: Price, budget: &Budget) -> Found {
        let rows = table.whole();
        let most = self.intervals.unwrap_or(table.n_classes + 1);
        let mut search = Search {
            table,
            price,
            rule: Rule {
                most,
                min_leaf: self.min_leaf,
            },
            budget,
            states: 0,
        };
        let mut found = Found {
            plan: Plan::Leaf,
            bound: None,
        };
        let mut best = price.leaf(table.error(&rows.all));
        for depth in 1..=self.depth.min(table.longest_way()) {
            let value = search.solve(&rows, depth, best);
            let better = value.and_then(|value| {
                if value < best {
                    found.plan = search.plan(&rows, depth, value)?;
                }
                Ok(value)
            });
            let Ok(value) = better else {
                let least = (2 * price.per_leaf).min(best);
                found.bound = Some(price.in_losses(least));
                break;
            };
            best = value;
        }
        found
    }

    fn info(&self, data: &Dataset) -> LearnerInfo {
        let mut params = Map::new();
        params.insert("depth".into(), self.depth.into());
        params.insert("intervals".into(), self.intervals(data).into());
        params.insert("min_leaf".into(), self.min_leaf.into());
        params.insert("leaf_cost".into(), self.leaf_cost.number_or_text());
        LearnerInfo {
            name: "optimal".into(),
            params,
        }
    }

    fn in_words(&self, data: &Dataset) -> String {
        let cost = if self.leaf_cost == Lambda::zero() {
            "cost".to_owned()
        } else {
            format!("cost + {} * leaves", self.leaf_cost)
        };
        let least = match self.min_leaf {
            1 => String::new(),
            least => format!(", at least {least} rows in a leaf"),
        };
        format!(
            "{cost} over trees of depth {} with up to {} intervals at the last level{least}",
            self.depth,
            self.intervals(data)
        )
    }
}
