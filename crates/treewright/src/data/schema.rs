//! Names and kinds: what a table must look like for a tree to make sense of it.

use super::DateColumn;
use crate::error::{Error, Result, quoted};

/// The features, the target and the reading rules that a dataset was read with and a tree needs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Schema {
    /// The features, in the order of the columns.
    pub features: Vec<Feature>,
    /// The target column.
    pub target: TargetColumn,
    /// How the cells were read.
    pub reading: Reading,
}

/// One feature: a column that splits may ask about.
#[derive(Debug, Clone, PartialEq)]
pub struct Feature {
    /// Column name.
    pub name: String,
    /// Numbers or categories.
    pub kind: FeatureKind,
}

/// The kind of a feature.
#[derive(Debug, Clone, PartialEq)]
pub enum FeatureKind {
    /// Finite numbers.
    Numeric,
    /// One of these texts; a category's code is its position here.
    Categorical(Vec<String>),
}

/// The target column: its name and what it holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TargetColumn {
    /// Column name.
    pub name: String,
    /// Classes or numbers.
    pub kind: TargetKind,
}

/// What is to be predicted.
#[derive(Debug, Clone, PartialEq)]
pub enum TargetKind {
    /// One of these classes; a class's index is its position here.
    Classes(Vec<String>),
    /// A number.
    Number,
}

impl Default for TargetKind {
    fn default() -> Self {
        Self::Classes(Vec::new())
    }
}

/// What is done with rows whose target is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingTarget {
    /// They are an error.
    #[default]
    Refuse,
    /// They are left out.
    Skip,
}

/// How cells become values.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Texts that mean "missing", besides the empty cell.
    pub na: Vec<String>,
    /// The column of row weights.
    pub weight: Option<String>,
    /// Columns of dates, which are read as numbers.
    pub dates: Vec<DateColumn>,
    /// What is done with rows whose target is missing.
    pub missing_target: MissingTarget,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            na: ["?", "NA", "NaN", "null"].map(str::to_owned).to_vec(),
            weight: None,
            dates: Vec::new(),
            missing_target: MissingTarget::Refuse,
        }
    }
}

impl Reading {
    /// The column of dates of this name.
    pub fn date_column(&self, name: &str) -> Option<&DateColumn> {
        self.dates.iter().find(|column| column.name == name)
    }
}

impl Schema {
    /// The class labels; empty for regression.
    pub fn classes(&self) -> &[String] {
        match &self.target.kind {
            TargetKind::Classes(classes) => classes,
            TargetKind::Number => &[],
        }
    }

    /// Is the target a class?
    pub fn is_classification(&self) -> bool {
        matches!(self.target.kind, TargetKind::Classes(_))
    }

    /// Refuses names that are empty or used twice, and categories or classes that repeat.
    pub fn check(&self) -> Result<()> {
        let names = self.features.iter().map(|feature| feature.name.as_str());
        distinct("column name", names.chain([self.target.name.as_str()]))?;
        for feature in &self.features {
            if let FeatureKind::Categorical(categories) = &feature.kind {
                let what = format!("category of {}", quoted(&feature.name));
                distinct(&what, categories.iter().map(String::as_str))?;
            }
        }
        match &self.target.kind {
            TargetKind::Classes(classes) if classes.is_empty() => {
                Err(Error::schema("the target has no classes"))
            }
            TargetKind::Classes(classes) => distinct("class", classes.iter().map(String::as_str)),
            TargetKind::Number => Ok(()),
        }
    }
}

impl Feature {
    /// The category texts; empty for a numeric feature.
    pub fn categories(&self) -> &[String] {
        match &self.kind {
            FeatureKind::Numeric => &[],
            FeatureKind::Categorical(categories) => categories,
        }
    }
}

/// Refuses an empty or repeated name.
fn distinct<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut seen = rustc_hash::FxHashSet::default();
    for (position, name) in names.enumerate() {
        if name.is_empty() {
            return Err(Error::schema(format!("{what} {} is empty", position + 1)));
        }
        if !seen.insert(name) {
            return Err(Error::schema(format!(
                "{what} {} occurs twice",
                quoted(name)
            )));
        }
    }
    Ok(())
}
