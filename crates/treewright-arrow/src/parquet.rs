//! Parquet files.

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::file::metadata::RowGroupMetaData;
use treewright::Result;

use crate::guard::Format;

/// Rows decoded at once: enough to be fast, few enough to stay in the cache.
const BATCH_ROWS: usize = 16_384;

/// A Parquet file in memory, of which the footer has been read.
pub(crate) struct ParquetTable {
    bytes: Bytes,
    metadata: ArrowReaderMetadata,
}

impl ParquetTable {
    pub(crate) fn open(bytes: Vec<u8>) -> Result<Self> {
        let bytes = Bytes::from(bytes);
        let metadata = Format::Parquet
            .guard(|| ArrowReaderMetadata::load(&bytes, ArrowReaderOptions::default()))?;
        check_ranges(&metadata, bytes.len())?;
        // Columns are asked for by their position, which must mean the same on both sides.
        let roots = metadata.parquet_schema().root_schema().get_fields().len();
        if roots != metadata.schema().fields().len() {
            return Err(Format::Parquet.error("it has a column without a type"));
        }
        Ok(Self { bytes, metadata })
    }

    pub(crate) fn schema(&self) -> &Schema {
        self.metadata.schema()
    }

    pub(crate) fn claimed_rows(&self) -> usize {
        let rows = self.metadata.metadata().file_metadata().num_rows();
        usize::try_from(rows).unwrap_or(0)
    }

    pub(crate) fn batches(
        &self,
        positions: &[usize],
        mut each: impl FnMut(&RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let mut reader = Format::Parquet.guard(|| {
            let roots = positions.iter().copied();
            let mask = ProjectionMask::roots(self.metadata.parquet_schema(), roots);
            let (bytes, metadata) = (self.bytes.clone(), self.metadata.clone());
            ParquetRecordBatchReaderBuilder::new_with_metadata(bytes, metadata)
                .with_projection(mask)
                .with_batch_size(BATCH_ROWS)
                .build()
        })?;
        while let Some(batch) = Format::Parquet.guard(|| reader.next().transpose())? {
            each(&batch)?;
        }
        Ok(())
    }
}

/// Refuses columns that are said to lie outside the file; the reader takes this for granted.
fn check_ranges(metadata: &ArrowReaderMetadata, file: usize) -> Result<()> {
    let groups = metadata.metadata().row_groups().iter();
    for column in groups.flat_map(RowGroupMetaData::columns) {
        let start = column
            .dictionary_page_offset()
            .unwrap_or(column.data_page_offset());
        let inside = || {
            let length = usize::try_from(column.compressed_size()).ok()?;
            let end = usize::try_from(start).ok()?.checked_add(length)?;
            (end <= file).then_some(())
        };
        inside().ok_or_else(|| Format::Parquet.error("a column reaches beyond its end"))?;
    }
    Ok(())
}
