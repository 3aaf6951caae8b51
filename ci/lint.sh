#!/usr/bin/env bash
# Format and style: clang-format on every source, shellcheck on every script, clang-tidy on every .cpp
# that a configured build compiles.
#
#   ci/lint.sh [--fix] [--since REVISION] [--build FOLDER]
#
#   --fix             formats in place instead of complaining
#   --since REVISION  only files that differ from that revision, untracked ones included
#   --build FOLDER    whose compile_commands.json clang-tidy reads (default: build/dev, and where that
#                     is not configured clang-tidy is left out, with a line that says so)
#
# The clang tools are pinned to version 14: other versions format and warn differently. Exit status: 0
# clean, 1 something to fix, 2 usage or set-up.
set -euo pipefail
cd "$(dirname "$0")/.."

version=14
build=
since=
fix=no

complain() { printf 'lint: error: %s\n' "$1" >&2; [ $# -lt 2 ] || printf '  advice: %s\n' "$2" >&2; exit 2; }

while [ $# -gt 0 ]; do
  case $1 in
    --since) [ $# -ge 2 ] || complain "--since needs a revision"; since=$2; shift 2 ;;
    --build) [ $# -ge 2 ] || complain "--build needs a folder"; build=$2; shift 2 ;;
    --fix) fix=yes; shift ;;
    -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
    *) complain "unknown option $1" "ci/lint.sh --help lists the options" ;;
  esac
done

# pinned NAME: the command that is NAME at the pinned version.
pinned() {
  local candidate found
  for candidate in "$1-$version" "$1"; do
    command -v "$candidate" > /dev/null || continue
    found=$("$candidate" --version | sed -n 's/.*version \([0-9]*\)\..*/\1/p' | head -n 1)
    if [ "$found" = "$version" ]; then echo "$candidate"; return; fi
    printf 'lint: %s is version %s, not %s\n' "$candidate" "${found:-unknown}" "$version" >&2
  done
  complain "$1 version $version was not found" "apt-get install $1-$version (Debian 12, Ubuntu 24.04)"
}

format=$(pinned clang-format)

# Tracked and new files, less those that git ignores; with --since only what differs.
changed_files() {
  if [ -n "$since" ]; then
    git diff --name-only --diff-filter=d "$since" --
    git ls-files --others --exclude-standard
  else
    git ls-files --cached --others --exclude-standard
  fi | sort -u
}

if [ -n "$since" ]; then
  git rev-parse --quiet --verify "$since^{commit}" > /dev/null ||
    complain "$since is not a revision here" "a shallow clone lacks old commits: git fetch --unshallow"
fi
files=$(changed_files)
select_files() { printf '%s\n' "$files" | grep -E "$1" | while read -r f; do [ ! -f "$f" ] || echo "$f"; done || true; }

status=0
sources=$(select_files '^(harness|kernels|tests)/.*\.(h|cpp|cu|cuh|c)$')
if [ -n "$sources" ]; then
  echo "clang-format: $(wc -l <<< "$sources") files"
  if [ "$fix" = yes ]; then
    xargs "$format" -i <<< "$sources"
  else
    xargs "$format" --dry-run -Werror <<< "$sources" || status=1
  fi
fi

scripts=$(select_files '^(ci/.*|\.ci/run|.*\.sh)$' | while read -r f; do
  if head -n 1 "$f" | grep -qE '^#!.*sh'; then echo "$f"; fi
done)
if [ -n "$scripts" ]; then
  if command -v shellcheck > /dev/null; then
    echo "shellcheck: $(wc -l <<< "$scripts") files"
    xargs shellcheck -x <<< "$scripts" || status=1
  else
    echo "shellcheck: not installed, scripts are not checked"
  fi
fi

if [ -z "$build" ] && [ ! -f build/dev/compile_commands.json ]; then
  echo "clang-tidy: left out, build/dev is not configured (cmake --preset dev, or --build FOLDER)"
  [ $status -eq 0 ] || echo "lint: something needs fixing"
  exit $status
fi
build=${build:-build/dev}
[ -f "$build/compile_commands.json" ] ||
  complain "$build/compile_commands.json does not exist" "configure first: cmake --preset dev"
tidy=$(pinned clang-tidy)

# A header is checked through the sources that include it, so a changed header means all sources.
compiled=$(sed -n 's|^ *"file": "\(.*\)",\{0,1\}$|\1|p' "$build/compile_commands.json" |
  sed -n "s|^$PWD/||p" | grep -E '^(harness|kernels|tests)/.*\.cpp$' | sort -u)
if [ -n "$since" ] && [ -z "$(select_files '^((harness|kernels|tests)/.*\.h|\.clang-tidy)$')" ]; then
  compiled=$(comm -12 <(printf '%s\n' "$compiled") <(select_files '\.cpp$'))
fi
if [ -n "$compiled" ]; then
  echo "clang-tidy: $(wc -l <<< "$compiled") files"
  # Warning flags of GCC that clang does not know are no fault of the source.
  xargs -P "$(nproc)" -n 1 "$tidy" -p "$build" --quiet --extra-arg=-Wno-unknown-warning-option \
    <<< "$compiled" 2> >(grep -vE '^[0-9]+ warnings? (generated|treated)|^Suppressed|^Use -header-filter' >&2) || status=1
fi

if [ $status -eq 0 ]; then echo "lint: clean"; else echo "lint: something needs fixing"; fi
exit $status
