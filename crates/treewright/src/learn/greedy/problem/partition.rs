//! Parts the entries of a node among its children, in place and keeping their order.

use super::packing::{Packing, TIE, is_tie};

/// Parts the entries of a node in two, in place and keeping their order: those of side 0, then those of
/// side 1. A side that is not wanted is left undefined. Nothing branches on the side of a row, which
/// would be a coin toss.
pub(crate) fn partition_in_two(
    list: &mut [u32],
    packing: Packing,
    side: &[u8],
    wanted: [bool; 2],
    scratch: &mut Vec<u32>,
) {
    if scratch.len() < list.len() {
        scratch.resize(list.len(), 0);
    }
    let scratch = &mut scratch[..list.len()];
    let (mut n_low, mut n_high) = (0, 0);
    // Does the entry tie with the last one written on its side?
    let (mut tie_low, mut tie_high) = (0, 0);
    for at in 0..list.len() {
        let entry = list[at];
        let high = u32::from(side[packing.row(entry)]);
        let low = 1 - high;
        let tie = entry & TIE;
        tie_low &= tie;
        tie_high &= tie;
        let moved = entry & !TIE | tie_low & low | tie_high & high;
        list[n_low] = moved;
        scratch[n_high] = moved;
        tie_low |= low;
        tie_high |= high;
        n_low += low as usize;
        n_high += high as usize;
    }
    if wanted[1] {
        list[n_low..].copy_from_slice(&scratch[..n_high]);
    }
}

/// Parts the entries of a node among many children, in place and keeping their order; `starts[c]` is
/// where child `c` begins, the last one is the length.
pub(crate) fn partition(
    list: &mut [u32],
    packing: Packing,
    child: &[u32],
    starts: &[u32],
    scratch: &mut Vec<u32>,
) {
    scratch.clear();
    scratch.extend_from_slice(list);
    let mut next: Vec<(u32, u32)> = starts.iter().map(|&start| (start, 0)).collect();
    let mut group = 0;
    for &entry in scratch.iter() {
        group += u32::from(!is_tie(entry) || group == 0);
        let (at, last_group) = &mut next[child[packing.row(entry)] as usize];
        list[*at as usize] = entry & !TIE | u32::from(*last_group == group);
        *at += 1;
        *last_group = group;
    }
}
