#!/usr/bin/env python3
"""Small campaigns on a machine alone: how much an element adds to measuring.

  HARNESS=build/release/bin/harness KERNELS=build/release/lib/libharness_kernels.so \
    PLUGIN=build/release/tests/cli/libcli_plugin.so tests/farm/small.py

Times are wall times of a file store, each the best of --rounds, and the time of processors, which other programs change less:

  no time    cases of scripted times, in which none passes: a campaign of one, two and four elements (`plan`, `work` of all and
             `judge`), and `harness ab` in one piece and as four static shards at the same time
  sleeping   cases whose calls really sleep 2 ms: the speed-up by elements, and the share of the elements' time that these
             calls took, at least. strace counts the calls of one more campaign; without strace no share is told.
"""
import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

HARNESS, KERNELS, PLUGIN = (os.environ[name] for name in ("HARNESS", "KERNELS", "PLUGIN"))
SHARDS = 4


def write(folder, cases, sleeping):
    folder.mkdir()
    sampling = "processes: 3, placements: 1, samples: 8" if sleeping else "processes: 5, placements: 2, samples: 10"
    shutil.copy(PLUGIN, folder / "plugin.so")
    workload = "twice, variants: [slow]" if sleeping else "probe_copy, variants: [memcpy]"
    for name, numbers in [("suite", range(cases))] + [(f"shard{i}", range(i, cases, SHARDS)) for i in range(SHARDS)]:
        (folder / f"{name}.yaml").write_text(
            f"version: 2\nname: small\n{'modules: [./plugin.so]' if sleeping else ''}\n"
            f"defaults: {{sampling: {{{sampling}, cache: hot, preheat: 0ms, timeout: 60s}}}}\n"
            f"cases:\n  - {{workload: {workload}, axes: {{n: [{', '.join(str(64 + i) for i in numbers)}]}}}}\n")
    for gpu in range(SHARDS):
        (folder / f"gpu{gpu}.json").write_text(json.dumps({
            "version": 1, "machine_class": "scripted", "device_uuid": f"GPU-{gpu}",
            "cases": [{"match": "*", "us": 100, "process_sd": 0.001, "sample_sd": 0.01}]}))
    for side in ("old", "new"):
        (folder / side / "lib").mkdir(parents=True)
        (folder / side / "bin").mkdir()
        shutil.copy(KERNELS, folder / side / "lib" / "libharness_kernels.so")
        (folder / side / "bin" / "harness").symlink_to(HARNESS)


def start(folder, *arguments):
    return subprocess.Popen([HARNESS, *arguments], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def processors():
    """Seconds that all processes took which have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def best(rounds, measure):
    """The least of each time over some rounds, and that of processors behind them."""
    found = []
    for _ in range(rounds):
        before = processors()
        found.append((*measure(), processors() - before))
    return [min(times) for times in zip(*found)]


def run(folder, wanted, *arguments):
    done = subprocess.run([HARNESS, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in wanted:
        raise SystemExit(f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}")


BUILDS = ("--baseline-build", "old", "--current-build", "new", "--no-confirm")


def campaign(folder, elements):
    """Wall times of the whole, and of `work`."""
    store = f"farm{time.monotonic_ns()}.db"
    begin = time.monotonic()
    run(folder, (0,), "farm", "plan", "suite.yaml", *BUILDS, "--looks", "1", "--device", "scripted:gpu0.json", "--elements", str(elements),
        "--store", store)
    middle = time.monotonic()
    work = [start(folder, "farm", "work", "--quiet", "--store", store, "--device", f"scripted:gpu{i}.json") for i in range(elements)]
    if any(one.wait() for one in work):
        raise SystemExit("an element failed")
    worked = time.monotonic() - middle
    run(folder, (0, 3), "farm", "judge", "--store", store)
    return time.monotonic() - begin, worked


def shards(folder, suites):
    begin = time.monotonic()
    work = [start(folder, "ab", f"{suite}.yaml", *BUILDS, "--quiet", "--device", f"scripted:gpu{i}.json", "--store",
                  f"ab{time.monotonic_ns()}.db") for i, suite in enumerate(suites)]
    if any(one.wait() not in (0, 3) for one in work):
        raise SystemExit("a shard failed")
    return (time.monotonic() - begin,)


def sleeping_seconds(folder):
    """That all calls of the campaign sleep, at least; None without strace."""
    if not shutil.which("strace"):
        return None
    run(folder, (0,), "farm", "plan", "suite.yaml", *BUILDS, "--looks", "1", "--device", "scripted:gpu0.json", "--store", "counted.db")
    subprocess.run(["strace", "-f", "-o", "calls", "-e", "trace=clock_nanosleep", HARNESS, "farm", "work", "--quiet", "--store",
                    "counted.db"], cwd=folder, stdout=subprocess.DEVNULL, check=True)
    calls = (folder / "calls").read_text().count("tv_nsec=2000000}")
    shortest = 1
    for _ in range(500):
        begin = time.monotonic()
        time.sleep(0.002)
        shortest = min(shortest, time.monotonic() - begin)
    return calls * shortest


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cases", type=int, default=300)
    options.add_argument("--rounds", type=int, default=3)
    asked = options.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="harness-small-"))
    os.environ["HARNESS_CACHE_DIR"] = str(folder / "cache")
    os.environ["HARNESS_LOCK_DIR"] = str(folder)
    write(folder / "none", asked.cases, False)
    for elements in (1, 2, 4):
        whole, work, used = best(asked.rounds, lambda count=elements: campaign(folder / "none", count))
        print(f"no time, {elements} elements: {whole:.1f} s, of which `work` {work:.1f} s; processors {used:.1f} s", flush=True)
    for name, suites in (("one piece", ["suite"]), ("four shards", [f"shard{i}" for i in range(SHARDS)])):
        whole, used = best(asked.rounds, lambda files=suites: shards(folder / "none", files))
        print(f"no time, ab, {name}: {whole:.1f} s; processors {used:.1f} s", flush=True)
    write(folder / "sleep", asked.cases, True)
    alone = None
    asleep = sleeping_seconds(folder / "sleep")
    for elements in (1, 2, 4):
        _, work, used = best(max(1, asked.rounds // 3), lambda count=elements: campaign(folder / "sleep", count))
        alone = alone or work
        share = f", {100 * asleep / (elements * work):.0f} % of their time in calls" if asleep else ""
        print(f"sleeping, {elements} elements: `work` {work:.1f} s, speed-up {alone / work:.2f}{share}; processors {used:.1f} s", flush=True)
    shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
