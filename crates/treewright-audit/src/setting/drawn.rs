//! Learners and their parameters, drawn.

use fastrand::Rng;

use super::{DyadicJob, GreedyJob, Job, OptimalJob, PruneJob, Rules, Setting, SizesJob, Stop};
use crate::dice::{chance, pick};
use crate::table::Table;
use crate::table::kinds::Kind;

/// Draws what is learned from a table of a kind. Without a name of a job, that is drawn as well.
pub(crate) fn draw(kind: Kind, table: &Table, job: Option<&str>, dice: &mut Rng) -> Setting {
    let (n_rows, n_features) = (table.rows.len(), table.n_features());
    let job = job.unwrap_or_else(|| draw_name(kind, dice));
    let job = match job {
        "optimal" => Job::Optimal(optimal(kind, table, dice)),
        "optimal-path" => Job::OptimalPath(sizes(kind, table, dice)),
        "optimal-size" => Job::OptimalSize(sizes(kind, table, dice)),
        "dyadic" => Job::Dyadic(dyadic(n_rows, n_features, false, dice)),
        "dyadic-path" => Job::DyadicPath(dyadic(n_rows, n_features, true, dice)),
        "greedy" => Job::Greedy(greedy(kind, dice)),
        "prune" => Job::Prune(prune(kind, dice)),
        "prune-path" => Job::PrunePath(prune(kind, dice)),
        "select" => Job::Select(searched(greedy(kind, dice), dice)),
        _ => Job::Distinct(searched(greedy(kind, dice), dice)),
    };
    let stop = match dice.u32(..100) {
        0..=13 => Stop::Looks(dice.u64(..4)),
        14..=21 => Stop::Looks(dice.u64(..40)),
        22..=23 => Stop::Micros(dice.u64(..500)),
        24..=29 => Stop::Bytes(pick(dice, &[0, 1000, 20_000, 100_000, 250_000])),
        _ => Stop::Never,
    };
    // How far two threads are when a limit ends their work nobody knows.
    let is_alone = stop != Stop::Never || chance(dice, 75);
    Setting {
        job,
        stop,
        threads: if is_alone { 1 } else { 2 },
    }
}

fn draw_name(kind: Kind, dice: &mut Rng) -> &'static str {
    match kind {
        Kind::Numbers => return pick(dice, &["greedy", "prune", "prune-path"]),
        Kind::Large => return "optimal",
        _ => (),
    }
    let total: u32 = Job::ALL.iter().map(|(_, share)| share).sum();
    let mut at = dice.u32(..total);
    for (name, share) in Job::ALL {
        if at < share {
            return name;
        }
        at -= share;
    }
    "optimal"
}

/// A weight of the penalty.
fn weight(dice: &mut Rng) -> String {
    match dice.u32(..10) {
        0 => "0".into(),
        1 => pick(dice, &["0.01", "0.1", "1e-3", "0.5", "1"]).into(),
        2..=4 => format!("{}/{}", dice.u32(0..6), dice.u32(1..60)),
        5 => format!("1/{}", dice.u32(3..1000)),
        6 => pick(dice, &["1e-9", "0.0123456789", "100", "1e-300", "2/3"]).into(),
        _ => format!("0.{:03}", dice.u32(0..300)),
    }
}

fn optimal(kind: Kind, table: &Table, dice: &mut Rng) -> OptimalJob {
    let (n_rows, n_features) = (table.rows.len(), table.n_features());
    let depth = match n_rows {
        200.. => pick(dice, &[1, 2]),
        60.. => pick(dice, &[1, 2, 2]),
        0..=12 if n_features <= 2 => pick(dice, &[0, 1, 2, 2, 3, 4]),
        0..=25 => pick(dice, &[0, 1, 1, 2, 2, 2, 3]),
        _ => pick(dice, &[0, 1, 1, 2, 2, 2]),
    };
    let most = pick(
        dice,
        &[
            Some(1),
            Some(2),
            Some(2),
            Some(2),
            Some(3),
            Some(4),
            None,
            None,
        ],
    );
    let min_leaf_weight = if kind != Kind::Large && chance(dice, 6) {
        pick(dice, &[0.05, 0.1, 0.25, 0.5])
    } else {
        0.0
    };
    let has_least_rows = kind != Kind::Large && min_leaf_weight == 0.0 && chance(dice, 20);
    OptimalJob {
        depth,
        intervals: if kind == Kind::Large { Some(2) } else { most },
        min_leaf: if has_least_rows { dice.usize(2..6) } else { 1 },
        min_leaf_weight,
        categorical_splits: pick(dice, &["grouped", "grouped", "one-vs-rest", "multiway"]).into(),
        rules: if kind != Kind::Large && chance(dice, 25) {
            rules(&table.features(), dice)
        } else {
            Rules::default()
        },
        leaf_cost: if chance(dice, 50) {
            "0".into()
        } else {
            weight(dice)
        },
        tiny: kind != Kind::Large && chance(dice, 40),
        min_class_share: class_share(kind, dice),
    }
}

