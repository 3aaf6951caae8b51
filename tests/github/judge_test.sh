#!/usr/bin/env bash
# judge.sh: the records decide, and the text of the merge base; the machine's own verdict does not, nor does the change's text.
# shellcheck source=tests/cli/lib.sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/lib.sh"
script=$tests/../ci/action/judge.sh

repository
printf '%s\n' '*.db' report/ judged/ >>.gitignore
suite right also_right && speeds 100 && commit "fast"

# measured STATUS: this commit, as the gate measures it. judged STATUS [ACCEPT_PROPOSED]: by its records, in a clone.
measured() {
  rm -rf report && mkdir report && git update-ref refs/remotes/origin/main main
  CI=true GITHUB_BASE_REF=main expect "$1" run --store shared.db --against main --keep-in report/records.db --report json=report/verdict.json
  cp "$printed" report/log.txt
  echo "$1" >report/status
}
judged() {
  rm -rf "$scratch/clone" && git clone -q . "$scratch/clone" && cd "$scratch/clone" || exit 1
  git config advice.detachedHead false
  rm -rf "$work/judged"
  [ -z "${left:-}" ] || printf '%b' "$text" >"$left"  # by an artifact that was unpacked here
  expect "$1" env COMMIT="$(git rev-parse HEAD)" AGAINST="$(git rev-parse origin/main)" TARGET=main ACCEPT_PROPOSED="${2:-}" \
    bash "$script" "$work/report" "$work/judged"
  cd "$work" || exit 1
}

# Nobody has measured yet: the change is measured, and there is nothing to hold it to.
git checkout -qb first && echo 1 >note && commit "a note"
measured 4
judged 4
holds judged/verdict.json 'report["baseline"]["found"]["code"] == "none"' '"elsewhere" not in report["baseline"]["found"]'
# No other word of the machine is taken: neither its status nor its reports.
echo 0 >report/status && echo '::error::planted' >report/annotations.txt && echo '# planted' >report/summary.md
echo planted >report/verdict.txt
judged 4
! grep -rq planted judged || problem "the machine's own report was taken"

git checkout -q main
expect 0 run --store shared.db
# As fast, then slower.
git checkout -qb change && echo 2 >note && commit "a note"
measured 0
judged 0
speeds 104 && commit "slower"
measured 1
judged 1
holds judged/verdict.json 'report["verdict"] == "regressed"' 'report["baseline"]["found"]["code"] == "ancestor"'
left=json.py text='import sys; sys.exit(0)\n' judged 1
left=waivers.yaml text='version: 1\nwaivers:\n  - {pattern: "*", ceiling: 9%, expires: 2999-12-31, reason: mine}\n' judged 1
# The machine says otherwise.
echo 0 >report/status && sed -i 's/regressed/unchanged/g' report/verdict.json
judged 1
# The change's own text does not count until it is accepted: a waiver, a default of an option.
printf 'version: 1\nwaivers:\n  - {pattern: "*", ceiling: 9%%, expires: 2999-12-31, reason: mine}\n' >waivers.yaml
commit "waived"
measured 1
judged 1
judged 0 true
git rm -q waivers.yaml && printf 'version: 1\ncommands:\n  compare: {allow: not-comparable, margin: 50%%}\n' >.harness.yaml && commit "a default"
measured 2
judged 2
git rm -q .harness.yaml && commit "without"
# A waiver that the merge base has does.
git checkout -q main && printf 'version: 1\nwaivers:\n  - {pattern: "*", ceiling: 9%%, expires: 2999-12-31, reason: known}\n' >waivers.yaml
commit "known" && expect 0 run --store shared.db
git checkout -qb waived && speeds 104 && commit "slower, as is known"
measured 0
judged 0

# Its suite has another name: the machine, which has the store, tells that a baseline is lost.
git checkout -q main && git checkout -qb renamed && sed -i 's/name: demo/name: other/' suite.yaml && commit "another name"
measured 4
judged 4
holds judged/verdict.json 'report["baseline"]["found"]["elsewhere"] == 1'
grep -q '^::error title=harness::.*baseline is lost' judged/annotations.txt || problem "nothing tells that the baseline is lost"
echo 0 >report/status
judged 4
holds judged/verdict.json 'report["baseline"]["found"]["elsewhere"] == 1'
# Records that lack what judged them, none at all, a link, and a run that was interrupted.
git checkout -q waived
measured 0
cp report/records.db whole.db
python3 - report/records.db "$(git rev-parse HEAD)" <<'PY'
import sqlite3, sys
store = sqlite3.connect(sys.argv[1])
store.execute("DELETE FROM runs WHERE revision != ?", (sys.argv[2],))
store.commit()
PY
judged 2
rm report/records.db
judged 2
ln -s "$work/whole.db" report/records.db
judged 2
rm report/records.db && cp whole.db report/records.db
judged 0
echo 130 >report/status
judged 130
echo running >report/status
judged 130

# A copy that fails costs no verdict, and is told.
git checkout -q change && rm -rf report && mkdir report
expect 0 run --store report/records.db
python3 - report/records.db "$(git rev-parse HEAD)" <<'PY'
import sqlite3, sys
store = sqlite3.connect(sys.argv[1])
store.execute("CREATE TRIGGER full BEFORE INSERT ON runs WHEN NEW.revision != '%s' BEGIN SELECT RAISE(ABORT, 'no room'); END" % sys.argv[2])
store.commit()
PY
expect 1 run --store shared.db --against main --keep-in report/records.db --report json=report/verdict.json
names warning: report/records.db
echo 1 >report/status
judged 2
finish
