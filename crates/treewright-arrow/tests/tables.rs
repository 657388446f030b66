//! Tables written in memory with the Arrow crates and read back through [`ArrowSource`].

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringDictionaryBuilder};
use arrow_array::types::{ArrowPrimitiveType, Float16Type, Int8Type, Int32Type};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal32Array, Decimal64Array,
    Decimal128Array, Decimal256Array, DictionaryArray, Float16Array, Float32Array, Float64Array,
    Int8Array, Int16Array, Int32Array, Int64Array, LargeStringArray, NullArray, RecordBatch,
    RecordBatchOptions, StringArray, StringViewArray, TimestampMillisecondArray, UInt8Array,
    UInt16Array, UInt32Array, UInt64Array,
};
use arrow_buffer::i256;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{DictionaryHandling, FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::WriterProperties;
use treewright::Result;
use treewright::data::{
    Column, Dataset, FEW_TEXTS, MISSING_CODE, RawColumn, ReadOptions, Source, Target, Texts, Wanted,
};
use treewright_arrow::{ArrowSource, is_ipc, is_parquet};

// --- writing ---

fn parquet_with(batches: &[RecordBatch], compression: Compression) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_max_row_group_row_count(Some(1000))
        .build();
    let mut bytes = Vec::new();
    let schema = batches[0].schema();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties)).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
    }
    writer.close().unwrap();
    bytes
}

fn parquet(batch: &RecordBatch) -> Vec<u8> {
    parquet_with(std::slice::from_ref(batch), Compression::SNAPPY)
}

fn file_with(batches: &[RecordBatch], compression: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default()
        .try_with_compression(compression)
        .unwrap()
        .with_dictionary_handling(DictionaryHandling::Delta);
    let mut bytes = Vec::new();
    let schema = batches[0].schema();
    let mut writer = FileWriter::try_new_with_options(&mut bytes, &schema, options).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
    }
    writer.finish().unwrap();
    drop(writer);
    bytes
}

fn file(batch: &RecordBatch) -> Vec<u8> {
    file_with(std::slice::from_ref(batch), None)
}

fn stream_with(batches: &[RecordBatch], compression: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default()
        .try_with_compression(compression)
        .unwrap();
    let mut bytes = Vec::new();
    let schema = batches[0].schema();
    let mut writer = StreamWriter::try_new_with_options(&mut bytes, &schema, options).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
    }
    writer.finish().unwrap();
    drop(writer);
    bytes
}

/// The table in every format and compression.
fn in_all_formats(batches: &[RecordBatch]) -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
    ] {
        files.push(parquet_with(batches, compression));
    }
    for compression in [
        None,
        Some(CompressionType::LZ4_FRAME),
        Some(CompressionType::ZSTD),
    ] {
        files.push(file_with(batches, compression));
        files.push(stream_with(batches, compression));
    }
    files
}

fn table<const N: usize>(columns: [(&str, ArrayRef); N]) -> RecordBatch {
    let fields: Vec<Field> = columns
        .iter()
        .map(|(name, array)| Field::new(*name, array.data_type().clone(), true))
        .collect();
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap()
}

// --- reading ---

fn open(bytes: Vec<u8>) -> Result<ArrowSource> {
    assert!(is_parquet(&bytes) != is_ipc(&bytes));
    if is_parquet(&bytes) {
        ArrowSource::parquet(bytes)
    } else {
        ArrowSource::ipc(bytes)
    }
}

fn na() -> Vec<String> {
    ReadOptions::default().reading.na
}

/// The only column of a table, read from every format, which must agree.
fn read_one(array: ArrayRef, wanted: Wanted) -> Result<RawColumn> {
    let batch = table([("x", array)]);
    let read = |bytes| {
        open(bytes)?
            .read(&[wanted], &na())
            .map(|mut columns| columns.remove(0))
    };
    let [first, second] = [read(parquet(&batch)), read(file(&batch))];
    let text = |result: &Result<RawColumn>| match result {
        Ok(column) => format!("{column:?}"),
        Err(error) => error.to_string(),
    };
    assert_eq!(text(&first), text(&second));
    first
}

