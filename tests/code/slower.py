#!/usr/bin/env python3
"""Plants slowdowns in small kernels (slower/) and in what launches them, and asks `harness compare` for the cause.

    slower.py HARNESS [--nvcc NVCC] [--jobs N] [--only TEXT] [--keep FOLDER]

Each plant names the class of its cause, committed before the first run. Code is compiled by nvcc, and its figures come
from the images. Times, clocks and launches are scripted, because no GPU is needed: a plant takes 12 % longer, or that
much less where it is undone. It fails where fewer than nine in ten first causes are right, or more than one in thirty
names another cause than the right one, instead of none.
"""
import argparse
import concurrent.futures
import copy
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent / "slower"

# Kernels with their usual launch: file, grid, block, launches a call, us of a launch.
KERNELS = {
    "scale": ("stream", [4096, 1, 1], [256, 1, 1], 1, 40.0),
    "product": ("tile", [128, 128, 1], [16, 16, 1], 1, 300.0),
    "many": ("wide", [4096, 1, 1], [256, 1, 1], 1, 90.0),
    "rows": ("reduce", [8192, 1, 1], [256, 1, 1], 1, 60.0),
    "tiles": ("tensor", [128, 128, 1], [32, 1, 1], 1, 200.0),
    "window": ("async", [264, 1, 1], [128, 1, 1], 1, 30.0),
    "points": ("stencil", [32, 8192, 1], [256, 1, 1], 1, 50.0),
    "bins": ("stencil", [1056, 1, 1], [256, 1, 1], 1, 25.0),
    "norm": ("norm", [16384, 1, 1], [128, 1, 1], 1, 55.0),
    "gelu": ("norm", [4096, 1, 1], [256, 1, 1], 1, 35.0),
    "turned": ("move", [256, 256, 1], [32, 8, 1], 1, 140.0),
    "gathered": ("move", [32768, 1, 1], [128, 1, 1], 1, 80.0),
    "convolved": ("move", [65536, 1, 1], [256, 1, 1], 1, 30.0),
}
GEMM = "nvjet_sm90_hsh_128x128_64x4_2x1_v_bz_NNT"

UNDONE = {"undone": True}  # the plant is the baseline, and the change makes it faster


def launch(**changes):
    return {"launch": changes}


