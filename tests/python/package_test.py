"""The package without the program: declarations, arrays, files that are loaded, and the exports of a plug-in."""

from __future__ import annotations

import ctypes
import math
import os
import py_compile
import subprocess
import sys
import tempfile
import textwrap
import time
import types
import unittest
from typing import Any

import harness
from harness import abi, arrays, describe
from harness.load import Loader
from harness.place import reason_of
from harness.watched import CaseChangedModule, Watch


def scale(**more: Any) -> harness.Workload:
    return harness.Workload("scale", inputs={"x": "f32[n, 2*k]"}, outputs={"y": "f32[n, 2*k]"},
                            reference=lambda x, n: [3 * value for row in x.tolist() for value in row], **more)


class Declaring(unittest.TestCase):
    def test_parameters_come_from_shapes_and_from_params(self) -> None:
        workload = scale(params={"causal": bool, "order": ["row", "column"]})
        self.assertEqual(workload.params, {"causal": bool, "order": ["row", "column"], "n": int, "k": int})
        tensor = workload.tensors({"n": 3, "k": 4})[0]
        self.assertEqual((tensor.shape, tensor.bytes, tensor.is_output), ((3, 8), 96, False))

    def test_the_element_type_may_be_a_parameter(self) -> None:
        workload = harness.Workload("cast", inputs={"x": "dtype[n]"}, outputs={"y": "f64[n]"},
                                    params={"dtype": ["f32", "i8"]}, reference=lambda x: x)
        self.assertEqual([one.bytes for one in workload.tensors({"dtype": "i8", "n": 5})], [5, 40])

    def test_work_is_the_bytes_of_all_tensors_unless_it_is_given(self) -> None:
        self.assertEqual(scale().work({"n": 1, "k": 1}).bytes, 16)
        given = scale(work=lambda n: harness.Work(flops=2 * n))
        self.assertEqual(given.work({"n": 5, "k": 1}), harness.Work(flops=10))

    def test_mistakes_are_refused_where_they_are_made(self) -> None:
        for wrong in ("f32", "f32[n", "f32[n-1]", "f99[n]", "f32[]x"):
            with self.assertRaises(ValueError, msg=wrong):
                harness.Workload("w", inputs={}, outputs={"y": wrong}, reference=lambda: 0)
        with self.assertRaises(ValueError):
            harness.Workload("my workload", inputs={}, outputs={"y": "f32[1]"}, reference=lambda: 0)
        with self.assertRaises(ValueError):
            harness.Workload("w", inputs={}, outputs={}, reference=lambda: 0)
        with self.assertRaisesRegex(ValueError, "no reference"):
            harness.Workload("w", inputs={}, outputs={"y": "f32[1]"})
        with self.assertRaises(ValueError):
            scale(tolerance=0)
        with self.assertRaises(ValueError):
            scale(params={"n": dict})
        with self.assertRaises(ValueError):
            harness.case(scale(), device="toaster")
        with self.assertRaises(ValueError):
            harness.case(scale(), arrays="lists")
        with self.assertRaises(TypeError):
            harness.case(len)  # type: ignore[arg-type]

    def test_a_workload_has_each_case_once(self) -> None:
        workload = scale()
        add = harness.case(workload, name="one")
        add(len)
        with self.assertRaises(ValueError):
            add(len)

    def test_the_reference_gives_as_many_outputs_as_there_are(self) -> None:
        two = harness.Workload("two", inputs={}, outputs={"y": "f32[1]", "z": "f32[1]"}, reference=lambda: [1])
        with self.assertRaises(ValueError):
            two.right_outputs([], {})


class Arrays(unittest.TestCase):
    def test_a_memoryview_shares_the_memory(self) -> None:
        memory = (ctypes.c_float * 6)(1, 2, 3, 4, 5, 6)
        tensor = scale().tensors({"n": 3, "k": 1})[0]
        [view] = arrays.views("memoryview", "cpu", 0, [tensor], [ctypes.addressof(memory)])
        self.assertEqual(view.tolist(), [[1, 2], [3, 4], [5, 6]])
        view[2, 1] = 7
        self.assertEqual(memory[5], 7)

    @unittest.skipUnless(arrays.installed("numpy"), "NumPy is not installed")
    def test_a_numpy_array_shares_the_memory(self) -> None:
        memory = (ctypes.c_float * 6)(1, 2, 3, 4, 5, 6)
        tensor = scale().tensors({"n": 3, "k": 1})[0]
        [view] = arrays.views("numpy", "cpu", 0, [tensor], [ctypes.addressof(memory)])
        view *= 2
        self.assertEqual(list(memory), [2, 4, 6, 8, 10, 12])

    def test_a_missing_package_skips_the_case(self) -> None:
        tensor = scale().tensors({"n": 1, "k": 1})[0]
        self.assertIsNone(arrays.installed("no_such_package"))
        with self.assertRaises(harness.Unsupported):
            arrays.views("memoryview", "cuda", 0, [tensor], [0])

    def test_a_reference_may_return_nested_lists(self) -> None:
        memory = (ctypes.c_double * 4)()
        into = memoryview(memory).cast("B").cast("d", (2, 2))
        arrays.write(into, [[1, 2], [3, 4]])
        self.assertEqual(list(memory), [1, 2, 3, 4])
        with self.assertRaises(ValueError):
            arrays.write(into, [1, 2, 3])


