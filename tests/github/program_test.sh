#!/usr/bin/env bash
# The action's program: installed, or a tarball that is named, downloaded and checked. Nothing is built.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
script=$tests/../ci/action/program.sh
mkdir stand-ins runner harness-1
export PATH=$work/stand-ins:$PATH RUNNER_TEMP=$work/runner GITHUB_OUTPUT=$work/output

# program INPUT SHA256: the step, with an empty file for its output.
program() {
  : >output
  INPUT_HARNESS=$1 INPUT_SHA256=${2-} bash "$script"
}

printf '#!/bin/sh\necho harness 1\n' >stand-ins/harness
chmod +x stand-ins/harness
expect 0 program harness
same "the output" "$(cat output)" "harness=harness"
expect 2 program /no/such/harness
names ::error /no/such/harness
same "the output" "$(cat output)" ""

mkdir harness-1/bin && cp stand-ins/harness harness-1/bin
tar -czf harness-1.tar.gz harness-1
digits=$(sha256sum <harness-1.tar.gz | cut -d' ' -f1)
expect 0 program harness-1.tar.gz
same "the output" "$(cat output)" "harness=$work/runner/harness-program/bin/harness"
expect 0 program harness-1.tar.gz "$digits"
expect 2 program harness-1.tar.gz "${digits//[0-9]/0}"
names ::error harness-1.tar.gz
echo text >text.tar.gz
expect 2 program text.tar.gz
names ::error text.tar.gz

# This curl brings a copy; it is asked for https alone.
# shellcheck disable=SC2016  # the stand-in's
printf '%s\n' '#!/bin/sh' 'echo "$@" >>curl-calls' 'while [ "$1" != --output ]; do shift; done' 'cp harness-1.tar.gz "$2"' >stand-ins/curl
chmod +x stand-ins/curl
address=https://example.org/harness-1.tar.gz
expect 0 program "$address" "$digits"
same "the output" "$(cat output)" "harness=$work/runner/harness-program/bin/harness"
grep -q -- "--proto =https .*$address" curl-calls || problem "curl was called otherwise: $(cat curl-calls)"
rm curl-calls
expect 2 program "$address"
names ::error sha256
absent curl-calls

# Nothing is named: the release of the version that the action is of, with the sha256 beside it.
export RELEASE_OF=acme/harness GITHUB_SERVER_URL=https://github.com
version=$(sed -n 's/^project(harness VERSION \([0-9.]*\).*/\1/p' "$tests/../CMakeLists.txt")
release=https://github.com/acme/harness/releases/download/v$version/harness-$version-linux-x86_64.tar.gz
# shellcheck disable=SC2016  # the stand-in's
printf '%s\n' '#!/bin/sh' 'echo "$@" >>curl-calls' 'while [ "$1" != --output ]; do shift; done' \
  'case $3 in *.sha256) sha256sum "${FILE:-harness-1.tar.gz}" >"$2" ;; *) cp harness-1.tar.gz "$2" ;; esac' >stand-ins/curl
expect 0 program ""
same "the output" "$(cat output)" "harness=$work/runner/harness-program/bin/harness"
grep -q -- " $release\$" curl-calls || problem "curl was asked for another: $(cat curl-calls)"
FILE=text.tar.gz expect 2 program ""
names ::error "$release"
rm curl-calls
expect 0 program "" "$digits"  # the user's own digits
! grep -q 'sha256$' curl-calls || problem "the digits beside the release were asked for"
printf '#!/bin/sh\nexit 22\n' >stand-ins/curl
expect 2 program ""
names ::error "$release"
expect 2 program "$address" "$digits"
names ::error "$address"
finish