# Each plant is a name, the kernel, the class of the cause, edits (old text, new text), and where they differ options.
PLANTS = [
    # code: memory
    ("accesses of 8 bytes", "scale", "memory_access", [("width = 4", "width = 2")]),
    ("accesses of 4 bytes", "scale", "memory_access", [("width = 4", "width = 1")]),
    ("accesses of 16 bytes again", "scale", "memory_access", [("width = 4", "width = 1")], UNDONE),
    ("no tiles in shared memory", "product", "memory_access", [("left[y][k]", "a[row * n + at + k]"), ("right[k][x]", "b[(at + k) * n + column]")]),
    ("one of two tiles", "product", "memory_access", [("right[k][x]", "b[(at + k) * n + column]")]),
    ("copies through registers", "window", "memory_access", [("__pipeline_memcpy_async(to, from, sizeof(float4))", "*to = *from")]),
    ("a stencil of nine points", "points", "memory_access", [("at[-n] + at[n])", "at[-n] + at[n] + at[-n - 1] + at[-n + 1] + at[n - 1] + at[n + 1])")]),
    ("result written twice", "scale", "memory_access", [("    out[i] = pack;", "    out[i] = pack;\n    __threadfence_block();\n    out[i + n] = pack;")]),
    # code: registers and local memory
    ("register cap", "many", "local_memory", [], {"device": ["-maxrregcount", "24"]}),
    ("blocks a multiprocessor asked for", "many", "local_memory", [("__launch_bounds__(256)", "__launch_bounds__(256, 8)")]),
    ("no spills any more", "many", "local_memory", [("__launch_bounds__(256)", "__launch_bounds__(256, 8)")], UNDONE),
    ("array indexed by a variable", "many", "local_memory", [("out[c * n + row] = sum[c]", "out[c * n + row] = sum[(c + pick) % columns]")]),
    ("debug code", "scale", "local_memory", [], {"device": ["-G"]}),
    ("large array of a thread", "rows", "local_memory", [("float sum = 0;", "float sum = 0, last[64];\n  for (float& one : last) one = 0;"), ("sum += power(", "sum += last[(i / 7) % 64] + (last[i % 64] = power("), ("* n + i]);", "* n + i]));")]),
    # code: shared memory
    ("static shared memory of 41 KB", "rows", "occupancy", [("part[8]", "part[10500]"), ("part[threadIdx.x / 32] = sum", "part[threadIdx.x / 32 + n % 10000] = sum"), ("all += part[i]", "all += part[i + n % 10000]")]),
    ("static shared memory of 48 KB", "bins", "occupancy", [("own[256]", "own[12000]"), ("own[in[i]]", "own[in[i] + n % 11000]")]),
    ("shared memory given back", "rows", "occupancy", [("part[8]", "part[10500]"), ("part[threadIdx.x / 32] = sum", "part[threadIdx.x / 32 + n % 10000] = sum"), ("all += part[i]", "all += part[i + n % 10000]")], UNDONE),
    # code: loops
    ("no unrolling", "product", "unrolling", [("#pragma unroll", "#pragma unroll 1")]),
    ("unrolled by four only", "product", "unrolling", [("#pragma unroll", "#pragma unroll 4")]),
    ("no unrolling of sums", "rows", "unrolling", [("#pragma unroll 4", "#pragma unroll 1")]),
    ("unrolled again", "product", "unrolling", [("#pragma unroll", "#pragma unroll 1")], UNDONE),
    ("no unrolling of a copy", "scale", "unrolling", [("  for (int i = static_cast", "#pragma unroll 1\n  for (int i = static_cast")]),
    # code: instructions
    ("double by a literal", "scale", "instructions fp64", [("x * factor + 0.25f", "x * factor * 1.001 + 0.25")]),
    ("sums in double", "product", "instructions fp64", [("using Sum = float", "using Sum = double")]),
    ("exponentials in double", "rows", "instructions fp64", [("__expf(x)", "exp(static_cast<double>(x))")]),
    ("exact exponentials", "rows", "instructions", [("__expf(x)", "expf(x)")]),
    ("a division", "scale", "instructions", [("x * factor", "x / factor")]),
    ("a sine", "scale", "instructions", [("x * factor + 0.25f", "__sinf(x) * factor + 0.25f")]),
    ("a counter of all threads", "scale", "instructions atomic", [("    out[i] = pack;", "    out[i] = pack;\n    atomicAdd(count + i % 7, 1);")]),
    ("a division of the index", "scale", "instructions integer", [("= in[i]", "= in[i * 33 % n]")]),
    ("barriers in a loop", "product", "instructions barrier", [("k < tile; ++k) sum", "k < tile; ++k, __syncthreads()) sum")]),
    ("no Tensor Cores", "tiles", "instructions tensor", [("wmma::mma_sync(sum, left, right, sum)", "for (int i = 0; i < sum.num_elements; ++i) sum.x[i] += __half2float(left.x[i]) * __half2float(right.x[i])")]),
    ("Tensor Cores again", "tiles", "instructions tensor", [("wmma::mma_sync(sum, left, right, sum)", "for (int i = 0; i < sum.num_elements; ++i) sum.x[i] += __half2float(left.x[i]) * __half2float(right.x[i])")], UNDONE),
    ("shuffles of all values", "rows", "instructions exchange", [("sum += power(in[blockIdx.x * n + i])", "sum += __shfl_xor_sync(0xffffffffU, power(in[blockIdx.x * n + i]), 1)")]),
    ("no fused multiplication and addition", "many", "instructions", [], {"device": ["--fmad=false"]}),
    ("a branch of every other thread", "points", "instructions", [("  out[y * n + x] = 0.5f", "  if (x % 2 == 0) {\n    out[y * n + x] = sqrtf(at[0] * at[0] + 1.0f);\n    return;\n  }\n  out[y * n + x] = 0.5f")]),
    ("ptxas without optimisation", "product", "instructions", [], {"device": ["-Xptxas", "-O0"]}),
    ("another constant", "scale", "machine_code", [("0.25f", "0.75f")]),
    ("backwards through memory", "scale", "machine_code", [("i += static_cast<int>(gridDim.x * blockDim.x)", "i += static_cast<int>(blockDim.x * gridDim.x + 0 * n)"), ("x * factor + 0.25f", "x * factor - 0.25f")]),
    # launches
    ("blocks of 64 threads", "scale", "launch_shape", [], launch(block=[64, 1, 1], grid=[16384, 1, 1])),
    ("blocks of 32 threads, same grid", "scale", "launch_shape", [], launch(block=[32, 1, 1])),
    ("a grid of one wave less", "scale", "launch_shape", [], launch(grid=[132, 1, 1])),
    ("a grid for the whole GPU again", "scale", "launch_shape", [], {**launch(grid=[132, 1, 1]), **UNDONE}),
    ("tile of 8, compiled in", "product", "launch_shape", [("tile = 16", "tile = 8")], launch(block=[8, 8, 1], grid=[256, 256, 1])),
    ("dynamic shared memory of 100 KB", "scale", "occupancy", [], launch(dynamic=102400)),
    ("dynamic shared memory of 64 KB", "rows", "occupancy", [], launch(dynamic=65536)),
    ("launched twice", "scale", "launches", [], launch(launches=2)),
    ("launched three times for five", "bins", "launches", [], {**launch(launches=5), "base": {"launches": 3}}),
    ("a fill of memory more", "scale", "kernels", [], {"more": ["[memset]"]}),
    ("a kernel more", "scale", "kernels", [], {"more": ["zero(float*, int)"]}),
    ("two kernels in place of a fused one", "scale", "kernels", [], {"without": True, "more": ["twice(float*)", "plus(float*)"]}),
    ("arguments of a traced launch", "scale", "arguments", [], {"arguments": True}),
    # the surroundings
    ("another library chooses another kernel", "scale", "library", [], {"library": (GEMM, "nvjet_sm90_hsh_64x64_64x13_2x1_v_bz_NNT"), "fields": {"cublas": ("13.1.0", "13.2.0")}}),
    ("another library has other code", "scale", "library", [], {"library": (GEMM, GEMM), "fields": {"cublas": ("13.1.0", "13.2.0")}}),
    ("a lower clock", "scale", "clock", [], {"clock": (1.98, 1.77)}),
    ("a higher clock", "product", "clock", [], {"clock": (1.98, 1.77), **UNDONE}),
    ("a lower clock of the memory", "scale", "memory_clock", [], {"memory_clock": (3201, 2850)}),
    ("another driver", "scale", "driver", [], {"fields": {"driver": ("580.159.04", "590.10.01")}}),
    ("a lower power limit", "scale", "settings", [], {"fields": {"power_limit": ("700 W", "500 W")}}),
    ("the variant chose another algorithm", "scale", "choice", [], {"choice": ("7", "12")}),
    ("time between the kernels", "scale", "outside_kernels", [], {"outside": True}),
    # a step of several kernels
    ("one of three kernels", "product", "unrolling", [("#pragma unroll", "#pragma unroll 1")], {"beside": ["scale", "rows"]}),
    ("spills in one of three kernels", "many", "local_memory", [("__launch_bounds__(256)", "__launch_bounds__(256, 8)")], {"beside": ["scale", "tiles"]}),
    ("one kernel of a step often", "bins", "launches", [], {**launch(launches=9), "base": {"launches": 3}, "beside": ["scale", "rows"]}),
    # nothing
    ("nothing", "scale", "none_found", []),
    ("nothing but line numbers", "product", "none_found", [], {"device": ["-lineinfo"]}),
    ("nothing, in a step", "rows", "none_found", [], {"beside": ["scale", "product"]}),
    ("records without kernels", "scale", "not_known", [], {"blind": True}),
]

