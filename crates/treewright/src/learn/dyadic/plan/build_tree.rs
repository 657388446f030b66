//! From a plan of halvings to a tree with all rows in it.

use rustc_hash::FxHashMap;

use super::HalvingPlan;
use crate::cost::{Loss, WholeCosts};
use crate::data::{Dataset, Value};
use crate::error::Result;
use crate::learn::dyadic::problem::{Bundle, Grid};
use crate::learn::exact::{Branching, PlanSource, build_tree};
use crate::tree::{Split, Tree};

/// Makes trees of plans, with the class counts of all rows.
pub(crate) struct PlanToTree<'a> {
    grid: &'a Grid,
    data: &'a Dataset,
    loss: &'a Loss,
    /// Where weights are not whole, so that each row is a bundle of its own.
    costs: Option<WholeCosts>,
    /// Questions by coordinate, level and prefix. Exact cuts take a while, and plans share them.
    questions: FxHashMap<(usize, u32, u32), (Split, Option<u32>)>,
}

impl<'a> PlanToTree<'a> {
    pub(crate) fn new(grid: &'a Grid, data: &'a Dataset, loss: &'a Loss) -> Self {
        Self {
            grid,
            data,
            loss,
            costs: (!data.has_whole_weights())
                .then(|| WholeCosts::of_decimals(data, loss))
                .flatten(),
            questions: FxHashMap::default(),
        }
    }

    /// A tree that splits as the plan says.
    pub(crate) fn build(&mut self, plan: &HalvingPlan) -> Result<Tree> {
        let (data, loss) = (self.data, self.loss);
        build_tree(self, plan, self.grid.bundles.clone(), data, loss)
    }

    fn question(&mut self, coordinate: usize, level: u32, prefix: u32) -> (Split, Option<u32>) {
        let found = self.questions.entry((coordinate, level, prefix));
        let found = found.or_insert_with(|| {
            let coordinate = &self.grid.coordinates[self.grid.halved[coordinate]];
            let feature = &self.data.schema().features[coordinate.feature];
            coordinate.split(level, prefix, feature.categories().len())
        });
        found.clone()
    }
}

impl PlanSource for PlanToTree<'_> {
    type Plan = HalvingPlan;
    type Rows = Vec<Bundle>;

    fn branch<'p>(
        &mut self,
        plan: &'p HalvingPlan,
        rows: &Vec<Bundle>,
    ) -> Option<Branching<'p, HalvingPlan, Vec<Bundle>>> {
        let HalvingPlan::Halve {
            coordinate,
            level,
            prefix,
            sides,
        } = plan
        else {
            return None;
        };
        let (mut split, route) = self.question(*coordinate, *level, *prefix);
        let mut parts = part(&split, rows, self.data);
        forget_absent(&mut split, rows, self.data);
        let mut sides = [&sides[0], &sides[1]];
        let missing = match only_side(&split) {
            // All categories on one side: the other child, which is empty, comes last, and what no
            // row has had goes there.
            Some(side) => {
                if side == 1 {
                    turn(&mut split);
                    sides.swap(0, 1);
                    parts.present.swap(0, 1);
                }
                1
            }
            None => route.unwrap_or_else(|| parts.heavier()),
        };
        parts.present[missing as usize].append(&mut parts.missing);
        Some(Branching {
            split,
            missing,
            children: sides.into_iter().zip(parts.present).collect(),
        })
    }

    fn counts(&self, rows: &Vec<Bundle>) -> Vec<f64> {
        let mut counts = vec![0.0; self.data.schema().classes().len()];
        for bundle in rows {
            counts[bundle.class as usize] += bundle.weight;
        }
        counts
    }

    /// As the search has it: of two classes that cost the same, sums of doubles may make either a little cheaper.
    fn class(&self, rows: &Vec<Bundle>, counts: &[f64], loss: &Loss) -> usize {
        match &self.costs {
            Some(costs) => costs.best_class(self.data, rows.iter().map(|bundle| bundle.row)),
            None => loss.best_class(counts),
        }
    }
}

/// The rows of a node, by what they answer.
struct Parts {
    present: [Vec<Bundle>; 2],
    missing: Vec<Bundle>,
}

impl Parts {
    /// The side with more weight. Missing values that have no side of their own go where most rows went:
    /// rows that do not matter to any label may have some.
    fn heavier(&self) -> u32 {
        let weight = |rows: &Vec<Bundle>| rows.iter().map(|bundle| bundle.weight).sum::<f64>();
        u32::from(weight(&self.present[1]) > weight(&self.present[0]))
    }
}

/// The side to which all categories go, if it is only one.
fn only_side(split: &Split) -> Option<u32> {
    let Split::Categories { branches, .. } = split else {
        return None;
    };
    let mut sides = branches.iter().flatten();
    let first = *sides.next()?;
    sides.all(|&side| side == first).then_some(first)
}

/// Swaps the sides of the categories.
fn turn(split: &mut Split) {
    if let Split::Categories { branches, .. } = split {
        for side in branches.iter_mut().flatten() {
            *side = 1 - *side;
        }
    }
}

fn part(split: &Split, rows: &[Bundle], data: &Dataset) -> Parts {
    let column = &data.columns()[split.feature()];
    let mut parts = Parts {
        present: [Vec::new(), Vec::new()],
        missing: Vec::new(),
    };
    for &bundle in rows {
        match split.child_of(column.value(bundle.row as usize)) {
            Some(side) => parts.present[side].push(bundle),
            None => parts.missing.push(bundle),
        }
    }
    parts
}

/// Categories that no row of the node has are treated as missing.
fn forget_absent(split: &mut Split, rows: &[Bundle], data: &Dataset) {
    if let Split::Categories { feature, branches } = split {
        let mut is_present = vec![false; branches.len()];
        for bundle in rows {
            if let Value::Category(code) = data.columns()[*feature].value(bundle.row as usize) {
                is_present[code as usize] = true;
            }
        }
        for (branch, is_present) in branches.iter_mut().zip(is_present) {
            *branch = branch.filter(|_| is_present);
        }
    }
}
