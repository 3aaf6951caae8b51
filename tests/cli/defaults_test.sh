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
  run: {quiet: true, report: json=verdict.json, output: last.json}
  report: {format: json}
  records list: {format: json}
YAML
speeds 100 && commit "one"
expect 0 run --against main       # the first measurements
holds verdict.json 'report["format"] == "harness-comparison"'
[ -f mine.db ] || problem "the default store is not used"
absent .harness/results.db
expect 0 run
"$HARNESS" report HEAD >report.json || problem "no report"
holds report.json 'report["format"] == "harness-run-report"'
"$HARNESS" records list >list.json || problem "no list"
holds list.json 'len(report["records"]) == 2' 'report["store"] == "mine.db"'
"$HARNESS" records list --last 1 >list.json || problem "no list"
holds list.json 'len(report["records"]) == 1'
expect 0 run --quick              # excludes --output, which is then no default
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
refused 3 'version: 1\ncommands:\n  run: {quite: true}\n' 'quiet'
refused 3 'version: 1\ncommands:\n  run: {color: pink}\n' --color 'pink'
refused 4 'version: 1\ncommands:\n  run:\n    wait: soon\n' --wait 'soon'
refused 3 'version: 1\ncommands:\n  run: {margin: 50%}\n' '--margin'
refused 3 'version: 1\ncommands:\n  run: {help: true}\n' '--help'
refused 3 'version: 1\ncommands:\n  run: {against: HEAD}\n' '--against'
refused 3 'version: 1\ncommands:\n  run: {watch: [suite.yaml]}\n' '--watch'
refused 3 'version: 1\ncommands:\n  run: {report: "json=../v.json"}\n' '../v.json'
ln -s "$scratch" out
refused 3 'version: 1\ncommands:\n  run: {report: "json=out/v.json"}\n' 'out/v.json'
rm out
refused 1 'version: 2\n' 2
refused 1 'all: {}\n' version:
# A slip of the command line's own is not blamed on the file.
printf 'version: 1\nall: {color: never}\n' >.harness.yaml
expect 2 run --budget soon
silent_about .harness.yaml
expect 0 "$HARNESS" --help

# In CI the file of the merge base counts, and that of the change is shown.
printf 'version: 1\nall: {store: main.db, color: never}\n' >.harness.yaml
commit "its store"
git checkout -qb change
printf 'version: 1\nall: {store: change.db, color: never}\n' >.harness.yaml
commit "another store"
CI=true expect 4 run --against main  # nobody has measured it
names --store=change.db --store=main.db
[ -f main.db ] || problem "the store of the merge base is not used"
absent change.db
CI=true GITHUB_BASE_REF=main expect 0 "$HARNESS" records list --store mine.db  # no origin: no file counts
names .harness.yaml
git update-ref refs/remotes/origin/main main
CI=true GITHUB_BASE_REF=main expect 0 "$HARNESS" records list
names main.db
cp main.db change.db
expect 0 "$HARNESS" records list  # by hand the tree's own counts
names change.db
silent_about main.db
rm change.db*
CI=true expect "0 4" run --against HEAD  # a push: what is committed
silent_about main.db
[ -f change.db ] || problem "the store of HEAD is not used"
git checkout -q main
printf 'version: 1\nall: {margin: 5%%}\n' >.harness.yaml
commit "an entry of an older version"
git checkout -qb repaired
printf 'version: 1\nall: {store: main.db}\n' >.harness.yaml
commit "repaired"
CI=true expect 4 run --against main  # the change may repair the file
grep -q '.harness.yaml at [0-9a-f]*:2:7: error' "$printed" || problem "the mistake is not named"

# The user's own file may name any option; the repository's wins where both have one.
printf 'version: 1\nall: {store: user.db}\ncommands:\n  run: {device: "scripted:speed.json", filter: "none*"}\n' >"$scratch/user.yaml"
export HARNESS_DEFAULTS=$scratch/user.yaml
expect 2 "$HARNESS" run suite.yaml
names none
expect 0 "$HARNESS" run suite.yaml --filter '*'
absent user.db
HARNESS_DEFAULTS=none.yaml expect 4 "$HARNESS" run suite.yaml
names none.yaml
finish
