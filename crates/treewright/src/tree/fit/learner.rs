//! Who made a tree: the learner, and its parameters.

use std::fmt;

use super::Params;

/// A learner and its parameters.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LearnerInfo {
    /// Which learner.
    pub kind: LearnerKind,
    /// Its parameters, and what was done with its tree afterwards.
    pub params: Params,
}

impl LearnerInfo {
    /// Did the learner search for the members of a family among all trees of a kind? Otherwise they are prunings of one
    /// tree, and the parameters say what they cost.
    pub fn is_searched(&self) -> bool {
        let is_exact = matches!(self.kind, LearnerKind::Dyadic | LearnerKind::Optimal);
        is_exact && self.params.family_cost().is_none()
    }
}

/// The learners.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum LearnerKind {
    /// Greedy trees, pruned or not.
    Greedy,
    /// Optimal trees over dyadic partitions.
    Dyadic,
    /// Optimal trees of bounded depth.
    Optimal,
    /// A learner that this version does not know: the name in a file.
    Other(String),
    /// It is not known who made the tree.
    #[default]
    Unknown,
}

impl LearnerKind {
    /// The learner with this name.
    pub fn named(name: &str) -> Self {
        match name {
            "greedy" => Self::Greedy,
            "dyadic" => Self::Dyadic,
            "optimal" => Self::Optimal,
            "" => Self::Unknown,
            other => Self::Other(other.to_owned()),
        }
    }

    /// The name on the command line and in files.
    pub fn name(&self) -> &str {
        match self {
            Self::Greedy => "greedy",
            Self::Dyadic => "dyadic",
            Self::Optimal => "optimal",
            Self::Other(name) => name,
            Self::Unknown => "",
        }
    }
}

impl fmt::Display for LearnerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back() {
        for name in ["greedy", "dyadic", "optimal", "forest", ""] {
            assert_eq!(LearnerKind::named(name).name(), name);
        }
        assert_eq!(LearnerInfo::default().kind.name(), "");
    }
}
