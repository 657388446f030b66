//! Every bad input is refused with exit code 1 and one line, and leaves nothing behind.

use std::fmt::Write;

use crate::support::{Folder, TABLE, gzip};

/// `fit greedy` on a table with this content.
#[track_caller]
fn refused_table(content: impl AsRef<[u8]>, beginning: &str) -> String {
    Folder::new()
        .file("data.csv", content)
        .refused(&["fit", "greedy", "data.csv", "-o", "out.json"], beginning)
}

/// `fit greedy` on the usual table with more options.
#[track_caller]
fn refused_options(options: &[&str], beginning: &str) -> String {
    let arguments = [&["fit", "greedy", "data.csv", "-o", "out.json"], options].concat();
    Folder::with_model().refused(&arguments, beginning)
}

#[track_caller]
fn names_all(line: &str, parts: &[&str]) {
    for part in parts {
        assert!(line.contains(part), "{line:?} does not name {part:?}");
    }
}

#[test]
fn missing_file() {
    let folder = Folder::with_model();
    folder.refused(
        &["fit", "greedy", "nowhere.csv", "-o", "out.json"],
        "nowhere.csv: no such file\n",
    );
    folder.refused(
        &["predict", "nowhere.json", "data.csv"],
        "nowhere.json: no such file\n",
    );
    folder.refused(
        &["predict", "model.json", "nowhere.csv", "-o", "out.csv"],
        "nowhere.csv: no such file\n",
    );
    folder.refused(&["show", "nowhere.json"], "nowhere.json: no such file\n");
    folder.refused(
        &["fit", "greedy", "data.csv", "--costs", "nowhere.csv"],
        "nowhere.csv: no such file\n",
    );
}

#[test]
fn a_folder_instead_of_a_file() {
    let folder = Folder::with_model();
    std::fs::create_dir(folder.path("folder.csv")).unwrap();
    let message = "folder.csv: is a folder, expected a file\n";
    folder.refused(&["fit", "greedy", "folder.csv"], message);
    folder.refused(&["show", "folder.csv"], message);
    folder.refused(&["fit", "greedy", "data.csv", "-o", "folder.csv"], message);
}

#[test]
fn no_place_for_the_result() {
    Folder::with_model().refused(
        &["fit", "greedy", "data.csv", "-o", "nowhere/out.json"],
        "nowhere/out.json: there is no such folder\n",
    );
}

#[test]
fn empty_file_and_header_only() {
    refused_table("", "data.csv: ");
    refused_table("\n", "data.csv: ");
    refused_table("age,class\n", "data.csv: ");
    let folder = Folder::new();
    folder.refused_with_input(&["fit", "greedy", "-"], b"", "standard input: ");
    folder
        .file("data.csv.gz", gzip(b""))
        .refused(&["fit", "greedy", "data.csv.gz"], "data.csv.gz: ");
}

#[test]
fn ragged_row() {
    let line = refused_table("a,class\n1,x\n2\n3,y\n", "data.csv: ");
    names_all(&line, &["line 3"]);
    let line = refused_table("a,class\n1,x\n2,y,z\n", "data.csv: ");
    names_all(&line, &["line 3"]);
}

#[test]
fn duplicate_or_empty_column_names() {
    names_all(
        &refused_table("a,a,class\n1,2,x\n", "data.csv: "),
        &["\"a\""],
    );
    refused_table("a,,class\n1,2,x\n", "data.csv: ");
}

#[test]
fn unknown_column_in_each_flag() {
    for flag in [
        "target",
        "features",
        "drop",
        "weight",
        "categorical",
        "numeric",
    ] {
        refused_options(
            &[&format!("--{flag}"), "nobody"],
            &format!("data.csv: {flag}: there is no column \"nobody\""),
        );
    }
    refused_options(
        &["--features", "\"age,sex\""],
        "data.csv: features: there is no column \"age,sex\"",
    );
    refused_options(
        &["--drop", "class", "--target", "class"],
        "data.csv: drop: ",
    );
    refused_options(
        &["--drop", "class"],
        "data.csv: drop: column \"class\" is needed as the target\n",
    );
    refused_options(
        &["--categorical", "age", "--numeric", "age"],
        "data.csv: column \"age\" is listed both as categorical and as numeric\n",
    );
}

