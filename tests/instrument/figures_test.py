#!/usr/bin/env python3
"""figures.py on records whose figures are known beforehand. FIGURES_HARNESS, where set, is a harness whose own
process values ours are compared with, on samples from an H200."""
import contextlib
import io
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import figures  # noqa: E402

EMPTY = "probe_empty/launch/blocks=1"
COPY = "probe_copy/float4/n=16777216"
GELU = "probe_gelu/vector8/dtype=f16/n=8388608/factor=1"
GEMM512 = "probe_gemm/cublas/dtype=f16/n=512"


def case(name, values, wall_us=None, cache="cold", timing=None, kernels=None):
    """A case whose process i has exactly the value values[i], in 2 placements of 10 equal samples."""
    sampling = {"cache": cache}
    if timing:
        sampling["timing"] = timing
    results, processes = [], []
    for number, value in enumerate(values, 1):
        processes.append({"process": number, "placements": [{"samples": [value] * 10}] * 2})
        result = {"process": number, "outcome": "measured"}
        if wall_us:
            result["phases"] = {"construct": 9.0, "sampling": 20 * wall_us * 1e-6}
        if kernels:
            result["kernels"] = kernels
        results.append(result)
    return {"id": name, "device": "cuda", "sampling": sampling, "outcome": "measured", "results": results,
            "metrics": [{"metric": "gpu_time", "unit": "us", "processes": processes}]}


def record(*cases, machine=None, seconds=8):
    return {"format": "harness-record", "version": 1, "started": "2026-01-01T00:00:00Z",
            "finished": f"2026-01-01T00:00:{seconds:02d}Z", "machines": {"cuda": machine or {}}, "cases": list(cases)}


def spread(center, sd, count):
    """`count` values around center whose logs have exactly this standard deviation."""
    raw = [(i % 2) * 2 - 1 for i in range(count)]
    scale = sd / statistics.stdev(raw)
    return [center * math.exp(scale * one) for one in raw]


def rows(a_record, figure, **more):
    return [row for row in figures.figures(a_record, **more) if row.figure.startswith(figure)]


class Estimator(unittest.TestCase):
    def test_far_outliers_are_left_out_and_ends_are_trimmed(self):
        samples = [10.0] * 9 + [11.0] * 9 + [5000.0]
        # Quartiles 10 and 11; 5000 is far out; of 18 left one goes at each end.
        self.assertAlmostEqual(figures.process_log_value([samples]), (8 * math.log(10) + 8 * math.log(11)) / 16)

    def test_placements_have_the_same_weight_and_empty_ones_none(self):
        value = figures.process_log_value([[1.0] * 3, [math.e] * 300, []])
        self.assertAlmostEqual(value, 0.5)

    def test_quantiles_are_of_type_seven(self):
        self.assertAlmostEqual(figures.quantile([1, 2, 3, 4], 0.25), 1.75)

    # scipy.stats.chi2.ppf gives 0.6878 and 1.8256 times the sd for 9 degrees of freedom.
    def test_the_interval_of_a_spread_is_close_to_the_exact_one(self):
        low, high = figures.sd_interval(1.0, 9)
        self.assertAlmostEqual(low, 0.6878, delta=0.002)
        self.assertAlmostEqual(high, 1.8256, delta=0.02)


class Spread(unittest.TestCase):
    def test_the_target_decides_at_the_value_itself(self):
        for sd, passed in ((0.0029, True), (0.0031, False)):
            row, = rows(record(case(COPY, spread(38, sd, 10))), "sd between")
            self.assertIs(row.passed, passed)
            self.assertIn(f"{100 * sd:.2f} %", row.value)
            self.assertIn("10 processes, 38 us", row.value)

    def test_each_probe_has_its_own_target(self):
        for name, target in ((COPY, 0.3), (GELU, 0.3), (GEMM512, 1.2), (GEMM512.replace("512", "2048"), 0.4),
                             (GEMM512.replace("512", "4096"), 0.3), ("copy64MB/mode=cold", 0.3),
                             ("gemm512/mode=cold", 1.2)):
            row, = rows(record(case(name, [1.0, 1.0, 1.0])), "sd between")
            self.assertEqual(row.target, f"<= {target} %", name)

    def test_batches_have_a_tighter_one_and_hot_samples_none(self):
        row, = rows(record(case(GEMM512 + "/timing=batch", spread(3, 0.006, 6))), "sd between")
        self.assertEqual((row.target, row.passed), ("<= 0.5 %", False))
        for hot in (case(GEMM512 + "/cache=hot", [3.0, 4.0]), case(GEMM512, [3.0, 4.0], cache="hot"),
                    case("gemm512/mode=hot", [3.0, 4.0])):
            row, = rows(record(hot), "sd between")
            self.assertEqual((row.target, row.passed), ("", None))

    def test_other_cases_and_single_processes_say_nothing(self):
        self.assertEqual(rows(record(case("linear_gelu/x/m=1", [1.0, 2.0]), case(COPY, [1.0])), "sd between"), [])

    def test_a_slowdown_is_told_against_the_same_cache_mode(self):
        slower = [GELU + ".02", GELU + ".02/cache=hot"]
        told = rows(record(case(GELU, [20.0, 20.0]), case(slower[0], [20.24, 20.24]), case(slower[1], [19.0, 19.0])),
                    "slowdown")
        self.assertEqual([(row.case, row.value) for row in told], [("gelu 8Mi x 1.02 (cold)", "+1.20 %")])


