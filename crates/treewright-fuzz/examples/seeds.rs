//! Writes the files that fuzzing starts from: `cargo run -p treewright-fuzz --example seeds testdata/fuzz`.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int64Array, RecordBatch, StringArray,
    types::Int32Type,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{DataType, Field, Schema};
use flate2::Compression as Level;
use flate2::write::GzEncoder;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use treewright::Budget;
use treewright::cost::{CostMatrix, Loss, Penalty};
use treewright::data::{Dataset, ReadOptions, csv::CsvSource};
use treewright::export::{json, proof};
use treewright::learn::dyadic::{Dyadic, Resolution};
use treewright::learn::optimal::Optimal;
use treewright::learn::{FamilyLearner, Greedy, Learner};
use treewright::prune::{Aim, Method, NodeCosts, Pruner, PruningCost, take_out};
use treewright::tree::Fit;

type Outcome = Result<(), Box<dyn Error>>;

const CLASSES: &str =
    "x,k,w,class\n1,a,1,no\n2,b,2,yes\n3,a,1,no\n4.5,,3,yes\n?,b,1,yes\n6,c,2,no\n";
const NUMBERS: &str = "x,k,y\n1,a,1.5\n2,b,2.25\n3,a,3\n4,b,8.125\n5,c,-1\n";
const QUOTES: &str =
    "\u{feff}x,\"k\"\"\",class\r\n\"1\",\"a,\n\",no\r\n\r\n2e3,NA,\"yes\"\r\n-0,null,no\r\n";

fn main() -> Outcome {
    let root = std::env::args().nth(1).ok_or("name a folder")?;
    let root = Path::new(&root);
    tables(root)?;
    columns(root)?;
    documents(root)?;
    settings(root)
}

fn write(root: &Path, target: &str, name: &str, bytes: &[u8]) -> Outcome {
    let folder = root.join(target);
    fs::create_dir_all(&folder)?;
    Ok(fs::write(folder.join(format!("seed-{name}")), bytes)?)
}

fn tables(root: &Path) -> Outcome {
    for (name, text) in [
        ("classes", CLASSES),
        ("numbers", NUMBERS),
        ("quotes", QUOTES),
        ("odd", "a,b\n1e999,0x1\ninf,-\n"),
        (
            "narrow",
            "x,class\n1000000.1,b\n1000000.2,b\n1000000.3,a\n5e-324,a\n",
        ),
    ] {
        write(root, "csv", name, text.as_bytes())?;
        write(root, "check-table", name, text.as_bytes())?;
        let tabs = text.replace(',', "\t");
        write(root, "tsv", name, tabs.as_bytes())?;
        for level in [Level::none(), Level::best()] {
            let mut encoder = GzEncoder::new(Vec::new(), level);
            encoder.write_all(text.as_bytes())?;
            let name = format!("{name}-{}", level.level());
            write(root, "gzip", &name, &encoder.finish()?)?;
        }
    }
    Ok(())
}

fn batch() -> Result<RecordBatch, Box<dyn Error>> {
    let kinds: DictionaryArray<Int32Type> = [Some("a"), Some("b"), None, Some("a")]
        .into_iter()
        .collect();
    let columns: [(&str, ArrayRef); 5] = [
        (
            "x",
            Arc::new(Float64Array::from(vec![
                Some(1.5),
                None,
                Some(2.5),
                Some(-4.0),
            ])),
        ),
        ("n", Arc::new(Int64Array::from(vec![1, 2, 3, 4]))),
        ("k", Arc::new(kinds)),
        (
            "b",
            Arc::new(BooleanArray::from(vec![true, false, true, true])),
        ),
        (
            "class",
            Arc::new(StringArray::from(vec!["no", "yes", "no", "yes"])),
        ),
    ];
    Ok(RecordBatch::try_from_iter(columns)?)
}

fn columns(root: &Path) -> Outcome {
    let small = RecordBatch::try_new(
        Arc::new(Schema::new(vec![
            Field::new("x", DataType::Int64, false),
            Field::new("class", DataType::Utf8, false),
        ])),
        vec![
            Arc::new(Int64Array::from(vec![1, 2])),
            Arc::new(StringArray::from(vec!["a", "b"])),
        ],
    )?;
    let long = RecordBatch::try_from_iter([
        ("x", Arc::new(Int64Array::from(vec![7; 150])) as ArrayRef),
        ("class", Arc::new(StringArray::from(vec!["a"; 150]))),
    ])?;
    for (name, batch) in [("all", batch()?), ("small", small), ("long", long)] {
        for (how, compression) in [
            ("plain", Compression::UNCOMPRESSED),
            ("snappy", Compression::SNAPPY),
            ("zstd", Compression::ZSTD(ZstdLevel::default())),
        ] {
            let properties = WriterProperties::builder()
                .set_compression(compression)
                .set_dictionary_enabled(name == "all")
                .set_created_by(String::new())
                .build();
            let mut bytes = Vec::new();
            let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties))?;
            writer.write(&batch)?;
            writer.close()?;
            write(root, "parquet", &format!("{name}-{how}"), &bytes)?;
        }
        for (how, compression) in [
            ("plain", None),
            ("lz4", Some(CompressionType::LZ4_FRAME)),
            ("zstd", Some(CompressionType::ZSTD)),
        ] {
            let options = || IpcWriteOptions::default().try_with_compression(compression);
            let mut file =
                FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options()?)?;
            file.write(&batch)?;
            write(
                root,
                "arrow",
                &format!("{name}-file-{how}"),
                &file.into_inner()?,
            )?;
            let mut stream =
                StreamWriter::try_new_with_options(Vec::new(), &batch.schema(), options()?)?;
            stream.write(&batch)?;
            write(
                root,
                "arrow",
                &format!("{name}-stream-{how}"),
                &stream.into_inner()?,
            )?;
        }
    }
    Ok(())
}

