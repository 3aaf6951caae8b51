"""The operations of the networks as nodes of an ONNX model."""

from __future__ import annotations

from typing import Any, Sequence

from operations import EPSILON, numpy

OPSET = 17  # the first with LayerNormalization


class Onnx:
    """Values are names of the model's. `width` is that of rows that are normalised."""

    def __init__(self, dtype: str, width: int) -> None:
        import onnx.helper
        import onnx.numpy_helper
        self.onnx = onnx
        self.dtype = dtype
        self.width = width
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def _constant(self, values: Any) -> str:
        name = f"constant{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(values, name))
        return name

    def _node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"value{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, inputs, [name], **attributes))
        return name

    def weight(self, values: Sequence[float], shape: tuple[int, ...]) -> str:
        return self._constant(numpy.resize(numpy.asarray(values, self.dtype), shape))

    def product(self, x: str, weight: str) -> str:
        return self._node("MatMul", x, weight)

    def relu(self, x: str) -> str:
        return self._node("Relu", x)

    def add(self, x: str, y: str) -> str:
        return self._node("Add", x, y)

    def normalise(self, x: str) -> str:
        scale = self._constant(numpy.ones(self.width, self.dtype))
        return self._node("LayerNormalization", x, scale, axis=-1, epsilon=EPSILON)

    def convolution(self, x: str, weight: str) -> str:
        return self._node("Conv", x, weight, kernel_shape=[3, 3], pads=[1, 1, 1, 1])

    def attention(self, query: str, key: str, value: str, heads: int) -> str:
        split = self._constant(numpy.array([0, 0, heads, -1]))  # 0: as in the input
        query, key, value = (self._node("Transpose", self._node("Reshape", one, split), perm=order)
                             for one, order in ((query, [0, 2, 1, 3]), (key, [0, 2, 3, 1]), (value, [0, 2, 1, 3])))
        root = self._constant(numpy.asarray((self.width // heads) ** 0.5, self.dtype))
        shares = self._node("Softmax", self._node("Div", self._node("MatMul", query, key), root), axis=-1)
        attended = self._node("Transpose", self._node("MatMul", shares, value), perm=[0, 2, 1, 3])
        return self._node("Reshape", attended, self._constant(numpy.array([0, 0, -1])))

    def model(self, result: str, shape: tuple[int, ...]) -> bytes:
        """The model from its input `x` to `result`, both of this shape."""
        kind = {"float32": self.onnx.TensorProto.FLOAT, "float16": self.onnx.TensorProto.FLOAT16}[self.dtype]
        of = self.onnx.helper
        graph = of.make_graph(self.nodes, "network", [of.make_tensor_value_info("x", kind, shape)],
                              [of.make_tensor_value_info(result, kind, shape)], self.constants)
        model = of.make_model(graph, opset_imports=[of.make_opsetid("", OPSET)], ir_version=8)
        return bytes(model.SerializeToString())
