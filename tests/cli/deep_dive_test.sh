#!/usr/bin/env bash
# harness report --html: one page of all suites, which their claims open, of pinned records and of a store.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

pinned=$tests/../baselines/nvidia-h200
repository
cp -r "$tests/../suites" .
speeds 100
commit "suites"

# The pinned records: a report a suite behind the claims, in every format.
expect 0 "$HARNESS" report "$pinned"/{attention,fusion,matmul}.json --html deep.html \
  --report json=deep.json --report markdown=deep.md --report csv=deep.csv --report junit=deep.xml
names 15.2x refuted
holds deep.json '[one["format"] for one in report["reports"]] == ["harness-claims"] + 3 * ["harness-run-report"]' \
  '{one["suite"] for one in report["reports"][0]["claims"]} == {"attention", "fusion", "matmul"}' \
  'all(one["gap"] in ("none", "partial") and one["interval"] for one in report["reports"][0]["claims"])' \
  'all(one["status"] == "open" for one in report["reports"][0]["claims"] if one["gap"] == "partial")' \
  '[one["status"] for one in report["reports"][0]["claims"] if "15.2x" in one["claim"]["says"]] == ["refuted"]' \
  '[one["status"] for one in report["reports"][0]["claims"] if "16.70 ms" in one["claim"]["says"]] == ["refuted"]' \
  '[one["status"] for one in report["reports"][0]["claims"] if "0.042 ms" in one["claim"]["says"]] == ["confirmed"]'
for file in deep.md deep.csv; do grep -q "16.70 ms" $file || problem "$file lacks a claim"; done
[ "$(wc -c <deep.html)" -lt 2500000 ] || problem "the page is too large"

# A store: the newest whole record of each suite, whatever HEAD is. Every number of the network is computed here.
expect 0 "$HARNESS" run suites/quantization.yaml --filter 'classifier/*' --device scripted:speed.json
echo >note && commit "a note"
expect 0 "$HARNESS" report --html store.html --report json=store.json
names store.html
holds store.json \
  '[one["status"] for one in report["reports"][0]["claims"] if "classifier" in one["claim"]["of"]][0::3] == ["open", "refuted"]' \
  'all(one["gap"] in ("none", "partial") and one["interval"] for one in report["reports"][0]["claims"] if "classifier" in one["claim"]["of"])' \
  'report["reports"][1]["suite"]["name"] == "quantization"'

# Suites without a record leave their claims open; without --html the other formats have the claims, too.
expect 0 "$HARNESS" report "$pinned/fusion.json" --claims suites/fusion.yaml suites/matmul.yaml --report json=open.json
holds open.json '{one["gap"] for one in report["reports"][0]["claims"] if one["suite"] == "matmul"} == {"no_record"}' \
  '[one["status"] for one in report["reports"][0]["claims"] if one["suite"] == "fusion"] != []'
# Elsewhere the suites are not here, and no claim is known.
mkdir elsewhere
(cd elsewhere && "$HARNESS" report "$pinned/probe.json" --html deep.html --report json=deep.json >/dev/null) ||
  problem "a record without its suite has no page"
holds elsewhere/deep.json 'report["reports"][0]["claims"] == []'

# Mistakes.
expect 2 "$HARNESS" report "$pinned/fusion.json" "$pinned/fusion.json" --html twice.html
names fusion
expect 4 "$HARNESS" report --html empty.html --store empty.db
expect 2 "$HARNESS" report "$pinned/fusion.json" --html suites
expect 2 "$HARNESS" report "$pinned/fusion.json" --html "$pinned/fusion.json"
expect 2 "$HARNESS" report "$pinned/fusion.json" --claims none.yaml
expect 2 "$HARNESS" report "$pinned/fusion.json" --claims suites/fusion.yaml --html suites/fusion.yaml
finish