class Overhead(unittest.TestCase):
    machine = {"ceilings": {"copy_bytes_per_s": 4e12}, "fields": [{"name": "l2_cache", "value": "64000000 bytes"}]}

    def test_the_flush_is_estimated_from_what_it_writes(self):
        for wall, passed in ((38 + 34 + 14, True), (38 + 34 + 16, False)):  # 2.125 x 64 MB at 4 TB/s: 34 us
            row, = rows(record(case(COPY, [38.0] * 3, wall_us=wall), machine=self.machine), "wall time of a sample")
            self.assertIs(row.passed, passed)
            self.assertIn(f"{wall - 72:.1f} us = {wall:.1f} - 38.0 - 34.0 (estimated", row.value)

    def test_the_same_cases_hot_tell_it_better(self):
        both = record(case(COPY, [38.0] * 3, wall_us=100), case(COPY + "/cache=hot", [36.0] * 3, wall_us=48),
                      machine=self.machine)
        row, = rows(both, "wall time of a sample")
        self.assertIn("12.0 us = 100.0 - 38.0 - 50.0 (cold against hot", row.value)
        self.assertTrue(row.passed)

    def test_a_flush_of_unknown_length_is_no_verdict(self):
        row, = rows(record(case(COPY, [38.0] * 3, wall_us=80)), "wall time of a sample")
        self.assertIsNone(row.passed)
        self.assertIn("80.0 us", row.value)

    def test_batches_and_hot_cases_are_not_asked(self):
        asked = rows(record(case(GEMM512 + "/timing=batch", [3.0] * 3, wall_us=900), case(COPY, [1.0] * 3, wall_us=9, cache="hot"),
                            machine=self.machine), "wall time of a sample")
        self.assertEqual([row.value for row in asked], ["the record does not hold phases of its cold cases"])


class Wall(unittest.TestCase):
    @staticmethod
    def nine(processes):
        return [case(f"probe_copy/float4/n={i}", [1.0] * processes, wall_us=50) for i in range(9)]

    def test_it_is_scaled_to_five_processes(self):
        for seconds, passed in ((19, True), (20, False)):
            row, = rows(record(*self.nine(10), seconds=seconds), "wall time of 5")
            self.assertIs(row.passed, passed)
            self.assertIn(f"{seconds / 2:.1f} s ({seconds}.0 s for 10 processes, by whole seconds)", row.value)

    def test_a_better_clock_wins(self):
        row, = rows(record(*self.nine(5), seconds=50), "wall time of 5", wall=9.94)
        self.assertTrue(row.passed)
        self.assertIn("9.9 s", row.value)

    def test_an_import_does_not_tell_how_long_it_took(self):
        imported = record(*[case(f"probe_copy/float4/n={i}", [1.0] * 5) for i in range(9)], seconds=0)
        row, = rows(imported, "wall time")[:1]
        self.assertIsNone(row.passed)
        self.assertIn("does not hold", row.value)

    def test_fewer_cases_or_processes_are_no_verdict(self):
        for cases in (self.nine(5)[:8], self.nine(4)):
            row, = rows(record(*cases), "wall time of 5")
            self.assertIsNone(row.passed)


    def test_cases_of_another_record_count_for_all_but_the_wall_time(self):
        batch = record(case(GEMM512, spread(3.3, 0.002, 12), cache="hot", timing="batch"))
        found = figures.figures(record(*self.nine(5), seconds=8), more=[batch])
        wall, = [row for row in found if row.figure.startswith("wall time of 5")]
        self.assertTrue(wall.passed)
        self.assertIn("| 9 cases |", wall.line())
        one, = [row for row in found if row.figure.startswith("sd between") and "batch" in row.case]
        self.assertTrue(one.passed)


