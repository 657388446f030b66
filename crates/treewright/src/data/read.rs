//! From raw columns to a [`Dataset`]: which column is the target, which are features, what is a class.

use std::cmp::Ordering;
use std::sync::Arc;

use num_bigint::BigInt;

use super::{
    Column, Dataset, Feature, FeatureKind, MISSING_CODE, Number, RawColumn, Reading, Schema,
    Source, Target, TargetColumn, TargetKind, Texts, Wanted,
};
use crate::error::{Error, Result, quoted, quoted_list};

/// A whole-numbered target with at most this many distinct values is taken for classes.
const MOST_NUMERIC_CLASSES: usize = 20;

/// What is to be learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Task {
    /// Decide from the target: texts and few whole numbers are classes.
    #[default]
    Auto,
    /// Predict a class.
    Classification,
    /// Predict a number.
    Regression,
}

/// Weights for classes, which multiply the weights of their rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ClassWeight {
    /// Every class weighs 1.
    #[default]
    Equal,
    /// Every class gets the same total weight, the sum of weights stays.
    Balanced,
    /// These labels get these weights, the others 1.
    Given(Vec<(String, f64)>),
}

/// Which columns to use, and how.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Texts for "missing", and the weight column.
    pub reading: Reading,
    /// Target column; by default the last one that is not the weight.
    pub target: Option<String>,
    /// Feature columns; by default all that are left. The order of the file is kept.
    pub features: Option<Vec<String>>,
    /// Columns that are not features.
    pub drop: Vec<String>,
    /// Columns to read as categories even if they hold numbers.
    pub categorical: Vec<String>,
    /// Columns that must be numbers.
    pub numeric: Vec<String>,
    /// Classes or numbers.
    pub task: Task,
    /// Weights for classes.
    pub class_weight: ClassWeight,
}

/// What a column of the source is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Unused,
    Feature,
    Target,
    Weight,
}

impl Dataset {
    /// Reads a table to learn from.
    pub fn read(source: &dyn Source, options: &ReadOptions) -> Result<Self> {
        let names = source.names();
        let roles = assign_roles(names, options)?;
        let wanted: Vec<Wanted> = names
            .iter()
            .zip(&roles)
            .map(|(name, role)| match role {
                Role::Unused => Wanted::Skip,
                Role::Weight => Wanted::Numbers,
                Role::Target => match options.task {
                    Task::Auto if options.categorical.contains(name) => Wanted::Texts,
                    Task::Auto => Wanted::Both,
                    Task::Classification => Wanted::Texts,
                    Task::Regression => Wanted::Numbers,
                },
                Role::Feature if options.categorical.contains(name) => Wanted::Texts,
                Role::Feature if options.numeric.contains(name) => Wanted::Numbers,
                Role::Feature => Wanted::Either,
            })
            .collect();
        let mut raw = source.read(&wanted, &options.reading.na)?;
        let weights = take_weights(source, &roles, &mut raw)?;
        let kept = weights
            .as_ref()
            .and_then(|weights| rows_with_weight(weights));

        let target_at = roles
            .iter()
            .position(|&role| role == Role::Target)
            .expect("has a target");
        let target = std::mem::replace(&mut raw[target_at], RawColumn::Skipped);
        if options.numeric.contains(&names[target_at]) {
            // Classes are kept as texts, but these must be numbers as well.
            read_column(source, options, target_at, Wanted::Numbers)?;
        }
        let (target, target_kind) =
            decide_target(source, options, target_at, target, kept.as_deref())?;

        let mut features = Vec::new();
        let mut columns = Vec::new();
        for (position, column) in raw.into_iter().enumerate() {
            if roles[position] == Role::Feature {
                let (kind, column) = feature_column(column, kept.as_deref());
                features.push(Feature {
                    name: names[position].clone(),
                    kind,
                });
                columns.push(column);
            }
        }
        let weights = weights.map(|weights| keep_rows(weights, kept.as_deref()));
        let weights = class_weights(&options.class_weight, &target, &target_kind, weights)?;
        check_total_weight(weights.as_deref())?;
        let schema = Schema {
            features,
            target: TargetColumn {
                name: names[target_at].clone(),
                kind: target_kind,
            },
            reading: options.reading.clone(),
        };
        Ok(Self::new(Arc::new(schema), columns, target, weights))
    }

