//! How rows and classes share the 32 bits of an entry.

/// How rows and classes share the 32 bits of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Packing {
    pub(super) class_bits: u32,
}

/// Bit of an entry that says "same value as the entry before". The first entry of a node's range may
/// have it set: a scan never looks at it there.
pub(super) const TIE: u32 = 1;

impl Packing {
    /// The packing for these numbers of rows and classes; `None` if they do not fit.
    pub(crate) fn new(n_rows: usize, n_classes: usize) -> Option<Self> {
        let bits = |n: usize| usize::BITS - n.saturating_sub(1).leading_zeros();
        let class_bits = bits(n_classes);
        (bits(n_rows) + class_bits < u32::BITS).then_some(Self { class_bits })
    }

    pub(crate) fn pack(self, row: usize, class: u32, tie: bool) -> u32 {
        ((row as u32) << (self.class_bits + 1)) | (class << 1) | u32::from(tie)
    }

    #[inline]
    pub(crate) fn row(self, entry: u32) -> usize {
        (entry >> (self.class_bits + 1)) as usize
    }

    #[inline]
    pub(crate) fn class(self, entry: u32) -> usize {
        ((entry >> 1) & ((1 << self.class_bits) - 1)) as usize
    }
}

/// Does the entry have the value of the one before it?
#[inline]
pub(crate) fn is_tie(entry: u32) -> bool {
    entry & TIE != 0
}
