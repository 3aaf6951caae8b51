#!/usr/bin/env python3
"""Process values of `kernel_time` of a stored run as JSON Lines for `harness import`.

    to_samples.py RESULTS.db RUN >programs.jsonl       # RUN: the beginning of its id
"""
import json
import math
import sqlite3
import sys

database = sqlite3.connect(sys.argv[1])
rows = database.execute(
    "SELECT c.id, v.process, v.unit, v.log_value FROM process_values v"
    " JOIN cases c ON c.run = v.run AND c.position = v.position"
    " WHERE v.run LIKE ? AND v.metric = 'kernel_time' ORDER BY c.position, v.process", (sys.argv[2] + "%",))
for case, process, unit, log_value in rows:
    print(json.dumps({"case": case, "metric": "kernel_time", "unit": unit, "process": process,
                      "samples": [float(f"{math.exp(log_value):.6g}")]}))
