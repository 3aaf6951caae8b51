#!/usr/bin/env python3
"""Kills programs of the harness at random moments, and checks afterwards that nothing is damaged or left behind.

    kills.py HARNESS PLUGIN [--kills N] [--seed S]

Killed are `run`, a worker of it, `ab` and `bisect` with their builds, an element of a campaign, `import`, `promote` and
`list`, by SIGKILL. After each kill:

- no process is left that any of them started;
- the store is whole, and every result that it held before is there as it was;
- a file that was to be written is the old one or the new one, and its folder holds nothing else;
- a run whose worker was killed ends by itself, with an exit status of the contract;
- another element does what a killed one left of its campaign.

At the end all commands succeed, and the temporary folder holds no more than one file a kill.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PATIENCE = 60  # seconds, for what must happen at once; the machine may be busy
WORKER_SHARE = 0.2  # a worker is killed within this share of the time of its run after it began
CONTRACT = range(0, 6)  # exit statuses of a run that ends by itself

SUITE = """version: 2
name: demo
modules: [./plugin.so]
defaults:
  sampling: {processes: 5, placements: 2, samples: 10, cache: hot, preheat: 0ms, timeout: 30s}
cases:
  - {workload: twice, variants: [right, also_right], axes: {n: [64]}}
"""


class Damage(Exception):
    pass


def need(condition, what):
    if not condition:
        raise Damage(what)


class Place:
    """A repository with a plugin, four commits, a store and files to import."""

    def __init__(self, harness, plugin, folder):
        self.harness, self.folder = harness, folder
        self.work, self.temporary = folder / "work", folder / "tmp"
        for made in (self.work, self.temporary, folder / "locks"):
            made.mkdir()
        self.marker = f"HARNESS_TEST_FOLDER={folder}"
        self.environment = dict(os.environ, HARNESS_TEST_FOLDER=str(folder), TMPDIR=str(self.temporary),
                                HARNESS_LOCK_DIR=str(folder / "locks"), HARNESS_CACHE_DIR=str(folder / "cache"),
                                GIT_CONFIG_GLOBAL="/dev/null", GIT_AUTHOR_NAME="tester", GIT_COMMITTER_NAME="tester",
                                GIT_AUTHOR_EMAIL="tester@example.org", GIT_COMMITTER_EMAIL="tester@example.org")
        # A CI system that runs the tests is not the one that they are about.
        for name in ("CI", "JENKINS_URL", "TF_BUILD", "GITHUB_BASE_REF", "CI_MERGE_REQUEST_DIFF_BASE_SHA",
                     "CHANGE_TARGET"):
            self.environment.pop(name, None)
        self.git("init", "-q", "-b", "main")
        (self.work / ".gitignore").write_text(".harness/\nplugin.so\nimported.json\nbisect.db*\nfarm.db*\n")
        shutil.copy(plugin, self.work / "plugin.so")
        (self.work / "suite.yaml").write_text(SUITE)
        (self.work / "build.sh").write_text(f"#!/bin/sh\nsleep 0.2 & sleep 0.1; wait; cp '{plugin}' plugin.so\n")
        (self.work / "build.sh").chmod(0o755)
        for microseconds in (100, 100, 110, 110):
            self.speed(microseconds)
        with open(self.work / "samples.jsonl", "w", encoding="utf-8") as lines:
            for process in range(1, 6):
                for case in range(200):
                    print(json.dumps({"case": f"case/{case}", "metric": "gpu_time", "unit": "us", "process": process,
                                      "samples": [100 + i % 7 for i in range(100)]}), file=lines)
        self.seen = {"results.db": {}, "farm.db": {}}

    def git(self, *words):
        subprocess.run(["git", *words], cwd=self.work, env=self.environment, check=True)

    def speed(self, microseconds):
        script = {"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A",
                  "cases": [{"match": "*", "us": microseconds, "process_sd": 0.001, "sample_sd": 0.01}]}
        (self.work / "speed.json").write_text(json.dumps(script) + "\n")
        with open(self.work / "noise", "a", encoding="utf-8") as noise:
            noise.write(f"{microseconds}\n")
        self.git("add", "-A")
        self.git("commit", "-qm", f"{microseconds} us")

    def start(self, words):
        return subprocess.Popen([self.harness, *words], cwd=self.work, env=self.environment, start_new_session=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def processes(self):
        """What was started here and still runs, by process id: its command line."""
        found = {}
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                if self.marker.encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                pass
        return found

    def workers(self):
        return [number for number, line in self.processes().items() if " worker" in line]

    def forget_bisection(self):
        """What is stored is not built again."""
        for file in self.work.glob("bisect.db*"):
            file.unlink()

    def check(self):
        end = time.monotonic() + PATIENCE
        while self.processes() and time.monotonic() < end:
            time.sleep(0.01)
        left = self.processes()
        need(not left, f"processes are left: {left}")
        self.check_store(self.work / ".harness" / "results.db")
        self.check_store(self.work / "farm.db")
        if (self.work / "bisect.db").exists():
            store = sqlite3.connect(self.work / "bisect.db", timeout=PATIENCE)
            need(store.execute("pragma integrity_check").fetchone() == ("ok",), "the bisection's store is damaged")
            store.close()
        pins = [str(file.relative_to(self.work)) for file in (self.work / "baselines").rglob("*") if file.is_file()]
        need(pins in ([], ["baselines/scripted/demo.json"]), f"the pins are {pins}")
        for file in [*pins, "imported.json"]:
            if (self.work / file).exists():
                expected = "harness-pin" if file in pins else "harness-record"
                need(json.loads((self.work / file).read_text())["format"] == expected, f"{file} is no {expected}")
        beside = [name.name for name in self.work.iterdir() if name.name.startswith("imported.json.")]
        need(not beside, f"beside the imported file: {beside}")

    def check_store(self, path):
        seen = self.seen[path.name]
        if not path.exists():
            return
        store = sqlite3.connect(f"file:{path}?mode=rw", uri=True, timeout=PATIENCE)
        need(store.execute("pragma integrity_check").fetchone() == ("ok",), "the store is damaged")
        need(not store.execute("pragma foreign_key_check").fetchall(), "rows of the store refer to nothing")
        tables = {name for (name,) in store.execute("select name from sqlite_master where type = 'table'")}
        if not {"runs", "results", "cases"} <= tables:
            need(not seen, "the store lost its tables")
            return
        now = {}
        for run, position, process, text in store.execute("select run, position, process, result from results"):
            json.loads(text)
            now[run, position, process] = hashlib.sha1(text.encode()).hexdigest()
        for (run,) in store.execute("select id from runs where state = 'complete'"):
            planned = store.execute("select count(*) from cases where run = ?", (run,)).fetchone()[0]
            held = len({position for (one, position, _) in now if one == run})
            need(held == planned, f"run {run} is called complete and has results of {held} of {planned} cases")
        store.close()
        lost = [key for key, digest in seen.items() if now.get(key) != digest]
        need(not lost, f"{len(lost)} results were lost or changed: {lost[:3]}")
        self.seen[path.name] = now

    def plan_campaign(self):
        status = self.start(PLAN_CAMPAIGN).wait(timeout=600)
        need(status == 0, f"`harness {' '.join(PLAN_CAMPAIGN)}` ends with {status}")

    def finish_campaign(self):
        status = self.start(COMMANDS["farm"]).wait(timeout=600)
        need(status == 0, f"the element that comes after a killed one ends with {status}")
        self.check()
        store = sqlite3.connect(self.work / "farm.db", timeout=PATIENCE)
        left = store.execute("select count(*) from tasks where done != 1").fetchone()[0]
        store.close()
        need(left == 0, f"{left} tasks are left")


DEVICE = ["--device", "scripted:speed.json"]
BUILT = [*DEVICE, "--build", "./build.sh"]
PLAN_CAMPAIGN = ["farm", "plan", "suite.yaml", *DEVICE, "--store", "farm.db", "--block", "1", "--lease", "1s"]
COMMANDS = {
    "run": ["run", "suite.yaml", *DEVICE],
    "worker": ["run", "suite.yaml", *DEVICE],
    "ab": ["ab", "suite.yaml", "--baseline", "HEAD~1", "--pair", "session", *BUILT],
    "bisect": ["bisect", "suite.yaml", "--good", "HEAD~3", "--store", "bisect.db", *BUILT],
    "farm": ["farm", "work", "--store", "farm.db", "--quiet"],
    "import": ["import", "samples.jsonl", "--as", "imported.json"],
    "promote": ["baseline", "promote", "HEAD", "--author", "tester", "--reason", "to be killed"],
    "list": ["list", "suite.yaml"],
}


def duration(place, name):
    """How long the command takes when nobody kills it. It must succeed."""
    if name == "farm":
        place.plan_campaign()
    begin = time.monotonic()
    process = place.start(COMMANDS[name])
    status = process.wait(timeout=600)
    need(status in (0, 1), f"`harness {' '.join(COMMANDS[name])}` ends with {status}")
    place.check()
    return time.monotonic() - begin


def kill_one(place, name, delay):
    """Whether something was killed before it ended."""
    place.forget_bisection()
    if name == "farm":
        place.plan_campaign()
    process = place.start(COMMANDS[name])
    if name == "worker":
        while not place.workers() and process.poll() is None:
            time.sleep(0.001)
        delay *= WORKER_SHARE
    end = time.monotonic() + delay
    while time.monotonic() < end and process.poll() is None:
        time.sleep(min(0.001, delay))
    killed = process.poll() is None
    if name == "worker":
        victims = place.workers()
        killed = bool(victims)
        for victim in victims:
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                pass
        status = process.wait(timeout=600)
        need(status in CONTRACT, f"a run whose worker was killed ends with {status}")
    else:
        process.kill()
        process.wait()
    place.check()
    if name == "farm":
        place.finish_campaign()
    return killed


def main():
    options = argparse.ArgumentParser()
    options.add_argument("harness")
    options.add_argument("plugin")
    options.add_argument("--kills", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    chance = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        place = Place(os.path.abspath(given.harness), os.path.abspath(given.plugin), Path(folder))
        killed = dict.fromkeys(COMMANDS, 0)
        number, what = 0, "before the first kill"
        try:
            durations = {name: duration(place, name) for name in COMMANDS}
            for number in range(1, given.kills + 1):
                name = chance.choice(list(COMMANDS))
                delay = chance.uniform(0, durations[name])
                what = f"kill {number}, of {name} after {delay:.3f} s"
                killed[name] += kill_one(place, name, delay)
                if number % 50 == 0:
                    print(what, flush=True)
            number, what = 0, "after the last kill"
            for name in COMMANDS:
                duration(place, name)
            left = [one.name for one in place.temporary.iterdir()]
            need(len(left) <= given.kills, f"the temporary folder holds {len(left)} files")
        except (Damage, subprocess.SubprocessError) as problem:
            sys.exit(f"FAILED: {what} (seed {given.seed}): {problem}")
        told = ", ".join(f"{name} {count}" for name, count in killed.items())
        print(f"{sum(killed.values())} of {given.kills} kills came before the end ({told}); seed {given.seed}: passed")


if __name__ == "__main__":
    main()
