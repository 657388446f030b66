//! `show`: a tree as text, in colour.

use std::process::ExitCode;

use anyhow::Result;
use owo_colors::{AnsiColors, OwoColorize};
use treewright::export::json;
use treewright::export::text::{Line, Style, screen_lines};

use crate::args::ShowArgs;
use crate::input;
use crate::output::{self, Console, Destination};

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
        output::print(&coloured(&screen_lines(&fit.model)))?;
    }
    Ok(ExitCode::SUCCESS)
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
