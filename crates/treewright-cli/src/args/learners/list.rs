//! Learners in a list, each with its settings: `greedy,dyadic:kappa=5,optimal:depth=1:intervals=2`.
//!
//! A setting is an option of `fit` with that learner, without the dashes, and goes through the same parser.
//! Options about reading, limits and output belong to the command and are no settings.

use anyhow::{Result, anyhow, bail, ensure};
use clap::{Arg, Args, Command, FromArgMatches};
use treewright::cost::Penalty;
use treewright::error::quoted;
use treewright::learn::optimal::Optimal;

use crate::args::groups::LimitArgs;
use crate::args::values::{Names, is_number};
use crate::args::{FitDyadicArgs, FitGreedyArgs, FitOptimalArgs};

/// Options under these headings are not settings of a learner.
const OF_THE_COMMAND: [&str; 3] = ["Reading", "Limits", "Output"];

/// The list, as it was typed.
#[derive(Debug, Args)]
pub(crate) struct LearnersArg {
    /// Learners, each a name with settings: greedy, dyadic:kappa=5, optimal:depth=1
    #[arg(value_name = "LEARNER,...", value_parser = Names::parse)]
    learners: Names,
}

impl LearnersArg {
    /// The learners of the list, each once. The limits are those of the command.
    pub(crate) fn named(&self, limits: LimitArgs) -> Result<Vec<NamedLearner>> {
        NamedLearner::parse_list(&self.learners, limits)
    }
}

/// A learner with the text that asked for it.
#[derive(Debug)]
pub(crate) struct NamedLearner {
    pub(crate) name: String,
    pub(crate) args: LearnerArgs,
}

#[derive(Debug)]
pub(crate) enum LearnerArgs {
    Greedy(Box<FitGreedyArgs>),
    Dyadic(Box<FitDyadicArgs>),
    Optimal(Box<FitOptimalArgs>),
}

impl NamedLearner {
    /// Reads a list in which each learner is once.
    fn parse_list(names: &Names, limits: LimitArgs) -> Result<Vec<Self>> {
        let texts = &names.0;
        if texts.is_empty() {
            bail!("learner: got none, expected a list such as greedy,optimal:depth=2");
        }
        for (place, text) in texts.iter().enumerate() {
            let is_new = !texts[..place].contains(text);
            ensure!(is_new, "learner: {} is in the list twice", quoted(text));
        }
        texts.iter().map(|text| Self::parse(text, limits)).collect()
    }

    /// Reads one learner of a list. The limits are those of the command.
    pub(crate) fn parse(text: &str, limits: LimitArgs) -> Result<Self> {
        let (learner, settings) = match text.split_once(':') {
            Some((learner, settings)) => (learner, split_settings(settings)),
            None => (text, Vec::new()),
        };
        let settings = &settings;
        let mut args = match learner {
            "greedy" => LearnerArgs::Greedy(parse(text, settings)?),
            "dyadic" => LearnerArgs::Dyadic(parse(text, settings)?),
            "optimal" => LearnerArgs::Optimal(parse(text, settings)?),
            _ => {
                let given = quoted(learner);
                return Err(anyhow!(
                    "learner: got {given}, expected greedy, dyadic or optimal, perhaps with settings as in \
                     optimal:depth=1"
                ));
            }
        };
        match &mut args {
            LearnerArgs::Greedy(args) => args.limits = limits,
            LearnerArgs::Dyadic(args) => args.limits = limits,
            LearnerArgs::Optimal(args) => args.limits = limits,
        }
        Ok(Self {
            name: text.to_owned(),
            args,
        })
    }

    /// Is it the learner of optimal trees with these parameters, whatever wrong predictions cost?
    pub(in crate::args) fn is(&self, learner: &Optimal) -> bool {
        let LearnerArgs::Optimal(args) = &self.args else {
            return false;
        };
        let own = args.learner(learner.loss.clone(), None, Penalty::Linear);
        let is_of_all = !args.penalty.is_given() && args.select.select.select.is_none();
        is_of_all && own.is_ok_and(|own| own == *learner)
    }
}

