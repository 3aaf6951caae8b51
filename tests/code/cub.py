#!/usr/bin/env python3
"""Plants changes in a copy of CUB's headers, builds a plugin with four of its algorithms (cub/) before and after,
and asks `harness affected` which of them can change. It fails where the answer is not exactly the algorithms that
the plant names.

    cub.py HARNESS [--nvcc NVCC] [--jobs N] [--only TEXT] [--algorithms NAME,...] [--keep FOLDER]

Needs the headers of CUB 3.0 that CUDA 13.0 has, and no GPU. As in any build, only sources that include the
changed header are compiled again. The headers lie in another folder each time, which assertions would hold: NDEBUG."""
import concurrent.futures
import pathlib
import re
import shutil
import sys

import builds

HERE = pathlib.Path(__file__).resolve().parent / "cub"
ALGORITHMS = ("reduce", "scan", "select", "sort")
MOST_OF_A_REASON = 150  # letters; CUB's kernels have long names

# Each plant is a name, a header below cub/, old text, new text, and the algorithms that it changes.
PLANTS = [
    # device code of one algorithm
    ("agent of the reduction", "agent/agent_reduce.cuh",
     "return BlockReduceT(temp_storage.reduce).Reduce(thread_aggregate, reduction_op);",
     "__syncthreads();\n    return BlockReduceT(temp_storage.reduce).Reduce(thread_aggregate, reduction_op);", "reduce"),
    ("agent of the scan", "agent/agent_scan.cuh", "    __syncthreads();\n\n    // Perform tile scan",
     "    __syncthreads();\n    __syncthreads();\n\n    // Perform tile scan", "scan"),
    ("agent of the selection", "agent/agent_select_if.cuh", "static_cast<bool>(select_op(items[ITEM]))",
     "!static_cast<bool>(select_op(items[ITEM]))", "select"),
    ("agent of the sort", "agent/agent_radix_sort_onesweep.cuh", "    __syncthreads();\n    ScatterKeysShared(keys, ranks);",
     "    __syncthreads();\n    __syncthreads();\n    ScatterKeysShared(keys, ranks);", "sort"),
    ("kernel of a file of another algorithm", "device/dispatch/kernels/scan.cuh", "*d_num_selected_out = 0;",
     "*d_num_selected_out = 1;", "select"),
    ("tuning of the scan for this architecture", "device/dispatch/tuning/tuning_scan.cuh",
     "accum_size::_4> : sm90_tuning_vals<T, 128, 24, 648, 1245>", "accum_size::_4> : sm90_tuning_vals<T, 128, 22, 648, 1245>", "scan"),
    # host code of one algorithm
    ("grid of the reduction", "device/dispatch/dispatch_reduce.cuh", "reduce_device_occupancy * detail::subscription_factor;",
     "reduce_device_occupancy * (detail::subscription_factor - 1);", "reduce"),
    ("grid of the scan", "device/dispatch/dispatch_scan.cuh", "_CUDA_VSTD::min(num_tiles, max_dim_x)",
     "_CUDA_VSTD::min(num_tiles, max_dim_x / 2)", "scan"),
    ("block of a kernel of the selection", "device/dispatch/dispatch_select_if.cuh", "INIT_KERNEL_THREADS = 128;",
     "INIT_KERNEL_THREADS = 256;", "select"),
    ("blocks of the sort's histogram", "device/dispatch/dispatch_radix_sort.cuh", "histo_blocks_per_sm * num_sms, HISTO_BLOCK_THREADS, 0",
     "histo_blocks_per_sm * num_sms + 1, HISTO_BLOCK_THREADS, 0", "sort"),
    # parts of two
    ("look-back of scan and selection", "agent/single_pass_scan_operators.cuh", "tile_descriptor.status == SCAN_TILE_INVALID",
     "tile_descriptor.status <= SCAN_TILE_INVALID", "scan select"),
    ("memory for the look-back", "agent/single_pass_scan_operators.cuh", "return warp_threads + num_tiles;",
     "return warp_threads + num_tiles + 1;", "scan select"),
    # The sort asks for it on architectures without the one sweep alone.
    ("occupancy", "util_device.cuh", "MaxSmOccupancy(sm_occupancy, kernel_ptr, block_threads);",
     "MaxSmOccupancy(sm_occupancy, kernel_ptr, block_threads + 32);", "reduce"),
    # nothing changes
    ("algorithm of nobody", "agent/agent_merge_sort.cuh", "__syncthreads();", "__syncthreads();\n    __syncthreads();", ""),
    ("tuning of another architecture", "device/dispatch/tuning/tuning_scan.cuh",
     "fixed_delay_constructor_t<268, 1180>", "fixed_delay_constructor_t<268, 1181>", ""),
    ("comment", "agent/agent_reduce.cuh", "// Compute block-wide reduction", "// Adds up, in a block,\n    //", ""),
]


