//! The data check: what in a table would spoil a tree, and what to do about it.
//!
//! Real tables have numbers of customers, dates, a word among numbers, a copy of the target. [`check`] looks at the
//! columns one by one, each in a pass or two, and at the rows once. It keeps one number for each row, and while it
//! looks at a column a copy of it. What it finds are facts, as [`Finding`]s; `export::words` makes sentences of them.
//!
//! Most findings are advice. Two kinds of columns are so harmful that [`TableCheck::prepare`] changes how they are
//! read: ids are left out, dates become numbers. What is called an id must therefore hardly ever be anything else.
//!
//! | file | idea |
//! |---|---|
//! | `finding` | what can be found, how bad it is, what it is called |
//! | `cells` | a column as it is looked at; its distinct values |
//! | `texts` | columns of texts: ids, dates, numbers with words among them, rare categories |
//! | `texts/formatted` | numbers that are written for people |
//! | `texts/alike` | categories that differ only in case or in blanks |
//! | `numbers` | columns of numbers: ids and columns that follow the rows |
//! | `target` | the target: missing, few or rare classes, rows in its order |
//! | `leaks` | columns that give the target away |
//! | `repeats` | columns and rows that are there twice |
//! | `prepare` | how the findings change what is read |

use rayon::prelude::*;

use self::cells::{Cells, Codes};
use self::target::Truth;
use crate::data::{Dataset, Number, ReadOptions, Role, Source, Task, not_a_number};
use crate::error::{Error, Place, Result, quoted};

mod cells;
mod finding;
mod leaks;
mod numbers;
mod prepare;
mod repeats;
mod target;
mod texts;

pub use finding::{Finding, IdSign, Severity, Token, Wanted};
pub use prepare::Change;

/// Fewer rows than this say nothing about a column.
const FEW_ROWS: usize = 20;

/// What was found in a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableCheck {
    /// The columns, in the order of the table, without those that are not used.
    pub columns: Vec<ColumnCheck>,
    /// Figures of the rows.
    pub rows: RowCounts,
    /// Findings about the table as a whole.
    pub findings: Vec<Finding>,
    /// The texts that mean "missing".
    pub na: Vec<String>,
    /// The columns that are not used.
    pub unused: Vec<String>,
}

/// What was found in a column.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnCheck {
    /// Column name.
    pub name: String,
    /// What it is used for.
    pub role: Role,
    /// What it holds.
    pub kind: ColumnKind,
    /// Number of distinct values.
    pub distinct: usize,
    /// Number of missing cells.
    pub missing: usize,
    /// Its findings.
    pub findings: Vec<Finding>,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Numbers.
    Numeric,
    /// Texts.
    Categorical,
    /// Dates without a time.
    Date,
    /// Dates with a time.
    DateTime,
    /// Nothing.
    Empty,
}

impl ColumnKind {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Numeric => "numeric",
            Self::Categorical => "categorical",
            Self::Date => "date",
            Self::DateTime => "date-time",
            Self::Empty => "empty",
        }
    }
}

/// Figures of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowCounts {
    /// All rows.
    pub rows: usize,
    /// Rows without a target.
    pub without_target: usize,
    /// Rows that are equal to an earlier one in all columns but ids.
    pub duplicates: usize,
}

/// A column that is looked at.
struct Column<'a> {
    name: &'a str,
    role: Role,
    cells: Cells<'a>,
}

/// Looks at a table as it would be read to learn from.
pub fn check(source: &dyn Source, options: &ReadOptions) -> Result<TableCheck> {
    let names = source.names();
    let roles = options.roles(names)?;
    let raw = source.read(&options.wanted(names, &roles), &options.reading.na)?;
    let columns = names.iter().zip(roles).zip(&raw);
    let columns: Vec<Column<'_>> = columns
        .filter_map(|((name, role), raw)| {
            let cells = Cells::of(raw)?;
            Some(Column { name, role, cells })
        })
        .collect();
    let mut found = look_at(&columns, options.task, &options.reading.na);
    let is_used = |name: &&String| columns.iter().any(|column| column.name == *name);
    found.unused = names
        .iter()
        .filter(|name| !is_used(name))
        .cloned()
        .collect();
    let place = |row| source.place(row);
    refuse_infinite(&columns, &found, &options.categorical, place)?;
    Ok(found)
}

