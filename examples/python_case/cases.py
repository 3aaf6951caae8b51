"""y = 3 x, in two ways that need nothing but Python."""
import harness

scale = harness.Workload(
    "scale",
    inputs={"x": "f32[n]"},
    outputs={"y": "f32[n]"},
    reference=lambda x: [3 * value for value in x],
)


@harness.case(scale, arrays="memoryview")
def loop(x, y):
    """One loop."""
    for i, value in enumerate(x):
        y[i] = 3 * value


@harness.case(scale, arrays="memoryview")
def backwards(x, y, n):
    """The same from the end."""
    for i in range(n - 1, -1, -1):
        y[i] = 3 * x[i]
