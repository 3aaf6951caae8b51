#!/usr/bin/env python3
"""The figures that measurement has to reach on a GPU, from what a run of suites/probe.yaml stored.

    harness run suites/probe.yaml --device cuda --processes 12 --output probe.json
    tests/instrument/figures.py probe.json [--wall SECONDS] > figures.md

Prints one Markdown table. Exit status: 0 every figure that has a target is reached, 1 one is not, 2 the file is no
record, or no figure in it has a target. What the record does not hold is listed as such.
"""
import argparse
import datetime
import json
import math
import re
import statistics
import sys

FLUSH_SHARE_OF_L2 = 2.125  # what a cold sample writes first, as a multiple of the L2 cache (device/cuda/timing/cache.cpp)
OVERHEAD_US = 15.0
WALL_SECONDS = 10.0
PROCESSES_OF_WALL = 5
CASES_OF_WALL = 9
EVENTS_RELATIVE, EVENTS_US, EVENTS_FROM_US = 0.01, 1.5, 5.0
BATCH_RELATIVE, BATCH_FROM_US, BATCH_TO_US = 0.03, 1.0, 5.0

# (what it is, pattern of the case's name without cache and timing, target of sd for events, for batches)
PROBES = [
    ("empty kernel", r"probe_empty/|empty$", None, None),
    ("copy 64 MB", r"probe_copy/.*n=16777216$|copy64MB$", 0.003, None),
    ("gelu 8Mi", r"probe_gelu/.*n=8388608/factor=1$|gelu$", 0.003, None),
    ("gelu 8Mi x 1.01", r"probe_gelu/.*n=8388608/factor=1\.01$|gelu\+1%$", None, None),
    ("gelu 8Mi x 1.02", r"probe_gelu/.*n=8388608/factor=1\.02$|gelu\+2%$", None, None),
    ("gelu 8Mi x 1.05", r"probe_gelu/.*n=8388608/factor=1\.05$|gelu\+5%$", None, None),
    ("gemm 512", r"probe_gemm/.*n=512$|gemm512$", 0.012, 0.005),
    ("gemm 2048", r"probe_gemm/.*n=2048$|gemm2048$", 0.004, None),
    ("gemm 4096", r"probe_gemm/.*n=4096$|gemm4096$", 0.003, None),
]


class NotARecord(Exception):
    pass


def quantile(ordered, fraction):
    """Type 7 of Hyndman and Fan (1996), as harness/stats has it."""
    place = fraction * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def process_log_value(placements):
    """One value a process, in logs: the estimator `trimmed_log_mean` of harness/stats/estimate/estimator.h."""
    values = []
    for samples in placements:
        if not samples:
            continue
        ordered = sorted(samples)
        first, third = quantile(ordered, 0.25), quantile(ordered, 0.75)
        reach = 3 * (third - first)
        logs = [math.log(s) for s in ordered if first - reach <= s <= third + reach]
        cut = int(0.1 * len(logs))
        values.append(statistics.fmean(logs[cut:len(logs) - cut]))
    return statistics.fmean(values)


def sd_interval(sd, degrees, z=1.959964):
    """95 % interval of a standard deviation; chi-square quantiles after Wilson and Hilferty (1931)."""
    def chi_square(sign):
        c = 2 / (9 * degrees)
        return degrees * max(1 - c + sign * z * math.sqrt(c), 1e-9) ** 3
    return sd * math.sqrt(degrees / chi_square(+1)), sd * math.sqrt(degrees / chi_square(-1))


class Case:
    """What a record says of the time of one case."""

    def __init__(self, data):
        sampling = data.get("sampling", {})
        self.name = data["id"]
        self.device = data.get("device", "")
        parts = self.name.split("/")
        settings = dict(part.split("=", 1) for part in parts if "=" in part)
        self.cache = settings.get("cache", settings.get("mode", sampling.get("cache", "cold")))
        self.timing = settings.get("timing", sampling.get("timing", "events"))
        plain = "/".join(part for part in parts if part.split("=")[0] not in ("cache", "timing", "mode"))
        self.plain = plain
        self.probe = next((probe for probe in PROBES if re.match(probe[1], plain)), None)
        self.processes = {}  # number -> placements, each a list of samples in us
        for series in data.get("metrics", []):
            if series["metric"] == "gpu_time" and series["unit"] == "us":
                for process in series["processes"]:
                    placements = [placement["samples"] for placement in process["placements"]]
                    if any(placements):
                        self.processes[process["process"]] = placements
        self.logs = {number: process_log_value(p) for number, p in self.processes.items()}
        self.results = [one for one in data.get("results", []) if one.get("outcome") == "measured"]

    def center(self):
        return math.exp(statistics.fmean(self.logs.values()))

    def wall_per_sample(self):
        """Mean wall time of one sample in us, over processes that tell; None where none does. Only of samples by
        events: the same phase of a batch holds many calls a sample."""
        walls = []
        for result in self.results:
            placements = self.processes.get(result["process"])
            sampling = result.get("phases", {}).get("sampling")
            if placements and sampling and self.timing == "events":
                walls.append(1e6 * sampling / sum(len(samples) for samples in placements))
        return statistics.fmean(walls) if walls else None

    def kernel_us(self):
        """What the kernels of one call take by the profiler, the median over processes; None where nobody looked."""
        totals = []
        for result in self.results:
            kernels = result.get("kernels", [])
            if kernels and all(kernel.get("us", 0) > 0 for kernel in kernels):
                totals.append(sum(kernel["us"] * kernel.get("launches", 1) for kernel in kernels))
        return statistics.median(totals) if totals else None


