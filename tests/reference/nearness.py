"""How near a stored number must be."""

import numpy as np
import pytest


def near(theirs, tolerance=1e-8):
    """What equals these numbers up to this part of each of them, or of the largest."""
    return pytest.approx(np.asarray(theirs, float), rel=tolerance, abs=tolerance * np.abs(theirs).max())
