#!/usr/bin/env bash
# The loop of programs that write kernels: each command of the page, and the JSON that the page shows of it.
# shellcheck source=tests/walk/lib.sh
. "$(dirname "$0")/lib.sh"

clone
printf '%s\n' '/*.json' '!/speed.json' >>.gitignore && git commit -qam "results are ignored"
expect 0 harness run suites/fusion.yaml
# The change makes every case slower, and the library another one: the editor changes what the scripted device replays, and
# what the build leaves.
cat >"$scratch/editor" <<'SH'
#!/bin/sh
sed -i s/100/110/ speed.json
sed -i '/^cp .*kernels/a LC_ALL=C sed -i "s/on each tile while in cache/on each TILE while in cache/" build/release/lib/libharness_kernels.so' ci/bootstrap.sh
SH
chmod +x "$scratch/editor"
export EDITOR=$scratch/editor

loop=manual/reference.md
# shown NUMBER FILE: the page's JSON block of that number is true of the file.
shown() { python3 "$here/shown.py" "$loop" "$1" "$2" "$source_root/harness/report/schemas" || problem "$2 is not as the page shows it"; }
page manual/reference.md 'The loop in JSON'
step 0 "git switch"
step 0 "harness affected"
shown 0 affected.json
holds affected.json 'report["can_change"] == len(report["cases"]) > 0'
step 1 "harness run"
shown 1 verdict.json
step 0 "harness explain"
shown 2 explained.json
finish_walk
