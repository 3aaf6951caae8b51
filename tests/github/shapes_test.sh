#!/usr/bin/env bash
# Repositories of other shapes, each with the workflow of manual/gate-a-program.md, the packaged program and no store but its own:
# a change that is as fast passes, and one that takes twice the time fails. The program prints its own times.
# shellcheck disable=SC2119  # perf takes what the last event says
# shellcheck source=tests/cli/lib.sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/lib.sh"
# shellcheck source=tests/github/lib.sh
. "$here/lib.sh"
install_packages
real_device=yes
# A machine that nobody else uses, whatever else runs here: its own times alone are judged.
mkdir -p "$scratch/root/proc"
printf '0.00 0.00 0.00 1/1 1\n' >"$scratch/root/proc/loadavg"
printf 'MemAvailable: 99999999 kB\n' >"$scratch/root/proc/meminfo"
export HARNESS_SYSTEM_ROOT=$scratch/root

# The repository that is called, and its release, which curl brings.
OTHER_REPOSITORY=$scratch/other
mkdir -p "$OTHER_REPOSITORY/.github" "$scratch/path" "$scratch/harness-1/bin"
cp -r "$source_root/ci" "$OTHER_REPOSITORY/"
cp -r "$source_root/.github/workflows" "$OTHER_REPOSITORY/.github/"
cp "$source_root/CMakeLists.txt" "$OTHER_REPOSITORY/"
(cd "$OTHER_REPOSITORY" && git init -q . && git add -A && git commit -qm "a release")
gates=$OTHER_REPOSITORY/.github/workflows/gate.yml
printf '#!/bin/sh\nexec "%s" "$@"\n' "${PROGRAM:-$HARNESS}" >"$scratch/harness-1/bin/harness"
chmod +x "$scratch/harness-1/bin/harness"
(cd "$scratch" && tar -czf harness.tar.gz harness-1 && sha256sum harness.tar.gz >harness.tar.gz.sha256)
version=$(sed -n 's/^project(harness VERSION \([0-9.]*\).*/\1/p' "$source_root/CMakeLists.txt")
cat >"$scratch/path/curl" <<SH
#!/bin/sh
while [ "\$1" != --output ]; do shift; done
case \$3 in
  https://github.com/OWNER/harness/releases/download/v$version/harness-$version-linux-x86_64.tar.gz) cp "$scratch/harness.tar.gz" "\$2" ;;
  https://github.com/OWNER/harness/releases/download/v$version/harness-$version-linux-x86_64.tar.gz.sha256) cp "$scratch/harness.tar.gz.sha256" "\$2" ;;
  *) exit 22 ;;
esac
SH
chmod +x "$scratch/path/curl"
PATH=$scratch/path:$PATH
unset PROGRAM
export OTHER_REPOSITORY

# bench FOLDER: a program there and its suite.
bench() {
  mkdir -p "$1"
  cat >"$1/bench.sh" <<'SH'
#!/bin/sh
awk -v seed=$$ -v us="$(cat "$(dirname "$0")/speed")" 'BEGIN {
  srand(seed)
  printf "{\"case\": \"sum\", \"metric\": \"cpu_time\", \"unit\": \"us\", \"process\": 0, \"samples\": ["
  for (i = 0; i < 10; ++i) printf "%s%.4f", i ? ", " : "", us * (1 + (rand() - 0.5) / 500)
  print "]}"
}'
SH
  cat >"$1/suite.yaml" <<'YAML'
version: 2
name: bench
programs:
  - name: bench
    command: [sh, bench.sh]
    build: "true"
    reads: samples
    gate: {margin: 30%}
