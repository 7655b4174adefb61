# Everything a contributor runs. `just` alone lists it.

set shell := ["bash", "-euo", "pipefail", "-c"]

codex_version := "0.171.0"
peer_dir := justfile_directory() / "target" / "peer"
codex_peer := peer_dir / "node_modules" / ".bin" / "codex"

[private]
default:
    @just --list --unsorted

# All tests: unit, integration, conformance (nextest) and every documented example.
test: (_tool "cargo-nextest" "nextest")
    cargo nextest run --workspace --all-features --no-fail-fast
    cargo test --doc --workspace --all-features --quiet

# What a submission must pass.
ci: fmt-check lint test doc deny

# Formats the tree.
fmt:
    cargo fmt --all
    cargo fmt --manifest-path fuzz/Cargo.toml

# Fails where `just fmt` would change something.
fmt-check:
    cargo fmt --all --check
    cargo fmt --manifest-path fuzz/Cargo.toml --check

# Clippy with warnings denied, all features and none.
lint:
    cargo clippy --workspace --all-targets --all-features -- -D warnings
    cargo clippy --workspace --lib --bins -- -D warnings

# Builds the API reference of all crates in target/doc, warnings denied, and says where it begins.
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --all-features
    @echo "The reference begins at target/doc/codex_context/index.html"

# Licences, sources and banned crates.
deny: (_tool "cargo-deny" "deny")
    cargo deny --all-features check licenses bans sources

# A load against the plain algorithms on so many random machines.
model CASES="20000": (_tool "cargo-nextest" "nextest")
    CODEX_CONTEXT_MODEL_CASES={{ CASES }} cargo nextest run --package codex-context --all-features --release model::

# Ratios against peers and floors, in one process, turn by turn.
bench *FILTER: _peer
    CODEX_PEER="{{ codex_peer }}" cargo bench --workspace --all-features --benches -- {{ FILTER }}

# Both ends of the exec-server protocol: rates, bursts, large files, memory, crowds.
bench-server *FILTER: _peer
    CODEX_PEER="{{ codex_peer }}" cargo bench --package codex-exec-server --all-features --bench rates -- {{ FILTER }}

# Session starts on a distant machine beside the published Codex CLI; rewrites docs/performance.
bench-peer *ARGS: _peer
    CODEX_PEER="{{ codex_peer }}" cargo bench --package codex-cli --bench remote -- --write "{{ justfile_directory() }}/docs" {{ ARGS }}

# Compares with the published Codex CLI, installed from npm into target/peer.
test-peer: _peer
    CODEX_PEER="{{ codex_peer }}" cargo test --package codex-cli --test peer
    CODEX_PEER="{{ codex_peer }}" cargo test --package codex-exec-server --all-features --test 'peer*'

# Installs the published Codex CLI.
_peer:
    mkdir -p "{{ peer_dir }}"
    npm install --prefix "{{ peer_dir }}" --no-audit --no-fund --silent @openai/codex@{{ codex_version }}

# Runs the conformance suite and the command on OpenSSH, unpacked below target/ssh.
test-ssh *ARGS:
    crates/sftp/tests/real/run.sh {{ ARGS }}

# Installs a cargo tool unless it is there.
_tool CRATE SUBCOMMAND:
    @cargo {{ SUBCOMMAND }} --version >/dev/null 2>&1 || cargo install --locked {{ CRATE }}

# The fuzz targets are sound: no warnings, a current lock file, every seed obeys its law. Needs a C++ compiler.
fuzz-check:
    cargo clippy --locked --manifest-path fuzz/Cargo.toml --all-targets -- -D warnings
    cargo test --locked --manifest-path fuzz/Cargo.toml --lib --quiet

# Fuzzes one target of fuzz/ for so many seconds, from its seeds and from what was found before.
fuzz TARGET SECONDS="60": (_tool "cargo-fuzz" "fuzz")
    mkdir -p fuzz/corpus/{{ TARGET }}
    cargo fuzz run --sanitizer none {{ TARGET }} fuzz/corpus/{{ TARGET }} fuzz/seeds/{{ TARGET }} -- \
        -max_total_time={{ SECONDS }} -rss_limit_mb=2048 -timeout=20
