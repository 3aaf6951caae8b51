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
says "Some CPU"  # what the system tells
names performance
echo powersave >$cpus/cpu0/cpufreq/scaling_governor
expect 0 "$HARNESS" doctor --device cpu --format json
holds "$printed" '[one["name"] for one in report["findings"] if one["fitness"] == "warn"] == ["governor"]' \
  '"cpupower" in str(report)'
printf '999.0 0.00 0.00 1/1 1\n' >root/proc/loadavg
expect 1 "$HARNESS" doctor --device cpu
names 999.00
printf '0.00 0.00 0.00 1/1 1\n' >root/proc/loadavg

# Ceilings below what the class reaches.
expect 0 "$HARNESS" doctor --device scripted:fit.json
names 4.20 102 4.10
expect 1 "$HARNESS" doctor --device scripted:unfit.json
expect 1 "$HARNESS" doctor --device scripted:unfit.json --format json
holds "$printed" 'report["format"] == "harness-doctor"' 'report["version"] == 1' 'report["fitness"] == "unfit"' \
  'all(("advice" in one) == (one["fitness"] in ("warn", "unfit")) for one in report["findings"])' \
  '[one["name"] for one in report["findings"] if one["fitness"] == "unfit"] == ["copy"]'

# A suite that cannot be measured here.
expect 0 "$HARNESS" doctor --device scripted:fit.json --suite suite.yaml
expect 2 "$HARNESS" doctor --device scripted:fit.json --store nope://x
names nope
expect 2 "$HARNESS" lst
names lst list
expect 2 "$HARNESS" doctor --suite none.yaml
names none.yaml

# Measurements of a CPU depend on this program's own code and are not kept; another run's device is left alone.
for given in "--format yaml" "--report htlm=page.html"; do
  # shellcheck disable=SC2086
  expect 2 "$HARNESS" doctor $given
  names "${given%% *}" html
done
expect 0 "$HARNESS" doctor --device cpu --format csv
names table,section,row,result,value,advice
expect 0 "$HARNESS" doctor --device cpu --format json
[ -n "$(ls "$HARNESS_CACHE_DIR")" ] || problem "a CPU's ceilings are not kept for the next command"
expect 0 "$HARNESS" doctor --device cpu
names --fresh  # they are
expect 0 "$HARNESS" doctor --device cpu --fresh
exec 9<>harness-cpu.lock
flock -n 9
echo "somebody-else" 1>&9
expect 0 "$HARNESS" doctor --device cpu
names somebody-else
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
names cuda:0 GPU-A 580.159.04 00000000:18:00.0 345 1980 500 700 13.0 nvidia-smi
says "NVIDIA H200" "Nsight Systems"  # what the driver tells
expect 1 "$HARNESS" doctor --device cuda
expect 2 "$HARNESS" doctor --device cuda:1
names cuda:1
CUDA_VISIBLE_DEVICES=-1 expect 2 "$HARNESS" doctor --device cuda:0
names CUDA_VISIBLE_DEVICES
finish
