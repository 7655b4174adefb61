//! Each saboteur is caught, by exactly the cases that its mistake breaks.

use codex_file_system_testkit::conformance::{CASES, Subject, Verdict, examine};
use codex_file_system_testkit::saboteurs::{SABOTEURS, Saboteur};
use pretty_assertions::assert_eq;

/// The cases that a saboteur fails, in the order of the suite.
fn caught_by(saboteur: &Saboteur) -> Vec<&'static str> {
    let is_failed = |verdict| matches!(verdict, Verdict::Failed(_));
    let runtime = saboteur.runtime().unwrap();
    CASES
        .iter()
        .filter(|case| is_failed(runtime.block_on(examine(saboteur, case))))
        .map(|case| case.name)
        .collect()
}

macro_rules! caught {
    ($($test:ident: $name:literal => [$($case:ident)+];)+) => {$(
        #[test]
        fn $test() {
            let saboteur = SABOTEURS.iter().find(|saboteur| saboteur.name == $name).unwrap();
            assert_eq!(caught_by(saboteur), [$(stringify!($case)),+]);
        }
    )+

    #[test]
    fn no_saboteur_is_left_out() {
        let names: Vec<_> = SABOTEURS.iter().map(|saboteur| saboteur.name).collect();
        assert_eq!(names, [$($name),+]);
    }};
}

