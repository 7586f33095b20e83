"""Runs of real studies, in the browser: the page's numbers are the library's, and hostile tables pop nothing."""

import numpy as np
import pyarrow as pa
import pytest

from discriminant import expected_gain, operating_curve
from discriminant.study.design import design_of_table
from discriminant.study.run import run_of
from discriminant.study.study import study
from tests.report.payloads import PAYLOADS
from tests.report.test_browser import move_to
from tests.study.test_study import ABOUT, table_of


def test_moving_the_threshold_shows_what_the_library_computes(opened):
    found = study(design_of_table(table_of(), "label"), gain="tp=5,fn=-20,fp=-4,unit=EUR", learners=["logistic"])
    run = run_of(found, ABOUT)
    page = opened(run)
    labels = np.array(found.model.classes)[found.comparison.codes]
    curve = operating_curve(labels, found.fitted.held_scores[:, 0], positive="yes")
    gains = expected_gain(curve, found.gain)
    places = [0, 3, run["two"]["chosen"], 200, len(run["two"]["thresholds"]) - 1]
    for i in places:
        move_to(page, run, i)
        above = found.fitted.held_scores[:, 0] > run["two"]["thresholds"][i]
        assert page.value("#op-misdetect") == pytest.approx(1 - above[labels == "yes"].mean())
        assert page.value("#op-false-alarm") == pytest.approx(above[labels == "no"].mean())
        assert np.isclose(gains, page.value("#op-gain"), rtol=1e-9).any()
    page.check()


def test_hostile_tables_pop_nothing(opened):
    random = np.random.default_rng(0)
    n = 200
    score = random.standard_normal(n)
    names = [text for text in PAYLOADS if "\ud800" not in text]  # no file can hold half a character
    columns = {name: score + random.standard_normal(n) for name in names}
    columns["level " + PAYLOADS[0]] = np.array(PAYLOADS[:4])[random.integers(0, 4, n)]
    target = "target " + PAYLOADS[1]
    columns[target] = np.where(score > 0, PAYLOADS[2], PAYLOADS[3])
    about = ABOUT | {"files": PAYLOADS[:5], "title": PAYLOADS[5], "command": PAYLOADS[6], "notes": PAYLOADS[7:12]}
    found = study(design_of_table(pa.table(columns), target), learners=["lda", "naive-bayes"])
    page = opened(run_of(found, about))
    page.check()
    assert page.page.evaluate("window.__xss") is None
