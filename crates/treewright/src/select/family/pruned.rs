//! A learner followed by pruning: the member of its family that was asked for, or the one that does best
//! on rows left out.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::choose::{Rule, cross_validate, cross_validate_all};
use super::family_choice::FamilyChoice;
use crate::budget::Budget;
use crate::cost::{Lambda, Penalty};
use crate::data::Dataset;
use crate::error::Result;
use crate::learn::{Greedy, Learner};
use crate::prune::{self, Aim, Method, NodeCosts, Pruning, PruningCost, Record, Request};
use crate::select::resampling::Resampling;
use crate::tree::{
    Certificate, CrossValidation, Family, FamilyFit, Fit, LearnerInfo, Training, Tree,
};

/// Parameters of a learner whose trees are pruned.
#[derive(Debug, Clone)]
pub struct Pruned<L = Greedy> {
    /// What grows the tree.
    pub learner: L,
    /// What a leaf costs. Of the impurities that of the learner's criterion is taken.
    pub cost: PruningCost,
    /// What a number of leaves costs.
    pub penalty: Penalty,
    /// How prunings are found.
    pub method: Method,
    /// Which pruning it shall be.
    pub choice: Choice,
    /// Limit for the tables of least costs.
    pub most_bytes: u64,
}

/// How a pruning is chosen.
#[derive(Debug, Clone, PartialEq)]
pub enum Choice {
    /// The best at something, on the rows of training.
    Aim(Aim),
    /// By rows that were left out.
    Select {
        /// Which member of the family.
        rule: Rule,
        /// Which rows.
        resampling: Resampling,
    },
}

/// All best prunings of a tree, and one of them.
#[derive(Debug, Clone)]
pub struct PrunedFamily {
    /// All of them.
    pub family: FamilyFit,
    /// The one that was asked for.
    pub chosen: Fit<Tree>,
    /// The tree before it was pruned.
    pub grown: Fit<Tree>,
}

impl<L> Pruned<L> {
    /// A learner whose trees are pruned by errors and the linear penalty, as cross-validation says.
    pub fn new(learner: L) -> Self {
        Self {
            learner,
            cost: PruningCost::default(),
            penalty: Penalty::Linear,
            method: Method::Auto,
            choice: Choice::Select {
                rule: Rule::Least,
                resampling: Resampling::default(),
            },
            most_bytes: u64::MAX,
        }
    }
}

impl<L: Learner + Sync> Learner for Pruned<L> {
    /// Grows a tree and prunes it. If the budget is spent before a member is selected, the tree comes
    /// back as it was grown, with `stopped` among the parameters, and `stopped_in` if it is complete.
    fn fit(&self, data: &Dataset, budget: &Budget) -> Result<Fit<Tree>> {
        let start = Instant::now();
        self.cut_back(self.grow(data, budget)?, data, budget, start)
    }
}

impl<L: Learner + Sync> Pruned<L> {
    /// The same, and the tree as it was grown.
    pub fn fit_with_grown(
        &self,
        data: &Dataset,
        budget: &Budget,
    ) -> Result<(Fit<Tree>, Fit<Tree>)> {
        let start = Instant::now();
        let grown = self.grow(data, budget)?;
        let before = grown.as_fit();
        Ok((self.cut_back(grown, data, budget, start)?, before))
    }

    fn cut_back(
        &self,
        grown: Grown,
        data: &Dataset,
        budget: &Budget,
        start: Instant,
    ) -> Result<Fit<Tree>> {
        let chosen = match &self.choice {
            Choice::Aim(aim) => Some(self.aimed(&grown, aim)?),
            Choice::Select { rule, resampling } => {
                self.selected(&grown, *rule, *resampling, data, budget)?
            }
        };
        let seconds = start.elapsed();
        let Some(chosen) = chosen else {
            return Ok(stopped(grown.into_fit(), seconds));
        };
        let mut learner = grown.learner;
        learner.params.set_pruned(chosen.params);
        Ok(Fit {
            training: Training::of(&chosen.tree, data).taking(seconds),
            model: chosen.tree,
            learner,
            certificate: chosen.certificate,
        })
    }

    /// Grows a tree and finds all its prunings that are best for some weight of the penalty, with their
    /// errors on rows left out where these are asked for. The `choice` has no say here. If the budget is
    /// spent before those are known, they are left away, with `stopped` among the parameters, and
    /// `stopped_in` if the tree is complete.
    pub fn fit_family(
        &self,
        data: &Dataset,
        budget: &Budget,
        resampling: Option<Resampling>,
    ) -> Result<FamilyFit> {
        self.all_of(&self.grow(data, budget)?, data, budget, resampling)
    }

