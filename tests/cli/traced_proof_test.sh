#!/usr/bin/env bash
# Traced programs whose steps provably do the same are not measured. A stand-in writes the traces, so all of them are
# scripted.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

traced_suite
# A launch: name, grid, nanoseconds, machine code, arguments.
cat >step <<'TXT'
copy 2000
gemm 96 400000 code_a 11
gelu 512 90000 code_b 12
norm 64 10000 code_c 13
TXT
printf '%s\n' base.json same.json verdict.json ab.json '*.starts' >>.gitignore
commit "base"
starts() { same "starts of $1" "$(cat step.starts)" "$2" && rm -f step.starts; }
# own FILE CONDITION: of the row of the program's own kernel_time.
own() {
  holds "$1" "(lambda row: $2)(next(one for one in report['cases'] if (one['case'], one['metric']) == ('train', 'kernel_time')))"
}
outcomes() { python3 -c '
import json, sys
for case in json.load(open(sys.argv[1]))["cases"]:
    print(case["id"], case["outcome"], *(one["process"] for one in case["results"]))' "$1"; }

# The baseline is measured, and its record keeps what the steps did: 5 traced starts.
expect 0 run --output base.json
starts "the baseline" 6  # one of them tells what it takes from the host
python3 - <<'PY' || problem "the record has no identity of its steps"
import json
for case in json.load(open("base.json"))["cases"]:
    for result in case["results"]:
        rules, _, digest = result["identity"]["digest"].partition(".")
        assert rules == "3" and len(digest) == 32, result["identity"]
        assert all(len(one["arguments"]) == 32 for one in result["kernels"]), result["kernels"]
PY

# Unchanged: one traced start, no sample, exit 0. The kernels are looked at as well.
git checkout -qb work && echo 1 >note && commit "unchanged"
expect 0 run --against main --output same.json --report json=verdict.json
starts "an unchanged program" 1
same "cases of a proven program" "$(outcomes same.json)" "train looked_at 0
train/gemm/grid=96/block=256 looked_at 0
train/gelu/grid=512/block=256 looked_at 0
train/norm/grid=64/block=256 looked_at 0"
holds verdict.json 'report["verdict"] == "identical"' 'len(report["cases"]) == 5' \
  'all(row["verdict"] == "identical" for row in report["cases"])' \
  'any(one["code"] == "traced_proof" and one["programs"] == "train" for one in report["facts"]["remarks"])'
expect 0 run --against main --measure all --report json=verdict.json
own verdict.json 'row["verdict"] == "identical" and row["processes"] == [5, 5]'
holds verdict.json 'row("train", "wall_time")["verdict"] != "identical"'
rm step.starts

# A gate of its own for a metric that no proof covers is measured and judged.
sed -i 's/gate: {margin: 0.5%}/gate: {margin: 0.5%, metrics: {span: {margin: 5%}}}/' suite.yaml
expect 0 run --against main --report json=verdict.json
holds verdict.json 'row("train", "span")["processes"] == [5, 5]'
git checkout -q suite.yaml && rm step.starts

# One argument, one kernel's code, another grid, another kernel, one copy more, another order: each is measured, and
# the fact says how the launches differ.
unproven() { # unproven SED CHANGE [KERNEL]
  sed -i "$1" step
  expect 0 run --against main --report json=verdict.json
  own verdict.json "row['processes'] == [5, 5] and row['unproven']['why']['code'] == 'other_launches' and row['unproven']['why']['change'] == '$2'"
  [ -z "${3:-}" ] || own verdict.json "row['unproven']['why']['kernel'] == '$3'"
  names train "${3:-train}"
  starts "$1" 7  # a look, one that hashes and five
  git checkout -q step
}
unproven 's/code_b 12/code_b 14/' arguments gelu
unproven 's/code_c 13/code_x 13/' code norm
unproven 's/gelu 512/gelu 511/' shape gelu
unproven 's/gelu/gelu_v2/' added gelu_v2
unproven 's/copy 2000/copy 1000\ncopy 1000/' order
unproven '/gemm/{h;d};/gelu/G' order

# The same launches on other bytes from the host, by other arguments of the set-up, or on memory that the host shares.
# The first start of each record hashes the bytes, and the look.
sed -i 's/copy 2000/copy 2000 other/' step
expect 0 run --against main --report json=verdict.json
own verdict.json "row['processes'] == [5, 5] and row['unproven']['why']['code'] == 'other_inputs' and row['unproven']['why']['bytes'] == 122880"
starts "other bytes" 7
git checkout -q step
unproven '$a setup 8' setup setup
unhashed() { # unhashed SED CODE
  sed -i "$1" step
  expect 0 run --against main --report json=verdict.json
  own verdict.json "row['processes'] == [5, 5] and row['unproven']['why']['code'] == 'inputs_unread' and '$2' in str(row['unproven'])"
  git checkout -q step && rm -f step.starts
}
unhashed '$a shared 4096' inputs_shared
unhashed '$a unhashed too many' inputs_unhashed
unhashed 's/copy 2000/copy 2000 -/' inputs_uncalled

# Trust in inputs that no start has twice counts from the baseline's suite alone.
sed -i 's/copy 2000/copy 2000 ?/' step
sed -i 's/    reads: cuda_trace/    reads: cuda_trace\n    inputs: trusted/' suite.yaml
expect 0 run --against main --report json=verdict.json
own verdict.json "row['processes'] == [5, 5]"
expect 0 run --output base.json --save-as trusted
rm -f step.starts
expect 0 run --against @trusted --report json=verdict.json
starts "trusted inputs" 1
holds verdict.json 'report["verdict"] == "identical"' \
  'any(one["code"] == "traced_proof" and one["trusted"] == "train" for one in report["facts"]["remarks"])'
sed -i 's/inputs: trusted/inputs: seeded/' suite.yaml
expect 2 run
names suite.yaml trusted
git checkout -q step suite.yaml
rm -f step.starts

# Launches that cannot be read prove nothing, and the case is measured.
unread() { # unread SED CODE NAME
  sed -i "$1" step
  expect 0 run --against main --report json=verdict.json
  own verdict.json "row['processes'] == [5, 5] and row['unproven']['why']['code'] == 'unreadable' and '$2' in str(row['unproven'])"
  names "$3"
  git checkout -q step
}
unread 's/code_b 12/code_b/' arguments_unread gelu
unread 's/code_b 12//' code_unknown gelu
# shellcheck disable=SC2016  # a is a command of that script
unread '$a unread no_cuFuncGetParamInfo' launches_unseen no_cuFuncGetParamInfo
rm -f step.starts

# A word of an argument that each start has another of, as unused bytes of a structure are: it does not count where the
# baseline's own starts differ in it, and the report says so. Other words do.
loose() { sed -i "s/code_b 12.*/code_b 12 $1/" step; }
loose '4 ? 9' && commit "a word that nobody sets"
expect 0 run --output base.json --save-as loose
rm step.starts
expect 0 run --against @loose --report json=verdict.json
starts "unchanged but for such a word" 1
holds verdict.json 'all(one["verdict"] == "identical" for one in report["cases"])' \
  'any(one["code"] == "traced_proof" and one["loose"] == 1 for one in report["facts"]["remarks"])'
for change in '5 ? 9' '4 ? ?' '4 ? 9 9'; do
  rm -f step.starts
  loose "$change"
  expect 0 run --against @loose --report json=verdict.json
  own verdict.json "row['processes'] == [5, 5] and row['unproven']['why']['code'] in ('other_launches', 'disagree')"
  [ "$change" = '4 ? 9 9' ] || names gelu
done
# A rarer one, that all starts of the baseline agreed on: the look has another value, and a second start has the
# baseline's.
loose '4 ? ?'
echo 8 >step.starts
expect 0 run --against @loose --output same.json --report json=verdict.json
own verdict.json 'row["verdict"] == "identical"'
starts "a word that another start has" 10
outcomes same.json | grep -q "^train looked_at 0 1$" || problem "the record lacks a start"
expect 0 "$HARNESS" compare --baseline @loose --current same.json
git checkout -q step
rm -f step.starts

# `ab`: one traced start of each commit.
sed -i 's/    reads: cuda_trace/    reads: cuda_trace\n    build: "true"/' suite.yaml
commit "a build"
echo 2 >note && commit "unchanged again"
ab() { "$HARNESS" ab suite.yaml --device scripted:speed.json --color never --report json=ab.json "$@"; }
expect 0 ab --baseline HEAD~1
holds ab.json 'report["verdict"] == "identical"' 'all(row["processes"] == [0, 0] for row in report["cases"])' \
  'len(report["cases"]) == 4'
expect 0 ab --baseline HEAD~1 --measure all
own ab.json 'row["processes"] == [5, 5]'
sed -i 's/norm 64 10000 code_c 13/norm 64 11000 code_d 13/' step
commit "a slower kernel"
expect 1 ab --baseline HEAD~1
names norm train/norm
own ab.json 'row["unproven"]["why"]["change"] == "code" and row["unproven"]["why"]["kernel"] == "norm"'
finish
