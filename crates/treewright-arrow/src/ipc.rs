//! Arrow IPC: files (Feather version 2 is the same format) and streams.
//!
//! Both are a sequence of messages, each a small description and a body: first the schema, then
//! dictionaries and batches of rows. A file lists them in a footer, a stream is walked through. Either
//! way the messages are found and checked when the table is opened, and decoded where they lie in memory.

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Block, CompressionType, Message, MessageHeader, MetadataVersion};
use arrow_ipc::{root_as_footer, root_as_message};
use arrow_schema::{Schema, SchemaRef};
use treewright::Result;

use crate::guard::Format;

const MAGIC: &[u8] = b"ARROW1";
const CONTINUATION: [u8; 4] = [0xff; 4];

/// Length of the magic bytes at the end of a file and of the footer's length before them.
const TRAILER: usize = 10;

/// An Arrow file or stream in memory.
///
/// Guarded by `open`: every block lies within the buffer, holds a dictionary or a batch, and each part
/// of it lies within the block.
pub(crate) struct IpcTable {
    buffer: Buffer,
    schema: SchemaRef,
    version: MetadataVersion,
    blocks: Vec<Block>,
    claimed_rows: usize,
}

/// What a file says about itself before the first row.
struct Contents {
    schema: Schema,
    version: MetadataVersion,
    blocks: Vec<Block>,
}

