//! Tables of text: cells as they stand in a CSV or TSV file.

/// A table: named columns of texts. A cell that is missing is the empty text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// The names of the columns.
    pub names: Vec<String>,
    /// The cells of each column, all of the same length.
    pub columns: Vec<Vec<String>>,
}

impl Table {
    /// Reads a text table. Lines end in LF or CRLF; empty lines are no rows; a cell that begins with a quote ends
    /// with one, and two quotes inside stand for one; nothing is trimmed.
    pub fn from_text(text: &str, separator: char) -> Result<Self, String> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut records = Records {
            rest: text,
            separator,
            line: 1,
        };
        let names = records.next_record()?.ok_or("the table is empty")?;
        let mut columns = vec![Vec::new(); names.len()];
        loop {
            let line = records.line;
            let Some(record) = records.next_record()? else {
                break;
            };
            if record.len() != names.len() {
                let (found, expected) = (record.len(), names.len());
                return Err(format!("line {line}: {found} cells, expected {expected}"));
            }
            for (column, cell) in columns.iter_mut().zip(record) {
                column.push(cell);
            }
        }
        Ok(Self { names, columns })
    }

    /// The separator of a text without a telling name: tabs if the first line has tabs and no commas.
    pub fn separator_of(text: &str) -> char {
        let first = text.lines().next().unwrap_or_default();
        if first.contains('\t') && !first.contains(',') {
            '\t'
        } else {
            ','
        }
    }

    /// How many rows there are.
    pub fn n_rows(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    pub(crate) fn column(&self, name: &str) -> Result<&[String], String> {
        let mut places = self.names.iter().zip(&self.columns);
        let found = places.find(|(known, _)| *known == name);
        found
            .map(|(_, column)| &**column)
            .ok_or_else(|| format!("the table has no column {name:?}"))
    }
}

struct Records<'a> {
    rest: &'a str,
    separator: char,
    line: usize,
}

impl Records<'_> {
    fn next_record(&mut self) -> Result<Option<Vec<String>>, String> {
        while let Some(rest) = strip_line_end(self.rest) {
            self.rest = rest;
            self.line += 1;
        }
        if self.rest.is_empty() {
            return Ok(None);
        }
        let mut cells = Vec::new();
        loop {
            cells.push(self.cell()?);
            if let Some(rest) = self.rest.strip_prefix(self.separator) {
                self.rest = rest;
            } else {
                self.rest = strip_line_end(self.rest).unwrap_or("");
                self.line += 1;
                return Ok(Some(cells));
            }
        }
    }

    /// A cell; what is left begins with a separator or a line end, or is empty.
    fn cell(&mut self) -> Result<String, String> {
        let Some(mut rest) = self.rest.strip_prefix('"') else {
            let line = self.rest.find('\n').unwrap_or(self.rest.len());
            let mut end = line;
            if line < self.rest.len() && self.rest[..line].ends_with('\r') {
                end -= 1;
            }
            let end = self.rest[..end].find(self.separator).unwrap_or(end);
            let (cell, rest) = self.rest.split_at(end);
            self.rest = rest;
            return Ok(cell.to_owned());
        };
        let mut cell = String::new();
        loop {
            let line = self.line;
            let Some((before, after)) = rest.split_once('"') else {
                return Err(format!("line {line}: a quote that is not closed"));
            };
            cell.push_str(before);
            self.line += before.matches('\n').count();
            if let Some(after) = after.strip_prefix('"') {
                cell.push('"');
                rest = after;
                continue;
            }
            let is_end = after.is_empty() || strip_line_end(after).is_some();
            if !is_end && !after.starts_with(self.separator) {
                let line = self.line;
                return Err(format!(
                    "line {line}: a cell goes on after its closing quote"
                ));
            }
            self.rest = after;
            return Ok(cell);
        }
    }
}

fn strip_line_end(text: &str) -> Option<&str> {
    text.strip_prefix('\n')
        .or_else(|| text.strip_prefix("\r\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_all_kinds() {
        let text = "\u{feff}a,\"b \"\"c\"\"\",d\r\n1,\"x,\ny\",\n\n, 2,\"\"\n3,a\"b,4";
        let table = Table::from_text(text, ',').unwrap();
        assert_eq!(table.names, ["a", "b \"c\"", "d"]);
        assert_eq!(table.columns[0], ["1", "", "3"]);
        assert_eq!(table.columns[1], ["x,\ny", " 2", "a\"b"]);
        assert_eq!(table.columns[2], ["", "", "4"]);
        let fault = |text| Table::from_text(text, ',').unwrap_err();
        assert_eq!(fault(""), "the table is empty");
        assert_eq!(fault("a,b\n1\n"), "line 2: 1 cells, expected 2");
        assert_eq!(fault("a\n\"1\n"), "line 2: a quote that is not closed");
        assert_eq!(
            fault("a\n\"1\"2\n"),
            "line 2: a cell goes on after its closing quote"
        );
        assert_eq!(Table::separator_of("a\tb\n"), '\t');
    }
}
