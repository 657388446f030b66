//! What can be found, how bad it is, what it is called, and what would help.

use crate::data::{DateFormat, DateUnit};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know.
    Info,
    /// It may well spoil trees.
    Warning,
    /// No tree is worth anything with it.
    Error,
}

impl Severity {
    /// From the worst to the least.
    pub const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Info];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Something that was found in a column or in a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Finding {
    /// All cells are missing.
    EmptyColumn,
    /// All cells are equal.
    Constant,
    /// Nearly every row has a text of its own.
    IdText,
    /// Every row has a whole number of its own.
    IdNumber {
        /// Why it is taken for an id.
        sign: IdSign,
        /// Are the rows in the order of the target, so that the number gives it away?
        betrays: bool,
    },
    /// All texts are dates.
    Date {
        /// How they become numbers.
        format: DateFormat,
        /// Could day and month be the other way round?
        is_ambiguous: bool,
    },
    /// Nearly all texts are numbers or dates.
    Nearly {
        /// What most of them are.
        wanted: Wanted,
        /// Those that are not.
        tokens: Vec<Token>,
    },
    /// All texts are dates, but not in one order.
    MixedDates {
        /// Two of them that no order fits.
        examples: [String; 2],
        /// Does nearly every row have a text of its own?
        is_id: bool,
    },
    /// The texts are numbers, many or a few of them written for people: with units, commas or blanks.
    FormattedNumbers {
        /// One of those.
        example: String,
        /// What it would be as a plain number.
        plain: String,
        /// The cells of those.
        cells: usize,
        /// All cells that are not missing.
        of: usize,
        /// Other texts among them.
        tokens: Vec<Token>,
        /// Does nearly every row have a text of its own?
        is_id: bool,
    },
    /// The column is equal to an earlier one, perhaps under other names.
    DuplicateColumn {
        /// That one.
        of: String,
    },
    /// Each value stands for a class, and each class for a value; or all numbers are those of the target.
    DuplicateOfTarget,
    /// The column alone tells the target of every row.
    PredictsTarget,
    /// Some categories, or classes, differ from others only in case or in blanks.
    AlikeCategories {
        /// One with more rows, and these.
        most: (String, usize),
        /// One that is like it, and its rows.
        other: (String, usize),
        /// How many of them should be another one.
        categories: usize,
    },
    /// Some categories occur in one row only.
    OneRowCategories {
        /// How many.
        categories: usize,
    },
    /// There are many categories.
    ManyCategories {
        /// How many of them occur in one row only.
        one_row: usize,
    },
    /// Rows are in the order of the target, and the numbers of this column in the order of the rows.
    RowOrder,
    /// Some rows have no target.
    MissingTarget {
        /// How many.
        rows: usize,
        /// The first of them, counted from 1.
        first_row: usize,
        /// All rows.
        of: usize,
    },
    /// There is only one class, or one number.
    SingleClass {
        /// Its label.
        class: String,
    },
    /// Nearly all rows are of one class.
    ClassImbalance {
        /// The label of the rarest class, and its rows.
        rarest: (String, usize),
        /// The label of the most frequent class, and its rows.
        most: (String, usize),
        /// The rows with a target.
        of: usize,
    },
    /// Some classes have very few rows.
    RareClasses {
        /// Their labels, the rarest first.
        classes: Vec<String>,
        /// The rows of the rarest.
        fewest: usize,
    },
    /// Nearly every row has a class of its own.
    ManyClasses,
    /// Some rows are equal to earlier ones.
    DuplicateRows {
        /// How many.
        rows: usize,
        /// All rows.
        of: usize,
    },
    /// The rows are in the order of the target.
    SortedRows,
    /// No column is left to learn from.
    NoFeatures,
}

/// Why numbers are taken for ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdSign {
    /// They rise (or fall) from row to row.
    Rising,
    /// The column has the name of an id.
    Name,
    /// They leave no number out, in whatever order.
    NoGaps,
}

/// What most texts of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Numbers.
    Numbers,
    /// Dates.
    Dates(DateFormat),
}

