"""A worker process: python3 -m harness.worker LIBRARY, which `harness run` starts for suites with cases in Python.

The library is the harness' own worker: it speaks the protocol, owns the buffers, times and verifies. This process
only lends it its interpreter. So a case in Python is measured like any other, and two builds in one process, too.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import Any

from .abi import Exports, Plugin
from .load import Loader
from .place import reason_of
from .watched import Watch

LOAD = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(ctypes.POINTER(Exports)), ctypes.c_void_p,
                        ctypes.c_size_t)


def see_environment() -> None:
    """Tells os.environ which GPUs are visible: the library hides the others in C, before CUDA starts.

    PyTorch counts GPUs by os.environ, and fails where CUDA shows another number.
    """
    variable = "CUDA_VISIBLE_DEVICES"
    getenv = ctypes.CDLL(None).getenv
    getenv.argtypes, getenv.restype = [ctypes.c_char_p], ctypes.c_char_p
    value = getenv(variable.encode())
    if value is not None:
        os.environ[variable] = os.fsdecode(value)


class Door:
    """Through it the library asks for the plug-ins of a file."""

    def __init__(self) -> None:
        self._loader = Loader()
        self._watch = Watch()  # before a file of the user is imported
        self._kept: list[Any] = []

    def load(self, path: bytes, exports: Any, message: int, message_bytes: int) -> int:
        """Gives an array of exports, and their number; -1 and a message for a file that cannot be imported."""
        try:
            see_environment()
            workloads = self._loader.load(os.fsdecode(path))
            self._watch.see()
            plugins = [Plugin(workload, self._watch) for workload in workloads]
            given = (Exports * len(plugins))(*(one.exports for one in plugins))
            self._kept += [plugins, given]
            exports[0] = given
            return len(plugins)
        except BaseException as error:  # nothing may pass through C
            text = reason_of(error).encode()[:max(message_bytes - 1, 0)]
            ctypes.memmove(message, text + b"\0", len(text) + 1)
            return -1


def main(arguments: list[str]) -> int:
    """Runs one job, as `harness worker` does."""
    if len(arguments) != 1:
        print("python3 -m harness.worker is started by `harness run`, with the path of its library", file=sys.stderr)
        return 64
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.environ.pop("PYTHONSAFEPATH", None)
    run = ctypes.CDLL(arguments[0]).harness_run_python_worker
    run.argtypes, run.restype = [LOAD], ctypes.c_int
    door = Door()
    return run(LOAD(door.load))


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stdout.flush()
    sys.exit(status)
