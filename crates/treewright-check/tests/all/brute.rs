//! The best tree of bounded depth by trying all of them, from the text of a table.

/// Loss in units, then leaves.
pub(crate) type Worth = (u64, u64);

pub(crate) struct Brute {
    /// For each feature and row its value; `None` is missing. Categories are texts.
    cells: Vec<Vec<Option<Cell>>>,
    is_numeric: Vec<bool>,
    losses: Vec<Vec<u64>>,
    pub(crate) intervals: usize,
    pub(crate) min_leaf: usize,
    /// What a leaf costs, in units of loss.
    pub(crate) per_leaf: u64,
}

#[derive(Debug, Clone, PartialEq, PartialOrd)]
enum Cell {
    Number(f64),
    Text(String),
}

impl Brute {
    /// A unit of loss is a tenth, times `scale`.
    pub(crate) fn new(text: &str, costs: &[Vec<u64>], classes: &[String], scale: u64) -> Self {
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        let weight = lines[0].iter().position(|name| *name == "w");
        let rows: Vec<_> = lines[1..]
            .iter()
            .filter(|row| weight.is_none_or(|at| row[at] != "0"))
            .collect();
        let n_features = lines[0].iter().filter(|name| name.starts_with('x')).count();
        let is_number = |cell: &str| cell == "?" || cell.parse::<f64>().is_ok();
        let is_numeric: Vec<bool> = (0..n_features)
            .map(|j| lines[1..].iter().all(|row| is_number(row[j])))
            .collect();
        let cell = |j: usize, cell: &str| match cell {
            "?" => None,
            _ if is_numeric[j] => Some(Cell::Number(cell.parse().unwrap())),
            _ => Some(Cell::Text(cell.into())),
        };
        let loss = |row: &&Vec<&str>| {
            let truth = classes
                .iter()
                .position(|class| class == row[row.len() - 1])
                .unwrap();
            let tenths = weight
                .map_or(10.0, |at| row[at].parse::<f64>().unwrap() * 10.0)
                .round() as u64;
            costs[truth]
                .iter()
                .map(|cost| cost * tenths * scale)
                .collect()
        };
        Self {
            cells: (0..n_features)
                .map(|j| rows.iter().map(|row| cell(j, row[j])).collect())
                .collect(),
            losses: rows.iter().map(loss).collect(),
            is_numeric,
            intervals: 2,
            min_leaf: 1,
            per_leaf: 0,
        }
    }

    pub(crate) fn best(&self, depth: usize) -> Worth {
        let rows: Vec<usize> = (0..self.losses.len()).collect();
        let leaf = self.label(&rows);
        self.least(&rows, depth)
            .map_or(leaf, |least| least.min(leaf))
    }

    fn label(&self, rows: &[usize]) -> Worth {
        let loss = |class: usize| rows.iter().map(|&row| self.losses[row][class]).sum::<u64>();
        let least = (0..self.losses[0].len()).map(loss).min().unwrap();
        (least + self.per_leaf, 1)
    }

    fn leaf(&self, rows: &[usize]) -> Option<Worth> {
        (rows.len() >= self.min_leaf).then(|| self.label(rows))
    }

    fn least(&self, rows: &[usize], depth: usize) -> Option<Worth> {
        let mut all = vec![self.leaf(rows)];
        if depth > 0 {
            all.extend((0..self.cells.len()).map(|j| self.asking(rows, j, depth)));
        }
        all.into_iter().flatten().min()
    }

    fn asking(&self, rows: &[usize], j: usize, depth: usize) -> Option<Worth> {
        let mut values: Vec<&Cell> = rows
            .iter()
            .filter_map(|&row| self.cells[j][row].as_ref())
            .collect();
        values.sort_by(|a, b| a.partial_cmp(b).unwrap());
        values.dedup();
        let with = |value: Option<&Cell>| -> Vec<usize> {
            rows.iter()
                .copied()
                .filter(|&row| self.cells[j][row].as_ref() == value)
                .collect()
        };
        let groups: Vec<Vec<usize>> = values.iter().map(|value| with(Some(value))).collect();
        let missing = with(None);
        if groups.is_empty() {
            return None;
        }
        let of_missing = if missing.is_empty() {
            (0, 0)
        } else {
            self.least(&missing, depth - 1)?
        };
        let of_present = if !self.is_numeric[j] {
            let mut sum = (0, 0);
            for group in &groups {
                sum = plus(sum, self.least(group, depth - 1)?);
            }
            sum
        } else if depth == 1 {
            self.in_intervals(&groups, self.intervals)?
        } else {
            let mut all = Vec::new();
            if !missing.is_empty() {
                all.push(self.least(&groups.concat(), depth - 1));
            }
            for cut in 1..groups.len() {
                let sides = self
                    .least(&groups[..cut].concat(), depth - 1)
                    .zip(self.least(&groups[cut..].concat(), depth - 1));
                all.push(sides.map(|(a, b)| plus(a, b)));
            }
            all.into_iter().flatten().min()?
        };
        Some(plus(of_missing, of_present))
    }

    fn in_intervals(&self, groups: &[Vec<usize>], most: usize) -> Option<Worth> {
        let mut all = vec![self.leaf(&groups.concat())];
        if most > 1 {
            for cut in 1..groups.len() {
                let first = self.leaf(&groups[..cut].concat());
                let rest = self.in_intervals(&groups[cut..], most - 1);
                all.push(first.zip(rest).map(|(a, b)| plus(a, b)));
            }
        }
        all.into_iter().flatten().min()
    }
}

fn plus(a: Worth, b: Worth) -> Worth {
    (a.0 + b.0, a.1 + b.1)
}