/// Reads the settings of a learner as options of `fit`.
fn parse<T: Args + FromArgMatches>(text: &str, settings: &[String]) -> Result<T> {
    let command = T::augment_args(Command::new("learner").no_binary_name(true));
    let is_setting = |heading: Option<&str>| heading.is_none_or(|it| !OF_THE_COMMAND.contains(&it));
    let options = || {
        let arguments = command.get_arguments();
        arguments.filter(|argument| is_setting(argument.get_help_heading()))
    };
    let known: Vec<&str> = options().filter_map(Arg::get_long).collect();
    let aliases: Vec<&str> = options()
        .filter_map(Arg::get_all_aliases)
        .flatten()
        .collect();
    // The table is that of the command.
    let mut words = vec!["-".to_owned()];
    for setting in settings {
        let name = setting.split('=').next().unwrap_or_default();
        ensure!(
            known.contains(&name) || aliases.contains(&name),
            "learner {}: there is no setting {}, expected {}",
            quoted(text),
            quoted(name),
            known.join(", ")
        );
        words.push(format!("--{setting}"));
    }
    command
        .try_get_matches_from(words)
        .and_then(|matches| T::from_arg_matches(&matches))
        .map_err(|error| anyhow!("learner {}: {}", quoted(text), on_one_line(&error)))
}

/// The settings between colons. A penalty or a box may have a colon inside, as in `penalty=power:2` and `box=0:1`.
fn split_settings(text: &str) -> Vec<String> {
    let mut settings: Vec<String> = Vec::new();
    for part in text.split(':') {
        match settings.last_mut() {
            Some(last) if has_more(last) => {
                last.push(':');
                last.push_str(part);
            }
            _ => settings.push(part.to_owned()),
        }
    }
    settings
}

/// Does a setting go on after a colon?
fn has_more(setting: &str) -> bool {
    let is_box = || setting.strip_prefix("box=").is_some_and(is_number);
    matches!(setting, "penalty=power" | "penalty=table") || is_box()
}

/// What the parser complains about, without the advice that fits a whole command line only.
fn on_one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let lines = text.lines().map(str::trim);
    let about_the_value = lines.take_while(|line| {
        !["Usage:", "For more information", "tip:"]
            .iter()
            .any(|advice| line.starts_with(advice))
    });
    let words: Vec<&str> = about_the_value.filter(|line| !line.is_empty()).collect();
    let words = words.join(" ");
    words.strip_prefix("error: ").unwrap_or(&words).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no_limits() -> LimitArgs {
        let command = LimitArgs::augment_args(Command::new("limits").no_binary_name(true));
        let matches = command.get_matches_from([""; 0]);
        LimitArgs::from_arg_matches(&matches).unwrap()
    }

    fn complaint(text: &str) -> String {
        NamedLearner::parse(text, no_limits())
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn learners_have_the_settings_of_fit() {
        for text in [
            "greedy",
            "greedy:criterion=gain-ratio:select=1se:folds=5",
            "greedy:zero-gain:max-depth=3",
            "greedy:lambda=1/300:penalty=power:0.5",
            "dyadic:kappa=2",
            "dyadic:k=3,2,1:missing=refuse",
            "dyadic:box=quantile:k=3",
            "dyadic:box=-1:2.5:model=boxed",
            "optimal:depth=1:intervals=auto:min-leaf=5:leaf-cost=0.01",
            "optimal:depth=3:leaves=6",
            "optimal:lambda=1/300:penalty=power:0.5",
            "optimal:max-depth=2:select=1se:folds=5",
            "optimal:depth=1:categorical-splits=multiway",
        ] {
            let learner = NamedLearner::parse(text, no_limits()).unwrap();
            assert_eq!(learner.name, text);
        }
    }

    #[test]
    fn complaints_say_what_would_be_right() {
        assert_eq!(
            complaint("gredy:depth=1"),
            "learner: got \"gredy\", expected greedy, dyadic or optimal, perhaps with settings as in \
             optimal:depth=1"
        );
        assert_eq!(
            complaint("optimal:deep=1"),
            "learner \"optimal:deep=1\": there is no setting \"deep\", expected depth, intervals, \
             categorical-splits, min-leaf, interactions, root-only, not-above, min-class-share, leaf-cost, leaves, \
             select, repeats, holdout, seed, folds, penalty"
        );
        for text in [
            "optimal:target=x",
            "greedy:output=x",
            "greedy:time-limit=1s",
            "greedy:",
        ] {
            assert!(complaint(text).contains("there is no setting"), "{text}");
        }
        assert_eq!(
            complaint("greedy:missing=forget"),
            "learner \"greedy:missing=forget\": invalid value 'forget' for '--missing <HOW>' [possible \
             values: distribute, branch, majority, learned]"
        );
        for text in [
            "greedy:max-depth",
            "greedy:zero-gain=1",
            "optimal:depth=1:depth=2",
            "greedy:folds=3",
            "dyadic:lambda=1:kappa=2",
        ] {
            let line = complaint(text);
            assert!(!line.contains('\n') && !line.contains("Usage"), "{line}");
        }
    }
}
