"""The trace gate on a GPU: a PyTorch training step and its proof, a million launches, kernel times against CUDA events.

  trace_proof.py FOLDER OUT    FOLDER has bin/ and lib/; records, reports and figures.json go to OUT

  HARNESS_TRACE_PROOF="training identity"    which parts, in turn; default: overhead training identity replaced million
                                             events features. `identity` needs the record of `training`

Prints a table; exit status 1 where a figure misses its goal. Needs PyTorch and a GPU. A start of the training step takes
3 to 12 s beside an H200, so all of it takes 280 to 600 s.
"""
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

folder, out = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
root = pathlib.Path(__file__).resolve().parents[2]
harness, library = folder / "bin" / "harness", folder / "lib" / "libharness_trace.so"
out.mkdir(parents=True, exist_ok=True)
rows, missed, began = [], 0, time.monotonic()

MANY = """
import resource, sys, torch
n, fresh = int(sys.argv[1]), torch.zeros(1024, device="cuda")
fresh.add_(1); torch.cuda.synchronize()
for i in range(n - 2): fresh.add_(1)
torch.cuda.synchronize()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""

# Bursts with pauses between them, so that the power cap does not lower the clock of one process and not of another. The
# GPU spins while the burst is queued: else the events would time the first launch's way to the GPU as well. The kernels
# are long, because the 1 to 3 us between two launches are the events' and not the kernels'.
EVENTS = """
import json, statistics, time, torch
a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
big = torch.randn(1 << 28, device="cuda")
def times(name, work, bursts=15, count=4):
    for _ in range(10): work()
    found, events = [], [torch.cuda.Event(enable_timing=True) for _ in range(2)]
    for _ in range(bursts):
        torch.cuda.synchronize()
        time.sleep(0.06)
        torch.cuda._sleep(4_000_000)
        torch.cuda.nvtx.range_push(name)
        events[0].record()
        for _ in range(count): work()
        events[1].record()
        torch.cuda.nvtx.range_pop()
        torch.cuda.synchronize()
        found.append(events[0].elapsed_time(events[1]) * 1e3 / count)
    return statistics.median(found)
print(json.dumps({"gemm": times("gemm", lambda: a @ a), "add": times("add", lambda: big.add_(1))}))
"""

FEATURES = """
import torch
x = torch.randn(1 << 20, device="cuda"); side = torch.cuda.Stream()
def body(): return x.mul_(1.0001).add_(0.1).sin_()
s = torch.cuda.Stream()
with torch.cuda.stream(s):
    for _ in range(3): body()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph): body()
y = torch.randn(1 << 20, device="cuda")
for _ in range(40):
    torch.cuda.nvtx.range_push("step")
    graph.replay()
    with torch.cuda.stream(side): y.mul_(1.001)
    torch.cuda.nvtx.range_pop()
torch.cuda.synchronize()
print(float(x[0].item()) * 0)
"""


def row(what, value, goal="", good=True):
    global missed
    missed += 0 if good else 1
    rows.append((what, value, goal, "ok" if good else "MISSED"))
    print(f"[{time.monotonic() - began:5.0f} s] {what}: {value} {goal} {'' if good else 'MISSED'}", flush=True)


def run(words, **settings):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **settings)
    (out / "trace_proof.log").open("a").write(f"$ {words}\nstatus {done.returncode}\n{done.stdout}{done.stderr}\n")
    return done


def script(name, text):
    (out / name).write_text(text)
    return out / name


def traced(where):
    where.mkdir(exist_ok=True)
    paths = {name: str(library) for name in ("CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH")}
    return dict(os.environ, HARNESS_TRACE_FOLDER=str(where), **paths)


def shown(where, rule):
    done = run([harness, "trace", "--from", where, "--steps", rule, "--format", "json"])
    return json.loads(done.stdout)["trace"] if done.returncode == 0 else {"fault": done.stdout + done.stderr}


commit = ["--commit", os.environ["HARNESS_COMMIT"]] if os.environ.get("HARNESS_COMMIT") else []


def suite_file(name, train):
    """The program has one name, whatever its text is: another command would be another program."""
    program = script("train.py", pathlib.Path(train).read_text())
    text = (f"version: 2\nname: proof\nprograms:\n  - name: train\n    command: [python3, {program}, --steps, \"60\"]\n"
            "    reads: cuda_trace\n    device: cuda\n    timeout: 2m\n    gate: {margin: 0.5%}\n")
    (out / f"{name}.yaml").write_text(text)
    return out / f"{name}.yaml"


def suite(name, train):
    record = out / f"{name}.json"
    done = run([harness, "run", suite_file(name, train), "--device", "cuda", "--quiet", *commit, "--store",
                out / f"{name}.db", "--output", record, "--save-as", name], cwd=root)
    return record if done.returncode == 0 else None


def compare(one, other, name):
    report = out / f"{name}.report.json"
    done = run([harness, "compare", "--baseline", one, "--current", other, "--report", f"json={report}"], cwd=root)
    (out / f"{name}.txt").write_text(done.stdout)
    return done, json.loads(report.read_text())


def trimmed(values):
    """Without the lowest and the highest tenth, as the harness' estimator."""
    cut = len(values) // 10
    return statistics.fmean(sorted(values)[cut:len(values) - cut])


