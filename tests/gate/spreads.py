#!/usr/bin/env python3
"""How much the processes of records differ: the tables of measured/gate-h200.md.

    tests/gate/spreads.py [--fewer | --states] RECORD...

Prints a Markdown row a record and length of a call, with the standard deviation of a case between processes in percent
(median, 90th percentile and largest over the cases, and how many are within the goal), and the mean correlation between
two cases over the processes. `--fewer`: a row a record with the median deviation by all samples, by the first half of
each placement's samples, and by the first half of the placements (harness/measure/sampling.md). `--states`: a line a
placement of more than 100 us, in the order of time: by how many percent its median is above the fast level of its case,
which a tenth of the placements lie below (harness/measure/power.md). The value of a process is the mean log of its
samples without a tenth at either end, or that of a pin, which holds no samples. Exit status: 2 when a file cannot be
read, or where an option needs the samples of a pin.
"""
import argparse
import json
import math
import pathlib
import statistics
import sys

# The length of a call in microseconds, and the deviation in percent that a case should not exceed.
LENGTHS = [("below 5 us", 0, 5, 0.5), ("5 to 30 us", 5, 30, 0.4), ("30 to 100 us", 30, 100, 0.4),
           ("above 100 us", 100, math.inf, 0.15)]


def process_value(placements):
    logs = sorted(math.log(one) for samples in placements for one in samples)
    cut = len(logs) // 10
    return statistics.mean(logs[cut:len(logs) - cut])


def is_pin(record):
    return record.get("format") == "harness-pin"


def device_times(record):
    """Of each case, the samples of each placement of each process."""
    if is_pin(record):
        raise ValueError("a pin holds no samples; name a record")
    found = []
    for case in record["cases"]:
        for metric in case["metrics"]:
            if metric["metric"] == "gpu_time" and len(metric["processes"]) > 1:
                found.append([[placement["samples"] for placement in process["placements"]]
                              for process in metric["processes"]])
    return found


def values_of(record):
    """The values of the processes of each case."""
    if not is_pin(record):
        return cases_of(device_times(record))
    tables = [metric for case in record["cases"] for metric in case.get("metrics", []) if "rows" in metric]
    return [[row[metric["columns"].index("log")] for row in metric["rows"]]
            for metric in tables if metric["metric"] == "gpu_time" and len(metric["rows"]) > 1]


def cases_of(times, pick=lambda placements: placements):
    """The values of the processes of each case."""
    return [[process_value(pick(placements)) for placements in processes] for processes in times]


def first_half(values):
    return values[:max(1, len(values) // 2)]


def row_of_fewer(name, times):
    shapes = {f"{len(placements)} x {max(map(len, placements))}" for processes in times for placements in processes}
    picks = [lambda placements: placements, lambda placements: list(map(first_half, placements)), first_half]
    medians = [statistics.median(100 * statistics.stdev(values) for values in cases_of(times, pick)) for pick in picks]
    return f"| {name} | {', '.join(sorted(shapes))} | " + " | ".join(f"{one:.3f}" for one in medians) + " |"


def states_of(record):
    """(process, seconds since its first placement, percent above the fast level, case), in the order of time."""
    found = []
    for case in record["cases"]:
        for metric in case["metrics"]:
            if metric["metric"] != "gpu_time":
                continue
            placements = [(process["process"], one["started"], statistics.median(one["samples"]))
                          for process in metric["processes"] for one in process["placements"] if one["samples"]]
            fast = rank([median for *_, median in placements], 0.1) if placements else 0
            found += [(process, started, 100 * (median / fast - 1), case["id"])
                      for process, started, median in placements if fast > 100]
    begins = {}
    for process, started, *_ in found:
        begins[process] = min(started, begins.get(process, started))
    return sorted((process, started - begins[process], above, name) for process, started, above, name in found)


def correlation(cases):
    """The mean over all pairs of cases."""
    count = min(len(values) for values in cases)
    scores = []
    for values in (values[:count] for values in cases):
        mean, spread = statistics.mean(values), statistics.stdev(values)
        if spread > 0:
            scores.append([(value - mean) / spread for value in values])
    if len(scores) < 2:
        return math.nan
    sums = [sum(column) for column in zip(*scores)]
    return (sum(one * one for one in sums) / (count - 1) - len(scores)) / (len(scores) * (len(scores) - 1))


def rank(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def rows_of(name, cases):
    rows = []
    for label, least, most, goal in LENGTHS:
        spreads = [100 * statistics.stdev(values) for values in cases
                   if least <= math.exp(statistics.mean(values)) < most]
        if spreads:
            cells = [rank(spreads, 0.5), rank(spreads, 0.9), max(spreads)]
            rows.append(f"| {name} | {label} | {len(spreads)} | " + " | ".join(f"{one:.2f}" for one in cells) +
                        f" | {sum(one <= goal for one in spreads) / len(spreads):.0%} of {goal:g} |")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    tables = parser.add_mutually_exclusive_group()
    tables.add_argument("--fewer", action="store_true", help="what half of the samples, or of the placements, tells")
    tables.add_argument("--states", action="store_true", help="each placement, in the order of time")
    parser.add_argument("records", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    columns = (["suite", "placements x samples", "all", "half of the samples", "half of the placements"]
               if arguments.fewer else
               ["suite", "time of a call", "cases", "median", "90th percentile", "largest", "within"])
    if not arguments.states:
        print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|")
    told = []
    for path in arguments.records:
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            name, cases = record["suite"]["name"], values_of(record)
            times = device_times(record) if arguments.fewer or arguments.states else []
            states = states_of(record) if arguments.states else []
        except (OSError, ValueError, KeyError) as error:
            print(f"spreads: {path}: {error}", file=sys.stderr)
            return 2
        for process, second, above, case in states:
            print(f"{process:4} {second:8.2f} s {above:+6.1f} % {case}")
        if arguments.states:
            continue
        if not arguments.fewer:
            print("\n".join(rows_of(name, cases)))
        elif cases:
            print(row_of_fewer(name, times))
        if cases:
            told.append(f"{name} {correlation(cases):.3f}")
    if not arguments.fewer and not arguments.states:
        print(f"\nMean correlation between two cases: {', '.join(told)}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
