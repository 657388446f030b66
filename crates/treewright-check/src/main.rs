//! `treewright-check MODEL|FAMILY DATA [--proof FILE] [--json] [--work N]`
//!
//! Exit code 0: all claims confirmed; 1: something refuted or unreadable; 2: the command line cannot be parsed; 3: something
//! not checked.

use std::io::Write;
use std::process::ExitCode;

use treewright_check::{Report, Table, WORK, check};

const USAGE: &str = "usage: treewright-check MODEL|FAMILY DATA [--proof FILE] [--json] [--work N]";

const HELP: &str = "
Confirms or refutes what a model, a family or the result of a search over features claims about a table.

  --proof FILE  the proof that the program wrote with the model
  --json        one JSON document instead of lines
  --work N      stops after N steps and reports what was not checked

Exit code 0: all claims confirmed; 1: something refuted or unreadable; 2: wrong call; 3: something not checked.";

struct Arguments {
    model: String,
    data: String,
    proof: Option<String>,
    json: bool,
    work: u64,
}

fn main() -> ExitCode {
    if std::env::args().any(|word| word == "--help" || word == "-h") {
        println!("{USAGE}\n{HELP}");
        return ExitCode::SUCCESS;
    }
    // What came of a fault is in the report.
    std::panic::set_hook(Box::new(|_| {}));
    let Some(arguments) = arguments(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let report = match run(&arguments) {
        Ok(report) => report,
        Err(fault) => {
            eprintln!("error: {}", fault.escape_debug());
            return ExitCode::from(1);
        }
    };
    let text = if arguments.json {
        report.to_json()
    } else {
        report.to_string()
    };
    if let Err(error) = writeln!(std::io::stdout(), "{text}") {
        eprintln!("error: standard output: {error}");
        return ExitCode::from(1);
    }
    ExitCode::from(report.exit_code())
}

fn arguments(mut texts: impl Iterator<Item = String>) -> Option<Arguments> {
    let (mut files, mut proof, mut json, mut work) = (Vec::new(), None, false, WORK);
    while let Some(text) = texts.next() {
        match &*text {
            "--proof" => proof = Some(texts.next()?),
            "--work" => work = texts.next()?.parse().ok()?,
            "--json" => json = true,
            _ if text.starts_with("--") => return None,
            _ => files.push(text),
        }
    }
    let [model, data] = files.try_into().ok()?;
    Some(Arguments {
        model,
        data,
        proof,
        json,
        work,
    })
}

fn run(arguments: &Arguments) -> Result<Report, String> {
    let read = |path: &String| {
        if path.to_lowercase().ends_with(".gz") {
            return Err(format!(
                "{path}: unpack it first (plain CSV, TSV and JSON are read)"
            ));
        }
        std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))
    };
    let model = read(&arguments.model)?;
    let text = read(&arguments.data)?;
    let ending = std::path::Path::new(&arguments.data).extension();
    let ending = ending.map(|ending| ending.to_string_lossy().to_lowercase());
    let separator = match ending.as_deref() {
        Some("tsv") => '\t',
        Some("csv") => ',',
        _ => Table::separator_of(&text),
    };
    let table = Table::from_text(&text, separator)
        .map_err(|fault| format!("{}: {fault}", arguments.data))?;
    let proof = arguments.proof.as_ref().map(read).transpose()?;
    Ok(check(&model, &table, proof.as_deref(), arguments.work))
}
