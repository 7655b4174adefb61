//! Which entries of the `[projects]` table speak for a project, and what that allows.

use std::io;
use std::sync::Arc;

use codex_config::ProjectDocuments::{Allowed, Withheld};
use codex_config::{
    ConfigDiagnostic, ConfigLayerSource, DisabledReason, ProjectLayerDecision, ProjectSkills,
    ProjectTrust, ProjectTrustTable, TrustPlace, find_project_trust,
};
use codex_file_system::wrap::Counting;
use codex_file_system::{Environment, EnvironmentId, ExecutorFileSystem};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;

use crate::support::{memory, posix, session, stack, windows};

/// A main checkout `/main` with the linked worktree `/wt`, and an unrelated `/other`.
const WORKTREE: &str = "\
/main/.git/worktrees/wt/commondir = ../..%0A
/main/.git/worktrees/wt/gitdir = /wt/.git%0A
/wt/.git = gitdir: /main/.git/worktrees/wt%0A
/wt/sub/
/other/.git/
/link -> wt";

fn entries(entries: &[(&str, &str)]) -> ProjectTrustTable {
    let lines = entries
        .iter()
        .map(|(path, level)| format!("[projects.'{path}']\ntrust_level = '{level}'\n"));
    let text: String = lines.collect();
    ProjectTrustTable::from_stack(&stack([(session(), &text)])).unwrap()
}

async fn trust_on(
    fs: Arc<dyn ExecutorFileSystem>,
    cwd: &PathUri,
    root: Option<&PathUri>,
    table: &ProjectTrustTable,
) -> ProjectTrust {
    let environment = Environment::new(EnvironmentId::new("box").unwrap(), cwd.clone(), fs);
    find_project_trust(&environment, cwd, root, Ok(root), table).await
}

/// The trust in a session at `cwd` of a project at `root`.
async fn trust(tree: &str, cwd: &str, root: &str, table: &ProjectTrustTable) -> ProjectTrust {
    let (cwd, root) = (posix(cwd), posix(root));
    trust_on(Arc::new(memory(tree)), &cwd, Some(&root), table).await
}

#[tokio::test]
async fn an_entry_of_the_main_checkout_speaks_for_its_worktrees() {
    for cwd in ["/wt", "/wt/sub"] {
        let found = trust(WORKTREE, cwd, "/wt", &entries(&[("/main", "untrusted")])).await;
        assert_eq!(found.documents, Withheld, "{cwd}");
        let decision = found.decided_by.unwrap();
        assert_eq!(
            (decision.path, decision.place),
            (posix("/main"), TrustPlace::MainCheckout)
        );
        assert_eq!(found.diagnostics, []);
    }
    let trusted = trust(WORKTREE, "/wt", "/wt", &entries(&[("/main", "trusted")])).await;
    assert_eq!(trusted.layer(&posix("/wt")), ProjectLayerDecision::Enable);
}

#[tokio::test]
async fn the_nearest_entry_wins() {
    let table = entries(&[("/wt", "trusted"), ("/main", "untrusted")]);
    assert_eq!(
        trust(WORKTREE, "/wt/sub", "/wt", &table).await.documents,
        Allowed
    );
    let table = entries(&[("/wt/sub", "untrusted"), ("/main", "trusted")]);
    let found = trust(WORKTREE, "/wt/sub", "/wt", &table).await;
    assert_eq!(found.documents, Withheld);
    assert_eq!(found.layer(&posix("/wt")), ProjectLayerDecision::Enable);
    let untrusted = ProjectLayerDecision::Disable(DisabledReason::Untrusted);
    assert_eq!(found.layer(&posix("/wt/sub")), untrusted);
}

