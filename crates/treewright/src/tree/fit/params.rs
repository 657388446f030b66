//! The parameters of a learner, as a model file has them.
//!
//! A file may hold parameters that this version does not know, and they stay in their order. So they are kept as the
//! JSON object of the file. All other rooms ask for facts: this file alone knows under which names they are stored.

use serde_json::{Map, Value};

use super::{CategoricalSplits, PruningLoss};
use crate::cost::{ClassShare, Lambda, Penalty};
use crate::data::ClassWeight;
use crate::error::{self, Error};
use crate::tree::PathRules;

const CATEGORICAL_SPLITS: &str = "categorical_splits";
const CLASS_WEIGHT: &str = "class_weight";
const PRUNED: &str = "pruned";
const STOPPED: &str = "stopped";
const STOPPED_IN: &str = "stopped_in";
const INTERACTIONS: &str = "interactions";
const ROOT_ONLY: &str = "root_only";
const NOT_ABOVE: &str = "not_above";
const MIN_CLASS_SHARE: &str = "min_class_share";
/// How held-out rows were drawn.
const RESAMPLING: [&str; 4] = ["folds", "repeats", "holdout", "seed"];

/// The parameters of a learner, in the order in which they are documented.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Params(Map<String, Value>);

/// What was still going on when the budget was spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoppedIn {
    /// The learner itself: its tree is smaller, or less is proven.
    Learning,
    /// The validation by held-out rows, after the learner had finished.
    Validation,
}

/// What a dyadic tree was asked to be best at.
#[derive(Debug, Clone, PartialEq)]
pub enum AimParam {
    /// A weight of the penalty.
    Lambda(Lambda),
    /// The same, times the total weight of the rows.
    Kappa(Lambda),
    /// The least cost with at most this number of leaves.
    Leaves(u64),
}

/// How a member of a family was chosen by held-out rows.
#[derive(Debug, Clone, PartialEq)]
pub struct ChoiceParams<'a> {
    /// The name of the rule.
    pub rule: &'a str,
    /// The leaves of the tree before it was pruned.
    pub from_leaves: Option<&'a Value>,
    /// The weight of the penalty, as the file has it.
    pub lambda: Option<&'a Value>,
    /// Its error on held-out rows.
    pub error: f64,
    /// The standard error of that.
    pub se: f64,
}

/// The entry `pruned`: what a pruning was asked to be.
#[derive(Debug, Clone, Copy)]
pub struct PruningParams<'a>(&'a Map<String, Value>);

impl From<Map<String, Value>> for Params {
    fn from(params: Map<String, Value>) -> Self {
        Self(params)
    }
}

impl Params {
    /// For a file.
    pub fn as_json(&self) -> &Map<String, Value> {
        &self.0
    }

