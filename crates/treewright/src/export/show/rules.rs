//! The tree as rules, one for each leaf.
//!
//! ```text
//! IF 2 < a <= 3 AND b = "x" THEN yes  (n 38, errors 3)
//! ```
//!
//! What a way asks about the same feature is merged into one condition, in the place where the feature
//! is asked first. The rules are exact: a row follows a rule just if it reaches the leaf. For that,
//! `or missing` is written where missing values lead to the leaf, and a category that a node never saw
//! is listed where it leads, because it goes the way of missing values.
//!
//! Where a node distributes missing values no rule alone gives the answer; a comment at the top says so.
//! If only some nodes do, a star marks what takes a part of such a row: `or missing*`, `"x"*`.

use super::condition::{
    Extent, amount, answer, distributes_everywhere, interval, mse, quoted, word,
};
use crate::tree::{Bound, Branch, MissingRoute, NodeId, Split, Tree};

/// The tree as rules, each on a line of its own.
pub fn rules(tree: &Tree) -> String {
    let everywhere = distributes_everywhere(tree);
    let mut text = header(tree, everywhere);
    for_each_leaf(tree, |leaf, way| {
        text.push_str(&rule(tree, leaf, way, !everywhere));
    });
    text
}

/// Goes to every leaf, from left to right, with the demands of the way to it.
fn for_each_leaf(tree: &Tree, mut found: impl FnMut(NodeId, &Way)) {
    let mut way = Way::new(tree.schema().features.len());
    let mut steps = vec![Step::Enter(NodeId::ROOT)];
    while let Some(step) = steps.pop() {
        match step {
            Step::Enter(id) => match tree.branch(id) {
                None => found(id, &way),
                Some(branch) => {
                    for position in (0..branch.n_children as usize).rev() {
                        steps.push(Step::Forget);
                        steps.push(Step::Enter(branch.child(position)));
                        steps.push(Step::Ask(branch, position));
                    }
                }
            },
            Step::Ask(branch, position) => way.ask(branch, position),
            Step::Forget => way.forget(),
        }
    }
}

/// What is left to do on the round trip through the tree.
enum Step<'a> {
    Ask(&'a Branch, usize),
    Enter(NodeId),
    Forget,
}

fn header(tree: &Tree, everywhere: bool) -> String {
    let distributes = tree
        .ids()
        .filter_map(|id| tree.branch(id))
        .any(|branch| branch.missing == MissingRoute::Distribute);
    if !distributes {
        return String::new();
    }
    let mut text = String::from(
        "# A row with a missing (or new) value takes all branches of that question, in proportion to\n\
         # their weights; its answer is the mixture of all rules that it follows in part.\n",
    );
    if !everywhere {
        text.push_str(
            "# A star marks a condition, or a category, that such a row follows in part.\n",
        );
    }
    text
}

fn rule(tree: &Tree, leaf: NodeId, way: &Way, mark_parts: bool) -> String {
    let conditions = way.conditions(tree, mark_parts);
    let condition = match &conditions[..] {
        [] => "TRUE".to_owned(),
        [(only, _)] => only.clone(),
        several => several
            .iter()
            .map(|(condition, is_choice)| match is_choice {
                true => format!("({condition})"),
                false => condition.clone(),
            })
            .collect::<Vec<_>>()
            .join(" AND "),
    };
    let weight = amount(tree.weight(leaf));
    let figures = if tree.schema().is_classification() {
        format!("n {weight}, errors {}", amount(tree.errors(leaf)))
    } else {
        match mse(tree, leaf) {
            Some(mse) => format!("n {weight}, mse {}", amount(mse)),
            None => format!("n {weight}"),
        }
    };
    let answer = answer(tree, leaf, Extent::Full);
    format!("IF {condition} THEN {answer}  ({figures})\n")
}

/// How much of a row with some value goes along a way. A lower one wins where several meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Passes {
    Nothing,
    Part,
    All,
}

/// What a way asks of one feature.
#[derive(Debug, Clone)]
struct Demand {
    values: Values,
    missing: Passes,
}

#[derive(Debug, Clone)]
enum Values {
    /// Present numbers in an interval.
    Interval(Option<Bound>, Option<Bound>),
    /// No present number.
    NoNumber,
    /// For every category.
    Categories(Vec<Passes>),
}

/// The demands of the way from the root to where the round trip is.
struct Way {
    demands: Vec<Option<Demand>>,
    /// Features with a demand, in the order they were first asked.
    order: Vec<usize>,
    /// What each question on the way replaced.
    replaced: Vec<(usize, Option<Demand>)>,
}

impl Way {
    fn new(n_features: usize) -> Self {
        Self {
            demands: vec![None; n_features],
            order: Vec::new(),
            replaced: Vec::new(),
        }
    }

    fn ask(&mut self, branch: &Branch, position: usize) {
        let feature = branch.split.feature();
        let new = Demand::of(branch, position);
        let old = self.demands[feature].take();
        self.demands[feature] = Some(match &old {
            Some(old) => old.and(new),
            None => new,
        });
        if old.is_none() {
            self.order.push(feature);
        }
        self.replaced.push((feature, old));
    }