# Written after the rules had changed, and committed before any was judged.
LATER = [
    ("rows read again", "norm", "memory_access", [("const float4 x = kept[i], g", "const float4 x = in[blockIdx.x * 256 + i * threads + threadIdx.x], g"), ("const float mean =", "asm volatile(\"\" ::: \"memory\");\n  const float mean =")]),
    ("a gain for each of four", "norm", "memory_access", [("const float4* gain", "const float* gain"), ("g = gain[i * threads + threadIdx.x]", "g = {gain[i * 512 + threadIdx.x], gain[i * 512 + threadIdx.x + 128], gain[i * 512 + threadIdx.x + 256], gain[i * 512 + threadIdx.x + 384]}")]),
    ("values of 16 bit, one at a time", "gelu", "memory_access", [("__half22float2(in[i])", "float2{__half2float(reinterpret_cast<const __half*>(in)[i]), __half2float(reinterpret_cast<const __half*>(in)[i + n])}")]),
    ("lines of a tile on one bank", "turned", "memory_access", [("held[32][33]", "held[32][32]")]),
    ("no tile", "turned", "memory_access", [("held[x][y + i]", "in[(row + x) * n + column + y + i]"), ("held[y + i][x] = in[(row + y + i) * n + column + x]", "held[0][x] = 0")]),
    ("rows gathered by single values", "gathered", "memory_access", [("const float4* table", "const float* table"), ("float4* out, int wide", "float* out, int wide"), ("const float4 x", "const float x")]),
    ("number of the row read each time", "gathered", "memory_access", [("const float4 x = table[from * wide + i]", "const float4 x = table[*(volatile const int*)(numbers + blockIdx.x) * wide + i]")]),
    ("taps read without shared memory", "convolved", "memory_access", [("near[threadIdx.x + k]", "in[at + k]")]),
    ("values kept by a variable", "norm", "local_memory", [("float4 kept[each / 4];", "float4 kept[64];\n  const int many = static_cast<int>(gridDim.y) * 2;"), ("#pragma unroll\n  for (int i = 0; i < each / 4; ++i) {\n    const float4 x = kept[i] =", "#pragma unroll 1\n  for (int i = 0; i < many; ++i) {\n    const float4 x = kept[i] ="), ("#pragma unroll\n  for (int i = 0; i < each / 4; ++i) {\n    const float4 x = kept[i], g", "#pragma unroll 1\n  for (int i = 0; i < many; ++i) {\n    const float4 x = kept[i], g")]),
    ("a root in double", "norm", "instructions fp64", [("rsqrtf(mean_square - mean * mean + 1e-5f)", "static_cast<float>(rsqrt(static_cast<double>(mean_square) - mean * mean + 1e-5))")]),
    ("a slope in double", "gelu", "instructions fp64", [("-1.702f * x.x", "static_cast<float>(-1.702 * x.x)"), ("-1.702f * x.y", "static_cast<float>(-1.702 * x.y)")]),
    ("exact GELU", "gelu", "instructions", [("x.x / (1 + __expf(-1.702f * x.x))", "0.5f * x.x * (1 + erff(x.x * 0.70710678f))"), ("x.y / (1 + __expf(-1.702f * x.y))", "0.5f * x.y * (1 + erff(x.y * 0.70710678f))")]),
    ("hyperbolic tangents", "gelu", "instructions", [("x.x / (1 + __expf(-1.702f * x.x))", "0.5f * x.x * (1 + tanhf(0.79788456f * (x.x + 0.044715f * x.x * x.x * x.x)))"), ("x.y / (1 + __expf(-1.702f * x.y))", "0.5f * x.y * (1 + tanhf(0.79788456f * (x.y + 0.044715f * x.y * x.y * x.y)))")]),
    ("fast exponentials again", "gelu", "instructions", [("__expf(-1.702f * x.x)", "expf(-1.702f * x.x)"), ("__expf(-1.702f * x.y)", "expf(-1.702f * x.y)")], UNDONE),
    ("a barrier for each value", "gathered", "instructions barrier", [("const float4 x = table", "__syncthreads();\n    const float4 x = table")]),
    ("places by division", "gathered", "instructions integer", [("out[blockIdx.x * wide + i] = x", "out[(blockIdx.x * wide + i) / wide * wide + i % (wide - 1)] = x")]),
    ("values counted", "gathered", "instructions atomic", [("out[blockIdx.x * wide + i] = x", "out[blockIdx.x * wide + i] = x;\n    atomicAdd(reinterpret_cast<float*>(out), x.x)")]),
    ("taps in a loop", "convolved", "unrolling", [("#pragma unroll\n  for (int k", "#pragma unroll 1\n  for (int k")]),
    ("a convolution of 21 taps", "convolved", "instructions", [("taps[11]", "taps[21]"), ("k < 11", "k < 21"), ("256 + 10", "256 + 20"), ("threadIdx.x < 10", "threadIdx.x < 20")]),
    ("a gather not unrolled", "gathered", "unrolling", [("  for (int i = static_cast", "#pragma unroll 1\n  for (int i = static_cast")]),
    ("static shared memory of 60 KB", "convolved", "occupancy", [("near[256 + 10]", "near[11500]"), ("near[threadIdx.x] = in[at]", "near[threadIdx.x + n % 11000] = in[at]")]),
    ("another small number", "norm", "machine_code", [("1e-5f", "2e-5f")]),
    ("GELU in blocks of 1024", "gelu", "launch_shape", [("__launch_bounds__(256) gelu", "__launch_bounds__(1024) gelu")], launch(block=[1024, 1, 1], grid=[132, 1, 1])),
    ("a library's kernel beside code that differs", "norm", "kernels", [("1e-5f", "2e-5f")], {"more": [GEMM]}),
    ("two files with a kernel of that name", "product", "machine_code", [("#pragma unroll", "#pragma unroll 1")], {"copy": [("k < tile; ++k", "k < tile; k += 2")]}),
]
PLANTS += LATER


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def checked(command, folder):
    status, out, err = run(command, folder)
    if status != 0:
        raise SystemExit(f"{' '.join(map(str, command))} failed in {folder}:\n{out}{err}")
    return out


