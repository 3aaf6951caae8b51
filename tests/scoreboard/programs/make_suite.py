#!/usr/bin/env python3
"""The suite that records the programs, as they are and with more work. Their starts take turns.

    make_suite.py FOLDER [PROCESSES] >suite.yaml      # FOLDER holds the programs; PyTorch's steps are `steps.py` beside this

The programs are of HeCBench at f27000a51 (build.sh makes them). More work is a larger argument: what it costs is
measured, not assumed.
"""
import json
import pathlib
import sys

# name: arguments, and those with 1 to 4 % more work
PROGRAMS = {
    "aidw": ("100 0 10", "101 0 10"),
    "atomicReduction": ("", None),
    "attention": ("4096 2048 0 30", "4137 2048 0 30"),
    "convolutionSeparable": ("2048 2048 30", "2048 2112 30"),
    "gelu": ("8 1024 512 30", "8 1034 512 30"),
    "heat": ("4096 40", "4128 40"),
    "jacobi": ("", None),
    "laplace3d": ("256 256 1024 20 0", "256 256 1034 20 0"),
    "matern": ("100 20", "101 20"),
    "softmax": ("20000 784 0 30", "20200 784 0 30"),
    "stencil1d": ("67108864 20", "67780096 20"),
}


def program(name, command, steps, processes):
    return {"name": name, "command": command, "reads": "cuda_trace", "steps": steps, "device": "cuda",
            "timeout": "60s", "sampling": {"processes": processes}, "gate": {"margin": "0.5%"}}


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    processes = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    with_more = (processes + 1) // 2
    steps = ["python3", str(pathlib.Path(__file__).resolve().parent / "steps.py")]
    programs = []
    for name, (arguments, more) in PROGRAMS.items():
        command = [str(folder / name)]
        programs.append(program(name, command + arguments.split(), "period", processes))
        if more is not None:
            programs.append(program(name + "_more", command + more.split(), "period", with_more))
    programs.append(program("torch", steps, {"nvtx": "step"}, processes))
    programs.append(program("torch_more", [*steps, "--more", "0.02"], {"nvtx": "step"}, with_more))
    print(json.dumps({"version": 2, "name": "programs", "programs": programs}, indent=1))


main()
