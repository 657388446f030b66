//! Opening files: a path or standard input, plain or gzipped, in any of the table formats.
//!
//! Every error that leaves this module begins with the name of the file.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail, ensure};
use treewright::check::{self, TableCheck};
use treewright::cost::{CostMatrix, Penalty};
use treewright::data::csv::CsvSource;
use treewright::data::{Dataset, Number, Purpose, ReadOptions, Schema, Source, not_a_number};
use treewright::error::{Place, quoted};
use treewright::export::json::{self, Document};
use treewright::{Error, Fit};
use treewright_arrow::{ArrowSource, is_ipc, is_parquet};

pub(crate) use crate::loading::name_of;
use crate::loading::{extension, is_standard, load};

/// A table that was opened, with its name for messages.
pub(crate) struct Table {
    name: String,
    source: Box<dyn Source>,
}

impl Table {
    /// Opens a table: `-` is standard input.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let name = name_of(path);
        let bytes = load(path)?;
        let source = open_source(path, bytes).with_context(|| name.clone())?;
        Ok(Self { name, source })
    }

    /// What in the table would spoil a tree.
    pub(crate) fn check(&self, options: &ReadOptions) -> Result<TableCheck> {
        check::check(&*self.source, options).with_context(|| self.name.clone())
    }

    /// The rows, to learn from.
    pub(crate) fn to_learn(&self, options: &ReadOptions) -> Result<Dataset> {
        Dataset::read(&*self.source, options).with_context(|| self.name.clone())
    }

    /// The rows as a model wants to see them.
    pub(crate) fn for_model(&self, schema: &Arc<Schema>, purpose: Purpose) -> Result<Dataset> {
        Dataset::read_for(&*self.source, schema, purpose).with_context(|| self.name.clone())
    }
}

/// Opens a model together with the table to apply it to.
pub(crate) fn model_and_table(model: &Path, table: &Path) -> Result<(Fit, Table)> {
    only_one_standard(model, table)?;
    Ok((self::model(model)?, Table::open(table)?))
}

/// Standard input can be read only once.
pub(crate) fn only_one_standard(model: &Path, table: &Path) -> Result<()> {
    ensure!(
        !(is_standard(model) && is_standard(table)),
        "MODEL and DATA cannot both be standard input"
    );
    Ok(())
}

/// Reads a model file.
pub(crate) fn model(path: &Path) -> Result<Fit> {
    let text = load_text(path)?;
    json::read_model(&text).with_context(|| name_of(path))
}

/// Reads a model file or a family file.
pub(crate) fn document(path: &Path) -> Result<Document> {
    let text = load_text(path)?;
    json::read(&text).with_context(|| name_of(path))
}

/// Reads the penalties of 1, 2, ... leaves, one a line.
pub(crate) fn penalty_table(path: &Path) -> Result<Penalty> {
    let text = load_text(path)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let values: Vec<&str> = text.trim_end().lines().map(str::trim).collect();
    Penalty::table(&values).with_context(|| name_of(path))
}

/// Reads a table of costs: predicted classes in the first line, true classes in the first column.
pub(crate) fn costs(path: &Path, classes: &[String]) -> Result<CostMatrix> {
    let text = load_text(path)?;
    parse_costs(&text, classes).with_context(|| name_of(path))
}

fn parse_costs(text: &str, classes: &[String]) -> Result<CostMatrix> {
    let mut records = text_records(text, text_delimiter(text.as_bytes()).into())?.into_iter();
    let header = records.next().ok_or_else(|| anyhow!("the file is empty"))?;
    let predicted = &header.cells[1..];
    let mut rows = Vec::new();
    for (row, Record { line, mut cells }) in records.enumerate() {
        let place = Place {
            row: Some(row as u64 + 1),
            line: Some(line),
            column: None,
        };
        if cells.len() != header.cells.len() {
            let message = format!(
                "{} cells, expected {} as in the first line",
                cells.len(),
                header.cells.len()
            );
            return Err(Error::table(place, message).into());
        }
        let class = cells.remove(0);
        let costs = cells
            .iter()
            .zip(predicted)
            .map(|(cell, column)| match Number::parse(cell) {
                Number::Finite(cost) if cost >= 0.0 => Ok(cost),
                Number::Finite(cost) => {
                    let column = Some(column.clone());
                    let place = Place {
                        column,
                        ..place.clone()
                    };
                    Err(Error::table(
                        place,
                        format!("the cost is {cost}, expected at least 0"),
                    ))
                }
                _ => Err(not_a_number(place.clone(), column, cell)),
            })
            .collect::<treewright::Result<Vec<f64>>>()?;
        rows.push((class, costs));
    }
    Ok(CostMatrix::from_named(classes, predicted, &rows)?)
}

/// The text of a file, unpacked.
pub(crate) fn load_text(path: &Path) -> Result<String> {
    let text = String::from_utf8(load(path)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        anyhow!("not UTF-8 text at byte {}", at + 1)
    });
    text.with_context(|| name_of(path))
}

