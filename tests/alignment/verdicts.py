#!/usr/bin/env python3
"""Prints what `ab` said of each kernel, as compiled and over the places of its code.

    verdicts.py [--expect=WHAT] [--slower=N] [--kernels=NAMES] NAME=REPORT.json...    NAME: the change

Exit status 0 if no kernel whose name begins with `place_` or stands in a report named `to_...` or `from_...` is red,
every `slight_` one is, at least N `slower_` ones are, all NAMES have a row, some row moved, and some slowdown was found
that its place had hidden. Of the last two only what could be is asked: `--expect=moved,hidden`.
"""
import json
import sys


def as_compiled(row):
    """The verdict before the places were asked."""
    over, verdict = row.get("over_places"), row["verdict"]
    if not over:
        return verdict
    if verdict == "moved":
        return "regressed" if row["ratio"] > 1 else "improved"
    if verdict == "regressed" and row["reason_fact"]["code"] == "worse":
        return "regressed"
    if row["reason_fact"]["code"] in ("worse_over_places", "open_over_places"):
        if below(row.get("p_improved_adjusted"), row["alpha"]):
            return "improved"
        return "passes" if below(row.get("p_passes"), 0.05) else "inconclusive"
    return verdict


def below(p, level):
    """Whether the p is there and below the level. It may be 0."""
    return p is not None and p < level


def percent(ratio):
    return f"{100 * (ratio - 1):+.2f} %" if ratio else "-"


def main(arguments):
    options = dict(one[2:].split("=", 1) for one in arguments if one.startswith("--"))
    expected, kernels = ({name for name in options.get(key, "").split(",") if name} for key in ("expect", "kernels"))
    least, red_slower, slower_ones = int(options.get("slower", 0)), 0, 0
    wrong, found, table = [], set(), []
    for argument in arguments:
        if argument.startswith("--"):
            continue
        change, file = argument.split("=", 1)
        with open(file, encoding="utf-8") as text:
            report = json.load(text)
        for row in report["cases"]:
            if row["metric"] != "gpu_time":
                continue
            name, over, before, verdict = row["case"], row.get("over_places"), as_compiled(row), row["verdict"]
            kernel = name.split("/")[1] if name.startswith("turning/") else "/".join(name.split("/")[:2])
            table.append((kernel, change, percent(row.get("ratio")), before, percent(over and over["ratio"]), verdict))
            slower = kernel.startswith("sl")
            if verdict == "regressed" and not slower:
                wrong.append(f"{kernel}, {change}: red, and only its place changed")
            if kernel.startswith("slight_") and verdict != "regressed":
                wrong.append(f"{kernel}, {change}: slower, and not red")
            if kernel.startswith("slower_"):
                slower_ones += 1
                red_slower += verdict == "regressed"
            if verdict == "moved":
                found.add("moved")
            if slower and verdict == "regressed" and before in ("passes", "inconclusive"):
                found.add("hidden")
        for remark in report.get("facts", {}).get("remarks", []):
            if remark["code"] in ("places_left_out", "places_open", "code_unshifted"):
                print(f"{change}: {json.dumps(remark)}")
    for one in sorted(expected - found):
        wrong.append(f"not shown: {one}")
    for one in sorted(kernels - {line[0] for line in table}):
        wrong.append(f"{one}: without a row")
    if red_slower < least:
        wrong.append(f"only {red_slower} of the `slower_` kernels are red")
    widths = [max(len(line[i]) for line in table) for i in range(6)] if table else []
    head = ("kernel", "change", "as compiled", "verdict as compiled", "over places", "verdict")
    widths = [max(width, len(word)) for width, word in zip(widths, head)]
    for line in [head, *table]:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())
    if slower_ones:
        print(f"`slower_` kernels: {slower_ones}, red: {red_slower}, at least: {least}")
    for line in wrong:
        print(line)
    print("FAIL" if wrong or not table else "PASS")
    return 1 if wrong or not table else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
