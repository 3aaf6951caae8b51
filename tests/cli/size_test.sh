#!/usr/bin/env bash
# The memory that a case takes while it is imported, compared, and planned and measured in a campaign.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# On 64 bits it takes 1,860 and 1,360 bytes. With an arena for each thread, 10^6 cases take 1.8 and 1.9 GB
# (measured/store.md); with both records in memory a comparison of them took 3.4 GB.
most_import=1950 most_compare=1600

samples() {
  python3 - "$1" "$2" <<'PY'
import random, sys
random.seed(sys.argv[2])
print('{"machine": {"class": "nvidia-h200", "uuid": "GPU-1"}}')
for case in range(int(sys.argv[1])):
    texts = ", ".join("%.2f" % random.uniform(99, 101) for _ in range(5))
    print('{"case": "kernel_%d/m=%d/n=64", "metric": "gpu_time", "unit": "us", "process": 1, "samples": [%s]}'
          % (case // 1000, case % 1000, texts))
PY
}

# peak STATUS WORDS...: the largest memory of the program, in bytes. Its threads share one arena, because arenas of their
# own take more or less as threads are scheduled.
peak() {
  python3 - "$@" <<'PY'
import os, subprocess, sys
process = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL, env={**os.environ, "MALLOC_ARENA_MAX": "1"})
_, status, used = os.wait4(process.pid, 0)
if os.waitstatus_to_exitcode(status) != int(sys.argv[1]):
    sys.exit("%s ended with %d" % (sys.argv[2:], os.waitstatus_to_exitcode(status)))
print(used.ru_maxrss * 1024)
PY
}

# Both have more cases than the parts of a file that are in memory at a time.
few=30000 many=100000
for count in $few $many; do
  samples "$count" base >"base$count.jsonl"
  samples "$count" new >"new$count.jsonl"
  "$HARNESS" import "new$count.jsonl" --suite size --as "new$count.json" >import.txt || problem "no import"
done
# a_case STATUS MOST WORDS...: as many bytes a case, at most; the words have the number of cases as COUNT.
a_case() {
  local status=$1 most=$2 small large bytes
  shift 2
  small=$(peak "$status" "${@//COUNT/$few}") || problem "$small"
  large=$(peak "$status" "${@//COUNT/$many}") || problem "$large"
  bytes=$(((large - small) / (many - few)))
  echo "$bytes bytes a case: $*"
  [ "$bytes" -le "$most" ] || problem "$bytes bytes a case, at most $most: $*"
}
a_case 0 $most_import "$HARNESS" import baseCOUNT.jsonl --suite size --as baseCOUNT.json
a_case 3 $most_compare "$HARNESS" compare --baseline baseCOUNT.json --current newCOUNT.json

# Planning a campaign of two builds holds its cases a few times. An element holds those of its task. The same
# program takes about 7,800 bytes a case, 2 % more or less from run to run, and one more copy of its cases takes far more.
: "${KERNELS:?}"
most_plan=8100 most_work=200
few=2000 many=12000
two_builds
echo '{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A", "cases": [{"match": "*", "us": 100}]}' >speed.json
for count in $few $many; do
  cat >"suite$count.yaml" <<YAML
version: 2
name: size
defaults: {sampling: {processes: 1, placements: 1, samples: 10, cache: hot, preheat: 0ms}}
cases:
  - {workload: probe_copy, variants: [memcpy], axes: {n: [$(seq -s ', ' 64 $((63 + count)))]}}
YAML
done
a_case 0 $most_plan "$HARNESS" farm plan suiteCOUNT.yaml --baseline-build one --current-build other --device scripted:speed.json --store farmCOUNT.db
a_case 0 $most_work "$HARNESS" farm work --store farmCOUNT.db --quiet --tasks 1
finish
