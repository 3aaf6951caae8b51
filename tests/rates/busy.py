"""busy.py HARNESS [OPTION...]: wrong verdicts on a busy host. measured/unchanged-code.md has the table that it prints.

It measures unchanged code beside bounded busy loops: a CPU case of a plugin in C, whose machine code differs without
doing other work, and a program. Nothing may be called slower. It replays the recorded processes: sides are drawn from the
records of each load, and compared. Then it plants slowdowns, and counts what `ab` finds. It prints how many CPUs others
kept busy, because the host has its own load beside the loops.
Needs a C compiler and git. The loops end by themselves, whatever becomes of this script.
"""
import argparse
import collections
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
kinds = {"suite": "kernel", "programs": "program"}  # by the suite's file
longest_loop = 300  # seconds
build = "cc -O2 -shared -fPIC scale.c -o libscale.so && cc -O2 count.c -o count"
suite = """version: 2
name: busy
modules: [./libscale.so]
defaults: {sampling: {processes: 5, placements: 3, samples: 20, cache: hot, preheat: 20ms}}
cases:
  - {workload: scale, variants: [loop], axes: {n: [65536]}}
"""
programs = """version: 2
name: programs
programs:
  - name: count
    command: [./count, "40000000"]
    build: cc -O2 count.c -o count
    gate: {metrics: {GATED: {margin: MARGIN}}}
"""


class Load:
    """So many busy loops, each with a deadline of its own."""

    def __init__(self, loops):
        self.loops = loops

    def __enter__(self):
        code = "import time\nend = time.monotonic() + %d\nwhile time.monotonic() < end: pass" % longest_loop
        self.running = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(self.loops)]

    def __exit__(self, *_):
        for one in self.running:
            one.kill()
            one.wait()