    /// Adds a parameter, or changes it.
    pub fn insert(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// Adds what `others` has.
    pub fn extend(&mut self, others: Map<String, Value>) {
        self.0.extend(others);
    }

    /// What the budget was spent in, if it was.
    pub fn stopped(&self) -> Option<StoppedIn> {
        self.0.get(STOPPED)?;
        Some(if self.0.contains_key(STOPPED_IN) {
            StoppedIn::Validation
        } else {
            StoppedIn::Learning
        })
    }

    /// Says that the budget was spent before the learner had finished.
    pub fn stop_learning(&mut self) {
        self.insert(STOPPED, true);
    }

    /// Says that the budget was spent before the end of a validation; the learner itself may have been stopped already.
    pub fn stop_validation(&mut self) {
        if self.stopped().is_none() {
            self.insert(STOPPED, true);
            self.insert(STOPPED_IN, "validation");
        }
    }

    /// The weights of classes that the rows were learned with.
    pub fn class_weight(&self) -> error::Result<ClassWeight> {
        let weight_of =
            |(label, weight): (&String, &Value)| Some((label.clone(), weight.as_f64()?));
        let given = match self.0.get(CLASS_WEIGHT) {
            None | Some(Value::Null) => return Ok(ClassWeight::Equal),
            Some(Value::String(word)) if word == "balanced" => return Ok(ClassWeight::Balanced),
            Some(Value::Object(weights)) => weights.iter().map(weight_of).collect::<Option<_>>(),
            Some(_) => None,
        };
        given.map(ClassWeight::Given).ok_or_else(|| {
            Error::schema("class_weight is neither \"balanced\" nor a number for each label")
        })
    }

    /// Were classes weighted?
    pub fn has_class_weight(&self) -> bool {
        self.0.contains_key(CLASS_WEIGHT)
    }

    /// Stores the weights of classes; equal ones go without saying.
    pub fn set_class_weight(&mut self, weight: &ClassWeight) {
        let weights: Value = match weight {
            ClassWeight::Equal => return,
            ClassWeight::Balanced => "balanced".into(),
            ClassWeight::Given(weights) => weights
                .iter()
                .map(|(label, weight)| (label.clone(), Value::from(*weight)))
                .collect::<Map<_, _>>()
                .into(),
        };
        self.insert(CLASS_WEIGHT, weights);
    }

    /// Was the criterion of the greedy learner made of entropies?
    pub fn is_by_entropy(&self) -> bool {
        matches!(self.text("criterion"), Some("entropy" | "gain-ratio"))
    }

    /// Does a leaf of a regression tree predict the median?
    pub fn predicts_median(&self) -> bool {
        self.text("predict") == Some("median")
    }

    /// The number of bins of a numeric target.
    pub fn bins(&self) -> Option<u64> {
        self.0.get("bins").and_then(Value::as_u64)
    }

    /// The ends of these bins, one more than there are; `None` in files of older versions.
    pub fn bin_edges(&self) -> Option<Vec<f64>> {
        let edges = self.0.get("bin_edges")?.as_array()?;
        edges.iter().map(Value::as_f64).collect()
    }

    /// The largest depth of an optimal tree.
    pub fn depth(&self) -> Result<Option<usize>, String> {
        self.whole("depth")
    }

    /// The most intervals at the last level of an optimal tree.
    pub fn intervals(&self) -> Result<Option<usize>, String> {
        self.whole("intervals")
    }

    /// How an optimal tree splits categories; files that do not say it have a branch for each.
    pub fn categorical_splits(&self) -> Result<CategoricalSplits, String> {
        match self.0.get(CATEGORICAL_SPLITS) {
            None => Ok(CategoricalSplits::Multiway),
            Some(name) => {
                let splits = name.as_str().and_then(|name| name.parse().ok());
                splits.ok_or_else(|| format!("params.{CATEGORICAL_SPLITS} is none of the known"))
            }
        }
    }

    /// Stores how categories are split; a branch for each goes without saying.
    pub fn set_categorical_splits(&mut self, splits: CategoricalSplits) {
        if splits != CategoricalSplits::Multiway {
            self.insert(CATEGORICAL_SPLITS, splits.name());
        }
    }

    /// The most leaves that a tree may have.
    pub fn leaves(&self) -> Result<Option<usize>, String> {
        self.whole("leaves")
    }

    /// What leaves cost; linear where nothing is said, `None` if it cannot be read.
    pub fn penalty_of_leaves(&self) -> Option<Penalty> {
        match self.0.get("penalty") {
            None => Some(Penalty::Linear),
            Some(name) => name.as_str()?.parse().ok(),
        }
    }

    /// The least number of rows in a leaf.
    pub fn min_leaf(&self) -> Result<Option<usize>, String> {
        self.whole("min_leaf")
    }

    /// The least share of the weight in a leaf.
    pub fn min_leaf_weight(&self) -> Option<f64> {
        self.0.get("min_leaf_weight").and_then(Value::as_f64)
    }

    /// Is there a least weight for leaves?
    pub fn has_min_leaf_weight(&self) -> bool {
        self.0.contains_key("min_leaf_weight")
    }

    /// The least share of the predicted class in a leaf, if there is one.
    pub fn min_class_share(&self) -> Result<Option<ClassShare>, String> {
        let Some(value) = self.0.get(MIN_CLASS_SHARE) else {
            return Ok(None);
        };
        let share = ratio(value).and_then(|share| ClassShare::new(share.ratio()).ok());
        let fault = || format!("params.{MIN_CLASS_SHARE} is no share above 0 and at most 1");
        share.map(Some).ok_or_else(fault)
    }

    /// Stores the least share of the predicted class in a leaf, if there is one.
    pub fn set_min_class_share(&mut self, share: Option<&ClassShare>) {
        if let Some(share) = share {
            self.insert(MIN_CLASS_SHARE, share.number_or_text());
        }
    }

    /// What an optimal tree pays for a leaf.
    pub fn leaf_cost(&self) -> Result<Option<Lambda>, String> {
        match self.0.get("leaf_cost") {
            None => Ok(None),
            Some(value) => ratio(value)
                .map(Some)
                .ok_or_else(|| "params.leaf_cost is no price".into()),
        }
    }

    /// The rules about the features on a path.
    pub fn rules(&self) -> Result<PathRules, String> {
        Ok(PathRules {
            interactions: self.groups(INTERACTIONS)?,
            root_only: self.names(ROOT_ONLY)?,
            not_above: self.groups(NOT_ABOVE)?,
        })
    }

    /// Stores the rules about the features on a path, those that there are.
    pub fn set_rules(&mut self, rules: &PathRules) {
        let PathRules {
            interactions,
            root_only,
            not_above,
        } = rules;
        for (name, groups) in [(INTERACTIONS, interactions), (NOT_ABOVE, not_above)] {
            if !groups.is_empty() {
                self.insert(name, groups.clone());
            }
        }
        if !root_only.is_empty() {
            self.insert(ROOT_ONLY, root_only.clone());
        }
    }

    /// What a dyadic tree was asked to be best at, if the parameters say it.
    pub fn aim(&self) -> Result<Option<AimParam>, String> {
        let given = ["lambda", "kappa", "leaves"];
        let mut given = given
            .into_iter()
            .filter_map(|name| Some((name, self.0.get(name)?)));
        let Some((name, value)) = given.next() else {
            return Ok(None);
        };
        if let Some((other, _)) = given.next() {
            return Err(format!("params have both {name} and {other}"));
        }
        if name == "leaves" {
            let leaves = value.as_u64();
            let leaves = leaves.ok_or("params.leaves is no number of leaves")?;
            return Ok(Some(AimParam::Leaves(leaves)));
        }
        let weight = ratio(value).ok_or_else(|| format!("params.{name} is no weight"))?;
        Ok(Some(match name {
            "kappa" => AimParam::Kappa(weight),
            _ => AimParam::Lambda(weight),
        }))
    }

    /// The penalty on leaves as a file has it; a linear one goes without saying.
    pub fn penalty(&self) -> Option<&Value> {
        self.0.get("penalty")
    }

    /// Is the penalty a table, whose values no model has?
    pub fn has_penalty_table(&self) -> bool {
        self.penalty().is_some_and(|name| name == "table")
    }

    /// The name of the cost by which a tree was pruned to a family, if it was.
    pub fn family_cost(&self) -> Option<&Value> {
        self.0.get("cost")
    }

    /// Sets by what a tree was pruned to a family.
    pub fn set_family(&mut self, penalty: &str, cost: &str) {
        self.insert("penalty", penalty);
        self.insert("cost", cost);
    }

    /// Takes out by what a tree was pruned to a family, and returns the name of the cost.
    pub fn take_family(&mut self) -> Option<Value> {
        self.0.shift_remove("penalty");
        self.0.shift_remove("cost")
    }

    /// Takes out what a family has and a member of it has not: which trees of equal cost were found, and how.
    pub fn take_method(&mut self) {
        for name in ["collinear", "ties", "method"] {
            self.0.shift_remove(name);
        }
    }

    /// Takes away what leaves cost: a family is for all weights, and says elsewhere for which penalty.
    pub(crate) fn take_leaf_cost(&mut self) {
        self.0.shift_remove("leaf_cost");
        self.0.shift_remove("penalty");
    }

    /// Was the family found by a heuristic that may miss members?
    pub fn is_heuristic(&self) -> bool {
        self.text("method") == Some("heuristic")
    }

    /// Are there rows of different classes that the finest grid cannot separate?
    pub fn is_capped(&self) -> bool {
        self.0.contains_key("capped")
    }

    /// The name of the model of dyadic trees.
    pub fn dyadic_model(&self) -> Option<&str> {
        self.text("model")
    }

    /// The name of the box that a dyadic grid halves, if it is not the range of the features.
    pub fn grid_box(&self) -> Option<&str> {
        self.text("box")
    }

    /// How often a dyadic grid halves each feature.
    pub fn halvings(&self) -> Option<Vec<u32>> {
        let halvings = self.0.get("k")?.as_array()?.iter();
        halvings
            .map(|number| u32::try_from(number.as_u64()?).ok())
            .collect()
    }

    /// Folds, repeats and seed of a cross-validation.
    pub fn folds(&self) -> Option<(usize, usize, u64)> {
        let number = |name: &str| self.0.get(name).and_then(Value::as_u64);
        let (folds, repeats) = (number("folds")?, number("repeats")?);
        Some((folds as usize, repeats as usize, number("seed")?))
    }

    /// Was a family validated by folds?
    pub fn is_cross_validated(&self) -> bool {
        self.0.contains_key("folds")
    }

    /// Was it validated by one part of the rows?
    pub fn has_holdout(&self) -> bool {
        self.0.contains_key("holdout")
    }

    /// Takes out how held-out rows were drawn.
    pub fn take_resampling(&mut self) -> Map<String, Value> {
        let taken = RESAMPLING.into_iter().filter_map(|name| {
            let value = self.0.shift_remove(name)?;
            Some((name.to_owned(), value))
        });
        taken.collect()
    }

    /// How the tree was pruned, if it was.
    pub fn pruned(&self) -> Option<PruningParams<'_>> {
        self.0
            .get(PRUNED)
            .and_then(Value::as_object)
            .map(PruningParams)
    }

