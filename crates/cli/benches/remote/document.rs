//! What is written into the documentation: the tables of one page and the pictures beside it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::available_parallelism;

use codex_bench_support::plot::Picture;
use codex_bench_support::with_section;

/// The directory of the documentation.
pub(crate) struct Documentation {
    directory: PathBuf,
}

impl Documentation {
    pub(crate) fn new(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
        }
    }

    /// Replaces a section of `performance.md`.
    pub(crate) fn write_section(&self, name: &str, text: &str) -> io::Result<()> {
        let page = self.directory.join("performance.md");
        let missing = || io::Error::other(format!("the page has no section `{name}`"));
        let text = with_section(&fs::read_to_string(&page)?, name, text).ok_or_else(missing)?;
        fs::write(page, text)
    }

    /// Writes a picture.
    pub(crate) fn write_picture(&self, name: &str, picture: &Picture) -> io::Result<()> {
        let pictures = self.directory.join("performance");
        fs::create_dir_all(&pictures)?;
        fs::write(pictures.join(name).with_extension("svg"), picture.to_svg())
    }
}

/// When and where something was measured.
pub(crate) fn occasion() -> io::Result<String> {
    let date = Command::new("date").arg("+%Y-%m-%d").output()?;
    let date = String::from_utf8_lossy(&date.stdout).trim().to_owned();
    let (system, processor) = (std::env::consts::OS, processor());
    let cores = available_parallelism()?;
    let load = load();
    Ok(format!(
        "{date}, {system} on {cores} cores of {processor}{load}"
    ))
}

/// The name of the processor where the system tells it, else its architecture.
fn processor() -> String {
    let information = fs::read_to_string(Path::new("/proc/cpuinfo")).unwrap_or_default();
    let mut lines = information.lines();
    let name = lines.find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or(std::env::consts::ARCH, |(_, name)| name)
        .to_owned()
}

/// How busy the machine is with other things as well.
fn load() -> String {
    let averages = fs::read_to_string(Path::new("/proc/loadavg")).unwrap_or_default();
    let average = averages.split(' ').next().filter(|load| !load.is_empty());
    average.map_or_else(String::new, |load| format!(", load average {load}"))
}