#[tokio::test]
async fn the_paths_of_a_worktree_may_be_relative_and_a_bare_repository_is_spoken_for_by_its_folder()
{
    let tree = "/src/repo.git/worktrees/w/commondir = ../..%0A\n\
                /src/repo.git/worktrees/w/gitdir = ../../../../wt/.git%0A\n\
                /wt/.git = gitdir: ../src/repo.git/worktrees/w%0A";
    let found = trust(tree, "/wt", "/wt", &entries(&[("/src", "untrusted")])).await;
    assert_eq!(found.documents, Withheld);
}

#[tokio::test]
async fn a_checkout_is_believed_only_if_it_names_the_worktree_back() {
    // Each claims to belong to `/main`, which is trusted and knows `/wt` alone.
    let elsewhere = "/x/.git = gitdir: /main/.git/worktrees/wt%0A";
    let forged = "/x/.git = gitdir: /x/fake%0A\n/x/fake/commondir = /main/.git%0A\n/x/fake/gitdir = /x/.git%0A";
    for tree in [elsewhere, forged] {
        let tree = format!("{WORKTREE}\n{tree}");
        let found = trust(&tree, "/x", "/x", &entries(&[("/main", "trusted")])).await;
        let refused = ProjectLayerDecision::Disable(DisabledReason::NotTrusted);
        assert_eq!(
            (found.layer(&posix("/x")), found.decided_by.clone()),
            (refused, None)
        );
        let codes: Vec<_> = found
            .diagnostics
            .iter()
            .map(ConfigDiagnostic::code)
            .collect();
        assert_eq!(codes, ["worktree_unknown"]);
    }
}

#[tokio::test]
async fn a_submodule_and_a_marker_that_is_no_git_file_have_no_main_checkout() {
    let table = entries(&[("/", "untrusted"), ("/r", "untrusted")]);
    for tree in [
        "/r/sub/.git = gitdir: ../.git/modules/sub%0A\n/r/.git/modules/sub/config = x",
        "/r/sub/.git = ",
        "/r/sub/.git/",
    ] {
        let found = trust(tree, "/r/sub", "/r/sub", &table).await;
        assert_eq!(
            (found.documents, found.diagnostics),
            (Allowed, vec![]),
            "{tree}"
        );
    }
}

#[tokio::test]
async fn an_entry_is_met_by_the_given_and_by_the_canonical_path() {
    let tree = "/real/repo/.git/\n/real/repo/a/\n/link -> real";
    for key in ["/real/repo", "/link/repo"] {
        let found = trust(
            tree,
            "/link/repo/a",
            "/link/repo",
            &entries(&[(key, "untrusted")]),
        )
        .await;
        assert_eq!(found.documents, Withheld, "{key}");
        let found = trust(
            tree,
            "/link/repo/a",
            "/link/repo",
            &entries(&[(key, "trusted")]),
        )
        .await;
        assert_eq!(
            found.layer(&posix("/link/repo/a")),
            ProjectLayerDecision::Enable,
            "{key}"
        );
    }
    // The given spelling is the nearer one.
    let table = entries(&[("/link/repo", "trusted"), ("/real/repo", "untrusted")]);
    assert_eq!(
        trust(tree, "/link/repo", "/link/repo", &table)
            .await
            .documents,
        Allowed
    );
}

#[tokio::test]
async fn a_windows_entry_in_lower_case_withholds_the_project() {
    let tree = "C:\\Src\\Repo\\.git\\";
    let fs = Arc::new(MemoryFileSystem::from_tree(Flavor::Windows, tree).unwrap());
    let (cwd, table) = (
        windows("C:\\Src\\Repo"),
        entries(&[("c:\\src\\repo", "untrusted")]),
    );
    assert_eq!(
        trust_on(fs, &cwd, Some(&cwd), &table).await.documents,
        Withheld
    );
}

