"""What runs a network. Each is a class: its constructor is the set-up, and calls write y."""

from __future__ import annotations

import contextlib
import functools
from typing import Any

import harness

from networks import BLOCK, Network, Sizes
from onnx_model import Onnx
from operations import NumPy, Plain, Torch, numpy

TYPES = {"f32": "float32", "f16": "float16"}


class Backend:
    """Subclasses have the network, and the device that it is for."""

    network: Network
    device: str

    @classmethod
    def prepare(cls, device: str) -> None:
        """What the first network of a process would wait for, and no other one."""


class Loops(Backend):
    """loops of Python"""

    def __init__(self, **sizes: Any) -> None:
        self.sizes = sizes
        self.ops = Plain()
        self.weights = self.network.weights(self.ops, sizes)

    def __call__(self, x: memoryview, y: memoryview) -> None:
        values = self.network.forward(self.ops, x.tolist(), self.weights, self.sizes)
        while isinstance(values[0], list):
            values = [value for part in values for value in part]
        into = y.cast("B").cast("f")
        for at, value in enumerate(values):
            into[at] = value


class Arrays(Backend):
    """a call of NumPy an operation"""

    def __init__(self, **sizes: Any) -> None:
        self.sizes = sizes
        self.ops = NumPy(TYPES[sizes["dtype"]])
        self.weights = self.network.weights(self.ops, sizes)

    def __call__(self, x: Any, y: Any) -> None:
        y[...] = self.network.forward(self.ops, x, self.weights, self.sizes)


class Eager(Backend):
    """PyTorch, a kernel an operation"""

    @classmethod
    def prepare(cls, device: str) -> None:
        import torch
        if device == "cuda" and not torch.cuda.is_available():
            return  # the constructor says so
        values = torch.ones((64, 64), dtype=torch.float32 if device == "cpu" else torch.float16, device=device)
        (values @ values).sum().item()  # waits

    def __init__(self, **sizes: Any) -> None:
        import torch
        if not hasattr(torch.nn.functional, "scaled_dot_product_attention"):
            raise harness.Unsupported(f"PyTorch {torch.__version__} is older than 2.0")
        if self.device == "cuda":
            if not torch.cuda.is_available():
                raise harness.Unsupported(f"PyTorch {torch.__version__} here finds no GPU")
            torch.cuda.empty_cache()  # so that the memory of a second one is seen
        self.no_grad = torch.no_grad
        self.example = torch.zeros(self.network.shape(sizes), dtype=getattr(torch, TYPES[sizes["dtype"]]),
                                   device=self.device)
        module = module_class()(self.network, Torch(TYPES[sizes["dtype"]], self.device), sizes)
        self.run = self.made(torch, module.eval())
        if self.device == "cuda":
            torch.cuda.synchronize()

    def made(self, torch: Any, module: Any) -> Any:
        """What a call calls with x."""
        return module

    def settled(self, run: Any) -> Any:
        """The same after three calls, in which a backend compiles."""
        with self.no_grad():
            for _ in range(3):
                run(self.example)
        return run

    def __call__(self, x: Any, y: Any) -> None:
        with self.no_grad():
            y.copy_(self.run(x))


@functools.lru_cache(maxsize=None)
def module_class() -> Any:
    """The networks as modules of PyTorch. One class, so that a second network of a kind need not be compiled again."""
    import torch

    class Module(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, network: Network, ops: Torch, sizes: Sizes) -> None:
            super().__init__()
            self.network_forward = network.forward
            self.ops = ops
            self.sizes = sizes
            self.weights = torch.nn.ParameterList(
                torch.nn.Parameter(one, requires_grad=False) for one in network.weights(ops, sizes))

        def forward(self, x: Any) -> Any:
            return self.network_forward(self.ops, x, list(self.weights), self.sizes)

    return Module


class TorchScript(Eager):
    """torch.jit: traced and frozen"""

    def made(self, torch: Any, module: Any) -> Any:
        with self.no_grad():
            return self.settled(torch.jit.freeze(torch.jit.trace(module, self.example)))


