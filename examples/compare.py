"""All learners on one table, judged by what their decisions earn: a missed malignant tumour costs ten false alarms."""

import sys

from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from discriminant import Gain, LinearSVM, LogisticRegression, compare

data = load_breast_cancer(as_frame=True)
y = data.target_names[data.target]
gain = Gain.from_costs(
    {"malignant": {"malignant": 0, "benign": 10}, "benign": {"malignant": 1, "benign": 0}}, unit="false alarms"
)


def tell(done: int, total: int, name: str) -> None:
    """A line that rewrites itself."""
    sys.stderr.write(f"\r{done}/{total} {name:<24}")


found = compare(data.data, y, gain=gain, random_state=0, progress=tell)
sys.stderr.write("\r" + " " * 40 + "\r")
sys.stdout.write(f"{found}\n\n")

scaled = {
    "svm, scaled": make_pipeline(StandardScaler(), LinearSVM()),
    "logistic ridge, scaled": make_pipeline(StandardScaler(), LogisticRegression(alpha=1.0)),
}
sys.stdout.write(f"{compare(data.data, y, gain=gain, learners=scaled, random_state=0)}\n")
