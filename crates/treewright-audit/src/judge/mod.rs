//! What is said about a case: by the checker, and by learning the same in another way.

pub(crate) mod checker;

use std::panic::{AssertUnwindSafe, catch_unwind};
use treewright::error::ErrorKind;

use serde_json::Value;

use crate::case::Case;
use crate::learn::{Learned, learn};
use crate::setting::{Job, Setting, SizesJob, Stop};

/// What came of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Every claim was confirmed.
    Confirmed,
    /// A claim is false, or something broke.
    Refuted(String),
    /// Something was not checked.
    NotChecked(String),
    /// The learner refused the table or its parameters: nothing is claimed.
    Refused(String),
}

impl Verdict {
    /// Its name in tables of counts.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Refuted(_) => "refuted",
            Self::NotChecked(_) => "not checked",
            Self::Refused(_) => "refused",
        }
    }

    /// Why.
    pub fn reason(&self) -> &str {
        match self {
            Self::Confirmed => "",
            Self::Refuted(why) | Self::NotChecked(why) | Self::Refused(why) => why,
        }
    }
}

/// A case that was learned and judged.
#[derive(Debug)]
pub struct Judged {
    /// What is said about it.
    pub verdict: Verdict,
    /// What was learned, unless that failed.
    pub learned: Option<Learned>,
    /// Did a limit end the work? Known of single trees with a certificate and of families.
    pub is_stopped: bool,
}

/// Learns and judges.
pub fn judge(case: &Case) -> Judged {
    let learned = match caught(|| learn(&case.table, &case.setting)) {
        Ok(Ok(learned)) => learned,
        Ok(Err(error)) if matches!(error.kind(), ErrorKind::Internal(_)) => {
            return only(Verdict::Refuted(error.to_string()));
        }
        Ok(Err(error)) => return only(Verdict::Refused(error.to_string())),
        Err(panic) => return only(Verdict::Refuted(format!("the learner panicked: {panic}"))),
    };
    let verdict = match caught(|| checker::check(&case.table, &learned)) {
        Ok(verdict) => verdict,
        Err(panic) => Verdict::Refuted(format!("the checker panicked: {panic}")),
    };
    let verdict = match (verdict, other_ways(case, &learned)) {
        (Verdict::Refuted(_), Other::SameObjective) => Verdict::NotChecked(LEAVES.into()),
        (Verdict::Refuted(why), _) | (_, Other::Wrong(why)) => Verdict::Refuted(why),
        (verdict, _) => verdict,
    };
    Judged {
        is_stopped: is_stopped(&learned),
        verdict,
        learned: Some(learned),
    }
}

fn only(verdict: Verdict) -> Judged {
    Judged {
        verdict,
        learned: None,
        is_stopped: false,
    }
}

fn is_stopped(learned: &Learned) -> bool {
    if let Some((objective, bound)) = learned.bounds {
        return objective > bound;
    }
    let document = parsed(learned);
    document["certificate"]["exact_down_to"] != 0.0
        && document["certificate"].get("exact_down_to").is_some()
        || document["learner"]["params"]["stopped"] == true
        || document["stopped"] == true
        || document["complete"] == false
}

/// Runs something; if it panics, what it said.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
        text.unwrap_or_else(|| "without a message".into())
    })
}

/// A search that a limit has ended may have the least objective, but not the fewest leaves, unless it says so.
const LEAVES: &str = "a search that was stopped does not say whether its leaves are the fewest";

/// What learning in another way says.
enum Other {
    /// Nothing.
    Nothing,
    /// A search that was stopped has the objective of the whole one, and says that it is the least.
    SameObjective,
    /// Something is wrong.
    Wrong(String),
}

/// Learning the same in another way must give the same, and a limit must not make a bound false.
fn other_ways(case: &Case, learned: &Learned) -> Other {
    let setting = &case.setting;
    let mut plain = setting.clone();
    let mut is_tiny = false;
    if let Job::Optimal(job)
    | Job::OptimalPath(SizesJob { trees: job, .. })
    | Job::OptimalSize(SizesJob { trees: job, .. }) = &mut plain.job
    {
        is_tiny = std::mem::take(&mut job.tiny);
    }
    let is_limited = setting.stop != Stop::Never;
    if !is_tiny && !is_limited && setting.threads == 1 {
        return Other::Nothing;
    }
    plain.threads = 1;
    plain.stop = Stop::Never;
    let whole = match caught(|| learn(&case.table, &plain)) {
        Ok(Ok(whole)) => whole,
        Ok(Err(error)) => return Other::Wrong(format!("refused without limits: {error}")),
        Err(panic) => return Other::Wrong(format!("panicked without limits: {panic}")),
    };
    if !is_limited {
        let is_same = without_seconds(learned) == without_seconds(&whole);
        return if is_same {
            Other::Nothing
        } else {
            Other::Wrong(differs(setting).to_owned())
        };
    }
    let (Some((objective, bound)), Some((best, _))) = (learned.bounds, whole.bounds) else {
        return Other::Nothing;
    };
    let is_of_family = matches!(&setting.job, Job::OptimalSize(job) if !job.alone);
    if is_growth(&setting.job) || is_of_family {
        // A tree whose growth was stopped has other prunings, and a family other sizes.
        return Other::Nothing;
    }
    let document = parsed(learned);
    let certificate = &document["certificate"];
    let slack = certificate["tolerance"].as_f64().unwrap_or(0.0) + 1e-12 * best.abs();
    if bound > best + slack {
        Other::Wrong(format!(
            "the lower bound {bound} is above the optimum {best}"
        ))
    } else if objective < best - slack {
        Other::Wrong(format!("{objective} is below the optimum {best}"))
    } else if objective == best && bound == best && certificate.get("fewest_leaves").is_none() {
        Other::SameObjective
    } else {
        Other::Nothing
    }
}

fn is_growth(job: &Job) -> bool {
    matches!(job, Job::Greedy(_) | Job::Prune(_) | Job::PrunePath(_))
}

fn differs(setting: &Setting) -> &'static str {
    match setting.threads {
        1 => "tiny sizes of work change the result",
        _ => "the number of threads (or tiny sizes of work) changes the result",
    }
}

/// The document of what was learned.
pub(crate) fn parsed(learned: &Learned) -> Value {
    serde_json::from_str(&learned.document).unwrap_or_default()
}

fn without_seconds(learned: &Learned) -> Value {
    let mut document = parsed(learned);
    for place in ["/seconds", "/training/seconds", "/search/seconds"] {
        if let Some(seconds) = document.pointer_mut(place) {
            *seconds = Value::Null;
        }
    }
    document
}