    fn forget(&mut self) {
        if let Some((feature, old)) = self.replaced.pop() {
            if old.is_none() {
                self.order.pop();
            }
            self.demands[feature] = old;
        }
    }

    /// The conditions in words, and whether each has an "or" in it.
    fn conditions(&self, tree: &Tree, mark_parts: bool) -> Vec<(String, bool)> {
        self.order
            .iter()
            .filter_map(|&feature| {
                let demand = self.demands[feature].as_ref()?;
                Some(demand.words(tree, feature, mark_parts))
            })
            .collect()
    }
}

impl Demand {
    fn of(branch: &Branch, position: usize) -> Self {
        let missing = match branch.missing {
            MissingRoute::Distribute => Passes::Part,
            MissingRoute::Child(child) if child as usize == position => Passes::All,
            MissingRoute::Child(_) => Passes::Nothing,
        };
        let values = match &branch.split {
            Split::Intervals { .. } if branch.missing_only() == Some(position) => Values::NoNumber,
            Split::Intervals { .. } => {
                let (lower, upper) = branch.split.bounds(position);
                Values::Interval(lower, upper)
            }
            Split::Categories { branches, .. } => Values::Categories(
                branches
                    .iter()
                    .map(|child| match child {
                        None => missing,
                        Some(child) if *child as usize == position => Passes::All,
                        Some(_) => Passes::Nothing,
                    })
                    .collect(),
            ),
        };
        Self { values, missing }
    }

    /// Both demands at once.
    fn and(&self, other: Self) -> Self {
        let values = match (&self.values, other.values) {
            (Values::Interval(lower, upper), Values::Interval(other_lower, other_upper)) => {
                Values::Interval(
                    tighter(*lower, other_lower, |new, old| new > old),
                    tighter(*upper, other_upper, |new, old| new < old),
                )
            }
            (Values::Categories(ours), Values::Categories(theirs)) => {
                let both = ours.iter().zip(theirs);
                Values::Categories(both.map(|(&ours, theirs)| ours.min(theirs)).collect())
            }
            _ => Values::NoNumber,
        };
        Self {
            values,
            missing: self.missing.min(other.missing),
        }
    }

    fn words(&self, tree: &Tree, feature: usize, mark_parts: bool) -> (String, bool) {
        let feature = &tree.schema().features[feature];
        let name = word(&feature.name, Extent::Full);
        let present = match &self.values {
            Values::Interval(lower, upper) => {
                let (before, after) = interval(*lower, *upper, Extent::Full);
                Some(format!("{before}{name}{after}"))
            }
            Values::NoNumber => None,
            Values::Categories(passes) => {
                let categories = feature.categories();
                categories_in_words(&name, categories, passes, mark_parts)
            }
        };
        let missing = match self.missing {
            Passes::All => Some("missing"),
            Passes::Part if mark_parts => Some("missing*"),
            Passes::Part | Passes::Nothing => None,
        };
        match (present, missing) {
            (Some(present), Some(missing)) => (format!("{present} or {missing}"), true),
            (Some(present), None) => (present, false),
            (None, Some(missing)) => (format!("{name} {missing}"), false),
            // Only a tree that asks in vain has such a way.
            (None, None) => (format!("{name} in {{}}"), false),
        }
    }
}

/// The tighter of two ends of an interval; `beyond` says which of two cuts leaves less.
fn tighter(
    old: Option<Bound>,
    new: Option<Bound>,
    beyond: impl Fn(f64, f64) -> bool,
) -> Option<Bound> {
    match (old, new) {
        (Some(old), Some(new)) => {
            let is_tighter = beyond(new.cut, old.cut) || new.cut == old.cut && !new.included;
            Some(if is_tighter { new } else { old })
        }
        (old, new) => new.or(old),
    }
}

