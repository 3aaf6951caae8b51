#!/usr/bin/env bash
# Samples of another tool, imported and compared.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# samples FACTOR > FILE: five processes of two cases, deterministic, the second slowed by FACTOR.
samples() {
  python3 - "$1" <<'PY'
import json, random, sys
random.seed(7)
factor = float(sys.argv[1])
print(json.dumps({"machine": {"class": "nvidia-h200", "uuid": "GPU-1", "fields": {"driver": "580"}}}))
for process in range(1, 6):
    for case, us in (("gelu/mode=cold", 23.7), ("copy/mode=hot", 36.5 * factor)):
        center = us * random.gauss(1, 0.002)
        for placement in range(3):
            print(json.dumps({"case": case, "metric": "gpu_time", "unit": "us", "process": process,
                              "placement": placement, "first_call": 900.0,
                              "samples": [round(center * random.gauss(1, 0.01), 3) for _ in range(50)]}))
PY
}
samples 1 >base.jsonl
samples 1 >same.jsonl
samples 1.03 >slow.jsonl
for name in base same slow; do expect 0 "$HARNESS" import $name.jsonl --as $name.json; done
holds slow.json 'len(report["cases"]) == 2'
expect 2 "$HARNESS" import none.jsonl
expect 0 "$HARNESS" compare --baseline base.json --current same.json --margin 0.5% --alpha 0.01
expect 1 "$HARNESS" compare --baseline base.json --current slow.json --margin 0.5% --alpha 0.01 --report json=verdict.json
holds verdict.json 'report["verdict"] == "regressed"' 'row("copy/mode=hot")["verdict"] == "regressed"' \
  'row("gelu/mode=cold")["verdict"] == "unchanged"'
expect 0 "$HARNESS" report slow.json
names gelu/mode=cold copy/mode=hot

# Mistakes are told with their lines.
printf '{"case": "a", "metric": "gpu_time", "unit": "us", "process": 1, "placement": 0, "samples": [1, -2]}\nnot json\n' >bad.jsonl
expect 2 "$HARNESS" import bad.jsonl --as bad.json
names bad.jsonl:1 bad.jsonl:2
absent bad.json
expect 2 "$HARNESS" compare --baseline nothing.json --current same.json

# The samples of other tools: runs FORMAT FACTOR makes five files FORMAT.FACTOR.N, each of one process, with the
# times of the sample of the format multiplied by FACTOR.
runs() {
  python3 - "$1" "$2" "$tests/store/import" <<'PY'
import json, pathlib, random, re, shutil, sqlite3, struct, sys
name, factor, folder = sys.argv[1], float(sys.argv[2]), pathlib.Path(sys.argv[3])
source = next(path for path in folder.glob(name + ".*") if ".record" not in path.name and path.suffix in (".json", ".jsonl", ".csv", ".sqlite"))
random.seed(name)
times = {"real_time", "cpu_time", "times", "data", "value", "samples_ns", "measured_values", "computeMs", "latencyMs",
         "min", "max", "mean", "median"}

def scaled(node, scale, key=""):
    if isinstance(node, dict): return {k: scaled(v, scale, k) for k, v in node.items()}
    if isinstance(node, list): return [scaled(one, scale, key) for one in node]
    if isinstance(node, (int, float)) and key in times: return node * scale
    return node

for run in range(1, 6):
    scale = factor * random.gauss(1, 0.0005)
    target = pathlib.Path(f"{name}.{sys.argv[2]}.{run}")
    if source.suffix == ".json":
        document = scaled(json.loads(source.read_text()), scale)
        if name == "nvbench":
            for state in document["benchmarks"][0]["states"]:
                for summary in state["summaries"] or []:
                    if summary["tag"] == "nv/cold/time/gpu/mean":
                        summary["data"][0]["value"] = str(float(summary["data"][0]["value"]) * scale)
            (target.parent / f"{target}-bin").mkdir(exist_ok=True)
            shutil.copytree(folder / "nvbench.json-freqs-bin", f"{target}-freqs-bin", dirs_exist_ok=True)
            for file in (folder / "nvbench.json-bin").iterdir():
                numbers = struct.unpack(f"<{file.stat().st_size // 4}f", file.read_bytes())
                pathlib.Path(f"{target}-bin", file.name).write_bytes(
                    struct.pack(f"<{len(numbers)}f", *(number * scale for number in numbers)))
            document = json.loads(json.dumps(document).replace("nvbench.json-", f"{target}-"))
        target.write_text(json.dumps(document))
    elif source.suffix == ".jsonl":
        target.write_text("".join(json.dumps(scaled(json.loads(line), scale)) + "\n" for line in source.open()))
    elif source.suffix == ".csv":
        target.write_text(re.sub(r'"4,([0-9]{3})"', lambda m: f'"{round((4000 + int(m[1])) * scale) + run}"', source.read_text()))
    else:
        shutil.copy(source, target)
        with sqlite3.connect(target) as base:
            for table in ("CUPTI_ACTIVITY_KIND_KERNEL", "NVTX_EVENTS"):
                base.execute(f'UPDATE {table} SET "end" = start + CAST(("end" - start) * {scale} AS INTEGER)')
PY
}
for format in google_benchmark nvbench pytest_benchmark hyperfine criterion llama_bench trtexec nsys ncu; do
  for factor in 1 1.0001 1.1; do
    runs $format $factor
    expect 0 "$HARNESS" import $format.$factor.[1-5] --case net --as $format.$factor.json
    holds $format.$factor.json 'all(len(case["results"]) in (5, 20) for case in report["cases"])'  # of hyperfine each run
  done
  expect 0 "$HARNESS" compare --baseline $format.1.json --current $format.1.0001.json --margin 2%
  expect 1 "$HARNESS" compare --baseline $format.1.json --current $format.1.1.json --margin 2%