class Row:
    def __init__(self, figure, case, value, target="", passed=None):
        self.figure, self.case, self.value, self.target, self.passed = figure, case, value, target, passed

    def line(self):
        verdict = {True: "pass", False: "**fail**", None: ""}[self.passed]
        cells = (self.figure, self.case, self.value, self.target, verdict)
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def spread_rows(cases):
    for case in cases:
        if case.probe is None or len(case.logs) < 2:
            continue
        label, _, by_events, by_batch = case.probe
        target = by_batch if case.timing == "batch" else by_events
        if case.cache == "hot" and case.timing != "batch":
            target = None  # the targets are about cold samples, and about batches either way
        sd = statistics.stdev(case.logs.values())
        low, high = sd_interval(sd, len(case.logs) - 1)
        how = case.cache + (", batch" if case.timing == "batch" else "")
        value = f"{100 * sd:.2f} % [{100 * low:.2f}, {100 * high:.2f}], {len(case.logs)} processes, {case.center():.4g} us"
        yield Row("sd between processes", f"{label} ({how})", value,
                  f"<= {100 * target:.1f} %" if target else "", sd <= target if target else None)


def slowdown_rows(cases):
    found = {(case.probe[0], case.cache, case.timing): case for case in cases if case.probe and case.logs}
    for (label, cache, timing), case in found.items():
        base = found.get(("gelu 8Mi", cache, timing))
        if label.startswith("gelu 8Mi x") and base is not None:
            yield Row("slowdown of more elements", f"{label} ({cache})",
                      f"{100 * (case.center() / base.center() - 1):+.2f} %")


def flush_us(cases, machine):
    """How long the flush of a cold sample takes, and where that is from. By the same cases hot where the record has
    them; else what it writes at the rate of the measured copy ceiling; else not known."""
    hot = {(case.plain, case.timing): case for case in cases if case.cache == "hot"}
    differences = []
    for case in cases:
        other = hot.get((case.plain, case.timing))
        if case.cache == "cold" and other is not None and case.wall_per_sample() and other.wall_per_sample():
            differences.append((case.wall_per_sample() - case.center()) - (other.wall_per_sample() - other.center()))
    if differences:
        return statistics.median(differences), "cold against hot samples"
    rate = machine.get("ceilings", {}).get("copy_bytes_per_s", 0)
    size = next((f["value"] for f in machine.get("fields", []) if f["name"] == "l2_cache"), "")
    match = re.match(r"(\d+) bytes$", size)
    if not match or not rate > 0:
        return None, "its time is not known: no hot cases, no measured ceiling"
    return 1e6 * FLUSH_SHARE_OF_L2 * int(match.group(1)) / rate, "estimated from the copy ceiling"


def overhead_rows(cases, machine):
    flush, source = flush_us(cases, machine)
    for case in cases:
        wall = case.wall_per_sample()
        if case.probe is None or wall is None or case.cache != "cold" or not case.logs:
            continue
        if flush is None:
            yield Row("wall time of a sample", case.probe[0], f"{wall:.1f} us, flush: {source}")
            continue
        over = wall - case.center() - flush
        yield Row("wall time of a sample beyond kernel and flush", case.probe[0],
                  f"{over:.1f} us = {wall:.1f} - {case.center():.1f} - {flush:.1f} ({source})",
                  f"<= {OVERHEAD_US:.0f} us", over <= OVERHEAD_US)


def wall_row(record, cases, given):
    processes = max((len(case.logs) for case in cases), default=0)
    measured = sum(1 for case in cases if case.logs)
    if given is None:
        # An import begins and ends when it is read: only what has phases was measured between these two.
        times = [record.get(name, "") for name in ("started", "finished")]
        timed = any(result.get("phases") for case in cases for result in case.results)
        if not all(times) or not timed:
            return None
        began, ended = (datetime.datetime.fromisoformat(t.replace("Z", "+00:00")) for t in times)
        given = (ended - began).total_seconds()
        precision = ", by whole seconds"
    else:
        precision = ""
    scaled = given * PROCESSES_OF_WALL / processes if processes else math.nan
    enough = measured >= CASES_OF_WALL and processes >= PROCESSES_OF_WALL
    return Row(f"wall time of {PROCESSES_OF_WALL} processes", f"{measured} cases",
               f"{scaled:.1f} s ({given:.1f} s for {processes} processes{precision})",
               f"< {WALL_SECONDS:.0f} s for {CASES_OF_WALL}", scaled < WALL_SECONDS if enough else None)