class Builder:
    """Builds one source of slower/ into a shared object, each text once."""

    def __init__(self, nvcc, scratch):
        self.nvcc, self.kept = nvcc, scratch / "objects"
        self.kept.mkdir(exist_ok=True)

    def build(self, folder, source, edits, device):
        text = (HERE / f"{source}.cu").read_text()
        for old, new in edits:
            if old not in text:
                raise SystemExit(f"{source}.cu has no `{old}`")
            text = text.replace(old, new)
        key = hashlib.sha1(repr((text, device)).encode()).hexdigest()
        made = self.kept / f"{key}.so"
        if not made.exists():
            work = self.kept / f"{key}.{threading.get_ident()}"
            work.mkdir()
            (work / f"{source}.cu").write_text(text)
            checked([self.nvcc, "-std=c++20", "-O3", "-gencode", "arch=compute_90,code=sm_90", *device, "-Xcompiler", "-fPIC",
                     "-shared", "-cudart", "none", "-Xlinker", "--unresolved-symbols=ignore-all", "-o", "made.so", f"{source}.cu"], work)
            (work / "made.so").rename(made)
            shutil.rmtree(work)
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(made, folder / f"lib{source}.so")


def use(kernel, figures, code, us, changes=None):
    _, grid, block, launches, _ = KERNELS[kernel]
    changes = changes or {}
    one = {"name": figures["name"], "grid": changes.get("grid", grid), "block": changes.get("block", block),
           "registers": figures["registers"], "static_shared_bytes": figures["shared_bytes"],
           "dynamic_shared_bytes": changes.get("dynamic", 0), "launches": changes.get("launches", launches), "us": us, "code": code}
    if figures["stack_bytes"]:
        one["local_bytes"] = figures["stack_bytes"]
    return one


