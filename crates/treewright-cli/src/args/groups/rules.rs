//! Rules about the features on a path from the root to a leaf, and about the class of a leaf.

use anyhow::{Result, ensure};
use clap::Args;
use treewright::cost::ClassShare;
use treewright::tree::PathRules;

use crate::args::values::{ExactNumber, NameGroups, Names};

/// Which features may be asked below which, and which leaves there may be.
#[derive(Debug, Args)]
#[command(next_help_heading = "Rules")]
pub(crate) struct RulesArgs {
    /// Groups of features: a path from the root to a leaf asks at most one feature of each group
    #[arg(long, value_name = "A,B;C,D;...", value_parser = NameGroups::parse)]
    interactions: Option<NameGroups>,
    /// Features that are asked at the root only
    #[arg(long, value_name = "A,B,...", value_parser = Names::parse)]
    root_only: Option<Names>,
    /// Pairs of features: A is never asked above B on a path, and C never above D
    #[arg(long, value_name = "A,B;C,D;...", value_parser = NameGroups::parse)]
    not_above: Option<NameGroups>,
    /// Of the weight of a leaf, the class that it predicts has at least this share, above 0 and at most 1: a decimal
    /// or p/q, read exactly; a tree of one leaf may have less
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    min_class_share: Option<ExactNumber>,
}

impl RulesArgs {
    /// The rules, whose names may be wrong.
    pub(crate) fn rules(&self) -> Result<PathRules> {
        let groups = |groups: &Option<NameGroups>| groups.clone().unwrap_or_default().0;
        let root_only = self.root_only.as_ref().map(|names| names.0.clone());
        ensure!(
            root_only.as_ref().is_none_or(|names| !names.is_empty()),
            "root-only: got \"\", expected features of the table"
        );
        Ok(PathRules {
            interactions: groups(&self.interactions),
            root_only: root_only.unwrap_or_default(),
            not_above: groups(&self.not_above),
        })
    }

    /// The least share of the predicted class in a leaf, if there is one.
    pub(crate) fn min_class_share(&self) -> anyhow::Result<Option<ClassShare>> {
        let share = self.min_class_share.as_ref();
        let share = share.map(|share| share.read("min-class-share"));
        share.transpose()
    }
}
