//! The system calls of loading skills from the local disk, beside those it cannot do without.
//!
//! The bench runs itself under `strace`, which names the file behind every descriptor, and counts the
//! calls that name the tree. The counts are exact: one run tells.

use std::env;
use std::process::{Command, Stdio};

use crate::floor;
use crate::tree::{Project, Tree};

/// Most calls for one of the floor's.
const MARK: f64 = 1.15;

/// What a traced process does, and in which tree. A trace shows arguments, but no environment.
const SIDE: &str = "CALLS_OF";
const TREE: &str = "CALLS_IN";

/// Does what a trace is taken of, if this process is the traced one.
pub(crate) fn is_traced_side() -> bool {
    let (Ok(side), Ok(tree)) = (env::var(SIDE), env::var(TREE)) else {
        return false;
    };
    match side.as_str() {
        "load_skills" => drop(Project::at(tree).load()),
        _ => drop(floor::find_skills(&tree)),
    }
    true
}

/// Prints both counts and their ratio for every layout.
pub(crate) fn report() {
    let mut version = Command::new("strace");
    version.arg("-V").stdout(Stdio::null());
    if !version.status().is_ok_and(|status| status.success()) {
        println!("\nsystem calls are counted with `strace`, which is not installed");
        return;
    }
    println!("\nsystem calls in the tree, mark {MARK}");
    for layout in ["1x100", "2x50", "10x10", "50x2", "10x10+10"] {
        let tree = Tree::new(layout);
        let ours = count("load_skills", &tree.native);
        let floor = count("system calls", &tree.native);
        let ratio = f64::from(ours) / f64::from(floor);
        let verdict = if ratio <= MARK { "met" } else { "missed" };
        println!("{layout:>10}  {ours:>5} of {floor:>5}  {ratio:.3}  {verdict}");
    }
}

/// The system calls of one side that name a file of the tree.
fn count(side: &str, tree: &str) -> u32 {
    let traced = Command::new("strace")
        .args(["-f", "-y", "-qq", "-e", "trace=%file,%desc"])
        .arg(env::current_exe().unwrap())
        .env(SIDE, side)
        .env(TREE, tree)
        .output()
        .unwrap();
    assert!(traced.status.success(), "{side} in {tree}");
    let calls = String::from_utf8_lossy(&traced.stderr);
    let named = calls.lines().filter(|line| line.contains(tree)).count();
    named.try_into().unwrap()
}
