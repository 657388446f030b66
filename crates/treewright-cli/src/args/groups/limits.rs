//! Time and memory.

use std::time::Duration;

use anyhow::{Result, anyhow};
use clap::Args;

/// When to stop with the best result so far.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArgs {
    /// Stop after this time with the best result so far: 500ms, 30s, 5m, 1h
    #[arg(
        long,
        value_name = "TIME",
        allow_hyphen_values = true,
        value_parser = Time::parse
    )]
    pub(crate) time_limit: Option<Time>,
    #[command(flatten)]
    pub(crate) memory: MemoryArg,
}

/// The memory limit.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct MemoryArg {
    /// Stop at this much memory with the best result so far: 512MB, 4GB
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    memory_limit: Option<u64>,
}

/// A time as it was typed, perhaps a negative one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Time {
    seconds: f64,
}

impl LimitArgs {
    /// Refuses a time that cannot be.
    pub(crate) fn check(&self) -> Result<()> {
        let time = self.time_limit.unwrap_or(Time { seconds: 0.0 });
        time.duration("time-limit", "at least 0, such as 30s")?;
        Ok(())
    }

    /// The time limit, if one was given.
    pub(crate) fn time_limit(&self) -> Option<Duration> {
        // What cannot be was refused before.
        let duration = |time: Time| Duration::try_from_secs_f64(time.seconds).unwrap_or_default();
        self.time_limit.map(duration)
    }

    /// The memory limit, if one was given.
    pub(crate) fn memory_limit(&self) -> Option<u64> {
        self.memory.memory_limit
    }
}

impl Time {
    pub(in crate::args) fn parse(text: &str) -> Result<Self, String> {
        let units = [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
        let (sign, size) = match text.strip_prefix('-') {
            Some(size) => (-1.0, size),
            None => (1.0, text),
        };
        // A number alone is one of seconds.
        let seconds = match size.parse::<f64>() {
            Ok(seconds) if size.starts_with(|c: char| c.is_ascii_digit()) => seconds,
            _ => with_unit(size, &units, "500ms, 30s, 5m or 1h")?,
        };
        Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?;
        Ok(Self {
            seconds: sign * seconds,
        })
    }

    /// The time, if it is not negative.
    pub(in crate::args) fn duration(self, flag: &str, expected: &str) -> Result<Duration> {
        let seconds = self.seconds;
        Duration::try_from_secs_f64(seconds)
            .map_err(|_| anyhow!("{flag}: got {seconds} seconds, expected {expected}"))
    }
}

fn parse_memory(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, f64); 9] = [
        ("KB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("TB", 1e12),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
        ("TiB", 1_099_511_627_776.0),
        ("B", 1.0),
    ];
    with_unit(text, &UNITS, "512MB or 4GB").map(|bytes| bytes as u64)
}

/// A number that is not negative, followed by one of the units.
fn with_unit(text: &str, units: &[(&str, f64)], such_as: &str) -> Result<f64, String> {
    let expected = || format!("expected a number with a unit, such as {such_as}");
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .ok_or_else(expected)?;
    let (number, unit) = text.split_at(digits);
    let (_, size) = units
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(unit))
        .ok_or_else(expected)?;
    number
        .parse::<f64>()
        .map(|number| number * size)
        .map_err(|_| expected())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_time(text: &str) -> Result<Duration, String> {
        let time = Time::parse(text)?;
        time.duration("time", "more")
            .map_err(|error| error.to_string())
    }

    #[test]
    fn times_and_sizes_have_units() {
        assert_eq!(parse_time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_time("1.5h"), Ok(Duration::from_secs(5400)));
        assert_eq!(parse_time("30"), Ok(Duration::from_secs(30)));
        assert!(parse_time("inf").is_err());
        assert!(parse_time("NaN").is_err());
        assert_eq!(
            parse_time("-3s"),
            Err("time: got -3 seconds, expected more".into())
        );
        assert!(parse_time("--3s").is_err());
        assert!(parse_time("s").is_err());
        assert_eq!(parse_memory("4GB"), Ok(4_000_000_000));
        assert_eq!(parse_memory("1kib"), Ok(1024));
        assert!(parse_memory("4 apples").is_err());
    }
}
