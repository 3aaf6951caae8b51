#!/usr/bin/env python3
"""cost.py HARNESS [--against OTHER] [--sizes N,N,...] [--commands WORD,WORD,...] [--runs N]

The cost of each command by the number of cases: CPU seconds and memory, and the exponent of the CPU time between the
largest two sizes, without what the command takes for one case. 1.0 is linear. With --against, both programs take
turns, on inputs that the first one made, and each figure is the ratio of the first to the other. The samples of `run`
are a script's, so their own time is short.
"""
import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile

most_measured = 10_000  # cases of `run`, whose every process prepares each case


def write_samples(path, cases, seed):
    source = random.Random(seed)
    with open(path, "w") as file:
        file.write('{"machine": {"class": "nvidia-h200", "uuid": "GPU-1"}}\n')
        for case in range(cases):
            samples = ", ".join("%.2f" % source.uniform(99, 101) for _ in range(5))
            file.write('{"case": "kernel_%d/m=%d/n=64", "metric": "gpu_time", "unit": "us", "process": 1, '
                       '"samples": [%s]}\n' % (case // 1000, case % 1000, samples))


def write_suite(path, cases):
    with open(path, "w") as file:
        file.write("version: 2\nname: cost\ndefaults: {sampling: {processes: 1, placements: 1, samples: 10, "
                   "cache: hot, preheat: 0ms}}\ncases:\n  - {workload: probe_copy, variants: [memcpy], axes: {n: [%s]}}\n"
                   % ", ".join(map(str, range(64, 64 + cases))))


# Each command with the statuses that are no error; {n} is the number of cases.
commands = {
    "import": ("import base{n}.jsonl --suite cost --as {out}.json", {0}),
    "import to a store": ("import base{n}.jsonl --suite cost --store {out}.db", {0}),
    "compare": ("compare --baseline base{n}.json --current new{n}.json", {0, 1, 3}),
    "compare as JSON": ("compare --baseline base{n}.json --current new{n}.json --format json", {0, 1, 3}),
    "compare as HTML": ("compare --baseline base{n}.json --current new{n}.json --report html={out}.html", {0, 1, 3}),
    "report": ("report new{n}.json", {0}),
    "report as HTML": ("report new{n}.json --report html={out}.html", {0}),
    "table": ("table new{n}.json", {0}),
    "list": ("list suite{n}.yaml --device scripted:speed.json", {0}),
    "run": ("run suite{n}.yaml --device scripted:speed.json --store {out}.db", {0}),
    "farm plan": ("farm plan suite{n}.yaml --device scripted:speed.json --store {out}.db", {0}),
}


def cost_of(program, words, statuses):
    """CPU seconds and bytes of memory of one start, that of its children included."""
    with open("said.txt", "w") as said:
        process = subprocess.Popen([program, *words], stdout=subprocess.DEVNULL, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in statuses:
        sys.exit("%s ended with %d:\n%s" % (" ".join(words), os.waitstatus_to_exitcode(status), open("said.txt").read()))
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def median_cost(programs, text, statuses, cases, runs):
    """The cost of each program; they take turns."""
    found = [[] for _ in programs]
    for number in range(runs):
        for i, program in enumerate(programs):
            out = "out-%d-%d-%d" % (cases, number, i)
            words = text.format(n=cases, out=out).split()
            found[i].append(cost_of(program, words, statuses))
            for name in os.listdir("."):
                if name.startswith(out):
                    os.remove(name)
    return [tuple(statistics.median(one) for one in zip(*costs)) for costs in found]


def exponent(costs, sizes):
    """The exponent of the CPU time between the largest two sizes."""
    few, many = sizes[-2:]
    least = costs[1][0]
    if min(costs[few][0], costs[many][0]) - least < 0.02:  # nothing that a clock of CPU time tells
        return "-"
    return "%.2f" % (math.log((costs[many][0] - least) / (costs[few][0] - least)) / math.log(many / few))


def row_of(name, programs, sizes, runs):
    text, statuses = commands[name]
    own = [n for n in sizes if name != "run" or n <= most_measured]
    costs = {n: median_cost(programs, text, statuses, n, runs) for n in [1, *own]}
    cells = []
    for n in sizes:
        if n not in costs:
            cells.append("-")
        elif len(programs) == 1:
            cells.append("%.2f s, %.0f MB" % (costs[n][0][0], costs[n][0][1] / 1e6))
        else:
            cells.append("%.2f, %.2f" % tuple(new / old for new, old in zip(*costs[n])))
    mine = {n: one[0] for n, one in costs.items()}
    return [name, *cells, exponent(mine, own) if len(own) > 1 else "-"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("harness")
    parser.add_argument("--against", help="another program; figures are ratios")
    parser.add_argument("--sizes", default="100,1000,10000,100000")
    parser.add_argument("--commands", default=",".join(commands), help="default: all")
    parser.add_argument("--runs", type=int, default=3)
    wanted = parser.parse_args()
    programs = [os.path.abspath(one) for one in (wanted.harness, wanted.against) if one]
    sizes = sorted(set(map(int, wanted.sizes.split(","))))
    names = wanted.commands.split(",")
    if unknown := set(names) - set(commands):
        sys.exit("no command `%s`; there are: %s" % (unknown.pop(), ", ".join(commands)))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("speed.json", "w") as file:
            json.dump({"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A",
                       "cases": [{"match": "*", "us": 100}]}, file)
        for n in [1, *sizes]:
            write_suite("suite%d.yaml" % n, n)
            for seed in ("base", "new"):
                write_samples("%s%d.jsonl" % (seed, n), n, seed)
                cost_of(programs[0], ["import", "%s%d.jsonl" % (seed, n), "--suite", "cost", "--as", "%s%d.json" % (seed, n)], {0})
        print("| command | %s | exponent |\n|---|%s--:|" % (" | ".join("%d cases" % n for n in sizes), "--:|" * len(sizes)))
        for name in names:
            print("| %s |" % " | ".join(row_of(name, programs, sizes, wanted.runs)), flush=True)


if __name__ == "__main__":
    main()
