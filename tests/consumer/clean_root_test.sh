#!/usr/bin/env bash
# The program installed from the tarball as ci/Containerfile does it, from the .deb, and by `cmake --install`. The root
# holds only the packages of Debian that the file or the .deb names. In each, manual/gate-kernels.md is followed.
# shellcheck source=tests/consumer/lib.sh
. "$(dirname "$0")/lib.sh"
: "${BUILD:?folder of the build to install}"
source_root=$(cd "$here/../.." && pwd)
root=$scratch/root

skip() {
  echo "skipped: $1" >&2
  exit 77
}

for tool in cpack dpkg dpkg-deb dpkg-shlibdeps file unshare chroot; do
  command -v $tool >/dev/null || skip "$tool is not installed"
done
namespaces=(unshare --mount --pid --fork)
[ "$(id -u)" -eq 0 ] || namespaces+=(--map-root-user)
"${namespaces[@]}" true 2>/dev/null || skip "no namespaces here: unshare is refused"

# inside COMMAND... : in the root, as root, with nothing of this test's environment.
inside() {
  # shellcheck disable=SC2016  # the inner shell's
  "${namespaces[@]}" bash -c 'mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$0" /usr/bin/env -i \
    HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"' "$root" "$@"
}

# root_with PACKAGE...: makes the root, or adds these packages and what they need.
root_with() {
  local status=0
  python3 "$here/make_root.py" "$root" "${packages[@]}" "$@" 2>"$printed" || status=$?
  [ "$status" -ne 3 ] || skip "$(cat "$printed")"
  [ "$status" -eq 0 ] || problem "no root"
  inside ldconfig
}

# follow_the_page: its files in a new repository, then its commands.
follow_the_page() {
  rm -rf "$root/theirs" && mkdir "$root/theirs"
  printf '[user]\n  name = newcomer\n  email = newcomer@example.org\n' >"$root/root/.gitconfig"
  local name language
  while read -r name language; do
    python3 "$source_root/tests/walk/commands.py" --file manual/gate-kernels.md "$language" 0 >"$root/theirs/$name"
  done <<<"CMakeLists.txt cmake
twice.cpp cpp
suite.yaml yaml"
  { printf 'set -ex\ncd /theirs\n' && python3 "$source_root/tests/walk/commands.py" manual/gate-kernels.md Start | sed -n '1,/harness run/p'; } >"$root/theirs/commands.sh"
  expect 0 inside sh /theirs/commands.sh
  names twice/loop/n=100000
  [ -s "$root/theirs/.harness/results.db" ] || problem "nothing was recorded"
}

expect 0 bash "$source_root/ci/release.sh" "$BUILD" "$work/packages"
(cd packages && sha256sum --check --quiet ./*.sha256) >"$printed" 2>&1 || problem "a package is another than its sha256"
expect 2 bash "$source_root/ci/release.sh" "$BUILD" "$work/none" v999.0.0  # no version of this tree
absent none
deb=$(echo packages/harness_*.deb)

# The container: apt-get is asked for packages that the root has, because the test downloads nothing.
container=$source_root/ci/Containerfile
read -ra packages < <(sed -n 's/.*--no-install-recommends \([^&]*\)&&.*/\1/p' "$container")
[ ${#packages[@]} -gt 0 ] || problem "the container file installs nothing"
mkdir "$root"
root_with
cat >"$root/usr/bin/apt-get" <<'SH'
#!/bin/sh
[ "$1" != update ] || exit 0
for word; do case $word in install | -*) ;; *) dpkg-query -W "$word" || exit 100 ;; esac; done
SH
chmod +x "$root/usr/bin/apt-get"
# shellcheck disable=SC2086  # a wildcard of COPY is meant
while read -r instruction rest; do
  case $instruction in
    "" | "#"* | ARG | FROM) ;;
    COPY) expect 0 cp packages/${rest% *} "$root${rest##* }" ;;
    RUN) expect 0 inside sh -c "$rest" ;;
    ENTRYPOINT) same "the entry point" "$rest" '["harness"]' ;;
    *) problem "the test knows no $instruction" ;;
  esac
done <"$container"
rm "$root/usr/bin/apt-get"
follow_the_page
expect 0 inside harness run /usr/local/share/harness/suites/smoke.yaml --store /tmp/smoke.db
rm -rf "${root:?}/usr/local"

# The .deb: without what it depends on it cannot be set up, with that it can.
cp "$deb" "$root/tmp/harness.deb"
expect 1 inside dpkg -i /tmp/harness.deb
names harness libyaml-cpp
expect 0 inside dpkg --remove harness
read -ra needed < <(dpkg-deb -f "$deb" Depends | sed 's/([^)]*)//g; s/,/ /g')
root_with "${needed[@]}"
expect 0 inside dpkg -i /tmp/harness.deb
follow_the_page
expect 0 inside dpkg --remove harness
absent "$root/usr/bin/harness"

expect 0 cmake --install "$BUILD" --prefix "$root/usr/local"
follow_the_page
finish
