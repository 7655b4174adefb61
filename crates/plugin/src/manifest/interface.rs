//! How a plugin presents itself to people.

use super::component::try_map_list;

/// The presentation of a plugin. Texts are verbatim: URLs, colours and categories are not judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginInterface<R> {
    pub(super) display_name: Option<String>,
    pub(super) short_description: Option<String>,
    pub(super) long_description: Option<String>,
    pub(super) developer_name: Option<String>,
    pub(super) category: Option<String>,
    pub(super) website_url: Option<String>,
    pub(super) privacy_policy_url: Option<String>,
    pub(super) terms_of_service_url: Option<String>,
    pub(super) brand_color: Option<String>,
    pub(super) capabilities: Vec<String>,
    pub(super) default_prompt: Vec<String>,
    pub(super) composer_icon: Option<R>,
    pub(super) logo: Option<R>,
    pub(super) logo_dark: Option<R>,
    pub(super) screenshots: Vec<R>,
}

impl<R> PluginInterface<R> {
    /// The name for people, not trimmed; see [`PluginManifest::display_name`].
    ///
    /// [`PluginManifest::display_name`]: crate::PluginManifest::display_name
    pub fn display_name(&self) -> Option<&str> {
        self.display_name.as_deref()
    }

    /// One line about the plugin.
    pub fn short_description(&self) -> Option<&str> {
        self.short_description.as_deref()
    }

    /// A longer text about the plugin.
    pub fn long_description(&self) -> Option<&str> {
        self.long_description.as_deref()
    }

    /// Who made the plugin.
    pub fn developer_name(&self) -> Option<&str> {
        self.developer_name.as_deref()
    }

    /// The category the plugin puts itself in.
    pub fn category(&self) -> Option<&str> {
        self.category.as_deref()
    }

    /// The plugin's site.
    pub fn website_url(&self) -> Option<&str> {
        self.website_url.as_deref()
    }

    /// The plugin's privacy policy.
    pub fn privacy_policy_url(&self) -> Option<&str> {
        self.privacy_policy_url.as_deref()
    }

    /// The plugin's terms of service.
    pub fn terms_of_service_url(&self) -> Option<&str> {
        self.terms_of_service_url.as_deref()
    }

    /// The plugin's colour.
    pub fn brand_color(&self) -> Option<&str> {
        self.brand_color.as_deref()
    }

    /// What the plugin says it can do.
    pub fn capabilities(&self) -> &[String] {
        &self.capabilities
    }

    /// Prompts to offer, white space folded: at most
    /// [`MAX_DEFAULT_PROMPTS`](crate::MAX_DEFAULT_PROMPTS), each of 1 to
    /// [`MAX_DEFAULT_PROMPT_CHARS`](crate::MAX_DEFAULT_PROMPT_CHARS) characters.
    pub fn default_prompt(&self) -> &[String] {
        &self.default_prompt
    }

    /// The icon beside the composer.
    pub fn composer_icon(&self) -> Option<&R> {
        self.composer_icon.as_ref()
    }

    /// The logo.
    pub fn logo(&self) -> Option<&R> {
        self.logo.as_ref()
    }

    /// The logo on dark ground.
    pub fn logo_dark(&self) -> Option<&R> {
        self.logo_dark.as_ref()
    }

    /// Pictures of the plugin at work.
    pub fn screenshots(&self) -> &[R] {
        &self.screenshots
    }

    pub(super) fn try_map_resources<S, E>(
        self,
        f: &mut impl FnMut(&str, R) -> Result<S, E>,
    ) -> Result<PluginInterface<S>, E> {
        let screenshots = try_map_list(self.screenshots, "interface.screenshots", f)?;
        let mut map = |field, resource: Option<R>| resource.map(|it| f(field, it)).transpose();
        Ok(PluginInterface {
            composer_icon: map("interface.composerIcon", self.composer_icon)?,
            logo: map("interface.logo", self.logo)?,
            logo_dark: map("interface.logoDark", self.logo_dark)?,
            screenshots,
            display_name: self.display_name,
            short_description: self.short_description,
            long_description: self.long_description,
            developer_name: self.developer_name,
            category: self.category,
            website_url: self.website_url,
            privacy_policy_url: self.privacy_policy_url,
            terms_of_service_url: self.terms_of_service_url,
            brand_color: self.brand_color,
            capabilities: self.capabilities,
            default_prompt: self.default_prompt,
        })
    }
}

// Not derived: a derive would ask that `R` has a default too.
impl<R> Default for PluginInterface<R> {
    fn default() -> Self {
        Self {
            display_name: None,
            short_description: None,
            long_description: None,
            developer_name: None,
            category: None,
            website_url: None,
            privacy_policy_url: None,
            terms_of_service_url: None,
            brand_color: None,
            capabilities: Vec::new(),
            default_prompt: Vec::new(),
            composer_icon: None,
            logo: None,
            logo_dark: None,
            screenshots: Vec::new(),
        }
    }
}