fn numbers(array: ArrayRef, wanted: Wanted) -> Vec<Option<f64>> {
    match read_one(array, wanted).unwrap() {
        RawColumn::Numbers(numbers) => optional(&numbers),
        other => panic!("{other:?} is not a column of numbers"),
    }
}

fn optional(numbers: &[f64]) -> Vec<Option<f64>> {
    let known = |&number: &f64| (!number.is_nan()).then_some(number);
    numbers.iter().map(known).collect()
}

fn texts(array: ArrayRef, wanted: Wanted) -> Vec<Option<String>> {
    match read_one(array, wanted).unwrap() {
        RawColumn::Texts(texts) => spelled(&texts),
        other => panic!("{other:?} is not a column of texts"),
    }
}

fn spelled(texts: &Texts) -> Vec<Option<String>> {
    assert!(texts.distinct.is_sorted());
    let spell = |&code: &u32| (code != MISSING_CODE).then(|| texts.distinct[code as usize].clone());
    texts.codes.iter().map(spell).collect()
}

fn some(texts: &[&str]) -> Vec<Option<String>> {
    let known = |text: &&str| (!text.is_empty()).then(|| (*text).to_owned());
    texts.iter().map(known).collect()
}

fn message<T>(result: Result<T>) -> String {
    let message = result.err().expect("an error").to_string();
    assert!(!message.contains('\n'), "{message}");
    message
}

// --- numbers and texts ---

