#!/usr/bin/env python3
"""When the table of `ab`'s verdicts says PASS."""
import contextlib
import io
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import verdicts  # noqa: E402


def row(kernel, verdict, ratio, code, over, **more):
    return {"case": f"turning/{kernel}/turns=100", "metric": "gpu_time", "verdict": verdict, "ratio": ratio, "alpha": 0.01,
            "reason_fact": {"code": code}, "over_places": {"ratio": over}, **more}


MOVED = row("place_1", "moved", 1.01, "moved", 1.0)
HIDDEN = row("slower_21", "regressed", 1.0, "worse_over_places", 1.01, p_passes=0)
GREEN = row("slower_21", "unchanged", 1.0, "within", 1.0)


class Verdicts(unittest.TestCase):
    def run_on(self, rows, *options):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "report.json")
            with open(file, "w", encoding="utf-8") as text:
                json.dump({"cases": rows}, text)
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                status = verdicts.main([*options, f"large={file}"])
        return status, out.getvalue()

    def test_passes_with_slower_ones_red(self):
        status, text = self.run_on([MOVED, HIDDEN], "--expect=moved,hidden", "--slower=1", "--kernels=place_1,slower_21")
        self.assertEqual(status, 0, text)
        self.assertIn("red: 1, at least: 1", text)

    def test_fails_with_slower_ones_green(self):
        status, text = self.run_on([MOVED, GREEN], "--slower=1")
        self.assertEqual(status, 1)
        self.assertIn("only 0 of the `slower_` kernels are red", text)

    def test_fails_without_an_expected_kernel(self):
        status, text = self.run_on([MOVED], "--kernels=place_1,slight_41")
        self.assertEqual(status, 1)
        self.assertIn("slight_41: without a row", text)

    def test_takes_a_p_of_nothing_for_a_p(self):
        self.assertEqual(verdicts.as_compiled(HIDDEN), "passes")
        better = row("slower_21", "regressed", 0.98, "worse_over_places", 1.01, p_passes=0, p_improved_adjusted=0)
        self.assertEqual(verdicts.as_compiled(better), "improved")
        self.assertEqual(verdicts.as_compiled({**HIDDEN, "p_passes": None}), "inconclusive")


if __name__ == "__main__":
    unittest.main()
