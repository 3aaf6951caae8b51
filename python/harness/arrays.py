"""Arrays over memory that the harness owns: nothing is copied, and nothing is freed."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
from typing import Any, Callable, ContextManager, Iterable

from .cases import Tensor, Unsupported

_FORMATS = {"f64": "d", "f32": "f", "i32": "i", "i8": "b"}
_NUMPY = {"f64": "float64", "f32": "float32", "f16": "float16", "i32": "int32", "i8": "int8"}
_TORCH = {**_NUMPY, "bf16": "bfloat16"}
_CUDA_TYPES = {"f64": "<f8", "f32": "<f4", "f16": "<f2", "bf16": "<i2", "i32": "<i4", "i8": "|i1"}


def installed(name: str) -> Any:
    """The module, or None."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def needed(name: str) -> Any:
    """The module, or a reason to skip the case."""
    module = installed(name)
    if module is None:
        raise Unsupported(f"the Python package {name} is not installed")
    return module


def choose(device: str, arrays: str | None) -> str:
    """The kind of array that a case gets."""
    if arrays is not None:
        return arrays
    if device == "cpu":
        return "numpy" if installed("numpy") else "memoryview"
    for name in ("torch", "cupy"):
        if installed(name):
            return name
    raise Unsupported("a case on cuda needs the Python package torch or cupy")


def _bytes_at(address: int, count: int) -> Any:
    return (ctypes.c_char * count).from_address(address)


def _memoryview(tensor: Tensor, address: int, _ordinal: int) -> memoryview:
    if tensor.dtype not in _FORMATS:
        raise Unsupported(f"a memoryview has no elements of type {tensor.dtype}; install numpy or torch")
    flat = memoryview(_bytes_at(address, tensor.bytes)).cast("B")
    if 0 in tensor.shape:
        return flat.cast(_FORMATS[tensor.dtype])
    return flat.cast(_FORMATS[tensor.dtype], tensor.shape)


def _numpy(tensor: Tensor, address: int, _ordinal: int) -> Any:
    if tensor.dtype not in _NUMPY:
        raise Unsupported(f"numpy has no elements of type {tensor.dtype}; let the case have arrays=\"torch\"")
    numpy = needed("numpy")
    return numpy.frombuffer(_bytes_at(address, tensor.bytes), dtype=_NUMPY[tensor.dtype]).reshape(tensor.shape)


def _torch(tensor: Tensor, address: int, _ordinal: int) -> Any:
    torch = needed("torch")
    dtype = getattr(torch, _TORCH[tensor.dtype])
    return torch.frombuffer(_bytes_at(address, tensor.bytes), dtype=dtype).reshape(tensor.shape)


class _CudaMemory:
    """Memory of a GPU, as the CUDA array interface describes it (version 3)."""

    def __init__(self, tensor: Tensor, address: int) -> None:
        self.__cuda_array_interface__ = {"shape": tensor.shape, "typestr": _CUDA_TYPES[tensor.dtype],
                                         "data": (address, False), "strides": None, "version": 3}


def _torch_cuda(tensor: Tensor, address: int, ordinal: int) -> Any:
    torch = needed("torch")
    array = torch.as_tensor(_CudaMemory(tensor, address), device=f"cuda:{ordinal}")
    return array.view(torch.bfloat16) if tensor.dtype == "bf16" else array


def _cupy(tensor: Tensor, address: int, _ordinal: int) -> Any:
    if tensor.dtype == "bf16":
        raise Unsupported("cupy has no elements of type bf16; let the case have arrays=\"torch\"")
    return needed("cupy").asarray(_CudaMemory(tensor, address))


_VIEWS: dict[tuple[str, str], Callable[[Tensor, int, int], Any]] = {
    ("cpu", "memoryview"): _memoryview,
    ("cpu", "numpy"): _numpy,
    ("cpu", "torch"): _torch,
    ("cuda", "torch"): _torch_cuda,
    ("cuda", "cupy"): _cupy,
}


def views(kind: str, device: str, ordinal: int, tensors: Iterable[Tensor], addresses: Iterable[int]) -> list[Any]:
    """One array a tensor, over its memory."""
    make = _VIEWS.get((device, kind))
    if make is None:
        raise Unsupported(f"{kind} has no arrays in the memory of {device}")
    return [make(tensor, address, ordinal) for tensor, address in zip(tensors, addresses)]


def doubles(tensor: Tensor, address: int) -> Any:
    """An array of doubles in host memory: for references."""
    wide = Tensor(tensor.name, tensor.is_output, "f64", tensor.shape)
    return (_numpy if installed("numpy") else _memoryview)(wide, address, 0)


def write(into: Any, values: Any) -> None:
    """Copies what a reference returned into an array of doubles()."""
    if not isinstance(into, memoryview):
        into[...] = installed("numpy").asarray(values, dtype="float64").reshape(into.shape)
        return
    flat = into.cast("B").cast("d")
    elements = list(_flattened(values))
    if len(elements) != len(flat):
        raise ValueError(f"the reference returned {len(elements)} elements, not {len(flat)}")
    for index, value in enumerate(elements):
        flat[index] = value


def _flattened(values: Any) -> Iterable[float]:
    if hasattr(values, "tolist"):
        values = values.tolist()
    if not isinstance(values, (list, tuple)):
        yield float(values)
        return
    for value in values:
        yield from _flattened(value)


def on_stream(kind: str, device: str, ordinal: int, handle: int) -> ContextManager[Any]:
    """While it is entered, the package queues its work on this stream."""
    if device != "cuda":
        return contextlib.nullcontext()
    if kind == "torch":
        return needed("torch").cuda.stream(_torch_stream(ordinal, handle))
    return needed("cupy").cuda.ExternalStream(handle)


@functools.lru_cache(maxsize=None)
def _torch_stream(ordinal: int, handle: int) -> Any:
    return needed("torch").cuda.ExternalStream(handle, device=f"cuda:{ordinal}")