#[test]
fn every_numeric_type_gives_numbers_and_their_texts() {
    type F16 = <Float16Type as ArrowPrimitiveType>::Native;
    let arrays: Vec<ArrayRef> = vec![
        Arc::new(Int8Array::from(vec![Some(1), None, Some(5)])),
        Arc::new(Int16Array::from(vec![Some(1), None, Some(5)])),
        Arc::new(Int32Array::from(vec![Some(1), None, Some(5)])),
        Arc::new(Int64Array::from(vec![Some(1), None, Some(5)])),
        Arc::new(UInt8Array::from(vec![Some(1), None, Some(5)])),
        Arc::new(UInt16Array::from(vec![Some(1), None, Some(5)])),
        Arc::new(UInt32Array::from(vec![Some(1), None, Some(5)])),
        Arc::new(UInt64Array::from(vec![Some(1), None, Some(5)])),
        Arc::new(Float16Array::from(vec![
            Some(F16::ONE),
            None,
            Some(F16::from_f32(5.0)),
        ])),
        Arc::new(Float32Array::from(vec![
            Some(1.0),
            Some(f32::NAN),
            Some(5.0),
        ])),
        Arc::new(Float64Array::from(vec![
            Some(1.0),
            Some(f64::NAN),
            Some(5.0),
        ])),
        Arc::new(
            Decimal32Array::from(vec![Some(100), None, Some(500)])
                .with_precision_and_scale(5, 2)
                .unwrap(),
        ),
        Arc::new(
            Decimal64Array::from(vec![Some(100), None, Some(500)])
                .with_precision_and_scale(12, 2)
                .unwrap(),
        ),
        Arc::new(
            Decimal128Array::from(vec![Some(100), None, Some(500)])
                .with_precision_and_scale(30, 2)
                .unwrap(),
        ),
        Arc::new(
            Decimal256Array::from(vec![Some(i256::from(100)), None, Some(i256::from(500))])
                .with_precision_and_scale(60, 2)
                .unwrap(),
        ),
    ];
    for array in arrays {
        let expected = vec![Some(1.0), None, Some(5.0)];
        assert_eq!(numbers(array.clone(), Wanted::Either), expected);
        assert_eq!(numbers(array.clone(), Wanted::Numbers), expected);
        assert_eq!(texts(array.clone(), Wanted::Texts), some(&["1", "", "5"]));
        match read_one(array, Wanted::Both).unwrap() {
            RawColumn::Both(numbers, texts) => {
                assert_eq!(optional(&numbers), expected);
                assert_eq!(spelled(&texts), some(&["1", "", "5"]));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn numbers_are_exact_where_floats_can_be() {
    let large = Int64Array::from(vec![i64::MIN, (1 << 53) + 1, -3]);
    let expected = vec![
        Some(-(2.0_f64.powi(63))),
        Some(2.0_f64.powi(53)),
        Some(-3.0),
    ];
    assert_eq!(numbers(Arc::new(large.clone()), Wanted::Either), expected);
    let digits = some(&["-9223372036854775808", "9007199254740993", "-3"]);
    assert_eq!(texts(Arc::new(large), Wanted::Texts), digits);

    let largest: ArrayRef = Arc::new(UInt64Array::from(vec![u64::MAX]));
    assert_eq!(
        numbers(largest.clone(), Wanted::Either),
        [Some(2.0_f64.powi(64))]
    );
    assert_eq!(
        texts(largest, Wanted::Texts),
        some(&["18446744073709551615"])
    );

    let decimals = Decimal128Array::from(vec![150, -7, 0, 12_345_678_901_234_567_890]);
    let decimals: ArrayRef = Arc::new(decimals.with_precision_and_scale(30, 2).unwrap());
    let expected = [1.5, -0.07, 0.0, 123_456_789_012_345_678.9].map(Some);
    assert_eq!(numbers(decimals.clone(), Wanted::Either), expected);
    let expected = some(&["1.5", "-0.07", "0", "123456789012345678.9"]);
    assert_eq!(texts(decimals, Wanted::Texts), expected);

    let floats: ArrayRef = Arc::new(Float64Array::from(vec![-0.0, 0.1, 1e20]));
    let RawColumn::Numbers(read) = read_one(floats.clone(), Wanted::Either).unwrap() else {
        panic!("not a column of numbers")
    };
    assert!(read[0] == 0.0 && read[0].is_sign_positive());
    let expected = some(&["0", "0.1", "100000000000000000000"]);
    assert_eq!(texts(floats, Wanted::Texts), expected);
    let short: ArrayRef = Arc::new(Float32Array::from(vec![0.1]));
    assert_eq!(texts(short, Wanted::Texts), some(&["0.1"]));
}

#[test]
fn every_text_type_gives_texts() {
    let cells = vec![Some("b"), None, Some("a"), Some(""), Some("NA"), Some("b")];
    let arrays: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from(cells.clone())),
        Arc::new(LargeStringArray::from(cells.clone())),
        Arc::new(StringViewArray::from(cells.clone())),
        Arc::new(cells.iter().copied().collect::<DictionaryArray<Int8Type>>()),
        Arc::new(
            cells
                .iter()
                .copied()
                .collect::<DictionaryArray<Int32Type>>(),
        ),
    ];
    for array in arrays {
        let expected = some(&["b", "", "a", "", "", "b"]);
        for wanted in [Wanted::Either, Wanted::Both, Wanted::Texts] {
            assert_eq!(texts(array.clone(), wanted), expected);
        }
    }
    let booleans: ArrayRef = Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)]));
    assert_eq!(
        texts(booleans, Wanted::Either),
        some(&["true", "", "false"])
    );
}

#[test]
fn texts_are_numbers_only_on_request() {
    let cells: ArrayRef = Arc::new(StringArray::from(vec!["1.5", "?", "-0", ""]));
    assert_eq!(
        texts(cells.clone(), Wanted::Either),
        some(&["1.5", "", "-0", ""])
    );
    assert_eq!(
        numbers(cells, Wanted::Numbers),
        [Some(1.5), None, Some(0.0), None]
    );
    let words: ArrayRef = Arc::new(StringArray::from(vec!["1", "one"]));
    assert_eq!(
        message(read_one(words, Wanted::Numbers)),
        "row 2, column \"x\": \"one\" is not a number"
    );
    let booleans: ArrayRef = Arc::new(BooleanArray::from(vec![true]));
    assert_eq!(
        message(read_one(booleans, Wanted::Numbers)),
        "row 1, column \"x\": \"true\" is not a number"
    );
}

