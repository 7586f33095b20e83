"""`make demo`: the learners that exist, side by side on scikit-learn's bundled breast-cancer data."""

import time
import warnings

from rich.console import Console
from rich.table import Table
from sklearn.base import ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from discriminant.findings import FindingWarning
from discriminant.learners.adaline import Adaline
from discriminant.learners.fisher import FisherDiscriminant
from discriminant.learners.lda import LinearDiscriminantAnalysis
from discriminant.learners.least_squares import LeastSquaresClassifier
from discriminant.learners.naive_bayes import NaiveBayes
from discriminant.learners.perceptron import Perceptron
from discriminant.learners.pocket import PocketPerceptron

LEARNERS: dict[str, ClassifierMixin] = {
    "Fisher, midpoint": FisherDiscriminant(),
    "Fisher, best cut": FisherDiscriminant(threshold="accuracy"),
    "LDA": LinearDiscriminantAnalysis(),
    "LDA, shrunk": LinearDiscriminantAnalysis(shrinkage="auto"),
    "LDA, scaled, shrunk": make_pipeline(StandardScaler(), LinearDiscriminantAnalysis(shrinkage="auto")),
    "Least squares": LeastSquaresClassifier(),
    "Gaussian naive Bayes": NaiveBayes(marginal="gaussian"),
    "Mean perceptron, scaled": make_pipeline(StandardScaler(), Perceptron(average=True, random_state=0)),
    "Pocket, scaled": make_pipeline(StandardScaler(), PocketPerceptron(random_state=0)),
    "Adaline, scaled": make_pipeline(StandardScaler(), Adaline(random_state=0)),
}


def main() -> None:
    """Fit each learner, score it by ten-fold cross-validation, and print what it found."""
    data = load_breast_cancer(as_frame=True)
    X, y = data.data, data.target_names[data.target]
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    table = Table(title=f"Breast cancer, {len(X)} rows, {X.shape[1]} columns; CV is 10-fold")
    for heading in ("learner", "errors", "errors in CV", "accuracy in CV", "fit"):
        table.add_column(heading, justify="left" if heading == "learner" else "right")
    notes = []
    for name, learner in LEARNERS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FindingWarning)  # shown below as findings
            learner.fit(X, y)
            start = time.perf_counter()
            learner.fit(X, y)
            took = time.perf_counter() - start
            trained = int((learner.predict(X) != y).sum())
            unseen = int((cross_val_predict(learner, X, y, cv=folds) != y).sum())
        table.add_row(name, str(trained), str(unseen), f"{1 - unseen / len(y):.1%}", f"{1000 * took:.1f} ms")
        notes += [f"{name}: {finding}" for finding in getattr(learner, "findings_", ())]
    console = Console()
    console.print(table)
    for note in notes:
        console.print(f"[bold]Finding[/bold] – {note}", highlight=False)


if __name__ == "__main__":
    main()
