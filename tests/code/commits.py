#!/usr/bin/env python3
"""Asks `harness affected` about consecutive commits that touch kernels/, and compares its answers with digests of
launches that a GPU told.

    commits.py HARNESS FOLDER --build [--count 25] [--until REV]   builds the libraries of each, without a GPU
    commits.py HARNESS FOLDER --look LOOKS                         where the GPU is; LOOKS: bin/looks
    commits.py HARNESS FOLDER                                      asks, and prints a table

FOLDER holds lib/ of each commit and of its parent, the list `pairs` (the oldest first), and digests/. Results are the
cases of suites/*.yaml of this tree that use a GPU, as far as the build has them. Only the libraries of kernels are
compared: one program measures all builds. Exit status 1: a digest differs of a result that "cannot change"."""
import collections
import concurrent.futures
import json
import pathlib
import shutil
import subprocess
import sys

import builds

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIBRARIES = ("libharness_cuda.so", "libharness_kernels.so")
CONFIGURED = ["--preset", "release", "-DHARNESS_CUDA=ON", "-DHARNESS_CUDA_ARCHITECTURES=90a-real", "-DHARNESS_TESTS=OFF",
              "-DHARNESS_PERF=OFF", "-DHARNESS_PAGE=OFF"]
GPU = "cuda"


def build(folder, count, until, jobs):
    """The libraries of `count` commits and of the parent of each. Those that are there stay."""
    commits = builds.run(["git", "log", "--format=%h %p", f"-{count}", until, "--", "kernels/"], ROOT).splitlines()
    pairs = [(parents[0], commit) for commit, *parents in map(str.split, commits)]
    (folder / "pairs").write_text("".join(f"{before} {after}\n" for before, after in reversed(pairs)))
    source = folder / "source"
    if not source.exists():
        builds.run(["git", "clone", "--quiet", "--shared", ROOT, source], folder)
    for commit in [one for before, after in pairs for one in (after, before)]:  # the newest first
        out = folder / commit / "lib"
        if all((out / name).exists() for name in LIBRARIES):
            continue
        builds.run(["git", "checkout", "--quiet", commit], source)
        if not (source / "build" / "release" / "build.ninja").exists():
            builds.run(["cmake", *CONFIGURED], source)
        builds.run(["ninja", "-C", "build/release", f"-j{jobs}", "harness_cuda", "harness_kernels_module"], source)
        out.mkdir(parents=True, exist_ok=True)
        for name in LIBRARIES:
            shutil.copy(source / "build" / "release" / "lib" / name, out / name)
        print(f"{commit} is built", flush=True)
    return 0


def same_files(one, other):
    return all((one / "lib" / name).read_bytes() == (other / "lib" / name).read_bytes() for name in LIBRARIES)


def pairs_of(folder):
    return [tuple(line.split()) for line in (folder / "pairs").read_text().splitlines()]


def differing_pairs(folder):
    return [pair for pair in pairs_of(folder) if not same_files(folder / pair[0], folder / pair[1])]


