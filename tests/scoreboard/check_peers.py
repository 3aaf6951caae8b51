#!/usr/bin/env python3
"""Asks the real programs about ten inputs and writes their answers to peers.json, for the test of peer_calls.cpp.

    check_peers.py [--nvbench FOLDER] [--benchmark FOLDER] [--asv FOLDER] [--otava FOLDER]
                   [--criterion FOLDER] [--action FOLDER] [--bencher FOLDER]

FOLDER: a checkout of that program's repository. Other answers stay. Python needs numpy, scipy, tabulate and colorama;
criterion.rs and Bencher need cargo; the action has to be built (npm ci && npm run build).
"""
import argparse
import importlib.util
import json
import os
import re
import statistics
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = HERE.parent / "data/h200"
# case, process of main.jsonl, (file, process) of the other side, its factor, its clock in GHz (1.98 before)
INPUTS = [
    ("copy64MB/mode=hot", 1, ("main", 2), 1, 1.98),
    ("gemm2048/mode=cold", 1, ("main", 1), 1, 1.98),
    ("gelu/mode=cold", 1, ("head", 9), 1, 1.98),
    ("gemm4096/mode=hot", 1, ("main", 4), 1.01, 1.98),
    ("gemm4096/mode=cold", 2, ("main", 5), 1.03, 1.98),
    ("copy64MB/mode=cold", 1, ("same", 17), 1.05, 1.98),
    ("gelu/mode=hot", 2, ("same", 18), 1.15, 1.98),
    ("gemm2048/mode=hot", 1, ("main", 2), 1.12, 1.98),
    ("gelu/mode=cold", 3, ("main", 6), 0.9, 1.98),
    ("gemm4096/mode=hot", 3, ("main", 7), 1.06, 1.98 / 1.06),
]
REPETITIONS = 9  # that the U test of Google Benchmark asks for
REPEATS = 20     # that asv's two rounds of ten give
NEW = 4          # runs after the change in a series


def load():
    """{(file, case, process): samples of all placements}"""
    samples = {}
    for name in ("main", "same", "head"):
        for line in (DATA / f"{name}.jsonl").read_text().splitlines()[1:]:
            row = json.loads(line)
            samples.setdefault((name, row["case"], row["process"]), []).extend(row["samples"])
    return samples


def chunks(samples, count):
    """The means of `count` parts of equal length; what is left over is dropped."""
    size = len(samples) // count
    return [statistics.fmean(samples[i * size:(i + 1) * size]) for i in range(count)]


def series_of(samples, case, factor):
    """Means of the processes of main and same; the last NEW are slower by `factor`."""
    means = [statistics.fmean(v) for (name, c, _), v in sorted(samples.items()) if c == case and name != "head"]
    return means[:-NEW] + [value * factor for value in means[-NEW:]]


# --- the programs --------------------------------------------------------------------------------


