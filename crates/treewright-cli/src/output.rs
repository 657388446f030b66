//! What leaves the program: results, messages, colours, progress.
//!
//! Results go to standard output or to a file, messages to standard error. A file is written under a
//! temporary name in its folder and renamed when it is complete.

use std::fs;
use std::io::{self, BufWriter, IntoInnerError, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anstream::{AutoStream, ColorChoice};
use anyhow::{Context, Result, ensure};
use comfy_table::{CellAlignment, Table};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use tempfile::NamedTempFile;
use treewright::{Budget, Progress};

use crate::args::GlobalArgs;

/// A progress bar appears only after this time: short work needs none.
const PATIENCE: Duration = Duration::from_secs(1);

/// How to talk to the user, decided once from the global options.
pub(crate) struct Console {
    /// Is the result wanted as JSON on standard output?
    pub(crate) json: bool,
    quiet: bool,
    verbose: bool,
}

impl Console {
    pub(crate) fn new(global: &GlobalArgs) -> Self {
        if global.no_color {
            ColorChoice::Never.write_global();
        }
        Self {
            json: global.json,
            quiet: global.quiet,
            verbose: global.verbose,
        }
    }

    /// A message for the user, on standard error.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            say(text);
        }
    }

    /// A message for the user who wants to know more.
    fn detail(&self, text: &str) {
        if self.verbose {
            say(text);
        }
    }

    /// Runs some work and tells who wants to know how long it took.
    pub(crate) fn timed<T>(&self, what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let start = Instant::now();
        let result = work()?;
        self.detail(&format!("{what}: {:.3} s", start.elapsed().as_secs_f64()));
        Ok(result)
    }

    /// Runs some work and shows how far it is, if there is somebody to see it.
    pub(crate) fn with_progress<T>(&self, budget: &Budget, work: impl FnOnce() -> T) -> T {
        if self.quiet || !io::stderr().is_terminal() {
            return work();
        }
        thread::scope(|scope| {
            let (running, stopped) = channel::<()>();
            scope.spawn(move || draw_progress(budget.progress(), &stopped));
            let result = work();
            drop(running);
            result
        })
    }
}

/// Draws a bar until the other end of the channel is dropped. While it is not known how much there is to
/// do, it is a spinner. What the work tells stands beside it.
fn draw_progress(progress: &Progress, stopped: &Receiver<()>) {
    let goes_on = |time| stopped.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
    if !goes_on(PATIENCE) {
        return;
    }
    let style = |text| ProgressStyle::with_template(text).expect("the template is well formed");
    let known = style("{elapsed_precise} {wide_bar} {percent}%");
    let known_with_news = style("{elapsed_precise} {wide_bar} {percent_precise}%  {msg}");
    let unknown = style("{elapsed_precise} {spinner} {wide_msg}");
    let bar = ProgressBar::no_length().with_elapsed(PATIENCE);
    while goes_on(Duration::from_millis(100)) {
        let (done, total) = progress.read();
        let news = progress.news();
        if total == 0 {
            bar.set_style(unknown.clone());
            bar.set_message(news);
            bar.tick();
        } else {
            let style = if news.is_empty() {
                &known
            } else {
                &known_with_news
            };
            bar.set_style(style.clone());
            bar.set_message(news);
            bar.set_length(total);
            bar.set_position(done);
        }
    }
    bar.finish_and_clear();
}

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
            // Through a link to the file itself, so that the link stays.
            Ok(_) => Ok(Self::File(fs::canonicalize(path).with_context(context)?)),
            Err(_) => {
                let has_folder = folder_of(path).is_dir();
                ensure!(has_folder, "{}: there is no such folder", path.display());
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
            Self::Stdout => Ok(Target::Stdout(io::stdout().lock())),
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
        match self {
            Self::Stdout => error.into(),
            Self::File(path) | Self::Device(path) => {
                anyhow::Error::from(error).context(path.display().to_string())
            }
        }
    }
}

/// A result that is being written.
pub(crate) struct Writing<'a> {
    destination: &'a Destination,
    pub(crate) out: BufWriter<Target>,
}

pub(crate) enum Target {
    Stdout(io::StdoutLock<'static>),
    Device(fs::File),
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
                    file.persist(path).map(drop).map_err(|error| error.error)
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
            Self::Stdout(out) => out.write(bytes),
            Self::Device(out) => out.write(bytes),
            Self::File(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::Device(out) => out.flush(),
            Self::File(out) => out.flush(),
        }
    }
}

