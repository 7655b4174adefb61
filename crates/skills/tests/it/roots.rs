//! Which directories are roots, in which order.

use codex_path_uri::PathUri;
use codex_plugin::{PluginNamespace, SelectedCapabilityRoot};
use codex_skills::{
    HostSkillRoots, ProjectSkillRoots, SkillRoot, SkillRootsInput, SkillScope, skill_roots,
};
use pretty_assertions::assert_eq;

use crate::support::{local, uri};

fn below(base: &str, names: &[&str]) -> Vec<PathUri> {
    let path = |name: &&str| uri(&format!("{base}{name}"));
    names.iter().map(path).collect()
}

/// Everything that can be a root, below a base of either convention.
fn everything(base: &str) -> SkillRootsInput {
    let root = |name: &str, scope| SkillRoot::new(local(), uri(&format!("{base}{name}")), scope);
    SkillRootsInput {
        project: Some(ProjectSkillRoots {
            environment_id: local(),
            directories: below(base, &["/repo", "/repo/a", "/repo/a/b"]),
            config_folders: below(
                base,
                &["/repo/.codex", "/repo/a/b/.codex", "/repo/a/.codex"],
            ),
        }),
        host: Some(HostSkillRoots {
            environment_id: local(),
            config_home: uri(&format!("{base}/home/.codex")),
            home: uri(&format!("{base}/home")),
            admin_folder: Some(uri(&format!("{base}/etc/codex"))),
            bundled: true,
        }),
        plugins: vec![SkillRoot {
            plugin: Some(PluginNamespace::new(Some("p"), &uri(base))),
            ..root("/plugins/p/skills", SkillScope::Admin)
        }],
        extra: vec![root("/extra", SkillScope::System)],
        selected: vec![SelectedCapabilityRoot::new(
            "cap",
            local(),
            uri(&format!("{base}/cap")),
        )],
    }
}

#[test]
fn roots_come_in_the_order_of_the_table() {
    use SkillScope::{Admin, Environment, Repo, System, User};
    for base in [
        "file:///base",
        "file:///C:/base",
        "file://server/share/base",
    ] {
        let roots = skill_roots(&everything(base));
        let found: Vec<_> = roots
            .iter()
            .map(|root| {
                let path = root.path.as_str().strip_prefix(base).unwrap();
                (path, root.scope, root.required)
            })
            .collect();
        let expected = [
            ("/repo/a/b/.codex/skills", Repo, false),
            ("/repo/a/.codex/skills", Repo, false),
            ("/repo/.codex/skills", Repo, false),
            ("/home/.codex/skills", User, false),
            ("/home/.agents/skills", User, false),
            ("/home/.codex/skills/.system", System, false),
            ("/etc/codex/skills", Admin, false),
            ("/plugins/p/skills", User, true),
            ("/extra", User, true),
            ("/repo/.agents/skills", Repo, false),
            ("/repo/a/.agents/skills", Repo, false),
            ("/repo/a/b/.agents/skills", Repo, false),
            ("/cap", Environment, true),
        ];
        assert_eq!(found, expected);
        let named = |root: &SkillRoot| root.plugin.as_ref().map(|it| it.namespace().to_owned());
        assert_eq!(named(&roots[7]).as_deref(), Some("p"));
        assert_eq!(roots[12].root_id.as_deref(), Some("cap"));
        let others = roots.iter().enumerate();
        for (index, root) in others.filter(|(index, _)| !matches!(index, 7 | 12)) {
            assert_eq!((named(root), &root.root_id), (None, &None), "{index}");
        }
        assert!(roots.iter().all(|root| root.canonical.is_none()));
    }
}

#[test]
fn what_is_not_given_is_no_root() {
    assert_eq!(skill_roots(&SkillRootsInput::default()), []);
    let mut input = everything("file:///base");
    if let Some(host) = &mut input.host {
        (host.bundled, host.admin_folder) = (false, None);
    }
    let scopes: Vec<SkillScope> = skill_roots(&input).iter().map(|root| root.scope).collect();
    assert!(!scopes.contains(&SkillScope::System) && !scopes.contains(&SkillScope::Admin));
    input.host = None;
    input.project = None;
    let paths = skill_roots(&input);
    let paths: Vec<&str> = paths.iter().map(|root| root.path.as_str()).collect();
    let rest = ["/plugins/p/skills", "/extra", "/cap"].map(|it| format!("file:///base{it}"));
    assert_eq!(paths, rest);
}

#[test]
fn a_root_equal_to_an_earlier_one_of_its_environment_is_dropped() {
    let other = codex_file_system::EnvironmentId::new("other").unwrap();
    let path = uri("file:///home/.codex/skills");
    let mut input = SkillRootsInput {
        host: Some(HostSkillRoots {
            environment_id: local(),
            config_home: uri("file:///home/.codex"),
            home: uri("file:///home"),
            admin_folder: None,
            bundled: false,
        }),
        extra: vec![SkillRoot::new(local(), path.clone(), SkillScope::User)],
        selected: vec![
            SelectedCapabilityRoot::new("a", other.clone(), path.clone()),
            SelectedCapabilityRoot::new("b", other.clone(), path.clone()),
        ],
        ..SkillRootsInput::default()
    };
    // The home and the project are one directory: its skills are the user's, found earlier.
    input.project = Some(ProjectSkillRoots {
        environment_id: local(),
        directories: vec![uri("file:///home")],
        config_folders: Vec::new(),
    });
    let roots = skill_roots(&input);
    let found: Vec<_> = roots
        .iter()
        .map(|it| {
            (
                it.environment_id.as_str(),
                it.path.as_str(),
                it.scope,
                it.required,
            )
        })
        .collect();
    let expected = [
        ("local", path.as_str(), SkillScope::User, false),
        (
            "local",
            "file:///home/.agents/skills",
            SkillScope::User,
            false,
        ),
        ("other", path.as_str(), SkillScope::Environment, true),
    ];
    assert_eq!(found, expected);
    assert_eq!(roots[2].root_id.as_deref(), Some("a"));
}
