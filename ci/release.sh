#!/usr/bin/env bash
# The packages of a release, from a finished build:
#
#   ci/release.sh BUILD OUT [TAG]
#
# cpack makes the tarball and the .deb packages; each lies in OUT with a file NAME.sha256. TAG must be v and the version of
# CMakeLists.txt, which is in the names. OUT is emptied first.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${1:?the folder of the build} out=${2:?the folder for the packages} tag=${3:-}
version=$(sed -n 's/^project(harness VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
if [ -n "$tag" ] && [ "$tag" != "v$version" ]; then
  printf 'release: error: the tag %s is not v%s, the version of CMakeLists.txt\n  advice: correct one of them\n' "$tag" "$version" >&2
  exit 2
fi
rm -rf "$out"
mkdir -p "$out"
out=$(cd "$out" && pwd)
(cd "$build" && cpack -B "$out" >"$out.log") || { cat "$out.log" >&2; exit 1; }
rm -rf "$out.log" "$out/_CPack_Packages"
cd "$out"
for package in *; do sha256sum "$package" >"$package.sha256"; done
if [ ! -s "harness-$version-linux-x86_64.tar.gz" ] || ! ls harness_*.deb >/dev/null; then
  echo "release: error: cpack left no tarball or no .deb: $(ls)" >&2
  exit 1
fi
cat ./*.sha256