done
# One process alone gives no verdict.
expect 0 "$HARNESS" import google_benchmark.1.1 --as one.json
expect 0 "$HARNESS" import google_benchmark.1.1.1 --as other.json
expect 3 "$HARNESS" compare --baseline one.json --current other.json

# The Python file that writes JSON Lines, with timers that look like those of PyTorch and Triton.
PYTHONPATH=$tests/../harness/sdk python3 - >timers.jsonl <<'PY'
import types
import harness_samples
harness_samples.times("softmax", (0.5, 0.25), unit="ms")
harness_samples.times("softmax", [0.5], unit="ms")
spec = types.SimpleNamespace(title="matmul: f16", description="n=64")
harness_samples.measurement(types.SimpleNamespace(task_spec=spec, times=[1e-3, 2e-3]))
PY
expect 0 "$HARNESS" import timers.jsonl --as timers.json
holds timers.json '[case["id"] for case in report["cases"]] == ["softmax", "matmul: f16/n=64"]' \
  '[place["samples"] for place in report["cases"][0]["metrics"][0]["processes"][0]["placements"]] == [[500, 250], [500]]' \
  'report["cases"][1]["metrics"][0]["unit"] == "us"'

# Files of other tools are compared as they are, by wildcards, with the same checks.
mkdir old new
for run in 1 2 3 4 5; do
  cp google_benchmark.1.$run old/$run.json
  cp google_benchmark.1.1.$run new/$run.json
done
expect 1 "$HARNESS" compare --baseline 'old/*.json' --current 'new/*.json' --margin 2%
expect 2 "$HARNESS" compare --baseline 'old/*.json' --current 'none/*.json'
names 'none/*.json'
cp old/1.json old/6.json
expect 2 "$HARNESS" compare --baseline 'old/*.json' --current 'new/*.json'
names 6.json

# A folder is no side; its files are. Remarks about files are shown, too.
expect 2 "$HARNESS" compare --baseline old/ --current 'new/*.json'
names "'old/*.json'"
rm old/6.json
sed -i 's/"cpu_time": [0-9.e+-]*/"cpu_time": 0/' new/*.json
expect "0 1 3 4" "$HARNESS" compare --baseline 'old/*.json' --current 'new/*.json'
names note: cpu_time
# Files of two hosts are sessions, which are named by as many options.
mkdir hosts
for run in 1 2 3 4; do sed "s/\"host_name\": \"[^\"]*\"/\"host_name\": \"host-$((run % 2))\"/" google_benchmark.1.$run >hosts/$run.json; done
expect 2 "$HARNESS" import hosts/*.json --as hosts.json
names --session --same
expect 0 "$HARNESS" import hosts/*.json --as hosts.json --session 'a=hosts/[13].json' --session 'b=hosts/[24].json'
expect 0 "$HARNESS" import hosts/*.json --as hosts.json --same host --same date

# Where a record belongs: the commit of the file, or of the option; the suite is asked for behind a run's number.
repository
git add -A . >/dev/null 2>&1 || true
git commit -qm one
here=$(git rev-parse HEAD)
expect 2 "$HARNESS" import google_benchmark.1.1
names --suite
expect 0 "$HARNESS" import google_benchmark.1.1 --suite bench --date 2026-11-20
expect 2 "$HARNESS" import google_benchmark.1.2 --suite bench --commit ""
python3 - "$here" <<'PY'
import json, sys
document = json.load(open("pytest_benchmark.1.1"))
document["commit_info"] = {"id": sys.argv[1], "branch": "main", "dirty": False}
json.dump(document, open("of_commit.json", "w"))
document["commit_info"]["id"] = "f" * 40
json.dump(document, open("of_another.json", "w"))
PY
git commit -q --allow-empty -m two
expect 0 "$HARNESS" import of_commit.json --suite python
expect 0 "$HARNESS" records list --suite python
names "${here:0:10}"
expect 2 "$HARNESS" import of_another.json --suite python
names --commit
expect 0 "$HARNESS" import of_another.json --suite python --commit HEAD~1

# All worktrees of a repository have one store.
git worktree add -q ../second-$$ -b second
cd ../second-$$ || exit 1
expect 0 "$HARNESS" records list --suite python
names "${here:0:10}"
cd - >/dev/null || exit 1
git worktree remove --force ../second-$$
finish
