# shellcheck shell=bash disable=SC2154  # scratch and printed are those of tests/cli/lib.sh
# Sourced by the tests of the action and the workflows: those of tests/cli, and a repository with perf.yml
# in it, whose jobs runner.mjs runs as GitHub would. NODE_WORK is the build's folder for npm's packages.
github=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source_root=$(cd "$github/../.." && pwd)

# skip WHY: ends the test as skipped; where npm is required, as failed.
skip() {
  echo "skipped: $1" >&2
  [ "${HARNESS_REQUIRE_NPM:-0}" != 1 ] || exit 1
  exit 77
}

# Installs what package-lock.json names, once a build folder, and copies the scripts beside it, where
# they find it.
install_packages() {
  local tool
  for tool in node npm; do command -v $tool >/dev/null || skip "$tool is not installed"; done
  [ "$(node -p 'process.versions.node.split(".")[0]')" -ge 18 ] || skip "node $(node --version) is older than 18"
  mkdir -p "${NODE_WORK:?folder for the packages of npm}"
  exec 7>"$NODE_WORK/lock"
  flock 7
  local file  # of what other tests may read just now: replaced as a whole, and only if it changed
  for file in "$github"/*.mjs "$github/package.json" "$github/.npmrc"; do
    cmp -s "$file" "$NODE_WORK/${file##*/}" && continue
    cp "$file" "$NODE_WORK/${file##*/}.new"
    mv "$NODE_WORK/${file##*/}.new" "$NODE_WORK/${file##*/}"
  done
  if ! cmp -s "$github/package-lock.json" "$NODE_WORK/installed-lock.json"; then
    cp "$github/package-lock.json" "$NODE_WORK"
    if ! (cd "$NODE_WORK" && npm ci --fetch-retries=1 --fetch-timeout=60000) >"$NODE_WORK/npm.log" 2>&1; then
      tail -n 20 "$NODE_WORK/npm.log" >&2
      if grep -qE 'ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH' "$NODE_WORK/npm.log"; then
        skip "the packages of npm cannot be fetched"
      fi
      echo "npm ci failed" >&2
      exit 1
    fi
    cp "$github/package-lock.json" "$NODE_WORK/installed-lock.json"
  fi
  exec 7>&-
}

# repository_with_workflows: as in tests/cli, plus perf.yml and the action, with main as on origin. Its ci/bootstrap.sh
# makes a program that is the tested one on a scripted device.
repository_with_workflows() {
  repository
  mkdir -p .github/workflows ci
  cp "$source_root/.github/workflows/perf.yml" .github/workflows
  cp -r "$source_root/ci/action" ci/action
  cat >ci/bootstrap.sh <<SH
#!/bin/sh
mkdir -p build/release/bin
cat >build/release/bin/harness <<'PROGRAM'
#!/bin/sh
case "\$*" in *--device*) exec "${PROGRAM:-$HARNESS}" "\$@" ;; esac
case \$1 in run | selftest) set -- "\$@" --device scripted:speed.json ;; esac
exec "${PROGRAM:-$HARNESS}" "\$@"
PROGRAM
chmod +x build/release/bin/harness
SH
  chmod +x ci/bootstrap.sh
  printf '%s\n' harness-report/ build/ >>.gitignore
}

# has_page: the program was built with npm, so that it can write HTML.
has_page() { [[ $("${PROGRAM:-$HARNESS}" report none.json --report html="$scratch/page" 2>&1) != *"no HTML page"* ]]; }

# pushed: what is on main now is what origin has.
pushed() { git update-ref refs/remotes/origin/main main; }

# event NAME [HEAD_REPOSITORY]: event.json for runner.mjs, at HEAD.
event() {
  local name=$1 head_repository=${2:-example/kernels} sha base
  sha=$(git rev-parse HEAD) base=$(git rev-parse origin/main)
  case $name in
    pull_request*)
      cat >"$scratch/event.json" <<JSON
{"event_name": "$name", "base_ref": "main", "head_ref": "change", "ref": "refs/pull/7/merge", "sha": "$sha",
 "event": {"pull_request": {"number": 7, "base": {"sha": "$base"}, "head": {"sha": "$sha", "repo": {"full_name": "$head_repository"}}}}}
JSON
      ;;
    *)
      cat >"$scratch/event.json" <<JSON
{"event_name": "$name", "ref": "refs/heads/main", "sha": "$sha", "event": {"inputs": {}}}
JSON
      ;;
  esac
}

# perf [ARGUMENT OF runner.mjs...]: the job of perf.yml for the last event; what it says is in $printed,
# what came of it in $result.
result=$scratch/result.json
# shellcheck disable=SC2120  # the arguments are optional
perf() {
  rm -f "$result"
  node "$NODE_WORK/runner.mjs" .github/workflows/perf.yml measure "$scratch/event.json" "$result" \
    --needs suites=success --needs accepted=success,proposed="${proposed:-false}" --matrix suite=suite.yaml --with suite=suite.yaml --with harness="${PROGRAM:-$HARNESS}" --with lock="$scratch/gpu.lock" \
    --with arguments=--device=scripted:speed.json "$@" >"$printed" 2>&1 </dev/null || problem "runner.mjs failed"
}

# gives PYTHON_EXPRESSION... : each is true of `result`; `annotation(kind)` lists the annotations of a kind.
gives() {
  python3 - "$result" "$@" <<'PY' || problem "see above"
import json, sys
result = json.load(open(sys.argv[1]))
def annotation(kind):
    return [one for one in result["annotations"] if one["kind"] == kind]
wrong = [expression for expression in sys.argv[2:] if not eval(expression)]
for expression in wrong:
    print("not so:", expression, file=sys.stderr)
if wrong:
    print(json.dumps({**result, "summary": result["summary"][:3000]}, indent=1), file=sys.stderr)
sys.exit(bool(wrong))
PY
}