fn open_source(path: &Path, bytes: Vec<u8>) -> treewright::Result<Box<dyn Source>> {
    Ok(match extension(path).0.as_str() {
        "csv" => Box::new(CsvSource::new(bytes, b',')?),
        "tsv" => Box::new(CsvSource::new(bytes, b'\t')?),
        "parquet" => Box::new(ArrowSource::parquet(bytes)?),
        "arrow" | "feather" => Box::new(ArrowSource::ipc(bytes)?),
        _ if is_parquet(&bytes) => Box::new(ArrowSource::parquet(bytes)?),
        _ if is_ipc(&bytes) => Box::new(ArrowSource::ipc(bytes)?),
        _ => {
            let delimiter = text_delimiter(&bytes);
            Box::new(CsvSource::new(bytes, delimiter)?)
        }
    })
}

/// A first line with tabs and without commas is that of a TSV.
fn text_delimiter(bytes: &[u8]) -> u8 {
    let first_line = bytes.split(|&byte| byte == b'\n').next().unwrap_or(bytes);
    if first_line.contains(&b'\t') && !first_line.contains(&b',') {
        b'\t'
    } else {
        b','
    }
}

/// One record of a small text table, with the line it begins on.
#[derive(Debug, PartialEq)]
pub(crate) struct Record {
    pub(crate) line: u64,
    /// Never empty.
    pub(crate) cells: Vec<String>,
}

/// The records of a small text table (a list in an argument, a table of costs), without blank lines.
pub(crate) fn text_records(text: &str, delimiter: char) -> Result<Vec<Record>> {
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut records = Vec::new();
    let mut line = 1;
    let mut record = Record {
        line,
        cells: Vec::new(),
    };
    while !rest.is_empty() || !record.cells.is_empty() {
        let (cell, after) = take_cell(rest, delimiter).with_context(|| format!("line {line}"))?;
        line += cell.matches('\n').count() as u64;
        record.cells.push(cell);
        if let Some(after) = after.strip_prefix(delimiter) {
            rest = after;
            continue;
        }
        rest = after
            .strip_prefix("\r\n")
            .or_else(|| after.strip_prefix('\n'))
            .unwrap_or_default();
        line += 1;
        let next = Record {
            line,
            cells: Vec::new(),
        };
        let record = std::mem::replace(&mut record, next);
        if record.cells != [""] {
            records.push(record);
        }
    }
    Ok(records)
}

/// One cell, and what follows it: a delimiter, a line end or nothing.
fn take_cell(text: &str, delimiter: char) -> Result<(String, &str)> {
    let ends = |rest: &str| {
        rest.is_empty()
            || rest.starts_with(delimiter)
            || rest.starts_with('\n')
            || rest.starts_with("\r\n")
    };
    let Some(mut rest) = text.strip_prefix('"') else {
        let end = text
            .char_indices()
            .map(|(at, _)| at)
            .find(|&at| ends(&text[at..]))
            .unwrap_or(text.len());
        return Ok((text[..end].to_owned(), &text[end..]));
    };
    let mut cell = String::new();
    loop {
        let Some((part, after)) = rest.split_once('"') else {
            bail!("a quote is opened and never closed");
        };
        cell.push_str(part);
        match after.strip_prefix('"') {
            Some(after) => {
                cell.push('"');
                rest = after;
            }
            None if ends(after) => return Ok((cell, after)),
            None => bail!("text after the closing quote of {}", quoted(&cell)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str) -> Vec<Vec<String>> {
        let records = text_records(text, ',').unwrap();
        records.into_iter().map(|record| record.cells).collect()
    }

    #[test]
    fn records_know_quotes_and_line_ends() {
        assert_eq!(
            cells("a,b\r\n\n\"x,\"\"y\",\n"),
            [vec!["a", "b"], vec!["x,\"y", ""]]
        );
        assert_eq!(cells("a,"), [["a", ""]]);
        assert!(cells("").is_empty());
        let records = text_records("a\n\"x\ny\"\nz", ',').unwrap();
        let lines: Vec<u64> = records.iter().map(|record| record.line).collect();
        assert_eq!(lines, [1, 2, 4]);
        assert!(text_records("a,\"b", ',').is_err());
        assert!(text_records("\"a\"b", ',').is_err());
    }

    #[test]
    fn costs_name_the_cell_that_is_wrong() {
        let classes = ["no".to_owned(), "yes".to_owned()];
        let matrix = parse_costs("true,yes,no\nno,1,0\nyes,0,5\n", &classes).unwrap();
        assert_eq!(matrix.cost(1, 0), 5.0);
        let message = |text| format!("{:#}", parse_costs(text, &classes).unwrap_err());
        assert_eq!(
            message(",no,yes\nno,0,x\nyes,1,0\n"),
            "row 1 (line 2), column \"yes\": \"x\" is not a number"
        );
        assert_eq!(
            message(",no,yes\nno,0,1\nyes,-1,0\n"),
            "row 2 (line 3), column \"no\": the cost is -1, expected at least 0"
        );
        assert_eq!(
            message(",no,yes\nno,0\n"),
            "row 1 (line 2): 2 cells, expected 3 as in the first line"
        );
    }

    #[test]
    fn the_extension_stands_before_gz() {
        let extension = |name: &str| extension(Path::new(name));
        assert_eq!(extension("a.TSV.gz"), ("tsv".into(), true));
        assert_eq!(extension("a.csv"), ("csv".into(), false));
        assert_eq!(extension("table"), (String::new(), false));
        assert_eq!(text_delimiter(b"a\tb\nc,d\n"), b'\t');
        assert_eq!(text_delimiter(b"a\tb,c\n"), b',');
    }
}
