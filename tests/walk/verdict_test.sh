#!/usr/bin/env bash
# The page of verdicts: a red comparison to the digit, a machine that is looked at, a new baseline.
# shellcheck source=tests/walk/lib.sh
. "$(dirname "$0")/lib.sh"

export GIT_AUTHOR_NAME="Ann Example"  # who promotes on the page
clone
shows=exact
page manual/read-a-verdict.md 'Start'
step 0 "harness import"
step 0 "harness import"
step 1 "harness compare"
step 0 "harness explain"
shows=like
page manual/read-a-verdict.md 'A machine that can measure'
step 0 "harness doctor"
step 0 "harness doctor --suite"

rm main.json head.json
sed -i '/json/d' .gitignore && git commit -qam "records are shown"
page manual/read-a-verdict.md 'Pinned baselines'
step 0 "harness run"
step 0 "harness baseline promote"
names baselines/scripted/fusion.json
step 0 "git add"
[ -z "$(git status --porcelain baselines)" ] || problem "the pin is not committed: $(git status --porcelain)"
expect 0 harness baseline list
names scripted/fusion "Example"
finish_walk
