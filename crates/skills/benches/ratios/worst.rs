//! The slowest frontmatter blocks of 64 KiB that anyone has thought of, one time each.
//!
//! No block of that size should take more than five milliseconds.

use std::time::{Duration, Instant};

use codex_skills::{MAX_FRONTMATTER_BYTES, validate};

const ROUNDS: usize = 25;
const MARK: Duration = Duration::from_millis(5);

/// Prints the best of a few times for every block, slowest first.
pub(crate) fn report() {
    let mut times: Vec<(Duration, &str)> = blocks()
        .into_iter()
        .map(|(name, block)| {
            let text = format!("---\n{block}\n---\n");
            let time = (0..ROUNDS).map(|_| time(&text)).min().unwrap_or_default();
            (time, name)
        })
        .collect();
    times.sort_unstable_by(|a, b| b.cmp(a));
    println!("\nblocks of {MAX_FRONTMATTER_BYTES} bytes, mark {MARK:?}");
    for (time, name) in times {
        let verdict = if time <= MARK { "met" } else { "missed" };
        println!("{time:>12.2?}  {verdict:<7}{name}");
    }
}

fn time(text: &str) -> Duration {
    let start = Instant::now();
    std::hint::black_box(validate(text.as_bytes(), "demo"));
    start.elapsed()
}

fn blocks() -> Vec<(&'static str, String)> {
    let fill = |unit: &str| unit.repeat(MAX_FRONTMATTER_BYTES / unit.len());
    let nested = |open: &str| open.repeat(60) + &fill("a, ")[..60_000];
    let deeper: String = (0..350)
        .map(|depth| format!("{}k: [\n", " ".repeat(depth)))
        .collect();
    vec![
        ("plain lines", fill("key: value\n")),
        (
            "one long scalar",
            format!("description: {}", &fill("x")[..65_000]),
        ),
        (
            "one long quoted scalar",
            format!("description: \"{}\"", &fill("x")[..65_000]),
        ),
        (
            "one block scalar",
            format!("description: |\n{}", &fill("  line\n")[..65_000]),
        ),
        (
            "one word per line",
            format!("description: a\n{}", &fill(" b\n")[..65_000]),
        ),
        ("colons", fill("a: b: c\n")),
        ("prose to repair", fill("description: a: b\n")),
        ("flow to repair", fill("k: [a] b\n")),
        ("quotes to repair", fill("k: \"a\" b\n")),
        ("short descriptions", fill("short-description: &a b\n")),
        ("asterisks", fill("*")),
        ("ampersands", fill("&")),
        ("asterisks in values", fill("k: *a b\n")),
        ("brackets", fill("[")),
        ("braces", fill("{")),
        ("nested flow", nested("[")),
        ("nested keys", deeper),
        ("question marks", fill("? ")),
        ("dashes", fill("- ")),
        ("comments", fill("# c\n")),
        ("comment behind each", fill("k: v # c\n")),
        ("anchors", fill("k: &a v\n")),
        (
            "aliases",
            format!("k: &a v\n{}", &fill("l: *a\n")[..65_000]),
        ),
        (
            "merges",
            format!("k: &a {{b: c}}\n{}", &fill("<<: *a\n")[..65_000]),
        ),
        ("alias bomb", bomb()),
        ("tags", fill("k: !t v\n")),
        ("long keys", fill(&format!("{}: v\n", "k".repeat(1_000)))),
        ("no key at all", fill("x")),
        ("tabs", fill("\t")),
        ("empty lines", fill("\n")),
        ("carriage returns", fill("k: v\r")),
        ("escapes", format!("k: \"{}\"", &fill("\\u00e9")[..65_000])),
        ("unicode", fill("é: 技\n")),
        ("lone quote", format!("k: '{}", &fill("a\n  ")[..65_000])),
        (
            "lone bracket with colons",
            format!("k: [{}", &fill("a: b, ")[..65_000]),
        ),
        ("document ends", fill("...\n")),
        ("directives", fill("%A b\n")),
    ]
}

fn bomb() -> String {
    let mut block = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..60 {
        let below = format!("*a{},", level - 1).repeat(9);
        block += &format!("a{level}: &a{level} [{below}]\n");
    }
    block
}
