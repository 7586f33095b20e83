"""What cases need, imported once for all processes; nothing is computed here, since no thread outlives a fork."""

from importlib import import_module

import discriminant

for _name in ("pandas", "polars", "pyarrow.feather", "pyarrow.parquet", "scipy.sparse", "sklearn.pipeline"):
    import_module(_name)
for _name in discriminant.__all__:
    getattr(discriminant, _name)
