//! What a manifest declares for a component: files, or JSON written in place.

use std::fmt;

use crate::json::{Value, compact};

/// A declared component that is either in files or in the manifest itself. Never an empty list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComponentDeclaration<R> {
    /// The component is in these files.
    Files(Vec<R>),
    /// The component is written in the manifest, one object each.
    Inline(Vec<InlineJson>),
}

/// The compact JSON text of one object, its keys in document order.
///
/// It is data: valid JSON in which no key stands twice, and nothing more is known or done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlineJson(String);

impl<R> ComponentDeclaration<R> {
    /// Applies `f` to each file with its field (`field[0]`, ...), first error wins.
    pub(super) fn try_map_files<S, E>(
        self,
        field: &str,
        f: &mut impl FnMut(&str, R) -> Result<S, E>,
    ) -> Result<ComponentDeclaration<S>, E> {
        Ok(match self {
            Self::Files(files) => ComponentDeclaration::Files(try_map_list(files, field, f)?),
            Self::Inline(objects) => ComponentDeclaration::Inline(objects),
        })
    }
}

/// Applies `f` to each element with its field (`field[0]`, ...), first error wins.
pub(super) fn try_map_list<R, S, E>(
    list: Vec<R>,
    field: &str,
    f: &mut impl FnMut(&str, R) -> Result<S, E>,
) -> Result<Vec<S>, E> {
    let elements = list.into_iter().enumerate();
    elements
        .map(|(index, element)| f(&format!("{field}[{index}]"), element))
        .collect()
}

impl InlineJson {
    /// The text of an object of a document.
    pub(crate) fn from_object(object: Value<'_>) -> Self {
        Self(compact(object.raw()))
    }

    /// `{key: object}`. The key is one that needs no escape.
    pub(super) fn wrapped(key: &'static str, object: Value<'_>) -> Self {
        Self(format!("{{\"{key}\":{}}}", compact(object.raw())))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for InlineJson {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
