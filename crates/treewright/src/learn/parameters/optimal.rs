//! Optimal trees of bounded depth.

use super::shared::{INTERACTIONS, MIN_CLASS_SHARE, NOT_ABOVE, ROOT_ONLY};
use super::{Kind, Parameter, Range};

/// Parameters of optimal trees of bounded depth.
pub const OPTIMAL: &[Parameter] = &[
    Parameter {
        name: "depth",
        sklearn: Some("max_depth"),
        has_flag: true,
        kind: Kind::Whole,
        range: Range::AtLeast(0.0),
        default: Some("2"),
        help: "Longest way from the root to a leaf",
    },
    Parameter {
        name: "intervals",
        sklearn: Some("intervals"),
        has_flag: true,
        kind: Kind::WholeOrAuto,
        range: Range::AtLeast(1.0),
        default: Some("auto"),
        help: "Numeric features have up to K intervals at the last level, and two above it; `auto` is one more than there are classes",
    },
    Parameter {
        name: "categorical-splits",
        sklearn: Some("categorical_splits"),
        has_flag: true,
        kind: Kind::Word,
        range: Range::OneOf(&["grouped", "one-vs-rest", "multiway"]),
        default: Some("grouped"),
        help: "How a split parts categories",
    },
    Parameter {
        name: "min-leaf",
        sklearn: Some("min_samples_leaf"),
        has_flag: true,
        kind: Kind::Whole,
        range: Range::AtLeast(1.0),
        default: Some("1"),
        help: "A leaf has at least this many rows",
    },
    Parameter {
        name: "min-leaf-weight",
        sklearn: Some("min_weight_fraction_leaf"),
        has_flag: false,
        kind: Kind::Number,
        range: Range::Between(0.0, 0.5),
        default: Some("0"),
        help: "Instead of rows, a leaf has at least this share of the weight of all rows",
    },
    Parameter {
        name: "leaf-cost",
        sklearn: Some("ccp_alpha"),
        has_flag: true,
        kind: Kind::Exact,
        range: Range::AtLeast(0.0),
        default: Some("0"),
        help: "What a leaf costs, on the scale of the error rate: a decimal or p/q, read exactly",
    },
    Parameter {
        name: "penalty",
        sklearn: Some("penalty"),
        has_flag: true,
        kind: Kind::Penalty,
        range: Range::All,
        default: Some("linear"),
        help: "What a number of leaves costs: linear, sqrt, log, power:T, or table:FILE with one number a line, line k for k leaves, strictly rising",
    },
    Parameter {
        name: "leaves",
        sklearn: Some("max_leaf_nodes"),
        has_flag: true,
        kind: Kind::Whole,
        range: Range::AtLeast(1.0),
        default: None,
        help: "The least cost with at most K leaves, instead of a price of leaves",
    },
    INTERACTIONS,
    ROOT_ONLY,
    NOT_ABOVE,
    MIN_CLASS_SHARE,
];
