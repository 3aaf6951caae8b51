"""Which programs do the same work twice, by the trace, on a GPU.

  trace_programs.py FOLDER OUT [NAME...]    FOLDER has bin/ and lib/; traces go to OUT

Each program of trace_programs/ is started once, so that compilers fill their caches, and twice under the trace, with the contents of what it copies from the host. A
row says whether both starts have the same identity: machine code, launches, arguments, graphs, streams and inputs. If
not, it says what differs or why it is not known. Programs whose libraries are missing are skipped. Prints a table;
exit status 1 where a program that is seeded and waits for nobody is not proven.
"""
import json
import os
import pathlib
import subprocess
import sys
import time

folder, out = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
here = pathlib.Path(__file__).resolve().parent / "trace_programs"
harness = folder / "bin" / "harness"
out.mkdir(parents=True, exist_ok=True)
chosen = sys.argv[3:] or sorted(path.stem for path in here.glob("*.py"))
missed = 0


def start(name, number):
    """The trace of a start, and its seconds."""
    begin = time.monotonic()
    done = subprocess.run([harness, "trace", "--only-traced", "--format", "json", "--steps", "nvtx:step", "--", sys.executable,
                           here / (name + ".py")], capture_output=True, text=True, check=False,
                          env=dict(os.environ, HARNESS_TRACE_CONTENTS="on"))
    took = time.monotonic() - begin
    (out / ("%s-%d.txt" % (name, number))).write_text(done.stdout + done.stderr)
    return (json.loads(done.stdout)["trace"] if done.returncode == 0 else {"fault": done.stdout + done.stderr}), took


def uses(trace):
    """The kernels of the steps and beside them, by name and shape."""
    found = {}
    for kernel in [one["kernel"] for one in trace["kernels"]] + trace["identity"].get("setup", []):
        found[kernel["name"], tuple(kernel.get("grid", [])), tuple(kernel.get("block", []))] = kernel
    return found


def loose_words(one, other):
    """How many words of arguments differ, where everything else is the same; else None."""
    before, after = uses(one), uses(other)
    if one["identity"].get("frame") != other["identity"].get("frame") or before.keys() != after.keys():
        return None
    count = 0
    for key, kernel in before.items():
        words, others = kernel.get("words", ""), after[key].get("words", "")
        if len(words) != len(others) or (not words and kernel.get("arguments") != after[key].get("arguments")):
            return None
        count += sum(words[at:at + 8] != others[at:at + 8] for at in range(0, len(words), 8))
    return count


def differing(one, other):
    before, after = uses(one), uses(other)
    for key in before.keys() ^ after.keys():
        return "%s %s is in one start only" % (key[0][:60], key[1])
    for key, kernel in before.items():
        for what in ("code", "launches", "arguments"):
            if kernel.get(what) != after[key].get(what):
                return "%s of %s" % (what, key[0][:60])
    return "order"


def compared(one, other):
    """Whether both are identical, and the words of the row."""
    for trace in (one, other):
        if trace.get("fault"):
            return None, str(trace["fault"])[-200:].replace("\n", " ")
        gap = trace["identity"].get("gap") or trace["identity"].get("inputs", {}).get("gap")
        if gap:
            return False, str(gap)
    if one["identity"].get("inputs") != other["identity"].get("inputs"):
        return False, "the bytes from the host differ"
    if one["identity"]["digest"] == other["identity"]["digest"]:
        return True, "identical"
    loose = loose_words(one, other)
    if loose is not None:
        return True, "identical but for %d words of arguments, which five starts settle" % loose
    return False, "differs: " + differing(one, other)


print("| program | launches a step | two starts | s a start |\n|---|--:|---|--:|")
for name in chosen:
    text = (here / (name + ".py")).read_text()
    warm = subprocess.run([sys.executable, here / (name + ".py")], capture_output=True, text=True, check=False)
    first, took = start(name, 1)
    if "ModuleNotFoundError" in warm.stderr:
        print("| %s | - | skipped: a library is missing | - |" % name, flush=True)
        continue
    second, again = start(name, 2)
    same, words = compared(first, second)
    expected = "# Not proven: " not in text
    if same is not True and expected:
        missed += 1
    print("| %s | %s | %s%s | %.0f |" % (name, first.get("launches_a_step", "-"), words, "" if same or not expected else " (MISSED)",
                                         (took + again) / 2), flush=True)
sys.exit(1 if missed else 0)
