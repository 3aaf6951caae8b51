"""Imports the files that a suite names."""

from __future__ import annotations

import gc
import importlib.util
import os
import sys
import sysconfig
from types import ModuleType
from typing import Any

from . import compiled
from .cases import Workload, take_declared

_PREFIX = "harness_cases_"
_STANDARD = tuple(os.path.join(sysconfig.get_path(name), "") for name in ("stdlib", "platstdlib"))


def _is_users(module: ModuleType) -> bool:
    """Whether a module is a file of the user's tree, and not of an installed package."""
    file = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), None)
    if not isinstance(file, str):
        return False
    file = os.path.abspath(file)
    parts = file.split(os.sep)
    return not file.startswith(_STANDARD) and "site-packages" not in parts and "dist-packages" not in parts


class Loader:
    """Imports files. Two builds have files and helper modules of the same names, and each build gets its own.

    When files of several folders are loaded, no helper module stays importable by its name. A function that imports
    one while it is measured gets an error, and never the module of the other build.
    """

    def __init__(self) -> None:
        self._path = list(sys.path)
        self._folders: set[str] = set()
        self._helpers: set[str] = set()
        self._away: set[str] = set()
        self._loading = False
        compiled.keep(sys._xoptions.get("harness_compiled"))
        sys.meta_path.insert(0, self)  # type: ignore[arg-type]

    def close(self) -> None:
        """Takes its finder out of the interpreter."""
        sys.meta_path.remove(self)  # type: ignore[arg-type]

    def load(self, path: str) -> list[Workload]:
        """The workloads of a file. Raises whatever the file raises."""
        path = os.path.abspath(path)
        folder = os.path.dirname(path)
        if self._folders - {folder}:
            self._put_away()
        self._folders.add(folder)
        before = set(sys.modules)
        if folder not in sys.path:
            sys.path.insert(0, folder)
        take_declared()
        self._loading = True
        try:
            self._import(path, f"{_PREFIX}{len(before)}")
        finally:
            self._loading = False
            came = set(sys.modules) - before
            self._helpers |= {name for name in came
                              if not name.startswith(_PREFIX) and _is_users(sys.modules[name])}
            if len(self._folders) > 1:
                self._put_away()
        found = take_declared()
        if not found:
            raise ValueError(f"{path} declares no case; write @harness.case(workload) above a function")
        gc.collect()
        gc.freeze()  # what the file made is not looked at again while a case is timed
        return found

    @staticmethod
    def _import(path: str, name: str) -> None:
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise ImportError(f"{path} is no file of Python")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)

    def _put_away(self) -> None:
        for name in self._helpers:
            sys.modules.pop(name, None)
            self._away.add(name.partition(".")[0])
        self._helpers.clear()
        sys.path[:] = self._path

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """As a finder of sys.meta_path: refuses a late import of a helper module."""
        if not self._loading and name.partition(".")[0] in self._away:
            raise ImportError(f"`{name}` is imported while a case runs, and two builds have one of that name; "
                              "import it at the top of the file")
