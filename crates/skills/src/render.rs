//! The section of a prompt that lists skills for a model.
//!
//! Pure. Every skill that is enabled and may be used unasked gets one line. A budget decides how much
//! of the descriptions is shown, and whatever it costs is a diagnostic. Text from files is escaped
//! after it is cut: no name, description or path can close the section, open another or start a
//! line.

mod budget;
mod escape;
mod locator;

use codex_file_system::EnvironmentId;

use crate::diagnostics::{SkillDiagnostic, SkillDiagnosticCode as Code};
use crate::limits::{CATALOG_WINDOW_PERCENT, DEFAULT_CATALOG_CHARS, MAX_SHOWN_DESCRIPTION_CHARS};
use crate::metadata::{SkillHandle, SkillMetadata};
use crate::outcome::SkillLoadOutcome;
use crate::roots::SkillScope;
use crate::text::is_longer_than;
use budget::{Cost, Shown, fit};
use escape::{escape_text, without_locators};
pub(crate) use locator::{Locators, is_full_locator, place_of};

/// How large the list may be: its root lines and its skill lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatalogBudget {
    /// Tokens; a line costs a quarter of its UTF-8 bytes and its end, rounded up.
    Tokens(u64),
    /// Characters; a line costs its characters and its end.
    Characters(u64),
}

impl CatalogBudget {
    /// Two percent of a context window in tokens, or 8,000 characters if it is unknown.
    ///
    /// # Examples
    /// ```
    /// use codex_skills::CatalogBudget;
    ///
    /// assert_eq!(CatalogBudget::for_context_window(Some(272_000)), CatalogBudget::Tokens(5_440));
    /// assert_eq!(CatalogBudget::for_context_window(None), CatalogBudget::Characters(8_000));
    /// ```
    pub fn for_context_window(tokens: Option<u64>) -> Self {
        match tokens {
            // Divided last, and in a wider type, so that no window overflows or rounds to nothing.
            Some(tokens) => {
                let share = u128::from(tokens) * u128::from(CATALOG_WINDOW_PERCENT) / 100;
                Self::Tokens(u64::try_from(share).unwrap_or(u64::MAX))
            }
            None => Self::Characters(DEFAULT_CATALOG_CHARS),
        }
    }
}

/// A rendered list of skills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedSkills {
    /// The whole section.
    pub text: String,
    /// The roots that a line refers to by alias.
    pub roots: Vec<RenderedRoot>,
    /// The skill lines.
    pub lines: Vec<String>,
    /// What became of the line of every skill that is enabled and may be used unasked, in the order
    /// of the lines.
    pub extents: Vec<(SkillHandle, LineExtent)>,
    /// What the budget cut.
    pub diagnostics: Vec<SkillDiagnostic>,
}

/// How much of a skill's line a model is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineExtent {
    /// The line with its description.
    Whole,
    /// The line, with less or nothing of its description: the budget, or the most characters that are
    /// ever shown, cut it.
    Shortened,
    /// No line.
    Omitted,
}

/// A root with its short name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedRoot {
    /// `r0`, `r1` … for the host's roots, `e0`, `e1` … for capability roots.
    pub alias: String,
    /// What the alias stands for, escaped.
    pub text: String,
    /// The environment it belongs to, where the list spans several.
    pub environment_id: Option<EnvironmentId>,
}

impl RenderedRoot {
    fn line(&self) -> String {
        let mut line = format!("- `{}` = `{}`", self.alias, self.text);
        if let Some(id) = &self.environment_id {
            // The words that name the environment of instructions.
            line.push_str(&format!(" for `{id}`"));
        }
        line
    }
}

/// Renders the skills a model is told of; `None` if there are none.
///
/// `guidance` follows the list as it is, outside the budget.
///
/// # Examples
/// ```
/// use codex_skills::{CatalogBudget, SkillLoadOutcome, render_skills};
///
/// let budget = CatalogBudget::for_context_window(None);
/// assert_eq!(render_skills(&SkillLoadOutcome::default(), budget, None), None);
/// ```
pub fn render_skills(
    outcome: &SkillLoadOutcome,
    budget: CatalogBudget,
    guidance: Option<&str>,
) -> Option<RenderedSkills> {
    let mut skills: Vec<&SkillMetadata> = outcome
        .skills
        .iter()
        .filter(|skill| skill.is_shown())
        .collect();
    if skills.is_empty() {
        return None;
    }
    skills.sort_by(|a, b| display_key(a).cmp(&display_key(b)));
    let locators = Locators::new(outcome);
    let lines: Vec<SkillLine> = skills
        .iter()
        .map(|skill| SkillLine::new(skill, &locators))
        .collect();
    let fitted = fit(&lines, locators.roots(), Cost::of(budget));
    let shown: Vec<String> = lines
        .iter()
        .zip(&fitted)
        .filter_map(|(line, shown)| line.render(shown))
        .collect();
    let is_used = |root: &usize| {
        let mut kept = lines
            .iter()
            .zip(&fitted)
            .filter(|(_, shown)| **shown != Shown::Nothing);
        kept.any(|(line, _)| line.root == Some(*root))
    };
    let roots = locators.roots().iter().filter(|(index, _)| is_used(index));
    let roots: Vec<RenderedRoot> = roots.map(|(_, root)| root.clone()).collect();
    let extents = skills.iter().zip(&fitted);
    let extents = extents.zip(&lines).map(|((skill, shown), line)| {
        let extent = match shown.extent() {
            LineExtent::Whole if line.is_cut => LineExtent::Shortened,
            extent => extent,
        };
        (skill.handle.clone(), extent)
    });
    Some(RenderedSkills {
        text: section(&roots, &shown, guidance),
        diagnostics: diagnostics(&lines, &fitted, budget),
        extents: extents.collect(),
        roots,
        lines: shown,
    })
}

