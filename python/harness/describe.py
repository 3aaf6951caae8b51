"""Says what a file brings: python3 -m harness.describe FILE, which `harness` starts to plan a suite.

It writes JSON to descriptor 3, one document a line: the workloads of the file, then for each line of standard input,
{"workload": NAME, "params": {...}}, the problem at these parameters.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from .abi import KINDS
from .cases import Unsupported, Workload
from .load import Loader
from .place import reason_of

KIND_NAMES = ("integer", "real", "boolean", "text")


def description_of(workload: Workload) -> dict[str, Any]:
    """A workload as planning needs it."""
    params = []
    for name, kind in workload.params.items():
        if isinstance(kind, type):
            params.append({"name": name, "kind": KIND_NAMES[KINDS.index(kind)]})
        else:
            params.append({"name": name, "kind": "text", "choices": list(kind)})
    variants = [{"name": one.name, "device": one.device, "summary": one.summary} for one in workload.cases]
    return {"name": workload.name, "summary": workload.summary, "built_in": workload.built_in, "params": params,
            "variants": variants}


def problem_of(workloads: dict[str, Workload], asked: dict[str, Any]) -> dict[str, Any]:
    """The answer to one line."""
    try:
        workload, params = workloads[asked["workload"]], asked["params"]
        tensors = [{"name": one.name, "output": one.is_output, "dtype": one.dtype, "shape": list(one.shape)}
                   for one in workload.tensors(params)]
        work = workload.work(params)
        return {"tensors": tensors, "tolerance": float(workload.tolerance), "flops": float(work.flops),
                "bytes": float(work.bytes), "items": float(work.items), "item_name": work.item_name}
    except Unsupported as why:
        return {"unsupported": str(why)}
    except Exception as error:
        return {"error": reason_of(error)}


def main(arguments: list[str]) -> int:
    """Answers until standard input ends."""
    if len(arguments) != 1:
        print("python3 -m harness.describe is started by `harness`, with one file", file=sys.stderr)
        return 64
    with os.fdopen(3, "w", encoding="utf-8") as answers:
        def say(value: dict[str, Any]) -> None:
            answers.write(json.dumps(value, allow_nan=False) + "\n")
            answers.flush()

        try:
            workloads = {one.name: one for one in Loader().load(arguments[0])}
        except BaseException as error:
            say({"error": reason_of(error)})
            return 0
        say({"workloads": [description_of(one) for one in workloads.values()]})
        for line in sys.stdin:
            say(problem_of(workloads, json.loads(line)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