def process_sd(record, metric):
    case = next(one for one in json.loads(record.read_text())["cases"] if one["id"] == "train")
    series = next(one for one in case["metrics"] if one["metric"] == metric)
    values = [trimmed(place["samples"]) for process in series["processes"] for place in process["placements"]]
    return statistics.stdev(values) / statistics.fmean(values) * 100, statistics.fmean(values)


def training():
    original = root / "examples" / "pytorch_step" / "train.py"
    wider = script("wider.py", original.read_text().replace("2048", "2112"))
    first, second = suite("first", original), suite("second", original)
    if first is None or second is None:
        return row("training step, 5 processes twice", "failed; see trace_proof.log", good=False)
    for name, record in (("first", first), ("second", second)):
        sd, mean = process_sd(record, "kernel_time")
        row(f"kernel_time, {name} run", f"{mean:.1f} us, sd {sd:.3f} % between processes", "<= 0.1 %", sd <= 0.1)
    done, _ = compare(first, second, "same")
    row("unchanged at 0.5 %", f"exit {done.returncode}", "0", done.returncode == 0)
    changed = suite("wider", wider)
    if changed is None:
        return row("FFN 3 % wider", "failed; see trace_proof.log", good=False)
    done, report = compare(first, changed, "wider")
    red = [one for one in report["cases"] if one["verdict"] == "regressed"]
    names = [one["case"] for one in red]
    row("FFN 2048 -> 2112 wide", f"exit {done.returncode}; regressed: {', '.join(names)[:300]}", "1, and names a GEMM",
        done.returncode == 1 and any("gemm" in one or "nvjet" in one or "cutlass" in one for one in names))


REPLACED = """
import sys, torch
x, small = torch.randn(1 << 26, device="cuda"), torch.randn(1 << 22, device="cuda")
a = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16)
for _ in range(60):
    torch.cuda.nvtx.range_push("step")
    for _ in range(3): a @ a
    x.mul_(1.0001); x.add_(0.1); torch.sin(small, out=small)
    small.narrow(0, 0, int(SHARE * (1 << 22))).cos_()
    torch.cuda.nvtx.range_pop()
    torch.cuda.synchronize()
"""


def replaced():
    """A kernel of about one percent of a step that takes a tenth longer is found by its own row."""
    records = []
    for name, share in (("kept", "0.9"), ("replaced", "1.0")):
        program = script("step.py", REPLACED.replace("SHARE", share))
        (out / f"{name}.yaml").write_text(
            f"version: 2\nname: proof\nprograms:\n  - name: step\n    command: [python3, {program}]\n    reads: cuda_trace\n"
            "    steps: {nvtx: step}\n    device: cuda\n    timeout: 2m\n    gate: {margin: 0.5%}\n")
        records.append(out / f"{name}.json")
        run([harness, "run", out / f"{name}.yaml", "--device", "cuda", "--quiet", *commit, "--store", out / f"{name}.db",
             "--output", records[-1]], cwd=root)
    done, report = compare(*records, "replaced")
    rows_of = {one["case"]: one for one in report["cases"] if not one.get("informative")}
    told = [f"{case} {one['verdict']}, {(one['ratio'] or 1) * 100 - 100:+.2f} %" for case, one in rows_of.items() if "cos" in case]
    red = [case for case, one in rows_of.items() if one["verdict"] == "regressed"]
    row("a kernel of the step, a tenth more work", f"exit {done.returncode}; {'; '.join(told)}; red: {len(red)}", "1, its row",
        done.returncode == 1 and any("cos" in case for case in red))