    /// Says how the tree was pruned.
    pub fn set_pruned(&mut self, pruned: Map<String, Value>) {
        self.insert(PRUNED, pruned);
    }

    /// Does the file have an entry for a pruning, even one that cannot be understood?
    pub fn has_pruned(&self) -> bool {
        self.0.contains_key(PRUNED)
    }

    /// How the tree was chosen by held-out rows, if it was: those that pruned it say so with the pruning.
    pub fn choice(&self) -> Option<ChoiceParams<'_>> {
        let choice = self.pruned().map_or(&self.0, |pruned| pruned.0);
        let figure = |name: &str| choice.get(name).and_then(Value::as_f64).unwrap_or(0.0);
        Some(ChoiceParams {
            rule: choice.get("select")?.as_str()?,
            from_leaves: choice.get("from_leaves"),
            lambda: choice.get("lambda"),
            error: figure("cv_error"),
            se: figure("cv_se"),
        })
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// Names, if they are there.
    fn names(&self, name: &str) -> Result<Vec<String>, String> {
        let wrong = || format!("params.{name} are no names");
        self.0
            .get(name)
            .map_or(Some(Vec::new()), texts)
            .ok_or_else(wrong)
    }

    /// Groups of names, if they are there.
    fn groups(&self, name: &str) -> Result<Vec<Vec<String>>, String> {
        let groups = match self.0.get(name) {
            None => Some(Vec::new()),
            Some(groups) => groups
                .as_array()
                .and_then(|groups| groups.iter().map(texts).collect()),
        };
        groups.ok_or_else(|| format!("params.{name} are no groups of names"))
    }

