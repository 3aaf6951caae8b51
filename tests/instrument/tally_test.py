#!/usr/bin/env python3
"""tally.py on comparisons whose verdicts are known."""
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import tally  # noqa: E402


def comparison(**verdicts):
    """A comparison whose cases have these verdicts, `regressed` with a ratio of 1.02."""
    rows = [{"case": name, "metric": "gpu_time", "verdict": verdict, "ratio": 1.02 if verdict == "regressed" else 1.0}
            for name, verdict in verdicts.items()]
    return {"format": "harness-comparison", "version": 1, "cases": rows}


class Tally(unittest.TestCase):
    def run_on(self, comparisons, *options):
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for number, one in enumerate(comparisons):
                path = pathlib.Path(folder) / f"{number}.json"
                path.write_text(one if isinstance(one, str) else json.dumps(one))
                files.append(str(path))
            out, err = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                status = tally.main([*options, *files])
            return status, out.getvalue(), err.getvalue()

    def test_a_build_against_itself_must_never_be_regressed(self):
        quiet = comparison(copy="unchanged", gelu="inconclusive")
        status, out, _ = self.run_on([quiet] * 3, "--runs", "3")
        self.assertEqual(status, 0)
        self.assertIn("| copy | 0 | 0 | 3 | 0 | 0 | 0 | 0 | +0.00 % (+0.00, +0.00) |", out)
        self.assertIn("3 runs, 0 of them with a regressed case", out)
        status, out, _ = self.run_on([quiet] * 2 + [comparison(copy="regressed", gelu="unchanged")])
        self.assertEqual(status, 1)
        self.assertIn("unexpected: copy: regressed in 1 of 3 runs instead of 0", out)

    def test_a_slower_kernel_must_be_found_in_every_run_and_nothing_else(self):
        found = comparison(copy="unchanged", gelu="regressed")
        self.assertEqual(self.run_on([found] * 4, "--regressed", "ge*")[0], 0)
        status, out, _ = self.run_on([found] * 3 + [comparison(copy="unchanged", gelu="inconclusive")],
                                     "--regressed", "ge*")
        self.assertEqual(status, 1)
        self.assertIn("gelu: regressed in 3 of 4 runs instead of 4", out)
        self.assertIn("| gelu | 3 | 0 | 0 | 0 | 0 | 0 | 1 | +1.50 % (+0.00, +2.00) |", out)
        status, out, _ = self.run_on([comparison(copy="regressed", gelu="regressed")], "--regressed", "ge*")
        self.assertEqual(status, 1)
        self.assertIn("copy: regressed in 1 of 1 runs instead of 0", out)

    def test_identical_cases_and_those_that_are_not_worse_are_as_they_should_be(self):
        proven = comparison(copy="identical", gelu="not_worse", gemm="environment")
        status, out, _ = self.run_on([proven] * 2)
        self.assertEqual((status, out.count("unexpected")), (0, 0))
        self.assertIn("| case | regressed | improved | unchanged | not worse | identical | environment | inconclusive |", out)
        self.assertIn("| copy | 0 | 0 | 0 | 0 | 2 | 0 | 0 |", out)
        self.assertEqual(self.run_on([proven] * 2, "--regressed", "copy")[0], 1)

    def test_a_wildcard_that_names_nothing_is_no_success(self):
        status, out, _ = self.run_on([comparison(copy="unchanged")], "--regressed", "gelu*")
        self.assertEqual(status, 1)
        self.assertIn("no case is called gelu*", out)

    def test_cases_that_were_not_compared_or_not_in_every_run_are_told(self):
        status, out, _ = self.run_on([comparison(copy="not_comparable")])
        self.assertEqual(status, 1)
        self.assertIn("not_comparable", out)
        status, out, _ = self.run_on([comparison(copy="unchanged"), comparison(copy="unchanged", gelu="unchanged")])
        self.assertEqual(status, 1)
        self.assertIn("gelu: 1 verdicts in 2 runs", out)

    def test_cases_of_another_device_are_left_out_unless_there_are_no_others(self):
        status, out, _ = self.run_on([comparison(copy="unchanged", cpu="skipped")] * 2)
        self.assertEqual(status, 0)
        self.assertNotIn("cpu", out)
        status, out, _ = self.run_on([comparison(copy="unchanged", gpu="unchanged"), comparison(copy="unchanged", gpu="skipped")])
        self.assertEqual(status, 1)
        status, out, _ = self.run_on([comparison(cpu="skipped")])
        self.assertEqual(status, 1)
        self.assertIn("no case was compared", out)

    def test_too_few_runs_and_other_files_are_errors(self):
        status, _, err = self.run_on([comparison(copy="unchanged")], "--runs", "20")
        self.assertEqual(status, 2)
        self.assertIn("1 runs instead of 20", err)
        for text in ("no JSON", "{}", "[]"):
            self.assertEqual(self.run_on([text])[0], 2, text)
        status, out, err = self.run_on([])
        self.assertEqual((status, out), (2, ""))
        self.assertIn("no comparison", err)


if __name__ == "__main__":
    unittest.main()
