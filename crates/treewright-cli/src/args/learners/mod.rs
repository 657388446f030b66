//! The learners, each with its flags, and lists of them.

mod dyadic;
mod greedy;
mod list;
mod optimal;

pub(crate) use dyadic::{DyadicArgs, PathMethodArg, SolverArg};
pub(crate) use greedy::{ClassTreeArgs, GreedyArgs};
pub(crate) use list::{LearnerArgs, LearnersArg, NamedLearner};
pub(crate) use optimal::{BoundedArgs, OptimalArgs};

#[cfg(test)]
mod tests {
    use clap::builder::PossibleValue;
    use clap::{Arg, Command, CommandFactory};
    use treewright::learn::parameters::{GREEDY, Kind, LEARNERS, OPTIMAL, Parameter, Range};

    use crate::args::Cli;

    /// Options under these headings belong to the command; those of them that learners have are in `COMMON`.
    const OF_THE_COMMAND: [&str; 4] = ["Reading", "Limits", "Output", "Global options"];

    /// A command with all of its flags, the global ones included.
    fn command(path: &[&str]) -> Command {
        let mut command = Cli::command();
        command.build();
        path.iter().fold(command, |command, name| {
            let found = command.find_subcommand(name);
            found.unwrap_or_else(|| panic!("{path:?}")).clone()
        })
    }

    /// The flags of a command that are parameters of its learner.
    fn settings(command: &Command) -> impl Iterator<Item = &Arg> {
        let is_setting = |heading: &str| !OF_THE_COMMAND.contains(&heading);
        let flags = command
            .get_arguments()
            .filter(|arg| arg.get_long().is_some());
        flags.filter(move |arg| arg.get_help_heading().is_some_and(is_setting))
    }

    fn flag<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
        let mut arguments = command.get_arguments();
        arguments.find(|arg| arg.get_long() == Some(name))
    }

    /// The sentence of help, and the default, which the parser adds or the sentence ends with.
    fn help_and_default(arg: &Arg) -> (String, Option<String>) {
        let help = arg.get_help().expect("every flag has help").to_string();
        let default = arg.get_default_values().first();
        let default = default.map(|default| default.to_string_lossy().into_owned());
        let is_switch = !arg.get_action().takes_values();
        match help.split_once(" [default: ") {
            Some((help, rest)) => {
                let words = rest.trim_end_matches(']').split([' ', ';']);
                (help.to_owned(), words.map(str::to_owned).next())
            }
            None => (help, default.filter(|_| !is_switch)),
        }
    }

    fn compare(arg: &Arg, parameter: &Parameter) {
        let name = parameter.name;
        let (help, default) = help_and_default(arg);
        assert_eq!(help, parameter.help, "{name}");
        if let Some(expected) = parameter.default {
            assert_eq!(default.as_deref(), Some(expected), "{name}");
        }
        let is_switch = parameter.kind == Kind::Switch;
        assert_eq!(!arg.get_action().takes_values(), is_switch, "{name}");
        if let Range::OneOf(words) = parameter.range {
            let values = arg.get_possible_values();
            let values: Vec<&str> = values.iter().map(PossibleValue::get_name).collect();
            assert_eq!(values, words, "{name}");
        }
    }

    #[test]
    fn fit_has_the_flags_of_the_tables() {
        for learner in LEARNERS {
            let command = command(&["fit", learner.name]);
            for parameter in learner.parameters().filter(|parameter| parameter.has_flag) {
                let arg = flag(&command, parameter.name);
                compare(
                    arg.unwrap_or_else(|| panic!("{}", parameter.name)),
                    parameter,
                );
            }
            for arg in settings(&command) {
                let mut parameters = learner.parameters();
                let name = arg.get_long().unwrap_or_default();
                let is_known = parameters.any(|it| it.has_flag && it.name == name);
                assert!(is_known, "fit {} --{name}", learner.name);
            }
        }
    }

    #[test]
    fn path_has_the_flags_of_the_tables() {
        let path = command(&["path"]);
        for learner in LEARNERS {
            let Some(command) = path.find_subcommand(learner.name) else {
                continue;
            };
            let of_family = || learner.of_family.iter().copied().flatten();
            for parameter in of_family() {
                let arg = flag(command, parameter.name).expect("a flag of the family");
                compare(arg, parameter);
            }
            for arg in settings(command) {
                let name = arg.get_long().unwrap_or_default();
                let mut parameters = of_family().chain(learner.parameters());
                let parameter = parameters.find(|it| it.name == name);
                compare(arg, parameter.unwrap_or_else(|| panic!("{name}")));
            }
        }
    }

    /// Their defaults may differ: `distinct` and `select` use entropy, `summary` goes to depth 3.
    #[test]
    fn other_commands_have_flags_of_the_tables() {
        let commands: [(&[&str], &str, &[Parameter]); 4] = [
            (&["distinct"], "Greedy tree", GREEDY),
            (&["select", "backward"], "Greedy tree", GREEDY),
            (&["select", "complete"], "Greedy tree", GREEDY),
            (&["summary"], "Optimal tree", OPTIMAL),
        ];
        for (path, heading, table) in commands {
            let command = command(path);
            let own = settings(&command).filter(|arg| arg.get_help_heading() == Some(heading));
            let names: Vec<&str> = own.filter_map(Arg::get_long).collect();
            assert!(!names.is_empty(), "{path:?}");
            let is_known = |name: &&str| table.iter().any(|parameter| parameter.name == *name);
            assert!(names.iter().all(is_known), "{path:?}: {names:?}");
        }
    }
}
