#!/usr/bin/env bash
# Second step of the action: the program, installed or unpacked from a tarball; nothing is built. Puts `harness`, its
# path, among the step's outputs.
#
# Reads INPUT_HARNESS, INPUT_SHA256, RELEASE_OF, and GitHub's RUNNER_TEMP, GITHUB_SERVER_URL and GITHUB_OUTPUT.
set -euo pipefail
# shellcheck source=ci/action/complain.sh
. "$(dirname "${BASH_SOURCE[0]}")/complain.sh"

# fetch ADDRESS FILE
fetch() {
  curl --proto '=https' --fail --silent --show-error --location --retry 3 --output "$2" "$1" ||
    complain "$1 cannot be downloaded" "see the log, or name a program that is installed with the input harness"
}

harness=$INPUT_HARNESS
if [ -z "$harness" ]; then
  version=$(sed -n 's/^project(harness VERSION \([0-9.]*\).*/\1/p' "$(dirname "${BASH_SOURCE[0]}")/../../CMakeLists.txt")
  harness=${GITHUB_SERVER_URL:-https://github.com}/$RELEASE_OF/releases/download/v$version/harness-$version-linux-x86_64.tar.gz
  if [ -z "$INPUT_SHA256" ]; then
    fetch "$harness.sha256" "$RUNNER_TEMP/harness.sha256"
    INPUT_SHA256=$(cut -c1-64 "$RUNNER_TEMP/harness.sha256")
  fi
fi
if [[ $harness == *.tar.gz ]]; then
  tarball=$harness
  if [[ $harness == *://* ]]; then
    [[ $INPUT_SHA256 =~ ^[0-9a-f]{64}$ ]] ||
      complain "the input sha256 is not the 64 digits of $harness" "copy them from \`sha256sum\` of the tarball"
    tarball=$RUNNER_TEMP/harness.tar.gz
    fetch "$harness" "$tarball"
  fi
  if [ -n "$INPUT_SHA256" ] && [ "$(sha256sum <"$tarball" | cut -d' ' -f1)" != "$INPUT_SHA256" ]; then
    complain "$harness is not the file with the sha256 $INPUT_SHA256" "correct the input sha256, if this file is meant"
  fi
  rm -rf "$RUNNER_TEMP/harness-program"
  mkdir "$RUNNER_TEMP/harness-program"
  tar -xzf "$tarball" -C "$RUNNER_TEMP/harness-program" --strip-components=1 ||
    complain "$harness cannot be unpacked" "name a tarball that cpack made"
  harness=$RUNNER_TEMP/harness-program/bin/harness
fi
if ! version=$("$harness" --version 2>&1); then
  complain "the program that the input harness names does not start: $(tail -n 5 <<<"$version")" \
    "install harness, or give the path of the program or of its tarball"
fi
echo "harness=$harness" >>"$GITHUB_OUTPUT"
