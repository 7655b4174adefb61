//! The memory filesystems as rows of the conformance matrix.

use codex_file_system_testkit::Flavor;
use codex_file_system_testkit::conformance::{MemorySubject, trials};

fn main() {
    let mut all = trials("memory-posix", MemorySubject::new(Flavor::Posix), 2);
    all.extend(trials(
        "memory-windows",
        MemorySubject::new(Flavor::Windows),
        2,
    ));
    libtest_mimic::run(&libtest_mimic::Arguments::from_args(), all).exit();
}