def identity_of(program):
    done = run([harness, "trace", "--only-traced", "--format", "json", "--", "python3", program, "--steps", "60"], cwd=root)
    return json.loads(done.stdout)["trace"] if done.returncode == 0 else {"fault": done.stdout + done.stderr}


def unlike(one, other):
    """The kernels that differ between two traces, and in what."""
    def by_shape(trace):
        return {(kernel["kernel"]["name"], tuple(kernel["kernel"]["grid"]), tuple(kernel["kernel"]["block"])): kernel["kernel"]
                for kernel in trace["kernels"]}
    before, after = by_shape(one), by_shape(other)
    found = [f"{name[:60]} {grid}: only in one" for name, grid, _ in before.keys() ^ after.keys()]
    for key in before.keys() & after.keys():
        found += [f"{key[0][:60]} {key[1]}: {what}" for what in ("code", "launches", "arguments")
                  if before[key].get(what) != after[key].get(what)]
    return found


def said(trace):
    identity = trace.get("identity", {})
    return str(trace["fault"])[:300] if trace.get("fault") else str(identity.get("gap") or identity["digest"])


def identity():
    """A step is the same in two starts, and not with FFNs 2 % wider; a run against it makes one start."""
    original = root / "examples" / "pytorch_step" / "train.py"
    wider = script("wider2.py", original.read_text().replace("2048", "2088"))
    one, other, wide = identity_of(original), identity_of(original), identity_of(wider)
    digests = [trace.get("identity", {}).get("digest") for trace in (one, other, wide)]
    same = bool(digests[0]) and digests[0] == digests[1]
    # Unset bytes of structures may differ; then five starts prove the step, below.
    row("training step, two starts", "identical" if same else f"{said(one)} / {said(other)}", "told")
    if not same and not one.get("fault") and not other.get("fault"):
        differing = unlike(one, other)
        (out / "unlike.txt").write_text("\n".join(differing))
        unread = [kernel["kernel"]["name"][:60] for kernel in one["kernels"] if not kernel["kernel"].get("arguments")]
        uncoded = [kernel["kernel"]["name"][:60] for kernel in one["kernels"] if not kernel["kernel"].get("code")]
        print("\n".join([f"  differs: {line}" for line in differing] + [f"  arguments unread: {name}" for name in unread] +
                        [f"  code unknown: {name}" for name in uncoded]))
    row("FFN 2 % wider", "identical" if digests[2] == digests[0] else "not proven", "not proven",
        bool(digests[2]) and digests[2] != digests[0])
    for name, program, wanted in (("unchanged", original, 0), ("FFN 2 % wider", wider, 1)):
        begin = time.monotonic()
        done = run([harness, "run", suite_file("against", program), "--device", "cuda", "--quiet", "--against", "@first", "--no-confirm",
                    "--store", out / "first.db", *commit], cwd=root)
        told = next((line for line in done.stdout.splitlines() if re.match(r"[A-Z]{4,}: ", line)), "no verdict")
        row(f"run --against, {name}", f"exit {done.returncode}, {time.monotonic() - begin:.0f} s: {told}",
            f"{wanted}, {'proven' if wanted == 0 else 'red'}",
            done.returncode == wanted and told.startswith("IDENTICAL: " if wanted == 0 else "REGRESSED: "))


