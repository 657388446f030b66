//! `show`: a tree as text, in colour.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use anyhow::Result;
use owo_colors::{AnsiColors, OwoColorize};
use treewright::export::json;
use treewright::export::text::{Line, Style, screen_lines};

use crate::args::ShowArgs;
use crate::input;
use crate::output::{self, Console, Destination, WIDTH};

/// The colours of the classes, by index, again and again.
const CLASS_COLOURS: [AnsiColors; 6] = [
    AnsiColors::Blue,
    AnsiColors::Yellow,
    AnsiColors::Green,
    AnsiColors::Magenta,
    AnsiColors::Cyan,
    AnsiColors::Red,
];

pub(crate) fn run(args: &ShowArgs, console: &Console) -> Result<ExitCode> {
    let fit = input::model(args.model.path())?;
    if console.json {
        let model = json::write_model(&fit);
        Destination::Stdout.write(|out| writeln!(out, "{model}"))?;
    } else {
        output::print(&coloured(&for_screen(screen_lines(&fit.model))))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Lines of a tree as they are shown: folded on a terminal, as they are in a file or a pipe.
pub(in crate::commands) fn for_screen(lines: Vec<Line>) -> Vec<Line> {
    if !io::stdout().is_terminal() {
        return lines;
    }
    lines.into_iter().flat_map(folded).collect()
}

/// A line in pieces that are no wider than [`WIDTH`], below each other. Words are not broken, and deep lines stay.
fn folded(line: Line) -> Vec<Line> {
    const HANG: usize = 4;
    let width = |text: &str| text.chars().count();
    let guide = match line.segments.first() {
        Some((Style::Guide, guide)) => guide.clone(),
        _ => String::new(),
    };
    let all: usize = line.segments.iter().map(|(_, text)| width(text)).sum();
    if all <= WIDTH || width(&guide) > WIDTH / 2 {
        return vec![line];
    }
    let mut hang = guide.replace("├─", "│ ").replace("└─", "  ");
    hang.push_str(&" ".repeat(HANG));
    let mut lines = vec![Line::default()];
    let mut used = 0;
    for (style, text) in line.segments {
        let words = match style {
            Style::Guide => vec![text.as_str()],
            _ => text.split_inclusive(' ').collect(),
        };
        for word in words {
            if used + width(word.trim_end()) > WIDTH && used > width(&hang) {
                lines.push(Line {
                    segments: vec![(Style::Guide, hang.clone())],
                });
                used = width(&hang);
            }
            used += width(word);
            let Some(last) = lines.last_mut() else {
                continue;
            };
            match last.segments.last_mut() {
                Some((before, text)) if *before == style && style != Style::Guide => {
                    text.push_str(word);
                }
                _ => last.segments.push((style, word.to_owned())),
            }
        }
    }
    lines
}

/// Lines of a tree, with colours by what their pieces are.
pub(in crate::commands) fn coloured(lines: &[Line]) -> String {
    let mut text = String::new();
    for line in lines {
        for (style, piece) in &line.segments {
            text.push_str(&match style {
                Style::Guide | Style::Figures | Style::Note => piece.dimmed().to_string(),
                Style::Name => piece.bold().to_string(),
                Style::Condition | Style::Plain => piece.clone(),
                Style::Class(class) => piece
                    .color(CLASS_COLOURS[class % CLASS_COLOURS.len()])
                    .to_string(),
                Style::Number => piece.cyan().to_string(),
            });
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_folded() {
        let line = |set: &str| Line {
            segments: vec![
                (Style::Guide, "│  └─ ".to_owned()),
                (Style::Name, "department".to_owned()),
                (Style::Condition, format!(" in {{{set}}}")),
                (Style::Plain, " -> ".to_owned()),
                (Style::Class(0), "yes".to_owned()),
                (Style::Figures, "  (10/2)".to_owned()),
            ],
        };
        assert_eq!(folded(line("a, b")), [line("a, b")]);
        let names: Vec<String> = (0..12).map(|at| format!("category{at}")).collect();
        let long = line(&names.join(", "));
        let lines: Vec<String> = folded(long.clone()).iter().map(Line::to_string).collect();
        assert!(lines.len() > 1);
        for (at, line) in lines.iter().enumerate() {
            assert!(line.trim_end().chars().count() <= WIDTH, "{line}");
            assert!(
                line.starts_with(if at == 0 {
                    "│  └─ department"
                } else {
                    "│         "
                }),
                "{line}"
            );
        }
        let words = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let mut expected = words(&long.to_string());
        expected.retain(|word| word != "│");
        let mut found = words(&lines.join(" "));
        found.retain(|word| word != "│");
        assert_eq!(found, expected);
    }
}