fn categories_in_words(
    name: &str,
    categories: &[String],
    passes: &[Passes],
    mark_parts: bool,
) -> Option<String> {
    let words: Vec<String> = categories
        .iter()
        .zip(passes)
        .filter_map(|(category, passes)| match passes {
            Passes::All => Some(quoted(category, Extent::Full)),
            Passes::Part if mark_parts => Some(format!("{}*", quoted(category, Extent::Full))),
            Passes::Part | Passes::Nothing => None,
        })
        .collect();
    match &words[..] {
        [] => None,
        [only] => Some(format!("{name} = {only}")),
        several => Some(format!("{name} in {{{}}}", several.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Value;
    use crate::export::samples;

    #[test]
    fn a_greedy_tree() {
        assert_eq!(
            rules(&samples::iris()),
            "\
# A row with a missing (or new) value takes all branches of that question, in proportion to
# their weights; its answer is the mixture of all rules that it follows in part.
IF petal_length <= 2.45 THEN setosa  (n 50, errors 0)
IF petal_length > 2.45 AND petal_width <= 1.75 THEN versicolor  (n 54, errors 5)
IF petal_length > 2.45 AND petal_width > 1.75 THEN virginica  (n 46, errors 1)
"
        );
    }

    #[test]
    fn every_kind_of_question() {
        assert_eq!(
            rules(&samples::every_kind()),
            "\
# A row with a missing (or new) value takes all branches of that question, in proportion to
# their weights; its answer is the mixture of all rules that it follows in part.
# A star marks a condition, or a category, that such a row follows in part.
IF age < 18.5 AND (sex in {\"f\", \"x\"*} or missing*) THEN no  (n 5.25, errors 0.25)
IF age < 18.5 AND (sex in {\"m\", \"x\"*} or missing*) THEN yes  (n 3.75, errors 0)
IF age >= 18.5 AND \"size, cm\" < -1 THEN no  (n 1, errors 0)
IF age >= 18.5 AND -1 <= \"size, cm\" < 0 THEN yes  (n 2, errors 0)
IF age >= 18.5 AND 0 <= \"size, cm\" < 1e300 THEN no  (n 3, errors 0)
IF age >= 18.5 AND \"size, cm\" >= 1e300 THEN no  (n 0, errors 0)
IF age >= 18.5 AND \"size, cm\" missing THEN yes  (n 2, errors 0)
IF age missing AND sex = \"x\" THEN no  (n 2, errors 0)
IF age missing AND (sex in {\"f\", \"m\"} or missing) THEN yes  (n 1, errors 0)
"
        );
    }

    #[test]
    fn questions_about_one_feature_are_merged() {
        assert_eq!(
            rules(&samples::repeated()),
            "\
IF a < 2 THEN no  (n 1, errors 0)
IF (2 <= a <= 5 or missing) AND (b = \"x\" or missing) THEN no  (n 1, errors 0)
IF 2 <= a <= 3 AND b = \"z\" THEN no  (n 1, errors 0)
IF (3 < a <= 5 or missing) AND b = \"z\" THEN yes  (n 1, errors 0)
IF (2 <= a <= 5 or missing) AND b = \"y\" THEN yes  (n 1, errors 0)
IF a > 5 THEN yes  (n 1, errors 0)
"
        );
    }

    #[test]
    fn numbers() {
        assert_eq!(
            rules(&samples::numbers()),
            "\
IF x < 2 or missing THEN 1.5  (n 2, mse 0.25)
IF 2 <= x < 1e20 THEN 3.5  (n 2, mse 0.25)
IF x >= 1e20 THEN 2.5  (n 0)
"
        );
    }

    #[test]
    fn a_single_leaf() {
        assert_eq!(
            rules(&samples::leaf()),
            "IF TRUE THEN yes  (n 5, errors 2)\n"
        );
    }

    #[test]
    fn a_very_deep_tree_has_short_rules() {
        let text = rules(&samples::chain(100_000));
        assert_eq!(text.lines().count(), 100_003);
        assert!(text.lines().all(|line| line.len() < 100));
    }

    fn passes(demand: &Demand, value: Value) -> Passes {
        match (value, &demand.values) {
            (Value::Missing, _) => demand.missing,
            (Value::Category(code), Values::Categories(passes)) => passes[code as usize],
            (Value::Number(x), Values::Interval(lower, upper)) => {
                let above = |b: &Bound| x > b.cut || x == b.cut && b.included;
                let below = |b: &Bound| x < b.cut || x == b.cut && b.included;
                if lower.iter().all(above) && upper.iter().all(below) {
                    Passes::All
                } else {
                    Passes::Nothing
                }
            }
            _ => Passes::Nothing,
        }
    }

    #[test]
    fn a_row_follows_a_rule_just_if_it_reaches_the_leaf() {
        let numbers = [
            -2.0, -1.0, 0.0, 1.0, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 18.5, 20.0, 1e300,
        ];
        for tree in [samples::every_kind(), samples::repeated(), samples::iris()] {
            let columns: Vec<Vec<Value>> = tree
                .schema()
                .features
                .iter()
                .map(|feature| match feature.categories().len() as u32 {
                    0 => numbers.map(Value::Number).to_vec(),
                    n => (0..n).map(Value::Category).collect(),
                })
                .map(|values| [values, vec![Value::Missing]].concat())
                .collect();
            let n_rows: usize = columns.iter().map(Vec::len).product();
            for row in 0..n_rows {
                let mut rest = row;
                let cells: Vec<Value> = columns
                    .iter()
                    .map(|values| {
                        let value = values[rest % values.len()];
                        rest /= values.len();
                        value
                    })
                    .collect();
                let mut reached = vec![Passes::Nothing; tree.n_nodes()];
                tree.visit(
                    |feature| cells[feature],
                    |id, share| {
                        let whole = share == 1.0;
                        reached[id.index()] = if whole { Passes::All } else { Passes::Part };
                    },
                );
                for_each_leaf(&tree, |leaf, way| {
                    let demands = way.demands.iter().zip(&cells);
                    let follows = demands
                        .filter_map(|(demand, &cell)| Some(passes(demand.as_ref()?, cell)))
                        .min()
                        .unwrap_or(Passes::All);
                    assert_eq!(follows, reached[leaf.index()], "{cells:?} in {leaf:?}");
                });
            }
        }
    }
}
