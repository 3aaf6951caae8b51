"""The workloads mlp, conv, transformer and torch_block, and the backends that run them: a module of suites."""

from __future__ import annotations

import functools
import math
import os
from typing import Any

import harness

import backends
from networks import BLOCK, CONV, MLP, TRANSFORMER, Network
from operations import NumPy, Plain, numpy

# Kernels are compiled in this process: no process of PyTorch's outlives it. Read when PyTorch is imported.
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
_COMPILER = ["torch", "triton", "torch._dynamo", "torch._inductor.compile_fx", "torch._inductor.utils"]

# Name, class, device, arrays, modules that it needs.
_BACKENDS: list[tuple[str, type[backends.Backend], str, str, list[str]]] = [
    ("loops", backends.Loops, "cpu", "memoryview", []),
    ("numpy", backends.Arrays, "cpu", "numpy", ["numpy"]),
    ("cpu_eager", backends.Eager, "cpu", "torch", ["torch"]),
    ("cpu_torchscript", backends.TorchScript, "cpu", "torch", ["torch"]),
    ("cpu_onnxruntime", backends.OnnxRuntime, "cpu", "numpy", ["numpy", "onnx", "onnxruntime"]),
    ("eager", backends.Eager, "cuda", "torch", ["torch"]),
    ("torchscript", backends.TorchScript, "cuda", "torch", ["torch"]),
    ("compiled", backends.Compiled, "cuda", "torch", _COMPILER),
    ("compiled_graph", backends.CompiledGraph, "cuda", "torch", _COMPILER),
    ("cuda_graph", backends.CudaGraph, "cuda", "torch", ["torch"]),
    ("onnxruntime", backends.OnnxRuntimeCuda, "cuda", "torch", ["torch", "numpy", "onnx", "onnxruntime"]),
    ("tensorrt", backends.TensorRt, "cuda", "torch", ["torch", "numpy", "onnx", "onnxruntime"]),
]


def _workload(network: Network) -> harness.Workload:
    tensor = f"dtype[{', '.join(network.extents)}]"
    declared: dict[str, Any] = {
        "inputs": {"x": tensor}, "outputs": {"y": tensor},
        "params": {"dtype": list(backends.TYPES), **dict.fromkeys(network.params, int)}}
    if network is not BLOCK:  # those are in C++, too, with their reference
        return harness.Workload(network.name, built_in=True, **declared)

    def reference(x: Any, **sizes: Any) -> Any:
        ops: Any = Plain() if numpy is None else NumPy("float64")
        return network.forward(ops, x.tolist() if numpy is None else x, network.weights(ops, sizes), sizes)

    def work(**sizes: Any) -> harness.Work:
        elements = sum(math.prod(shape) for shape in network.shapes(sizes)) + 2 * math.prod(network.shape(sizes))
        return harness.Work(flops=network.flops(sizes), bytes=elements * (4 if sizes["dtype"] == "f32" else 2))

    return harness.Workload(network.name, reference=reference, work=work, tolerance=1e-2,
                            summary="the workload block: a pre-norm transformer block with biases and GELU", **declared)


# One function a backend: a process calls each once.
_PREPARE = {name: functools.partial(backend.prepare, device) for name, backend, device, *_ in _BACKENDS}

for _network in (MLP, CONV, TRANSFORMER, BLOCK):
    _of_network = _workload(_network)
    for _name, _class, _device, _arrays, _needs in _BACKENDS:
        if _network is BLOCK and "onnxruntime" in _needs:
            continue  # its operations are not in onnx_model.py
        # A block is compared with kernels by the time of the GPU alone, and its set-up is not measured.
        harness.case(_of_network, name=_name, device=_device, arrays=_arrays, needs=_needs,
                     waits=_device == "cuda" and _network is not BLOCK,
                     prepare=None if _network is BLOCK else _PREPARE[_name])(
            type(_name, (_class,), {"network": _network, "device": _device}))
