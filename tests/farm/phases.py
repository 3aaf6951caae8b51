#!/usr/bin/env python3
"""Where the time of campaigns goes: seconds by phase, summed over the results in each store, one campaign a store.

    tests/farm/phases.py ONE.db FOUR.db

The phase that grows most from the first store to the last is printed first. Both results of a process that measures two
builds hold all of its time, so each counts half.
"""
import collections
import json
import sqlite3
import sys


def phases(path):
    store = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    ((campaign,),) = store.execute("SELECT content FROM campaigns").fetchall()
    share = 0.5 if json.loads(campaign)["suites"][0].get("pair") else 1
    seconds = collections.Counter()
    for (result,) in store.execute("SELECT result FROM results"):
        for name, value in (json.loads(result).get("phases") or {}).items():
            seconds[name] += share * value
    ((tasks,),) = store.execute("SELECT count(*) FROM tasks WHERE kind = 'measure'").fetchall()
    return seconds, tasks


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    stores = []
    for path in sys.argv[1:]:
        try:
            stores.append(phases(path))
        except (sqlite3.Error, ValueError):
            sys.exit(f"error: {path}: is not a store (SQLite) that holds one campaign")
    print("| s |" + "".join(f" {path} |" for path in sys.argv[1:]))
    print("|---|" + "--:|" * len(stores))
    names = set().union(*(one[0] for one in stores))
    for name in sorted(names, key=lambda name: stores[0][0][name] - stores[-1][0][name]):
        print(f"| {name} |" + "".join(f" {one[0][name]:.1f} |" for one in stores))
    print("| all |" + "".join(f" {sum(one[0].values()):.1f} |" for one in stores))
    print("| tasks |" + "".join(f" {one[1]} |" for one in stores))


if __name__ == "__main__":
    main()
