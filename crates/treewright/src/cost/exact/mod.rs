//! Exact numbers: ratios from decimals and back (`decimal`), logarithms and powers to any precision (`fixed`), and the
//! exact sign of a sum of penalties, which decides every comparison (`sign`).

pub(super) mod decimal;
mod fixed;
pub(super) mod sign;
