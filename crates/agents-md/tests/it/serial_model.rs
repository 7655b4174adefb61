//! The rules of a load as one plain loop without a future in it, to hold the loader against.
//!
//! One environment, POSIX, root searched for. Everything the loader does at the same time happens
//! here one after another: metadata of every candidate first, then reads within the budget. The
//! loader reads first and must give the same for every window, every delay and every fault.

use std::collections::HashMap;
use std::io;

use codex_agents_md::{
    DirectoryState, DocumentErrorPolicy, InstructionDiagnosticKind as Kind, InstructionsOperation,
};
use codex_file_system::{FileKind, TextPosition};
use codex_path_uri::PathUri;

use crate::scripted::Script;

use DirectoryState as State;
use InstructionsOperation as Operation;

/// Everything a load depends on.
#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    pub(crate) cwd: PathUri,
    pub(crate) markers: Vec<String>,
    pub(crate) names: Vec<String>,
    pub(crate) max_bytes: u64,
    pub(crate) policy: DocumentErrorPolicy,
    pub(crate) scripts: HashMap<PathUri, Script>,
}

/// What a load gives, as far as the model knows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Summary {
    pub(crate) documents: Vec<(PathUri, String)>,
    pub(crate) failure: Option<(Operation, PathUri, io::ErrorKind)>,
    pub(crate) diagnostics: Vec<(PathUri, Kind)>,
    pub(crate) rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) document: Option<PathUri>,
    pub(crate) state: State,
    pub(crate) raw_bytes: u64,
    pub(crate) kept_bytes: u64,
    pub(crate) lost_bytes: u64,
    pub(crate) budget_left: u64,
}

/// The loop.
pub(crate) struct Model<'a> {
    scenario: &'a Scenario,
    summary: Summary,
    remaining: u64,
}

impl<'a> Model<'a> {
    pub(crate) fn run(scenario: &'a Scenario) -> Summary {
        let mut model = Self {
            scenario,
            summary: Summary::default(),
            remaining: scenario.max_bytes,
        };
        if let Err((operation, path, kind)) = model.load() {
            model.fail(operation, path, kind);
        }
        model.summary
    }

    fn load(&mut self) -> Result<(), (Operation, PathUri, io::ErrorKind)> {
        let directories = self.find_directories()?;
        let new_row = |state| Row {
            document: None,
            state,
            raw_bytes: 0,
            kept_bytes: 0,
            lost_bytes: 0,
            budget_left: self.scenario.max_bytes,
        };
        self.summary.rows = directories
            .iter()
            .map(|_| new_row(State::NotReached))
            .collect();
        for (index, directory) in directories.iter().enumerate() {
            self.summary.rows[index].state = State::Error;
            self.summary.rows[index].document = self.choose(directory)?;
            self.summary.rows[index].state = match self.summary.rows[index].document {
                Some(_) => State::Discarded,
                None => State::None,
            };
        }
        for index in 0..directories.len() {
            if let Some(path) = self.summary.rows[index].document.clone() {
                self.read(index, &path)?;
            }
            self.summary.rows[index].budget_left = self.remaining;
        }
        Ok(())
    }

    fn find_directories(&mut self) -> Result<Vec<PathUri>, (Operation, PathUri, io::ErrorKind)> {
        let cwd = &self.scenario.cwd;
        for ancestor in cwd.ancestors() {
            for marker in &self.scenario.markers {
                let path = ancestor.join(marker).unwrap();
                match self.metadata(&path) {
                    Ok(_) => {
                        let mut directories: Vec<_> = cwd
                            .ancestors()
                            .take_while(|below| below.starts_with(&ancestor))
                            .collect();
                        directories.reverse();
                        return Ok(directories);
                    }
                    Err(io::ErrorKind::NotFound) => {}
                    Err(kind) => {
                        self.tolerate(
                            Operation::MarkerProbe,
                            Kind::MarkerProbeFailed { kind },
                            path,
                            kind,
                        )?;
                    }
                }
            }
        }
        Ok(vec![cwd.clone()])
    }

    fn choose(
        &mut self,
        directory: &PathUri,
    ) -> Result<Option<PathUri>, (Operation, PathUri, io::ErrorKind)> {
        for name in &self.scenario.names {
            let path = directory.join(name).unwrap();
            match self.metadata(&path) {
                Ok((FileKind::File, _)) => return Ok(Some(path)),
                Ok((found, _)) => {
                    self.found(Kind::CandidateNotAFile { found }, path);
                }
                Err(io::ErrorKind::NotFound) => {}
                Err(kind) => {
                    let operation = Operation::CandidateProbe;
                    self.tolerate(operation, Kind::CandidateProbeFailed { kind }, path, kind)?;
                }
            }
        }
        Ok(None)
    }

    fn read(
        &mut self,
        index: usize,
        path: &PathUri,
    ) -> Result<(), (Operation, PathUri, io::ErrorKind)> {
        let script = &self.scenario.scripts[path];
        let size = script.metadata.as_ref().unwrap().size;
        self.set(index, State::Error, size.unwrap_or(0), 0, 0);
        if self.remaining == 0 {
            self.set(
                index,
                State::OverBudget,
                size.unwrap_or(0),
                0,
                size.unwrap_or(0),
            );
            if size != Some(0) {
                let kind = Kind::DocumentOverBudget {
                    raw_bytes: size,
                    lost_bytes: size,
                };
                self.found(kind, path.clone());
            }
            return Ok(());
        }
        let bytes = match &script.contents {
            Ok(bytes) => bytes,
            Err(kind) => {
                let operation = Operation::ReadDocument;
                let found = Kind::DocumentUnreadable { kind: *kind };
                return self.tolerate(operation, found, path.clone(), *kind);
            }
        };
        self.judge(index, path, bytes, size);
        Ok(())
    }

