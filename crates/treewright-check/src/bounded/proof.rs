//! Proof files of optimal trees: claims about sets of rows, verified from below.
//!
//! A claim says that no tree of a depth has a smaller value for the rows of a path. It lists, for every feature that can part
//! these rows, bounds for what is on both sides of ranges of cuts. Bounds of depth 2 and less are proven here; deeper ones
//! have a claim of their own in the file. Why that is enough is proven in docs/checker.md.

use std::cell::Cell;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value as Json;

use super::class::Class;
use super::rules::LeafRule;
use super::search::{MISSING, Rows, Search, different};
use crate::numbers::decimal;
use crate::read::data::{Column, Data};
use crate::report::{TooLarge, Verdict};
use crate::values::{Value, Values};

#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
    kind: String,
    depth: usize,
    unit: f64,
    per_loss: Json,
    per_leaf: Json,
    value: Json,
    complete: Option<bool>,
}

#[derive(Deserialize)]
struct Claim {
    rows: Vec<Json>,
    depth: usize,
    at_least: Json,
    features: Vec<OfFeature>,
}

#[derive(Deserialize)]
struct OfFeature {
    feature: usize,
    #[serde(default)]
    ranges: Vec<Range>,
    #[serde(default)]
    branches: Vec<(u32, Json)>,
    missing: Option<Json>,
    present: Option<Json>,
}

/// Cuts from `first` to `last`; rows below `low.0` have a value of at least `low.1`, those from `high.0` on of `high.1`.
#[derive(Deserialize)]
struct Range {
    first: f64,
    last: f64,
    low: (f64, Json),
    high: (f64, Json),
}

/// Why a proof is none.
enum Fault {
    Wrong(String),
    TooLarge,
}

impl From<TooLarge> for Fault {
    fn from(_: TooLarge) -> Self {
        Self::TooLarge
    }
}

impl From<String> for Fault {
    fn from(what: String) -> Self {
        Self::Wrong(what)
    }
}

struct Checker<'a> {
    search: Search<'a>,
    /// The different numbers of each numeric feature.
    numbers: Vec<Vec<f64>>,
    claims: BTreeMap<String, Claim>,
    /// Bounds that were proven, by path and depth.
    known: BTreeMap<(String, usize), Value>,
    /// Do leaves have a least size? Then every cut is looked at alone, as fewer rows may not be allowed where more are.
    sized: bool,
}

/// Verifies a proof that no tree has a value below `limit`, in the numbers of `values`.
pub(crate) fn check(
    class: &Class,
    data: &Data,
    values: Values,
    proof: &str,
    limit: Value,
    rule: LeafRule,
    work: &Cell<u64>,
) -> Verdict {
    let wrong = |what: String| Verdict::Refuted(format!("proof: {what}"));
    let mut lines = proof
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    let header = lines.next().map_or("", |(_, line)| line);
    let header: Header = match serde_json::from_str(header) {
        Ok(header) => header,
        Err(error) => return wrong(format!("line 1: {error}")),
    };
    if header.format != "treewright.proof" || header.version != 1 || header.kind != "optimal" {
        return wrong("line 1: not the head of a proof of the kind \"optimal\"".into());
    }
    if header.complete == Some(false) {
        return Verdict::NotChecked("the proof is not complete".into());
    }
    let (Some(per_loss), Some(per_leaf), Some(value)) = (
        whole(&header.per_loss),
        whole(&header.per_leaf),
        whole(&header.value),
    ) else {
        return wrong("line 1: numbers that are not whole".into());
    };
    if header.depth > super::DEEPEST {
        return Verdict::NotChecked("too deep".into());
    }
    if header.unit <= 0.0 || per_loss <= 0 || header.depth < class.effective_depth(data) {
        return wrong("line 1: it is about other trees".into());
    }
    // The limit in the numbers of the file.
    let wanted = values.in_other_numbers(limit, &decimal(header.unit), per_loss, per_leaf);
    let values = match values.rescaled(&decimal(header.unit), per_loss, per_leaf) {
        Ok(values) => values,
        Err(fault) => return wrong(fault),
    };
    let Some(wanted) = wanted else {
        return Verdict::NotChecked("too many digits".into());
    };
    if value < wanted {
        return wrong(format!("it proves {value}, the claim needs {wanted}"));
    }
    let mut claims = BTreeMap::new();
    for (at, line) in lines {
        let claim: Claim = match serde_json::from_str(line) {
            Ok(claim) => claim,
            Err(error) => return wrong(format!("line {}: {error}", at + 1)),
        };
        claims.insert(key(&claim.rows), claim);
    }
    let sized = rule.is_strict();
    let search = Search::new(data, &values, class, (rule, 1), work);
    let rows = search.all();
    let numbers = data.columns.iter().map(|column| match column {
        Column::Numbers(numbers) => different(numbers),
        Column::Codes(_) => Vec::new(),
    });
    let numbers = numbers.collect();
    let mut checker = Checker {
        search,
        numbers,
        claims,
        known: BTreeMap::new(),
        sized,
    };
    match checker.bound(&rows, &[], header.depth, value) {
        Ok(()) => Verdict::Confirmed,
        Err(Fault::Wrong(what)) => wrong(what),
        Err(Fault::TooLarge) => Verdict::NotChecked("too large".into()),
    }
}

