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
says "error:" "advice:"
expect 0 "$HARNESS" compare --baseline main --current HEAD --allow missing
says "warning"

# The same speed: unchanged.
git checkout -q main
expect 0 run
expect 0 "$HARNESS" compare --baseline main --current change
says "twice/right/n=64" "merge base"

# A merge base that was not measured: its nearest measured ancestor, with the distance.
git checkout -qb later && echo "more" >>note && commit "one" && echo "more" >>note && commit "two"
expect 0 run
git checkout -qb topic && echo "topic" >>note && commit "topic"
git checkout -q later && git reset -q --hard HEAD~1
git checkout -q topic
expect 0 run --against later
says "1 commit"

# 4 % slower: regressed, by name and by how much.
git checkout -q change
speeds 104 && commit "slower"
expect 1 run --against main
says "regressed" "twice/right/n=64"
expect 1 "$HARNESS" compare --baseline main --current HEAD --report json=verdict.json,markdown=verdict.md
says "REGRESSED"
python3 - <<'PY' || problem "verdict.json does not say what happened"
import json
verdict = json.load(open("verdict.json"))
case = verdict["cases"][0]
assert verdict["verdict"] == "regressed", verdict["verdict"]
assert case["case"] == "twice/right/n=64" and case["processes"] == [5, 5]
lo, hi = case["interval"]
assert 1.03 < lo < case["ratio"] < hi < 1.05, case
assert case["p"] <= case["p_adjusted"] < 0.01
PY
grep -q regressed verdict.md || problem "verdict.md does not name the verdict"
# ... and with a margin above the effect it is none.
expect 0 "$HARNESS" compare --baseline main --current HEAD --margin 8%

# 4 % faster never fails.
speeds 96 && commit "faster"
expect 0 run --against main
says "improved"

# Processes that disagree by 5 %: inconclusive, and what would settle it.
speeds 101 0.05 && commit "noisy"
expect 3 run --against main
says "inconclusive"
expect 0 "$HARNESS" compare --baseline main --current HEAD --allow inconclusive
says "warning"

# Another GPU of the same class is not comparable unless allowed.
speeds 100 0.001 GPU-B && commit "another device"
expect 0 run --output other.json
expect 4 "$HARNESS" compare --baseline main --current other.json
says "GPU-B"
expect 0 "$HARNESS" compare --baseline main --current other.json --allow-other-device --margin 3%

# A wrong result fails whatever its speed.
speeds 100 && suite right wrong && commit "wrong"
expect 5 run --against main
says "incorrect" "twice/wrong/n=64"

# Removed and new cases are reported as missing.
suite also_right && commit "renamed"
expect 4 run --against main
says "twice/also_right/n=64" "twice/right/n=64"

# ... but what a filter leaves out was not removed.
suite right also_right && commit "both"
expect 0 run
suite right also_right && echo "# again" >>suite.yaml && commit "both again"
expect 0 run --against HEAD~1 --filter '*/also_right/*'
silent_about "twice/right/n=64"

# Usage errors.
expect 2 "$HARNESS" compare --baseline no-such-branch --current HEAD
says "no-such-branch"
expect 2 "$HARNESS" compare --margin 200%
expect 2 "$HARNESS" compare --report yaml=x
says "unknown format"
expect 2 "$HARNESS" comapre
says "did you mean \`compare\`?"
expect 2 "$HARNESS" compare --basline main
says "did you mean \`--baseline\`?"

# A run that went red is no baseline for what comes after it; promoting is how a change is accepted.
git checkout -qb red main && suite right && speeds 110 && commit "slower, and nobody looks"
expect 1 run --against main
echo "# nothing" >>note && commit "nothing changed"
expect 1 run --against red
says "passed over"
git checkout -q change

# A slip is told before anything is measured.
expect 2 run --against no-such-branch
silent_about "twice/right"
expect 4 "$HARNESS" compare --store none/typo.db
[ -e none ] && problem "a comparison created a store"
expect 2 run --output /proc/none/x.json
expect 2 run --report json=/proc/none/x.json
expect 2 "$HARNESS" compare --margin 0.5
says "0.5%"
expect 2 "$HARNESS" baseline promote HEAD
says "harness baseline promote --help"

# A device that cannot be had measures nothing, and nothing is no pass.
suite right && speeds 100 && commit "as at first"
expect 0 run
expect 2 "$HARNESS" run suite.yaml --device scripted:none.json --against HEAD
says "none.json" "no such file"

# A shallow clone cannot know its merge base, and says what to do.
git clone -q --depth 1 --no-single-branch "file://$work" "$scratch/shallow"
cp -r .harness plugin.so "$scratch/shallow/"
cd "$scratch/shallow" || exit 1
expect 2 "$HARNESS" compare --baseline origin/main --current HEAD
says "fetch"
cd "$work" || exit 1

# Pinned baselines stand in for an empty store.
git checkout -q main && git reset -q --hard change~4 && suite right && speeds 100
git commit -qam "pin from here" || true
expect 0 run
expect 0 "$HARNESS" baseline promote HEAD --author "A. Reviewer" --reason "first pin"
expect 0 "$HARNESS" baseline list
says "A. Reviewer" "first pin"
expect 0 "$HARNESS" baseline show scripted/demo
says "twice/right/n=64"
commit "pin the baseline"
git checkout -qb pinned && speeds 104 && commit "slower again"
expect 1 run --against main --store fresh.db
says "pinned"
expect 2 "$HARNESS" baseline promote HEAD --author "A. Reviewer"
says "--reason"
finish
