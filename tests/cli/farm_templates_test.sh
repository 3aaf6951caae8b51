#!/usr/bin/env bash
# The job templates of ci/examples: ssh with a stand-in that starts the command here, and the command of the Kubernetes
# job, as a container would run it.
# shellcheck source=tests/cli/lib.sh disable=SC2154
. "$(dirname "$0")/lib.sh"
examples=$tests/../ci/examples

repository
suite right also_right
sed -i 's/n: \[64\]/n: [32, 64]/' suite.yaml
speeds 100
commit "fast"
plan() { expect 0 "$HARNESS" farm plan suite.yaml --store farm.db --device scripted:speed.json --block 1; }

mkdir bin
cat >bin/ssh <<'SH'
#!/bin/bash
# ssh -tt -o BatchMode=yes HOST COMMAND
echo "$4" >>"$SSH_HOSTS"
cd "$SSH_FOLDER" && exec bash -c "$5"
SH
chmod +x bin/ssh
export PATH=$work/bin:$PATH SSH_HOSTS=$scratch/hosts SSH_FOLDER=$work
plan
expect 2 "$examples/farm-ssh.sh"
FARM_DRY_RUN=1 expect 0 "$examples/farm-ssh.sh" "" "$work/farm.db" one=scripted:speed.json,scripted:speed.json two=scripted:speed.json
same "commands that it would start" "$(grep -c '^ssh -tt ' "$printed")" 3
expect 0 "$examples/farm-ssh.sh" "" "$work/farm.db" one=scripted:speed.json,scripted:speed.json two=scripted:speed.json
same "the hosts" "$(sort "$scratch/hosts" | xargs)" "one one two"
expect 0 "$HARNESS" farm judge --store farm.db
expect 0 "$HARNESS" farm status --store farm.db --report json=status.json
holds status.json 'report["done"] == 4'

# PyYAML reads the job where it is installed; its command is run in any case.
job=$examples/farm-kubernetes.yaml
if python3 -c 'import yaml' 2>/dev/null; then
  python3 - "$job" <<'PY' || problem "the job is not as Kubernetes wants it"
import sys, yaml
job = yaml.safe_load(open(sys.argv[1]))
pod = job["spec"]["template"]["spec"]
container, = pod["containers"]
assert job["kind"] == "Job" and job["apiVersion"] == "batch/v1"
assert container["resources"]["limits"]["nvidia.com/gpu"] == 1
ended = {rule["action"]: rule["onExitCodes"] for rule in job["spec"]["podFailurePolicy"]["rules"] if "onExitCodes" in rule}
assert all(rule["containerName"] == container["name"] for rule in ended.values())
assert ended["FailIndex"]["values"] == [2, 4] and ended["Ignore"]["values"] == [75]
assert job["spec"]["completionMode"] == "Indexed" and pod["restartPolicy"] == "Never"  # FailIndex needs both
assert {one["name"] for one in container["volumeMounts"]} == {one["name"] for one in pod["volumes"]}
PY
fi
plan
mkdir secret
echo "db:5432:harness:perf:hidden" >secret/pgpass
command=$(sed -n '/^            - >-$/,/^          env:$/{s/^              //p}' "$job" | tr '\n' ' ')
command=${command//\/secret/$work/secret} command=${command//\/tmp\/pgpass/$work/pgpass} command=${command//\/journal/$work/journal}
ln -s "$HARNESS" bin/harness
CAMPAIGN="" STORE=$work/farm.db expect 0 bash -c "$command"
same "the mode of the password" "$(stat -c %a pgpass)" 600
expect 0 "$HARNESS" farm judge --store farm.db
finish