def other(name, us, code="d0d0"):
    return {"name": name, "grid": [132, 1, 1], "block": [128, 1, 1], "registers": 32, "static_shared_bytes": 0,
            "dynamic_shared_bytes": 0, "launches": 1, "us": us, "code": "" if name.startswith("[") else code}


def record(number, kernels, call, side, plant):
    at = 0 if side == "plain" else 1
    clock = plant.get("clock", (1.98, 1.98))[at]
    memory = plant.get("memory_clock", (3201, 3201))[at]
    fields = {"device": "NVIDIA H200", "compute_capability": "9.0", "multiprocessors": "132", "driver": "580.159.04", "cublas": "13.1.0",
              "power_limit": "700 W"}
    for name, values in plant.get("fields", {}).items():
        fields[name] = values[at]
    kinds = {"device": "block", "compute_capability": "block", "multiprocessors": "info"}
    processes = [{"process": i + 1, "placements": [{"clock_ghz": clock, "conditions": {"sm_clock_mhz": clock * 1000, "memory_clock_mhz": memory},
                  "samples": [call * (1 + 0.0004 * ((3 * i + s) % 5 - 2)) for s in range(5)]}]} for i in range(5)]
    results = []
    for i in range(5):
        result = {"process": i + 1, "outcome": "measured"}
        if not plant.get("blind"):
            result["kernels"] = copy.deepcopy(kernels)
        if "choice" in plant:
            result["choice"] = plant["choice"][at]
        results.append(result)
    case = {"id": "case", "workload": "w", "variant": "v", "device": "cuda", "outcome": "measured", "sampling": {"processes": 5},
            "results": results, "metrics": [{"metric": "gpu_time", "unit": "us", "direction": "lower", "processes": processes}]}
    return {"format": "harness-record", "version": 1, "id": f"00000000-0000-4000-8000-{number:012d}", "tool": "harness",
            "suite": {"name": "slower"}, "revision": {}, "started": "2026-01-01T00:00:00Z", "finished": "2026-01-01T00:00:01Z",
            "estimator": "trimmed_log_mean",
            "machines": {"cuda": {"class": "nvidia-h200", "uuid": "GPU-1",
                                  "fields": [{"name": n, "value": v, "kind": kinds.get(n, "warn")} for n, v in fields.items()]}},
            "cases": [case]}


