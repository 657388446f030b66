//! Mutations of bytes, for text and binary files alike.

use fastrand::Rng;

use crate::json::ODD_NUMBERS;

/// Whole numbers at which something may go wrong, as they stand in binary files.
const ODD_WORDS: &[i64] = &[
    0,
    1,
    -1,
    2,
    7,
    8,
    127,
    128,
    255,
    256,
    65_535,
    1 << 31,
    (1 << 31) - 1,
    1 << 40,
    i64::MIN,
    i64::MAX,
];
/// Pieces that mean something in text tables.
const ODD_PIECES: &[&str] = &[
    ",", "\"", "\"\"", "\n", "\r\n", "\r", "\t", "?", "NA", "inf", "nan", "\0", "\u{feff}",
    "\u{202e}", ";", "e", "-", "0x",
];
/// No file grows beyond this.
const LONGEST: usize = 1 << 14;

/// Changes bytes in a few places.
pub(crate) fn mutate_bytes(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..rng.usize(1..5) {
        change(&mut bytes, rng);
    }
    bytes.truncate(LONGEST);
    bytes
}

fn change(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let length = bytes.len();
    let at = rng.usize(..=length);
    let end = length.min(at + rng.usize(1..16));
    match rng.u8(..12) {
        0 | 1 if at < length => bytes[at] ^= 1 << rng.u8(..8),
        2 if at < length => bytes[at] = rng.u8(..),
        3 => drop(bytes.drain(at..end)),
        4 => {
            let piece = bytes[at..end].to_vec();
            let place = rng.usize(..=length);
            bytes.splice(place..place, piece);
        }
        5 => {
            let piece = bytes[at..end].to_vec();
            let place = rng.usize(..=length - piece.len());
            bytes[place..place + piece.len()].copy_from_slice(&piece);
        }
        6 if rng.u8(..4) == 0 => bytes.truncate(at),
        7 => {
            let word = ODD_WORDS[rng.usize(..ODD_WORDS.len())].to_le_bytes();
            let width = [1, 2, 4, 8][rng.usize(..4)].min(length - at);
            bytes[at..at + width].copy_from_slice(&word[..width]);
        }
        8 | 9 => replace_number(bytes, at, rng),
        10 => {
            let piece = ODD_PIECES[rng.usize(..ODD_PIECES.len())].bytes();
            bytes.splice(at..at, piece);
        }
        _ if at < length => bytes[at] = bytes[at].wrapping_add(rng.u8(..3)).wrapping_sub(1),
        _ => {}
    }
}

/// Puts an odd number where digits stand.
fn replace_number(bytes: &mut Vec<u8>, from: usize, rng: &mut Rng) {
    let digit = |byte: &u8| byte.is_ascii_digit();
    let Some(start) = bytes[from..].iter().position(digit).map(|at| from + at) else {
        return;
    };
    let n_digits = bytes[start..].iter().take_while(|byte| digit(byte)).count();
    let number = ODD_NUMBERS[rng.usize(..ODD_NUMBERS.len())].bytes();
    bytes.splice(start..start + n_digits, number);
}
