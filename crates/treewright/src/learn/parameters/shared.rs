//! What several learners have.

use super::{Kind, Parameter, Range};

/// Parameters of the choice of a tree by held-out rows.
pub const CHOICE: &[Parameter] = &[
    Parameter {
        name: "select",
        sklearn: Some("select"),
        has_flag: true,
        kind: Kind::Word,
        range: Range::OneOf(&["cv", "1se", "holdout"]),
        default: None,
        help: "By cross-validation: the least error (cv), or the smallest tree within one standard error of it (1se); or by one part of the rows (holdout)",
    },
    Parameter {
        name: "folds",
        sklearn: Some("cv"),
        has_flag: true,
        kind: Kind::Whole,
        range: Range::AtLeast(2.0),
        default: Some("10"),
        help: "Number of folds of the cross-validation; without this and `--select` there is none",
    },
    Parameter {
        name: "repeats",
        sklearn: Some("repeats"),
        has_flag: true,
        kind: Kind::Whole,
        range: Range::AtLeast(1.0),
        default: Some("1"),
        help: "How often the rows are dealt into folds anew",
    },
    Parameter {
        name: "holdout",
        sklearn: Some("holdout"),
        has_flag: true,
        kind: Kind::Number,
        range: Range::Inside(0.0, 1.0),
        default: Some("0.3"),
        help: "Share of the rows that `--select holdout` leaves out",
    },
    Parameter {
        name: "seed",
        sklearn: Some("random_state"),
        has_flag: true,
        kind: Kind::Whole,
        range: Range::AtLeast(0.0),
        default: Some("0"),
        help: "Decides which rows are left out when",
    },
];

/// Features that exclude each other.
pub(super) const INTERACTIONS: Parameter = Parameter {
    name: "interactions",
    sklearn: Some("interactions"),
    has_flag: true,
    kind: Kind::Text,
    range: Range::All,
    default: None,
    help: "Groups of features: a path from the root to a leaf asks at most one feature of each group",
};

/// Features of the root.
pub(super) const ROOT_ONLY: Parameter = Parameter {
    name: "root-only",
    sklearn: Some("root_only"),
    has_flag: true,
    kind: Kind::Text,
    range: Range::All,
    default: None,
    help: "Features that are asked at the root only",
};

/// The order of features.
pub(super) const NOT_ABOVE: Parameter = Parameter {
    name: "not-above",
    sklearn: Some("not_above"),
    has_flag: true,
    kind: Kind::Text,
    range: Range::All,
    default: None,
    help: "Pairs of features: A is never asked above B on a path, and C never above D",
};

/// How frequent the class of a leaf is.
pub(super) const MIN_CLASS_SHARE: Parameter = Parameter {
    name: "min-class-share",
    sklearn: Some("min_class_share"),
    has_flag: true,
    kind: Kind::Exact,
    range: Range::All,
    default: None,
    help: "Of the weight of a leaf, the class that it predicts has at least this share, above 0 and at most 1: a decimal or p/q, read exactly; a tree of one leaf may have less",
};

/// What every learner takes besides its own parameters.
pub const COMMON: &[Parameter] = &[
    Parameter {
        name: "class-weight",
        sklearn: Some("class_weight"),
        has_flag: true,
        kind: Kind::Text,
        range: Range::All,
        default: None,
        help: "Weights of the classes, which multiply the row weights: `balanced` or LABEL=W,...",
    },
    Parameter {
        name: "costs",
        sklearn: Some("cost_matrix"),
        has_flag: true,
        kind: Kind::Text,
        range: Range::All,
        default: None,
        help: "Costs of wrong predictions: a CSV with the predicted classes in the first line and the true classes in the first column",
    },
    Parameter {
        name: "categorical",
        sklearn: Some("categorical_features"),
        has_flag: true,
        kind: Kind::Text,
        range: Range::All,
        default: None,
        help: "Columns to read as categories even if they hold numbers",
    },
    Parameter {
        name: "threads",
        sklearn: Some("n_jobs"),
        has_flag: true,
        kind: Kind::Whole,
        range: Range::AtLeast(1.0),
        default: None,
        help: "Number of threads; the result does not depend on it",
    },
    Parameter {
        name: "time-limit",
        sklearn: Some("time_limit"),
        has_flag: true,
        kind: Kind::Time,
        range: Range::All,
        default: None,
        help: "Stop after this time with the best result so far: 500ms, 30s, 5m, 1h",
    },
    Parameter {
        name: "memory-limit",
        sklearn: Some("memory_limit"),
        has_flag: true,
        kind: Kind::Memory,
        range: Range::All,
        default: None,
        help: "Stop at this much memory with the best result so far: 512MB, 4GB",
    },
    Parameter {
        name: "proof",
        sklearn: Some("proof"),
        has_flag: true,
        kind: Kind::Text,
        range: Range::All,
        default: None,
        help: "Write to this file what is needed to check the certificate, for `treewright-check`",
    },
];