class Loading(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.loader = Loader()
        self.addCleanup(self.loader.close)

    def write(self, name: str, text: str) -> str:
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(text))
        return path

    def refusal(self, path: str) -> str:
        try:
            self.loader.load(path)
        except Exception as error:
            return reason_of(error)
        self.fail("it was loaded")

    CASES = """\
        import harness
        {before}
        one = harness.Workload("one", inputs={{}}, outputs={{"y": "f64[1]"}}, reference=lambda: [1])
        @harness.case(one)
        def constant(y):
            {body}
        """

    def test_an_error_names_the_users_file_and_line(self) -> None:
        for before, line, kind in (("import no_such_module_of_anybody", 2, "ModuleNotFoundError"),
                                   ("def broken(:", 2, "SyntaxError"), ("1 / 0", 2, "ZeroDivisionError")):
            path = self.write("cases.py", self.CASES.format(before=before, body="pass"))
            reason = self.refusal(path)
            self.assertTrue(reason.startswith(f"{path}:{line}: {kind}: "), reason)

    def test_a_mistake_in_a_declaration_names_the_users_line(self) -> None:
        path = self.write("cases.py", "import harness\nharness.Workload('w', inputs={}, outputs={}, reference=len)\n")
        self.assertIn(f"{path}:2: ", self.refusal(path))

    def test_a_file_without_cases_is_refused(self) -> None:
        with self.assertRaises(ValueError) as caught:
            self.loader.load(self.write("cases.py", "import harness\n"))
        self.assertIn("@harness.case", str(caught.exception))

    def test_two_builds_have_helper_modules_of_their_own(self) -> None:
        found = []
        for build, value in (("old", 1), ("new", 2)):
            self.write(f"{build}/helper.py", f"value = {value}\n")
            path = self.write(f"{build}/cases.py", self.CASES.format(before="import helper", body="return helper.value"))
            found += self.loader.load(path)
        self.assertEqual([one.cases[0].function(None) for one in found], [1, 2])
        self.assertNotIn("helper", sys.modules)

    def test_a_late_import_of_a_helper_never_gets_the_other_builds(self) -> None:
        found = []
        for build in ("old", "new"):
            self.write(f"{build}/helper.py", f"value = '{build}'\n")
            body = "import helper; return helper.value"
            path = self.write(f"{build}/cases.py", self.CASES.format(before="import helper", body=body))
            found += self.loader.load(path)
        for workload in found:
            with self.assertRaises(ImportError) as caught:
                workload.cases[0].function(None)
            self.assertIn("top of the file", str(caught.exception))


class Counter:
    """A case with a set-up."""

    def __init__(self, by: float) -> None:
        self.by = by

    def __call__(self, x: Any, y: Any) -> None:
        self.by += 1
        for i, value in enumerate(x):
            y[i] = value + self.by


