//! The proof file: one JSON object on a line, for a program that checks what a model claims.
//!
//! The structs here exist only for the format, which `docs/formats.md` describes.

use std::io::{self, Write};

use serde::{Serialize, Serializer};

use super::json;
use crate::tree::{Branches, Claim, Condition, Cover, CutRange, Fit, Is, Proof, Tree};

/// Writes a proof about optimal trees.
pub fn write_optimal(proof: &Proof, out: &mut dyn Write) -> io::Result<()> {
    let head = Head {
        depth: Some(proof.depth),
        unit: Some(proof.unit),
        per_loss: Some(Whole(proof.per_loss)),
        per_leaf: Some(Whole(proof.per_leaf)),
        value: Some(Whole(proof.value)),
        complete: Some(proof.claims.is_some()),
        ..Head::of("optimal")
    };
    line(out, &head)?;
    for claim in proof.claims.iter().flatten() {
        line(out, &ClaimLine::of(claim))?;
    }
    Ok(())
}

/// Writes a tree before it was pruned, with which prunings are checked.
pub fn write_grown(grown: &Fit<Tree>, out: &mut dyn Write) -> io::Result<()> {
    line(out, &Head::of("grown"))?;
    writeln!(out, "{}", json::write_model(grown))
}

/// Writes that trees can be checked without help, such as dyadic ones.
pub fn write_needless(learner: &str, out: &mut dyn Write) -> io::Result<()> {
    line(out, &Head::of(learner))
}

fn line(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

#[derive(Serialize)]
struct Head<'a> {
    format: &'static str,
    version: u32,
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_loss: Option<Whole>,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_leaf: Option<Whole>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Whole>,
    #[serde(skip_serializing_if = "Option::is_none")]
    complete: Option<bool>,
}

impl<'a> Head<'a> {
    fn of(kind: &'a str) -> Self {
        Self {
            format: "treewright.proof",
            version: 1,
            kind,
            depth: None,
            unit: None,
            per_loss: None,
            per_leaf: None,
            value: None,
            complete: None,
        }
    }
}

/// A whole number: as text where a reader that knows only doubles would round it.
#[derive(Clone, Copy)]
struct Whole(u64);

impl Serialize for Whole {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 < 1 << 53 {
            serializer.serialize_u64(self.0)
        } else {
            serializer.collect_str(&self.0)
        }
    }
}

#[derive(Serialize)]
struct ClaimLine {
    rows: Vec<ConditionPart>,
    depth: usize,
    at_least: Whole,
    features: Vec<CoverPart>,
}

#[derive(Serialize, Default)]
struct ConditionPart {
    feature: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    below: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    present: Option<bool>,
}

#[derive(Serialize)]
struct CoverPart {
    feature: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<Whole>,
    #[serde(skip_serializing_if = "Option::is_none")]
    present: Option<Whole>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ranges: Option<Vec<RangePart>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branches: Option<Vec<(u32, Whole)>>,
}

#[derive(Serialize)]
struct RangePart {
    first: f64,
    last: f64,
    low: (f64, Whole),
    high: (f64, Whole),
}

impl ClaimLine {
    fn of(claim: &Claim) -> Self {
        let feature = |cover: &Cover| {
            let (present, ranges, branches) = match &cover.branches {
                Branches::Categories(bounds) => {
                    let bounds = bounds.iter().map(|&(code, bound)| (code, Whole(bound)));
                    (None, None, Some(bounds.collect()))
                }
                Branches::Numbers { present, ranges } => {
                    let ranges = ranges.iter().map(RangePart::of).collect();
                    (*present, Some(ranges), None)
                }
            };
            CoverPart {
                feature: cover.feature,
                missing: cover.missing.map(Whole),
                present: present.map(Whole),
                ranges,
                branches,
            }
        };
        Self {
            rows: claim.path.iter().map(ConditionPart::of).collect(),
            depth: claim.depth,
            at_least: Whole(claim.at_least),
            features: claim.covers.iter().map(feature).collect(),
        }
    }
}

impl ConditionPart {
    fn of(condition: &Condition) -> Self {
        let mut part = Self {
            feature: condition.feature,
            ..Self::default()
        };
        match condition.is {
            Is::Below(number) => part.below = Some(number),
            Is::From(number) => part.from = Some(number),
            Is::Category(code) => part.category = Some(code),
            Is::Missing => part.missing = Some(true),
            Is::Present => part.present = Some(true),
        }
        part
    }
}

impl RangePart {
    fn of(range: &CutRange) -> Self {
        Self {
            first: range.first,
            last: range.last,
            low: (range.low.0, Whole(range.low.1)),
            high: (range.high.0, Whole(range.high.1)),
        }
    }
}
