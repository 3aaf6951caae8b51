#!/usr/bin/env python3
"""Kernels that change their time with the place of their code, by how much, and with which period.

    tests/alignment/table.py [--shifts] [--least-us US] FILE...

The files are what the library of alignment.cpp wrote, a line for each kernel in each process. Prints a Markdown table.
Code has eight places in 128 bytes. A kernel moves if the means of these places differ by more than noise makes them
differ once in twenty such tables.

Exit status: 0; 1 where a shifted kernel computed something else than the kernel, or no results were compared at all;
2 where there is nothing to judge: a file holds something else, or a kernel was measured by one process alone.
"""
import argparse
import functools
import json
import math
import random
import re
import statistics
import sys

INSTRUCTION = 16  # bytes
PERIODS = [2, 4, 8, 16]  # in instructions
PLACES = 8  # in 128 bytes
FALSE_ALARMS = 0.05  # of a table


class NothingToJudge(Exception):
    pass


def read(paths):
    """(kernel, grid, block) -> its lines."""
    kernels = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                try:
                    row = json.loads(line)
                    key = (row["kernel"], tuple(row["grid"]), tuple(row["block"]))
                    [copy["us"][0] for copy in row["copies"]]
                except (ValueError, KeyError, TypeError, IndexError) as error:
                    raise NothingToJudge(f"{path}:{number}: it is no line of the library's: {error!r}") from error
                kernels.setdefault(key, []).append(row)
    return kernels


def relative(row):
    """The median time of each copy, over the mean of all, less 1."""
    medians = [statistics.median(copy["us"]) for copy in row["copies"]]
    mean = statistics.mean(medians)
    return [median / mean - 1 for median in medians]


def correlation(a, b):
    mean_a, mean_b = statistics.mean(a), statistics.mean(b)
    above = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b))
    below = math.sqrt(sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b))
    return above / below if below > 0 else 0.0


def folded(means, period):
    """The means of the shifts that differ by whole periods, and of how many."""
    classes = {}
    for shift, mean in means.items():
        classes.setdefault(shift % period, []).append(mean)
    return classes


def explained(means, period):
    """The share of the variance that the place within a period explains, adjusted for the number of places."""
    values = list(means.values())
    total = statistics.pvariance(values) * len(values)
    classes = folded(means, period)
    degrees = len(values) - len(classes)
    if total == 0 or degrees <= 0:
        return 0.0
    left = sum(statistics.pvariance(one) * len(one) for one in classes.values())
    return 1 - (left / degrees) / (total / (len(values) - 1))


@functools.cache
def ranges_by_chance(draws=100_000):
    """Ranges of as many means as there are places, in units of their standard error, smallest first."""
    draw = random.Random(1)
    ranges = []
    for _ in range(draws):
        means = [draw.gauss(0, 1) for _ in range(PLACES)]
        ranges.append(max(means) - min(means))
    return sorted(ranges)


