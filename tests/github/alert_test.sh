#!/usr/bin/env bash
# Red nights: the action finds the commit within its budget, one issue names it and is closed when the suite passes again,
# and a label of the issue becomes the gate's precision. The API is a server on the loopback.
# shellcheck disable=SC2119  # perf takes what the last event says
# shellcheck source=tests/cli/lib.sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/lib.sh"
# shellcheck source=tests/github/lib.sh
. "$here/lib.sh"
install_packages
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY

repository_with_workflows
cp -r "$source_root/ci/alert" "$source_root/ci/report_text.cjs" ci/
# A commit that is built measures with its own speeds and plugin.
sed -i 's/run | selftest)/run | selftest | bisect)/' ci/bootstrap.sh
echo "cp '$PLUGIN' plugin.so" >>ci/bootstrap.sh
suite right
cp "$source_root/.github/workflows/perf.yml" .github/workflows
mkdir suites
sed 's|\./plugin|../plugin|; s/name: demo/name: suite/' suite.yaml >suites/suite.yaml
speeds 100 && commit "fast"

node "$NODE_WORK/issues_server.mjs" "$scratch/issues.json" "$scratch/port" &
server=$!
trap 'kill "$server" 2>/dev/null; rm -rf "$scratch"' EXIT
eventually test -s "$scratch/port"
GITHUB_API_URL=http://127.0.0.1:$(cat "$scratch/port")
export GITHUB_API_URL

# night [--vars ...]: the jobs of perf.yml in their order.
night() {
  event schedule
  perf --with harness=build/release/bin/harness --with arguments=--measure=all
  cp "$result" "$scratch/measured.json"
  job alert --needs gate=success "$@"
  marks=$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["outputs"].get("marks") or "")' "$result")
  job marks --needs "alert=success,marks=$marks"
}
job() {
  node "$NODE_WORK/runner.mjs" .github/workflows/perf.yml "$1" "$scratch/event.json" "$result" "${@:2}" >>"$printed" 2>&1 </dev/null ||
    problem "runner.mjs failed"
}
# issues EXPRESSION...: each is true of what the server keeps.
issues() {
  python3 - "$scratch/issues.json" "$@" <<'PY' || problem "the issues are others: $(cat "$scratch/issues.json")"
import json, sys
kept = json.load(open(sys.argv[1]))
issues, comments = kept["issues"], kept["comments"]
sys.exit(not all([eval(one) for one in sys.argv[2:]]))
PY
}
on=(--vars HARNESS_ALERTS=true)

night "${on[@]}"
issues 'not issues'
echo 1 >note && commit "nothing"
speeds 110 && commit "slower"
culprit=$(git rev-parse HEAD)
echo 2 >note && commit "nothing again"

# Off by default: the commit is found, and nobody asks GitHub.
night
issues 'not kept["requests"][1:]'
cp "$scratch/measured.json" "$result"
gives 'result["conclusion"] == "failure"' 'result["status"] == 1' "'$culprit'[:10] in result['summary']"
holds "$(kept report)/bisection.json" "[one['commit'] for one in report['culprits']] == ['$culprit']"
no_trees_left

# On: one issue names it, night after night.
echo 3 >note && commit "a note"
night "${on[@]}"
issues 'len(issues) == 1' "'First slower commit: $culprit' in issues[0]['body']" 'issues[0]["title"] == "Slower: suite"' 'issues[0]["state"] == "open"'
echo 4 >note && commit "another note"
night "${on[@]}"
issues 'len(issues) == 1' 'not comments'

# Somebody tells that it was true; the next night keeps that, and `history` counts it.
python3 - "$scratch/issues.json" <<'PY'
import json, sys
kept = json.load(open(sys.argv[1]))
kept["issues"][0]["labels"].append({"name": "true alert"})
json.dump(kept, open(sys.argv[1], "w"))
PY
speeds 100 && commit "fast again"
night "${on[@]}"
issues 'len(issues) == 1' 'issues[0]["state"] == "closed"' 'len(comments) == 1'
expect 0 "$HARNESS" history --suite suite --report json=history.json
holds history.json '[one["mark"] for one in report["alerts"]["alerts"]] == ["true"]' \
  'report["alerts"]["precision"]["hits"] == 1' 'report["alerts"]["recall"]["trials"] == 1'

# No time at all: the range is told, and no commit is named.
speeds 120 && commit "slower again"
echo 5 >note && commit "a last note"
sed -i "s/'1h'/'0'/" .github/workflows/perf.yml
night "${on[@]}"
issues 'len(issues) == 2' '"slower since one of these commits" in issues[1]["body"]'
# A pull request has no search, whatever its verdict.
git update-ref refs/remotes/origin/main HEAD
git checkout -qb change && speeds 130 && commit "much slower"
event pull_request
perf --with harness=build/release/bin/harness --with bisect=1h
gives 'result["outputs"]["verdict"] == "regressed"' '"bisection.json" not in str(result)'
[ ! -e "$(kept report)/bisection.json" ] || problem "a change was bisected"
finish
