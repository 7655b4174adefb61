//! The first trip: is the root a directory, and which location holds its manifest?

use std::io;

use codex_file_system::FileMetadata;
use codex_path_uri::PathUri;

use super::target::Target;
use crate::locations::judge_probe;
use crate::trip::{Answer, Ask, Call, Trip, run};
use crate::{PluginOptions, PluginProviderError, SymlinkPolicy};

/// What the first trip says of one root: a manifest to read, none, or an error.
pub(super) type Inspection<'a> = Result<Option<ChosenManifest<'a>>, PluginProviderError>;

/// The manifest of a root, before it is read.
pub(super) struct ChosenManifest<'a> {
    /// Index of the location.
    pub(super) location: usize,
    pub(super) path: &'a PathUri,
    /// The root's canonical path, where links must not leave it.
    pub(super) canonical_root: Option<PathUri>,
}

/// How far a root is judged.
enum Progress<'a> {
    Probing,
    Chosen(ChosenManifest<'a>),
    Absent,
    Failed(PluginProviderError),
}

/// One call about a root.
#[derive(Clone, Copy)]
struct Question<'a> {
    index: usize,
    target: &'a Target<'a>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Probe { location: usize, path: &'a PathUri },
    CanonicalRoot,
}

struct InspectTrip<'a> {
    progress: Vec<Progress<'a>>,
    max_manifest_bytes: u64,
}

/// Asks about all roots together; the results are in the order of `targets`.
pub(super) async fn inspect_targets<'a>(
    targets: &'a [Target<'a>],
    options: &PluginOptions,
) -> Vec<Inspection<'a>> {
    let mut trip = InspectTrip {
        progress: targets.iter().map(initial_progress).collect(),
        max_manifest_bytes: options.max_manifest_bytes() as u64,
    };
    let refuse_escape = options.symlinks() == SymlinkPolicy::RefuseEscape;
    run(
        options.window(),
        questions(targets, refuse_escape),
        &mut trip,
    )
    .await;
    trip.progress
        .into_iter()
        .map(Progress::into_inspection)
        .collect()
}

fn initial_progress<'a>(target: &'a Target<'a>) -> Progress<'a> {
    match &target.locations {
        Ok(_) => Progress::Probing,
        Err(error) => Progress::Failed(
            target
                .errors
                .invalid_manifest_path(target.root, error.clone()),
        ),
    }
}

/// The canonical root is behind the probes: a serial caller asks for it only with a manifest.
fn questions<'a>(targets: &'a [Target<'a>], refuse_escape: bool) -> Vec<Question<'a>> {
    let mut questions = Vec::new();
    for (index, target) in targets.iter().enumerate() {
        let mut ask = |step| {
            questions.push(Question {
                index,
                target,
                step,
            })
        };
        ask(Step::Root);
        for (location, path) in target.locations.iter().flatten().enumerate() {
            ask(Step::Probe { location, path });
        }
        if refuse_escape {
            ask(Step::CanonicalRoot);
        }
    }
    questions
}

impl<'a> Ask for Question<'a> {
    type Call = Call<'a>;

    fn call(self) -> Call<'a> {
        match self.step {
            Step::Root => Call::metadata(self.target.fs, self.target.root),
            Step::Probe { path, .. } => Call::metadata(self.target.fs, path),
            Step::CanonicalRoot => Call::canonicalize(self.target.fs, self.target.root),
        }
    }
}

impl<'a> Trip<Question<'a>> for InspectTrip<'a> {
    fn matters(&self, question: Question<'a>) -> bool {
        match self.progress.get(question.index) {
            Some(Progress::Probing) => true,
            Some(Progress::Chosen(_)) => matches!(question.step, Step::CanonicalRoot),
            Some(Progress::Absent | Progress::Failed(_)) | None => false,
        }
    }

    fn accept(&mut self, question: Question<'a>, answer: Answer) {
        let Some(progress) = self.progress.get_mut(question.index) else {
            return;
        };
        let next = match (question.step, answer) {
            (Step::Root, Answer::Metadata(answer)) => judge_root(question.target, answer),
            (Step::Probe { location, path }, Answer::Metadata(answer)) => judge_location(
                question.target,
                location,
                path,
                answer,
                self.max_manifest_bytes,
            ),
            (Step::CanonicalRoot, Answer::Canonical(Err(error))) => Some(Progress::Failed(
                question
                    .target
                    .errors
                    .inspect_root(question.target.root, error),
            )),
            (Step::CanonicalRoot, Answer::Canonical(Ok(path))) => {
                if let Progress::Chosen(chosen) = progress {
                    chosen.canonical_root = Some(path);
                }
                None
            }
            _ => None,
        };
        if let Some(next) = next {
            *progress = next;
        }
    }
}

/// What the root's metadata decides, if anything.
fn judge_root<'a>(target: &Target<'_>, answer: io::Result<FileMetadata>) -> Option<Progress<'a>> {
    let error = match answer {
        Ok(metadata) if metadata.is_directory => return None,
        Ok(_) => target.errors.root_not_directory(target.root),
        Err(error) => target.errors.inspect_root(target.root, error),
    };
    Some(Progress::Failed(error))
}

/// What the probe of a location decides, if anything.
fn judge_location<'a>(
    target: &Target<'_>,
    location: usize,
    path: &'a PathUri,
    answer: io::Result<FileMetadata>,
    limit: u64,
) -> Option<Progress<'a>> {
    match judge_probe(answer) {
        Ok(Some(metadata)) => Some(match metadata.size.filter(|size| *size > limit) {
            Some(size) => Progress::Failed(target.errors.manifest_too_large(path, limit, size)),
            None => Progress::Chosen(ChosenManifest {
                location,
                path,
                canonical_root: None,
            }),
        }),
        Ok(None) if target.is_last_location(location) => Some(Progress::Absent),
        Ok(None) => None,
        Err(error) => Some(Progress::Failed(
            target.errors.inspect_manifest(path, error),
        )),
    }
}

impl<'a> Progress<'a> {
    fn into_inspection(self) -> Inspection<'a> {
        match self {
            Self::Chosen(chosen) => Ok(Some(chosen)),
            Self::Absent | Self::Probing => Ok(None),
            Self::Failed(error) => Err(error),
        }
    }
}
