//! The tree as a PMML 4.4 `TreeModel`.
//!
//! The predicates of a node's children are complete by themselves, so that exactly one of them holds,
//! whatever the order in which they are tried; the child that takes missing values comes first and asks
//! for them. A new category counts as missing (`invalidValueTreatment="asMissing"`); one that only the
//! node has not seen is listed where it goes.
//!
//! Where a missing value is shared among children, PMML has `weightedConfidence`: the same mixture, by
//! record counts. It knows classes but no costs and no numbers, and nothing about categories that a node
//! has not seen. So in regression, and with a cost matrix, a shared row goes to the heaviest child instead,
//! and so does, in every tree, a category that a sharing node has not seen; [`Pmml::notes`] and the
//! document's header say where. Two classes that are tied up to rounding may be decided differently.

use std::fmt::Write;

use super::xml::{escaped, is_allowed};
use crate::cost::Loss;
use crate::data::{Feature, FeatureKind};
use crate::error::{Error, Result, quoted};
use crate::export::code::plan::{Goes, codes_by_child, features_asked, heaviest, missing_goes};
use crate::export::show::condition::number;
use crate::tree::{Branch, NodeId, Split, Tree};

/// A PMML document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pmml {
    /// The document.
    pub text: String,
    /// Where the document may answer differently from the tree, a sentence each.
    pub notes: Vec<String>,
}

/// Levels that are shown by indenting.
const MOST_INDENTED: usize = 40;

/// The tree as a PMML document.
pub fn pmml(tree: &Tree) -> Result<Pmml> {
    check(tree)?;
    let writer = Writer {
        tree,
        mixes: tree.schema().is_classification() && !matches!(tree.loss(), Loss::Matrix(_)),
        distributions: tree.distributions(),
    };
    let notes = writer.notes();
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <PMML xmlns=\"http://www.dmg.org/PMML-4_4\" version=\"4.4\">\n",
    );
    let mut description = vec!["A decision tree, written by treewright.".to_owned()];
    description.extend(notes.iter().cloned());
    let _ = writeln!(
        text,
        "  <Header description=\"{}\">\n    <Application name=\"treewright\" version=\"{}\"/>\n  </Header>",
        escaped(&description.join(" ")),
        env!("CARGO_PKG_VERSION")
    );
    writer.write_dictionary(&mut text);
    writer.write_model(&mut text);
    text.push_str("</PMML>\n");
    Ok(Pmml { text, notes })
}

/// Refuses texts that no XML document can hold.
fn check(tree: &Tree) -> Result<()> {
    let schema = tree.schema();
    let features = schema.features.iter();
    let names = features.clone().map(|feature| &feature.name);
    let categories = features.flat_map(Feature::categories);
    let mut texts = names
        .chain(categories)
        .chain(schema.classes())
        .chain([&schema.target.name]);
    match texts.find(|text| !text.chars().all(is_allowed)) {
        None => Ok(()),
        Some(text) => Err(Error::schema(format!(
            "PMML cannot hold {}, which has a control character",
            quoted(text)
        ))),
    }
}

struct Writer<'a> {
    tree: &'a Tree,
    /// Can PMML mix leaves as this tree does?
    mixes: bool,
    distributions: Vec<f64>,
}

