#!/usr/bin/env python3
"""How the cases of records ended, as one Markdown table.

    tests/cheats/outcomes.py --cheats RECORD.json...   each variant and what caught it
    tests/cheats/outcomes.py --honest RECORD.json...   how many cases of each record were called
                                                       incorrect, and what audits cost

The files are what `harness run --output FILE` wrote. Exit status: 0 when each cheat ended incorrect or failed and the
honest variants were measured, or when no honest case is incorrect; 1 otherwise; 2 a file is no record.
"""
import argparse
import json
import os
import sys

CAUGHT = ("incorrect", "failed")
ENDS = ("measured", "incorrect", "failed", "timed_out")
# Found after the samples by what all audits of a case tell together.
BY_TIMES = ("slower_when_audited", "clock_differs", "faster_than_possible")


class NotARecord(Exception):
    pass


def read(path):
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    if not isinstance(data, dict) or data.get("format") != "harness-record":
        raise NotARecord("it is no record as JSON")
    return data


def check_of(reason):
    """The check that found a cause."""
    if reason["code"] in BY_TIMES:
        return "times of audits" if reason["code"] != "faster_than_possible" else "floor"
    if reason.get("audited"):
        return "audit"
    if reason["code"] in ("wrong_values", "wrong_element", "not_written", "not_finite"):
        return "last check" if reason.get("after_timing") else "first check"
    return "supervisor"


def honest_variants():
    """Those that corpus.txt calls so."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus.txt"), encoding="utf-8") as file:
        rows = [[cell.strip(" `") for cell in line.split("|")] for line in file if line.startswith("| `")]
    return {row[1] for row in rows if row[3] == "honest"}


def cheats(records):
    """Rows of the table, and whether each case ended as it should."""
    all_honest = honest_variants()
    rows, good = [("cheat", "outcome", "cause", "caught by")], True
    for case in (case for record in records for case in record["cases"]):
        honest = case["variant"] in all_honest
        caught = case["outcome"] in CAUGHT
        good = good and (case["outcome"] == "measured" if honest else caught)
        reason = case.get("reason")
        rows.append((case["variant"], case["outcome"], reason["code"] if reason else "",
                     check_of(reason) if caught and reason else "NOTHING" if not honest else ""))
    return rows, good and all(record["cases"] for record in records)


def share_of_audits(record):
    """Of the time that the cases took. An audit has several phases."""
    phases = [phase for case in record["cases"] for result in case.get("results", [])
              for phase in result.get("phases", {}).items()]
    return sum(time for name, time in phases if name.startswith("audit")) / (sum(time for _, time in phases) or 1)


def honest(records):
    rows, good = [("suite", "cases", *ENDS, "audits take")], bool(records)
    for record in records:
        outcomes = [case["outcome"] for case in record["cases"]]
        counts = [outcomes.count(one) for one in ENDS]
        good = good and counts[1] == 0 and counts[0] > 0
        rows.append((record["suite"]["name"], len(outcomes), *counts, f"{100 * share_of_audits(record):.1f} %"))
    return rows, good


def table(rows):
    lines = ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def main():
    parser = argparse.ArgumentParser()
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--cheats", action="store_true")
    kind.add_argument("--honest", action="store_true")
    parser.add_argument("records", nargs="+")
    given = parser.parse_args()
    records = []
    for path in given.records:
        try:
            records.append(read(path))
        except (OSError, ValueError, NotARecord) as error:
            print(f"outcomes: {path}: {error}", file=sys.stderr)
            return 2
    rows, good = honest(records) if given.honest else cheats(records)
    print(table(rows))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