    /// The same, and the tree as it was grown.
    pub fn fit_family_with_grown(
        &self,
        data: &Dataset,
        budget: &Budget,
        resampling: Option<Resampling>,
    ) -> Result<(FamilyFit, Fit<Tree>)> {
        let grown = self.grow(data, budget)?;
        let found = self.all_of(&grown, data, budget, resampling)?;
        Ok((found, grown.as_fit()))
    }

    /// Grows a tree once, and finds all its prunings that are best for some weight of each of these penalties, with
    /// their errors on rows left out. The `penalty` has no say here. The tree of a fold is grown once, too.
    pub fn fit_families(
        &self,
        penalties: &[Penalty],
        data: &Dataset,
        budget: &Budget,
        resampling: Resampling,
    ) -> Result<Vec<FamilyFit>> {
        let grown = self.grow(data, budget)?;
        let start = Instant::now();
        let families = penalties.iter().map(|penalty| self.family(&grown, penalty));
        let families: Vec<Family> = families.collect::<Result<_>>()?;
        let (learner, most_bytes) = (&self.learner, self.most_bytes);
        let found = cross_validate_all(
            learner, data, &families, grown.cost, resampling, most_bytes, budget,
        )?;
        let seconds = start.elapsed().as_secs_f64();
        let found: Vec<Option<CrossValidation>> = match found {
            None => vec![None; families.len()],
            Some(found) => found.into_iter().map(Some).collect(),
        };
        let resampling = Some(resampling);
        let with_errors = families.into_iter().zip(found);
        let finished = with_errors.map(|(family, cross_validation)| {
            grown.family_fit(family, resampling, cross_validation, seconds)
        });
        Ok(finished.collect())
    }

    /// Grows a tree, finds all its best prunings, and takes one of them out. The `choice` has no say here. If the
    /// budget is spent before the errors on held-out rows are known and the member needs them, the tree comes back as
    /// it was grown, with `stopped` among the parameters.
    pub fn fit_member(
        &self,
        data: &Dataset,
        budget: &Budget,
        resampling: Option<Resampling>,
        member: &FamilyChoice,
    ) -> Result<PrunedFamily> {
        let start = Instant::now();
        let grown = self.grow(data, budget)?;
        let family = self.all_of(&grown, data, budget, resampling)?;
        let grown = grown.into_fit();
        let chosen = match member.take_out(&family)? {
            Some(fit) => Fit {
                // By predictions: with distributed rows that is not a sum over leaves.
                training: Training::of(&fit.model, data).taking(start.elapsed()),
                ..fit
            },
            None => stopped(grown.clone(), start.elapsed()),
        };
        Ok(PrunedFamily {
            family,
            chosen,
            grown,
        })
    }

    fn all_of(
        &self,
        grown: &Grown,
        data: &Dataset,
        budget: &Budget,
        resampling: Option<Resampling>,
    ) -> Result<FamilyFit> {
        let start = Instant::now();
        let family = self.family(grown, &self.penalty)?;
        let cross_validation = match resampling {
            None => None,
            Some(resampling) => self.validated(grown, &family, resampling, data, budget)?,
        };
        let seconds = start.elapsed().as_secs_f64();
        Ok(grown.family_fit(family, resampling, cross_validation, seconds))
    }

    fn grow(&self, data: &Dataset, budget: &Budget) -> Result<Grown> {
        let Fit {
            model,
            learner,
            training,
            ..
        } = self.learner.fit(data, budget)?;
        let cost = self.cost.as_in(&learner);
        let costs = NodeCosts::of_learned(&model, &learner.params, cost)?;
        Ok(Grown {
            tree: Arc::new(model),
            learner,
            training,
            cost,
            costs: if data.has_whole_weights() {
                costs
            } else {
                costs.rounded()
            },
        })
    }

    fn family(&self, grown: &Grown, penalty: &Penalty) -> Result<Family> {
        let Grown { tree, costs, .. } = grown;
        prune::family(tree, costs, penalty, self.method, self.most_bytes)
    }

    fn validated(
        &self,
        grown: &Grown,
        family: &Family,
        resampling: Resampling,
        data: &Dataset,
        budget: &Budget,
    ) -> Result<Option<CrossValidation>> {
        let (learner, most_bytes) = (&self.learner, self.most_bytes);
        cross_validate(
            learner, data, family, grown.cost, resampling, most_bytes, budget,
        )
    }

