#!/usr/bin/env bash
# Two commits, measured and compared: each exit status for its right reason.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite right
speeds 100
commit "fast"

# Nothing measured yet: the baseline is missing.
git checkout -qb change
echo "a change" >note && commit "change nothing that matters"
expect 0 run
expect 4 "$HARNESS" compare --baseline main --current HEAD
expect 0 "$HARNESS" compare --baseline main --current HEAD --allow missing --report json=missing.json
holds missing.json 'report["baseline"]["id"] == ""' 'row()["verdict"] == "missing"'

# The same speed: unchanged.
git checkout -q main
expect 0 run
expect 0 "$HARNESS" compare --baseline main --current change --report json=same.json
holds same.json 'report["verdict"] == "unchanged"' 'row()["case"] == "twice/right/n=64"' 'report["baseline"]["distance"] == 0'

# A merge base that was not measured: its nearest measured ancestor, with the distance.
git checkout -qb later && echo "more" >>note && commit "one" && echo "more" >>note && commit "two"
expect 0 run
git checkout -qb topic && echo "topic" >>note && commit "topic"
git checkout -q later && git reset -q --hard HEAD~1
git checkout -q topic
expect 0 run --against later --report json=topic.json
holds topic.json 'report["baseline"]["distance"] == 1'

# 4 % slower: regressed, by name and by how much.
git checkout -q change
speeds 104 && commit "slower"
expect 1 run --against main
expect 1 "$HARNESS" compare --baseline main --current HEAD --report json=verdict.json,markdown=verdict.md
holds verdict.json 'report["verdict"] == "regressed"' 'report["exit_code"] == 1' \
  'row()["case"] == "twice/right/n=64"' 'row()["processes"] == [5, 5]' \
  '1.03 < row()["interval"][0] < row()["ratio"] < row()["interval"][1] < 1.05' \
  'row()["p"] <= row()["p_adjusted"] < 0.01'
grep -q regressed verdict.md || problem "verdict.md does not name the verdict"
# ... and with a margin above the effect it is none.
expect 0 "$HARNESS" compare --baseline main --current HEAD --margin 8%

# 4 % faster never fails.
speeds 96 && commit "faster"
expect 0 run --against main --report json=faster.json
holds faster.json 'report["verdict"] == "improved"'

# Processes that disagree by 5 %: inconclusive.
speeds 101 0.05 && commit "noisy"
expect 3 run --against main --report json=noisy.json
holds noisy.json 'report["verdict"] == "inconclusive"'
expect 0 "$HARNESS" compare --baseline main --current HEAD --allow inconclusive

# Another GPU of the same class is not comparable unless allowed.
speeds 100 0.001 GPU-B && commit "another device"
expect 0 run --output other.json
expect 4 "$HARNESS" compare --baseline main --current other.json
names GPU-B
expect 0 "$HARNESS" compare --baseline main --current other.json --allow-other-device --margin 3%

# A wrong result fails whatever its speed.
speeds 100 && suite right wrong && commit "wrong"
expect 5 run --against main --report json=wrong.json
holds wrong.json 'row("twice/wrong/n=64")["verdict"] == "failed"'

# Removed and new cases are reported as missing.
suite also_right && commit "renamed"
expect 4 run --against main --report json=renamed.json
holds renamed.json 'row("twice/also_right/n=64")["verdict"] == row("twice/right/n=64")["verdict"] == "missing"'

# ... but what a filter leaves out was not removed.
suite right also_right && commit "both"
expect 0 run
suite right also_right && echo "# again" >>suite.yaml && commit "both again"
expect 0 run --against HEAD~1 --filter '*/also_right/*'
silent_about "twice/right/n=64"

# Usage errors, and the nearest name.
expect 2 "$HARNESS" compare --baseline no-such-branch --current HEAD
names no-such-branch
expect 2 "$HARNESS" compare --margin 200%
expect 2 "$HARNESS" compare --report yaml=x
names yaml
expect 2 "$HARNESS" comapre
names compare
expect 2 "$HARNESS" compare --basline main
names --baseline

# A run that went red is no baseline for what comes after it; promoting is how a change is accepted.
git checkout -qb red main && suite right && speeds 110 && commit "slower, and nobody looks"
expect 1 run --against main
echo "# nothing" >>note && commit "nothing changed"
expect 1 run --against red --report json=red.json
holds red.json 'report["baseline"]["revision"]["commit"] != ""' '1.08 < row()["ratio"] < 1.12'
git checkout -q change

# A slip is told before anything is measured.
expect 2 run --against no-such-branch
silent_about "twice/right"
expect 4 "$HARNESS" compare --store none/typo.db
absent none
expect 2 run --output /proc/none/x.json
expect 2 run --report json=/proc/none/x.json
expect 2 "$HARNESS" compare --margin 0.5
names "0.5%"
expect 2 "$HARNESS" baseline promote HEAD

# A device that cannot be had measures nothing, and nothing is no pass.
suite right && speeds 100 && commit "as at first"
expect 0 run
expect 2 "$HARNESS" run suite.yaml --device scripted:none.json --against HEAD
names none.json

# A shallow clone cannot know its merge base, and says what to do.
git clone -q --depth 1 --no-single-branch "file://$work" "$scratch/shallow"
cp -r .harness plugin.so "$scratch/shallow/"
cd "$scratch/shallow" || exit 1
expect 2 "$HARNESS" compare --baseline origin/main --current HEAD
names fetch
cd "$work" || exit 1

# Pinned baselines stand in for an empty store.
git checkout -q main && git reset -q --hard change~4 && suite right && speeds 100
git commit -qam "pin from here" || true
expect 0 run
expect 2 "$HARNESS" baseline promote HEAD --author "A. Reviewer" --reason first-pin  # git knows another author
names --author tester
absent baselines
export GIT_AUTHOR_NAME="A. Reviewer"
expect 0 "$HARNESS" baseline promote HEAD --author "A. Reviewer" --reason first-pin
expect 0 "$HARNESS" baseline list
names Reviewer first-pin
expect 0 "$HARNESS" baseline show scripted/demo
names twice/right/n=64
commit "pin the baseline"
git checkout -qb pinned && speeds 104 && commit "slower again"
expect 1 run --against main --store fresh.db --report json=pinned.json
holds pinned.json 'report["verdict"] == "regressed"' 'report["baseline"]["id"]'
expect 2 "$HARNESS" baseline promote HEAD --author "A. Reviewer"
names --reason
finish
