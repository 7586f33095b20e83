"""One against all on iris: the cell of each class, and which piece of which plane lies between them."""

import matplotlib.pyplot as plt
from saving import save
from sklearn.datasets import load_iris

from discriminant import LogisticRegression, OneVsAll
from discriminant.multiclass import decision_cells
from discriminant.plots.canvas import CLASS_COLOURS, CLASS_MARKERS, INK, legend_of, to_one_scale, window

iris = load_iris()
X, y = iris.data[:, 2:], iris.target_names[iris.target]
model = OneVsAll(LogisticRegression(alpha=0.01)).fit(X, y)
across, up = window(X, 2)
found = decision_cells(model, (across, up))

figure, ax = plt.subplots(figsize=(6.4, 6.6), layout="compressed")
for label, colour, marker in zip(model.classes_, CLASS_COLOURS, CLASS_MARKERS, strict=False):
    ax.fill(*found.cells[label].T, color=colour, alpha=0.15, linewidth=0)
    ax.scatter(*X[y == label].T, s=40, color=colour, marker=marker, edgecolor=INK, linewidth=0.5, zorder=3, label=label)
for (a, b), dashes in zip(model.hyperplanes_, ("-", "--", ":"), strict=True):
    plane = model.hyperplane(a, b)
    ax.axline(
        plane.nearest_point([4, 1]), plane.nearest_point([4, 1]) + plane.basis()[0], color=INK, alpha=0.3, ls=dashes
    )
    for piece in found.pieces:
        if (piece.a, piece.b) == (a, b):
            ax.plot(*zip(piece.start, piece.end, strict=True), color=INK, linewidth=2.4, ls=dashes, label=f"{a} | {b}")
ax.set(
    xlabel=iris.feature_names[2],
    ylabel=iris.feature_names[3],
    title="Each plane, and the piece of it that decides",
)
to_one_scale(ax, across, up)
legend_of(ax)
save(figure, "several_classes")
