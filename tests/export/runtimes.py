"""What runs exports, and a loud word where it is missing."""

import importlib.util
import shutil

import pytest

_NEEDS = {"c": "gcc", "js": "node"}
_PACKAGES = {"duckdb": "duckdb", "onnx": "onnxruntime"}


def need(to, dialect=None):
    """Skip a test whose runtime is absent, saying which."""
    program, package = _NEEDS.get(to), _PACKAGES.get(dialect or to)
    if program and shutil.which(program) is None:
        pytest.skip(f"NOT TESTED: {program} is not on this machine, so the export to {to} was not run")
    if package and importlib.util.find_spec(package) is None:
        pytest.skip(f"NOT TESTED: {package} is not installed (it is in the test group), so {dialect or to} was not run")
    if to == "excel" and importlib.util.find_spec("xlsxwriter") is None:
        pytest.skip("NOT TESTED: xlsxwriter is not installed (it is in the test group), so no workbook was written")
    if to == "onnx" and importlib.util.find_spec("onnx") is None:
        pytest.skip("NOT TESTED: onnx is not installed (it is in the test group), so nothing was exported to it")
