#!/usr/bin/env bash
# harness doctor: what it looks at, what it exits with, on machines that stand-ins describe.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

export COLUMNS=300  # sentences in one line
repository
suite right
commit "something to measure"
export HARNESS_LOCK_DIR=$work HARNESS_NVML=/no/such/library.so HARNESS_SYSTEM_ROOT=$work/root
cpus=root/sys/devices/system/cpu
mkdir -p root/proc/self $cpus/cpu0/cpufreq
printf 'model name : Some CPU\n' >root/proc/cpuinfo
printf '0.00 0.00 0.00 1/1 1\n' >root/proc/loadavg
printf 'MemAvailable: 99999999 kB\n' >root/proc/meminfo
echo performance >$cpus/cpu0/cpufreq/scaling_governor
cat >fit.json <<'JSON'
{"version": 1, "machine_class": "nvidia-h200", "device_uuid": "GPU-A",
 "ceilings": {"copy_bytes_per_s": 4.2e12, "gemm_flops_per_s": 8e14}}
JSON
sed 's/4.2e12/4.0e12/' fit.json >unfit.json

# A machine without a GPU: its CPU is looked at. Warnings alone are no failure.
expect 0 "$HARNESS" doctor
says "fit to measure" "Some CPU" "governor          ok     performance" "disk space" "copy"
echo powersave >$cpus/cpu0/cpufreq/scaling_governor
expect 0 "$HARNESS" doctor --device cpu
says "with 1 warning" "governor          warn   powersave" "advice: " "cpupower frequency-set -g performance"
printf '999.0 0.00 0.00 1/1 1\n' >root/proc/loadavg
expect 1 "$HARNESS" doctor --device cpu
says "UNFIT to measure" "999.00"
printf '0.00 0.00 0.00 1/1 1\n' >root/proc/loadavg

# Ceilings below what the class reaches.
expect 0 "$HARNESS" doctor --device scripted:fit.json
says "4.20 TB/s, 102 % of the 4.10 TB/s"
expect 1 "$HARNESS" doctor --device scripted:unfit.json
says "UNFIT to measure: 1 obstacle" "the machine is slow, not a kernel"
expect 1 "$HARNESS" doctor --device scripted:unfit.json --format json
python3 - "$printed" <<'PY' || problem "the JSON is not what is documented"
import json, sys
report = json.load(open(sys.argv[1]))
assert report["format"] == "harness-doctor" and report["version"] == 1 and report["fitness"] == "unfit"
for finding in report["findings"]:
    assert finding["fitness"] in ("ok", "warn", "unfit")
    assert ("advice" in finding) == (finding["fitness"] != "ok"), finding
assert [f["name"] for f in report["findings"] if f["fitness"] == "unfit"] == ["copy"]
PY

# A suite that cannot be measured here.
expect 0 "$HARNESS" doctor --device scripted:fit.json --suite suite.yaml
says "1 of 1 can be measured here"
expect 2 "$HARNESS" doctor --device scripted:fit.json --store nope://x
says "\`nope\` is no kind of store"
expect 2 "$HARNESS" lst
says "unknown command \`lst\`" "did you mean \`list\`?"
expect 2 "$HARNESS" doctor --suite none.yaml
says "no such suite"

# What is measured of a CPU is of this program's own code and not kept; another run's device is left alone.
for given in "--format yaml" "--report htlm=page.html"; do
  # shellcheck disable=SC2086
  expect 2 "$HARNESS" doctor $given
  says "unknown format" "terminal, json"
  silent_about html,
done
expect 0 "$HARNESS" doctor --device cpu --format json
[ -e "$HARNESS_CACHE_DIR" ] && problem "a CPU's ceilings are kept: $(ls "$HARNESS_CACHE_DIR")"
expect 0 "$HARNESS" doctor --device cpu
silent_about "kept; --fresh measures anew"
expect 0 "$HARNESS" doctor --device cpu --fresh
exec 9<>harness-cpu.lock
flock -n 9
expect 0 "$HARNESS" doctor --device cpu
says "not measured: device cpu is in use by"
exec 9>&-

# A GPU that NVML tells of and no worker can open: everything about it is told all the same.
export HARNESS_NVML=$FAKE_NVML_LIBRARY FAKE_NVML=$work/nvml HARNESS_CUPTI=$FAKE_CUPTI_LIBRARY
export HARNESS_CUDA_MODULE=/no/such/module.so FAKE_CUPTI_HOLDER="Nsight Systems"
cat >nvml <<'NVML'
driver 580.159.04
cuda_driver 13000
uuid GPU-A
name NVIDIA H200
pci_bus 00000000:18:00.0
clock_1 345
max_clock_1 1980
power_limit 500000
default_power_limit 700000
temperature_0 31
reasons 0x4
ecc 1
ecc_pending 1
mig 0
persistence 0
compute_mode 0
processes 1
NVML
mkdir -p root/proc/driver/nvidia
printf 'RmProfilingAdminOnly: 1\n' >root/proc/driver/nvidia/params
printf 'CapEff: 0000000000000000\n' >root/proc/self/status
expect 1 "$HARNESS" doctor
says "cuda:0, NVIDIA H200 (GPU-A)" "580.159.04, proprietary kernel module" "00000000:18:00.0" \
  "345 MHz now, 1980 MHz at most" "500 W, lowered from 700 W" "held down by the power limit" "process 1, " \
  "end process 1" "nvidia-smi -pm 1" "13.0 update 1" "Nsight Systems" "which this process is not" \
  "this build has no CUDA module"
expect 1 "$HARNESS" doctor --device cuda
expect 2 "$HARNESS" doctor --device cuda:1
says "there is no device cuda:1"
CUDA_VISIBLE_DEVICES=-1 expect 2 "$HARNESS" doctor --device cuda:0
says "CUDA_VISIBLE_DEVICES hides 1 of the 1"
finish
