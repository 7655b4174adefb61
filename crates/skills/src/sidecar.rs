//! The sidecar `agents/openai.yaml`: what a user interface and a policy add to a skill.
//!
//! A value of the wrong shape refuses the whole file; a value of the right shape that breaks a rule
//! costs only its field. Nothing here can lose a skill, except that its policy may name other
//! products.

use codex_path_uri::{FileName, PathConvention, PathUri};

use crate::diagnostics::SkillDiagnosticCode as Code;
use crate::frontmatter::{Refusal, expect_text, is_similar};
use crate::limits::MAX_SIDECAR_BYTES;
use crate::metadata::{SkillInterface, SkillPolicy, ToolDependency};
use crate::options::Product;
use crate::text::{fold_to_some, is_longer_than};
use crate::yaml::{Shape, Value, YamlProblem, parse_sidecar};

/// Most characters of a name-like field.
const SHORT: usize = 64;
/// Most characters of any other text.
const LONG: usize = 1_024;
/// Where icons must lie.
const ASSETS: &str = "assets";
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What a sidecar says, and which of its fields were dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sidecar {
    pub(crate) interface: Option<SkillInterface>,
    pub(crate) dependencies: Vec<ToolDependency>,
    pub(crate) policy: SkillPolicy,
    pub(crate) dropped: Vec<DroppedField>,
}

/// A field without effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DroppedField {
    pub(crate) name: String,
    /// The key that is meant, if the key is misspelt.
    pub(crate) meant: Option<&'static str>,
}

impl Sidecar {
    /// What counts where a sidecar cannot be read: the skill is used only when it is asked for.
    pub(crate) fn unread() -> Self {
        Self {
            policy: SkillPolicy {
                allow_implicit_invocation: false,
                ..SkillPolicy::default()
            },
            ..Self::default()
        }
    }
}

/// Reads a sidecar of the skill in `directory`.
pub(crate) fn read_sidecar(bytes: &[u8], directory: &PathUri) -> Result<Sidecar, Refusal> {
    if bytes.len() > MAX_SIDECAR_BYTES {
        let message = format!("the sidecar has more than {MAX_SIDECAR_BYTES} bytes");
        return Err(Refusal::new(Code::SidecarTooLarge, message));
    }
    let text = std::str::from_utf8(bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes))
        .map_err(|_| Refusal::new(Code::SidecarNotUtf8, "the sidecar is not UTF-8"))?;
    let read = parse_sidecar(text).and_then(|document| {
        let mut reader = Reader {
            directory,
            dropped: Vec::new(),
        };
        let root = document.root();
        let interface = reader.interface(root.get("interface")?)?;
        let dependencies = reader.dependencies(root.get("dependencies")?)?;
        let policy = policy(root.get("policy")?)?;
        reader.dropped.extend(misspelt_keys(root));
        Ok(Sidecar {
            interface: Some(interface).filter(|it| *it != SkillInterface::default()),
            dependencies,
            policy,
            dropped: reader.dropped,
        })
    });
    read.map_err(|problem| {
        Refusal::new(
            Code::SidecarInvalid,
            format!("cannot use the sidecar: {problem}"),
        )
    })
}

struct Reader<'a> {
    directory: &'a PathUri,
    dropped: Vec<DroppedField>,
}

impl Reader<'_> {
    fn interface(&mut self, value: Value<'_>) -> Result<SkillInterface, YamlProblem> {
        value.expect_mapping("`interface`")?;
        Ok(SkillInterface {
            display_name: self.folded(value, "interface", "display_name", SHORT)?,
            short_description: self.folded(value, "interface", "short_description", LONG)?,
            default_prompt: self.folded(value, "interface", "default_prompt", LONG)?,
            brand_color: self.field(value, "interface", "brand_color", color)?,
            icon_small: self.icon(value, "icon_small")?,
            icon_large: self.icon(value, "icon_large")?,
        })
    }

    fn icon(
        &mut self,
        value: Value<'_>,
        key: &'static str,
    ) -> Result<Option<PathUri>, YamlProblem> {
        let directory = self.directory;
        self.field(value, "interface", key, |text| asset(directory, text))
    }

    fn dependencies(&mut self, value: Value<'_>) -> Result<Vec<ToolDependency>, YamlProblem> {
        value.expect_mapping("`dependencies`")?;
        let tools = value.get("tools")?;
        if !matches!(tools.shape(), Shape::Null | Shape::Sequence) {
            return Err(tools.wrong_type("`dependencies.tools`", "a list"));
        }
        let mut dependencies = Vec::new();
        for (index, tool) in tools.items().enumerate() {
            dependencies.extend(self.tool(tool, &format!("dependencies.tools[{index}]"))?);
        }
        Ok(dependencies)
    }

    fn tool(&mut self, tool: Value<'_>, name: &str) -> Result<Option<ToolDependency>, YamlProblem> {
        if tool.shape() != Shape::Mapping {
            return Err(tool.wrong_type(&format!("`{name}`"), "a mapping"));
        }
        let kind = text(tool, name, "type")?.and_then(|text| short_enough(text, SHORT));
        let value = text(tool, name, "value")?.and_then(|text| short_enough(text, LONG));
        let before = self.dropped.len();
        let dependency = ToolDependency {
            kind: kind.clone().unwrap_or_default(),
            value: value.clone().unwrap_or_default(),
            description: self.folded(tool, name, "description", LONG)?,
            transport: self.folded(tool, name, "transport", SHORT)?,
            command: self.folded(tool, name, "command", LONG)?,
            url: self.folded(tool, name, "url", LONG)?,
        };
        if kind.is_some() && value.is_some() {
            return Ok(Some(dependency));
        }
        // What else is wrong with an entry that goes does not matter.
        self.dropped.truncate(before);
        self.drop_field(name.to_owned());
        Ok(None)
    }

    fn folded(
        &mut self,
        parent: Value<'_>,
        name: &str,
        key: &'static str,
        limit: usize,
    ) -> Result<Option<String>, YamlProblem> {
        self.field(parent, name, key, |text| short_enough(text, limit))
    }

    fn drop_field(&mut self, name: String) {
        self.dropped.push(DroppedField { name, meant: None });
    }

    /// A text that is there and passes `judge`; one that does not pass is dropped.
    fn field<T>(
        &mut self,
        parent: Value<'_>,
        name: &str,
        key: &'static str,
        judge: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, YamlProblem> {
        let Some(text) = text(parent, name, key)? else {
            return Ok(None);
        };
        let judged = judge(text);
        if judged.is_none() {
            self.drop_field(format!("{name}.{key}"));
        }
        Ok(judged)
    }
}

