//! Counts of verdicts by kind of table and by learner.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::case::Case;
use crate::judge::{Judged, Verdict};

/// The columns of counts.
const VERDICTS: [&str; 4] = ["confirmed", "refuted", "not checked", "refused"];

/// Counts of verdicts, in the order of [`VERDICTS`].
type Counts = [u64; 4];

/// Counts of verdicts by kind of table and by learner.
#[derive(Debug, Default)]
pub struct Tally {
    all: Counts,
    stopped: Counts,
    by_kind: BTreeMap<&'static str, Counts>,
    by_job: BTreeMap<&'static str, Counts>,
    /// Why something was not checked or refused, how often, and the first seed.
    reasons: BTreeMap<(&'static str, String), (u64, u64)>,
}

impl Tally {
    /// Counts a case.
    pub fn add(&mut self, case: &Case, judged: &Judged) {
        let verdict = &judged.verdict;
        let place = VERDICTS.iter().position(|name| *name == verdict.name());
        let place = place.unwrap_or_default();
        let kind = case.kind.map_or("kept", |kind| kind.name());
        let job = case.setting.job.name();
        self.all[place] += 1;
        self.by_kind.entry(kind).or_default()[place] += 1;
        self.by_job.entry(job).or_default()[place] += 1;
        if judged.is_stopped {
            self.stopped[place] += 1;
        }
        if !matches!(verdict, Verdict::Confirmed) {
            let reason = (verdict.name(), without_figures(verdict.reason()));
            let seen = self.reasons.entry(reason).or_insert((0, case.seed));
            *seen = (seen.0 + 1, seen.1.min(case.seed));
        }
    }

    /// How many were refuted.
    pub fn refuted(&self) -> u64 {
        self.all[1]
    }

    /// The counts as Markdown.
    pub fn to_text(&self) -> String {
        let mut text = String::from("| | tables |");
        let mut rule = String::from("\n|---|---:|");
        for verdict in VERDICTS {
            let _ = write!(text, " {verdict} |");
            rule += "---:|";
        }
        text += &rule;
        let mut add = |name: &str, counts: &Counts| {
            let total: u64 = counts.iter().sum();
            let cells: Vec<String> = counts.iter().map(u64::to_string).collect();
            let _ = write!(text, "\n| {name} | {total} | {} |", cells.join(" | "));
        };
        add("**all**", &self.all);
        add("stopped by a limit", &self.stopped);
        for (name, counts) in &self.by_kind {
            add(&format!("kind: {name}"), counts);
        }
        for (name, counts) in &self.by_job {
            add(&format!("learner: {name}"), counts);
        }
        text += "\n\n| how often | what | first seed |\n|---:|---|---|\n";
        let mut reasons: Vec<_> = self.reasons.iter().collect();
        reasons.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        for ((verdict, reason), (count, seed)) in reasons.into_iter().take(30) {
            let reason = reason.replace('|', "\\|");
            let _ = writeln!(text, "| {count} | {verdict}: {reason} | {seed} |");
        }
        text
    }

    /// The counts as JSON.
    pub fn to_json(&self) -> Value {
        let named = |counts: &Counts| -> Value {
            let pairs = VERDICTS.iter().zip(counts);
            let pairs = pairs.map(|(name, count)| (name.replace(' ', "_"), json!(count)));
            Value::Object(pairs.collect())
        };
        let all = |counts: &BTreeMap<&'static str, Counts>| -> Value {
            let pairs = counts
                .iter()
                .map(|(name, counts)| ((*name).to_owned(), named(counts)));
            Value::Object(pairs.collect())
        };
        json!({
            "all": named(&self.all),
            "stopped": named(&self.stopped),
            "kinds": all(&self.by_kind),
            "learners": all(&self.by_job),
        })
    }
}

/// A reason without its numbers, so that the same reasons are counted together.
fn without_figures(reason: &str) -> String {
    let mut text = String::new();
    for letter in reason.lines().next().unwrap_or("").chars().take(160) {
        let is_figure = letter.is_ascii_digit();
        match letter {
            _ if is_figure && text.ends_with('#') => (),
            _ if is_figure => text.push('#'),
            letter if letter.is_control() => text.push(' '),
            letter => text.push(letter),
        }
    }
    text
}