def figures_of(harness, before, after, scratch):
    """By kernel: name and figures on both sides, and whether its code is the same."""
    answer = json.loads(checked([harness, "affected", "--baseline", before, "--current", after, "--format", "json"], scratch))
    sides, same = ({}, {}), {}
    for one in answer["kernels"]:
        name = one["name"].split("(")[0].split("<")[0].split()[-1]
        for side, figures, absent in zip(sides, (one["before"], one["after"]), ("added", "removed")):
            if one["state"] != absent:  # other template arguments make another kernel
                side[name] = {"name": one["name"], **figures}
        same[name] = one["state"] == "same"
    return {name: (sides[0][name], sides[1][name], same[name]) for name in same}


def scripted(plant, kernel, figures):
    """The kernels of both sides and the times of a call: plain, planted."""
    slower = 1.12
    plain, planted = [], []
    base = plant.get("base", {})
    for name in [kernel, *plant.get("beside", [])]:
        before, after, same = figures[name]
        us, own = KERNELS[name][4], name == kernel
        times = 1 if plant.get("outside") or not own else slower
        if "launches" in plant.get("launch", {}) or plant.get("more"):
            times = 1
        changes = {**base, **plant.get("launch", {})} if own else {}
        plain.append(use(name, before, "aaaa", us, base if own else {}))
        planted.append(use(name, after, "aaaa" if same else "bbbb", us * times, changes))
    if plant.get("without"):
        planted = []
    planted += [other(name, 45.0 if plant.get("without") else 12.0) for name in plant.get("more", [])]
    if "library" in plant:
        old, new = plant["library"]
        plain, planted = [other(old, 40.0)], [other(new, 45.0, "e0e0")]
    if plant.get("arguments"):
        plain[0]["arguments"], planted[0]["arguments"] = "1111", "2222"
    calls = [sum(one["us"] * one["launches"] for one in side) + 2 for side in (plain, planted)]
    if plant.get("outside"):
        calls[1] = calls[0] * slower
    return plain, planted, calls


