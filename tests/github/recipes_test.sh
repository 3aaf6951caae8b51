#!/usr/bin/env bash
# The examples for GitLab and Jenkins: their own scripts, run in a repository with what those CIs set, and in a clone of it.
# shellcheck source=tests/cli/lib.sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/lib.sh"
# shellcheck source=tests/github/lib.sh
. "$here/lib.sh"
install_packages

# `harness` is the tested program on a scripted device. Where it was built without the page, the page is left out.
repository
suite right also_right
page=html
has_page || page=markdown
mkdir "$scratch/path"
cat >"$scratch/path/harness" <<SH
#!/bin/sh
[ "\$1" != run ] || set -- "\$@" --device scripted:speed.json
exec "${PROGRAM:-$HARNESS}" "\$@"
SH
chmod +x "$scratch/path/harness"
PATH=$scratch/path:$PATH
printf '%s\n' report/ judged/ >>.gitignore

# judged STATUS: in a clone on another machine, which has nothing of the change but its commits.
judged() {
  rm -rf "$scratch/clone" && git clone -q . "$scratch/clone" && cp -r report "$scratch/clone/" && cd "$scratch/clone" || exit 1
  git config advice.detachedHead false
  expect "$1" env "${variables[@]}" "${shell[@]}" "$scratch/judge"
  cd "$work" || exit 1
}
measured() { expect 0 env "${variables[@]}" "${shell[@]}" "$scratch/measure"; }

for ci in gitlab jenkins; do
  file=$source_root/ci/examples/gitlab-ci.yml shell=(bash -eo pipefail)
  [ $ci = gitlab ] || { file=$source_root/ci/examples/Jenkinsfile shell=(sh -e); }
  for job in measure judge; do
    node "$NODE_WORK/recipes.mjs" $ci "$file" $job >"$scratch/$job" || problem "$ci: the example is not as it should be"
    # Where the machine keeps its store, its lock and the scripts.
    sed -i "s|html=|$page=|; s|/var/lib/harness/results.db|$scratch/$ci.db|; s|/var/lock/harness-gpu.lock|$scratch/lock|
      s|/usr/share/harness/ci|$source_root/ci/action|" "$scratch/$job"
  done
  variables=(CI=true)
  git checkout -qB main 2>/dev/null || git checkout -q --orphan main
  speeds 100 && commit "$ci: fast"
  measured  # the first measurements have nothing to be compared with
  echo $ci >note && commit "$ci: nothing" && pushed
  measured
  base=$(git rev-parse HEAD)
  variables=(CI=true CI_MERGE_REQUEST_DIFF_BASE_SHA="$base" CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main CHANGE_TARGET=main)
  git checkout -qb $ci-same && echo $ci-same >note && commit "$ci: nothing again"
  measured
  judged 0
  git checkout -q main && git checkout -qb $ci-change && speeds 104 && commit "$ci: slower"
  measured
  judged 1
  python3 - "$scratch/clone/judged/junit.xml" <<'PY' || problem "$ci: the JUnit report does not name the regressed cases"
import sys, xml.etree.ElementTree as tree
cases = tree.parse(sys.argv[1]).getroot().iter("testcase")
failed = [case.get("name") for case in cases if case.find("failure") is not None]
assert len(failed) == 2 and any("also_right" in name for name in failed), failed
PY
  expect 0 "$HARNESS" records list --store "$scratch/$ci.db"
  silent_about "$(git rev-parse --short=10 HEAD)"
  # Its own waivers do not let it pass.
  printf 'version: 1\nwaivers:\n  - {pattern: "*", ceiling: 9%%, expires: 2999-12-31, reason: mine}\n' >waivers.yaml
  commit "$ci: waived"
  measured
  judged 1
  git rm -q waivers.yaml && speeds 101 0.05 && commit "$ci: noisy"
  measured
  judged 3
  # A run that kept no records is none that passes.
  rm report/records.db
  judged 2
  git checkout -q main
done
finish