def pair_us(cases):
    """What two events with nothing between them read, us: the median over processes; 0 where the record does not tell."""
    pairs = [result["control"]["pair"] for case in cases for result in case.results
             if result.get("control", {}).get("pair") is not None]
    return statistics.median(pairs) if pairs else 0.0


def gap_us(cases):
    """From one empty kernel's end to the next's beginning in a batch, us: a slope counts it, CUPTI does not. 0 where the
    record does not tell."""
    for case in cases:
        kernels = case.kernel_us()
        if case.probe and case.probe[0] == "empty kernel" and case.timing == "batch" and kernels is not None:
            return max(0.0, case.center() - kernels)
    return 0.0


def kernel_rows(cases):
    pair, gap = pair_us(cases), gap_us(cases)
    for case in cases:
        kernels = case.kernel_us()
        if kernels is None or not case.logs:
            continue
        time = case.center()
        off = time - kernels
        label = case.probe[0] if case.probe else case.plain
        value = f"{time:.2f} us against {kernels:.2f} us: {off:+.2f} us ({case.cache})"
        if case.timing == "batch":
            short = BATCH_FROM_US <= kernels <= BATCH_TO_US
            if gap and short:
                value += f", {off - gap:+.2f} us beside the {gap:.2f} us between two empty kernels"
            yield Row("graph slope against CUPTI", label, value, "within 3 %" if short else "",
                      -BATCH_RELATIVE * kernels <= off <= gap + BATCH_RELATIVE * kernels if short else None)
        else:
            long = time > EVENTS_FROM_US
            if pair:
                value += f", {off - pair:+.2f} us beside the {pair:.2f} us of two events in a row"
            yield Row("events against CUPTI", label, value, "within 1 % + 1.5 us" if long else "",
                      abs(off - pair) <= EVENTS_RELATIVE * kernels + EVENTS_US if long else None)


def cases_of(record):
    if record.get("format") != "harness-record" or record.get("version") != 1:
        raise NotARecord("it is no record of version 1")
    return [case for case in (Case(data) for data in record["cases"]) if case.logs]


def figures(record, wall=None, more=()):
    """The rows of a record; `more` holds others, whose cases count for all but the time of the whole run."""
    timed = cases_of(record)
    cases = timed + [case for other in more for case in cases_of(other)]
    if not cases:
        raise NotARecord("no case in it has a gpu_time")
    machines = record.get("machines", {})
    machine = machines.get("cuda", machines.get("import", {}))
    rows = list(spread_rows(cases)) + list(slowdown_rows(cases)) + list(overhead_rows(cases, machine))
    rows += [row for row in [wall_row(record, timed, wall)] if row] + list(kernel_rows(cases))
    found = {row.figure for row in rows}
    for figure, what in (("wall time of a sample", "phases of its cold cases"),
                         ("wall time of 5", "when it began and ended"),
                         ("events against CUPTI", "kernel times by CUPTI"),
                         ("graph slope against CUPTI", "kernel times of cases timed in batches")):
        if not any(name.startswith(figure) for name in found):
            rows.append(Row(figure if not figure.endswith("5") else "wall time", "", f"the record does not hold {what}"))
    return rows


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("records", nargs="+", metavar="record",
                        help="what `harness run --output` or `harness import --as` wrote; the wall time is of the first")
    parser.add_argument("--wall", type=float, metavar="SECONDS", help="how long the whole run took, by a better clock")
    options = parser.parse_args(arguments)
    path, read = options.records[0], []
    try:
        for path in options.records:
            with open(path, encoding="utf-8") as file:
                read.append(json.load(file))
            cases_of(read[-1])
        rows = figures(read[0], options.wall, read[1:])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, NotARecord) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        if isinstance(problem, (KeyError, TypeError, AttributeError)):  # a part of it is not as documented
            reason = f"it is no whole record ({reason})"
        print(f"{path}: error: {reason}; give it what "
              "`harness run suites/probe.yaml --output FILE` wrote", file=sys.stderr)
        return 2
    if all(row.passed is None for row in rows):
        print(f"{path}: error: nothing in it has a target; measure suites/probe.yaml on a GPU, cold, in "
              "several processes", file=sys.stderr)
        return 2
    print("| figure | case | measured | target | |\n|---|---|---|---|---|")
    for row in rows:
        print(row.line())
    return 1 if any(row.passed is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
