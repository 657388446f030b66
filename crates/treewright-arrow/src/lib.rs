//! Parquet, Arrow IPC and Feather tables for [`treewright`].
//!
//! [`ArrowSource`] is a [`Source`] over the bytes of such a file. Each column has a type, so nothing is
//! guessed:
//!
//! | type of the column | handed out as |
//! |---|---|
//! | integers, floats, decimals | numbers; NaN is missing, an infinite number is an error |
//! | texts | texts; empty ones and those that mean "missing" are missing |
//! | booleans | the texts `false` and `true` |
//! | dictionaries of these | as their values |
//! | null | all missing |
//! | anything else | an error, unless the column is skipped |
//!
//! A null is missing. Files are decoded batch by batch, only the wanted columns of them.
//!
//! ```
//! use treewright_arrow::{ArrowSource, is_ipc, is_parquet};
//!
//! let bytes = b"PAR1, and then nothing that makes sense".to_vec();
//! assert!(is_parquet(&bytes) && !is_ipc(&bytes));
//! let error = ArrowSource::parquet(bytes).err().unwrap();
//! assert!(error.to_string().starts_with("not a readable Parquet file: "));
//! ```

mod cell;
mod column;
mod guard;
mod ipc;
mod parquet;

use arrow_schema::{Field, Schema};
use rustc_hash::FxHashSet;
use treewright::Result;
use treewright::data::{RawColumn, Source, Wanted};
use treewright::error::{Error, Place, quoted};

pub use crate::guard::is_guarded;

use crate::cell::Kind;
use crate::column::{ColumnBuilder, Na};
use crate::ipc::IpcTable;
use crate::parquet::ParquetTable;

/// A Parquet or Arrow table in memory.
///
/// Guarded by the constructors: there are columns, and their names are distinct and not empty.
pub struct ArrowSource {
    names: Vec<String>,
    table: Table,
}

enum Table {
    Parquet(ParquetTable),
    Ipc(IpcTable),
}

/// Does this look like a Parquet file?
pub fn is_parquet(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PAR1") || bytes.starts_with(b"PARE")
}

/// Does this look like an Arrow IPC file or stream, or a Feather file?
///
/// Files of Feather version 1 count as well: they cannot be read, but the error says why.
pub fn is_ipc(bytes: &[u8]) -> bool {
    ipc::is_file(bytes) || ipc::is_stream(bytes) || ipc::is_feather_1(bytes)
}

impl ArrowSource {
    /// Takes the bytes of a Parquet file.
    pub fn parquet(bytes: Vec<u8>) -> Result<Self> {
        Self::new(Table::Parquet(ParquetTable::open(bytes)?))
    }

    /// Takes the bytes of an Arrow IPC file (Feather version 2 is the same) or stream.
    pub fn ipc(bytes: Vec<u8>) -> Result<Self> {
        Self::new(Table::Ipc(IpcTable::open(bytes)?))
    }

    fn new(table: Table) -> Result<Self> {
        let names: Vec<String> = table
            .schema()
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect();
        check_names(&names)?;
        Ok(Self { names, table })
    }

    /// An empty column for each wish, with the position that it has in the file.
    fn builders<'a>(&'a self, wanted: &[Wanted], na: &'a Na<'a>) -> Result<Vec<ColumnBuilder<'a>>> {
        let fields = self.table.schema().fields();
        let mut builders = Vec::new();
        for (position, (field, &wish)) in fields.iter().zip(wanted).enumerate() {
            if wish != Wanted::Skip {
                let kind = Kind::of(field.data_type()).ok_or_else(|| unreadable(field))?;
                let mut builder = ColumnBuilder::new(position, field.name(), kind, wish, na);
                builder.reserve(self.table.claimed_rows())?;
                builders.push(builder);
            }
        }
        Ok(builders)
    }
}

impl Source for ArrowSource {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn read(&self, wanted: &[Wanted], na: &[String]) -> Result<Vec<RawColumn>> {
        let na = Na::new(na);
        let mut builders = self.builders(wanted, &na)?;
        let mut columns = vec![RawColumn::Skipped; self.names.len()];
        if builders.is_empty() {
            return Ok(columns);
        }
        let positions: Vec<usize> = builders.iter().map(ColumnBuilder::position).collect();
        let mut rows = 0;
        self.table.batches(&positions, |batch| {
            rows += batch.num_rows();
            let arrays = batch.columns().iter();
            arrays
                .zip(&mut builders)
                .try_for_each(|(array, builder)| builder.push(array))
        })?;
        if rows == 0 {
            return Err(Error::table(Place::default(), "no data rows"));
        }
        for builder in builders {
            let position = builder.position();
            columns[position] = builder.finish();
        }
        Ok(columns)
    }
}

impl Table {
    fn schema(&self) -> &Schema {
        match self {
            Self::Parquet(table) => table.schema(),
            Self::Ipc(table) => table.schema(),
        }
    }

    /// The number of rows that the file says it has.
    fn claimed_rows(&self) -> usize {
        match self {
            Self::Parquet(table) => table.claimed_rows(),
            Self::Ipc(table) => table.claimed_rows(),
        }
    }

    /// Decodes the columns at these rising positions and hands them on batch by batch.
    fn batches(
        &self,
        positions: &[usize],
        each: impl FnMut(&arrow_array::RecordBatch) -> Result<()>,
    ) -> Result<()> {
        match self {
            Self::Parquet(table) => table.batches(positions, each),
            Self::Ipc(table) => table.batches(positions, each),
        }
    }
}

fn check_names(names: &[String]) -> Result<()> {
    if names.is_empty() {
        return Err(Error::table(Place::default(), "no columns"));
    }
    let mut seen = FxHashSet::default();
    for (position, name) in names.iter().enumerate() {
        if name.is_empty() {
            return Err(Error::schema(format!(
                "column name {} is empty",
                position + 1
            )));
        }
        if !seen.insert(name) {
            return Err(Error::schema(format!(
                "column name {} occurs twice",
                quoted(name)
            )));
        }
    }
    Ok(())
}

fn unreadable(field: &Field) -> Error {
    // A nested type is spelled out with all its fields, which may be many.
    let data_type = guard::one_line(&field.data_type().to_string());
    Error::schema(format!(
        "column {} has type {data_type}, expected numbers, texts or booleans (drop it or convert it)",
        quoted(field.name())
    ))
}
