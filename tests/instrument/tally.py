#!/usr/bin/env python3
"""Counts the verdicts of many `harness ab` runs, case by case.

    tests/instrument/tally.py [--regressed WILDCARD] [--runs N] COMPARISON.json...

The files are what `harness ab --report json=FILE` wrote. Prints one Markdown table. Exit status: 0 when each case that
the wildcard names is regressed in every run and no other case in any; 1 otherwise; 2 a file is no comparison, or
there are fewer than N.
"""
import argparse
import fnmatch
import json
import math
import statistics
import sys

VERDICTS = ["regressed", "improved", "unchanged", "not_worse", "identical", "environment", "inconclusive"]


class NotAComparison(Exception):
    pass


def read(path):
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    if not isinstance(data, dict) or data.get("format") != "harness-comparison":
        raise NotAComparison("it is no comparison as JSON")
    return data


def count(comparisons):
    """(case, metric) -> verdicts in the order of the runs, and the ratios that there are. Without the cases that every
    run left out, those of another device."""
    cases = {}
    for comparison in comparisons:
        for row in comparison["cases"]:
            verdicts, ratios = cases.setdefault((row["case"], row["metric"]), ([], []))
            verdicts.append(row["verdict"])
            if row.get("ratio"):
                ratios.append(row["ratio"])
    return {key: found for key, found in cases.items() if set(found[0]) != {"skipped"}}


def unexpected(cases, runs, wildcard):
    """What is wrong, in words, one a case; empty when all is as it should be."""
    found = []
    named = 0
    for (case, metric), (verdicts, _) in cases.items():
        wanted = bool(wildcard) and metric.endswith("_time") and fnmatch.fnmatchcase(case, wildcard)
        named += wanted
        regressed = verdicts.count("regressed")
        if regressed != (runs if wanted else 0):
            found.append(f"{case}: regressed in {regressed} of {runs} runs instead of {runs if wanted else 0}")
        odd = [verdict for verdict in verdicts if verdict not in VERDICTS]
        if odd or len(verdicts) != runs:
            found.append(f"{case}: {len(verdicts)} verdicts in {runs} runs"
                         + (f", among them {', '.join(sorted(set(odd)))}" if odd else ""))
    if not cases:
        found.append("no case was compared")
    if wildcard and named == 0:
        found.append(f"no case is called {wildcard}")
    return found


def table(cases):
    yield "| case | " + " | ".join(VERDICTS).replace("_", " ") + " | change, mean (least, most) |"
    yield "|---" * (len(VERDICTS) + 2) + "|"
    for (case, metric), (verdicts, ratios) in cases.items():
        name = (case if metric == "gpu_time" else f"{case}, {metric}").replace("|", "\\|")
        change = ""
        if ratios:
            mean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))
            change = f"{100 * (mean - 1):+.2f} % ({100 * (min(ratios) - 1):+.2f}, {100 * (max(ratios) - 1):+.2f})"
        yield f"| {name} | " + " | ".join(str(verdicts.count(v)) for v in VERDICTS) + f" | {change} |"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--regressed", metavar="WILDCARD", help="cases that must be regressed in every run")
    parser.add_argument("--runs", type=int, default=1, help="how many there must be")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args(arguments)
    comparisons = []
    for path in options.files:
        try:
            comparisons.append(read(path))
        except (OSError, ValueError, NotAComparison) as problem:
            print(f"{path}: error: {getattr(problem, 'strerror', None) or problem}", file=sys.stderr)
            return 2
    if not comparisons:
        print("error: no comparison; give it what `harness ab --report json=FILE` wrote", file=sys.stderr)
        return 2
    cases = count(comparisons)
    print("\n".join(table(cases)))
    runs = len(comparisons)
    red = sum(1 for one in comparisons if any(row["verdict"] == "regressed" for row in one["cases"]))
    print(f"\n{runs} runs, {red} of them with a regressed case")
    if runs < options.runs:
        print(f"error: {runs} runs instead of {options.runs}", file=sys.stderr)
        return 2
    wrong = unexpected(cases, runs, options.regressed)
    for line in wrong:
        print("unexpected: " + line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
