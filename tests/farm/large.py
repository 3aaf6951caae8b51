#!/usr/bin/env python3
"""Large plans: what planning a campaign of many cases takes, and what an element of it holds.

  HARNESS=build/release/bin/harness KERNELS=build/release/lib/libharness_kernels.so tests/farm/large.py --cases 10000,100000

For both builds of each number of cases, in a file: the wall time and the processor's time of `farm plan` and of an element
that measures one task, and the peak of memory of the largest process, workers included.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from scale import HARNESS, write_inputs


def measured(folder, *arguments):
    """What a command takes that succeeds, in words."""
    begin = time.monotonic()
    with open(folder / "log", "w", encoding="utf-8") as log:
        child = subprocess.Popen([HARNESS, *arguments], cwd=folder, stdout=log, stderr=log)
        _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        raise SystemExit(f"{arguments}: {status}\n{(folder / 'log').read_text()}")
    return (f"{time.monotonic() - begin:.1f} s ({usage.ru_utime + usage.ru_stime:.1f} s of a processor), "
            f"{usage.ru_maxrss / 1024:.0f} MB")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cases", default="10000,100000")
    asked = options.parse_args()
    for cases in map(int, asked.cases.split(",")):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="harness-large-"))
        os.environ["HARNESS_CACHE_DIR"] = str(folder / "cache")
        write_inputs(folder, cases, 1)
        plan = measured(folder, "farm", "plan", "suite.yaml", "--baseline-build", "old", "--current-build", "new", "--device",
                        "scripted:gpu0.json", "--store", "farm.db")
        work = measured(folder, "farm", "work", "--quiet", "--tasks", "1", "--store", "farm.db")
        print(f"{cases} cases: plan {plan}; an element's task {work}", flush=True)
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
