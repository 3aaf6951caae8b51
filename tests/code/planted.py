#!/usr/bin/env python3
"""Plants changes of host code, of device code and of the build in a small plugin (planted/), and asks
`harness affected` which of its three cases can change. It fails where the answer for a case that a plant does
change is "cannot".

    planted.py HARNESS [--nvcc NVCC] [--jobs N] [--only TEXT] [--keep FOLDER]

Each plant names the cases that it changes, committed before the first run. More cases than these may be said
to be able to change; the last column counts them.
"""
import concurrent.futures
import pathlib
import shutil
import sys

import builds

HERE = pathlib.Path(__file__).resolve().parent / "planted"
CASES = ("a", "b", "c")

# Each plant is a name, edits (file, old text, new text), the cases that it changes, and where the build
# differs its options.
PLANTS = [
    # device code
    ("constant of a shared device function", [("common.cuh", "x * 0.5f", "x * 0.625f")], "abc"),
    ("initial value of a __constant__ table", [("a.cu", "{1, 2, 3, 4}", "{1, 2, 3, 5}")], "a"),
    ("initial value of a __device__ variable", [("b.cu", "counter = 7", "counter = 8")], "b"),
    ("launch bounds", [("a.cu", "__launch_bounds__(256)", "__launch_bounds__(1024, 2)")], "a"),
    ("loop count of a kernel", [("a.cu", "k < 4", "k < 3")], "a"),
    ("another order of operations", [("common.cuh", "bend(arguments.in[i]) * arguments.factor",
                                      "bend(arguments.in[i] * arguments.factor)")], "c"),
    ("a barrier more", [("b.cu", "    __syncthreads();", "    __syncthreads();\n    __syncthreads();")], "b"),
    ("template argument of a kernel", [("c.cu", "scaled<tile>", "scaled<tile / 2>")], "c"),
    ("one more stage", [("b.cu", "launch<4>}", "launch<5>}")], "b"),
    ("condition of a kernel", [("a.cu", "i >= arguments.n", "i + 1 >= arguments.n")], "a"),
    # launches
    ("size of a block", [("common.cuh", "tile = 128", "tile = 64")], "abc"),
    ("dynamic shared memory", [("b.cu", "tile, 4096, stream", "tile, 8192, stream")], "b"),
    ("attribute of a kernel", [("b.cu", "Size, 65536", "Size, 49152")], "b"),
    ("default stream", [("a.cu", "tile, 0, stream>>>", "tile, 0, nullptr>>>")], "a"),
    ("argument of a kernel", [("a.cu", "n_, 2.5f", "n_, 2.25f")], "a"),
    ("argument that is small", [("c.cu", "n_, 1.0f", "n_, 0.0f")], "c"),
    ("grid of one branch", [("b.cu", "blocks_ + 2", "blocks_ + 3")], "b"),
    ("grid of another branch", [("b.cu", "blocks_ * 2", "blocks_ * 3")], "b"),
    ("kernel of a branch", [("b.cu", "case 4: launches[2]", "case 4: launches[1]")], "b"),
    ("order of two calls", [("a.cu", "    check(cudaMemsetAsync(arguments_.out, 0, sizeof(float) * static_cast<std::size_t>(n_), stream));\n", ""),
                            ("a.cu", "    check(cudaGetLastError());", "    check(cudaMemsetAsync(arguments_.out, 0, sizeof(float) * static_cast<std::size_t>(n_), stream));")], "a"),
    ("value of a fill", [("a.cu", "out, 0, sizeof", "out, 1, sizeof")], "a"),
    ("size of a fill", [("a.cu", "sizeof(float) * static", "2 * static")], "a"),
    ("flags of an event", [("c.cu", "cudaEventDisableTiming", "cudaEventBlockingSync")], "c"),
    ("one launch more", [("c.cu", "round < rounds_", "round <= rounds_")], "c"),
    # what chooses launches
    ("table of a function of others", [("table.cpp", "{2, 3, 4, 6}", "{2, 3, 6, 4}")], "b"),
    ("table that can be written", [("table.cpp", "4, 8, 16}", "4, 12, 16}")], "ac"),
    ("limits of a structure", [("table.cpp", "least = 1;", "least = 2;")], "ac"),
    ("rounding of a division", [("table.cpp", "n + tile - 1", "n + tile")], "ac"),
    ("string that is compared, short", [("c.cu", '"one round"', '"two round"')], "c"),
    ("string that is compared, long", [("c.cu", "several rounds, one after the other", "several rounds, one after an other!")], "c"),
    ("name of a variable of the environment", [("c.cu", "PLUG_MODE", "PLUG_WAYS")], "c"),
    ("constant of a static variable", [("c.cu", "value = 0.75", "value = 0.5")], "c"),
    ("factor as a double", [("c.cu", "share() * blocks_of", "1.25 * blocks_of")], "c"),
    ("virtual function that nobody names", [("b.cu", "return 4; }", "return 5; }")], "b"),
    ("virtual function that is gone", [("b.cu", "  int choice() const override { return 4; }\n", "")], "b"),
    ("default of a base class", [("common.cuh", "return 1; }", "return 2; }")], "ac"),
    ("type that is caught", [("b.cu", "catch (const Odd&)", "catch (const NoStage&)")], "b"),
    ("what a handler does", [("b.cu", "blocks_ = 3", "blocks_ = 4")], "b"),
    ("text of an exception that counts", [("b.cu", 'NoStage("none")', 'NoStage("nothing")')], "b"),
    ("base of an exception", [("b.cu", "struct Odd : NoStage {\n  using NoStage::NoStage;", "struct Odd : std::runtime_error {\n  using std::runtime_error::runtime_error;")], "b"),
    ("helper library", [("helper.cpp", "? 3 : 2", "? 4 : 2")], "abc"),
    ("threshold in the helper library", [("helper.cpp", "n > 1000", "n > 1001")], "abc"),
    ("elements of the workload", [("workload.cpp", "return 2 * n", "return 3 * n")], "abc"),
    ("member of the arguments", [("common.cuh", "  int n;\n  float factor;", "  float factor;\n  int n;"),
                                 ("a.cu", "n_, 2.5f", "2.5f, n_"), ("b.cu", "n_, 0.25f", "0.25f, n_"), ("c.cu", "n_, 1.0f", "1.0f, n_")], "abc"),
    ("static initialiser", [("table.cpp", "int blocks_of(int n) {", "const int set = setenv(\"PLUG_MODE\", \"one round\", 0);\n\nint blocks_of(int n) {")], "abc"),
    ("common check of results", [("table.cpp", "result != cudaSuccess", "result == cudaErrorInvalidValue")], "abc"),
    ("library that is opened", [("c.cu", "#include <cstring>", "#include <cstring>\n#include <dlfcn.h>"),
                                ("c.cu", "rounds_(helper_rounds(n))", "rounds_(dlopen(\"libmore.so\", RTLD_NOW) ? 2 : helper_rounds(n))")], "c"),
    ("initial value of a member", [("b.cu", "blocks_ = 16", "blocks_ = 17")], "b"),
    ("pointers in a table", [("b.cu", "{launch<2>, launch<3>,", "{launch<3>, launch<2>,")], "b"),
    ("name that hides another function", [("c.cu", "    const int blocks = static_cast<int>(share() * blocks_of(n_));",
                                           "    const auto blocks_of = [](int n) { return n / 32; };\n    const int blocks = static_cast<int>(share() * blocks_of(n_));")], "c"),
    # the build
    ("ptxas -O1", [], "abc", {"device": ["-Xptxas", "-O1"]}),
    ("register cap, which launch bounds override", [], "bc", {"device": ["-maxrregcount", "16"]}),
    ("fast arithmetic", [("a.cu", "arguments.out[i] = sum * arguments.factor", "arguments.out[i] = sum / arguments.factor")], "a", {"device": ["-use_fast_math"]}),
    ("debug code", [], "abc", {"device": ["-G"]}),
    ("another architecture", [], "abc", {"arch": ["-gencode", "arch=compute_80,code=sm_80"]}),
    ("PTX only", [], "abc", {"arch": ["-gencode", "arch=compute_80,code=compute_80"]}),
    ("host without optimisation", [], "abc", {"host": ["-O0"]}),
    ("a macro of the command line", [("a.cu", "n_, 2.5f", "n_, FACTOR")], "a", {"device": ["-DFACTOR=3.5f"]}),
    ("link-time optimisation", [], "abc", {"arch": ["-gencode", "arch=compute_90,code=lto_90"], "rdc": True, "link": "host"}),
    ("relocatable device code", [("a.cu", "k < 4", "k < 5")], "a", {"rdc": True}),
    ("another library in place of the helper", [], "abc", {"helper": "helper_next"}),
    # nothing changes: the answer may be "cannot", and should
    ("comment", [("a.cu", "#include", "// Nothing.\n#include")], ""),
    ("line numbers", [], "", {"device": ["-lineinfo"]}),
    ("order of the objects", [], "", {"order": ["workload", "c", "b", "a", "table"]}),
    ("another folder", [], "", {"folder": "elsewhere"}),
    ("compression of device code", [], "", {"device": ["--compress-mode=none"]}),
    ("name of a variable", [("table.cpp", "block_table[]", "table_of_blocks[]"), ("table.cpp", ": block_table", ": table_of_blocks")], ""),
    ("a kernel of nobody", [("common.cuh", "template <int Tile>", "__device__ inline int unused(int x) { return x + 1; }\n\ntemplate <int Tile>")], ""),
]