caught! {
    denied_as_not_found: "DeniedAsNotFound" => [
        stat_in_unsearchable_directory_is_denied
        read_unreadable_is_denied
        list_denied
        write_denied
        sandbox_restricted_is_enforced_or_unsupported
        sandbox_denies_before_existence
        sandbox_link_out_of_root_is_denied
        sandbox_longest_entry_wins
    ];
    not_a_directory_as_not_found: "NotADirectoryAsNotFound" => [
        stat_below_file_is_not_a_directory
        read_below_file_is_not_a_directory
        list_file_is_not_a_directory
        canonicalize_missing
        write_missing_parent
        error_kind_survives
    ];
    loop_as_not_found: "LoopAsNotFound" => [
        stat_loop_is_filesystem_loop
        read_loop
        list_loop
        canonicalize_loop
        walk_loop_enters_once
    ];
    loop_as_other: "LoopAsOther" => [
        stat_loop_is_filesystem_loop
        read_loop
        list_loop
        canonicalize_loop
        walk_loop_enters_once
    ];
    missing_as_other: "MissingAsOther" => [
        stat_missing_is_not_found
        stat_below_missing_is_not_found
        read_missing_is_not_found
        list_missing_is_not_found
        stat_link_without_target_is_not_found
        canonicalize_missing
        canonicalize_loop
        write_missing_parent
        write_denied
        create_missing_parent_not_recursive
        remove_file
        remove_link_keeps_target
        remove_not_empty
        remove_recursive_does_not_follow_links
        remove_missing_not_force
        copy_directory_needs_recursive
        copy_into_itself
        copy_fifo
        copy_missing
        walk_file_root
        no_io_before_first_poll
        sandbox_restricted_is_enforced_or_unsupported
        sandbox_denies_before_existence
        error_kind_survives
    ];
    unsorted_listing: "UnsortedListing" => [
        list_sorted
        list_kinds
        list_unsearchable_keeps_kinds
        list_thousand_entries
        list_marks_live_links
        walk_equals_default_body
    ];
    duplicate_entry: "DuplicateEntry" => [
        list_sorted
        list_kinds
        list_denied
        list_unsearchable_keeps_kinds
        list_thousand_entries
        list_agrees_with_stat
        list_through_link
        list_marks_live_links
        name_with_space_percent_hash
        name_with_backslash_posix
        name_not_ascii
        name_not_utf8_listed_and_read
        walk_equals_default_body
        no_io_before_first_poll
    ];
    lists_dot_entries: "ListsDotEntries" => [
        list_sorted
        list_kinds
        list_denied
        list_unsearchable_keeps_kinds
        list_thousand_entries
        list_agrees_with_stat
        list_through_link
        list_marks_live_links
        name_with_space_percent_hash
        name_with_backslash_posix
        name_not_ascii
        name_not_utf8_listed_and_read
        walk_equals_default_body
        no_io_before_first_poll
    ];
    link_kind_instead_of_target: "LinkKindInsteadOfTarget" => [
        stat_live_link
        stat_link_to_directory
        list_marks_live_links
        write_through_link
        walk_equals_default_body
    ];
    link_size_instead_of_target: "LinkSizeInsteadOfTarget" => [
        stat_live_link
        write_through_link
    ];
    never_link: "NeverLink" => [
        stat_live_link
        stat_link_to_directory
        list_marks_live_links
        write_through_link
        copy_link_as_link
        walk_equals_default_body
    ];
    always_link: "AlwaysLink" => [
        stat_file
        stat_directory
        stat_empty_file_size_zero
        stat_unreadable_file_succeeds
        stat_root
        stat_fifo_is_other
        read_above_limit_is_too_large
        list_sorted
        list_kinds
        list_unsearchable_keeps_kinds
        list_thousand_entries
        stat_link_to_directory
        list_marks_live_links
        name_with_space_percent_hash
        name_with_backslash_posix
        name_not_ascii
        name_not_utf8_listed_and_read
        walk_equals_default_body
    ];
    lossy_names: "LossyNames" => [
        name_not_utf8_listed_and_read
    ];
    lowercases_names: "LowercasesNames" => [
        list_sorted
        list_agrees_with_stat
    ];
    trims_names: "TrimsNames" => [
        list_agrees_with_stat
        name_with_space_percent_hash
    ];
    canonicalize_is_identity: "CanonicalizeIsIdentity" => [
        canonicalize_link
        canonicalize_parent_link
        walk_equals_default_body
    ];
    canonicalize_missing_succeeds: "CanonicalizeMissingSucceeds" => [
        canonicalize_missing
        canonicalize_loop
        error_kind_survives
    ];
    relative_link_from_root: "RelativeLinkFromRoot" => [
        relative_link_resolves_from_its_own_directory
        walk_loop_enters_once
        walk_without_links
    ];
    reads_directory_as_empty: "ReadsDirectoryAsEmpty" => [
        read_directory_is_a_directory
        error_kind_survives
    ];
    drops_last_byte: "DropsLastByte" => [
        read_bytes_exactly
        read_binary_256
        read_text_invalid_utf8_is_invalid_data
        read_through_chain
        no_io_before_first_poll
    ];
    lossy_text: "LossyText" => [
        read_text_invalid_utf8_is_invalid_data
        error_kind_survives
    ];
    prefix_ignores_limit: "PrefixIgnoresLimit" => [
        read_prefix_shorter
        read_prefix_wrong_size_hint
        read_prefix_zero
    ];
    write_drops_existing: "WriteDropsExisting" => [
        write_onto_directory
        write_through_link
        write_denied
        sandbox_link_out_of_root_is_denied
    ];
    remove_follows_link: "RemoveFollowsLink" => [
        remove_link_keeps_target
    ];
    remove_missing_fails: "RemoveMissingFails" => [
        remove_missing_force
    ];
    copy_follows_link: "CopyFollowsLink" => [
        copy_link_as_link
    ];
    ignores_sandbox: "IgnoresSandbox" => [
        sandbox_restricted_is_enforced_or_unsupported
        sandbox_denies_before_existence
        sandbox_link_out_of_root_is_denied
        sandbox_longest_entry_wins
    ];
    sandbox_is_lexical: "SandboxIsLexical" => [
        sandbox_link_out_of_root_is_denied
    ];
    eager_io: "EagerIo" => [
        no_io_before_first_poll
    ];
    serializes_calls: "SerializesCalls" => [
        hundred_calls_in_flight
    ];
    foreign_path_as_native: "ForeignPathAsNative" => [
        foreign_convention_is_invalid_input
    ];
    walk_unsorted: "WalkUnsorted" => [
        walk_order
        walk_depth_zero
        walk_limits_truncate
        walk_loop_enters_once
        walk_unreadable_directory_is_an_error_entry
        walk_without_links
        walk_prunes_hidden
        walk_equals_default_body
    ];
    walk_follows_forever: "WalkFollowsForever" => [
        walk_loop_enters_once
        walk_equals_default_body
    ];
}
