//! The claims of a proof, from what a search has noted.
//!
//! **Values.** The search gives every row one class and one weight, or several such rows (see `table`). Let a row
//! have the losses `loss[c]`, the largest of them `most` and the least `least`. The search counts, for an answer
//! `c`,
//!
//! `sum over d of (most - loss[d]) - (most - loss[c])  =  loss[c] - k`
//! with `k = most - sum over d of (most - loss[d])`,
//!
//! and the proof counts `loss[c] - least`. The difference `least - k`, the sum of `most - loss[d]` over all `d` but
//! one with the least loss, is the same for all trees. It is what the weighted rows of a row weigh together, all but
//! the heaviest. So a lower bound for some rows in the proof is that of the search less the weight of these
//! *others*. Where the search has shown that two sides together cost enough, they do so in the proof, too: both
//! sides have no more others than all rows. A row more can cost `most - least`, the weight of the heaviest, as its
//! answer may be any.

pub(crate) mod cover;

use std::ops::Range;
use std::sync::Arc;

use self::cover::{CoveredCuts, SideLower, SideLowers};
use crate::learn::optimal::deeper::best_first::BestFirst;
use crate::learn::optimal::deeper::notes::RootNotes;
use crate::learn::optimal::problem::{Edge, FeatureKind, Inherited, NONE, RowSet, SearchResult};
use crate::learn::optimal::search::TreeSearch;
use crate::tree::{Branches, Claim, Condition, Cover, CutRange, Is, Proof};

/// A proof with more lower bounds than this is not written: it would take hundreds of megabytes.
const MOST_BOUNDS: usize = 1 << 21;

/// Writes the claims of a proof.
pub(crate) struct Prover<'s, 'a> {
    search: &'s TreeSearch<'a>,
    /// For each weighted row what it is worth if it is one of the others.
    others: Vec<u64>,
    /// For each weighted row what it can cost more, at most, in values of the proof.
    most: Vec<u64>,
    claims: Vec<Claim>,
    n_bounds: usize,
}

/// Rows of a branch whose lower bound has to be proven.
struct BranchPart {
    is: Is,
    rows: Selected,
    at_least: u64,
}

/// Which of the rows of a claim.
enum Selected {
    Missing,
    Present,
    Category(u32),
    Ranks(Range<u32>),
}

impl<'s, 'a> Prover<'s, 'a> {
    pub(crate) fn new(search: &'s TreeSearch<'a>) -> Self {
        let (table, encoding) = (search.context.table, search.context.encoding);
        let labels = table.whole().labels();
        let mut others = vec![0; labels.len()];
        let mut most = vec![0; labels.len()];
        let ids: Vec<u32> = (0..labels.len() as u32).collect();
        for row in ids.chunk_by(|&a, &b| table.real_row(a) == table.real_row(b)) {
            let weight = |id: u32| u64::from(labels[id as usize].weight);
            let heaviest = row.iter().copied().max_by_key(|&id| weight(id));
            for &id in row {
                let value = encoding.loss(weight(id));
                if Some(id) == heaviest {
                    most[id as usize] = value + search.per_row;
                } else {
                    others[id as usize] = value;
                }
            }
        }
        Self {
            search,
            others,
            most,
            claims: Vec::new(),
            n_bounds: 0,
        }
    }

    /// A value of the search for all rows, as the proof counts.
    pub(crate) fn value(&self, value: u64) -> u64 {
        self.lower(value, self.search.context.table.whole())
    }

    /// What some rows are worth at least, as the proof counts.
    fn lower(&self, lower: u64, rows: &RowSet) -> u64 {
        lower.saturating_sub(self.others_of(rows)).max(self.leaf())
    }

    fn others_of(&self, rows: &RowSet) -> u64 {
        let of = |&id: &u32| self.others[id as usize];
        rows.ids().iter().map(of).sum()
    }

    /// Any rows are worth at least a leaf.
    fn leaf(&self) -> u64 {
        self.search.context.encoding.per_leaf()
    }

    /// Proves that no tree of a depth has a value below `least`, as the search counts. If time is up or the proof too
    /// large, there are no claims.
    pub(crate) fn fill(mut self, proof: &mut Proof, depth: usize, least: u64, notes: &[RootNotes]) {
        let encoding = self.search.context.encoding;
        *proof = Proof {
            depth,
            per_loss: encoding.per_loss(),
            per_leaf: encoding.per_leaf(),
            value: self.value(least),
            unit: proof.unit,
            claims: None,
        };
        let rows = Arc::clone(self.search.context.table.whole());
        let is_done = match depth {
            ..3 => Some(()),
            _ if least == 0 => None,
            _ => self.claim(&rows, &[], depth, proof.value, notes),
        };
        proof.claims = is_done.map(|()| self.claims);
    }

