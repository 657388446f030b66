//! Figures of quality in reports: pooled over rows left out, and the same as those of `score`.

use serde_json::Value;

use crate::learn::dyadic::with_table;

fn members(report: &Value) -> impl Iterator<Item = &Value> {
    let families = report["families"].as_array().unwrap();
    families
        .iter()
        .flat_map(|family| family["members"].as_array().unwrap())
}

#[test]
fn rows_left_out_are_answered_by_the_trees_that_have_not_seen_them() {
    for table in ["titanic.csv", "prices.csv"] {
        let folder = with_table(table);
        let report = folder.json(&["explore", "data.csv", "--json", "--quiet", "--folds", "5"]);
        assert_eq!(report["judged_on"], "left_out");
        let rows = report["table"]["weight"].as_f64().unwrap();
        let mut n_judged = 0;
        for member in members(&report) {
            let quality = &member["quality"];
            if quality.is_null() {
                continue;
            }
            n_judged += 1;
            let error = member["cv_error"].as_f64().unwrap();
            if table == "prices.csv" {
                let mse = quality["mse"].as_f64().unwrap();
                assert!((mse - error).abs() <= 1e-9 * error, "{mse}, not {error}");
            } else {
                assert_eq!(quality["error"].as_f64(), Some(error));
                let cells = quality["confusion"].as_array().unwrap();
                let cells = cells.iter().flat_map(|row| row.as_array().unwrap());
                let sum: f64 = cells.map(|cell| cell.as_f64().unwrap()).sum();
                assert_eq!(sum, rows);
                assert_eq!(quality["ranking"]["positive"], "yes");
            }
        }
        assert!(n_judged > 3, "{table}: {n_judged}");
    }
}

#[test]
fn rows_stay_out_of_a_report_if_asked() {
    let folder = with_table("titanic.csv");
    folder.done(&["fit", "greedy", "data.csv", "-o", "model.json"]);
    for command in [
        &["explore", "data.csv", "--budget", "5s"][..],
        &["report", "model.json", "data.csv"],
    ] {
        let run = folder.run(&[command, &["-o", "open.html"]].concat());
        assert!(run.stderr.contains("--no-rows leaves them out"), "{run:?}");
        let run = folder.run(&[command, &["-o", "closed.html", "--no-rows"]].concat());
        assert!(!run.stderr.contains("--no-rows"), "{run:?}");
        assert!(folder.read("open.html").contains("\"sample\":{"));
        assert!(folder.read("closed.html").contains("\"sample\":null"));
        let report = folder.json(&[command, &["--json", "--quiet", "--no-rows"]].concat());
        assert!(report["sample"].is_null());
        assert!(members(&report).any(|member| !member["quality"].is_null()));
    }
}

#[test]
fn a_report_on_a_model_has_the_figures_of_score() {
    for table in ["titanic.csv", "prices.csv"] {
        let folder = with_table(table);
        folder.done(&[
            "fit",
            "greedy",
            "data.csv",
            "--max-depth",
            "4",
            "-o",
            "model.json",
        ]);
        let report = folder.json(&["report", "model.json", "data.csv", "--json", "--quiet"]);
        assert_eq!(report["judged_on"], "rows");
        let score = folder.json(&["score", "model.json", "data.csv", "--json"]);
        let quality = members(&report).next().unwrap()["quality"].clone();
        let figures = quality.as_object().unwrap();
        assert!(figures.len() > 5, "{figures:?}");
        for (name, figure) in figures {
            assert_eq!(figure, &score[name], "{table}: {name}");
        }
    }
}
