"""Ordinary tests of pytest-benchmark: nothing in them is made for the harness."""
import random

import pytest


@pytest.mark.parametrize("count", [1000, 10000])
def test_sorting(benchmark, count):
    values = [random.Random(1).random() for _ in range(count)]
    assert len(benchmark(sorted, values)) == count