fn data(text: &str) -> Result<Dataset, treewright::Error> {
    let source = CsvSource::new(text.into(), b',')?;
    Dataset::read(&source, &ReadOptions::default())
}

fn documents(root: &Path) -> Outcome {
    let budget = Budget::unlimited();
    let classes = data(CLASSES)?;
    let greedy = Greedy::default();
    let optimal = Optimal::default();
    let dyadic = Dyadic {
        resolution: Resolution::Same(2),
        ..Dyadic::default()
    };
    let costly = Greedy {
        loss: Loss::Matrix(CostMatrix::new(&[vec![0.0, 1.0], vec![5.0, 0.0]])?),
        ..Greedy::default()
    };
    let model = |name: &str, fit: &Fit| {
        let text = json::write_model(fit);
        write(root, "check-model", name, text.as_bytes())?;
        write(root, "model", name, text.as_bytes())
    };
    model("greedy", &greedy.fit(&classes, &budget)?)?;
    model("costs", &costly.fit(&classes, &budget)?)?;
    model("optimal", &optimal.fit(&classes, &budget)?)?;
    let deep = Optimal {
        depth: 3,
        ..Optimal::default()
    };
    let deep = deep.fit(&classes, &budget)?;
    model("deep", &deep)?;
    proofs(root, &classes, &greedy.fit(&classes, &budget)?)?;
    model("dyadic", &dyadic.fit(&classes, &budget)?)?;
    model("regression", &greedy.fit(&data(NUMBERS)?, &budget)?)?;
    for (name, penalty) in [("linear", Penalty::Linear), ("sqrt", "sqrt".parse()?)] {
        let pruner = Pruner {
            penalty,
            cost: PruningCost::Error,
            method: Method::Auto,
            most_bytes: 1 << 20,
        };
        let fit = greedy.fit(&classes, &budget)?;
        let costs = NodeCosts::of(&fit.model, PruningCost::Error)?;
        let pruned = pruner.prune(fit.clone(), &costs, None, &Aim::Weight("0.1".parse()?))?;
        model(&format!("pruned-{name}"), &pruned)?;
        let family = pruner.family(fit, &costs, None)?;
        let text = json::write_family(&family);
        write(root, "family", &format!("pruned-{name}"), text.as_bytes())?;
    }
    let sizes = optimal.fit_family(&classes, &budget)?;
    let family = dyadic.fit_family(&classes, &budget)?;
    for (name, family) in [("optimal", &sizes), ("dyadic", &family)] {
        let text = json::write_family(family);
        write(root, "family", name, text.as_bytes())?;
        // The checker reads both kinds of documents.
        write(
            root,
            "check-model",
            &format!("family-{name}"),
            text.as_bytes(),
        )?;
    }
    model("taken", &take_out(&family, 0, None, None)?)
}

/// Proofs of optimal trees of depth 3, on the table of classes and on one without order, and of pruned ones.
fn proofs(root: &Path, classes: &Dataset, grown: &Fit) -> Outcome {
    let deep = Optimal {
        depth: 3,
        ..Optimal::default()
    };
    let mut noise = "x,k,class\n".to_owned();
    for row in 0..24 {
        let class = ["no", "yes"][row * row / 5 % 2];
        let number = (row * 7 % 24).to_string();
        noise += &[&number, ",", ["a", "b", "c"][row % 3], ",", class, "\n"].concat();
    }
    for (name, rows) in [("classes", classes), ("noise", &data(&noise)?)] {
        let (_, found) = deep.fit_with_proof(rows, &Budget::unlimited())?;
        let mut bytes = Vec::new();
        proof::write_optimal(&found, &mut bytes)?;
        write(root, "proof", name, &bytes)?;
    }
    let mut bytes = Vec::new();
    proof::write_grown(grown, &mut bytes)?;
    write(root, "proof", "grown", &bytes)
}

fn settings(root: &Path) -> Outcome {
    for (name, text) in [
        (
            "good",
            ",no,yes,maybe\nno,0,1,2\nyes,5,0,0.25\nmaybe,1,1,0\n",
        ),
        (
            "tabs",
            "t\tyes\tno\tmaybe\nno\t1\t0\t1\nmaybe\t1\t1\t0\nyes\t0\t1\t1e300\n",
        ),
        (
            "quoted",
            "\"\",\"no\",\"yes\",\"maybe\"\r\n\"no\",0,1,1\r\nyes,1,0,1\r\nmaybe,1,1,0",
        ),
        ("short", ",no\nno,0\n"),
    ] {
        write(root, "costs", name, text.as_bytes())?;
    }
    for (name, text) in [
        ("rising", "1\n2\n3\n4\n5\n6\n7\n8\n"),
        ("odd", "-1e-300\n0\n0.1\n1e3\n 2000 \r\n3e300\n1e308\n"),
        ("falling", "3\n2\n"),
    ] {
        write(root, "penalty", name, text.as_bytes())?;
    }
    Ok(())
}