#[test]
fn no_features() {
    let message = "data.csv: the table has no features, expected at least one\n";
    refused_table("class\nx\ny\n", message);
    refused_options(&["--features", ""], message);
    refused_options(&["--drop", "age,sex"], message);
    let line = refused_table(
        "age;class\n1;x\n2;y\n",
        "data.csv: the table has no features",
    );
    names_all(&line, &["\"age;class\"", "commas"]);
}

#[test]
fn missing_target_cell() {
    let line = refused_table("a,class\n1,x\n2,\n3,y\n", "data.csv: ");
    names_all(&line, &["row 2", "line 3", "\"class\"", "missing"]);
    let line = refused_table("a,class\n1,x\n2,y\n3,NA\n", "data.csv: ");
    names_all(&line, &["row 3", "\"class\""]);
}

#[test]
fn not_utf8_and_nul_bytes() {
    refused_table(b"a,class\n\xff\xfe,x\n", "data.csv: ");
    refused_table(b"a,class\n1,x\0\n", "data.csv: ");
    refused_table(b"a\xff,class\n1,x\n", "data.csv: ");
    Folder::new()
        .file("model.json", b"{\"format\": \"\xff\"}")
        .refused(
            &["show", "model.json"],
            "model.json: not UTF-8 text at byte 13\n",
        );
}

#[test]
fn numbers_that_are_not_finite() {
    for cell in ["inf", "-inf", "1e999", "Infinity"] {
        let line = refused_table(format!("a,class\n1,x\n{cell},y\n"), "data.csv: ");
        names_all(&line, &["row 2", "\"a\"", cell]);
        let line = refused_table(format!("a,price\n1,0.5\n2,{cell}\n"), "data.csv: ");
        names_all(&line, &["row 2", "\"price\"", cell]);
    }
}

#[test]
fn a_text_where_numbers_were_asked_for() {
    let line = refused_options(&["--numeric", "sex"], "data.csv: ");
    names_all(&line, &["row 1", "\"sex\"", "\"f\" is not a number"]);
    let line = refused_options(&["--task", "regression"], "data.csv: ");
    names_all(&line, &["row 1", "\"class\"", "\"no\" is not a number"]);
    for task in ["auto", "classification"] {
        let line = refused_options(&["--task", task, "--numeric", "class"], "data.csv: ");
        names_all(&line, &["row 1", "\"class\"", "\"no\" is not a number"]);
    }
}

#[test]
fn sums_that_are_not_finite() {
    refused_table(
        "x,y\n1,1e308\n2,-1e308\n3,0.5\n",
        "data.csv: column \"y\": the target goes from -1e308 to 1e308, and squares of such differences \
         are not finite numbers\n",
    );
    Folder::with_model()
        .file("costs.csv", ",no,yes\nno,0,1e308\nyes,1e308,0\n")
        .refused(
            &[
                "fit",
                "greedy",
                "data.csv",
                "--max-depth",
                "0",
                "--costs",
                "costs.csv",
            ],
            "data.csv: the costs are too large: ",
        );
}

#[test]
fn unclosed_quote() {
    refused_table("a,class\n1,\"x\n2,y\n", "data.csv: ");
}

#[test]
fn broken_gzip() {
    let whole = gzip(TABLE.as_bytes());
    let refused = |content: &[u8], beginning| {
        Folder::new().file("data.csv.gz", content).refused(
            &["fit", "greedy", "data.csv.gz", "-o", "out.json"],
            beginning,
        )
    };
    refused(&whole[..whole.len() - 6], "data.csv.gz: broken gzip data: ");
    let mut flipped = whole.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0xff;
    refused(&flipped, "data.csv.gz: broken gzip data: ");
    let with_rubbish = [&whole[..], b"rubbish"].concat();
    refused(&with_rubbish, "data.csv.gz: broken gzip data: ");
    let not_gzip = "data.csv.gz: not gzip data, although the name ends in .gz\n";
    refused(TABLE.as_bytes(), not_gzip);
}

