//! The block of a conversation that carries the instructions.
//!
//! The wrapper is fixed; directory and text pass through it unescaped, whatever they hold. A
//! document that holds the wrapper's own tags is reported by the loader and not changed here.

/// The instructions as one block that the model reads in the user's place.
///
/// # Examples
/// ```
/// use codex_agents_md::LoadedAgentsMd;
///
/// let fragment = LoadedAgentsMd::from_internal_text("Be brief.").contextual_user_fragment();
/// assert_eq!(
///     fragment.render(),
///     "# AGENTS.md instructions\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextUserInstructions {
    /// The working directory in the native spelling of its environment, for the header; `None`
    /// where one directory cannot speak for all of the text.
    pub directory: Option<String>,
    /// The instructions themselves.
    pub text: String,
}

impl ContextUserInstructions {
    /// The block as text.
    pub fn render(&self) -> String {
        let directory = self
            .directory
            .as_ref()
            .map(|directory| format!(" for {directory}"))
            .unwrap_or_default();
        let text = &self.text;
        format!("# AGENTS.md instructions{directory}\n\n<INSTRUCTIONS>\n{text}\n</INSTRUCTIONS>")
    }
}