/// Does it start like an IPC file?
pub(crate) fn is_file(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Does it start like an IPC stream?
pub(crate) fn is_stream(bytes: &[u8]) -> bool {
    bytes.starts_with(&CONTINUATION) && bytes.len() >= 8
}

/// Does it start like the old format that only has the name in common?
pub(crate) fn is_feather_1(bytes: &[u8]) -> bool {
    bytes.starts_with(b"FEA1")
}

impl IpcTable {
    pub(crate) fn open(bytes: Vec<u8>) -> Result<Self> {
        let contents = Format::Arrow.guard(|| match &bytes[..] {
            bytes if is_file(bytes) => file_contents(bytes),
            bytes if is_feather_1(bytes) => {
                Err("it is of Feather version 1, expected version 2".to_owned())
            }
            bytes => stream_contents(bytes),
        })?;
        let claimed_rows = Format::Arrow.guard(|| check_blocks(&bytes, &contents.blocks))?;
        Ok(Self {
            buffer: Buffer::from_vec(bytes),
            schema: contents.schema.into(),
            version: contents.version,
            blocks: contents.blocks,
            claimed_rows,
        })
    }

    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    pub(crate) fn claimed_rows(&self) -> usize {
        self.claimed_rows
    }

    pub(crate) fn batches(
        &self,
        positions: &[usize],
        mut each: impl FnMut(&RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let schema = SchemaRef::clone(&self.schema);
        let mut decoder =
            FileDecoder::new(schema, self.version).with_projection(positions.to_vec());
        for block in &self.blocks {
            if let Some(batch) = Format::Arrow.guard(|| self.decode(&mut decoder, block))? {
                each(&batch)?;
            }
        }
        Ok(())
    }

    /// Decodes a block: a dictionary is remembered, a batch is returned.
    fn decode(
        &self,
        decoder: &mut FileDecoder,
        block: &Block,
    ) -> std::result::Result<Option<RecordBatch>, String> {
        let (start, metadata, body) = extent(block, self.buffer.len())?;
        let bytes = self.buffer.slice_with_length(start, metadata + body);
        let message = parse_message(&bytes[..metadata])?;
        match message.header_type() {
            MessageHeader::DictionaryBatch => decoder.read_dictionary(block, &bytes).map(|()| None),
            _ => decoder.read_record_batch(block, &bytes),
        }
        .map_err(|error| error.to_string())
    }
}

fn file_contents(bytes: &[u8]) -> std::result::Result<Contents, String> {
    let (rest, trailer) = bytes
        .split_last_chunk::<TRAILER>()
        .ok_or("it ends too early")?;
    let length = read_footer_length(*trailer).map_err(|error| error.to_string())?;
    let start = rest
        .len()
        .checked_sub(length)
        .ok_or("its footer is longer than the file")?;
    let footer = root_as_footer(&rest[start..]).map_err(|error| error.to_string())?;
    let schema = footer.schema().ok_or("it has no schema")?;
    let dictionaries = footer.dictionaries().into_iter().flatten();
    let batches = footer.recordBatches().into_iter().flatten();
    Ok(Contents {
        schema: read_schema(schema)?,
        version: footer.version(),
        blocks: dictionaries.chain(batches).copied().collect(),
    })
}

fn stream_contents(bytes: &[u8]) -> std::result::Result<Contents, String> {
    let mut start = 0;
    let (schema_block, message) = message_at(bytes, start)?.ok_or("it is empty")?;
    let schema = message
        .header_as_schema()
        .ok_or("it does not start with a schema")?;
    let mut contents = Contents {
        schema: read_schema(schema)?,
        version: message.version(),
        blocks: Vec::new(),
    };
    start += block_length(&schema_block, bytes.len())?;
    while let Some((block, _)) = message_at(bytes, start)? {
        start += block_length(&block, bytes.len())?;
        contents.blocks.push(block);
    }
    Ok(contents)
}

fn read_schema(schema: arrow_ipc::Schema<'_>) -> std::result::Result<Schema, String> {
    if !schema.endianness().equals_to_target_endianness() {
        return Err("its numbers are in the byte order of another kind of machine".to_owned());
    }
    try_fb_to_schema(schema).map_err(|error| error.to_string())
}

/// The message of a stream that starts here; `None` at the end of the stream.
fn message_at(
    bytes: &[u8],
    start: usize,
) -> std::result::Result<Option<(Block, Message<'_>)>, String> {
    let rest = bytes.get(start..).ok_or("it ends too early")?;
    if rest.is_empty() {
        return Ok(None);
    }
    // Writers of old put the length first, without the continuation bytes.
    let (prefix, word) = match rest.first_chunk::<4>() {
        Some(&CONTINUATION) => (8, rest.get(4..8).and_then(<[u8]>::first_chunk::<4>)),
        word => (4, word),
    };
    let length = i32::from_le_bytes(*word.ok_or("it ends too early")?);
    if length == 0 {
        return Ok(None);
    }
    let metadata = usize::try_from(length).map_err(|_| "a message has a negative length")? + prefix;
    let message = parse_message(rest.get(..metadata).ok_or("it ends too early")?)?;
    let metadata = i32::try_from(metadata).map_err(|_| "a message is too long")?;
    Ok(Some((
        Block::new(start as i64, metadata, message.bodyLength()),
        message,
    )))
}

fn parse_message(bytes: &[u8]) -> std::result::Result<Message<'_>, String> {
    let prefix = if bytes.starts_with(&CONTINUATION) {
        8
    } else {
        4
    };
    let bytes = bytes.get(prefix..).ok_or("a message is too short")?;
    root_as_message(bytes).map_err(|error| error.to_string())
}

/// Start of a block and the lengths of its description and its body, all within the file.
fn extent(block: &Block, file: usize) -> std::result::Result<(usize, usize, usize), String> {
    let inside = || {
        let start = usize::try_from(block.offset()).ok()?;
        let metadata = usize::try_from(block.metaDataLength()).ok()?;
        let body = usize::try_from(block.bodyLength()).ok()?;
        let end = start.checked_add(metadata)?.checked_add(body)?;
        (end <= file && metadata >= 8).then_some((start, metadata, body))
    };
    inside().ok_or_else(|| "a message reaches beyond its end".to_owned())
}

fn block_length(block: &Block, file: usize) -> std::result::Result<usize, String> {
    extent(block, file).map(|(_, metadata, body)| metadata + body)
}

/// Refuses blocks that the decoder would stumble over; returns the number of rows.
fn check_blocks(bytes: &[u8], blocks: &[Block]) -> std::result::Result<usize, String> {
    let mut rows = 0_usize;
    for block in blocks {
        let (start, metadata, body) = extent(block, bytes.len())?;
        let (metadata, body) = bytes[start..start + metadata + body].split_at(metadata);
        let message = parse_message(metadata)?;
        if let Some(batch) = message.header_as_record_batch() {
            check_batch(batch, body)?;
            let length = usize::try_from(batch.length()).unwrap_or(usize::MAX);
            rows = rows.saturating_add(length);
        } else if let Some(dictionary) = message.header_as_dictionary_batch() {
            check_batch(dictionary.data().ok_or("a dictionary has no values")?, body)?;
        } else {
            return Err("a message is neither a dictionary nor a batch".to_owned());
        }
    }
    Ok(rows)
}

/// Every buffer lies within the body and claims no more than it can hold.
fn check_batch(batch: arrow_ipc::RecordBatch<'_>, body: &[u8]) -> std::result::Result<(), String> {
    if batch.length() < 0 {
        return Err("a batch has a negative number of rows".to_owned());
    }
    for node in batch.nodes().into_iter().flatten() {
        if node.length() < 0 || !(0..=node.length()).contains(&node.null_count()) {
            return Err("a column has a negative number of rows".to_owned());
        }
    }
    let codec = batch.compression().map(|compression| compression.codec());
    for buffer in batch.buffers().into_iter().flatten() {
        let inside = || {
            let start = usize::try_from(buffer.offset()).ok()?;
            let end = start.checked_add(usize::try_from(buffer.length()).ok()?)?;
            body.get(start..end)
        };
        let bytes = inside().ok_or("a column reaches beyond its batch")?;
        if let (Some(codec), Some(claimed)) = (codec, bytes.first_chunk::<8>()) {
            check_compressed(codec, i64::from_le_bytes(*claimed), bytes.len())?;
        }
    }
    Ok(())
}

/// The decoder allocates what a compressed buffer claims to become, so the claim must be possible.
fn check_compressed(
    codec: CompressionType,
    claimed: i64,
    length: usize,
) -> std::result::Result<(), String> {
    // A byte of LZ4 stands for at most 255. Zstandard repeats a byte up to 2^17 times in a block of four.
    let most = length.saturating_mul(if codec == CompressionType::LZ4_FRAME {
        255
    } else {
        1 << 15
    });
    let claimed = usize::try_from(claimed).unwrap_or(0);
    if claimed > most || Vec::<u8>::new().try_reserve_exact(claimed).is_err() {
        return Err(format!(
            "{length} compressed bytes claim to become {claimed}"
        ));
    }
    Ok(())
}
