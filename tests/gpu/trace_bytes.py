"""Proof by the bytes that come from the host, on a GPU.

  trace_bytes.py FOLDER OUT    FOLDER has bin/ and lib/; records and reports go to OUT

A kernel works as long as a number says that lies in a file, and that comes to the GPU on many ways (trace_bytes.cu).
Unchanged, each program has to be proven by one start, or say why not. Reads of memory of the host (`mapped`) take too
unlike times for a verdict at 1 %. With a number that is 11 % larger, each has to be
red. Prints a table; exit status 1 where a figure misses its goal. Needs nvcc and a GPU.
"""
import json
import os
import pathlib
import subprocess
import sys
import time

folder, out = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
here = pathlib.Path(__file__).resolve().parent
harness = folder / "bin" / "harness"
out.mkdir(parents=True, exist_ok=True)
proven = ["argument", "device", "default", "pinned", "plane", "constant", "variable", "setup", "fill", "array", "captured", "by_hand",
          "updated"]
gaps = {"managed": "inputs_shared", "mapped": "inputs_shared", "graph_copy": "inputs_uncalled", "unseeded": None}
amount = 0x3030  # of which the fill writes both bytes
missed = 0


def build(number):
    """One binary whose code has the number, and one that does not change."""
    (out / "amount").write_text("%d\n" % number)
    for name, compiled in (("with", number), ("bytes", 1)):
        subprocess.run([os.environ.get("NVCC", "nvcc"), "-O2", "-arch=sm_90", "-DAMOUNT=%d" % compiled, "-o", out / name,
                        here / "trace_bytes.cu"], check=True)


def suite():
    lines = ["version: 2", "name: bytes", "programs:"]
    for way in [*proven, *gaps]:
        binary = "with" if way == "variable" else "bytes"
        lines += ["  - name: %s" % way, "    command: [./%s, %s]" % (binary, way), "    reads: cuda_trace", "    device: cuda",
                  "    gate: {margin: 1%}"]
    (out / "suite.yaml").write_text("\n".join(lines) + "\n")


def run(name, *words):
    begin = time.monotonic()
    done = subprocess.run([harness, "run", "suite.yaml", "--device", "cuda", "--quiet", "--store", "bytes.db", "--report",
                           "json=%s.report.json" % name, *words], cwd=out, capture_output=True, text=True, check=False)
    (out / ("%s.txt" % name)).write_text(done.stdout + done.stderr)
    took = time.monotonic() - begin
    report = json.loads((out / ("%s.report.json" % name)).read_text()) if (out / ("%s.report.json" % name)).exists() else {"cases": []}
    return done.returncode, took, {row["case"]: row for row in report["cases"] if row["metric"] == "kernel_time"}


def row(what, told, good):
    global missed
    missed += 0 if good else 1
    print("| %s | %s | %s |" % (what, told, "ok" if good else "MISSED"), flush=True)


def why(one):
    gap = one.get("unproven") or {}
    return gap.get("why", {}).get("code", "-"), (gap.get("cause") or {}).get("code")


suite()
build(amount)
status, took, _ = run("base", "--output", "base.json", "--save-as", "base")
row("baseline of %d programs" % (len(proven) + len(gaps)), "exit %d, %.0f s" % (status, took), status == 0)
status, took, rows = run("same", "--against", "@base")
row("unchanged", "exit %d, %.0f s" % (status, took), status in (0, 3))
for way in proven:
    one = rows.get(way, {})
    row("unchanged, by %s" % way, "%s; %s %s" % (one.get("verdict"), *why(one)), one.get("verdict") == "identical")
for way, cause in gaps.items():
    one = rows.get(way, {})
    code = why(one)
    row("unchanged, by %s" % way, "%s; %s %s" % (one.get("verdict"), *code),
        one.get("verdict") in ("unchanged", "not_worse", *(["inconclusive"] if way == "mapped" else [])) and (code[1] == cause if cause else code[0] == "other_inputs"))
build(0x3535)  # 10.7 % more
status, took, rows = run("more", "--against", "@base")
row("11 % more work", "exit %d, %.0f s" % (status, took), status == 1)
by_launches = ("argument", "variable", "setup", "fill", "captured", "by_hand", "updated")
for way in [*proven, *gaps]:
    one = rows.get(way, {})
    expected = "other_launches" if way in by_launches else "other_inputs" if way in proven else why(one)[0]
    row("more work, by %s" % way, "%s, %+.2f %%; %s %s" % (one.get("verdict"), ((one.get("ratio") or 1) - 1) * 100, *why(one)),
        one.get("verdict") in (("regressed", "inconclusive") if way == "mapped" else ("regressed",)) and why(one)[0] == expected)
print("%s" % ("MISSED %d" % missed if missed else "all as it should be"))
sys.exit(1 if missed else 0)