def look(folder, program, jobs):
    """Digests of each pair whose libraries differ, in a file a suite."""
    (folder / "digests").mkdir(exist_ok=True)

    def one(work):
        suite, (before, after) = work
        out = folder / "digests" / f"{before}-{after}.{suite.stem}.txt"
        if out.exists():
            return
        done = subprocess.run([program, "--builds", folder / before, folder / after, suite], cwd=ROOT, capture_output=True, text=True)
        out.write_text(done.stdout)
        print(f"{after} {suite.stem}: {done.stdout.count(chr(10))} cases  {done.stderr[-300:]}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, [(suite, pair) for suite in sorted((ROOT / "suites").glob("*.yaml")) for pair in differing_pairs(folder)]))


def records_of(harness, scratch):
    """A record a suite, with its cases of GPUs."""
    records = []
    for suite in sorted((ROOT / "suites").glob("*.yaml")):
        planned = scratch / f"{suite.stem}.plan.json"
        builds.run([harness, "plan", suite, "--output", planned], ROOT)
        plan = json.loads(planned.read_text())
        cases = [{"id": case["case"], **{key: case[key] for key in ("workload", "variant", "device", "params")}}
                 for case in plan["cases"] if case["device"] == GPU and case["workload"]]
        if cases:
            records.append(scratch / f"{suite.stem}.json")
            records[-1].write_text(builds.record(plan["suite"]["name"], cases))
    return records


def digests_of(folder, pair):
    """By suite and case: the digests before and after, each None where there is none."""
    found = {}
    for file in (folder / "digests").glob(f"{pair[0]}-{pair[1]}.*.txt"):
        for line in file.read_text().splitlines():
            suite, case, *both = line.split("\t")
            found[suite, case] = [None if one.startswith("[") else one for one in both]
    return found


def judge(harness, folder, records, pair):
    """The answer for one commit, beside what the GPU told."""
    before, after = (folder / commit for commit in pair)
    answer = builds.ask(harness, before, after, records)
    equal = same_files(before, after)
    digests = digests_of(folder, pair)
    gpu = collections.Counter()
    reasons = collections.Counter()
    wrong = []
    # A plan names the variants of this tree, which an older build may lack.
    for case in answer["cases"]:
        if case["reason_fact"] == "unknown_file":
            gpu["not in the build"] += 1
            continue
        told = "can" if case["can_change"] else "cannot"
        gpu[told] += 1
        reasons[case["reason_fact"]] += case["can_change"]
        one, other = digests.get((case["suite"], case["case"]), (None, None))
        if equal:
            gpu[f"{told}, same libraries"] += 1
        elif one is None or other is None:
            gpu[f"{told}, no digest"] += 1
        else:
            gpu[f"{told}, {'same' if one == other else 'other'} digest"] += 1
            if told == "cannot" and one != other:
                wrong.append(case["case"])
    changed = sum(kernel["state"] != "same" for kernel in answer["kernels"])
    return gpu, +reasons, wrong, changed, len(answer["kernels"])


def main():
    options = builds.options_of(__doc__)
    options.add_argument("folder", type=lambda word: pathlib.Path(word).resolve())
    options.add_argument("--build", action="store_true")
    options.add_argument("--count", type=int, default=25)
    options.add_argument("--until", default="HEAD", metavar="REV")
    options.add_argument("--look", type=lambda word: pathlib.Path(word).resolve(), metavar="LOOKS")
    given = options.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.build:
        return build(given.folder, given.count, given.until, given.jobs)
    if given.look:
        look(given.folder, given.look, given.jobs)
        return 0
    total, all_wrong, free = collections.Counter(), [], 0
    with builds.scratch_folder(given.keep, "commits") as scratch, concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        records = records_of(given.harness, scratch)
        pairs = pairs_of(given.folder)
        judged = pool.map(lambda pair: judge(given.harness, given.folder, records, pair), pairs)
        for pair, (gpu, reasons, wrong, changed, kernels) in zip(pairs, judged):
            total += gpu
            all_wrong += [(pair[1], case) for case in wrong]
            free += gpu["can"] == 0
            results = gpu["can"] + gpu["cannot"]
            print(f"{pair[1]}: {gpu['cannot']} of {results} results need no GPU; {changed} of {kernels} kernels differ; "
                  f"can change by {', '.join(f'{reason} {n}' for reason, n in reasons.most_common()) or 'nothing'}; "
                  f"digests: {', '.join(f'{name} {n}' for name, n in sorted(gpu.items()) if ',' in name)}", flush=True)
    results = total["can"] + total["cannot"]
    print(f"{len(pairs)} commits, {results} results on GPUs: {total['cannot']} need no GPU ({100 * total['cannot'] / results:.1f} %); "
          f"at {free} commits none needs one")
    for name, n in sorted(total.items()):
        print(f"  {name}: {n}")
    for commit, case in all_wrong:
        print(f"WRONG: {commit} changes {case}")
    print(f"{len(all_wrong)} results of another digest that \"cannot change\"")
    return 1 if all_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
