#!/usr/bin/env bash
# `.harness.yaml` at the top of a repository: defaults of options, which the command line overrides.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
echo '*.db*' >>.gitignore
suite right
cat >.harness.yaml <<'YAML'
version: 1
all: {store: mine.db, color: never}
commands:
  run: {quiet: true, against: main, report: json=verdict.json}
  report: {format: json}
  records list: {last: 1}
YAML
speeds 100 && commit "one"
expect 0 run                      # by `against`: the first measurements
holds verdict.json 'report["format"] == "harness-comparison"'
[ -f mine.db ] || problem "the default store is not used"
absent .harness/results.db
expect 0 run
"$HARNESS" report HEAD >report.json || problem "no report"
holds report.json 'report["format"] == "harness-run-report"'
"$HARNESS" records list --format json >list.json || problem "no list"
holds list.json 'len(report["records"]) == 1' 'report["store"] == "mine.db"'
"$HARNESS" records list --format json --last 9 >list.json || problem "no list"
holds list.json 'len(report["records"]) == 2'
expect 0 run --quick              # excludes --against, which is then no default
mkdir below && cd below || exit 1
expect 0 "$HARNESS" report HEAD --store ../mine.db
cd ..
HARNESS_NO_DEFAULTS=1 expect 0 "$HARNESS" records list
names .harness/results.db

# refused LINE TEXT NAME... : the file is wrong there, and the message names these.
refused() {
  local line=$1 text=$2
  shift 2
  printf '%b' "$text" >.harness.yaml
  expect 2 "$HARNESS" run suite.yaml --device scripted:speed.json
  names ".harness.yaml:$line" "$@"
}
refused 2 'version: 1\nal: {store: x.db}\n' 'all'
refused 3 'version: 1\ncommands:\n  rnu: {store: x.db}\n' 'run'
refused 2 'version: 1\nall: {stroe: x.db}\n' 'store'
refused 3 'version: 1\ncommands:\n  run: {measrue: all}\n' 'measure'
refused 3 'version: 1\ncommands:\n  run: {measure: everything}\n' --measure 'everything'
refused 4 'version: 1\ncommands:\n  run:\n    budget: soon\n' --budget 'soon'
refused 3 'version: 1\ncommands:\n  run: {margin: 50%}\n' '--margin'
refused 3 'version: 1\ncommands:\n  run: {filter: "*x*"}\n' '--filter'
refused 1 'version: 2\n' 2
refused 1 'all: {}\n' version:
# A slip of the command line's own is not blamed on the file.
printf 'version: 1\nall: {color: never}\n' >.harness.yaml
expect 2 run --budget soon
silent_about .harness.yaml
expect 0 "$HARNESS" --help
finish
