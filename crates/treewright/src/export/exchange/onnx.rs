//! The tree as an ONNX model.
//!
//! The input `features` is a table of doubles with all columns of the model, in its order. NaN is
//! missing. A category is its position in the list of categories, from 0; one that is not in the list is
//! NaN or -1. The lists are in the model's metadata, as JSON under `features`.
//!
//! In classification `label` is the class and `probabilities` a float for each class; in regression
//! `prediction` is the number as a float, which is all that the operators of ONNX give. Inputs and cuts
//! are doubles, so that every decision is exact; a model fed with floats decides by their values as
//! doubles.
//!
//! The operators are `TreeEnsembleClassifier`, for the label, and `TreeEnsembleRegressor`, for
//! probabilities and numbers (ai.onnx.ml 3). They know questions with two answers only: several intervals
//! become a chain of them, and for categories a column is computed first that holds the number of the child.
//!
//! ONNX cannot share a row among several leaves. Where the tree does, a missing value goes to the heaviest
//! child instead; [`Onnx::notes`] and the description inside the model say so.

use super::protobuf::Message;
use crate::data::FeatureKind;
use crate::export::code::plan::{Goes, heaviest, missing_goes};
use crate::tree::{Branch, Closed, NodeId, Split, Tree};

/// An ONNX model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Onnx {
    /// The file.
    pub bytes: Vec<u8>,
    /// Where the model may answer differently from the tree, a sentence each.
    pub notes: Vec<String>,
}

/// The version of the format, and of the two sets of operators.
const IR_VERSION: u64 = 8;
const OPSET: u64 = 13;
const ML_OPSET: u64 = 3;
const ML: &str = "ai.onnx.ml";

/// Kinds of elements.
const FLOAT: u64 = 1;
const INT64: u64 = 7;
const STRING: u64 = 8;
const DOUBLE: u64 = 11;

/// The tree as an ONNX model.
pub fn onnx(tree: &Tree) -> Onnx {
    let notes = notes(tree);
    let mut description = String::from(
        "A decision tree, written by treewright. The input has the columns that the metadata lists \
         under \"features\"; NaN is missing, a category is its position in the list.",
    );
    for note in &notes {
        description.push(' ');
        description.push_str(note);
    }
    let operators = |domain, version| Message::new().text(1, domain).number(2, version);
    let property = |key, value: &str| Message::new().text(1, key).text(2, value);
    let model = Message::new()
        .number(1, IR_VERSION)
        .text(2, "treewright")
        .text(3, env!("CARGO_PKG_VERSION"))
        .text(6, &description)
        .message(7, &graph(tree))
        .message(8, &operators("", OPSET))
        .message(8, &operators(ML, ML_OPSET))
        .message(14, &property("features", &features_as_json(tree)))
        .message(14, &property("target", &tree.schema().target.name));
    Onnx {
        bytes: model.into_bytes(),
        notes,
    }
}

fn notes(tree: &Tree) -> Vec<String> {
    let branches = tree.ids().filter_map(|id| tree.branch(id));
    let shared = branches
        .filter(|branch| missing_goes(tree, branch) == Goes::Shared)
        .count();
    if shared == 0 {
        return Vec::new();
    }
    vec![format!(
        "ONNX cannot share a row among branches: where a value is missing or new, {shared} of the \
         {} questions send the row to the heaviest branch instead.",
        tree.n_nodes() - tree.n_leaves()
    )]
}

/// Names, kinds and categories of the input's columns.
fn features_as_json(tree: &Tree) -> String {
    let feature = |feature: &crate::data::Feature| match &feature.kind {
        FeatureKind::Numeric => serde_json::json!({"name": feature.name, "kind": "numeric"}),
        FeatureKind::Categorical(categories) => serde_json::json!({
            "name": feature.name, "kind": "categorical", "categories": categories
        }),
    };
    let features: Vec<serde_json::Value> = tree.schema().features.iter().map(feature).collect();
    serde_json::Value::Array(features).to_string()
}

