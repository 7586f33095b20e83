"""The numerical tests once more, with the arithmetic of other processors: `make test-portable`.

Sums come out differently in the last digit with other kernels of BLAS, other vector units and other numbers of threads.
A test that holds on one processor by luck fails under one of these settings, and so does a method that stops a
rounding early. Settings that this processor or this build of the libraries cannot run are skipped, with a line that
says so. Arguments are handed on to pytest.

The variables of a setting are printed, so that a failure can be repeated by hand.
"""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from numpy._core._multiarray_umath import __cpu_dispatch__ as dispatched
from numpy._core._multiarray_umath import __cpu_features__ as available

TESTS = Path(__file__).parent
NUMERICAL = (
    "comparison",
    "contract/test_estimator_checks.py",
    "decisions",
    "gain",
    "kernels",
    "laws",
    "learners",
    "multiclass",
    "reference",
    "separability",
    "linalg",
    "optimise",
    "exact",
)
# Of scikit-learn's checks only those that compare the numbers of two fits: all others pass or fail everywhere.
CHECKS = "not test_scikit_learn_check or equivalence or invariance or idempotent"

# A product, singular values and a Cholesky factor, by the BLAS of NumPy and by that of SciPy.
PROBE = """
import json, numpy, scipy.linalg, threadpoolctl
A = numpy.random.default_rng(0).standard_normal((200, 200))
for linalg in (numpy.linalg, scipy.linalg):
    linalg.svd(A), linalg.cholesky(A @ A.T + numpy.eye(200))
scipy.linalg.blas.dgemm(1.0, A, A), scipy.linalg.blas.dgemv(1.0, A, A[0])
libraries = threadpoolctl.threadpool_info()
print(json.dumps([one["architecture"] for one in libraries if one["internal_api"] == "openblas"]))
"""
REPORTED_AS = {"Prescott": "Katmai"}  # OpenBLAS has one table of kernels for both, and tells its other name


@dataclass(frozen=True)
class Setting:
    """Kernels of BLAS, threads, and how much of the processor NumPy, Numba and the C library may use."""

    kernels: str
    threads: int
    without: tuple[str, ...] = ()  # how the names of vector units begin that NumPy shall not use
    generic: bool = False  # compiled loops and the C library for any processor of this family

    @property
    def variables(self) -> dict[str, str]:
        """The environment that asks for it."""
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(self.threads))
        found = {"OPENBLAS_CORETYPE": self.kernels, **threads}
        units = [name for name in dispatched if name.startswith(self.without) and available[name]]
        if self.without and units:
            found["NPY_DISABLE_CPU_FEATURES"] = " ".join(units)
        if self.generic:
            found["NUMBA_CPU_NAME"] = "generic"
            found["NUMBA_CACHE_DIR"] = ".venv/generic-kernels"
            found["GLIBC_TUNABLES"] = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F"
        return found


ANY_UNIT = ("",)
AVX_512 = ("AVX512", "X86_V4")
SETTINGS = (
    Setting("Prescott", threads=1, without=ANY_UNIT, generic=True),
    Setting("Sandybridge", threads=2, without=ANY_UNIT),
    Setting("Haswell", threads=1, without=AVX_512),
    Setting("Zen", threads=2, without=AVX_512),
    Setting("SkylakeX", threads=1),
)


def why_not(setting: Setting) -> str | None:
    """Why a setting cannot be tried here, or None."""
    environment = {**os.environ, **setting.variables}
    probe = subprocess.run([sys.executable, "-c", PROBE], env=environment, capture_output=True, text=True, check=False)
    if probe.returncode < 0:
        return "this processor cannot run them"
    if probe.returncode > 0:
        return f"they do not start: {probe.stderr.strip().splitlines()[-1]}"
    kernels = set(json.loads(probe.stdout))
    if not kernels:
        return "NumPy and SciPy come without OpenBLAS here"
    if kernels - {setting.kernels, REPORTED_AS.get(setting.kernels)}:
        return f"OpenBLAS takes those of {', '.join(sorted(kernels))} for them here"
    return None


def run(setting: Setting, arguments: list[str]) -> bool:
    """Whether the tests pass."""
    paths = [str(TESTS / name) for name in NUMERICAL] + sorted(str(path) for path in TESTS.glob("test_*.py"))
    command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "-m", "not slow", "-k", CHECKS, *arguments, *paths]
    environment = {**os.environ, **setting.variables}
    return subprocess.run(command, cwd=TESTS.parent, env=environment, check=False).returncode == 0


def main() -> int:
    """Run the tests under each setting; 1 where some fail."""
    failed = []
    for setting in SETTINGS:
        reason = why_not(setting)
        if reason is not None:
            print(f"kernels of {setting.kernels}: skipped, {reason}", flush=True)
            continue
        told = " ".join(f'{name}="{value}"' for name, value in setting.variables.items())
        print(f"kernels of {setting.kernels}: {told}", flush=True)
        begun = time.monotonic()
        passed = run(setting, sys.argv[1:])
        print(f"kernels of {setting.kernels}: {'passed' if passed else 'FAILED'} in {time.monotonic() - begun:.0f} s")
        failed += [] if passed else [told]
    for told in failed:
        print(f"to repeat a failure: {told} python -m pytest TEST")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
