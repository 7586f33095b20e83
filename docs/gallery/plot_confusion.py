"""
Joint table with gains
======================

True against assigned classes, and what each cell earns.
"""

from sklearn.datasets import load_iris

from discriminant import GainClassifier, LinearDiscriminantAnalysis
from discriminant.plots import ConfusionDisplay

iris = load_iris(as_frame=True)
X, y = iris.data.iloc[:, 2:], iris.target_names[iris.target]


gain = [[1, -1, -1], [-1, 1, -5], [-1, -1, 1]]
careful = GainClassifier(LinearDiscriminantAnalysis(), gain=gain).fit(X, y)
ConfusionDisplay.from_estimator(careful, X, y, gain=gain)
