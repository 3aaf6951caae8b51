#!/usr/bin/env python3
"""Where the time of campaigns goes: seconds by phase, summed over the results, a column for each campaign of a store.

    tests/farm/phases.py FARM.db

The phase that grows most from the first campaign to the last is printed first. Both results of a process that measures two
builds hold all of its time, so each counts half. Exit status: 1 when cases failed or were wrong, 2 when the file is no store
that holds campaigns.
"""
import collections
import json
import sqlite3
import sys


class Campaign:
    def __init__(self, store, name, content):
        self.name = name
        self.seconds, self.failed = collections.Counter(), {}
        ((self.tasks,),) = store.execute("SELECT count(*) FROM tasks WHERE campaign = ? AND kind = 'measure' AND case_count > 0", (name,))
        for suite in json.loads(content)["suites"]:
            for side in suite["sides"]:
                self.add(store.execute("SELECT result FROM results WHERE run = ?", (side["record"],)),
                         0.5 if suite.get("pair") else 1)

    def add(self, results, share):
        for (text,) in results:
            result = json.loads(text)
            for name, value in (result.get("phases") or {}).items():
                self.seconds[name] += share * value
            if result["outcome"] not in ("measured", "skipped"):
                self.failed[result["case"]] = f"{result['outcome']}: {json.dumps(result.get('reason'))[:300]}"


def campaigns_of(path):
    store = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    return [Campaign(store, *row) for row in store.execute("SELECT id, content FROM campaigns ORDER BY sequence")]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    path = sys.argv[1]
    try:
        campaigns = campaigns_of(path)
        first, last = campaigns[0].seconds, campaigns[-1].seconds
    except (sqlite3.Error, ValueError, IndexError):
        print(f"error: {path} is no store (SQLite) that holds a campaign", file=sys.stderr)
        sys.exit(2)
    print("| s |" + "".join(f" {one.name[:8]} |" for one in campaigns))
    print("|---|" + "--:|" * len(campaigns))
    names = set().union(*(one.seconds for one in campaigns))
    for name in sorted(names, key=lambda name: first[name] - last[name]):
        print(f"| {name} |" + "".join(f" {one.seconds[name]:.1f} |" for one in campaigns))
    print("| all |" + "".join(f" {sum(one.seconds.values()):.1f} |" for one in campaigns))
    print("| tasks |" + "".join(f" {one.tasks} |" for one in campaigns))
    print("| cases that failed |" + "".join(f" {len(one.failed)} |" for one in campaigns))
    for one in campaigns:
        for case, why in list(one.failed.items())[:3]:
            print(f"{one.name[:8]}: {case}: {why}", file=sys.stderr)
    sys.exit(any(one.failed for one in campaigns))


if __name__ == "__main__":
    main()