fn display_key(skill: &SkillMetadata) -> (SkillScope, &str, &str, &str) {
    let handle = &skill.handle;
    let (path, id) = (
        handle.entrypoint().as_str(),
        handle.environment_id().as_str(),
    );
    (skill.scope, &skill.name, path, id)
}

/// A skill line before its description is cut.
pub(super) struct SkillLine {
    /// Index of the root whose alias the line uses.
    root: Option<usize>,
    /// `- name:`
    head: String,
    /// The description, unescaped.
    description: String,
    /// Whether the description is longer than any that is shown.
    is_cut: bool,
    /// `(file: …)`
    tail: String,
}

impl SkillLine {
    fn new(skill: &SkillMetadata, locators: &Locators<'_>) -> Self {
        let locator = locators.locator(skill);
        let kind = match skill.scope {
            SkillScope::Environment => "executor package",
            SkillScope::System | SkillScope::Admin | SkillScope::Repo | SkillScope::User => "file",
        };
        let environment = locator.environment_id.map(|id| format!(" for `{id}`"));
        Self {
            root: locator.root,
            head: format!("- {}:", escape_text(&without_locators(&skill.name))),
            description: without_locators(&shown_description(&skill.description)),
            is_cut: is_longer_than(&skill.description, MAX_SHOWN_DESCRIPTION_CHARS),
            tail: format!(
                "({kind}: {}{})",
                locator.text,
                environment.unwrap_or_default()
            ),
        }
    }

    /// The line with this much of its description.
    fn render(&self, shown: &Shown) -> Option<String> {
        let description = match shown {
            Shown::Nothing => return None,
            Shown::All => self.description.as_str(),
            Shown::Cut(chars) => {
                let end = self
                    .description
                    .char_indices()
                    .nth(*chars)
                    .map(|(at, _)| at);
                self.description
                    .get(..end.unwrap_or(self.description.len()))?
                    .trim_end()
            }
        };
        Some(match description {
            "" => format!("{} {}", self.head, self.tail),
            text => format!("{} {} {}", self.head, escape_text(text), self.tail),
        })
    }
}

/// The description as far as a model ever sees it.
fn shown_description(description: &str) -> String {
    if !is_longer_than(description, MAX_SHOWN_DESCRIPTION_CHARS) {
        return description.to_owned();
    }
    let kept = description.chars().take(MAX_SHOWN_DESCRIPTION_CHARS - 3);
    kept.collect::<String>() + "..."
}

fn section(roots: &[RenderedRoot], lines: &[String], guidance: Option<&str>) -> String {
    let mut text = "<skills_instructions>\n## Skills\n".to_owned();
    if !roots.is_empty() {
        text.push_str("### Skill roots\n");
    }
    let root_lines = roots.iter().map(RenderedRoot::line);
    let heading = std::iter::once("### Available skills".to_owned());
    let guidance = guidance.map(str::to_owned);
    for line in root_lines
        .chain(heading)
        .chain(lines.iter().cloned())
        .chain(guidance)
    {
        text.push_str(&line);
        text.push('\n');
    }
    text + "</skills_instructions>"
}

fn diagnostics(
    lines: &[SkillLine],
    fitted: &[Shown],
    budget: CatalogBudget,
) -> Vec<SkillDiagnostic> {
    let count = |is_counted: fn(&Shown) -> bool| {
        let number = fitted.iter().filter(|shown| is_counted(shown)).count();
        u64::try_from(number).unwrap_or(u64::MAX)
    };
    let omitted = count(|shown| *shown == Shown::Nothing);
    let shortened = count(|shown| matches!(shown, Shown::Cut(_)));
    let longest = fitted.iter().filter_map(|shown| match shown {
        Shown::Cut(chars) => Some(*chars),
        Shown::All | Shown::Nothing => None,
    });
    let longest = longest.max().unwrap_or(0);
    let budget = match budget {
        CatalogBudget::Tokens(limit) => format!("{limit} tokens"),
        CatalogBudget::Characters(limit) => format!("{limit} characters"),
    };
    // Where skills are left out, no description is left to speak of.
    let (code, number, message) = match (omitted, shortened) {
        (0, 0) => return too_long(lines),
        (0, number) => (
            Code::DescriptionsShortened,
            number,
            format!(
                "the budget of {budget} shortens {number} skill descriptions, \
                 to {longest} characters at most"
            ),
        ),
        (number, _) => (
            Code::SkillsOmitted,
            number,
            format!("the budget of {budget} leaves {number} skills and all descriptions out"),
        ),
    };
    vec![SkillDiagnostic::new(code, message).with_count(number)]
}

/// What the most characters that are ever shown cut, where the budget cuts nothing.
fn too_long(lines: &[SkillLine]) -> Vec<SkillDiagnostic> {
    let number = lines.iter().filter(|line| line.is_cut).count();
    let number = u64::try_from(number).unwrap_or(u64::MAX);
    let message = format!(
        "{number} skill descriptions are longer than {MAX_SHOWN_DESCRIPTION_CHARS} characters and are cut there"
    );
    let found = SkillDiagnostic::new(Code::DescriptionsShortened, message).with_count(number);
    Vec::from_iter(Some(found).filter(|_| number > 0))
}
