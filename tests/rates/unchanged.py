#!/usr/bin/env python3
"""Unchanged pull requests through the program, and how they end.

    unchanged.py HARNESS PLUGIN [--runs N] [--baseline P] [--suites a,b] [--noise KIND] [--seed S] [--proven]
                 [--all-pass]

Each run records main with the scripted device, then judges a branch that changed nothing with new noise
(`run --against main`). With --proven both builds launch the same machine code, as builds of an unchanged branch do.
Without it no case is proven identical, and samples decide. A suite has as many cases as its pin under baselines/ has
GPU cases, each as long as there.
measured/unchanged-code.md has the figures. HARNESS is the program, PLUGIN the plug-in of the command-line tests.
Exit status: 0; with --all-pass 1 unless every run exits with 0.
"""
import argparse
import collections
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROCESSES = 49  # values of a case, which repeat: processes 1000001 and on, which confirm, have other ones than 1 to 20
SESSION_SD = 0.0002
LONG = 100  # us: from here on the margin is 0.5 %, below it 1 %
# Standard deviation between processes where samples are taken below the power cap, by time of a call: median and
# 90th percentile of the cases of the fusion suite on H200s (measured/gate-h200.md).
PAUSED = [(30, 0.0019, 0.0039), (100, 0.0018, 0.0024), (math.inf, 0.0010, 0.0023)]


def centers(suite):
    """The median time of each GPU case of a pin, in us."""
    found = []
    for case in json.load(open(ROOT / f"baselines/nvidia-h200/{suite}.json"))["cases"]:
        for metric in case.get("metrics", []):
            if metric["metric"] == "gpu_time":
                found.append(metric["all"]["median"])
    return found


def recorded():
    """Log process values about their mean of each unchanged case of tests/data/h200, which was sampled without pauses."""
    values = collections.defaultdict(lambda: collections.defaultdict(list))
    for name in ("main", "same"):
        for line in open(ROOT / f"tests/data/h200/{name}.jsonl"):
            row = json.loads(line)
            if "samples" in row:
                values[row["case"]][row["process"]].append(statistics.mean(math.log(one) for one in row["samples"]))
    residuals = []
    for processes in values.values():
        means = [statistics.mean(placements) for placements in processes.values()]
        residuals.append([one - statistics.mean(means) for one in means])
    return residuals


def noise_of(kind, times, generator):
    """A function for each case, which draws the noise of a process."""
    if kind == "recorded":
        cases = recorded()
        return [lambda residuals=cases[i % len(cases)]: generator.choice(residuals) for i in range(len(times))]
    drawn = []
    for us in times:
        median, high = next(row[1:] for row in PAUSED if us < row[0])
        sd = median * math.exp(math.log(high / median) / 1.2816 * generator.gauss(0, 1))
        drawn.append(lambda sd=sd: generator.gauss(0, sd))
    return drawn


def script(times, noise, generator, build):
    cases = []
    for i, us in enumerate(times):
        session = generator.gauss(0, SESSION_SD)
        values = [us * math.exp(session + noise[i]()) for _ in range(PROCESSES)]
        cases.append({"match": f"*/n={i + 1}", "process_us": values, "sample_sd": 0.001,
                      "identity": {"digest": build}})
    return {"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A", "cases": cases}


def suite_text(times):
    text = ("version: 2\nname: unchanged\nmodules: [./plugin.so]\ndefaults:\n  sampling: {processes: 5, placements: 2, "
            "samples: 5, cache: hot, preheat: 0ms, timeout: 60s}\ncases:\n")
    for margin, chosen in (("0.5%", [i for i, us in enumerate(times) if us >= LONG]),
                           ("1%", [i for i, us in enumerate(times) if us < LONG])):
        if chosen:
            text += (f"  - workload: twice\n    variants: [right]\n    axes: {{n: {[i + 1 for i in chosen]}}}\n"
                     f"    gate: {{margin: {margin}}}\n")
    return text