/// The least share of the class of a leaf, for a few settings. It takes time where it matters.
fn class_share(kind: Kind, dice: &mut Rng) -> String {
    if matches!(kind, Kind::Large | Kind::Numbers) || !chance(dice, 8) {
        return String::new();
    }
    pick(dice, &["0.5", "0.6", "2/3", "0.75", "0.9", "1"]).into()
}

/// Some of the features, in any order.
fn some(features: &[String], n: usize, dice: &mut Rng) -> Vec<String> {
    let mut features = features.to_vec();
    dice.shuffle(&mut features);
    features.truncate(n);
    features
}

/// Rules about the features on a path, of one kind or several.
fn rules(features: &[String], dice: &mut Rng) -> Rules {
    let mut rules = Rules::default();
    if features.len() > 1 && chance(dice, 50) {
        for _ in 0..dice.usize(1..3) {
            let n = dice.usize(2..=features.len());
            let mut group = some(features, n, dice);
            group.sort_unstable();
            rules.interactions.push(group);
        }
        rules.interactions.sort_unstable();
        rules.interactions.dedup();
    }
    if features.len() > 1 && chance(dice, 50) {
        for _ in 0..dice.usize(1..4) {
            rules.not_above.push(some(features, 2, dice));
        }
        rules.not_above.sort_unstable();
        rules.not_above.dedup();
    }
    if chance(dice, 40) {
        let n = dice.usize(1..=features.len());
        rules.root_only = some(features, n, dice);
    }
    rules
}

fn sizes(kind: Kind, table: &Table, dice: &mut Rng) -> SizesJob {
    let n_rows = table.rows.len();
    let mut trees = optimal(kind, table, dice);
    trees.intervals = trees.intervals.map(|most| most.max(2));
    if n_rows > 60 {
        // Hundreds of classes, and as many intervals, take minutes.
        trees.intervals.get_or_insert(3);
    }
    trees.leaf_cost = "0".into();
    let (penalty, values) = penalty(30, dice);
    let aim = if chance(dice, 50) {
        ("leaves", dice.usize(1..9).to_string())
    } else {
        ("lambda", weight(dice))
    };
    SizesJob {
        trees,
        penalty,
        table: values,
        aim: (aim.0.into(), aim.1),
        alone: chance(dice, 50),
    }
}

/// A penalty that is not linear, so often, and the values of a table.
fn penalty(percent: u32, dice: &mut Rng) -> (String, Vec<String>) {
    if !chance(dice, percent) {
        return ("linear".into(), Vec::new());
    }
    let names = [
        "sqrt",
        "log",
        "power:0.7",
        "power:2",
        "power:1",
        "power:1/3",
        "table",
    ];
    let name = pick(dice, &names);
    let mut values = Vec::new();
    if name == "table" {
        let mut sum = dice.i64(-3..4);
        for _ in 0..400 {
            sum += dice.i64(1..8);
            values.push(if chance(dice, 30) {
                format!("{sum}/10")
            } else {
                decimal(sum)
            });
        }
    }
    (name.into(), values)
}

/// A tenth of a whole number.
fn decimal(tenths: i64) -> String {
    let sign = if tenths < 0 { "-" } else { "" };
    format!("{sign}{}.{}", tenths.abs() / 10, tenths.abs() % 10)
}

