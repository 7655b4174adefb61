//! The words of a command line that no shell sees.

/// Takes `text` apart at blanks. What stands between quotes, single or double, is taken as it is.
///
/// # Errors
/// When a quote is not closed.
pub(super) fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next() {
                        Some(next) if next == character => break,
                        Some(next) => word.push(next),
                        None => return Err(format!("a {character} is not closed")),
                    }
                }
            }
            blank if blank.is_whitespace() => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn blanks_separate_and_quotes_hold_together() {
        let cases: [(&str, &[&str]); 5] = [
            ("", &[]),
            ("  a  b\tc ", &["a", "b", "c"]),
            ("'a b' c\"d e\"", &["a b", "cd e"]),
            (r#"'' "it's""#, &["", "it's"]),
            (r"C:\x", &[r"C:\x"]),
        ];
        for (text, expected) in cases {
            assert_eq!(words(text).unwrap(), expected, "{text}");
        }
        assert!(words("a 'b").is_err());
    }
}