/// A few bytes that become very many, in a file and in a pipe.
#[test]
fn gzip_bombs_stop_at_the_memory_limit() {
    let bomb = gzip(&[b"a,class\n".as_slice(), &b"1,x\n".repeat(3_000_000)].concat());
    // A hundred times the size of the file is allowed in any case.
    let most = (100 * bomb.len() / 1_000_000).max(2);
    assert!(most < 12);
    let folder = Folder::new().file("data.csv.gz", &bomb);
    for learner in ["greedy", "dyadic", "optimal"] {
        for name in ["data.csv.gz", "-"] {
            let shown = if name == "-" { "standard input" } else { name };
            folder.refused_with_input(
                &[
                    "fit",
                    learner,
                    name,
                    "--memory-limit",
                    "2MB",
                    "-o",
                    "out.json",
                ],
                &bomb,
                &format!(
                    "{shown}: its data, unzipped, has more than {most} MB, what the memory limit allows"
                ),
            );
        }
    }
    // An ordinary table is read, and only the work is limited.
    let mut state = 1_u64;
    let mut rows = String::from("a,class\n");
    for _ in 0..2000 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let _ = writeln!(rows, "{},{}", state >> 20, state >> 63);
    }
    let folder = Folder::new().file("data.csv.gz", gzip(rows.as_bytes()));
    folder.done(&[
        "fit",
        "optimal",
        "data.csv.gz",
        "--depth",
        "1",
        "--memory-limit",
        "1KB",
    ]);
}

#[test]
fn broken_parquet_and_arrow() {
    let contents: [&[u8]; 4] = [b"", b"PAR1", b"ARROW1\0\0rubbish", TABLE.as_bytes()];
    for content in contents {
        for name in ["data.parquet", "data.arrow", "data.feather"] {
            let beginning = format!("{name}: ");
            Folder::new()
                .file(name, content)
                .refused(&["fit", "greedy", name, "-o", "out.json"], &beginning);
        }
    }
    let folder = Folder::new();
    folder.refused_with_input(
        &["fit", "greedy", "-"],
        b"PAR1 rubbish PAR1",
        "standard input: ",
    );
}

#[test]
fn bad_weights() {
    let refused = |cell: &str| {
        Folder::new()
            .file("data.csv", format!("a,w,class\n1,1,x\n2,{cell},y\n"))
            .refused(
                &["fit", "greedy", "data.csv", "--weight", "w"],
                "data.csv: ",
            )
    };
    for cell in ["-1", "inf", "1e999", "", "heavy"] {
        names_all(&refused(cell), &["row 2", "\"w\""]);
    }
    Folder::new()
        .file("data.csv", "a,w,class\n1,0,x\n2,0,y\n")
        .refused(
            &["fit", "greedy", "data.csv", "--weight", "w"],
            "data.csv: column \"w\": all weights are zero",
        );
    Folder::new()
        .file("data.csv", "a,w,class\n1,1e308,x\n2,1e308,y\n")
        .refused(
            &["fit", "greedy", "data.csv", "--weight", "w"],
            "data.csv: the weights are too large: their sum is not a finite number\n",
        );
}

#[test]
fn bad_class_weights() {
    refused_options(
        &["--class-weight", "maybe=2"],
        "data.csv: class weights: \"maybe\" is not a class (classes: \"no\", \"yes\")\n",
    );
    for weight in ["no=0", "no=-1", "no=inf", "no=nan"] {
        refused_options(&["--class-weight", weight], "data.csv: class weight: got ");
    }
    Folder::new()
        .file("data.csv", "x,y\n1,0.5\n2,1.5\n")
        .refused(
            &["fit", "greedy", "data.csv", "--class-weight", "balanced"],
            "data.csv: class weights need a classification target\n",
        );
}

