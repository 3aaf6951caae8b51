"""Workloads and cases, as a user declares them."""

from __future__ import annotations

import dataclasses
import inspect
import math
import random
import re
from typing import Any, Callable, Mapping, Sequence, Union

Value = Union[int, float, bool, str]
Parameters = Mapping[str, Value]
# A type, or the texts that are allowed.
Kind = Union[type, Sequence[str]]

DTYPE_BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i32": 4, "i8": 1}
DEVICES = ("cpu", "cuda")
ARRAYS = ("memoryview", "numpy", "torch", "cupy")

_SPEC = re.compile(r"(\w+)\[([^\[\]]*)\]")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


class Unsupported(Exception):
    """Raised by a case that cannot do what it is asked for. The case is skipped with this reason."""


@dataclasses.dataclass(frozen=True)
class Work:
    """The least work of one call. Throughput comes from it; 0 claims nothing."""

    flops: float = 0
    bytes: float = 0
    items: float = 0
    item_name: str = ""


@dataclasses.dataclass(frozen=True)
class Tensor:
    """A tensor of one case."""

    name: str
    is_output: bool
    dtype: str
    shape: tuple[int, ...]

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        return self.elements * DTYPE_BYTES[self.dtype]


@dataclasses.dataclass(frozen=True)
class _Spec:
    """"f32[n, 2*k]": an element type, and extents that are numbers, parameters or products of both."""

    name: str
    is_output: bool
    dtype: str
    extents: tuple[tuple[str, ...], ...]

    @staticmethod
    def parse(name: str, text: str, is_output: bool) -> _Spec:
        found = _SPEC.fullmatch(text.replace(" ", ""))
        if not found or not _NAME.fullmatch(name):
            raise ValueError(f"tensor `{name}`: `{text}` is no tensor; write \"f32[n, 2*k]\"")
        extents = tuple(tuple(extent.split("*")) for extent in found[2].split(",")) if found[2] else ()
        for factor in (factor for extent in extents for factor in extent):
            if not _NAME.fullmatch(factor) and not re.fullmatch("[0-9]+", factor):
                raise ValueError(f"tensor `{name}`: `{factor}` in `{text}` is no number and no parameter")
        return _Spec(name, is_output, found[1], extents)

    def names(self) -> list[str]:
        return [factor for extent in self.extents for factor in extent if _NAME.fullmatch(factor)]

    def at(self, parameters: Parameters) -> Tensor:
        dtype = str(parameters.get(self.dtype, self.dtype))
        if dtype not in DTYPE_BYTES:
            raise ValueError(f"tensor `{self.name}`: `{dtype}` is no element type ({', '.join(DTYPE_BYTES)})")
        value = lambda factor: int(factor) if factor.isdigit() else int(parameters[factor])  # noqa: E731
        shape = tuple(math.prod(value(factor) for factor in extent) for extent in self.extents)
        return Tensor(self.name, self.is_output, dtype, shape)


def _kind_is_known(kind: Kind) -> bool:
    if isinstance(kind, type):
        return kind in (int, float, bool, str)
    return bool(kind) and all(isinstance(choice, str) for choice in kind)


class Workload:
    """A problem, independent of how it is solved: its parameters, its tensors and the right answer.

    inputs, outputs: tensors by name, such as "f32[n, k]". An extent is a number, a parameter or a product of both;
        the element type may be a parameter with choices, too.
    reference: computes the right outputs from inputs of doubles, in the order of `inputs`, and from parameters by
        name. Returns the output, or a tuple of them. It gets NumPy arrays, or memoryviews where there is no NumPy.
    params: parameters that are in no shape, by name: int, float, bool, str or a list of the allowed texts.
    fill: fills the inputs in place. It gets a random.Random, the inputs in their own types, and parameters by name.
        Without it every element is drawn uniformly from [-1, 1].
    tolerance: of ||output - reference|| / ||reference||.
    work: the least work of one call, from parameters by name. Without it the bytes of all tensors.
    built_in: the program has a workload of this name with these tensors. The cases become variants of it, and its
        reference, inputs, tolerance and work hold. Without it a workload hides a built-in one of its name.
    """

    def __init__(self, name: str, *, inputs: Mapping[str, str], outputs: Mapping[str, str],
                 reference: Callable[..., Any] | None = None, params: Mapping[str, Kind] | None = None,
                 fill: Callable[..., None] | None = None, tolerance: float = 1e-6,
                 work: Callable[..., Work] | None = None, summary: str = "", built_in: bool = False) -> None:
        if not _NAME.fullmatch(name):
            raise ValueError(f"`{name}` is no name for a workload; letters, digits and _ make one")
        if not outputs:
            raise ValueError(f"workload `{name}` has no outputs")
        if not built_in and reference is None:
            raise ValueError(f"workload `{name}` has no reference")
        if not tolerance > 0:
            raise ValueError(f"workload `{name}`: the tolerance {tolerance} is not above 0")
        self.name = name
        self.summary = summary
        self.reference = reference
        self.built_in = built_in
        self.fill_inputs = fill
        self.tolerance = tolerance
        self.cases: list[Case] = []
        self._work = work
        self._specs = [_Spec.parse(*one, False) for one in inputs.items()]
        self._specs += [_Spec.parse(*one, True) for one in outputs.items()]
        self.params: dict[str, Kind] = dict(params or {})
        for key, kind in self.params.items():
            if not _kind_is_known(kind):
                raise ValueError(f"parameter `{key}`: {kind!r} is not int, float, bool, str or a list of texts")
        for spec in self._specs:
            for used in spec.names():
                self.params.setdefault(used, int)
            if spec.dtype not in self.params:
                spec.at({used: 1 for used in spec.names()})  # refuses an unknown type now

    def tensors(self, parameters: Parameters) -> list[Tensor]:
        return [spec.at(parameters) for spec in self._specs]

    def work(self, parameters: Parameters) -> Work:
        if self._work is None:
            return Work(bytes=sum(tensor.bytes for tensor in self.tensors(parameters)))
        return self._work(**accepted(self._work, parameters))

    def right_outputs(self, inputs: Sequence[Any], parameters: Parameters) -> list[Any]:
        """The outputs that the reference computes."""
        assert self.reference is not None
        found = self.reference(*inputs, **accepted(self.reference, parameters))
        wanted = sum(spec.is_output for spec in self._specs)
        outputs = list(found) if wanted > 1 else [found]
        if len(outputs) != wanted:
            raise ValueError(f"the reference of `{self.name}` returned {len(outputs)} outputs, not {wanted}")
        return outputs

    def fill(self, seed: int, inputs: Sequence[Any], parameters: Parameters) -> None:
        assert self.fill_inputs is not None
        self.fill_inputs(random.Random(seed), *inputs, **accepted(self.fill_inputs, parameters))


