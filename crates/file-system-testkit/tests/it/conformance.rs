//! The suite itself: which cases it has, what it skips, and that it loses patience.

use std::future::{pending, ready};
use std::io::ErrorKind;
use std::sync::atomic::{AtomicUsize, Ordering};

use codex_file_system::{
    CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, FileMetadata, FileSystemFuture,
    FileSystemSandboxContext, Operation, ReadDirectoryEntry, RemoveOptions,
};
use codex_file_system_testkit::conformance::{
    Built, CASES, MemorySubject, Need, Subject, Verdict, examine, trials,
};
use codex_file_system_testkit::{Fault, Faulty, Flavor, MemoryFileSystem};
use codex_path_uri::PathUri;
use libtest_mimic::Arguments;
use pretty_assertions::assert_eq;

/// The names of the contract, group by group.
const NAMES: &str = "
    stat_file stat_directory stat_empty_file_size_zero stat_missing_is_not_found
    stat_below_missing_is_not_found stat_below_file_is_not_a_directory
    stat_unreadable_file_succeeds stat_in_unsearchable_directory_is_denied stat_root
    stat_fifo_is_other stat_flags_agree_with_kind

    read_bytes_exactly read_empty read_binary_256 read_missing_is_not_found
    read_directory_is_a_directory read_below_file_is_not_a_directory read_unreadable_is_denied
    read_fifo_does_not_block read_above_limit_is_too_large read_text_invalid_utf8_is_invalid_data
    read_prefix_shorter read_prefix_longer_is_complete read_prefix_exact
    read_prefix_wrong_size_hint read_prefix_zero

    list_sorted list_empty list_kinds list_file_is_not_a_directory list_missing_is_not_found
    list_denied list_unsearchable_keeps_kinds list_thousand_entries list_agrees_with_stat

    stat_live_link stat_link_to_directory stat_link_without_target_is_not_found
    stat_loop_is_filesystem_loop read_through_chain read_loop list_through_link list_loop
    list_marks_live_links list_names_all_broken_links_or_none
    only_a_link_is_told_as_a_broken_link canonicalize_file canonicalize_link canonicalize_parent_link
    canonicalize_twice_is_stable canonicalize_missing canonicalize_loop
    relative_link_resolves_from_its_own_directory
    absolute_link_below_a_directory_resolves_from_the_root

    name_with_space_percent_hash name_with_backslash_posix name_not_ascii
    name_not_utf8_listed_and_read name_lone_surrogate_windows case_folding_windows_keeps_spelling
    foreign_convention_is_invalid_input nul_is_invalid_input

    write_new write_replaces write_missing_parent write_onto_directory write_through_link
    write_denied create_recursive create_existing create_existing_not_recursive create_over_file
    create_missing_parent_not_recursive remove_file remove_link_keeps_target remove_not_empty
    remove_recursive_does_not_follow_links remove_missing_force remove_missing_not_force
    copy_file copy_link_as_link copy_directory_needs_recursive copy_directory copy_into_itself
    copy_fifo copy_missing

    walk_order walk_depth_zero walk_limits_truncate walk_limits_out_of_range
    walk_loop_enters_once walk_unreadable_directory_is_an_error_entry walk_without_links
    walk_prunes_hidden walk_file_root walk_equals_default_body

    no_io_before_first_poll hundred_calls_in_flight drop_stops_new_calls
    sandbox_restricted_is_enforced_or_unsupported sandbox_denies_before_existence
    sandbox_link_out_of_root_is_denied sandbox_longest_entry_wins error_kind_survives
";

#[test]
fn the_suite_has_the_cases_of_the_contract() {
    let names: Vec<_> = CASES.iter().map(|case| case.name).collect();
    assert_eq!(names, NAMES.split_whitespace().collect::<Vec<_>>());
}

fn verdict(subject: &dyn Subject, name: &str) -> Verdict {
    let case = CASES.iter().find(|case| case.name == name).unwrap();
    subject.runtime().unwrap().block_on(examine(subject, case))
}

/// A filesystem that takes no content.
fn read_only(memory: MemoryFileSystem) -> Faulty<MemoryFileSystem> {
    let refused = Fault::error(ErrorKind::ReadOnlyFilesystem);
    Faulty::new(memory).on(refused.of(Operation::WriteFile))
}

