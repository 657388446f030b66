//! How a tree does on rows.
