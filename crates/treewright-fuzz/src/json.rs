//! Mutations: those of JSON keep it well formed, so that they get past the parser; others change bytes.

use fastrand::Rng;
use serde_json::{Map, Number, Value};

use crate::bytes::mutate_bytes;

/// Numbers at which something may go wrong.
pub(crate) const ODD_NUMBERS: &[&str] = &[
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "3",
    "0.5",
    "1e-320",
    "5e-324",
    "1e308",
    "-1e308",
    "1e309",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "0.1",
    "1e16",
];
/// Texts that mean something, here or there.
const ODD_TEXTS: &[&str] = &[
    "",
    "linear",
    "sqrt",
    "power:0.5",
    "table",
    "distribute",
    "intervals",
    "categories",
    "left",
    "right",
    "numeric",
    "categorical",
    "classification",
    "regression",
    "greedy",
    "dyadic",
    "optimal",
    "error",
    "impurity",
    "mse",
    "\u{202e}",
    "\u{1b}[2J",
    "\0",
    "a\nb",
    "]]>",
    "</script>",
    "*/",
    "\"\"\"",
];

/// A file a little different from another, which is the same for the same seed.
pub fn mutate(bytes: &[u8], seed: u64) -> Vec<u8> {
    let mut rng = Rng::with_seed(seed);
    let is_document = bytes.starts_with(b"{") && rng.u8(..8) > 0;
    let document = is_document.then(|| serde_json::from_slice::<Value>(bytes).ok());
    let Some(mut document) = document.flatten() else {
        return mutate_bytes(bytes, &mut rng);
    };
    for _ in 0..rng.usize(1..4) {
        let n_places = count(&document);
        let place = rng.usize(..n_places);
        let (other, _) = pick(&document, rng.usize(..n_places));
        if let Ok(target) = find(&mut document, place) {
            change(target, other, &mut rng);
        }
    }
    if rng.u8(..) == 0 {
        let depth = rng.usize(1..400);
        return format!("{}{document}{}", "[".repeat(depth), "]".repeat(depth)).into_bytes();
    }
    document.to_string().into_bytes()
}

/// The number of values in a document, itself among them.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(values) => values.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum(),
        _ => 0,
    }
}

/// A copy of the value at a place, counted from the top.
fn pick(value: &Value, place: usize) -> (Value, usize) {
    if place == 0 {
        return (value.clone(), 0);
    }
    let mut place = place - 1;
    let inner: Vec<&Value> = match value {
        Value::Array(values) => values.iter().collect(),
        Value::Object(fields) => fields.values().collect(),
        _ => Vec::new(),
    };
    for value in inner {
        let size = count(value);
        if place < size {
            return pick(value, place);
        }
        place -= size;
    }
    (Value::Null, place)
}

/// The value at a place, or how many places there are still to go.
fn find(value: &mut Value, place: usize) -> Result<&mut Value, usize> {
    if place == 0 {
        return Ok(value);
    }
    let mut place = place - 1;
    let inner: Vec<&mut Value> = match value {
        Value::Array(values) => values.iter_mut().collect(),
        Value::Object(fields) => fields.values_mut().collect(),
        _ => Vec::new(),
    };
    for value in inner {
        match find(value, place) {
            Ok(found) => return Ok(found),
            Err(left) => place = left,
        }
    }
    Err(place)
}

fn change(target: &mut Value, other: Value, rng: &mut Rng) {
    match target {
        Value::Number(number) => {
            if let Some(changed) = changed_number(number, rng) {
                *target = changed;
            }
        }
        Value::String(text) => match rng.u8(..4) {
            0 => ODD_TEXTS[rng.usize(..ODD_TEXTS.len())].clone_into(text),
            1 => *target = other,
            2 => text.push_str(ODD_TEXTS[rng.usize(..ODD_TEXTS.len())]),
            _ => *text = text.chars().rev().collect(),
        },
        Value::Bool(truth) => *truth = !*truth,
        Value::Null => *target = other,
        Value::Array(values) if !values.is_empty() => {
            let (a, b) = (rng.usize(..values.len()), rng.usize(..values.len()));
            match rng.u8(..5) {
                0 => values.swap(a, b),
                1 => drop(values.remove(a)),
                2 => values.insert(b, values[a].clone()),
                3 => values[a] = other,
                _ => values.truncate(a),
            }
        }
        Value::Array(values) => values.push(other),
        Value::Object(fields) => change_fields(fields, other, rng),
    }
}

fn change_fields(fields: &mut Map<String, Value>, other: Value, rng: &mut Rng) {
    let names: Vec<String> = fields.keys().cloned().collect();
    if names.is_empty() {
        fields.insert("cost".into(), other);
        return;
    }
    let (a, b) = (rng.usize(..names.len()), rng.usize(..names.len()));
    match rng.u8(..4) {
        0 => drop(fields.shift_remove(&names[a])),
        1 => drop(fields.insert(names[a].clone(), other)),
        2 => {
            let (one, two) = (fields[&names[a]].clone(), fields[&names[b]].clone());
            fields.insert(names[a].clone(), two);
            fields.insert(names[b].clone(), one);
        }
        _ => drop(fields.insert(ODD_TEXTS[rng.usize(..ODD_TEXTS.len())].into(), other)),
    }
}

fn changed_number(number: &Number, rng: &mut Rng) -> Option<Value> {
    let odd = |rng: &mut Rng| {
        let text = ODD_NUMBERS[rng.usize(..ODD_NUMBERS.len())];
        serde_json::from_str(text).ok()
    };
    let value = number.as_f64()?;
    match rng.u8(..5) {
        0 => number
            .as_i64()
            .and_then(|whole| whole.checked_add(1))
            .map(Value::from),
        1 => number
            .as_i64()
            .and_then(|whole| whole.checked_sub(1))
            .map(Value::from),
        2 => Some(Value::from(value.next_up())),
        3 => Some(Value::from(value * 2.0)),
        _ => odd(rng),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutations_are_repeatable_and_stay_json() {
        let text = br#"{"a": [1, 2.5, {"b": null}], "c": "x", "d": true}"#;
        let mut n_json = 0;
        for seed in 0..300 {
            let one = mutate(text, seed);
            assert_eq!(one, mutate(text, seed));
            n_json += usize::from(serde_json::from_slice::<Value>(&one).is_ok());
        }
        assert!(n_json > 240, "{n_json}");
    }
}
