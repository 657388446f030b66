//! What is done to any bytes that a user may hand to the program.
//!
//! Each target takes bytes as the content of one kind of file. It reads them through the door that the
//! program uses and, where they can be read, does with them what the program would do: learn, predict,
//! verify, prune, export. Whatever the bytes are, none of this may panic, hang or ask for memory without
//! bound, and what is written must read back as the same.
//!
//! `examples/hammer.rs` feeds the targets with mutated files. The tests of this crate replay the corpus that was
//! kept, and a few thousand mutations of it.
//!
//! | file | idea |
//! |---|---|
//! | `tables` | CSV, TSV, gzip, Parquet and Arrow: read, and learned from if small |
//! | `documents` | models and families: used in every way |
//! | `settings` | costs of wrong predictions, and penalties |
//! | `checks` | models, tables and proofs as the independent checker reads them
//! | `trees` | all that can be done with one tree |
//! | `dice` | which of these things, so that millions of files can be tried
//! | `rows` | rows that fit any schema |
//! | `json`, `bytes` | mutations |
//! | `scratch` | bytes as a file |

mod bytes;
mod checks;
mod dice;
mod documents;
mod json;
mod rows;
mod scratch;
mod settings;
mod tables;
mod trees;

pub use json::mutate;

/// One kind of file.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The name of the target and of the folder with its corpus.
    pub name: &'static str,
    /// Reads the bytes and uses what they hold; panics if something is wrong with the program. Could they be
    /// read?
    pub run: fn(&[u8]) -> bool,
    /// Is the file JSON, so that it can be mutated by its structure?
    pub is_json: bool,
}

/// All targets.
pub const TARGETS: &[Target] = &[
    table("csv", tables::csv),
    table("tsv", tables::tsv),
    table("gzip", tables::gzip),
    table("parquet", tables::parquet),
    table("arrow", tables::arrow),
    document("model", documents::model),
    document("family", documents::family),
    table("costs", settings::costs),
    table("penalty", settings::penalty),
    document("check-model", checks::model),
    table("check-table", checks::table),
    document("proof", checks::proof),
];

/// The target with a name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

const fn table(name: &'static str, run: fn(&[u8]) -> bool) -> Target {
    Target {
        name,
        run,
        is_json: false,
    }
}

const fn document(name: &'static str, run: fn(&[u8]) -> bool) -> Target {
    Target {
        name,
        run,
        is_json: true,
    }
}
