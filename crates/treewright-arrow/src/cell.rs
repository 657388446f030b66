//! One cell at a time out of an Arrow array, whatever its type.

use std::fmt::{self, Display};

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, PrimitiveArray};
use arrow_schema::DataType;
use treewright::Result;

/// What the cells of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Numbers,
    Texts,
}

impl Kind {
    /// The kind of a type's cells; `None` if we cannot make sense of it.
    pub(crate) fn of(data_type: &DataType) -> Option<Self> {
        match data_type {
            data_type if data_type.is_numeric() => Some(Self::Numbers),
            // As in a text table, a column without any value could well be one of numbers.
            DataType::Null => Some(Self::Numbers),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Boolean => {
                Some(Self::Texts)
            }
            DataType::Dictionary(_, values) if !matches!(**values, DataType::Dictionary(..)) => {
                Self::of(values)
            }
            _ => None,
        }
    }
}

/// A cell of a column.
pub(crate) enum Cell<'a> {
    Missing,
    /// A number that is not NaN, and how it is written.
    Number(f64, &'a dyn Display),
    Text(&'a str),
}

/// Hands on the cells of an array, which is of a type that has a [`Kind`] and is not a dictionary.
pub(crate) fn each_cell(
    array: &dyn Array,
    mut each: impl FnMut(Cell<'_>) -> Result<()>,
) -> Result<()> {
    match array.data_type() {
        DataType::Int8 => numbers(array.as_primitive::<Int8Type>(), f64::from, each),
        DataType::Int16 => numbers(array.as_primitive::<Int16Type>(), f64::from, each),
        DataType::Int32 => numbers(array.as_primitive::<Int32Type>(), f64::from, each),
        DataType::Int64 => numbers(
            array.as_primitive::<Int64Type>(),
            |value| value as f64,
            each,
        ),
        DataType::UInt8 => numbers(array.as_primitive::<UInt8Type>(), f64::from, each),
        DataType::UInt16 => numbers(array.as_primitive::<UInt16Type>(), f64::from, each),
        DataType::UInt32 => numbers(array.as_primitive::<UInt32Type>(), f64::from, each),
        DataType::UInt64 => numbers(
            array.as_primitive::<UInt64Type>(),
            |value| value as f64,
            each,
        ),
        DataType::Float16 => numbers(array.as_primitive::<Float16Type>(), f64::from, each),
        DataType::Float32 => numbers(array.as_primitive::<Float32Type>(), f64::from, each),
        DataType::Float64 => numbers(array.as_primitive::<Float64Type>(), |value| value, each),
        DataType::Decimal32(..) => decimals(array.as_primitive::<Decimal32Type>(), each),
        DataType::Decimal64(..) => decimals(array.as_primitive::<Decimal64Type>(), each),
        DataType::Decimal128(..) => decimals(array.as_primitive::<Decimal128Type>(), each),
        DataType::Decimal256(..) => decimals(array.as_primitive::<Decimal256Type>(), each),
        DataType::Utf8 => texts(array.as_string::<i32>().iter(), each),
        DataType::LargeUtf8 => texts(array.as_string::<i64>().iter(), each),
        DataType::Utf8View => texts(array.as_string_view().iter(), each),
        DataType::Boolean => {
            let names = array.as_boolean().iter();
            texts(
                names.map(|value| value.map(|value| if value { "true" } else { "false" })),
                each,
            )
        }
        _ => (0..array.len()).try_for_each(|_| each(Cell::Missing)),
    }
}

fn numbers<T: ArrowPrimitiveType>(
    array: &PrimitiveArray<T>,
    number: impl Fn(T::Native) -> f64,
    mut each: impl FnMut(Cell<'_>) -> Result<()>,
) -> Result<()>
where
    T::Native: Display,
{
    array.iter().try_for_each(|value| match value {
        None => each(Cell::Missing),
        Some(value) => match number(value) {
            nan if nan.is_nan() => each(Cell::Missing),
            // Covers -0.0 too, which is not a number of its own here.
            0.0 => each(Cell::Number(0.0, &"0")),
            number => each(Cell::Number(number, &value)),
        },
    })
}

fn texts<'a>(
    mut values: impl Iterator<Item = Option<&'a str>>,
    mut each: impl FnMut(Cell<'_>) -> Result<()>,
) -> Result<()> {
    values.try_for_each(|value| each(value.map_or(Cell::Missing, Cell::Text)))
}

fn decimals<T: DecimalType>(
    array: &PrimitiveArray<T>,
    mut each: impl FnMut(Cell<'_>) -> Result<()>,
) -> Result<()> {
    let scale = array.scale();
    array.iter().try_for_each(|value| match value {
        None => each(Cell::Missing),
        Some(value) => {
            let decimal = Decimal::<T> { value, scale };
            each(Cell::Number(decimal.to_f64(), &decimal))
        }
    })
}

/// A decimal number, written without zeros that say nothing: 1.50 is `1.5`, as the float would be.
struct Decimal<T: DecimalType> {
    value: T::Native,
    scale: i8,
}

impl<T: DecimalType> Decimal<T> {
    /// The nearest float.
    fn to_f64(&self) -> f64 {
        let digits = T::format_decimal(self.value, T::MAX_PRECISION, self.scale);
        // Digits always are a number, if perhaps one too large for a float.
        digits.parse::<f64>().unwrap_or(f64::NAN) + 0.0
    }
}

impl<T: DecimalType> Display for Decimal<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = T::format_decimal(self.value, T::MAX_PRECISION, self.scale);
        if digits.contains('.') {
            f.write_str(digits.trim_end_matches('0').trim_end_matches('.'))
        } else {
            f.write_str(&digits)
        }
    }
}
