//! The format, the messages, and that neither cuts nor threads can be seen in the result.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::data::{FEW_TEXTS, MISSING_CODE, Texts};

const NA: [&str; 2] = ["NA", "?"];

fn source(text: &str) -> CsvSource {
    CsvSource::new(text.into(), b',').unwrap()
}

fn read(text: &str, wanted: &[Wanted]) -> Result<Vec<RawColumn>> {
    source(text).read(wanted, &NA.map(str::to_owned))
}

/// The message for a text whose columns are all wanted in one way.
fn message_for(text: impl Into<Vec<u8>>, wish: Wanted) -> String {
    let read = |source: CsvSource| source.read(&vec![wish; source.names.len()], &[]);
    let columns = CsvSource::new(text.into(), b',').and_then(read);
    columns.unwrap_err().to_string()
}

fn message(text: impl Into<Vec<u8>>) -> String {
    message_for(text, Wanted::Texts)
}

fn texts(cells: &[Option<&str>]) -> RawColumn {
    let mut distinct: Vec<String> = cells.iter().flatten().map(ToString::to_string).collect();
    distinct.sort();
    distinct.dedup();
    let code = |cell: Option<&str>| {
        cell.map_or(MISSING_CODE, |cell| {
            distinct.iter().position(|text| text == cell).unwrap() as u32
        })
    };
    let codes = cells.iter().copied().map(code).collect();
    RawColumn::Texts(Texts { codes, distinct })
}

/// Equal, where missing numbers equal each other and nothing else is a bit different.
fn same(left: &RawColumn, right: &RawColumn) -> bool {
    let same_numbers = |left: &[f64], right: &[f64]| {
        let bits = |numbers: &[f64]| -> Vec<u64> { numbers.iter().map(|x| x.to_bits()).collect() };
        bits(left) == bits(right)
    };
    match (left, right) {
        (RawColumn::Numbers(left), RawColumn::Numbers(right)) => same_numbers(left, right),
        (RawColumn::Both(left, left_texts), RawColumn::Both(right, right_texts)) => {
            same_numbers(left, right) && left_texts == right_texts
        }
        _ => left == right,
    }
}

fn assert_column(column: &RawColumn, expected: &RawColumn) {
    assert!(same(column, expected), "{column:?} is not {expected:?}");
}

#[test]
fn each_wish_is_met() {
    use Wanted::{Both, Either, Numbers, Skip, Texts};
    let text = "a,b,c,d,e,f,g\n1,1.0,2,x,3,y,u\n,?,,,4,NA,7\n-0,2,1e1,7,3,y,u\n";
    let columns = read(text, &[Numbers, Texts, Either, Either, Both, Both, Skip]).unwrap();
    let nan = f64::NAN;
    assert_column(&columns[0], &RawColumn::Numbers(vec![1.0, nan, 0.0]));
    assert_column(&columns[1], &texts(&[Some("1.0"), None, Some("2")]));
    assert_column(&columns[2], &RawColumn::Numbers(vec![2.0, nan, 10.0]));
    assert_column(&columns[3], &texts(&[Some("x"), None, Some("7")]));
    let RawColumn::Texts(few) = texts(&[Some("3"), Some("4"), Some("3")]) else {
        unreachable!()
    };
    assert_column(&columns[4], &RawColumn::Both(vec![3.0, 4.0, 3.0], few));
    assert_column(&columns[5], &texts(&[Some("y"), None, Some("y")]));
    assert_column(&columns[6], &RawColumn::Skipped);
}

