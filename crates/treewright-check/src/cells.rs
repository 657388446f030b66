//! The points of a dyadic grid: in which cells rows lie, and what each answer costs them there.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};
use serde_json::Value as Json;

use crate::data::{Column, Data};
use crate::model::Model;
use crate::numbers::{Ratio, decimal, of_json};
use crate::values::{Value, Values};

/// The path of a point along one coordinate: which half it lies in, halving by halving.
pub(crate) type Halves = Vec<bool>;

pub(crate) struct Grid {
    /// The feature of each coordinate, and how often it is halved, with the halving for missing values.
    pub(crate) features: Vec<usize>,
    pub(crate) halvings: Vec<usize>,
    /// For each row and coordinate, the path.
    pub(crate) rows: Vec<Vec<Halves>>,
}

/// Points that matter: for each coordinate its path, and what each answer costs.
pub(crate) struct Points {
    pub(crate) paths: Vec<Vec<Halves>>,
    pub(crate) losses: Vec<Vec<Value>>,
    /// What all other points cost, whatever the answers.
    pub(crate) rest: Value,
    /// For each row its point; `None` if all answers cost the same there.
    pub(crate) of_row: Vec<Option<usize>>,
}

impl Grid {
    pub(crate) fn new(model: &Model, data: &Data) -> Result<Self, String> {
        let params = &model.learner.params;
        let text = |name: &str| params.get(name).and_then(Json::as_str);
        let coding = text("coding").ok_or("params.coding is missing")?;
        let snap = params
            .get("snap")
            .map_or(Some(Ratio::zero()), of_json)
            .ok_or("params.snap is no number")?;
        let halvings = params
            .get("k")
            .and_then(Json::as_array)
            .ok_or("params.k is no list")?;
        let halvings: Option<Vec<usize>> = halvings
            .iter()
            .map(|k| k.as_u64().map(|k| k as usize))
            .collect();
        let halvings = halvings
            .filter(|all| all.iter().all(|&k| k <= 30))
            .ok_or("params.k are no numbers up to 30")?;
        let mut grid = Self {
            features: Vec::new(),
            halvings,
            rows: vec![Vec::new(); data.n_rows()],
        };
        for (feature, column) in data.columns.iter().enumerate() {
            let n_categories = model.features[feature]
                .categories
                .as_ref()
                .map_or(0, Vec::len);
            match column {
                Column::Numbers(numbers) => {
                    let number = |number: &f64| (!number.is_nan()).then(|| decimal(*number));
                    grid.add(
                        feature,
                        &numbers.iter().map(number).collect::<Vec<_>>(),
                        &snap,
                    )?;
                }
                Column::Codes(codes) if coding == "one-vs-rest" => {
                    for category in 0..n_categories {
                        let number = |code: &Option<usize>| {
                            code.map(|code| whole(usize::from(code == category)))
                        };
                        grid.add(
                            feature,
                            &codes.iter().map(number).collect::<Vec<_>>(),
                            &snap,
                        )?;
                    }
                }
                Column::Codes(codes) => {
                    let numbers = match coding {
                        "order" => (0..n_categories).collect(),
                        "share" => by_share(data, codes, n_categories),
                        _ => return Err("params.coding is not known".into()),
                    };
                    let number = |code: &Option<usize>| code.map(|code| whole(numbers[code]));
                    grid.add(
                        feature,
                        &codes.iter().map(number).collect::<Vec<_>>(),
                        &snap,
                    )?;
                }
            }
        }
        if grid.features.len() != grid.halvings.len() {
            return Err(format!(
                "params.k has {} numbers, expected {}",
                grid.halvings.len(),
                grid.features.len()
            ));
        }
        Ok(grid)
    }

    /// One more coordinate. A number lies in the upper half of a box if it is not below the exact midpoint; the box goes from
    /// the least number to the largest.
    fn add(
        &mut self,
        feature: usize,
        numbers: &[Option<Ratio>],
        snap: &Ratio,
    ) -> Result<(), String> {
        let place = self.features.len();
        let halvings = *self
            .halvings
            .get(place)
            .ok_or("params.k has too few numbers")?;
        let has_missing = numbers.contains(&None);
        let present = || numbers.iter().flatten();
        let (low, high) = (
            present().min().cloned().unwrap_or_default(),
            present().max().cloned().unwrap_or_default(),
        );
        let halvings = if low == high { 0 } else { halvings };
        let n_cells = BigInt::one() << halvings;
        let mut known: BTreeMap<&Ratio, u64> = BTreeMap::new();
        for (row, number) in numbers.iter().enumerate() {
            let mut path = Halves::new();
            if has_missing {
                path.push(number.is_none());
            }
            if let Some(number) = number {
                let cell = *known.entry(number).or_insert_with(|| {
                    if halvings == 0 {
                        return 0;
                    }
                    let share = (number - &low) / (&high - &low) + snap;
                    let cell = (share * &n_cells)
                        .floor()
                        .to_integer()
                        .to_u64()
                        .unwrap_or(0);
                    cell.min((1 << halvings) - 1)
                });
                path.extend((0..halvings).rev().map(|bit| cell >> bit & 1 == 1));
            } else {
                // Nothing is halved where there is no value.
                path.resize(halvings + 1, false);
            }
            self.rows[row].push(path);
        }
        self.features.push(feature);
        self.halvings[place] = halvings + usize::from(has_missing);
        Ok(())
    }

    /// Rows of the same cells together.
    pub(crate) fn points(&self, values: &Values) -> Points {
        let mut known: BTreeMap<&Vec<Halves>, (usize, Vec<Value>)> = BTreeMap::new();
        let mut of_row = Vec::new();
        for (row, paths) in self.rows.iter().enumerate() {
            let number = known.len();
            let (number, sums) = known
                .entry(paths)
                .or_insert_with(|| (number, vec![0; values.n_classes]));
            let losses = &values.losses[row * values.n_classes..][..values.n_classes];
            for (sum, loss) in sums.iter_mut().zip(losses) {
                *sum += loss * values.per_loss;
            }
            of_row.push(*number);
        }
        let mut points = Points {
            paths: Vec::new(),
            losses: Vec::new(),
            rest: 0,
            of_row: Vec::new(),
        };
        let mut place_of = vec![None; known.len()];
        for (paths, (number, losses)) in known {
            if losses.iter().all(|loss| *loss == losses[0]) {
                points.rest += losses[0];
            } else {
                place_of[number] = Some(points.paths.len());
                points.paths.push(paths.clone());
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