/// Keys that a sidecar has, by the mapping they stand in.
const KNOWN_KEYS: [(&str, &[&str]); 4] = [
    ("", &["interface", "dependencies", "policy"]),
    (
        "interface",
        &[
            "display_name",
            "short_description",
            "default_prompt",
            "brand_color",
            "icon_small",
            "icon_large",
        ],
    ),
    ("dependencies", &["tools"]),
    ("policy", &["allow_implicit_invocation", "products"]),
];

/// Keys that are known ones but for their spelling, which would have no effect in silence, each with
/// what is meant.
fn misspelt_keys(root: Value<'_>) -> Vec<DroppedField> {
    let mut misspelt = Vec::new();
    for (name, known) in KNOWN_KEYS {
        let mapping = match name {
            "" => root,
            name => root.get_first(name),
        };
        for key in mapping.entries().filter_map(|(key, _)| key.text()) {
            let meant = known.iter().find(|it| is_similar(it, key));
            if let Some(meant) = meant.filter(|meant| **meant != key) {
                let dot = if name.is_empty() { "" } else { "." };
                misspelt.push(DroppedField {
                    name: format!("{name}{dot}{key}"),
                    meant: Some(meant),
                });
            }
        }
    }
    misspelt
}

fn policy(value: Value<'_>) -> Result<SkillPolicy, YamlProblem> {
    value.expect_mapping("`policy`")?;
    let mut policy = SkillPolicy::default();
    let implicit = value.get("allow_implicit_invocation")?;
    if implicit.shape() != Shape::Null {
        policy.allow_implicit_invocation = implicit.boolean().ok_or_else(|| {
            implicit.wrong_type("`policy.allow_implicit_invocation`", "true or false")
        })?;
    }
    let products = value.get("products")?;
    if !matches!(products.shape(), Shape::Null | Shape::Sequence) {
        return Err(products.wrong_type("`policy.products`", "a list"));
    }
    for item in products.items() {
        let product = item.text().and_then(Product::from_sidecar);
        let expected = "`codex`, `chatgpt` or `atlas`";
        let problem = || item.wrong_type("an item of `policy.products`", expected);
        policy.products.push(product.ok_or_else(problem)?);
    }
    Ok(policy)
}

fn text<'d>(
    parent: Value<'d>,
    name: &str,
    key: &'static str,
) -> Result<Option<&'d str>, YamlProblem> {
    let value = parent.get(key)?;
    expect_text(&format!("{name}.{key}"), value)?;
    Ok(value.text())
}

fn short_enough(text: &str, limit: usize) -> Option<String> {
    fold_to_some(text).filter(|folded| !is_longer_than(folded, limit))
}

fn color(text: &str) -> Option<String> {
    let color = text.trim();
    let digits = color.strip_prefix('#')?;
    let is_color = digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_color.then(|| color.to_owned())
}

/// The path of an icon: relative, below `assets`, without a way out.
fn asset(directory: &PathUri, text: &str) -> Option<PathUri> {
    let convention = directory.convention()?;
    let is_absolute =
        text.starts_with('/') || (convention == PathConvention::Windows && text.starts_with('\\'));
    let mut names = convention
        .path_segments(text)
        .filter(|name| !matches!(*name, "" | "."))
        .peekable();
    if is_absolute || names.peek() != Some(&ASSETS) {
        return None;
    }
    names.try_fold(directory.clone(), |path, name| {
        let name = FileName::new(name, convention).ok()?;
        path.join_name(&name).ok()
    })
}
