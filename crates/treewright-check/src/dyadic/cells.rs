//! The points of a dyadic grid: in which cells rows lie, and what each answer costs them there.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::Zero;
use serde_json::Value as Json;

use super::side::{Boxes, Side};
use crate::numbers::{Ratio, decimal, of_json};
use crate::read::data::{Column, Data};
use crate::read::model::Model;
use crate::values::{Value, Values};

pub(crate) struct Grid {
    /// How often each coordinate is halved, with the halving for missing values.
    pub(crate) halvings: Vec<u32>,
    /// For each numeric feature its side of the box.
    sides: BTreeMap<usize, Side>,
    /// For each row and coordinate its cell: a bit for each halving, the first one highest.
    rows: Vec<Vec<u32>>,
}

/// Points that matter: for each coordinate the cell, and what each answer costs.
pub(crate) struct Points {
    pub(crate) cells: Vec<Vec<u32>>,
    pub(crate) losses: Vec<Vec<Value>>,
    /// What all other points cost, whatever the answers.
    pub(crate) rest: Value,
    /// For each row its point; `None` if all answers cost the same there.
    pub(crate) of_row: Vec<Option<usize>>,
}

impl Grid {
    /// The cells of a row, one for each coordinate.
    pub(crate) fn cells_of(&self, row: usize) -> &[u32] {
        &self.rows[row]
    }

    pub(crate) fn new(model: &Model, data: &Data) -> Result<Self, String> {
        let params = &model.learner.params;
        let text = |name: &str| params.get(name).and_then(Json::as_str);
        let coding = text("coding").ok_or("params.coding is missing")?;
        let snap = params
            .get("snap")
            .map_or(Some(Ratio::zero()), of_json)
            .ok_or("params.snap is no number")?;
        let boxes = params.get("box").map_or(Some("range"), Json::as_str);
        let boxes = boxes.and_then(Boxes::of).ok_or("params.box is not known")?;
        let halvings = params
            .get("k")
            .and_then(Json::as_array)
            .ok_or("params.k is no list")?;
        let halvings = halvings.iter().map(Json::as_u64);
        let halvings: Option<Vec<u32>> = halvings.map(|k| u32::try_from(k?).ok()).collect();
        let halvings = halvings
            .filter(|all| all.iter().all(|&k| k <= 30))
            .ok_or("params.k are no numbers up to 30")?;
        // The feature and the number of each row.
        let mut coordinates: Vec<(usize, Vec<Option<Ratio>>)> = Vec::new();
        for (feature, column) in data.columns.iter().enumerate() {
            let n_categories = model.features[feature]
                .categories
                .as_ref()
                .map_or(0, Vec::len);
            match column {
                Column::Numbers(numbers) => {
                    let number = |number: &f64| (!number.is_nan()).then(|| decimal(*number));
                    coordinates.push((feature, numbers.iter().map(number).collect()));
                }
                Column::Codes(codes) if coding == "one-vs-rest" => {
                    for category in 0..n_categories {
                        let number = |code: &Option<usize>| {
                            code.map(|code| whole(usize::from(code == category)))
                        };
                        coordinates.push((feature, codes.iter().map(number).collect()));
                    }
                }
                Column::Codes(codes) => {
                    let numbers = match coding {
                        "order" => (0..n_categories).collect(),
                        "share" => by_share(data, codes, n_categories),
                        _ => return Err("params.coding is not known".into()),
                    };
                    let number = |code: &Option<usize>| code.map(|code| whole(numbers[code]));
                    coordinates.push((feature, codes.iter().map(number).collect()));
                }
            }
        }
        if coordinates.len() != halvings.len() {
            let (found, expected) = (halvings.len(), coordinates.len());
            return Err(format!("params.k has {found} numbers, expected {expected}"));
        }
        let mut grid = Self {
            halvings,
            sides: BTreeMap::new(),
            rows: vec![Vec::new(); data.n_rows()],
        };
        for (place, (feature, numbers)) in coordinates.iter().enumerate() {
            let is_numeric = matches!(data.columns[*feature], Column::Numbers(_));
            let halvings = grid.halvings[place];
            let (side, halvings) = Side::new(numbers, is_numeric, &boxes, &snap, halvings)?;
            grid.add(place, numbers, &side, halvings);
            if is_numeric {
                grid.sides.insert(*feature, side);
            }
        }
        Ok(grid)
    }

