//! What the rows of a frame are to be told apart by.

use std::borrow::Cow;

/// What the rows of a frame are to be told apart by.
#[derive(Debug, Clone)]
pub(crate) struct Labels<'a> {
    /// Classes, or bins of the numbers; empty where the criterion works on the numbers.
    pub(crate) classes: Cow<'a, [u32]>,
    pub(crate) n_classes: usize,
    /// The numbers of a regression; empty for classification.
    pub(crate) numbers: Cow<'a, [f64]>,
}
