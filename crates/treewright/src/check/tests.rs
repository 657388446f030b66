//! Small tables with one fault each, and tables that look faulty and are not.

use super::*;
use crate::data::csv::CsvSource;

fn checked_with(text: &str, options: &ReadOptions) -> TableCheck {
    let source = CsvSource::new(text.as_bytes().to_vec(), b',').unwrap();
    check(&source, options).unwrap()
}

fn checked(text: &str) -> TableCheck {
    checked_with(text, &ReadOptions::default())
}

/// A table of rows that a function writes, with a class that nothing tells.
fn table(names: &str, n: usize, row: impl Fn(usize) -> String) -> String {
    let class = |at: usize| if at * at % 7 < 3 { "yes" } else { "no" };
    let rows = (0..n).map(|at| format!("{},{}\n", row(at), class(at)));
    format!("{names},class\n{}", rows.collect::<String>())
}

/// The codes of the findings about a column.
fn codes(check: &TableCheck, name: &str) -> Vec<&'static str> {
    let column = check.columns.iter().find(|column| column.name == name);
    let findings = column.unwrap().findings.iter();
    findings.map(Finding::code).collect()
}

fn of_table(check: &TableCheck) -> Vec<&'static str> {
    check.findings.iter().map(Finding::code).collect()
}

/// A number that looks like any other.
fn scrambled(at: usize) -> usize {
    at * 7919 % 1009
}

#[test]
fn ids_are_found() {
    let found = checked(&table("code,rising,order_id,gapless", 100, |at| {
        let gapless = at * 37 % 100;
        format!(
            "c{},{},{},{gapless}",
            scrambled(at),
            1000 + 3 * at,
            scrambled(at)
        )
    }));
    assert_eq!(codes(&found, "code"), ["id-text"]);
    assert_eq!(codes(&found, "rising"), ["id-number"]);
    assert_eq!(codes(&found, "order_id"), ["id-number"]);
    assert_eq!(codes(&found, "gapless"), ["id-number"]);
    let (options, changes) = found.prepare(&ReadOptions::default(), &[]).unwrap();
    assert_eq!(options.drop, ["code", "rising", "order_id"]);
    assert_eq!(changes.len(), 3);
    let (options, _) = found
        .prepare(&ReadOptions::default(), &["rising".into()])
        .unwrap();
    assert_eq!(options.drop, ["code", "order_id"]);
    assert!(found.prepare(&options, &["nothing".into()]).is_err());
}

#[test]
fn what_only_looks_like_an_id_stays() {
    let found = checked(&table("whole,decimal,town,rank", 100, |at| {
        // All distinct, but in no order; rising, but not whole; repeated; rising with a tie.
        format!("{},{}.5,t{},{}", scrambled(at), at, at % 40, at.max(1))
    }));
    for name in ["whole", "decimal", "town", "rank"] {
        assert!(codes(&found, name).is_empty(), "{name}");
    }
    let few = checked(&table("code", 15, |at| format!("c{at}")));
    assert!(codes(&few, "code").is_empty());
}

#[test]
fn a_table_of_ids_leaves_nothing() {
    let found = checked(&table("code", 30, |at| format!("c{at}")));
    assert_eq!(of_table(&found), ["no-features"]);
    let error = found.prepare(&ReadOptions::default(), &[]).unwrap_err();
    assert!(error.to_string().contains("--keep code"), "{error}");
}

#[test]
fn dates_are_found_and_become_numbers() {
    let text = table("day,moment,us", 60, |at| {
        let (month, day) = (at % 12 + 1, at % 28 + 1);
        format!("2024-{month:02}-{day:02},2024-01-{day:02} 10:00,{day}/{month}/2023")
    });
    let found = checked(&text);
    for name in ["day", "moment", "us"] {
        assert_eq!(codes(&found, name)[0], "date", "{name}");
    }
    let kinds: Vec<ColumnKind> = found.columns.iter().map(|column| column.kind).collect();
    assert_eq!(kinds[..2], [ColumnKind::Date, ColumnKind::DateTime]);
    let (options, _) = found.prepare(&ReadOptions::default(), &[]).unwrap();
    let source = CsvSource::new(text.into(), b',').unwrap();
    let data = Dataset::read(&source, &options).unwrap();
    let first = |column: usize| data.columns()[column].value(0);
    assert_eq!(first(0), crate::data::Value::Number(19_723.0));
    assert_eq!(
        first(1),
        crate::data::Value::Number(19_723.0 * 86_400.0 + 36_000.0)
    );
    // A model of these columns reads them alike.
    let again = Dataset::read_for(&source, data.schema(), crate::data::Purpose::Verify).unwrap();
    assert_eq!(data.columns(), again.columns());
}