/// Looks at columns from memory, one of which may be the target.
pub fn check_columns(data: &Dataset, target: Option<&str>, task: Task) -> Result<TableCheck> {
    let schema = data.schema();
    let features = schema.features.iter().zip(data.columns());
    let columns: Vec<Column<'_>> = features
        .map(|(feature, column)| Column {
            name: &feature.name,
            role: match target {
                Some(name) if name == feature.name => Role::Target,
                _ => Role::Feature,
            },
            cells: Cells::of_column(column, feature.categories()),
        })
        .collect();
    if let Some(name) = target
        && !columns.iter().any(|column| column.role == Role::Target)
    {
        let name = quoted(name);
        return Err(Error::schema(format!("target: there is no column {name}")));
    }
    let found = look_at(&columns, task, &schema.reading.na);
    let place = |row: usize| Place {
        row: Some(row as u64 + 1),
        ..Place::default()
    };
    refuse_infinite(&columns, &found, &[], place)?;
    Ok(found)
}

/// Numbers that are infinite are refused in columns of numbers, and so they are where other texts are among these.
fn refuse_infinite(
    columns: &[Column<'_>],
    found: &TableCheck,
    categorical: &[String],
    place: impl Fn(usize) -> Place,
) -> Result<()> {
    for (column, check) in columns.iter().zip(&found.columns) {
        let is_numeric = |finding: &Finding| {
            let wanted = Wanted::Numbers;
            matches!(finding, Finding::Nearly { wanted: it, .. } if *it == wanted)
                || matches!(finding, Finding::FormattedNumbers { .. })
        };
        let Cells::Texts { codes, distinct } = column.cells else {
            continue;
        };
        if !check.findings.iter().any(is_numeric) || categorical.contains(&check.name) {
            continue;
        }
        let is_infinite = |text: &String| Number::parse(text) == Number::Infinite;
        let is_infinite: Vec<bool> = distinct.iter().map(is_infinite).collect();
        let has_one = |&code: &u32| is_infinite.get(code as usize).is_some_and(|&it| it);
        if let Some(row) = codes.iter().position(has_one) {
            let text = &distinct[codes[row] as usize];
            return Err(not_a_number(place(row), &check.name, text));
        }
    }
    Ok(())
}

/// All of the check.
fn look_at(columns: &[Column<'_>], task: Task, na: &[String]) -> TableCheck {
    let n_rows = columns.first().map_or(0, |column| column.cells.n_rows());
    let target = columns.iter().find(|column| column.role == Role::Target);
    let truth = target.map(|target| Truth::of(&target.cells, task));
    let truth = truth.as_ref();
    let is_sorted = truth.is_some_and(Truth::is_in_order);
    let n_features = (columns.iter())
        .filter(|column| column.role == Role::Feature)
        .count();
    let known = Known {
        truth,
        is_sorted,
        n_features,
    };
    let looked: Vec<(ColumnCheck, Option<u64>)> = columns
        .par_iter()
        .map(|column| look_at_column(column, &known))
        .collect();
    let (mut checks, signatures): (Vec<ColumnCheck>, Vec<Option<u64>>) = looked.into_iter().unzip();
    repeats::note_columns(columns, &signatures, &mut checks);
    texts::note_tokens_elsewhere(columns, &mut checks);
    let is_used = |check: &ColumnCheck| !check.findings.iter().any(Finding::leaves_out);
    let is_left = |check: &ColumnCheck| check.role == Role::Feature && is_used(check);
    let has_features = checks.iter().any(is_left);
    // Without features all rows of a class are equal.
    let used = columns
        .iter()
        .zip(&checks)
        .filter(|(_, check)| has_features && is_used(check) && check.role != Role::Weight);
    let used: Vec<&Cells<'_>> = used.map(|(column, _)| &column.cells).collect();
    let rows = RowCounts {
        rows: n_rows,
        without_target: truth.map_or(0, Truth::n_missing),
        duplicates: repeats::count_rows(&used, n_rows),
    };
    let mut findings = Vec::new();
    if rows.duplicates > 0 {
        let (rows, of) = (rows.duplicates, n_rows);
        findings.push(Finding::DuplicateRows { rows, of });
    }
    if is_sorted {
        findings.push(Finding::SortedRows);
    }
    if !has_features {
        findings.push(Finding::NoFeatures);
    }
    TableCheck {
        columns: checks,
        rows,
        findings,
        na: na.to_vec(),
        unused: Vec::new(),
    }
}

/// What is known when a column is looked at.
struct Known<'a> {
    truth: Option<&'a Truth<'a>>,
    /// Are the rows in the order of the target?
    is_sorted: bool,
    n_features: usize,
}

/// The check of a column, and for features a number that equal columns share.
fn look_at_column(column: &Column<'_>, known: &Known<'_>) -> (ColumnCheck, Option<u64>) {
    let cells = &column.cells;
    let few = Codes::of(cells);
    let missing = cells.n_missing();
    let distinct = few.as_ref().map_or_else(|| cells.n_distinct(), |it| it.n);
    let mut check = ColumnCheck {
        name: column.name.to_owned(),
        role: column.role,
        kind: cells.kind(),
        distinct,
        missing,
        findings: Vec::new(),
    };
    let n_rows = cells.n_rows();
    if missing == n_rows && n_rows > 0 {
        check.kind = ColumnKind::Empty;
    }
    match column.role {
        Role::Target => {
            let truth = known.truth.expect("there is a target");
            check.findings = target::findings(truth, &check);
            return (check, None);
        }
        Role::Weight | Role::Unused => return (check, None),
        Role::Feature => {}
    }
    if check.kind == ColumnKind::Empty {
        check.findings.push(Finding::EmptyColumn);
        return (check, None);
    }
    if distinct == 1 {
        // Where cells are missing, whether they are may tell something.
        if missing == 0 {
            check.findings.push(Finding::Constant);
        }
        return (check, None);
    }
    match *cells {
        Cells::Numbers(numbers) => {
            numbers::look_at(column.name, numbers, known.is_sorted, &mut check);
        }
        Cells::Texts { codes, distinct } => texts::look_at(codes, distinct, &mut check),
    }
    let is_id = check.findings.iter().any(Finding::leaves_out);
    if !is_id && let Some(truth) = known.truth {
        let found = leaks::of(cells, few.as_ref(), truth, known.n_features);
        check.findings.extend(found);
    }
    let signature = (!is_id).then(|| repeats::signature(cells, few.as_ref()));
    (check, signature)
}

impl TableCheck {
    /// The column to be predicted.
    pub fn target(&self) -> Option<&ColumnCheck> {
        let mut columns = self.columns.iter();
        columns.find(|column| column.role == Role::Target)
    }

    /// All findings with the columns that they are about, first those about the table as a whole.
    pub fn all(&self) -> impl Iterator<Item = (Option<&ColumnCheck>, &Finding)> {
        let of_columns = self.columns.iter().flat_map(|column| {
            let findings = column.findings.iter();
            findings.map(move |finding| (Some(column), finding))
        });
        let of_table = self.findings.iter().map(|finding| (None, finding));
        of_table.chain(of_columns)
    }

    /// How many findings are that bad.
    pub fn count(&self, severity: Severity) -> usize {
        let found = self.all();
        found.filter(|(_, it)| it.severity() == severity).count()
    }
}

#[cfg(test)]
mod tests;
