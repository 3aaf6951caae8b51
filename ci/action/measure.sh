#!/usr/bin/env bash
# Third step of the action: measures and judges. It never fails itself: the exit status of the harness is
# left in the report folder, so that the steps after it report before the last one fails the job.
#
# Code that is not merged only reads the store: its results are in the report folder alone.
#
# Reads HARNESS, AGAINST, CHANGE and TARGET of prepare.sh, INPUT_SUITE, INPUT_STORE, INPUT_READ_STORE, INPUT_ALLOW,
# INPUT_FAIL_ON, INPUT_WAIVERS, INPUT_ACCEPT_PROPOSED, INPUT_ARGUMENTS (one a line), INPUT_LOCK, REPORT.
#
# Files in the report folder: status (`running`, then the exit status), log.txt (what was printed),
# verdict.json, verdict.html, verdict.txt, junit.xml, summary.md, annotations.txt; of changes records.db.
set -uo pipefail
# shellcheck source=ci/action/reports.sh
. "$(dirname "${BASH_SOURCE[0]}")/reports.sh"

report=${REPORT:?the report folder}
echo running >"$report/status"
options=(--against "$AGAINST")
if [ "${CHANGE:-}" = true ]; then
  INPUT_STORE=${INPUT_READ_STORE:-$INPUT_STORE}
  export GITHUB_BASE_REF=$TARGET  # also of a commit that somebody dispatched
  if [[ $("$HARNESS" run --help 2>&1) == *--keep-in* ]]; then
    options+=(--keep-in "$report/records.db")
  else
    echo "::warning::this program is older than the action, so it writes into the store; use a newer one, or rebase"
  fi
fi
[ -z "$INPUT_STORE" ] || options+=(--store "$INPUT_STORE")
[ -z "$INPUT_ALLOW" ] || options+=(--allow "$INPUT_ALLOW")
[ -z "$INPUT_FAIL_ON" ] || options+=(--fail-on "$INPUT_FAIL_ON")
[ -z "$INPUT_WAIVERS" ] || options+=(--waivers "$INPUT_WAIVERS")
[ "$INPUT_ACCEPT_PROPOSED" != true ] || options+=(--accept-proposed)
report_options "$HARNESS" "$report"
options+=("${reports[@]}")
while IFS= read -r argument; do
  [ -z "$argument" ] || options+=("$argument")
done <<<"$INPUT_ARGUMENTS"

# A cancelled job gets SIGINT, 7.5 s later SIGTERM. The first lets the harness end in order, keeping what
# it finished; a second one ends it at once.
interrupted=
waited_for=
# shellcheck disable=SC2317  # called by the trap
stop() {
  interrupted=yes
  [ -z "$waited_for" ] || kill -TERM "$waited_for" 2>/dev/null
}
trap stop INT TERM

# wait_for PID: its exit status, however often a signal interrupts the waiting.
wait_for() {
  local status
  waited_for=$1
  while :; do
    wait "$1"
    status=$?
    kill -0 "$1" 2>/dev/null || break
  done
  waited_for=
  return "$status"
}

# The GPU is one for every job and repository on this host; opened to read, because another user may
# have made the file.
if [ -n "$INPUT_LOCK" ] && [ -z "$interrupted" ]; then
  [ -e "$INPUT_LOCK" ] || (umask 022 && : >>"$INPUT_LOCK")
  if ! exec 9<"$INPUT_LOCK"; then
    echo "harness: the lock file $INPUT_LOCK cannot be opened" >"$report/log.txt"
    echo 2 >"$report/status"
    exit 0
  fi
  if ! flock --nonblock 9; then
    echo "waiting for another job that measures on this machine ($INPUT_LOCK)"
    flock 9 &
    wait_for $!
  fi
fi

# Nothing that a suite or a kernel prints may be taken for a workflow command.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
status=130
if [ -z "$interrupted" ]; then
  pipe=$(mktemp -u)
  mkfifo -m 600 "$pipe"
  (trap '' INT TERM && exec tee "$report/log.txt" <"$pipe" 9<&-) &
  printer=$!
  "$HARNESS" run "$INPUT_SUITE" "${options[@]}" >"$pipe" 2>&1 </dev/null &
  wait_for $!
  status=$?
  wait_for "$printer"
  rm -f "$pipe"
fi
if [ -n "$interrupted" ] && [ "$status" -gt 128 ]; then
  status=130  # also where the second signal had to end it
fi
echo "$status" >"$report/status"
echo "::$token::"
exit 0