#[test]
fn words_among_numbers_are_named() {
    let text = table("bmi,risk,plan", 80, |at| {
        let bmi = if at == 16 {
            "n/a".into()
        } else {
            format!("{at}.25")
        };
        let risk = if at % 30 == 3 {
            "none".into()
        } else {
            at.to_string()
        };
        format!("{bmi},{risk},{}", ["none", "1", "2"][at % 3])
    });
    let found = checked(&text);
    assert_eq!(codes(&found, "bmi"), ["nearly-numeric"]);
    let Finding::Nearly { tokens, .. } = &found.columns[0].findings[0] else {
        unreachable!()
    };
    let n_a = Token {
        text: "n/a".into(),
        cells: 1,
        first_row: 17,
        means_missing: true,
    };
    assert_eq!(tokens, &[n_a]);
    let (options, changes) = found.prepare(&ReadOptions::default(), &[]).unwrap();
    // As a category of another column, `none` cannot be taken for missing.
    assert_eq!(codes(&found, "risk"), ["nearly-numeric"]);
    assert!(options.reading.na.contains(&"n/a".into()));
    assert!(!options.reading.na.contains(&"none".into()));
    assert_eq!(changes.len(), 1);
}

#[test]
fn categories_that_are_numbers_for_the_most_part_stay() {
    let found = checked(&table("doors,grade", 100, |at| {
        format!(
            "{},{}",
            ["2", "3", "4", "5more"][at % 4],
            ["10th", "11th", "12th"][at % 3]
        )
    }));
    assert!(codes(&found, "doors").is_empty());
    assert!(codes(&found, "grade").is_empty());
}

#[test]
fn any_number_of_words_among_numbers_is_named() {
    const WORDS: [&str; 8] = ["none", "n/a", "unknown", "-", "missing", "tbd", " ", "N/A"];
    // Repeated numbers, which would be categories, and distinct ones, which would be an id.
    let text = table("bmi,income", 200, |at| {
        let word = |every: usize| (at % every == 0).then(|| WORDS[at / every % 8].to_owned());
        let bmi = word(10).unwrap_or_else(|| format!("{}.5", at % 30));
        let income = word(23).unwrap_or_else(|| format!("{}.25", 1000 + at * 7919 % 5003));
        format!("{bmi},{income}")
    });
    let found = checked(&text);
    assert_eq!(codes(&found, "bmi"), ["nearly-numeric"]);
    assert_eq!(codes(&found, "income"), ["nearly-numeric"]);
    assert_eq!(found.columns[0].findings[0].tokens().len(), 8);
    let (options, changes) = found.prepare(&ReadOptions::default(), &[]).unwrap();
    assert_eq!(changes.len(), 2);
    let source = CsvSource::new(text.into(), b',').unwrap();
    let data = Dataset::read(&source, &options).unwrap();
    assert!(
        data.schema()
            .features
            .iter()
            .all(|it| it.kind == crate::data::FeatureKind::Numeric)
    );
    // Free texts and codes stay what they are.
    let found = checked(&table("text,code", 100, |at| {
        let word = ["ab", "cd", "ef", "gh"][at % 4];
        let code = if at % 8 == 0 { "X" } else { "" };
        format!("{word}{},{code}{}", "x".repeat(at / 4), scrambled(at))
    }));
    assert_eq!(codes(&found, "text"), ["id-text"]);
    assert_eq!(codes(&found, "code"), ["id-text"]);
}

