//! A small picture of learning curves, in letters.

use treewright::select::{Curve, Point};

const WIDTH: usize = 60;
const HEIGHT: usize = 12;
/// Where several curves meet.
const SEVERAL: char = '*';

/// Error upwards, rows to the right on a logarithmic scale, a letter for each learner. There is none for a
/// single size, for errors that are all the same, or for more learners than letters.
pub(super) fn curves(names: &[&str], curve: &Curve) -> Option<String> {
    let letters: Vec<char> = ('a'..='z').collect();
    let known: Vec<(usize, &Point)> = curve
        .points
        .iter()
        .enumerate()
        .flat_map(|(learner, points)| points.iter().map(move |point| (learner, point)))
        .filter(|(_, point)| point.error.is_finite())
        .collect();
    let errors = || known.iter().map(|(_, point)| point.error);
    let (low, high) = (errors().reduce(f64::min)?, errors().reduce(f64::max)?);
    let (first, last) = (*curve.sizes.first()?, *curve.sizes.last()?);
    if low == high || first == last || names.len() > letters.len() {
        return None;
    }
    let mut canvas = vec![vec![' '; WIDTH]; HEIGHT];
    let place = |share: f64, most: usize| (share * (most - 1) as f64).round() as usize;
    for (learner, point) in known {
        let right = (point.rows as f64 / first as f64).ln() / (last as f64 / first as f64).ln();
        let down = (high - point.error) / (high - low);
        let cell = &mut canvas[place(down, HEIGHT)][place(right, WIDTH)];
        *cell = if *cell == ' ' {
            letters[learner]
        } else {
            SEVERAL
        };
    }
    let line = |(line, cells): (usize, &Vec<char>)| {
        let label = match line {
            0 => format!("{high:.4}"),
            _ if line == HEIGHT - 1 => format!("{low:.4}"),
            _ => String::new(),
        };
        let cells: String = cells.iter().collect();
        format!("{label:>10} |{}\n", cells.trim_end())
    };
    let gap = WIDTH.saturating_sub(first.to_string().len());
    let axis = format!("{:>10} +{}\n", "", "-".repeat(WIDTH));
    let ends = format!("{:>10}  {first}{last:>gap$} rows\n", "");
    let legend = letters
        .iter()
        .zip(names)
        .map(|(letter, name)| format!("{:>10}  {letter} {name}\n", ""));
    let lines = canvas.iter().enumerate().map(line);
    Some(lines.chain([axis, ends]).chain(legend).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(errors: &[&[f64]]) -> Curve {
        let sizes = vec![10, 20, 40];
        let point = |(&rows, &error): (&usize, &f64)| Point {
            rows,
            repeats: 1,
            error,
            se: 0.0,
            leaves: 1.0,
            depth: 0.0,
            seconds: 0.0,
        };
        let points = |errors: &&[f64]| sizes.iter().zip(*errors).map(point).collect();
        Curve {
            points: errors.iter().map(points).collect(),
            sizes,
            held_out: 5,
            stopped: false,
        }
    }

    #[test]
    fn letters_stand_where_the_errors_are() {
        let text = curves(&["x", "y"], &curve(&[&[0.5, 0.3, 0.1], &[0.5, 0.2, 0.2]])).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "    0.5000 |*");
        assert!(lines[HEIGHT - 1].starts_with("    0.1000 |") && lines[HEIGHT - 1].ends_with('a'));
        assert!(lines[HEIGHT + 1].ends_with("40 rows"));
        assert_eq!(lines[HEIGHT + 2], "            a x");
        assert!(lines.iter().all(|line| line.len() <= WIDTH + 20));
    }

    #[test]
    fn nothing_to_see_is_not_drawn() {
        assert_eq!(curves(&["x"], &curve(&[&[0.5, 0.5, 0.5]])), None);
        assert_eq!(curves(&["x"], &curve(&[&[f64::NAN; 3]])), None);
    }
}
