"""A shell that starts two programs, one after the other and then both at once."""
import os
import pathlib
import sys

here = pathlib.Path(__file__).parent
one, two = ("'%s' '%s'" % (sys.executable, here / name) for name in ("cupy_fft.py", "torch_streams.py"))
os.execvp("sh", ["sh", "-c", "%s && %s & %s; wait" % (one, two, two)])
