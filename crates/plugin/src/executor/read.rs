//! The second trip: the manifests that were found, read and parsed.

use super::Resolution;
use super::inspect::{ChosenManifest, Inspection};
use super::target::{Target, is_agent_plugins};
use crate::contained::{ContainedFile, FileAnswers, FileFault, decode_utf8};
use crate::manifest::{ParsedManifest, parse_agent_plugins_manifest, parse_plugin_manifest};
use crate::trip::{Answer, Ask, Call, Trip, run};
use crate::{PluginOptions, PluginProviderError, ResolvedPlugin};

/// One call about a manifest.
#[derive(Clone, Copy)]
struct Question<'a> {
    index: usize,
    target: &'a Target<'a>,
    manifest: &'a ChosenManifest<'a>,
    step: Step,
}

#[derive(Clone, Copy)]
enum Step {
    Canonicalize,
    Read,
}

/// What is known of one root.
struct Progress {
    answers: FileAnswers,
    /// The end result, once nothing more is needed for it.
    resolution: Option<Resolution>,
}

struct ReadTrip {
    progress: Vec<Progress>,
}

/// Reads the manifests that were found; the results are in the order of `targets`.
pub(super) async fn read_manifests<'a>(
    targets: &'a [Target<'a>],
    inspections: &'a [Inspection<'a>],
    options: &PluginOptions,
) -> Vec<Resolution> {
    let mut progress = Vec::with_capacity(inspections.len());
    for inspection in inspections {
        progress.push(Progress {
            answers: FileAnswers::new(options.max_manifest_bytes()),
            resolution: match inspection {
                Ok(Some(_)) => None,
                Ok(None) => Some(Ok(None)),
                Err(error) => Some(Err(error.clone())),
            },
        });
    }
    let mut trip = ReadTrip { progress };
    run(options.window(), questions(targets, inspections), &mut trip).await;
    let resolutions = trip
        .progress
        .into_iter()
        .map(|progress| progress.resolution);
    resolutions
        .map(|resolution| resolution.unwrap_or(Ok(None)))
        .collect()
}

/// Each manifest is resolved, where links must not leave the root, and read.
fn questions<'a>(
    targets: &'a [Target<'a>],
    inspections: &'a [Inspection<'a>],
) -> Vec<Question<'a>> {
    let mut questions = Vec::new();
    for (index, (target, inspection)) in targets.iter().zip(inspections).enumerate() {
        let Ok(Some(manifest)) = inspection else {
            continue;
        };
        if manifest.canonical_root.is_some() {
            questions.push(Question {
                index,
                target,
                manifest,
                step: Step::Canonicalize,
            });
        }
        questions.push(Question {
            index,
            target,
            manifest,
            step: Step::Read,
        });
    }
    questions
}

impl<'a> Ask for Question<'a> {
    type Call = Call<'a>;

    fn call(self) -> Call<'a> {
        match self.step {
            Step::Canonicalize => Call::canonicalize(self.target.fs, self.manifest.path),
            Step::Read => Call::read(self.target.fs, self.manifest.path),
        }
    }
}

impl<'a> Trip<Question<'a>> for ReadTrip {
    /// A manifest that lies outside the root is refused unread.
    fn matters(&self, question: Question<'a>) -> bool {
        self.progress
            .get(question.index)
            .is_some_and(|progress| progress.resolution.is_none())
    }

    /// Judges each manifest as soon as it is read, so that no text is held for longer.
    fn accept(&mut self, question: Question<'a>, answer: Answer) {
        let Some(progress) = self.progress.get_mut(question.index) else {
            return;
        };
        progress.answers.accept(answer);
        let file = manifest_file(question.target, question.manifest);
        let is_last = matches!(question.step, Step::Read);
        if is_last || file.escape(&progress.answers).is_some() {
            let resolution = judge(question.target, question.manifest, &progress.answers);
            progress.resolution = Some(resolution);
            progress.answers.forget_bytes();
        }
    }
}

fn manifest_file<'a>(target: &Target<'a>, manifest: &'a ChosenManifest<'_>) -> ContainedFile<'a> {
    ContainedFile {
        field: "manifest",
        root: target.root,
        canonical_root: manifest.canonical_root.as_ref(),
        path: manifest.path,
    }
}

/// Judges the answers about one manifest.
fn judge(target: &Target<'_>, manifest: &ChosenManifest<'_>, answers: &FileAnswers) -> Resolution {
    let (errors, root, path) = (&target.errors, target.root, manifest.path);
    let bytes = manifest_file(target, manifest)
        .judge(answers)
        .map_err(|fault| match fault {
            FileFault::Outside(outside) => errors.construct_descriptor(root, outside),
            FileFault::Read(error) => errors.read_manifest(path, error),
            FileFault::Canonicalize(error) => errors.inspect_manifest(path, error),
            FileFault::TooLarge { limit, actual } => errors.manifest_too_large(path, limit, actual),
        })?;
    let parsed = if is_agent_plugins(manifest.location) {
        // Content that is not the standard's makes no plugin, so it need not be text either.
        match decode_utf8(bytes) {
            Ok(text) => parse_agent_plugins_manifest(root, text),
            Err(_) => Ok(None),
        }
    } else {
        let text = decode_utf8(bytes).map_err(|error| errors.read_manifest(path, error))?;
        parse_plugin_manifest(root, text).map(Some)
    };
    let parsed = parsed.map_err(|error| errors.parse_manifest(path, error))?;
    parsed
        .map(|parsed| bind(target, manifest, parsed))
        .transpose()
}

fn bind(
    target: &Target<'_>,
    manifest: &ChosenManifest<'_>,
    (declared, diagnostics): ParsedManifest,
) -> Result<ResolvedPlugin, PluginProviderError> {
    let (root, path) = (target.root.clone(), manifest.path.clone());
    let environment_id = target.environment_id.clone();
    ResolvedPlugin::from_environment("", environment_id, root, path, declared, diagnostics)
        .map(|plugin| plugin.with_canonical_root(manifest.canonical_root.clone()))
        .map_err(|outside| target.errors.construct_descriptor(target.root, outside))
}