class Exported(unittest.TestCase):
    """Calls a plug-in through its function pointers, as C does."""

    def setUp(self) -> None:
        self.workload = harness.Workload("shift", inputs={"x": "f32[n]"}, outputs={"y": "f32[n]"},
                                         params={"by": float, "mode": ["up", "down"]},
                                         reference=lambda x, by: [value + by for value in x])

        @harness.case(self.workload, arrays="memoryview")
        def loop(x: Any, y: Any, by: float, mode: str) -> None:
            """One loop."""
            for i, value in enumerate(x):
                y[i] = value + by if mode == "up" else 1 / 0

        @harness.case(self.workload)
        def never(x: Any, y: Any) -> None:
            raise harness.Unsupported("not on this machine")

        harness.case(self.workload, arrays="memoryview", name="counter", waits=True)(Counter)
        self.prepared = []
        for name in ("ready", "also_ready"):
            harness.case(self.workload, arrays="memoryview", name=name, prepare=self.be_ready)(Counter)
        harness.case(self.workload, name="unready", prepare=self.never_ready)(Counter)
        harness.case(self.workload, name="needy", needs=["json", "no_such_package"])(Counter)
        self.kept = abi.Plugin(self.workload)
        self.exports = self.kept.exports
        self.message = ctypes.create_string_buffer(400)

    def be_ready(self) -> None:
        self.prepared.append("ready")

    def never_ready(self) -> None:
        self.prepared.append("never")
        raise harness.Unsupported("not ready")

    def opened(self, variant: bytes | None, mode: bytes = b"up") -> tuple[int, Any]:
        values = (abi.GivenValue * 3)(abi.GivenValue(b"n", 0, 2, 2.0, b""), abi.GivenValue(b"by", 1, 0, 0.5, b""),
                                      abi.GivenValue(b"mode", 3, 0, 0, mode))
        self.request = abi.Request(variant, values, 3, b"", 0, ctypes.addressof(self.message), len(self.message))
        self.values = values
        state = ctypes.c_void_p()
        return self.exports.open(ctypes.byref(self.request), ctypes.byref(state)), state

    def run_on(self, state: Any, ctype: Any) -> tuple[int, list[float]]:
        x, y = (ctype * 2)(1, 2), (ctype * 2)()
        addresses = (ctypes.c_void_p * 2)(ctypes.addressof(x), ctypes.addressof(y))
        self.assertEqual(self.exports.bind(state, addresses, None), abi.OK, self.message.value)
        return self.exports.run(state, None), list(y)

    def test_the_description_is_that_of_the_workload(self) -> None:
        description = self.exports.description.contents
        self.assertEqual((description.version, description.name), (1, b"shift"))
        names = [(one.name, one.kind) for one in description.parameters[:4]]
        self.assertEqual(names, [(b"by", 1), (b"mode", 3), (b"n", 0), (None, 0)])
        self.assertEqual(description.parameters[1].choices[:3], [b"up", b"down", None])
        variants = [(one.name, one.summary) for one in description.variants[:3]]
        self.assertEqual(variants, [(b"loop", b"One loop."), (b"never", b""), (b"counter", b"A case with a set-up.")])
        self.assertIsNone(description.variants[len(self.workload.cases)].name)
        self.assertFalse(description.fill)

    def test_a_case_runs_on_the_memory_that_it_is_given(self) -> None:
        status, state = self.opened(b"loop")
        self.assertEqual(status, abi.OK)
        problem = abi.Problem()
        self.assertEqual(self.exports.tensors(state, ctypes.byref(problem)), abi.OK)
        self.assertEqual((problem.tensor_count, problem.tensors[1].role, problem.tensors[1].shape[0]), (2, 1, 2))
        self.assertEqual(self.run_on(state, ctypes.c_float), (abi.OK, [1.5, 2.5]))
        self.exports.close(state)

    def test_the_reference_runs_on_doubles(self) -> None:
        _, state = self.opened(None)
        self.assertEqual(self.run_on(state, ctypes.c_double), (abi.OK, [1.5, 2.5]))

    def test_an_exception_names_the_line_of_the_case(self) -> None:
        _, state = self.opened(b"loop", b"down")
        status, _ = self.run_on(state, ctypes.c_float)
        self.assertEqual(status, abi.FAILED)
        line = self.workload.cases[0].function.__code__.co_firstlineno + 4
        self.assertTrue(self.message.value.decode().startswith(f"{__file__}:{line}: ZeroDivisionError"), self.message.value)

    def test_each_opened_case_of_a_class_is_an_object_of_its_own(self) -> None:
        states = [self.opened(b"counter")[1] for _ in range(2)]
        self.assertEqual([self.run_on(state, ctypes.c_float)[1] for state in states], [[2.5, 3.5]] * 2)
        self.assertEqual(self.run_on(states[0], ctypes.c_float)[1], [3.5, 4.5])

    def test_a_case_may_wait_for_the_device(self) -> None:
        for variant, waits in ((b"loop", 0), (b"counter", 1)):
            problem = abi.Problem()
            self.exports.tensors(self.opened(variant)[1], ctypes.byref(problem))
            self.assertEqual(problem.synchronises, waits)

    def test_a_process_prepares_once(self) -> None:
        for variant in (b"ready", b"also_ready", b"ready"):
            self.opened(variant)
            self.assertEqual(self.exports.prepare(ctypes.byref(self.request)), abi.OK)
        self.assertEqual(self.prepared, ["ready"])

    def test_a_case_that_cannot_be_prepared_is_unsupported_each_time(self) -> None:
        self.opened(b"ready")
        self.request.variant = b"unready"
        for _ in range(2):
            self.assertEqual(self.exports.prepare(ctypes.byref(self.request)), abi.UNSUPPORTED)
            self.assertEqual(self.message.value, b"not ready")
        self.assertEqual(self.prepared, ["never", "never"])

    def test_a_case_without_a_module_that_it_needs_is_unsupported(self) -> None:
        self.opened(b"ready")
        self.request.variant = b"needy"
        self.assertEqual(self.exports.prepare(ctypes.byref(self.request)), abi.UNSUPPORTED)
        self.assertIn(b"no_such_package", self.message.value)

    def test_unsupported_is_told_from_failed(self) -> None:
        _, state = self.opened(b"never")
        status, _ = self.run_on(state, ctypes.c_float)
        self.assertEqual((status, self.message.value), (abi.UNSUPPORTED, b"not on this machine"))


