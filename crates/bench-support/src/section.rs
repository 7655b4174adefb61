//! The parts of a document that a program writes.

/// The document with another text between two comments, `<!-- NAME: begin … -->` and
/// `<!-- NAME: end -->`, each on a line of its own; `None` if it has no such lines in that order.
///
/// # Examples
/// ```
/// use codex_bench_support::with_section;
///
/// let page = "# Speed\n<!-- times: begin, written by a program -->\nold\n<!-- times: end -->\n";
/// let page = with_section(page, "times", "| a | b |\n").unwrap();
/// assert!(page.contains("program -->\n\n| a | b |\n\n<!-- times: end -->"));
/// assert_eq!(with_section(&page, "counts", ""), None);
/// ```
#[must_use]
pub fn with_section(document: &str, name: &str, text: &str) -> Option<String> {
    let begin = document.find(&format!("<!-- {name}: begin"))?;
    let begin = begin + document.get(begin..)?.find('\n')? + 1;
    let end = begin + document.get(begin..)?.find(&format!("<!-- {name}: end"))?;
    let (head, tail) = (document.get(..begin)?, document.get(end..)?);
    Some(format!("{head}\n{}\n\n{tail}", text.trim()))
}
