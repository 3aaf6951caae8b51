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

# A waiver beside the suite covers the regression, until its last day; HARNESS_TODAY asks about a later day. This
# folder lies in no repository, so the file counts as it is; trust_test.sh has one.
mkdir "$scratch/plain" && cp fast.json slow.json faster.json suite.yaml "$scratch/plain" && cd "$scratch/plain" || exit 1
last=$(date -u -d "+30 days" +%F)
expect 1 compare
waiver 6% "$last"
export HARNESS_TODAY=$last
expect 0 compare --report json=waived.json
names "#7" waivers.yaml:3
holds waived.json 'report["exit_code"] == 0' 'report["verdict"] == "unchanged"' \
  'row(metric="wall_time")["verdict"] == "regressed"' 'row(metric="wall_time")["waiver"]["reason"] == "known since May"'
HARNESS_TODAY=$(date -u -d "+31 days" +%F) expect 1 compare
names "$last"
HARNESS_TODAY=soon expect 2 compare
names HARNESS_TODAY
# An earlier day would let expired waivers hold again.
waiver 6% 2026-01-01
HARNESS_TODAY=2026-01-01 expect 2 compare
names HARNESS_TODAY 2026-01-01
waiver 6% "$last"
for day in 2026-99-99 2026-02-29; do
  HARNESS_TODAY=$day expect 2 compare
  names HARNESS_TODAY $day
done

# The bound decides, not the estimate of 4 %.
waiver 4.05% "$last"
expect 1 compare
names 4.05

# --waivers names another file, --no-waivers none; a file under baselines/ is found last.
waiver 6% "$last" 'twice/*' other.yaml
expect 0 compare --waivers other.yaml
expect 1 compare --no-waivers
expect 2 compare --no-waivers --waivers other.yaml
mkdir -p baselines && mv other.yaml baselines/waivers.yaml
expect 1 compare
rm waivers.yaml
expect 0 compare
names baselines/waivers.yaml
rm baselines/waivers.yaml

# Slips in the file are told with their place; a pattern that matches nothing with the nearest.
expect 2 compare --waivers none.yaml
names none.yaml
waiver 6% 2026-02-30
expect 2 compare
names waivers.yaml:3: 2026-02-30
cp waivers.yaml "$work" && cd "$work" || exit 1
expect 2 run --against HEAD
silent_about "twice/right"
cd "$scratch/plain" || exit 1
waiver 6% "$last" 'twice/rihgt/*'
expect 1 compare
names 'twice/rihgt/*' 'twice/right/*'
cd "$work" && rm waivers.yaml || exit 1

# A regression that a waiver accepted is what later runs are compared with.
waiver 6% "$last"
speeds 100 && commit "as fast as at first"
expect 0 run
speeds 104 && commit "slower, and waived"
expect 0 run --against HEAD~1
echo "# nothing" >>note && commit "nothing changed"
expect 0 run --against HEAD~1 --report json=over.json
holds over.json 'row(metric="wall_time")["ratio"] < 1.01'
rm waivers.yaml

# An improvement fails only when asked to, and says how to promote.
faster() { "$HARNESS" compare --baseline fast.json --current faster.json "$@"; }
expect 0 faster
expect 1 faster --fail-on improved --report json=stale.json
names --fail-on promote
holds stale.json 'report["exit_code"] == 1'
expect 2 faster --fail-on improvd
names improved
expect 2 faster --fail-on regresed
names regressed
expect 2 faster --fail-on regressed
expect 2 faster --allow inconclusve
names inconclusive

# Gates by metric: the time is informative, so its regression decides nothing.
cat >>suite.yaml <<'YAML'
    gate: {metrics: {time: {informative: true}}}
YAML
speeds 104 && commit "informative"
expect 1 run --against fast.json
expect 0 run --against fast.json --accept-proposed --report json=informative.json
holds informative.json 'row(metric="wall_time")["verdict"] == "regressed"' 'row(metric="wall_time")["informative"]'

# A policy that nothing would be judged by is refused, not ignored.
expect 2 "$HARNESS" run suite.yaml --margin 1%
names --margin --against
expect 2 "$HARNESS" bisect suite.yaml --good HEAD --allow missing
names --allow
expect 2 "$HARNESS" bisect suite.yaml --good HEAD --no-waivers
names --no-waivers

# Fewer processes than a verdict needs, unless asked for. The store goes, too: most of its runs are steps up or
# down, and compare would take them for noise between runs.
rm -rf waivers.yaml baselines .harness
suite right
sed -i 's/processes: 5/processes: 3/' suite.yaml
speeds 100
expect 0 run --output three.json
expect 0 run --output again.json
expect 3 "$HARNESS" compare --baseline three.json --current again.json
expect 0 "$HARNESS" compare --baseline three.json --current again.json --min-processes 3 --report json=three-verdict.json
holds three-verdict.json 'report["policy"]["min_processes"] == 3' 'row(metric="wall_time")["processes"] == [3, 3]'
expect 2 "$HARNESS" compare --baseline three.json --current again.json --min-processes 1
finish