YAML
  echo 100 >"$1/speed"
}
# shape NAME [BRANCH]: a new repository with the workflow of the manual.
shape() {
  echo "$1" >&2
  shape=$1
  cd "$scratch" && rm -rf work && mkdir work && cd work || exit 1
  git init -q -b "${2:-main}" . && mkdir -p .github/workflows
  python3 "$here/../walk/commands.py" --file manual/gate-a-program.md yaml 1 >.github/workflows/perf.yml
  [ "$(grep -c . .github/workflows/perf.yml)" -le 12 ] || problem "the workflow has more than 12 lines"
  target=${2:-main}
}
published() { commit "$1" && git update-ref "refs/remotes/origin/$target" HEAD; }
judged() {
  gives "result[\"conclusion\"] == \"$1\"" "result[\"outputs\"].get(\"verdict\") == \"$2\"" || echo "in $shape" >&2
}
# change [SPEED FILE]...: the pull request of a note, then of the slower program in this file.
change() {
  git checkout -qb change && echo more >>note && commit "a note"
  event pull_request
  perf
  judged success unchanged
  [ $# -eq 0 ] || slower "$1"
}
slower() {
  echo 200 >"$1" && commit "slower"
  event pull_request
  perf
  judged failure regressed
}

shape "a program at the top, pushed before"
bench . && published "fast"
event push
perf
judged success recorded
change speed
# A module of its own in the place of one of Python's does not judge, nor leave out.
echo 'import sys; sys.exit(0)' >json.py && commit "a module"
event pull_request
perf
judged failure regressed

shape "a monorepo: two packages whose suites have one name"
bench a && bench b && sed -i 's|suite: "suite.yaml"|suite: "*/suite.yaml"|' .github/workflows/perf.yml && published "fast"
change b/speed
[ -s "$scratch/measure1.json" ] || problem "one suite was measured"

shape "a release branch, and a main that went on" release/1.x
bench . && published "fast"
git checkout -qb main && echo 300 >speed && commit "main is slower" && git update-ref refs/remotes/origin/main HEAD
git checkout -q release/1.x
change

shape "a main that went on since the branch began"
bench . && published "fast"
git checkout -qb change && echo more >note && commit "a note"
git checkout -q main && echo 50 >speed && published "main is faster"
git checkout -q change
event pull_request
perf
judged success unchanged

shape "the branch is squashed and goes on"
bench . && published "fast"
git checkout -qb change && echo more >note && commit "a note" && echo even >>note && commit "another"
git checkout -q main && git merge -q --squash change && published "squashed"
git checkout -q change && git merge -q main -m "back" && echo less >>note && commit "a third"
event pull_request
perf
judged success unchanged

shape "a default branch of another name, and a queue of merges" trunk
sed -i 's/"main"/"trunk"/' .github/workflows/perf.yml && bench . && published "fast"
git checkout -qb change && echo more >note && commit "a note"
event merge_group
perf
judged success unchanged
gives 'result["name"] == "verdict into trunk"'
# The second group of a queue goes on from the first, which is not merged yet.
first=$(git rev-parse HEAD)
git checkout -qb second && echo 200 >speed && commit "slower"
QUEUE_BASE=$first event merge_group
perf
judged failure regressed

shape "a program in a submodule"
bench ../part && git -C ../part init -q && git -C ../part add -A && git -C ../part commit -qm "a part"
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=protocol.file.allow GIT_CONFIG_VALUE_0=always  # the part lies in a folder
git submodule --quiet add ../part part
sed -i 's|suite: "suite.yaml"|suite: "suite.yaml", submodules: "true"|' .github/workflows/perf.yml
sed 's|bench.sh|part/bench.sh|' part/suite.yaml >suite.yaml
published "fast"
change

shape "a Makefile, what it builds is ignored"
bench . && printf 'bench: bench.sh\n\tcp bench.sh bench\n' >Makefile && echo bench >.gitignore
sed -i 's|sh, bench.sh|sh, ./bench|; s|build: "true"|build: make -s|' suite.yaml && published "fast"
change speed

shape "a module in Python"
bench . && cat >bench.py <<'PY'
import random, json
us = float(open("speed").read())
print(json.dumps({"case": "sum", "metric": "cpu_time", "unit": "us", "process": 0,
                  "samples": [us * (1 + (random.random() - 0.5) / 500) for _ in range(10)]}))
PY
sed -i 's|sh, bench.sh|python3, bench.py|' suite.yaml && published "fast"
change speed

shape "a fork, whose commit somebody read"
bench . && published "fast"
git checkout -qb change && echo more >note && commit "a note"
labelled maintainer write
event pull_request elsewhere/kernels "measure $(git rev-parse HEAD)"
perf
judged success unchanged

# Machines of two kinds: two calls have other artifacts.
shape "a matrix of machines"
bench . && published "fast"
keys=
for machine in one other; do
  printf '{"inputs": {"suite": "suite.yaml", "runner": "\\"%s\\""}}' "$machine" >"$scratch/call.json"
  event push
  gate_job "$scratch/hosted/$machine" plan "$scratch/plan.json"
  keys+=$(python3 -c 'import json,sys; print(json.loads(json.load(open(sys.argv[1]))["outputs"]["suites"])[0]["key"])' "$scratch/plan.json")' '
done
[ "$(tr ' ' '\n' <<<"$keys" | sort -u | grep -c suite)" -eq 2 ] || problem "two calls share artifacts: $keys"

# Not shallow, whatever other workflows of the repository left on the machine: the gate asks for the whole history.
python3 - "$gates" <<'PY' || problem "a checkout of the gate may be shallow"
import re, sys
jobs = re.split(r"\n  (?=\w+:\n)", open(sys.argv[1]).read())
for job in jobs:
    if re.match("(measure|judge):", job):
        assert "fetch-depth: 0" in job[:job.index("repository: ${{ job.workflow")], job[:60]
PY
finish