fn graph(tree: &Tree) -> Message {
    let classes = tree.schema().classes();
    let n_features = tree.schema().features.len() as u64;
    let columns = Columns::new(tree);
    let questions = Questions::new(tree, &columns);
    let mut nodes = columns.nodes;
    let mut outputs = Vec::new();
    if classes.is_empty() {
        let value = |leaf: NodeId| vec![tree.value(leaf)];
        nodes.push(questions.regressor(&columns.output, "prediction", 1, value));
        outputs.push(value_info("prediction", FLOAT, Some(1)));
    } else {
        let n_classes = classes.len();
        if n_classes > 1 {
            nodes.push(questions.classifier(&columns.output, tree));
        } else {
            nodes.extend(questions.only_class(&columns.output, &classes[0]));
        }
        let distributions = tree.distributions();
        let distribution =
            |leaf: NodeId| distributions[leaf.index() * n_classes..][..n_classes].to_vec();
        nodes.push(questions.regressor(&columns.output, "probabilities", n_classes, distribution));
        outputs.push(value_info("label", STRING, None));
        outputs.push(value_info("probabilities", FLOAT, Some(n_classes as u64)));
    }
    Message::new()
        .messages(1, &nodes)
        .text(2, "tree")
        .messages(5, &columns.constants)
        .message(11, &value_info("features", DOUBLE, Some(n_features)))
        .messages(12, &outputs)
}

/// The columns that the questions ask about: those of the input, and one for each question about
/// categories, with the position of the child.
struct Columns {
    nodes: Vec<Message>,
    constants: Vec<Message>,
    /// The name of the table that holds them all.
    output: String,
    /// The column of every branch.
    of: Vec<usize>,
}

impl Columns {
    fn new(tree: &Tree) -> Self {
        let features = &tree.schema().features;
        let mut columns = Self {
            nodes: Vec::new(),
            constants: Vec::new(),
            output: "features".into(),
            of: vec![0; tree.n_nodes()],
        };
        let mut codes: Vec<Option<String>> = vec![None; features.len()];
        let mut tables: Vec<(usize, Vec<f64>)> = Vec::new();
        let mut parts = vec!["features".to_owned()];
        for id in tree.ids() {
            let Some(branch) = tree.branch(id) else {
                continue;
            };
            let feature = branch.split.feature();
            let Split::Categories { branches, .. } = &branch.split else {
                columns.of[id.index()] = feature;
                continue;
            };
            let missing = missing_position(tree, branch);
            let position = |child: &Option<u32>| child.map_or(missing, |child| child as usize);
            let positions = branches.iter().map(position).chain([missing]);
            let table = (feature, positions.map(|at| at as f64).collect());
            let known = tables.iter().position(|other| *other == table);
            columns.of[id.index()] = features.len() + known.unwrap_or(tables.len());
            if known.is_none() {
                let codes = codes[feature]
                    .get_or_insert_with(|| columns.codes(feature, branches.len()))
                    .clone();
                parts.push(columns.positions(tables.len(), &codes, &table.1));
                tables.push(table);
            }
        }
        if !tables.is_empty() {
            columns.output = "columns".into();
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            let concat = node("Concat", "", &parts, &["columns"], &[int("axis", 1)]);
            columns.nodes.push(concat);
        }
        columns
    }

    /// The codes of a feature as whole numbers, the one after the last for missing.
    fn codes(&mut self, feature: usize, n_categories: usize) -> String {
        let name = |what: &str| format!("{what}_{feature}");
        let [column, cell, none, is_missing, filled, codes] =
            ["column", "cell", "none", "is_missing", "filled", "codes"].map(name);
        self.constants
            .push(tensor(&column, INT64, &[], &(feature as i64).to_le_bytes()));
        self.constants.push(tensor(
            &none,
            DOUBLE,
            &[],
            &(n_categories as f64).to_le_bytes(),
        ));
        let gather = ["features", column.as_str()];
        self.nodes.extend([
            node("Gather", "", &gather, &[&cell], &[int("axis", 1)]),
            node("IsNaN", "", &[&cell], &[&is_missing], &[]),
            node("Where", "", &[&is_missing, &none, &cell], &[&filled], &[]),
            node("Cast", "", &[&filled], &[&codes], &[int("to", INT64)]),
        ]);
        codes
    }

