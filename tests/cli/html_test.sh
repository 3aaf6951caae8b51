#!/usr/bin/env bash
# The HTML page from the command line: real samples of an H200 in one file that asks no network.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

for name in main head; do
  expect 0 "$HARNESS" import "$data/h200/$name.jsonl" --suite probe --as $name.json
done
repository
suite right
speeds 100
commit "the page is asked for before anything is measured"

if ! "$HARNESS" compare --baseline main.json --current main.json --report html=probe.html >"$printed" 2>&1 &&
  grep -qF "this build has no HTML page" "$printed"; then
  names npm
  expect 2 run --report html=run.html
  absent .harness probe.html  # it says so before it measures
  echo "skipped: the pages themselves, because this build has none"
  finish
fi

# The data of a page, as JSON in the file $2.
data_of() {
  python3 - "$1" "$2" <<'PY' || problem "$1 is no page with data"
import base64, json, re, sys, zlib
page = open(sys.argv[1], encoding="utf-8").read()
found = re.findall(r'<script id="harness-data" type="application/octet-stream">([^<]*)</script>', page)
assert len(found) == 1, f"{len(found)} data elements"
document = json.loads(zlib.decompress(base64.b64decode(found[0], validate=True), -15))
assert document["format"] == "harness-page" and document["version"] == 1
json.dump(document, open(sys.argv[2], "w"))
PY
}

# Fetches nothing: no address but those of XML name spaces and in texts that nobody loads.
asks_no_network() {
  python3 - "$1" <<'PY' || problem "$1 may ask a network"
import re, sys
page = open(sys.argv[1], encoding="utf-8").read()
loaded = re.findall(r"""(?:\bsrc|\bhref|\bdata|\baction)\s*=\s*["']?\s*(?:https?:)?//[^"'\s>]*"""
                    r"""|url\(\s*["']?(?:https?:)?//[^)]*|@import[^;]*;|<link\b[^>]*>|<iframe|<img\b"""
                    r"""|\bimport\(\s*["']https?:[^)]*|fetch\(\s*["'`]https?:[^)]*""", page)
assert not loaded, loaded[:5]
PY
}

expect 1 "$HARNESS" compare --baseline main.json --current head.json --margin 0.5% --report html=probe.html
data_of probe.html probe.json
asks_no_network probe.html
[ "$(stat -c %s probe.html)" -lt 2000000 ] || problem "the page weighs 2 MB or more"
grep -qF "<title>probe: regressed</title>" probe.html || problem "the title does not tell the verdict"
python3 - "$data/h200/head.jsonl" <<'PY' || problem "the page does not hold the samples that were imported"
import json, sys
page = json.load(open("probe.json"))
assert page["comparison"]["verdict"] == "regressed"
assert page["headline"].startswith("REGRESSED: 2 of 8 cases"), page["headline"]
assert "--margin 0.5%" in page["command"] and page["command"].startswith("harness compare"), page["command"]
measured = {}
for line in map(json.loads, open(sys.argv[1])):
    if "case" in line:
        measured.setdefault((line["case"], line["process"]), []).extend(line["samples"])
held = {}
for case in page["current"]["details"]:
    for process in case["series"][0]["processes"]:
        total, values = 0, []
        for delta in process["deltas"]:
            total += delta
            values.append(total / process["per_unit"])
        held[case["case"], process["process"]] = values
assert held == measured
PY

# A run's page, and a stored record's; with --against the page is the comparison's.
expect 0 run --report html=run.html
data_of run.html run.json
expect 0 "$HARNESS" report HEAD --report html=again.html
data_of again.html again.json
python3 - <<'PY' || problem "the page of a run does not hold the run"
import json
run, again = json.load(open("run.json")), json.load(open("again.json"))
assert run["comparison"] is None and run["baseline"] is None
assert run["current"]["report"]["record"] == again["current"]["report"]["record"]
case = run["current"]["details"][0]
measure = "harness run suite.yaml --filter twice/right/n=64"
assert case["reproduce"] == measure + " --device scripted:speed.json", case["reproduce"]
assert again["current"]["details"][0]["reproduce"] == measure
assert again["command"] == "harness report HEAD --report html=again.html", again["command"]
PY
speeds 104 && echo "# slower" >>suite.yaml && commit "slower"
expect 1 run --against HEAD~1 --report html=against.html
data_of against.html against.json
python3 - <<'PY' || problem "the page of run --against is not the comparison's"
import json
page = json.load(open("against.json"))
assert page["comparison"]["verdict"] == "regressed"
again = page["current"]["details"][0]["reproduce"]
assert again == "harness run suite.yaml --filter twice/right/n=64 --device scripted:speed.json --against 'HEAD~1'", again
assert page["baseline"]["details"][0]["case"] == page["current"]["details"][0]["case"] == "twice/right/n=64"
PY

# No baseline: the page is written all the same, and everything on it is new.
expect 4 "$HARNESS" compare --baseline HEAD~1 --current head.json --report html=new.html
data_of new.html new.json
python3 -c 'import json; assert json.load(open("new.json"))["baseline"] is None' || problem "a baseline from nowhere"

# A plan is a page of text.
expect 0 "$HARNESS" list suite.yaml --device scripted:speed.json --report html=plan.html
grep -qF "twice/right/n=64" plan.html || problem "the plan's page does not name the case"

# Names that would leave their element.
sed 's|gelu/mode=hot|</script><script>alert(1)</script>|' "$data/h200/main.jsonl" >hostile.jsonl
expect 0 "$HARNESS" import hostile.jsonl --suite '</title><script>alert(2)</script>' --as hostile.json
expect 0 "$HARNESS" report hostile.json --report html=hostile.html
grep -qF "alert(" hostile.html && ! grep -qF "&lt;script&gt;alert(2)" hostile.html && problem "a name left its element"
grep -qF "<script>alert(" hostile.html && problem "a name became a script"
data_of hostile.html hostile-data.json
grep -qF "alert(1)" hostile-data.json || problem "the hostile name is not in the data"

# A password in the store's address stays out of the page.
"$HARNESS" report main.json --store postgresql://me:secret@127.0.0.1:1/none --report html=secret.html >"$printed" 2>&1
[ -e secret.html ] && data_of secret.html secret.json && grep -q secret secret.json && problem "the page holds a password"
finish
