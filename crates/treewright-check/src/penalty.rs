//! Penalties on the number of leaves, in doubles: what is closer than their rounding is not decided.

pub(crate) enum Penalty {
    Linear,
    Sqrt,
    Log,
    Power(f64),
}

impl Penalty {
    /// `None` for a table, whose values are not in a model.
    pub(crate) fn new(name: &str) -> Option<Self> {
        match name {
            "linear" => Some(Self::Linear),
            "sqrt" => Some(Self::Sqrt),
            "log" => Some(Self::Log),
            _ => name.strip_prefix("power:")?.parse().ok().map(Self::Power),
        }
    }

    pub(crate) fn of(&self, leaves: usize) -> f64 {
        let number = leaves as f64;
        match self {
            Self::Linear => number,
            Self::Sqrt => number.sqrt(),
            Self::Log => number.ln(),
            Self::Power(exponent) => number.powf(*exponent),
        }
    }
}