#[test]
fn a_case_is_skipped_with_the_reason_the_subject_states() {
    let museum = MemorySubject::new(Flavor::Posix)
        .wrapped(read_only)
        .lacking(Need::Writes, "a museum")
        .excused("stat_root", "no way out");
    let skipped = |reason: &str| Verdict::Skipped(reason.to_owned());
    assert_eq!(
        verdict(&museum, "write_new"),
        skipped("needs Writes: a museum")
    );
    assert_eq!(
        verdict(&museum, "name_lone_surrogate_windows"),
        skipped("needs WindowsNames: a POSIX filesystem")
    );
    assert_eq!(verdict(&museum, "stat_root"), skipped("no way out"));
    assert_eq!(verdict(&museum, "stat_file"), Verdict::Passed);
}

#[test]
fn what_is_lacking_and_not_stated_is_a_failure() {
    let museum = MemorySubject::new(Flavor::Posix).wrapped(read_only);
    let Verdict::Failed(failure) = verdict(&museum, "write_new") else {
        unreachable!("a read-only filesystem writes nothing")
    };
    let text = failure.to_string();
    assert!(
        text.contains("write.rs") && text.contains("ReadOnlyFilesystem"),
        "{text}"
    );
}

#[test]
fn trials_count_what_they_skip() {
    let arguments = Arguments {
        quiet: true,
        ..Arguments::default()
    };
    let run = |expected_skips| {
        let trials = trials(
            "windows",
            MemorySubject::new(Flavor::Windows),
            expected_skips,
        );
        let names: Vec<_> = trials.iter().map(|trial| trial.name().to_owned()).collect();
        assert_eq!(names.first().unwrap(), "windows::stat_file");
        assert_eq!(names.last().unwrap(), "windows::skips");
        let conclusion = libtest_mimic::run(&arguments, trials);
        (
            conclusion.num_passed,
            conclusion.num_ignored,
            conclusion.num_failed,
        )
    };
    let all = CASES.len() as u64 + 1;
    assert_eq!(run(2), (all - 2, 2, 0));
    assert_eq!(run(3), (all - 3, 2, 1));
}

/// A subject that is never ready.
struct Silent(AtomicUsize);

impl Subject for Silent {
    fn build<'a>(&'a self, _: &'a str) -> Built<'a> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(pending())
    }

    fn lacks(&self, _: Need) -> Option<&str> {
        None
    }

    fn runtime(&self) -> std::io::Result<tokio::runtime::Runtime> {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
    }
}

#[test]
fn a_case_that_never_ends_has_failed() {
    let silent = Silent(AtomicUsize::new(0));
    assert!(matches!(verdict(&silent, "stat_file"), Verdict::Failed(_)));
    assert_eq!(silent.0.into_inner(), 1);
}

/// The memory filesystem behind a protocol that knows no sandbox and says so.
struct Unsandboxed(MemoryFileSystem);

macro_rules! refusing_sandboxes {
    ($($method:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {$(
        fn $method<'a>(
            &'a self,
            path: &'a PathUri,
            $($argument: $type,)*
            sandbox: Option<&'a FileSystemSandboxContext>,
        ) -> FileSystemFuture<'a, $answer> {
            if sandbox.is_some_and(|sandbox| sandbox.restrictions().is_some()) {
                return Box::pin(ready(Err(ErrorKind::Unsupported.into())));
            }
            self.0.$method(path, $($argument,)* sandbox)
        }
    )*};
}

impl ExecutorFileSystem for Unsandboxed {
    refusing_sandboxes! {
        get_metadata() -> FileMetadata;
        read_file() -> Vec<u8>;
        read_directory() -> Vec<ReadDirectoryEntry>;
        canonicalize() -> PathUri;
        write_file(contents: Vec<u8>) -> ();
        create_directory(options: CreateDirectoryOptions) -> ();
        remove(options: RemoveOptions) -> ();
        copy(destination: &'a PathUri, options: CopyOptions) -> ();
    }
}

#[test]
fn a_filesystem_may_refuse_every_sandbox() {
    let unsandboxed = MemorySubject::new(Flavor::Posix)
        .wrapped(Unsandboxed)
        .lacking(Need::Sandbox, "the protocol knows no sandbox");
    let rule = "sandbox_restricted_is_enforced_or_unsupported";
    assert_eq!(verdict(&unsandboxed, rule), Verdict::Passed);
}
