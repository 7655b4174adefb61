//! Writing a file and creating a directory.

use std::io;

use codex_file_system::CreateDirectoryOptions;
use codex_path_uri::{FileName, PathUri};

use crate::contents::Contents;
use crate::memory::access::{Need, Sandbox};
use crate::memory::location::Location;
use crate::memory::node::{Directory, File, Node};
use crate::memory::resolve::LastLink;
use crate::memory::tree::Tree;

impl Tree {
    pub(super) fn write(
        &mut self,
        path: &PathUri,
        contents: Vec<u8>,
        sandbox: Sandbox<'_>,
    ) -> io::Result<()> {
        let location = Location::from_uri(self.flavor, path)?;
        self.authorize(sandbox, &Need::write(&location))?;
        let target = match self.resolve(&location, LastLink::Follow) {
            Ok(resolved) => match resolved.node {
                Node::File(file) if file.mode.is_writable() => Some(resolved.location()),
                Node::File(_) => return Err(io::ErrorKind::PermissionDenied.into()),
                Node::Directory(_) => return Err(io::ErrorKind::IsADirectory.into()),
                Node::Other(_) | Node::Link(_) => return Err(io::ErrorKind::InvalidInput.into()),
            },
            Err(unresolved) => {
                // A link to a name that does not exist creates that name, as `open` does.
                let Some((directory, name)) = unresolved.missing_child() else {
                    return Err(unresolved.error());
                };
                let name = name.clone();
                self.create(&directory, name, Node::File(File::new(contents.into())))?;
                return Ok(());
            }
        };
        if let Some(Node::File(file)) = target.and_then(|target| self.node_mut(&target)) {
            file.contents = Contents::from(contents);
        }
        Ok(())
    }

    pub(super) fn create_directory(
        &mut self,
        path: &PathUri,
        options: CreateDirectoryOptions,
        sandbox: Sandbox<'_>,
    ) -> io::Result<()> {
        let location = Location::from_uri(self.flavor, path)?;
        self.authorize(sandbox, &Need::change_name(&location))?;
        if options.recursive {
            self.make_directories(location)
        } else {
            self.make_directory(&location)
        }
    }

    /// Creates a directory whose parent exists.
    pub(super) fn make_directory(&mut self, location: &Location) -> io::Result<()> {
        match self.resolve(location, LastLink::Keep) {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(unresolved) => {
                let Some((parent, name)) = unresolved.missing_child() else {
                    return Err(unresolved.error());
                };
                let name = name.clone();
                self.create(&parent, name, Node::Directory(Directory::new()))
            }
        }
    }

    /// Creates a directory and its missing parents; one that exists is fine.
    fn make_directories(&mut self, location: Location) -> io::Result<()> {
        let mut missing = Vec::new();
        let mut at = location;
        loop {
            match self.make_directory(&at) {
                Ok(()) => break,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    if !self.leads_to_directory(&at) {
                        return Err(error);
                    }
                    break;
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let (parent, name) = at.split_last().ok_or(error)?;
                    missing.push(name);
                    at = parent;
                }
                Err(error) => return Err(error),
            }
        }
        while let Some(name) = missing.pop() {
            at.names.push(name);
            self.make_directory(&at)?;
        }
        Ok(())
    }

    fn leads_to_directory(&self, location: &Location) -> bool {
        let resolved = self.resolve(location, LastLink::Follow);
        matches!(
            resolved.map(|resolved| resolved.node),
            Ok(Node::Directory(_))
        )
    }

    /// Adds a name to a real directory.
    pub(super) fn create(
        &mut self,
        directory: &Location,
        name: FileName,
        node: Node,
    ) -> io::Result<()> {
        self.check_changeable(directory)?;
        self.put(directory, name, node);
        Ok(())
    }

    /// Checks that names may be added to a real directory and taken away from it.
    pub(super) fn check_changeable(&self, directory: &Location) -> io::Result<()> {
        match self
            .resolve(directory, LastLink::Keep)
            .map(|resolved| resolved.node)
        {
            Ok(Node::Directory(directory)) if directory.is_changeable() => Ok(()),
            Ok(Node::Directory(_)) => Err(io::ErrorKind::PermissionDenied.into()),
            Ok(_) => Err(io::ErrorKind::NotADirectory.into()),
            Err(gone) => Err(gone.error()),
        }
    }
}
