//! Files that are written: whole or not at all.
//!
//! A file is written under a temporary name in its folder, and gets its own name when it is complete and on
//! the disk. Whatever happens, there is the old file or the new one. What a program that is ended leaves
//! unfinished is removed with it.

use std::fs::{self, File};
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result, ensure};
use tempfile::NamedTempFile;

use crate::claims;
use crate::startup;

/// Where a result goes.
pub(crate) enum Destination {
    Stdout,
    /// A file that is replaced as a whole.
    File(PathBuf),
    /// Something that cannot be replaced, such as a device or a pipe.
    Device(PathBuf),
}

impl Destination {
    /// Finds out, before any work is done, whether there is a place for the result.
    pub(crate) fn new(path: &Path) -> Result<Self> {
        if path.as_os_str() == "-" {
            return Ok(Self::Stdout);
        }
        let context = || path.display().to_string();
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                Err(anyhow::anyhow!("is a folder, expected a file")).with_context(context)
            }
            Ok(metadata) if !metadata.is_file() => Ok(Self::Device(path.to_owned())),
            Ok(_) => {
                claims::write(path)?;
                // Through a link to the file itself, so that the link stays.
                Ok(Self::File(fs::canonicalize(path).with_context(context)?))
            }
            Err(_) => {
                let has_folder = folder_of(path).is_dir();
                ensure!(has_folder, "{}: there is no such folder", path.display());
                claims::write(path)?;
                Ok(Self::File(path.to_owned()))
            }
        }
    }

    /// Writes the result; a file appears only if that succeeds.
    pub(crate) fn write(
        &self,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        let mut writing = self.open()?;
        content(&mut writing.out).map_err(|error| self.failed(error))?;
        writing.finish()
    }

    /// Begins to write a result that comes bit by bit.
    pub(crate) fn open(&self) -> Result<Writing<'_>> {
        let target = match self {
            Self::Stdout => standard_output(),
            Self::Device(path) => fs::OpenOptions::new()
                .write(true)
                .open(path)
                .map(Target::Device),
            Self::File(path) => temporary_file(path).map(Target::File),
        };
        let target = target.map_err(|error| self.failed(error))?;
        Ok(Writing {
            destination: self,
            out: BufWriter::with_capacity(1 << 16, target),
        })
    }

    /// An error of writing, with the name of the file.
    pub(crate) fn failed(&self, error: io::Error) -> anyhow::Error {
        let name = match self {
            Self::Stdout => "standard output".into(),
            Self::File(path) | Self::Device(path) => path.display().to_string(),
        };
        anyhow::Error::from(error).context(name)
    }

    /// The folder whose disk a file goes to.
    pub(crate) fn folder(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(folder_of(path)),
            Self::Stdout | Self::Device(_) => None,
        }
    }
}

/// A result that is being written.
pub(crate) struct Writing<'a> {
    destination: &'a Destination,
    pub(crate) out: BufWriter<Target>,
}

pub(crate) enum Target {
    /// Standard output or a device.
    Device(File),
    #[cfg(not(unix))]
    Stdout(io::StdoutLock<'static>),
    File(NamedTempFile),
}

impl Writing<'_> {
    /// All is written: a file gets its name.
    pub(crate) fn finish(self) -> Result<()> {
        let destination = self.destination;
        let finish = || -> io::Result<()> {
            let target = self.out.into_inner().map_err(IntoInnerError::into_error)?;
            match (target, destination) {
                (Target::File(file), Destination::File(path)) => {
                    // Else a power cut could leave the name with nothing behind it.
                    file.as_file().sync_all()?;
                    file.persist(path).map_err(|error| error.error)?;
                    sync_folder(folder_of(path))
                }
                (mut target, _) => target.flush(),
            }
        };
        finish().map_err(|error| destination.failed(error))
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Device(out) => out.write(bytes),
            #[cfg(not(unix))]
            Self::Stdout(out) => out.write(bytes),
            Self::File(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Device(out) => out.flush(),
            #[cfg(not(unix))]
            Self::Stdout(out) => out.flush(),
            Self::File(out) => out.flush(),
        }
    }
}

/// Standard output as a file: the standard library takes one that is closed, or not open for writing, for a
/// place where everything may vanish.
#[cfg(unix)]
fn standard_output() -> io::Result<Target> {
    use std::os::fd::AsFd;
    if startup::stdout_was_closed() {
        return Err(io::Error::other("is closed"));
    }
    let stdout = io::stdout().as_fd().try_clone_to_owned()?;
    Ok(Target::Device(File::from(stdout)))
}

#[cfg(not(unix))]
fn standard_output() -> io::Result<Target> {
    Ok(Target::Stdout(io::stdout().lock()))
}

/// Makes sure that a new name is on the disk.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    match synced {
        // Some file systems cannot do that, and some folders may be written to and not read.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::InvalidInput
                    | io::ErrorKind::Unsupported
                    | io::ErrorKind::PermissionDenied
            ) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Temporary files that were begun.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// For a program that is about to end: what it leaves unfinished goes with it. As long as the caller holds
/// what this returns, no other file is begun.
pub(crate) fn remove_unfinished() -> impl Sized {
    let unfinished = unfinished();
    for path in &*unfinished {
        // A file that has got its name is not found under this one.
        let _ = fs::remove_file(path);
    }
    unfinished
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A hidden file beside `path`, with the permissions that the file itself has or would get.
fn temporary_file(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".treewright-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    // Held until the file is noted: a signal in between waits.
    let mut unfinished = unfinished();
    let file = builder.tempfile_in(folder_of(path))?;
    unfinished.push(file.path().to_owned());
    drop(unfinished);
    if let Ok(metadata) = fs::metadata(path) {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    Ok(file)
}