#[tokio::test]
async fn what_cannot_be_found_out_counts_as_untrusted_where_any_entry_says_so() {
    let unreadable = "/wt/.git !000 = gitdir: /main/.git/worktrees/wt%0A";
    let no_commondir =
        "/wt/.git = gitdir: /main/.git/worktrees/wt%0A\n/main/.git/worktrees/wt/commondir !000 = x";
    let fifo = "/wt/.git |";
    for tree in [unreadable, no_commondir, fifo] {
        let untrusted = trust(tree, "/wt", "/wt", &entries(&[("/z", "untrusted")])).await;
        assert_eq!(untrusted.documents, Withheld, "{tree}");
        let trusted = trust(tree, "/wt", "/wt", &entries(&[("/z", "trusted")])).await;
        assert_eq!(trusted.documents, Allowed, "{tree}");
        let not_trusted = ProjectLayerDecision::Disable(DisabledReason::NotTrusted);
        assert_eq!(trusted.layer(&posix("/wt")), not_trusted, "{tree}");
        for found in [untrusted, trusted] {
            let codes: Vec<_> = found
                .diagnostics
                .iter()
                .map(ConfigDiagnostic::code)
                .collect();
            assert_eq!(codes, ["trust_undecided"], "{tree}");
        }
    }
}

#[tokio::test]
async fn a_failed_search_for_the_git_root_trusts_nothing() {
    let cwd = posix("/r");
    let id = EnvironmentId::new("box").unwrap();
    let environment = Environment::new(id, cwd.clone(), Arc::new(memory("/r/")));
    let (table, failure) = (
        entries(&[("/z", "untrusted")]),
        io::Error::from(io::ErrorKind::TimedOut),
    );
    let found = find_project_trust(&environment, &cwd, None, Err(&failure), &table).await;
    assert_eq!(found.documents, Withheld);
    assert_eq!(
        found.diagnostics[0].to_string(),
        "cannot look for the Git root at \"/r\" (TimedOut), so the project counts as untrusted"
    );
}

#[tokio::test]
async fn a_config_home_inside_the_project_trusts_nothing_of_it() {
    let home = |level: &str| {
        let file = posix("/real/r/config.toml");
        let source = ConfigLayerSource::User {
            file,
            profile: None,
        };
        let text = format!("[projects.'/real/r']\ntrust_level = '{level}'\n");
        ProjectTrustTable::from_stack(&stack([(source, &text)])).unwrap()
    };
    let tree = "/real/r/.git/\n/link -> real";
    for root in ["/real/r", "/link/r"] {
        let found = trust(tree, root, root, &home("trusted")).await;
        let refused = ProjectLayerDecision::Disable(DisabledReason::NotTrusted);
        assert_eq!(found.layer(&posix(root)), refused, "{root}");
        assert_eq!(
            found
                .diagnostics
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>(),
            [
                "the config home \"/real/r\" lies inside the project, so its entry that trusts \"/real/r\" does not count"
            ],
        );
        assert_eq!(
            trust(tree, root, root, &home("untrusted")).await.documents,
            Withheld
        );
    }
    let elsewhere = trust("/o/.git/\n/real/r/", "/o", "/o", &home("trusted")).await;
    assert_eq!(elsewhere.diagnostics, []);
}

#[tokio::test]
async fn the_skills_of_an_untrusted_project_are_given_as_the_reference_gives_them() {
    let found = trust("/r/.git/", "/r", "/r", &entries(&[("/r", "untrusted")])).await;
    assert_eq!(
        (found.documents, found.skills),
        (Withheld, ProjectSkills::Allowed)
    );
}

#[tokio::test]
async fn trust_costs_nothing_without_entries_and_two_calls_in_a_plain_project() {
    let (cwd, root) = (posix("/other/a/b"), posix("/other"));
    for (table, expected) in [
        (ProjectTrustTable::default(), 0),
        (entries(&[("/z", "trusted")]), 2),
    ] {
        let fs = Arc::new(Counting::new(memory("/other/.git/\n/other/a/b/")));
        trust_on(Arc::clone(&fs) as _, &cwd, Some(&root), &table).await;
        assert_eq!(fs.calls().total(), expected);
    }
}
