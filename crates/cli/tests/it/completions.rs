//! `completions`: a script for every shell.

use crate::sandbox::Sandbox;

#[test]
fn every_shell_gets_a_script_that_knows_the_commands() {
    let sandbox = Sandbox::new("");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = sandbox.run(&["completions", shell]).clean();
        for word in [
            "instructions",
            "root",
            "config",
            "uri",
            "completions",
            "keep-readable",
        ] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}