    /// A whole number, if it is there.
    fn whole(&self, name: &str) -> Result<Option<usize>, String> {
        let Some(value) = self.0.get(name) else {
            return Ok(None);
        };
        let number = value.as_u64().and_then(|it| usize::try_from(it).ok());
        number
            .map(Some)
            .ok_or_else(|| format!("params.{name} is no whole number"))
    }
}

impl<'a> PruningParams<'a> {
    /// The leaves of the tree before.
    pub fn from_leaves(self) -> Option<u64> {
        self.0.get("from_leaves").and_then(Value::as_u64)
    }

    /// What a node costs. Files say `error` for the loss of the tree, also if that is a matrix or squared errors.
    pub fn cost(self) -> Option<PruningLoss> {
        match self.0.get("cost")?.as_str()? {
            "error" => Some(PruningLoss::Error),
            "impurity" => Some(PruningLoss::Impurity),
            "mse" => Some(PruningLoss::Squared),
            _ => None,
        }
    }

    /// The name of the penalty.
    pub fn penalty(self) -> Option<&'a str> {
        self.0.get("penalty").and_then(Value::as_str)
    }

    /// Do the costs come from other rows than those of the training?
    pub fn has_other_rows(self) -> bool {
        self.0.contains_key("costs_from")
    }

    /// The weight of the penalty.
    pub fn lambda(self) -> Option<Lambda> {
        ratio(self.0.get("lambda")?)
    }

    /// The most leaves, as the file has it.
    pub fn leaves(self) -> Option<&'a Value> {
        self.0.get("leaves")
    }

    /// The largest cost.
    pub fn max_cost(self) -> Option<Lambda> {
        ratio(self.0.get("max_cost")?)
    }

    /// Is the number of leaves what was minimised?
    pub fn is_by_max_cost(self) -> bool {
        self.0.contains_key("max_cost")
    }
}

