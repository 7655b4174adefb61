//! A path that must stay below a root, and does not.

use std::fmt;

use codex_path_uri::PathUri;

use crate::escape::Escaped;

/// A resource of a plugin that lies outside the plugin's root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceOutsideRoot {
    field: String,
    root: PathUri,
    path: PathUri,
    resolved: Option<PathUri>,
}

impl ResourceOutsideRoot {
    /// Checks that `path` is lexically at or below `root`, by whole names.
    pub(crate) fn check(field: &str, root: &PathUri, path: &PathUri) -> Result<(), Self> {
        if path.starts_with(root) {
            return Ok(());
        }
        let (root, path) = (root.clone(), path.clone());
        Err(Self {
            field: field.to_owned(),
            root,
            path,
            resolved: None,
        })
    }

    /// The resource `path`, which is below `root` only until its links are followed.
    pub(crate) fn through_link(
        field: &str,
        root: &PathUri,
        path: &PathUri,
        resolved: &PathUri,
    ) -> Self {
        let (root, path, resolved) = (root.clone(), path.clone(), resolved.clone());
        Self {
            field: field.to_owned(),
            root,
            path,
            resolved: Some(resolved),
        }
    }

    /// The stable code: `resource_outside_root`.
    pub fn code(&self) -> &'static str {
        "resource_outside_root"
    }

    /// The field that names the resource, or `manifest` for the manifest itself.
    pub fn field(&self) -> &str {
        &self.field
    }

    /// The root, as it was selected.
    pub fn root(&self) -> &PathUri {
        &self.root
    }

    /// The resource, as it was named.
    pub fn path(&self) -> &PathUri {
        &self.path
    }

    /// Where the resource really is, if a link is the reason.
    pub fn resolved(&self) -> Option<&PathUri> {
        self.resolved.as_ref()
    }
}

impl fmt::Display for ResourceOutsideRoot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            field,
            root,
            path,
            resolved,
        } = self;
        let (field, path) = (Escaped(field), Escaped(path.as_str()));
        write!(formatter, "`{field}` names `{path}`, which ")?;
        match resolved {
            Some(target) => write!(formatter, "leads to `{}`, ", Escaped(target.as_str()))?,
            None => formatter.write_str("is ")?,
        }
        write!(formatter, "outside root `{root}`")
    }
}

impl std::error::Error for ResourceOutsideRoot {}
