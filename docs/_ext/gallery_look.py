"""How the scripts of the gallery draw."""

from pathlib import Path


def drawn_as_in_the_pages(gallery_conf, fname):
    """Pictures of the gallery look like those of the pages."""
    import matplotlib

    matplotlib.rc_file(Path(__file__).parents[1] / "_code" / "matplotlibrc")
