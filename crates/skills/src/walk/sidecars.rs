//! Where the sidecar of a skill is: in a listing, or below a directory that is not listed.
//!
//! The sidecar directory is walked like any other, so its listing tells without a further call. Only
//! where it is not listed - too deep, beyond a limit, a link under the System root - the file is
//! read unseen.

use codex_file_system::FileKind;

use super::EnvironmentWalk;
use super::root::{LocationId, RootId};
use super::skills::{SidecarPlace, SidecarState, SkillId};
use crate::limits::{SIDECAR_DIRECTORY, SIDECAR_FILE_NAME};

impl EnvironmentWalk {
    /// Looks for the sidecar of a skill in a location that has had its turn.
    pub(super) fn see_sidecar(&mut self, id: RootId, skill: Option<SkillId>, location: LocationId) {
        let (Some(skill), Some(root)) = (skill, self.roots.get_mut(id)) else {
            return;
        };
        let Some(directory) = root.locations.get_mut(location) else {
            return;
        };
        match directory.sidecar {
            Some(FileKind::File) => {
                let Ok(path) = directory.path.join(SIDECAR_FILE_NAME) else {
                    return;
                };
                // Several skills may share one sidecar directory through links.
                let known = directory.read_sidecar;
                let sidecar = known.unwrap_or_else(|| {
                    let (sidecar, call) = root.skills.read_sidecar(id, path);
                    self.ready.add([call]);
                    sidecar
                });
                directory.read_sidecar = Some(sidecar);
                let state = SidecarState::File(SidecarPlace::In(location), sidecar);
                root.skills.set_sidecar(skill, state);
            }
            Some(FileKind::Directory) => {
                root.skills
                    .set_sidecar(skill, SidecarState::Directory(location));
            }
            Some(FileKind::Other | FileKind::BrokenLink) | None => {}
        }
    }

    /// Reads the sidecar of a skill whose sidecar directory is not listed.
    pub(super) fn read_unseen_sidecar(&mut self, id: RootId, skill: Option<SkillId>) {
        let (Some(skill), Some(root)) = (skill, self.roots.get_mut(id)) else {
            return;
        };
        let found = root.skills.found.get(skill);
        let directory = found.and_then(|found| root.locations.get(found.location));
        let path = directory.and_then(|directory| {
            let sidecars = directory.path.join(SIDECAR_DIRECTORY).ok()?;
            sidecars.join(SIDECAR_FILE_NAME).ok()
        });
        let Some(path) = path else { return };
        let (sidecar, call) = root.skills.read_sidecar(id, path);
        root.skills
            .set_sidecar(skill, SidecarState::File(SidecarPlace::Unseen, sidecar));
        self.ready.add([call]);
    }
}
