"""The operations of the networks: in Python alone, by NumPy, by PyTorch. ONNX has a file of its own."""

from __future__ import annotations

import functools
import math
from typing import Any, Callable, Sequence

try:
    import numpy
except ImportError:  # the cases that need it are skipped
    numpy = None  # type: ignore[assignment]

EPSILON = 1e-5  # of a normalisation


def _gelu(x: Any, tanh: Callable[[Any], Any]) -> Any:
    """GELU in its tanh form, of a number or an array."""
    return 0.5 * x * (1 + tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


class Plain:
    """On nested lists."""

    def weight(self, values: Sequence[float], shape: tuple[int, ...]) -> Any:
        count = math.prod(shape)
        flat = (list(values) * (count // len(values) + 1))[:count]
        for extent in shape[:0:-1]:
            flat = [flat[at:at + extent] for at in range(0, len(flat), extent)]
        return flat

    def product(self, x: Any, weight: Any) -> Any:
        if isinstance(x[0], list):
            return [self.product(part, weight) for part in x]
        return [math.fsum(value * row[at] for value, row in zip(x, weight)) for at in range(len(weight[0]))]

    def relu(self, x: Any) -> Any:
        return [self.relu(part) for part in x] if isinstance(x, list) else max(x, 0.0)

    def add(self, x: Any, y: Any) -> Any:
        return [self.add(*pair) for pair in zip(x, y)] if isinstance(x, list) else x + y

    def normalise(self, x: Any) -> Any:
        if isinstance(x[0], list):
            return [self.normalise(part) for part in x]
        mean = math.fsum(x) / len(x)
        deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in x) / len(x) + EPSILON)
        return [(value - mean) / deviation for value in x]

    def linear(self, x: Any, weight: Any, bias: Any) -> Any:
        return self._by_rows(self.product(x, weight), lambda row: self.add(row, bias))

    def layer_norm(self, x: Any, weight: Any, bias: Any) -> Any:
        return self._by_rows(self.normalise(x), lambda row: [a * b + c for a, b, c in zip(row, weight, bias)])

    def gelu(self, x: Any) -> Any:
        return self._by_rows(x, lambda row: [_gelu(value, math.tanh) for value in row])

    def thirds(self, x: Any) -> Any:
        width = len(x[0][0]) // 3

        def third(at: int) -> Any:
            return self._by_rows(x, lambda row: row[at * width:(at + 1) * width])

        return [third(at) for at in range(3)]

    def _by_rows(self, x: Any, act: Callable[[Any], Any]) -> Any:
        return [self._by_rows(part, act) for part in x] if isinstance(x[0], list) else act(x)

    def convolution(self, x: Any, weight: Any) -> Any:
        return [[self._plane(picture, kernels) for kernels in weight] for picture in x]

    @staticmethod
    def _plane(picture: Any, kernels: Any) -> Any:
        rows, columns = len(picture[0]), len(picture[0][0])
        near = [[(i, j) for i in range(3) for j in range(3) if 0 <= row + i - 1 < rows and 0 <= column + j - 1 < columns]
                for row in range(rows) for column in range(columns)]
        return [[math.fsum(plane[row + i - 1][column + j - 1] * kernel[i][j]
                           for plane, kernel in zip(picture, kernels) for i, j in near[row * columns + column])
                 for column in range(columns)] for row in range(rows)]

    def attention(self, query: Any, key: Any, value: Any, heads: int) -> Any:
        width = len(query[0][0]) // heads
        parts = [slice(head * width, (head + 1) * width) for head in range(heads)]
        return [[[number for part in parts for number in self._attended(row[part], keys, values, part)] for row in rows]
                for rows, keys, values in zip(query, key, value)]

    @staticmethod
    def _attended(row: list[float], keys: Any, values: Any, part: slice) -> list[float]:
        scores = [math.fsum(a * b for a, b in zip(row, key[part])) / math.sqrt(len(row)) for key in keys]
        shares = [math.exp(score - max(scores)) for score in scores]
        whole = math.fsum(shares)
        return [math.fsum(share * other for share, other in zip(shares, column)) / whole
                for column in zip(*(one[part] for one in values))]


class NumPy:
    """In the precision of x; weights in that of `dtype`."""

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype

    def weight(self, values: Sequence[float], shape: tuple[int, ...]) -> Any:
        return numpy.resize(numpy.asarray(values, self.dtype), shape)

    def product(self, x: Any, weight: Any) -> Any:
        return x @ weight

    def relu(self, x: Any) -> Any:
        return numpy.maximum(x, 0)

    def add(self, x: Any, y: Any) -> Any:
        return x + y

    def normalise(self, x: Any) -> Any:
        centred = x - x.mean(-1, keepdims=True)
        return centred / numpy.sqrt((centred ** 2).mean(-1, keepdims=True) + x.dtype.type(EPSILON))

    def linear(self, x: Any, weight: Any, bias: Any) -> Any:
        return x @ weight + bias

    def layer_norm(self, x: Any, weight: Any, bias: Any) -> Any:
        return self.normalise(x) * weight + bias

    def gelu(self, x: Any) -> Any:
        return _gelu(x, numpy.tanh)

    def thirds(self, x: Any) -> Any:
        return numpy.split(x, 3, -1)

    def convolution(self, x: Any, weight: Any) -> Any:
        batch, channels, rows, columns = x.shape
        padded = numpy.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
        near = numpy.stack([padded[:, :, i:i + rows, j:j + columns] for i in range(3) for j in range(3)], 2)
        sums = weight.reshape(len(weight), -1) @ near.reshape(batch, channels * 9, rows * columns)
        return sums.reshape(batch, len(weight), rows, columns)

    def attention(self, query: Any, key: Any, value: Any, heads: int) -> Any:
        batch, length, width = query.shape
        query, key, value = (one.reshape(batch, length, heads, -1).swapaxes(1, 2) for one in (query, key, value))
        scores = query @ key.swapaxes(2, 3) / query.dtype.type(math.sqrt(width // heads))
        shares = numpy.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        return (shares @ value).swapaxes(1, 2).reshape(batch, length, width)


class Torch:
    """On tensors; weights of one type on one device."""

    def __init__(self, dtype: str, device: str) -> None:
        import torch
        self.functional = torch.nn.functional
        self.tensor = functools.partial(torch.tensor, dtype=getattr(torch, dtype), device=device)

    def weight(self, values: Sequence[float], shape: tuple[int, ...]) -> Any:
        count = math.prod(shape)
        return self.tensor(values).repeat(count // len(values) + 1)[:count].reshape(shape).contiguous()

    def product(self, x: Any, weight: Any) -> Any:
        return x @ weight

    def relu(self, x: Any) -> Any:
        return x.relu()

    def add(self, x: Any, y: Any) -> Any:
        return x + y

    def normalise(self, x: Any) -> Any:
        return self.functional.layer_norm(x, x.shape[-1:], eps=EPSILON)

    def linear(self, x: Any, weight: Any, bias: Any) -> Any:
        return self.functional.linear(x, weight.t(), bias)

    def layer_norm(self, x: Any, weight: Any, bias: Any) -> Any:
        return self.functional.layer_norm(x, x.shape[-1:], weight, bias, EPSILON)

    def gelu(self, x: Any) -> Any:
        return self.functional.gelu(x, approximate="tanh")

    def thirds(self, x: Any) -> Any:
        return x.chunk(3, -1)

    def convolution(self, x: Any, weight: Any) -> Any:
        return self.functional.conv2d(x, weight, padding=1)

    def attention(self, query: Any, key: Any, value: Any, heads: int) -> Any:
        batch, length, width = query.shape
        parts = [one.reshape(batch, length, heads, width // heads).transpose(1, 2) for one in (query, key, value)]
        attended = self.functional.scaled_dot_product_attention(*parts)
        return attended.transpose(1, 2).reshape(batch, length, width)
