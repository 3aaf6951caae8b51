"""A program in Python as CUDA would trace it, against the stand-in for CUPTI: it launches without the interpreter's lock,
as PyTorch does, with it, and in a thread."""
import atexit
import ctypes
import os
import sys
import threading
import time

cupti, tracer = (os.environ[name] for name in ("HARNESS_CUPTI", "CUDA_INJECTION64_PATH"))
free, held = ctypes.CDLL(cupti), ctypes.PyDLL(cupti)
if ctypes.CDLL(tracer).InitializeInjection() != 1:
    sys.exit(8)
how_long, timed = ctypes.c_uint64(500), ctypes.c_bool(True)


def state():
    """What a launch must leave as it is: signals, descriptors, threads."""
    with open("/proc/self/status") as status:
        signals = [line for line in status if line.startswith(("SigB", "SigC", "SigI", "SigP", "Shd"))]
    return signals, len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))


def has_returned_to(before):
    """A thread that was joined may be listed for a moment."""
    end = time.monotonic() + 20
    while state() != before and time.monotonic() < end:
        os.sched_yield()
    return state() == before


def without_lock():
    free.fake_cupti_execute(b"_Z4freePf", how_long, timed)


def with_lock():
    held.fake_cupti_execute(b"_Z4heldPf", how_long, timed)


def in_a_thread():
    free.fake_cupti_execute(b"_Z6threadPf", how_long, timed)


before = state()
without_lock()
with_lock()
thread = threading.Thread(target=in_a_thread)
thread.start()
thread.join()
if not has_returned_to(before):
    sys.exit(f"before: {before}, after: {state()}")
try:
    import _xxsubinterpreters  # afterwards Python's own question for its lock is always answered with yes

    _xxsubinterpreters.create()
except ImportError:
    pass
without_lock()
atexit.register(without_lock)