/// A text that is not like the others of its column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The text.
    pub text: String,
    /// The cells that have it.
    pub cells: usize,
    /// The first row that has it, counted from 1.
    pub first_row: usize,
    /// Is it a word for "missing", which no other column has for a category?
    pub means_missing: bool,
}

impl Finding {
    /// A short name that stays.
    pub fn code(&self) -> &'static str {
        match self {
            Self::EmptyColumn => "empty-column",
            Self::Constant => "constant",
            Self::IdText => "id-text",
            Self::IdNumber { .. } => "id-number",
            Self::Date { .. } => "date",
            Self::Nearly { wanted, .. } => match wanted {
                Wanted::Numbers => "nearly-numeric",
                Wanted::Dates(_) => "nearly-date",
            },
            Self::FormattedNumbers { .. } => "formatted-numbers",
            Self::DuplicateColumn { .. } => "duplicate-column",
            Self::DuplicateOfTarget => "duplicate-of-target",
            Self::PredictsTarget => "predicts-target",
            Self::MixedDates { .. } => "mixed-dates",
            Self::AlikeCategories { .. } => "alike-categories",
            Self::OneRowCategories { .. } => "one-row-categories",
            Self::ManyCategories { .. } => "many-categories",
            Self::RowOrder => "row-order",
            Self::MissingTarget { .. } => "missing-target",
            Self::SingleClass { .. } => "single-class",
            Self::ClassImbalance { .. } => "class-imbalance",
            Self::RareClasses { .. } => "rare-classes",
            Self::ManyClasses => "many-classes",
            Self::DuplicateRows { .. } => "duplicate-rows",
            Self::SortedRows => "sorted-rows",
            Self::NoFeatures => "no-features",
        }
    }

    /// How bad it is.
    pub fn severity(&self) -> Severity {
        match self {
            Self::SingleClass { .. } | Self::DuplicateOfTarget | Self::NoFeatures => {
                Severity::Error
            }
            Self::IdNumber { betrays: true, .. } => Severity::Error,
            Self::MissingTarget { rows, of, .. } if rows == of => Severity::Error,
            Self::Date { is_ambiguous, .. } if !is_ambiguous => Severity::Info,
            Self::Constant
            | Self::DuplicateColumn { .. }
            | Self::OneRowCategories { .. }
            | Self::ManyCategories { .. }
            | Self::RareClasses { .. }
            | Self::DuplicateRows { .. }
            | Self::SortedRows => Severity::Info,
            Self::EmptyColumn
            | Self::IdText
            | Self::IdNumber { .. }
            | Self::Date { .. }
            | Self::Nearly { .. }
            | Self::FormattedNumbers { .. }
            | Self::MixedDates { .. }
            | Self::AlikeCategories { .. }
            | Self::PredictsTarget
            | Self::RowOrder
            | Self::MissingTarget { .. }
            | Self::ClassImbalance { .. }
            | Self::ManyClasses => Severity::Warning,
        }
    }

    /// The texts that are not like the others of their column.
    pub fn tokens(&self) -> &[Token] {
        match self {
            Self::Nearly { tokens, .. } | Self::FormattedNumbers { tokens, .. } => tokens,
            _ => &[],
        }
    }

    /// Is the column probably not read as what it is?
    pub fn is_misread(&self) -> bool {
        matches!(
            self,
            Self::Nearly { .. }
                | Self::FormattedNumbers { .. }
                | Self::MixedDates { .. }
                | Self::AlikeCategories { .. }
        )
    }

    /// Is the column better left out than learned from?
    pub fn leaves_out(&self) -> bool {
        match self {
            Self::IdText => true,
            Self::IdNumber { sign, .. } => *sign != IdSign::NoGaps,
            Self::FormattedNumbers { is_id, .. } | Self::MixedDates { is_id, .. } => *is_id,
            _ => false,
        }
    }
}

/// The kind of a column of such dates.
pub(super) fn kind_of(format: DateFormat) -> super::ColumnKind {
    match format.unit {
        DateUnit::Days => super::ColumnKind::Date,
        DateUnit::Seconds => super::ColumnKind::DateTime,
    }
}