    /// The pruning that is best at something.
    fn aimed(&self, grown: &Grown, aim: &Aim) -> Result<Chosen> {
        let Grown { tree, costs, .. } = grown;
        let (method, most_bytes) = (self.method, self.most_bytes);
        let pruning = prune::prune(tree, costs, &self.penalty, aim, method, most_bytes)?;
        let Record {
            params,
            certificate,
        } = self.record(grown, aim, &pruning);
        Ok(Chosen {
            tree: pruning.tree,
            params,
            certificate: Some(certificate),
        })
    }

    /// The member that does best on rows left out; `None` if the budget is spent.
    fn selected(
        &self,
        grown: &Grown,
        rule: Rule,
        resampling: Resampling,
        data: &Dataset,
        budget: &Budget,
    ) -> Result<Option<Chosen>> {
        let family = self.family(grown, &self.penalty)?;
        let Some(validation) = self.validated(grown, &family, resampling, data, budget)? else {
            return Ok(None);
        };
        let member = rule.choose(&validation);
        // The threshold as it is printed: it chooses the same member when it is given back.
        let low = family.lambda_low(member).unwrap_or(0.0);
        let lambda: Lambda = low.to_string().parse()?;
        // An interval may be so narrow that no double lies in it; then nothing is claimed.
        let is_proven = family.at(&lambda) == member;
        let pruning = Pruning {
            tree: family.tree(member),
            value: family.values()[member],
            method: match family.as_nested() {
                Some(_) => Method::Family,
                None => Method::Table,
            },
        };
        let record = self.record(grown, &Aim::Weight(lambda), &pruning);
        let mut params = record.params;
        params.insert("select".into(), rule.name(resampling).into());
        params.extend(resampling.params());
        params.insert("cv_error".into(), validation.error[member].into());
        params.insert("cv_se".into(), validation.se[member].into());
        Ok(Some(Chosen {
            tree: pruning.tree,
            params,
            certificate: is_proven.then_some(record.certificate),
        }))
    }

    fn record(&self, grown: &Grown, aim: &Aim, pruning: &Pruning) -> Record {
        let request = Request {
            penalty: &self.penalty,
            aim,
            cost: grown.cost,
            costs_from: None,
        };
        Record::new(&grown.tree, &grown.learner, &grown.costs, request, pruning)
    }
}

/// A tree as it was grown, with what its nodes cost.
struct Grown {
    tree: Arc<Tree>,
    learner: LearnerInfo,
    training: Training,
    cost: PruningCost,
    costs: NodeCosts,
}

impl Grown {
    /// A family of its prunings, with the errors on rows left out where these were asked for.
    fn family_fit(
        &self,
        family: Family,
        resampling: Option<Resampling>,
        cross_validation: Option<CrossValidation>,
        seconds: f64,
    ) -> FamilyFit {
        let mut learner = self.learner.clone();
        let params = &mut learner.params;
        params.set_family(&family.penalty().to_string(), self.cost.name());
        if let Some(resampling) = resampling {
            params.extend(resampling.params());
            if cross_validation.is_none() {
                params.stop_validation();
            }
        }
        FamilyFit {
            learner,
            training: self.training,
            exact: self.costs.is_whole(),
            tolerance: self.costs.tolerance(),
            exact_down_to: 0.0,
            lower_bounds: None,
            work: None,
            costs_from: None,
            cross_validation,
            family,
            seconds,
        }
    }

    fn as_fit(&self) -> Fit<Tree> {
        Fit {
            model: Tree::clone(&self.tree),
            learner: self.learner.clone(),
            training: self.training,
            certificate: None,
        }
    }

    fn into_fit(self) -> Fit<Tree> {
        Fit {
            model: Arc::unwrap_or_clone(self.tree),
            learner: self.learner,
            training: self.training,
            certificate: None,
        }
    }
}

/// A tree as it was grown, because the budget was spent before a pruning was chosen.
fn stopped(mut grown: Fit<Tree>, time: Duration) -> Fit<Tree> {
    grown.learner.params.stop_validation();
    grown.training = grown.training.taking(time);
    grown
}

/// A pruning that was chosen, and what is written about it.
struct Chosen {
    tree: Tree,
    params: Map<String, Value>,
    certificate: Option<Certificate>,
}
