//! Figures as people read them.

/// A figure with at most three digits that say something, thousands apart: `1,304`, `46.5`,
/// `0.25`.
pub(super) fn shown(value: f64) -> String {
    let digits = match value.abs() {
        ..1.0 => 2,
        ..100.0 => 1,
        _ => 0,
    };
    let text = format!("{value:.digits$}");
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    let part = part.trim_end_matches('0');
    let mut grouped = String::with_capacity(text.len() + 2);
    let length = whole.len();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (length - place).is_multiple_of(3) && !grouped.ends_with('-') {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if part.is_empty() {
        grouped
    } else {
        format!("{grouped}.{part}")
    }
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn figures_are_short_and_grouped() {
        let of = [0.0, 0.25, 1.0, 46.52, 999.6, 1304.0, 1_234_567.0, -1234.0].map(shown);
        let expected = [
            "0",
            "0.25",
            "1",
            "46.5",
            "1,000",
            "1,304",
            "1,234,567",
            "-1,234",
        ];
        assert_eq!(of, expected);
    }
}
