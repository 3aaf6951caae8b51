#!/usr/bin/env bash
# harness claims: what a suite says about its cases, checked with a record, and gated.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# claimed GATED RANGE: the suite with its claims. The one about the speed is gated.
claimed() {
  suite right also_right
  cat >>suite.yaml <<YAML
claims:
  - {says: the other is faster, source: a talk, of: twice/also_right/*, against: twice/right/*, speedup: "$2", gate: $1}
  - {says: it takes 100 us, source: this test, of: twice/right/*, value: 95 to 105}
  - {says: it needs no setup, source: a talk, of: twice/right/*, metric: setup_time, value: "<= 0"}
YAML
}

repository
printf '%s\n' 'claims.*' '*.db' >>.gitignore
claimed false '>= 1.2x'
cat >speed.json <<'JSON'
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A",
 "cases": [{"match": "*also_right*", "us": 80, "process_sd": 0.001, "sample_sd": 0.01},
           {"match": "*", "us": 100, "process_sd": 0.001, "sample_sd": 0.01}]}
JSON
commit "claims"
expect 0 run --save-as base

expect 0 "$HARNESS" claims suite.yaml --report json=claims.json --report html=claims.html --report csv=claims.csv
names 1.248x good talk
grep -q '^exit code 0: no claim is gated$' "$printed" || problem "it tells of gated claims"
holds claims.json '[one["status"] for one in report["claims"]] == ["confirmed", "confirmed", "open"]' \
  'report["claims"][0]["cases"][0]["against"] == "twice/right/n=64"' \
  'report["claims"][2]["gap"] == "no_metric"' \
  'report["records"][0]["suite"] == "demo"' 'report["exit_code"] == 0'
[ -s claims.html ] || problem "there is no page"
grep -q "it takes 100 us" claims.csv || problem "the CSV lacks a claim"

# A gated claim decides.
claimed true '>= 1.2'
expect 0 "$HARNESS" claims suite.yaml --record @base
grep -q '^exit code 0: every gated claim' "$printed" || problem "it tells of no gated claim"
claimed true '>= 1.3'
expect 1 "$HARNESS" claims suite.yaml --record @base --report junit=claims.xml
names refuted
grep -q 'failures="1"' claims.xml || problem "JUnit has no failure"
claimed true '>= 1.2501'
expect 3 "$HARNESS" claims suite.yaml --record @base
names open

# Without a record a gated claim cannot be checked. Another record is named.
expect 4 "$HARNESS" claims suite.yaml --store empty.db
names record
expect 4 "$HARNESS" claims suite.yaml
names demo HEAD results.db
grep -q "the newest that is there: [0-9a-f]\{8\}, of [0-9a-f]\{10\}$" "$printed" || problem "no record is named"
claimed false '>= 1.3'
expect 0 "$HARNESS" claims suite.yaml --store empty.db

# Mistakes. A suite that is named twice counts once.
expect 0 "$HARNESS" claims suite.yaml suite.yaml --record @base
silent_about "6 claims"
suite right
expect 2 "$HARNESS" claims suite.yaml
names suite.yaml claims
expect 2 "$HARNESS" claims none.yaml
expect 2 "$HARNESS" claims
claimed true '> 1.3'
expect 2 "$HARNESS" claims suite.yaml
names suite.yaml:11 range

# A change's claims are proposals: as they were before they decide, also where it deletes them.
claimed true '>= 1.2' && commit "a gated claim"
git checkout -qb softer
claimed true '>= 1.1' && commit "a softer claim"
sed -i 's/"us": 80/"us": 87/' speed.json && commit "slower"
expect 0 run
expect 0 "$HARNESS" claims suite.yaml
expect 1 "$HARNESS" claims suite.yaml --against main --report json=claims.json
names suite.yaml
expect 0 "$HARNESS" claims suite.yaml --against main --accept-proposed
git update-ref refs/remotes/origin/main main
GITHUB_BASE_REF=main expect 1 "$HARNESS" claims suite.yaml
sed -i '/^claims:/,$d' suite.yaml && commit "no claims"
expect 0 run
expect 1 "$HARNESS" claims suite.yaml --against main
git checkout -q main
# New claims count at once, and unchanged ones are no proposals.
git checkout -qb more
echo '  - {says: both are fast, source: me, of: twice/*, value: "<= 200", over: every, gate: true}' >>suite.yaml
commit "a claim more"
expect 0 run
expect 0 "$HARNESS" claims suite.yaml --against main --report json=claims.json
holds claims.json 'len(report["claims"]) == 4'
silent_about proposal
# A part of the suite confirms nothing about every case.
expect 0 run --filter '*/right/*' --save-as part
expect 3 "$HARNESS" claims suite.yaml --record @part --report json=claims.json
holds claims.json 'report["claims"][3]["gap"] == "partial"'
finish