    /// Reads a table with the names, kinds, categories and missing tokens of a model.
    ///
    /// Without `with_target` the target column need not be there and weights are not read.
    pub fn read_for(source: &dyn Source, schema: &Arc<Schema>, with_target: bool) -> Result<Self> {
        let names = source.names();
        let find = |name: &str, what: &str| {
            names
                .iter()
                .position(|candidate| candidate == name)
                .ok_or_else(|| {
                    Error::schema(format!(
                        "no column {}, which the model needs as {what} (columns: {})",
                        quoted(name),
                        quoted_list(names.iter().map(String::as_str))
                    ))
                })
        };
        let mut wanted = vec![Wanted::Skip; names.len()];
        let mut feature_at = Vec::with_capacity(schema.features.len());
        for feature in &schema.features {
            let position = find(&feature.name, "a feature")?;
            wanted[position] = match feature.kind {
                FeatureKind::Numeric => Wanted::Numbers,
                FeatureKind::Categorical(_) => Wanted::Texts,
            };
            feature_at.push(position);
        }
        let mut roles = vec![Role::Unused; names.len()];
        let mut target_at = None;
        if with_target {
            let position = find(&schema.target.name, "its target")?;
            target_at = Some(position);
            wanted[position] = if schema.is_classification() {
                Wanted::Texts
            } else {
                Wanted::Numbers
            };
            if let Some(weight) = &schema.reading.weight {
                let position = find(weight, "row weights")?;
                roles[position] = Role::Weight;
                wanted[position] = Wanted::Numbers;
            }
        }
        if wanted.iter().all(|&wish| wish == Wanted::Skip) && !wanted.is_empty() {
            // A tree without features still answers for every row, so the rows must be counted.
            wanted[0] = Wanted::Texts;
        }
        let mut raw = source.read(&wanted, &schema.reading.na)?;
        let n_rows = raw.iter().find_map(RawColumn::n_rows).unwrap_or(0);
        let weights = take_weights(source, &roles, &mut raw)?;
        let kept = weights
            .as_ref()
            .and_then(|weights| rows_with_weight(weights));
        let target = match target_at {
            None => Target::Absent,
            Some(position) => {
                let column = std::mem::replace(&mut raw[position], RawColumn::Skipped);
                known_target(source, schema, position, column, kept.as_deref())?
            }
        };
        let mut columns: Vec<Column> = Vec::with_capacity(feature_at.len());
        for (feature, &position) in schema.features.iter().zip(&feature_at) {
            let column = std::mem::replace(&mut raw[position], RawColumn::Skipped);
            columns.push(match (&feature.kind, column) {
                (FeatureKind::Numeric, RawColumn::Numbers(numbers)) => {
                    Column::Numeric(keep_rows(numbers, kept.as_deref()).into())
                }
                (FeatureKind::Categorical(categories), RawColumn::Texts(texts)) => {
                    let codes = translate(&texts, categories);
                    Column::Categorical(keep_rows(codes, kept.as_deref()))
                }
                _ => unreachable!("a source hands out what was wanted"),
            });
        }
        let weights = weights.map(|weights| keep_rows(weights, kept.as_deref()));
        check_total_weight(weights.as_deref())?;
        if columns.is_empty() && target == Target::Absent {
            let ones = Some(vec![1.0; n_rows]);
            return Ok(Self::new(Arc::clone(schema), columns, target, ones));
        }
        Ok(Self::new(Arc::clone(schema), columns, target, weights))
    }

