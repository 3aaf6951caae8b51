"""Data-parallel training by torchrun with two ranks on one GPU."""
import os
import pathlib
import sys

os.environ["RANKS"] = "2"
os.execvp(sys.executable, [sys.executable, str(pathlib.Path(__file__).with_name("torch_ddp.py"))])