impl Writer<'_> {
    /// Does a missing value go to all children, in the tree and in the document?
    fn is_mixed(&self, branch: &Branch) -> bool {
        // Without rows the shares are equal, which record counts cannot say.
        let has_rows = branch.children().any(|child| self.tree.weight(child) > 0.0);
        self.mixes && has_rows && missing_goes(self.tree, branch) == Goes::Shared
    }

    /// The child for missing values, where they go to one.
    fn missing_child(&self, branch: &Branch) -> Option<usize> {
        match missing_goes(self.tree, branch) {
            Goes::To(position) => Some(position),
            Goes::Shared if self.is_mixed(branch) => None,
            Goes::Shared => Some(heaviest(self.tree, branch)),
        }
    }

    /// The child for categories that the node has not seen.
    fn unseen_child(&self, branch: &Branch) -> usize {
        self.missing_child(branch)
            .unwrap_or_else(|| heaviest(self.tree, branch))
    }

    fn notes(&self) -> Vec<String> {
        let (mut simplified, mut unseen, mut all) = (0, 0, 0);
        for branch in self.tree.ids().filter_map(|id| self.tree.branch(id)) {
            all += 1;
            if missing_goes(self.tree, branch) == Goes::Shared {
                if !self.is_mixed(branch) {
                    simplified += 1;
                } else if !unseen_codes(branch).is_empty() {
                    unseen += 1;
                }
            }
        }
        let mut notes = Vec::new();
        if simplified > 0 {
            notes.push(format!(
                "PMML cannot share a row of this tree among branches: where a value is missing or new, \
                 {simplified} of the {all} questions send the row to the heaviest branch instead."
            ));
        }
        if unseen > 0 {
            notes.push(format!(
                "PMML can share a row among branches only if a value is missing: {unseen} of the {all} \
                 questions send a category that they have not seen to the heaviest branch instead."
            ));
        }
        notes
    }

    fn write_dictionary(&self, text: &mut String) {
        let schema = self.tree.schema();
        let asked = features_asked(self.tree);
        let _ = writeln!(
            text,
            "  <DataDictionary numberOfFields=\"{}\">",
            asked.len() + 1
        );
        for &feature in &asked {
            let feature = &schema.features[feature];
            match &feature.kind {
                FeatureKind::Numeric => write_field(text, &feature.name, None),
                FeatureKind::Categorical(texts) => write_field(text, &feature.name, Some(texts)),
            }
        }
        let classes = schema.is_classification().then(|| schema.classes());
        write_field(text, &schema.target.name, classes);
        text.push_str("  </DataDictionary>\n");
    }

    fn write_model(&self, text: &mut String) {
        let schema = self.tree.schema();
        let function = if schema.is_classification() {
            "classification"
        } else {
            "regression"
        };
        let mut branches = self.tree.ids().filter_map(|id| self.tree.branch(id));
        let strategy = if branches.any(|branch| self.is_mixed(branch)) {
            "weightedConfidence"
        } else {
            "none"
        };
        let _ = writeln!(
            text,
            "  <TreeModel functionName=\"{function}\" missingValueStrategy=\"{strategy}\" \
             noTrueChildStrategy=\"returnNullPrediction\" splitCharacteristic=\"multiSplit\">\n    <MiningSchema>"
        );
        for feature in features_asked(self.tree) {
            let feature = &schema.features[feature];
            let invalid = match feature.kind {
                FeatureKind::Numeric => "",
                FeatureKind::Categorical(_) => " invalidValueTreatment=\"asMissing\"",
            };
            let name = escaped(&feature.name);
            let _ = writeln!(text, "      <MiningField name=\"{name}\"{invalid}/>");
        }
        let target = escaped(&schema.target.name);
        let _ = writeln!(
            text,
            "      <MiningField name=\"{target}\" usageType=\"target\"/>"
        );
        text.push_str("    </MiningSchema>\n");
        self.write_nodes(text);
        text.push_str("  </TreeModel>\n");
    }

    fn write_nodes(&self, text: &mut String) {
        enum Step {
            Open(NodeId, usize, Vec<String>),
            Close(usize),
        }
        let mut steps = vec![Step::Open(NodeId::ROOT, 2, vec!["<True/>".into()])];
        while let Some(step) = steps.pop() {
            let (id, indent, predicate) = match step {
                Step::Open(id, indent, predicate) => (id, indent, predicate),
                Step::Close(indent) => {
                    push_line(text, indent, "</Node>");
                    continue;
                }
            };
            let score = match self.tree.schema().classes() {
                [] => number(self.tree.value(id)),
                classes => escaped(&classes[self.tree.value(id) as usize]),
            };
            let records = number(self.tree.weight(id));
            let node = id.0;
            let line = format!("<Node id=\"{node}\" score=\"{score}\" recordCount=\"{records}\">");
            push_line(text, indent, &line);
            for line in predicate {
                push_line(text, indent + 1, &line);
            }
            self.write_distribution(text, id, indent + 1);
            steps.push(Step::Close(indent));
            if let Some(branch) = self.tree.branch(id) {
                let mut children = Vec::new();
                for position in 0..branch.n_children as usize {
                    let predicate = self.predicate(branch, position);
                    let child = Step::Open(branch.child(position), indent + 1, predicate);
                    // The one that asks for missing values must be asked before the others stumble.
                    if self.missing_child(branch) == Some(position) {
                        children.insert(0, child);
                    } else {
                        children.push(child);
                    }
                }
                steps.extend(children.into_iter().rev());
            }
        }
    }

    fn write_distribution(&self, text: &mut String, id: NodeId, indent: usize) {
        let classes = self.tree.schema().classes();
        let counts = self.tree.counts(id);
        for (class, label) in classes.iter().enumerate() {
            let confidence = self.distributions[id.index() * classes.len() + class];
            let line = format!(
                "<ScoreDistribution value=\"{}\" recordCount=\"{}\" confidence=\"{}\"/>",
                escaped(label),
                number(counts[class]),
                number(confidence)
            );
            push_line(text, indent, &line);
        }
    }

    /// The predicate of a child, line by line.
    fn predicate(&self, branch: &Branch, position: usize) -> Vec<String> {
        let feature = &self.tree.schema().features[branch.split.feature()];
        let field = escaped(&feature.name);
        let simple = |operator: &str, value: &str| {
            format!(
                "<SimplePredicate field=\"{field}\" operator=\"{operator}\" value=\"{value}\"/>"
            )
        };
        let without = |operator: &str| {
            format!("<SimplePredicate field=\"{field}\" operator=\"{operator}\"/>")
        };
        let takes_missing = self.missing_child(branch) == Some(position);
        let mut any: Vec<String> = Vec::new();
        if takes_missing {
            any.push(without("isMissing"));
        }
        match &branch.split {
            Split::Intervals { .. } if branch.missing_only() == Some(position) => {}
            Split::Intervals { .. } => {
                let (lower, upper) = branch.split.bounds(position);
                let mut all = Vec::new();
                if let Some(low) = lower {
                    let operator = if low.included {
                        "greaterOrEqual"
                    } else {
                        "greaterThan"
                    };
                    all.push(simple(operator, &number(low.cut)));
                }
                if let Some(high) = upper {
                    let operator = if high.included {
                        "lessOrEqual"
                    } else {
                        "lessThan"
                    };
                    all.push(simple(operator, &number(high.cut)));
                }
                if all.is_empty() {
                    all.push(without("isNotMissing"));
                }
                if takes_missing && all.len() > 1 {
                    any.extend(compound("and", all));
                } else if takes_missing {
                    any.extend(all);
                } else {
                    return compound("and", all);
                }
            }
            Split::Categories { .. } => {
                let mut codes = match codes_by_child(branch).get(position) {
                    Some(codes) => codes.clone(),
                    None => Vec::new(),
                };
                if self.unseen_child(branch) == position {
                    codes.extend(unseen_codes(branch));
                }
                let categories = feature.categories();
                let text = |code: &u32| simple("equal", &escaped(&categories[*code as usize]));
                any.extend(codes.iter().map(text));
            }
        }
        compound("or", any)
    }
}