def module(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def quartile(values, fraction):
    ordered = sorted(values)
    place = fraction * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def nvbench_file(folder, name, samples, clock):
    times = [value * 1e-6 for value in samples]
    for kind, values in (("times", times), ("freqs", [clock * 1e9] * len(times))):
        (folder / f"{name}.{kind}").write_bytes(struct.pack(f"<{len(values)}f", *values))
    mean, sd = statistics.fmean(times), statistics.stdev(times)
    q1, middle, q3 = (quartile(times, part) for part in (0.25, 0.5, 0.75))
    figures = {"time/gpu/mean": mean, "time/gpu/stdev/relative": sd / mean, "time/gpu/stdev/absolute": sd,
               "time/gpu/min": min(times), "time/gpu/max": max(times), "time/gpu/q1": q1, "time/gpu/median": middle,
               "time/gpu/q3": q3, "time/gpu/iqr/absolute": q3 - q1, "time/gpu/iqr/relative": (q3 - q1) / middle,
               "sm_clock_rate/mean": clock * 1e9}
    summaries = [{"tag": "nv/cold/" + tag, "name": tag, "hint": "", "description": "",
                  "data": [{"name": "value", "type": "float64", "value": repr(value)}]}
                 for tag, value in figures.items()]
    binaries = {"nv/json/bin:nv/cold/sample_times": "times", "nv/json/freqs-bin:nv/cold/sample_freqs": "freqs"}
    for tag, kind in binaries.items():
        summaries.append({"tag": tag, "name": tag, "hint": "", "description": "",
                          "data": [{"name": "filename", "type": "string", "value": str(folder / f"{name}.{kind}")},
                                   {"name": "size", "type": "int64", "value": str(len(times))}]})
    state = {"name": "Device=0", "device": 0, "type_config_index": 0, "axis_values": None, "is_skipped": False,
             "min_samples": 10, "summaries": summaries}
    version = {"major": 1, "minor": 0, "patch": 0, "string": "1.0.0"}
    root = {"meta": {"argv": ["probe"], "version": {"json": version, "nvbench": version}},
            "devices": [{"id": 0, "name": "H200"}],
            "benchmarks": [{"name": "probe", "index": 0, "devices": [0], "axes": None, "states": [state]}]}
    (folder / f"{name}.json").write_text(json.dumps(root))
    return folder / f"{name}.json"


def nvbench(checkout, folder, before, after, clock):
    files = [str(nvbench_file(folder, "before", before, 1.98)), str(nvbench_file(folder, "after", after, clock))]
    words = {"SLOW": "slower", "FAST": "faster", "SAME": "same", "AMBG": "undecided"}
    answers = []
    for script in ("nvbench_compare.py", "nvbench_compare_robust.py"):
        command = [sys.executable, str(Path(checkout) / "python/scripts" / script), "--no-color", *files]
        done = subprocess.run(command, capture_output=True, text=True)
        statuses = re.findall(r"^\|.*\b(SLOW|FAST|SAME|AMBG)\b", done.stdout, re.MULTILINE)
        if len(statuses) != 1:
            sys.exit(f"{script}: no status in\n{done.stdout}{done.stderr}")
        answers.append(words[statuses[0]])
    return answers


def google_benchmark(checkout, folder, before, after):
    for name, values in (("before", before), ("after", after)):
        rows = [{"name": "probe", "run_name": "probe", "run_type": "iteration", "repetitions": len(values),
                 "repetition_index": i, "threads": 1, "iterations": 1, "real_time": value, "cpu_time": value,
                 "time_unit": "us"} for i, value in enumerate(values)]
        (folder / f"{name}.json").write_text(json.dumps({"context": {}, "benchmarks": rows}))
    command = [sys.executable, str(Path(checkout) / "tools/compare.py"), "--dump_to_json", str(folder / "out.json")]
    command += ["benchmarks", str(folder / "before.json"), str(folder / "after.json")]
    subprocess.run(command, check=True, capture_output=True)
    for row in json.loads((folder / "out.json").read_text()):
        if row.get("utest"):
            return row["utest"]["time_pvalue"]
    sys.exit("compare.py printed no U test")


def asv(checkout, before, after):
    stats = module(Path(checkout) / "asv/_stats.py", "asv_stats")
    was, now = statistics.median(before), statistics.median(after)
    different = stats.is_different(before, after, {}, {})
    # asv/commands/compare.py: better or worse only by more than the factor, whose default is 1.1.
    if not different or 1 / 1.1 <= now / was <= 1.1:
        return "same"
    return "slower" if now > was else "faster"


def otava(checkout, series):
    sys.path.insert(0, str(checkout))
    from otava.analysis import compute_change_points
    return [int(point.index) for point in compute_change_points(list(series))[0]]


def crate(folder, name, library, dependencies):
    """A crate in `folder`; library: the source of a library, or None for a program of src/main.rs."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["[package]", f'name = "{name}"', 'version = "0.0.0"', 'edition = "2024"']
    lines += ["[lib]", f'path = "{library}"'] if library else ["[workspace]"]
    lines += ["[dependencies]", *dependencies, ""]
    (folder / "Cargo.toml").write_text("\n".join(lines))


def build(folder, source, dependencies):
    """The path of the program that this source makes."""
    crate(folder, "ask", None, dependencies)
    (folder / "src").mkdir()
    (folder / "src/main.rs").write_text((HERE / "peers" / source).read_text())
    # Newer compilers warn of what these programs forbid.
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=folder, check=True,
                   env=os.environ | {"RUSTFLAGS": "--cap-lints=allow"})
    return folder / "target/release/ask"


def build_criterion(checkout, folder):
    return build(folder / "criterion", "criterion.rs", [
        f'criterion = {{ path = "{Path(checkout).resolve()}", default-features = false, '
        'features = ["cargo_bench_support"] }'])


def criterion(program, folder, before, after):
    home = folder / "criterion-home"
    environment = os.environ | {"CRITERION_HOME": str(home), "REPLAY": str(folder / "values")}
    for values, baseline in ((before, "--save-baseline"), (after, "--baseline")):
        (folder / "values").write_text("\n".join(map(repr, values)))
        done = subprocess.run([str(program), "--bench", "--noplot", baseline, "before"], env=environment, check=True,
                              capture_output=True, text=True)
        saved = json.loads((home / f"probe/probe/{'before' if values is before else 'new'}/sample.json").read_text())
        seen = [time / count for time, count in zip(saved["times"], saved["iters"])]
        if len(seen) != len(values) or any(abs(a / b - 1) > 1e-12 for a, b in zip(seen, values)):
            sys.exit("criterion.rs did not take the values as they are")
    words = {"Performance has regressed": "slower", "Performance has improved": "faster",
             "Change within noise threshold": "same", "No change in performance detected": "same"}
    found = [word for text, word in words.items() if text in done.stdout]
    if len(found) != 1:
        sys.exit(f"criterion.rs: no verdict in\n{done.stdout}{done.stderr}")
    return found[0]


def action(checkout, folder, before, after):
    """Two runs of github-action-benchmark, of two commits."""
    (folder / "data.json").unlink(missing_ok=True)
    inputs = {"name": "Benchmark", "tool": "customSmallerIsBetter", "output-file-path": folder / "values.json",
              "external-data-json-path": folder / "data.json", "fail-on-alert": "true", "alert-threshold": "200%",
              "gh-pages-branch": "gh-pages", "benchmark-data-dir-path": "dev/bench", "save-data-file": "true"}
    off = ("auto-push", "skip-fetch-gh-pages", "comment-always", "summary-always", "comment-on-alert",
           "go-force-package-suffix")
    inputs |= dict.fromkeys(off, "false")
    environment = os.environ | {f"INPUT_{name.upper()}": str(value) for name, value in inputs.items()}
    environment |= {"GITHUB_EVENT_PATH": str(folder / "event.json"), "GITHUB_REPOSITORY": "owner/name"}
    for commit, value in (("before", before), ("after", after)):
        (folder / "values.json").write_text(json.dumps([{"name": "probe", "unit": "us", "value": value}]))
        person = {"name": "name", "username": "name"}
        event = {"head_commit": {"id": commit, "message": "", "timestamp": "2026-01-01T00:00:00Z", "url": "",
                                 "author": person, "committer": person}}
        (folder / "event.json").write_text(json.dumps(event))
        done = subprocess.run(["node", str(Path(checkout) / "dist/src/index.js")], env=environment,
                              capture_output=True, text=True)
    alert = "**Performance Alert**" in done.stdout
    if done.returncode != (1 if alert else 0) or not (alert or "No performance alert found" in done.stdout):
        sys.exit(f"github-action-benchmark: no decision in\n{done.stdout}{done.stderr}")
    return "slower" if alert else "same"


def build_bencher(checkout, folder):
    types = f'bencher_json = {{ path = "{folder}/types" }}'
    crate(folder / "types", "bencher_json", HERE / "peers/bencher_json.rs", [])
    crate(folder / "boundary", "bencher_boundary", Path(checkout).resolve() / "lib/bencher_boundary/src/lib.rs",
          [types, 'slog = "2"', 'statrs = "0.18"', 'thiserror = ">=1"'])
    return build(folder / "bencher", "bencher.rs",
                 [types, f'bencher_boundary = {{ path = "{folder}/boundary" }}', 'slog = "2"'])


def bencher(program, history, value):
    """The upper limit and the call."""
    line = " ".join(map(repr, [0.99, value, *history]))
    limit, outlier = subprocess.run([str(program)], input=line, check=True, capture_output=True,
                                    text=True).stdout.split()
    return float(limit), "slower" if outlier == "true" else "same"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("nvbench", "benchmark", "asv", "otava", "criterion", "action", "bencher"):
        parser.add_argument(f"--{name}", metavar="FOLDER")
    checkouts = parser.parse_args()
    samples = load()
    rows = json.loads((HERE / "peers.json").read_text())
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        replay = build_criterion(checkouts.criterion, folder) if checkouts.criterion else None
        limits = build_bencher(checkouts.bencher, folder) if checkouts.bencher else None
        for row, (case, process, (file, other), factor, clock) in zip(rows, INPUTS, strict=True):
            row |= {"case": case, "before": process, "file": file, "after": other, "factor": factor, "clock": clock}
            before = samples["main", case, process]
            after = [value * factor for value in samples[file, case, other]]
            series = series_of(samples, case, factor)
            if checkouts.nvbench:
                row["nvbench_legacy"], row["nvbench_robust"] = nvbench(checkouts.nvbench, folder, before, after, clock)
            if checkouts.benchmark:
                row["google_benchmark_p"] = google_benchmark(checkouts.benchmark, folder, chunks(before, REPETITIONS),
                                                             chunks(after, REPETITIONS))
            if checkouts.asv:
                row["asv"] = asv(checkouts.asv, chunks(before, REPEATS), chunks(after, REPEATS))
            if checkouts.otava:
                row["otava"] = otava(checkouts.otava, series)
            if replay:
                row["criterion"] = criterion(replay, folder, before, after)
            if checkouts.action:  # of twice the time, near its limit
                row["action"] = action(checkouts.action, folder, statistics.fmean(before), 2 * statistics.fmean(after))
            if limits:
                row["bencher_limit"], row["bencher"] = bencher(limits, series[:-NEW], series[-NEW])
    text = ",\n".join("  " + json.dumps(row) for row in rows)
    (HERE / "peers.json").write_text("[\n" + text + "\n]\n")


if __name__ == "__main__":
    main()
