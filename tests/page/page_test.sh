#!/usr/bin/env bash
# page_test.sh bundle|inputs|unit|files|browser/NAME: runs tests/page/<part>/*, or the one file of browser/. `bundle` is
# whether page/bundle.tar.xz is what npm builds. `inputs` makes what the tests behind it read, and goes before them.
# HARNESS is the program, PAGE_BUILD the folder where CMake built the page, TEST_BUILD one for this.
set -euo pipefail
: "${HARNESS:?path of the harness program}" "${PAGE_BUILD:?folder of the built page}" "${TEST_BUILD:?a folder}"
here=$(cd "$(dirname "$0")" && pwd)
part=${1:?bundle, unit, files or browser/NAME}

skip() {
  echo "skipped: $*" >&2
  if [ "${HARNESS_REQUIRE_PAGE:-0}" = 1 ]; then exit 1; fi
  exit 77
}

# The first browser that starts: Ubuntu has a `chromium-browser` that only says how to install a snap.
find_browser() {
  local name
  for name in chromium google-chrome chromium-browser; do
    if command -v "$name" >/dev/null && "$name" --version >/dev/null 2>&1; then
      command -v "$name"
      return
    fi
  done
}

command -v node >/dev/null || skip "there is no node (apt-get install nodejs npm)"
if ! [ -s "$PAGE_BUILD/dist/page.html" ] || ! [ -d "$PAGE_BUILD/node_modules" ]; then
  skip "the page was not built here (cmake -DHARNESS_PAGE=ON)"
fi
mkdir -p "$TEST_BUILD"
if [ "$part" = bundle ]; then
  rm -rf "$TEST_BUILD/bundle"
  mkdir "$TEST_BUILD/bundle"
  tar -xJf "$here/../../page/bundle.tar.xz" -C "$TEST_BUILD/bundle"
  cd "$TEST_BUILD/bundle"
  cmp sources "$PAGE_BUILD/sources" && cmp page.html "$PAGE_BUILD/dist/page.html" &&
    cmp plot.mjs "$PAGE_BUILD/dist/plot.mjs" && exit 0
  echo "page/bundle.tar.xz is not what page/ gives: make it anew with ninja page_bundle" >&2
  exit 1
fi
export PAGE_BUILD TEST_BUILD HARNESS
export PAGE_SOURCE=$here/../../page

# inputs: pages that the program wrote about samples from an H200, and about the pinned record of a suite.
make_inputs() {
  local name status=0
  for name in main head; do
    "$HARNESS" import "$here/../data/h200/$name.jsonl" --suite probe --as "$name.json" >/dev/null
  done
  "$HARNESS" compare --baseline main.json --current head.json --margin 0.5% --report html=comparison.html >/dev/null || status=$?
  [ "$status" -eq 1 ] || { echo "compare ended with $status, not 1" >&2; exit 1; }
  "$HARNESS" report "$here/../data/h200/fusion.json" --report html=run.html >/dev/null
  local pinned=$here/../../baselines/nvidia-h200
  (cd "$here/../.." && "$HARNESS" report "$pinned"/{attention,fusion,matmul}.json --html "$OLDPWD/deep.html" >/dev/null)
}

# A test writes pages of its own beside them.
export PAGES=$TEST_BUILD/pages/$part
rm -rf "$PAGES"
mkdir -p "$PAGES"
if [ "$part" = inputs ]; then
  cd "$PAGES"
  make_inputs
  exit
fi
cp "$TEST_BUILD"/pages/inputs/*.html "$PAGES"

case $part in
  unit)
    rm -rf "$TEST_BUILD/unit"
    mkdir -p "$TEST_BUILD/unit"
    # The compiler remembers what it checked, and skips what has not changed.
    "$PAGE_BUILD/node_modules/.bin/tsc" --noEmit --incremental --tsBuildInfoFile "$TEST_BUILD/checked" -p "$PAGE_BUILD/tsconfig.json"
    "$PAGE_BUILD/node_modules/.bin/esbuild" "$here"/unit/*.test.ts --bundle --platform=node --format=esm \
      --target=node18 --outdir="$TEST_BUILD/unit" --out-extension:.js=.mjs --alias:page="$PAGE_BUILD/src" \
      --alias:tests="$here" --log-level=warning
    exec node --test "$TEST_BUILD"/unit/*.mjs
    ;;
  files)
    exec node --test "$here"/files/*.test.mjs
    ;;
  browser/*)
    CHROMIUM=$(find_browser)
    [ -n "$CHROMIUM" ] || skip "there is no Chromium that starts (Debian: apt-get install chromium)"
    export CHROMIUM
    # The drivers are pinned by package-lock.json and installed once a build folder, by the first of these tests.
    exec 9>"$TEST_BUILD/packages.lock"
    flock 9
    lock=$(sha256sum "$here/package-lock.json" | cut -c 1-64)
    if [ "$(cat "$TEST_BUILD/packages.stamp" 2>/dev/null)" != "$lock" ]; then
      cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$TEST_BUILD/"
      (cd "$TEST_BUILD" && npm ci --ignore-scripts --no-audit --no-fund --prefer-offline >npm.log 2>&1) ||
        HARNESS_REQUIRE_PAGE=${HARNESS_REQUIRE_NPM:-${HARNESS_REQUIRE_PAGE:-0}} \
          skip "npm could not install the browser's driver ($TEST_BUILD/npm.log)"
      echo "$lock" >"$TEST_BUILD/packages.stamp"
    fi
    exec 9>&-
    # A browser that hangs says nothing of the page: then once more.
    status=0
    timeout --kill-after=10 240 node --test "$here/$part.test.mjs" || status=$?
    if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
      echo "the browser hung for minutes; once more" >&2
      exec node --test "$here/$part.test.mjs"
    fi
    exit "$status"
    ;;
  *)
    echo "bundle, inputs, unit, files or browser/NAME, not $part" >&2
    exit 2
    ;;
esac
