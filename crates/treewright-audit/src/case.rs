//! A case: a table and what is learned from it. As a text it can be kept and repeated.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::dice::dice;
use crate::setting::command::command;
use crate::setting::drawn;
use crate::setting::{Job, Setting};
use crate::table::kinds::{self, Kind};
use crate::table::{How, Table};

/// A table and what is learned from it.
#[derive(Debug, Clone)]
pub struct Case {
    /// What it was drawn from.
    pub seed: u64,
    /// The kind of the table; `None` in kept cases.
    pub kind: Option<Kind>,
    /// The table.
    pub table: Table,
    /// What is learned.
    pub setting: Setting,
}

/// What the head of a kept case says beside its table.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    separator: char,
    #[serde(default)]
    reading: How,
    setting: Setting,
}

const SETTING: &str = "setting: ";
const TABLE: &str = "== table\n";

impl Case {
    /// Draws the case of a seed; kind and job may be given.
    pub fn draw(seed: u64, kind: Option<Kind>, job: Option<&str>) -> Self {
        let mut dice = dice(seed);
        let drawn = Kind::draw(&mut dice);
        let kind = kind.unwrap_or(drawn);
        let table = kinds::draw(kind, &mut dice);
        let setting = drawn::draw(kind, &table, job, &mut dice);
        Self {
            seed,
            kind: Some(kind),
            table,
            setting,
        }
    }

    /// The case as a text: what was found, how to repeat it, and the table.
    pub fn to_text(&self, verdict: &str) -> String {
        let mut text = String::new();
        let mut say = |name: &str, what: &str| {
            for (at, line) in what.lines().enumerate() {
                let start = if at == 0 {
                    format!("{name}: ")
                } else {
                    "   ".into()
                };
                let _ = writeln!(text, "# {start}{line}");
            }
        };
        say("verdict", verdict);
        say("seed", &self.seed.to_string());
        say("command", &command(&self.table, &self.setting));
        if let Some(costs) = self.table.costs_text() {
            say("costs.csv", &costs);
        }
        let values = match &self.setting.job {
            Job::Dyadic(job) | Job::DyadicPath(job) => &job.table,
            Job::Prune(job) | Job::PrunePath(job) => &job.table,
            Job::OptimalPath(job) | Job::OptimalSize(job) => &job.table,
            _ => &Vec::new(),
        };
        if !values.is_empty() {
            say("penalty.txt", &values.join(" "));
        }
        let head = Head {
            separator: self.table.separator,
            reading: self.table.reading.clone(),
            setting: self.setting.clone(),
        };
        let head = serde_json::to_string(&head).unwrap_or_default();
        let _ = write!(text, "{SETTING}{head}\n{TABLE}{}", self.table.text());
        text
    }

    /// Reads a kept case.
    pub fn from_text(text: &str) -> Result<Self, String> {
        let (head, table) = text
            .split_once(TABLE)
            .ok_or("no line \"== table\", expected one before the table")?;
        let line = head.lines().find_map(|line| line.strip_prefix(SETTING));
        let line = line.ok_or("no line \"setting: ...\", expected one before the table")?;
        let head: Head = serde_json::from_str(line).map_err(|error| format!("setting: {error}"))?;
        let mut rows = records(table, head.separator).into_iter();
        Ok(Self {
            seed: 0,
            kind: None,
            table: Table {
                names: rows
                    .next()
                    .ok_or("the table is empty, expected a line of names")?,
                rows: rows.collect(),
                separator: head.separator,
                reading: head.reading,
            },
            setting: head.setting,
        })
    }
}

/// The records of a text table.
fn records(text: &str, separator: char) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut is_quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => {
                cell.push('"');
                letters.next();
            }
            '"' if is_quoted || cell.is_empty() => is_quoted = !is_quoted,
            _ if is_quoted => cell.push(letter),
            '\n' => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            _ if letter == separator => row.push(std::mem::take(&mut cell)),
            _ => cell.push(letter),
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_read_back() {
        for seed in 0..300 {
            let case = Case::draw(seed, None, None);
            if case.kind == Some(Kind::Large) {
                continue;
            }
            let text = case.to_text("refuted: a line\nand another");
            let read = Case::from_text(&text).unwrap();
            assert_eq!(read.table, case.table, "{text}");
            assert_eq!(read.setting, case.setting, "{text}");
        }
    }
}
