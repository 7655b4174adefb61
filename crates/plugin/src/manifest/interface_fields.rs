//! The object `interface`.

use codex_path_uri::PathUri;

use super::fields::{FieldReader, optional_text, wrong_type};
use super::interface::PluginInterface;
use super::keys::{FieldTable, KeyReader};
use super::prompt::read_default_prompts;
use super::strict::check_depth;
use crate::ManifestError;
use crate::json::{Kind, Value};

/// The keys of `interface`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InterfaceKey {
    DisplayName,
    ShortDescription,
    LongDescription,
    DeveloperName,
    Category,
    WebsiteUrl,
    PrivacyPolicyUrl,
    TermsOfServiceUrl,
    BrandColor,
    Capabilities,
    DefaultPrompt,
    ComposerIcon,
    Logo,
    LogoDark,
    Screenshots,
}

const INTERFACE_FIELDS: &FieldTable<InterfaceKey> = &[
    ("interface.displayName", InterfaceKey::DisplayName),
    ("interface.shortDescription", InterfaceKey::ShortDescription),
    ("interface.longDescription", InterfaceKey::LongDescription),
    ("interface.developerName", InterfaceKey::DeveloperName),
    ("interface.category", InterfaceKey::Category),
    ("interface.websiteUrl", InterfaceKey::WebsiteUrl),
    ("interface.websiteURL", InterfaceKey::WebsiteUrl),
    ("interface.privacyPolicyUrl", InterfaceKey::PrivacyPolicyUrl),
    ("interface.privacyPolicyURL", InterfaceKey::PrivacyPolicyUrl),
    (
        "interface.termsOfServiceUrl",
        InterfaceKey::TermsOfServiceUrl,
    ),
    (
        "interface.termsOfServiceURL",
        InterfaceKey::TermsOfServiceUrl,
    ),
    ("interface.brandColor", InterfaceKey::BrandColor),
    ("interface.capabilities", InterfaceKey::Capabilities),
    ("interface.defaultPrompt", InterfaceKey::DefaultPrompt),
    ("interface.composerIcon", InterfaceKey::ComposerIcon),
    ("interface.logo", InterfaceKey::Logo),
    ("interface.logoDark", InterfaceKey::LogoDark),
    ("interface.screenshots", InterfaceKey::Screenshots),
];

/// What stands before a key of `interface` in its field.
const PREFIX: &str = "interface.";

/// Containers around a value of `interface`: the manifest and `interface` itself.
const OUTER: usize = 2;

impl FieldReader<'_> {
    /// The presentation, if anything of it is left; an array is dropped, other types fail.
    pub(super) fn interface(
        &mut self,
        value: Value<'_>,
        field: &str,
    ) -> Result<Option<PluginInterface<PathUri>>, ManifestError> {
        let Some(members) = value.members() else {
            return match value.kind() {
                Kind::Null => Ok(None),
                Kind::Array => {
                    self.drop_field(value, field, "an object");
                    Ok(None)
                }
                _ => Err(wrong_type(value, field, "an object")),
            };
        };
        let mut interface = PluginInterface::default();
        let mut keys = KeyReader::new(INTERFACE_FIELDS, PREFIX);
        for member in members {
            match keys.known(&member)? {
                Some((key, field)) => {
                    check_depth(member.value, field, OUTER)?;
                    self.interface_member(&mut interface, key, member.value, field)?;
                }
                None => keys.report_unknown(&member.key(), |_| None, &mut self.diagnostics),
            }
        }
        Ok((interface != PluginInterface::default()).then_some(interface))
    }

    fn interface_member(
        &mut self,
        interface: &mut PluginInterface<PathUri>,
        key: InterfaceKey,
        value: Value<'_>,
        field: &str,
    ) -> Result<(), ManifestError> {
        use InterfaceKey as Key;
        match key {
            Key::DisplayName => interface.display_name = optional_text(value, field)?,
            Key::ShortDescription => interface.short_description = optional_text(value, field)?,
            Key::LongDescription => interface.long_description = optional_text(value, field)?,
            Key::DeveloperName => interface.developer_name = optional_text(value, field)?,
            Key::Category => interface.category = optional_text(value, field)?,
            Key::WebsiteUrl => interface.website_url = optional_text(value, field)?,
            Key::PrivacyPolicyUrl => interface.privacy_policy_url = optional_text(value, field)?,
            Key::TermsOfServiceUrl => interface.terms_of_service_url = optional_text(value, field)?,
            Key::BrandColor => interface.brand_color = optional_text(value, field)?,
            Key::Capabilities => interface.capabilities = self.required_texts(value, field)?,
            Key::DefaultPrompt => {
                interface.default_prompt = read_default_prompts(value, &mut self.diagnostics);
            }
            Key::ComposerIcon => interface.composer_icon = self.optional_path(value, field)?,
            Key::Logo => interface.logo = self.optional_path(value, field)?,
            Key::LogoDark => interface.logo_dark = self.optional_path(value, field)?,
            Key::Screenshots => interface.screenshots = self.required_paths(value, field)?,
        }
        Ok(())
    }
}

/// The field of a key of `interface`.
pub(super) fn interface_field(key: &str) -> Option<&'static str> {
    let mut fields = INTERFACE_FIELDS.iter().map(|(field, _)| *field);
    fields.find(|field| field.get(PREFIX.len()..) == Some(key))
}
