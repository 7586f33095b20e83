"""One self-contained HTML file that shows a run: what was done, what it earns, and what would change the answer."""

from discriminant.report.rendering import render

__all__ = ["render"]
