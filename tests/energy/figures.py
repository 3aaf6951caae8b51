#!/usr/bin/env python3
"""How steady energies and sustained times are, and how the power compares with its limit.

    tests/energy/figures.py RECORD.json... [--most-sd 0.5] [--above 100] [--processes 5]

Prints a Markdown table with a row a case, then what all cases have in common. Exit status: 1 where the energies of a
case above --above us differ by more than --most-sd percent (sd) between processes, or where one of --processes has no
energy, or says that a metric is missing; 2 without a case. With --processes 1 no spread is asked for.
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
    windows, capped = notes_of(case, "energy_window"), notes_of(case, "power_and_cap")
    watts, cap = mean_of(capped, "watts"), mean_of(capped, "cap")
    boost, unpaused = mean_of(capped, "boost"), mean_of(capped, "sustained")
    return {
        "id": case["id"],
        "us": statistics.mean(times.values()) if times else None,
        "processes": len(energies),
        "energy": statistics.mean(energies.values()) if energies else None,
        "sd": spread(energies.values()),
        "sustained": statistics.mean(sustained.values()) if sustained else None,
        "sustained_sd": spread(sustained.values()),
        "watts": mean_of(windows, "watts"),
        "open": mean_of(windows, "open"),
        "of_cap": watts / cap if watts and cap else None,
        "longer": unpaused / boost - 1 if unpaused and boost else None,
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
    parser.add_argument("--processes", type=int, default=5)
    options = parser.parse_args()
    rows = []
    for path in options.records:
        with open(path, encoding="utf-8") as file:
            rows += [figures(case) for case in json.load(file)["cases"]]
    rows = [row for row in rows if row["energy"] is not None or row["sustained"] is not None or row["missing"]]
    if not rows:
        print("no case asks for its energy", file=sys.stderr)
        return 2
    print("| case | time, us | energy, J | sd, % | left open, % | power, W | of the limit, % | sustained, us | sd, % | longer than samples, % |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    failed = []
    for row in rows:
        print(f"| {row['id']} | {number(row['us'], '.1f')} | {number(row['energy'], '.5g')} | {percent(row['sd'])} | "
              f"{percent(row['open'])} | {number(row['watts'], '.0f')} | {percent(row['of_cap'], 1)} | "
              f"{number(row['sustained'], '.1f')} | {percent(row['sustained_sd'])} | "
              f"{'-' if row['longer'] is None else format(100 * row['longer'], '+.1f')} |")
        short = row["us"] is not None and row["us"] <= options.above
        steady = options.processes == 1 or short or (row["sd"] is not None and 100 * row["sd"] <= options.most_sd)
        if row["processes"] < options.processes or row["missing"] or not steady:
            why = row["missing"] + [f"energies of {row['processes']}/{options.processes} processes"]
            failed.append(f"{row['id']} ({', '.join(why)})")
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
    for one in failed:
        print(f"\nnot steady enough, or without energy: {one}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
