#!/usr/bin/env python3
"""Labelled series for change_scores, a JSON object a line.

    series.py h200 > own.jsonl                  200 series of results of tests/data/h200 with planted changes
    series.py tcpd CHECKOUT > tcpd.jsonl        github.com/alan-turing-institute/TCPD at 83b3039
    series.py otava CHECKOUT > otava.jsonl      github.com/apache/otava at 1ceb153

The published scores are of univariate series without gaps, which are in the checkout as files.
"""
import ast
import bisect
import csv
import gzip
import json
import math
import random
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = HERE.parent / "data/h200"
SERIES = 200
PROCESSES = 5  # of a result


def process_values(name):
    """{case: log values of its processes}: the 10 % trimmed mean of a placement, the mean over placements."""
    values = {}
    with gzip.open(DATA / name, "rt") as file:
        for line in file:
            row = json.loads(line)
            logs = sorted(map(math.log, row["us"]))
            cut = len(logs) // 10
            kept = logs[cut:len(logs) - cut]
            case = values.setdefault(f"{row['name']}/mode={row['mode']}", {})
            case.setdefault(row["proc"], []).append(sum(kept) / len(kept))
    return {case: [sum(one) / len(one) for one in found.values()] for case, found in values.items()}


class Planter:
    """One series of log results: each the mean of five processes drawn from a session."""

    def __init__(self, draw, here, other):
        self.draw = draw
        count = draw.randint(30, 150)
        # A quarter of the series goes on in another session.
        turn = draw.randint(count // 3, 2 * count // 3) if draw.random() < 0.25 else count
        self.values = [sum(draw.sample(here if i < turn else other, PROCESSES)) / PROCESSES for i in range(count)]
        self.planted = []

    def step(self, at, size):
        for i in range(at, len(self.values)):
            self.values[i] += math.log1p(size)

    def plant(self, low, high):
        at = self.draw.randint(low, high)
        self.step(at, self.draw.choice([0.01, 0.015, 0.02, 0.03, 0.05]) * self.draw.choice([1, -1]))
        self.planted.append([at, at])

    def creep(self):
        steps, size = self.draw.randint(5, 10), self.draw.choice([0.002, 0.003, 0.004])
        at = self.draw.randint(8, len(self.values) - 8 - steps)
        for i in range(steps):
            self.step(at + i, size)
        self.planted.append([at, at + steps - 1])

    def outliers(self, least):
        for i in self.draw.sample(range(len(self.values)), self.draw.randint(least, 3)):
            self.values[i] += self.draw.uniform(0.02, 0.1)

    def leave_gaps(self):
        """Some commits have no result."""
        share = self.draw.choice([0, 0, 0.1, 0.2])
        kept = [i for i in range(len(self.values)) if self.draw.random() >= share]
        self.values = [self.values[i] for i in kept]
        self.planted = [[bisect.bisect_left(kept, end) for end in ends] for ends in self.planted]


def h200():
    draw = random.Random(1)
    here, other = process_values("session-1.jsonl.gz"), process_values("session-2.jsonl.gz")
    cases = sorted(case for case in here if case in other and len(here[case]) >= 40)
    kinds = ["unchanged"] * 4 + ["step"] * 6 + ["steps"] * 4 + ["creep"] * 3 + ["outliers"] * 3
    for i in range(SERIES):
        kind, case = kinds[i % len(kinds)], cases[i % len(cases)]
        one = Planter(draw, here[case], other[case])
        last = len(one.values) - 8
        if kind in ("step", "outliers"):
            one.plant(8, last)
        elif kind == "steps":
            one.plant(8, len(one.values) // 2 - 4)
            one.plant(len(one.values) // 2 + 4, last)
        elif kind == "creep":
            one.creep()
        if kind in ("unchanged", "outliers"):
            one.outliers(0 if kind == "unchanged" else 1)
        one.leave_gaps()
        yield {"name": f"{i} {kind} {case}", "values": one.values, "planted": one.planted}


def tcpd(checkout):
    annotations = json.loads((checkout / "annotations.json").read_text())
    for name in json.loads((HERE / "published.json").read_text())["never a change"]:
        data = json.loads((checkout / f"datasets/{name}/{name}.json").read_text())
        yield {"name": name, "values": data["series"][0]["raw"], "labels": list(annotations[name].values())}


def otava(checkout):
    """Logs of its sample series. The labels are what its tests expect, with a least change of 5 % in the long one."""
    with open(checkout / "tests/resources/sample.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    yield {"name": "metric1", "values": [math.log(float(row["metric1"])) for row in rows], "labels": [[]]}
    yield {"name": "metric2", "values": [math.log(float(row["metric2"])) for row in rows], "labels": [[6]]}
    for node in ast.walk(ast.parse((checkout / "tests/tigerbeetle_test.py").read_text())):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.List):
            yield {"name": "tigerbeetle", "values": [math.log(one) for one in ast.literal_eval(node.value)],
                   "labels": [[15, 71]]}


def main():
    sources = {"h200": h200, "tcpd": tcpd, "otava": otava}
    if len(sys.argv) < 2 or sys.argv[1] not in sources:
        sys.exit(__doc__)
    for one in sources[sys.argv[1]](*map(Path, sys.argv[2:])):
        print(json.dumps(one))


if __name__ == "__main__":
    main()
