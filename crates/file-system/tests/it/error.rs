//! Error context, and the table of kind names.

use std::error::Error;
use std::io::{self, ErrorKind};

use codex_file_system::error::{filesystem_loop, kind_from_name, kind_name};
use codex_file_system::{EnvironmentId, FileSystemError, Operation};
use pretty_assertions::assert_eq;

use crate::support::uri;

#[test]
fn every_host_error_keeps_its_kind_through_its_name() {
    for number in 1..=133 {
        let kind = io::Error::from_raw_os_error(number).kind();
        let through_name = kind_from_name(kind_name(kind));
        if kind_name(kind) == "Other" {
            assert_eq!(through_name, ErrorKind::Other);
        } else {
            assert_eq!(through_name, kind, "error {number}");
            assert_eq!(kind_name(kind), format!("{kind:?}"), "error {number}");
        }
    }
}

#[test]
fn the_name_of_a_kind_is_its_name_in_the_standard_library() {
    let kinds = [
        ErrorKind::NotFound,
        ErrorKind::PermissionDenied,
        ErrorKind::NotADirectory,
        ErrorKind::IsADirectory,
        ErrorKind::DirectoryNotEmpty,
        ErrorKind::ReadOnlyFilesystem,
        ErrorKind::StaleNetworkFileHandle,
        ErrorKind::InvalidInput,
        ErrorKind::InvalidData,
        ErrorKind::InvalidFilename,
        ErrorKind::TimedOut,
        ErrorKind::StorageFull,
        ErrorKind::QuotaExceeded,
        ErrorKind::FileTooLarge,
        ErrorKind::ResourceBusy,
        ErrorKind::BrokenPipe,
        ErrorKind::ConnectionRefused,
        ErrorKind::ConnectionReset,
        ErrorKind::AlreadyExists,
        ErrorKind::Unsupported,
        ErrorKind::UnexpectedEof,
        ErrorKind::OutOfMemory,
        ErrorKind::Other,
    ];
    for kind in kinds {
        assert_eq!(kind_name(kind), format!("{kind:?}"));
        assert_eq!(kind_from_name(kind_name(kind)), kind);
    }
}

#[test]
fn an_unknown_name_is_other() {
    for name in [
        "",
        "notfound",
        "NotFound ",
        "Uncategorized",
        "FilesystemLoops",
    ] {
        assert_eq!(kind_from_name(name), ErrorKind::Other, "{name:?}");
    }
}

#[cfg(any(target_os = "linux", target_os = "macos", windows))]
#[test]
fn a_link_loop_has_a_kind_of_its_own() {
    assert_eq!(kind_name(filesystem_loop()), "FilesystemLoop");
    assert_eq!(kind_from_name("FilesystemLoop"), filesystem_loop());
}

#[test]
fn the_message_has_the_verb_of_the_operation() {
    let path = uri("file:///C:/a%20b");
    let messages = [
        (
            Operation::GetMetadata,
            "cannot read metadata of `file:///C:/a%20b`: entity not found",
        ),
        (
            Operation::ReadFile,
            "cannot read `file:///C:/a%20b`: entity not found",
        ),
        (
            Operation::ReadDirectory,
            "cannot list `file:///C:/a%20b`: entity not found",
        ),
        (
            Operation::Canonicalize,
            "cannot resolve `file:///C:/a%20b`: entity not found",
        ),
        (
            Operation::WriteFile,
            "cannot write `file:///C:/a%20b`: entity not found",
        ),
        (
            Operation::CreateDirectory,
            "cannot create `file:///C:/a%20b`: entity not found",
        ),
        (
            Operation::Remove,
            "cannot remove `file:///C:/a%20b`: entity not found",
        ),
        (
            Operation::Copy,
            "cannot copy `file:///C:/a%20b`: entity not found",
        ),
    ];
    for (operation, message) in messages {
        let bare = ErrorKind::NotFound.into();
        let error = FileSystemError::attach(bare, operation, &path, None);
        assert_eq!(error.to_string(), message);
        assert_eq!(error.kind(), ErrorKind::NotFound);
    }
}

#[test]
fn an_existing_payload_is_kept_and_only_a_missing_environment_is_filled_in() {
    let (near, far) = (uri("file:///near"), uri("file:///far"));
    let [first, second] = ["first", "second"].map(|id| EnvironmentId::new(id).unwrap());
    let bare = io::Error::from(ErrorKind::TimedOut);
    let error = FileSystemError::attach(bare, Operation::ReadFile, &near, None);
    let error = FileSystemError::attach(error, Operation::Copy, &far, Some(&first));
    let error = FileSystemError::attach(error, Operation::Copy, &far, Some(&second));
    let payload = FileSystemError::find(&error).unwrap();
    assert_eq!(
        (payload.operation, &payload.path, &payload.environment_id),
        (Operation::ReadFile, &near, &Some(first)),
    );
    assert_eq!(payload.source.kind(), ErrorKind::TimedOut);
}

#[test]
fn no_text_is_repeated_in_a_chain_of_causes() {
    let cause = io::Error::other(io::Error::new(ErrorKind::InvalidData, "deepest cause"));
    let path = uri("file:///a");
    let error = FileSystemError::attach(cause, Operation::ReadFile, &path, None);
    let mut chain: Vec<&dyn Error> = vec![&error];
    while let Some(cause) = chain[chain.len() - 1].source() {
        chain.push(cause);
    }
    let text = chain
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ");
    assert_eq!(text.matches("deepest cause").count(), 1, "{text}");
    assert_eq!(text.matches("file:///a").count(), 1, "{text}");
}

#[test]
fn an_error_without_a_payload_has_none_to_find() {
    assert!(FileSystemError::find(&ErrorKind::NotFound.into()).is_none());
    assert!(FileSystemError::find(&io::Error::other("text")).is_none());
}
