//! Which files a command reads and which it writes: none is both.
//!
//! A result replaces the file of its name. If that is an input of the same command, the user has lost it,
//! so whoever opens a file claims it here first, and the second claim is refused. Files are told apart by
//! what they are, not by their names: a file may have several, and links besides.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, ensure};

/// What a file is, whatever it is called.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Identity {
    /// Device and number on it.
    #[cfg(unix)]
    Inode(u64, u64),
    /// The one path without links, or where a file is to be.
    Place(PathBuf),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Read,
    Written,
}

static CLAIMS: Mutex<BTreeMap<Identity, Role>> = Mutex::new(BTreeMap::new());

/// Claims an input before it is read; refused if the command writes to it.
pub(crate) fn read(path: &Path, name: &str) -> Result<()> {
    let identity = if path.as_os_str() == "-" {
        standard(io::stdin())
    } else {
        existing(path)
    };
    let Some(identity) = identity else {
        return Ok(());
    };
    ensure!(
        standard(io::stdout()).as_ref() != Some(&identity),
        "{name}: standard output goes to this file, which the command reads: write to another one"
    );
    ensure!(
        claim(identity, Role::Read),
        "{name}: the command reads this file, and would replace it: write to another one"
    );
    Ok(())
}

/// Claims a file for a result before anything is done; refused if the command reads it, or writes
/// something else to it.
pub(crate) fn write(path: &Path) -> Result<()> {
    let identity = existing(path).or_else(|| future(path));
    ensure!(
        identity.is_none_or(|identity| claim(identity, Role::Written)),
        "{}: the command reads this file, or writes it twice: write to another one",
        path.display()
    );
    Ok(())
}

/// Notes a claim; says whether it goes together with the others: any number of them may read a file.
fn claim(identity: Identity, role: Role) -> bool {
    let mut claims = CLAIMS.lock().unwrap_or_else(PoisonError::into_inner);
    match claims.entry(identity) {
        Entry::Vacant(entry) => {
            entry.insert(role);
            true
        }
        Entry::Occupied(entry) => *entry.get() == Role::Read && role == Role::Read,
    }
}

/// The file behind a path. What cannot be replaced, such as a terminal, is nobody's loss.
fn existing(path: &Path) -> Option<Identity> {
    let metadata = fs::metadata(path).ok()?;
    metadata.is_file().then(|| identity_of(&metadata, path))
}

#[cfg(unix)]
fn identity_of(metadata: &Metadata, _: &Path) -> Identity {
    use std::os::unix::fs::MetadataExt;
    Identity::Inode(metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn identity_of(_: &Metadata, path: &Path) -> Identity {
    Identity::Place(fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()))
}

/// A file that will be there.
fn future(path: &Path) -> Option<Identity> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let folder = fs::canonicalize(folder).ok()?;
    Some(Identity::Place(folder.join(path.file_name()?)))
}

/// The file that standard input or output was redirected to, if it is one.
#[cfg(unix)]
fn standard(stream: impl std::os::fd::AsFd) -> Option<Identity> {
    let stream = File::from(stream.as_fd().try_clone_to_owned().ok()?);
    let metadata = stream.metadata().ok()?;
    metadata
        .is_file()
        .then(|| identity_of(&metadata, Path::new("")))
}

#[cfg(not(unix))]
fn standard<T>(_: T) -> Option<Identity> {
    None
}
