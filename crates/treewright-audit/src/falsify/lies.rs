//! Falsehoods told to the checker, and what it said.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::falsehoods;
use crate::case::Case;
use crate::dice::dice;
use crate::judge::{Judged, Verdict, caught, checker};

/// What became of falsehoods: how many were told of each kind, how many of these were refuted and how many were not
/// checked, as the work limit did not suffice; and what was said of the others.
#[derive(Debug, Default)]
pub struct Lies {
    counts: BTreeMap<&'static str, [u64; 3]>,
    /// The cases whose falsehood was not refuted, with what was done, what was said, and the document.
    pub believed: Vec<(Case, String, String)>,
}

impl Lies {
    /// Falsifies a case that was confirmed, in all ways, and asks the checker.
    pub fn tell(case: &Case, judged: &Judged) -> Self {
        let mut lies = Self::default();
        let Some(learned) = judged
            .learned
            .as_ref()
            .filter(|_| judged.verdict == Verdict::Confirmed)
        else {
            return lies;
        };
        for lie in falsehoods(case, learned, &mut dice(case.seed ^ 0xfa15e)) {
            let verdict = caught(|| checker::check(&case.table, &lie.learned));
            let is_refuted = matches!(verdict, Ok(Verdict::Refuted(_)));
            let is_large =
                matches!(&verdict, Ok(Verdict::NotChecked(why)) if why.ends_with("too large"));
            let counts = lies.counts.entry(lie.what).or_default();
            counts[0] += 1;
            counts[1] += u64::from(is_refuted);
            counts[2] += u64::from(is_large);
            if !is_refuted && !is_large {
                let said = format!("{}: {verdict:?}", lie.what);
                lies.believed
                    .push((case.clone(), said, lie.learned.document));
            }
        }
        lies
    }

    /// Adds the counts of others.
    pub fn add(&mut self, others: Self) {
        for (what, more) in others.counts {
            let counts = self.counts.entry(what).or_default();
            for (count, more) in counts.iter_mut().zip(more) {
                *count += more;
            }
        }
        self.believed.extend(others.believed);
    }

    /// How many there were.
    pub fn told(&self) -> u64 {
        self.counts.values().map(|[told, ..]| told).sum()
    }

    /// The counts as Markdown.
    pub fn to_text(&self) -> String {
        let mut text =
            String::from("| falsified | documents | refuted | too large |\n|---|---:|---:|---:|\n");
        let sum = |place: usize| -> u64 { self.counts.values().map(|counts| counts[place]).sum() };
        let _ = writeln!(text, "| **all** | {} | {} | {} |", sum(0), sum(1), sum(2));
        for (what, [told, refuted, large]) in &self.counts {
            let _ = writeln!(text, "| {what} | {told} | {refuted} | {large} |");
        }
        text
    }
}