class Compiled(Eager):
    """torch.compile"""

    mode = "default"

    @classmethod
    def prepare(cls, device: str) -> None:
        import torch
        super().prepare(device)
        if torch.cuda.is_available():
            with torch.no_grad(), empty_caches():
                compiled = torch.compile(lambda x: torch.relu(x) + 1, mode=cls.mode, fullgraph=True, dynamic=False)
                for _ in range(3):
                    compiled(torch.ones(4096, device=device)).sum().item()

    def made(self, torch: Any, module: Any) -> Any:
        import torch._dynamo
        torch._dynamo.config.recompile_limit = 64  # all networks are one forward() to it
        # The set-up of a block is not measured. That of others takes as long in each process.
        with contextlib.nullcontext() if self.network is BLOCK else empty_caches():
            return self.settled(torch.compile(module, mode=self.mode, fullgraph=True, dynamic=False))


class CompiledGraph(Compiled):
    """torch.compile with CUDA graphs"""

    mode = "reduce-overhead"


@contextlib.contextmanager
def empty_caches() -> Any:
    """Nothing is found in a cache of another process or case."""
    import torch._inductor.utils
    with torch._inductor.utils.fresh_inductor_cache():
        yield


class CudaGraph(Eager):
    """PyTorch, captured in a CUDA graph"""

    def made(self, torch: Any, module: Any) -> Any:
        self.module = module  # a graph keeps addresses of the weights, and not the weights
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            self.settled(module)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with self.no_grad(), torch.cuda.graph(graph, capture_error_mode="thread_local"):
            result = module(self.example)

        def replayed(x: Any) -> Any:
            self.example.copy_(x)
            graph.replay()
            return result

        return replayed


class OnnxRuntime(Backend):
    """onnxruntime on the CPU"""

    provider = "CPUExecutionProvider"

    def __init__(self, **sizes: Any) -> None:
        import onnxruntime
        if self.provider not in onnxruntime.get_available_providers():
            raise harness.Unsupported(f"the onnxruntime here has no {self.provider}")
        self.session_of = onnxruntime.InferenceSession
        self.type = TYPES[sizes["dtype"]]
        self.model = model_of(self.network, sizes)
        self.session: Any = None
        self.finish_set_up()

    def finish_set_up(self) -> None:
        """The last step of the constructor."""
        self.session = self.session_of(self.model, providers=[self.provider])

    def __call__(self, x: Any, y: Any) -> None:
        [y[...]] = self.session.run(None, {"x": x})


def model_of(network: Network, sizes: Sizes) -> bytes:
    """The network as an ONNX model."""
    ops = Onnx(TYPES[sizes["dtype"]], sizes.get("width", 0))
    result = network.forward(ops, "x", network.weights(ops, sizes), sizes)
    return ops.model(result, network.shape(sizes))


class OnnxRuntimeCuda(OnnxRuntime):
    """onnxruntime on the GPU"""

    provider = "CUDAExecutionProvider"

    def finish_set_up(self) -> None:
        """Nothing: a session belongs to a stream, which the first call tells."""

    def __call__(self, x: Any, y: Any, stream: int) -> None:
        if self.session is None:
            self.session = self.session_of(self.model, providers=[(self.provider, {"user_compute_stream": str(stream)})])
        given = {"device_type": "cuda", "device_id": x.device.index, "element_type": numpy.dtype(self.type).type}
        bound = self.session.io_binding()
        bound.bind_input("x", shape=tuple(x.shape), buffer_ptr=x.data_ptr(), **given)
        bound.bind_output(self.session.get_outputs()[0].name, shape=tuple(y.shape), buffer_ptr=y.data_ptr(), **given)
        self.session.run_with_iobinding(bound)


class TensorRt(OnnxRuntimeCuda):
    """TensorRT, by onnxruntime"""

    provider = "TensorrtExecutionProvider"
