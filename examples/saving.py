"""Where the pictures go: the folder named on the command line, else `pictures/`."""

import sys
from pathlib import Path
from typing import Any


def save(figure: Any, name: str) -> None:
    """Write the figure as name.png."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "pictures")
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / f"{name}.png", dpi=150)
