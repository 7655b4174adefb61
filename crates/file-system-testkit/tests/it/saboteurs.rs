//! x
use codex_file_system_testkit::conformance::{CASES, Subject, Verdict, examine};
use codex_file_system_testkit::saboteurs::SABOTEURS;
#[test]
fn dump() {
    let mut times = vec![];
    for saboteur in SABOTEURS {
        for case in CASES {
            let runtime = saboteur.runtime().unwrap();
            let t = std::time::Instant::now();
            let _ = matches!(
                runtime.block_on(examine(saboteur, case)),
                Verdict::Failed(_)
            );
            times.push((t.elapsed(), saboteur.name, case.name));
        }
    }
    times.sort();
    times.reverse();
    for t in &times[..12] {
        println!("{t:?}");
    }
    let total: std::time::Duration = times.iter().map(|t| t.0).sum();
    println!("{total:?}");
}
