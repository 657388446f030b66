//! What leaves the program: results, messages, colours, progress.
//!
//! Results go to standard output or to a file, messages to standard error. Texts from files are shown
//! without characters that could steer a terminal; only data (JSON, CSV, exports) has them as they are.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anstream::{AutoStream, ColorChoice};
use anyhow::Result;
use comfy_table::{CellAlignment, Table};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use treewright::error::{is_printable, printable};
use treewright::{Budget, Progress};

use crate::args::GlobalArgs;
use crate::destination::remove_unfinished;
pub(crate) use crate::destination::{Destination, Writing};

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

    /// Runs some work that has this much time, and shows how much of it has gone, what is done, and the answer so far.
    pub(crate) fn with_clock<T>(
        &self,
        budget: &Budget,
        time: Duration,
        work: impl FnOnce() -> T,
    ) -> T {
        if self.quiet || !io::stderr().is_terminal() {
            return work();
        }
        thread::scope(|scope| {
            let (running, stopped) = channel::<()>();
            scope.spawn(move || draw_clock(budget.progress(), time, &stopped));
            let result = work();
            drop(running);
            result
        })
    }
}

/// Draws a bar that is full when the time is up.
fn draw_clock(progress: &Progress, time: Duration, stopped: &Receiver<()>) {
    let goes_on = |time| stopped.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
    let style = ProgressStyle::with_template("{elapsed_precise} {bar:20} {wide_msg}")
        .expect("the template is well formed");
    let start = Instant::now();
    let bar = ProgressBar::new(time.as_millis().try_into().unwrap_or(u64::MAX)).with_style(style);
    while goes_on(Duration::from_millis(100)) {
        let (answer, news) = (progress.answered(), progress.news());
        let (done, total) = progress.read();
        let share = match total {
            0 => String::new(),
            _ => format!(" {done}/{total}"),
        };
        let answer = if answer.is_empty() {
            answer
        } else {
            format!("{answer}; ")
        };
        bar.set_message(format!("{answer}{news}{share}"));
        bar.set_position(start.elapsed().as_millis().try_into().unwrap_or(u64::MAX));
    }
    bar.finish_and_clear();
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

/// Text for people is no wider than this.
pub(crate) const WIDTH: usize = 80;

/// Text in lines of at most [`WIDTH`] characters.
pub(crate) fn wrapped(text: &str) -> String {
    indented(text, 0)
}

/// Wraps a text and indents all its lines. A longer word has a line of its own; figures stay with their signs.
pub(crate) fn indented(text: &str, indent: usize) -> String {
    const GLUE: &str = "\u{a0}";
    let is_figure = |word: &str| word.ends_with(|c: char| c.is_ascii_digit());
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match words.last_mut() {
            Some(before)
                if word == "±"
                    || word.starts_with('%') && is_figure(before)
                    || before.ends_with('±') =>
            {
                *before += GLUE;
                *before += word;
            }
            _ => words.push(word.to_owned()),
        }
    }
    let mut lines = String::new();
    let mut width = 0;
    for word in words {
        let length = word.chars().count();
        if width == 0 {
            lines.push_str(&" ".repeat(indent));
            width = indent;
        } else if width + 1 + length > WIDTH {
            lines.push('\n');
            lines.push_str(&" ".repeat(indent));
            width = indent;
        } else {
            lines.push(' ');
            width += 1;
        }
        lines.push_str(&word.replace(GLUE, " "));
        width += length;
    }
    lines.push('\n');
    lines
}

/// Prints text with colours on standard output; the colours are left out where they do not belong.
pub(crate) fn print(text: &str) -> Result<()> {
    let text = safe(text);
    let with_colours = AutoStream::choice(&io::stdout()) != ColorChoice::Never;
    let text = if with_colours {
        text
    } else {
        anstream::adapter::strip_str(&text).to_string()
    };
    Destination::Stdout.write(|out| out.write_all(text.as_bytes()))
}

/// Text with nothing but line ends and colours to steer a terminal. Texts from files have neither; this is
/// for the one that was forgotten.
fn safe(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let size = match c {
            '\n' => 1,
            '\u{1b}' => colour(rest).unwrap_or(0),
            c if is_printable(c) => c.len_utf8(),
            _ => 0,
        };
        safe.push_str(&rest[..size]);
        if size == 0 {
            safe.extend(c.escape_unicode());
        }
        rest = &rest[size.max(c.len_utf8())..];
    }
    safe
}

/// The length of the sequence that sets a colour, if the text begins with one.
fn colour(text: &str) -> Option<usize> {
    let digits = text.strip_prefix("\u{1b}[")?;
    let end = digits.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    digits[end..].starts_with('m').then_some(end + 3)
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
    printable(text)
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
    say(&format!("treewright: {message}"));
}

/// A line on standard error. That it is closed is no reason to fail.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{}", printable(line));
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
        if treewright_arrow::is_guarded() {
            // The file is broken, and the one who reads it says so.
            return;
        }
        complain(&format!(
            "this is a bug, please report it with the command you ran: {info}"
        ));
        let _none_is_begun = remove_unfinished();
        std::process::exit(1);
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_not_too_long() {
        let text = indented(&"word ".repeat(60), 9);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH));
        assert!(text.lines().all(|line| line.starts_with("         w")));
        let long = "x".repeat(200);
        assert_eq!(wrapped(&long), format!("{long}\n"));
    }

    #[test]
    fn figures_stay_with_their_signs() {
        for before in 40..80 {
            let start = "x".repeat(before);
            let text = wrapped(&format!("{start} is wrong 30.0 % ± 2.3 %, or 5 % of it."));
            assert!(text.contains("30.0 % ± 2.3 %,"), "{text}");
            assert!(
                text.contains("5 % of") || text.contains("5 %\nof"),
                "{text}"
            );
            assert!(text.lines().all(|line| line.chars().count() <= WIDTH));
        }
    }

    #[test]
    fn only_colours_steer_the_terminal() {
        assert_eq!(
            safe("a\u{1b}[31;1mb\u{1b}[0m\n"),
            "a\u{1b}[31;1mb\u{1b}[0m\n"
        );
        assert_eq!(safe("\u{1b}[2J\u{1b}"), r"\u{1b}[2J\u{1b}");
        assert_eq!(safe("\r\u{202e}é\u{9b}31m"), r"\u{d}\u{202e}é\u{9b}31m");
        assert_eq!(safe("\u{1b}[31\u{1b}[mx"), "\\u{1b}[31\u{1b}[mx");
    }
}
