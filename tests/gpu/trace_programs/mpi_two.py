"""Two ranks by mpirun, each a program of its own."""
import os
import pathlib
import shutil
import sys

if shutil.which("mpirun") is None:
    raise ModuleNotFoundError("mpirun")
os.execvp("mpirun", ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", sys.executable,
                     str(pathlib.Path(__file__).with_name("torch_streams.py"))])
