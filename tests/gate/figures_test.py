#!/usr/bin/env python3
"""Tests of figures.py: what the table says, and which runs it calls wrong."""
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import figures  # noqa: E402


def row(case, verdict, informative=False, ratio=1.0):
    return {"case": case, "metric": "gpu_time", "verdict": verdict, "informative": informative, "ratio": ratio}


class Figures(unittest.TestCase):
    def run_on(self, *runs):
        """Each run: part, status, rows or None. Returns the exit status and what was printed."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            lines = []
            for number, (part, status, rows) in enumerate(runs, 1):
                report = f"{number}.json"
                lines.append(json.dumps({"part": part, "suite": "matmul", "run": number, "status": status,
                                         "seconds": 2.0 * number, "report": report}))
                if rows is not None:
                    (folder / report).write_text(json.dumps({"cases": rows}), encoding="utf-8")
            (folder / "figures.jsonl").write_text("\n".join(lines), encoding="utf-8")
            before, sys.argv = sys.argv, ["figures.py", name]
            printed = io.StringIO()
            try:
                with contextlib.redirect_stdout(printed):
                    return figures.main(), printed.getvalue()
            finally:
                sys.argv = before

    def test_counts_cases_by_their_worst_verdict(self):
        status, printed = self.run_on(("proof", 0, [row("a", "identical"), row("b", "identical"), row("b", "environment"),
                                                    row("c", "regressed", informative=True)]))
        self.assertEqual(status, 0)
        self.assertIn("| proof | matmul | 1 | 1 x 0 | 2.0 | 1 | 1 |", printed)

    def test_the_first_record_has_no_verdicts(self):
        measured = [{"case": "a", "outcome": "measured"}]
        status, printed = self.run_on(("record", 0, measured), ("proof", 0, [row("a", "identical")]))
        self.assertEqual(status, 0)
        self.assertIn("| record | matmul | 1 | 1 x 0 | 2.0 |  |", printed)
        self.assertEqual(self.run_on(("record", 1, measured))[0], 1)

    def test_a_red_case_of_an_unchanged_build_is_wrong(self):
        status, printed = self.run_on(("all", 1, [row("a", "regressed"), row("b", "unchanged")]))
        self.assertEqual(status, 1)
        self.assertIn("a is red", printed)
        self.assertIn("status 1 instead of 0", printed)

    def test_an_undecided_case_shows_in_the_status(self):
        self.assertEqual(self.run_on(("all", 3, [row("a", "inconclusive")]))[0], 1)

    def test_a_slower_case_must_be_found(self):
        slow = "matmul/wmma/dtype=f16"
        self.assertEqual(self.run_on(("slower", 1, [row(slow, "regressed"), row("a", "identical")]))[0], 0)
        status, printed = self.run_on(("slower", 0, [row(slow, "unchanged"), row("a", "identical")]))
        self.assertEqual(status, 1)
        self.assertIn("was not found (unchanged)", printed)

    def test_each_run_of_one_slower_case_must_be_red(self):
        slow = "matmul/wmma/dtype=f16"
        runs = [("one-1", 1, [row(slow, "regressed", ratio=ratio)]) for ratio in (1.0091, 1.0104)]
        status, printed = self.run_on(*runs)
        self.assertEqual(status, 0)
        self.assertIn("+0.91 to +1.04 %", printed)
        self.assertEqual(self.run_on(*runs, ("one-1", 3, [row(slow, "inconclusive")]))[0], 1)

    def test_a_suite_without_a_slower_case_must_pass(self):
        self.assertEqual(self.run_on(("slower", 0, [row("a", "identical")]))[0], 0)
        self.assertEqual(self.run_on(("slower", 1, [row("a", "regressed")]))[0], 1)

    def test_a_run_without_a_report_is_wrong(self):
        self.assertEqual(self.run_on(("ab", 2, None))[0], 1)

    def test_no_run_is_wrong(self):
        self.assertEqual(self.run_on()[0], 1)

    def test_a_folder_without_figures_is_refused(self):
        with tempfile.TemporaryDirectory() as name, contextlib.redirect_stderr(io.StringIO()):
            before, sys.argv = sys.argv, ["figures.py", name]
            try:
                self.assertEqual(figures.main(), 2)
            finally:
                sys.argv = before


if __name__ == "__main__":
    unittest.main()
