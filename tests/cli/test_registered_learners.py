"""A learner of a module outside the package: known by name to `compare`, to the command and to the report."""

import sys
from importlib import import_module

import pytest

from discriminant import compare
from discriminant.learners import registry
from discriminant.learners.registry import LearnerEntry, known_learners, register, title_of
from tests.tables import gaussian_table

MODULE = '''
from discriminant.learners.base import planes_of_scores
from discriminant.learners.additive import MomentsLearner
from discriminant.learners.registry import LearnerEntry, register


class NearestMean(MomentsLearner):
    """The class whose mean is nearest."""

    def learn_from(self, evidence, rows):
        means = evidence.means
        self.classes_ = evidence.classes
        self.coef_, self.intercept_ = planes_of_scores(means, -0.5 * (means**2).sum(axis=1))
        self.findings_ = ()


register(LearnerEntry("nearest-mean", "Nearest mean", NearestMean, generative=True, closed_form=True))
'''


@pytest.fixture
def nearest_mean(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "_registered", {})
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "nearest_mean_learner.py").write_text(MODULE)
    yield import_module("nearest_mean_learner").NearestMean
    del sys.modules["nearest_mean_learner"]


@pytest.fixture
def table(tmp_path):
    X, y = gaussian_table(0, n=120, d=2)
    lines = [f"{a:.4f},{b:.4f},{['no', 'yes'][k]}" for (a, b), k in zip(X, y, strict=True)]
    (tmp_path / "table.csv").write_text("\n".join(["a,b,y", *lines]))
    return tmp_path / "table.csv"


def test_compare_knows_it(nearest_mean):
    X, y = gaussian_table(0, n=120, d=2)
    assert isinstance(compare(X, y, learners="nearest-mean").learners["nearest-mean"], nearest_mean)
    found = compare(X, y, learners="closed-form")
    assert found.names[-1] == "nearest-mean"
    assert found.kinds["nearest-mean"] == "generative"


def test_the_command_and_the_report_know_it(nearest_mean, run, table, tmp_path):
    result = run("fit", table, "--target", "y", "--learner", "nearest-mean,lda", "-o", tmp_path / "run")
    assert result.code == 0, result.err
    assert "Nearest mean" in result.out
    assert "Nearest mean" in (tmp_path / "run" / "report.html").read_text()


def test_every_learner_says_what_it_is_called():
    for name, entry in known_learners().items():
        assert entry.name == name
        assert entry.title[0].isupper()
        assert title_of(name) == entry.title
        assert not entry.fallback or entry.fallback in known_learners()
        assert entry.make(7).get_params().get("random_state", 7) == 7
    assert title_of("somebody-elses") == "somebody-elses"


def test_a_name_is_given_once():
    with pytest.raises(ValueError, match="'lda' is known already"):
        register(LearnerEntry("lda", "Another", object))