#[test]
fn bad_costs() {
    let refused = |costs: &str, beginning| {
        Folder::with_model().file("costs.csv", costs).refused(
            &["fit", "greedy", "data.csv", "--costs", "costs.csv"],
            beginning,
        )
    };
    refused(
        ",no,maybe\nno,0,1\nmaybe,1,0\n",
        "costs.csv: costs: no column for class \"yes\"\n",
    );
    refused(
        ",no,yes,maybe\nno,0,1,1\nyes,1,0,1\n",
        "costs.csv: costs: \"maybe\" is not a class of the target (its classes: \"no\", \"yes\")\n",
    );
    refused(
        ",no,yes\nno,0,1\n",
        "costs.csv: costs: no row for class \"yes\"\n",
    );
    refused(
        ",no,yes\nno,0,1\nno,0,1\nyes,1,0\n",
        "costs.csv: costs: two rows for class \"no\"\n",
    );
    refused(
        ",no,yes\nno,0,x\nyes,1,0\n",
        "costs.csv: row 1 (line 2), column \"yes\": \"x\" is not a number\n",
    );
    refused(
        ",no,yes\nno,0,1\nyes,inf,0\n",
        "costs.csv: row 2 (line 3), column \"no\": \"inf\" is not a finite number\n",
    );
    refused(
        ",no,yes\nno,0,1\nyes,-2,0\n",
        "costs.csv: row 2 (line 3), column \"no\": the cost is -2, expected at least 0\n",
    );
    refused(
        ",no,yes\nno,0\nyes,1,0\n",
        "costs.csv: row 1 (line 2): 2 cells, expected 3 as in the first line\n",
    );
    refused("", "costs.csv: the file is empty\n");
    Folder::new()
        .file("data.csv", "x,y\n1,0.5\n2,1.5\n")
        .file("costs.csv", ",0.5,1.5\n0.5,0,1\n1.5,1,0\n")
        .refused(
            &["fit", "greedy", "data.csv", "--costs", "costs.csv"],
            "--costs needs classes, but the target \"y\" holds numbers\n",
        );
}

#[test]
fn a_table_without_the_columns_of_the_model() {
    let folder = Folder::with_model()
        .file("other.csv", "sex,height\nf,170\n")
        .file("kinds.csv", "age,sex,class\nold,f,no\n")
        .file("classes.csv", "age,sex,class\n20,f,maybe\n")
        .file("targetless.csv", "age,sex\n20,f\n");
    for command in ["predict", "score", "verify"] {
        folder.refused(
            &[command, "model.json", "other.csv"],
            "other.csv: no column \"age\", which the model needs as a feature (columns: \"sex\", \"height\")\n",
        );
        let line = folder.refused(&[command, "model.json", "kinds.csv"], "kinds.csv: row 1");
        names_all(&line, &["\"age\"", "\"old\" is not a number"]);
    }
    for command in ["score", "verify"] {
        folder.refused(
            &[command, "model.json", "targetless.csv"],
            "targetless.csv: no column \"class\", which the model needs as its target",
        );
        let line = folder.refused(
            &[command, "model.json", "classes.csv"],
            "classes.csv: row 1",
        );
        names_all(
            &line,
            &["\"class\"", "\"maybe\" is not a class of the model"],
        );
    }
    folder.refused(
        &["predict", "-", "-"],
        "MODEL and DATA cannot both be standard input\n",
    );
}

#[test]
fn an_error_stays_on_one_line_whatever_the_names_are() {
    refused_options(
        &["--target", "two\nlines"],
        "data.csv: target: there is no column \"two\\nlines\"",
    );
    Folder::new().refused(
        &["fit", "greedy", "two\nlines.csv"],
        "two\\nlines.csv: no such file\n",
    );
}
