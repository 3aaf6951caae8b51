"""The networks of kernels/backends: their operations on values that are known, and in each of their forms."""

from __future__ import annotations

import importlib.util
import math
import os
import random
import sys
import unittest
from typing import Any

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "kernels", "backends"))
import backends  # noqa: E402
from networks import BLOCK, CONV, MLP, TRANSFORMER, Network, Sizes  # noqa: E402
from operations import NumPy, Plain, Torch, numpy  # noqa: E402

SMALL: list[tuple[Network, Sizes]] = [
    (MLP, {"layers": 2, "width": 5, "batch": 3}),
    (CONV, {"layers": 2, "channels": 3, "size": 4, "batch": 2}),
    (TRANSFORMER, {"layers": 2, "heads": 2, "width": 6, "length": 4, "batch": 2}),
    (BLOCK, {"h": 2, "b": 2, "s": 3, "d": 6}),
]


def drawn(shape: tuple[int, ...]) -> Any:
    """Nested lists of numbers between -1 and 1."""
    draw = random.Random(1)
    values = [draw.uniform(-1, 1) for _ in range(math.prod(shape))]
    return Plain().weight(values, shape)


class InPython(unittest.TestCase):
    ops = Plain()

    def kernel(self, at: tuple[int, int]) -> Any:
        return [[[float((i, j) == at) for j in range(3)] for i in range(3)]]

    def test_a_product_sums_over_rows_of_the_weight(self) -> None:
        self.assertEqual(self.ops.product([[1.0, 2.0]], [[3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]), [[15.0, 18.0, 21.0]])

    def test_a_convolution_takes_the_neighbours_and_zeros_outside(self) -> None:
        x = [[[[1.0, 2.0], [3.0, 4.0]]]]
        self.assertEqual(self.ops.convolution(x, [self.kernel((1, 1))]), x)
        self.assertEqual(self.ops.convolution(x, [self.kernel((0, 2))]), [[[[0.0, 0.0], [2.0, 0.0]]]])

    def test_rows_are_normalised(self) -> None:
        [[low, high]] = self.ops.normalise([[1.0, 3.0]])
        self.assertAlmostEqual(low, -1, places=4)
        self.assertEqual(high, -low)

    def test_a_norm_has_a_weight_and_a_bias(self) -> None:
        [[low, high]] = self.ops.layer_norm([[1.0, 3.0]], [2.0, 3.0], [10.0, 20.0])
        self.assertAlmostEqual(low, 8, places=4)
        self.assertAlmostEqual(high, 23, places=4)

    def test_gelu_is_its_tanh_form(self) -> None:
        [[zero, one, minus]] = self.ops.gelu([[0.0, 1.0, -1.0]])
        self.assertEqual(zero, 0)
        self.assertAlmostEqual(one, 0.841192, places=6)
        self.assertAlmostEqual(minus, -0.158808, places=6)

    def test_queries_keys_and_values_are_thirds_of_a_row(self) -> None:
        self.assertEqual(self.ops.thirds([[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]]), [[[[1.0, 2.0]]], [[[3.0, 4.0]]], [[[5.0, 6.0]]]])
        self.assertEqual(self.ops.linear([[[1.0, 2.0]]], [[3.0], [4.0]], [0.5]), [[[11.5]]])

    def test_attention_is_a_mean_of_the_values_where_all_keys_are_alike(self) -> None:
        query, key, value = [[[9.0, 9.0]] * 2], [[[1.0, 2.0]] * 2], [[[1.0, 10.0], [3.0, 30.0]]]
        self.assertEqual(self.ops.attention(query, key, value, 1), [[[2.0, 20.0]] * 2])

    def test_each_head_attends_by_its_own_columns(self) -> None:
        query, key = [[[100.0, 100.0]]], [[[1.0, -1.0], [-1.0, 1.0]]]
        [[row]] = self.ops.attention(query, key, [[[1.0, 10.0], [3.0, 30.0]]], 2)
        self.assertAlmostEqual(row[0], 1)
        self.assertAlmostEqual(row[1], 30)


class Networks(unittest.TestCase):
    def plain(self, network: Network, sizes: Sizes) -> Any:
        x = drawn(network.shape(sizes))
        return x, network.forward(Plain(), x, network.weights(Plain(), sizes), sizes)

    def test_weights_are_exact_in_half_precision_and_differ_between_layers(self) -> None:
        first, second = MLP.weights(Plain(), {"layers": 2, "width": 4})
        self.assertNotEqual(first, second)
        self.assertTrue(all(value * 2 ** 24 == int(value * 2 ** 24) for row in first for value in row))

    def test_flops_are_two_a_weight_and_point_and_those_of_attention(self) -> None:
        flops = [network.flops(sizes) for network, sizes in SMALL]
        self.assertEqual(flops, [2 * 2 * 3 * 25, 2 * 2 * 2 * 16 * 81, 2 * (2 * 8 * 12 * 36 + 4 * 2 * 16 * 6),
                                 2 * 6 * (12 * 36 + 13 * 6) + 4 * 6 * 3 * 6])

    @unittest.skipUnless(numpy, "NumPy is not installed")
    def test_numpy_computes_the_same(self) -> None:
        ops = NumPy("float64")
        for network, sizes in SMALL:
            x, right = self.plain(network, sizes)
            found = network.forward(ops, numpy.array(x), network.weights(ops, sizes), sizes)
            self.assertLess(abs(found - numpy.array(right)).max(), 1e-12, network.name)

    @unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
    def test_pytorch_computes_the_same(self) -> None:
        import torch
        ops = Torch("float64", "cpu")
        for network, sizes in SMALL:
            if network in (TRANSFORMER, BLOCK) and not hasattr(ops.functional, "scaled_dot_product_attention"):
                continue
            x, right = self.plain(network, sizes)
            found = network.forward(ops, torch.tensor(x, dtype=torch.float64), network.weights(ops, sizes), sizes)
            self.assertLess((found - torch.tensor(right, dtype=torch.float64)).abs().max().item(), 1e-12, network.name)


class InBackends(unittest.TestCase):
    def test_a_process_is_prepared_by_the_class(self) -> None:
        classes: list[type[backends.Backend]] = [backends.Backend]
        for one in classes:  # those that are added, too
            classes += one.__subclasses__()
            self.assertIs(getattr(one.prepare, "__self__", None), one, f"{one.__name__}.prepare is for instances")
        backends.OnnxRuntime.prepare("cpu")
        self.assertGreater(len(classes), 8)


if __name__ == "__main__":
    unittest.main()