#[test]
fn names_and_cells_of_all_kinds() {
    let text = "\u{FEFF}\r\n\n\"a \"\"b\"\"\",c\r\n\r\n\"1,\n2\", x\n\"\"\"\",\"\"\r\n\u{e9}\"e\", \n\nq\r,\"NA\"";
    let source = source(text);
    assert_eq!(source.names(), ["a \"b\"", "c"]);
    let columns = read(text, &[Wanted::Texts; 2]).unwrap();
    let first = [Some("1,\n2"), Some("\""), Some("\u{e9}\"e\""), Some("q\r")];
    assert_column(&columns[0], &texts(&first));
    assert_column(&columns[1], &texts(&[Some(" x"), None, Some(" "), None]));
    let lines: Vec<u64> = (0..4).map(|row| source.place(row).line.unwrap()).collect();
    assert_eq!(lines, [5, 7, 8, 10]);
}

#[test]
fn a_column_that_turns_out_to_be_texts() {
    for wish in [Wanted::Either, Wanted::Both] {
        let numbers = (0..500).map(|number| format!("{number},1\n"));
        let text: String = ["a,b\n".into()].into_iter().chain(numbers).collect();
        let columns = read(&(text.clone() + "inf,1\nx,1\n"), &[wish; 2]).unwrap();
        let RawColumn::Texts(texts) = &columns[0] else {
            panic!("{columns:?}")
        };
        assert_eq!(texts.codes.len(), 502);
        assert_eq!(texts.distinct.len(), 502);
        assert_eq!(texts.distinct[texts.codes[501] as usize], "x");
        assert!(texts.distinct.is_sorted());
        // Without the text, the infinite number is a fault, however late it comes.
        assert_eq!(
            message_for(text + "1e999,1\ninf,1\n", wish),
            "row 501 (line 502), column \"a\": \"1e999\" is not a finite number"
        );
    }
}

#[test]
fn few_texts_and_one_more() {
    for n_distinct in [FEW_TEXTS, FEW_TEXTS + 1] {
        let numbers = (0..1000).map(|row| format!("{}\n", row % n_distinct));
        let text: String = ["a\n".into()].into_iter().chain(numbers).collect();
        for chunk_size in [50, 1 << 20] {
            let mut source = source(&text);
            source.chunk_size = chunk_size;
            let columns = source.read(&[Wanted::Both], &[]).unwrap();
            let has_texts = matches!(columns[0], RawColumn::Both(..));
            assert_eq!(has_texts, n_distinct == FEW_TEXTS);
            assert_eq!(columns[0].n_rows(), Some(1000));
        }
    }
}

#[test]
fn columns_without_any_value_are_numbers() {
    for wish in [Wanted::Either, Wanted::Both, Wanted::Numbers] {
        let columns = read("a,b\n,1\nNA,1\n\"\",1\n", &[wish, Wanted::Skip]).unwrap();
        assert_column(&columns[0], &RawColumn::Numbers(vec![f64::NAN; 3]));
    }
    let columns = read("a,b\n,1\n", &[Wanted::Texts, Wanted::Skip]).unwrap();
    assert_column(&columns[0], &texts(&[None]));
}

#[test]
fn missing_tokens_are_texts_even_if_they_are_numbers() {
    let source = source("a,b,c\n-9,-9,-9\n-9.0,-9.0,-9.0\n1,1,1\n");
    let wanted = [Wanted::Either, Wanted::Both, Wanted::Texts];
    let columns = source.read(&wanted, &["-9".to_owned()]).unwrap();
    let numbers = vec![f64::NAN, -9.0, 1.0];
    let RawColumn::Texts(few) = texts(&[None, Some("-9.0"), Some("1")]) else {
        unreachable!()
    };
    assert_column(&columns[0], &RawColumn::Numbers(numbers.clone()));
    assert_column(&columns[1], &RawColumn::Both(numbers, few.clone()));
    assert_column(&columns[2], &RawColumn::Texts(few));
}

#[test]
fn long_decimals_are_read_right() {
    let ones = "1".repeat(400);
    let text = format!("a\n0.{ones}\n{ones}e-400\n");
    let columns = read(&text, &[Wanted::Either]).unwrap();
    let ninth = 1.0 / 9.0;
    assert_column(&columns[0], &RawColumn::Numbers(vec![ninth, ninth]));
}