/// A whole number, or one in a text where it is large.
fn whole(value: &Json) -> Option<Value> {
    match value {
        Json::String(text) => text.parse().ok(),
        value => value.as_i64().map(Value::from),
    }
    .filter(|number: &Value| number.abs() < 1 << 118)
}

fn key(path: &[Json]) -> String {
    serde_json::to_string(path).unwrap_or_default()
}

impl Checker<'_> {
    /// Is the value of these rows, which a path leads to, at least `bound`?
    fn bound(
        &mut self,
        rows: &Rows,
        path: &[Json],
        depth: usize,
        bound: Value,
    ) -> Result<(), Fault> {
        let leaf = self.search.values.per_leaf;
        // Any rows need a leaf.
        if bound <= leaf && !rows.orders[0].is_empty() || bound <= 0 {
            return Ok(());
        }
        let name = key(path);
        if self
            .known
            .get(&(name.clone(), depth))
            .is_some_and(|&known| known >= bound)
        {
            return Ok(());
        }
        let at_least = match self.claims.remove(&name) {
            Some(claim) if claim.depth >= depth && depth > 2 => {
                let at_least = whole(&claim.at_least).unwrap_or(0);
                self.claim(rows, path, &claim, at_least)?;
                at_least
            }
            _ if depth > 2 => return Err(format!("no claim of depth {depth} for {name}").into()),
            claim => {
                self.claims.extend(claim.map(|claim| (name.clone(), claim)));
                self.search.least_value(rows, depth, bound, self.sized)?
            }
        };
        if at_least < bound {
            return Err(format!("{name}: a value of {at_least}, claimed {bound}").into());
        }
        self.known.insert((name, depth), at_least);
        Ok(())
    }

    /// Verifies a claim of depth 3 or more.
    fn claim(
        &mut self,
        rows: &Rows,
        path: &[Json],
        claim: &Claim,
        at_least: Value,
    ) -> Result<(), Fault> {
        // A tree of one leaf may be of any size.
        let may_be_leaf =
            !self.sized || path.is_empty() || self.search.rule.allows_rows(&rows.orders[0]);
        if may_be_leaf && self.search.leaf(&rows.orders[0]) < at_least {
            return Err(format!("{}: one leaf is better", key(path)).into());
        }
        for feature in 0..self.search.n_features() {
            let groups: Vec<u32> = self
                .search
                .groups(rows, feature)
                .into_iter()
                .map(|(rank, _)| rank)
                .collect();
            if groups.len() < 2 {
                continue;
            }
            let Some(of_feature) = claim.features.iter().find(|of| of.feature == feature) else {
                return Err(format!("{}: nothing about feature {feature}", key(path)).into());
            };
            if self.search.is_numeric[feature] {
                self.numeric(rows, path, claim.depth - 1, of_feature, at_least, &groups)?;
            } else {
                self.categorical(rows, path, claim.depth - 1, of_feature, at_least, &groups)?;
            }
        }
        Ok(())
    }

    fn part(
        &mut self,
        rows: &Rows,
        path: &[Json],
        depth: usize,
        condition: Json,
        bound: Value,
    ) -> Result<(), Fault> {
        let mut longer = path.to_vec();
        let feature = condition["feature"].as_u64().unwrap_or(0) as usize;
        let ranks = &self.search.ranks[feature];
        let rank = |name: &str| condition[name].as_f64().map(|x| self.rank(feature, x));
        let part = if let Some(cut) = rank("below") {
            self.search.part(rows, |row| ranks[row as usize] < cut)?
        } else if let Some(cut) = rank("from") {
            self.search
                .part(rows, |row| (cut..MISSING).contains(&ranks[row as usize]))?
        } else if let Some(code) = condition["category"].as_u64() {
            self.search
                .part(rows, |row| ranks[row as usize] == code as u32)?
        } else {
            let is_missing = condition["missing"] == true;
            self.search
                .part(rows, |row| (ranks[row as usize] == MISSING) == is_missing)?
        };
        longer.push(condition);
        self.bound(&part, &longer, depth, bound)
    }

    /// How many of the different numbers of a feature are below.
    fn rank(&self, feature: usize, number: f64) -> u32 {
        self.numbers[feature].partition_point(|&known| known < number) as u32
    }

    fn categorical(
        &mut self,
        rows: &Rows,
        path: &[Json],
        depth: usize,
        of: &OfFeature,
        at_least: Value,
        groups: &[u32],
    ) -> Result<(), Fault> {
        let feature = of.feature;
        let mut sum = 0;
        for &code in groups {
            let branch = of
                .branches
                .iter()
                .find(|(known, _)| *known == code)
                .map(|(_, bound)| bound);
            let (bound, condition) = if code == MISSING {
                (
                    of.missing.as_ref(),
                    serde_json::json!({"feature": feature, "missing": true}),
                )
            } else {
                (
                    branch,
                    serde_json::json!({"feature": feature, "category": code}),
                )
            };
            let bound = bound.and_then(whole).ok_or_else(|| {
                format!("{}: no bound for a branch of feature {feature}", key(path))
            })?;
            self.part(rows, path, depth, condition, bound)?;
            sum += bound;
        }
        if sum < at_least {
            return Err(format!(
                "{}: branches of feature {feature} add up to {sum}",
                key(path)
            )
            .into());
        }
        Ok(())
    }

    fn numeric(
        &mut self,
        rows: &Rows,
        path: &[Json],
        depth: usize,
        of: &OfFeature,
        at_least: Value,
        groups: &[u32],
    ) -> Result<(), Fault> {
        let feature = of.feature;
        let here = || format!("{}: feature {feature}", key(path));
        let n_cuts = groups.iter().filter(|&&rank| rank != MISSING).count();
        let mut of_missing = 0;
        if n_cuts < groups.len() {
            let bounds = of
                .missing
                .as_ref()
                .and_then(whole)
                .zip(of.present.as_ref().and_then(whole));
            let (missing, present) =
                bounds.ok_or_else(|| format!("{}: no bounds for missing values", here()))?;
            if missing + present < at_least {
                return Err(format!("{}: missing and present add up to less", here()).into());
            }
            self.part(
                rows,
                path,
                depth,
                serde_json::json!({"feature": feature, "missing": true}),
                missing,
            )?;
            self.part(
                rows,
                path,
                depth,
                serde_json::json!({"feature": feature, "present": true}),
                present,
            )?;
            of_missing = missing;
        }
        // What the rows below each rank add to a tree at most.
        let mut below = vec![0; self.numbers[feature].len() + 1];
        for &row in &rows.orders[feature] {
            let rank = self.search.ranks[feature][row as usize];
            if rank != MISSING {
                below[rank as usize + 1] += self.search.per_row[row as usize];
            }
        }
        for at in 1..below.len() {
            below[at] += below[at - 1];
        }
        let mut is_covered = vec![false; groups.len()];
        for range in &of.ranges {
            let (Some(low), Some(high)) = (whole(&range.low.1), whole(&range.high.1)) else {
                return Err(format!("{}: bounds that are not whole", here()).into());
            };
            let (low_at, high_at) = (
                self.rank(feature, range.low.0),
                self.rank(feature, range.high.0),
            );
            let (first, last) = (
                self.rank(feature, range.first),
                self.rank(feature, range.last),
            );
            if self.sized && (first != last || low_at != first || high_at != first) {
                return Err(
                    format!("{}: a range of cuts where leaves have a least size", here()).into(),
                );
            }
            // Weight of the rows from one rank to before another.
            let weight =
                |from: u32, to: u32| (below[to as usize] - below[from.min(to) as usize]).max(0);
            for (at, &cut) in groups.iter().enumerate().take(n_cuts).skip(1) {
                if cut < first || cut > last {
                    continue;
                }
                let sum = low - weight(cut, low_at) + high - weight(high_at, cut) + of_missing;
                if sum < at_least {
                    return Err(format!(
                        "{}: the cut at {} has {sum}",
                        here(),
                        self.numbers[feature][cut as usize]
                    )
                    .into());
                }
                is_covered[at] = true;
            }
            let below = serde_json::json!({"feature": feature, "below": range.low.0});
            let from = serde_json::json!({"feature": feature, "from": range.high.0});
            self.part(rows, path, depth, below, low)?;
            self.part(rows, path, depth, from, high)?;
        }
        match (1..n_cuts).find(|&at| !is_covered[at]) {
            Some(at) => Err(format!(
                "{}: no range has the cut at {}",
                here(),
                self.numbers[feature][groups[at] as usize]
            )
            .into()),
            None => Ok(()),
        }
    }
}