/// The categories that a node has not seen.
fn unseen_codes(branch: &Branch) -> Vec<u32> {
    match &branch.split {
        Split::Intervals { .. } => Vec::new(),
        Split::Categories { branches, .. } => (0..branches.len() as u32)
            .filter(|&code| branches[code as usize].is_none())
            .collect(),
    }
}

/// Several predicates in one; a single one stays as it is.
fn compound(operator: &str, predicates: Vec<String>) -> Vec<String> {
    if predicates.len() < 2 {
        return predicates;
    }
    let mut lines = vec![format!(
        "<CompoundPredicate booleanOperator=\"{operator}\">"
    )];
    lines.extend(predicates.into_iter().map(|line| format!("  {line}")));
    lines.push("</CompoundPredicate>".into());
    lines
}

/// A field of the dictionary: numbers, or one of these texts.
fn write_field(text: &mut String, name: &str, values: Option<&[String]>) {
    let name = escaped(name);
    let Some(values) = values else {
        let _ = writeln!(
            text,
            "    <DataField name=\"{name}\" optype=\"continuous\" dataType=\"double\"/>"
        );
        return;
    };
    let _ = writeln!(
        text,
        "    <DataField name=\"{name}\" optype=\"categorical\" dataType=\"string\">"
    );
    for value in values {
        let _ = writeln!(text, "      <Value value=\"{}\"/>", escaped(value));
    }
    text.push_str("    </DataField>\n");
}

fn push_line(text: &mut String, indent: usize, line: &str) {
    text.push_str(&"  ".repeat(indent.min(MOST_INDENTED)));
    text.push_str(line);
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::samples;

    #[test]
    fn intervals_are_complete_by_themselves() {
        let model = pmml(&samples::numbers()).unwrap();
        assert!(model.notes.is_empty());
        let expected = r#"
      <Node id="2" score="3.5" recordCount="2">
        <CompoundPredicate booleanOperator="and">
          <SimplePredicate field="x" operator="greaterOrEqual" value="2"/>
          <SimplePredicate field="x" operator="lessThan" value="1e20"/>
        </CompoundPredicate>
      </Node>
"#;
        assert!(model.text.contains(expected), "{}", model.text);
        assert!(model.text.contains("missingValueStrategy=\"none\""));
    }

    #[test]
    fn mixtures_are_said_where_they_can_be() {
        let model = pmml(&samples::iris()).unwrap();
        assert!(
            model
                .text
                .contains("missingValueStrategy=\"weightedConfidence\"")
        );
        assert!(model.notes.is_empty());
        let model = pmml(&samples::every_kind()).unwrap();
        assert!(model.text.contains("missingValueStrategy=\"none\""));
        assert_eq!(model.notes.len(), 1);
    }

    #[test]
    fn names_cannot_break_out() {
        let error = pmml(&samples::hostile_names()).unwrap_err().to_string();
        assert!(error.contains("control character"), "{error}");
    }
}