/// The temporary file that was begun last.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// For a program that is about to end: what it leaves unfinished goes with it.
pub(crate) fn remove_unfinished() {
    let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(path) = &*unfinished {
        // A file that has got its name is not found under this one.
        let _ = fs::remove_file(path);
    }
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
    let file = builder.tempfile_in(folder_of(path))?;
    if let Ok(metadata) = fs::metadata(path) {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    *unfinished = Some(file.path().to_owned());
    Ok(file)
}

/// Prints text with colours on standard output; the colours are left out where they do not belong.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = AutoStream::auto(io::stdout().lock());
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Writes a value as one JSON document with a line end.
pub(crate) fn json_line(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

/// Writes a value as JSON where it was asked for, else in words on standard output.
pub(crate) fn document(
    value: &impl Serialize,
    file: Option<&Destination>,
    console: &Console,
    words: impl FnOnce() -> String,
) -> Result<()> {
    let stdout = console.json.then_some(&Destination::Stdout);
    for destination in file.into_iter().chain(stdout) {
        destination.write(|out| json_line(out, value))?;
    }
    if file.is_none() && !console.json {
        print(&words())?;
    }
    Ok(())
}

/// A text from a file as it may stand in a table: on one line.
pub(crate) fn cell(text: &str) -> String {
    if text.contains(char::is_control) {
        text.escape_debug().to_string()
    } else {
        text.to_owned()
    }
}

/// A table whose first column holds names and whose others hold figures. An empty header is none.
pub(crate) fn figures(header: Vec<String>, rows: impl IntoIterator<Item = Vec<String>>) -> String {
    aligned(header, rows, usize::MAX)
}

/// The same with words in the last column.
pub(crate) fn figures_and_words(
    header: Vec<String>,
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    let words = header.len().saturating_sub(1);
    aligned(header, rows, words)
}

/// Names in the first column, words in the second.
pub(crate) fn words(rows: impl IntoIterator<Item = Vec<String>>) -> String {
    aligned(Vec::new(), rows, 1)
}

/// A table with names in the first column, words in the column `words`, and figures in the others.
fn aligned(
    header: Vec<String>,
    rows: impl IntoIterator<Item = Vec<String>>,
    words: usize,
) -> String {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    if !header.is_empty() {
        table.set_header(header);
    }
    table.add_rows(rows);
    for (position, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if position > 0 && position != words {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    format!("{}\n", table.trim_fmt())
}

/// A figure for people: six digits behind the point, or before an exponent where it is extreme.
pub(crate) fn rounded(figure: f64) -> String {
    if figure == 0.0 || (1e-4..1e12).contains(&figure.abs()) {
        format!("{figure:.6}")
    } else {
        format!("{figure:.6e}")
    }
}

/// A time for people.
pub(crate) fn duration(seconds: f64) -> String {
    if seconds < 1.0 {
        format!("{:.1} ms", seconds * 1000.0)
    } else {
        format!("{seconds:.2} s")
    }
}

/// A weight for people: whole numbers in full, others rounded.
pub(crate) fn weight(weight: f64) -> String {
    if weight.fract() == 0.0 && weight.abs() < 1e15 {
        weight.to_string()
    } else {
        rounded(weight)
    }
}

/// Prints an error: one line on standard error, whatever the message holds.
pub(crate) fn complain(message: &str) {
    let one_line: String = message
        .chars()
        .flat_map(|c| {
            let escaped = c.is_control().then(|| c.escape_default());
            let plain = (!c.is_control()).then_some(c);
            escaped.into_iter().flatten().chain(plain)
        })
        .collect();
    say(&format!("treewright: {one_line}"));
}

/// A closed standard error is no reason to fail.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Did the reader of our output go away? That is no error.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let closed = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error
        .chain()
        .any(|cause| cause.downcast_ref::<io::Error>().is_some_and(closed))
}

/// A panic is a bug of ours, and the user should hear that instead of a traceback.
pub(crate) fn report_panics_in_one_line() {
    std::panic::set_hook(Box::new(|info| {
        complain(&format!(
            "this is a bug, please report it with the command you ran: {info}"
        ));
        std::process::exit(1);
    }));
}
