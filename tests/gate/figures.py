#!/usr/bin/env python3
"""A table of what gate.sh measured.

    tests/gate/figures.py FOLDER [--slower WILDCARD]...

FOLDER has figures.jsonl and the comparisons that it names. Prints one Markdown table with a row a part and suite.
Exit status: 0 when each part ended as it should: `proof`, `all` and `ab` with status 0 and nothing red; `slower` and
`one-PERCENT` with status 1, the cases of the wildcards red and no other. 1 otherwise, with what was wrong below the
table. 2 when a file cannot be read.
"""
import argparse
import collections
import fnmatch
import json
import pathlib
import statistics
import sys

SHOWN = ["identical", "environment", "improved", "not_worse", "unchanged", "inconclusive", "regressed"]
SLOWER = ["probe_gelu/vector8/*", "linear_gelu/wmma_fused/*", "matmul/wmma/*", "attention/mma_sync/*"]


def verdicts_of(report):
    """Case -> its worst verdict among the metrics that decide. Without the cases of other devices."""
    order = ["skipped"] + SHOWN + ["missing", "not_comparable", "failed"]
    found = {}
    for row in report.get("cases", []):
        if row.get("informative") or row["verdict"] == "skipped":
            continue
        before = found.get(row["case"], "skipped")
        found[row["case"]] = max(before, row["verdict"], key=order.index)
    return found


def is_slow(run):
    return run["part"] == "slower" or run["part"].startswith("one-")


def read(folder):
    runs = []
    for line in (folder / "figures.jsonl").read_text(encoding="utf-8").splitlines():
        run = json.loads(line)
        path = folder / run["report"]
        judged = run["part"] != "record" and path.exists()  # the first run of all has nothing to be compared with
        report = json.loads(path.read_text(encoding="utf-8")) if judged else {}
        run["verdicts"] = verdicts_of(report) if judged else None
        run["ratios"] = [row["ratio"] for row in report.get("cases", [])
                         if is_slow(run) and row["verdict"] == "regressed" and not row.get("informative")]
        runs.append(run)
    return runs


def problems_of(run, slower):
    """What one run should not have said."""
    where = f"{run['part']} {run['suite']}, run {run['run']}"
    if run["part"] == "record":
        return [] if run["status"] == 0 else [f"{where}: status {run['status']}"]
    if run["verdicts"] is None:
        return [f"{where}: status {run['status']} and no report"]
    red = {case for case, verdict in run["verdicts"].items() if verdict == "regressed"}
    wanted = set()
    if is_slow(run):
        wanted = {case for case in run["verdicts"] if any(fnmatch.fnmatchcase(case, one) for one in slower)}
    found = [f"{where}: {case} is red" for case in sorted(red - wanted)]
    found += [f"{where}: {case} was not found ({run['verdicts'][case]})" for case in sorted(wanted - red)]
    status = 1 if wanted else 0
    if run["status"] != status:
        found.append(f"{where}: status {run['status']} instead of {status}")
    return found


def row_of(part, suite, runs):
    seconds = [run["seconds"] for run in runs]
    statuses = collections.Counter(run["status"] for run in runs)
    cells = [part, suite, len(runs), ", ".join(f"{count} x {status}" for status, count in sorted(statuses.items())),
             f"{statistics.median(seconds):.1f}"]
    judged = [collections.Counter(run["verdicts"].values()) for run in runs if run["verdicts"]]
    for verdict in SHOWN:
        counts = [one[verdict] for one in judged]
        cells.append("" if not any(counts) else f"{min(counts)}-{max(counts)}" if min(counts) != max(counts) else counts[0])
    ratios = [100 * (ratio - 1) for run in runs for ratio in run["ratios"]]
    cells.append(f"{min(ratios):+.2f} to {max(ratios):+.2f} %" if ratios else "")
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--slower", action="append", default=[])
    arguments = parser.parse_args()
    try:
        runs = read(arguments.folder)
    except (OSError, ValueError, KeyError) as error:
        print(f"figures: {error}", file=sys.stderr)
        return 2
    groups = collections.defaultdict(list)
    for run in runs:
        groups[run["part"], run["suite"]].append(run)
    print("| part | suite | runs | exit status | s | " + " | ".join(SHOWN).replace("_", " ") +
          " | red ones slower by |")
    print("|" + "---|" * (6 + len(SHOWN)))
    for (part, suite), group in groups.items():
        print(row_of(part, suite, group))
    problems = [one for run in runs for one in problems_of(run, arguments.slower or SLOWER)]
    if problems:
        print()
        for one in problems:
            print(f"- {one}")
    return 1 if problems or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
