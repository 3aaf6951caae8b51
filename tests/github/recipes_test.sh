#!/usr/bin/env bash
# The examples for GitLab and Jenkins: their own scripts, run in a repository with what those CIs set.
# shellcheck source=tests/cli/lib.sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/lib.sh"
# shellcheck source=tests/github/lib.sh
. "$here/lib.sh"
install_packages

# The recipes build and measure with ci/bootstrap.sh. Here that is the tested program on a scripted device. Where it
# was built without the page, the page is left out.
repository
mkdir -p ci suites
suite right also_right && sed 's|\./plugin|../plugin|' suite.yaml >suites/fusion.yaml
page=html
has_page || page=markdown
cat >ci/bootstrap.sh <<SH
#!/bin/sh
[ \$# -gt 0 ] || exit 0
[ "\$3" = --require-gpu ] || exit 99
subcommand=\$1 suite=\$2
shift 3
exec "${PROGRAM:-$HARNESS}" "\$subcommand" "\$suite" --device scripted:speed.json "\$@"
SH
chmod +x ci/bootstrap.sh
echo report/ >>.gitignore

for ci in gitlab jenkins; do
  file=$source_root/ci/examples/gitlab-ci.yml shell=(bash -eo pipefail)
  [ $ci = gitlab ] || { file=$source_root/ci/examples/Jenkinsfile shell=(sh -e); }
  node "$NODE_WORK/recipes.mjs" $ci "$file" >"$scratch/recipe" || problem "$ci: the example is not as it should be"
  # Where the machine keeps its store and its lock.
  sed -i "s|html=|$page=|; s|/var/lib/harness/results.db|$scratch/$ci.db|; s|/var/lock/harness-gpu.lock|$scratch/lock|" "$scratch/recipe"
  git checkout -qB main 2>/dev/null || git checkout -q --orphan main
  speeds 100 && commit "$ci: fast"
  expect 0 "${shell[@]}" "$scratch/recipe"  # the first measurements have nothing to be compared with
  echo $ci >note && commit "$ci: nothing" && pushed
  expect 0 "${shell[@]}" "$scratch/recipe"
  base=$(git rev-parse HEAD)
  git checkout -qb $ci-change && speeds 104 && commit "$ci: slower"
  expect 1 env CI_MERGE_REQUEST_DIFF_BASE_SHA="$base" CHANGE_TARGET=main "${shell[@]}" "$scratch/recipe"
  [ -s report/records.db ] || problem "$ci: the change's record is not kept apart"
  expect 0 "$HARNESS" records list --store "$scratch/$ci.db"
  silent_about "$(git rev-parse --short=10 HEAD)"
  python3 - <<'PY' || problem "$ci: the JUnit report does not name the regressed cases"
import xml.etree.ElementTree as tree
cases = tree.parse("report/junit.xml").getroot().iter("testcase")
failed = [case.get("name") for case in cases if case.find("failure") is not None]
assert len(failed) == 2 and any("also_right" in name for name in failed), failed
PY
  speeds 101 0.05 && commit "$ci: noisy"
  expect 3 env CI_MERGE_REQUEST_DIFF_BASE_SHA="$base" CHANGE_TARGET=main "${shell[@]}" "$scratch/recipe"
  git checkout -q main
done
finish
