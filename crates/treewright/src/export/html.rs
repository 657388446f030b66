//! A report as one page for a browser, complete in itself.
//!
//! `html/page.html` is the skeleton; styles and scripts stand beside it and in folders, one idea each, and become part
//! of the page here. `html/PAYLOAD.md` says how, and `docs/formats.md` describes the data that the scripts show.

use super::json;
use crate::eval::Report;

/// The skeleton, with a mark for each part and one for the data.
const PAGE: &str = include_str!("html/page.html");
/// Where the data goes.
const DATA: &str = "/*DATA*/";

/// A part of the page: its name and its text.
macro_rules! part {
    ($name:literal) => {
        ($name, include_str!(concat!("html/", $name)))
    };
}

/// The parts, in the order of the page.
const PARTS: [(&str, &str); 45] = [
    part!("style.css"),
    part!("judge/style.css"),
    part!("basics/dom.js"),
    part!("basics/format.js"),
    part!("basics/cuts.js"),
    part!("tree/model.js"),
    part!("basics/text.js"),
    part!("basics/scales.js"),
    part!("basics/download.js"),
    part!("choose/frame.js"),
    part!("choose/curve.js"),
    part!("choose/stepper.js"),
    part!("choose/enough.js"),
    part!("choose/selection.js"),
    part!("choose/bar.js"),
    part!("choose/link.js"),
    part!("tree/layout.js"),
    part!("tree/treenode.js"),
    part!("tree/picture.js"),
    part!("tree/pane.js"),
    part!("tree/tree.js"),
    part!("tree/still.js"),
    part!("tree/node.js"),
    part!("tree/histogram.js"),
    part!("rows/row.js"),
    part!("rows/rows.js"),
    part!("rows/cells.js"),
    part!("rows/partition.js"),
    part!("rows/rules.js"),
    part!("judge/headline.js"),
    part!("judge/quality.js"),
    part!("judge/matrix.js"),
    part!("judge/plots.js"),
    part!("judge/threshold.js"),
    part!("judge/classes.js"),
    part!("judge/numbers.js"),
    part!("judge/importance.js"),
    part!("judge/interval.js"),
    part!("judge/leaves.js"),
    part!("judge/compare.js"),
    part!("rows/modelfile.js"),
    part!("rows/texts.js"),
    part!("rows/table.js"),
    part!("basics/theme.js"),
    part!("main.js"),
];

/// Writes a report as a page.
pub fn html(report: &Report) -> String {
    let mut page = PAGE.to_owned();
    for (name, text) in PARTS {
        page = page.replacen(&format!("/*include {name}*/"), &shortened(text), 1);
    }
    // Names in the data may be anything, also what would end the script or look like the mark.
    let data = json::write_report(report).replace('<', "\\u003c");
    let (before, after) = page
        .split_once(DATA)
        .expect("the page has a place for data");
    [before, &data, after].concat()
}

/// Spaces at the beginning of lines and comments are a sixth of the page.
fn shortened(text: &str) -> String {
    let lines = text.lines().map(str::trim_start);
    let lines = lines.filter(|line| !line.starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_its_place() {
        assert_eq!(PAGE.matches("/*include ").count(), PARTS.len());
        assert_eq!(PAGE.matches(DATA).count(), 1);
        for (name, text) in PARTS {
            assert!(PAGE.contains(&format!("/*include {name}*/")), "{name}");
            assert!(!text.contains(DATA) && !text.contains("</script"), "{name}");
        }
    }
}
