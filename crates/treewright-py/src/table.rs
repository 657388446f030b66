//! Arrays become a [`Dataset`]. Contiguous columns of doubles are lent, everything else is copied.

use std::borrow::Cow;
use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use treewright::data::{
    ClassWeight, Column, Dataset, Feature, FeatureKind, MISSING_CODE, Reading, Schema, Target,
    TargetColumn, TargetKind, check_total_weight,
};
use treewright::error::quoted;
use treewright::tree::LearnerInfo;

use crate::errors::{guarded, raised};

/// A table to learn from or to predict.
#[pyclass(frozen, module = "treewright._native")]
pub(crate) struct Table {
    rows: Arc<Rows>,
    class_weight: ClassWeight,
    /// For each row of the arrays its place in the dataset, if some of them have no weight.
    places: Option<Vec<Option<usize>>>,
}

/// A dataset with what it borrows from.
pub(crate) struct Rows {
    data: Dataset,
    /// The arrays whose memory `data` uses.
    lenders: Vec<Lender>,
}

/// An array that the rows use.
struct Lender {
    name: String,
    cells: &'static [f64],
    /// What the cells were when they were checked.
    fingerprint: u64,
    /// Keeps the memory alive.
    _array: Py<PyArray1<f64>>,
}

/// The cells of a feature: numbers, or codes of categories.
#[derive(FromPyObject)]
enum Cells<'py> {
    Numbers(PyReadonlyArray1<'py, f64>),
    Codes(PyReadonlyArray1<'py, u32>),
}

/// The cells of a target: class indices, or numbers.
#[derive(FromPyObject)]
enum Truths<'py> {
    Classes(PyReadonlyArray1<'py, u32>),
    Numbers(PyReadonlyArray1<'py, f64>),
}

#[pymethods]
impl Table {
    /// `features`: name, cells and, for codes, categories of each. `target`: name, classes (`None` for
    /// numbers), cells (`None` in a table to predict). `na`: texts that are missing cells when the model reads
    /// files.
    #[new]
    #[pyo3(signature = (features, target, na, weights=None, class_weight=None))]
    fn new(
        features: Vec<(String, Cells<'_>, Option<Vec<String>>)>,
        target: (String, Option<Vec<String>>, Option<Truths<'_>>),
        na: Vec<String>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        class_weight: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        guarded(|| {
            Self::of_arrays(
                features,
                target,
                na,
                weights.as_ref(),
                class_weight.as_ref(),
            )
        })
    }

    /// Number of rows, without those of weight 0.
    #[getter]
    fn n_rows(&self) -> usize {
        self.data().n_rows()
    }
}

impl Table {
    fn of_arrays(
        features: Vec<(String, Cells<'_>, Option<Vec<String>>)>,
        target: (String, Option<Vec<String>>, Option<Truths<'_>>),
        na: Vec<String>,
        weights: Option<&PyReadonlyArray1<'_, f64>>,
        class_weight: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let mut lenders = Vec::new();
        let mut columns = Vec::new();
        let mut kinds = Vec::new();
        for (name, cells, categories) in features {
            let (kind, column) = match (cells, categories) {
                (Cells::Numbers(numbers), None) => {
                    let column = numeric(&name, &numbers, &mut lenders)?;
                    (FeatureKind::Numeric, column)
                }
                (Cells::Codes(codes), Some(categories)) => {
                    let codes = copied(&codes);
                    refuse_unknown(&name, &codes, categories.len())?;
                    (
                        FeatureKind::Categorical(categories),
                        Column::Categorical(codes),
                    )
                }
                _ => {
                    let what = "numbers go without categories, codes with them";
                    return Err(PyValueError::new_err(format!("{}: {what}", quoted(&name))));
                }
            };
            columns.push(column);
            kinds.push(Feature { name, kind });
        }
        let (name, classes, truths) = target;
        let target = match truths {
            None => Target::Absent,
            Some(Truths::Classes(codes)) => {
                let codes = copied(&codes);
                refuse_unknown(&name, &codes, classes.as_ref().map_or(0, Vec::len))?;
                Target::Classes(codes)
            }
            Some(Truths::Numbers(numbers)) => Target::Numbers(copied(&numbers)),
        };
        let schema = Schema {
            features: kinds,
            target: TargetColumn {
                name,
                kind: classes.map_or(TargetKind::Number, TargetKind::Classes),
            },
            reading: Reading {
                na,
                ..Reading::default()
            },
        };
        schema.check().map_err(|error| raised(&error))?;
        let weights = weights.map(copied);
        refuse_other_lengths(&columns, &target, weights.as_deref())?;
        let class_weight = weight_of_classes(class_weight)?;
        let places = weights.as_deref().and_then(places_of);
        let mut data = with_weights(Arc::new(schema), columns, target, weights)?;
        data.weigh_classes(&class_weight)
            .map_err(|error| raised(&error))?;
        let rows = Arc::new(Rows { data, lenders });
        Ok(Self {
            rows,
            class_weight,
            places,
        })
    }

    pub(crate) fn data(&self) -> &Dataset {
        self.rows.data()
    }

    /// The weights of the classes.
    pub(crate) fn class_weight(&self) -> &ClassWeight {
        &self.class_weight
    }

    /// Rows that belong to nobody else.
    pub(crate) fn owned(data: Dataset) -> Self {
        Self {
            rows: Arc::new(Rows {
                data,
                lenders: Vec::new(),
            }),
            class_weight: ClassWeight::default(),
            places: None,
        }
    }

    /// The rows, for a thread that may outlive the call.
    pub(crate) fn rows(&self) -> Arc<Rows> {
        Arc::clone(&self.rows)
    }

    /// Refuses arrays that were written into since they were checked: what was learned from them is the tree of
    /// no table, and its certificate is worth nothing.
    pub(crate) fn refuse_changes(&self) -> PyResult<()> {
        self.rows.refuse_changes()
    }

    /// Where rows of the arrays are in the dataset; those without weight are not.
    pub(crate) fn places(&self, rows: &[usize]) -> Vec<usize> {
        let place = |&row: &usize| match &self.places {
            None => Some(row),
            Some(places) => places.get(row).copied().flatten(),
        };
        rows.iter().filter_map(place).collect()
    }

    /// Adds what else is needed to repeat a fit to the parameters of its learner.
    pub(crate) fn remember(&self, learner: &mut LearnerInfo) {
        learner.params.set_class_weight(&self.class_weight);
    }
}

impl Rows {
    pub(crate) fn data(&self) -> &Dataset {
        &self.data
    }

    pub(crate) fn refuse_changes(&self) -> PyResult<()> {
        let is_changed = |lender: &&Lender| fingerprint(lender.cells) != lender.fingerprint;
        match self.lenders.par_iter().find_first(is_changed) {
            None => Ok(()),
            Some(lender) => Err(PyRuntimeError::new_err(format!(
                "column {} was written into while a tree was learned from it: learn from a copy",
                quoted(&lender.name)
            ))),
        }
    }
}

/// A column of numbers, on the memory of the array if it can be.
fn numeric(
    name: &str,
    numbers: &PyReadonlyArray1<'_, f64>,
    lenders: &mut Vec<Lender>,
) -> PyResult<Column> {
    let Ok(slice) = numbers.as_slice() else {
        let numbers = copied(numbers).into_iter().map(|number| number + 0.0);
        let numbers: Vec<f64> = numbers.collect();
        refuse_infinite(name, &numbers)?;
        return Ok(Column::Numeric(numbers.into()));
    };
    refuse_infinite(name, slice)?;
    if slice.iter().any(|number| number.to_bits() == NEGATIVE_ZERO) {
        return Ok(Column::Numeric(
            slice.iter().map(|number| number + 0.0).collect(),
        ));
    }
    let cells = lent(slice);
    lenders.push(Lender {
        name: name.to_owned(),
        cells,
        fingerprint: fingerprint(cells),
        _array: numbers.as_unbound_array(),
    });
    Ok(Column::Numeric(Cow::Borrowed(cells)))
}

/// 0 and -0 are the same number, but not the same bits.
const NEGATIVE_ZERO: u64 = 1 << 63;

/// The same memory, for as long as the [`Rows`] live.
#[expect(unsafe_code, reason = "the rows hold what they borrow from")]
fn lent(slice: &[f64]) -> &'static [f64] {
    // SAFETY: the array that owns the memory is among the lenders of the rows, which never hand the
    // dataset out but by reference. NumPy does not move or free memory that others hold. Whoever writes
    // into an array while a tree is learned from it gets an error afterwards, see `refuse_changes`.
    unsafe { std::slice::from_raw_parts(slice.as_ptr(), slice.len()) }
}

/// A number that changes with the cells. As fast as they can be read: several at a time.
fn fingerprint(cells: &[f64]) -> u64 {
    const LANES: usize = 4;
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |sum: u64, cell: f64| (sum ^ cell.to_bits()).wrapping_mul(FACTOR).rotate_left(29);
    let mut sums = [1_u64; LANES];
    let (pieces, rest) = cells.as_chunks::<LANES>();
    for piece in pieces {
        for (sum, &cell) in sums.iter_mut().zip(piece) {
            *sum = mix(*sum, cell);
        }
    }
    let sum = rest.iter().fold(0, |sum, &cell| mix(sum, cell));
    sums.iter().fold(sum, |all, &sum| all.rotate_left(17) ^ sum)
}

/// An array that outlives the call.
trait Unbound {
    fn as_unbound_array(&self) -> Py<PyArray1<f64>>;
}

impl Unbound for PyReadonlyArray1<'_, f64> {
    fn as_unbound_array(&self) -> Py<PyArray1<f64>> {
        let array: &Bound<'_, PyArray1<f64>> = self;
        array.clone().unbind()
    }
}

/// The cells of an array of any stride.
fn copied<T: numpy::Element + Copy>(array: &PyReadonlyArray1<'_, T>) -> Vec<T> {
    array.as_array().iter().copied().collect()
}

fn refuse_infinite(name: &str, numbers: &[f64]) -> PyResult<()> {
    match numbers.iter().position(|number| number.is_infinite()) {
        None => Ok(()),
        Some(row) => Err(PyValueError::new_err(format!(
            "row {}, column {}: {} is not a finite number (inf, infinity); NaN would be missing",
            row + 1,
            quoted(name),
            numbers[row]
        ))),
    }
}

fn refuse_unknown(name: &str, codes: &[u32], n_known: usize) -> PyResult<()> {
    let is_unknown = |&code: &u32| code != MISSING_CODE && code as usize >= n_known;
    if codes.iter().any(is_unknown) {
        let what = "a code without a text";
        return Err(PyValueError::new_err(format!("{}: {what}", quoted(name))));
    }
    Ok(())
}

fn refuse_other_lengths(
    columns: &[Column],
    target: &Target,
    weights: Option<&[f64]>,
) -> PyResult<()> {
    let lengths = columns.iter().map(|column| match column {
        Column::Numeric(numbers) => numbers.len(),
        Column::Categorical(codes) => codes.len(),
    });
    let truths = match target {
        Target::Classes(codes) => Some(codes.len()),
        Target::Numbers(numbers) => Some(numbers.len()),
        Target::Absent => None,
    };
    let mut lengths = lengths.chain(truths).chain(weights.map(<[f64]>::len));
    let Some(n_rows) = lengths.next() else {
        return Ok(());
    };
    if lengths.all(|length| length == n_rows) {
        Ok(())
    } else {
        Err(PyValueError::new_err(
            "columns, target and weights must have equally many rows",
        ))
    }
}

/// For each row its place among those with a weight; `None` if all have one.
fn places_of(weights: &[f64]) -> Option<Vec<Option<usize>>> {
    weights.contains(&0.0).then(|| {
        let mut n_kept = 0;
        let place = |&weight: &f64| {
            n_kept += usize::from(weight > 0.0);
            (weight > 0.0).then(|| n_kept - 1)
        };
        weights.iter().map(place).collect()
    })
}

/// The dataset of the rows that have a weight.
fn with_weights(
    schema: Arc<Schema>,
    columns: Vec<Column>,
    target: Target,
    weights: Option<Vec<f64>>,
) -> PyResult<Dataset> {
    let Some(weights) = weights else {
        return Ok(Dataset::new(schema, columns, target, None));
    };
    if let Some(row) = weights
        .iter()
        .position(|&weight| !(weight >= 0.0 && weight.is_finite()))
    {
        return Err(PyValueError::new_err(format!(
            "sample_weight, row {}: got {}, expected a finite number that is not negative",
            row + 1,
            weights[row]
        )));
    }
    if weights.iter().any(|&weight| weight > 0.0) {
        check_total_weight(Some(&weights)).map_err(|error| raised(&error))?;
    }
    let kept: Vec<usize> = (0..weights.len())
        .filter(|&row| weights[row] > 0.0)
        .collect();
    if kept.is_empty() && !weights.is_empty() {
        return Err(PyValueError::new_err(
            "sample_weight: all weights are zero, so no rows are left",
        ));
    }
    if columns.is_empty() && matches!(target, Target::Absent) {
        // Nothing else says how many rows there are.
        return Ok(Dataset::new(schema, columns, target, Some(weights)));
    }
    let n_rows = weights.len();
    let weights = weights
        .iter()
        .any(|&weight| weight != 1.0)
        .then_some(weights);
    // Without these rows cuts lie elsewhere; with a weight of 0 they would not go away by themselves.
    if kept.len() < n_rows {
        let positive = weights.map(|weights| kept.iter().map(|&row| weights[row]).collect());
        let data = Dataset::new(Arc::clone(&schema), columns, target, None).rows(&kept);
        return Ok(Dataset::new(
            schema,
            data.columns().to_vec(),
            data.target().clone(),
            positive,
        ));
    }
    Ok(Dataset::new(schema, columns, target, weights))
}

/// `None`, `"balanced"`, or a weight for each text of a class.
fn weight_of_classes(given: Option<&Bound<'_, PyAny>>) -> PyResult<ClassWeight> {
    let Some(given) = given else {
        return Ok(ClassWeight::Equal);
    };
    if let Ok(weights) = given.cast::<PyDict>() {
        let weights: PyResult<Vec<(String, f64)>> = weights
            .iter()
            .map(|(label, weight)| Ok((label.extract()?, weight.extract()?)))
            .collect();
        return Ok(ClassWeight::Given(weights?));
    }
    match given.extract::<&str>() {
        Ok("balanced") => Ok(ClassWeight::Balanced),
        _ => Err(crate::errors::refused(
            "class_weight",
            given,
            "None, \"balanced\" or a dict of class labels and weights",
        )),
    }
}
