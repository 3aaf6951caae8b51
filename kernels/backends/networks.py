"""Four networks, each written once over an object with the operations (operations.py), and their weights."""

from __future__ import annotations

import dataclasses
import functools
import math
import struct
from typing import Any, Callable, Iterator


def _drawn(count: int) -> Iterator[float]:
    """Numbers between -1 and 1, by a generator that weights.h has too."""
    state = 20251002
    for _ in range(count):
        state = (1664525 * state + 1013904223) % 2 ** 32
        yield state / 2 ** 31 - 1


# Weights repeat these. Their number is a prime, so no two rows of a matrix are alike.
_VALUES = list(_drawn(65521))

Sizes = dict[str, Any]
Shape = tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Network:
    """`forward(ops, x, weights, sizes)` gives y, whose shape is that of x."""

    name: str
    extents: tuple[str, ...]  # of x, by name
    params: tuple[str, ...]  # that are no extent
    forward: Callable[[Any, Any, list[Any], Sizes], Any]
    # Shapes of the weights: k x n of a product, out x in x 3 x 3 of a convolution, n of a bias.
    shapes: Callable[[Sizes], list[Shape]]

    def shape(self, sizes: Sizes) -> Shape:
        return tuple(sizes[name] for name in self.extents)

    def weights(self, ops: Any, sizes: Sizes) -> list[Any]:
        """The weights as `ops` has them. Any type holds them exactly, from half precision on."""
        return [ops.weight(_values(at, _inputs(shape)), shape) for at, shape in enumerate(self.shapes(sizes))]

    def flops(self, sizes: Sizes) -> float:
        """Of products, convolutions and attention."""
        shape = self.shape(sizes)
        points = math.prod(shape) // (shape[1] if self is CONV else shape[-1])
        products = sum(2.0 * points * math.prod(weight) for weight in self.shapes(sizes))
        if self is BLOCK:
            return products + 4.0 * points * sizes["s"] * sizes["d"]
        if self is not TRANSFORMER:
            return products
        return products + 4.0 * sizes["layers"] * points * sizes["length"] * sizes["width"]


def _mlp(ops: Any, x: Any, weights: list[Any], sizes: Sizes) -> Any:
    for weight in weights:
        x = ops.relu(ops.product(x, weight))
    return x


def _conv(ops: Any, x: Any, weights: list[Any], sizes: Sizes) -> Any:
    for weight in weights:
        x = ops.relu(ops.convolution(x, weight))
    return x


def _transformer(ops: Any, x: Any, weights: list[Any], sizes: Sizes) -> Any:
    for at in range(0, len(weights), 6):
        query, key, value, out, up, down = weights[at:at + 6]
        attended = ops.attention(ops.product(x, query), ops.product(x, key), ops.product(x, value), sizes["heads"])
        x = ops.normalise(ops.add(x, ops.product(attended, out)))
        x = ops.normalise(ops.add(x, ops.product(ops.relu(ops.product(x, up)), down)))
    return x


def _transformer_shapes(sizes: Sizes) -> list[Shape]:
    width = sizes["width"]
    return ([(width, width)] * 4 + [(width, 4 * width), (4 * width, width)]) * sizes["layers"]


MLP = Network("mlp", ("batch", "width"), ("layers",), _mlp,
              lambda sizes: [(sizes["width"], sizes["width"])] * sizes["layers"])
CONV = Network("conv", ("batch", "channels", "size", "size"), ("layers",), _conv,
               lambda sizes: [(sizes["channels"], sizes["channels"], 3, 3)] * sizes["layers"])
def _block(ops: Any, x: Any, weights: list[Any], sizes: Sizes) -> Any:
    norm1, shift1, qkv, qkv_bias, out, out_bias, norm2, shift2, up, up_bias, down, down_bias = weights
    heads = ops.linear(ops.layer_norm(x, norm1, shift1), qkv, qkv_bias)
    attended = ops.attention(*ops.thirds(heads), sizes["h"])
    x = ops.add(x, ops.linear(attended, out, out_bias))
    hidden = ops.gelu(ops.linear(ops.layer_norm(x, norm2, shift2), up, up_bias))
    return ops.add(x, ops.linear(hidden, down, down_bias))


def _block_shapes(sizes: Sizes) -> list[Shape]:
    d = sizes["d"]
    return [(d,), (d,), (d, 3 * d), (3 * d,), (d, d), (d,), (d,), (d,), (d, 4 * d), (4 * d,), (4 * d, d), (d,)]


TRANSFORMER = Network("transformer", ("batch", "length", "width"), ("heads", "layers"), _transformer,
                      _transformer_shapes)
# The workload `block` of kernels/block, with weights of its own.
BLOCK = Network("torch_block", ("b", "s", "d"), ("h",), _block, _block_shapes)


def _inputs(shape: Shape) -> int:
    """How many products a sum has."""
    return shape[0] if len(shape) == 2 else math.prod(shape[1:])


@functools.lru_cache(maxsize=None)
def _values(at: int, inputs: int) -> tuple[float, ...]:
    """Values that keep the size of sums of so many products. A weight repeats them."""
    bound = math.sqrt(3 / inputs)
    start = at * 4099 % len(_VALUES)
    form = f"{len(_VALUES)}e"
    return struct.unpack(form, struct.pack(form, *(bound * value for value in _VALUES[start:] + _VALUES[:start])))
