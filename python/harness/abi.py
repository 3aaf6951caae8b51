"""A workload as a plug-in of the C ABI: harness/sdk/plugin.h, with functions of Python behind it."""

from __future__ import annotations

import ctypes
from typing import Any, Callable

from . import arrays
from .cases import Case, Tensor, Unsupported, Value, Workload, accepted
from .place import reason_of
from .watched import Watch

VERSION = 1
OK, UNSUPPORTED, FAILED = 0, 1, 2
DTYPES = ("f64", "f32", "f16", "bf16", "i32", "i8")
KINDS = (int, float, bool, str)
MOST_DIMENSIONS = 8

_text = ctypes.c_char_p
_pointer = ctypes.c_void_p


class Parameter(ctypes.Structure):
    _fields_ = [("name", _text), ("kind", ctypes.c_int), ("summary", _text), ("choices", ctypes.POINTER(_text)),
                ("least", ctypes.c_int64)]


class Variant(ctypes.Structure):
    _fields_ = [("name", _text), ("device", _text), ("summary", _text)]


class GivenValue(ctypes.Structure):
    _fields_ = [("name", _text), ("kind", ctypes.c_int), ("integer", ctypes.c_int64), ("real", ctypes.c_double),
                ("text", _text)]


class Request(ctypes.Structure):
    _fields_ = [("variant", _text), ("values", ctypes.POINTER(GivenValue)), ("value_count", ctypes.c_size_t),
                ("device_name", _text), ("device_ordinal", ctypes.c_int), ("message", _pointer),
                ("message_bytes", ctypes.c_size_t)]


class GivenTensor(ctypes.Structure):
    _fields_ = [("name", _text), ("role", ctypes.c_int), ("dtype", ctypes.c_int), ("dimensions", ctypes.c_int),
                ("shape", ctypes.c_int64 * MOST_DIMENSIONS)]


class Problem(ctypes.Structure):
    _fields_ = [("tensors", ctypes.POINTER(GivenTensor)), ("tensor_count", ctypes.c_size_t),
                ("tolerance", ctypes.c_double), ("flops", ctypes.c_double), ("bytes", ctypes.c_double),
                ("items", ctypes.c_double), ("item_name", _text), ("workspace_bytes", ctypes.c_size_t),
                ("synchronises", ctypes.c_int)]


FILL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Request), ctypes.c_uint64, ctypes.POINTER(_pointer))
PREPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Request))
OPEN = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Request), ctypes.POINTER(_pointer))
TENSORS = ctypes.CFUNCTYPE(ctypes.c_int, _pointer, ctypes.POINTER(Problem))
BIND = ctypes.CFUNCTYPE(ctypes.c_int, _pointer, ctypes.POINTER(_pointer), _pointer)
RUN = ctypes.CFUNCTYPE(ctypes.c_int, _pointer, _pointer)
CLOSE = ctypes.CFUNCTYPE(None, _pointer)


class Description(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("name", _text), ("summary", _text),
                ("parameters", ctypes.POINTER(Parameter)), ("variants", ctypes.POINTER(Variant)), ("fill", FILL)]


class Exports(ctypes.Structure):
    """PluginExports of harness/catalog/c_plugin.h."""

    _fields_ = [("description", ctypes.POINTER(Description)), ("open", OPEN), ("tensors", TENSORS), ("bind", BIND),
                ("run", RUN), ("close", CLOSE), ("code", _pointer), ("joins", ctypes.c_int), ("prepare", PREPARE)]


def parameters_of(request: Request) -> dict[str, Value]:
    """The values of a request by name."""
    found: dict[str, Value] = {}
    for value in request.values[:request.value_count]:
        known = (value.integer, value.real, bool(value.integer), (value.text or b"").decode())
        found[value.name.decode()] = known[value.kind]
    return found


def case_of(workload: Workload, request: Request) -> Case:
    """The case that a request names."""
    name = request.variant.decode()
    return next(one for one in workload.cases if one.name == name)


_prepared: set[Callable[[], None]] = set()


def prepare(case: Case) -> None:
    """Imports what it needs, and calls what a process calls once."""
    for package in case.needs:
        arrays.needed(package)
    if case.prepare is not None and case.prepare not in _prepared:
        case.prepare()
        _prepared.add(case.prepare)