#[test]
fn other_delimiters() {
    for delimiter in [b';', b'\t', b'|', b' '] {
        let text = "a,b\n1,\"x,y\"\n".replace(',', &char::from(delimiter).to_string());
        let source = CsvSource::new(text.into(), delimiter).unwrap();
        assert_eq!(source.names(), ["a", "b"]);
        let columns = source.read(&[Wanted::Either; 2], &[]).unwrap();
        assert_column(&columns[0], &RawColumn::Numbers(vec![1.0]));
    }
    for delimiter in [b'"', b'\n', b'\r', b'e', b'5', b'.', b'-', 0, 0xE9] {
        let error = CsvSource::new("a\n1\n".into(), delimiter).unwrap_err();
        assert!(error.to_string().starts_with("delimiter: got "), "{error}");
    }
}

#[test]
fn messages_about_the_header() {
    for text in ["", "\n\r\n\n", "\u{FEFF}"] {
        assert_eq!(message(text), "the file is empty, expected a header line");
    }
    for text in ["a,b", "a,b\n", "\na,b\r\n\r\n\n"] {
        assert_eq!(message(text), "no data rows after the header");
    }
    assert_eq!(
        message("a;b\n"),
        "no data rows after the header (its columns seem to be separated by semicolons, \
         the delimiter is ',')"
    );
    assert_eq!(
        message("a\r1\r2\r"),
        "no data rows after the header (its lines seem to end in CR alone, expected LF or CRLF)"
    );
    assert_eq!(
        message("\na,,c\n1,2,3\n"),
        "line 2: column 2 has no name, expected one for every column"
    );
    assert_eq!(
        message("a,b,\"a\"\n1,2,3\n"),
        "line 1: the column name \"a\" occurs twice (columns 1 and 3)"
    );
    assert_eq!(
        message("a,\"b\n1,2\n"),
        "line 1: the quote that opens this cell is never closed"
    );
}

#[test]
fn messages_about_rows() {
    assert_eq!(
        message("a,b\n1,2\n\n3\n4\n"),
        "row 2 (line 4): 1 cell, expected 2 as in the header"
    );
    assert_eq!(
        message("a,b\n1,2,3,4"),
        "row 1 (line 2): 4 cells, expected 2 as in the header"
    );
    assert_eq!(
        message("a\tb\n1,5\t2\n"),
        "row 1 (line 2): 2 cells, expected 1 as in the header (its columns seem to be separated \
         by tabs, the delimiter is ',')"
    );
    assert_eq!(
        message("a,b\n1,2\n\"x\ny\",\"3\n4,5\n"),
        "row 2 (line 4), column \"b\": the quote that opens this cell is never closed"
    );
    assert_eq!(
        message("a,b\n1,\"2\"x\n"),
        "row 1 (line 2), column \"b\": text after a closing quote, expected the end of the cell \
         (a quote inside quotes is written twice)"
    );
    // A lone CR is not a line end.
    assert!(message("a,b\n1,\"2\"\r").contains("text after a closing quote"));
    // The shape of a row comes before its values.
    assert!(message_for("a,b\nx\n", Wanted::Numbers).contains("1 cell,"));
}

#[test]
fn messages_about_bytes() {
    assert_eq!(
        message("a,b\n1,2\n\n\"x\n\",caf\u{e9}\0\n"),
        "row 2 (line 5), column \"b\": a NUL byte, expected a text file"
    );
    assert_eq!(
        message("a,\0\n"),
        "line 1: a NUL byte, expected a text file"
    );
    assert_eq!(
        message(b"a,b\n1,2\n3,caf\xE9\n".as_slice()),
        "row 2 (line 3), column \"b\": byte 0xE9 is not UTF-8 text"
    );
    assert_eq!(
        message(b"caf\xE9,b\n".as_slice()),
        "line 1: byte 0xE9 is not UTF-8 text"
    );
    // The records cannot be followed to the byte.
    assert_eq!(
        message(b"a,b\n\"x\"y,2\n3,\xE9\n".as_slice()),
        "line 3: byte 0xE9 is not UTF-8 text"
    );
    for text in [b"\xFF\xFEa\0".as_slice(), b"\xFE\xFF\0a"] {
        assert_eq!(message(text), "the file looks like UTF-16, expected UTF-8");
    }
}

