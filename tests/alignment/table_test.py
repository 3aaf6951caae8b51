#!/usr/bin/env python3
"""table.py on measurements whose answers are known."""
import contextlib
import io
import json
import pathlib
import random
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import table  # noqa: E402

SHIFTS = ["x", "0", "0", *[str(shift) for shift in range(1, 33)]]


def measured(effect, noise=0.0002, processes=4, shifts=SHIFTS, name="k", **others):
    """Lines of one kernel of 100 us. `effect`: of a shift, relative."""
    lines = []
    for process in range(processes):
        draw = random.Random(f"{name} {process}")
        copies = [{"shift": shift, "equal": True,
                   "us": [100 * (1 + (0 if shift == "x" else effect(int(shift))) + draw.gauss(0, noise))] * 3}
                  for shift in shifts]
        lines.append(json.dumps({"kernel": name, "grid": [4, 2, 1], "block": [128, 1, 1], "registers": 40,
                                 "code_bytes": 2048, "us": 100, "launches": 2, "repeatable": True, "changed": True,
                                 "copies": copies, **others}))
    return lines


class Table(unittest.TestCase):
    def run_on(self, lines, *options):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "lines"
            file.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
            out, err = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                status = table.main([*options, str(file)])
        return status, out.getvalue(), err.getvalue()

    def figures(self, lines, *options):
        status, out, _ = self.run_on(lines, *options)
        self.assertEqual(status, 0, out)
        return [part.strip() for part in out.splitlines()[2].split("|")[1:-1]]

    def test_finds_the_period_and_the_size_of_a_move(self):
        for instructions in (2, 4, 8):
            with self.subTest(instructions):
                moves = self.figures(measured(lambda shift: 0.02 if shift % instructions == 1 else 0))
                self.assertEqual(moves[9], f"{16 * instructions} bytes")
                self.assertAlmostEqual(float(moves[7].strip("*")), 2.0, delta=0.15)
                self.assertTrue(moves[7].startswith("**"))
                self.assertGreater(float(moves[6]), 0.9)
        self.assertEqual(self.figures(measured(lambda shift: 0.02 if shift % 16 == 1 else 0))[9], "256 bytes")

    def test_sees_none_where_there_is_noise_alone(self):
        still = self.figures(measured(lambda shift: 0, noise=0.001))
        self.assertEqual(still[9], "")
        self.assertFalse(still[7].startswith("**"))
        self.assertLess(float(still[7]), float(still[8]))
        self.assertAlmostEqual(float(still[4]), 0.05, delta=0.015)  # 0.1 % over the root of four processes

    def test_seldom_takes_noise_for_a_move(self):
        lines = [line for i in range(100) for line in measured(lambda shift: 0, noise=0.001, name=f"k{i}")]
        _, out, _ = self.run_on(lines)
        self.assertLessEqual(out.count("| **"), 1, out)

    def test_counts_no_period_in_what_grows_with_each_instruction(self):
        grows = self.figures(measured(lambda shift: 0.002 * shift))
        self.assertEqual(grows[9], "")
        self.assertGreater(float(grows[6]), 0.9)

    def test_takes_copies_of_the_code_as_it_is(self):
        still = self.figures(measured(lambda shift: 0, shifts=["x"] * 24))
        self.assertEqual(still[7:], ["", "", "", "equal"])

    def test_fails_where_results_differ(self):
        lines = measured(lambda shift: 0)
        row = json.loads(lines[1])
        row["copies"][5]["equal"] = False
        status, out, _ = self.run_on([lines[0], json.dumps(row), *lines[2:]])
        self.assertEqual(status, 1)
        self.assertIn("DIFFER", out)

    def test_says_where_the_kernel_itself_differs_from_call_to_call(self):
        lines = [json.loads(line) for line in measured(lambda shift: 0, repeatable=False)]
        lines[0]["copies"][5]["equal"] = False
        status, out, _ = self.run_on([json.dumps(line) for line in lines])
        self.assertEqual(status, 0)
        self.assertIn("differ, as the kernel's own", out)

    def test_fails_where_nothing_was_compared(self):
        nothing = measured(lambda shift: 0, changed=False)
        status, out, _ = self.run_on(nothing)
        self.assertEqual(status, 1)
        self.assertIn("not compared", out)
        status, out, _ = self.run_on(nothing + measured(lambda shift: 0, name="other"))
        self.assertEqual(status, 0, "one kernel was compared")

    def test_puts_the_kernel_that_moves_most_first(self):
        lines = measured(lambda shift: 0, name="still") + measured(lambda shift: 0.01 * (shift % 2), name="moves")
        _, out, _ = self.run_on(lines, "--shifts")
        self.assertLess(out.index("| moves |"), out.index("| still |"))
        self.assertRegex(out, r"\nmoves: x:[-+]0\.\d\d 0:")
        self.assertNotIn("\nstill: x:", out)
        _, out, _ = self.run_on(lines, "--least-us", "101")
        self.assertNotIn("still", out)

    def test_judges_no_single_process_and_no_other_file(self):
        status, out, err = self.run_on(measured(lambda shift: 0, processes=1))
        self.assertEqual((status, out), (2, ""))
        self.assertIn("two processes", err)
        status, _, err = self.run_on(["{}"])
        self.assertEqual(status, 2)
        self.assertIn("no line of the library", err)

    def test_shortens_names(self):
        for name, expected in (("void matmul::(anonymous namespace)::naive<float>(float const*, int)", "matmul::naive<float>"),
                               ("big_loop", "big_loop"),
                               ("void a::b<(a::Kind)1, a::c<int, true>, -3>(a::d<int>)", "a::b<1, c<int, true>, -3>"),
                               ("void a::(anonymous namespace)::b<a::C<4> >(a::D)", "a::b<C<4>>")):
            self.assertEqual(table.short(name), expected)


if __name__ == "__main__":
    unittest.main()
