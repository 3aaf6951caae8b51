#!/usr/bin/env bash
# Beside its tasks, an element starts a worker for each check of its device, and no other. The worker of the first check ends
# while that of the first task opens the device. Stand-ins take the place of GPUs.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
: "${KERNELS:?}"

repository
stand_in_suite 'gpus: 1, n: [64, 65, 66, 67]' 1
stand_in_gpus 2
plan() { expect 0 "$HARNESS" farm plan suite.yaml --store farm.db --device cuda:0 --block 4 --looks 1 --no-confirm; }
work() {
  rm -f opened
  counted "$HARNESS" farm work --store farm.db --quiet "$@"
}
# starts COUNT: the element opened the GPU so often, each time in another worker, and started no worker for anything else.
starts() {
  same "openings of the GPU" "$(grep -c . opened)" "$1"
  same "workers" "$(($(programs) - 1))" "$1"
}

# One task: a check, the task, a check.
plan
expect 0 work
starts 3
expect 0 "$HARNESS" farm status --store farm.db --report json=status.json
holds status.json 'report["stored"] == report["results"] == 4'

# The suites of a command ask one worker about the GPU.
sed 's/name: shared/name: second/; s/: \[64.*\]/: [65]/' suite.yaml >second.yaml
rm opened
expect 0 "$HARNESS" farm plan suite.yaml second.yaml --store farm.db --device cuda:0
same "openings of the GPU by a plan of two suites" "$(grep -c . opened)" 1
rm opened
expect 0 "$HARNESS" run suite.yaml second.yaml --store farm.db --device cuda:0
same "openings of the GPU by a run of two suites" "$(grep -c . opened)" 3
plan
expect 0 "$HARNESS" farm work --store farm.db --quiet

# While another process measures on the GPU, an element does not even open it.
plan
exec 9>"$HARNESS_LOCK_DIR/harness-GPU-0.lock"
flock -n 9 || problem "the lock is not free"
expect 2 work --wait 0
absent opened
exec 9>&-

# A worker tells which GPU it is where NVML does not.
sed -i "1i refuse 1" nvml
plan
expect 0 work
starts 4
sed -i 1d nvml

# A GPU that cannot be opened.
plan
HARNESS_CUDA_MODULE=$work/suite.yaml expect 2 work
names suite.yaml
absent opened

# Programs of two builds that log when their workers start and end, as a driver would hold them up. Workers 1 and 2, of the
# first check and of a build, end only when there is a next one. Worker 4, of the last check, ends when the element gives up
# the device's lock, or after a second: the element has to wait for it.
sed -i '/modules/d; s/workload: .*/workload: probe_copy/; s/variants: .*/variants: [memcpy]/; s/gpus: 1, //; s/: \[64.*\]/: [64]/' suite.yaml
speeds 100
two_builds
cat >logging <<SH
#!/bin/sh
[ "\$1" = worker ] || exec "$HARNESS" "\$@"
n=\$((\$(cat "$work/count") + 1))
echo \$n >"$work/count"
echo "start \$n" >>"$work/log"
exec 4<>"$work/next-\$n"
[ \$n = 1 ] || echo next 1<>"$work/next-\$((n - 1))"
"$HARNESS" "\$@"
case \$n in
  1 | 2) read -r line <&4 ;;
  4) ! flock -w 1 "$HARNESS_LOCK_DIR"/harness-*.lock true || echo "unlocked" >>"$work/log" ;;
esac
echo "end \$n" >>"$work/log"
SH
for build in one other; do
  rm $build/bin/harness
  install logging $build/bin/harness
done
echo 0 >count
for n in 1 2 3 4; do mkfifo next-$n; done
expect 0 "$HARNESS" farm plan suite.yaml --store farm.db --baseline-build one --current-build other --device scripted:speed.json \
  --pair session --measure all --looks 1 --no-confirm
same "workers of the plan" "$(cat count)" 0
rm -f "$HARNESS_LOCK_DIR"/harness-*.lock
expect 0 "$HARNESS" farm work --store farm.db --quiet --wait 60s --tasks 1
same "the workers" "$(paste -sd, log)" "start 1,start 2,end 1,start 3,end 2,end 3,start 4,end 4"

# Two suites ask one worker whether it can load both builds. Each build is asked for its plan of each suite.
for build in one other; do ln -sf "$HARNESS" $build/bin/harness; done
sed 's/name: shared/name: second/; s/: \[64\]/: [65]/' suite.yaml >second.yaml
expect 0 counted "$HARNESS" farm plan suite.yaml second.yaml --store farm.db --baseline-build one \
  --current-build other --device scripted:speed.json --pair process --measure all
same "the program, four plans and a worker" "$(programs)" 6
finish
