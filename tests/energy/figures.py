#!/usr/bin/env python3
"""How steady energies and sustained times are, and how well the power limit predicts the latter.

    tests/energy/figures.py RECORD.json... [--most-sd 0.5] [--above 100]

Prints a Markdown table with a row a case, then what all cases have in common. Exit status: 1 where the energies of a
case above --above us differ by more than --most-sd percent (sd) between processes, or a case has none; 2 without a case.
"""
import argparse
import json
import statistics
import sys


def by_process(case, metric):
    """{process: its value}, the median of its samples."""
    for series in case["metrics"]:
        if series["metric"] in metric:
            return {one["process"]: statistics.median([x for p in one["placements"] for x in p["samples"]])
                    for one in series["processes"]}
    return {}


def notes_of(case, code):
    return [note for one in case.get("results", []) for note in one.get("notes", []) if note["code"] == code]


def percent(value, digits=2):
    return "-" if value is None else f"{100 * value:.{digits}f}"


def spread(values):
    """The sd between processes as a share of the mean; None with fewer than two."""
    values = list(values)
    return statistics.stdev(values) / statistics.mean(values) if len(values) > 1 else None


def mean_of(notes, figure):
    values = [note[figure] for note in notes if figure in note]
    return statistics.mean(values) if values else None


def figures(case):
    energies = by_process(case, {"energy"})
    sustained = by_process(case, {"sustained_time"})
    times = by_process(case, {"gpu_time", "wall_time"})
    windows, capped = notes_of(case, "energy_window"), notes_of(case, "sustained_by_cap")
    predicted = mean_of(capped, "predicted")
    measured = mean_of(capped, "measured")
    return {
        "id": case["id"],
        "us": statistics.mean(times.values()) if times else None,
        "energy": statistics.mean(energies.values()) if energies else None,
        "sd": spread(energies.values()),
        "sustained": statistics.mean(sustained.values()) if sustained else None,
        "sustained_sd": spread(sustained.values()),
        "watts": mean_of(windows, "watts"),
        "open": mean_of(windows, "open"),
        "predicted": predicted and predicted * 1e6,
        "error": predicted / measured - 1 if predicted and measured else None,
        "windows": windows,
        "missing": sorted({note["code"] for one in case.get("results", []) for note in one.get("notes", [])
                           if note.get("metric") in ("energy", "sustained_time")}),
    }


def number(value, form):
    return "-" if value is None else format(value, form)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="+")
    parser.add_argument("--most-sd", type=float, default=0.5)
    parser.add_argument("--above", type=float, default=100)
    options = parser.parse_args()
    rows = []
    for path in options.records:
        with open(path, encoding="utf-8") as file:
            rows += [figures(case) for case in json.load(file)["cases"]]
    rows = [row for row in rows if row["energy"] is not None or row["sustained"] is not None or row["missing"]]
    if not rows:
        print("no case asks for its energy", file=sys.stderr)
        return 2
    print("| case | time, us | energy, J | sd, % | left open, % | power, W | sustained, us | sd, % | predicted, us | error, % |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    failed = []
    for row in rows:
        print(f"| {row['id']} | {number(row['us'], '.1f')} | {number(row['energy'], '.5g')} | {percent(row['sd'])} | "
              f"{percent(row['open'])} | {number(row['watts'], '.0f')} | {number(row['sustained'], '.1f')} | "
              f"{percent(row['sustained_sd'])} | {number(row['predicted'], '.1f')} | "
              f"{'-' if row['error'] is None else format(100 * row['error'], '+.1f')} |")
        steady = row["sd"] is None or (row["us"] or 0) <= options.above or 100 * row["sd"] <= options.most_sd
        if row["energy"] is None or not steady:
            failed.append(row["id"] + (f" ({', '.join(row['missing'])})" if row["missing"] else ""))
    windows = [window for row in rows for window in row["windows"]]

    def told(figure, factor=1.0):
        values = [factor * one[figure] for one in windows if figure in one]
        return f"{min(values):.3g} to {max(values):.3g} (mean {statistics.mean(values):.3g})" if values else "-"

    print(f"\n| over {len(windows)} windows | |\n|---|---|")
    print(f"| idle power, W | {told('idle_watts')} |")
    print(f"| between steps of the counter, ms | {told('interval', 1e3)} |")
    print(f"| reading it, ms | {told('reading', 1e3)} |")
    print(f"| left open by the steps, % | {told('open', 100)} |")
    print(f"| in pauses, % of the window | {told('idle', 100)} |")
    errors = [abs(row["error"]) for row in rows if row["error"] is not None]
    if errors:
        print(f"| prediction's error, %: median, largest | {100 * statistics.median(errors):.2f}, {100 * max(errors):.2f} |")
        print(f"| cases predicted within 3 % | {sum(error <= 0.03 for error in errors)} of {len(errors)} |")
    for one in failed:
        print(f"\nnot steady enough, or without energy: {one}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