class Builder:
    """Builds the plugin with some edits."""

    def __init__(self, nvcc, scratch):
        self.nvcc = pathlib.Path(nvcc)
        self.cuda = self.nvcc.resolve().parent.parent
        self.objects = builds.Objects(scratch / "objects")

    def compiled(self, source, options):
        arch = options.get("arch", ["-gencode", "arch=compute_90,code=sm_90"])
        host = ["-fPIC", "-fvisibility=hidden", *options.get("host", [])]
        if source.suffix == ".cu":
            command = [self.nvcc, "-std=c++20", "-O2", *arch, *options.get("device", []), "-Xcompiler", ",".join(host)]
            command += ["-rdc=true"] if options.get("rdc") else []
        else:
            command = ["g++", "-std=c++20", "-O2", *host, "-I", self.cuda / "include"]
        return self.objects.compiled(command, source, (source.parent / "common.cuh").read_text(), options.get("folder"))

    def build(self, top, edits, options):
        """The folder that holds the plugin and its library."""
        sources = top / options.get("folder", "sources")
        shutil.copytree(HERE, sources)
        for name, old, new in edits:
            builds.replaced(sources / name, old, new)
        out = top / "build"
        out.mkdir()
        helper = options.get("helper", "helper")
        builds.run(["g++", "-O2", "-shared", "-fPIC", f"-Wl,-soname,lib{helper}.so", "-o", out / f"lib{helper}.so", "helper.cpp"], sources)
        objects = [self.compiled(next(sources.glob(f"{name}.c*")), options)
                   for name in options.get("order", ["workload", "table", "a", "b", "c"])]
        linked = ["-L", out, f"-l{helper}", "-o", out / "plug.so"]
        # Code for link-time optimisation stays as it is: linking it takes a part of the toolkit that may be absent.
        if options.get("rdc") and options.get("link") != "host":
            builds.run([self.nvcc, "-arch=sm_90", "-shared", "-rdc=true", *objects, *linked, "-Xlinker", "-rpath,$ORIGIN"], sources)
        else:
            builds.run(["g++", "-shared", *objects, *linked, "-Wl,-rpath,$ORIGIN", "-L", self.cuda / "lib64", "-lcudart_static", "-lrt",
                        "-ldl", "-lpthread"], sources)
        return out


