//! The projects that both sides are given, as tree literals with their start directory.
//!
//! Below a scratch directory in `/tmp` the project root lies five levels deep, so that a start
//! directory two levels below it is the seventh: seven places are asked for a marker.

use std::fmt::Write as _;

/// Where the project is, below the scratch directory.
pub(crate) const ROOT: &str = "/w/repo";
/// The roots of [`two_skill_roots`], below the project root.
pub(crate) const SKILL_ROOTS: [&str; 2] = [".agents/skills", "d1/.agents/skills"];

/// A chain of directories with a document in each; one starts in the innermost.
pub(crate) fn documents(count: usize) -> (String, String) {
    let mut tree = format!("{ROOT}/.git/\n");
    let mut directory = ROOT.to_owned();
    for number in 0..count {
        // Writing to a `String` cannot fail.
        if number > 0 {
            let _ = write!(directory, "/d{number}");
        }
        let _ = writeln!(tree, "{directory}/AGENTS.md = Document {number}.");
    }
    (tree, directory)
}

/// Two skill roots with a skill each, in the project root and one level below it; one starts a
/// level below that.
pub(crate) fn two_skill_roots() -> (String, String) {
    let cwd = format!("{ROOT}/d1/d2");
    let mut tree = format!("{ROOT}/.git/\n{cwd}/\n");
    for (root, name) in SKILL_ROOTS.iter().zip(["one", "two"]) {
        let text = format!("---%0Aname: {name}%0Adescription: Does {name}.%0A---%0A");
        let _ = writeln!(tree, "{ROOT}/{root}/{name}/SKILL.md = {text}");
    }
    (tree, cwd)
}

/// The same with a document in each of the three directories.
pub(crate) fn documents_and_two_skill_roots() -> (String, String) {
    let (tree, cwd) = documents(3);
    (tree + &two_skill_roots().0, cwd)
}