class PullRequests:
    """A repository in a folder of its own, in which a branch changes nothing."""

    def __init__(self, folder, arguments, suite):
        self.folder, self.harness = folder, arguments.harness
        self.generator = random.Random(f"{arguments.seed} {suite}")
        self.times = centers(suite)
        self.kind, self.processes, self.noise = arguments.noise, arguments.baseline, []
        self.change = "main" if arguments.proven else "change"
        self.environment = {**os.environ, "HARNESS_CACHE_DIR": str(folder / "cache"), "HARNESS_LOCK_DIR": str(folder),
                            "GIT_CONFIG_GLOBAL": "/dev/null"}
        (folder / "plugin.so").symlink_to(arguments.plugin)
        (folder / "suite.yaml").write_text(suite_text(self.times))
        (folder / ".gitignore").write_text("*\n!suite.yaml\n")
        self.git("init", "-q", "-b", "main", ".")
        self.git("add", "suite.yaml")
        self.commit("main")
        self.git("checkout", "-qb", "change")
        self.commit("a change of nothing")

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *words], cwd=self.folder,
                       env=self.environment, check=True)

    def commit(self, message):
        self.git("commit", "-qm", message, "--allow-empty")

    def measure(self, build, *words):
        """Runs the suite with new noise. Another `build` launches other code, so that no proof spares its cases."""
        (self.folder / "speed.json").write_text(json.dumps(script(self.times, self.noise, self.generator, build)))
        return subprocess.run([self.harness, "run", "suite.yaml", "--quiet", "--device", "scripted:speed.json", *words],
                              cwd=self.folder, env=self.environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)

    def run(self):
        """The exit status of one pull request, and its cases by verdict."""
        for old in self.folder.glob(".harness/results.db*"):
            old.unlink()
        self.noise = noise_of(self.kind, self.times, self.generator)
        self.git("checkout", "-q", "main")
        if main := self.measure("main", "--processes", str(self.processes)).returncode:
            raise RuntimeError(f"main cannot be recorded: exit status {main}")
        self.git("checkout", "-q", "change")
        judged = self.measure(self.change, "--against", "main", "--report", "json=report.json")
        report = json.loads((self.folder / "report.json").read_text())
        verdicts = collections.Counter(row["verdict"] for row in report["cases"])
        if judged.returncode not in (0, 1, 3):
            raise RuntimeError(judged.stderr)
        return judged.returncode, verdicts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("harness", type=pathlib.Path)
    parser.add_argument("plugin", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--baseline", type=int, default=5, help="processes of main")
    parser.add_argument("--suites", default="probe,fusion,matmul,attention")
    parser.add_argument("--noise", choices=["recorded", "paused"], default="paused")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--proven", action="store_true", help="the branch launches the machine code of main")
    parser.add_argument("--all-pass", action="store_true")
    arguments = parser.parse_args()
    arguments.harness, arguments.plugin = arguments.harness.resolve(), arguments.plugin.resolve()
    passed = True
    print("| suite | cases | noise | processes of main | runs | exit 0 | exit 1 | exit 3 | undecided rows | regressed rows | s a run |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for suite in arguments.suites.split(","):
        with tempfile.TemporaryDirectory() as folder:
            requests = PullRequests(pathlib.Path(folder), arguments, suite)
            statuses, verdicts, began = collections.Counter(), collections.Counter(), time.monotonic()
            for _ in range(arguments.runs):
                status, rows = requests.run()
                statuses[status] += 1
                verdicts += rows
            seconds = (time.monotonic() - began) / arguments.runs
            passed = passed and statuses[0] == arguments.runs
            print(f"| {suite} | {len(requests.times)} | {arguments.noise} | {arguments.baseline} | {arguments.runs} | {statuses[0]} | "
                  f"{statuses[1]} | {statuses[3]} | {verdicts['inconclusive']} | {verdicts['regressed']} | "
                  f"{seconds:.1f} |", flush=True)
    return 0 if passed or not arguments.all_pass else 1


if __name__ == "__main__":
    sys.exit(main())