class Bench:
    """A repository whose commits differ in code that does no work."""

    def __init__(self, harness):
        self.harness = harness
        self.folder = tempfile.mkdtemp(prefix="harness-busy-")
        os.makedirs(os.path.join(self.folder, "include/harness"))
        os.symlink(os.path.join(root, "harness/sdk"), os.path.join(self.folder, "include/harness/sdk"))
        self.environment = dict(os.environ, CPATH=os.path.join(self.folder, "include"), GIT_CONFIG_GLOBAL="/dev/null",
                                HARNESS_LOCK_DIR=self.folder, HARNESS_CACHE_DIR=os.path.join(self.folder, "cache"))
        for variable in ("AUTHOR", "COMMITTER"):
            self.environment["GIT_%s_NAME" % variable] = "busy"
            self.environment["GIT_%s_EMAIL" % variable] = "busy@example.org"
        for name in ("c_plugin/scale.c", "cpu_program/count.c"):
            shutil.copy(os.path.join(root, "examples", name), self.folder)
        self.write("suite.yaml", suite)
        self.gate("wall_time", "5%")
        self.write(".gitignore", "*.so\ncount\n*.json\n.harness/\ncache/\n*.lock\n*.queue\ninclude/\n")
        self.shell("git init -q -b main .")
        self.commits = 0
        self.commit()

    def gate(self, metric, margin):
        self.write("programs.yaml", programs.replace("MARGIN", margin).replace("GATED", metric))

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def shell(self, command):
        subprocess.run(command, shell=True, cwd=self.folder, env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def commit(self):
        """Other machine code that does the same work."""
        self.commits += 1
        with open(os.path.join(self.folder, "scale.c"), "a", encoding="utf-8") as file:
            file.write("int harness_other_%d(int x) { return x * %d + 1; }\n" % (self.commits, self.commits))
        self.shell("git add -A && git commit -qm 'another commit' && " + build)

    def run(self, *words):
        """The report of a command, by its JSON."""
        report = os.path.join(self.folder, "report.json")
        if os.path.exists(report):
            os.remove(report)
        done = subprocess.run([self.harness, *words, "--report", "json=report.json"], cwd=self.folder,
                              env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode not in (0, 1, 3):
            raise SystemExit("%s\n%s: exit status %d" % (done.stdout, " ".join(words), done.returncode))
        with open(report, encoding="utf-8") as file:
            return json.load(file)


def count(counts, name, found):
    """Counts verdicts, and tells them on the way."""
    counts[name].update(found)
    print("%s: %s" % (name, ", ".join(found)), file=sys.stderr, flush=True)


def verdicts(report, gated=("wall_time",)):
    """The verdicts of the rows that decide."""
    return [row["verdict"] for row in report["cases"] if row["metric"] in gated and not row.get("informative")]


def stored(bench, loads, repeats, budget, counts):
    """Records at each load, then unchanged commits at each load against each of them."""
    for load in loads:
        with Load(load):
            for which in kinds:
                bench.run("run", which + ".yaml", "--device", "cpu", "--output", "base%d-%s.json" % (load, which))
    for before, load in itertools.product(loads, loads):
        for _ in range(repeats):
            bench.commit()
            with Load(load):
                for which, kind in kinds.items():
                    report = bench.run("run", which + ".yaml", "--device", "cpu", "--against",
                                       "base%d-%s.json" % (before, which), "--measure", "all", "--budget", budget, "--output",
                                       "now%d-%s-%d.json" % (load, which, bench.commits))
                    count(counts, "stored at load %d, %s at %d" % (before, kind, load), verdicts(report))


def together(bench, loads, repeats, counts):
    """The same by `ab`."""
    for load in loads:
        for _ in range(repeats):
            bench.commit()
            with Load(load):
                for which, kind in kinds.items():
                    words = ["--build", build] if which == "suite" else []
                    report = bench.run("ab", which + ".yaml", "--baseline", "HEAD~1", "--current", "HEAD", "--device", "cpu",
                                       "--measure", "all", *words)
                    count(counts, "ab, %s at load %d" % (kind, load), verdicts(report))


def planted(bench, load, repeats, processes, metrics, counts):
    """+10 % of wall time, and +3 % of user time, in a program, by `ab`."""
    for percent, metric, margin in ((10, "wall_time", "2%"), (3, "user_time", "1%")):
        if metric not in metrics:
            continue
        bench.gate(metric, margin)
        bench.write("count.c", open(os.path.join(root, "examples/cpu_program/count.c"), encoding="utf-8").read())
        bench.commit()
        text = open(os.path.join(bench.folder, "count.c"), encoding="utf-8").read()
        bench.write("count.c", text.replace("i <= last;", "i <= last + last / 100 * %d;" % percent))
        bench.commit()
        for _ in range(repeats):
            with Load(load):
                report = bench.run("ab", "programs.yaml", "--baseline", "HEAD~1", "--current", "HEAD", "--device", "cpu",
                                   "--processes", str(processes))
            count(counts, "+%d %% by %s, ab at load %d" % (percent, metric, load), verdicts(report, (metric,)))
    bench.gate("wall_time", "5%")
    bench.write("count.c", open(os.path.join(root, "examples/cpu_program/count.c"), encoding="utf-8").read())
    bench.commit()


def replayed(bench, replays, seed, counts):
    """Sides of five recorded processes each, drawn from the records of a load."""
    pick = random.Random(seed)
    pools = collections.defaultdict(list)
    for name in sorted(os.listdir(bench.folder)):
        if name.startswith(("base", "now")) and name.endswith(".json"):
            kind = "suite" if "-suite" in name else "programs"
            load = name.split("-")[0].lstrip("basenow")
            with open(os.path.join(bench.folder, name), encoding="utf-8") as file:
                pools[kind, load].append(json.load(file))
    for number in range(replays):
        kind = pick.choice(["suite", "programs"])
        sides = []
        for side in ("before", "after"):
            load = pick.choice(sorted(load for which, load in pools if which == kind))
            records = pick.sample(pools[kind, load], min(5, len(pools[kind, load])))
            sides.append(mixed(records, pick, "%s-%d" % (side, number)))
        for name, record in zip(("before.json", "after.json"), sides):
            bench.write(name, json.dumps(record))
        report = bench.run("compare", "--baseline", "before.json", "--current", "after.json")
        count(counts, "replayed, %s" % kinds[kind], verdicts(report))


def print_loads(bench, loads):
    """What the records tell of the load that they were measured beside."""
    for load in loads:
        others = []
        for name in os.listdir(bench.folder):
            if not name.startswith(("base%d-" % load, "now%d-" % load)):
                continue
            with open(os.path.join(bench.folder, name), encoding="utf-8") as file:
                record = json.load(file)
            others += [place["conditions"]["load"].get("others", 0) for case in record["cases"] for series in case["metrics"]
                       for process in series["processes"] for place in process["placements"]
                       if "load" in place.get("conditions", {})]
        if others:
            print("load %d: others kept %.2f CPUs busy on average" % (load, sum(others) / len(others)))


def mixed(records, pick, name):
    """A record with five plain processes, each of one of the records. Its launches prove nothing."""
    record = json.loads(json.dumps(records[0]))
    record["id"] = "%08x-0000-4000-8000-%012x" % (pick.getrandbits(32), pick.getrandbits(48))
    record["revision"]["commit"] = ("%040x" % pick.getrandbits(160))
    for place, case in enumerate(record["cases"]):
        chosen = []
        for _ in range(5):
            other = pick.choice(records)["cases"][place]
            numbers = [one["process"] for one in other["metrics"][0]["processes"] if 0 < one["process"] <= 1000]
            chosen.append((other, pick.choice(numbers)))
        for series in case["metrics"]:
            series["processes"] = []
            for number, (other, process) in enumerate(chosen, 1):
                for theirs in other["metrics"]:
                    if theirs["metric"] == series["metric"]:
                        one = next(one for one in theirs["processes"] if one["process"] == process)
                        series["processes"].append(dict(one, process=number))
        case["results"] = [dict(next(one for one in other["results"] if one["process"] == process), process=number)
                           for number, (other, process) in enumerate(chosen, 1)]
        for result in case["results"]:
            result.pop("identity", None)
    return record


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("harness")
    parser.add_argument("--loads", default="0,2,4", help="numbers of busy loops")
    parser.add_argument("--stored", type=int, default=5, help="comparisons with each record, at each load")
    parser.add_argument("--together", type=int, default=5, help="by ab, at each load")
    parser.add_argument("--planted", type=int, default=25, help="slowdowns of each kind")
    parser.add_argument("--metrics", default="wall_time,user_time", help="of planted ones")
    parser.add_argument("--processes", type=int, default=300, help="a side, for planted ones")
    parser.add_argument("--budget", default="60s", help="of each stored comparison")
    parser.add_argument("--replays", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    loads = [int(one) for one in options.loads.split(",")]
    bench = Bench(os.path.abspath(options.harness))
    counts = collections.defaultdict(collections.Counter)
    began = time.monotonic()
    try:
        stored(bench, loads, options.stored, options.budget, counts)
        together(bench, loads, options.together, counts)
        replayed(bench, options.replays, options.seed, counts)
        if options.planted:
            planted(bench, max(loads), options.planted, options.processes,
                    options.metrics.split(","), counts)
    finally:
        print_loads(bench, loads)
        shutil.rmtree(bench.folder, ignore_errors=True)
        print("| comparisons | number | regressed | inconclusive | passed |\n|---|--:|--:|--:|--:|")
        for name, each in counts.items():
            passed = sum(each[verdict] for verdict in ("unchanged", "not_worse", "improved", "identical", "environment"))
            print("| %s | %d | %d | %d | %d |" % (name, sum(each.values()), each["regressed"], each["inconclusive"], passed))
        print("%.0f s" % (time.monotonic() - began))
    red = sum(each["regressed"] for name, each in counts.items() if not name.startswith("+"))
    return 1 if red else 0


if __name__ == "__main__":
    sys.exit(main())