#[test]
fn a_null_column_is_all_missing() {
    let nulls: ArrayRef = Arc::new(NullArray::new(3));
    assert_eq!(numbers(nulls.clone(), Wanted::Either), [None; 3]);
    assert_eq!(texts(nulls, Wanted::Texts), [const { None }; 3]);
}

#[test]
fn numbers_written_like_a_missing_text_are_missing() {
    let batch = table([(
        "x",
        Arc::new(Float64Array::from(vec![-999.0, 1.0])) as ArrayRef,
    )]);
    let source = open(parquet(&batch)).unwrap();
    let na = ["-999".to_owned(), "1.0".to_owned()];
    let column = source.read(&[Wanted::Both], &na).unwrap().remove(0);
    let RawColumn::Both(numbers, texts) = column else {
        panic!("{column:?}")
    };
    assert_eq!(optional(&numbers), [None, Some(1.0)]);
    assert_eq!(spelled(&texts), some(&["", "1"]));
}

#[test]
fn infinite_numbers_are_named() {
    let cells = vec![Some(1.0), None, Some(f64::NEG_INFINITY)];
    let array: ArrayRef = Arc::new(Float64Array::from(cells));
    for wanted in [Wanted::Numbers, Wanted::Either, Wanted::Both] {
        assert_eq!(
            message(read_one(array.clone(), wanted)),
            "row 3, column \"x\": \"-inf\" is not a finite number"
        );
    }
    assert_eq!(texts(array, Wanted::Texts), some(&["1", "", "-inf"]));
}