#[test]
fn messages_about_numbers() {
    assert_eq!(
        message_for("a,b\n1,2\n3,x\ny,4\n", Wanted::Numbers),
        "row 2 (line 3), column \"b\": \"x\" is not a number"
    );
    assert_eq!(
        message_for("a,b\n1,2\n3,\"-inf\"\n", Wanted::Numbers),
        "row 2 (line 3), column \"b\": \"-inf\" is not a finite number"
    );
    for wish in [Wanted::Either, Wanted::Both] {
        assert_eq!(
            message_for("a,b\n1,inf\n1e999,2\n", wish),
            "row 1 (line 2), column \"b\": \"inf\" is not a finite number"
        );
    }
    assert_eq!(check_n_rows(MOST_ROWS).err().map(|e| e.to_string()), None);
    assert_eq!(
        check_n_rows(MOST_ROWS + 1).unwrap_err().to_string(),
        "4294967295 rows, expected at most 4294967294"
    );
}

/// Texts in which anything may happen; `\r` and `\r\n` are both frequent.
fn any_text(pieces: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(pieces), 0..40).prop_map(|pieces| pieces.concat())
}

/// Texts that are mostly in order: three columns, now and then a surprise.
fn likely_text() -> impl Strategy<Value = String> {
    let cell = prop_oneof![
        8 => Just("1"), 8 => Just("2.5"), 4 => Just(""), 2 => Just("NA"), 2 => Just("\"3\""),
        2 => Just("\"7\n8\""), 2 => Just("\"\n,\n\"\"\n\""), 1 => Just("x"), 1 => Just("inf"),
        1 => Just("\"\""), 1 => Just("\u{e9}"),
    ];
    let end = prop_oneof![
        60 => Just("\n"), 20 => Just("\r\n"), 10 => Just("\n\n"), 1 => Just(",1\n"),
        1 => Just("\"\n"), 1 => Just(",\"\n"),
    ];
    let row = ([cell.clone(), cell.clone(), cell], end)
        .prop_map(|([a, b, c], end)| format!("{a},{b},{c}{end}"));
    prop::collection::vec(row, 0..40).prop_map(|rows| format!("a,b,c\n{}", rows.concat()))
}

/// Reads with small cuts on two threads and with one cut; both must agree, also about faults.
fn check_cuts(text: &str, wanted: &[Wanted]) {
    let Ok(mut source) = CsvSource::new(text.into(), b',') else {
        return;
    };
    let n_columns = source.names.len();
    let wanted: Vec<Wanted> = wanted.iter().copied().cycle().take(n_columns).collect();
    let na = NA.map(str::to_owned);
    let whole = source.read(&wanted, &na);
    for chunk_size in [1, 3, 10, 50] {
        source.chunk_size = chunk_size;
        match (&whole, source.read(&wanted, &na)) {
            (Ok(whole), Ok(pieces)) => {
                let all_same = whole
                    .iter()
                    .zip(&pieces)
                    .all(|(left, right)| same(left, right));
                assert!(all_same, "{whole:?} is not {pieces:?}");
            }
            (Err(whole), Err(pieces)) => assert_eq!(whole.to_string(), pieces.to_string()),
            (whole, pieces) => panic!("{whole:?} is not {pieces:?}"),
        }
    }
}

