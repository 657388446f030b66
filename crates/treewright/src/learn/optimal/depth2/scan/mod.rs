//! Trees of depth two for two classes in a few intervals: exact values for many cuts of the root at once.

#[expect(
    clippy::inline_always,
    clippy::needless_range_loop,
    reason = "only what is inlined is made for the widest vectors; lanes lie side by side"
)]
pub(crate) mod batch;
#[expect(
    clippy::inline_always,
    reason = "only what is inlined is made for the widest vectors"
)]
pub(crate) mod classes;
pub(crate) mod close_cuts;
pub(crate) mod engine;
#[expect(clippy::needless_range_loop, reason = "lanes lie side by side")]
pub(crate) mod masks;
pub(crate) mod root;
#[expect(
    clippy::inline_always,
    reason = "a call for each row would take longer than what is done"
)]
pub(crate) mod runs;
#[expect(
    clippy::inline_always,
    reason = "only what is inlined is made for the widest vectors"
)]
mod scan_rows;
#[expect(
    clippy::inline_always,
    clippy::needless_bitwise_bool,
    clippy::needless_range_loop,
    reason = "only what is inlined is made for the widest vectors; lanes lie side by side, without branches"
)]
pub(crate) mod sized;
mod sized_cut;
mod sized_root;
#[expect(
    clippy::inline_always,
    reason = "only what is inlined is made for the widest vectors"
)]
pub(crate) mod state;
