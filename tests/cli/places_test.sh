#!/usr/bin/env bash
# `ab` measures a changed result at all places of its device code before it fails. Both builds' modules are
# shifted for that; time is scripted, process by process.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
: "${KERNELS:?}" "${DEVICE_CODE:?}" "${SHIFTED_HASHES:?}"

cat >suite.yaml <<'YAML'
version: 2
name: built
defaults:
  gate: {margin: 0.5%}
  sampling: {processes: 5, placements: 2, samples: 10, cache: hot, preheat: 0ms, timeout: 20s}
cases:
  - {workload: probe_copy, variants: [memcpy], axes: {n: [63, 127]}}
YAML
two_builds
for folder in one other; do cp "$DEVICE_CODE" $folder/lib/libharness_cuda.so; done

# script CHANGE PLACE [KEY=VALUE...]: of n=63, the change in the mean over the places and that of the place where
# the code lies, in percent. The baseline is at one of its best places. Process 10001002 is the second one at place 1.
script() {
  python3 - "$@" <<'PY'
import json, subprocess, sys
change, place = (float(text) / 100 for text in sys.argv[1:3])
more = dict(text.split("=") for text in sys.argv[3:])
profile = [0.0105, -0.0137, 0.0102, -0.0132, 0.0127, 0.0017, -0.0005, -0.0077]
# By process, again after `cycle`: those at place n from 1000 + 1000 n on, all others elsewhere.
cycle = 11000
def by_process(elsewhere, places):
    return [places[i // 1000 - 1] if 1000 <= i < 9000 else elsewhere for i in range(cycle)]
# Both sides have the same file, so their shifted code has the same hashes.
hashes = subprocess.check_output(["bash", "-c", '"$SHIFTED_HASHES" "$DEVICE_CODE" "add(float*, float const*, int)"'],
                                 text=True).split() + ["another"]
def seen(side, shift):
    if more.get("unmoved") == side: return 0  # as if the copies were not loaded
    return 8 if more.get("another") == side and shift == 5 else shift
kernel = {"name": more.get("kernel", "add(float*, float const*, int)"), "launches": 1, "us": 100}
def case(side, us, code):
    one = {"match": "*/n=63", "side": side, "process_us": us, "process_sd": 0.0005, "sample_sd": 0.001,
           "identity": {"digest": side}, "kernels": [kernel],
           "process_code": by_process(code, [hashes[seen(side, shift)] for shift in range(8)])}
    if more.get("launches") == side: one["process_launches"] = by_process(1, [1, 1, 2, 1, 1, 1, 1, 1])
    if more.get("fails") == side:
        one["error"] = {"process": 10001002, "placement": 0, "sample": 3, "message": "xid 79"}
    return one
# As it is compiled, the code lies where place 7 has it. The copies show all but `uncopied`.
moved = profile[3:] + profile[:3]
excess = profile[7] + place - moved[7]
moved = [one - excess / 7 for one in moved[:7]] + [profile[7] + place]
uncopied = float(more.get("uncopied", 0)) / 100
def times(us, profile, factor):
    return by_process(us * (1 + profile[7]) * factor, [us * (1 + one) for one in profile])
old = times(100, profile, 1)
new = times(100 * (1 + change), moved, 1 + uncopied)
json.dump({"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A",
           "fields": {"compute_capability": more.get("capability", "9.0")},
           "cases": [case("baseline", old, "a"), case("current", new, more.get("code", "b")),
                     {"match": "*", "us": 50, "identity": {"digest": "c"}}]}, open("speed.json", "w"))
PY
}
ab() {
  "$HARNESS" ab suite.yaml --baseline-build one --current-build other --device scripted:speed.json --color never "$@"
}

# The place alone: it passes, with its figures, in all formats.
script 0 1.3
expect 0 ab --report json=moved.json --report junit=moved.xml --report html=moved.html --report markdown=moved.md
names MOVED
holds moved.json 'report["verdict"] == "moved"' 'row("n=63")["verdict"] == "moved"' \
  'row("n=63")["over_places"]["places"] == 8' 'abs(row("n=63")["over_places"]["ratio"] - 1) < 0.002' \
  'abs(row("n=63")["ratio"] - 1.013) < 0.002' 'row("n=63")["over_places"]["highest"] > 1.01' \
  'row("n=127")["verdict"] == "identical"' \
  '{"code": "code_shifted", "cases": 1, "places": 8, "processes": 2} in report["facts"]["remarks"]'
grep -q 'failures="0"' moved.xml || problem "JUnit tells a failure"
grep -q 'moved' moved.md || problem "Markdown does not tell that it moved"
grep -q 'moved' moved.html || problem "the page does not tell that it moved"
# So does the advice: the best place. The page has it in its packed data.
holds moved.json 'any("further on" in line for line in row("n=63")["advice"])'
for report in moved.md "$printed"; do
  for words in 'best of the 8 places' 'unrolled less'; do
    grep -q "$words" "$report" || problem "$report does not tell the best place: $words"
  done
done

# Both records keep the processes, and a comparison of them says the same.
read -r old new < <(python3 -c 'import json; d=json.load(open("moved.json")); print(d["baseline"]["id"], d["current"]["id"])')
expect 0 "$HARNESS" compare --baseline "$old" --current "$new" --report json=again.json
holds again.json 'row("n=63")["verdict"] == "moved"'

# A true change at a good or a bad place, and an improvement that is the place's.
script 1 0
expect 1 ab --report json=slower.json
holds slower.json 'row("n=63")["verdict"] == "regressed"' 'abs(row("n=63")["over_places"]["ratio"] - 1.01) < 0.002'
script 1 1
expect 1 ab
script 0 -1.2
expect 0 ab --report json=better.json
holds better.json 'row("n=63")["verdict"] == "moved"'

# A slowdown that its place hides is red, though it passes or is undecided as compiled. A budget of none finds nothing
# and says so, and unchanged code is not measured.
script 1 -1
expect 1 ab --report json=hidden.json --report markdown=hidden.md
holds hidden.json 'row("n=63")["verdict"] == "regressed"' 'abs(row("n=63")["ratio"] - 1) < 0.002' \
  'row("n=63")["reason_fact"]["code"] == "worse_over_places"' 'abs(row("n=63")["over_places"]["ratio"] - 1.01) < 0.002' \
  'row("n=127")["verdict"] == "identical"'
grep -q 'in the mean over 8 places' hidden.md || problem "Markdown does not tell the mean over the places"
script 1 -0.55
expect 1 ab --report json=hidden.json
holds hidden.json 'row("n=63")["reason_fact"]["code"] == "worse_over_places"'
script 1 -1
expect 0 ab --budget 0s --report json=left.json
holds left.json 'row("n=63")["verdict"] in ("unchanged", "not_worse")' '"over_places" not in row("n=63")' \
  '{"code": "places_left_out", "results": 1, "budget": 0} in report["facts"]["remarks"]'
grep -q '1 result that passes or is undecided was not measured at other places' "$printed" ||
  problem "the terminal does not tell what the budget left out"
script 0.1 -0.1
expect 0 ab --report json=passes.json
holds passes.json 'row("n=63")["verdict"] in ("unchanged", "not_worse")' 'row("n=63")["over_places"]["ratio"] < 1.002'

# Kernels that cannot be moved are counted where nothing is called worse.
script 0 0 capability=10.0
expect 0 ab --report json=other.json
holds other.json 'not any("shifted" in one["code"] for one in report["facts"]["remarks"])' \
  '{"code": "places_open", "worse": 0, "unweighed": 0, "fixed": 1, "apart": 0} in report["facts"]["remarks"]'
tr -s ' \n' ' ' <"$printed" | grep -q '1 result may hide a slowdown by its place: its kernels cannot be moved' ||
  problem "the terminal does not tell what cannot be moved"

# A change that the copies do not show is of no place: red stays red, and an improvement stays one.
script 0 0 uncopied=1.3
expect 1 ab --report json=uncopied.json --report markdown=uncopied.md
holds uncopied.json 'row("n=63")["verdict"] == "regressed"' 'row("n=63")["over_places"]["ratio"] < 1.002' \
  'row("n=63")["reason_fact"]["as_compiled"] > 0.012' 'row("n=63")["reason_fact"]["at_same_place"] < 0.001'
grep -q 'not shown that the place explains' uncopied.md || problem "nothing says that the copies show no change"
grep -q 'best of the 8 places' uncopied.md && problem "a place is advised though the copies do not show what the build does"
script 1 0 uncopied=-2.5
expect 0 ab --report json=uncopied.json
holds uncopied.json 'row("n=63")["verdict"] == "improved"' 'row("n=63")["over_places"]["ratio"] > 1.009'

# Slower code at a lucky place is red, and needs no processes more.
script 1 -2
expect 1 ab --report json=lucky.json
holds lucky.json 'row("n=63")["verdict"] == "regressed"' 'row("n=63")["ratio"] < 0.995' \
  'row("n=63")["reason_fact"]["code"] == "worse_over_places"' \
  'not any(one["code"] == "unconfirmed" for one in report["facts"]["remarks"])'

# A case that cannot be shifted, or fails there, stays as it was, and a sentence says why.
stays_red() { # stays_red TEXT [OPTION...]: that the reason has
  local text=$1
  shift
  expect 1 ab --report json=red.json "$@"
  holds red.json "any(one['code'] == 'code_unshifted' and '$text' in one['reason'] for one in report['facts']['remarks'])"
  holds red.json 'row("n=63")["verdict"] == "regressed"' '"over_places" not in row("n=63")'
}
for side in baseline current; do
  script 0 1.3 fails=$side
  stays_red "xid 79"
done
# Times count only for the code that was shifted.
for side in baseline current; do
  for other in unmoved another; do
    script 0 1.3 $other=$side
    stays_red "$side build: \`add(float*, float const*, int)\` did not run with the code that was shifted"
  done
done
for side in baseline current; do
  script 0 1.3 launches=$side
  stays_red "is launched otherwise at place 2 than as it is compiled"
done
script 0 1.3 "kernel=elsewhere(int)"
stays_red "baseline build has machine code of \`elsewhere(int)\`"
script 0 1.3 capability=10.0
stays_red "no module of the baseline build"
cp one/lib/libharness_cuda.so kept.so
echo nothing >other/lib/libharness_cuda.so
script 0 1.3
stays_red "no module of the current build"
cp kept.so other/lib/libharness_cuda.so

# Ctrl-C while the places are measured takes no verdict away. Copies have beside them what the modules have, folders
# too.
script 0 1.3
mkdir copies other/lib/parts
touch other/lib/parts/piece
TMPDIR=$PWD/copies setsid "$HARNESS" ab suite.yaml --baseline-build one --current-build other --color never \
  --device scripted:speed.json --report json=interrupted.json >"$printed" 2>&1 &
pid=$!
has_copies() { compgen -G 'copies/*/current/*/parts/piece' >/dev/null; }
eventually has_copies
kill -INT "$pid"
status=0
wait "$pid" || status=$?
same "status when the places were interrupted" "$status" 1
holds interrupted.json 'row("n=63")["verdict"] == "regressed"' '"over_places" not in row("n=63")' \
  'any(one["code"] == "code_unshifted" and one["reason"] == "interrupted" for one in report["facts"]["remarks"])'

# Where the question is whether the place hides a slowdown, Ctrl-C leaves it open, and no run with an open question passes.
script 1 -1
rm -rf copies interrupted.json
mkdir copies
TMPDIR=$PWD/copies setsid "$HARNESS" ab suite.yaml --baseline-build one --current-build other --color never \
  --device scripted:speed.json >"$printed" 2>&1 &
pid=$!
eventually has_copies
kill -INT "$pid"
status=0
wait "$pid" || status=$?
same "status when the places of a result that passes were interrupted" "$status" 130

# Nothing is measured again where no place can explain it: more than 3 %, equal code, or without confirmation.
for which in "3.4 0" "0 1.3 code=a"; do
  # shellcheck disable=SC2086
  script $which
  expect 1 ab --report json=other.json
  holds other.json 'row("n=63")["verdict"] != "moved"'
  holds other.json 'not any("shifted" in one["code"] for one in report["facts"]["remarks"])'
done
script 0 1.3
expect 1 ab --no-confirm --report json=other.json
holds other.json 'not any("shifted" in one["code"] for one in report["facts"]["remarks"])'
finish
