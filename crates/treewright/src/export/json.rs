//! The files of trees and of families: the only formats that are read back.
//!
//! The structs here exist only for the formats, so that renaming a field elsewhere cannot change a
//! file. Reading is strict: unknown fields, numbers out of range and broken structure are refused, and
//! nothing is allocated that the file itself does not pay for. `docs/formats.md` describes the formats.
//!
//! | file | part |
//! |---|---|
//! | `model` | one tree with its circumstances |
//! | `family` | the best trees for every weight of a penalty |
//! | `costs` | anybody's tree: children and costs of its nodes; only read |
//! | `bare` | a tree with the names of its features, in a list of trees; not read back |
//! | `problem` | what a search was about, in its result; not read back |
//! | `check` | what was found in a table; not read back |
//! | `quality` | how good answers are; not read back |
//! | `choice` | how the tree of a report was chosen; not read back |
//! | `report` | trees and figures side by side, for a page; not read back |
//! | `columns` | features, target and how they were read |
//! | `nodes` | the nodes of a tree |

use std::io;

use serde::Deserialize;
use serde::de::DeserializeOwned;

pub use self::costs::{CostedNodes, read_costs};

use self::bare::BareTree;
use self::check::CheckFile;
use self::family::FamilyFile;
use self::model::ModelFile;
use self::problem::ProblemFile;
use self::quality::ScoreFile;
use self::report::ReportFile;
use crate::check::TableCheck;
use crate::cost::Loss;
use crate::data::Schema;
use crate::error::{Error, Result, printable, quoted};
use crate::eval::{Report, Score};
use crate::tree::{FamilyFit, Fit, LearnerInfo, Tree};

mod bare;
mod check;
mod choice;
mod columns;
mod costs;
mod family;
mod model;
mod nodes;
mod problem;
mod quality;
mod report;

const VERSION: u32 = 1;

/// What a file holds.
#[derive(Debug)]
pub enum Document {
    /// One tree.
    Model(Box<Fit<Tree>>),
    /// A family of trees.
    Family(Box<FamilyFit>),
}

/// Writes a model as one JSON document, without a line end.
pub fn write_model(fit: &Fit<Tree>) -> String {
    serde_json::to_string(&ModelFile::of(fit)).expect("a model has only finite numbers")
}

/// Writes a tree as one JSON object on one line, without a line end: the names of the features that it
/// splits on, and its nodes, whose splits number the features in this list.
pub fn write_bare_tree(tree: &Tree) -> String {
    serde_json::to_string(&BareTree::of(tree)).expect("a tree has only finite numbers")
}

/// The table as it was read, and the learner, as in a model file: what a search over subsets of the features was about.
pub fn problem(schema: &Schema, loss: &Loss, learner: &LearnerInfo) -> serde_json::Value {
    serde_json::to_value(ProblemFile::of(schema, loss, learner)).expect("names are texts")
}

/// What was found in a table, as one JSON document.
pub fn check(check: &TableCheck) -> serde_json::Value {
    serde_json::to_value(CheckFile::of(check)).expect("names are texts")
}

/// The score of a tree, as one JSON document. Curves of very many points are thinned.
pub fn score(score: &Score) -> serde_json::Value {
    serde_json::to_value(ScoreFile::of(score)).expect("figures are finite numbers")
}

/// Writes a report as one JSON document, without a line end.
pub fn write_report(report: &Report) -> String {
    serde_json::to_string(&ReportFile::of(report)).expect("a report has only finite numbers")
}

/// Reads a model, checking all of it.
pub fn read_model(text: &str) -> Result<Fit<Tree>> {
    match format(text)? {
        Format::Tree => parse::<ModelFile>(text)?.into_fit(),
        Format::Family => Err(Error::model(format!(
            "format is \"{}\", expected \"{}\": this is a family of trees; `treewright prune FAMILY` \
             with --lambda X, --leaves K or --select 1se takes one out",
            Format::Family.name(),
            Format::Tree.name()
        ))),
    }
}

/// Writes a family as one JSON document, without a line end. The whole text stays in memory, see
/// [`write_family_to`].
pub fn write_family(fit: &FamilyFit) -> String {
    serde_json::to_string(&FamilyFile::of(fit)).expect("a family has only finite numbers")
}

/// Writes a family as one JSON document, without a line end, making the trees of its members one after
/// the other. [`check_family_size`] tells beforehand whether the document will be of a sensible size.
pub fn write_family_to(fit: &FamilyFit, out: impl io::Write) -> io::Result<()> {
    Ok(serde_json::to_writer(out, &FamilyFile::of(fit))?)
}

/// Refuses a family that is too large for one document: where members are not nested each brings its own
/// tree, and together these may have many times the nodes of the largest.
pub fn check_family_size(fit: &FamilyFit) -> Result<()> {
    family::check_size(&fit.family)
}

/// Reads a family, checking all of it.
pub fn read_family(text: &str) -> Result<FamilyFit> {
    match format(text)? {
        Format::Family => parse::<FamilyFile>(text)?.into_fit(),
        Format::Tree => Err(Error::model(format!(
            "format is \"{}\", expected \"{}\": this is a single tree",
            Format::Tree.name(),
            Format::Family.name()
        ))),
    }
}

/// Reads a model or a family, whichever the text holds.
pub fn read(text: &str) -> Result<Document> {
    Ok(match format(text)? {
        Format::Tree => Document::Model(Box::new(read_model(text)?)),
        Format::Family => Document::Family(Box::new(read_family(text)?)),
    })
}

#[derive(Clone, Copy)]
enum Format {
    Tree,
    Family,
}

impl Format {
    fn name(self) -> &'static str {
        match self {
            Self::Tree => "treewright.tree",
            Self::Family => "treewright.family",
        }
    }
}

/// What must be right before the rest is looked at.
#[derive(Deserialize)]
struct Head {
    format: Option<String>,
    version: Option<u64>,
}

/// The format of a file, in a version that can be read.
fn format(text: &str) -> Result<Format> {
    // A list of values in the right order would do for the parser, but it is not the format.
    if !text.trim_start().starts_with('{') {
        return Err(Error::model("expected a JSON object"));
    }
    let head: Head = parse(text)?;
    let expected = Format::Tree.name();
    let format = match head.format.as_deref() {
        Some(name) if name == Format::Tree.name() => Format::Tree,
        Some(name) if name == Format::Family.name() => Format::Family,
        Some(other) => {
            let other = quoted(other);
            return Err(Error::model(format!(
                "format is {other}, expected \"{expected}\""
            )));
        }
        None => {
            return Err(Error::model(format!(
                "no \"format\", expected \"{expected}\""
            )));
        }
    };
    if head.version == Some(u64::from(VERSION)) {
        return Ok(format);
    }
    let version = head
        .version
        .map_or("none".into(), |version| version.to_string());
    Err(Error::model(format!(
        "version is {version}, this program reads {VERSION}"
    )))
}

/// Parses JSON. The parser's messages may quote names of any length and with any characters.
fn parse<T: DeserializeOwned>(text: &str) -> Result<T> {
    const LONGEST: usize = 240;
    serde_json::from_str(text).map_err(|error| {
        let message = printable(&error.to_string());
        let n_chars = message.chars().count();
        if n_chars <= LONGEST {
            return Error::model(message);
        }
        // The end says where.
        let head: String = message.chars().take(LONGEST - 60).collect();
        let tail: String = message.chars().skip(n_chars - 60).collect();
        Error::model(format!("{head}...{tail}"))
    })
}

#[cfg(test)]
mod tests;