def million():
    count, where = 1_000_000, out / "million"
    many = script("many.py", MANY)
    alone = run(["python3", many, count])
    begin = time.monotonic()
    beside = run(["python3", many, count], env=traced(where))
    wall = time.monotonic() - begin
    if alone.returncode or beside.returncode:
        return row("10^6 launches", "failed; see trace_proof.log", good=False)
    more = (int(beside.stdout) - int(alone.stdout)) / 1024
    size = sum(file.stat().st_size for file in where.iterdir()) / 1e6
    begin = time.monotonic()
    trace = shown(where, "whole")
    took = time.monotonic() - begin
    launches = trace.get("launches", 0)
    row("10^6 launches", f"{launches} records, fault {trace.get('fault')}, {wall:.1f} s", "none lost",
        not trace.get("fault") and launches >= count)
    row("  file", f"{size:.1f} MB", "< 60 MB", size < 60)
    row("  memory of the tracer", f"{more:.0f} MB", "< 100 MB", more < 100)
    row("  read, by harness trace --from", f"{took:.2f} s", "< 2 s", took < 2)
    for file in where.iterdir():
        file.unlink()


def events():
    """Untraced, traced, untraced: the GPU's state is that of neither side."""
    program = script("events.py", EVENTS)
    before = run(["python3", program])
    beside = run(["python3", program], env=traced(out / "events"))
    after = run(["python3", program])
    if before.returncode or beside.returncode or after.returncode:
        return row("CUDA events", "failed; see trace_proof.log", good=False)
    same = json.loads(beside.stdout)
    for name in ("gemm", "add"):
        trace = shown(out / "events", f"nvtx:{name}")
        if trace.get("fault"):
            row(f"{name} against events", str(trace["fault"])[:200], good=False)
            continue
        kernel = max(trace["kernels"], key=lambda one: one["share"])
        mean = statistics.median(kernel["times"]) / kernel["kernel"]["launches"]
        untraced = [json.loads(one.stdout)[name] for one in (before, after)]
        off = (mean / statistics.fmean(untraced) - 1) * 100
        row(f"{name}: kernel against untraced events", f"{mean:.2f} / {untraced[0]:.2f} and {untraced[1]:.2f} us, {off:+.2f} % "
            f"(traced events {same[name]:.2f} us)", "within 1 %", abs(off) <= 1)


def features():
    program = script("features.py", FEATURES)
    done = run(["python3", program], env=traced(out / "features"))
    by_range, by_period = shown(out / "features", "nvtx:step"), shown(out / "features", "period")
    if done.returncode or by_range.get("fault"):
        return row("graph, two streams, NVTX", str(by_range.get("fault"))[:200], good=False)
    steps = len(by_range["steps_us"]["kernel"]) + by_range["settling_steps"]
    row("graph, two streams, NVTX", f"{steps} steps of {by_range['launches_a_step']} launches", "40 of 4",
        steps == 40 and by_range["launches_a_step"] == 4)
    row("  by period", f"{by_period['steps_by']}, {by_period['launches_a_step']} launches a step", "4",
        by_period["launches_a_step"] == 4)


def overhead():
    train = root / "examples" / "pytorch_step" / "train.py"
    done = run([harness, "trace", "--format", "terminal", "--", "python3", train, "--steps", "60"], cwd=root)
    (out / "trace.txt").write_text(done.stdout)
    print(done.stdout[:3500])
    row("harness trace of the training step", f"exit {done.returncode}", "0", done.returncode == 0)


parts = {part.__name__: part for part in (overhead, training, identity, replaced, million, events, features)}
chosen = os.environ.get("HARNESS_TRACE_PROOF", " ".join(parts)).split()
if unknown := [one for one in chosen if one not in parts]:
    sys.exit(f"HARNESS_TRACE_PROOF: no part {unknown[0]}; there are: {' '.join(parts)}")
for part in (parts[one] for one in chosen):
    try:
        part()
    except (OSError, ValueError, KeyError, StopIteration) as problem:
        row(part.__name__, f"{type(problem).__name__}: {problem}", good=False)
(out / "figures.json").write_text(json.dumps(rows, indent=1))
print("\n| what | measured | goal | |\n|---|---|---|---|")
for line in rows:
    print("| " + " | ".join(line) + " |")
print(f"\n{time.monotonic() - began:.0f} s")
sys.exit(1 if missed else 0)