fn some_wishes() -> impl Strategy<Value = Vec<Wanted>> {
    use Wanted::{Both, Either, Numbers, Skip, Texts};
    let wish = prop::sample::select(vec![Skip, Numbers, Texts, Either, Both]);
    prop::collection::vec(wish, 3)
}

/// What the `csv` crate finds. It takes a lone CR for a line end, so that is hidden from it.
fn records_of_csv_crate(text: &str) -> Vec<Vec<String>> {
    const LONE_CR: &str = "\u{e9}";
    let hidden = text
        .replace("\r\n", "\0")
        .replace('\r', LONE_CR)
        .replace('\0', "\r\n");
    let mut reader = ::csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(hidden.as_bytes());
    let record = |record: ::csv::StringRecord| {
        record
            .iter()
            .map(|cell| cell.replace(LONE_CR, "\r"))
            .collect()
    };
    reader
        .records()
        .map(|found| record(found.unwrap()))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn records_are_those_of_the_csv_crate(
        text in any_text(&["a", "1", ",", ",", ".", "\"", "\"", "\n", "\n", "\r", "\r\n", "-", "\"\""])
    ) {
        let records = Records { text: text.as_bytes(), delimiter: b',' };
        let mut found = Vec::new();
        for start in records.starts(0) {
            let cells: std::result::Result<Vec<Cell>, QuoteFault> = records.cells(start).collect();
            let Ok(cells) = cells else {
                return Ok(());
            };
            let cells = cells.into_iter().map(|cell| records.content(cell).into_owned());
            found.push(cells.collect::<Vec<String>>());
        }
        prop_assert_eq!(found, records_of_csv_crate(&text));
    }

    #[test]
    fn texts_are_those_of_the_csv_crate(
        body in any_text(&["a", "1", ",", ",", ".", "\"a\"", "\"\"", "\n", "\n", "\r\n", "-", "\"\n\""])
    ) {
        let text = format!("x,y\n{body}");
        let columns = CsvSource::new(text.clone().into(), b',')
            .and_then(|source| source.read(&[Wanted::Texts; 2], &[]));
        if let Ok(columns) = columns {
            let records = records_of_csv_crate(&text);
            for (position, column) in columns.iter().enumerate() {
                let cells = records[1..].iter().map(|record| record[position].as_str());
                let cells: Vec<Option<&str>> = cells.map(|cell| Some(cell).filter(|c| !c.is_empty())).collect();
                assert_column(column, &texts(&cells));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn cuts_cannot_be_seen_in_likely_texts(text in likely_text(), wanted in some_wishes()) {
        check_cuts(&text, &wanted);
    }

    #[test]
    fn cuts_cannot_be_seen_in_any_text(
        body in any_text(&["1", "1", ",", ",", "\"", "\n", "\n", "\r\n", "\"1\n\"", "x", "inf"]),
        wanted in some_wishes(),
    ) {
        check_cuts(&format!("a,b\n{body}"), &wanted);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        for text in [bytes.clone(), [b"a,b\n", bytes.as_slice()].concat()] {
            if let Ok(source) = CsvSource::new(text, b',') {
                let _ = source.read(&vec![Wanted::Both; source.names.len()], &[]);
            }
        }
    }
}

#[test]
fn threads_cannot_be_seen() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut text = "a,b,c\n".to_owned();
    for _ in 0..20_000 {
        let quoted = if random.u8(..) < 30 {
            "\"x\ny,z\""
        } else {
            "plain"
        };
        writeln!(text, "{},{quoted},{}", random.u32(..), random.u8(..70)).unwrap();
    }
    let with_threads = |threads: usize| {
        let mut source = source(&text);
        source.chunk_size = 5_000;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let wanted = [Wanted::Either, Wanted::Either, Wanted::Both];
        pool.install(|| source.read(&wanted, &[])).unwrap()
    };
    let alone = with_threads(1);
    assert_eq!(alone[0].n_rows(), Some(20_000));
    assert_eq!(alone, with_threads(3));
}