#[test]
fn both_keeps_texts_while_they_are_few() {
    for (distinct, few) in [(FEW_TEXTS, true), (FEW_TEXTS + 1, false)] {
        let cells = Int64Array::from_iter_values((0..200).map(|row| row % distinct as i64));
        match read_one(Arc::new(cells), Wanted::Both).unwrap() {
            RawColumn::Both(numbers, texts) => {
                assert!(few && numbers.len() == 200 && texts.codes.len() == 200);
            }
            RawColumn::Numbers(numbers) => assert!(!few && numbers.len() == 200),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn dictionaries_may_hold_numbers_and_nulls() {
    let values: ArrayRef = Arc::new(Int64Array::from(vec![Some(30), None, Some(10), Some(77)]));
    let keys = Int32Array::from(vec![Some(0), Some(1), None, Some(2), Some(0)]);
    let batch = table([(
        "x",
        Arc::new(DictionaryArray::new(keys, values)) as ArrayRef,
    )]);
    let source = open(file(&batch)).unwrap();
    let read = |wanted| source.read(&[wanted], &[]).unwrap().remove(0);
    let RawColumn::Numbers(numbers) = read(Wanted::Either) else {
        panic!("numbers")
    };
    assert_eq!(
        optional(&numbers),
        [Some(30.0), None, None, Some(10.0), Some(30.0)]
    );
    let RawColumn::Texts(texts) = read(Wanted::Texts) else {
        panic!("texts")
    };
    assert_eq!(texts.distinct, ["10", "30"], "what no row has is not there");
    assert_eq!(spelled(&texts), some(&["30", "", "", "10", "30"]));
}

#[test]
fn dictionaries_may_change_from_batch_to_batch() {
    let batch = |cells: &[&str]| {
        let array: DictionaryArray<Int8Type> = cells.iter().copied().collect();
        table([("x", Arc::new(array) as ArrayRef)])
    };
    let batches = [
        batch(&["b", "c", "b"]),
        batch(&["c", "a"]),
        batch(&["d", "b", "NA"]),
    ];
    let expected = some(&["b", "c", "b", "c", "a", "d", "b", ""]);
    let mut files = vec![stream_with(&batches, None)];
    files.push(parquet_with(&batches, Compression::SNAPPY));

    // In a file, dictionaries only grow.
    let mut builder = StringDictionaryBuilder::<Int32Type>::new();
    let mut grown = Vec::new();
    for cells in [&["b", "c", "b"][..], &["c", "a"], &["d", "b", "NA"]] {
        for cell in cells {
            builder.append_value(cell);
        }
        let array = builder.finish_preserve_values();
        grown.push(table([("x", Arc::new(array) as ArrayRef)]));
    }
    files.push(file_with(&grown, Some(CompressionType::LZ4_FRAME)));
    for bytes in files {
        let columns = open(bytes).unwrap().read(&[Wanted::Either], &na()).unwrap();
        let RawColumn::Texts(texts) = &columns[0] else {
            panic!("{columns:?}")
        };
        assert_eq!(spelled(texts), expected);
        assert_eq!(texts.distinct, ["a", "b", "c", "d"]);
    }
}

// --- whole tables ---

/// Several batches and row groups of a mixed table.
fn mixed(rows: usize) -> Vec<RecordBatch> {
    let rows: Vec<usize> = (0..rows).collect();
    let batch = |rows: &[usize]| {
        let size = rows
            .iter()
            .map(|row| (row % 7 != 3).then_some(*row as f64 / 4.0));
        let colour = rows
            .iter()
            .map(|row| ["red", "green", "blue"].get(row % 4).copied());
        let shape = rows.iter().map(|row| Some(["round", "flat"][row / 2 % 2]));
        let wet = rows.iter().map(|row| Some(row % 3 == 0));
        table([
            ("size", Arc::new(size.collect::<Float64Array>()) as ArrayRef),
            ("colour", Arc::new(colour.collect::<StringArray>())),
            (
                "shape",
                Arc::new(shape.collect::<DictionaryArray<Int32Type>>()),
            ),
            ("wet", Arc::new(wet.collect::<BooleanArray>())),
            (
                "day",
                Arc::new(Date32Array::from_iter_values(
                    rows.iter().map(|row| *row as i32),
                )),
            ),
            (
                "class",
                Arc::new(Int32Array::from_iter_values(
                    rows.iter().map(|row| *row as i32 % 2),
                )),
            ),
        ])
    };
    rows.chunks(1700).map(batch).collect()
}

#[test]
fn datasets_are_the_same_from_every_format() {
    let n_rows = 4000;
    let options = ReadOptions {
        drop: vec!["day".to_owned()],
        ..ReadOptions::default()
    };
    for bytes in in_all_formats(&mixed(n_rows)) {
        let data = Dataset::read(&open(bytes).unwrap(), &options).unwrap();
        assert_eq!(data.n_rows(), n_rows);
        let schema = data.schema();
        let names: Vec<&str> = schema
            .features
            .iter()
            .map(|feature| feature.name.as_str())
            .collect();
        assert_eq!(names, ["size", "colour", "shape", "wet"]);
        assert_eq!(schema.features[1].categories(), ["blue", "green", "red"]);
        assert_eq!(schema.features[2].categories(), ["flat", "round"]);
        assert_eq!(schema.features[3].categories(), ["false", "true"]);
        assert_eq!(schema.classes(), ["0", "1"]);
        let Column::Numeric(sizes) = &data.columns()[0] else {
            panic!("sizes are numbers")
        };
        let expected = |row: usize| {
            if row % 7 == 3 {
                None
            } else {
                Some(row as f64 / 4.0)
            }
        };
        assert!(optional(sizes) == (0..n_rows).map(expected).collect::<Vec<_>>());
        let codes = |code: fn(usize) -> u32| Column::Categorical((0..n_rows).map(code).collect());
        assert!(data.columns()[1] == codes(|row| [2, 1, 0, MISSING_CODE][row % 4]));
        assert!(data.columns()[2] == codes(|row| 1 - (row as u32 / 2 % 2)));
        assert!(data.columns()[3] == codes(|row| u32::from(row % 3 == 0)));
        assert!(*data.target() == Target::Classes((0..n_rows as u32).map(|row| row % 2).collect()));
    }
}

#[test]
fn rows_are_counted_over_batches() {
    let mut cells = vec![1.0; 4000];
    cells[3210] = f64::INFINITY;
    let batch = table([("x", Arc::new(Float64Array::from(cells)) as ArrayRef)]);
    let batches = [batch.slice(0, 1500), batch.slice(1500, 2500)];
    for bytes in in_all_formats(&batches) {
        let error = message(open(bytes).unwrap().read(&[Wanted::Either], &na()));
        assert_eq!(
            error,
            "row 3211, column \"x\": \"inf\" is not a finite number"
        );
    }
}

#[test]
fn a_source_is_read_as_often_as_needed() {
    for bytes in in_all_formats(&mixed(10)) {
        let source = open(bytes).unwrap();
        let mut wanted = [Wanted::Skip; 6];
        assert_eq!(
            source.read(&wanted, &[]).unwrap(),
            [const { RawColumn::Skipped }; 6]
        );
        wanted[5] = Wanted::Texts;
        wanted[1] = Wanted::Texts;
        let first = source.read(&wanted, &[]).unwrap();
        assert_eq!(first, source.read(&wanted, &[]).unwrap());
        assert_eq!(first[5].n_rows(), Some(10));
        assert_eq!(first[0], RawColumn::Skipped);
    }
}

// --- what cannot be read ---

#[test]
fn other_types_are_refused_when_wanted() {
    let mut list = ListBuilder::new(arrow_array::builder::Int32Builder::new());
    list.append_value([Some(1)]);
    let batch = table([
        ("ok", Arc::new(Int32Array::from(vec![1])) as ArrayRef),
        ("day", Arc::new(Date32Array::from(vec![1]))),
        ("time", Arc::new(TimestampMillisecondArray::from(vec![1]))),
        ("blob", Arc::new(BinaryArray::from_vec(vec![b"x"]))),
        ("list", Arc::new(list.finish())),
    ]);
    for bytes in in_all_formats(&[batch]) {
        let source = open(bytes).unwrap();
        for (position, data_type) in [
            (1, "Date32"),
            (2, "Timestamp(ms)"),
            (3, "Binary"),
            (4, "List("),
        ] {
            let mut wanted = [Wanted::Skip; 5];
            wanted[position] = Wanted::Either;
            let error = message(source.read(&wanted, &na()));
            let name = &source.names()[position];
            assert!(
                error.starts_with(&format!("column \"{name}\" has type {data_type}")),
                "{error}"
            );
            assert!(error.ends_with("(drop it or convert it)"), "{error}");
        }
        let mut wanted = [Wanted::Skip; 5];
        wanted[0] = Wanted::Either;
        assert_eq!(
            source.read(&wanted, &na()).unwrap()[0],
            RawColumn::Numbers(vec![1.0])
        );
    }
}

#[test]
fn names_must_be_distinct_and_not_empty() {
    let one = || Arc::new(Int32Array::from(vec![1])) as ArrayRef;
    for write in [parquet, file] {
        let error = message(open(write(&table([
            ("x", one()),
            ("y", one()),
            ("x", one()),
        ]))));
        assert_eq!(error, "column name \"x\" occurs twice");
        let error = message(open(write(&table([("x", one()), ("", one())]))));
        assert_eq!(error, "column name 2 is empty");
    }
}

#[test]
fn tables_without_rows_or_columns_are_refused() {
    let empty = table([(
        "x",
        Arc::new(Int32Array::from(Vec::<i32>::new())) as ArrayRef,
    )]);
    for bytes in in_all_formats(&[empty]) {
        let error = message(open(bytes).unwrap().read(&[Wanted::Either], &na()));
        assert_eq!(error, "no data rows");
    }
    let options = RecordBatchOptions::new().with_row_count(Some(2));
    let schema = Arc::new(Schema::empty());
    let bare = RecordBatch::try_new_with_options(schema, vec![], &options).unwrap();
    assert_eq!(message(open(file(&bare))), "no columns");
}

#[test]
fn what_is_not_a_table_is_said_to_be_none() {
    for garbage in [&b""[..], b"P", b"PAR1", b"PAR1PAR1", b"a,b\n1,2\n"] {
        let error = message(ArrowSource::parquet(garbage.to_vec()));
        assert!(
            error.starts_with("not a readable Parquet file: "),
            "{error}"
        );
    }
    for garbage in [
        &b""[..],
        b"A",
        b"ARROW1",
        b"ARROW1\0\0ARROW1",
        b"a,b\n1,2\n",
        &[0xff; 40],
    ] {
        let error = message(ArrowSource::ipc(garbage.to_vec()));
        assert!(error.starts_with("not a readable Arrow file: "), "{error}");
    }
    let error = message(open(b"FEA1....".to_vec()));
    assert_eq!(
        error,
        "not a readable Arrow file: it is of Feather version 1, expected version 2"
    );
    assert!(!is_parquet(b"a,b") && !is_ipc(b"a,b") && !is_ipc(b"") && !is_parquet(b""));
}

#[test]
fn dictionary_types_of_the_schema_are_seen_through() {
    let empty = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let array = arrow_array::new_null_array(&empty, 3);
    assert_eq!(texts(array, Wanted::Either), [const { None }; 3]);
}

// --- hostile bytes ---

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

/// Reads everything that can be read; an error is fine, as long as it is one line.
fn read_all(bytes: Vec<u8>) {
    let result = open_by_start(bytes).and_then(|source| {
        let wanted = vec![Wanted::Texts; source.names().len()];
        source.read(&wanted, &na())
    });
    if let Err(error) = result {
        assert!(!error.to_string().contains('\n'), "{error}");
    }
}

fn open_by_start(bytes: Vec<u8>) -> Result<ArrowSource> {
    if bytes.first() == Some(&b'P') {
        ArrowSource::parquet(bytes)
    } else {
        ArrowSource::ipc(bytes)
    }
}

/// Small tables of all types that are read, in all formats.
fn victims() -> Vec<Vec<u8>> {
    let batches: Vec<RecordBatch> = mixed(300)
        .iter()
        .map(|batch| batch.project(&[0, 1, 2, 3, 5]).unwrap())
        .collect();
    in_all_formats(&batches)
}

#[test]
fn truncated_files_are_errors() {
    for bytes in victims() {
        for part in 0..50 {
            let cut = bytes[..bytes.len() * part / 50].to_vec();
            read_all(cut);
        }
    }
}

#[test]
fn damaged_files_are_read_or_refused() {
    let rounds = std::env::var("ROUNDS").map_or(300, |rounds| rounds.parse().unwrap());
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for bytes in victims() {
        for _ in 0..rounds {
            let mut damaged = bytes.clone();
            for _ in 0..=random.below(4) {
                // Descriptions stand at the end of a file: damage there goes deeper.
                let end = damaged.len();
                let start = if random.below(2) == 0 { end / 2 } else { 4 };
                let at = start + random.below(end - start);
                damaged[at] = match random.below(3) {
                    0 => damaged[at] ^ (1 << random.below(8)),
                    1 => 0xff,
                    _ => random.below(256) as u8,
                };
            }
            read_all(damaged);
        }
    }
}

#[test]
fn garbage_behind_the_magic_bytes_is_refused() {
    let mut random = Random(42);
    for magic in [&b"PAR1"[..], b"ARROW1\0\0", b"\xff\xff\xff\xff"] {
        for length in 0..300 {
            let mut bytes = magic.to_vec();
            bytes.extend((0..length).map(|_| random.below(256) as u8));
            if length % 2 == 0 {
                bytes.extend([random.below(200) as u8, 0, 0, 0]);
                bytes.extend(&magic[..magic.len().min(6)]);
            }
            assert!(open_by_start(bytes).is_err());
        }
    }
}