#[test]
fn infinite_numbers_among_words_are_refused() {
    let text = table("bmi", 80, |at| match at {
        16 => "n/a".into(),
        40 => "1e999".into(),
        _ => format!("{at}.25"),
    });
    let refused = |options: &ReadOptions| {
        let source = CsvSource::new(text.as_bytes().to_vec(), b',').unwrap();
        check(&source, options)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    let error = refused(&ReadOptions::default()).unwrap_err();
    let expected = "row 41 (line 42), column \"bmi\": \"1e999\" is not a finite number";
    assert_eq!(error, expected);
    let categorical = vec!["bmi".to_owned()];
    let as_texts = ReadOptions {
        categorical,
        ..ReadOptions::default()
    };
    assert_eq!(refused(&as_texts), Ok(()));
}

#[test]
fn numbers_for_people_are_found() {
    let found = checked(&table("price,share,age,comma", 60, |at| {
        let price = format!("\"${},{:03}.50\"", at + 1, at * 13 % 1000);
        let age = if at == 30 {
            " 18".into()
        } else {
            (at % 40).to_string()
        };
        let share = if at % 20 == 7 {
            "n/a".into()
        } else {
            format!("{}.9%", at % 12)
        };
        format!("{price},{share},{age},\"{},{}\"", at % 5, at % 4)
    }));
    let plain = |name: &str| {
        let column = found.columns.iter().find(|column| column.name == name);
        match &column.unwrap().findings[0] {
            Finding::FormattedNumbers {
                example,
                plain,
                cells,
                tokens,
                is_id,
                ..
            } => (example.clone(), plain.clone(), *cells, tokens.len(), *is_id),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        plain("price"),
        ("$1,000.50".into(), "1000.50".into(), 60, 0, true)
    );
    assert_eq!(plain("share"), ("0.9%".into(), "0.9".into(), 57, 1, false));
    assert_eq!(plain("age"), (" 18".into(), "18".into(), 1, 0, false));
    assert_eq!(plain("comma"), ("0,0".into(), "0.0".into(), 60, 0, false));
}

#[test]
fn dates_in_different_orders_are_found() {
    let found = checked(&table("day,few", 60, |at| {
        let (month, day) = (at % 12 + 1, at % 28 + 1);
        let few = ["2024-03-09", "9/3/2024", "13/3/2024"][at % 3];
        match at % 2 {
            0 => format!("2024-{month:02}-{day:02},{few}"),
            _ => format!("{day}/{month}/2024,{few}"),
        }
    }));
    assert_eq!(codes(&found, "day"), ["mixed-dates"]);
    assert!(found.columns[0].findings[0].leaves_out());
    assert_eq!(codes(&found, "few"), ["mixed-dates"]);
}

#[test]
fn categories_that_are_hardly_different_are_found() {
    let found = checked(&table("town,fine", 100, |at| {
        let town = ["Rome", "rome ", "Rome", "Oslo", "OSLO"][at % 5];
        format!("{town},{}", ["a", "b", "a b", "ab"][at % 4])
    }));
    assert_eq!(codes(&found, "town"), ["alike-categories"]);
    assert!(codes(&found, "fine").is_empty());
    let expected = Finding::AlikeCategories {
        most: ("Rome".into(), 40),
        other: ("rome ".into(), 20),
        categories: 2,
    };
    assert_eq!(found.columns[0].findings, [expected]);
    let rows = (0..100).map(|at| format!("{},{}\n", at % 9, ["yes", "no", "Yes"][at % 3]));
    let found = checked(&format!("x,class\n{}", rows.collect::<String>()));
    assert_eq!(codes(&found, "class"), ["alike-categories"]);
}

#[test]
fn a_target_of_numbers_with_words_is_told() {
    let rows = (0..100).map(|at| {
        let y = if at == 50 {
            "n/a".into()
        } else {
            format!("{at}.5")
        };
        format!("{},{y}\n", at % 9)
    });
    let found = checked(&format!("x,y\n{}", rows.collect::<String>()));
    assert_eq!(codes(&found, "y"), ["nearly-numeric"]);
}

#[test]
fn only_features_are_kept() {
    let text = table("a,b", 60, |at| format!("{},{}", at % 7, at % 5));
    let options = ReadOptions {
        drop: vec!["b".into()],
        ..ReadOptions::default()
    };
    let refused = |options: &ReadOptions, name: &str| {
        let found = checked_with(&text, options);
        let error = found.prepare(options, &[name.to_owned()]).unwrap_err();
        error.to_string()
    };
    assert_eq!(refused(&options, "b"), "keep: column \"b\" is also in drop");
    assert_eq!(
        refused(&options, "class"),
        "keep: column \"class\" is the target"
    );
    let options = ReadOptions {
        features: Some(vec!["a".into()]),
        ..ReadOptions::default()
    };
    assert_eq!(
        refused(&options, "b"),
        "keep: column \"b\" is not among the features"
    );
    assert!(refused(&options, "c").contains("there is no column \"c\""));
}

#[test]
fn columns_and_rows_that_repeat_are_found() {
    let found = checked(&table("a,b,c,d,e", 60, |at| {
        let letter = ["x", "y", "z"][at % 3];
        let number = (scrambled(at) % 30) as f64 / 4.0;
        format!("{letter},{},{number},{number},5", at % 3)
    }));
    assert_eq!(codes(&found, "b"), ["duplicate-column"]);
    assert_eq!(codes(&found, "d"), ["duplicate-column"]);
    assert_eq!(codes(&found, "e"), ["constant"]);
    let twice = checked(&table("a", 60, |at| (at % 7).to_string()));
    assert_eq!(twice.rows.duplicates, 53);
    assert_eq!(of_table(&twice), ["duplicate-rows"]);
}

#[test]
fn leaks_are_found() {
    let rows = (0..100).map(|at| {
        let class = usize::from(scrambled(at) % 10 < 4);
        let score = class * 500 + scrambled(at) % 400;
        format!("{},{score},{},{class}\n", ["f", "t"][class], at % 2)
    });
    let found = checked(&format!(
        "copy,score,fair,class\n{}",
        rows.collect::<String>()
    ));
    assert_eq!(codes(&found, "copy"), ["duplicate-of-target"]);
    assert_eq!(codes(&found, "score"), ["predicts-target"]);
    assert!(codes(&found, "fair").is_empty());
    let rows = (0..100).map(|at| {
        let y = scrambled(at) as f64 + 0.5;
        format!("{y},{},{},{y}\n", y * 2.0, at % 7)
    });
    let found = checked(&format!("copy,double,fair,y\n{}", rows.collect::<String>()));
    assert_eq!(codes(&found, "copy"), ["duplicate-of-target"]);
    assert_eq!(codes(&found, "double"), ["predicts-target"]);
    assert!(codes(&found, "fair").is_empty());
}

#[test]
fn an_id_of_sorted_rows_is_a_leak() {
    let rows = (0..100).map(|at| format!("{at},{},{}\n", scrambled(at), u8::from(at > 60)));
    let found = checked(&format!("nr,x,class\n{}", rows.collect::<String>()));
    assert_eq!(codes(&found, "nr"), ["id-number"]);
    assert_eq!(found.columns[0].findings[0].severity(), Severity::Error);
    assert_eq!(of_table(&found), ["sorted-rows"]);
    assert!(codes(&found, "x").is_empty());
}

#[test]
fn targets_are_looked_at() {
    let found = |class: &dyn Fn(usize) -> &'static str| {
        let rows = (0..1000).map(|at| format!("{},{}\n", scrambled(at) % 100, class(at)));
        let found = checked(&format!("x,class\n{}", rows.collect::<String>()));
        (codes(&found, "class"), found.rows.without_target)
    };
    let fraud = |at: usize| if at % 125 == 9 { "fraud" } else { "fair" };
    assert_eq!(found(&fraud), (vec!["class-imbalance"], 0));
    assert_eq!(found(&|_| "a"), (vec!["single-class"], 0));
    let missing = |at: usize| {
        if at.is_multiple_of(100) {
            ""
        } else {
            ["a", "b"][at % 2]
        }
    };
    assert_eq!(found(&missing).0, ["missing-target"]);
    assert_eq!(found(&missing).1, 10);
    let rare = |at: usize| if at < 3 { "c" } else { ["a", "b"][at % 2] };
    assert_eq!(found(&rare).0, ["rare-classes"]);
}

#[test]
fn empty_columns_and_rare_categories_are_found() {
    let found = checked(&table("none,town,street", 100, |at| {
        let town = if at == 50 { "z" } else { ["x", "y"][at % 2] };
        format!(",{town},s{}", at % 60)
    }));
    assert_eq!(codes(&found, "none"), ["empty-column"]);
    assert_eq!(codes(&found, "town"), ["one-row-categories"]);
    assert_eq!(codes(&found, "street"), ["many-categories"]);
}
