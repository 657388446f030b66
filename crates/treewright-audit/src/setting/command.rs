//! The command line that repeats a case with the program.

use super::{DyadicJob, GreedyJob, Job, OptimalJob, PruneJob, Rules, Setting, SizesJob, Stop};
use crate::table::{Table, in_shell, quoted};

/// The command lines, and what no command line can say.
pub fn command(table: &Table, setting: &Setting) -> String {
    let file = table.file();
    let reading = table.arguments();
    let mut notes = Vec::new();
    let limit = match setting.stop {
        Stop::Never => String::new(),
        Stop::Looks(looks) => {
            notes.push(format!("stopped after {looks} looks at the budget"));
            String::new()
        }
        Stop::Micros(micros) => format!(" --time-limit {}ms", micros as f64 / 1000.0),
        Stop::Bytes(bytes) => format!(" --memory-limit {bytes}"),
    };
    let end = format!("{reading}{limit} --threads {} --json", setting.threads);
    let text = match &setting.job {
        Job::Optimal(job) => {
            let params = optimal(job, &mut notes);
            let leaf_cost = &job.leaf_cost;
            format!("treewright fit optimal {file}{params} --leaf-cost {leaf_cost}{end}")
        }
        Job::OptimalPath(job) => sizes(job, file, &end, &mut notes),
        Job::OptimalSize(job) => {
            let (aim, value) = &job.aim;
            if job.alone {
                let params = optimal(&job.trees, &mut notes);
                let penalty = match aim.as_str() {
                    "lambda" => format!(" --penalty {}", penalty(&job.penalty)),
                    _ => String::new(),
                };
                let text =
                    format!("treewright fit optimal {file}{params} --{aim} {value}{penalty}{end}");
                return with_notes(text, notes);
            }
            let family = sizes(job, file, &end, &mut notes);
            format!("{family} > family.json\ntreewright prune family.json --{aim} {value} --json")
        }
        Job::Dyadic(job) => {
            let ((aim, value), search) = (&job.aim, &job.search);
            let params = dyadic(job);
            format!("treewright fit dyadic {file} --{aim} {value} --solver {search}{params}{end}")
        }
        Job::DyadicPath(job) => {
            let collinear = if job.collinear { " --collinear" } else { "" };
            let (params, search) = (dyadic(job), &job.search);
            format!("treewright path dyadic {file} --method {search}{collinear}{params}{end}")
        }
        Job::Greedy(job) => format!("treewright fit greedy {file}{}{end}", greedy(job)),
        Job::Prune(job) => {
            let (aim, value) = &job.aim;
            let (grown, params) = (greedy(&job.greedy), prune(job));
            format!(
                "treewright fit greedy {file}{grown}{end} > grown.json\n\
                 treewright prune grown.json --{aim} {value}{params} --json"
            )
        }
        Job::PrunePath(job) => {
            let (grown, params) = (greedy(&job.greedy), prune(job));
            format!("treewright path greedy {file}{grown}{params}{end}")
        }
        Job::Select(job) => format!("treewright select complete {file}{}{end}", greedy(job)),
        Job::Distinct(job) => format!("treewright distinct {file}{}{end}", greedy(job)),
    };
    with_notes(text, notes)
}

fn with_notes(text: String, notes: Vec<String>) -> String {
    notes
        .into_iter()
        .fold(text, |text, note| format!("{text}\n# {note}"))
}

fn optimal(job: &OptimalJob, notes: &mut Vec<String>) -> String {
    if job.min_leaf_weight > 0.0 {
        notes.push(format!(
            "at least {} of all weight in a leaf",
            job.min_leaf_weight
        ));
    }
    if job.tiny {
        notes.push("with tiny sizes of work".into());
    }
    let intervals = job.intervals.map_or("auto".into(), |most| most.to_string());
    format!(
        " --depth {} --intervals {intervals} --categorical-splits {} --min-leaf {}{}{}",
        job.depth,
        job.categorical_splits,
        job.min_leaf,
        rules(&job.rules),
        class_share(&job.min_class_share)
    )
}

fn rules(rules: &Rules) -> String {
    let list = |names: &Vec<String>| {
        let quoted = names.iter().map(|name| quoted(name, ','));
        quoted.collect::<Vec<String>>().join(",")
    };
    let groups = |groups: &[Vec<String>]| groups.iter().map(list).collect::<Vec<_>>().join(";");
    let of = [
        ("interactions", groups(&rules.interactions)),
        ("root-only", list(&rules.root_only)),
        ("not-above", groups(&rules.not_above)),
    ];
    let given = of.iter().filter(|(_, names)| !names.is_empty());
    let words = given.map(|(name, names)| format!(" --{name} {}", in_shell(names)));
    words.collect::<Vec<String>>().concat()
}

fn sizes(job: &SizesJob, file: &str, end: &str, notes: &mut Vec<String>) -> String {
    let params = optimal(&job.trees, notes);
    let penalty = penalty(&job.penalty);
    format!("treewright path optimal {file}{params} --penalty {penalty}{end}")
}

fn dyadic(job: &DyadicJob) -> String {
    let ties = if job.ties == "larger" {
        " --ties larger"
    } else {
        ""
    };
    let grid_box = match job.grid_box.as_str() {
        "" => String::new(),
        name => format!(" --box {name}"),
    };
    format!(
        " --k {}{grid_box} --model {} --coding {} --snap {} --penalty {}{ties}",
        job.k,
        job.model,
        job.coding,
        job.snap,
        penalty(&job.penalty)
    )
}

fn penalty(name: &str) -> &str {
    if name == "table" {
        "table:penalty.txt"
    } else {
        name
    }
}

fn greedy(job: &GreedyJob) -> String {
    let depth = job
        .max_depth
        .map_or(String::new(), |depth| format!(" --max-depth {depth}"));
    let zero_gain = if job.zero_gain { " --zero-gain" } else { "" };
    format!(
        " --criterion {}{depth} --min-leaf {} --missing {} --categorical-splits {}{zero_gain}{}",
        job.criterion,
        job.min_leaf,
        job.missing,
        job.categorical_splits,
        class_share(&job.min_class_share)
    )
}

fn class_share(share: &str) -> String {
    match share {
        "" => String::new(),
        share => format!(" --min-class-share {share}"),
    }
}

fn prune(job: &PruneJob) -> String {
    let penalty = penalty(&job.penalty);
    format!(
        " --penalty {penalty} --cost {} --method {}",
        job.cost, job.method
    )
}
