#!/usr/bin/env bash
# Unpacks OpenSSH below target/ssh, starts its server on a port of this host with keys of its own,
# runs the tests of the filesystem and of the command against it, and leaves no process behind.
# Nothing is installed.
#
# Needs apt-get and, for the part with sshd, root: its private account file is a bind mount.
# What cannot be had is said in CODEX_SFTP_SKIP, and the tests skip with that reason; where the
# variable CI is set it is a failure.
set -euo pipefail
cd "$(dirname "$0")/../../../.."

home="$PWD/target/ssh"
root="$home/root"
packages=(openssh-sftp-server openssh-server openssh-client libwrap0 libnsl2 libtirpc3)

unpack() {
  [ -e "$home/unpacked" ] && return
  command -v apt-get >/dev/null && command -v dpkg >/dev/null || return 1
  mkdir -p "$home/deb"
  (cd "$home/deb" && apt-get download -qq "${packages[@]}") || return 1
  for package in "$home"/deb/*.deb; do dpkg -x "$package" "$root" || return 1; done
  # Only now, so that what was interrupted is done again.
  touch "$home/unpacked"
}

run_tests() {
  # One at a time, since some measure time.
  cargo test --package codex-sftp --test real -- --test-threads=1 "$@"
  cargo test --package codex-cli --test ssh -- "$@"
}

# What cannot be had is skipped with the reason, except where nobody would read it.
skip() {
  if [ -n "${CI:-}" ]; then
    echo "$1" >&2
    exit 1
  fi
  export CODEX_SFTP_SKIP="$1"
  shift
  run_tests "$@"
  exit
}

if ! unpack; then
  skip "the packages of OpenSSH cannot be downloaded" "$@"
fi
export CODEX_SFTP_SERVER="$root/usr/lib/openssh/sftp-server"

if [ "$(id -u)" != 0 ]; then
  skip "sshd with a private account file needs root" "$@"
fi

run="$(mktemp -d)"
sshd=
cleanup() {
  if [ -n "$sshd" ]; then kill "$sshd" 2>/dev/null || true; fi
  # A server that opened a FIFO waits for its other end, whoever else is gone.
  for started in "$run"/started/*; do
    if [ "$(readlink "/proc/${started##*/}/exe")" = "$CODEX_SFTP_SERVER" ]; then
      kill "${started##*/}" 2>/dev/null || true
    fi
  done
  rm -rf "$run"
}
trap cleanup EXIT

for key in host user; do
  "$root/usr/bin/ssh-keygen" -q -t ed25519 -N "" -C "" -f "$run/$key"
done
cp "$run/user.pub" "$run/authorized_keys"
chmod 755 "$run"
mkdir "$run/started"
cat >"$run/subsystem" <<SUBSYSTEM
#!/bin/sh
: >"$run/started/\$\$"
exec "$CODEX_SFTP_SERVER"
SUBSYSTEM
chmod 755 "$run/subsystem"
cp /etc/passwd "$run/passwd"
grep -q '^sshd:' "$run/passwd" ||
  echo 'sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin' >>"$run/passwd"

start_sshd() {
  local port="$1"
  cat >"$run/sshd_config" <<CONFIG
ListenAddress 127.0.0.1
Port $port
HostKey $run/host
AuthorizedKeysFile $run/authorized_keys
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
PidFile none
Subsystem sftp $run/subsystem
CONFIG
  cat >"$run/ssh_config" <<CONFIG
Host conformance
  HostName 127.0.0.1
  Port $port
  User $(id -un)
  IdentityFile $run/user
  IdentitiesOnly yes
  IdentityAgent none
  BatchMode yes
  StrictHostKeyChecking accept-new
  UserKnownHostsFile $run/known_hosts
  GlobalKnownHostsFile /dev/null
  LogLevel ERROR
CONFIG
  # shellcheck disable=SC2016 # The inner shell expands what is between the quotes.
  LD_LIBRARY_PATH="$root/usr/lib/$(uname -m)-linux-gnu:$root/lib/$(uname -m)-linux-gnu" \
    unshare -m bash -c '
      mount --bind "$1/passwd" /etc/passwd
      mount -t tmpfs tmpfs /run
      mkdir -p /run/sshd
      exec "$2" -D -e -f "$1/sshd_config"
    ' sshd "$run" "$root/usr/sbin/sshd" 2>"$run/sshd.log" &
  sshd=$!
}

# A port may be taken: the server then ends at once, and another one is tried.
for _ in 1 2 3 4 5; do
  start_sshd $((20000 + RANDOM % 20000))
  for _ in $(seq 50); do
    if "$root/usr/bin/ssh" -F "$run/ssh_config" conformance true 2>"$run/ssh.log"; then
      break 2
    fi
    kill -0 "$sshd" 2>/dev/null || break
    sleep 0.1
  done
  kill "$sshd" 2>/dev/null || true
  sshd=
done
if [ -z "$sshd" ]; then
  cat "$run/sshd.log" "$run/ssh.log" >&2
  echo "sshd does not answer" >&2
  exit 1
fi

# What a user has in ~/.ssh, whom `ssh` asks the account file about.
mkdir "$run/bin"
cat >"$run/bin/ssh" <<SSH
#!/bin/sh
exec "$root/usr/bin/ssh" -F "$run/ssh_config" "\$@"
SSH
chmod 755 "$run/bin/ssh"

export CODEX_SSH_BIN="$run/bin"
export CODEX_SFTP_SSH="$root/usr/bin/ssh"
export CODEX_SFTP_SSH_CONFIG="$run/ssh_config"
run_tests "$@"
