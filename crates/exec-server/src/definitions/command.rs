//! Programs that reach a server on another machine or in a container.
//!
//! No shell sees the words. A destination that a program would take for an option is refused.

use codex_file_system::CommandSpec;

/// What runs the server over there.
const SERVE: [&str; 4] = ["codex-context", "serve", "--listen", "stdio"];

/// A host, container or pod that is empty or would be read as an option.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid {what} `{}`: it must not be empty or start with `-`", name.escape_debug())]
pub struct InvalidDestination {
    what: &'static str,
    name: String,
}

/// The server on an SSH host, through the user's own `ssh`.
///
/// # Errors
/// The host is empty or starts with `-`.
///
/// # Examples
/// ```
/// use codex_exec_server::ssh_command;
///
/// let command = ssh_command("build-host")?;
/// assert_eq!(command.program, "ssh");
/// assert_eq!(command.args, ["build-host", "codex-context", "serve", "--listen", "stdio"]);
/// assert!(ssh_command("-oProxyCommand=x").is_err());
/// # Ok::<(), codex_exec_server::InvalidDestination>(())
/// ```
pub fn ssh_command(host: &str) -> Result<CommandSpec, InvalidDestination> {
    Ok(command("ssh", &[checked("SSH host", host)?]))
}

/// The server in a Docker container.
///
/// # Errors
/// The container is empty or starts with `-`.
pub fn docker_command(container: &str) -> Result<CommandSpec, InvalidDestination> {
    let container = checked("container", container)?;
    Ok(command("docker", &["exec", "-i", container]))
}

/// The server in a Kubernetes pod.
///
/// # Errors
/// The pod is empty or starts with `-`.
pub fn kubectl_command(pod: &str) -> Result<CommandSpec, InvalidDestination> {
    Ok(command(
        "kubectl",
        &["exec", "-i", checked("pod", pod)?, "--"],
    ))
}

fn checked<'a>(what: &'static str, name: &'a str) -> Result<&'a str, InvalidDestination> {
    if name.is_empty() || name.starts_with('-') {
        let name = name.to_owned();
        return Err(InvalidDestination { what, name });
    }
    Ok(name)
}

fn command(program: &str, way: &[&str]) -> CommandSpec {
    CommandSpec {
        program: program.to_owned(),
        args: way
            .iter()
            .chain(&SERVE)
            .map(|word| (*word).to_owned())
            .collect(),
        env: Vec::new(),
        cwd: None,
    }
}