fn texts(value: &Value) -> Option<Vec<String>> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    value.as_array()?.iter().map(text).collect()
}

/// A number, or a ratio as text.
fn ratio(value: &Value) -> Option<Lambda> {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn params(value: Value) -> Params {
        match value {
            Value::Object(params) => params.into(),
            _ => Params::default(),
        }
    }

    #[test]
    fn a_stop_says_where_it_was() {
        let mut stopped = Params::default();
        assert_eq!(stopped.stopped(), None);
        stopped.stop_validation();
        assert_eq!(stopped.stopped(), Some(StoppedIn::Validation));
        let mut stopped = Params::default();
        stopped.stop_learning();
        stopped.stop_validation();
        assert_eq!(stopped.stopped(), Some(StoppedIn::Learning));
    }

    #[test]
    fn class_weights_are_read_back() {
        let given = ClassWeight::Given(vec![("a".into(), 2.0), ("b".into(), 0.5)]);
        for weight in [ClassWeight::Equal, ClassWeight::Balanced, given] {
            let mut params = Params::default();
            params.set_class_weight(&weight);
            assert_eq!(params.class_weight().unwrap(), weight);
            assert_eq!(params.has_class_weight(), weight != ClassWeight::Equal);
        }
        assert!(params(json!({"class_weight": 3})).class_weight().is_err());
    }

    #[test]
    fn one_aim_at_most() {
        assert_eq!(params(json!({})).aim(), Ok(None));
        let leaves = params(json!({"leaves": 3})).aim();
        assert_eq!(leaves, Ok(Some(AimParam::Leaves(3))));
        let third = "1/3".parse().unwrap();
        let kappa = params(json!({"kappa": "1/3"})).aim();
        assert_eq!(kappa, Ok(Some(AimParam::Kappa(third))));
        for (value, complaint) in [
            (
                json!({"leaves": -1}),
                "params.leaves is no number of leaves",
            ),
            (json!({"lambda": "x"}), "params.lambda is no weight"),
            (
                json!({"lambda": 1, "leaves": 1}),
                "params have both lambda and leaves",
            ),
        ] {
            assert_eq!(params(value).aim(), Err(complaint.to_owned()));
        }
    }

    #[test]
    fn a_choice_is_with_the_pruning() {
        let chosen = json!({"select": "1se", "lambda": 0.1, "cv_error": 0.25, "cv_se": 0.5});
        assert_eq!(params(chosen.clone()).choice().unwrap().error, 0.25);
        let pruned = params(json!({"pruned": chosen}));
        assert_eq!(pruned.choice().unwrap().rule, "1se");
        assert_eq!(params(json!({"pruned": {}, "select": "cv"})).choice(), None);
    }
}
