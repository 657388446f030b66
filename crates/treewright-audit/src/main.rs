//! `treewright-audit`: draws tables, learns, and asks the checker.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use treewright_audit::{
    Case, Job, Judged, Kind, Lies, Outcome, Plan, Verdict, command, judge, run,
};

const USAGE: &str = "\
usage: treewright-audit [--tables N] [--seed S] [--only KIND] [--learner L] [--jobs J] [--failures DIR] [--falsify] [--falsify-every N] [--record FILE] [--json]
       treewright-audit --one SEED [--only KIND] [--learner L]
       treewright-audit --case FILE";

/// More falsehoods that were believed are not printed.
const MOST_SHOWN: usize = 20;

/// What was asked for.
#[derive(Default)]
struct Asked {
    tables: Option<u64>,
    seed: Option<u64>,
    kind: Option<Kind>,
    job: Option<String>,
    workers: Option<usize>,
    failures: Option<PathBuf>,
    one: Option<u64>,
    case: Option<PathBuf>,
    /// One of this many confirmed cases is falsified.
    falsify: Option<u64>,
    record: Option<PathBuf>,
    json: bool,
}

fn main() -> ExitCode {
    match asked(std::env::args().skip(1)).and_then(|asked| done(&asked)) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

fn asked(mut words: impl Iterator<Item = String>) -> Result<Asked, String> {
    let mut asked = Asked::default();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value\n{USAGE}"));
        match word.as_str() {
            "--tables" => asked.tables = Some(number(&value()?)?),
            "--seed" => asked.seed = Some(number(&value()?)?),
            "--only" => {
                let name = value()?;
                let kinds: Vec<&str> = Kind::ALL.iter().map(|(_, name, _)| *name).collect();
                let unknown = || format!("{name:?} is no kind, expected {}", kinds.join(", "));
                asked.kind = Some(Kind::of(&name).ok_or_else(unknown)?);
            }
            "--learner" => {
                let name = value()?;
                let jobs: Vec<&str> = Job::ALL.iter().map(|(name, _)| *name).collect();
                if !jobs.contains(&name.as_str()) {
                    return Err(format!(
                        "{name:?} is no learner, expected {}",
                        jobs.join(", ")
                    ));
                }
                asked.job = Some(name);
            }
            "--jobs" => asked.workers = Some(number(&value()?)? as usize),
            "--failures" => asked.failures = Some(value()?.into()),
            "--one" => asked.one = Some(number(&value()?)?),
            "--case" => asked.case = Some(value()?.into()),
            "--falsify" => asked.falsify = Some(1),
            "--falsify-every" => asked.falsify = Some(number(&value()?)?.max(1)),
            "--record" => asked.record = Some(value()?.into()),
            "--json" => asked.json = true,
            _ => return Err(format!("unknown option {word}\n{USAGE}")),
        }
    }
    Ok(asked)
}

fn number(text: &str) -> Result<u64, String> {
    let number = text.replace('_', "").parse();
    number.map_err(|_| format!("{text:?} is not a whole number"))
}

fn done(asked: &Asked) -> Result<ExitCode, String> {
    // Panics are verdicts, and say where they come from.
    std::panic::set_hook(Box::new(|panic| eprintln!("audit: {panic}")));
    if let Some(seed) = asked.one {
        return Ok(single(&Case::draw(seed, asked.kind, asked.job.as_deref())));
    }
    if let Some(path) = &asked.case {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
        return Ok(single(&Case::from_text(&text)?));
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let plan = Plan {
        tables: asked.tables.unwrap_or(3000),
        seed: asked.seed.unwrap_or(1),
        kind: asked.kind,
        job: asked.job.clone(),
        workers: asked.workers.unwrap_or(cores).max(1),
    };
    let start = Instant::now();
    let lies = Mutex::new(Lies::default());
    let watch = |case: &Case, judged: &Judged| {
        if asked
            .falsify
            .is_some_and(|every| case.seed.is_multiple_of(every))
        {
            let told = Lies::tell(case, judged);
            lies.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .add(told);
        }
    };
    let outcome = run(&plan, &watch);
    let lies = lies.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut text = outcome.tally.to_text();
    if asked.falsify.is_some() {
        text = format!("{text}\n{}", lies.to_text());
    }
    if asked.json {
        println!("{}", outcome.tally.to_json());
    } else {
        println!("{text}");
    }
    if let Some(path) = &asked.record {
        let head = format!(
            "# Audit\n\n`treewright-audit --tables {} --seed {}`, {:.0} s on {} threads.\n\n",
            plan.tables,
            plan.seed,
            start.elapsed().as_secs_f64(),
            plan.workers
        );
        std::fs::write(path, head + &text)
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let folder = asked
        .failures
        .as_deref()
        .unwrap_or(Path::new("target/audit"));
    report(&outcome, folder)?;
    for (case, said, document) in lies.believed.iter().take(MOST_SHOWN) {
        eprintln!(
            "a falsehood was not refuted, {said}\n{}{document}\n",
            case.to_text(said)
        );
    }
    Ok(
        if outcome.tally.refuted() > 0 || !lies.believed.is_empty() {
            ExitCode::FAILURE
        } else {
            ExitCode::SUCCESS
        },
    )
}

/// One case, in full.
fn single(case: &Case) -> ExitCode {
    // The case comes first: the rest may take long.
    println!("{}", case.to_text("not known yet"));
    println!("{}", command(&case.table, &case.setting));
    let judged = judge(case);
    if let Some(learned) = &judged.learned {
        println!("{}", learned.document);
    }
    println!("{} {}", judged.verdict.name(), judged.verdict.reason());
    ExitCode::from(u8::from(matches!(judged.verdict, Verdict::Refuted(_))))
}

/// Prints the cases that failed, and writes each to a file.
fn report(outcome: &Outcome, folder: &Path) -> Result<(), String> {
    for (case, verdict) in &outcome.failures {
        let text = case.to_text(&format!("refuted: {}", verdict.reason()));
        let path = folder.join(format!("{}.case", case.seed));
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, &text))
            .map_err(|error| format!("{}: {error}", path.display()))?;
        eprintln!("{}:\n{text}", path.display());
    }
    Ok(())
}