    fn judge(&mut self, index: usize, path: &PathUri, bytes: &[u8], size: Option<u64>) {
        let budget_before = self.remaining;
        let length = bytes.len() as u64;
        let kept = &bytes[..bytes.len().min(usize::try_from(budget_before).unwrap())];
        let kept_bytes = kept.len() as u64;
        let is_cut = kept_bytes < length;
        let raw_bytes = size
            .filter(|size| is_cut && *size > budget_before)
            .unwrap_or(length);
        let lost_bytes = raw_bytes - kept_bytes;
        let text = String::from_utf8_lossy(kept);
        if text.trim().is_empty() {
            let (lost, kind) = if is_cut {
                let lost_bytes = raw_bytes;
                let kind = Kind::BlankAfterCut {
                    raw_bytes,
                    lost_bytes,
                };
                (raw_bytes, kind)
            } else {
                (0, Kind::BlankDocument { raw_bytes })
            };
            self.set(index, State::Blank, raw_bytes, 0, lost);
            self.found(kind, path.clone());
            return;
        }
        self.remaining -= kept_bytes;
        let spelled = |text: &str| text.matches('\u{FFFD}').count() as u64;
        // The scenario's contents spell no U+FFFD, so each one stands for invalid bytes. One that
        // goes when a character's last bytes are added is the cut's own.
        let splits_character = is_cut
            && [0x80, 0x90, 0xA0].into_iter().any(|byte: u8| {
                let longer = |more| [kept, &[byte; 3][..more]].concat();
                (1..=3)
                    .any(|more| spelled(&String::from_utf8_lossy(&longer(more))) < spelled(&text))
            });
        let (state, path) = (
            if is_cut { State::Cut } else { State::Loaded },
            path.clone(),
        );
        self.set(index, state, raw_bytes, kept_bytes, lost_bytes);
        if is_cut {
            let kind = Kind::DocumentTruncated {
                raw_bytes,
                kept_bytes,
                lost_bytes,
                splits_character,
                budget_before,
            };
            self.found(kind, path.clone());
        }
        let replacement_characters = spelled(&text) - u64::from(splits_character);
        if replacement_characters > 0 {
            let kind = Kind::InvalidUtf8 {
                replacement_characters,
                encoding: None,
            };
            self.found(kind, path.clone());
        }
        if let Some((before, _)) = text.split_once("<INSTRUCTIONS>") {
            let line = before.matches('\n').count() + 1;
            let column = before
                .chars()
                .rev()
                .take_while(|character| *character != '\n')
                .count()
                + 1;
            let position = TextPosition {
                line: u32::try_from(line).unwrap(),
                column: u32::try_from(column).unwrap(),
            };
            self.found(Kind::WrapperTagInDocument { position }, path.clone());
        }
        self.summary.documents.push((path, text.into_owned()));
    }

    /// What a failure does under the policy.
    fn tolerate(
        &mut self,
        operation: Operation,
        found: Kind,
        path: PathUri,
        kind: io::ErrorKind,
    ) -> Result<(), (Operation, PathUri, io::ErrorKind)> {
        match self.scenario.policy {
            DocumentErrorPolicy::FailEnvironment => Err((operation, path, kind)),
            DocumentErrorPolicy::KeepReadable => {
                self.found(found, path);
                Ok(())
            }
        }
    }

    fn fail(&mut self, operation: Operation, path: PathUri, kind: io::ErrorKind) {
        self.found(Kind::EnvironmentFailed { operation, kind }, path.clone());
        self.summary.documents.clear();
        for row in &mut self.summary.rows {
            row.budget_left = self.scenario.max_bytes;
            let size = row
                .document
                .as_ref()
                .map(|path| &self.scenario.scripts[path].metadata);
            let size = size
                .and_then(|metadata| metadata.as_ref().unwrap().size)
                .unwrap_or(0);
            match row.state {
                // Chosen and not read.
                State::Discarded => (row.raw_bytes, row.lost_bytes) = (size, size),
                State::Loaded | State::Cut => {
                    row.state = State::Discarded;
                    (row.kept_bytes, row.lost_bytes) = (0, row.raw_bytes);
                }
                _ => {}
            }
        }
        self.summary.failure = Some((operation, path, kind));
    }

    fn metadata(&self, path: &PathUri) -> Result<(FileKind, Option<u64>), io::ErrorKind> {
        match self.scenario.scripts.get(path) {
            Some(script) => script
                .metadata
                .clone()
                .map(|metadata| (metadata.kind, metadata.size)),
            None => Err(io::ErrorKind::NotFound),
        }
    }

    fn found(&mut self, kind: Kind, path: PathUri) {
        self.summary.diagnostics.push((path, kind));
    }

    fn set(&mut self, index: usize, state: State, raw: u64, kept: u64, lost: u64) {
        let row = &mut self.summary.rows[index];
        row.state = state;
        (row.raw_bytes, row.kept_bytes, row.lost_bytes) = (raw, kept, lost);
    }
}