    /// Multiplies the weights of the rows by weights of their classes.
    pub fn weigh_classes(&mut self, class_weight: &ClassWeight) -> Result<()> {
        let kind = self.schema.target.kind.clone();
        self.weights = class_weights(class_weight, &self.target, &kind, self.weights.take())?;
        Ok(())
    }
}

/// Finds the target, the weight and the features by name.
fn assign_roles(names: &[String], options: &ReadOptions) -> Result<Vec<Role>> {
    let find = |name: &str, option: &str| {
        names
            .iter()
            .position(|candidate| candidate == name)
            .ok_or_else(|| {
                Error::schema(format!(
                    "{option}: there is no column {} (columns: {})",
                    quoted(name),
                    quoted_list(names.iter().map(String::as_str))
                ))
            })
    };
    for (list, option) in [
        (&options.drop, "drop"),
        (&options.categorical, "categorical"),
        (&options.numeric, "numeric"),
    ] {
        for name in list {
            find(name, option)?;
        }
    }
    if let Some(name) = options
        .categorical
        .iter()
        .find(|name| options.numeric.contains(name))
    {
        return Err(Error::schema(format!(
            "column {} is listed both as categorical and as numeric",
            quoted(name)
        )));
    }
    let weight = options
        .reading
        .weight
        .as_deref()
        .map(|name| find(name, "weight"))
        .transpose()?;
    let target = match &options.target {
        Some(name) => find(name, "target")?,
        None => (0..names.len())
            .rev()
            .find(|&position| Some(position) != weight)
            .ok_or_else(|| Error::schema("the table has no column that could be the target"))?,
    };
    if weight == Some(target) {
        return Err(Error::schema(format!(
            "column {} cannot be both the target and the weight",
            quoted(&names[target])
        )));
    }
    let mut roles = vec![Role::Unused; names.len()];
    match &options.features {
        None => roles.fill(Role::Feature),
        Some(list) => {
            for name in list {
                let position = find(name, "features")?;
                if position == target || Some(position) == weight {
                    return Err(Error::schema(format!(
                        "features: column {} is the {}",
                        quoted(name),
                        if position == target {
                            "target"
                        } else {
                            "weight"
                        }
                    )));
                }
                roles[position] = Role::Feature;
            }
        }
    }
    for name in &options.drop {
        let position = find(name, "drop")?;
        if position == target || Some(position) == weight {
            return Err(Error::schema(format!(
                "drop: column {} is needed as the {}",
                quoted(name),
                if position == target {
                    "target"
                } else {
                    "weight"
                }
            )));
        }
        roles[position] = Role::Unused;
    }
    if let Some(weight) = weight {
        roles[weight] = Role::Weight;
    }
    roles[target] = Role::Target;
    Ok(roles)
}

/// Takes the weight column out and checks it.
fn take_weights(
    source: &dyn Source,
    roles: &[Role],
    raw: &mut [RawColumn],
) -> Result<Option<Vec<f64>>> {
    let Some(position) = roles.iter().position(|&role| role == Role::Weight) else {
        return Ok(None);
    };
    let RawColumn::Numbers(weights) = std::mem::replace(&mut raw[position], RawColumn::Skipped)
    else {
        unreachable!("weights were wanted as numbers")
    };
    if let Some(row) = weights.iter().position(|weight| !(*weight >= 0.0)) {
        let mut place = source.place(row);
        place.column = Some(source.names()[position].clone());
        let what = if weights[row].is_nan() {
            "missing".into()
        } else {
            weights[row].to_string()
        };
        return Err(Error::table(
            place,
            format!("the weight is {what}, expected a finite number that is not negative"),
        ));
    }
    if !weights.is_empty() && !weights.iter().any(|&weight| weight > 0.0) {
        return Err(Error::schema(format!(
            "column {}: all weights are zero, so no rows are left",
            quoted(&source.names()[position])
        )));
    }
    Ok(Some(weights))
}

