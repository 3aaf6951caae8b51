#!/usr/bin/env bash
# Every command has examples in its help, and each of them runs as it stands there.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
: "${FAKE_TRACED:?}" "${KERNELS:?}"

mkdir "$scratch/path" && ln -s "$HARNESS" "$scratch/path/harness"
export PATH=$scratch/path:$PATH
printf 'version: 1\nall: {device: "scripted:speed.json"}\n' >"$scratch/defaults.yaml"
export HARNESS_DEFAULTS=$scratch/defaults.yaml GIT_AUTHOR_NAME="Ann Example"

# The examples name: a suite with claims, one with tuned values, records, builds, programs.
repository
printf '%s\n' '*.json' '!speed.json' '*.xml' '*.html' '*.md' '*.db' '*.svg' old/ new/ site/ farm.sh >>.gitignore
speed() {
  cat >speed.json <<JSON
{"version": 1, "machine_class": "nvidia-h200", "device_uuid": "GPU-A",
 "cases": [{"match": "*", "us": $1, "process_sd": 0.001, "sample_sd": 0.01, "first_call_us": 5000}]}
JSON
}
suite right also_right
sed -i 's/^cases:/build: make\n&/; s/axes: .*/&\n    reference: right/' suite.yaml
cat >>suite.yaml <<'YAML'
claims:
  - {says: a call takes less than a second, source: the test, of: "twice/*", value: "<= 1000000"}
YAML
sed '/^claims/,$d; /reference/d; s/workload: twice/workload: tiled/; s/\[right.*\]/[blocks]/; s/name: demo/name: tuned/' suite.yaml >tuned.yaml
echo "    tune: {tile: [8, 16]}" >>tuned.yaml
printf '#!/bin/sh\nexit 0\n' >./sort
printf '#!/bin/sh\nexec %q step\n' "$FAKE_TRACED" >./train
# shellcheck disable=SC2016  # make expands it
printf 'all:\n\tcp "$(PLUGIN)" plugin.so\n' >Makefile
printf '<!-- measured: speeds -->\n<!-- end of speeds -->\n' >README.md
chmod +x sort train
echo '{"results": [{"command": "./sort", "times": [0.1, 0.11, 0.1, 0.12, 0.1], "exit_codes": [0, 0, 0, 0, 0]}]}' >hyperfine.json
for build in old new; do
  mkdir -p $build/lib
  cp "$KERNELS" $build/lib/libharness_kernels.so
done
speed 100
commit "fast"
git tag v1.2
expect 0 harness run suite.yaml
expect 0 harness run suite.yaml --filter '*/right/*' --output monday.json
git checkout -qb change
speed 104
commit "slower"
expect 0 harness run suite.yaml --filter '*/right/*' --output tuesday.json
expect 1 harness run suite.yaml --against main --save-as before

# The exit status of an example, where it is not 0: verdicts of the slower commit, and what needs a machine of its own.
wanted() {
  case $1 in
    "harness run suite.yaml --against"* | "harness compare "* | "harness farm judge"*) echo 1 ;;
    "harness ab --baseline-command"* | "harness referee"*) echo "0 1 3" ;;  # real times
    "harness doctor"*) echo "0 1" ;;
    "harness ab suite.yaml"*) echo "0 1" ;;  # both builds are one file
    "harness selftest"*) echo "0 1 4" ;;  # few suites
    "harness affected"*"--exit-code") echo "0 1" ;;
    *) echo 0 ;;
  esac
}

# The thing that an example needs and that is not here.
absence_of() {
  case $1 in
    "harness plot"*) grep -qE "this build has no plots|Node.js" "$printed" && echo "plots" ;;
    "harness trace"*) [ -e /dev/nvidia0 ] || echo "a GPU" ;;
    "harness man | man"*) command -v man >/dev/null || echo "man" ;;
  esac
}

ran=0
run_examples() {
  local path=$1 example status missing
  # shellcheck disable=SC2086  # a command of a group is two words
  harness help $path >"$scratch/help"
  if grep -q '^Subcommands:' "$scratch/help"; then return; fi
  sed -n '/^Examples\{0,1\}:$/,$s/^  //p' "$scratch/help" >"$scratch/examples"
  [ -s "$scratch/examples" ] || problem "harness $path: no example"
  while IFS= read -r example; do
    case $example in *$'\t'*) problem "a tab in: $example" ;; esac
    [ "${example#*harness }" != "$example" ] || problem "no command of harness: $example"
    status=0
    ran=$((ran + 1))
    # A simulation measures on no device, so it takes no default of one.
    case $example in "harness selftest --seed"*) unset HARNESS_DEFAULTS ;; *) export HARNESS_DEFAULTS=$scratch/defaults.yaml ;; esac
    bash -c "$example" >"$printed" 2>&1 </dev/null || status=$?
    missing=$(absence_of "$example")
    if [ -n "$missing" ] && [ "$status" -ne 0 ]; then
      echo "skipped, for want of $missing: $example"
      ! grep -qE "unknown (option|command|argument)|is required" "$printed" || problem "$example"
      continue
    fi
    [[ " $(wanted "$example") " == *" $status "* ]] || problem "exit status $status: $example"
  done <"$scratch/examples"
}

commands=$(harness --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
for command in $commands; do
  below=$(harness help "$command" | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
  if [ -z "$below" ]; then run_examples "$command"; fi
  # A campaign is judged before it is cancelled or deleted.
  for name in $(for one in $below; do case $one in cancel | delete) echo "2 $one" ;; judge) echo "1 $one" ;; *) echo "0 $one" ;; esac done | sort -s -k1,1 | cut -d' ' -f2); do
    if [ "$command $name" = "farm cancel" ]; then
      CAMPAIGN=$(harness farm list | grep -oE '[0-9a-f]{8}-[0-9a-f-]{27}' | tail -1)  # the older one, which nobody measured
      export CAMPAIGN
    fi
    run_examples "$command $name"
  done
done
[ "$ran" -ge 40 ] || problem "only $ran examples ran"
finish
