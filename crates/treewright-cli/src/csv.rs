//! Cells of a CSV that is written.

use std::io::{self, Write};

/// The shortest text that reads back as the same number, in CSV and in JSON.
pub(crate) fn write_number(out: &mut dyn Write, number: f64) -> io::Result<()> {
    if number == 0.0 {
        out.write_all(b"0")
    } else if (1e-5..1e16).contains(&number.abs()) {
        write!(out, "{number}")
    } else {
        write!(out, "{number:e}")
    }
}

/// A text as a CSV cell, quoted where it must be.
pub(crate) fn csv_cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_as_they_were() {
        let numbers = [
            0.0,
            1.0,
            -2.5,
            0.1,
            1.0 / 3.0,
            1e300,
            5e-324,
            f64::MAX,
            123_456_789.0,
            1e16,
        ];
        for number in numbers {
            let mut text = Vec::new();
            write_number(&mut text, number).unwrap();
            let text = String::from_utf8(text).unwrap();
            assert_eq!(text.parse(), Ok(number));
            assert_eq!(serde_json::from_str::<f64>(&text).unwrap(), number);
            assert!(text.len() <= 24, "{text}");
        }
    }

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        assert_eq!(csv_cell("a b"), "a b");
        assert_eq!(csv_cell("a,b"), "\"a,b\"");
        assert_eq!(csv_cell("say \"x\""), "\"say \"\"x\"\"\"");
    }
}
