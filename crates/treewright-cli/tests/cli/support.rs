//! A temporary folder to run the program in.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A model as somebody might write it by hand: `age <= 30` is "no", above it is mostly "yes".
pub(crate) const MODEL: &str = r#"{"format": "treewright.tree", "version": 1, "task": "classification",
 "features": [{"name": "age", "kind": "numeric"},
              {"name": "sex", "kind": "categorical", "categories": ["f", "m"]}],
 "target": {"name": "class", "classes": ["no", "yes"]},
 "reading": {"na": ["?"], "weight": null},
 "learner": {"name": "greedy", "params": {}},
 "training": {"rows": 7, "weight": 7.0, "errors": 1, "cost": 0.14285714285714285,
              "leaves": 2, "depth": 1, "seconds": 0.0},
 "nodes": [{"counts": [4.0, 3.0], "value": 0,
            "split": {"kind": "intervals", "feature": 0, "cuts": [30.0], "closed": "right"},
            "children": [1, 2], "missing": "distribute"},
           {"counts": [3.0, 0.0], "value": 0},
           {"counts": [1.0, 3.0], "value": 1}]}
"#;

/// The rows that [`MODEL`] was learned from.
pub(crate) const TABLE: &str = "\
age,sex,class
20,f,no
25,m,no
30,f,no
31,m,no
40,f,yes
50,m,yes
60,f,yes
";

/// A model for numbers: 1.5 up to `x = 2`, else 1e300.
pub(crate) const REGRESSION: &str = r#"{"format": "treewright.tree", "version": 1, "task": "regression",
 "features": [{"name": "x", "kind": "numeric"}], "target": {"name": "y"},
 "reading": {"na": [], "weight": null}, "learner": {"name": "greedy", "params": {}},
 "training": {"rows": 2, "weight": 2.0, "cost": 0.0, "leaves": 2, "depth": 1, "seconds": 0.0},
 "nodes": [{"mean": 5e299, "weight": 2.0, "sse": 0.0, "value": 5e299,
            "split": {"kind": "intervals", "feature": 0, "cuts": [2.0], "closed": "left"},
            "children": [1, 2], "missing": 0},
           {"mean": 1.5, "weight": 1.0, "sse": 0.0, "value": 1.5},
           {"mean": 1e300, "weight": 1.0, "sse": 0.0, "value": 1e300}]}
"#;

pub(crate) struct Folder(TempDir);

/// What a run of the program left behind.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A folder with [`MODEL`] and [`TABLE`].
    pub(crate) fn with_model() -> Self {
        Self::new()
            .file("model.json", MODEL)
            .file("data.csv", TABLE)
    }

    /// The folder with one of the bundled tables as `data.csv`, and the whole greedy tree of it as
    /// `model.json`.
    pub(crate) fn with_bundled(table: &str) -> Self {
        let path = format!(
            "{}/../../testdata/tables/{table}",
            env!("CARGO_MANIFEST_DIR")
        );
        let folder = Self::new().file("data.csv", fs::read(path).unwrap());
        folder.done(&["fit", "greedy", "data.csv", "-o", "model.json"]);
        folder
    }

    pub(crate) fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        fs::write(self.path(name), content).unwrap();
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The names of all files, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| name(entry.unwrap())).collect();
        names.sort();
        names
    }

    /// The program in this folder, with these words as arguments.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_treewright"));
        command.current_dir(self.0.path()).args(arguments);
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.run_with_input(arguments, b"")
    }

    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Run {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that refuses its arguments does not read, which is no fault of the test.
        let _ = child.stdin.take().unwrap().write_all(input);
        let output = child.wait_with_output().unwrap();
        Run {
            code: output.status.code().expect("ends by itself"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs the program, which must succeed; returns its standard output.
    pub(crate) fn done(&self, arguments: &[&str]) -> String {
        let run = self.run(arguments);
        assert_eq!(run.code, 0, "{arguments:?}: {run:?}");
        run.stdout
    }

    /// The same, with a JSON document on standard output.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let stdout = self.done(arguments);
        let documents: Vec<Value> = serde_json::Deserializer::from_str(&stdout)
            .into_iter()
            .collect::<Result<_, _>>()
            .unwrap_or_else(|error| panic!("{arguments:?}: {error} in {stdout}"));
        assert_eq!(documents.len(), 1, "{arguments:?}: {stdout}");
        documents.into_iter().next().unwrap()
    }

    /// Runs the program, which must refuse with one line that begins so, and leave nothing behind.
    /// Returns the line.
    #[track_caller]
    pub(crate) fn refused(&self, arguments: &[&str], beginning: &str) -> String {
        self.refused_with_input(arguments, b"", beginning)
    }

    #[track_caller]
    pub(crate) fn refused_with_input(
        &self,
        arguments: &[&str],
        input: &[u8],
        beginning: &str,
    ) -> String {
        let before = self.names();
        let run = self.run_with_input(arguments, input);
        assert_eq!(run.code, 1, "{arguments:?}: {run:?}");
        assert_eq!(run.stdout, "", "{arguments:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{arguments:?}: {run:?}");
        assert!(run.stderr.ends_with('\n'));
        assert!(
            run.stderr.starts_with(&format!("treewright: {beginning}")),
            "{arguments:?}: {run:?} does not begin with {beginning:?}"
        );
        assert!(!run.stderr.contains("this is a bug"), "{run:?}");
        assert_eq!(self.names(), before, "{arguments:?} left files behind");
        run.stderr
    }
}

pub(crate) fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}
