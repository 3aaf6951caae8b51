#!/usr/bin/env bash
# sanitize.sh beside a compute-sanitizer that prints what CUDA's printed on an H200: which endings are clean.
tests_gpu=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/lib.sh
. "$tests_gpu/../lib.sh"

mkdir "$scratch/fake"
cat >"$scratch/fake/compute-sanitizer" <<'F'
#!/usr/bin/env bash
cat "$FAKE/log"
exit "$(cat "$FAKE/status")"
F
chmod +x "$scratch/fake/compute-sanitizer"
export FAKE=$scratch/fake PATH=$scratch/fake:$PATH HARNESS_SANITIZE_FAMILIES=operators

ends() {  # ends STATUS TOOL STATUS_OF_TOOL TEXT
  printf '%b' "$4" >"$FAKE/log"
  echo "$3" >"$FAKE/status"
  expect "$1" "$tests_gpu/sanitize.sh" /bin/true logs "$2"
}

passed='[  PASSED  ] 8 tests.\n'
library='Race reported between Read access at nvjet_sm90_hsh+0xb00\n  and Write access at nvjet_sm90_hsh+0x2820 [8 hazards]\n'
own='Race reported between Read access at void softmax(float*)+0x10\n  and Write access at nvjet_sm90_hsh+0x2820\n'
hazards() { printf '==== RACECHECK SUMMARY: %s hazards displayed (%s errors, 0 warnings)\\n' "$1" "$1"; }

ends 0 racecheck 0 "$passed$(hazards 0)"
ends 0 racecheck 9 "$library$passed$(hazards 1)"
names racecheck operators cuBLAS
ends 1 racecheck 9 "$library$own$passed$(hazards 2)"
ends 1 racecheck 9 "$library$passed$(hazards 2)"
ends 1 racecheck 9 "${library}[  FAILED  ] a test\n$(hazards 1)"
ends 1 racecheck 9 "$library$(hazards 1)"
ends 1 memcheck 9 "$library$passed$(hazards 1)"
ends 1 memcheck 0 "==== ERROR SUMMARY: 0 errors\n"
ends 0 memcheck 0 "$passed==== ERROR SUMMARY: 0 errors\n"
HARNESS_SANITIZE_SECONDS=0 ends 1 memcheck 0 "$passed"
[ -f logs/memcheck.operators.log ] || problem "no log"
expect 2 "$tests_gpu/sanitize.sh" /no/such/test_gpu logs
finish
