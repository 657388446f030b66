//! From raw columns to a [`Dataset`]: which column is the target, which are features, what is a class.

use std::sync::Arc;

use super::date_columns::{check_dates, numbers_of, take_dates};
use super::target::{decide_target, known_target, rows_with_target};
use super::weights::{check_total_weight, class_weights, rows_with_weight, take_weights};
use super::{
    ClassWeight, Column, Dataset, DateOrder, Feature, FeatureKind, MISSING_CODE, MissingTarget,
    RawColumn, Reading, Schema, Source, Target, TargetColumn, Texts, Wanted,
};
use crate::error::{Error, Result, no_column, quoted, quoted_list};

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
    /// Columns of dates, which become numbers, with the order of their parts where that is given.
    pub dates: Vec<(String, Option<DateOrder>)>,
    /// Classes or numbers.
    pub task: Task,
    /// Weights for classes.
    pub class_weight: ClassWeight,
}

/// What the rows are read for, when there is a model already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To be predicted: the target need not be there, weights are not read, and a category that the model does not know
    /// is a missing value.
    Predict,
    /// To compare predictions with the target.
    Score,
    /// To check what the model claims: these are the rows it was learned from, so it knows all their categories.
    Verify,
}

/// What a column of the source is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Nothing.
    Unused,
    /// Splits may ask for it.
    Feature,
    /// It is to be predicted.
    Target,
    /// Its numbers are the weights of the rows.
    Weight,
}

impl Dataset {
    /// Reads a table to learn from.
    pub fn read(source: &dyn Source, options: &ReadOptions) -> Result<Self> {
        let names = source.names();
        let roles = options.roles(names)?;
        let mut raw = source.read(&options.wanted(names, &roles), &options.reading.na)?;
        let dates = take_dates(source, options, &mut raw)?;
        let weights = take_weights(source, &roles, &mut raw)?;
        let mut kept = weights
            .as_ref()
            .and_then(|weights| rows_with_weight(weights));

        let target_at = roles
            .iter()
            .position(|&role| role == Role::Target)
            .expect("has a target");
        let target = std::mem::replace(&mut raw[target_at], RawColumn::Skipped);
        if options.reading.missing_target == MissingTarget::Skip {
            kept = rows_with_target(&target, &names[target_at], kept)?;
        }
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
        let (weights, parts) =
            class_weights(&options.class_weight, &target, &target_kind, weights)?;
        check_total_weight(weights.as_deref())?;
        let schema = Schema {
            features,
            target: TargetColumn {
                name: names[target_at].clone(),
                kind: target_kind,
            },
            reading: Reading {
                dates,
                ..options.reading.clone()
            },
        };
        let data = Self::new(Arc::new(schema), columns, target, weights);
        Ok(Self { parts, ..data })
    }

    /// Reads a table with the names, kinds, categories and missing tokens of a model.
    pub fn read_for(source: &dyn Source, schema: &Arc<Schema>, purpose: Purpose) -> Result<Self> {
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
                FeatureKind::Numeric if schema.reading.date_column(&feature.name).is_some() => {
                    Wanted::Texts
                }
                FeatureKind::Numeric => Wanted::Numbers,
                FeatureKind::Categorical(_) => Wanted::Texts,
            };
            feature_at.push(position);
        }
        let mut roles = vec![Role::Unused; names.len()];
        let mut target_at = None;
        if purpose != Purpose::Predict {
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
        let mut kept = weights
            .as_ref()
            .and_then(|weights| rows_with_weight(weights));
        let target = match target_at {
            None => Target::Absent,
            Some(position) => {
                let column = std::mem::replace(&mut raw[position], RawColumn::Skipped);
                if schema.reading.missing_target == MissingTarget::Skip {
                    kept = rows_with_target(&column, &names[position], kept)?;
                }
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
                (FeatureKind::Numeric, RawColumn::Texts(texts)) => {
                    let dates = schema.reading.date_column(&feature.name);
                    let dates = dates.expect("only dates are read as texts");
                    let numbers = numbers_of(source, position, dates, &texts)?;
                    Column::Numeric(keep_rows(numbers, kept.as_deref()).into())
                }
                (FeatureKind::Categorical(categories), RawColumn::Texts(texts)) => {
                    let codes = translate(&texts, categories);
                    if purpose == Purpose::Verify {
                        refuse_unknown(source, position, &texts, &codes, kept.as_deref())?;
                    }
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
        let weights = self.weights.take();
        (self.weights, self.parts) = class_weights(class_weight, &self.target, &kind, weights)?;
        Ok(())
    }
}

impl ReadOptions {
    /// What each column is used for: the target, the weight and the features are found by name.
    pub fn roles(&self, names: &[String]) -> Result<Vec<Role>> {
        assign_roles(names, self)
    }

    /// In which form each column is wanted.
    pub(crate) fn wanted(&self, names: &[String], roles: &[Role]) -> Vec<Wanted> {
        let wish = |(name, role): (&String, &Role)| match role {
            Role::Unused => Wanted::Skip,
            Role::Weight => Wanted::Numbers,
            Role::Target => match self.task {
                Task::Auto if self.categorical.contains(name) => Wanted::Texts,
                Task::Auto => Wanted::Both,
                Task::Classification => Wanted::Texts,
                Task::Regression => Wanted::Numbers,
            },
            Role::Feature if self.categorical.contains(name) => Wanted::Texts,
            Role::Feature if self.numeric.contains(name) => Wanted::Numbers,
            Role::Feature if self.dates.iter().any(|(date, _)| date == name) => Wanted::Texts,
            Role::Feature => Wanted::Either,
        };
        names.iter().zip(roles).map(wish).collect()
    }
}

/// Finds the target, the weight and the features by name.
fn assign_roles(names: &[String], options: &ReadOptions) -> Result<Vec<Role>> {
    let find = |name: &str, option: &str| {
        names
            .iter()
            .position(|candidate| candidate == name)
            .ok_or_else(|| no_column(option, name, names.iter().map(String::as_str)))
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
    check_dates(names, options, target, weight)?;
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

pub(super) fn keep_rows<T: Copy>(values: Vec<T>, kept: Option<&[usize]>) -> Vec<T> {
    match kept {
        None => values,
        Some(kept) => kept.iter().map(|&row| values[row]).collect(),
    }
}

pub(super) fn keep_texts(mut texts: Texts, kept: Option<&[usize]>) -> Texts {
    if kept.is_some() {
        texts.codes = keep_rows(texts.codes, kept);
        texts.drop_unused();
    }
    texts
}

/// Reads one column once more, in another way.
pub(super) fn read_column(
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

/// A category that the model does not name is none that it was learned from.
fn refuse_unknown(
    source: &dyn Source,
    position: usize,
    texts: &Texts,
    codes: &[u32],
    kept: Option<&[usize]>,
) -> Result<()> {
    let is_unknown = |&row: &usize| codes[row] == MISSING_CODE && texts.codes[row] != MISSING_CODE;
    let unknown = match kept {
        None => (0..codes.len()).find(is_unknown),
        Some(kept) => kept.iter().copied().find(is_unknown),
    };
    let Some(row) = unknown else {
        return Ok(());
    };
    let mut place = source.place(row);
    place.column = Some(source.names()[position].clone());
    let category = quoted(&texts.distinct[texts.codes[row] as usize]);
    Err(Error::table(
        place,
        format!(
            "{category} is not a category of the model, expected the rows that it was learned from"
        ),
    ))
}

/// Codes in the order of `known`; texts that are not in it become missing.
pub(super) fn translate(texts: &Texts, known: &[String]) -> Vec<u32> {
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
