#!/usr/bin/env bash
# Poor surroundings: closed streams, a limit on the size of files, no temporary folder, little memory. Each ends
# with a status of the contract and an error that is not called a bug.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite right
speeds 100 && commit "first"
within() { bash -c "$1; exec \"\$@\"" limited "$HARNESS" run suite.yaml --device scripted:speed.json "${@:2}"; }

# Nobody reads: an error, and the run is stored all the same.
expect 2 within 'exec 0<&- 1>&- 2>&-' --store closed.db
expect 0 "$HARNESS" records list --store closed.db --report json=closed.json
holds closed.json 'len(report["records"]) == 1'

expect 2 within 'ulimit -f 8' --store full.db
names full.db
expect 2 within 'ulimit -f 0' --store full.db --report json=full.json
absent full.json

# TMPDIR names no folder: /tmp serves.
export TMPDIR=$PWD/none
expect 0 run --store here.db
unset TMPDIR

# A chance of error that no computation reaches.
expect 2 run --against main --alpha 1e-300
names --alpha 1e-09
finish