    /// A column with the position of the child for each code.
    fn positions(&mut self, at: usize, codes: &str, table: &[f64]) -> String {
        let [children, child, column] =
            ["children", "child", "child_column"].map(|what| format!("{what}_{at}"));
        let size = [table.len() as u64];
        self.constants
            .push(tensor(&children, DOUBLE, &size, &doubles(table)));
        if at == 0 {
            let one = tensor("column_axis", INT64, &[1], &1_i64.to_le_bytes());
            self.constants.push(one);
        }
        self.nodes.extend([
            node(
                "Gather",
                "",
                &[&children, codes],
                &[&child],
                &[int("axis", 0)],
            ),
            node("Unsqueeze", "", &[&child, "column_axis"], &[&column], &[]),
        ]);
        column
    }
}

/// Where missing values go; never in several parts.
fn missing_position(tree: &Tree, branch: &Branch) -> usize {
    match missing_goes(tree, branch) {
        Goes::To(position) => position,
        Goes::Shared => heaviest(tree, branch),
    }
}

/// The tree as questions with two answers, in the parallel lists that the operators take.
#[derive(Default)]
struct Questions {
    modes: Vec<&'static str>,
    columns: Vec<u64>,
    cuts: Vec<f64>,
    yes: Vec<u64>,
    no: Vec<u64>,
    missing_says_yes: Vec<u64>,
    /// The leaves of the tree, with their numbers here.
    leaves: Vec<(u64, NodeId)>,
}

impl Questions {
    fn new(tree: &Tree, columns: &Columns) -> Self {
        let mut questions = Self::default();
        // A node of the tree, with the question that leads to it and whether by a yes.
        let mut stack: Vec<(NodeId, Option<(usize, bool)>)> = vec![(NodeId::ROOT, None)];
        while let Some((id, from)) = stack.pop() {
            let mut from = from;
            let Some(branch) = tree.branch(id) else {
                let leaf = questions.ask(from, ("LEAF", 0, 0.0), false);
                questions.leaves.push((leaf as u64, id));
                continue;
            };
            let column = columns.of[id.index()];
            let mut children = Vec::new();
            for (question, missing_says_yes, child) in branch_questions(tree, branch) {
                let (mode, cut) = question;
                let at = questions.ask(from, (mode, column, cut), missing_says_yes);
                children.push((branch.child(child), Some((at, true))));
                from = Some((at, false));
            }
            let last = last_child(branch);
            children.push((branch.child(last), from));
            stack.extend(children.into_iter().rev());
        }
        questions
    }