def judge(harness, scratch, builder, number):
    name, kernel, cause, edits, *more = PLANTS[number]
    plant = more[0] if more else {}
    folders = [scratch / f"plant{number}" / side for side in ("plain", "planted")]
    figures = {}
    for one in [kernel, *plant.get("beside", [])]:
        source = KERNELS[one][0]
        builder.build(folders[0], source, [], [])
        builder.build(folders[1], source, edits if one == kernel else [], plant.get("device", []) if one == kernel else [])
        figures.update(figures_of(harness, folders[0] / f"lib{source}.so", folders[1] / f"lib{source}.so", scratch))
    for folder in folders if plant.get("copy") else []:  # another file of the build, with another kernel of the same name
        builder.build(folder / "other", KERNELS[kernel][0], plant["copy"], [])
    plain, planted, calls = scripted(plant, kernel, figures)
    files = [scratch / f"plant{number}" / f"{side}.json" for side in ("plain", "planted")]
    for at, (side, kernels) in enumerate((("plain", plain), ("planted", planted))):
        files[at].write_text(json.dumps(record(2 * number + at, kernels, calls[at], side, plant)))
    if plant.get("undone"):
        files.reverse()
        folders.reverse()
    found = []
    for builds in ([], ["--baseline-build", folders[0], "--current-build", folders[1]]):
        status, out, err = run([harness, "compare", "--baseline", files[0], "--current", files[1], "--margin", "1%", "--format", "json",
                                *builds], scratch)
        if status not in (0, 1):
            raise SystemExit(f"{name}: {err}{out}")
        row = next(one for one in json.loads(out)["cases"] if one["metric"] == "gpu_time")
        causes = row.get("change_causes", [])
        first = causes[0] if causes else {"code": "none"}
        told = " ".join(filter(None, [first["code"], first.get("class", "")]))
        found.append((told, row.get("why", [""])[0], [one["code"] for one in causes[1:]]))
    return found


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("harness", type=pathlib.Path)
    options.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--only", default="")
    options.add_argument("--keep", type=pathlib.Path)
    given = options.parse_args()
    scratch = given.keep or pathlib.Path(tempfile.mkdtemp(prefix="slower."))
    scratch.mkdir(parents=True, exist_ok=True)
    builder = Builder(given.nvcc, scratch)
    numbers = [i for i, plant in enumerate(PLANTS) if given.only in plant[0]]
    counts = {"first plants": [0, 0, 0], "later plants": [0, 0, 0]}  # right, wrong, not named
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        judged = pool.map(lambda number: judge(given.harness.resolve(), scratch, builder, number), numbers)
        for number, (alone, found) in zip(numbers, judged):
            name, kernel, cause = PLANTS[number][:3]
            told, words, later = found
            is_right = told == cause or told.split()[0] == cause
            unnamed = told in ("none_found", "not_known", "machine_code", "none")
            of = counts["first plants" if number < len(PLANTS) - len(LATER) else "later plants"]
            of[0 if is_right else 2 if unnamed else 1] += 1
            print(f"{'right' if is_right else 'unnamed' if unnamed else 'WRONG':8} {name} ({kernel}): {cause}; told {told}"
                  f"{', then ' + ', '.join(later) if later else ''}; by the records alone {alone[0]}\n           {words}", flush=True)
    for which, (right, wrong, unnamed) in counts.items():
        print(f"{right + wrong + unnamed} {which}: {right} first causes right, {wrong} wrong, {unnamed} not named")
    right, wrong = (sum(of[at] for of in counts.values()) for at in (0, 1))
    if not given.keep:
        shutil.rmtree(scratch)
    return 0 if 10 * right >= 9 * len(numbers) and 30 * wrong <= len(numbers) else 1


if __name__ == "__main__":
    sys.exit(main())
