//! The rules of a load as one plain loop without a future in it, to hold the loader against.
//!
//! One environment, POSIX, root searched for. Everything the loader does at the same time happens
//! here one after another; the loader must give the same for every window and every delay.

use std::collections::HashMap;
use std::io;

use codex_agents_md::{
    DirectoryState, DocumentErrorPolicy, InstructionDetails, InstructionDiagnosticCode,
    InstructionsOperation,
};
use codex_file_system::FileKind;
use codex_path_uri::PathUri;

use crate::scripted::Script;

use DirectoryState as State;
use InstructionDetails as Details;
use InstructionDiagnosticCode as Code;
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
    pub(crate) diagnostics: Vec<(Code, PathUri, Details)>,
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
    pub(crate) candidate_probes: u64,
    pub(crate) reads: u64,
}

impl<'a> Model<'a> {
    pub(crate) fn run(scenario: &'a Scenario) -> (Summary, Self) {
        let mut model = Self {
            scenario,
            summary: Summary::default(),
            remaining: scenario.max_bytes,
            candidate_probes: 0,
            reads: 0,
        };
        if let Err((operation, path, kind)) = model.load() {
            model.fail(operation, path, kind);
        }
        (std::mem::take(&mut model.summary), model)
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
                        self.tolerate(Operation::MarkerProbe, Code::MarkerProbeFailed, path, kind)?;
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
            self.candidate_probes += 1;
            match self.metadata(&path) {
                Ok((FileKind::File, _)) => return Ok(Some(path)),
                Ok((found, _)) => {
                    self.found(Code::CandidateNotAFile, path, Details::NotAFile { found });
                }
                Err(io::ErrorKind::NotFound) => {}
                Err(kind) => {
                    let operation = Operation::CandidateProbe;
                    self.tolerate(operation, Code::CandidateProbeFailed, path, kind)?;
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
                let details = Details::Lost {
                    raw_bytes: size,
                    lost_bytes: size,
                };
                self.found(Code::DocumentOverBudget, path.clone(), details);
            }
            return Ok(());
        }
        self.reads += 1;
        let bytes = match &script.contents {
            Ok(bytes) => bytes,
            Err(io::ErrorKind::NotFound) => {
                self.set(index, State::Vanished, 0, 0, 0);
                self.found(Code::DocumentVanished, path.clone(), Details::None);
                return Ok(());
            }
            Err(kind) => {
                let operation = Operation::ReadDocument;
                return self.tolerate(operation, Code::DocumentUnreadable, path.clone(), *kind);
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
            let (code, lost, details) = if is_cut {
                let bytes = Some(raw_bytes);
                let details = Details::Lost {
                    raw_bytes: bytes,
                    lost_bytes: bytes,
                };
                (Code::BlankAfterCut, raw_bytes, details)
            } else {
                (Code::BlankDocument, 0, Details::Blank { raw_bytes })
            };
            self.set(index, State::Blank, raw_bytes, 0, lost);
            self.found(code, path.clone(), details);
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
            let details = Details::Cut {
                raw_bytes,
                kept_bytes,
                lost_bytes,
                splits_character,
                budget_before,
            };
            self.found(Code::DocumentTruncated, path.clone(), details);
        }
        let replacement_characters = spelled(&text) - u64::from(splits_character);
        if replacement_characters > 0 {
            let details = Details::Replaced {
                replacement_characters,
            };
            self.found(Code::InvalidUtf8, path.clone(), details);
        }
        if text.contains("<INSTRUCTIONS>") {
            self.found(Code::WrapperTagInDocument, path.clone(), Details::None);
        }
        self.summary.documents.push((path, text.into_owned()));
    }

    /// What a failure does under the policy.
    fn tolerate(
        &mut self,
        operation: Operation,
        code: Code,
        path: PathUri,
        kind: io::ErrorKind,
    ) -> Result<(), (Operation, PathUri, io::ErrorKind)> {
        match self.scenario.policy {
            DocumentErrorPolicy::FailEnvironment => Err((operation, path, kind)),
            DocumentErrorPolicy::KeepReadable => {
                self.found(code, path, Details::Failure { kind });
                Ok(())
            }
        }
    }

    fn fail(&mut self, operation: Operation, path: PathUri, kind: io::ErrorKind) {
        let details = Details::EnvironmentFailure { operation, kind };
        self.found(Code::EnvironmentFailed, path.clone(), details);
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

    fn found(&mut self, code: Code, path: PathUri, details: Details) {
        self.summary.diagnostics.push((code, path, details));
    }

    fn set(&mut self, index: usize, state: State, raw: u64, kept: u64, lost: u64) {
        let row = &mut self.summary.rows[index];
        row.state = state;
        (row.raw_bytes, row.kept_bytes, row.lost_bytes) = (raw, kept, lost);
    }
}
