# shellcheck shell=bash
# Sourced by the command-line tests. HARNESS is the program, PLUGIN the test plugin.
# Each test runs in a folder of its own, removed at the end.
set -uo pipefail
: "${HARNESS:?path of the harness program}" "${PLUGIN:?path of the test plugin}"
if ! [ -x "$HARNESS" ] || ! [ -f "$PLUGIN" ]; then echo "not built: $HARNESS, $PLUGIN" >&2; exit 1; fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
work=$scratch/work
printed=$scratch/printed
mkdir "$work" && cd "$work" || exit 1
export HARNESS_CACHE_DIR=$scratch/cache  # nothing measured here counts anywhere else
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=tester GIT_AUTHOR_EMAIL=tester@example.org
export GIT_COMMITTER_NAME=tester GIT_COMMITTER_EMAIL=tester@example.org
failures=0

problem() {
  failures=$((failures + 1))
  printf 'FAILED: %s\n' "$*" >&2
  [ -f "$printed" ] && sed 's/^/  | /' "$printed" >&2
  return 0
}

# expect STATUS COMMAND... : runs it, keeps what it printed in $printed, checks its exit status.
expect() {
  local wanted=$1 status=0
  shift
  "$@" >"$printed" 2>&1 </dev/null || status=$?
  [ "$status" -eq "$wanted" ] || problem "exit status $status, not $wanted: $*"
}

# says TEXT... : the last command printed each of these.
says() {
  local text
  for text in "$@"; do
    grep -qF -- "$text" "$printed" || problem "the output does not say: $text"
  done
}

silent_about() { ! grep -qF -- "$1" "$printed" || problem "the output says: $1"; }

finish() {
  [ "$failures" -eq 0 ] && echo "passed" && exit 0
  echo "$failures expectations failed" >&2
  exit 1
}

# repository: an empty git repository here, branch main, with the store ignored.
repository() {
  git init -q -b main .
  echo .harness/ >.gitignore
  cp "$PLUGIN" plugin.so
  echo plugin.so >>.gitignore
}

commit() {
  git add -A
  git commit -qm "$1"
}

# speeds MICROSECONDS [PROCESS_SD] [DEVICE]: what the scripted device replays for every case.
speeds() {
  cat >speed.json <<JSON
{"version": 1, "machine_class": "scripted", "device_uuid": "${3:-GPU-A}",
 "cases": [{"match": "*", "us": $1, "process_sd": ${2:-0.001}, "sample_sd": 0.01, "first_call_us": 5000}]}
JSON
}

# suite VARIANT...: a suite of these variants of the plugin's workload.
suite() {
  local variants
  variants=$(IFS=,; echo "$*")
  cat >suite.yaml <<YAML
version: 1
name: demo
modules: [./plugin.so]
defaults:
  sampling: {processes: 5, placements: 3, samples: 20, cache: hot, preheat: 0ms, timeout: 5s}
cases:
  - workload: twice
    variants: [$variants]
    axes: {n: [64]}
YAML
}

run() { "$HARNESS" run suite.yaml --device scripted:speed.json "$@"; }
