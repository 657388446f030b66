//! The bytes of a file or of standard input, unzipped, as far as there is memory for them.
//!
//! A small file can become very large when it is unzipped, and a pipe need not end. Both stop at half of the
//! memory that is free, since the table that is made of the bytes needs memory, too. A memory limit is for what
//! comes after reading; but data that is much longer than its file is held to it, too.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result, anyhow, bail};
use flate2::read::MultiGzDecoder;
use treewright::data::read_file;
use treewright::error::{quoted, similar};

use crate::claims;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Where it is not known how much memory is free.
const USUAL_MEMORY: u64 = 8_000_000_000;

/// No ordinary table becomes this many times longer when it is unzipped.
const USUAL_RATIO: u64 = 100;

/// The memory limit of the command; 0 is none.
static LIMIT: AtomicU64 = AtomicU64::new(0);

/// Sets the memory limit of the command, once, before anything is read.
pub(crate) fn set_memory_limit(limit: Option<u64>) {
    LIMIT.store(limit.map_or(0, |limit| limit.max(1)), Ordering::Relaxed);
}

/// The name of a file in messages.
pub(crate) fn name_of(path: &Path) -> String {
    if is_standard(path) {
        "standard input".into()
    } else {
        path.display().to_string()
    }
}

pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The extension in lower case, without `.gz`, and whether there was a `.gz`.
pub(crate) fn extension(path: &Path) -> (String, bool) {
    let lower = |path: &Path| {
        path.extension()
            .map(|extension| extension.to_string_lossy().to_lowercase())
            .unwrap_or_default()
    };
    match lower(path) {
        gz if gz == "gz" => (lower(&path.with_extension("")), true),
        other => (other, false),
    }
}

/// The whole of a file, unzipped.
pub(crate) fn load(path: &Path) -> Result<Vec<u8>> {
    let name = name_of(path);
    claims::read(path, &name)?;
    load_within(path, &Room::now()).context(name)
}

fn load_within(path: &Path, room: &Room) -> Result<Vec<u8>> {
    let bytes = read_all(path, room)?;
    if bytes.starts_with(&GZIP_MAGIC) {
        let (most, why) = room.unzipped(bytes.len() as u64);
        let plain = at_most(MultiGzDecoder::new(&*bytes), most)
            .map_err(|error| anyhow!("broken gzip data: {error}"))?;
        return plain.ok_or_else(|| too_long("its data, unzipped,", most, why));
    }
    if extension(path).1 {
        bail!("not gzip data, although the name ends in .gz");
    }
    Ok(bytes)
}

/// A file of known size is read in several pieces at once. What is in memory by its own size is not limited
/// here: the limits are for what nobody can see coming.
fn read_all(path: &Path, room: &Room) -> Result<Vec<u8>> {
    let read = if is_standard(path) {
        at_most(io::stdin().lock(), room.free)
    } else {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() || metadata.is_dir() => read_file(path).map(Some),
            Ok(_) => File::open(path).and_then(|file| at_most(file, room.free)),
            Err(error) => Err(error),
        }
    };
    read.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => not_found(path),
        _ => plain_words(error),
    })?
    .ok_or_else(|| too_long("its data", room.free, OF_FREE))
}

/// Reads to the end, unless there is more than this many bytes.
fn at_most(reader: impl Read, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let size = reader
        .take(most.saturating_add(1))
        .read_to_end(&mut bytes)?;
    Ok((size as u64 <= most).then_some(bytes))
}

/// Why no more bytes are read.
const OF_FREE: &str = "half of the memory that is free";
const OF_LIMIT: &str = "what the memory limit allows for data that is so much longer than its file";

fn too_long(what: &str, most: u64, why: &str) -> anyhow::Error {
    anyhow!("{what} has more than {} MB, {why}", most / 1_000_000)
}

/// Memory for the bytes of a file.
struct Room {
    /// Whatever they are.
    free: u64,
    /// The memory limit.
    limit: Option<u64>,
}

impl Room {
    fn now() -> Self {
        let limit = LIMIT.load(Ordering::Relaxed);
        Self {
            free: free_memory().map_or(USUAL_MEMORY, |free| free / 2),
            limit: (limit > 0).then_some(limit),
        }
    }

    /// How long the data of this many zipped bytes may be, and why.
    fn unzipped(&self, zipped: u64) -> (u64, &'static str) {
        let free = (self.free.saturating_sub(zipped), OF_FREE);
        match self.limit {
            None => free,
            Some(limit) => free.min((limit.max(zipped.saturating_mul(USUAL_RATIO)), OF_LIMIT)),
        }
    }
}

/// How much memory is free, for the whole system and for the group of processes that this one is in. Known
/// on Linux.
fn free_memory() -> Option<u64> {
    let file = |path: &str| fs::read_to_string(path).ok();
    let number = |path: &str| file(path)?.trim().parse::<u64>().ok();
    let of_system = || {
        let text = file("/proc/meminfo")?;
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("MemAvailable:"))?;
        let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kilobytes * 1024)
    };
    let of_group = || {
        let most = number("/sys/fs/cgroup/memory.max")?;
        Some(most.saturating_sub(number("/sys/fs/cgroup/memory.current")?))
    };
    [of_system(), of_group()].into_iter().flatten().min()
}

/// There is no such file; perhaps one with a similar name was meant.
fn not_found(path: &Path) -> anyhow::Error {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    let folder = folder.unwrap_or_else(|| Path::new("."));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.take(10_000).collect();
    names.sort_unstable();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match similar(&name, names.iter().map(String::as_str)) {
        Some(meant) => anyhow!("no such file; did you mean {}?", quoted(meant)),
        None => anyhow!("no such file"),
    }
}

/// The most common refusals of the operating system, without error numbers.
fn plain_words(error: io::Error) -> anyhow::Error {
    match error.kind() {
        io::ErrorKind::NotFound => anyhow!("no such file"),
        io::ErrorKind::PermissionDenied => anyhow!("permission denied"),
        io::ErrorKind::IsADirectory => anyhow!("is a folder, expected a file"),
        _ => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_read_than_allowed() {
        assert_eq!(at_most(&b"abc"[..], 3).unwrap().unwrap(), b"abc");
        assert_eq!(at_most(&b"abcd"[..], 3).unwrap(), None);
        assert_eq!(at_most(io::repeat(0), 1 << 20).unwrap(), None);
        assert_eq!(at_most(&b""[..], 0).unwrap().unwrap(), b"");
    }

    #[test]
    fn only_what_grows_without_measure_is_held_to_the_limit() {
        let most = |limit: Option<u64>, zipped: u64| {
            Room {
                free: 10_000,
                limit,
            }
            .unzipped(zipped)
        };
        assert_eq!(most(None, 5), (9995, OF_FREE));
        assert_eq!(most(Some(2000), 5), (2000, OF_LIMIT));
        assert_eq!(most(Some(2000), 50), (5000, OF_LIMIT));
        assert_eq!(most(Some(2000), 500), (9500, OF_FREE));
        assert_eq!(most(Some(20_000), 5), (9995, OF_FREE));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn free_memory_is_known() {
        assert!(free_memory().is_some_and(|free| free > 1 << 20));
    }
}