/// Figures are relative to the total weight, so that must be a number, and one that can be divided.
pub fn check_total_weight(weights: Option<&[f64]>) -> Result<()> {
    const LEAST: f64 = 1e-100;
    let Some(weights) = weights.filter(|weights| !weights.is_empty()) else {
        return Ok(());
    };
    let total: f64 = weights.iter().sum();
    if !total.is_finite() {
        return Err(Error::schema(
            "the weights are too large: their sum is not a finite number",
        ));
    }
    if total < LEAST {
        return Err(Error::schema(format!(
            "the weights are too small: their sum is {total:e}, expected at least {LEAST:e}"
        )));
    }
    Ok(())
}

/// The rows of positive weight, or `None` if that is all of them.
fn rows_with_weight(weights: &[f64]) -> Option<Vec<usize>> {
    let kept: Vec<usize> = (0..weights.len())
        .filter(|&row| weights[row] > 0.0)
        .collect();
    (kept.len() < weights.len()).then_some(kept)
}

fn keep_rows<T: Copy>(values: Vec<T>, kept: Option<&[usize]>) -> Vec<T> {
    match kept {
        None => values,
        Some(kept) => kept.iter().map(|&row| values[row]).collect(),
    }
}

fn keep_texts(mut texts: Texts, kept: Option<&[usize]>) -> Texts {
    if kept.is_some() {
        texts.codes = keep_rows(texts.codes, kept);
        texts.drop_unused();
    }
    texts
}

/// Decides between classes and numbers, and refuses missing cells.
fn decide_target(
    source: &dyn Source,
    options: &ReadOptions,
    position: usize,
    column: RawColumn,
    kept: Option<&[usize]>,
) -> Result<(Target, TargetKind)> {
    let column = match (options.task, column) {
        (Task::Auto, RawColumn::Numbers(numbers)) if looks_like_classes(&numbers, kept) => {
            read_column(source, options, position, Wanted::Texts)?
        }
        (Task::Auto, RawColumn::Both(numbers, texts)) if looks_like_classes(&numbers, kept) => {
            RawColumn::Texts(texts)
        }
        (_, RawColumn::Both(numbers, _)) => RawColumn::Numbers(numbers),
        (_, column) => column,
    };
    match column {
        RawColumn::Texts(texts) => {
            let mut texts = keep_texts(texts, kept);
            refuse_missing(
                source,
                position,
                kept,
                |row| texts.codes[row] == MISSING_CODE,
                texts.codes.len(),
            )?;
            sort_labels(&mut texts);
            Ok((
                Target::Classes(texts.codes),
                TargetKind::Classes(texts.distinct),
            ))
        }
        RawColumn::Numbers(numbers) => {
            let numbers = keep_rows(numbers, kept);
            refuse_missing(
                source,
                position,
                kept,
                |row| numbers[row].is_nan(),
                numbers.len(),
            )?;
            Ok((Target::Numbers(numbers), TargetKind::Number))
        }
        RawColumn::Skipped | RawColumn::Both(..) => unreachable!("the target was wanted"),
    }
}

/// Reads one column once more, in another way.
fn read_column(
    source: &dyn Source,
    options: &ReadOptions,
    position: usize,
    wish: Wanted,
) -> Result<RawColumn> {
    let mut wanted = vec![Wanted::Skip; source.names().len()];
    wanted[position] = wish;
    Ok(source
        .read(&wanted, &options.reading.na)?
        .swap_remove(position))
}

/// Whole numbers, few of them distinct. (All missing looks like nothing and is refused later.)
fn looks_like_classes(numbers: &[f64], kept: Option<&[usize]>) -> bool {
    let mut distinct: Vec<f64> = Vec::new();
    for position in 0..kept.map_or(numbers.len(), <[usize]>::len) {
        let number = numbers[kept.map_or(position, |kept| kept[position])];
        if !number.is_nan() && !distinct.contains(&number) {
            if number.fract() != 0.0 || distinct.len() == MOST_NUMERIC_CLASSES {
                return false;
            }
            distinct.push(number);
        }
    }
    true
}

