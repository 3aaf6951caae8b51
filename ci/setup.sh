# Sourced by bootstrap.sh and test.sh: from a fresh machine to a built tree. Debian 12 and
# Ubuntu 24.04 (and newer) packages are installed where they are missing; elsewhere the list is said.
#
#   HARNESS_NO_INSTALL=1    install nothing, only say what is missing
#   HARNESS_CUDA=ON|OFF     the CUDA module without a GPU, too; or not at all. Without it: where there is a GPU,
#                           and for test.sh (TOOLKIT) where there is a toolkit
#   CUDA_HOME=/path         the CUDA toolkit to use
#   HARNESS_UNITY=OFF       in a new build folder: compile each source of the program alone, which takes twice as long,
#                           and a changed one alone, which takes less
#   HARNESS_CUDA_ARCHITECTURES=90a-real   build for these GPUs, not for the ones present
#
# Everything said goes to standard error; full logs are in build/.
# shellcheck shell=bash disable=SC2034

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
logs=$root/build
oldest_cuda=13.0

run_packages=(libyaml-cpp-dev libcli11-dev libfmt-dev nlohmann-json3-dev rapidjson-dev libsoci-dev
  libsqlite3-dev zlib1g-dev libpugixml-dev libexpected-dev libssl-dev liblz4-dev libzstd-dev libzydis-dev)
test_packages=(libgtest-dev libgmock-dev libbenchmark-dev postgresql shellcheck python3 procps librsvg2-bin
  slurmctld slurmd slurm-client munge)
# program:package
tools=(cmake:cmake ninja:ninja-build c++:g++ git:git ccache:ccache)
test_tools=(node:nodejs npm:npm)
# A browser for the tests of the HTML page. Ubuntu's package of this name is a snap, which no container runs.
if grep -qs '^ID=debian' /etc/os-release; then
  test_packages+=(chromium)
fi

say() { printf 'harness: %s\n' "$*" >&2; }
die() {
  say "$*"
  exit 2
}

# log_and_run <name> <command...>: runs quietly; on failure shows the end of the log and stops.
log_and_run() {
  local log=$logs/$1.log
  shift
  if ! "$@" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    die "failed: $* (the whole log: $log)"
  fi
}

version_at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# --- packages ---------------------------------------------------------------------------------------

# Prints what `apt-get install` should be told, one name a line; nothing when all is there. A program
# that is on PATH counts however it came there, and so does any Boost that is new enough.
missing_packages() {
  local pair
  for pair in "${tools[@]}"; do
    command -v "${pair%%:*}" >/dev/null || echo "${pair#*:}"
  done
  if [ "$(boost_version)" -lt 107400 ]; then
    if grep -q '^VERSION_ID="12"' /etc/os-release && grep -q '^ID=debian' /etc/os-release; then
      echo libboost1.81-dev  # what Debian 12 calls libboost-dev is 1.74
    else
      echo libboost-dev
    fi
  fi
  comm -23 <(printf '%s\n' "$@" | sort) \
    <(dpkg-query -W -f='${db:Status-Status} ${binary:Package}\n' "$@" 2>/dev/null |
      sed -n 's/^installed \([^:]*\).*/\1/p' | sort)
}

boost_version() {
  local header
  for header in /usr/include/boost/version.hpp /usr/local/include/boost/version.hpp; do
    if [ -r "$header" ]; then
      sed -n 's/^#define BOOST_VERSION \([0-9]*\).*/\1/p' "$header"
      return
    fi
  done
  echo 0
}

# The list for people on other systems.
needs() {
  say "needed: CMake 3.25, Ninja, a C++20 compiler (g++ 12 or newer), git, ccache (optional), and the"
  say "development files of Boost 1.74, yaml-cpp, CLI11, fmt 9, nlohmann-json, RapidJSON, SOCI 4 with its"
  say "SQLite backend, SQLite, zlib, pugixml, tl-expected, OpenSSL, LZ4, Zstandard and Zydis 4. Tests also need"
  say "GoogleTest, Google Benchmark"
  say "and Node.js 18 with npm"
}

