# shellcheck shell=bash disable=SC2034,SC2154  # scratch and printed are those of tests/lib.sh
# Sourced by the tests of this folder, which walk through the documents as a newcomer does. The commands are read from the
# documents, so that a document that changes changes its test.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cli/lib.sh
. "$here/../cli/lib.sh"
source_root=$(cd "$here/../.." && pwd)
mkdir "$scratch/path"
ln -s "$HARNESS" "$scratch/path/harness"
# A machine that nobody else uses, whatever else runs here.
mkdir -p "$scratch/root/proc"
printf '0.00 0.00 0.00 1/1 1\n' >"$scratch/root/proc/loadavg"
printf 'MemAvailable: 99999999 kB\n' >"$scratch/root/proc/meminfo"
export HARNESS_SYSTEM_ROOT=$scratch/root
export PATH=$scratch/path:$PATH GIT_EDITOR="sed -i 1s/^/pinned/"

# scripted_device: commands use it without being told, so that no verdict rests on this machine.
scripted_device() {
  printf 'version: 1\nall: {device: "scripted:speed.json"}\n' >"$scratch/defaults.yaml"
  export HARNESS_DEFAULTS=$scratch/defaults.yaml
}

# clone: what a clone of this tree has for a user. Its ci/bootstrap.sh neither installs nor compiles: it puts the tested
# program where the build would. The shapes of fusion.yaml for a CPU are small, so that the products take no time.
clone() {
  git init -q -b main .
  printf '%s\n' .harness/ build/ '*.json' '!speed.json' '*.db' >.gitignore
  mkdir -p ci tests/data
  cp -r "$source_root/suites" suites
  cp -r "$data/h200" tests/data/h200
  sed -Ei 's/\{m: (64|128|256), .*\}/{m: \1, n: 8, k: 8}/' suites/fusion.yaml
  cat >ci/bootstrap.sh <<SH_END
#!/bin/sh
mkdir -p build/release/bin build/release/lib
cp "$HARNESS" build/release/bin/harness
cp "${KERNELS:-}" build/release/lib/libharness_kernels.so
[ \$# -eq 0 ] || exec build/release/bin/harness "\$@"
SH_END
  chmod +x ci/bootstrap.sh
  scripted_device
  speeds 100
  commit "a clone"
}

# page DOCUMENT HEADING: the commands under that heading are the next steps.
page() {
  finish_page
  document=$1 heading=$2 page="$1, $2" number=0
  mapfile -t steps < <(python3 "$here/commands.py" "$1" "$2")
  [ ${#steps[@]} -gt 0 ] || problem "$page: no commands"
}
steps=()
shows=like  # or exact: what the document shows below a command, by commands.py --shown

# step STATUS BEGINNING: runs the next command of the page, which begins so, and compares what it prints with what the page
# shows. STATUS may name several where real times are judged: then the page shows what it prints with the first.
step() {
  local status=$1 beginning=$2 command=${steps[0]:-} ended=0
  steps=("${steps[@]:1}")
  if [[ $command != "$beginning"* ]]; then
    problem "$page: the next command is <$command>, and the walk expects <$beginning>"
    return
  fi
  bash -c "$command" >"$printed" 2>&1 </dev/null || ended=$?
  [[ " $status " == *" $ended "* ]] || problem "exit status $ended, not $status: $command"
  transcribe "$command"
  if [ "$ended" = "${status%% *}" ]; then
    python3 "$here/commands.py" --shown "$document" "$heading" "$number" "$printed" "$shows" ||
      problem "$page: the page shows something else"
  fi
  number=$((number + 1))
}

# transcribe COMMAND: adds it and what it printed to the file that HARNESS_TRANSCRIPT names.
transcribe() {
  [ -z "${HARNESS_TRANSCRIPT:-}" ] || { printf '$ %s\n' "$1" && cat "$printed" && echo; } >>"$HARNESS_TRANSCRIPT"
}

finish_page() { [ ${#steps[@]} -eq 0 ] || problem "$page: not walked: ${steps[*]}"; }

finish_walk() {
  finish_page
  finish
}