    /// One more coordinate. What is missing lies above all halvings, and nothing is halved there.
    fn add(&mut self, place: usize, numbers: &[Option<Ratio>], side: &Side, halvings: u32) {
        let mut known: BTreeMap<&Ratio, u32> = BTreeMap::new();
        for (row, number) in self.rows.iter_mut().zip(numbers) {
            row.push(match number {
                Some(number) => *known.entry(number).or_insert_with(|| side.cell(number)),
                None => 1 << halvings,
            });
        }
        self.halvings[place] = halvings + u32::from(numbers.contains(&None));
    }

    /// Is a cut of a numeric feature where two cells meet?
    pub(crate) fn has_cut(&self, feature: usize, cut: f64) -> bool {
        self.sides
            .get(&feature)
            .is_some_and(|side| side.has_cut(cut))
    }

    /// Rows of the same cells together; a unit of loss counts `per_loss`.
    pub(crate) fn points(&self, values: &Values, per_loss: Value) -> Points {
        let mut known: BTreeMap<&Vec<u32>, (usize, Vec<Value>)> = BTreeMap::new();
        let mut of_row = Vec::new();
        for (row, cells) in self.rows.iter().enumerate() {
            let number = known.len();
            let (number, sums) = known
                .entry(cells)
                .or_insert_with(|| (number, vec![0; values.n_classes]));
            let losses = &values.losses[row * values.n_classes..][..values.n_classes];
            for (sum, loss) in sums.iter_mut().zip(losses) {
                *sum += loss * per_loss;
            }
            of_row.push(*number);
        }
        let mut points = Points {
            cells: Vec::new(),
            losses: Vec::new(),
            rest: 0,
            of_row: Vec::new(),
        };
        let mut place_of = vec![None; known.len()];
        for (cells, (number, losses)) in known {
            if losses.iter().all(|loss| *loss == losses[0]) {
                points.rest += losses[0];
            } else {
                place_of[number] = Some(points.cells.len());
                points.cells.push(cells.clone());
                points.losses.push(losses);
            }
        }
        points.of_row = of_row.into_iter().map(|number| place_of[number]).collect();
        points
    }
}

fn whole(number: usize) -> Ratio {
    Ratio::from(BigInt::from(number))
}

/// Categories numbered by the share of the first class among their rows; those without rows come last.
fn by_share(data: &Data, codes: &[Option<usize>], n_categories: usize) -> Vec<usize> {
    let mut sums = vec![(Ratio::zero(), Ratio::zero()); n_categories];
    let mut by_class = vec![vec![BigInt::zero(); data.n_classes()]; n_categories];
    for (row, code) in codes
        .iter()
        .enumerate()
        .filter_map(|(row, code)| Some((row, (*code)?)))
    {
        by_class[code][data.classes[row]] += &data.weights[row];
    }
    for (sum, counts) in sums.iter_mut().zip(&by_class) {
        let weights = data.weighted(counts);
        *sum = (weights[0].clone(), weights.iter().sum());
    }
    let mut order: Vec<usize> = (0..n_categories).collect();
    order.sort_by_key(|&code| {
        let (first, all) = &sums[code];
        (
            all.is_zero(),
            if all.is_zero() {
                Ratio::zero()
            } else {
                first / all
            },
        )
    });
    let mut numbers = vec![0; n_categories];
    for (number, code) in order.into_iter().enumerate() {
        numbers[code] = number;
    }
    numbers
}
