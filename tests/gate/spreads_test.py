#!/usr/bin/env python3
"""Tests of spreads.py, on records with known answers."""
import math
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import spreads  # noqa: E402


def case(*logs):
    """A case whose processes have samples of these logs, with outliers that are left out."""
    processes = [{"placements": [{"samples": [math.exp(log)] * 18 + [math.exp(log - 5), math.exp(log + 5)]}]}
                 for log in logs]
    return {"metrics": [{"metric": "gpu_time", "processes": processes},
                        {"metric": "error", "processes": processes}]}


class Spreads(unittest.TestCase):
    def test_tell_the_standard_deviation_by_the_length_of_a_call(self):
        record = {"cases": [case(1, 1.01, 1.02), case(5, 5, 5), case(5, 5.02, 5.04)]}
        cases = spreads.cases_of(spreads.device_times(record))
        self.assertEqual(spreads.rows_of("demo", cases), [
            "| demo | below 5 us | 1 | 1.00 | 1.00 | 1.00 | 0% of 0.5 |",
            "| demo | above 100 us | 2 | 2.00 | 2.00 | 2.00 | 50% of 0.15 |"])

    def test_take_the_values_of_a_pin(self):
        table = {"metric": "gpu_time", "columns": ["process", "value", "log"], "rows": [[1, 2.7, 1], [2, 2.8, 1.03]]}
        pin = {"format": "harness-pin", "cases": [{"metrics": [table, {"metric": "error", "value": 1}]}, {}]}
        self.assertEqual(spreads.values_of(pin), [[1, 1.03]])
        with self.assertRaisesRegex(ValueError, "no samples"):
            spreads.device_times(pin)

    def test_tell_what_fewer_samples_and_placements_tell(self):
        # Two placements of each process: halves of the samples agree with all, the first placements do not.
        processes = [{"placements": [{"samples": [math.exp(5 + first)] * 4}, {"samples": [math.exp(5 - first)] * 4}]}
                     for first in (0.01, 0.02, 0.03)]
        times = spreads.device_times({"cases": [{"metrics": [{"metric": "gpu_time", "processes": processes}]}]})
        self.assertEqual(spreads.row_of_fewer("demo", times), "| demo | 2 x 4 | 0.000 | 0.000 | 1.000 |")

    def test_tell_the_states_of_long_calls_in_the_order_of_time(self):
        def of(name, *medians, begin=0):
            processes = [{"process": number, "placements": [{"started": 10 * number + begin + i, "samples": [median] * 3}
                                                            for i, median in enumerate(placements)]}
                         for number, placements in enumerate(medians, 1)]
            return {"id": name, "metrics": [{"metric": "gpu_time", "processes": processes}]}
        record = {"cases": [of("a", [200, 210], [206, 200], begin=2), of("b", [400, 400]), of("short", [90, 99])]}
        self.assertEqual([(process, second, round(above, 1), case)
                          for process, second, above, case in spreads.states_of(record)],
                         [(1, 0, 0, "b"), (1, 1, 0, "b"), (1, 2, 0, "a"), (1, 3, 5, "a"), (2, 0, 3, "a"), (2, 1, 0, "a")])

    def test_tell_whether_processes_move_together(self):
        together = [[1, 2, 3], [5, 7, 9], [2, 3, 4]]
        self.assertAlmostEqual(spreads.correlation(together), 1)
        self.assertAlmostEqual(spreads.correlation([[1, 2, 3], [3, 2, 1]]), -1)
        self.assertAlmostEqual(spreads.correlation([[1, 2, 3], [1, -2, 1]]), 0)
        self.assertTrue(math.isnan(spreads.correlation([[1, 2, 3], [1, 1, 1]])))


if __name__ == "__main__":
    unittest.main()
