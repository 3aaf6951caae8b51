#!/usr/bin/env python3
"""Lets every call that reads, writes, makes or locks a file fail in turn, and checks that nothing is damaged.

    faults.py HARNESS PLUGIN FAULTY_CALLS_LIBRARY [--most N]

For each command, the first call fails in the first run, the second in the second, and so on, at most N of each kind: it
alone, as after a hiccup, and it with all later ones, as on a disk that stays full or broken. SQLite sees its calls
fail so, as SQLITE_BUSY, SQLITE_FULL and SQLITE_IOERR. Each run ends with a status of the contract, calls nothing a bug,
and leaves store, pins and files whole. None succeeds where each call fails.
"""

import argparse
import errno
import itertools
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from kills import COMMANDS, CONTRACT, Damage, Place, duration, need

FAULTS = [("read", errno.EIO), ("pread", errno.EIO), ("create", errno.ENOSPC), ("create", errno.EMFILE),
          ("write", errno.ENOSPC), ("write", errno.EIO), ("write", 0), ("pwrite", errno.ENOSPC), ("pwrite", errno.EIO),
          ("pwrite", 0), ("ftruncate", errno.EIO), ("fsync", errno.EIO), ("rename", errno.EIO),
          ("linkat", errno.ENOSPC), ("lock", errno.EAGAIN)]
# A lock that is never given up is waited for, which tests/cli/locked_store_test.sh tries.
STAYING = [("read", errno.EIO), ("pread", errno.EIO), ("create", errno.ENOSPC), ("write", errno.ENOSPC), ("write", 0),
           ("pwrite", errno.ENOSPC), ("pwrite", errno.EIO), ("ftruncate", errno.ENOSPC), ("fsync", errno.EIO),
           ("rename", errno.EIO), ("linkat", errno.ENOSPC)]
TRIED = {
    "run": COMMANDS["run"],
    "run with reports": [*COMMANDS["run"], "--against", "HEAD", "--output", "imported.json",
                         "--report", "json=verdict.json"],
    "continue": [*COMMANDS["run"], "--continue"],
    "compare": ["compare", "--baseline", "HEAD~1", "--current", "HEAD", "--report", "markdown=verdict.md"],
    "ab": COMMANDS["ab"],
    "import": COMMANDS["import"],
    "import into the store": ["import", "samples.jsonl"],
    "promote": COMMANDS["promote"],
    "records": ["records", "list"],
}


def fail_one(place, library, name, call, error, number, stays):
    """Whether there was such a call."""
    mark = place.folder / "mark"
    mark.unlink(missing_ok=True)
    environment = dict(place.environment, LD_PRELOAD=library, FAULT_CALL=call, FAULT_NUMBER=str(number),
                       FAULT_ERROR=str(error), FAULT_MARK=str(mark), **({"FAULT_STAYS": "1"} if stays else {}))
    ended = subprocess.run([place.harness, *TRIED[name]], cwd=place.work, env=environment, timeout=600, text=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    need(ended.returncode in CONTRACT, f"exit status {ended.returncode}: {ended.stdout[-500:]}")
    need("bug in harness" not in ended.stdout, ended.stdout[-500:])
    # From a later call on, all may be written already: SQLite's last checkpoint may fail.
    nothing_written = stays and error and number == 1 and mark.exists()
    need(not nothing_written or ended.returncode != 0, "it calls a failed write a success")
    for rescue in place.work.glob("harness-rescue-*.json"):
        rescue.unlink()
    place.check()
    return mark.exists()


def main():
    options = argparse.ArgumentParser()
    options.add_argument("harness")
    options.add_argument("plugin")
    options.add_argument("library")
    options.add_argument("--most", type=int, default=1000)
    given = options.parse_args()
    failed, what = 0, "before the first fault"
    with tempfile.TemporaryDirectory() as folder:
        place = Place(os.path.abspath(given.harness), os.path.abspath(given.plugin), Path(folder))
        try:
            for name in ("run", "import", "promote"):
                duration(place, name)
            faults = [(*one, False) for one in FAULTS] + [(*one, True) for one in STAYING]
            for name, (call, error, stays) in itertools.product(TRIED, faults):
                for number in range(1, given.most + 1):
                    what = f"{name}, {call} {number}, stays: {stays}, {errno.errorcode.get(error, 'half of the bytes')}"
                    if not fail_one(place, os.path.abspath(given.library), name, call, error, number, stays):
                        break
                    failed += 1
        except (Damage, subprocess.SubprocessError) as problem:
            sys.exit(f"FAILED: {what}: {problem}")
    print(f"{failed} calls failed: passed")


if __name__ == "__main__":
    main()
