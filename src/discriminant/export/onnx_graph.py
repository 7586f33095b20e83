"""ONNX: one input a column, outputs label, scores and probabilities, in double precision throughout.

With X the numbers (rows × columns), B the 1/0 of its blanks, and T_c the table of what the texts of category c add:

    scores = Z Wᵀ + B Dᵀ + Σ_c T_c[place of the text] + constant,     Z = (raw(X) − centre)/scale, 0 where blank

with one column in Z for each piece of a column in X.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.export.literals import ExportError, common_type, labels_of_one_type
from discriminant.export.plan import LARGEST, CategoryColumn, Plan, ValuePiece

_OPSET = 17
_ML_OPSET = 2
_IR_VERSION = 8
_NOTE = "Blanks are NaN and empty texts; dates are days since 1970-01-01 (UTC); texts come without blanks around them."
OUTPUTS = ("label", "scores", "probabilities")


def onnx_files(plan: Plan, name: str) -> dict[str, bytes]:
    """One model; needs the onnx package."""
    if plan.indexed is not None:
        raise ExportError("a model of sparse rows has no columns for ONNX to take; export to python, c or js instead")
    return {f"{name}.onnx": _Graph(plan, _onnx()).model().SerializeToString()}


def input_names(plan: Plan) -> list[str]:
    """The columns, renamed where ONNX gives the name a meaning: an empty one, or one of an output."""
    names: list[str] = []
    for column in plan.columns:
        name = column.name or "column"
        while name in OUTPUTS or name in names:
            name += " (column)"
        names.append(name)
    return names


def _onnx() -> Any:
    try:
        import onnx
    except ImportError:
        raise ExportError("to export to ONNX, install what writes it: pip install discriminant[onnx]") from None
    return onnx


class _Graph:
    """Nodes and constants as they are added; internal names are numbered and cannot be those of columns."""

    def __init__(self, plan: Plan, onnx: Any) -> None:
        self.plan = plan
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs = input_names(plan)
        self.prefix = "_"
        while any(name.startswith(self.prefix) for name in self.inputs):
            self.prefix += "_"

    def model(self) -> Any:
        """The whole model."""
        scores = self._node("Identity", [self._scores()], output="scores")
        self._label(scores, self._probabilities(scores))
        helper = self.onnx.helper
        graph = helper.make_graph(self.nodes, "discriminant", self._inputs(), self._outputs(), self.constants)
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid("ai.onnx.ml", _ML_OPSET)]
        return helper.make_model(
            graph,
            opset_imports=opsets,
            ir_version=_IR_VERSION,
            producer_name="discriminant",
            doc_string=f"{_NOTE} {self.plan.plain_numbers}".strip(),
        )

    # --- scores -----------------------------------------------------------------------------------------

    def _scores(self) -> str:
        plan = self.plan
        parts = [self._measured()] if plan.measured else []
        parts += [
            self._chosen(c, name)
            for c, name in zip(plan.columns, self.inputs, strict=True)
            if isinstance(c, CategoryColumn)
        ]
        constant = np.sum([c.filled for c in plan.measured], axis=0) if plan.measured else 0.0
        total = self._constant(np.asarray([constant - np.array(plan.thresholds)]))
        return self._node("Sum", [*parts, total])

    def _measured(self) -> str:
        plan = self.plan
        names = [n for c, n in zip(plan.columns, self.inputs, strict=True) if not isinstance(c, CategoryColumn)]
        x = self._node("Concat", names, axis=1)
        blank = self._node("IsNaN", [x])
        pieces = [piece for c in plan.measured for piece in c.pieces]
        raw = self._raw(x, pieces)
        away = self._node("Sub", [raw, self._constant(np.array([[p.centre for p in pieces]]))])
        z = self._node("Div", [away, self._constant(np.array([[p.scale for p in pieces]]))])
        z = self._node("Where", [self._node("IsNaN", [raw]), self._constant(np.zeros((1, 1))), z])
        weights = self._constant(np.array([p.weights for p in pieces]))
        extra = np.array([np.subtract(c.blank, c.filled) for c in plan.measured])
        ones = self._node("Cast", [blank], to=self.onnx.TensorProto.DOUBLE)
        by_value = self._node("MatMul", [z, weights])
        return self._node("Add", [by_value, self._node("MatMul", [ones, self._constant(extra)])])

    def _raw(self, x: str, pieces: Sequence[ValuePiece]) -> str:
        """A column for each piece, as the piece takes its values; NaN of NaN."""
        columns = [j for j, c in enumerate(self.plan.measured) for _ in c.pieces]
        if columns != list(range(len(self.plan.measured))):
            x = self._node("Gather", [x, self._constant(np.array(columns))], axis=1)
        given = x
        if any(p.low is not None for p in pieces):
            x = self._node("Max", [x, self._row([-LARGEST if p.low is None else p.low for p in pieces])])
        if any(p.high is not None for p in pieces):
            x = self._node("Min", [x, self._row([LARGEST if p.high is None else p.high for p in pieces])])
        if any(p.unit is not None for p in pieces):
            sizes = self._node("Div", [self._node("Abs", [x]), self._row([p.unit or 1.0 for p in pieces])])
            logs = self._node("Log", [self._node("Add", [sizes, self._row([1.0] * len(pieces))])])
            logs = self._node("Mul", [self._node("Sign", [x]), logs])
            by_log = self._constant(np.array([[p.unit is not None for p in pieces]]))
            x = self._node("Where", [by_log, logs, x])
        return x if x == given else self._node("Where", [self._node("IsNaN", [given]), given, x])

    def _row(self, numbers: Sequence[float]) -> str:
        return self._constant(np.array([numbers], dtype=np.float64))

    def _bent(self, scores: str) -> str:
        """0 and the log-odds: what each segment adds up to the score."""
        segments = self.plan.segments
        starts, bases = [s.start for s in segments], [s.base for s in segments]
        reached = self._node("Max", [scores, self._row(starts)])
        reached = self._node("Min", [reached, self._row([*starts[1:], LARGEST])])
        away = self._node("Sub", [reached, self._row(bases)])
        slopes = self._constant(np.array([[0.0, s.slope] for s in segments]))
        return self._node("Add", [self._node("MatMul", [away, slopes]), self._row([0.0, segments[0].height])])

    def _chosen(self, column: CategoryColumn, name: str) -> str:
        table = [column.blank, *column.added, column.unseen]
        places = dict.fromkeys(column.blank_texts, 0) | {t: i + 1 for i, t in enumerate(column.levels)}
        place = self._node(
            "LabelEncoder",
            [name],
            domain="ai.onnx.ml",
            keys_strings=list(places),
            values_int64s=list(places.values()),
            default_int64=len(table) - 1,
        )
        flat = self._node("Reshape", [place, self._constant(np.array([-1]))])
        return self._node("Gather", [self._constant(np.array(table)), flat], axis=0)

    # --- from scores to an answer -----------------------------------------------------------------------

    def _probabilities(self, scores: str) -> str | None:
        plan = self.plan
        if plan.offsets is None:
            return None
        # scores of two classes are 0 and the score; no product with a single number, which onnxruntime would round to
        # single precision when it fuses it with a product of matrices
        if plan.segments:
            return self._node("Softmax", [self._bent(scores)], axis=1, output="probabilities")
        slopes = np.array([[0.0, plan.slope]]) if plan.planes == 1 else plan.slope * np.eye(plan.planes)
        logs = self._node("MatMul", [scores, self._constant(slopes)])
        logs = self._node("Add", [logs, self._constant(np.array([plan.offsets]))])
        return self._node("Softmax", [logs], axis=1, output="probabilities")

    def _label(self, scores: str, probabilities: str | None) -> None:
        plan = self.plan
        if plan.rule == "threshold":
            positive = self._node("Greater", [scores, self._constant(np.zeros((1, 1)))])
            place = self._node("Cast", [positive], to=self.onnx.TensorProto.INT64)
            place = self._node("Reshape", [place, self._constant(np.array([-1]))])
        else:
            values = scores
            if plan.rule == "gain" and probabilities is not None:
                values = self._node("MatMul", [probabilities, self._constant(np.array(plan.advantage))])
            place = self._node("ArgMax", [values], axis=1, keepdims=0)
        self._node("Gather", [self._labels(), place], axis=0, output="label")

    def _labels(self) -> str:
        answers = labels_of_one_type(self.plan.answers)
        if common_type(self.plan.answers) != "text":
            return self._constant(np.array(answers))
        name = self._name()
        texts = [str(a).encode() for a in answers]
        self.constants.append(self.onnx.helper.make_tensor(name, self.onnx.TensorProto.STRING, [len(texts)], texts))
        return name

    # --- the parts of a graph ---------------------------------------------------------------------------

    def _name(self) -> str:
        return f"{self.prefix}{len(self.nodes)}_{len(self.constants)}"

    def _node(
        self, operation: str, inputs: list[str], output: str | None = None, domain: str = "", **options: Any
    ) -> str:
        out = output or f"{self._name()}_{operation}"
        self.nodes.append(self.onnx.helper.make_node(operation, inputs, [out], domain=domain, **options))
        return out

    def _constant(self, values: NDArray[Any]) -> str:
        name = self._name()
        self.constants.append(self.onnx.numpy_helper.from_array(values, name))
        return name

    def _inputs(self) -> list[Any]:
        proto, info = self.onnx.TensorProto, self.onnx.helper.make_tensor_value_info
        kinds = [proto.STRING if isinstance(c, CategoryColumn) else proto.DOUBLE for c in self.plan.columns]
        return [info(name, kind, ["rows", 1]) for name, kind in zip(self.inputs, kinds, strict=True)]

    def _outputs(self) -> list[Any]:
        plan, proto, info = self.plan, self.onnx.TensorProto, self.onnx.helper.make_tensor_value_info
        kind = {"text": proto.STRING, "integer": proto.INT64, "real": proto.DOUBLE, "flag": proto.BOOL}
        outputs = [info("label", kind[common_type(plan.answers)], ["rows"])]
        outputs.append(info("scores", proto.DOUBLE, ["rows", plan.planes]))
        if plan.offsets is not None:
            outputs.append(info("probabilities", proto.DOUBLE, ["rows", len(plan.classes)]))
        return outputs