class KeptCompiled(unittest.TestCase):
    """Compiled modules of installed packages, as interpreters find them that the program starts."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = os.path.realpath(folder.name)
        self.kept = os.path.join(self.root, "kept")
        self.write("site-packages/installed/__init__.py", "from installed import part\nsays = part.says\n")
        self.write("site-packages/installed/part.py", "says = 'first'\n")
        self.write("users/helper.py", "says = 'users'\n")

    def write(self, name: str, text: str) -> str:
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.utime(path, (1_600_000_000, 1_600_000_000))
        return path

    def compiled(self, folder: str) -> list[str]:
        return sorted(name.split(".")[0] for _, _, names in os.walk(os.path.join(self.root, folder)) for name in names
                      if name.endswith(".pyc"))

    def says(self) -> str:
        return self.printed("import harness.load; harness.load.Loader(); import helper, installed; "
                            "print(helper.says, installed.says)")

    def printed(self, code: str) -> str:
        path = os.pathsep.join([os.path.dirname(os.path.dirname(harness.__file__)),
                                os.path.join(self.root, "site-packages"), os.path.join(self.root, "users")])
        environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        environment.pop("PYTHONPYCACHEPREFIX", None)
        command = [sys.executable, "-B", "-X", "harness_compiled=" + self.kept, "-c", code]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.strip()

    def test_they_are_compiled_once_and_those_of_users_are_not_kept(self) -> None:
        self.assertEqual(self.says(), "users first")
        self.assertEqual(self.compiled("kept"), ["__init__", "part"])
        self.assertEqual(self.compiled("site-packages") + self.compiled("users"), [])
        self.tell_kept("part", "first", "kept!")
        self.write("users/helper.py", "says = 'again'\n")
        self.assertEqual(self.says(), "again kept!")

    def tell_kept(self, module: str, word: str, other: str) -> None:
        """Changes a word of equal length in a compiled module that is kept."""
        for folder, _, names in os.walk(self.kept):
            for path in (os.path.join(folder, name) for name in names if name == module + ".pyc"):
                with open(path, "rb") as file:
                    content = file.read()
                with open(path, "wb") as file:
                    file.write(content.replace(word.encode(), other.encode()))

    def test_a_source_that_changed_is_compiled_again(self) -> None:
        self.assertEqual(self.says(), "users first")
        self.write("site-packages/installed/part.py", "says = 'other'\n")  # of the same size and time
        self.assertEqual(self.says(), "users other")

    def test_a_kept_module_that_is_damaged_is_compiled_again(self) -> None:
        self.assertEqual(self.says(), "users first")
        for folder, _, names in os.walk(self.kept):
            for path in (os.path.join(folder, name) for name in names):
                with open(path, "rb") as file:
                    content = file.read()
                with open(path, "wb") as file:
                    file.write(content[:20])
        self.assertEqual(self.says(), "users first")

    def test_threads_that_import_at_once_leave_no_module_of_users_behind(self) -> None:
        for number in range(60):
            self.write(f"site-packages/installed/part_{number}.py", f"says = {number}\n")
            self.write(f"users/own_{number}.py", f"says = {number}\n")
        code = ("import harness.load, importlib, sys, threading\n"
                "harness.load.Loader()\n"
                "before = sys.pycache_prefix, sys.dont_write_bytecode\n"
                "def load(name):\n"
                "    for number in range(60): importlib.import_module(f'{name}_{number}')\n"
                "threads = [threading.Thread(target=load, args=(name,)) for name in ['installed.part', 'own'] * 4]\n"
                "for one in threads: one.start()\n"
                "for one in threads: one.join()\n"
                "print(before == (sys.pycache_prefix, sys.dont_write_bytecode))")
        self.assertEqual(self.printed(code), "True")
        self.assertEqual(len(self.compiled("kept")), 62)
        self.assertEqual(self.compiled("site-packages") + self.compiled("users"), [])

    def test_a_package_that_was_installed_with_compiled_modules_keeps_to_them(self) -> None:
        part = os.path.join(self.root, "site-packages/installed/part.py")
        py_compile.compile(part)
        self.assertEqual(self.says(), "users first")
        self.assertEqual(self.compiled("kept"), ["__init__"])

    def test_a_folder_that_cannot_be_written_is_no_error(self) -> None:
        self.write("kept", "a file")
        self.assertEqual(self.says(), "users first")


class Watching(unittest.TestCase):
    """What a case replaces in modules that others use, too."""

    def setUp(self) -> None:
        self.watch = Watch()

    def replaced(self, owner: Any, name: str) -> None:
        kept = getattr(owner, name)
        self.addCleanup(setattr, owner, name, kept)
        setattr(owner, name, lambda *_: 0)

    def test_a_replaced_clock_is_found_and_put_back(self) -> None:
        kept = time.perf_counter
        self.replaced(time, "perf_counter")
        with self.assertRaisesRegex(CaseChangedModule, "`time.perf_counter`"):
            self.watch.check()
        self.assertIs(time.perf_counter, kept)
        self.watch.check()

    def test_a_file_may_replace_a_librarys_functions_while_it_is_imported_but_no_clock(self) -> None:
        self.replaced(math, "sin")
        self.watch.see()
        self.watch.check()
        self.replaced(time, "perf_counter")
        self.watch.see()
        with self.assertRaisesRegex(CaseChangedModule, "`time.perf_counter`"):
            self.watch.check()

    def test_a_hook_for_errors_may_be_replaced(self) -> None:
        self.replaced(sys, "excepthook")
        self.watch.check()

    def test_a_replaced_method_of_the_harness_is_found(self) -> None:
        self.replaced(harness.Workload, "right_outputs")
        with self.assertRaisesRegex(CaseChangedModule, "right_outputs"):
            self.watch.check()
        self.watch.check()

    def test_what_a_module_gets_in_addition_is_no_change(self) -> None:
        math.of_a_case = len  # type: ignore[attr-defined]
        self.addCleanup(delattr, math, "of_a_case")
        self.watch.check()

    def test_modules_are_watched_from_when_they_are_loaded(self) -> None:
        module = types.ModuleType("cupy")
        module.add = len  # type: ignore[attr-defined]
        self.addCleanup(sys.modules.pop, "cupy", None)
        sys.modules["cupy"] = module
        self.watch.see()
        module.add = max  # type: ignore[attr-defined]
        with self.assertRaisesRegex(CaseChangedModule, "`cupy.add`"):
            self.watch.check()

    def test_a_case_that_replaced_a_function_is_not_bound(self) -> None:
        workload = scale()
        harness.case(workload, arrays="memoryview", name="one")(lambda x, y: None)
        plugin = abi.Plugin(workload, self.watch)
        values = (abi.GivenValue * 2)(abi.GivenValue(b"n", 0, 2, 2.0, b""), abi.GivenValue(b"k", 0, 1, 1.0, b""))
        message = ctypes.create_string_buffer(400)
        request = abi.Request(b"one", values, 2, b"", 0, ctypes.addressof(message), len(message))
        state = ctypes.c_void_p()
        self.assertEqual(plugin.exports.open(ctypes.byref(request), ctypes.byref(state)), abi.OK, message.value)
        addresses = (ctypes.c_void_p * 2)(ctypes.addressof(message), ctypes.addressof(message))
        self.replaced(time, "perf_counter")
        self.assertEqual(plugin.exports.bind(state, addresses, None), abi.FAILED)
        self.assertIn(b"a case replaced `time.perf_counter`", message.value)


class Describing(unittest.TestCase):
    def test_a_problem_is_described_or_refused_with_a_place(self) -> None:
        workload = scale()
        told = describe.problem_of({"scale": workload}, {"workload": "scale", "params": {"n": 2, "k": 3}})
        self.assertEqual(told["tensors"][1], {"name": "y", "output": True, "dtype": "f32", "shape": [2, 6]})

        def work(n: int) -> harness.Work:
            raise harness.Unsupported("too large")

        refused = scale(work=work)
        told = describe.problem_of({"scale": refused}, {"workload": "scale", "params": {"n": 2, "k": 3}})
        self.assertEqual(told, {"unsupported": "too large"})


if __name__ == "__main__":
    unittest.main()
