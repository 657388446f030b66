//! The columns of a tree in a file, and back.

use serde::{Deserialize, Serialize};

use super::nodes::Amount;
use crate::cost::{CostMatrix, Loss};
use crate::data::{
    DateColumn, DateFormat, DateOrder, DateUnit, Feature, FeatureKind, MissingTarget, Reading,
    Schema, TargetColumn, TargetKind,
};
use crate::error::{Error, Result, quoted};

#[derive(Serialize, Deserialize, PartialEq, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(super) enum TaskFile {
    Classification,
    Regression,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FeatureFile {
    pub(super) name: String,
    pub(super) kind: KindFile,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) categories: Option<Vec<String>>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum KindFile {
    Numeric,
    Categorical,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TargetFile {
    pub(super) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) classes: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) costs: Option<Vec<Vec<Amount>>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadingFile {
    pub(super) na: Vec<String>,
    pub(super) weight: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) dates: Vec<DateFile>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) skip_missing_target: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DateFile {
    name: String,
    order: OrderFile,
    unit: UnitFile,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum OrderFile {
    Ymd,
    Dmy,
    Mdy,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum UnitFile {
    Days,
    Seconds,
}

impl DateFile {
    fn of(column: &DateColumn) -> Self {
        Self {
            name: column.name.clone(),
            order: match column.format.order {
                DateOrder::YearMonthDay => OrderFile::Ymd,
                DateOrder::DayMonthYear => OrderFile::Dmy,
                DateOrder::MonthDayYear => OrderFile::Mdy,
            },
            unit: match column.format.unit {
                DateUnit::Days => UnitFile::Days,
                DateUnit::Seconds => UnitFile::Seconds,
            },
        }
    }

    fn column(self) -> DateColumn {
        DateColumn {
            name: self.name,
            format: DateFormat {
                order: match self.order {
                    OrderFile::Ymd => DateOrder::YearMonthDay,
                    OrderFile::Dmy => DateOrder::DayMonthYear,
                    OrderFile::Mdy => DateOrder::MonthDayYear,
                },
                unit: match self.unit {
                    UnitFile::Days => DateUnit::Days,
                    UnitFile::Seconds => DateUnit::Seconds,
                },
            },
        }
    }
}

impl FeatureFile {
    pub(super) fn of(feature: &Feature) -> Self {
        let (kind, categories) = match &feature.kind {
            FeatureKind::Numeric => (KindFile::Numeric, None),
            FeatureKind::Categorical(categories) => {
                (KindFile::Categorical, Some(categories.clone()))
            }
        };
        Self {
            name: feature.name.clone(),
            kind,
            categories,
        }
    }

    pub(super) fn feature(&self) -> Result<Feature> {
        let kind = match (&self.kind, &self.categories) {
            (KindFile::Numeric, None) => FeatureKind::Numeric,
            (KindFile::Categorical, Some(categories)) => {
                FeatureKind::Categorical(categories.clone())
            }
            (KindFile::Numeric, Some(_)) => {
                let name = quoted(&self.name);
                return Err(Error::model(format!(
                    "numeric feature {name} has categories"
                )));
            }
            (KindFile::Categorical, None) => {
                let name = quoted(&self.name);
                return Err(Error::model(format!(
                    "categorical feature {name} has no categories"
                )));
            }
        };
        Ok(Feature {
            name: self.name.clone(),
            kind,
        })
    }
}

impl TaskFile {
    pub(super) fn of(schema: &Schema) -> Self {
        match schema.target.kind {
            TargetKind::Classes(_) => Self::Classification,
            TargetKind::Number => Self::Regression,
        }
    }
}

impl TargetFile {
    pub(super) fn of(schema: &Schema, loss: &Loss) -> Self {
        let costs = match loss {
            Loss::Matrix(matrix) => {
                let amounts = |row: &[f64]| row.iter().copied().map(Amount).collect();
                Some(matrix.rows().map(amounts).collect())
            }
            Loss::ZeroOne | Loss::Squared => None,
        };
        let classes = schema
            .is_classification()
            .then(|| schema.classes().to_vec());
        Self {
            name: schema.target.name.clone(),
            classes,
            costs,
        }
    }

    /// What is predicted, and what wrong predictions cost.
    fn kind(&self, task: TaskFile) -> Result<(TargetKind, Loss)> {
        match (task, &self.classes, &self.costs) {
            (TaskFile::Classification, Some(classes), None) => {
                Ok((TargetKind::Classes(classes.clone()), Loss::ZeroOne))
            }
            (TaskFile::Classification, Some(classes), Some(costs)) => {
                let costs: Vec<Vec<f64>> = costs
                    .iter()
                    .map(|row| row.iter().map(|cost| cost.0).collect())
                    .collect();
                let matrix =
                    CostMatrix::new(&costs).map_err(|error| Error::model(error.to_string()))?;
                Ok((TargetKind::Classes(classes.clone()), Loss::Matrix(matrix)))
            }
            (TaskFile::Regression, None, None) => Ok((TargetKind::Number, Loss::Squared)),
            (TaskFile::Classification, None, _) => Err(Error::model(
                "classification needs \"classes\" in \"target\"",
            )),
            (TaskFile::Regression, ..) => Err(Error::model(
                "regression has no \"classes\" and no \"costs\"",
            )),
        }
    }
}

impl ReadingFile {
    pub(super) fn of(schema: &Schema) -> Self {
        Self {
            na: schema.reading.na.clone(),
            weight: schema.reading.weight.clone(),
            dates: dates_of(schema).map(DateFile::of).collect(),
            skip_missing_target: schema.reading.missing_target == MissingTarget::Skip,
        }
    }
}

/// The columns of dates among the features.
fn dates_of(schema: &Schema) -> impl Iterator<Item = &DateColumn> {
    let features = schema.features.iter();
    features.filter_map(|feature| schema.reading.date_column(&feature.name))
}

/// Refuses dates that are no numeric features, or are listed twice.
fn check_dates(schema: &Schema) -> Result<()> {
    let is_date = |feature: &&Feature| schema.reading.date_column(&feature.name).is_some();
    let features = || schema.features.iter().filter(is_date);
    let are_numbers = features().all(|feature| feature.kind == FeatureKind::Numeric);
    if are_numbers && features().count() == schema.reading.dates.len() {
        return Ok(());
    }
    Err(Error::model(
        "\"dates\" in \"reading\" must be numeric features, each once",
    ))
}

/// The columns that a file describes, and what wrong predictions cost.
pub(super) fn schema(
    task: TaskFile,
    features: &[FeatureFile],
    target: TargetFile,
    reading: ReadingFile,
) -> Result<(Schema, Loss)> {
    let (kind, loss) = target.kind(task)?;
    let features = features.iter().map(FeatureFile::feature);
    let schema = Schema {
        features: features.collect::<Result<Vec<Feature>>>()?,
        target: TargetColumn {
            name: target.name,
            kind,
        },
        reading: Reading {
            na: reading.na,
            weight: reading.weight,
            dates: reading.dates.into_iter().map(DateFile::column).collect(),
            missing_target: if reading.skip_missing_target {
                MissingTarget::Skip
            } else {
                MissingTarget::Refuse
            },
        },
    };
    check_dates(&schema)?;
    schema
        .check()
        .map_err(|error| Error::model(error.to_string()))?;
    Ok((schema, loss))
}
