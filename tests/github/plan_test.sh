#!/usr/bin/env bash
# plan.sh: which suites are measured, and whose label lets a fork's commit run or a change's settings count.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
script=$tests/../ci/action/plan.sh
head=$(printf 'a%.0s' {1..40}) other=$(printf 'b%.0s' {1..40})
mkdir stand-ins suites
touch suites/one.yaml suites/two.yaml
export PATH=$work/stand-ins:$PATH GITHUB_REPOSITORY=example/kernels GITHUB_OUTPUT=$work/output GH_TOKEN=none

# labelled GIVER PERMISSION: the last who gave the label, and what this person may do.
labelled() {
  cat >stand-ins/gh <<SH
#!/bin/sh
case "\$*" in
  "api --paginate repos/example/kernels/issues/7/events --jq "*) printf 'somebody\n%s\n' "$1" ;;
  "api repos/example/kernels/collaborators/$1/permission --jq .permission") [ -n "$2" ] && echo "$2" ;;
  *) exit 1 ;;
esac
SH
  chmod +x stand-ins/gh
}
# plan EVENT FORK LABEL: the step, with an empty file for its outputs. given MEASURE PROPOSED: what it decides.
plan() {
  : >output
  env TARGET="${target-main}" GITHUB_EVENT_NAME="$1" FORK="$2" LABELS="[\"docs\", \"$3\"]" HEAD="$head" NUMBER=7 SUITE="${suite-suites/*.yaml}" CALL="${call-{\}}" bash "$script"
}
given() {
  expect 0 plan "${@:3}"
  same "measure of ${*:3}" "$(sed -n 's/^measure=//p' output)" "$1"
  same "proposed of ${*:3}" "$(sed -n 's/^proposed=//p' output)" "$2"
}

labelled maintainer write
given true true push false ""
given true true schedule false ""
given true false workflow_dispatch false ""
given true false merge_group false ""
given true false pull_request false ""
given false false pull_request true ""
given true false pull_request true "measure $head"
given true true pull_request true "accept $head"
given true true pull_request false "accept $head"
given true false pull_request false "measure $head"
for label in "measure $other" "accept $other" measure accept "measure ${head:0:39}" "xmeasure $head" "measure $head "; do
  given false false pull_request true "$label"
  given true false pull_request false "$label"
done
for permission in admin maintain; do
  labelled maintainer $permission
  given true true pull_request true "accept $head"
done
for permission in read triage none ""; do
  labelled somebody_else "$permission"
  given false false pull_request true "measure $head"
  names ::warning somebody_else
  given false false pull_request true "accept $head"
done
rm stand-ins/gh && printf '#!/bin/sh\nexit 1\n' >stand-ins/gh && chmod +x stand-ins/gh  # the API is away
given false false pull_request true "measure $head"
names ::warning again
given true false pull_request false ""
silent_about ::warning
printf '#!/bin/sh\ncase "$*" in *events*) echo maintainer ;; *) exit 1 ;; esac\n' >stand-ins/gh
given false false pull_request true "measure $head"
names ::warning maintainer again

# The branch that it is for, of a merge queue as a ref.
target=refs/heads/release/1.x expect 0 plan merge_group false ""
same "the target" "$(sed -n 's/^target=//p' output)" release/1.x
target=main expect 0 plan pull_request false ""
same "the target" "$(sed -n 's/^target=//p' output)" main

# The suites, with a key each that no other call has.
expect 0 plan push false ""
suites() { sed -n 's/^suites=//p' output; }
files() { suites | python3 -c 'import json, sys; print(*[one["file"] for one in json.load(sys.stdin)])'; }
same "the suites" "$(files)" "suites/one.yaml suites/two.yaml"
before=$(suites)
call='{"runner": "other"}' expect 0 plan push false ""
[ "$(suites)" != "$before" ] || problem "two calls have one key"
suite=$'suites/two.yaml\n\nsuites/o*.yaml' expect 0 plan push false ""
same "the suites" "$(files)" "suites/two.yaml suites/one.yaml"
suite='none*.yaml' expect 2 plan push false ""
names ::error 'none*.yaml'
touch 'suites/a b.yaml'
expect 2 plan push false ""
names ::error 'b.yaml'
rm 'suites/a b.yaml' && mkdir -p a && touch a/b.yaml a-b.yaml
suite='a*b.yaml
a/b.yaml' expect 2 plan push false ""
names ::error a/b.yaml
finish