    /// Adds a question and tells the one before where it is.
    fn ask(
        &mut self,
        from: Option<(usize, bool)>,
        (mode, column, cut): (&'static str, usize, f64),
        missing_says_yes: bool,
    ) -> usize {
        let at = self.modes.len();
        self.modes.push(mode);
        self.columns.push(column as u64);
        self.cuts.push(cut);
        self.yes.push(0);
        self.no.push(0);
        self.missing_says_yes.push(u64::from(missing_says_yes));
        match from {
            Some((before, true)) => self.yes[before] = at as u64,
            Some((before, false)) => self.no[before] = at as u64,
            None => {}
        }
        at
    }

    /// The attributes that both operators have.
    fn attributes(&self) -> Vec<Message> {
        let n = self.modes.len();
        let zeros = vec![0; n];
        let ids: Vec<u64> = (0..n as u64).collect();
        vec![
            ints("nodes_treeids", &zeros),
            ints("nodes_nodeids", &ids),
            ints("nodes_featureids", &self.columns),
            strings("nodes_modes", self.modes.iter().copied()),
            double_tensor("nodes_values_as_tensor", &self.cuts),
            ints("nodes_truenodeids", &self.yes),
            ints("nodes_falsenodeids", &self.no),
            ints("nodes_missing_value_tracks_true", &self.missing_says_yes),
            string("post_transform", "NONE"),
        ]
    }

    /// The weights that the leaves give to the targets or classes.
    fn weights(&self, what: &str, n: usize, weights: impl Fn(NodeId) -> Vec<f64>) -> Vec<Message> {
        let name = |field: &str| format!("{what}_{field}");
        let zeros = vec![0; self.leaves.len() * n];
        let at_leaves = self.leaves.iter();
        let nodes: Vec<u64> = at_leaves.clone().flat_map(|&(at, _)| vec![at; n]).collect();
        let ids: Vec<u64> = at_leaves.clone().flat_map(|_| 0..n as u64).collect();
        let weights: Vec<f64> = at_leaves.flat_map(|&(_, leaf)| weights(leaf)).collect();
        vec![
            ints(&name("treeids"), &zeros),
            ints(&name("nodeids"), &nodes),
            ints(&name("ids"), &ids),
            double_tensor(&name("weights_as_tensor"), &weights),
        ]
    }

    fn regressor(
        &self,
        input: &str,
        output: &str,
        n_targets: usize,
        values: impl Fn(NodeId) -> Vec<f64>,
    ) -> Message {
        let mut attributes = self.attributes();
        attributes.push(int("n_targets", n_targets as u64));
        attributes.extend(self.weights("target", n_targets, values));
        node(
            "TreeEnsembleRegressor",
            ML,
            &[input],
            &[output],
            &attributes,
        )
    }

    /// The label of the leaf, whatever its probabilities: costs and ties are settled already.
    fn classifier(&self, input: &str, tree: &Tree) -> Message {
        let classes = tree.schema().classes();
        let mut attributes = self.attributes();
        attributes.push(strings(
            "classlabels_strings",
            classes.iter().map(String::as_str),
        ));
        attributes.extend(self.weights("class", classes.len(), |leaf| {
            let mut weights = vec![0.0; classes.len()];
            weights[tree.value(leaf) as usize] = 1.0;
            weights
        }));
        let outputs = ["label", "chosen"];
        node(
            "TreeEnsembleClassifier",
            ML,
            &[input],
            &outputs,
            &attributes,
        )
    }

    /// The label where there is only one class: the operator for classes wants two.
    fn only_class(&self, input: &str, class: &str) -> [Message; 4] {
        let keys = [
            ints("keys_int64s", &[0]),
            strings("values_strings", [class]),
        ];
        // A plain list like other labels, not a table with one column.
        let reduce = [ints("axes", &[1]), int("keepdims", 0)];
        let index = self.regressor(input, "index", 1, |_| vec![0.0]);
        [
            index,
            node("ReduceMax", "", &["index"], &["index_of_row"], &reduce),
            node(
                "Cast",
                "",
                &["index_of_row"],
                &["class"],
                &[int("to", INT64)],
            ),
            node("LabelEncoder", ML, &["class"], &["label"], &keys),
        ]
    }
}

/// The child that a chain of questions ends with.
fn last_child(branch: &Branch) -> usize {
    match branch.split {
        Split::Intervals { .. } => branch.split.n_present() - 1,
        Split::Categories { .. } => branch.n_children as usize - 1,
    }
}

/// The questions of a branch, one after the other: the first yes decides, and no to all of them leads to
/// the last child. Each comes with what a missing value answers, and the child.
fn branch_questions(tree: &Tree, branch: &Branch) -> Vec<((&'static str, f64), bool, usize)> {
    let last = last_child(branch);
    match &branch.split {
        Split::Intervals { cuts, closed, .. } => {
            let mode = match closed {
                Closed::Right => "BRANCH_LEQ",
                Closed::Left => "BRANCH_LT",
            };
            let missing = missing_position(tree, branch);
            let mut questions = Vec::with_capacity(cuts.len() + 1);
            if missing > last {
                // No number is above the largest one: only missing values say yes.
                questions.push((("BRANCH_GT", f64::MAX), true, missing));
            }
            let cuts = cuts.iter().enumerate();
            questions.extend(cuts.map(|(at, &cut)| ((mode, cut), at == missing, at)));
            questions
        }
        Split::Categories { .. } => {
            // The column holds the position of the child, also that of missing values. Not by BRANCH_EQ:
            // in a test, onnxruntime 1.31 gave numbers of the wrong leaf after questions of that kind.
            (0..last)
                .map(|child| (("BRANCH_LEQ", child as f64 + 0.5), false, child))
                .collect()
        }
    }
}

// The messages of the format

fn node(
    kind: &str,
    domain: &str,
    inputs: &[&str],
    outputs: &[&str],
    attributes: &[Message],
) -> Message {
    let mut message = Message::new();
    for input in inputs {
        message = message.text(1, input);
    }
    for output in outputs {
        message = message.text(2, output);
    }
    message
        .text(3, outputs[0])
        .text(4, kind)
        .messages(5, attributes)
        .text(7, domain)
}

fn int(name: &str, value: u64) -> Message {
    Message::new().text(1, name).number(3, value).number(20, 2)
}

fn ints(name: &str, values: &[u64]) -> Message {
    Message::new()
        .text(1, name)
        .numbers(8, values)
        .number(20, 7)
}

fn string(name: &str, value: &str) -> Message {
    Message::new().text(1, name).text(4, value).number(20, 3)
}

fn strings<'a>(name: &str, values: impl IntoIterator<Item = &'a str>) -> Message {
    let message = Message::new().text(1, name);
    let message = values
        .into_iter()
        .fold(message, |message, value| message.text(9, value));
    message.number(20, 8)
}

fn double_tensor(name: &str, values: &[f64]) -> Message {
    let tensor = tensor(name, DOUBLE, &[values.len() as u64], &doubles(values));
    Message::new()
        .text(1, name)
        .message(5, &tensor)
        .number(20, 4)
}

fn tensor(name: &str, kind: u64, size: &[u64], raw: &[u8]) -> Message {
    Message::new()
        .numbers(1, size)
        .number(2, kind)
        .text(8, name)
        .bytes(9, raw)
}

fn doubles(values: &[f64]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

/// The name and type of an input or output with a row for each row; `width` columns or a plain list.
fn value_info(name: &str, kind: u64, width: Option<u64>) -> Message {
    let rows = Message::new().text(2, "N");
    let mut shape = Message::new().message(1, &rows);
    if let Some(width) = width {
        shape = shape.message(1, &Message::new().number(1, width));
    }
    let tensor = Message::new().number(1, kind).message(2, &shape);
    let kind = Message::new().message(1, &tensor);
    Message::new().text(1, name).message(2, &kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::samples;

    #[test]
    fn every_question_has_two_answers() {
        let tree = samples::every_kind();
        let columns = Columns::new(&tree);
        let questions = Questions::new(&tree, &columns);
        let n_leaves = tree.n_leaves();
        assert_eq!(questions.leaves.len(), n_leaves);
        assert_eq!(questions.modes.len(), 2 * n_leaves - 1);
        for (at, mode) in questions.modes.iter().enumerate() {
            if *mode != "LEAF" {
                assert!(questions.yes[at] > at as u64 && questions.no[at] > at as u64);
            }
        }
    }

    #[test]
    fn what_cannot_be_said_is_noted() {
        assert!(onnx(&samples::numbers()).notes.is_empty());
        let model = onnx(&samples::iris());
        assert_eq!(model.notes.len(), 1);
        let note = model.notes[0].as_bytes();
        assert!(model.bytes.windows(note.len()).any(|window| window == note));
    }

    #[test]
    fn questions_about_the_same_categories_share_a_column() {
        let columns = Columns::new(&samples::every_kind());
        let mut of = columns.of.clone();
        of.sort_unstable();
        of.dedup();
        assert_eq!(of, [0, 2, 3, 4]);
    }
}
