#!/usr/bin/env bash
# Waivers, gates by metric, --fail-on and --allow: what fails the build, what does not, and what is said.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite right
speeds 100 && commit "fast"
expect 0 run --output fast.json
speeds 104 && commit "slower"
expect 0 run --output slow.json
speeds 96 && commit "faster"
expect 0 run --output faster.json
compare() { "$HARNESS" compare --baseline fast.json --current slow.json "$@"; }

# waiver CEILING EXPIRES [PATTERN] [FILE]: one waiver in waivers.yaml.
waiver() {
  cat >"${4:-waivers.yaml}" <<YAML
version: 1
waivers:
  - {pattern: "${3:-twice/right/*}", metric: time, ceiling: $1, expires: $2, reason: known since May, issue: "#7"}
YAML
}

# A waiver beside the suite covers the regression, until its last day; HARNESS_TODAY asks about another day.
expect 1 compare
waiver 6% 2026-12-31
export HARNESS_TODAY=2026-12-31
expect 0 compare --report json=waived.json
says "known since May" "#7" "waivers.yaml:3"
python3 - <<'PY' || problem "waived.json does not say what was waived"
import json
verdict = json.load(open("waived.json"))
assert verdict["exit_code"] == 0 and verdict["verdict"] == "unchanged", verdict["verdict"]
row = [one for one in verdict["cases"] if one["metric"] == "wall_time"][0]
assert row["verdict"] == "regressed" and row["waiver"]["reason"] == "known since May", row
PY
HARNESS_TODAY=2027-01-01 expect 1 compare
says "expired on 2026-12-31"
HARNESS_TODAY=soon expect 2 compare
says "HARNESS_TODAY" "2026-12-31"
for day in 2026-99-99 2026-02-29; do
  HARNESS_TODAY=$day expect 2 compare
  says "HARNESS_TODAY" "is no date"
done

# The bound decides, not the estimate of 4 %.
waiver 4.05% 2026-12-31
expect 1 compare
says "covers up to 4.05 %" "1 exceeded"

# --waivers names another file, --no-waivers none; a file under baselines/ is found last.
waiver 6% 2026-12-31 'twice/*' other.yaml
expect 0 compare --waivers other.yaml
expect 1 compare --no-waivers
expect 2 compare --no-waivers --waivers other.yaml
mkdir -p baselines && mv other.yaml baselines/waivers.yaml
expect 1 compare
rm waivers.yaml
expect 0 compare
says "baselines/waivers.yaml"
rm baselines/waivers.yaml

# Slips in the file are told with their place; a pattern that matches nothing with the nearest.
expect 2 compare --waivers none.yaml
says "no such waivers file"
waiver 6% 2026-02-30
expect 2 compare
says "waivers.yaml:3:" "there is no day"
expect 2 run --against HEAD
silent_about "twice/right"
waiver 6% 2026-12-31 'twice/rihgt/*'
expect 1 compare
says "did you mean" "twice/right/*" "matches no case; it holds until"
silent_about "not needed"
rm waivers.yaml

# A waived run still does not become the baseline by running.
speeds 100 && commit "as fast as at first"
expect 0 run
waiver 6% 2026-12-31
speeds 104 && commit "slower, and waived"
expect 0 run --against HEAD~1
echo "# nothing" >>note && commit "nothing changed"
expect 0 run --against HEAD~1
says "passed over"
rm waivers.yaml

# An improvement fails only when asked to, and says how to promote.
faster() { "$HARNESS" compare --baseline fast.json --current faster.json "$@"; }
expect 0 faster
expect 1 faster --fail-on improved --report json=stale.json
says "--fail-on improved" "harness baseline promote"
grep -q '"exit_code": 1' stale.json || problem "stale.json has another exit code"
expect 2 faster --fail-on improvd
says "did you mean \`improved\`?"
expect 2 faster --fail-on regresed
says "did you mean \`regressed\`?" "regressions always fail"
expect 2 faster --fail-on regressed
says "regressions always fail"
silent_about "did you mean"
expect 2 faster --allow inconclusve
says "did you mean \`inconclusive\`?"

# Gates by metric: the time is informative, so its regression decides nothing.
cat >>suite.yaml <<'YAML'
    gate: {metrics: {time: {informative: true}}}
YAML
speeds 104 && commit "informative"
expect 0 run --against fast.json
says "informative"

# A policy that nothing would be judged by is refused, not ignored.
expect 2 "$HARNESS" run suite.yaml --margin 1%
says "--margin needs --against"
expect 2 "$HARNESS" bisect suite.yaml --good HEAD --allow missing
says "--allow has no effect on a bisection"
expect 2 "$HARNESS" bisect suite.yaml --good HEAD --no-waivers
says "--no-waivers has no effect"

# Fewer processes than a verdict needs, unless asked for.
rm -rf waivers.yaml baselines
suite right
sed -i 's/processes: 5/processes: 3/' suite.yaml
speeds 100
expect 0 run --output three.json
expect 0 run --output again.json
expect 3 "$HARNESS" compare --baseline three.json --current again.json
says "3 against 3 processes: a verdict needs 5 a side, 2 more of each"
expect 0 "$HARNESS" compare --baseline three.json --current again.json --min-processes 3 --report json=three-verdict.json
says "loosened to 3 processes a side, where 5 are needed"
grep -q "3 a side at the least, loosened from 5" three-verdict.json || problem "the policy in force does not say that it was loosened"
grep -q '"min_processes": 3' three-verdict.json || problem "the JSON does not tell of --min-processes"
expect 2 "$HARNESS" compare --baseline three.json --current again.json --min-processes 1
finish
