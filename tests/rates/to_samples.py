#!/usr/bin/env python3
"""The probe's samples (README.md of this folder) as JSON Lines for `harness import`.

    to_samples.py UUID SESSION < session.jsonl > samples.jsonl
"""
import json
import sys

print(json.dumps({"session": sys.argv[2], "machine": {"class": "nvidia-h200", "uuid": sys.argv[1]}}))
for line in sys.stdin:
    probe = json.loads(line)
    print(json.dumps({
        "case": f"{probe['name']}/mode={probe['mode']}", "metric": "gpu_time", "unit": "us",
        "process": probe["proc"], "placement": probe["alloc"], "clock_ghz": probe["ghz"],
        "samples": probe["us"]}))
