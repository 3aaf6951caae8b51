"""Attributes of modules that cases share with the harness and with each other, and whether a case replaced some.

A case that replaces `time.perf_counter`, `torch.matmul` or the harness' own functions changes how others are measured
and what counts as right. A replacement that is put back is none.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Iterator

_WATCHED = ("builtins", "ctypes", "gc", "math", "random", "sys", "threading", "time", "numpy", "numpy.linalg", "torch",
            "torch.cuda", "torch.linalg", "torch.nn.functional", "cupy", "cupy.cuda", "cupy.linalg")
_OWN = __name__.partition(".")[0]


class CaseChangedModule(Exception):
    """Raised where a case replaced a function that is not its own."""


def _modules() -> Iterator[tuple[str, ModuleType]]:
    for name, module in list(sys.modules.items()):
        if isinstance(module, ModuleType) and (name in _WATCHED or name.partition(".")[0] == _OWN):
            yield name, module


def _functions(name: str, owner: Any) -> Iterator[tuple[str, Any]]:
    """What can be called in a module, and in the classes of the harness."""
    for attribute, value in list(vars(owner).items()):
        if not callable(value):
            continue
        yield f"{name}.{attribute}", value
        if isinstance(value, type) and value.__module__ == name and name.partition(".")[0] == _OWN:
            for inner, function in list(vars(value).items()):
                if callable(function):
                    yield f"{name}.{attribute}.{inner}", function


class Watch:
    """The functions of the watched modules, as they were when each was first seen."""

    def __init__(self) -> None:
        self._seen: dict[str, dict[str, Any]] = {}
        self.see()

    def see(self) -> None:
        """Adds modules that were loaded since."""
        for name, module in _modules():
            if name not in self._seen:
                self._seen[name] = dict(_functions(name, module))

    def check(self) -> None:
        """Raises where one of them is another now."""
        for name, module in _modules():
            now = None
            for full, function in self._seen.get(name, {}).items():
                now = now if now is not None else dict(_functions(name, module))
                if now.get(full, function) is not function:
                    raise CaseChangedModule(f"a case replaced `{full}`; what it replaces, it puts back")