fn dyadic(n_rows: usize, n_features: usize, is_path: bool, dice: &mut Rng) -> DyadicJob {
    // Staircases and the recursions of the paper visit far more than the others.
    let is_small = n_rows <= 25 && n_features <= 3;
    let (penalty, table) = penalty(if is_small { 30 } else { 5 }, dice);
    let is_linear = penalty == "linear";
    let most_k = if is_small { 6 } else { 3 };
    let k = match dice.u32(..10) {
        0..=4 => "auto".into(),
        5 => {
            let each: Vec<String> = (0..n_features)
                .map(|_| dice.usize(0..=most_k).to_string())
                .collect();
            each.join(",")
        }
        6 if is_small => dice.usize(7..24).to_string(),
        _ => dice.usize(0..=most_k).to_string(),
    };
    let aim = match dice.u32(..10) {
        0..=4 => ("lambda", weight(dice)),
        5..=7 => (
            "kappa",
            pick(dice, &["2", "1", "0.5", "1/3", "3", "0", "0.7"]).into(),
        ),
        _ if is_small => ("leaves", dice.usize(1..9).to_string()),
        _ => ("leaves", dice.usize(1..4).to_string()),
    };
    let is_free = is_linear && aim.0 != "leaves";
    let is_coarse = is_small && k.parse::<u32>().is_ok_and(|k| k <= 3);
    let model = pick(dice, &["collapsed", "collapsed", "boxed"]);
    // One coordinate for each category: the sets of rows that halvings can leave grow without bound.
    let is_easy = n_rows <= 12;
    let codings = ["share", "share", "order", "one-vs-rest"];
    let coding = pick(dice, &codings[..if is_easy { 4 } else { 3 }]);
    let search = match (is_path, dice.u32(..10)) {
        (false, 0..=2) if is_free && model == "collapsed" => "bnb",
        (false, 3) if is_free && is_coarse => "mrp",
        (false, 4) if is_free && is_coarse => "mr",
        (false, _) => "auto",
        (true, 0) if is_linear => "grid",
        (true, 1) if is_linear => "adaptive",
        (true, 2) if is_linear && is_coarse => "heuristic",
        (true, _) => "hull",
    };
    let grid_box = match dice.u32(..20) {
        0..=7 => "quantile",
        8 => pick(dice, &["-64:64", "-1000:3000", "-1e9:1e9"]),
        _ => "",
    };
    DyadicJob {
        k,
        grid_box: grid_box.into(),
        model: model.into(),
        coding: coding.into(),
        snap: if grid_box != "quantile" && chance(dice, 12) {
            pick(dice, &[0.001, 0.01, 0.1, 0.2])
        } else {
            0.0
        },
        penalty,
        table,
        ties: if chance(dice, 15) {
            "larger"
        } else {
            "smaller"
        }
        .into(),
        aim: (aim.0.into(), aim.1),
        search: search.into(),
        collinear: is_path && search == "hull" && is_small && chance(dice, 20),
    }
}

fn greedy(kind: Kind, dice: &mut Rng) -> GreedyJob {
    let criterion = if kind == Kind::Numbers {
        pick(dice, &["mse", "mse", "mae"])
    } else {
        pick(dice, &["gini", "entropy", "gain-ratio", "error"])
    };
    GreedyJob {
        criterion: criterion.into(),
        max_depth: match kind {
            Kind::Large => Some(3),
            _ => pick(dice, &[None, None, Some(1), Some(2), Some(3), Some(5)]),
        },
        min_leaf: pick(dice, &[1, 1, 1, 2, 3]),
        missing: pick(
            dice,
            &["distribute", "distribute", "branch", "majority", "learned"],
        )
        .into(),
        categorical_splits: pick(dice, &["multiway", "one-vs-rest", "grouped"]).into(),
        zero_gain: chance(dice, 25),
        min_class_share: class_share(kind, dice),
    }
}

/// The settings of searches over subsets: mostly the usual ones of the program.
fn searched(job: GreedyJob, dice: &mut Rng) -> GreedyJob {
    if chance(dice, 50) {
        // These searches do not know the rule.
        return GreedyJob {
            min_class_share: String::new(),
            ..job
        };
    }
    GreedyJob {
        criterion: "entropy".into(),
        max_depth: None,
        min_leaf: 1,
        missing: "distribute".into(),
        categorical_splits: "multiway".into(),
        zero_gain: false,
        min_class_share: String::new(),
    }
}

fn prune(kind: Kind, dice: &mut Rng) -> PruneJob {
    let (penalty, table) = penalty(45, dice);
    let aim = match dice.u32(..10) {
        0..=5 => ("lambda", weight(dice)),
        6..=7 => ("leaves", dice.usize(1..9).to_string()),
        _ => ("max-cost", format!("0.{:02}", dice.u32(0..60))),
    };
    PruneJob {
        greedy: greedy(kind, dice),
        method: match penalty.as_str() {
            _ if aim.0 != "lambda" => "auto",
            "linear" | "power:1" => pick(dice, &["auto", "additive", "family", "table"]),
            "sqrt" | "log" => pick(dice, &["auto", "family", "table"]),
            _ => "auto",
        }
        .into(),
        penalty,
        table,
        cost: if chance(dice, 15) {
            "impurity"
        } else {
            "error"
        }
        .into(),
        aim: (aim.0.into(), aim.1),
    }
}