def record():
    return builds.record("plug", [{"id": f"plug/{name}/n=4096", "workload": "plug", "variant": name, "device": "cuda",
                                   "params": {"n": 4096}} for name in CASES])


def main():
    given = builds.options_of_plants(__doc__).parse_args()
    plants = [plant for plant in PLANTS if given.only in plant[0]]
    with builds.scratch_folder(given.keep, "planted") as scratch:
        recorded = scratch / "record.json"
        recorded.write_text(record())
        base = scratch / "base"
        base.mkdir()
        builder = Builder(given.nvcc, scratch)
        before = builder.build(base, [], {})

        def one(number):
            name, edits, changes, *more = plants[number]
            top = scratch / f"plant{number}"
            top.mkdir()
            after = builder.build(top, edits, more[0] if more else {})
            cases = builds.ask(given.harness, before, after, [recorded])["cases"]
            return {case["case"].split("/")[1]: case["reason"] for case in cases if case["can_change"]}

        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            wrong = judge(plants, pool.map(one, range(len(plants))))
    return 1 if wrong else 0


def judge(plants, answers):
    """Prints each plant beside its answer; how many answers are wrong."""
    wrong = extra = needless = 0
    for plant, answer in zip(plants, answers):
        name, changes = plant[0], plant[2]
        missed = sorted(set(changes) - set(answer))
        more = sorted(set(answer) - set(changes))
        wrong += bool(missed)
        extra += len(more)
        needless += bool(not changes and answer)
        verdict = f"WRONG: {''.join(missed)} cannot change" if missed else "right"
        print(f"{verdict:24} {name}: changes {changes or 'none'}, can change {''.join(sorted(answer)) or 'none'}"
              f"  {'; '.join(sorted(set(answer.values())))}", flush=True)
    changing = sum(bool(plant[2]) for plant in plants)
    print(f"{changing} plants that change something: {wrong} with a wrong \"cannot change\"; {extra} cases more than needed; "
          f"{len(plants) - changing} plants that change nothing: {needless} with a case that can change")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
