#!/usr/bin/env python3
"""outcomes.py on records whose cases ended in known ways."""
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import outcomes  # noqa: E402


def record(**cases):
    """A record of variants that ended so, with this cause."""
    return {"format": "harness-record", "suite": {"name": "s"},
            "cases": [{"variant": name, "outcome": outcome, **({"reason": reason} if reason else {})}
                      for name, (outcome, reason) in cases.items()]}


HONEST = ("measured", None)
AUDITED = ("incorrect", {"code": "wrong_values", "audited": 1})
LATE = ("incorrect", {"code": "not_written", "after_timing": 1})
FORGED = ("failed", {"code": "worker_forged"})


class Outcomes(unittest.TestCase):
    def run_on(self, kind, *records):
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for number, one in enumerate(records):
                path = pathlib.Path(folder) / f"{number}.json"
                path.write_text(one if isinstance(one, str) else json.dumps(one))
                files.append(str(path))
            out, err = io.StringIO(), io.StringIO()
            sys.argv = ["outcomes.py", kind, *files]
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                return outcomes.main(), out.getvalue(), err.getvalue()

    def test_each_cheat_is_caught_by_a_check(self):
        status, out, _ = self.run_on("--cheats", record(honest=HONEST, a=AUDITED, b=LATE, c=FORGED))
        self.assertEqual(status, 0)
        for row in ("| honest | measured |  |  |", "| a | incorrect | wrong_values | audit |",
                    "| b | incorrect | not_written | last check |", "| c | failed | worker_forged | supervisor |"):
            self.assertIn(row, out)

    def test_a_cheat_that_is_measured_is_a_failure(self):
        status, out, _ = self.run_on("--cheats", record(honest=HONEST, a=AUDITED, b=HONEST))
        self.assertEqual(status, 1)
        self.assertIn("| b | measured |  | NOTHING |", out)

    def test_cheats_of_several_records_are_one_table(self):
        status, out, _ = self.run_on("--cheats", record(honest=HONEST, a=AUDITED), record(b=LATE))
        self.assertEqual(status, 0)
        self.assertIn("| b | incorrect | not_written | last check |", out)
        self.assertEqual(self.run_on("--cheats", record(a=AUDITED), record(b=HONEST))[0], 1)
        self.assertEqual(self.run_on("--cheats", record(a=AUDITED), record())[0], 1)

    def test_a_cheat_that_is_skipped_is_a_failure(self):
        self.assertEqual(self.run_on("--cheats", record(honest=HONEST, a=("skipped", None)))[0], 1)

    def test_an_honest_kernel_that_is_caught_is_a_failure(self):
        self.assertEqual(self.run_on("--cheats", record(honest=AUDITED, a=AUDITED))[0], 1)

    def test_suites_have_no_false_alarm(self):
        status, out, _ = self.run_on("--honest", record(a=HONEST, b=HONEST), record(a=HONEST))
        self.assertEqual(status, 0)
        self.assertIn("| s | 2 | 2 | 0 | 0 | 0 | 0.0 % |", out)
        self.assertEqual(self.run_on("--honest", record(a=HONEST), record(a=HONEST, b=LATE))[0], 1)
        self.assertEqual(self.run_on("--honest", record(a=("skipped", None)))[0], 1, "nothing was measured")

    def test_audits_have_a_share(self):
        one = record(a=HONEST)
        one["cases"][0]["results"] = [{"phases": {"sampling": 0.9, "audit": 0.03, "audit_check": 0.02}}, {"phases": {"sampling": 1.05}}]
        self.assertIn("| 2.5 % |", self.run_on("--honest", one)[1])

    def test_what_is_no_record_is_named(self):
        status, _, err = self.run_on("--cheats", "{}")
        self.assertEqual(status, 2)
        self.assertIn("it is no record", err)


if __name__ == "__main__":
    unittest.main()
