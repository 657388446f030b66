//! What came of checking.

use std::cell::Cell;
use std::fmt;

/// What is known about a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Confirmed,
    /// It is false; what was found instead.
    Refuted(String),
    /// Nothing is known; why.
    NotChecked(String),
}

/// More work or memory than allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLarge;

/// Takes steps from the work that is left.
pub(crate) fn spend(work: &Cell<u64>, steps: usize) -> Result<(), TooLarge> {
    work.set(work.get().checked_sub(steps as u64).ok_or(TooLarge)?);
    Ok(())
}

/// A claim and what is known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What is claimed.
    pub name: String,
    /// What is known about it.
    pub verdict: Verdict,
}

/// All claims of a document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// The checks, in the order in which they were made.
    pub checks: Vec<Check>,
}

impl Report {
    pub(crate) fn add(&mut self, name: impl Into<String>, verdict: Verdict) {
        let name = name.into();
        self.checks.push(Check { name, verdict });
    }

    pub(crate) fn result(&mut self, name: impl Into<String>, result: Result<(), String>) -> bool {
        let ok = result.is_ok();
        self.add(
            name,
            result.map_or_else(Verdict::Refuted, |()| Verdict::Confirmed),
        );
        ok
    }

    /// Refuted if any claim is, else not checked if any is not, else confirmed.
    pub fn verdict(&self) -> Verdict {
        let find = |is_wanted: fn(&Verdict) -> bool| {
            let found = self.checks.iter().find(|check| is_wanted(&check.verdict));
            found.map(|check| (check.name.clone(), check.verdict.clone()))
        };
        let refuted = find(|verdict| matches!(verdict, Verdict::Refuted(_)));
        let not_checked = find(|verdict| matches!(verdict, Verdict::NotChecked(_)));
        match (refuted, not_checked) {
            (Some((name, Verdict::Refuted(what))), _) => {
                Verdict::Refuted(format!("{name}: {what}"))
            }
            (_, Some((name, Verdict::NotChecked(why)))) => {
                Verdict::NotChecked(format!("{name}: {why}"))
            }
            _ => Verdict::Confirmed,
        }
    }

    /// 0 if all is confirmed, 1 if something is refuted, 3 if something is not checked.
    pub fn exit_code(&self) -> u8 {
        match self.verdict() {
            Verdict::Confirmed => 0,
            Verdict::Refuted(_) => 1,
            Verdict::NotChecked(_) => 3,
        }
    }

    /// As a JSON document.
    pub fn to_json(&self) -> String {
        let of = |verdict: &Verdict| match verdict {
            Verdict::Confirmed => ("confirmed", None),
            Verdict::Refuted(what) => ("refuted", Some(what.clone())),
            Verdict::NotChecked(why) => ("not checked", Some(why.clone())),
        };
        let check = |check: &Check| {
            let (verdict, detail) = of(&check.verdict);
            serde_json::json!({"name": check.name, "verdict": verdict, "detail": detail})
        };
        let (verdict, detail) = of(&self.verdict());
        let checks: Vec<_> = self.checks.iter().map(check).collect();
        serde_json::json!({"verdict": verdict, "detail": detail, "checks": checks}).to_string()
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Confirmed => f.write_str("confirmed"),
            Self::Refuted(what) => write!(f, "refuted: {}", escaped(what)),
            Self::NotChecked(why) => write!(f, "not checked: {}", escaped(why)),
        }
    }
}

/// A line for each check, and the verdict in the last one.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for check in &self.checks {
            writeln!(f, "{}: {}", escaped(&check.name), check.verdict)?;
        }
        write!(f, "{}", self.verdict())
    }
}

/// Texts of files must not control a terminal.
fn escaped(text: &str) -> String {
    let is_plain = |c: char| !c.is_control() && !('\u{200b}'..='\u{206f}').contains(&c);
    let escape = |c: char| {
        if is_plain(c) {
            c.to_string()
        } else {
            c.escape_default().to_string()
        }
    };
    text.chars().map(escape).collect()
}