class Opened:
    """A case, or the reference, at one set of parameters: from harness_open to harness_close."""

    def __init__(self, workload: Workload, request: Request) -> None:
        self.request = request
        self.workload = workload
        self.parameters = parameters_of(request)
        self.tensors: list[Tensor] = workload.tensors(self.parameters)
        self.case: Case | None = None
        self.call: Callable[[int], None] = lambda stream: None
        self.given: Any = None
        self.function: Callable[..., None] = lambda: None
        if not request.variant:
            return
        self.case = case_of(workload, request)
        self.arrays = arrays.choose(self.case.device, self.case.arrays)
        self.function = self.case.made(self.parameters)

    def describe(self, problem: Problem) -> None:
        self.given = (GivenTensor * len(self.tensors))()
        for into, tensor in zip(self.given, self.tensors):
            if len(tensor.shape) > MOST_DIMENSIONS:
                raise ValueError(f"tensor `{tensor.name}` has {len(tensor.shape)} dimensions, above {MOST_DIMENSIONS}")
            into.name = tensor.name.encode()
            into.role = int(tensor.is_output)
            into.dtype = DTYPES.index(tensor.dtype)
            into.dimensions = len(tensor.shape)
            into.shape[:len(tensor.shape)] = tensor.shape
        work = self.workload.work(self.parameters)
        problem.tensors = self.given
        problem.tensor_count = len(self.tensors)
        problem.tolerance = self.workload.tolerance
        problem.flops, problem.bytes, problem.items = work.flops, work.bytes, work.items
        problem.item_name = work.item_name.encode()
        problem.synchronises = int(self.case is not None and self.case.waits)

    def bind(self, addresses: list[int]) -> None:
        if self.case is None:
            self.call = self._reference(addresses)
        else:
            self.call = self._call(self.case, addresses)

    def _reference(self, addresses: list[int]) -> Callable[[int], None]:
        given = [arrays.doubles(*one) for one in zip(self.tensors, addresses)]
        inputs = [one for one, tensor in zip(given, self.tensors) if not tensor.is_output]
        outputs = [one for one, tensor in zip(given, self.tensors) if tensor.is_output]

        def call(_stream: int) -> None:
            for into, values in zip(outputs, self.workload.right_outputs(inputs, self.parameters)):
                arrays.write(into, values)

        return call

    def _call(self, case: Case, addresses: list[int]) -> Callable[[int], None]:
        ordinal = self.request.device_ordinal
        given = arrays.views(self.arrays, case.device, ordinal, self.tensors, addresses)
        function = self.function
        named = accepted(function, {**self.parameters, "stream": 0})
        if case.device == "cpu":
            return lambda stream: function(*given, **named)

        def call(stream: int) -> None:
            if "stream" in named:
                named["stream"] = stream
            with arrays.on_stream(self.arrays, case.device, ordinal, stream):
                function(*given, **named)

        return call


class Plugin:
    """The exports of one workload. They and what they point to must outlive their use."""

    def __init__(self, workload: Workload, watch: Watch | None = None) -> None:
        self.workload = workload
        self._watch = watch
        self._opened: dict[int, Opened] = {}
        self._last = 0
        self._kept: list[Any] = []
        self._functions = (OPEN(self._open), TENSORS(self._tensors), BIND(self._bind), RUN(self._run),
                           CLOSE(self._close))
        fill = FILL(self._fill) if workload.fill_inputs else FILL()
        self.description = Description(VERSION, workload.name.encode(), workload.summary.encode(),
                                       self._parameters(), self._variants(), fill)
        self.exports = Exports(ctypes.pointer(self.description), *self._functions, None,
                               int(workload.built_in), PREPARE(self._prepare))

    def _parameters(self) -> Any:
        all_of_them = (Parameter * (len(self.workload.params) + 1))()
        for into, (name, kind) in zip(all_of_them, self.workload.params.items()):
            into.name = name.encode()
            into.least = 1
            if isinstance(kind, type):
                into.kind = KINDS.index(kind)
                continue
            into.kind = KINDS.index(str)
            into.choices = self._keep((_text * (len(kind) + 1))(*(choice.encode() for choice in kind), None))
        return self._keep(all_of_them)

    def _variants(self) -> Any:
        cases = self.workload.cases
        listed = [Variant(one.name.encode(), one.device.encode(), one.summary.encode()) for one in cases]
        return self._keep((Variant * (len(cases) + 1))(*listed))

    def _keep(self, value: Any) -> Any:
        self._kept.append(value)
        return value

    def _guarded(self, request: Request, work: Callable[[], None]) -> int:
        """Runs it. An exception becomes a result, and its text the message."""
        try:
            work()
            return OK
        except BaseException as error:  # nothing may pass through C
            text = reason_of(error).encode()[:max(request.message_bytes - 1, 0)]
            ctypes.memmove(request.message, text + b"\0", len(text) + 1)
            return UNSUPPORTED if isinstance(error, Unsupported) else FAILED

    def _prepare(self, request: Any) -> int:
        asked = request.contents
        return self._guarded(asked, lambda: prepare(case_of(self.workload, asked)))

    def _open(self, request: Any, state: Any) -> int:
        def work() -> None:
            opened = Opened(self.workload, request.contents)
            self._last += 1
            self._opened[self._last] = opened
            state[0] = self._last

        return self._guarded(request.contents, work)

    def _tensors(self, state: int, problem: Any) -> int:
        opened = self._opened[state]
        return self._guarded(opened.request, lambda: opened.describe(problem.contents))

    def _bind(self, state: int, tensors: Any, _workspace: int | None) -> int:
        opened = self._opened[state]

        def work() -> None:
            if self._watch is not None:
                self._watch.check()
            opened.bind(tensors[:len(opened.tensors)])

        return self._guarded(opened.request, work)

    def _run(self, state: int, stream: int | None) -> int:
        opened = self._opened[state]
        try:
            opened.call(stream or 0)
            return OK
        except BaseException as error:
            failed = error
        return self._guarded(opened.request, lambda: _raise(failed))

    def _close(self, state: int) -> None:
        self._opened.pop(state, None)

    def _fill(self, request: Any, seed: int, inputs: Any) -> int:
        def work() -> None:
            parameters = parameters_of(request.contents)
            tensors = [one for one in self.workload.tensors(parameters) if not one.is_output]
            kind = arrays.choose("cpu", "torch" if any(one.dtype == "bf16" for one in tensors) else None)
            given = arrays.views(kind, "cpu", 0, tensors, inputs[:len(tensors)])
            self.workload.fill(seed, given, parameters)

        return self._guarded(request.contents, work)


def _raise(error: BaseException) -> None:
    raise error
