#!/usr/bin/env bash
# A variant that chooses among ways to work chooses once: in the first process, and not where a baseline chose already.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# chosen FILE: the choices in the record, each once.
chosen() {
  python3 -c 'import json, sys
print(*sorted({one.get("choice", "") for case in json.load(open(sys.argv[1]))["cases"] for one in case["results"]}), sep=",")' "$1"
}

repository
suite chooses && speeds 100 && commit "main"
expect 0 run --output main.json
first=$(chosen main.json)
[[ $first == "way "* && $first != *,* ]] || problem "not one choice: $first"
expect 0 run --output again.json
[ "$(chosen again.json)" != "$first" ] || problem "a run without a baseline did not choose"

# Compared runs repeat the baseline's choice, measured or only looked at.
expect 0 run --against main.json --measure all --output measured.json
same "the choice where all is measured" "$(chosen measured.json)" "$first"
sed -i 's/"us"/"identity": {"digest": "d"}, "us"/' speed.json
expect 0 run --output proven.json
first=$(chosen proven.json)
expect 0 run --against proven.json --output looked.json
holds looked.json '[one["outcome"] for one in row("/chooses")["results"]] == ["looked_at"]'
same "the choice of the look" "$(chosen looked.json)" "$first"
finish