# install_packages <package...>
install_packages() {
  mkdir -p "$logs"
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "no apt here, so nothing is installed; going on with what is there"
    needs
    return
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    as_root=(sudo)
  fi
  local command="apt-get install --no-install-recommends ${missing[*]}"
  if [ "${HARNESS_NO_INSTALL:-0}" = 1 ]; then
    die "missing packages, and HARNESS_NO_INSTALL=1 says not to install them. Run: $command"
  fi
  if [ ${#as_root[@]} -gt 0 ] && ! command -v sudo >/dev/null; then
    die "missing packages, and neither root nor sudo to install them. As root, run: $command"
  fi
  say "installing ${#missing[@]} packages: ${missing[*]}"
  "${as_root[@]}" apt-get update -q >"$logs/apt-update.log" 2>&1 ||
    say "apt-get update had errors ($logs/apt-update.log); trying with the lists that are there"
  # --no-remove: a machine that has something in conflict is left as it is, with apt's explanation.
  log_and_run apt-install "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y \
    --no-install-recommends --no-remove -o DPkg::Lock::Timeout=300 "${missing[@]}"
}

check_tools() {
  local have
  have=$(cmake --version 2>/dev/null | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')
  if [ -z "$have" ] || ! version_at_least "$have" 3.25; then
    die "CMake 3.25 or newer is needed, here is ${have:-none}: see https://cmake.org/download"
  fi
  command -v ninja >/dev/null || die "ninja is needed: see https://ninja-build.org"
}

# --- CUDA -------------------------------------------------------------------------------------------

# Sets cuda_arguments for CMake: the newest usable toolkit, and the architectures of the GPUs here.
find_cuda() {
  cuda_arguments=(-DHARNESS_CUDA=OFF)
  local wanted=${HARNESS_CUDA:-AUTO}
  case $wanted in
    OFF) return 0 ;;
    ON) cuda_arguments=(-DHARNESS_CUDA=ON) ;;
    AUTO) [ -n "$(capabilities)" ] || return 0 ;;
    TOOLKIT) ;;
    *) die "HARNESS_CUDA=$wanted is none of ON, OFF, AUTO and TOOLKIT" ;;
  esac
  local nvcc="" version="" candidate
  for candidate in "${CUDA_HOME:-}" "${CUDA_PATH:-}" "$(toolkit_on_path)" /usr/local/cuda \
    $(compgen -G '/usr/local/cuda-*' | sort -rV) /opt/cuda; do
    if [ -z "$candidate" ] || [ ! -x "$candidate/bin/nvcc" ]; then
      continue
    fi
    version=$("$candidate/bin/nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
    if version_at_least "${version:-0}" "$oldest_cuda"; then
      nvcc=$candidate/bin/nvcc
      break
    fi
    say "CUDA toolkit $version in $candidate is older than $oldest_cuda: not used"
  done
  if [ -z "$nvcc" ]; then
    if [ "$wanted" = AUTO ]; then
      say "there is a GPU but no CUDA toolkit $oldest_cuda or newer: building for the CPU only"
      say "(install one from https://developer.nvidia.com/cuda-downloads, or set CUDA_HOME, and run this again)"
    fi
    return 0
  fi
  local architectures=${HARNESS_CUDA_ARCHITECTURES:-$(present_architectures "$nvcc")}
  if [ "$wanted" = TOOLKIT ]; then
    wanted=ON
  fi
  cuda_arguments=("-DHARNESS_CUDA=$wanted" "-DCUDAToolkit_ROOT=${nvcc%/bin/nvcc}"
    "-DHARNESS_CUDA_ARCHITECTURES=${architectures:-90a-real}")
}

toolkit_on_path() {
  local nvcc
  nvcc=$(command -v nvcc) || return 0
  nvcc=$(readlink -f "$nvcc")
  echo "${nvcc%/bin/nvcc}"
}

# The compute capabilities of the GPUs here, one a line.
capabilities() {
  command -v nvidia-smi >/dev/null || return 0
  nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
    sed -n 's/^ *\([0-9][0-9]*\.[0-9]\) *$/\1/p' | sort -uV
}

# The GPUs of this machine as CMake names them, "75-real;90a-real"; nothing without a GPU. From
# Hopper on, the `a` targets hold the instructions that a fast kernel needs (wgmma needs 90a).
present_architectures() {
  local known capability number list=""
  known=$("$1" --list-gpu-arch | sed -n 's/^compute_//p' | sort -n)
  for capability in $(capabilities); do
    number=${capability/./}
    if grep -qx "$number" <<<"$known"; then
      if [ "$number" -ge 90 ]; then
        number=${number}a
      fi
      list+="${list:+;}$number-real"
    elif [ "$number" -gt "$(tail -n 1 <<<"$known")" ]; then
      say "a GPU of compute capability $capability is newer than this CUDA toolkit: using portable code for it"
      list+="${list:+;}$(tail -n 1 <<<"$known")-virtual"
    else
      say "a GPU of compute capability $capability is too old for this CUDA toolkit: its cases will be skipped"
    fi
  done
  echo "$list"
}

# --- configure and build ----------------------------------------------------------------------------

# configure <preset> [cmake arguments...]
configure() {
  local preset=$1
  shift
  mkdir -p "$root/build/$preset"
  # Objects of one preset serve another, and one checkout another, whatever the folders are called.
  export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
  local unity=()
  case $preset in
    dev | fuzz) ;;  # for changing one file after another; by clang
    *) [ -e "$root/build/$preset/CMakeCache.txt" ] || unity=("-DHARNESS_UNITY=${HARNESS_UNITY:-ON}") ;;
  esac
  if ! (cd "$root" && cmake --preset "$preset" "${unity[@]}" "$@") >"$root/build/$preset/configure.log" 2>&1; then
    tail -n 40 "$root/build/$preset/configure.log" >&2
    needs
    die "configuring failed (the whole log: $root/build/$preset/configure.log)"
  fi
  sed -n 's/^-- CUDA module: /harness: CUDA module: /p' "$root/build/$preset/configure.log" >&2
}

# build <preset> [targets...]: one line that counts on a terminal; silent when there is nothing to do.
build() {
  local folder=$root/build/$1 started=$SECONDS
  shift
  if ! ninja -C "$folder" "$@" 2>&1 | tee "$folder/build.log" | show_progress "${folder#"$root/"}"; then
    grep -E -A 5 'error:|undefined reference|^FAILED|ninja: error' "$folder/build.log" | head -n 60 >&2
    die "the build failed (the whole log: $folder/build.log)"
  fi
  if grep '^\[' "$folder/build.log" | grep -qv '\] Re-'; then
    say "built in $((SECONDS - started)) s"
  fi
}

# Ninja's first lines may be about looking for new files, which is not building.
show_progress() {
  local line said=""
  while IFS= read -r line; do
    case $line in
      \[*\]\ Re-*) continue ;;
      \[*\]*) ;;
      *) continue ;;
    esac
    if [ -z "$said" ]; then
      say "building ($1); the first time takes some minutes"
      said=yes
    fi
    if [ -t 2 ]; then
      printf '\r\033[Kharness: %.70s' "$line" >&2
    fi
  done
  if [ -t 2 ] && [ -n "$said" ]; then
    printf '\r\033[K' >&2
  fi
}
