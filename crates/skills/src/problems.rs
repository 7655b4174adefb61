//! Problems of a load as diagnostics, in words.

use std::io;

use codex_plugin::PluginProviderError;

use crate::diagnostics::{ScanLimit, SkillDiagnostic, SkillDiagnosticCode as Code};
use crate::discover::{Obstacle, ReachedLimit};
use crate::frontmatter::Refusal;
use crate::sidecar::DroppedField;
use crate::text::Foreign;

pub(crate) fn refused(refusal: &Refusal) -> SkillDiagnostic {
    SkillDiagnostic {
        io_kind: refusal.io_kind,
        ..SkillDiagnostic::new(refusal.code, refusal.message.clone())
    }
}

pub(crate) fn problem(code: Code, obstacle: Option<Obstacle>) -> SkillDiagnostic {
    let message = match obstacle {
        // The code says it already.
        Some(Obstacle::Io(io::ErrorKind::NotADirectory)) if code == Code::RootNotDirectory => None,
        obstacle => obstacle.map(|obstacle| failure(code, obstacle)),
    };
    SkillDiagnostic {
        io_kind: obstacle.and_then(Obstacle::io_kind),
        ..SkillDiagnostic::new(code, message.unwrap_or_else(|| describe(code).to_owned()))
    }
}

/// What failed, and why.
pub(crate) fn failure(code: Code, obstacle: Obstacle) -> String {
    format!("{} ({obstacle})", describe(code))
}

pub(crate) fn dropped_field(field: &DroppedField) -> SkillDiagnostic {
    let name = Foreign(&field.name);
    let message = match field.meant {
        Some(meant) => format!("`{name}` has no effect: the key is `{meant}`"),
        None => format!("`{name}` has no usable value and is left out"),
    };
    SkillDiagnostic::new(Code::SidecarFieldDropped, message).with_field(field.name.clone())
}

pub(crate) fn refused_manifest(error: &PluginProviderError) -> SkillDiagnostic {
    let code = match error.io_kind() {
        Some(io::ErrorKind::InvalidData) | None => Code::ManifestInvalid,
        Some(_) => Code::ManifestUnreadable,
    };
    let message = format!("the manifest gives no namespace: {}", cause(error));
    SkillDiagnostic {
        io_kind: error.io_kind(),
        ..SkillDiagnostic::new(code, message)
    }
}

pub(crate) fn limit_reached(reached: &ReachedLimit) -> SkillDiagnostic {
    let ReachedLimit {
        most, at, names, ..
    } = reached;
    let (reason, advice) = match reached.limit {
        ScanLimit::Depth => (
            format!("`{at}` holds directories deeper than {most} levels"),
            "move up what holds skills",
        ),
        ScanLimit::Directories => (
            format!("there are more than {most} directories before `{at}`"),
            "move away what holds no skills",
        ),
        ScanLimit::Entries => (
            format!("there are more than {most} names up to `{at}`, which holds {names}"),
            "move away what no skill needs",
        ),
    };
    let left_out = match reached.not_listed {
        0 => "and the walk ends there, but no known directory is left out".to_owned(),
        1 => format!("so 1 known directory is not listed: {advice}"),
        many => format!("so {many} known directories are not listed: {advice}"),
    };
    SkillDiagnostic {
        limit: Some(reached.limit),
        not_listed: Some(reached.not_listed),
        ..SkillDiagnostic::new(Code::ScanLimitReached, format!("{reason}, {left_out}"))
    }
}

/// Why a manifest is refused, without its path.
fn cause(error: &PluginProviderError) -> String {
    match error {
        PluginProviderError::ParseManifest { source, .. } => source.to_string(),
        PluginProviderError::ManifestTooLarge { limit, actual, .. } => {
            format!("it has {actual} bytes, more than {limit}")
        }
        other => match other.io_kind() {
            Some(kind) => format!("it cannot be read ({kind})"),
            None => other.code().to_owned(),
        },
    }
}

/// What a problem of the walk is, in words.
fn describe(code: Code) -> &'static str {
    match code {
        Code::SkillUnreadable => "cannot read the skill file",
        Code::SkillLinkNotFollowed => "the skill file is a link, and links are not followed here",
        Code::SkillFileMisnamed => "the file is no skill file, because its name is not `SKILL.md`",
        Code::DirectoryUnreadable => "cannot list the directory",
        Code::LinkUnreadable => "cannot resolve the link",
        Code::RootNotDirectory => "the skill root is not a directory",
        Code::RootMissing => "the skill root does not exist",
        Code::SidecarUnreadable => "cannot read the sidecar",
        Code::SidecarNotAFile => "the sidecar is not a file",
        _ => "cannot be used",
    }
}
