#!/usr/bin/env python3
"""How long the suites of a store took, and for what.

    tests/gpu/suite_times.py STORE.db [--families 10]

Prints a Markdown table with a row a record: seconds on the clock, and seconds by phase, summed over the results. With
--families also those workloads and variants that took longest. What lies between the sum and the clock is spent on
starting workers, on judging and on storing. Exit status: 2 when the file is no store with records (SQLite).
"""
import argparse
import collections
import datetime
import json
import sqlite3
import sys

GROUPS = {
    "sampling": ["sampling", "warm_up", "record"],
    "audits": ["audit", "audit_inputs", "audit_check"],
    "making kernels": ["load", "construct", "first_call"],
    "inputs": ["inputs"],
    "checks": ["verify"],
    "looks": ["look", "identify"],
    "memory": ["allocate", "memory"],
    "reports": ["report"],
    "processes": ["process_start", "process_fingerprint", "process_preheat"],
}
COLUMNS = {phase: group for group, phases in GROUPS.items() for phase in phases}


def read(path):
    """(suite, seconds on the clock, {family: {group: seconds}}) of each finished record, in the order of measuring."""
    store = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    found = []
    for run, suite, started, finished in store.execute(
            "SELECT id, suite, started, finished FROM runs WHERE finished <> '' ORDER BY sequence").fetchall():
        taken = (datetime.datetime.fromisoformat(finished.rstrip("Z")) -
                 datetime.datetime.fromisoformat(started.rstrip("Z"))).total_seconds()
        families = collections.defaultdict(collections.Counter)
        for (text,) in store.execute("SELECT result FROM results WHERE run = ?", (run,)):
            result = json.loads(text)
            family = "/".join(result["case"].split("/")[:2])
            for phase, seconds in (result.get("phases") or {}).items():
                families[family][COLUMNS.get(phase, "other")] += seconds
        found.append((suite, taken, families))
    return found


def row(name, taken, groups, columns):
    return f"| {name} | {taken} | " + " | ".join(f"{groups[column]:.1f}" for column in columns) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store")
    parser.add_argument("--families", type=int, default=0)
    options = parser.parse_args()
    try:
        records = read(options.store)
    except sqlite3.Error as problem:
        print(f"error: {options.store}: {problem}", file=sys.stderr)
        return 2
    columns = [*GROUPS, "other"]
    print("| suite | s | " + " | ".join(columns) + " |\n|---|" + "--:|" * (len(columns) + 1))
    whole, by_family = collections.Counter(), collections.Counter()
    for suite, taken, families in records:
        groups = sum(families.values(), collections.Counter())
        print(row(suite, f"{taken:.0f}", groups, columns))
        whole += groups
        for family, of_family in families.items():
            by_family[f"{suite}: {family}"] += sum(of_family.values())
    print(row("all", f"{sum(taken for _, taken, _ in records):.0f}", whole, columns))
    if options.families:
        print("\n| family | s |\n|---|--:|")
        for family, seconds in by_family.most_common(options.families):
            print(f"| {family} | {seconds:.1f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
