"""What cases need of libraries, imported once for all processes; nothing is computed here, as threads do not survive."""

import numpy
import pandas
import polars
import pyarrow.feather
import pyarrow.parquet
import scipy.sparse
import sklearn.pipeline  # noqa: F401

import discriminant

for _name in discriminant.__all__:
    getattr(discriminant, _name)
