//! `prune --all-sizes`: the least cost for every number of leaves.

use std::fmt::Write;

use anyhow::Result;
use serde::Serialize;

use crate::commands::count;
use crate::commands::family::evenly;
use crate::output::{self, Console, Destination};

/// This many sizes are printed from the smallest on, and as many of the others.
const DENSE: usize = 30;

/// Least costs as a document.
#[derive(Serialize)]
pub(super) struct LeastCosts {
    sizes: Vec<Size>,
    exact: bool,
    /// How costs are printed.
    #[serde(skip)]
    figure: fn(f64) -> String,
}

#[derive(Serialize)]
struct Size {
    leaves: usize,
    cost: f64,
}

impl LeastCosts {
    /// From all numbers of leaves that some pruning has; `exact` says whether costs were not rounded.
    pub(super) fn new(
        least: impl IntoIterator<Item = (usize, f64)>,
        exact: bool,
        figure: fn(f64) -> String,
    ) -> Self {
        let sizes = least.into_iter();
        Self {
            sizes: sizes.map(|(leaves, cost)| Size { leaves, cost }).collect(),
            exact,
            figure,
        }
    }

    /// Writes them where that was asked for, or prints a table.
    pub(super) fn write(&self, file: Option<&Destination>, console: &Console) -> Result<()> {
        output::document(self, file, console, || self.table())
    }

    fn table(&self) -> String {
        let all: Vec<usize> = (0..self.sizes.len()).collect();
        let (small, large) = all.split_at(all.len().min(DENSE));
        let shown = [small, &evenly(large, DENSE)].concat();
        let rows = shown.iter().map(|&place| {
            let Size { leaves, cost } = self.sizes[place];
            vec![leaves.to_string(), (self.figure)(cost)]
        });
        let header = ["leaves", "least cost"].map(str::to_owned);
        let mut text = output::figures(header.to_vec(), rows);
        if shown.len() < all.len() {
            let shown = shown.len();
            let all = count(all.len(), "number", "numbers");
            let _ = writeln!(
                text,
                "({shown} of {all} of leaves; --json and -o FILE give all)"
            );
        }
        text
    }
}

/// A cost with all its digits.
pub(super) fn figure(cost: f64) -> String {
    if cost == 0.0 || (1e-5..1e16).contains(&cost) {
        cost.to_string()
    } else {
        format!("{cost:e}")
    }
}
