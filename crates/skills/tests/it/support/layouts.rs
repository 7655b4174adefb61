//! The layouts whose costs are stated: plugins with skills, standalone skills, and nothing.

use std::fmt::Write;

/// The directory that is loaded; six directories lie above it.
pub(crate) const ROOT: &str = "/1/2/3/4/5/root";

/// The tree literal of a layout below a directory.
pub(crate) fn layout(name: &str, root: &str) -> String {
    let mut tree = format!("{root}/\n");
    match name {
        "empty" => {}
        "flat100" => skills(&mut tree, root, "s", 100),
        "nested" => {
            skill(&mut tree, &format!("{root}/standalone"), "standalone");
            plugin(&mut tree, &format!("{root}/plugins/outer"), "outer", 1);
            plugin(
                &mut tree,
                &format!("{root}/plugins/outer/nested/inner"),
                "inner",
                1,
            );
            manifest(&mut tree, &format!("{root}/plugins/unused"), "unused");
        }
        _ => {
            let (shape, standalone) = name.split_once('+').unwrap_or((name, "0"));
            let (plugins, each) = shape.split_once('x').unwrap();
            many(
                &mut tree,
                root,
                plugins.parse().unwrap(),
                each.parse().unwrap(),
            );
            skills(
                &mut tree,
                &format!("{root}/standalone"),
                "x",
                standalone.parse().unwrap(),
            );
        }
    }
    tree
}

fn many(tree: &mut String, root: &str, plugins: usize, each: usize) {
    if plugins == 1 {
        plugin(tree, root, "p00", each);
        return;
    }
    for number in 0..plugins {
        let name = format!("p{number:02}");
        plugin(tree, &format!("{root}/plugins/{name}"), &name, each);
    }
}

fn plugin(tree: &mut String, directory: &str, name: &str, each: usize) {
    manifest(tree, directory, name);
    skills(tree, &format!("{directory}/skills"), "s", each);
}

fn manifest(tree: &mut String, directory: &str, name: &str) {
    writeln!(
        tree,
        "{directory}/.codex-plugin/plugin.json = {{\"name\":\"{name}\"}}"
    )
    .unwrap();
}

fn skills(tree: &mut String, directory: &str, prefix: &str, count: usize) {
    for number in 0..count {
        let name = format!("{prefix}{number:03}");
        skill(tree, &format!("{directory}/{name}"), &name);
    }
}

fn skill(tree: &mut String, directory: &str, name: &str) {
    let text = format!("---%0Aname: {name}%0Adescription: Does {name}.%0A---%0A");
    writeln!(tree, "{directory}/SKILL.md = {text}").unwrap();
}
