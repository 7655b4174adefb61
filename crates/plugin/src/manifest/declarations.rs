//! The fields that name files or hold objects: `mcpServers` and `hooks`.
//!
//! An array is all files or all objects. It is never read by position, so nothing becomes a hook or
//! a server by where it stands.

use codex_path_uri::PathUri;

use super::component::{ComponentDeclaration, InlineJson};
use super::fields::{FieldReader, judged};
use crate::PluginDiagnosticCode;
use crate::json::{Elements, Kind, Value};

const EXPECTED: &str = "a string, an object, or an array of strings or of objects";

/// How the objects of a field are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectRule {
    /// As they are.
    Verbatim,
    /// As maps of hook events under the key `hooks`, which is added where it is missing.
    HookEvents,
}

/// An object of a hooks field.
enum HookObject {
    /// Under its key `hooks`, or empty.
    Wrapped(InlineJson),
    /// Without that key, which is added.
    Bare(InlineJson),
}

impl FieldReader<'_> {
    /// Files, objects, or `null`; what is wrong is dropped.
    pub(super) fn declaration(
        &mut self,
        value: Value<'_>,
        field: &str,
        rule: ObjectRule,
    ) -> Option<ComponentDeclaration<PathUri>> {
        match value.kind() {
            Kind::Null => None,
            Kind::String | Kind::EscapedString => {
                let path = self.path(&value.as_text().unwrap_or_default(), field)?;
                Some(ComponentDeclaration::Files(vec![path]))
            }
            Kind::Object => self.objects(&[value], field, rule),
            Kind::Array => self.declaration_list(value, value.elements()?, field, rule),
            Kind::Boolean | Kind::Number => {
                self.drop_field(value, field, EXPECTED);
                None
            }
        }
    }

    fn declaration_list(
        &mut self,
        list: Value<'_>,
        elements: Elements<'_>,
        field: &str,
        rule: ObjectRule,
    ) -> Option<ComponentDeclaration<PathUri>> {
        let items: Vec<Value<'_>> = judged(elements.clone()).collect();
        let strings = items.iter().filter(|item| item.is_string()).count();
        let objects = items
            .iter()
            .filter(|item| item.kind() == Kind::Object)
            .count();
        if items.is_empty() {
            None
        } else if strings == items.len() {
            let files = self.paths(elements, field);
            (!files.is_empty()).then_some(ComponentDeclaration::Files(files))
        } else if objects == items.len() {
            let declared = self.objects(&items, field, rule)?;
            self.report_cut(elements, field);
            Some(declared)
        } else if strings > 0 && objects > 0 {
            let detail = "the array holds both strings and objects";
            self.diagnostics
                .report(PluginDiagnosticCode::MixedList, field, detail);
            None
        } else {
            self.drop_field(list, field, EXPECTED);
            None
        }
    }

    /// Keeps objects by the rule of their field; one that does not follow it drops the field.
    fn objects(
        &mut self,
        objects: &[Value<'_>],
        field: &str,
        rule: ObjectRule,
    ) -> Option<ComponentDeclaration<PathUri>> {
        let mut kept = Vec::with_capacity(objects.len());
        let mut any_is_unwrapped = false;
        for object in objects {
            match rule {
                ObjectRule::Verbatim => kept.push(InlineJson::from_object(*object)),
                ObjectRule::HookEvents => match judge_hook_object(*object) {
                    Some(HookObject::Wrapped(json)) => kept.push(json),
                    Some(HookObject::Bare(json)) => {
                        any_is_unwrapped = true;
                        kept.push(json);
                    }
                    None => {
                        let detail = "expected objects that map events to arrays";
                        self.diagnostics
                            .report(PluginDiagnosticCode::WrongType, field, detail);
                        return None;
                    }
                },
            }
        }
        if any_is_unwrapped {
            let detail = "a map of events stands without its key `hooks`, which is added";
            self.diagnostics
                .report(PluginDiagnosticCode::HooksUnwrapped, field, detail);
        }
        Some(ComponentDeclaration::Inline(kept))
    }
}

/// The object with its key `hooks`; nothing if it is no map of events. Events are not judged.
fn judge_hook_object(object: Value<'_>) -> Option<HookObject> {
    match object.member("hooks") {
        Some(events) if events.kind() == Kind::Object => {
            return Some(HookObject::Wrapped(InlineJson::from_object(object)));
        }
        Some(_) => return None,
        None => {}
    }
    let mut members = object.members()?;
    if members.clone().next().is_none() {
        return Some(HookObject::Wrapped(InlineJson::wrapped("hooks", object)));
    }
    members
        .all(|member| member.value.kind() == Kind::Array)
        .then(|| HookObject::Bare(InlineJson::wrapped("hooks", object)))
}