class Kernel:
    """The figures of one kernel on one grid, in percent."""

    def __init__(self, key, rows):
        shifts = [copy["shift"] for copy in rows[0]["copies"]]
        if len(rows) < 2 or any([copy["shift"] for copy in row["copies"]] != shifts for row in rows):
            raise NothingToJudge(f"{key[0]}: it takes two processes or more that measured the same shifts")
        self.name, self.grid, self.block = key
        self.processes = len(rows)
        self.us = statistics.median(statistics.median(copy["us"]) for row in rows for copy in row["copies"])
        self.code_kb = rows[0]["code_bytes"] / 1024
        self.repeatable = all(row["repeatable"] for row in rows)
        self.compared = any(row["changed"] for row in rows)
        self.equal = all(copy["equal"] for row in rows for copy in row["copies"])
        times = [relative(row) for row in rows]
        count = len(shifts)
        means = [100 * statistics.mean(row[i] for row in times) for i in range(count)]
        spread = [(100 * row[i] - means[i]) ** 2 for row in times for i in range(count)]
        self.noise = math.sqrt(sum(spread) / ((len(rows) - 1) * count) / len(rows))
        self.sd = statistics.stdev(means)
        halves = [[statistics.mean(row[i] for row in times[half::2]) for i in range(count)] for half in (0, 1)]
        self.halves = correlation(*halves)
        # Copies of one shift together; the code as it is ("x") has no branch before it, and no shift.
        self.by_shift = {}
        self.as_compiled = [means[i] for i, shift in enumerate(shifts) if shift == "x"]
        for i, shift in enumerate(shifts):
            if shift != "x":
                self.by_shift.setdefault(int(shift), []).append(means[i])
        self.by_shift = {shift: statistics.mean(values) for shift, values in sorted(self.by_shift.items())}
        shares = {period: explained(self.by_shift, period) for period in PERIODS} if len(self.by_shift) > 1 else {}
        best = max(shares.values(), default=0)
        self.period = next((p for p in PERIODS if best > 0.5 and shares[p] >= 0.95 * best), None)
        places = folded(self.by_shift, PLACES)
        by_place = [statistics.mean(one) for one in places.values()]
        self.moves_by = max(by_place, default=0) - min(by_place, default=0)
        # That of a place's mean, if each had as many shifts as the one with the fewest.
        self.standard_error = self.noise / math.sqrt(min((len(one) for one in places.values()), default=1))
        self.by_chance = 0.0

    def moves(self):
        return len(self.by_shift) >= PLACES and self.moves_by > self.by_chance

    def row(self):
        results = "equal"
        if not self.compared:
            results = "not compared"
        elif not self.equal:
            results = "DIFFER" if self.repeatable else "differ, as the kernel's own"
        period = f"{self.period * INSTRUCTION} bytes" if self.period and self.moves() else ""
        by, chance = (f"{self.moves_by:.2f}", f"{self.by_chance:.2f}") if len(self.by_shift) >= PLACES else ("", "")
        return (f"| {short(self.name)} | {'x'.join(str(one) for one in self.grid)} | {self.us:.1f} | {self.code_kb:.1f} "
                f"| {self.noise:.3f} | {self.sd:.3f} | {self.halves:+.2f} | {'**' + by + '**' if self.moves() else by} "
                f"| {chance} | {period} | {results} |")


def short(name):
    """Without the types of the kernel's arguments, names of enumerations and namespaces, and a struct's `(type)`."""
    name = re.sub(r"^void ", "", name.replace("(anonymous namespace)::", ""))
    name = re.sub(r"\([\w:]+(?: \w+)?\)(?=-?\w)", "", name)
    depth, text = 0, ""
    for one in name:
        if one == "(" and depth == 0:
            break
        depth += (one == "<") - (one == ">")
        text += one
    kernel, brackets, arguments = text.partition("<")
    return (kernel + brackets + re.sub(r"\w+::", "", arguments).replace(" >", ">")).replace("|", "\\|")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--least-us", type=float, default=0, help="leave out shorter kernels")
    parser.add_argument("--shifts", action="store_true", help="then the time at each shift, of these kernels")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args(arguments)
    try:
        kernels = [Kernel(key, rows) for key, rows in read(options.files).items()]
    except NothingToJudge as error:
        print(f"table: {error}", file=sys.stderr)
        return 2
    kernels = [one for one in kernels if one.us >= options.least_us]
    ranges = ranges_by_chance()
    place = min(len(ranges) - 1, math.ceil(len(ranges) * (1 - FALSE_ALARMS / max(len(kernels), 1))))
    for one in kernels:
        one.by_chance = ranges[place] * one.standard_error
    kernels.sort(key=lambda one: (not one.moves(), -one.moves_by))
    print("| kernel | blocks | us | code, KB | noise of a mean, % | sd of shifts, % | halves | moves by, % | by chance, % "
          "| period | results |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|---|---|")
    for one in kernels:
        print(one.row())
    for one in kernels if options.shifts else []:
        if one.moves():
            all_shifts = [*(("x", mean) for mean in one.as_compiled), *one.by_shift.items()]
            print(f"\n{short(one.name)}: " + " ".join(f"{shift}:{mean:+.2f}" for shift, mean in all_shifts))
    compared = [one for one in kernels if one.compared]
    return 0 if compared and all(one.equal or not one.repeatable for one in compared) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
