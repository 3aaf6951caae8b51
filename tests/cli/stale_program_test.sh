#!/usr/bin/env bash
# Programs that were not built again: `run` gives their `build`, and without one the headline warns where the files are
# the baseline's although the commit has other sources.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
speeds 100
printf '%s\n' tool '*.json' '!speed.json' built.log >>.gitignore
echo 'int tool;' >tool.c
# suite [KEY]: a program whose times decide nothing, so that no verdict rests on real timing.
suite() {
  cat >suite.yaml <<YAML
version: 2
name: mine
programs:
  - {name: tool, command: [./tool], sampling: {processes: 5}, gate: {metrics: {wall_time: {informative: true}}}${1:+, $1}}
YAML
}
run() { "$HARNESS" run suite.yaml --device scripted:speed.json --color never "$@"; }
build() { { echo '#!/bin/sh' && sed 's/^/# /' tool.c; } >tool && chmod +x tool; }

suite
commit "as it was"
build
expect 0 run
git checkout -qb change
echo 'int slower;' >>tool.c
commit "a source"
expect 0 run --against main --report json=stale.json
names WARNING tool
holds stale.json 'report["facts"]["unbuilt"] == ["tool"]'
build
expect 0 run --against main
silent_about "not built again"

# Nothing was to be built: documents, programs that git tracks, a commit without other sources.
echo 'words' >notes.md
commit "a document"
expect 0 run --against HEAD~1
silent_about "not built again"
git rm -q tool.c && cp tool script.sh && sed -i 's|\./tool|./script.sh|' suite.yaml && echo 'int other;' >other.c
commit "a script that git tracks"
expect 0 run
echo 'int more;' >>other.c
commit "a source of something else"
expect 0 run --against HEAD~1
silent_about "not built again"

# With a `build`: before the first start, once a run, and told. It is not timed: the program lasts as long as ever.
git checkout -q main && git checkout -qb built
suite 'build: "{ echo once >>built.log; echo \"#!/bin/sh\"; sed \"s/^/# /\" tool.c; } >tool && chmod +x tool"'
commit "says how it is built"
rm -f tool built.log
expect 0 run
names tool: built
grep -q 'int tool' tool || problem "the program was not built"
same "builds" "$(wc -l <built.log)" 1
echo 'int slower;' >>tool.c
commit "slower"
expect 0 run --against HEAD~1
silent_about "not built again"
grep -q 'int slower' tool || problem "the program was not built again"

# A build that fails ends the run, with its last words and its place.
suite 'build: "echo no-compiler-here; exit 3"'
expect 2 run
names suite.yaml:4: tool no-compiler-here
suite 'build: "sleep 0"'
rm tool
expect 5 run
finish
