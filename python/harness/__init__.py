"""Cases of the harness in Python: a workload, and functions that solve it.

    import harness

    scale = harness.Workload(
        "scale",
        inputs={"x": "f32[n]"},
        outputs={"y": "f32[n]"},
        reference=lambda x, n: [3 * value for value in x],
    )

    @harness.case(scale)
    def multiply(x, y):
        y[:] = 3 * x

A suite names the file (`modules: [./cases.py]`). The package has no compiled parts. NumPy, PyTorch and CuPy are
used where they are installed.
"""

from .cases import Case, Unsupported, Work, Workload, case

__all__ = ["Case", "Unsupported", "Work", "Workload", "case"]
