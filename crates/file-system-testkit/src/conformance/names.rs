//! Names: every name that a listing tells reaches its entry, whatever it holds, and a path this
//! machine cannot name is refused.

use std::io::ErrorKind;

use codex_file_system::{FileKind, ReadDirectoryEntry};
use codex_path_uri::{FileName, PathConvention, PathUri};

use crate::conformance::case::{CaseResult, cases};
use crate::conformance::check::{Failure, check, check_error, check_listing};
use crate::conformance::subject::{Fixture, Subject};

cases![
    name_with_space_percent_hash,
    name_with_backslash_posix[NonUtf8],
    name_not_ascii,
    name_not_utf8_listed_and_read[NonUtf8],
    name_lone_surrogate_windows[WindowsNames],
    case_folding_windows_keeps_spelling[WindowsNames],
    foreign_convention_is_invalid_input,
    nul_is_invalid_input,
];

/// Expects the one file of the directory `d` to have this name, and to be reached by it.
async fn check_only_file(fs: &Fixture, name: FileName, contents: &str) -> Result<(), Failure> {
    let directory = fs.at("d")?;
    let path = directory.join_name(&name)?;
    let entry = ReadDirectoryEntry::new(name, FileKind::File).with_is_symlink(Some(false));
    check_listing(fs.list("d").await, vec![entry])?;

    let filesystem = fs.filesystem();
    check(
        filesystem.get_metadata(&path, None).await?.kind,
        FileKind::File,
    )?;
    check(
        filesystem.read_file_text(&path, None).await?,
        contents.to_owned(),
    )?;
    let canonical = filesystem.canonicalize(&path, None).await?;
    check(
        filesystem.read_file_text(&canonical, None).await?,
        contents.to_owned(),
    )?;
    check(canonical.file_name(), path.file_name())
}

async fn name_with_space_percent_hash(subject: &dyn Subject) -> CaseResult {
    let fs = subject
        .build("d/%20a b %2541#%2520;%26%20 = contents")
        .await?;
    check_only_file(&fs, fs.name(" a b %41#%20;& ")?, "contents").await
}

async fn name_with_backslash_posix(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/back%5Cslash = contents").await?;
    check_only_file(&fs, fs.name("back\\slash")?, "contents").await
}

async fn name_not_ascii(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/é-中-𝄞 = contents").await?;
    check_only_file(&fs, fs.name("é-中-𝄞")?, "contents").await?;
    // No form of Unicode normalisation is applied: this is an `e` and a combining accent.
    let fs = subject.build("d/e%CC%81 = contents").await?;
    check_only_file(&fs, fs.name("e\u{301}")?, "contents").await
}

async fn name_not_utf8_listed_and_read(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/bad%FF%FEname = contents").await?;
    let name = FileName::from_posix_bytes(b"bad\xFF\xFEname".to_vec())?;
    check_only_file(&fs, name, "contents").await?;
    let fs = subject.build("d%FF/a.txt = contents").await?;
    let path = fs.base().join_native_bytes(b"d\xFF/a.txt")?;
    check(
        fs.filesystem().read_file_text(&path, None).await?,
        "contents".to_owned(),
    )
}

async fn name_lone_surrogate_windows(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/a%ED%A0%80b = contents").await?;
    let name = FileName::from_windows_units(&[0x61, 0xD800, 0x62])?;
    check_only_file(&fs, name, "contents").await
}

async fn case_folding_windows_keeps_spelling(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("Dir/ReadMe.TXT = contents").await?;
    check(
        fs.read_text("dIR/readme.txt").await,
        Ok("contents".to_owned()),
    )?;
    let entry = ReadDirectoryEntry::new(fs.name("ReadMe.TXT")?, FileKind::File);
    check_listing(
        fs.list("DIR").await,
        vec![entry.with_is_symlink(Some(false))],
    )?;
    check(
        fs.canonicalize("dir/README.txt").await,
        fs.real("Dir/ReadMe.TXT").await,
    )
}

/// Expects every reading call on this path to be refused as one that cannot be named.
async fn check_unnameable(fs: &Fixture, path: &PathUri) -> Result<(), Failure> {
    let filesystem = fs.filesystem();
    let kinds = [
        filesystem.get_metadata(path, None).await.map(drop),
        filesystem.read_file(path, None).await.map(drop),
        filesystem.read_file_text(path, None).await.map(drop),
        filesystem
            .read_file_prefix(path, 8, None, None)
            .await
            .map(drop),
        filesystem.read_directory(path, None).await.map(drop),
        filesystem.canonicalize(path, None).await.map(drop),
    ];
    for kind in kinds {
        check_error(kind.map_err(|error| error.kind()), ErrorKind::InvalidInput)?;
    }
    Ok(())
}

async fn foreign_convention_is_invalid_input(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = hello").await?;
    let foreign = match fs.convention() {
        PathConvention::Posix => [
            "file:///C:/",
            "file:///C:/a.txt",
            "file://server/share/a.txt",
        ],
        PathConvention::Windows => ["file:///", "file:///a.txt", "file:///c/a.txt"],
    };
    for path in foreign {
        check_unnameable(&fs, &PathUri::parse(path)?).await?;
    }
    Ok(())
}

async fn nul_is_invalid_input(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = hello").await?;
    let text = match fs.convention() {
        PathConvention::Posix => "/a.txt\0",
        PathConvention::Windows => "C:\\a.txt\0",
    };
    check_unnameable(&fs, &PathUri::from_native(text, fs.convention())?).await
}