class Kernels(unittest.TestCase):
    def test_events_may_be_off_by_one_percent_and_a_tick_or_two(self):
        two = [{"name": "a", "us": 60.0, "launches": 1}, {"name": "b", "us": 20.0, "launches": 2}]  # 100 us a call
        for time, passed in ((102.4, True), (102.6, False), (97.6, True), (97.4, False)):
            row, = rows(record(case(COPY, [time] * 3, kernels=two)), "events against")
            self.assertIs(row.passed, passed, time)
        row, = rows(record(case(GEMM512, [4.9] * 3, kernels=[{"us": 1.0}])), "events against")
        self.assertIsNone(row.passed)  # below 5 us an event pair is not asked

    def test_what_two_events_in_a_row_read_is_counted_apart(self):
        kernels = [{"us": 100.0, "launches": 1}]
        for time, passed in ((103.7, True), (103.8, False), (101.3, True), (98.7, False)):
            one = case(COPY, [time] * 3, kernels=kernels)
            for result in one["results"]:
                result["control"] = {"call": 2.7, "batched": 0.6, "pair": 1.25}
            row, = rows(record(one), "events against")
            self.assertIs(row.passed, passed, time)
            self.assertIn("1.25 us of two events", row.value)

    def test_a_slope_may_be_off_by_three_percent(self):
        for time, passed in ((3.08, True), (3.10, False), (2.92, True), (2.90, False)):
            batch = case(GEMM512, [time] * 3, timing="batch", kernels=[{"us": 3.0, "launches": 1}])
            row, = rows(record(batch), "graph slope")
            self.assertIs(row.passed, passed, time)

    def test_a_slope_may_hold_the_gap_between_two_empty_kernels(self):
        empty = case(EMPTY, [0.68] * 3, timing="batch", kernels=[{"us": 0.58, "launches": 1}])
        for time, passed in ((3.18, True), (3.20, False), (3.00, True), (2.92, True), (2.90, False)):
            batch = case(GEMM512, [time] * 3, timing="batch", kernels=[{"us": 3.0, "launches": 1}])
            of_nothing, row = rows(record(empty, batch), "graph slope")
            self.assertIs(row.passed, passed, time)
            self.assertIn("beside the 0.10 us between two empty kernels", row.value)
            self.assertIsNone(of_nothing.passed)

    def test_what_nobody_looked_at_is_said_to_be_missing(self):
        row, = rows(record(case(COPY, [38.0] * 3)), "events against")
        self.assertIn("does not hold kernel times", row.value)
        self.assertIsNone(row.passed)


class Command(unittest.TestCase):
    def run_on(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "record.json"
            path.write_text(text)
            out, err = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                status = figures.main([str(path)])
            return status, out.getvalue(), err.getvalue()

    def test_the_exit_status_is_the_worst_row(self):
        good, bad = case(COPY, spread(38, 0.001, 6)), case(GELU, spread(23, 0.01, 6))
        status, out, _ = self.run_on(json.dumps(record(good)))
        self.assertEqual(status, 0)
        self.assertIn("| sd between processes | copy 64 MB (cold) |", out)
        status, out, _ = self.run_on(json.dumps(record(good, bad)))
        self.assertEqual(status, 1)
        self.assertEqual(out.count("**fail**"), 1)

    def test_a_record_without_anything_to_judge_is_no_success(self):
        status, out, err = self.run_on(json.dumps(record(case("linear_gelu/x/m=1", [5.0] * 5))))
        self.assertEqual((status, out), (2, ""))
        self.assertIn("nothing in it has a target", err)

    def test_what_is_no_record_is_refused_with_its_name(self):
        for text in ("{}", "[]", "no JSON", json.dumps(record()), json.dumps({"format": "harness-record", "version": 2})):
            status, out, err = self.run_on(text)
            self.assertEqual((status, out), (2, ""), text)
            self.assertIn("record.json: error:", err)
            self.assertNotRegex(err, r"Error:|NotARecord|Errno")


class AgainstTheProgram(unittest.TestCase):
    @unittest.skipUnless(os.environ.get("FIGURES_HARNESS"), "FIGURES_HARNESS names no harness")
    def test_process_values_and_spreads_are_those_of_the_program(self):
        harness = os.environ["FIGURES_HARNESS"]
        data = pathlib.Path(__file__).resolve().parent.parent / "data" / "h200"
        with tempfile.TemporaryDirectory() as folder:
            for name in ("main", "same"):
                subprocess.run([harness, "import", str(data / f"{name}.jsonl"), "--suite", "probe", "--as", f"{name}.json"],
                               cwd=folder, check=True, capture_output=True)
            subprocess.run([harness, "compare", "--baseline", "main.json", "--current", "same.json", "--report",
                            "json=verdict.json"], cwd=folder, check=True, capture_output=True)
            a_record = json.loads((pathlib.Path(folder) / "main.json").read_text())
            told = json.loads((pathlib.Path(folder) / "verdict.json").read_text())["cases"]
        ours = {one.name: one for one in (figures.Case(data) for data in a_record["cases"])}
        self.assertEqual(len(told), 8)
        for one in told:
            logs = ours[one["case"]].logs
            for value, log in zip(one["baseline"]["process_values"], logs.values(), strict=True):
                self.assertAlmostEqual(math.log(value), log, places=9)
            self.assertAlmostEqual(one["baseline"]["process_sd"], statistics.stdev(logs.values()), places=9)
        spreads = [row for row in figures.figures(a_record) if row.figure.startswith("sd between")]
        self.assertEqual(len(spreads), 8)


if __name__ == "__main__":
    unittest.main()
