# shellcheck shell=bash disable=SC2154  # scratch and printed are those of tests/cli/lib.sh
# Sourced by the tests of the action and the workflows: those of tests/cli, and a repository with perf.yml and gate.yml
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

# repository_with_workflows: as in tests/cli, plus perf.yml for suite.yaml, gate.yml and the action, with main as on origin. Its
# ci/bootstrap.sh makes a program that is the tested one on a scripted device.
repository_with_workflows() {
  repository
  mkdir -p .github/workflows ci
  cp "$source_root"/.github/workflows/{perf,gate}.yml .github/workflows
  sed -i 's|suite: suites/.*|suite: suite.yaml|' .github/workflows/perf.yml
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

# event NAME [HEAD_REPOSITORY [LABEL...]]: event.json for runner.mjs, at HEAD; a change is for the branch $target, or main. The base
# of a merge queue's group is QUEUE_BASE, or this branch.
event() {
  local name=$1 head_repository=${2:-example/kernels} sha base=${QUEUE_BASE:-} labels=${3:+"{\"name\": \"$3\"}"}
  local target=${target:-main}
  local queue=
  sha=$(git rev-parse HEAD) base=${base:-$(git rev-parse "origin/$target")}
  [ "$name" != merge_group ] || queue=", \"merge_group\": {\"base_sha\": \"$base\", \"base_ref\": \"refs/heads/$target\"}"
  case $name in
    pull_request*)
      cat >"$scratch/event.json" <<JSON
{"event_name": "$name", "repository": "example/kernels", "base_ref": "$target", "head_ref": "change", "ref": "refs/pull/7/merge", "sha": "$sha",
 "event": {"pull_request": {"number": 7, "labels": [$labels], "base": {"sha": "$base"}, "head": {"sha": "$sha", "repo": {"full_name": "$head_repository"}}}}}
JSON
      ;;
    *)
      cat >"$scratch/event.json" <<JSON
{"event_name": "$name", "ref": "refs/heads/$target", "sha": "$sha",
 "event": {"inputs": {}, "repository": {"default_branch": "$target"}$queue}}
JSON
      ;;
  esac
}

# gate_job FOLDER JOB RESULT [ARGUMENT OF runner.mjs...]: a job of gate.yml in that folder.
gates=.github/workflows/gate.yml  # from the repository, or the whole path
gate_job() {
  local folder=$1 job=$2 file=$3 workflow=$gates
  shift 3
  [[ $workflow == /* ]] || workflow=$PWD/$workflow
  mkdir -p "$folder"
  (cd "$folder" && REPOSITORY_FOLDER=$work node "$NODE_WORK/runner.mjs" "$workflow" "$job" "$scratch/event.json" "$file" \
    --called-by "$scratch/call.json" "$@") >>"$printed" 2>&1 </dev/null || problem "runner.mjs failed"
}

# perf [ARGUMENT OF runner.mjs...]: the jobs of gate.yml as perf.yml, or the file $caller, calls it, for the last event. The
# arguments are for those that measure. All that is said is in $printed, and the outcome in $result; $scratch/JOB.json has that of each job.
result=$scratch/result.json
# shellcheck disable=SC2120  # the arguments are optional
perf() {
  local suite measured=() number=0
  rm -rf "$result" "$scratch"/{call,plan,judge,measure*}.json "$scratch/artifacts" "$scratch/hosted"
  node "$NODE_WORK/runner.mjs" "${caller:-.github/workflows/perf.yml}" gate "$scratch/event.json" "$scratch/call.json" >"$printed" 2>&1 ||
    problem "the call failed"
  sed -i "s|\"inputs\": {|&\"lock\": \"$scratch/gpu.lock\",|" "$scratch/call.json"
  [ -n "${real_device:-}" ] || set -- --with arguments=--device=scripted:speed.json "$@"
  [ -z "${PROGRAM:-}" ] || set -- --with harness="$PROGRAM" "$@"
  gate_job "$scratch/hosted/plan" plan "$scratch/plan.json"
  while IFS= read -r suite; do
    gate_job . measure "$scratch/measure$number.json" --needs-file plan="$scratch/plan.json" --matrix "suite=$suite" "$@"
    measured+=("$scratch/measure$((number++)).json")
  done < <(python3 -I -c 'import json,sys
for one in json.loads(json.load(open(sys.argv[1]))["outputs"].get("suites") or "[{}]"): print(json.dumps(one))' "$scratch/plan.json")
  conclude "${measured[@]}"
}
# conclude RESULT...: the judging, after these jobs measured.
conclude() {
  local all
  all=$(python3 -I -c 'import json,sys
ended = [json.load(open(one))["conclusion"] for one in sys.argv[1:]]
print(next((one for one in ended if one != "success"), "success"))' "$@")
  gate_job "$scratch/hosted/judge" judge "$scratch/judge.json" --needs-file plan="$scratch/plan.json" --needs "measure=$all"
  python3 -I - "$scratch" "$result" "$@" <<'PY' || problem "no result"
import glob, json, os, sys
scratch, result, *measured = sys.argv[1:]
plan, judge, *measured = (json.load(open(one)) for one in (scratch + "/plan.json", scratch + "/judge.json", *measured))
jobs = [plan, *measured, judge]
merged = {"name": judge["name"], "ran": measured[0]["ran"], "conclusion": judge["conclusion"], "outputs": dict(measured[0]["outputs"]), "status": measured[0].get("status"),
          "concurrency": measured[0].get("concurrency"), "summary": "".join(one["summary"] for one in jobs)}
for field in ("annotations", "steps", "artifacts"):
    merged[field] = [entry for one in jobs for entry in one[field]]
for file in sorted(glob.glob(scratch + "/artifacts/harness-report-*/*/outputs")):
    told = dict(line.split("=", 1) for line in open(file).read().splitlines())
    merged["outputs"].update(told)
    merged["status"] = int(told["status"])
json.dump(merged, open(result, "w"))
PY
}
# kept ARTIFACT: the folder of the artifact of suite.yaml, harness-ARTIFACT-..., or inside it of the suite's report.
kept() {
  local found=("$scratch/artifacts/harness-$1"-*)
  [ ! -d "${found[0]}/${found[0]##*/harness-report-}" ] || found[0]+=/${found[0]##*/harness-report-}
  printf '%s\n' "${found[0]}"
}

# labelled GIVER PERMISSION: who gave the last label, and what the API says of this person.
labelled() {
  mkdir -p "$scratch/gh"
  cat >"$scratch/gh/gh" <<SH
#!/bin/sh
case "\$*" in
  "api --paginate repos/example/kernels/issues/7/events --jq "*) echo somebody; echo "$1" ;;
  "api repos/example/kernels/collaborators/$1/permission --jq .permission") echo "$2" ;;
  *) exit 1 ;;
esac
SH
  chmod +x "$scratch/gh/gh"
  PATH=$scratch/gh:${PATH#"$scratch/gh:"}
}

# gives PYTHON_EXPRESSION... : each is true of `result`; `annotation(kind)` lists the annotations of a kind.
gives() {
  python3 -I - "$result" "$@" <<'PY' || problem "see above"
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
