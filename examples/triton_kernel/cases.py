"""A Triton kernel and what PyTorch has for the same: y = softmax(x) over rows."""
import harness

softmax = harness.Workload(
    "softmax",
    inputs={"x": "dtype[rows, columns]"},
    outputs={"y": "dtype[rows, columns]"},
    params={"dtype": ["f16", "f32"]},
    tolerance=2e-3,
    reference=lambda x: _reference(x),
)


def _reference(x):
    import numpy
    raised = numpy.exp(x - x.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


try:
    import triton
    import triton.language as tl
except ImportError:  # the suite can be planned where there is no Triton
    triton = None
else:

    @triton.jit
    def row_softmax(x, y, columns, block: tl.constexpr):
        row = tl.program_id(0)
        index = tl.arange(0, block)
        inside = index < columns
        values = tl.load(x + row * columns + index, inside, -float("inf")).to(tl.float32)
        raised = tl.exp(values - tl.max(values))
        tl.store(y + row * columns + index, (raised / tl.sum(raised)).to(y.dtype.element_ty), inside)


@harness.case(softmax, device="cuda", arrays="torch")
def triton_rows(x, y, rows, columns):
    """One program a row."""
    if triton is None:
        raise harness.Unsupported("the Python package triton is not installed")
    row_softmax[(rows,)](x, y, columns, block=triton.next_power_of_2(columns))


@harness.case(softmax, device="cuda", arrays="torch")
def torch_softmax(x, y):
    """torch.softmax"""
    import torch
    torch.softmax(x, 1, out=y)
