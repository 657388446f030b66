//! Tables in every form that is handled, seen through the predictions of a hand-written model.

use std::sync::Arc;

use arrow_array::{Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;

use crate::support::{Folder, MODEL, TABLE, gzip};

const ANSWER: &str = "prediction\nno\nyes\nno\n";
const PLAIN: &str = "age,sex\n20,f\n40,m\n30,f\n";

/// The predictions for a file of this name and content.
#[track_caller]
fn predicted(name: &str, content: impl AsRef<[u8]>) -> String {
    Folder::with_model()
        .file(name, content)
        .done(&["predict", "model.json", name])
}

#[test]
fn csv_and_tsv_plain_and_gzipped() {
    let tsv = PLAIN.replace(',', "\t");
    assert_eq!(predicted("a.csv", PLAIN), ANSWER);
    assert_eq!(predicted("a.CSV", PLAIN), ANSWER);
    assert_eq!(predicted("a.tsv", &tsv), ANSWER);
    assert_eq!(predicted("a.csv.gz", gzip(PLAIN.as_bytes())), ANSWER);
    assert_eq!(predicted("a.tsv.gz", gzip(tsv.as_bytes())), ANSWER);
    // What is in a file counts more than its name where the name does not tell.
    assert_eq!(predicted("a.txt", &tsv), ANSWER);
    assert_eq!(predicted("a", PLAIN), ANSWER);
    assert_eq!(predicted("a", gzip(PLAIN.as_bytes())), ANSWER);
    // Two gzip files one after the other are one gzip file.
    let (head, tail) = PLAIN.split_at(12);
    let twice = [gzip(head.as_bytes()), gzip(tail.as_bytes())].concat();
    assert_eq!(predicted("a.csv.gz", twice), ANSWER);
}

#[test]
fn standard_input_is_looked_at() {
    let folder = Folder::with_model();
    let tsv = PLAIN.replace(',', "\t");
    let inputs = [
        PLAIN.as_bytes().to_vec(),
        tsv.into_bytes(),
        gzip(PLAIN.as_bytes()),
        parquet_file(),
        arrow_file(None),
    ];
    for input in inputs {
        let run = folder.run_with_input(&["predict", "model.json", "-"], &input);
        assert_eq!((run.code, run.stdout.as_str()), (0, ANSWER), "{run:?}");
    }
}

#[test]
fn byte_order_mark_line_ends_and_quotes() {
    assert_eq!(predicted("a.csv", format!("\u{feff}{PLAIN}")), ANSWER);
    assert_eq!(predicted("a.csv", PLAIN.replace('\n', "\r\n")), ANSWER);
    assert_eq!(predicted("a.csv", PLAIN.trim_end()), ANSWER);
    let quoted =
        "\"age\",note,sex\n20,\"two\nlines, and a comma\",f\n\"40\",\"say \"\"x\"\"\",m\n30,,f\n";
    assert_eq!(predicted("a.csv", quoted), ANSWER);
}

#[test]
fn names_and_labels_with_commas_and_line_ends() {
    let model = MODEL
        .replace(r#""name": "age""#, r#""name": "age,\nin years""#)
        .replace(r#"["no", "yes"]"#, r#"["no\nway", "yes"]"#);
    let folder = Folder::with_model()
        .file("model.json", model)
        .file("new.csv", "\"age,\nin years\",sex\n20,f\n");
    assert_eq!(
        folder.done(&["predict", "model.json", "new.csv"]),
        "prediction\n\"no\nway\"\n"
    );
}

#[test]
fn long_decimals_are_read_exactly() {
    // The cut lies at 30. A digit 400 places behind the point is too small to lift a number above it.
    let beyond = format!("30.{}1", "0".repeat(400));
    let above = format!("30.00000000000001{}", "0".repeat(400));
    let below = format!("29.{}", "9".repeat(400));
    let table = format!(
        "age,sex\n{beyond},f\n{above},f\n{below},f\n{},f\n",
        "0".repeat(400)
    );
    assert_eq!(predicted("a.csv", table), "prediction\nno\nyes\nno\nno\n");
}

#[test]
fn numbers_in_every_way_of_writing() {
    let table = "age,sex\n+20,f\n4e1,f\n.5,f\n31.,f\n-0,f\n3.0E+1,f\n";
    assert_eq!(
        predicted("a.csv", table),
        "prediction\nno\nyes\nno\nyes\nno\nno\n"
    );
}

#[test]
fn parquet_and_arrow() {
    assert_eq!(predicted("a.parquet", parquet_file()), ANSWER);
    assert_eq!(predicted("a.pq", parquet_file()), ANSWER);
    assert_eq!(predicted("a.arrow", arrow_file(None)), ANSWER);
    for compression in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
        assert_eq!(
            predicted("a.feather", arrow_file(Some(compression))),
            ANSWER
        );
    }
    assert_eq!(predicted("a", arrow_file(None)), ANSWER);
}

/// [`PLAIN`] as a batch, with one more column.
fn batch() -> RecordBatch {
    let schema = Schema::new(vec![
        Field::new("sex", DataType::Utf8, true),
        Field::new("id", DataType::Int64, false),
        Field::new("age", DataType::Float64, true),
    ]);
    RecordBatch::try_new(
        Arc::new(schema),
        vec![
            Arc::new(StringArray::from(vec![Some("f"), None, Some("f")])),
            Arc::new(Int64Array::from(vec![1, 2, 3])),
            Arc::new(Float64Array::from(vec![20.0, 40.0, 30.0])),
        ],
    )
    .unwrap()
}

pub(crate) fn parquet_file() -> Vec<u8> {
    let batch = batch();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

pub(crate) fn arrow_file(compression: Option<CompressionType>) -> Vec<u8> {
    let batch = batch();
    let options = IpcWriteOptions::default()
        .try_with_compression(compression)
        .unwrap();
    let mut writer =
        FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

#[test]
fn row_weights_are_used_for_scores() {
    let model = MODEL.replace("\"weight\": null", "\"weight\": \"w\"");
    let table = TABLE
        .replace("class\n", "class,w\n")
        .replace("31,m,no\n", "31,m,no,5\n")
        .replace("no\n", "no,1\n")
        .replace("yes\n", "yes,1\n")
        .replace("60,f,yes,1\n", "60,f,yes,0\n");
    let folder = Folder::with_model()
        .file("model.json", model)
        .file("data.csv", table);
    let score = folder.json(&["score", "model.json", "data.csv", "--json"]);
    assert_eq!(score["rows"], 6);
    assert_eq!(score["weight"].as_f64(), Some(10.0));
    assert_eq!(score["errors"].as_f64(), Some(5.0));
    // Predictions do not need the weights and keep every row.
    let stdout = folder.done(&["predict", "model.json", "data.csv"]);
    assert_eq!(stdout.lines().count(), 1 + 7);
}
