import time
import pytest

@pytest.mark.parametrize("n", [1000, 2000])
@pytest.mark.parametrize("kind", ["list", "tuple"])
def test_sum(benchmark, n, kind):
    benchmark.extra_info["items"] = n
    benchmark.group = "sum"
    data = list(range(n)) if kind == "list" else tuple(range(n))
    benchmark.pedantic(sum, args=(data,), rounds=5, iterations=3)

@pytest.mark.parametrize("value", [float("nan"), None, "a b/c", 0.1])
def test_odd_params(benchmark, value):
    benchmark.pedantic(lambda: time.sleep(0.0005), rounds=3)

def test_fails_after(benchmark):
    benchmark.pedantic(lambda: time.sleep(0.0002), rounds=3)
    assert 1 == 2

def test_raises_inside(benchmark):
    def f():
        raise RuntimeError("no device")
    benchmark(f)

@pytest.mark.skip(reason="needs a GPU")
def test_skipped(benchmark):
    benchmark(lambda: 1)

def test_never_called(benchmark):
    pass

@pytest.mark.xfail
def test_xfail(benchmark):
    benchmark.pedantic(lambda: time.sleep(0.0002), rounds=3)
    assert False

class TestC:
    def test_sum(self, benchmark):
        benchmark.pedantic(sum, args=(range(5000),), rounds=4)