MODULE = """#include "common.cuh"

void register_workload_cub(harness::sdk::Registry& registry) {{
  registry.add("cub", "", nullptr);
}}

{declared}
extern "C" __attribute__((visibility("default"))) void harness_module(harness::sdk::Registry& registry) {{
  register_workload_cub(registry);
{called}}}
"""


class Builder:
    """Builds the plugin with one header changed."""

    def __init__(self, nvcc, scratch, jobs, algorithms):
        self.nvcc = pathlib.Path(nvcc)
        self.cuda = self.nvcc.resolve().parent.parent
        self.scratch = scratch
        self.objects = builds.Objects(scratch / "objects")
        self.jobs = jobs
        self.algorithms = algorithms
        self.includes = {}  # of each source: the headers of CUB

    def headers(self):
        for one in (self.cuda / "include" / "cccl" / "cub", self.cuda / "include" / "cub"):
            if (one / "version.cuh").exists():
                return one
        raise SystemExit(f"{self.cuda} has no headers of CUB")

    def command(self, folder):
        return [self.nvcc, "-std=c++20", "-O2", "-DNDEBUG", "-gencode", "arch=compute_90,code=sm_90", "-Xcompiler", "-fPIC,-fvisibility=hidden",
                "-I", folder]

    def included(self, source, folder):
        text = builds.run([*self.command(folder), "-M", source.name], source.parent)
        return {word.split("/headers/cub/")[1] for word in re.findall(r"\S+", text) if "/headers/cub/" in word}

    def first(self, folder):
        """Reads which headers each source includes, and builds with none changed."""
        shutil.copytree(self.headers(), folder / "headers" / "cub")
        sources = [HERE / f"{name}.cu" for name in self.algorithms]
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for source, found in zip(sources, pool.map(lambda one: self.included(one, folder / "headers"), sources)):
                self.includes[source] = found
            before = list(pool.map(lambda one: self.object_of(one, folder), sources))
        return self.link(folder, before)

    def object_of(self, source, folder):
        return self.objects.compiled(self.command(folder / "headers"), source)

    def link(self, folder, objects):
        out = folder / "build"
        out.mkdir()
        source = folder / "module.cpp"
        source.write_text(MODULE.format(
            declared="".join(f"void register_variant_cub_{name}(harness::sdk::Registry&);\n" for name in self.algorithms),
            called="".join(f"  register_variant_cub_{name}(registry);\n" for name in self.algorithms)))
        module = self.objects.compiled(["g++", "-std=c++20", "-O2", "-fPIC", "-fvisibility=hidden", "-I", self.cuda / "include", "-I", HERE],
                                       source)
        builds.run(["g++", "-shared", module, *objects, "-o", out / "cub.so", "-L", self.cuda / "lib64", "-lcudart_static", "-lrt", "-ldl",
                    "-lpthread"], folder)
        return out

    def planted(self, base, folder, header, old, new):
        headers = folder / "headers"
        shutil.copytree(base / "headers", headers)
        builds.replaced(headers / "cub" / header, old, new)
        return self.link(folder, [self.object_of(source, folder if header in found else base)
                                  for source, found in self.includes.items()])


def main():
    options = builds.options_of_plants(__doc__)
    options.add_argument("--algorithms", type=lambda text: text.split(","), default=ALGORITHMS, metavar="NAME,...")
    given = options.parse_args()
    plants = [plant for plant in PLANTS if given.only in plant[0]]
    wrong = 0
    with builds.scratch_folder(given.keep, "cub") as scratch:
        recorded = scratch / "record.json"
        recorded.write_text(builds.record("cub", [{"id": f"cub/{name}/n=4096", "workload": "cub", "variant": name, "device": "cuda",
                                                   "params": {"n": 4096}} for name in given.algorithms]))
        builder = Builder(given.nvcc, scratch, given.jobs, given.algorithms)
        base = scratch / "base"
        base.mkdir()
        before = builder.first(base)

        def one(number):
            folder = scratch / f"plant{number}"
            folder.mkdir()
            after = builder.planted(base, folder, *plants[number][1:4])
            answer = builds.ask(given.harness, before, after, [recorded])
            shutil.rmtree(folder / "headers")
            return ({case["case"].split("/")[1]: case["reason"] for case in answer["cases"] if case["can_change"]},
                    sum(kernel["state"] != "same" for kernel in answer["kernels"]), len(answer["kernels"]))

        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            for plant, (answer, changed, kernels) in zip(plants, pool.map(one, range(len(plants)))):
                changes = [name for name in plant[4].split() if name in given.algorithms]
                right = sorted(answer) == changes
                wrong += not right
                reasons = "; ".join(sorted({reason[:MOST_OF_A_REASON] for reason in answer.values()}))
                print(f"{'right' if right else 'WRONG':6} {plant[0]}: changes {' '.join(changes) or 'none'}, can change "
                      f"{' '.join(sorted(answer)) or 'none'}; {changed} of {kernels} kernels  {reasons}", flush=True)
    print(f"{len(plants)} plants, {wrong} answers that are not exactly right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
