#!/usr/bin/env bash
# The pages of the scripts, of the doctor and of pinned baselines: a machine that is looked at, a new baseline.
# shellcheck source=tests/walk/lib.sh
. "$(dirname "$0")/lib.sh"

export GIT_AUTHOR_NAME="Ann Example"  # who promotes on the page
clone
sed -i '/json/d' .gitignore && git commit -qam "records are shown"
page ci/README.md 'ci/: scripts'
step 0 "ci/bootstrap.sh run"
page harness/doctor/doctor.md 'doctor, locked clocks, choosing devices'
step 0 "harness doctor"
step 0 "harness doctor --suite"

page baselines/README.md 'Pinned baselines'
step 0 "harness run"
step 0 "harness baseline promote"
names baselines/scripted/fusion.json
step 0 "git add"
[ -z "$(git status --porcelain baselines)" ] || problem "the pin is not committed: $(git status --porcelain)"
expect 0 harness baseline list
names scripted/fusion "Example"
finish_walk