/// Classes go by number if all of them are numbers, else by code point.
fn sort_labels(texts: &mut Texts) {
    let number = |text: &str| match Number::parse(text) {
        Number::Finite(value) => Some(value),
        _ => None,
    };
    if texts.distinct.iter().all(|text| number(text).is_some()) {
        texts.sort_by(|a, b| {
            number(a)
                .partial_cmp(&number(b))
                .unwrap_or(Ordering::Equal)
                .then_with(|| a.cmp(b))
        });
    }
}

fn refuse_missing(
    source: &dyn Source,
    position: usize,
    kept: Option<&[usize]>,
    is_missing: impl Fn(usize) -> bool,
    n_rows: usize,
) -> Result<()> {
    match (0..n_rows).find(|&row| is_missing(row)) {
        None => Ok(()),
        Some(row) => {
            let mut place = source.place(kept.map_or(row, |kept| kept[row]));
            place.column = Some(source.names()[position].clone());
            Err(Error::table(
                place,
                "the target is missing, expected a value in every row",
            ))
        }
    }
}

/// The target of rows that a known model is applied to: only classes that it knows.
fn known_target(
    source: &dyn Source,
    schema: &Schema,
    position: usize,
    column: RawColumn,
    kept: Option<&[usize]>,
) -> Result<Target> {
    match column {
        RawColumn::Numbers(numbers) => {
            let numbers = keep_rows(numbers, kept);
            refuse_missing(
                source,
                position,
                kept,
                |row| numbers[row].is_nan(),
                numbers.len(),
            )?;
            Ok(Target::Numbers(numbers))
        }
        RawColumn::Texts(texts) => {
            let texts = keep_texts(texts, kept);
            let codes = translate(&texts, schema.classes());
            refuse_missing(
                source,
                position,
                kept,
                |row| texts.codes[row] == MISSING_CODE,
                codes.len(),
            )?;
            if let Some(row) = codes.iter().position(|&code| code == MISSING_CODE) {
                let mut place = source.place(kept.map_or(row, |kept| kept[row]));
                place.column = Some(schema.target.name.clone());
                return Err(Error::table(
                    place,
                    format!(
                        "{} is not a class of the model (its classes: {})",
                        quoted(&texts.distinct[texts.codes[row] as usize]),
                        quoted_list(schema.classes().iter().map(String::as_str))
                    ),
                ));
            }
            Ok(Target::Classes(codes))
        }
        RawColumn::Skipped | RawColumn::Both(..) => unreachable!("the target was wanted"),
    }
}

/// Codes in the order of `known`; texts that are not in it become missing.
fn translate(texts: &Texts, known: &[String]) -> Vec<u32> {
    let code_of: rustc_hash::FxHashMap<&str, u32> = known
        .iter()
        .enumerate()
        .map(|(code, text)| (text.as_str(), code as u32))
        .collect();
    let new_code: Vec<u32> = texts
        .distinct
        .iter()
        .map(|text| code_of.get(text.as_str()).copied().unwrap_or(MISSING_CODE))
        .collect();
    let translate = |&code: &u32| new_code.get(code as usize).copied().unwrap_or(MISSING_CODE);
    texts.codes.iter().map(translate).collect()
}

fn feature_column(column: RawColumn, kept: Option<&[usize]>) -> (FeatureKind, Column) {
    match column {
        RawColumn::Numbers(numbers) | RawColumn::Both(numbers, _) => (
            FeatureKind::Numeric,
            Column::Numeric(keep_rows(numbers, kept).into()),
        ),
        RawColumn::Texts(texts) => {
            let texts = keep_texts(texts, kept);
            (
                FeatureKind::Categorical(texts.distinct),
                Column::Categorical(texts.codes),
            )
        }
        RawColumn::Skipped => unreachable!("features were wanted"),
    }
}

