"""Whether the trace gate is right about programs: `harness ab` of unchanged scripts, and of FFNs 2 % wider.

  trace_aa.py FOLDER OUT    FOLDER has bin/ and lib/; reports and tally.md go to OUT

  HARNESS_TRACE_AA="same:train wider:train"   which, in turn; default: all of them, and each tool that is installed
  HARNESS_TRACE_AA_RUNS=20                    how many runs of each
  HARNESS_TRACE_AA_SECONDS=500                no run begins that would end later

Reports that OUT has already count, so a later call goes on where an earlier one stopped. Identity is off, so that
everything is measured. Exit status 1 where a run is wrong: `same` that is red, or does not pass at 0.5 % (1 % for
NVBench, 5 % for Google Benchmark), or `wider` that is not red.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

folder, out = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
root = pathlib.Path(__file__).resolve().parents[2]
harness = folder / "bin" / "harness"
models = ("encoder768", "encoder256", "train", "conv")
runs = int(os.environ.get("HARNESS_TRACE_AA_RUNS", "20"))
began, limit = time.monotonic(), float(os.environ.get("HARNESS_TRACE_AA_SECONDS", "500"))
out.mkdir(parents=True, exist_ok=True)


def call(words, **settings):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **settings)
    with (out / "trace_aa.log").open("a") as log:
        log.write(f"$ {words}\nstatus {done.returncode}\n{done.stdout}{done.stderr}\n")
    return done


def git(repository, *words):
    who = ["-c", "user.name=harness", "-c", "user.email=harness@localhost"]
    done = call(["git", *who, *words], cwd=repository)
    if done.returncode:
        raise RuntimeError(f"git {words[0]}: {done.stderr[-300:]}")


def suite_of_model(model):
    return (f"version: 2\nname: {model}\nprograms:\n  - name: {model}\n    command: [python3, trace_models.py, {model}]\n"
            "    build: \"true\"\n    env: {HARNESS_TRACE_ARGUMENTS: \"off\"}\n    reads: cuda_trace\n    device: cuda\n"
            "    timeout: 3m\n    sampling: {processes: 5}\n    gate: {margin: 0.5%}\n")


def suite_of_tool(tool, binary):
    if tool == "nvbench":
        words, more = f'[{binary}, --jsonbin, "{{output}}"]', "    device: cuda\n    gate: {margin: 1%}\n"
    else:
        words = f'[{binary}, "--benchmark_out={{output}}", --benchmark_out_format=json, --benchmark_min_time=0.01]'
        more = "    gate: {margin: 5%}\n"
    return (f"version: 2\nname: {tool}\nprograms:\n  - name: {tool}\n    command: {words}\n    build: \"true\"\n"
            f"    reads: {tool}\n    timeout: 3m\n    sampling: {{processes: 5}}\n{more}")


def built(tool, scratch):
    """The example's benchmark, built once; None where something is not installed."""
    place = scratch / tool
    shutil.copytree(root / "examples" / tool, place)
    if tool == "nvbench":
        done = call(["cmake", "-S", ".", "-B", "build"], cwd=place) if shutil.which("nvcc") else None
        done = call(["cmake", "--build", "build"], cwd=place) if done and done.returncode == 0 else None
        return place / "build" / "bench" if done and done.returncode == 0 else None
    done = call(["c++", "-O2", "bench.cpp", "-o", "bench", "-lbenchmark", "-lpthread"], cwd=place)
    return place / "bench" if done.returncode == 0 else None


def prepare(scratch):
    """A repository with a suite a model, and a commit that makes the layers wider. The names of what can be run."""
    repository = scratch / "repository"
    repository.mkdir()
    names = []
    shutil.copy(root / "tests" / "gpu" / "trace_models.py", repository)
    (repository / "width").write_text("1.0\n")
    for model in models:
        (repository / f"{model}.yaml").write_text(suite_of_model(model))
        names += [f"same:{model}"] + ([f"wider:{model}"] if model != "conv" else [])
    wanted = os.environ.get("HARNESS_TRACE_AA", "").split()
    for tool in ("nvbench", "google_benchmark"):
        if wanted and f"same:{tool}" not in wanted:
            continue
        binary = built(tool, scratch)
        if binary is None:
            print(f"skipped: {tool} is not installed", flush=True)
            continue
        (repository / f"{tool}.yaml").write_text(suite_of_tool(tool, binary))
        names.append(f"same:{tool}")
    git(repository, "init", "-q", ".")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "the models")
    git(repository, "tag", "base")
    (repository / "width").write_text("1.02\n")
    git(repository, "commit", "-q", "-a", "-m", "2 % wider")
    git(repository, "tag", "wider")
    return repository, [one for one in wanted if one in names] or names


def report_of(kind, model, number):
    return out / f"{kind}-{model}-{number}.json"


def run(repository, name, number):
    kind, model = name.split(":")
    report = report_of(kind, model, number)
    current = "wider" if kind == "wider" else "base"
    begin = time.monotonic()
    done = call([harness, "ab", f"{model}.yaml", "--baseline", "base", "--current", current, "--device", "cuda", "--quiet",
                 "--measure", "all", "--store", out / "trace_aa.db", "--report", f"json={report}"], cwd=repository)
    took = time.monotonic() - begin
    print(f"[{time.monotonic() - began:5.0f} s] {name} {number}: exit {done.returncode}, {took:.0f} s", flush=True)
    if done.returncode not in (0, 1, 3, 4):
        report.unlink(missing_ok=True)
        print(done.stderr[-1500:], flush=True)
    return took


def deciding(report):
    return [one for one in report["cases"] if not one.get("informative")]


def outcome(kind, report):
    """The verdict of a run, and whether it is right."""
    red = [one["case"] for one in report["cases"] if one["verdict"] == "regressed" and not one.get("informative")]
    if kind == "wider":
        gemm = any(word in one for one in red for word in ("gemm", "nvjet", "cutlass", "Kernel"))
        return ("red, with a GEMM" if gemm else "red" if red else "not red"), bool(red) and gemm
    if red:
        return "red: " + ", ".join(red)[:160], False
    passed = all(one["verdict"] in ("identical", "unchanged", "not_worse", "improved", "environment")
                 for one in deciding(report))
    return ("passed" if passed else "undecided"), passed


def tally(names):
    wrong, lines = 0, ["| what | runs | right | else |", "|---|---|---|---|"]
    for name in names:
        kind, model = name.split(":")
        reports = [json.loads(file.read_text()) for number in range(1, runs + 1)
                   if (file := report_of(kind, model, number)).exists()]
        found = [outcome(kind, one) for one in reports]
        odd = sorted({text for text, right in found if not right})
        wrong += sum(1 for _, right in found if not right)
        lines.append(f"| {name} | {len(found)} of {runs} | {sum(right for _, right in found)} | {'; '.join(odd)} |")
    (out / "tally.md").write_text("\n".join(lines) + "\n")
    print("\n" + "\n".join(lines))
    return wrong + (0 if any(out.glob("*-*.json")) else 1)  # there was no time for any


def main():
    with tempfile.TemporaryDirectory() as scratch:
        repository, names = prepare(pathlib.Path(scratch))
        longest = dict.fromkeys(names, 0.0)
        for number in range(1, runs + 1):
            for name in names:
                kind, model = name.split(":")
                late = time.monotonic() - began + 1.2 * longest[name] > limit
                if not late and not report_of(kind, model, number).exists():
                    longest[name] = max(longest[name], run(repository, name, number))
    return 1 if tally(names) else 0


sys.exit(main())
