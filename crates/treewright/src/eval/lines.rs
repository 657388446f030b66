//! Of each family of a report the tree to name first, and which families are worth a line.

use super::rate::{percent_digits, percent_with, rate, significant, significant_digits};
use super::{Candidate, Entry, GoodEnough, Report, Section};
use crate::cost::Loss;

/// A family in short: one of its trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FamilyLine {
    /// The place of the family in the report.
    pub section: usize,
    /// The place of the tree in the family.
    pub entry: usize,
    /// Is a tree of another line at least as good with as few leaves?
    pub is_dominated: bool,
    /// Have rows left out judged it?
    pub is_judged: bool,
}

impl Entry {
    /// As what it competes with others, if it was judged on rows left out.
    fn candidate(&self) -> Option<Candidate<'_>> {
        let (error, se) = self.validated?;
        Some(Candidate {
            leaves: self.leaves,
            error,
            se,
            by_fold: &self.by_fold,
        })
    }
}

impl Report {
    /// When trees of this report are good enough.
    pub fn rule(&self) -> GoodEnough {
        let explored = self.explored.as_ref();
        explored.map_or(GoodEnough::OneSe, |explored| explored.rule)
    }

    /// What a tolerance is a share of: in regression the squared error of the mean, else whole errors or units of
    /// cost.
    fn unit(&self) -> f64 {
        if self.schema.is_classification() {
            return 1.0;
        }
        let judged = self.singles().find_map(|entry| entry.validated);
        judged.map(|it| it.0).or(self.baseline).unwrap_or(1.0)
    }

    /// The trees of one leaf.
    fn singles(&self) -> impl Iterator<Item = &Entry> {
        let entries = self.sections.iter().flat_map(|section| &section.entries);
        entries.filter(|entry| entry.leaves == 1)
    }

    /// What it costs on the rows left out always to give the answer of a single leaf, the same for all of them. What
    /// the single leaves of the folds cost is more where their answers differ. Folds leave every row out, so that it is
    /// the cost on all rows.
    pub fn baseline_of_unseen(&self) -> Option<f64> {
        let of_all = || self.singles().map(|entry| entry.cost).next();
        self.baseline_left_out.or(self.baseline).or_else(of_all)
    }

    /// What the cost of a row left out is called where [`Report::unseen`] prints it.
    pub fn unseen_name(&self) -> &'static str {
        match (&self.loss, self.is_weighted) {
            (Loss::ZeroOne, false) => "unseen error",
            (Loss::Matrix(_), false) => "unseen cost",
            (Loss::ZeroOne | Loss::Matrix(_), true) => self.cost_name(),
            (Loss::Squared, _) => "off by",
        }
    }

    /// A cost on rows left out and its standard error, for people: in regression in units of the target.
    pub fn unseen(&self, cost: f64, se: Option<f64>) -> String {
        let (figure, se) = match self.loss {
            Loss::ZeroOne | Loss::Matrix(_) => (self.in_digits_of(cost, cost), se),
            Loss::Squared => {
                let root = cost.sqrt();
                let se = se.filter(|_| cost > 0.0);
                (significant(root), se.map(|se| se / (2.0 * root)))
            }
        };
        match se.map(|se| self.in_digits_of(cost, se)) {
            Some(se) => format!("{figure} ± {se}"),
            None => figure,
        }
    }

    /// An amount that is added to a cost, in as many digits as [`Report::unseen`] prints of the cost; in regression it
    /// is added to the root, in units of the target.
    pub fn in_digits_of(&self, cost: f64, amount: f64) -> String {
        match self.loss {
            Loss::ZeroOne => percent_with(amount, percent_digits(cost)),
            Loss::Matrix(_) => rate(&self.loss, amount),
            Loss::Squared => match significant_digits(cost.sqrt()) {
                Some(digits) => format!("{amount:.digits$}"),
                None => significant(amount),
            },
        }
    }

    /// All trees that were judged, with their places. Of equal ones the first is taken, so those of which most can be
    /// proven come first.
    fn candidates(&self) -> (Vec<(usize, usize)>, Vec<Candidate<'_>>) {
        let all = self.sections.iter().enumerate().flat_map(|(at, section)| {
            let entries = section.entries.iter().enumerate();
            entries.filter_map(move |(place, it)| Some(((at, place), it.candidate()?)))
        });
        let (first, rest): (Vec<_>, Vec<_>) =
            all.partition(|((at, _), _)| self.sections[*at].is_searched());
        first.into_iter().chain(rest).unzip()
    }

    /// The tree with the fewest leaves of all that are good enough; `None` if nothing was judged.
    pub fn good_enough(&self) -> Option<(usize, usize)> {
        let (places, candidates) = self.candidates();
        let chosen = self.rule().choose(&candidates, self.unit())?;
        Some(places[chosen])
    }

    /// How optimistic the error of that tree is; `weights` are those of the folds.
    pub fn optimism(&self, weights: &[f64]) -> Option<f64> {
        let (_, candidates) = self.candidates();
        self.rule().optimism(&candidates, weights, self.unit())
    }

    /// A line for each family: the tree that is good enough, else the one of least error.
    pub fn lines(&self) -> Vec<FamilyLine> {
        let (_, all) = self.candidates();
        let most = self.rule().most_of(&all, self.unit());
        let mut lines: Vec<FamilyLine> = self
            .sections
            .iter()
            .enumerate()
            .filter(|(_, section)| !section.entries.is_empty())
            .map(|(at, section)| FamilyLine {
                section: at,
                entry: if at == self.start.0 {
                    self.start.1
                } else {
                    shown(section, most)
                },
                is_dominated: false,
                is_judged: false,
            })
            .collect();
        let figures: Vec<Option<(usize, f64)>> = lines.iter().map(|it| self.figures(*it)).collect();
        for place in 0..lines.len() {
            let line = lines[place];
            let is_start = (line.section, line.entry) == self.start;
            lines[place].is_judged = figures[place].is_some();
            let is_beaten = |other: usize| match (figures[place], figures[other]) {
                (Some(own), Some(it)) => {
                    let is_as_good = it.0 <= own.0 && it.1 <= own.1;
                    let is_start = lines[other].section == self.start.0;
                    is_as_good && (it != own || other < place || is_start)
                }
                _ => false,
            };
            let others = (0..lines.len()).filter(|&other| other != place);
            lines[place].is_dominated = !is_start && others.into_iter().any(is_beaten);
        }
        lines
    }

    /// Leaves and error of the tree of a line, if it was judged.
    fn figures(&self, line: FamilyLine) -> Option<(usize, f64)> {
        let entry = &self.sections[line.section].entries[line.entry];
        Some((entry.leaves, entry.validated?.0))
    }
}

/// The smallest tree of a family that is good enough, or that of least error, or the largest that is shown.
fn shown(section: &Section, most: Option<f64>) -> usize {
    let entries = &section.entries;
    let is_good =
        |entry: &Entry| matches!((entry.validated, most), (Some(it), Some(most)) if it.0 <= most);
    let least = || {
        let judged = entries.iter().enumerate();
        let judged = judged.filter_map(|(place, entry)| Some((place, entry.validated?.0)));
        judged.min_by(|a, b| a.1.total_cmp(&b.1)).map(|it| it.0)
    };
    entries
        .iter()
        .position(is_good)
        .or_else(least)
        .unwrap_or_else(|| {
            entries
                .iter()
                .rposition(|it| it.tree.is_some())
                .unwrap_or(0)
        })
}
