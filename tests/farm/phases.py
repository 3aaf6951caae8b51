#!/usr/bin/env python3
"""Where the time of campaigns goes: seconds by phase, summed over the results in each store, one campaign a store.

    tests/farm/phases.py ONE.db FOUR.db

The phase that grows most from the first store to the last is printed first. Both results of a process that measures two
builds hold all of its time, so each counts half. Exit status: 1 when cases failed or were wrong, 2 when a file is no store
that holds one campaign.
"""
import collections
import json
import sqlite3
import sys


def phases(path):
    store = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    ((campaign,),) = store.execute("SELECT content FROM campaigns").fetchall()
    shares = {side["record"]: 0.5 if suite.get("pair") else 1
              for suite in json.loads(campaign)["suites"] for side in suite["sides"]}
    seconds, failed = collections.Counter(), {}
    for record, text in store.execute("SELECT run, result FROM results"):
        result = json.loads(text)
        for name, value in (result.get("phases") or {}).items():
            seconds[name] += shares[record] * value
        if result["outcome"] not in ("measured", "skipped"):
            failed[result["case"]] = f"{result['outcome']}: {json.dumps(result.get('reason'))[:300]}"
    ((tasks,),) = store.execute("SELECT count(*) FROM tasks WHERE kind = 'measure'").fetchall()
    return seconds, tasks, failed


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    stores = []
    for path in sys.argv[1:]:
        try:
            stores.append(phases(path))
        except (sqlite3.Error, ValueError):
            print(f"error: {path} is no store (SQLite) that holds one campaign", file=sys.stderr)
            sys.exit(2)
    print("| s |" + "".join(f" {path} |" for path in sys.argv[1:]))
    print("|---|" + "--:|" * len(stores))
    names = set().union(*(one[0] for one in stores))
    for name in sorted(names, key=lambda name: stores[0][0][name] - stores[-1][0][name]):
        print(f"| {name} |" + "".join(f" {one[0][name]:.1f} |" for one in stores))
    print("| all |" + "".join(f" {sum(one[0].values()):.1f} |" for one in stores))
    print("| tasks |" + "".join(f" {one[1]} |" for one in stores))
    print("| cases that failed |" + "".join(f" {len(one[2])} |" for one in stores))
    for path, (_, _, failed) in zip(sys.argv[1:], stores):
        for case, why in list(failed.items())[:3]:
            print(f"{path}: {case}: {why}", file=sys.stderr)
    sys.exit(any(one[2] for one in stores))


if __name__ == "__main__":
    main()
