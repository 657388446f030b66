//! Text inside XML.

use std::fmt::Write;

/// Text for an element or a quoted attribute. What XML cannot hold becomes a replacement character.
pub(in crate::export) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // A reader turns these into spaces unless they are written as numbers.
            '\n' | '\r' | '\t' => {
                let _ = write!(safe, "&#{};", u32::from(c));
            }
            c if is_allowed(c) => safe.push(c),
            _ => safe.push('\u{fffd}'),
        }
    }
    safe
}

/// May the character stand in an XML document, in whatever way it is written?
pub(in crate::export) fn is_allowed(c: char) -> bool {
    !matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_out() {
        assert_eq!(
            escaped("</script>&\"'\n\u{1}é"),
            "&lt;/script&gt;&amp;&quot;&#39;&#10;\u{fffd}é"
        );
    }
}
