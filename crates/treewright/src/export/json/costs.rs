//! Anybody's tree: the children and the cost of every node, written by hand or by another program.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Format, VERSION, parse};
use crate::error::{Error, Result, quoted};

/// The format of these files.
const NAME: &str = "treewright.costs";

/// A tree of which only the shape and the costs are known. Nothing is checked but the form of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct CostedNodes {
    /// The children of every node.
    pub children: Vec<Vec<i64>>,
    /// What every node costs as a leaf.
    pub cost: Vec<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CostsFile {
    #[serde(rename = "format")]
    _format: String,
    #[serde(rename = "version")]
    _version: u64,
    children: Vec<Vec<i64>>,
    cost: Vec<f64>,
}

/// What tells these files from others.
#[derive(Deserialize)]
struct CostsHead {
    format: Option<String>,
    version: Option<u64>,
    children: Option<IgnoredAny>,
}

/// Reads such a file; `None` if it is of another kind, which [`read`](super::read) may know.
pub fn read_costs(text: &str) -> Result<Option<CostedNodes>> {
    if !text.trim_start().starts_with('{') {
        return Ok(None);
    }
    let head: CostsHead = parse(text)?;
    match head.format.as_deref() {
        Some(NAME) => {}
        Some(name) if name == Format::Tree.name() || name == Format::Family.name() => {
            return Ok(None);
        }
        other if head.children.is_some() => {
            let found = match other {
                Some(other) => format!("format is {}", quoted(other)),
                None => "no \"format\"".to_owned(),
            };
            let what = format!("{found}, expected \"{NAME}\" for a tree of children and costs");
            return Err(Error::model(what));
        }
        _ => return Ok(None),
    }
    if head.version != Some(u64::from(VERSION)) {
        let version = head.version;
        let version = version.map_or("none".into(), |version| version.to_string());
        return Err(Error::model(format!(
            "version is {version}, this program reads {VERSION}"
        )));
    }
    let CostsFile { children, cost, .. } = parse(text)?;
    Ok(Some(CostedNodes { children, cost }))
}
