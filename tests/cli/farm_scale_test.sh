#!/usr/bin/env bash
# A small run of tests/farm/scale.py: many elements, one of them killed at random, and a restarted PostgreSQL.
# shellcheck source=tests/cli/lib.sh disable=SC2154
. "$(dirname "$0")/lib.sh"
: "${KERNELS:?}"
if ! compgen -G '/usr/lib/postgresql/*/bin' >/dev/null; then
  [ -z "${HARNESS_REQUIRE_POSTGRES:-}" ] || problem "HARNESS_REQUIRE_POSTGRES is set, and no server is installed"
  echo "skipped: no PostgreSQL server is installed (package postgresql)"
  finish
fi
expect 0 python3 "$tests/farm/scale.py" --cases 24 --elements 4 --block 4 --lease 2 --restarts 1
grep -q "verdicts the same" "$printed" || problem "no seed was tried"
finish