    /// A claim, and all that it follows from.
    fn claim(
        &mut self,
        rows: &Arc<RowSet>,
        path: &[Condition],
        depth: usize,
        at_least: u64,
        notes: &[RootNotes],
    ) -> Option<()> {
        let place = self.claims.len();
        self.claims.push(Claim {
            path: path.to_owned(),
            depth,
            at_least,
            covers: Vec::new(),
        });
        let none = RootNotes::default();
        for feature in 0..self.search.context.table.kinds().len() {
            let cells = &rows.cells()[feature];
            if cells.n_ranks() == 0 || cells.n_ranks() == 1 && !cells.has_missing() {
                continue;
            }
            let noted = notes.get(feature).unwrap_or(&none);
            let (cover, parts) = self.cover(rows, feature, noted, at_least)?;
            self.claims[place].covers.push(cover);
            self.n_bounds += parts.len();
            if self.n_bounds > MOST_BOUNDS {
                return None;
            }
            if depth > 3 {
                let is_more = |part: &BranchPart| part.at_least > self.leaf();
                let parts = parts.into_iter().filter(is_more).collect();
                self.prove_parts(rows, path, depth - 1, feature, parts)?;
            }
        }
        Some(())
    }

    /// Claims for the branches of a feature.
    fn prove_parts(
        &mut self,
        rows: &Arc<RowSet>,
        path: &[Condition],
        depth: usize,
        feature: usize,
        parts: Vec<BranchPart>,
    ) -> Option<()> {
        let present = present(rows, feature);
        for part in parts {
            let rows = match part.rows {
                Selected::Missing => Arc::new(rows.missing(feature)),
                Selected::Present => Arc::clone(&present),
                Selected::Category(rank) => Arc::new(rows.group(feature, rank)),
                Selected::Ranks(ranks) => self.between(&present, feature, ranks),
            };
            let condition = Condition {
                feature: self.search.context.table.columns()[feature],
                is: part.is,
            };
            let path: Vec<Condition> = path.iter().copied().chain([condition]).collect();
            let notes = self.noted(&rows, depth, part.at_least)?;
            self.claim(&rows, &path, depth, part.at_least, &notes)?;
        }
        Some(())
    }

    /// The rows below a cut, or above.
    fn between(&self, rows: &RowSet, feature: usize, ranks: Range<u32>) -> Arc<RowSet> {
        let is_high = ranks.start > 0;
        let cut = if is_high { ranks.start } else { ranks.end };
        let region = self.search.region_of(rows, feature, cut, is_high);
        Arc::new(rows.within(feature, ranks).with_region(region))
    }

    /// What a search finds out about the branches of some rows, until no tree can have a value below `at_least`.
    fn noted(&self, rows: &Arc<RowSet>, depth: usize, at_least: u64) -> Option<Vec<RootNotes>> {
        if at_least <= 2 * self.leaf() {
            return Some(Vec::new());
        }
        let n_features = self.search.context.table.kinds().len();
        let lower = at_least + self.others_of(rows);
        let shallower = SearchResult::at_least(lower, &Inherited::default(), n_features);
        let (solved, notes) = BestFirst::solve_noting(self.search, rows, depth, lower, shallower);
        debug_assert!(solved.value.is_none(), "what is claimed is true");
        (solved.is_done && solved.value.is_none()).then_some(notes)
    }

    /// Why no tree that splits on a feature first has a smaller value, and the lower bounds that this needs.
    fn cover(
        &self,
        rows: &Arc<RowSet>,
        feature: usize,
        noted: &RootNotes,
        at_least: u64,
    ) -> Option<(Cover, Vec<BranchPart>)> {
        let cells = &rows.cells()[feature];
        let table = self.search.context.table;
        let mut missing = None;
        if cells.has_missing() {
            let lower = self.lower(noted.missing(), &rows.missing(feature));
            // The others have a leaf at least.
            let most = at_least.saturating_sub(self.leaf()).max(self.leaf());
            missing = Some(lower.min(most));
        }
        let (branches, mut parts) = match table.kinds()[feature] {
            FeatureKind::Categorical => self.categories(rows, feature, noted, missing, at_least)?,
            FeatureKind::Numeric => self.numbers(rows, feature, noted, missing, at_least)?,
        };
        parts.extend(missing.map(|at_least| BranchPart {
            is: Is::Missing,
            rows: Selected::Missing,
            at_least,
        }));
        let cover = Cover {
            feature: table.columns()[feature],
            missing,
            branches,
        };
        Some((cover, parts))
    }

