#!/bin/sh
# Runs the suite. Exit status 77: no GPU or no package, with the reason.
python3 -c '
import sys
try: import torch, triton
except ImportError: sys.exit("skipped: the Python packages torch and triton are not installed")
if not torch.cuda.is_available(): sys.exit("skipped: PyTorch finds no GPU")
' || exit 77
exec harness run suite.yaml "$@"
