//! The rows of the conformance matrix that this crate answers for: the memory filesystems of
//! both flavors, whole and reticent, and the wrappers of the testkit over them.

use codex_file_system_testkit::conformance::{MemorySubject, trials};
use codex_file_system_testkit::{Altered, Faulty, Flavor, Scalar, Trace};

/// The cases that mean something on the other flavor only.
const SKIPS: usize = 2;

fn main() {
    let mut all = Vec::new();
    for (suffix, flavor) in [("posix", Flavor::Posix), ("windows", Flavor::Windows)] {
        let memory = || MemorySubject::new(flavor);
        let mut add = |name: &str, subject: MemorySubject| {
            all.extend(trials(&format!("{name}-{suffix}"), subject, SKIPS));
        };
        add("memory", memory());
        add(
            "without-link-flags",
            memory().wrapped(|memory| memory.without_link_flags()),
        );
        add(
            "without-sizes",
            memory().wrapped(|memory| memory.without_sizes()),
        );
        add(
            "altered",
            memory().wrapped(|memory| Altered::new(memory, ())),
        );
        add("faulty", memory().wrapped(Faulty::new));
        add("scalar", memory().wrapped(Scalar));
        add("trace", memory().wrapped(Trace::new));
    }
    libtest_mimic::run(&libtest_mimic::Arguments::from_args(), all).exit();
}