class Case:
    """One way to solve a workload: a function of its inputs, its outputs, and parameters by name; or a class of such."""

    def __init__(self, workload: Workload, function: Callable[..., Any], name: str, device: str,
                 arrays: str | None, needs: Sequence[str], waits: bool,
                 prepare: Callable[[], None] | None) -> None:
        self.workload = workload
        self.function = function
        self.name = name
        self.device = device
        self.arrays = arrays
        self.needs = tuple(needs)
        self.waits = waits
        self.prepare = prepare
        self.summary = (inspect.getdoc(function) or "").partition("\n")[0]

    def made(self, parameters: Parameters) -> Callable[..., None]:
        """The function; of a class, a new object."""
        if not inspect.isclass(self.function):
            return self.function
        made: Callable[..., None] = self.function(**accepted(self.function, parameters))
        return made


def case(workload: Workload, *, name: str | None = None, device: str = "cpu", arrays: str | None = None,
         needs: Sequence[str] = (), waits: bool = False,
         prepare: Callable[[], None] | None = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Makes a function a case: `function(*inputs, *outputs, **parameters)` writes every element of every output.

    Of a class the object is called so. Its constructor gets parameters by name, and its time is `setup_time`.

    name: of the variant; the function's, unless given.
    device: "cpu" or "cuda". On cuda the function queues its work on the current stream, and does not wait for it.
    arrays: what the function gets: "numpy", "torch", "cupy" or "memoryview". Unless given, the first of these that
        is installed: numpy or memoryview on a CPU, torch or cupy on a GPU.
    needs: modules that it imports, which are imported before the case is made. Without one it is skipped.
    prepare: what a process does once before the first case with this function is made, such as starting a library. Like
        imports it is no part of `setup_time`.
    waits: on cuda, the function waits for the GPU, or the time of its host is to be in its time. The call is then timed
        from an idle GPU.

    The function gets those parameters that it has arguments for. An argument `stream` gets the cudaStream_t.
    """
    if not isinstance(workload, Workload):
        raise TypeError("write @harness.case(workload) with a harness.Workload")
    if device not in DEVICES:
        raise ValueError(f"`{device}` is no device; choose one of {', '.join(DEVICES)}")
    if arrays is not None and arrays not in ARRAYS:
        raise ValueError(f"`{arrays}` is no kind of array; choose one of {', '.join(ARRAYS)}")

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        made = Case(workload, function, name or function.__name__, device, arrays, needs, waits, prepare)
        if not _NAME.fullmatch(made.name):
            raise ValueError(f"`{made.name}` is no name for a case; give one with name=")
        if any(other.name == made.name for other in workload.cases):
            raise ValueError(f"workload `{workload.name}` has two cases `{made.name}`")
        workload.cases.append(made)
        if workload not in _declared:
            _declared.append(workload)
        return function

    return add


_declared: list[Workload] = []


def take_declared() -> list[Workload]:
    """The workloads that got a case since the last call."""
    taken = list(_declared)
    _declared.clear()
    return taken


def accepted(function: Callable[..., Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that a function has arguments for."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a built-in function does not tell
        return {}
    takes_all = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in signature.parameters.values())
    return {key: value for key, value in parameters.items() if takes_all or key in signature.parameters}
