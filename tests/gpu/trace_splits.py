"""How often the trace gate is wrong, by real starts: records with many starts of a program are split at random into two
sides of a few starts each, and `harness compare` judges them.

  trace_splits.py HARNESS RECORD [OTHER] [--starts 5] [--splits 100]

Without OTHER both sides are of RECORD, without a start in common: a red row is a false alarm. With OTHER, of a build
that is slower, its side is drawn from there, and what is not red is missed. The records keep no identity here, so that
samples judge. Prints one Markdown row. Exit status: 1 where a split of one record is red.
"""
import argparse
import copy
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import uuid


def side_of(record, starts):
    """The record with these starts alone, numbered from 1."""
    record = copy.deepcopy(record)
    record["id"] = str(uuid.uuid4())
    number = {start: place for place, start in enumerate(starts, 1)}
    kept = []
    for case in record["cases"]:
        case["results"] = [dict(one, process=number[one["process"]]) for one in case["results"] if one["process"] in number]
        for result in case["results"]:
            result.pop("identity", None)
        for metric in case["metrics"]:
            metric["processes"] = [dict(one, process=number[one["process"]]) for one in metric["processes"]
                                   if one["process"] in number]
        case["metrics"] = [one for one in case["metrics"] if one["processes"]]
        if case["results"]:
            kept.append(case)
    record["cases"] = kept
    return record


def starts_of(record):
    return sorted({result["process"] for case in record["cases"] for result in case["results"] if result["process"] > 0})


def judged(harness, folder, sides):
    """The rows that decide, of one comparison."""
    files = [folder / "baseline.json", folder / "current.json"]
    for file, side in zip(files, sides):
        file.write_text(json.dumps(side))
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    done = subprocess.run([str(word) for word in (harness, "compare", "--baseline", files[0], "--current", files[1], "--report",
                                                  f"json={report}")], capture_output=True, text=True, cwd=folder)
    if done.returncode not in (0, 1, 3) or not report.exists():
        sys.exit(f"trace_splits: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.returncode, [one for one in json.loads(report.read_text())["cases"] if not one.get("informative")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("harness", type=pathlib.Path)
    parser.add_argument("record", type=pathlib.Path)
    parser.add_argument("other", type=pathlib.Path, nargs="?")
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--splits", type=int, default=100)
    options = parser.parse_args()
    one = json.loads(options.record.read_text())
    other = json.loads(options.other.read_text()) if options.other else None
    draw = random.Random(1)
    exits, red, undecided = {}, {}, {}
    with tempfile.TemporaryDirectory() as scratch:
        for _ in range(options.splits):
            if other is None:
                starts = draw.sample(starts_of(one), 2 * options.starts)
                sides = side_of(one, starts[:options.starts]), side_of(one, starts[options.starts:])
            else:
                sides = (side_of(one, draw.sample(starts_of(one), options.starts)),
                         side_of(other, draw.sample(starts_of(other), options.starts)))
            status, rows = judged(options.harness.resolve(), pathlib.Path(scratch), sides)
            exits[status] = exits.get(status, 0) + 1
            for row in rows:
                kind = {"regressed": red, "inconclusive": undecided}.get(row["verdict"])
                if kind is not None:
                    kind[row["case"]] = kind.get(row["case"], 0) + 1

    def told(kind):
        most = sorted(kind.items(), key=lambda item: -item[1])[:3]
        return "; ".join(f"`{case}` {count}" for case, count in most) or "none"
    name = options.record.stem + (f" against {options.other.stem}" if other else "")
    statuses = ", ".join(f"{status}: {count}" for status, count in sorted(exits.items()))
    print(f"| {name} | {options.splits} of {options.starts} and {options.starts} | {statuses} | {told(red)} | {told(undecided)} |")
    return 1 if other is None and red else 0


sys.exit(main())