/// Multiplies row weights by class weights.
fn class_weights(
    class_weight: &ClassWeight,
    target: &Target,
    kind: &TargetKind,
    weights: Option<Vec<f64>>,
) -> Result<Option<Vec<f64>>> {
    if *class_weight == ClassWeight::Equal {
        return Ok(weights);
    }
    let (Target::Classes(classes), TargetKind::Classes(labels)) = (target, kind) else {
        return Err(Error::schema("class weights need a classification target"));
    };
    let mut of_class = vec![1.0; labels.len()];
    match class_weight {
        ClassWeight::Equal => {}
        ClassWeight::Balanced => {
            let mut totals = vec![0.0; labels.len()];
            for (row, &class) in classes.iter().enumerate() {
                totals[class as usize] += weights.as_ref().map_or(1.0, |weights| weights[row]);
            }
            let total: f64 = totals.iter().sum();
            for (weight, class_total) in of_class.iter_mut().zip(&totals) {
                *weight = total / (labels.len() as f64 * class_total);
            }
        }
        ClassWeight::Given(given) => {
            for (label, weight) in given {
                let class = labels
                    .iter()
                    .position(|known| known == label)
                    .ok_or_else(|| {
                        Error::schema(format!(
                            "class weights: {} is not a class (classes: {})",
                            quoted(label),
                            quoted_list(labels.iter().map(String::as_str))
                        ))
                    })?;
                if !weight.is_finite() || *weight <= 0.0 {
                    return Err(Error::parameter(
                        "class weight",
                        weight,
                        "a positive number",
                    ));
                }
                of_class[class] = *weight;
            }
        }
    }
    let weigh = |(row, &class): (usize, &u32)| {
        let weight = weights.as_ref().map_or(1.0, |weights| weights[row]);
        product(of_class[class as usize], weight)
    };
    Ok(Some(classes.iter().enumerate().map(weigh).collect()))
}

/// From here on all doubles are whole.
const LARGEST_WHOLE: f64 = (1_u64 << 52) as f64;

/// A product that is not a whole number does not become one by rounding: sums of whole numbers are claimed to be exact.
fn product(a: f64, b: f64) -> f64 {
    let product = a * b;
    let rest = a.mul_add(b, -product);
    let is_clear = rest == 0.0 || product.fract() != 0.0 || product >= LARGEST_WHOLE;
    if is_clear || is_whole_product(a, b) {
        product
    } else if rest > 0.0 {
        product.next_up()
    } else {
        product.next_down()
    }
}

/// Is the product of two numbers whole, as they are written? 3.19 times 1000000 is.
fn is_whole_product(a: f64, b: f64) -> bool {
    let parts = [a, b].map(|number| {
        let text = format!("{number:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let digits = format!("{whole}{fraction}").parse::<BigInt>();
        let exponent = exponent.parse::<i64>().unwrap_or(0) - fraction.len() as i64;
        (digits.unwrap_or_default(), exponent)
    });
    let [(a, of_a), (b, of_b)] = parts;
    let exponent = of_a + of_b;
    exponent >= 0
        || u32::try_from(-exponent).is_ok_and(|zeros| {
            let rest = a * b % BigInt::from(10).pow(zeros);
            rest == BigInt::default()
        })
}

#[cfg(test)]
mod product_tests {
    use super::product;

    #[test]
    fn products_are_whole_only_where_they_are() {
        assert_eq!(product(1e6, 3.19), 3_190_000.0);
        assert_eq!(product(0.5, 6.0), 3.0);
        let third = 1.0 / 3.0;
        assert_eq!(product(third, 1.0), third);
        assert!(product(third, 3.0) < 1.0);
        for weight in 1..3000 {
            let weight = f64::from(3 * weight);
            assert_ne!(product(third, weight).fract(), 0.0, "{weight}");
        }
    }
}