    fn categories(
        &self,
        rows: &Arc<RowSet>,
        feature: usize,
        noted: &RootNotes,
        missing: Option<u64>,
        at_least: u64,
    ) -> Option<(Branches, Vec<BranchPart>)> {
        let n_ranks = rows.cells()[feature].n_ranks();
        let mut lowers = vec![self.leaf(); n_ranks];
        for (rank, (lower, &least)) in lowers.iter_mut().zip(noted.categories()).enumerate() {
            let group = rows.cells()[feature].rows(rank as u32, rank as u32 + 1);
            let of = |&row: &u32| self.others[rows.ids()[row as usize] as usize];
            let others: u64 = group.iter().map(of).sum();
            *lower = least.saturating_sub(others).min(at_least).max(*lower);
        }
        let sum = lowers.iter().fold(0_u64, |sum, &b| sum.saturating_add(b));
        let sum = sum.saturating_add(missing.unwrap_or(0));
        let mut spare = sum.checked_sub(at_least)?;
        for lower in lowers.iter_mut().rev() {
            let less = spare.min(*lower - self.leaf());
            *lower -= less;
            spare -= less;
        }
        let code = |rank: usize| {
            let number = self.search.context.table.number(feature, rows, rank as u32);
            number as u32
        };
        let branches: Vec<(u32, u64)> = (0..n_ranks).map(code).zip(lowers).collect();
        let part = |(rank, &(code, at_least)): (usize, &(u32, u64))| BranchPart {
            is: Is::Category(code),
            rows: Selected::Category(rank as u32),
            at_least,
        };
        let parts = branches.iter().enumerate().map(part).collect();
        Some((Branches::Categories(branches), parts))
    }

    fn numbers(
        &self,
        rows: &Arc<RowSet>,
        feature: usize,
        noted: &RootNotes,
        missing: Option<u64>,
        at_least: u64,
    ) -> Option<(Branches, Vec<BranchPart>)> {
        let mut parts = Vec::new();
        let need = at_least.saturating_sub(missing.unwrap_or(0));
        let cells = &rows.cells()[feature];
        let others = below_ranks(rows, feature, &self.others);
        let most = below_ranks(rows, feature, &self.most);
        let all = others[cells.n_ranks()];
        let mut present = None;
        if missing.is_some() {
            let least = noted.present().saturating_sub(all).max(self.leaf());
            if least < need {
                return None;
            }
            let at_least = need.max(self.leaf());
            present = Some(at_least);
            parts.push(BranchPart {
                is: Is::Present,
                rows: Selected::Present,
                at_least,
            });
        }
        let side = |&(cut, least): &(u32, [u64; 2])| {
            let below = others[cut as usize];
            let [low, high] = least;
            let lower = |least| SideLower { cut, value: least };
            (
                lower(low.saturating_sub(below)),
                lower(high.saturating_sub(all - below)),
            )
        };
        let (low, high) = noted.cuts().iter().map(side).unzip();
        let sides = SideLowers::new(low, high, &most, self.leaf());
        let covered_cuts = match (cells.n_ranks(), self.search.is_monotone()) {
            (1, _) => Vec::new(),
            (_, true) => sides.cover(need)?,
            (_, false) => sides.cut_by_cut(need)?,
        };
        let number = |cut: u32| self.search.context.table.number(feature, rows, cut);
        parts.extend(parts_of(&covered_cuts, cells.n_ranks() as u32, number));
        let range = |covered: &CoveredCuts| CutRange {
            first: number(covered.first),
            last: number(covered.last),
            low: (number(covered.low.cut), covered.low.value),
            high: (number(covered.high.cut), covered.high.value),
        };
        let ranges = covered_cuts.iter().map(range).collect();
        Some((Branches::Numbers { present, ranges }, parts))
    }
}

/// For each rank of a feature the sum of some values over the rows below it, and in the end over all.
fn below_ranks(rows: &RowSet, feature: usize, values: &[u64]) -> Vec<u64> {
    let cells = &rows.cells()[feature];
    let (mut sum, mut below) = (0, vec![0]);
    for rank in 0..cells.n_ranks() as u32 {
        for &row in cells.rows(rank, rank + 1) {
            sum += values[rows.ids()[row as usize] as usize];
        }
        below.push(sum);
    }
    below
}

/// The rows that have a value.
fn present(rows: &Arc<RowSet>, feature: usize) -> Arc<RowSet> {
    let cells = &rows.cells()[feature];
    if !cells.has_missing() {
        return Arc::clone(rows);
    }
    let edge = Edge::new(feature, true);
    Arc::new(
        rows.only(|row| cells.ranks()[row] != NONE)
            .with_region(rows.region().map(|region| region.cut(edge, 0))),
    )
}

/// The lower bounds of all ranges, each once.
fn parts_of(
    covered_cuts: &[CoveredCuts],
    n_ranks: u32,
    number: impl Fn(u32) -> f64 + Copy,
) -> impl Iterator<Item = BranchPart> {
    let mut lows: Vec<SideLower> = covered_cuts.iter().map(|covered| covered.low).collect();
    let mut highs: Vec<SideLower> = covered_cuts.iter().map(|covered| covered.high).collect();
    for lowers in [&mut lows, &mut highs] {
        lowers.sort_by_key(|lower| lower.cut);
        lowers.dedup();
    }
    let low = move |lower: SideLower| BranchPart {
        is: Is::Below(number(lower.cut)),
        rows: Selected::Ranks(0..lower.cut),
        at_least: lower.value,
    };
    let high = move |lower: SideLower| BranchPart {
        is: Is::From(number(lower.cut)),
        rows: Selected::Ranks(lower.cut..n_ranks),
        at_least: lower.value,
    };
    lows.into_iter().map(low).chain(highs.into_iter().map(high))
}
