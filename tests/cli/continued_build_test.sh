#!/usr/bin/env bash
# A record that another build continued lends no looks, though that build was killed and the first one finished the record.
# It proves nothing by its build, either. A run that spared identical cases is continued by the same build alone.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
export HARNESS_ENVIRONMENT=image-1
printf '%s\n' '*.db' '*.json' '*.log' >>.gitignore
# A program is held, and no variant of the plugin, because a suite with modules has no build.
cat >held.sh <<'SH'
[ -e "$HARNESS_TEST_FOLDER/hold" ] || exit 0
: >"$HARNESS_TEST_FOLDER/held/$$"
while [ -e "$HARNESS_TEST_FOLDER/hold" ]; do sleep 0.01; done
SH
cat >suite.yaml <<'YAML'
version: 2
name: demo
defaults:
  sampling: {processes: 2, placements: 1, samples: 5, warmup: 1, cache: hot, preheat: 0ms, timeout: 60s}
  gate: {margin: 90%}
cases:
  - workload: probe_gelu
    variant: threads
    axes: {dtype: f32, n: [2048, 4096]}
programs:
  - {name: held, command: [sh, held.sh]}
YAML
commit "first"
# killed ARGUMENT... : a run is killed while its program is held.
killed() {
  hold
  "$HARNESS" run suite.yaml --device cpu --store $build.db "$@" >killed.log 2>&1 &
  eventually are_held 1
  kill -KILL $!
  wait $! 2>/dev/null
  let_go
  eventually has_no_worker
}

for build in same another; do
  killed
  [ $build = same ] || export MY_TILE=8
  killed --continue
  unset MY_TILE
  expect 0 "$HARNESS" run suite.yaml --device cpu --store $build.db --continue --output first.json
  holds first.json "('build' in report) == ('$build' == 'same')"
  unread $build.db n=4096
  expect "0 1" "$HARNESS" run suite.yaml --device cpu --store $build.db --against HEAD --min-processes 2 --allow inconclusive --looks 1 --filter 'probe*' --output $build.json
done
holds same.json '[one["outcome"] for one in report["cases"]] == ["looked_at"] * 2'
holds another.json '[one["outcome"] for one in report["cases"]] == ["looked_at", "measured"]'
holds same.json 'all("known_look" in str(one) for one in report["cases"])'
holds another.json 'not any("known_look" in str(one) for one in report["cases"])'

build=same
git checkout -qb change
echo "words" >README.md && commit "words"
killed --against main --min-processes 2
MY_TILE=8 expect 2 "$HARNESS" run suite.yaml --device cpu --store same.db --continue --against main
expect "0 1" "$HARNESS" run suite.yaml --device cpu --store same.db --continue --against main --min-processes 2 --allow inconclusive --output spared.json
holds spared.json 'sum(one["outcome"] == "looked_at" for one in report["cases"]) == 2'
finish
