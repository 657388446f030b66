//! How the findings change what is read.

use super::{ColumnCheck, Finding, TableCheck, Token, Wanted};
use crate::data::{DateFormat, MissingTarget, ReadOptions, Role};
use crate::error::{Error, Result, no_column, quoted, quoted_list};

/// Something that is read differently because of a finding.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A column is left out.
    LeftOut {
        /// Its name.
        column: String,
        /// Why.
        finding: Finding,
    },
    /// A column of dates becomes numbers.
    Date {
        /// Its name.
        column: String,
        /// The format of its dates.
        format: DateFormat,
        /// Could day and month be the other way round?
        is_ambiguous: bool,
    },
    /// Words among numbers are taken for missing.
    Missing {
        /// The name of the column.
        column: String,
        /// What the others are.
        wanted: Wanted,
        /// The words.
        tokens: Vec<Token>,
    },
    /// Rows without a target are left out.
    SkippedRows {
        /// How many.
        rows: usize,
    },
}

impl Change {
    /// The column that it is about.
    pub fn column(&self) -> Option<&str> {
        match self {
            Self::LeftOut { column, .. }
            | Self::Date { column, .. }
            | Self::Missing { column, .. } => Some(column),
            Self::SkippedRows { .. } => None,
        }
    }
}

impl TableCheck {
    /// The options to read the table with, and what they change. Columns that are kept, or were asked for by name, are
    /// read as without the check.
    pub fn prepare(
        &self,
        options: &ReadOptions,
        keep: &[String],
    ) -> Result<(ReadOptions, Vec<Change>)> {
        for name in keep {
            self.check_kept(name, options)?;
        }
        let mut prepared = options.clone();
        let mut changes = Vec::new();
        if self.rows.without_target > 0 {
            prepared.reading.missing_target = MissingTarget::Skip;
            let rows = self.rows.without_target;
            changes.push(Change::SkippedRows { rows });
        }
        let asked = [&options.categorical, &options.numeric, keep];
        let features = self.columns.iter().filter(|it| it.role == Role::Feature);
        for column in features {
            let is_named = |names: &[String]| names.contains(&column.name);
            let is_date = options.dates.iter().any(|(name, _)| *name == column.name);
            let is_asked = options.features.as_deref().is_some_and(is_named);
            if !asked.iter().any(|names| is_named(names)) && !is_date {
                changes.extend(change(column, is_asked, &mut prepared));
            }
        }
        let is_left_out = |name: &String| prepared.drop.contains(name);
        let mut features = self.columns.iter().filter(|it| it.role == Role::Feature);
        if !self.columns.is_empty() && features.all(|column| is_left_out(&column.name)) {
            let names = changes.iter().filter_map(|change| match change {
                Change::LeftOut { column, .. } => Some(column.as_str()),
                _ => None,
            });
            let names: Vec<&str> = names.collect();
            if let Some(first) = names.first() {
                return Err(Error::schema(format!(
                    "the check leaves out all columns, as ids: {}; --keep {first} brings one back",
                    quoted_list(names.iter().copied())
                )));
            }
        }
        Ok((prepared, changes))
    }

    /// Refuses to keep what is not a feature.
    fn check_kept(&self, name: &String, options: &ReadOptions) -> Result<()> {
        let column = self.columns.iter().find(|column| column.name == *name);
        let is_listed = |names: &[String]| names.contains(name);
        let why = match column.map(|column| column.role) {
            Some(Role::Feature) => return Ok(()),
            Some(Role::Target) => "is the target",
            Some(Role::Weight) => "is the weight",
            _ if is_listed(&options.drop) => "is also in drop",
            _ if is_listed(&self.unused) => "is not among the features",
            _ => {
                let known = self.columns.iter().map(|column| column.name.as_str());
                return Err(no_column("keep", name, known));
            }
        };
        let name = quoted(name);
        Err(Error::schema(format!("keep: column {name} {why}")))
    }
}

/// What is done about a column.
fn change(column: &ColumnCheck, is_asked: bool, options: &mut ReadOptions) -> Option<Change> {
    let name = &column.name;
    if let Some(finding) = column.findings.iter().find(|it| it.leaves_out()) {
        if is_asked {
            return None;
        }
        options.drop.push(name.clone());
        return Some(Change::LeftOut {
            column: name.clone(),
            finding: finding.clone(),
        });
    }
    column.findings.iter().find_map(|finding| match finding {
        Finding::Date {
            format,
            is_ambiguous,
        } => {
            options.dates.push((name.clone(), Some(format.order)));
            Some(Change::Date {
                column: name.clone(),
                format: *format,
                is_ambiguous: *is_ambiguous,
            })
        }
        Finding::Nearly { wanted, tokens } if tokens.iter().all(|it| it.means_missing) => {
            let texts = tokens.iter().map(|token| token.text.clone());
            options.reading.na.extend(texts);
            match wanted {
                // In a file with types this may be a column of texts.
                Wanted::Numbers => options.numeric.push(name.clone()),
                Wanted::Dates(format) => options.dates.push((name.clone(), Some(format.order))),
            }
            Some(Change::Missing {
                column: name.clone(),
                wanted: *wanted,
                tokens: tokens.clone(),
            })
        }
        _ => None,
    })
}
