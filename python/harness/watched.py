"""Attributes of modules that cases share with the harness and with each other, and whether a case replaced some.

A case that replaces `time.perf_counter`, `torch.matmul` or the harness' own functions changes how others are measured
and what counts as right. A replacement that is put back is none. Files may replace functions of libraries while they are
imported, as packages of faster kernels do; the clocks and the harness itself they may not.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Iterator

_WATCHED = ("builtins", "ctypes", "gc", "math", "random", "sys", "threading", "time", "numpy", "numpy.linalg", "torch",
            "torch.cuda", "torch.linalg", "torch.nn.functional", "cupy", "cupy.cuda", "cupy.linalg")
_OWN = __name__.partition(".")[0]
_NEVER = ("builtins", "ctypes", "gc", "sys", "time")  # are replaced while a file is imported
_HOOKS = frozenset({"sys.excepthook", "sys.displayhook", "sys.unraisablehook", "sys.breakpointhook",
                    "threading.excepthook"})  # tell of errors; no time depends on them


class CaseChangedModule(Exception):
    """Raised where a case replaced a function that is not its own."""


def _modules() -> Iterator[tuple[str, ModuleType]]:
    for name, module in list(sys.modules.items()):
        if isinstance(module, ModuleType) and (name in _WATCHED or name.partition(".")[0] == _OWN):
            yield name, module


def _functions(name: str, owner: Any) -> Iterator[tuple[str, Any]]:
    """What can be called in a module, and in the classes of the harness."""
    for attribute, value in list(vars(owner).items()):
        if not callable(value) or f"{name}.{attribute}" in _HOOKS:
            continue
        yield f"{name}.{attribute}", value
        if isinstance(value, type) and value.__module__ == name and name.partition(".")[0] == _OWN:
            for inner, function in list(vars(value).items()):
                if callable(function):
                    yield f"{name}.{attribute}.{inner}", function


class Watch:
    """The functions of the watched modules, as they were when files had been imported."""

    def __init__(self) -> None:
        self._seen: dict[str, dict[str, Any]] = {}
        self.see()

    def see(self) -> None:
        """After a file was imported."""
        for name, module in _modules():
            if name not in self._seen or not (name in _NEVER or name.partition(".")[0] == _OWN):
                self._seen[name] = dict(_functions(name, module))

    def check(self) -> None:
        """Raises where one of them is another now, and puts it back for the cases that follow."""
        for name, module in _modules():
            seen = self._seen.get(name)
            if not seen:
                continue
            now = dict(_functions(name, module))
            changed = [full for full, function in seen.items() if now.get(full, function) is not function]
            for full in changed:
                owner: Any = module
                *path, last = full[len(name) + 1:].split(".")
                for part in path:
                    owner = getattr(owner, part)
                setattr(owner, last, seen[full])
            if changed:
                raise CaseChangedModule(f"a case replaced `{changed[0]}`; what it replaces, it puts back")
