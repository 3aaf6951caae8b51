"""Samples of Python timers as JSON Lines for `harness import`, on standard output unless `file` is given.

    import harness_samples
    harness_samples.times("softmax/n=4096", triton.testing.do_bench(f, return_mode="all"), unit="ms")
    harness_samples.measurement(torch.utils.benchmark.Timer("f(x)", globals=globals()).blocked_autorange())

One start of the program is one process. A case that is timed again gets another placement.
"""
import collections
import json

_placements = collections.Counter()


def times(case, samples, unit, metric="gpu_time", file=None):
    """The times of one case, in the order taken, in "s", "ms", "us" or "ns"."""
    placement = _placements[case, metric]
    _placements[case, metric] += 1
    line = {"case": case, "metric": metric, "unit": unit, "process": 1, "placement": placement,
            "samples": [float(sample) for sample in samples]}
    print(json.dumps(line, allow_nan=False), file=file, flush=True)


def measurement(measured, case=None, file=None):
    """A torch.utils.benchmark.Measurement. The case is its title and its description, unless named."""
    spec = measured.task_spec
    times(case or "/".join(part for part in (spec.title, spec.description) if part), measured.times, "s",
          "wall_time", file)
