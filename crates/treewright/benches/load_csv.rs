//! Loads a CSV file and says how long it took: `load_csv FILE [THREADS]`.

use std::path::Path;
use std::time::Instant;

use treewright::data::{Dataset, ReadOptions, csv::CsvSource, read_file};

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: load_csv FILE [THREADS]")?;
    let threads = arguments.next().map_or(Ok(0), |threads| threads.parse())?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let start = Instant::now();
    let data = pool.install(|| -> Result<Dataset, Failure> {
        let source = CsvSource::new(read_file(Path::new(&path))?, b',')?;
        Ok(Dataset::read(&source, &ReadOptions::default())?)
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let columns = data.columns().len() + 1;
    println!("{seconds:.4} s, {} x {columns}", data.n_rows());
    Ok(())
}
