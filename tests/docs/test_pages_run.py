"""Every block of every page runs, and what it asserts holds: worked examples, theorems in numbers, solutions."""

import os
import runpy
import warnings

import pytest

from discriminant import FindingWarning
from tests.docs.pages import DOCS, run, running

pytest.importorskip("matplotlib")
pytest.importorskip("IPython", reason="the pages of the handbook show HTML of IPython; install the extra docs")
PAGES = running()


@pytest.fixture(autouse=True)
def drawn_in_memory(monkeypatch, tmp_path):
    import matplotlib
    import matplotlib.pyplot as plt

    matplotlib.use("Agg")
    monkeypatch.syspath_prepend(str(DOCS / "_code"))
    monkeypatch.chdir(tmp_path)
    before = dict(os.environ)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FindingWarning)
        yield
    plt.close("all")
    os.environ.clear()
    os.environ.update(before)


@pytest.mark.parametrize("script", sorted((DOCS / "gallery").glob("*.py")), ids=lambda script: script.stem)
def test_every_script_of_the_gallery_draws(script):
    import matplotlib.pyplot as plt

    runpy.run_path(str(script))
    assert plt.get_fignums()


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_every_block_runs(page):
    run(page, {"__name__": "__main__"})
