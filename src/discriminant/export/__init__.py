"""A model in other languages: SQL, C, JavaScript, Python, ONNX and spreadsheet formulas.

Exports carry the whole decision (encoding, planes, thresholds, posteriors, gain rule) and are checked against the model
on rows of their own before they are written.
"""

from discriminant.export.checks import CheckResult
from discriminant.export.exporting import TARGETS, Export, Written, export, write_export
from discriminant.export.literals import ExportError
from discriminant.export.sql.dialects import DIALECTS
from discriminant.export.vectors import ExportVectors as Vectors

__all__ = [
    "DIALECTS",
    "TARGETS",
    "CheckResult",
    "Export",
    "ExportError",
    "Vectors",
    "Written",
    "export",
    "write_export",
]
